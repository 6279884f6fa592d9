"""Draws what is told and asked in an instance, before any text is worded.

Every goal is drawn 1 + lookalikes times by the same procedure, into as many layers; only the goals of one layer
are ever asked. So a statement that nobody will need has the same kinds, shapes, places, updates and files as a needed one
by construction. Work per step is constant.
"""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass, field, replace

from harness.contract import Fact, Goal, Op, Schedule
from tasks.dials import Dials, distances
from tasks.family import Lexicon
from tasks.names import amount, fresh_token, names
from tasks.plan import Need, Plan, Told, subtask

JOINTS = ("+", "~", "|", ":")
NAMED = 0.5  # share of updates that name the former value
POOL = 5  # values that modes share


@dataclass(slots=True, eq=False)
class _Item:
    owner: str
    field: str
    value: str
    kind: str
    stated: int
    source: str | None = None
    old: _Item | None = None
    superseded: int | None = None
    fact: str | None = None

    @property
    def key(self) -> str:
        return f"{self.owner}/{self.field}"

    @property
    def once(self) -> bool:
        """Told in exactly one place for good, so that order and absence are well defined."""
        return self.source is None and self.old is None and self.superseded is None

    def former(self) -> frozenset[str]:
        values, item = set(), self.old
        while item is not None:
            values.add(item.value)
            item = item.old
        return frozenset(values - {self.value})


@dataclass(slots=True, eq=False)
class _Layer:
    asked: bool
    known: dict[int, list[_Item]] = field(default_factory=dict)
    due: list[tuple[int, int, _Item]] = field(default_factory=list)
    rules: list[_Item] = field(default_factory=list)
    temporary: dict[tuple[int, str], _Item] = field(default_factory=dict)
    deck: list[Op] = field(default_factory=list)


def draw(lexicon: Lexicon, dials: Dials, seed: int) -> Plan:
    """The plan of an instance: a pure function of its arguments. Raises ValueError for dials that cannot be met."""
    if not 1 <= dials.subtasks <= dials.horizon:
        raise ValueError(f"dial subtasks={dials.subtasks}: must lie between 1 and horizon={dials.horizon}")
    if dials.rules * (1 + dials.lookalikes) > len(lexicon.rules):
        raise ValueError(
            f"dials rules={dials.rules}, lookalikes={dials.lookalikes}: the family has words for {len(lexicon.rules)} rules, "
            f"rules * (1 + lookalikes) must not exceed that"
        )
    if dials.choices < 2 or dials.fan_in < 2 or dials.chain < 2:
        raise ValueError(
            f"dials choices={dials.choices}, fan_in={dials.fan_in}, chain={dials.chain}: each must be 2 or more"
        )
    return _Drawing(lexicon, dials, random.Random(f"plan {seed}")).plan()


