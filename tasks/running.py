"""Values that a subtask replaces all the time: what each round of edit and test says about the one file at hand."""

from __future__ import annotations

import random
from collections.abc import Sequence

from harness.contract import Op
from tasks.layers import Item, Layer
from tasks.plan import Need, first_step
from tasks.telling import Telling


class Running:
    """Tells the running values of all layers, and draws the needs for the newest ones.

    Each layer has `running` fields of every subtask's file. They get a value as the subtask begins, and in each round
    a new one with chance `churn`; about half of the updates name the former value.
    """

    def __init__(self, telling: Telling, rng: random.Random) -> None:
        self.telling, self.rng = telling, rng
        self.places, self.dials, self.lexicon = telling.places, telling.dials, telling.lexicon

    def tell(self, layers: Sequence[Layer]) -> None:
        dials, rng = self.dials, self.rng
        for part in range(1, dials.subtasks + 1):
            begin = first_step(part, dials.horizon, dials.subtasks)
            end = first_step(part + 1, dials.horizon, dials.subtasks)
            for n, name in enumerate(rng.sample(self.lexicon.running, dials.running * len(layers))):
                layer = layers[n % len(layers)]
                version: Item | None = None
                for stated in range(begin - 1, end - 1):
                    if version is None or rng.random() < dials.churn:
                        owner, value = self.places.target(begin), self.telling.value(name)
                        version = self.telling.tell(layer, Item(owner, name, value, "running", stated, old=version))
                        layer.running.setdefault((part, name), []).append(version)

    def need(self, layer: Layer, step: int, op: Op) -> Need:
        """A look-up, or a join, of what holds now in the subtask of the step."""
        part = self.places.part(step)
        chains = [versions for (of, _), versions in layer.running.items() if of == part]
        size = 1 if op == "value" or len(chains) == 1 else self.rng.randint(2, min(len(chains), self.dials.fan_in))
        told = [[item for item in versions if item.stated < step] for versions in self.rng.sample(chains, size)]
        return self.telling.asked(step, "value" if size == 1 else "join", [versions[-1] for versions in told])
