"""Training and its report: labels, ceilings, ratios, weights as scikit-learn has them, and both commands."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from harness.learn import choose, plan
from harness.learn.__main__ import main
from harness.learn.ceiling import _newest
from harness.learn.fit import fit
from harness.learn.needed import Wanted, due
from harness.learn.ratio import ratio
from harness.learn.samples import Samples
from harness.parts import SettingsError
from harness.trace import Block, Need, Trace
from strategies.learned import scorer
from strategies.learned.features import NAMES

SMALL = ["families=[]", "held_out=[]", "kinds.boosting=null", "every.recorded=1", "budgets.recorded=[600]",
         "low_water=[1.0]"]  # fmt: skip


def test_a_need_within_the_horizon_is_due_unless_a_later_block_meets_it() -> None:
    wanted = [Wanted(5, "a_1", ((2, 1), (8, 4))), Wanted(9, "b_2", ((2, 1),))]
    assert due(wanted, turn=2, horizon=20) == {(2, "b_2"): 1}  # a_1 is shown anew in turn 4, before it is needed
    assert due(wanted, turn=4, horizon=20) == {(2, "a_1"): 1, (8, "a_1"): 1, (2, "b_2"): 1}
    assert due(wanted, turn=4, horizon=5) == {(2, "a_1"): 1, (8, "a_1"): 1}
    assert due(wanted, turn=10, horizon=20) == {}


def test_who_shows_the_newest_turn_can_meet_less() -> None:
    # Block 1 is needed in turn 2; block 2, as large as the room, arrives in turn 1 and is shown there.
    trace = Trace((Block(0, 0), Block(0, 6), Block(1, 10)), (Need(1, (2,)), Need(2, (1,))))
    assert _newest(trace, room=10, turns=3) == 1
    assert _newest(trace, room=16, turns=3) == 2
    assert _newest(trace, room=9, turns=3) == 1  # block 2 is in no view, so block 1 stays and meets its need


def test_a_ratio_of_sums_has_an_interval_from_eight_instances_on() -> None:
    above, below = [1.0, 2, 3, 4, 5, 6, 7, 8], [2.0, 4, 6, 9, 10, 12, 14, 15]
    found = ratio(above, below)
    assert found.value == 36 / 72 and found.low is not None and found.high is not None
    assert found.low < 0.5 < found.high < 0.6
    assert ratio(above[:7], below[:7]).low is None
    assert ratio([1.0], [0.0]).value is None


def drawn(seed: int, group: str) -> Samples:
    rng = np.random.default_rng(seed)
    x = rng.random((300, len(NAMES)))
    y = (x[:, 0] + 0.3 * rng.random(300) > 0.8).astype(float)
    return Samples(group, x, y, np.where(y > 0, 1.0, 5.0))


def test_weights_give_the_chances_that_scikit_learn_gives() -> None:
    one = drawn(0, "a")
    settings = {"n_estimators": 20, "max_depth": 3, "subsample": 0.5}
    rows = one.x.astype(np.float32)
    forest = GradientBoostingClassifier(random_state=7, **settings).fit(rows, one.y, sample_weight=one.weight)
    own = scorer.built(json.loads(json.dumps(fit("boosting", settings, [one], NAMES, 7))))(one.x)
    np.testing.assert_allclose(own, forest.predict_proba(rows)[:, 1], atol=1e-4)
    mean = np.average(one.x, axis=0, weights=one.weight)
    spread = np.sqrt(np.average((one.x - mean) ** 2, axis=0, weights=one.weight))
    line = LogisticRegression(C=1.0).fit((one.x - mean) / spread, one.y, sample_weight=one.weight)
    own = scorer.built(json.loads(json.dumps(fit("logistic", {"C": 1.0}, [one], NAMES, 0))))(one.x)
    np.testing.assert_allclose(own, line.predict_proba((one.x - mean) / spread)[:, 1], atol=1e-4)


def test_the_kind_is_the_one_that_predicts_groups_left_out_best() -> None:
    kinds = {"logistic": {"C": 1e-9}, "boosting": {"n_estimators": 30, "max_depth": 2}}
    own = plan.read("eviction", [f"kinds={json.dumps(kinds)}"])
    weights, losses = choose.trained(own, [drawn(1, "a"), drawn(2, "b"), drawn(3, "c")])
    assert weights["kind"] == "boosting" and losses["boosting"] < losses["logistic"]
    assert set(scorer.built(choose.even(own))(drawn(1, "a").x)) == {0.5}


def test_nothing_to_learn_from_and_unknown_kinds_are_refused() -> None:
    one = drawn(0, "a")
    with pytest.raises(SettingsError, match="nothing to learn from"):
        fit("logistic", {}, [Samples("a", one.x, np.zeros(300), one.weight)], NAMES, 0)
    with pytest.raises(SettingsError, match="'forest' is unknown"):
        fit("forest", {}, [one], NAMES, 0)
    with pytest.raises(SettingsError, match="nowhere"):
        plan.read("nowhere")


def run(name: str, text: str, turns: int) -> str:
    """A recorded run of chat messages: a file is listed, and its names are used later."""
    calls = ["ls src", *(f"cat src/part_{n % 5}.py" for n in range(turns))]
    listed = "\n".join(f"src/part_{n}.py" for n in range(5))
    answers = [listed, *(f"def {text}_{n}(): {'pass ' * 40}" for n in range(turns))]
    messages: list[dict[str, object]] = [
        {"role": "system", "content": "You fix code."},
        {"role": "user", "content": f"<task>fix {text}</task>"},
    ]
    for n, (call, answer) in enumerate(zip(calls, answers, strict=True)):
        function = {"name": "bash", "arguments": json.dumps({"command": call})}
        messages.append({"role": "assistant", "content": "", "tool_calls": [
            {"id": f"t{n}", "type": "function", "function": function}]})  # fmt: skip
        messages.append({"role": "tool", "tool_call_id": f"t{n}", "content": answer})
    return json.dumps({"id": name, "messages": messages})


def test_both_commands_on_recorded_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = tmp_path / "runs", tmp_path / "weights.json"
    folder.mkdir()
    for name, text in (("one__a-1", "alpha"), ("one__a-2", "beta"), ("two__b-1", "gamma")):
        (folder / f"{name}.json").write_text(run(name, text, 12))
    assert main(["train", f"recorded={folder}", f"out={out}", *SMALL]) == 0
    about = json.loads(out.read_text())["about"]
    assert about["groups"]["one"]["episodes"] == 2 and about["groups"]["two"]["needed"] > 0
    assert str(tmp_path) not in about["made"] and "recorded=runs" in about["made"]
    assert capsys.readouterr().out.endswith(f"digest: {hashlib.sha256(out.read_bytes()).hexdigest()[:12]}\n")
    assert main(["report", f"recorded={folder}", *SMALL]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    rows = {line[1]: line for line in lines if line[:1] == ["600"]}
    assert rows["window"][5] == ".00" and 0 < float(rows["learned"][5]) <= 1
    groups = [line for line in lines if line[:2] in (["600", "one"], ["600", "two"])]
    assert [line[2] for line in groups] == ["2", "1"] and all(math.isfinite(float(line[-1])) for line in groups)



def test_words_that_are_none_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == main(["learn"]) == main(["train", "recorded"]) == 2
    assert main(["train", "colour=red"]) == 2
    assert main(["report", "families=[]", "weights=nowhere.json"]) == 2
    said = capsys.readouterr()
    assert "python -m harness.learn train" in said.out and "colour" in said.err and "nowhere.json" in said.err
