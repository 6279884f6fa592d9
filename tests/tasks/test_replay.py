"""Recorded runs as a task: what is found under a path, and how a run is played."""

import importlib.util
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

from harness.contract import Call, Message, Recorded
from harness.measures import measure
from harness.models.recorded import Recorded as Playback
from harness.record import load
from tasks.replay import Replay
from tests.machine.arms import Notebook, Whole
from tests.machine.toy import play

DATA = Path(os.environ.get("LONGHAUL_DATA", Path(__file__).parents[3] / "shared" / "data" / "trajectories"))


def run(command="ls", answer="a.py", **more):
    messages = [
        {"role": "system", "content": "Act."},
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": f"```bash\n{command}\n```"},
        {"role": "user", "content": answer},
        {"role": "assistant", "content": "```bash\necho COMPLETE\n```"},
        {"role": "user", "content": "diff"},
    ]
    return {"trajectory_format": "mini-swe-agent-1", "info": {"exit_status": "Submitted"}, "messages": messages, **more}


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data))


def ids(path, **settings):
    return [instance.id for instance in Replay(str(path), **settings).instances()]


def test_one_instance_a_run_sorted_by_an_id_that_is_safe_as_a_file_name(tmp_path):
    write(tmp_path / "b.json", run())
    write(tmp_path / "deep" / "z.json", run(instance_id="a/../é: b"))
    write(tmp_path / "long.json", run(instance_id="x" * 500))
    found = ids(tmp_path)
    assert found[:2] == ["a-..-b", "b"]
    assert len(found[2]) < 150
    assert ids(tmp_path, limit=1) == ["a-..-b"]


def test_the_same_instance_attempted_twice_is_two_runs(tmp_path):
    for folder in ("one", "two"):
        write(tmp_path / folder / "x.traj.json", run(instance_id="x"))
    assert ids(tmp_path) == ["x", "x--2"]


def test_trajectory_files_are_read_alone_where_there_are_any(tmp_path):
    write(tmp_path / "x" / "x.traj.json", run())
    write(tmp_path / "preds.json", {"x": {"model_patch": ""}})
    assert ids(tmp_path) == ["x"]


def test_one_run_a_line_or_one_message_a_line(tmp_path):
    write(tmp_path / "runs.jsonl", "\n".join(json.dumps(run(command=c)) for c in ("ls", "id")) + "\n\n")
    write(tmp_path / "said.jsonl", "\n".join(json.dumps(message) for message in run()["messages"]))
    assert ids(tmp_path) == ["runs-00000", "runs-00001", "said"]


@pytest.mark.parametrize(
    ("files", "error", "words"),
    [
        (None, FileNotFoundError, "no such file or folder"),
        ({}, FileNotFoundError, r"no recorded run; looked for .traj.json, .traj, .json, .jsonl"),
        ({"a.json": "{"}, ValueError, r"a.json is not JSON"),
        ({"a.jsonl": "{}\n{"}, ValueError, r"a.jsonl, line 2 is not JSON"),
        ({"a.json": '{"patch": ""}'}, ValueError, r"keys \['patch'\]"),
        ({"a.jsonl": ""}, ValueError, "no recorded run in it"),
    ],
)
def test_what_is_no_run_is_refused_with_its_place(tmp_path, files, error, words):
    place = tmp_path / "runs"
    if files is not None:
        place.mkdir()
        for name, content in files.items():
            write(place / name, content)
    with pytest.raises(error, match=words):
        Replay(str(place)).instances()


def test_the_configuration_builds_the_task(tmp_path):
    write(tmp_path / "x.json", run())
    settings = OmegaConf.load(Path(__file__).parents[2] / "conf" / "task" / "replay.yaml")
    settings.path = str(tmp_path)
    task = instantiate(settings)
    assert [instance.id for instance in task.instances()] == ["x"]
    assert set(settings) - {"_target_"} == set(vars(task))


def test_a_limit_under_one_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"task\.limit=0"):
        Replay(str(tmp_path), limit=0).instances()


def test_a_data_set_without_its_package_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)  # the interpreter then takes it as absent
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'longhaul\[swebench\]'"):
        Replay("owner/runs", format="huggingface").instances()


