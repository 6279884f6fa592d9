"""An episode on a repository: what is recorded, what is left, and how it is resumed by doing it again."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from harness.contract import Call, Environment, Message, Recorded
from harness.journal import Diverged
from harness.record import load
from harness.setup import Limits
from tasks.swebench.agents import Gold, Noop
from tasks.swebench.task import SWEbench
from tests.machine.toy import play
from tests.swebench.benches import SUBMIT, Boxes, bash, edit, script
from tests.swebench.toyrows import MODULE, PATCH

TASK = SWEbench("none.jsonl")
FIX = bash("sed -i 's/a - b/a + b/' adder.py")


def test_gold_explores_applies_the_reference_patch_and_submits(tmp_path: Path) -> None:
    bench = Boxes(tmp_path).bench()
    ended, _ = play(tmp_path / "gold.jsonl", bench, Gold().open(TASK, bench, 0), budget=40_000)
    record = load(tmp_path / "gold.jsonl")
    assert (ended.ending, record.steps) == ("completed", 5)
    assert record.score == {"submitted": 1.0, "applies": 1.0}
    assert record.left is not None
    assert record.left["patch"].splitlines()[-3:] == PATCH.splitlines()[-3:]
    texts = [m.content for m in record.segments[0].messages if m.role == "tool"]
    assert "Applied patch adder.py cleanly" in texts[2]
    assert "1 insertion(+), 1 deletion(-)" in texts[3]
    bench.close()


def test_noop_leaves_an_empty_patch(tmp_path: Path) -> None:
    bench = Boxes(tmp_path).bench()
    play(tmp_path / "noop.jsonl", bench, Noop().open(TASK, bench, 0), budget=40_000)
    record = load(tmp_path / "noop.jsonl")
    assert (record.left, record.score) == ({"patch": ""}, {"submitted": 1.0})
    bench.close()


def test_the_patch_is_kept_when_a_limit_ends_the_episode(tmp_path: Path) -> None:
    bench = Boxes(tmp_path).bench(patch_at=(1, 2))
    model = script(bash("echo"), FIX, bash("rm test_adder.py"), SUBMIT)(bench)
    ended, _ = play(tmp_path / "e.jsonl", bench, model, budget=40_000, limits=Limits(turns=3))
    record = load(tmp_path / "e.jsonl")
    assert ended.ending == "limit_turns"
    assert record.left is not None
    assert record.left["patch@1"] == ""
    assert "+    return a + b" in record.left["patch@2"]
    assert "deleted file" in record.left["patch"]
    assert record.score["submitted"] == 0.0
    bench.close()


def test_a_limit_before_the_first_action_leaves_an_empty_patch(tmp_path: Path) -> None:
    boxes = Boxes(tmp_path)
    bench = boxes.bench()
    started = boxes.started
    play(tmp_path / "e.jsonl", bench, script(SUBMIT)(bench), budget=40_000, limits=Limits(turns=0))
    assert load(tmp_path / "e.jsonl").left == {"patch": ""}
    assert boxes.started == started


def test_calls_after_submit_are_not_made(tmp_path: Path) -> None:
    bench = Boxes(tmp_path).bench()
    bench.reset()
    calls = (Call("c0", "submit", {}), Call("c1", "bash", {"command": "touch after"}))
    turn = bench.step(Message("m", "assistant", "", calls))
    assert turn.done
    assert [m.answers for m in turn.messages] == ["c0", "c1"]
    assert bench.left() == {"patch": ""}
    bench.close()


def test_a_reply_without_a_call_is_told_to_call(tmp_path: Path) -> None:
    bench = Boxes(tmp_path).bench()
    bench.reset()
    turn = bench.step(Message("m", "assistant", "The bug is in add."))
    assert not turn.done
    assert "submit" in turn.messages[0].content


def test_a_workbench_is_no_recorded_run(tmp_path: Path) -> None:
    bench: Environment = Boxes(tmp_path).bench()
    assert not isinstance(bench, Recorded)


ACTS = (
    bash("date +%s%N; echo $$; cd /; false"),
    edit(command="str_replace", path="{folder}/adder.py", old_str="a - b", new_str="a + b"),
    bash("pwd; date +%N > {folder}/run.log"),
    edit(command="view", path="{folder}/adder.py"),
    SUBMIT,
)


def acts(folder: Path) -> list[tuple[str, Call]]:
    def placed(value: object) -> object:
        return value.replace("{folder}", str(folder / "testbed")) if isinstance(value, str) else value

    return [(text, Call("", c.name, {k: placed(v) for k, v in c.arguments.items()})) for text, c in ACTS]


def test_a_broken_off_episode_does_its_actions_again_and_ends_as_the_unbroken_one(tmp_path: Path) -> None:
    boxes, path = Boxes(tmp_path), tmp_path / "e.jsonl"

    def run() -> bytes:
        bench = boxes.bench(patch_at=(2,))
        try:
            play(path, bench, script(*acts(tmp_path))(bench), budget=40_000)
        finally:
            bench.close()
        return path.read_bytes()

    whole = run()
    lines = whole.splitlines(keepends=True)
    for cut in range(1, len(lines), 2):
        path.unlink()
        path.with_name("e.jsonl.part").write_bytes(b"".join(lines[:cut]) + lines[cut][:20])
        again = run()
        # the times that were printed before the break are those of the record
        assert again.splitlines(keepends=True)[:cut] == lines[:cut]
        assert load(path).left == {"patch": _patch(lines), "patch@2": _patch(lines)}
    path.unlink()
    path.with_name("e.jsonl.part").write_bytes(b"".join(lines[:-1]))
    assert run() == whole


def _patch(lines: list[bytes]) -> str:
    import json

    return str(next(json.loads(line) for line in lines if b'"left"' in line[:20])["texts"]["patch"])


@pytest.mark.parametrize("command", ["test ! -e {flag}", "test -e {flag} && echo x > {folder}/new.txt; true"])
def test_an_action_that_does_something_else_discards_the_attempt(tmp_path: Path, command: str) -> None:
    boxes, path, flag = Boxes(tmp_path), tmp_path / "e.jsonl", tmp_path / "flag"
    placed = command.replace("{flag}", str(flag)).replace("{folder}", str(tmp_path / "testbed"))

    def run(turns: int) -> None:
        bench = boxes.bench()
        try:
            model = script(bash(placed), bash("echo"), SUBMIT)(bench)
            play(path, bench, model, budget=40_000, limits=Limits(turns=turns))
        finally:
            bench.close()

    run(3)
    lines = path.read_bytes().splitlines(keepends=True)
    path.unlink()
    path.with_name("e.jsonl.part").write_bytes(b"".join(lines[:5]))
    flag.touch()
    with pytest.raises(Diverged, match="came to something else"):
        run(3)


def test_the_first_thing_told_is_the_issue_and_the_tools(tmp_path: Path) -> None:
    brief = Boxes(tmp_path).bench().reset().brief
    assert brief is not None
    assert "<issue>\n`add` subtracts." in brief.task
    assert "toy/adder" in brief.task
    assert MODULE not in brief.task
    assert [tool.name for tool in brief.tools] == ["bash", "str_replace_editor", "submit"]


def test_the_files_that_an_action_names_are_noted(tmp_path: Path) -> None:
    from harness.grades import visits

    bench = Boxes(tmp_path).bench()
    folder = tmp_path / "testbed"
    look = edit(command="view", path=f"{folder}/adder.py")
    acts = (bash("cat adder.py ./test_adder.py"), bash("ls; wc -l unadder.py"), look)
    play(tmp_path / "e.jsonl", bench, script(*acts, SUBMIT)(bench), budget=40_000)
    bench.close()
    record = load(tmp_path / "e.jsonl")
    named = [event.detail["named"] for turn in record.turns for event in turn.events if event.kind == "files"]
    assert named == [["adder.py", "test_adder.py"], ["adder.py"]]
    assert visits(record) == {"files_seen": 2, "file_rereads": 1}


def test_raw_output_is_kept_by_step_and_begun_anew_by_a_resumed_episode(tmp_path: Path) -> None:
    bench = Boxes(tmp_path).bench()
    bench.keep_raw(str(tmp_path / "raw"))
    for commands in (("printf '1%%\\r2%%\\n'", "echo plain", "printf '3%%\\r4%%\\n'"), ("echo plain",)):
        bench.reset()
        for number, command in enumerate(commands):
            call = Call(f"c{number}", "bash", {"command": command})
            turn = bench.step(Message("", "assistant", "", (call,)))
        found = {path.name: gzip.decompress(path.read_bytes()) for path in (tmp_path / "raw").glob("*")}
        assert found == ({"1.gz": b"1%\r2%\n", "3.gz": b"3%\r4%\n"} if len(commands) == 3 else {})
        assert turn.messages[0].content in ("4%\n", "plain\n")
    bench.close()
