"""Several issues one after the other in one history: the protocol of arXiv 2606.11213, by `tasks.chain`.

Each issue has a container, a patch and a grade of its own. The chain's result is the share of its issues resolved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from harness.contract import Event, Grade, Grammar, Instance, Message, Schedule, Turn
from tasks.chain import Chain, Links
from tasks.swebench.evaluation import RESOLVED, UNRESOLVED
from tasks.swebench.task import SWEbench
from tasks.swebench.workbench import Workbench

MAIN = "patch"


class Issues:
    """Every `n` instances of `task` in turn are one; what is left over at the end is not played. n = 1: each alone."""

    grammar: Grammar | None = None

    def __init__(self, task: SWEbench, n: int = 5) -> None:
        self.task = task
        self.n = n

    def instances(self) -> Sequence[Instance]:
        """Raises ValueError where there are not enough for one chain."""
        return Chain(self.task, self.n).instances()

    def check(self) -> None:
        self.task.check()

    def open(self, instance: Instance, seed: int) -> Shift:
        opened = Opened(self.task)
        return Shift(Links(opened, instance.data, None), opened)

    def grade(
        self, left: Mapping[str, Mapping[str, str]], folder: str, workers: int
    ) -> Mapping[str, Mapping[str, Grade]]:
        """ "1:patch", … for each issue that was begun, and "patch" for the chain: what was not begun counts 0."""
        issues = {chain.id: chain.data for chain in self.instances()}
        single = {
            f"{issues[chain][int(number) - 1].id}": (chain, number)
            for chain, texts in left.items()
            for number in {name.partition(":")[0] for name in texts}
        }
        own = {
            issue: {name.partition(":")[2]: text for name, text in left[chain].items() if name.startswith(f"{number}:")}
            for issue, (chain, number) in single.items()
        }
        found: dict[str, dict[str, Grade]] = {chain: {} for chain in left}
        for issue, grades in self.task.grade(own, folder, workers).items():
            chain, number = single[issue]
            found[chain] |= {f"{number}:{name}": grade for name, grade in grades.items()}
        for grades_of in found.values():
            grades_of[MAIN] = together([g for name, g in grades_of.items() if name.endswith(f":{MAIN}")], self.n)
        return found


def together(grades: Sequence[Grade], planned: int) -> Grade:
    """One grade for a chain: the share resolved, missing where one of them could not be judged."""
    met = sum(grade.status == RESOLVED for grade in grades)
    said = ", ".join(grade.status for grade in grades) or "none begun"
    if any(grade.success is None for grade in grades):
        broken = next(grade for grade in grades if grade.success is None)
        return Grade(broken.status, None, f"{met} of {planned} resolved: {said}")
    return Grade(RESOLVED if met == planned else UNRESOLVED, met / planned, f"{met} of {planned} resolved: {said}")


@dataclass(slots=True)
class Opened:
    """The task, remembering the workbenches that it opened: a link is closed before anybody asks what it left."""

    task: SWEbench
    benches: list[Workbench] = field(default_factory=list)
    grammar: Grammar | None = None
    raw: str = ""

    def open(self, instance: Instance, seed: int) -> Workbench:
        self.benches.append(self.task.open(instance, seed))
        if self.raw:
            self.benches[-1].keep_raw(f"{self.raw}/{len(self.benches)}")
        return self.benches[-1]

    def instances(self) -> Sequence[Instance]:
        return self.task.instances()


@dataclass(slots=True)
class Shift:
    """The environment of one chain. steps: of the whole chain."""

    links: Links
    opened: Opened
    volatile: bool = True
    steps: int = 0

    @property
    def benches(self) -> list[Workbench]:
        return self.opened.benches

    @property
    def bench(self) -> Workbench:
        """That of the current issue."""
        return self.benches[-1]

    def keep_raw(self, folder: str) -> None:
        """ISSUE/STEP.gz, both numbered within the chain and the issue."""
        self.opened.raw = folder

    def reset(self) -> Turn:
        self.benches.clear()
        self.steps = 0
        return self.links.reset()

    def step(self, reply: Message) -> Turn:
        turn = self.links.step(reply)
        self.steps += len(reply.calls)
        return replace(turn, events=tuple(self._placed(event, turn.done) for event in turn.events))

    def schedule(self) -> Schedule | None:
        return None

    def score(self) -> Mapping[str, float]:
        return self.links.score()

    def left(self) -> Mapping[str, str]:
        numbered = enumerate(self.benches, 1)
        return {f"{n}:{name}": text for n, bench in numbered for name, text in bench.left().items()}

    def close(self) -> None:
        self.links.close()

    def _placed(self, event: Event, done: bool) -> Event:
        """With the step of the chain; only what ends the chain hands it in."""
        kind = "handed_in" if event.kind == "submitted" and not done else event.kind
        return Event(kind, {**event.detail, "step": self.steps} if "step" in event.detail else event.detail)
