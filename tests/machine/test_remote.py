"""`isolation: process`: the same records, whatever the strategy does, and no process left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hydra.utils import get_class, instantiate
from omegaconf import OmegaConf

from harness.contract import MemoryTools, Persistent, Unlimited
from harness.identity import identity
from harness.parts import SettingsError, build
from harness.record import load
from harness.remote.strategy import RemoteStrategy, ending, remote
from tests.conformance import laws
from tests.conformance.scripts import FIXTURES
from tests.machine.arms import Asking, Notebook
from tests.machine.test_cell import contents, run, settings
from tests.machine.test_sessions import opens
from tests.machine.toy import OPEN, ClerkReader, Desk, Letters, Lines, Stage, act, answered, finished, play, said

ROOT = Path(__file__).parents[2]
CHARACTERS = {"_target_": "harness.tokens.Characters"}
# What an episode of any strategy needs beside it; those of a provider's servers need its models (tests/wire).
LENT = {
    "embedder": {"_target_": "harness.embedders.WordLlama"},
    "compactor": {"_target_": "harness.models.extractive.Extractive", "tokenizer": CHARACTERS},
    "clock": {"_target_": "harness.clock.Rates"},
}
FILES = [
    path
    for path in sorted((ROOT / "conf" / "strategy").glob("*.yaml"))
    if not hasattr(get_class(OmegaConf.load(path)._target_), "provider")
]
PIPELINE = {"_target_": "tasks.pipeline.pipeline", "instances": 1, "horizon": 12, "subtasks": 2}


def configured(file: Path) -> dict[str, Any]:
    settings = OmegaConf.to_container(OmegaConf.load(file))
    assert isinstance(settings, dict)
    return {str(key): value for key, value in settings.items()}


READER = configured(ROOT / "conf" / "reader" / "ideal.yaml")
IDEAL = {"_target_": "harness.models.scripted.Scripted", "reader": READER}


def arm(name: str, **arguments: Any) -> dict[str, Any]:
    module = "spy" if name in ("Spy", "Leaving", "Late", "Odd", "Counting", "Luring") else "arms"
    return {"_target_": f"tests.machine.{module}.{name}", **arguments}


def workers() -> list[int]:
    """Processes of strategies that this process started, and that still run."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            words = (folder / "stat").read_text().rpartition(")")[2].split() if folder.name.isdecimal() else []
            mine = bool(words) and int(words[1]) == os.getpid()
            if mine and b"harness.remote.worker" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def gone(pid: int) -> bool:
    """Whether the process ends within some seconds; one that nobody has waited for yet counts."""
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


@pytest.fixture(autouse=True)
def none_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Every test ends with no process and no folder of a strategy."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    yield
    assert workers() == []
    assert list((tmp_path / "temporary").iterdir()) == []


def both(tmp_path: Path, config: Mapping[str, Any], **changed: Any) -> list[dict[str, bytes]]:
    """What a cell leaves without and with isolation."""
    found = []
    for isolation in ("none", "process"):
        run(tmp_path / isolation, settings(config, **changed, isolation=isolation, worker_seconds=60))
        found.append(contents(tmp_path / isolation))
    return found


# ---------------------------------------------------------------- the same bytes


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_configured_strategy_leaves_the_same_bytes(file: Path, tmp_path: Path) -> None:
    alone, remotely = both(tmp_path, configured(file), task=PIPELINE, model=IDEAL, budget=2000, **LENT)
    assert remotely == alone
    assert len(alone["episodes/pipeline-000.jsonl"]) > 5000


@pytest.mark.parametrize("name", ["Notebook", "Newest", "Endless", "Counting"])
def test_toys_leave_the_same_bytes(name: str, tmp_path: Path) -> None:
    alone, remotely = both(tmp_path, arm(name))
    assert remotely == alone
    assert ("forks/desk-0.json" in alone) == (name == "Notebook")


