"""Dial `labels`: nothing, a line in the text, or beside the text; the canary stands in every message."""

from dataclasses import replace
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from harness import parts
from harness.contract import Call, Message
from harness.play import play as keep
from tasks.labels import KINDS
from tasks.wording import CANARY, SIGN
from tests.tasks.oracle import FAMILIES, play

CONF = Path(__file__).parents[2] / "conf"


def messages(run):
    return [message for answer in run.answers for message in answer]


@pytest.mark.parametrize("family", FAMILIES)
def test_labels_stand_beside_the_text_or_in_it_and_never_both(family):
    none, text, declared = (messages(play(FAMILIES[family](labels=mode))) for mode in ("none", "text", "declared"))
    grammar = FAMILIES[family]().grammar
    assert all(message.labels is None for message in none + text)
    assert [replace(message, labels=None) for message in declared] == none
    for plain, lined, labelled in zip(none, text, declared, strict=True):
        line, _, rest = lined.content.partition("\n")
        assert rest == plain.content and line.startswith(f"[kind: {labelled.labels.kind}")
        assert list(grammar.claims(lined.content)) == list(grammar.claims(plain.content))
        assert grammar.question(lined.content) == grammar.question(plain.content)


@pytest.mark.parametrize("family", FAMILIES)
def test_declared_labels_name_what_a_message_states_and_what_it_asks_for(family):
    task = FAMILIES[family](labels="declared")
    needed = unneeded = 0
    run = play(task)
    keys = {fact.key for fact in run.world.schedule().facts}
    for message in messages(run):
        assert set(message.labels.provides) == {claim.key for claim in task.grammar.claims(message.content)}
        assert message.labels.kind in KINDS
        question = task.grammar.question(message.content)
        assert message.labels.uses == tuple(key for slot in (question.slots if question else ()) for key in slot.keys)
        needed += sum(key in keys for key in message.labels.provides)
        unneeded += sum(key not in keys for key in message.labels.provides)
    assert unneeded > needed > 0


def test_a_file_that_is_read_again_is_labelled_as_one():
    task = FAMILIES["pipeline"](labels="declared", reread=1.0)
    world = task.open(task.instances()[0], 0)
    world.reset()
    path = next(iter(world.plan.files))
    turn = world.step(Message("", "assistant", "", (Call("c1", "reread", {"path": path}),)))
    assert turn.messages[0].labels.kind == "file"


@pytest.mark.parametrize("family", FAMILIES)
def test_scrambled_labels_are_others_and_the_text_beside_them_stays(family):
    true, drawn, again = (messages(play(FAMILIES[family](labels="declared", scramble=n))) for n in (0, 1, 1))
    assert drawn == again
    assert [replace(m, labels=None) for m in drawn] == [replace(m, labels=None) for m in true]
    assert sum(a.labels != b.labels for a, b in zip(true, drawn, strict=True)) > 0.9 * len(true)


def record(folder, task, strategy, *settings):
    """The record of an episode, byte by byte: messages, views, made messages and events."""
    overrides = [f"task={task}", f"strategy={strategy}", "budget=4000", "embedder=none", *settings]
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose("config", overrides=overrides)
    built = parts.build({k: v for k, v in OmegaConf.to_container(config, resolve=True).items() if k != "hydra"})
    path = folder / "-".join(overrides).replace("/", "_") / "episodes" / "one.jsonl"
    path.parent.mkdir(parents=True)
    keep(built, built.instances[0], path)
    return path.read_bytes()


@pytest.mark.parametrize("family", FAMILIES)
def test_under_none_scrambling_labels_changes_no_byte_of_any_view(family, tmp_path):
    short = ("task.horizon=24", "task.subtasks=4", "checkpoints=[20]")
    for strategy in ("window", "mask", "regex", "head_tail"):
        plain = record(tmp_path, family, strategy, *short)
        assert record(tmp_path, family, strategy, *short, "task.scramble=7") == plain
    declared, scrambled = ((*short, "task.labels=declared", f"task.scramble={n}") for n in (0, 7))
    assert record(tmp_path, family, "window", *declared) != record(tmp_path, family, "window", *scrambled)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_text_carries_the_canary_once(family):
    run = play(FAMILIES[family]())
    assert CANARY in run.world.reset().brief.system
    assert [message.content.count(SIGN) for message in messages(run)] == [1] * len(messages(run))
    world = run.world
    world.reset()
    calls = (Call("a", "reread", {"path": "x/y_1"}), Call("b", "proceed", {}), Call("c", "proceed", {}))
    turn = world.step(Message("", "assistant", "", calls))
    assert all(SIGN in message.content for message in turn.messages)


def test_an_unknown_mode_is_refused():
    with pytest.raises(ValueError, match="labels=some"):
        FAMILIES["graph"](labels="some")
