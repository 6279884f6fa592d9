"""Issues in one history: a container and a patch each, one result."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from harness.contract import Grade
from harness.record import load
from harness.setup import Limits
from tasks.swebench.agents import Gold
from tasks.swebench.chain import Issues, together
from tests.machine.toy import play
from tests.swebench.toytask import Local


@pytest.mark.parametrize(("turns", "success", "submitted"), [(20, 1.0, 1), (7, 0.5, 0)])
def test_each_issue_has_its_own_patch_and_the_chain_the_share(
    tmp_path: Path, turns: int, success: float, submitted: int
) -> None:
    issues = Issues(Local(str(tmp_path)), n=2)  # type: ignore[arg-type]
    (chain,) = issues.instances()
    shift = issues.open(chain, 0)
    play(tmp_path / "e.jsonl", shift, Gold().open(issues, shift, 0), budget=60_000, limits=Limits(turns=turns))
    record = load(tmp_path / "e.jsonl")
    left = dict(record.left or {})
    assert left["1:patch"] == left["1:patch@3"] and "+    return a + b" in left["1:patch"]
    assert ("2:patch" in left) and bool(left["2:patch"]) == (turns == 20)
    grades = issues.grade({chain.id: left}, str(tmp_path), 1)[chain.id]
    assert grades["patch"].success == success
    assert grades["1:patch"].status == "resolved"
    events = [event for turn in record.turns for event in turn.events if event.kind == "submitted"]
    assert len(events) == submitted
    assert not events or events[0].detail["step"] == 10
    assert len(record.segments) == 1
    shift.close()


def test_an_episode_that_was_broken_off_in_its_second_issue_goes_on(tmp_path: Path) -> None:
    issues, path = Issues(Local(str(tmp_path)), n=2), tmp_path / "e.jsonl"  # type: ignore[arg-type]
    (chain,) = issues.instances()

    def run() -> bytes:
        shift = issues.open(chain, 0)
        play(path, shift, Gold().open(issues, shift, 0), budget=60_000)
        shift.close()
        return path.read_bytes()

    whole = run()
    path.unlink()
    before = whole.splitlines(keepends=True)[:15]
    left = load_left(whole, path)
    path.with_name("e.jsonl.part").write_bytes(b"".join(before))
    again = run()  # seconds of what was done live differ
    assert again.splitlines(keepends=True)[:15] == before
    assert load(path).left == left


def load_left(whole: bytes, path: Path) -> Mapping[str, str] | None:
    other = path.with_name("whole.jsonl")
    other.write_bytes(whole)
    return load(other).left


def test_a_chain_with_an_issue_that_could_not_be_judged_is_missing() -> None:
    good, lost = Grade("resolved", 1.0), Grade("evaluation error", None)
    assert together([good, lost], 2).success is None
    assert together([good], 4) == Grade("unresolved", 0.25, "1 of 4 resolved: resolved")
    assert together([], 4).success == 0.0
