"""`python -m harness.describe task=FAMILY [SETTING=…] [--markdown | --write]`: what a task tells and asks, counted.

Everything stems from the schedules of its instances, and from one play with the whole history in view. --markdown
prints the table of the family's page, --write puts it into docs/tasks/FAMILY.md, between the marks.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from omegaconf import OmegaConf

from harness import full_history
from harness.__main__ import CONF
from harness.contract import Schedule, Task
from harness.parts import SettingsError

BEGIN, END = "<!-- counts: python -m harness.describe task={family} --write -->", "<!-- end of counts -->"
PLAYED = 5  # instances of which the full history is played
PAGES = Path(CONF).parent / "docs" / "tasks"


@dataclass(frozen=True, slots=True)
class Kind:
    """Facts of one kind. distances: steps between a statement and a need of it, a need each, in order."""

    facts: int
    superseded: int
    rereadable: int
    distances: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Description:
    """sizes: tokens of the full history of the first instances. ops: goals by op. kinds: by kind of fact."""

    family: str
    instances: int
    horizon: int
    goals: int
    ops: Mapping[str, int]
    kinds: Mapping[str, Kind]
    sizes: Sequence[int]


def load(family: str, overrides: Sequence[str] = ()) -> dict[str, Any]:
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("config", overrides=[f"task={family}", "embedder=none", *overrides])
    return {str(k): v for k, v in OmegaConf.to_container(config, resolve=True).items()}  # type: ignore[union-attr]


def describe(family: str, config: Mapping[str, Any]) -> Description:
    """Raises SettingsError for a task that declares no facts."""
    task = instantiate(config["task"])
    schedules = _schedules(task)
    facts = [fact for schedule in schedules for fact in schedule.facts]
    distances: dict[str, list[int]] = {}
    for schedule in schedules:
        known = {fact.id: fact for fact in schedule.facts}
        for goal in schedule.goals:
            for fact in map(known.__getitem__, goal.facts):
                distances.setdefault(fact.kind, []).append(goal.step - fact.stated)
    kinds = {
        kind: Kind(
            count,
            sum(fact.kind == kind and fact.superseded is not None for fact in facts),
            sum(fact.kind == kind and fact.source is not None for fact in facts),
            tuple(sorted(distances.get(kind, ()))),
        )
        for kind, count in Counter(fact.kind for fact in facts).most_common()
    }
    ops = Counter(goal.op for schedule in schedules for goal in schedule.goals)
    sizes = full_history.measure({**config, "only": [instance.id for instance in task.instances()[:PLAYED]]})
    return Description(
        family, len(schedules), max(g.step for s in schedules for g in s.goals), ops.total(), dict(ops.most_common()),
        kinds, sizes,
    )  # fmt: skip


def _schedules(task: Task) -> list[Schedule]:
    found = []
    for instance in task.instances():
        environment = task.open(instance, 0)
        try:
            environment.reset()
            schedule = environment.schedule()
        finally:
            environment.close()
        if schedule is None:
            raise SettingsError(f"task: {instance.id} declares no facts; describe a family of generated tasks")
        found.append(schedule)
    return found


def lines(found: Description) -> Iterator[str]:
    """Markdown: a sentence, the kinds, the ops."""
    n = found.instances
    yield (
        f"{n} instances, an episode: {found.goals / n:.1f} goals in {found.horizon} steps, "
        f"{statistics.mean(found.sizes):,.0f} tokens of full history (the first {len(found.sizes)}: "
        f"{min(found.sizes):,} to {max(found.sizes):,})."
    )
    yield ""
    yield (
        "| kind of fact | facts | superseded | re-readable | needs | share of needs "
        "| distance in steps: 10 % | median | 90 % |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    total = sum(len(kind.distances) for kind in found.kinds.values())
    for name, kind in found.kinds.items():
        low, middle, high = (_quantile(kind.distances, q) for q in (0.1, 0.5, 0.9))
        needs = len(kind.distances)
        yield (
            f"| {name} | {kind.facts / n:.1f} | {kind.superseded / n:.1f} | {kind.rereadable / n:.1f} "
            f"| {needs / n:.1f} | {needs / total:.0%} | {low} | {middle} | {high} |"
        )
    yield ""
    yield f"| what a goal asks | {' | '.join(found.ops)} |"
    yield f"|---|{'---:|' * len(found.ops)}"
    yield f"| share of the goals | {' | '.join(f'{count / found.goals:.0%}' for count in found.ops.values())} |"


def _quantile(ordered: Sequence[int], share: float) -> str:
    return str(ordered[min(len(ordered) - 1, int(share * len(ordered)))]) if ordered else "–"


def block(family: str, overrides: Sequence[str] = ()) -> str:
    """What stands on the family's page, marks included."""
    text = "\n".join(lines(describe(family, load(family, overrides))))
    return f"{BEGIN.format(family=family)}\n{text}\n{END}"


def write(family: str, page: Path) -> None:
    """Replace the counts on the page. Raises FileNotFoundError or SettingsError where there is no place for them."""
    text, begin = page.read_text(), BEGIN.format(family=family)
    pattern = re.compile(rf"{re.escape(begin)}.*?{re.escape(END)}", re.DOTALL)
    if not pattern.search(text):
        raise SettingsError(f"{page}: no place for the counts; put these lines where they belong:\n{begin}\n{END}")
    made = block(family)
    page.write_text(pattern.sub(lambda _: made, text))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.describe", description="Count what a task tells and asks.")
    parser.add_argument("settings", nargs="+", metavar="SETTING", help="task=FAMILY, and any other setting")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--markdown", action="store_true", help="print the block of the family's page, with its marks")
    how.add_argument("--write", action="store_true", help="put the block into docs/tasks/FAMILY.md")
    chosen = parser.parse_args(arguments)
    family = next((s.removeprefix("task=") for s in chosen.settings if s.startswith("task=")), None)
    if family is None:
        parser.error("task=FAMILY is missing")
    others = [s for s in chosen.settings if not s.startswith("task=")]
    try:
        if chosen.write and not others:
            write(family, PAGES / f"{family}.md")
        elif chosen.write:
            parser.error("--write takes the family's own settings: leave out " + " ".join(others))
        elif chosen.markdown:
            print(block(family, others))
        else:
            print("\n".join(lines(describe(family, load(family, others)))))
    except (SettingsError, OSError) as problem:
        sys.exit(f"longhaul: {problem}")


if __name__ == "__main__":
    main()
