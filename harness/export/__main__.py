"""`python -m harness.export inspect results/NAME`: a sweep as logs of Inspect, a log a cell (docs/inspect.md)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from harness.journal import DamagedRecord
from harness.report import frames
from harness.report.frames import ReportError
from harness.suite import MixedSuites


def inspect(folder: Path, target: Path) -> list[Path]:
    """The logs of all measured cells. Raises ReportError, MixedSuites, DamagedRecord."""
    from harness.export import logs

    return [logs.write(cell, target) for cell in frames.load(folder).cells if cell.metrics is not None]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.export", description="Write a sweep in another format.")
    parser.add_argument("format", choices=["inspect"], help="inspect: .eval logs of inspect_ai (extra `inspect`)")
    parser.add_argument("folder", type=Path, help="the folder of a sweep, results/NAME")
    parser.add_argument("--to", type=Path, help="where the logs go (default: FOLDER/inspect)")
    chosen = parser.parse_args(arguments)
    try:
        written = inspect(chosen.folder, chosen.to or chosen.folder / "inspect")
    except ModuleNotFoundError as problem:
        if (problem.name or "").split(".")[0] != "inspect_ai":
            raise
        sys.exit("longhaul: inspect_ai is not installed: pip install 'longhaul[inspect]'")
    except (ReportError, MixedSuites, DamagedRecord) as problem:
        sys.exit(f"longhaul: {problem}")
    print("\n".join(str(path) for path in written))


if __name__ == "__main__":
    main()
