"""What all agents of an episode use together: its clock, the strategy's own model, and what they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from harness.asking import Asker
from harness.background import Background, Simulated, Threads, Watch
from harness.clock import Clock, Rates, Time, Wall
from harness.journal import Journal
from harness.setup import Setup
from harness.shared import Entries


@dataclass(frozen=True, slots=True)
class Lent:
    """clock: the simulated one, if there is one. now: what a strategy reads; 0 for ever where there is no clock."""

    asker: Asker | None
    background: Background | None
    clock: Time | None
    now: Callable[[], float]
    entries: Entries = field(default_factory=dict)

    @property
    def waited(self) -> float:
        return self.asker.waited if self.asker is not None else 0.0

    def close(self) -> None:
        if self.background is not None:
            self.background.close()


def lend(setup: Setup, journal: Journal) -> Lent:
    """Without a clock nothing can be asked in the background: there would be no turn at which it is answered."""
    clock: Time | None = None
    if isinstance(setup.clock, Rates):
        clock = Clock(setup.clock)
    elif not isinstance(setup.clock, Wall):
        clock = setup.clock
    model = setup.compactor
    asker = Asker(model, journal, setup.tokenizer, clock, setup.better) if model is not None else None
    background: Background | None = None
    if asker is not None and clock is not None:
        background = Simulated(asker)
    elif asker is not None and isinstance(setup.clock, Wall):
        background = Threads(asker, setup.clock.slots)
    if isinstance(setup.clock, Wall):
        return Lent(asker, background, None, Watch(journal))
    return Lent(asker, background, clock, lambda: clock.now if clock is not None else 0.0)
