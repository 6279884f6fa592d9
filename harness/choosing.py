"""`python -m harness.choosing [results/NAME …]`: docs/choosing.md from the summaries of finished sweeps.

Per family: what each arm that keeps the budget reached, what it spent, and which arms no other one beats in both.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from harness.report.text import MISSING, share

REFERENCE = Path("results/reference/bench")
BOUNDS = ("bound_keep", "bound_any", "farthest_next_use")
BEYOND = ("full", "none")  # references that the budget does not bind
ASSISTED = 0.1
HEAD = """# Choosing a strategy

Written by `python -m harness.choosing {folders}` from the tables of finished sweeps. Figures are means over
instances at the last checkpoint, with 95 % intervals; answers are those of scripted readers, so success is *simulated*.
**Front**: no other arm of the family has more success for no more tokens (reader named first); `empty` and `regex` are
controls. ‡: needed its last-resort window in more than 10 % of its turns, so its figures are partly those of `window`.

How to use it:

1. Find the family that is most like your work ([suite.md](suite.md)). Ranks differ between families; a mean hides that.
2. Take the arms on its front, from cheap to dear. Where intervals overlap, the table does not tell arms apart;
   `python -m harness.compare` gives the paired difference, which is sharper.
3. Look at both readers. Where the order changes with the reader, only your model can tell ([readers.md](readers.md)).
4. Fewer tokens are not always cheaper: what breaks the cached prefix each turn is paid in full
   ([findings.md](findings.md)). Price the sweep with your list: `python -m harness.cost results/NAME --prices LIST`.
5. Play the two or three that are left on your own runs ([recorded-runs.md](recorded-runs.md)) or with your model
   ([models.md](models.md)).
"""


@dataclass(frozen=True, slots=True)
class Line:
    """An arm in a family. success, retention: at the last checkpoint, by reader. spent: tokens an episode; money: US
    dollars, or None where no prices were set. front: see HEAD."""

    arm: str
    success: tuple[str, ...]
    retention: str
    spent: float
    money: float | None
    first: float
    assisted: bool
    front: bool = False


def page(folders: Sequence[Path]) -> str:
    """Raises FileNotFoundError where a folder has no summary."""
    table = pd.concat([_summary(folder) for folder in folders], ignore_index=True)
    named = " ".join(str(folder) for folder in folders)
    return HEAD.format(folders=named) + "".join(_family(table, family) for family in _families(table))


def _summary(folder: Path) -> pd.DataFrame:
    path = folder / "summary.parquet"
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing: run `python -m harness.summary {folder}` first")
    return pd.read_parquet(path)


def _families(table: pd.DataFrame) -> list[str]:
    return [str(name) for name in table["family"].unique() if name != "all families"]


def _family(table: pd.DataFrame, family: str) -> str:
    rows = table[table["family"] == family]
    readers = [str(reader) for reader in rows["reader"].unique()]
    text = ""
    for budget in sorted(rows["budget"].dropna().unique()):
        found = lines(rows[rows["budget"] == budget], readers)
        last = int(rows["checkpoint"].max())
        titles = [f"success@{last}, {reader}" for reader in readers] + [f"retention@{last}", "tokens", "money", "front"]
        text += f"\n## {family}, budget {int(budget):,}\n\n| arm | {' | '.join(titles)} |\n"
        text += "|---" + "|---:" * (len(titles) - 1) + "|:---:|\n"
        text += "".join(_row(line) for line in found)
    return text


def lines(rows: pd.DataFrame, readers: Sequence[str]) -> list[Line]:
    """Of one family and budget, most success first (under the first reader)."""
    found = list(_arms(rows, readers))
    best = [
        Line(
            one.arm, one.success, one.retention, one.spent, one.money, one.first, one.assisted,
            not any(other.first >= one.first and other.spent <= one.spent and _differ(other, one) for other in found),
        )
        for one in found
    ]  # fmt: skip
    return sorted(best, key=lambda one: (-one.first, one.spent, one.arm))


def _differ(one: Line, other: Line) -> bool:
    return (one.first, one.spent) != (other.first, other.spent)


def _arms(rows: pd.DataFrame, readers: Sequence[str]) -> Iterator[Line]:
    last = rows["checkpoint"].max()
    for arm in rows["arm"].unique():
        own = rows[(rows["arm"] == arm) & (rows["reader"] == readers[0])]
        success, spent = _of(own, "success", last), _of(own, "tokens_spent", None)
        strategy = str(rows[rows["arm"] == arm]["strategy"].iloc[0])
        if arm in BOUNDS or strategy in BEYOND or success is None or spent is None:
            continue
        overflow, money = _of(own, "overflow_share", None), _of(own, "money", None)
        shown = [rows[(rows["arm"] == arm) & (rows["reader"] == reader)] for reader in readers]
        yield Line(
            str(arm), tuple(_interval(part, last) for part in shown), share(_of(own, "retention", last)), spent, money,
            success, overflow is not None and overflow > ASSISTED,
        )  # fmt: skip


def _of(rows: pd.DataFrame, measure: str, checkpoint: float | None, column: str = "value") -> float | None:
    at = rows["checkpoint"].isna() if checkpoint is None else rows["checkpoint"] == checkpoint
    values = rows[(rows["measure"] == measure) & at.fillna(False)][column].dropna()
    return float(values.iloc[0]) if len(values) else None


def _interval(rows: pd.DataFrame, last: float) -> str:
    value, low, high = (_of(rows, "success", last, column) for column in ("value", "low", "high"))
    if value is None:
        return MISSING
    return share(value) if low is None or high is None else f"{share(value)} ({share(low)}–{share(high)})"


def _row(line: Line) -> str:
    money = MISSING if line.money is None else f"${line.money:.3f}"
    name = f"`{line.arm}`" + (" ‡" if line.assisted else "")
    cells = [name, *line.success, line.retention, f"{line.spent / 1000:.0f}k", money, "•" if line.front else ""]
    return f"| {' | '.join(cells)} |\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.choosing", description="Which arm for which family.")
    parser.add_argument("folders", nargs="*", type=Path, help=f"folders of sweeps (default: {REFERENCE})")
    try:
        print(page(parser.parse_args(arguments).folders or [REFERENCE]), end="")
    except FileNotFoundError as problem:
        sys.exit(f"longhaul: {problem}")


if __name__ == "__main__":
    main()
