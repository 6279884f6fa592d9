"""The command: what it announces, asks, keeps and writes."""

from pathlib import Path

import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

from harness.calibrate.__main__ import main
from harness.calibrate.collect import Plan, calls, collect
from harness.calibrate.probes import PROBES
from harness.calibrate.replies import Replies
from harness.contract import Environment, Model, Reply, Request, Task
from harness.models.dials import Dials
from harness.models.scripted import Scripted

QUICK = ("model=scripted", "reader=realistic", "reader.miss_from=1500", "reader.tries=3", "--opportunities", "20")
PLAN = Plan(10, 0, 1500, 512)
PROBE = PROBES[0]


class Counting:
    """A scripted reader that counts its calls, and fails after so many."""

    def __init__(self, dials: Dials | None = None, most: int = 10**6) -> None:
        self.dials, self.most = dials or Dials(), most
        self.asked = 0

    def open(self, task: Task, environment: Environment, seed: int) -> Model:
        self.model = Scripted(self.dials).open(task, environment, seed)
        return self

    def complete(self, request: Request) -> Reply:
        if self.asked == self.most:
            raise ConnectionError("the line is down")
        self.asked += 1
        return self.model.complete(request)


def test_a_profile_is_written_that_a_reader_can_be_made_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "fitted.yaml"
    main([*QUICK, "--out", str(out), "--replies", str(tmp_path / "replies.jsonl")])
    profile = OmegaConf.load(out)
    fitted = instantiate(profile)
    assert isinstance(fitted, Dials) and set(profile) == {"_target_", *Dials.__dataclass_fields__}
    fitted.check()
    assert (fitted.tries, fitted.miss_from) == (3, 1500)  # settings are taken over
    assert (fitted.bluff, fitted.poisoning) == (0, 0) and 0.1 < fitted.retrieve < 0.65
    comments = [line for line in out.read_text().splitlines() if line.startswith("#")]
    assert sum("exact binomial" in line and "of 20; 0 unreadable" in line for line in comments) >= 6
    said = capsys.readouterr()
    assert said.err.startswith("model=scripted: 160 to 1,140 calls, of which 20 with about 1,650 input tokens")
    assert f"wrote {out}" in said.out


def test_the_same_command_writes_the_same_bytes_and_asks_nothing(tmp_path: Path) -> None:
    out, kept = tmp_path / "fitted.yaml", tmp_path / "replies.jsonl"
    main([*QUICK, "--out", str(out), "--replies", str(kept)])
    first, replies = out.read_bytes(), kept.read_bytes()
    main([*QUICK, "--out", str(out), "--replies", str(kept), "--jobs", "3"])
    assert out.read_bytes() == first and kept.read_bytes() == replies


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("model=recorded",), "has no recorded replies"),
        (("model=no_such_model",), "Could not find 'model/no_such_model'"),
        (("reader.miss_from=1499",), "reader.miss_from=1499"),
        (("reader.retrieve=2",), "reader.retrieve is 2"),
        (("--opportunities", "0"), "--opportunities 0"),
    ],
)
def test_what_cannot_work_is_refused_before_the_first_call(
    arguments: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    with pytest.raises(SystemExit, match=message):
        main([*arguments, "--out", str(tmp_path / "x.yaml"), "--replies", str(tmp_path / "r.jsonl")])
    assert list(tmp_path.iterdir()) == []


def test_a_profile_written_by_hand_is_never_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "ideal.yaml"
    out.write_text("retrieve: 1.0\n")
    with pytest.raises(SystemExit, match="not written by a calibration"):
        main([*QUICK, "--out", str(out), "--replies", str(tmp_path / "r.jsonl")])
    assert out.read_text() == "retrieve: 1.0\n"


def test_a_broken_off_calibration_goes_on_where_it_was(tmp_path: Path) -> None:
    unbroken = Counting()
    expected = collect(PROBE, unbroken, PLAN)
    broken = Counting(most=4)
    with pytest.raises(ConnectionError):
        collect(PROBE, broken, PLAN, Replies(tmp_path / "r.jsonl", "me").load())
    with (tmp_path / "r.jsonl").open("ab") as file:
        file.write(b'{"request": "torn')
    rest = Counting()
    assert collect(PROBE, rest, PLAN, Replies(tmp_path / "r.jsonl", "me").load()) == expected
    assert rest.asked == unbroken.asked - 4 == 6


@pytest.mark.parametrize(("about", "asked"), [("me", 0), ("another model", 10)])
def test_replies_belong_to_a_model(about: str, asked: int, tmp_path: Path) -> None:
    collect(PROBE, Counting(), PLAN, Replies(tmp_path / "r.jsonl", "me").load())
    again = Counting()
    collect(PROBE, again, PLAN, Replies(tmp_path / "r.jsonl", about).load())
    assert again.asked == asked


def test_the_announced_calls_are_the_limits() -> None:
    fewest, most = (sum(limits) for limits in zip(*(calls(probe, 10) for probe in PROBES), strict=True))
    assert (fewest, most) == (80, 10 * (4 + 1 + 24 + 24 + 4))
    assert asked(Dials(miss_from=1500)) == fewest
    assert fewest < asked(Dials(miss_from=1500, open=0.15, close=0.15, retrieve=0.15)) <= most


def asked(dials: Dials) -> int:
    source = Counting(dials)
    for probe in PROBES:
        collect(probe, source, PLAN)
    return source.asked
