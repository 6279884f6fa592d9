"""The file of a tuned strategy: its settings, and how they were found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from harness.tune.space import Settings
from harness.tune.trial import Trial


def text(default: Mapping[str, Any], trials: Sequence[Trial], about: Sequence[str]) -> str:
    """trials: best first. about: lines that say how they were made."""
    settings = {**default, **trials[0].settings}
    head = [*about, *table(trials), "What the keys mean stands in the default's file."]
    comment = "".join(f"# {line}".rstrip() + "\n" for line in head)
    body: str = yaml.safe_dump(settings, sort_keys=False, allow_unicode=True, width=100)
    return comment + body


def table(trials: Sequence[Trial]) -> Iterator[str]:
    """A line a trial: success, tokens an episode, what differs from the default."""
    yield " success   tokens  settings"
    for trial in trials:
        yield f"   {trial.score:.3f}  {trial.spent:7,.0f}  {named(trial.settings)}"


def named(settings: Settings) -> str:
    return " ".join(f"{key}={value}" for key, value in settings.items()) or "(default)"
