"""Which blocks the learned scorer drops, what it is told, and that its file is the one that was trained."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from omegaconf import OmegaConf

from strategies.blocks import by_turn, split
from strategies.learned import scorer
from strategies.learned.features import NAMES, items, moments
from strategies.learned.names import Names, statements
from strategies.learned.reading import Reading
from strategies.learned.worth import worth
from strategies.learned_eviction import LearnedEviction
from tests.conformance.laws import kit, play, whole
from tests.conformance.scripts import Script, acts, rounds, user

ROOT = Path(__file__).parents[2]
LONG = "plain " * 30


def weights(folder: Path, **given: float) -> str:
    path = folder / "weights.json"
    own = {"kind": "logistic", "features": NAMES, "weights": [given.get(n, 0.0) for n in NAMES], "intercept": -3.0}
    path.write_text(json.dumps(own))
    return str(path)


def left(strategy: LearnedEviction, script: Script, budget: int) -> list[list[str]]:
    """Answers in each view, by their ids."""
    return [[m.id for m in turn.view if m.role == "tool"] for turn in play(strategy, script, budget)]


def look(text: str, first: int) -> tuple[Any, ...]:
    return acts("look", text, first=first)


# Answers m3, m5, m7, m9; the second names nothing at all.
FOUR = Script("task", ((), look("alpha_1 is here", 0), look("nothing here ..", 1), look("beta_2 is here!", 2),
                       look("gamma_3 is here", 3)))  # fmt: skip


def test_the_block_that_shows_no_name_goes_first(tmp_path: Path) -> None:
    learned = LearnedEviction(weights(tmp_path), low_water=1.0)
    assert left(learned, FOUR, whole(FOUR) - 1)[-1] == ["m3", "m7", "m9"]


def test_a_name_that_another_block_shows_too_is_no_reason_to_stay(tmp_path: Path) -> None:
    twice = Script("task", ((), look("alpha_1 is here", 0), look("beta_2 is here!", 1), look("beta_2 is here?", 2)))
    assert left(LearnedEviction(weights(tmp_path), low_water=1.0), twice, whole(twice) - 1)[-1] == ["m3", "m7"]


def test_a_pinned_name_is_no_reason_to_stay(tmp_path: Path) -> None:
    script = Script("about alpha_1", ((), *FOUR.turns[3:4], *FOUR.turns[1:2], *FOUR.turns[4:]))
    assert left(LearnedEviction(weights(tmp_path), low_water=1.0), script, whole(script) - 1)[-1] == ["m3", "m7"]


def test_weights_say_which_names_matter(tmp_path: Path) -> None:
    script = Script("task", ((), look("alpha_1 is here", 0), look("beta/2 is here!", 1), look("gamma_3 is here", 2)))
    for name, stays in (("underscore", "m3"), ("path", "m5")):
        learned = LearnedEviction(weights(tmp_path, **{name: 4.0}), low_water=1.0)
        assert left(learned, script, whole(script) - 1)[-1] == [stays, "m7"]


def test_per_token_a_large_block_must_be_worth_more(tmp_path: Path) -> None:
    script = Script("task", ((), look("alpha_1 beta_2 " + LONG, 0), look("gamma_3", 1), look("delta_4", 2)))
    path = weights(tmp_path)
    assert left(LearnedEviction(path, low_water=1.0), script, whole(script) - 1)[-1] == ["m5", "m7"]
    assert left(LearnedEviction(path, per_token=False, low_water=1.0), script, whole(script) - 1)[-1] == ["m3", "m7"]


def test_the_newest_turns_stay(tmp_path: Path) -> None:
    path, script = weights(tmp_path), Script("task", (*FOUR.turns[:2], *FOUR.turns[3:5], look("nothing at all", 4)))
    first = Script("task", (*script.turns, look("delta_4", 5)))
    assert "m9" not in left(LearnedEviction(path, low_water=1.0), first, whole(first) - 1)[-1]
    assert "m9" in left(LearnedEviction(path, low_water=1.0, newest=2), first, whole(first) - 1)[-1]


def test_low_water_evicts_in_batches(tmp_path: Path) -> None:
    script = Script("task", ((), *rounds(8)))
    budget = whole(Script("task", ((), *rounds(6))))
    counts = [[len(view) for view in left(LearnedEviction(weights(tmp_path), low_water=low), script, budget)]
              for low in (1.0, 0.5)]  # fmt: skip
    assert counts == [[0, 1, 2, 3, 4, 5, 6, 6, 6], [0, 1, 2, 3, 4, 5, 6, 2, 3]]


def test_pin_user_keeps_what_was_said(tmp_path: Path) -> None:
    script = Script("task", ((user("thanks"),), *rounds(3)))
    for pin in (True, False):
        *_, last = play(LearnedEviction(weights(tmp_path), pin_user=pin), script, whole(script) - 1)
        assert ("m2" in [message.id for message in last.view]) is pin


def test_the_shipped_file_is_the_one_that_the_settings_name() -> None:
    settings = OmegaConf.load(ROOT / "conf" / "strategy" / "learned_eviction.yaml")
    data = (scorer.FOLDER / settings.model).read_bytes()
    assert settings.digest == hashlib.sha256(data).hexdigest()[: scorer.DIGITS]
    about = json.loads(data)["about"]
    assert about["made"].startswith("python -m harness.learn train") and len(about["samples"]) == 64
    assert {"pipeline", "django"} <= about["groups"].keys() and "graph" not in about["groups"]
    assert len(data) < 100_000


def test_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = weights(tmp_path)
    with pytest.raises(FileNotFoundError, match="model='nowhere"):
        scorer.load("nowhere.json")
    with pytest.raises(ValueError, match="set digest="):
        scorer.load(path, "0" * 12)
    own = json.loads(Path(path).read_text())
    with pytest.raises(ValueError, match="other features"):
        scorer.built({**own, "features": ["age"]})
    with pytest.raises(ValueError, match="'forest'"):
        scorer.built({**own, "kind": "forest"})
    with pytest.raises(ValueError, match="newest=0"):
        LearnedEviction(path, newest=0).reset(kit(), FOUR.brief)


SEEN = Script(
    "fix core/files.py",
    ((), acts("open it", "class FileStorage in core/files.py\nupload_mode = None", first=0),
     acts("upload_mode again", "upload_mode is used in core/storage.py", first=1),
     (*acts("now FileStorage", "FileStorage: ok_1", first=2), user("mind core/urls.py"))),
)  # fmt: skip


def read(turns: int) -> tuple[Reading, list[str], np.ndarray]:
    """The last rows of a history of so many turns, as training sees them, and a reading as the strategy makes it."""
    history = SEEN.grown(turns)
    pinned = {message.id for message in history.pinned}
    reading, place = Reading(history.pinned), 0
    for number, turn in enumerate(by_turn(history)):
        for block in split(turn, number, place, kit().count, pinned):
            reading.take(block)
        place += len(turn)
    *_, rows = moments(list(history), pinned, kit().count)
    _, words, matrix = rows()
    return reading, list(words), matrix


def test_training_sees_what_the_strategy_sees() -> None:
    for turns in (1, 2, 3):
        reading, words, matrix = read(turns)
        served = items(reading, list(reading.pages))
        assert [reading.words[place] for place in served.word] == words
        np.testing.assert_array_equal(served.matrix, matrix)


def test_a_moment_s_rows_do_not_depend_on_what_comes_after() -> None:
    pinned, count = {"m0", "m1"}, kit().count
    prefix, longer = list(SEEN.grown(2)), list(SEEN.grown(3))
    whole_run = moments(longer, pinned, count)
    for rows in moments(prefix, pinned, count):
        (_, words, matrix), (_, same, equal) = rows(), next(whole_run)()
        assert words == same
        np.testing.assert_array_equal(matrix, equal)


def test_features_say_how_a_name_was_used() -> None:
    _, words, matrix = read(3)
    row = dict(zip(NAMES, matrix[words.index("upload_mode")], strict=True))
    assert row["shows"] == pytest.approx(np.log1p(2)) and row["says"] == pytest.approx(np.log1p(1))
    assert (row["used"], row["coined"], row["pinned"], row["underscore"], row["path"]) == (0, 0, 0, 1, 0)
    path = dict(zip(NAMES, matrix[words.index("core/files.py")], strict=True))
    assert (path["pinned"], path["path"], path["extension"]) == (1, 1, 1)
    assert path["age"] > dict(zip(NAMES, matrix[words.index("core/urls.py")], strict=True))["age"]


def test_names_are_taken_apart_where_they_are_joined() -> None:
    found = Names().of("See django/core/files.py:12, FileStorage.save() and the plain words.")
    assert found == [
        "django/core/files.py:12", "django/core/files.py", "core/files.py", "files.py", "django/core",
        "FileStorage.save", "FileStorage",
    ]  # fmt: skip
    assert statements("a. b\nc") == ["a.", "b", "c"]


def test_worth_counts_what_a_block_alone_shows(tmp_path: Path) -> None:
    reading, _, _ = read(3)
    each = worth(reading, list(reading.pages), scorer.load(weights(tmp_path)))
    chance = 1 / (1 + np.exp(3))
    # the first block: FileStorage and upload_mode stand in others too, and core/files.py is pinned
    assert each[0] == 0 and all(value > 0 for value in each[1:])
    assert each[2] == pytest.approx(chance)
