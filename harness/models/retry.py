"""A request is made again when its failure may pass: a limit, a fault of the server, a lost connection. Else never."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

PASSING = frozenset({408, 409, 429})  # and every 5xx


class CallFailed(Exception):
    """A model could not be asked: no result of the episode, which is left for a later run."""


@dataclass(frozen=True, slots=True)
class Policy:
    """attempts: requests in all. first, longest: seconds between two, doubled each time, unless Retry-After says."""

    attempts: int = 6
    first: float = 1.0
    longest: float = 60.0

    def pause(self, failed: int, headers: Mapping[str, str], luck: float) -> float:
        """Seconds before the next request, after so many failed ones. luck: 0 to 1, spreads those who wait."""
        told = _retry_after(headers)
        if told is not None:
            return min(told, self.longest)
        return float(min(self.longest, self.first * 2 ** (failed - 1)) * (0.5 + luck / 2))


def persist(
    post: Callable[[], Any], policy: Policy, rng: random.Random, sleep: Callable[[float], None] = time.sleep
) -> tuple[Any, int]:
    """The answer, and how many requests it took. Raises CallFailed with the last failure."""
    for attempt in range(1, policy.attempts + 1):
        try:
            return post(), attempt
        except Exception as error:
            status = getattr(error, "status_code", None)
            if not passing(error, status):
                raise CallFailed(_said(error, status)) from None
            if attempt == policy.attempts:
                raise CallFailed(f"{_said(error, status)} (after {attempt} attempts)") from None
            headers = getattr(getattr(error, "response", None), "headers", None) or {}
            sleep(policy.pause(attempt, headers, rng.random()))
    raise CallFailed(f"attempts={policy.attempts}: give at least 1")


def passing(error: Exception, status: int | None) -> bool:
    """Whether the same request may succeed later. The SDKs name a lost connection and a timeout by their class."""
    if status is not None:
        return status in PASSING or status >= 500
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"APIConnectionError", "APITimeoutError", "ConnectionError", "TimeoutError"})


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, or a date."""
    told = headers.get("retry-after")
    if told is None:
        return None
    try:
        return max(0.0, float(told))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(told).timestamp() - time.time())
    except ValueError:
        return None


def _said(error: Exception, status: int | None) -> str:
    """The failure in words. The SDKs put no key into their messages, and neither do we."""
    return f"{type(error).__name__}{f' {status}' if status is not None else ''}: {str(error)[:500]}"
