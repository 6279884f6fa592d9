"""What learned compaction leaves raw, when it fires, which statements stay: each learned, each switched off."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from omegaconf import OmegaConf

from strategies.learned import policy, scorer
from strategies.learned.features import NAMES
from strategies.learned_compaction import LearnedCompaction
from tests.conformance.scripts import Script, acts
from tests.strategies.compactors import Run, Spy, kit, run, said

ROOT = Path(__file__).parents[2]
FILL = "some words of little use\n" * 8
BUDGET = 4000


def weights(folder: Path, fire: list[float] | None = None, keep: list[float] | None = None, **names: float) -> str:
    """A scorer of names by these features, with a policy: by default at 80 %, the least worth a token first."""
    start = policy.start().plain()
    given = {"fire": fire or start["fire"], "keep": keep or start["keep"]}
    own = {"kind": "logistic", "features": NAMES, "weights": [names.get(n, 0.0) for n in NAMES], "intercept": -3.0}
    path = folder / "weights.json"
    path.write_text(json.dumps({**own, "policy": start | given}))
    return str(path)


def work(turns: int, told: dict[int, str]) -> Script:
    own = [acts(f"act {n}", f"{told.get(n, 'nothing here')}\n{FILL}", first=n) for n in range(turns)]
    return Script("reach the gate", ((), *own))


TOLD = {0: "the_first is a/path/to_it", 1: "plain_word is left", 2: "other_word is left"}
SCRIPT = work(20, TOLD)


def played(path: str, script: Script = SCRIPT, budget: int = BUDGET, spy: Spy | None = None, **own: Any) -> Run:
    return run(LearnedCompaction(path, **own), script, budget, spy or Spy())


def raw(done: Run) -> list[str]:
    return [m.id for m in done.views[-1] if m.role == "tool"]


def fired(done: Run) -> list[int]:
    """Numbers of the turns at which the summary changed."""
    made = [next((m.id for m in view if m.sources), None) for view in done.views]
    return [n for n, (a, b) in enumerate(zip([None, *made], made, strict=False)) if a != b]


def test_the_turn_worth_most_stays_raw_however_old(tmp_path: Path) -> None:
    path = weights(tmp_path, path=6.0)
    assert raw(played(path))[0] == "m3"
    assert raw(played(path, keep="oldest"))[0] != "m3"
    assert raw(played(weights(tmp_path)))[0] == "m3"  # it alone names something with two names
    assert raw(played(weights(tmp_path, keep=[0.0, 0, 0, 0, 0, 0])))[0] != "m3"  # all are equal: the oldest goes


def test_the_policy_weighs_age_against_worth(tmp_path: Path) -> None:
    for sign, stays in ((1.0, True), (-1.0, False)):  # the older the dearer, the older the cheaper
        path = weights(tmp_path, keep=[0.0, 0, 0, sign, 0, 0])
        assert (raw(played(path, work(20, {}), low_water=0.7))[:2] == ["m3", "m5"]) is stays


def test_fire_is_learned_or_by_length(tmp_path: Path) -> None:
    never, early = weights(tmp_path, fire=[0.0, 0, 0, 0, -1.0]), 0.55
    late = fired(played(never))
    assert set(played(never).kinds("compact")) == {"budget"}  # over it there is no choice
    eager = played(weights(tmp_path, fire=[10.0, 0, 0, 0, -10 * early]), low_water=0.3)
    assert fired(eager)[0] < late[0] and set(eager.kinds("compact")) == {"learned"}
    by_length = played(weights(tmp_path, fire=[0.0, 0, 0, 0, -1.0]), fire="length")
    assert set(by_length.kinds("compact")) == {"length"} and fired(by_length)[0] < late[0]


def test_it_may_wait_while_much_would_be_lost(tmp_path: Path) -> None:
    told = {n: f"value_{n} is a/b_{n}" for n in range(20)}
    firsts = []
    for lost in (0.0, -100.0):
        path = weights(tmp_path, fire=[0.0, lost, 0, 0, 1.0])
        firsts += [fired(played(path, script, low_water=0.45))[0] for script in (work(20, told), work(20, {}))]
    assert firsts[0] == firsts[1] == firsts[3] < firsts[2]  # in the second script nothing is lost


def test_it_may_fire_at_the_end_of_a_subtask(tmp_path: Path) -> None:
    told = {n: "x" if n % 4 else f"[part {1 + n // 4}/9] go on" for n in range(20)}
    script = Script("reach the gate", ((), *(acts(f"act {n}", f"{FILL}\n{told[n]}", first=n) for n in range(20))))
    at = fired(played(weights(tmp_path, fire=[0.0, 0, 1.0, 0, -0.5]), script, 6000))
    assert at and all((turn - 1) % 4 in (0, 1) for turn in at)


def test_under_the_floor_nothing_fires(tmp_path: Path) -> None:
    path = weights(tmp_path, fire=[0.0, 0, 0, 0, 1.0])
    low, high = (fired(played(path, floor=floor, low_water=0.2))[0] for floor in (0.3, 0.7))
    assert low < high


def terse(request: object) -> Any:
    return said("work was done")


def test_statements_that_are_likeliest_needed_stay_word_for_word(tmp_path: Path) -> None:
    path = weights(tmp_path, path=6.0)
    own = {"spy": Spy(terse), "keep": "oldest", "identifier_share": 0.0}
    assert "\n" + TOLD[0] in played(path, **own).summary.content
    without = played(path, lines=0.0, **own).summary.content
    assert TOLD[0] not in without and "work was done" in without


def test_the_weights_say_which_statements(tmp_path: Path) -> None:
    own = {"spy": Spy(terse), "keep": "oldest", "identifier_share": 0.0, "lines": 0.12}
    told = {0: "the_first is a/path/to_it " + "so " * 20, 1: "UPPER_CASE is left " + "so " * 22}
    for feature, stays in (("path", 0), ("capitals", 1)):
        text = played(weights(tmp_path, **{feature: 6.0}), work(20, told), **own).summary.content
        assert [told[n].strip() in text for n in (0, 1)] == [n == stays for n in (0, 1)]


def test_a_statement_gives_way_when_a_newer_one_tells_its_names(tmp_path: Path) -> None:
    told = {0: "a/path/to_it was opened", 16: "a/path/to_it was closed"}
    own = {"spy": Spy(terse), "keep": "oldest", "identifier_share": 0.0, "keep_turns": 1}
    text = played(weights(tmp_path, path=6.0), work(30, told), **own).summary.content
    assert told[16] in text and told[0] not in text


@pytest.mark.parametrize("changed", [{}, {"keep": "oldest"}, {"fire": "length"}, {"lines": 0.6}])
def test_each_message_is_raw_covered_once_or_named_as_overflow(tmp_path: Path, changed: dict[str, Any]) -> None:
    done = played(weights(tmp_path, path=6.0), work(40, TOLD), **changed)
    covered, view = done.summary.sources, {m.id for m in done.views[-1]}
    assert len(covered) == len(set(covered)) and not view & set(covered)
    lost = {name for event in done.events if event.kind == "overflow" for name in event.sources}
    assert {f"m{n}" for n in range(2, 82)} <= {*covered, *view, *lost}
    assert sum(len(m.content) for m in done.views[-1]) <= BUDGET


def test_a_saved_state_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    path, spy = weights(tmp_path, path=6.0), Spy()
    one, history = LearnedCompaction(path), SCRIPT.start()
    one.reset(kit(spy), SCRIPT.brief)
    for turn in range(len(SCRIPT.turns)):
        SCRIPT.append(history, turn)
        view = one.compose(history, BUDGET)
        other = LearnedCompaction(path)
        other.reset(kit(spy), SCRIPT.brief, one.export())
        assert [m.id for m in other.compose(history, BUDGET)] == [m.id for m in view]


def test_a_policy_survives_its_file_and_wrong_ones_are_refused(tmp_path: Path) -> None:
    row = np.linspace(-2, 2, len(policy.first()))
    assert np.allclose(policy.read(policy.described(row)).vector(), row, atol=1e-5)
    with pytest.raises(ValueError, match="no policy"):
        policy.of(row[1:])
    assert policy.load(weights(tmp_path)).line_share == pytest.approx(0.3)
    with pytest.raises(ValueError, match="lines="):
        played(weights(tmp_path), lines=1.5)


def test_the_shipped_file_is_the_one_that_the_settings_name() -> None:
    settings = OmegaConf.load(ROOT / "conf" / "strategy" / "learned_compaction.yaml")
    data = (scorer.FOLDER / settings.model).read_bytes()
    assert settings.digest == hashlib.sha256(data).hexdigest()[: scorer.DIGITS]
    own = json.loads(data)
    assert own["about"]["made"].startswith("python -m harness.learn train plan=compaction")
    assert own["about"]["search"]["generations"] and "graph" not in own["about"]["groups"]
    policy.read(own["policy"])
