"""Makes the facts that goals need: new ones with their updates, ones that are there already, and standing rules."""

from __future__ import annotations

import heapq
import random
from collections.abc import Sequence, Set

from harness.contract import Op
from tasks.dials import Law
from tasks.layers import Item, Layer
from tasks.names import fresh_token
from tasks.places import Places
from tasks.plan import Need, Told, first_step

_JOINTS = ("+", "~", "|", ":")
_NAMED = 0.5  # share of updates that name the former value


class Telling:
    """All statements of a plan so far. told: by the step whose answer states them. items: those of the asked layer."""

    def __init__(self, places: Places, rng: random.Random) -> None:
        self.places, self.rng = places, rng
        self.lexicon, self.dials = places.lexicon, places.dials
        self.told: list[list[Told]] = [[] for _ in range(self.dials.horizon + 1)]
        self.items: list[Item] = []
        self.taken: set[str] = set()
        self.promises = 0

    def value(self, name: str) -> str:
        """A value for the field that no other key has."""
        return fresh_token(self.rng, self.taken, self.lexicon.frames.get(name, ()))

    def tell(self, layer: Layer, item: Item) -> Item:
        named = None
        if item.old is not None:
            item.old.superseded = item.stated
            named = item.old.value if self.rng.random() < _NAMED else None
        if layer.asked:
            self.items.append(item)
            item.id = f"f{len(self.items)}"
        kind = self.lexicon.kinds.get(item.field, item.kind)
        row = Told(item.owner, item.field, item.value, named, kind, item.source, item.id or None)
        self.told[item.stated].append(row)
        self.places.load[item.stated] += 1
        layer.known.setdefault(item.stated, []).append(item)
        return item

    def asked(self, step: int, op: Op, items: Sequence[Item]) -> Need:
        """The need of a look-up or join: what the items say, joined; every former value is stale."""
        return Need(
            step,
            op,
            tuple([i.key for i in items]),
            tuple([i.id for i in items]),
            tuple([i.value for i in items]),
            tuple([frozenset(i.former()) for i in items]),
            joint=self.rng.choice(_JOINTS) if op == "join" else "",
            source=items[0].source if op == "value" else None,
        )

    def code(self, layer: Layer, step: int, stated: int, once: bool, law: Law, names: tuple[str, ...]) -> Item:
        """A fact about one of the fields `names`, with a value of its own, told at `stated` for the goal at `step`.

        Not `once`: it may stand in a file, and may be updated: after the goal, for a goal to come, while there are
        steps left for that, else before it.
        """
        rng, dials = self.rng, self.dials
        owner, name = self.places.free_key(stated, names)
        item = Item(owner, name, self.value(name), "code", stated)
        if once:
            return self.tell(layer, item)
        if rng.random() < dials.reread:
            item.source = f"{self.lexicon.folder}/{owner}"
        if rng.random() >= dials.updates:
            return self.tell(layer, item)
        other = Item(owner, name, self.value(name), "code", stated, item.source)
        if (times := self.places.later(step, law)) is not None:
            self.tell(layer, item)
            other.old, other.stated = item, times[0]
            self.promises += 1
            due = layer.due.setdefault(self.places.strands.of[step], [])
            heapq.heappush(due, (times[1], self.promises, self.tell(layer, other)))
            return item
        if self.places.told_at(stated) > 0:
            other.stated = self.places.earlier(stated, law)
            item.old = self.tell(layer, other)
        return self.tell(layer, item)

    def find(self, layer: Layer, step: int, once: bool, keys: Set[str], steps: Set[int] = frozenset()) -> Item:
        """A fact for the goal at `step`: an update whose time has come, one that is there already, or a new one.

        keys and steps are taken: no fact of them is chosen.
        """
        due = layer.due.get(self.places.strands.of[step], [])
        while due and due[0][2].superseded is not None:  # replaced by another agent meanwhile
            heapq.heappop(due)
        if not once and due and due[0][0] <= step and due[0][2].key not in keys:
            return heapq.heappop(due)[2]
        law, names = self.places.group()
        if self.rng.random() < self.dials.reuse:
            stated = self.places.any_before(step, law)
            for item in layer.known.get(stated, ()) if stated not in steps else ():
                fits = item.kind == "code" and item.live(step) and (item.once or not once)
                if fits and item.field in names and item.key not in keys:
                    return item
        return self.code(layer, step, self.places.before(step, steps, law), once, law, names)

    def rules(self, layers: list[Layer]) -> None:
        """Standing rules in the first answers, some replaced for one subtask by what is told just before it."""
        dials, rng, lexicon = self.dials, self.rng, self.lexicon
        book = f"{lexicon.rulebook}_{rng.randrange(10, 99)}"
        names = rng.sample(lexicon.rules, dials.rules * len(layers))
        for n, name in enumerate(names):
            layer = layers[n % len(layers)]
            stated = rng.randrange(min(3, dials.horizon))
            layer.rules.append(self.tell(layer, Item(book, name, self.value(name), "rule", stated)))
            for part in range(2, dials.subtasks + 1):
                begin = first_step(part, dials.horizon, dials.subtasks) - 1
                if begin > 2 and rng.random() < dials.temporary:
                    item = Item(self.places.parts[part], name, self.value(name), "temporary", begin)
                    layer.temporary[part, name] = self.tell(layer, item)

    def rule(self, layer: Layer, step: int) -> Item | None:
        """The rule that a look-up at `step` asks for: the temporary one while it lasts."""
        if not layer.rules or self.rng.random() >= self.dials.rule_share:
            return None
        rule = self.rng.choice(layer.rules)
        rule = layer.temporary.get((self.places.part(step), rule.field), rule)
        return rule if rule.stated < step else None
