"""`python -m harness.report.page results/NAME`: the report as one HTML file, results/NAME/report.html."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from harness.report.frames import ReportError
from harness.report.page import build
from harness.suite import MixedSuites


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.report.page", description="The report as one HTML file.")
    parser.add_argument("folder", type=Path, help="the folder of a sweep, results/NAME")
    parser.add_argument("--baseline", default="full", help="the arm that failure counters are compared with")
    chosen = parser.parse_args(arguments)
    try:
        path = build.write(chosen.folder, chosen.baseline)
    except (ReportError, MixedSuites, ValueError) as problem:
        sys.exit(f"longhaul: {problem}")
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, opens without a network")


if __name__ == "__main__":
    main()
