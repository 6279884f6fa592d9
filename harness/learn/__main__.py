"""`python -m harness.learn train [recorded=FOLDER] [out=FILE] [plan=eviction] [any setting of the plan=…]`: train.
`python -m harness.learn report [recorded=FOLDER] [weights=FILE] [plan=eviction] [any setting of the plan=…]`: report.

train fits the scorer on the development families and, where a folder of them is given, on recorded runs, and writes
its weights. report leaves out one repository of the recorded runs at a time, trains on all the rest, and plays the
runs that were left out; then it plays the held-out families with `weights`, which must not have seen them.
Settings: conf/learn/NAME.yaml (harness/learn/plan.py says what they mean).
"""

from __future__ import annotations

import hashlib
import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import sklearn
from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException
from rich.console import Console

from harness.files import write_text
from harness.learn import choose, plan, rewriting, search
from harness.learn.outcomes import Outcomes, evaluated
from harness.learn.plan import Plan
from harness.learn.samples import Samples, digest, gather
from harness.learn.success import success
from harness.learn.table import blocks
from harness.parts import SettingsError
from harness.report.block import Block, show
from harness.words import Usage, settings

WEIGHTS = Path(__file__).parents[2] / "strategies" / "learned" / "weights"  # a file of the plan's name
DIGITS = 12  # of a file's SHA-256, as settings name it


def train(own: Plan, words: Sequence[str], out: Path) -> None:
    """Write the weights and what they were made from."""
    samples = _gathered(own)
    weights, losses = choose.trained(own, samples)
    groups = dict.fromkeys(one.group for one in samples)
    policy, told = _searched(own, samples)
    about: dict[str, Any] = {
        "made": f"python -m harness.learn train {shlex.join(_portable(words))}".strip(),
        "date": str(date.today()),
        "scikit-learn": sklearn.__version__,
        "samples": digest(samples),
        "groups": {group: _sizes([one for one in samples if one.group == group]) for group in groups},
        "log loss, groups left out": {kind: round(loss, 4) for kind, loss in losses.items()},
        **told,
    }
    write_text(out, json.dumps({"about": about, **policy, **weights}, indent=None, separators=(",", ":")) + "\n")
    found = hashlib.sha256(out.read_bytes()).hexdigest()[:DIGITS]
    print("\n".join(f"{key}: {value}" for key, value in about.items()))
    print(f"{out}: {weights['kind']}; digest: {found}")


def report(own: Plan, weights: Path, console: Console) -> None:
    even = choose.even(own)
    if (own.held_out or own.search) and not weights.is_file():
        raise SettingsError(f"weights={weights}: there is no such file; python -m harness.learn train makes it")
    shipped: dict[str, Any] = json.loads(weights.read_text()) if weights.is_file() else {}
    policy = {key: value for key, value in shipped.items() if key == "policy"}  # no recorded run is in it
    if source := plan.recorded(own):
        samples = _gathered(own)
        groups = dict.fromkeys(source.group(instance.id) for instance in source.parts("strategy=full").instances)
        made = {group: choose.trained(own, [one for one in samples if one.group != group])[0] for group in groups}
        kinds = ", ".join(f"{group}: {one['kind']}" for group, one in made.items())
        found = evaluated(own, source, {group: {**one, **policy} for group, one in made.items()}, even)
        title = f"recorded runs, one repository left out at a time · {own.prices}"
        show(_tables(own, title, found, True, [f"trained without: {kinds}"]), console)
    for source in plan.families(own.held_out, own.evaluated, own.overrides):
        title = f"held-out family {source.name} · {own.prices}"
        show(_tables(own, title, evaluated(own, source, {source.name: shipped}, even), False), console)
    if own.search is not None:
        show([success(own, own.search, shipped, even)], console)


def _tables(own: Plan, title: str, found: Outcomes, groups: bool, notes: Sequence[str] = ()) -> Iterator[Block]:
    if own.rewrites:
        return rewriting.blocks(title, found, own.beside, groups, notes)
    return blocks(title, found, groups, notes)


def _searched(own: Plan, samples: Sequence[Samples]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the success of runs on the development families teaches, and how it did. The scorer that it is searched with
    has seen these families alone: nothing in it comes from a recorded run, so that the report may leave one out."""
    if own.search is None:
        return {}, {}
    weights, _ = choose.trained(own, [one for one in samples if one.group in own.families])
    policy = search.found(own, own.search, weights)
    return {"policy": policy.policy}, {"search": policy.told}


def _gathered(own: Plan) -> list[Samples]:
    runs = plan.recorded(own)
    sources = [*([runs] if runs else []), *plan.families(own.families, own.instances, own.overrides)]
    return [one for source in sources for one in gather(source, own)]


def _portable(words: Sequence[str]) -> Iterator[str]:
    """Folders by their names alone: where they stand is of no use to anybody else."""
    for key, _, value in (word.partition("=") for word in words):
        if key != "out":
            yield f"{key}={Path(value).name if key == 'recorded' else value}"


def _sizes(samples: Sequence[Samples]) -> dict[str, int]:
    rows = {"rows": sum(len(one.y) for one in samples), "needed": int(sum(one.y.sum() for one in samples))}
    return {"episodes": len(samples), **rows}


def main(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if not words or words[0] not in ("train", "report"):
            raise Usage(__doc__)
        given = settings(words[1:], __doc__)
        name = given.pop("plan", "eviction")
        own_file = WEIGHTS / f"{Path(name).stem}.json"
        out, weights = Path(given.pop("out", own_file)), Path(given.pop("weights", own_file))
        own = plan.read(name, [f"{key}={value}" for key, value in given.items()])
        if words[0] == "train":
            train(own, words[1:], out)
        else:
            report(own, weights, Console(width=None if sys.stdout.isatty() else 120))
    except Usage as told:
        print(told)
        return 2
    except (SettingsError, HydraException, OmegaConfBaseException) as error:
        print(f"longhaul: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
