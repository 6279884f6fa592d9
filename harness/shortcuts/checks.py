"""What must hold of a generated family, with the figures that say whether it does."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hydra.utils import instantiate

from harness import cell, files
from harness import record as records
from harness.contract import Fact, Grammar, Message
from harness.plan import Cell
from harness.presence import Index
from harness.record import Record
from harness.shortcuts import guess, units
from harness.shortcuts.arms import ARMS, Controls, controls
from harness.shortcuts.families import cells
from harness.shortcuts.guess import Guessed
from harness.shortcuts.units import Told

MOST = 0.65  # AUC that a guesser may reach
UNITS = ("statements", "messages")


@dataclass(frozen=True, slots=True)
class Findings:
    """bare: facts that a line of all bare values binds. guessed: by unit, without the kinds of facts that are exempt.

    exempt: the fields of these kinds. all_kinds: the same guesses with them, where there are any.
    """

    family: str
    instances: int
    controls: Controls
    bare: int
    guessed: Mapping[str, Guessed]
    exempt: tuple[str, ...]
    all_kinds: Mapping[str, Guessed]

    def failures(self) -> Iterator[str]:
        """What does not hold, a line each."""
        made, limit = self.controls, self.controls.limit
        full, regex = made.arms["full"], made.arms["regex"]
        if full.success < 1 or full.hits < 1:
            yield f"full reaches {full.success:.3f} of the goals and {full.hits:.3f} of the needs, not all"
        if limit is None:
            yield "there is no bound to compare regex with"
        elif not regex.within(limit):
            yield (
                f"regex reaches {regex.success:.3f} of the goals and {regex.hits:.3f} of the needs, over the midpoints "
                f"{limit.success:.3f} and {limit.hits:.3f}"
            )
        if self.bare:
            yield f"a line of bare values binds {self.bare} facts"
        for unit, got in self.guessed.items():
            if not (got.words <= MOST and got.shapes <= MOST):
                yield f"needed {unit} can be guessed: AUC {got.words:.3f} by words, {got.shapes:.3f} by shapes"


def family(task: str, folder: Path, overrides: Sequence[str] = ()) -> Findings:
    """Run the controls on a family in `folder`, and look for shortcuts. overrides: as on the command line.

    Raises RuntimeError where an episode was not finished, with the place of its traceback.
    """
    planned = cells(task, ARMS, folder, overrides)
    for one in planned.values():
        if not cell.run(one.config, one.folder, one.names):
            raise RuntimeError(f"{task}: episodes have no result, see {one.folder / 'errors'}")
    grammar = instantiate(planned["full"].config["task"]).grammar
    played = recorded(planned["full"])
    told = units.all_told(played, grammar)
    exempt = units.fields(played)
    return Findings(
        task,
        len(played),
        controls(planned),
        sum(bound_by_values(record, grammar) for record in played),
        guesses(told, exempt=False),
        tuple(sorted(exempt)),
        guesses(told, exempt=True) if exempt else {},
    )


def recorded(one: Cell) -> list[Record]:
    return [records.load(path) for path in files.records(one.folder)]


def guesses(told: Sequence[Told], exempt: bool) -> dict[str, Guessed]:
    samples = (guess.statements(told, exempt), guess.messages(told, exempt))
    return {unit: guess.guess(found) for unit, found in zip(UNITS, samples, strict=True)}


def bound_by_values(record: Record, grammar: Grammar) -> int:
    """How many facts of an episode a line of bare values would count as present, in the order told or not."""
    assert record.schedule is not None
    facts = record.schedule.facts
    values = [fact.value for fact in facts]
    index = Index(facts, grammar)
    lines = [joint.join(order) for order in (values, sorted(values)) for joint in (" ", ", ", ";", "\t", "\n")]
    return len(_bound(index, lines, facts))


def _bound(index: Index, lines: Collection[str], facts: Sequence[Fact]) -> set[int]:
    """A line that held all parts of some key would bind it: values are no parts of keys."""
    sources = tuple(fact.id for fact in facts)
    made = (Message(f"values:{n}", "user", line, sources=sources) for n, line in enumerate(lines))
    return {fact for message in made for fact in index.holds(message, written=True).bound}
