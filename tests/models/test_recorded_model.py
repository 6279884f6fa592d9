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
    played: int = 0


REPLIES = tuple(Reply(Message("", "assistant", text)) for text in ("one", "two", "three"))


def test_each_reply_is_the_one_that_the_environment_has_come_to_whatever_the_view() -> None:
    run = Run(REPLIES)
    model = Recorded().open(None, run, 0)  # type: ignore[arg-type]
    views: list[list[Message]] = [[], [user("x")], []]
    for view, text in zip(views, ("one", "two", "three"), strict=True):
        assert model.complete(request(view)).message.content == text
        run.played += 1
    with pytest.raises(LookupError, match="no recorded reply after number 3"):
        model.complete(request([]))


def test_a_resumed_episode_goes_on_where_its_environment_is() -> None:
    model = Recorded().open(None, Run(REPLIES, played=2), 0)  # type: ignore[arg-type]
    assert model.complete(request([])).message.content == "three"


def test_an_environment_without_recorded_replies_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"builtins\.object has no recorded replies.*model=scripted"):
        Recorded().open(None, object(), 0)  # type: ignore[arg-type]


def test_the_config_makes_it() -> None:
    config = OmegaConf.load(Path(__file__).parents[2] / "conf" / "model" / "recorded.yaml")
    assert isinstance(instantiate(config), Recorded)
