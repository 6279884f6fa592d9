"""Where subtasks begin, what instructions say about it, and where the history ends."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tasks.dials import Dials
from tasks.plan import first_step, subtask

_SHIFT = 3  # steps: a noisy border is announced at most so much too early or too late


def said(dials: Dials, seed: int) -> tuple[int | None, ...]:
    """The number of the subtask that the instruction of each step names; None = it names none.

    noisy: at a share `border_noise` of the borders the announcement comes up to 3 steps early, up to 3 steps late, or
    with a wrong number, each as likely.
    """
    horizon, parts = dials.horizon, dials.subtasks
    if dials.borders == "hidden":
        return (None,) * (horizon + 1)
    if dials.borders == "announced":
        return tuple(subtask(step, horizon, parts) for step in range(horizon + 1))
    rng = random.Random(f"borders {seed}")
    named: list[int | None] = [1] * (horizon + 1)
    for part in range(2, parts + 1):
        before, begin, after = (first_step(p, horizon, parts) for p in (part - 1, part, part + 1))
        number = part
        if rng.random() < dials.border_noise:
            match rng.choice(("early", "late", "wrong")):
                case "early":
                    begin = max(before + 1, begin - rng.randint(1, _SHIFT))
                case "late":
                    begin = min(after - 1, begin + rng.randint(1, _SHIFT))
                case _:
                    number = rng.choice([p for p in range(1, parts + 1) if p != part] or [part])
        named[begin:] = [number] * (horizon + 1 - begin)
    return tuple(named)


def titles(word: str, dials: Dials, seed: int) -> tuple[Sequence[str], Sequence[str]]:
    """What instructions call the work of each step, and the owner of what is told for one subtask only, by subtask.

    Numbered by subtask where borders are announced; else with drawn numbers, a new one each step, so that no name
    tells what the header does not.
    """
    if dials.borders == "announced":
        owners = [f"{word}_{part:02d}" for part in range(dials.subtasks + 1)]
        return [owners[subtask(step, dials.horizon, dials.subtasks)] for step in range(dials.horizon + 1)], owners
    rng = random.Random(f"titles {seed}")
    size = dials.horizon + dials.subtasks + 2
    drawn = [f"{word}_{number}" for number in rng.sample(range(1000, 10_000 + 2 * size), size)]
    return drawn[: dials.horizon + 1], drawn[dials.horizon + 1 :]


def starts(dials: Dials) -> tuple[int, ...]:
    """The first steps of all sessions but the first: subtask borders, as evenly spaced as they can be."""
    parts = (1 + round(n * dials.subtasks / dials.sessions) for n in range(1, dials.sessions))
    return tuple(first_step(part, dials.horizon, dials.subtasks) for part in parts)
