"""Strategies that do what they should not: look round in their interpreter, break off, hang, change what they offer."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.contract import Brief, Call, History, Kit, Message, Request
from tests.machine.arms import Notebook, Whole


class Spy(Whole):
    """At compose number `at` writes to the file `notes` every text and large number that it can get at."""

    def __init__(self, notes: str, at: int = 4) -> None:
        self.notes = notes
        self.at = at

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        self.kit = kit
        self.composed = 0

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        self.composed += 1
        if self.composed == self.at:
            Path(self.notes).write_text("\0".join(sorted(everything())), errors="replace")
        return list(history)


def everything() -> set[str]:
    found: set[str] = set()
    seen: set[int] = set()
    kept: list[Any] = []  # so that no id is used twice
    waiting: list[Any] = [*gc.get_objects(), *_frames(), *_outside()]
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, str):
            found.add(thing)
        elif isinstance(thing, (bytes, bytearray)):
            found.add(bytes(thing).decode(errors="replace"))
        elif isinstance(thing, int):
            found.update([str(thing)] if thing > 10**9 else [])
        elif id(thing) not in seen:
            seen.add(id(thing))
            kept.append(thing)
            waiting += gc.get_referents(thing)
    return found


def _frames() -> list[Any]:
    found: list[Any] = []
    for frame in sys._current_frames().values():
        while frame is not None:
            found += [frame.f_locals, frame.f_globals]
            frame = frame.f_back  # type: ignore[assignment]
    return found


def _outside() -> list[Any]:
    """What the system says of this process: environment, arguments, working folder, open files."""
    own = Path("/proc/self")
    files = [os.readlink(path) for path in (own / "fd").iterdir() if path.is_symlink()]
    return [(own / "environ").read_bytes(), (own / "cmdline").read_bytes(), os.getcwd(), *files]


class Leaving(Whole):
    """At its third compose starts a child whose process id it writes to `notes`, and then goes in the `way` named."""

    def __init__(self, way: str, notes: str = os.devnull) -> None:
        self.way = way
        self.notes = notes

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        self.composed = 0

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        self.composed += 1
        if self.composed == 3:
            child = subprocess.Popen(["sleep", "60"])
            Path(self.notes).write_text(f"{os.getpid()} {child.pid}")
            print("so long", flush=True)
            WAYS[self.way]()
        return list(history)


def _hang() -> None:
    time.sleep(60)


def _garble() -> None:
    for descriptor in range(3, 8):
        try:
            os.write(descriptor, b"Hello\n")
        except OSError:
            continue
    time.sleep(60)


WAYS: Mapping[str, Callable[[], Any]] = {
    "exit": lambda: sys.exit(3),
    "leave": lambda: os._exit(0),
    "abort": os.abort,
    "hang": _hang,
    "garble": _garble,
}


class Late(Notebook):
    """Offers its tools only from the reset on."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = False

    @property
    def tools(self) -> Any:
        if not self.begun:
            raise AttributeError("tools")
        return super().tools

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        super().reset(kit, brief, saved)
        self.begun = True


class Odd(Whole):
    """Gives a view with something wrong in it."""

    def __init__(self, what: str) -> None:
        self.what = what

    def compose(self, history: History, budget: int) -> Any:
        wrong = {
            "nothing": None,
            "stray": [*history, 7],
            "surrogate": [*history, Message("odd:1", "user", "a \ud800 b", sources=("m1",))],
            "edited": [*history[:-1], Message(history[-1].id, "user", "edited")],
            "twice": [*history, history[-1]],
            "named": [*history, Message("odd:2", "user", "x", (Call("c", "act", {"value": "y"}),), sources=("m1",))],
        }
        return wrong[self.what] if len(history) > 4 else list(history)


class Counting(Whole):
    """Counts messages of its own under one id with two texts, before and after it shows one of them."""

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        self.kit = kit

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        short, long = (Message("same", "user", text, sources=("m1",)) for text in ("short", "rather longer " * 9))
        counts = [self.kit.count((short,)), self.kit.count((long, short)), self.kit.count(history[:])]
        told = Message(f"told:{counts}", "user", str(counts), sources=("m1",))
        return [*history, told, short]


class Luring(Whole):
    """Asks its model and swallows what goes wrong."""

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        self.kit = kit

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        try:
            self.kit.ask(Request(tuple(history), (), 0, 10))
        except (RuntimeError, ConnectionError) as error:
            text = f"{type(error).__name__}: {error}"
            return [*history, Message(f"told:{len(history)}", "user", text, sources=("m1",))]
        return list(history)
