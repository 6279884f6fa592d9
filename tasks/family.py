"""What a family of generated tasks adds to the engine: its words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Style = Literal["prose", "log", "json", "table", "code"]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words of which keys are made. A key is owner/field: owner = noun_number+suffix, field = one word.

    codes, modes, tallies: fields with values of their own, with values that many share, with amounts to be added up.
    rules: fields of the standing rulebook. branches: names of branches, on each of which the same owners live. A place (a subtask, or a step) has `hosts` owners with up to `room`
    fields each. A goal builds on (coupling) the goal before it in its subtask, or on the steps that told its facts.
    """

    nouns: tuple[str, ...]
    suffixes: tuple[str, ...]
    codes: tuple[str, ...]
    modes: tuple[str, ...]
    tallies: tuple[str, ...]
    folder: str
    part: str
    rulebook: str = "rulebook"
    rules: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    place: Literal["subtask", "step"] = "subtask"
    hosts: int = 4
    room: int = 8

    @property
    def fields(self) -> tuple[str, ...]:
        return self.codes + self.modes + self.tallies + self.rules


@dataclass(frozen=True, slots=True)
class Forms:
    """Paraphrases of a statement in one style. <e> owner, <a> field, <v> value, <o> former value.

    <e> comes first of the placeholders; what stands before it or after the last one is not parsed.
    """

    plain: tuple[str, ...]
    change: tuple[str, ...]
    amount: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Family:
    """A family: words, statement forms, instructions and tools.

    system and task are texts with {horizon}, {subtasks}, {rulebook}. phases: tools in the order in which a subtask goes
    through them, each with the name of its open argument and what it is for. target: name of the fixed argument.
    orders: an instruction's first sentence, with <tool> and <e>; idle: the instruction of a step without a goal.
    """

    name: str
    lexicon: Lexicon
    system: str
    task: str
    target: str
    phases: tuple[tuple[str, str, str], ...]
    orders: tuple[str, ...]
    idle: tuple[str, ...]
    acknowledgements: tuple[str, ...]
    openers: tuple[str, ...]
    forms: Mapping[Style, Forms]
    subjects: tuple[str, ...]
    chatter: tuple[str, ...]
