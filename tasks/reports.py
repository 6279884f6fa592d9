"""What the agents of a team hand over to each other when they leave off.

The last step of a visit reports facts of *every* layer, so that what stands in the reports is needed later in the
same proportion as everything else. Later goals of the other agents may ask for what was reported. A report may also
carry a value that replaces one which another agent had reported: then two agents have written on one key.
"""

from __future__ import annotations

import random
from collections.abc import Sequence, Set

from tasks.layers import Item, Layer
from tasks.plan import Need
from tasks.telling import Telling


class Reports:
    """Draws the reports in the order of the steps, and what look-ups take from them."""

    def __init__(self, telling: Telling, rng: random.Random) -> None:
        self.telling, self.rng = telling, rng
        self.places, self.dials = telling.places, telling.dials

    def due(self, step: int) -> bool:
        """Whether the agent at work hands over after this step."""
        return self.places.strands.begins(step + 1)

    def need(self, layers: Sequence[Layer], step: int) -> Need:
        """`report` facts of each layer that the agent knows, in any order."""
        items: list[Item] = []
        for layer in layers:
            for _ in range(self.dials.report):
                item = self._revised(layer, step) if self.rng.random() < self.dials.conflicts else None
                item = item or self.telling.find(layer, step, False, {i.key for i in items})
                self.telling.name(item)
                layer.reported.append((step, item))
                items.append(item)
        self.rng.shuffle(items)
        return self.telling.asked(step, "join", items)

    def handed(self, layer: Layer, step: int, keys: Set[str]) -> Item | None:
        """With chance `shared` something that others had reported when the visit of `step` began."""
        if self.rng.random() >= self.dials.shared:
            return None
        known = [item for item in self._known(layer, step) if item.key not in keys]
        return self.rng.choice(known) if known else None

    def _known(self, layer: Layer, step: int) -> list[Item]:
        strands = self.places.strands
        me, begin = strands.of[step], strands.begin(step)
        return [i for at, i in layer.reported if at < begin and strands.of[at] != me and i.live(step)]

    def _revised(self, layer: Layer, step: int) -> Item | None:
        """A new value for a key that another agent reported, told just before the report."""
        known = [i for i in self._known(layer, step) if i.superseded is None and i.stated < step - 1]
        if not known:
            return None
        old = self.rng.choice(known)
        value = self.telling.value(old.field)
        return self.telling.tell(layer, Item(old.owner, old.field, value, "code", step - 1, old.source, old))
