"""What the agents of a team hand over to each other when they leave off.

The last step of a visit reports facts that its agent was told; later goals of the other agents may ask for them. A
report may also carry a value that replaces one which another agent had reported: then two agents have written on one
key.
Each layer draws its reports like its other goals, so being reported does not set a needed statement apart.
"""

from __future__ import annotations

import random
from collections.abc import Set

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

    def need(self, layer: Layer, step: int) -> Need:
        """`report` facts that the agent knows, in any order."""
        items: list[Item] = []
        while len(items) < self.dials.report:
            keys = {i.key for i in items}
            item = self._revised(layer, step, keys) if self.rng.random() < self.dials.conflicts else None
            items.append(item or self._own(layer, step, keys))
        layer.reported += [(step, item) for item in items]
        self.rng.shuffle(items)
        return self.telling.asked(step, "join", items)

    def handed(self, layer: Layer, step: int, keys: Set[str]) -> Item | None:
        """With chance `shared` something that others had reported when the visit of `step` began."""
        if self.rng.random() >= self.dials.shared:
            return None
        known = self._known(layer, step, keys)
        return self.rng.choice(known) if known else None

    def _own(self, layer: Layer, step: int, keys: Set[str]) -> Item:
        """Anything that the agent was told with a value that stands for itself; a new fact where little is known."""
        for _ in range(4):
            known = layer.known.get(self.places.any_before(step, self.dials.law), ())
            fits = [i for i in known if i.kind in ("code", "mode") and i.live(step) and i.key not in keys]
            if fits:
                return self.rng.choice(fits)
        return self.telling.find(layer, step, False, keys)

    def _known(self, layer: Layer, step: int, keys: Set[str]) -> list[Item]:
        """What others had reported when the visit of `step` began, and still holds."""
        strands = self.places.strands
        me, begin = strands.of[step], strands.begin(step)
        reported = [item for at, item in layer.reported if at < begin and strands.of[at] != me]
        return [item for item in reported if item.live(step) and item.key not in keys]

    def _revised(self, layer: Layer, step: int, keys: Set[str]) -> Item | None:
        """A new value for a key that another agent reported, told just before the report."""
        known = [i for i in self._known(layer, step, keys) if i.superseded is None and i.stated < step - 1]
        known = [i for i in known if i.kind == "code"]
        if not known:
            return None
        old = self.rng.choice(known)
        value = self.telling.value(old.field)
        return self.telling.tell(layer, Item(old.owner, old.field, value, "code", step - 1, old.source, old))
