"""`python -m harness.claims results/NAME …`: what these sweeps answer to the registered claims."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from harness.claims import evidence, markdown, register, show, verdict
from harness.report.frames import ReportError
from harness.suite import MixedSuites


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.claims", description="Test the registered claims.")
    parser.add_argument("folders", nargs="*", type=Path, help="folders of sweeps, results/NAME")
    parser.add_argument("--markdown", action="store_true", help="write the register as docs/claims.md has it")
    parser.add_argument("--register", type=Path, default=register.FOLDER, help="the claims (default: conf/claims)")
    chosen = parser.parse_args(arguments)
    try:
        claims, digest = register.load(chosen.register), register.digest(chosen.register)
        if chosen.markdown:
            print(markdown.page(claims, digest), end="")
            return
        if not chosen.folders:
            parser.error("give the folder of a sweep, results/NAME, or --markdown")
        found = evidence.load(chosen.folders)
    except (ReportError, MixedSuites, register.RegisterError) as problem:
        sys.exit(f"longhaul: {problem}")
    print("\n".join(show.lines([verdict.answer(claim, found) for claim in claims], found, digest)))


if __name__ == "__main__":
    main()