class _Drawing:
    def __init__(self, lexicon: Lexicon, dials: Dials, rng: random.Random) -> None:
        self.lexicon, self.dials, self.rng = lexicon, dials, rng
        self.back = distances(dials, rng)
        places = dials.horizon + 1 if lexicon.place == "step" else dials.subtasks + 1
        self.names = names(rng, lexicon.nouns, lexicon.suffixes, places * lexicon.hosts)
        self.taken: set[str] = set()
        self.pool = [fresh_token(rng, self.taken) for _ in range(POOL)]
        self.hosts: list[list[tuple[str, set[str]]]] = [
            [(next(self.names), set()) for _ in range(lexicon.hosts)] for _ in range(places)
        ]
        self.told: list[list[Told]] = [[] for _ in range(dials.horizon + 1)]
        self.facts: list[_Item] = []
        self.layers = [_Layer(asked=i == 0) for i in range(1 + dials.lookalikes)]
        self.serial = 0

    def plan(self) -> Plan:
        dials, rng = self.dials, self.rng
        self.draw_rules()
        needs: dict[int, Need] = {}
        phase, last = rng.random(), 0
        for step in range(1, dials.horizon + 1):
            due = int(step * dials.goal_share + phase)
            if due == last:
                continue
            last = due
            for layer in rng.sample(self.layers, len(self.layers)):
                need = self.need(layer, step)
                if layer.asked:
                    needs[step] = need
        needs = self.based(needs)
        facts = tuple(
            Fact(i.fact or "", i.key, i.value, i.kind, i.stated, i.superseded, i.source)
            for i in sorted(self.facts, key=lambda i: i.stated)
        )
        goals = tuple(Goal(n.step, n.op, n.facts) for n in needs.values())
        targets = tuple(self.target(step) for step in range(dials.horizon + 1))
        told = tuple(tuple(rows) for rows in self.told)
        files: dict[str, list[tuple[int, Told]]] = {}
        values: dict[str, str] = {}
        for step, rows in enumerate(told):
            for row in rows:
                if row.source is not None:
                    files.setdefault(row.source, []).append((step, row))
                if row.kind not in ("mode", "tally"):
                    values[row.value] = f"{row.owner}/{row.field}"
        return Plan(dials.horizon, dials.subtasks, told, needs, targets, files, values, Schedule(facts, goals))

    # ------------------------------------------------------------ places

    def part(self, step: int) -> int:
        return subtask(step, self.dials.horizon, self.dials.subtasks)

    def target(self, step: int) -> str:
        if self.lexicon.place == "step":
            return self.hosts[step][0][0]
        return f"{self.lexicon.part}_{self.part(step):02d}"

    def free_key(self, step: int, fields: tuple[str, ...]) -> tuple[str, str]:
        """An owner of this step's place and a field of it that nothing was or will be told about."""
        hosts = self.hosts[step if self.lexicon.place == "step" else self.part(step)]
        owner, used = self.rng.choice(hosts)
        free = [f for f in fields if f not in used] if len(used) < self.lexicon.room else []
        if not free:
            owner, used = next(self.names), set()
            hosts.append((owner, used))
            free = list(fields)
        chosen = self.rng.choice(free)
        used.add(chosen)
        return owner, chosen

    def step_before(self, step: int, banned: frozenset[int] | set[int] = frozenset()) -> int:
        """A step at the law's distance before `step`, if possible one that is not crowded and never a banned one."""
        for _ in range(6):
            chosen = step - self.back(step)
            if chosen not in banned and len(self.told[chosen]) < self.dials.crowd:
                return chosen
        while chosen in banned:
            chosen = (chosen + 1) % step
        return chosen

    # ------------------------------------------------------------ statements

    def tell(self, layer: _Layer, item: _Item) -> _Item:
        if item.old is not None:
            item.old.superseded = item.stated
        if layer.asked:
            item.fact = f"f{len(self.facts) + 1}"
            self.facts.append(item)
        named = item.old.value if item.old is not None and self.rng.random() < NAMED else None
        row = Told(item.owner, item.field, item.value, named, item.kind, item.source, item.fact)
        self.told[item.stated].append(row)
        layer.known.setdefault(item.stated, []).append(item)
        return item

    def new_code(self, layer: _Layer, step: int, stated: int, once: bool) -> _Item:
        """A fact told at `stated` for the goal at `step`; perhaps with a version before it or one after it."""
        rng = self.rng
        owner, name = self.free_key(stated, self.lexicon.codes)
        source = f"{self.lexicon.folder}/{owner}" if not once and rng.random() < self.dials.reread else None
        item = _Item(owner, name, fresh_token(rng, self.taken), "code", stated, source)
        other = _Item(owner, name, fresh_token(rng, self.taken), "code", stated, source)
        if once or rng.random() >= self.dials.updates:
            return self.tell(layer, item)
        later = step - 1 + self.back(self.dials.horizon)
        again = later + self.back(self.dials.horizon)
        if again <= self.dials.horizon:
            self.tell(layer, item)
            other.old, other.stated = item, later
            self.serial += 1
            heapq.heappush(layer.due, (again, self.serial, self.tell(layer, other)))
        elif stated > 0:
            other.stated = self.step_before(stated)
            item.old = self.tell(layer, other)
            self.tell(layer, item)
        else:
            self.tell(layer, item)
        return item

    def find(self, layer: _Layer, step: int, once: bool, taken: set[str], banned: set[int]) -> _Item:
        """A fact for the goal at `step`: one whose time has come, one that is there already, or a new one."""
        if not once and layer.due and layer.due[0][0] <= step and layer.due[0][2].key not in taken:
            return heapq.heappop(layer.due)[2]
        if self.rng.random() < self.dials.reuse:
            stated = step - self.back(step)
            for item in layer.known.get(stated, ()) if stated not in banned else ():
                live = item.superseded is None or item.superseded >= step
                if item.kind == "code" and live and item.key not in taken and (item.once or not once):
                    return item
        return self.new_code(layer, step, self.step_before(step, banned), once)

    def draw_rules(self) -> None:
        """Standing rules in the first answers; some are replaced for one subtask, told as it begins."""
        dials, rng, lexicon = self.dials, self.rng, self.lexicon
        book = f"{lexicon.rulebook}_{rng.randrange(10, 99)}"
        fields = rng.sample(lexicon.rules, dials.rules * len(self.layers))
        for n, name in enumerate(fields):
            layer = self.layers[n % len(self.layers)]
            stated = rng.randrange(min(3, dials.horizon))
            layer.rules.append(self.tell(layer, _Item(book, name, fresh_token(rng, self.taken), "rule", stated)))
            for part in range(2, dials.subtasks + 1):
                begin = -((1 - part) * dials.horizon // dials.subtasks)
                if begin > 2 and rng.random() < dials.temporary:
                    item = _Item(f"{lexicon.part}_{part:02d}", name, fresh_token(rng, self.taken), "temporary", begin)
                    layer.temporary[part, name] = self.tell(layer, item)

    # ------------------------------------------------------------ goals

    def deal(self, layer: _Layer, step: int) -> Op:
        if not layer.deck:
            layer.deck = [op for op, cards in self.dials.ops.items() for _ in range(cards)]
            self.rng.shuffle(layer.deck)
        op = layer.deck.pop()
        if op in ("first", "last") and step < self.dials.choices or op == "sum" and step < 2:
            return "join"
        return op

    def need(self, layer: _Layer, step: int) -> Need:
        op = self.deal(layer, step)
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

    def look_up(self, layer: _Layer, step: int, op: Op) -> Need:
        rng, items = self.rng, list[_Item]()
        taken: set[str] = set()
        if layer.rules and rng.random() < self.dials.rule_share:
            rule = rng.choice(layer.rules)
            rule = layer.temporary.get((self.part(step), rule.field), rule)
            if rule.stated < step:
                items.append(rule)
                taken.add(rule.key)
        for _ in range((1 if op == "value" else rng.randint(2, self.dials.fan_in)) - len(items)):
            items.append(self.find(layer, step, False, taken, set()))
            taken.add(items[-1].key)
        rng.shuffle(items)
        return Need(
            step,
            op,
            tuple(i.key for i in items),
            tuple(i.fact or "" for i in items),
            tuple(i.value for i in items),
            tuple(i.former() for i in items),
            joint=rng.choice(JOINTS) if op == "join" else "",
            source=items[0].source if op == "value" else None,
        )

    def order(self, layer: _Layer, step: int, op: Op) -> Need:
        items: list[_Item] = []
        for _ in range(self.dials.choices):
            items.append(self.find(layer, step, True, {i.key for i in items}, {i.stated for i in items}))
        ranked = sorted(items, key=lambda i: i.stated)
        return self.about(step, op, items, (ranked[0] if op == "first" else ranked[-1]).key)

    def absence(self, layer: _Layer, step: int) -> Need:
        items: list[_Item] = []
        for _ in range(self.dials.choices - 1):
            items.append(self.find(layer, step, True, {i.key for i in items}, set()))
        owner, name = self.free_key(self.step_before(step), self.lexicon.codes)
        return self.about(step, "absent", items, f"{owner}/{name}", f"{owner}/{name}")

    def choice(self, layer: _Layer, step: int, op: Op) -> Need:
        """Negation and counting: facts with shared values, one of them perhaps updated."""
        rng, size = self.rng, self.dials.choices
        operand, *rest = rng.sample(self.pool, POOL)
        hits = size - 1 if op == "except" else rng.randint(0, size)
        values = [operand] * hits + [rng.choice(rest) for _ in range(size - hits)]
        rng.shuffle(values)
        updated = rng.randrange(size) if rng.random() < self.dials.updates * size else -1
        items = []
        for n, value in enumerate(values):
            stated = self.step_before(step)
            owner, name = self.free_key(stated, self.lexicon.modes)
            old = None
            if n == updated and stated > 0:
                before = rng.choice([v for v in self.pool if v != value])
                old = self.tell(layer, _Item(owner, name, before, "mode", self.step_before(stated)))
            items.append(self.tell(layer, _Item(owner, name, value, "mode", stated, old=old)))
        was = [i.old.value if i.old else i.value for i in items]
        answer, stale = _choose(op, items, values, operand), _choose(op, items, was, operand)
        return self.about(step, op, items, answer, operand=operand, stale=frozenset({stale} - {answer, ""}))

    def total(self, layer: _Layer, step: int) -> Need:
        size = min(self.rng.randint(2, self.dials.chain), step)
        steps: set[int] = set()
        for _ in range(size):
            steps.add(self.step_before(step, steps))
        owner, name = self.free_key(min(steps), self.lexicon.tallies)
        amounts: set[str] = set()
        while len(amounts) < size:
            amounts.add(amount(self.rng))
        values = sorted(amounts)
        self.rng.shuffle(values)
        items = [
            self.tell(layer, _Item(owner, name, v, "tally", s)) for s, v in zip(sorted(steps), values, strict=True)
        ]
        return Need(
            step,
            "sum",
            (f"{owner}/{name}",),
            tuple(i.fact or "" for i in items),
            (str(sum(map(int, values))),),
            (frozenset(),),
        )

    def about(
        self,
        step: int,
        op: Op,
        items: list[_Item],
        answer: str,
        extra: str = "",
        operand: str = "",
        stale: frozenset[str] = frozenset(),
    ) -> Need:
        keys = [i.key for i in items] + ([extra] if extra else [])
        self.rng.shuffle(keys)
        return Need(step, op, tuple(keys), tuple(i.fact or "" for i in items), (answer,), (stale,), operand)

    def based(self, needs: dict[int, Need]) -> dict[int, Need]:
        """The needs with the goal steps that they build on: see `Lexicon`."""
        stated = {i.fact: i.stated for i in self.facts}
        based: dict[int, Need] = {}
        before: Need | None = None
        for step, need in needs.items():
            if self.lexicon.place == "step":
                base = tuple(sorted({stated[f] for f in need.facts} & needs.keys()))
            else:
                base = (before.step,) if before and self.part(before.step) == self.part(step) else ()
            based[step] = replace(need, base=base)
            before = need
        return based


def _choose(op: Op, items: list[_Item], values: list[str], operand: str) -> str:
    hits = [v == operand for v in values]
    if op == "count":
        return str(sum(hits))
    return items[hits.index(False)].key if hits.count(False) == 1 else ""