@pytest.mark.skipif(importlib.util.find_spec("datasets") is None, reason="the extra swebench is not installed")
def test_a_data_set_is_read_row_by_row(tmp_path):
    write(tmp_path / "train.jsonl", json.dumps({"id": "one", "messages": run()["messages"]}))
    assert ids(tmp_path, format="huggingface") == ["one"]


def played(environment):
    """The run as the harness plays it, under call ids of the harness's own."""
    turns = []
    for number, reply in enumerate(environment.replies):
        calls = tuple(Call(f"c{number}.{i}", c.name, c.arguments) for i, c in enumerate(reply.message.calls))
        message = replace(reply.message, id=f"m{number}", calls=calls)
        turns.append((message, environment.step(message)))
    return turns


def test_a_run_is_played_reply_by_reply_to_its_end(tmp_path):
    write(tmp_path / "x.json", run())
    task = Replay(str(tmp_path), repeat_actions=True)
    environment = task.open(task.instances()[0], 0)
    assert isinstance(environment, Recorded)
    brief = environment.reset().brief
    assert (brief.system, brief.task, [tool.name for tool in brief.tools]) == ("Act.", "Fix it.", ["bash"])
    assert environment.schedule() is None
    assert environment.score() == {}
    turns = played(environment)
    assert [turn.messages for _, turn in turns] == [
        (Message("", "tool", "a.py", answers="c0.0"),),
        (Message("", "tool", "diff", answers="c1.0"),),
    ]
    assert [turn.done for _, turn in turns] == [False, True]
    assert environment.score() == {"submitted": 1.0}
    assert played_again(environment) == turns


def played_again(environment):
    environment.reset()
    return played(environment)


def test_another_action_than_the_recorded_one_is_refused(tmp_path):
    write(tmp_path / "x.json", run())
    task = Replay(str(tmp_path), repeat_actions=True)
    environment = task.open(task.instances()[0], 0)
    environment.reset()
    with pytest.raises(ValueError, match=r"reply 1: calls .*rm.* are not the recorded .*ls.*use model=recorded"):
        environment.step(Message("m2", "assistant", "", (Call("c0", "bash", {"command": "rm"}),)))


def test_commands_are_repeated_or_not(tmp_path):
    write(tmp_path / "x.json", run())
    for repeat, content in ((True, "```bash\nls\n```"), (False, "")):
        task = Replay(str(tmp_path), repeat_actions=repeat)
        reply = task.open(task.instances()[0], 0).replies[0].message
        assert (reply.content, reply.calls[0].arguments) == (content, {"command": "ls"})


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no recorded runs at {DATA} (LONGHAUL_DATA)")
def test_the_recorded_runs_are_whole_blocks_that_lose_nothing():
    task = Replay(str(DATA), repeat_actions=True)
    instances = task.instances()
    assert len(instances) == 16
    for instance in instances:
        recorded = json.loads((DATA / f"{instance.id}.traj.json").read_text())["messages"]
        environment = task.open(instance, 0)
        brief = environment.reset().brief
        turns = played(environment)
        texts = [brief.system, brief.task]
        for reply, turn in turns:
            texts += [reply.content, *(message.content for message in turn.messages)]
            assert [call.id for call in reply.calls] == [message.answers for message in turn.messages]
        assert texts == [message["content"] for message in recorded]
        assert environment.score() == {"submitted": 1.0}
        assert all(reply.usage.input for reply in environment.replies)


def test_an_arm_that_needs_the_models_help_is_not_applicable_to_a_recorded_run(tmp_path):
    write(tmp_path / "runs" / "x.json", run())
    task = Replay(str(tmp_path / "runs"))
    ended = {}
    for name, arm in (("tools", Notebook), ("none", Whole)):
        environment = task.open(task.instances()[0], 0)
        model = Playback().open(task, environment, 0)
        ended[name] = play(tmp_path / f"{name}.jsonl", environment, model, arm)[0].ending
    assert ended == {"tools": "not_applicable", "none": "completed"}
    outcome = measure(load(tmp_path / "tools.jsonl"), None, (1,)).outcome
    assert (outcome["status"], outcome["hit_ratio"], outcome["steps"]) == ("not_applicable", None, 0)
