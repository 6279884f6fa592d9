"""What the goals ask, op by op, and the right and stale answers."""

from __future__ import annotations

import random
from collections.abc import Sequence

from harness.contract import Op
from tasks.bans import Bans
from tasks.layers import Item, Layer
from tasks.names import amount, fresh_token
from tasks.plan import Need
from tasks.reports import Reports
from tasks.running import Running
from tasks.telling import Telling

_SHARED = 5  # values that modes share


class Goals:
    """Draws the need of a goal in a layer, together with the facts that it takes."""

    def __init__(
        self, telling: Telling, bans: Bans | None, running: Running | None, reports: Reports | None, rng: random.Random
    ) -> None:
        self.telling, self.bans, self.running, self.reports, self.rng = telling, bans, running, reports, rng
        self.places, self.dials, self.lexicon = telling.places, telling.dials, telling.lexicon
        self.shared = [fresh_token(rng, telling.taken) for _ in range(_SHARED)]

    def reported(self, step: int) -> bool:
        """Whether the goal of the step is to report."""
        return self.reports is not None and self.reports.due(step)

    def need(self, layer: Layer, step: int) -> Need:
        if self.reports is not None and self.reports.due(step):
            return self.reports.need(layer, step)
        if self.bans is not None and self.rng.random() < self.dials.ban_share:
            return self.bans.need(layer, step) or self.look_up(layer, step, "join")
        op = self.deal(layer, step)
        if self.running is not None and self.rng.random() >= self.dials.exploring:
            return self.running.need(layer, step, op)
        match op:
            case "value" | "join":
                return self.look_up(layer, step, op)
            case "first" | "last":
                return self.order(layer, step, op)
            case "absent":
                return self.absence(layer, step)
            case "sum":
                return self.total(layer, step)
            case _:
                return self.choice(layer, step, op)

    def deal(self, layer: Layer, step: int) -> Op:
        """The next card of the layer's deck: shares hold exactly in every stretch of one deck."""
        if not layer.deck:
            layer.deck = [op for op, cards in self.dials.ops.items() for _ in range(cards)]
            self.rng.shuffle(layer.deck)
        op = layer.deck.pop()
        time = self.places.clock(step)
        early = (op in ("first", "last") and time < self.dials.choices) or (op == "sum" and time < 2)
        return "join" if early else op

    def look_up(self, layer: Layer, step: int, op: Op) -> Need:
        size = 1 if op == "value" else self.rng.randint(2, self.dials.fan_in)
        rule = self.telling.rule(layer, step)
        items = [] if rule is None else [rule]
        while len(items) < size:
            keys = {i.key for i in items}
            handed = self.reports.handed(layer, step, keys) if self.reports is not None else None
            items.append(handed or self.telling.find(layer, step, False, keys))
        self.rng.shuffle(items)
        return self.telling.asked(step, op, items)

    def order(self, layer: Layer, step: int, op: Op) -> Need:
        items: list[Item] = []
        while len(items) < self.dials.choices:
            items.append(self.telling.find(layer, step, True, {i.key for i in items}, {i.stated for i in items}))
        ranked = sorted(items, key=lambda i: i.stated)
        return self.one_of(step, op, items, (ranked[0] if op == "first" else ranked[-1]).key)

    def absence(self, layer: Layer, step: int) -> Need:
        items: list[Item] = []
        while len(items) < self.dials.choices - 1:
            items.append(self.telling.find(layer, step, True, {i.key for i in items}))
        law, names = self.places.group()
        key = "/".join(self.places.free_key(self.places.before(step, law=law), names))
        return self.one_of(step, "absent", items, key, more=(key,))

    def choice(self, layer: Layer, step: int, op: Op) -> Need:
        """Negation and counting: facts that share values; one of them may be updated."""
        rng, size = self.rng, self.dials.choices
        operand, *others = rng.sample(self.shared, _SHARED)
        hits = size - 1 if op == "except" else rng.randint(0, size)
        values = [operand] * hits + [rng.choice(others) for _ in range(size - hits)]
        rng.shuffle(values)
        updated = rng.randrange(size) if rng.random() < self.dials.updates * size else None
        items = []
        for n, value in enumerate(values):
            stated = self.places.before(step)
            item = Item(*self.places.free_key(stated, self.lexicon.modes), value, "mode", stated)
            if n == updated and self.places.told_at(stated) > 0:
                was = rng.choice([v for v in self.shared if v != value])
                item.old = self.telling.tell(
                    layer, Item(item.owner, item.field, was, "mode", self.places.earlier(stated))
                )
            items.append(self.telling.tell(layer, item))
        answer = _chosen(op, items, values, operand)
        stale = _chosen(op, items, [i.value if i.old is None else i.old.value for i in items], operand)
        return self.one_of(step, op, items, answer, operand=operand, stale=frozenset({stale} - {answer, ""}))

    def total(self, layer: Layer, step: int) -> Need:
        """A chain of amounts for one key, to be added up."""
        steps: set[int] = set()
        for _ in range(min(self.rng.randint(2, self.dials.chain), self.places.clock(step))):
            steps.add(self.places.before(step, steps))
        owner, name = self.places.free_key(min(steps), self.lexicon.tallies)
        amounts: dict[str, None] = {}
        while len(amounts) < len(steps):
            amounts[amount(self.rng)] = None
        for value, stated in zip(amounts, sorted(steps), strict=True):
            self.telling.tell(layer, Item(owner, name, value, "tally", stated))
        ids = tuple(i.id for i in self.telling.items[-len(steps) :]) if layer.asked else ()
        answer = str(sum(map(int, amounts)))
        return Need(step, "sum", (f"{owner}/{name}",), ids, (answer,), (frozenset(),))

    def one_of(
        self,
        step: int,
        op: Op,
        items: Sequence[Item],
        answer: str,
        more: tuple[str, ...] = (),
        operand: str = "",
        stale: frozenset[str] = frozenset(),
    ) -> Need:
        keys = [*(i.key for i in items), *more]
        self.rng.shuffle(keys)
        return Need(step, op, tuple(keys), tuple([i.id for i in items]), (answer,), (stale,), operand)


def _chosen(op: Op, items: Sequence[Item], values: Sequence[str], operand: str) -> str:
    """The count of `operand`, or the key of the one other value ("" if it is not one)."""
    others = [item.key for item, value in zip(items, values, strict=True) if value != operand]
    if op == "count":
        return str(len(items) - len(others))
    return others[0] if len(others) == 1 else ""
