"""When a request is made again, how long one waits, and how many run at once."""

from __future__ import annotations

import random
import threading
import time
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from harness.models.gate import Gate
from harness.models.retry import CallFailed, Policy, passing, persist


class Status(Exception):
    def __init__(self, status: int, **headers: str) -> None:
        super().__init__("said the server")
        self.status_code = status
        self.response = type("Response", (), {"headers": headers})()


class APITimeoutError(Exception):
    """As the SDKs name it."""


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529, 599])
def test_what_may_pass_is_tried_again(status: int) -> None:
    assert passing(Status(status), status)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_what_stays_wrong_is_not(status: int) -> None:
    assert not passing(Status(status), status)


def test_lost_connections_may_pass_and_errors_of_ours_do_not() -> None:
    assert passing(APITimeoutError(), None) and passing(ConnectionResetError(), None)
    assert not passing(KeyError("x"), None)


def outcomes(*found: Any) -> Any:
    waiting = list(found)

    def post() -> Any:
        one = waiting.pop(0)
        if isinstance(one, Exception):
            raise one
        return one

    return post


def test_pauses_double_up_to_the_longest_and_retry_after_goes_before() -> None:
    slept: list[float] = []
    post = outcomes(Status(500), Status(500), Status(500), Status(429, **{"retry-after": "7"}), "done")
    answer, attempts = persist(post, Policy(9, first=1, longest=3), random.Random(0), slept.append)
    assert (answer, attempts) == ("done", 5)
    for pause, most in zip(slept[:3], (1, 2, 3), strict=True):
        assert most / 2 <= pause <= most
    assert slept[3] == 3  # seven seconds, but never longer than the longest
    date = formatdate(time.time() + 30, usegmt=True)
    assert 25 < Policy(longest=60).pause(1, {"retry-after": date}, 0) < 31
    assert Policy(first=2).pause(1, {"retry-after": "soon"}, 1) == 2


def test_the_last_failure_is_told_with_the_number_of_attempts() -> None:
    with pytest.raises(CallFailed, match=r"Status 503: said the server \(after 2 attempts\)"):
        persist(outcomes(Status(500), Status(503)), Policy(2), random.Random(0), lambda _: None)
    with pytest.raises(CallFailed, match=r"Status 401: said the server$"):
        persist(outcomes(Status(401)), Policy(2), random.Random(0), lambda _: None)


def test_no_more_than_the_slots_run_at_once(tmp_path: Path) -> None:
    running, most, lock = 0, 0, threading.Lock()

    def work() -> None:
        nonlocal running, most
        with Gate("endpoint", 2, None, tmp_path).enter():
            with lock:
                running += 1
                most = max(most, running)
            time.sleep(0.02)
            with lock:
                running -= 1

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 2


def test_endpoints_do_not_wait_for_each_other_and_a_minute_is_counted(tmp_path: Path) -> None:
    with Gate("a", 1, None, tmp_path).enter(), Gate("b", 1, None, tmp_path).enter():
        pass
    gate = Gate("a", None, 3, tmp_path)
    for _ in range(3):
        with gate.enter():
            pass
    (folder,) = [path.parent for path in tmp_path.glob("*/begun")]
    assert len((folder / "begun").read_text().splitlines()) == 3
    old = [str(time.time() - 61)] * 3
    (folder / "begun").write_text("\n".join(old) + "\n")
    with gate.enter():
        pass
    assert len((folder / "begun").read_text().splitlines()) == 1
