"""Resume = replay: a broken-off episode goes on from its record and ends byte-equal to an unbroken one."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.contract import Call, Message, Request
from harness.journal import Diverged
from harness.record import load
from tests.machine.arms import Asking, Newest, Notebook
from tests.machine.toy import OPEN, ClerkReader, Desk, Letters, Lines, Stage, answered, finished, play, said


@dataclass
class Case:
    """An episode that can be played again and again, and how often its models were asked."""

    strategy: Callable[[], Any]
    desk: Desk
    asked: int = 0
    compacted: int = 0

    def play(self, path: Path, **settings: Any) -> str:
        reader, compactor = ClerkReader(), Lines(said("short"))
        environment = self.desk.open(self.desk.instances()[1], 0)
        try:
            ended, _ = play(
                path,
                environment,
                reader,
                self.strategy,
                compactor=compactor,
                embedder=Letters(),
                checkpoints=(3, 6),
                **settings,
            )
        finally:
            self.asked, self.compacted = reader.asked, len(compactor.requests)
        return ended.ending


CASES = {
    "eviction": Case(lambda: Newest(2), Desk(9)),
    "memory tools": Case(lambda: Notebook(2), Desk(9)),
    "own model": Case(lambda: Asking(2), Desk(7)),
    "parallel calls": Case(lambda: Newest(2), Desk(9, parallel=3)),
}


def part(path: Path) -> Path:
    return path.with_name(path.name + ".part")


def unbroken(case: Case, folder: Path) -> bytes:
    case.play(folder / "whole.jsonl")
    return (folder / "whole.jsonl").read_bytes()


def kinds(content: bytes) -> list[bytes]:
    """The kinds of the whole rows."""
    return [line.split(b'"')[3] for line in content.splitlines(keepends=True) if line.endswith(b"\n")]


@pytest.mark.parametrize("name", CASES)
def test_cut_anywhere_the_finished_record_is_the_unbroken_one(name: str, tmp_path: Path) -> None:
    case, path = CASES[name], tmp_path / "e.jsonl"
    whole = unbroken(case, tmp_path)
    turns, asks = (kinds(whole).count(kind) for kind in (b"turn", b"ask"))
    assert turns > 2
    borders = [n + 1 for n, byte in enumerate(whole) if byte == 10]
    inside = random.Random(name).sample(range(len(whole)), 60)
    for cut in [0, *borders, *inside]:
        part(path).write_bytes(whole[:cut])
        case.play(path)
        assert path.read_bytes() == whole, f"cut at byte {cut} of {len(whole)}"
        recorded = kinds(whole[:cut])
        # nobody is asked again for what stands in the record
        assert (case.asked, case.compacted) == (turns - recorded.count(b"turn"), asks - recorded.count(b"ask"))
        path.unlink()


def test_broken_off_again_and_again(tmp_path: Path) -> None:
    case, path = CASES["memory tools"], tmp_path / "e.jsonl"
    whole = unbroken(case, tmp_path)

    class Tired(ClerkReader):
        """Gives one answer, then its server is gone."""

        def complete(self, request: Request) -> Any:
            if self.asked:
                raise ConnectionError
            return super().complete(request)

    environment = case.desk.open(case.desk.instances()[1], 0)
    for _ in range(kinds(whole).count(b"turn") - 1):
        with pytest.raises(ConnectionError):
            play(path, environment, Tired(), case.strategy)
    play(path, environment, Tired(), case.strategy)
    assert path.read_bytes() == whole


def test_what_differs_from_the_record_is_loud_and_changes_no_byte(tmp_path: Path) -> None:
    case, path = CASES["eviction"], tmp_path / "e.jsonl"
    whole = unbroken(case, tmp_path)
    part(path).write_bytes(whole[: len(whole) // 2])
    for changed, message in (
        (Case(lambda: Newest(3), case.desk), "differs at byte"),
        (Case(case.strategy, Desk(9, padding=21)), "differs at byte"),
        (Case(lambda: Asking(2), case.desk), "is 'turn', but the episode comes to 'ask'"),
    ):
        part(path).write_bytes(whole[: len(whole) // 2])
        before = part(path).read_bytes()
        with pytest.raises(Diverged, match=message):
            changed.play(path)
        assert before.startswith(part(path).read_bytes())
        assert changed.asked == 0
    assert load(tmp_path / "whole.jsonl").ending == "completed"


def test_a_history_message_is_the_same_after_resume(tmp_path: Path) -> None:
    """Arguments that JSON changes (tuples, numbers as keys) are changed before they are shown, not by a resume only."""
    path = tmp_path / "e.jsonl"
    odd = said("go", Call("x", "act", {"value": "a", "more": ("a", 1), 2: None}))  # type: ignore[dict-item]
    seen: list[Message] = []

    class Watching(Newest):
        def compose(self, history: Any, budget: int) -> Any:
            seen.extend(m for m in history if m.calls)
            return super().compose(history, budget)

    play(path, Stage(OPEN, answered, finished), Lines(odd), Watching)
    rows = path.read_bytes().splitlines(keepends=True)
    part(path).write_bytes(b"".join(rows[:4]))
    path.unlink()
    play(path, Stage(OPEN, answered, finished), Lines(odd), Watching)
    assert len(seen) == 2
    assert seen[0] == seen[1]
    assert seen[0].calls[0].arguments == {"value": "a", "more": ["a", 1], "2": None}
