"""Which instances are run: all, some by id, those of a file or of a list by name, or so many by lot."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from tasks.swebench.rows import Row

LISTS = Path(__file__).parent / "lists"


def chosen(rows: Sequence[Row], pick: Sequence[str] | str | None, count: int | None, seed: int) -> list[Row]:
    """pick: ids, a file with one a line, or the name of a list; in that order. count: so many of these, by lot.

    Raises ValueError for what cannot be chosen, with the place and what there is.
    """
    known = {row.id: row for row in rows}
    ids = list(known) if pick is None else ([pick] if isinstance(pick, str) and pick in known else _ids(pick))
    if missing := [name for name in ids if name not in known]:
        shown = ", ".join(missing[:3]) + ("" if len(missing) <= 3 else f" and {len(missing) - 3} more")
        raise ValueError(f"task.pick={pick}: not in task.data: {shown}; it has {len(known)} instances")
    if len(set(ids)) != len(ids):
        raise ValueError(f"task.pick={pick}: an instance is there twice")
    if count is None:
        return [known[name] for name in ids]
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= len(ids):
        raise ValueError(f"task.count={count!r}: choose 1 to {len(ids)}, or null for all")
    return [known[name] for name in sorted(drawn(ids, count, seed))]


def drawn(ids: Sequence[str], count: int, seed: int) -> list[str]:
    """The same lot whatever the order in which the ids come."""
    return random.Random(seed).sample(sorted(ids), count)


def names() -> list[str]:
    """The lists that come with the project."""
    return sorted(path.stem for path in LISTS.glob("*.txt"))


def _ids(pick: Sequence[str] | str) -> list[str]:
    if not isinstance(pick, str):
        return [str(name) for name in pick]
    path = LISTS / f"{pick}.txt" if pick in names() else Path(pick).expanduser()
    if not path.is_file():
        raise ValueError(f"task.pick={pick}: no id, no file, and no list; there are {', '.join(names())}")
    lines = (line.split("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line]
