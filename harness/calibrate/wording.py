"""A small world in plain sentences, one a line: how its texts are worded, and the grammar that reads them.

Keys are thing/attribute. The texts say all that a real model needs; no model has to know the forms.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.contract import Claim, Question, Slot

SYSTEM = (
    "You keep the book of a workshop through tools. Each instruction names an item to record and says what its entry "
    "must be: a value that was told so far. Answer with one tool call. A value looks like kx4812; copy it as it "
    "stands. If you do not know the value, write unknown as the entry."
)
TASK = "Record the items of all parts of the work, step by step, as the instructions come."

NOUNS = ("valve", "pump", "motor", "shaft", "filter", "gauge", "hinge", "boiler", "relay", "nozzle")
ATTRIBUTES = ("serial", "alloy", "coating", "torque", "supplier", "batch", "gasket", "finish", "voltage", "bearing")

_STATED = (
    "The {a} of {e} is {v}.",
    "{e} has {v} as its {a}.",
    "For {e} the {a} was set to {v}.",
    "{e} came in with the {a} {v}.",
    "Somebody looked up the {a} of {e}: it is {v}.",
)
_ASKED = (
    "Record {i}; its entry is the {a} of {e}.",
    "Now comes {i}: record it with the {a} of {e} as the entry.",
    "Please record {i}, and take the {a} of {e} as its entry.",
    "{i} is to be recorded. The entry must be the {a} of {e}.",
    "Go on with {i} and fill its entry with the {a} of {e}.",
)
_SOURCE = " It is written in {s}."
_CHATTER = (
    "The night shift swept hall {n}.",
    "Crate {n} went to the yard and came back.",
    "Nothing was found in row {n}, as usual.",
    "The crane stood still for {n} minutes.",
    "Visitor {n} signed the list and left.",
)

_VALUE = re.compile(r"[a-z]{2}\d{4}")
_HOLES = {
    "e": rf"(?P<e>(?:{'|'.join(NOUNS)})_\d{{4}})",
    "a": rf"(?P<a>{'|'.join(ATTRIBUTES)})",
    "v": rf"(?P<v>{_VALUE.pattern})",
    "i": r"(?P<i>item_\d{4})",
}


def _pattern(form: str) -> str:
    """The form as a pattern with a group a hole."""
    return "".join(_HOLES[part[1]] if part[0] == "{" else re.escape(part) for part in re.findall(r"\{.\}|[^{]+", form))


_STATEMENTS = tuple(re.compile(f"^{_pattern(form)}$", re.MULTILINE) for form in _STATED)
_QUESTIONS = tuple(
    re.compile(rf"^\[step \d+, (?P<p>part \d+)\] {_pattern(form)}(?: It is written in (?P<s>\S+)\.)?$", re.MULTILINE)
    for form in _ASKED
)


class Plain:
    """The `contract.Grammar` of these texts."""

    def claims(self, text: str) -> Sequence[Claim]:
        found = [match for pattern in _STATEMENTS for match in pattern.finditer(text)]
        found.sort(key=re.Match.start)
        return [Claim(f"{match['e']}/{match['a']}", match["v"]) for match in found]

    def question(self, text: str) -> Question | None:
        """The last instruction of a text."""
        if "[step " not in text:
            return None
        found = [match for pattern in _QUESTIONS for match in pattern.finditer(text)]
        if not found:
            return None
        last = max(found, key=re.Match.start)
        slot = Slot("entry", "value", (f"{last['e']}/{last['a']}",), source=last["s"])
        return Question("record", (slot,), {"item": last["i"]}, last["p"])


def statement(claim: Claim, form: int) -> str:
    """A sentence that states the fact. form: any number; the forms take turns."""
    thing, attribute = claim.key.split("/")
    return _STATED[form % len(_STATED)].format(e=thing, a=attribute, v=claim.value)


def instruction(step: int, part: int, item: str, key: str, form: int, source: str | None = None) -> str:
    """A line that asks to record `item` with the value of `key`, and names where it is written if there is a source."""
    thing, attribute = key.split("/")
    asked = _ASKED[form % len(_ASKED)].format(i=item, a=attribute, e=thing)
    return f"[step {step}, part {part}] {asked}" + (_SOURCE.format(s=source) if source else "")


def chatter(number: int) -> str:
    """A sentence that states no fact."""
    return _CHATTER[number % len(_CHATTER)].format(n=number)


def is_value(text: str) -> bool:
    """Whether a text has the form of a value."""
    return _VALUE.fullmatch(text) is not None