@pytest.mark.parametrize("what", ["nothing", "stray", "surrogate", "edited", "twice", "named"])
def test_what_is_wrong_with_a_view_is_said_in_the_same_words(what: str, tmp_path: Path) -> None:
    alone, remotely = both(tmp_path, arm("Odd", what=what))
    assert remotely == alone
    assert load(tmp_path / "process" / "episodes" / "desk-0.jsonl").ending == "strategy_error"


def test_what_a_strategy_raises_is_recorded_in_the_same_words(tmp_path: Path) -> None:
    alone, remotely = both(tmp_path, arm("Faulty"))
    assert remotely == alone
    assert load(tmp_path / "process" / "episodes" / "desk-0.jsonl").reason == "compose raised KeyError: 'lost'"


def test_its_own_model_embeddings_and_luck_are_the_same_and_are_replayed(tmp_path: Path) -> None:
    desk = Desk(7)

    def asked(name: str, make: Callable[[], Any]) -> list[list[tuple[str, str]]]:
        lines = Lines(said("short"))
        with ending(make) as noted:
            environment = desk.open(desk.instances()[1], 0)
            play(tmp_path / name, environment, ClerkReader(), noted, compactor=lines, embedder=Letters())
        return [[(m.id, m.content) for m in request.view] for request in lines.requests]

    alone = asked("alone", Asking)
    whole = (tmp_path / "alone").read_bytes()
    assert len(alone) > 2
    assert asked("remote", remote(arm("Asking"), 60)) == alone
    assert (tmp_path / "remote").read_bytes() == whole
    (tmp_path / "again.part").write_bytes(whole[: len(whole) // 2])
    assert 0 < len(asked("again", remote(arm("Asking"), 60))) < len(alone)
    assert (tmp_path / "again").read_bytes() == whole


def test_a_model_that_is_not_there_is_the_same_error_for_the_strategy(tmp_path: Path) -> None:
    alone, remotely = both(tmp_path, arm("Luring"))
    assert remotely == alone
    assert b"RuntimeError: the strategy asked a model of its own, but none" in remotely["episodes/desk-0.jsonl"]


def test_a_model_that_fails_is_no_error_of_the_strategy(tmp_path: Path) -> None:
    class Broken:
        def complete(self, request: Any) -> Any:
            raise ConnectionError("no server")

    desk = Desk(7)
    with pytest.raises(ConnectionError, match="no server"), ending(remote(arm("Luring"), 60)) as make:
        play(tmp_path / "e", desk.open(desk.instances()[0], 0), ClerkReader(), make, compactor=Broken())


def test_a_saved_store_is_handed_on_to_the_next_session(tmp_path: Path) -> None:
    makes: dict[str, Callable[[], Any]] = {"alone": Notebook, "remote": remote(arm("Notebook"), 60)}
    for name, make in makes.items():
        stage = Stage(OPEN, answered, answered, answered, opens("Again.", True, 1), finished)
        play(tmp_path / name, stage, Lines(said("go", act())), make)
    assert (tmp_path / "remote").read_bytes() == (tmp_path / "alone").read_bytes()
    assert b"2 notes" in (tmp_path / "remote").read_bytes()


@pytest.mark.parametrize("name", ["window", "regex"])
def test_an_instance_can_be_used_for_one_episode_after_the_other(name: str) -> None:
    script = FIXTURES["chain"]
    with ending(remote(configured(ROOT / "conf" / "strategy" / f"{name}.yaml"), 60)) as make:
        laws.nothing_leaks(make, script, 400)
        laws.same_seed_same_view(make, script, 400)


# ---------------------------------------------------------------- what it offers


@pytest.mark.parametrize("name", ["Whole", "Endless", "Notebook", "Late"])
def test_it_has_the_optional_protocols_of_the_strategy_itself(name: str) -> None:
    own, far = instantiate(arm(name)), remote(arm(name), 60)()
    protocols = (MemoryTools, Persistent, Unlimited)
    assert [isinstance(far, p) for p in protocols] == [isinstance(own, p) for p in protocols]
    assert workers() == [], "nothing was started to know that"
    for strategy in (own, far):
        strategy.reset(laws.kit(), FIXTURES["cuts"].brief)
    assert [isinstance(far, p) for p in protocols] == [isinstance(own, p) for p in protocols]
    assert getattr(far, "tools", None) == getattr(own, "tools", None)
    assert getattr(far, "unlimited", None) == getattr(own, "unlimited", None)


def test_settings_are_refused_as_without_isolation() -> None:
    words = []
    for isolation in ("none", "process"):
        with pytest.raises(SettingsError, match="strategy: cannot build") as error:
            build(settings(arm("Newest", keeep=1), isolation=isolation, worker_seconds=60))
        words.append([word in str(error.value) for word in ("tests.machine.arms.Newest", "keeep")])
    assert words == [[True, True]] * 2
    with pytest.raises(SettingsError, match="isolation=thread: choose none or process"):
        build(settings(isolation="thread"))


# ---------------------------------------------------------------- how it ends


@pytest.mark.parametrize(
    "way, reason",
    [
        ("exit", "compose raised ProcessEnded: exit code 3; its last words: so long"),
        ("leave", "compose raised ProcessEnded: exit code 0; its last words: so long"),
        ("abort", "compose raised ProcessEnded: killed by SIGABRT; its last words: so long"),
        ("hang", "compose raised ProcessEnded: the strategy's process was silent for 4 seconds and was ended"),
        ("garble", "compose raised ProcessEnded: the strategy's process sent b'Hello', which is no JSON"),
    ],
)
def test_a_process_that_goes_is_the_strategys_error_and_takes_its_children_along(
    way: str, reason: str, tmp_path: Path
) -> None:
    seconds = 4 if way == "hang" else 60
    config = settings(
        arm("Leaving", way=way, notes=str(tmp_path / "pids")), isolation="process", worker_seconds=seconds
    )
    assert run(tmp_path / "cell", {**config, "only": ["desk-0"]})
    record = load(tmp_path / "cell" / "episodes" / "desk-0.jsonl")
    assert (record.ending, record.reason, len(record.turns)) == ("strategy_error", reason, 2)
    assert all(gone(int(pid)) for pid in (tmp_path / "pids").read_text().split())


@pytest.mark.parametrize("way", ["kill", "memory"])
def test_what_the_system_does_is_no_result(way: str, tmp_path: Path) -> None:
    config = settings(arm("Faulty", way=way), isolation="process", worker_seconds=60, only=["desk-0"])
    assert not run(tmp_path / "cell", config)
    assert "MemoryError" in (tmp_path / "cell" / "errors" / "desk-0.txt").read_text()


def test_one_that_is_not_closed_ends_with_its_object() -> None:
    strategy = remote(arm("Notebook"), 60)()
    strategy.reset(laws.kit(), FIXTURES["cuts"].brief)
    assert len(workers()) == 1
    del strategy
    assert workers() == []


def test_one_that_is_closed_says_so() -> None:
    with ending(remote(arm("Whole"), 60)) as make:
        strategy = make()
        strategy.reset(laws.kit(), FIXTURES["cuts"].brief)
    assert isinstance(strategy, RemoteStrategy)
    with pytest.raises(Exception, match="the strategy's process has been ended"):
        strategy.reset(laws.kit(), FIXTURES["cuts"].brief)


def test_it_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    text = (
        "import sys, time, pathlib\n"
        "from harness.remote.strategy import Link\n"
        "from tests.machine.test_remote import arm, workers\n"
        "link = Link(arm('Whole'), 60); link.make()\n"
        "print(workers()[0], flush=True); time.sleep(60)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path / "temporary")}
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, env=environment) as starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        assert Path(f"/proc/{pid}").exists()
        starter.send_signal(signal.SIGKILL)
    assert gone(pid)


def test_a_cell_has_the_same_name_with_and_without_isolation() -> None:
    assert identity(settings(isolation="process")) == identity(settings())
    assert identity(settings(isolation="process", worker_seconds=1)) != identity(settings())
