"""Tuning: what is tried, which trial wins, what is written, and that tuned arms are told from default ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from hypothesis import given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from harness import plan
from harness.__main__ import CONF
from harness.parts import SettingsError
from harness.report.labels import labels
from harness.tune import preset, space
from harness.tune.__main__ import TRIALS, main
from harness.tune.trial import Trial, gain, ranked
from tasks.suite import DEVELOPMENT
from tests.conformance import laws
from tests.conformance.scripts import FIXTURES

SPACES = sorted((Path(CONF) / "tune").glob("*.yaml"))
TUNED = sorted((Path(CONF) / "strategy" / "tuned").glob("*.yaml"))
DEFAULT = {"_target_": "strategies.thin.Thin", "share": 0.5, "turns": 10, "unit": "tokens"}
GRIDS = [{"unit": ["tokens"], "share": [0.2, 0.5]}, {"unit": ["turns"], "turns": [5, 10]}]


def default_of(name: str) -> dict[str, Any]:
    found = OmegaConf.to_container(OmegaConf.load(Path(CONF) / "strategy" / f"{name}.yaml"), resolve=False)
    assert isinstance(found, dict)
    return {str(key): value for key, value in found.items()}


# ---------------------------------------------------------------- what is tried


def test_the_default_comes_first_and_every_other_point_once() -> None:
    drawn = space.draw(GRIDS, DEFAULT, 16, 0)
    assert drawn[0] == {}
    assert sorted(map(str, drawn[1:])) == sorted(
        ["{'share': 0.2}", "{'unit': 'turns', 'turns': 5}", "{'unit': 'turns'}"]
    )


@given(trials=st.integers(1, 6), seed=st.integers(0, 50))
def test_a_draw_is_fixed_by_its_seed_and_has_no_more_than_was_asked(trials: int, seed: int) -> None:
    drawn = space.draw(GRIDS, DEFAULT, trials, seed)
    assert drawn == space.draw(GRIDS, DEFAULT, trials, seed)
    assert len(drawn) == min(trials, 4)
    assert all(one not in drawn[:n] for n, one in enumerate(drawn))


def test_seeds_draw_differently() -> None:
    wide = [{"turns": list(range(40))}]
    assert space.draw(wide, DEFAULT, 16, 0) != space.draw(wide, DEFAULT, 16, 1)


def test_no_trial_is_refused() -> None:
    with pytest.raises(SettingsError, match="trials=0"):
        space.draw(GRIDS, DEFAULT, 0, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- sahre: [0.5]", "sahre is no parameter; there are share, turns, unit"),
        ("- _target_: [x]", "_target_ is no parameter"),
        ("- share: 0.5", "share: 0.5 is no list of values"),
        ("share: [0.5]", "give a list of grids"),
        (None, "is missing: give a list of grids"),
    ],
)
def test_a_space_that_cannot_be_drawn_from_is_refused(text: str | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "thin.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(SettingsError, match=message):
        space.load(path, DEFAULT)


@pytest.mark.parametrize("path", SPACES, ids=lambda path: path.stem)
def test_every_space_names_parameters_and_has_enough_for_all_trials(path: Path) -> None:
    default = default_of(path.stem)
    assert len(space.draw(space.load(path, default), default, TRIALS, 0)) == TRIALS == 16


def test_tuning_is_on_development_families_and_on_instances_of_its_own() -> None:
    with initialize_config_dir(CONF, version_base="1.3"):
        tuning = compose("config", overrides=["experiment=tune"], return_hydra_config=True)
        usual = compose("config")
    assert tuple(tuning.hydra.sweeper.params.task.split(",")) == DEVELOPMENT
    assert tuning.task.seed != usual.task.seed


# ---------------------------------------------------------------- which trial wins


def trial(name: str, a: float, b: float, tokens: float = 100.0) -> Trial:
    return Trial({"x": name}, {"one": {"i": a}, "two": {"i": b}}, {"one": {"i": tokens}, "two": {"i": tokens}})


def test_most_success_wins_then_fewest_tokens_then_the_first() -> None:
    trials = [trial("a", 0.5, 0.5), trial("b", 0.6, 0.6, 900.0), trial("c", 0.5, 0.5, 50.0), trial("d", 0.5, 0.5)]
    assert [one.settings["x"] for one in ranked(trials)] == ["b", "c", "a", "d"]


def test_families_count_the_same_whatever_their_size() -> None:
    many = {"one": {str(n): 1.0 for n in range(9)}, "two": {"0": 0.0, "1": float("nan")}}
    assert Trial({}, many, many).score == 0.5


def test_the_gain_is_paired() -> None:
    assert gain(trial("a", 0.75, 0.5), trial("b", 0.5, 0.5)).estimate.mean == 0.125


def test_what_is_written_is_the_default_with_what_won() -> None:
    best = Trial({"unit": "turns"}, {"one": {"i": 0.75}}, {"one": {"i": 1234.0}})
    text = preset.text(DEFAULT, [best, Trial({}, {"one": {"i": 0.5}}, {"one": {"i": 99.0}})], ["how"])
    assert yaml.safe_load(text) == {**DEFAULT, "unit": "turns"}
    assert text.startswith("# how\n")
    assert "#    0.750    1,234  unit=turns\n#    0.500       99  (default)\n" in text


# ---------------------------------------------------------------- the command and its files


def test_a_command_tries_writes_and_goes_on_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["strategy=window", "trials=2", "task=pipeline", "instances=2", "task.horizon=20", "checkpoints=[20]"]
    words += ["budget=3000", "isolate=false", "jobs=1", f"results={tmp_path}"]
    assert main(words, tmp_path / "tuned") == 0
    text = (tmp_path / "tuned" / "window.yaml").read_text()
    assert yaml.safe_load(text).keys() == default_of("window").keys()
    assert "harness.tune strategy=window trials=2 task=pipeline" in text and str(tmp_path) not in text
    records = {path: path.stat().st_mtime_ns for path in tmp_path.glob("tune/*/episodes/*.jsonl")}
    assert len([path for path in records if not path.name.endswith(".times.jsonl")]) == 4
    assert main(words, tmp_path / "tuned") == 0
    assert (tmp_path / "tuned" / "window.yaml").read_text() == text
    assert {path: path.stat().st_mtime_ns for path in records} == records
    capsys.readouterr()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["strategy=nobody"], "there is no"),
        (["strategy=full"], "full.yaml is missing: give a list of grids"),
        (["strategy=window", "trials=x"], "trials=x: give a whole number"),
        (["strategy=window", "task=nothing"], "task/nothing"),
    ],
)
def test_what_cannot_be_tuned_is_said_at_once(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words, tmp_path) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", TUNED, ids=lambda path: path.stem)
def test_a_tuned_strategy_has_the_keys_of_its_default_and_keeps_the_laws(path: Path) -> None:
    config, default = OmegaConf.load(path), default_of(path.stem)
    assert list(config) == list(default) and config._target_ == default["_target_"]
    for script in FIXTURES.values():
        for law in laws.ALL:
            law(lambda: instantiate(config), script, laws.whole(script) // 2)


def test_default_and_tuned_are_apart_in_folders_and_tables() -> None:
    """Also where tuning changed nothing."""
    name = TUNED[0].stem
    with initialize_config_dir(CONF, version_base="1.3"):
        cells = plan.cells([[f"strategy={name}"], [f"strategy=tuned/{name}"]])
    cells[1].config["strategy"].clear()
    cells[1].config["strategy"].update(cells[0].config["strategy"])
    assert cells[0].folder != cells[1].folder
    assert [one.arm for one in labels([(cell.names, cell.config) for cell in cells])] == [name, f"tuned/{name}"]
