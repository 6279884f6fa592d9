"""`python -m harness.report.page results/NAME`: the report as one HTML file, results/NAME/report.html."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from harness.report.frames import ReportError
from harness.report.page import build, opening
from harness.suite import MixedSuites


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.report.page", description="The report as one HTML file.")
    parser.add_argument("folder", type=Path, help="the folder of a sweep, results/NAME")
    parser.add_argument("--baseline", default="full", help="the arm that failure counters are compared with")
    parser.add_argument("--measure", action="store_true", help="open it in a Chromium and say how long that took")
    chosen = parser.parse_args(arguments)
    try:
        path = build.write(chosen.folder, chosen.baseline)
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, opens without a network")
        if chosen.measure:
            found = opening.measure(path)
            print(f"everything was drawn after {found.seconds:.2f} s; {found.elements:,} elements")
    except (ReportError, MixedSuites, ValueError, FileNotFoundError, TimeoutError) as problem:
        sys.exit(f"longhaul: {problem}")


if __name__ == "__main__":
    main()
