"""Which earlier text an action depended on, found in a history that declares nothing (rules: docs/needs.md).

A need is a value that an action names and that the task message or an observation showed first. What the agent wrote
first, it coined; what the system text or the fixed instructions say is protocol.

    python -m harness.needs PATH [--labels FILE]      measures the finder on recorded runs
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.contract import Message
from harness.presence import occurs
from harness.values import PREFIXES, Kind, Value, action_text, values

FEWEST = 8  # needs at a point below which a share is listed and not drawn
COMMON_FROM = 10  # observations, after which a value can be too common
COMMON = 0.3  # share of the observations so far

# Where the task message frames what was asked for, the rest of it is the same for every task.
_ASKED = re.compile(
    r"<(pr_description|issue|issue_description|problem_statement|task)>.*?</\1>", re.DOTALL | re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Need:
    """The action at `step` (in `message`) needs `value`, which message `first` showed first.

    message and first are positions in the history. stated: the step that `first` answers, 0 for the task message.
    """

    step: int
    message: int
    value: str
    kind: Kind
    first: int
    stated: int

    @property
    def distance(self) -> int:
        """Steps from the first sight to the action, at least 1."""
        return self.step - self.stated


def find(messages: Sequence[Message], repositories: Sequence[str] = ()) -> tuple[Need, ...]:
    """Every need of a whole history: system message, task message, then replies and what came back.

    Each call is an action and a step. repositories: prefixes that paths are written without, beside the usual ones.
    A history of 115 actions takes about 0.1 s. Raises ValueError for one that does not start with system and task.
    """
    roles = [message.role for message in messages[:2]]
    if roles != ["system", "user"]:
        raise ValueError(f"needs are found in a whole history (system, user, …), not in one that starts with {roles}")
    seen = _Seen(messages)
    prefixes = (*repositories, *PREFIXES)
    return tuple(
        Need(step, place, value.text, value.kind, first, seen.step[first])
        for step, place, action in _actions(messages)
        for value, first in seen.needed(values(action, prefixes), place)
    )


def _actions(messages: Sequence[Message]) -> Iterator[tuple[int, int, str]]:
    step = 0
    for place, message in enumerate(messages):
        for call in message.calls:
            step += 1
            yield step, place, action_text(call.arguments)


class _Seen:
    """Where each value stands in the history; every value is looked up once."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._texts = [_text(message) for message in messages]
        self._roles = [message.role for message in messages]
        self._protocol = _ASKED.sub("\n", messages[1].content) if _ASKED.search(messages[1].content) else ""
        self._observed = [i for i, role in enumerate(self._roles) if role == "tool"]
        self._places: dict[str, list[int]] = {}
        self.step = _steps(messages)

    def needed(self, found: Sequence[Value], action: int) -> list[tuple[Value, int]]:
        """(value, place of first sight) of the values that the action at this place needs."""
        counted: dict[str, tuple[Value, int]] = {}
        for value in found:
            for part in self._known(value, action):
                first = self.places(part.text)[0]
                if self._shown(part.text, first) and not self._common(part.text, action):
                    counted.setdefault(part.text, (part, first))
        whole = [text for text, (value, _) in counted.items() if value.kind != "phrase"]
        return [
            pair
            for text, pair in counted.items()
            if not any(len(text) < len(other) and text in other and occurs(text, other) for other in whole)
        ]

    def places(self, value: str) -> list[int]:
        """Positions of the messages that hold the value whole."""
        if value not in self._places:
            self._places[value] = [i for i, text in enumerate(self._texts) if value in text and occurs(value, text)]
        return self._places[value]

    def _known(self, value: Value, action: int) -> Iterator[Value]:
        """The value where an earlier message has it, else the longest parts of it that one has."""
        if self._before(value.text, action):
            yield value
            return
        taken: list[str] = []
        for part in value.parts:
            if not any(occurs(part.text, other) for other in taken) and self._before(part.text, action):
                taken.append(part.text)
                yield part

    def _before(self, value: str, action: int) -> bool:
        places = self.places(value)
        return bool(places) and places[0] < action

    def _shown(self, value: str, first: int) -> bool:
        return first > 0 and self._roles[first] != "assistant" and not occurs(value, self._protocol)

    def _common(self, value: str, action: int) -> bool:
        so_far = bisect_left(self._observed, action)
        if so_far < COMMON_FROM:
            return False
        holding = sum(self._roles[place] == "tool" for place in self.places(value) if place < action)
        return holding > COMMON * so_far


def _text(message: Message) -> str:
    return "\n".join((message.content, *(action_text(call.arguments) for call in message.calls)))


def _steps(messages: Sequence[Message]) -> list[int]:
    """For each message the step whose answer it is, or after which it stands."""
    numbers: dict[str, int] = {}
    steps: list[int] = []
    for message in messages:
        for call in message.calls:
            numbers[call.id] = len(numbers) + 1
        steps.append(numbers.get(message.answers, len(numbers)) if message.answers is not None else len(numbers))
    return steps


if __name__ == "__main__":
    from harness.needs_report import main

    sys.exit(main())
