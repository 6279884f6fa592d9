"""Playing back recorded replies."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

from harness.contract import Message, Reply
from harness.models.recorded import Recorded
from tests.models.toy import request, user


@dataclass
class Run:
    replies: tuple[Reply, ...]


@dataclass
class CountingRun(Run):
    played: int = 0


REPLIES = tuple(Reply(Message("", "assistant", text)) for text in ("one", "two", "three"))


def test_replies_come_in_order_whatever_the_view() -> None:
    model = Recorded().open(None, Run(REPLIES), 0)  # type: ignore[arg-type]
    views: list[list[Message]] = [[], [user("x")], []]
    assert [model.complete(request(view)).message.content for view in views] == ["one", "two", "three"]
    with pytest.raises(LookupError, match="no recorded reply after number 3"):
        model.complete(request([]))


def test_a_resumed_episode_goes_on_where_its_environment_is() -> None:
    run = CountingRun(REPLIES)
    model = Recorded().open(None, run, 0)  # type: ignore[arg-type]
    run.played = 2
    assert model.complete(request([])).message.content == "three"


def test_two_playbacks_do_not_share_their_place() -> None:
    first, second = (Recorded().open(None, Run(REPLIES), 0) for _ in range(2))  # type: ignore[arg-type]
    first.complete(request([]))
    assert second.complete(request([])).message.content == "one"


def test_an_environment_without_recorded_replies_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"builtins\.object has no recorded replies.*model=scripted"):
        Recorded().open(None, object(), 0)  # type: ignore[arg-type]


def test_the_config_makes_it() -> None:
    config = OmegaConf.load(Path(__file__).parents[2] / "conf" / "model" / "recorded.yaml")
    assert isinstance(instantiate(config), Recorded)
