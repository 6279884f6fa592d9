"""What a family of generated tasks adds to the engine: its words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from harness.contract import Op

Style = Literal["prose", "log", "json", "table", "code"]


_NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Ban:
    """Words for what is ruled out (`tasks.bans`): a promise, a refuted hypothesis.

    kind: of such facts. fields: what of an owner is ruled out. states: values; the first rules out, the last lets pass.
    event: recorded when an action goes against it. ops: how it is put to the test, one drawn each time: `except`
    chooses among options, `value` gives the state itself. asks: instructions by op, with <default>. spoken: told by
    the user.
    """

    kind: str
    fields: tuple[str, ...]
    states: tuple[str, ...]
    event: str
    ops: tuple[Op, ...]
    asks: Mapping[Op, tuple[str, ...]]
    spoken: bool


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words of which keys are made. A key is owner/field: owner = noun_number+suffix, field = one word.

    codes, modes, tallies: fields with values of their own, with values that many share, with amounts to be added up.
    rules: fields of the standing rulebook. branches: names of branches, on each of which the same owners live.
    agents: names of those who take turns, each with a history of its own. running: fields that a subtask's file
    changes all the time. kinds: by field, the kind of its facts where it is not "code".
    spoken_kinds: those of which only the user speaks. frames: by field, words of
    which its values are made (flush.py-412) in place of tokens. ban: what may be ruled out. A place (a subtask, or a
    step) has `hosts` owners with up to `room` fields each. A goal builds on (coupling) the goal before it in its
    subtask, or on the steps that told its facts.
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
    agents: tuple[str, ...] = ()
    running: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=lambda: _NONE)
    frames: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _NONE)
    spoken_kinds: tuple[str, ...] = ()
    ban: Ban | None = None
    place: Literal["subtask", "step"] = "subtask"
    hosts: int = 4
    room: int = 8

    @property
    def fields(self) -> tuple[str, ...]:
        banned = self.ban.fields if self.ban else ()
        return self.codes + self.modes + self.tallies + self.rules + self.running + banned

    @property
    def strands(self) -> int:
        """Most lines of work that can take turns."""
        return max(1, len(self.branches), len(self.agents))

    @property
    def spoken(self) -> frozenset[str]:
        """The kinds of statements that only the user makes."""
        bans = {self.ban.kind} if self.ban and self.ban.spoken else set()
        return frozenset({"rule", "temporary", *self.spoken_kinds, *bans})


@dataclass(frozen=True, slots=True)
class Forms:
    """Paraphrases of a statement in one style. <e> owner, <a> field, <v> value, <o> former value.

    <e> comes first of the placeholders; what stands before it or after the last one is not parsed.
    kinds: forms of their own, by kind of fact.
    """

    plain: tuple[str, ...]
    change: tuple[str, ...]
    amount: tuple[str, ...] = ()
    kinds: Mapping[str, Forms] = field(default_factory=lambda: _NONE)

    def of(self, kind: str) -> Forms:
        return self.kinds.get(kind, self)


@dataclass(frozen=True, slots=True)
class Family:
    """A family: words, statement forms, instructions and tools.

    system and task are texts with {horizon}, {subtasks}, {rulebook}. phases: tools in the order in which a subtask goes
    through them, each with the name of its open argument and what it is for. target: name of the fixed argument.
    report: the tool that hands results over, in a team. cycle: the phases alternate from step to step. switches: said
    before the order when a branch <e> is taken up and <o> left. handovers: said before what other agents reported.
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
    report: tuple[str, str, str] | None = None
    cycle: bool = False
    switches: tuple[str, ...] = ()
    handovers: tuple[str, ...] = ()
