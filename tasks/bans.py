"""Statements that rule something out (a promise, a refuted hypothesis), and goals that might do it all the same.

The instruction of such a goal does not repeat what was ruled out. It suggests an argument, as people do; dial
`suggested` says how often the suggestion breaks what was said. So an agent that has lost the statement acts on the
suggestion without knowing that it goes against anything.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from tasks.family import Ban
from tasks.layers import Item, Layer
from tasks.plan import Need
from tasks.telling import Telling

_BARRED = 0.65  # share of the statements that rule out at first


class Bans:
    """Tells the bans of all layers, and draws the needs that put them to the test."""

    def __init__(self, ban: Ban, telling: Telling, rng: random.Random) -> None:
        self.ban, self.telling, self.rng = ban, telling, rng
        self.places, self.dials = telling.places, telling.dials

    def tell(self, layers: Sequence[Layer]) -> None:
        """`bans` statements a layer in the first `ban_steps` answers; some are replaced later (lifted or tightened)."""
        rng, horizon, size = self.rng, self.dials.horizon, self.dials.bans
        first, *others = self.ban.states
        for layer in layers:
            # dealt, not drawn one by one, so that every instance has enough that rules out, early and late
            barred = rng.sample([True] * math.ceil(size * _BARRED) + [False] * int(size * (1 - _BARRED)), size)
            replaced = rng.sample(range(size), int(size * self.dials.lifted + rng.random()))
            for n in range(size):
                state = first if barred[n] else rng.choice(others)
                item = self._state(layer, state, rng.randrange(min(self.dials.ban_steps, horizon)))
                if n in replaced and item.stated + 1 < horizon:
                    state = rng.choice([s for s in self.ban.states if s != state])
                    self._state(layer, state, rng.randrange(item.stated + 1, horizon), item)

    def need(self, layer: Layer, step: int) -> Need | None:
        """A goal that puts bans to the test; None while the agent at work has heard of none."""
        strands = self.places.strands
        live = [i for i in layer.bans if i.live(step) and strands.heard(i.stated) == strands.of[step]]
        barred = [item for item in live if item.value == self.ban.states[0]]
        free = [item for item in live if item.value == self.ban.states[-1]]
        if self.rng.choice(self.ban.ops) == "except":
            return self._choice(step, barred, free) if barred else None
        return self._standing(step, [item for item in live if item not in free], free) if live else None

    def _choice(self, step: int, barred: Sequence[Item], free: Sequence[Item]) -> Need:
        """Several options, of which one is not ruled out: it was let pass, or nobody ever said anything of it."""
        rng, ban = self.rng, self.ban
        hits = rng.sample(barred, rng.randint(1, min(len(barred), self.dials.choices - 1)))
        if free and rng.random() < 0.5:
            known = [rng.choice(free)]
            right = known[0].key
        else:
            known, right = [], "/".join(self.places.free_key(self.places.before(step), ban.fields))
        items = hits + known
        keys = [*(item.key for item in hits), right]
        rng.shuffle(keys)
        broken = frozenset(item.key for item in hits)
        default = rng.choice(sorted(broken)) if rng.random() < self.dials.suggested else right
        stale = frozenset(i.key for i in hits if i.old is not None and i.old.value != ban.states[0])
        facts = tuple(item.id for item in items)
        return Need(
            step, "except", tuple(keys), facts, (right,), (stale,), ban.states[0], default=default, barred=broken
        )

    def _standing(self, step: int, bound: Sequence[Item], free: Sequence[Item]) -> Need:
        """What holds for one key: where nothing is known, the suggestion lets it pass."""
        rng, default = self.rng, self.ban.states[-1]
        binding = bound and (not free or rng.random() < self.dials.suggested)
        item = rng.choice(bound if binding else free)
        stale = frozenset() if item.old is None else frozenset({item.old.value})
        barred = frozenset({default} - {item.value})
        return Need(step, "value", (item.key,), (item.id,), (item.value,), (stale,), default=default, barred=barred)

    def _state(self, layer: Layer, state: str, stated: int, old: Item | None = None) -> Item:
        owner, name = (old.owner, old.field) if old else self.places.free_key(stated, self.ban.fields)
        item = self.telling.tell(layer, Item(owner, name, state, self.ban.kind, stated, old=old))
        layer.bans.append(item)
        return item
