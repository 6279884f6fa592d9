"""How large an instance's history grows: what `budget_share` is a share of.

The full history is played once by the ideal scripted reader (a recorded run: by its own replies) with everything in
view, without any strategy. Its size is the largest request of the episode, schemas and chat overhead included. The
mean over the instances of a cell gives one budget for all arms, known before any of them runs. A share of 1 holds
everything of an average instance; larger ones still lose a little.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import parts, sources
from harness.contract import Brief, Environment, History, Instance, Kit, Message, Recorded
from harness.episode import Episode
from harness.files import write_json
from harness.journal import Journal
from harness.models.dials import Dials
from harness.models.recorded import Recorded as Playback
from harness.models.scripted import Scripted
from harness.parts import ModelSource, Parts, SettingsError
from harness.setup import Setup

FILE = "full_history.json"
_UNBOUNDED = 2**62  # tokens
_NONE = {"_target_": "harness.models.recorded.Recorded"}  # the reader is chosen by environment


def budget(config: Mapping[str, Any], folder: Path) -> int:
    """`budget_share` in tokens. folder: where the measured size is kept, as full_history.json.

    Raises SettingsError for a share that is none, and for a task that cannot be played without a model.
    """
    share = config["budget_share"]
    if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 < share <= 1:
        raise SettingsError(f"budget_share={share}: choose a share above 0, up to 1, or null")
    return round(share * size(config, folder))


def size(config: Mapping[str, Any], folder: Path) -> float:
    """Mean size over the instances, in tokens; measured once for each task, seed and tokenizer."""
    path, key = folder / FILE, _key(config)
    known = json.loads(path.read_text()) if path.is_file() else {}
    if key not in known:
        sizes = measure(config)
        known[key] = {"task": config["task"]["_target_"], "instances": len(sizes), "mean": sum(sizes) / len(sizes)}
        write_json(path, known)
    return float(known[key]["mean"])


def measure(config: Mapping[str, Any]) -> list[int]:
    """The size of each instance, in tokens."""
    of_cell = {key: config[key] for key in ("task", "tokenizer", "limits", "seed")} | {"only": config.get("only")}
    strategy = {"_target_": f"{__name__}.Everything"}
    everything = {"strategy": strategy, "model": _NONE, "budget": _UNBOUNDED, "checkpoints": []}
    built = parts.build({**of_cell, **everything})
    return [_largest(built, instance) for instance in built.instances]


def _key(config: Mapping[str, Any]) -> str:
    """What the size depends on: settings and sources."""
    settings = {key: config.get(key) for key in ("task", "only", "seed", "tokenizer")}
    modules = {sources.module_of(target) for target in sources.targets(settings)}
    code = sources.digest({__name__, *modules})
    return hashlib.sha256(json.dumps([settings, code], sort_keys=True).encode()).hexdigest()[:16]


def _largest(built: Parts, instance: Instance) -> int:
    seed = built.episode_seed(instance)
    environment = built.task.open(instance, seed)
    try:
        model = _reader(environment).open(built.task, environment, seed)
        with tempfile.TemporaryDirectory() as folder:
            journal = Journal(Path(folder) / "full.jsonl").open()
            try:
                setup = Setup(instance, seed, environment, Everything, model, built.tokenizer, _UNBOUNDED, built.limits)
                Episode(setup, journal).run()
                turns = [row for row in journal.rows() if row["row"] == "turn"]
            finally:
                journal.close()
    except ValueError as error:
        raise SettingsError(
            f"budget_share: the full history of {instance.id} is unknown, set budget=…: {error}"
        ) from error
    finally:
        environment.close()
    return max((int(row["tokens"] + row["overhead"]) for row in turns), default=0)


def _reader(environment: Environment) -> ModelSource:
    return Playback() if isinstance(environment, Recorded) else Scripted(Dials())


class Everything:
    """All of the history in every view."""

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        pass

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        return tuple(history)
