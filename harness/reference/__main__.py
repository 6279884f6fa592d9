"""`python -m harness.reference [NAME …]`: regenerate the tables of results/reference and compare them, to the digit.

results/reference/commands.yaml names for each folder its commands and the files that they leave. The commands run in an
empty folder (--in FOLDER: one that is kept, where a sweep that was broken off goes on), and what they leave is compared
with what is stored. The first difference of each table is named, and the exit status is 1. --save stores what came out.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from omegaconf import OmegaConf

from harness.reference.tables import differences, read

FOLDER = Path("results") / "reference"
ROOT = Path(__file__).resolve().parents[2]
SHOWN = 3  # differences of a table that are printed


@dataclass(frozen=True, slots=True)
class Part:
    """A folder of results/reference. tables, pictures: by file name, where the commands leave them; pictures are stored
    and not compared, since their bytes depend on the fonts of the machine."""

    name: str
    commands: tuple[str, ...]
    tables: Mapping[str, str]
    pictures: Mapping[str, str]


class Failed(Exception):
    """A command did not end well, or left no table; the message says which."""


def parts(folder: Path) -> dict[str, Part]:
    """Raises FileNotFoundError where there is no list."""
    listed = OmegaConf.to_container(OmegaConf.load(folder / "commands.yaml"))
    assert isinstance(listed, dict)
    return {
        str(name): Part(str(name), tuple(row["commands"]), row.get("tables", {}), row.get("pictures", {}))
        for name, row in listed.items()
    }


def make(part: Part, work: Path) -> None:
    """Run the commands of a part in a folder. Raises Failed."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    for command in part.commands:
        words = shlex.split(command)
        words = [sys.executable if words[0] == "python" else words[0], *words[1:]]
        done = subprocess.run(
            words, cwd=work, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip()
            raise Failed(f"{part.name}: `{command}` ended with status {done.returncode}:\n{said[-2000:]}")
    for place in (*part.tables.values(), *part.pictures.values()):
        if not (work / place).is_file():
            raise Failed(f"{part.name}: no {place} after {', '.join(f'`{command}`' for command in part.commands)}")


def compare(part: Part, work: Path, folder: Path) -> list[str]:
    """What differs, in lines; empty where every table is what is stored."""
    told: list[str] = []
    for name, place in part.tables.items():
        stored = folder / part.name / name
        if not stored.is_file():
            told.append(f"{stored} is missing: --save stores it")
            continue
        found = differences(read(stored), read(work / place))
        first = list(islice(found, SHOWN))
        told += [f"{stored}: {difference}" for difference in first]
        if more := sum(1 for _ in found):
            told.append(f"{stored}: … and {more:,} more differences")
    return told


def store(part: Part, work: Path, folder: Path) -> None:
    for name, place in {**part.tables, **part.pictures}.items():
        (folder / part.name).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(work / place, folder / part.name / name)


@contextmanager
def _working(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix="longhaul-") as folder:
        yield Path(folder)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m harness.reference", description="Check the reference tables.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="folders of results/reference (default: all)")
    parser.add_argument("--in", type=Path, dest="work", metavar="FOLDER", help="run the commands there, and keep it")
    parser.add_argument("--save", action="store_true", help="store what came out")
    parser.add_argument("--reference", type=Path, default=FOLDER, help="default: results/reference")
    chosen = parser.parse_args(arguments)
    known = parts(chosen.reference)
    if unknown := [name for name in chosen.names if name not in known]:
        parser.error(f"no {unknown[0]} in {chosen.reference / 'commands.yaml'}; there are {', '.join(known)}")
    wrong = False
    with _working(chosen.work) as work:
        for part in (known[name] for name in chosen.names or known):
            try:
                make(part, work)
                told = compare(part, work, chosen.reference)
            except Failed as problem:
                print(f"longhaul: {problem}", file=sys.stderr)
                wrong = True
                continue
            print("\n".join(told) or f"{part.name}: {', '.join(part.tables)} to the digit", flush=True)
            if chosen.save:
                store(part, work, chosen.reference)
                print(f"{part.name}: stored in {chosen.reference / part.name}")
            wrong = wrong or (bool(told) and not chosen.save)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
