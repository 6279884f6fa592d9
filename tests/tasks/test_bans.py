"""What is ruled out: told early, put to the test late, broken only by an action that goes against it."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from harness import cell
from harness.contract import Call, Message
from tests.tasks.oracle import FAMILIES, play

BANNING = sorted(family for family, make in FAMILIES.items() if make().dials.bans)
CONF = Path(__file__).parents[2] / "conf"


def worlds(family, count=20, **settings):
    task = FAMILIES[family](**settings)
    return [task.open(instance, 0) for instance in task.instances()[:count]]


def asked_of(world):
    """The needs that put bans to the test."""
    return [need for need in world.plan.needs.values() if need.default]


def states(world, step):
    """The newest state of each key that anything was said of before the action of `step`."""
    fields = world.family.lexicon.ban.fields
    rows = (row for rows in world.plan.told[:step] for row in rows)
    return {f"{row.owner}/{row.field}": row.value for row in rows if row.field in fields}


def follow(world, choose):
    """Play with the arguments that `choose` gives for a need; all events."""
    world.reset()
    events = []
    for step in range(1, world.plan.horizon + 1):
        need = world.plan.needs.get(step)
        tool, argument = world.pages.phase(step) if need else ("proceed", "none")
        arguments = {world.family.target: world.plan.targets[step]} | ({argument: choose(need)} if need else {})
        events += world.step(Message("", "assistant", "", (Call(f"c{step}", tool, arguments),))).events
    return events


@pytest.mark.parametrize("family", BANNING)
def test_exactly_one_option_is_not_ruled_out_when_it_is_asked_for(family):
    for world in worlds(family):
        ban = world.family.lexicon.ban
        for need in asked_of(world):
            known = states(world, need.step)
            if need.op == "except":
                assert [key for key in need.keys if known.get(key) != ban.states[0]] == [need.answer]
                assert need.barred == set(need.keys) - {need.answer}
            else:
                assert known[need.keys[0]] == need.answer
                assert need.barred == {ban.states[-1]} - {need.answer}


@pytest.mark.parametrize("family", BANNING)
def test_suggestions_break_what_was_said_as_often_as_the_dial_says(family):
    for suggested in (0.0, 0.6, 1.0):
        needs = [n for w in worlds(family, suggested=suggested) for n in asked_of(w) if n.op == "except"]
        assert len(needs) > 150
        broken = sum(need.default in need.barred for need in needs) / len(needs)
        assert abs(broken - suggested) < 4 * (suggested * (1 - suggested) / len(needs)) ** 0.5 + 1e-9


@pytest.mark.parametrize("family", BANNING)
def test_who_follows_every_suggestion_is_recorded_each_time_it_goes_against_something(family):
    for world in worlds(family, 5):
        needs = asked_of(world)
        events = follow(world, lambda need: need.default or need.answer)
        kind = world.family.lexicon.ban.event
        against = [event.detail["step"] for event in events if event.kind == kind]
        assert against == [need.step for need in needs if need.default in need.barred]
        assert world.score()["success"] == pytest.approx(1 - len(against) / len(world.plan.needs))


@pytest.mark.parametrize("family", BANNING)
def test_neither_the_right_action_nor_abstaining_goes_against_anything(family):
    for choose in (lambda need: need.answer, lambda need: "unknown"):
        for world in worlds(family, 5):
            kinds = {event.kind for event in follow(world, choose)}
            assert kinds == {"goal"}


@pytest.mark.parametrize("family", BANNING)
def test_bans_are_told_early_some_are_replaced_and_they_are_tested_to_the_end(family):
    dials, replaced, late = FAMILIES[family]().dials, 0, 0
    for world in worlds(family):
        ban = world.family.lexicon.ban
        facts = [fact for fact in world.schedule().facts if fact.kind == ban.kind]
        first = {}
        for fact in facts:
            first.setdefault(fact.key, fact.stated)
        assert len(first) == dials.bans
        assert max(first.values()) < dials.ban_steps
        replaced += len(facts) - len(first)
        late += sum(need.step > 60 for need in asked_of(world))
    assert abs(replaced / (20 * dials.bans) - dials.lifted) < 0.15
    assert late > 50


def test_promises_are_spoken_by_the_user_alone_and_in_no_pinned_text():
    task = FAMILIES["constraints"]()
    fields = task.family.lexicon.ban.fields
    said = {"user": 0, "tool": 0}
    for number in range(5):
        run = play(task, number)
        brief = run.world.reset().brief
        assert not task.grammar.claims(brief.system) and not task.grammar.claims(brief.task)
        for message in (message for messages in run.answers for message in messages):
            claims = task.grammar.claims(message.content)
            said[message.role] += sum(claim.key.rpartition("/")[2] in fields for claim in claims)
    assert said["tool"] == 0 and said["user"] > 100


def test_hypotheses_are_found_by_tools_and_reasons_and_locations_are_kinds_of_their_own():
    kinds = {}
    for world in worlds("debugging"):
        facts = {fact.id: fact for fact in world.schedule().facts}
        for fact in (facts[f] for goal in world.schedule().goals for f in goal.facts):
            kinds.setdefault(fact.kind, []).append(fact)
    assert set(kinds) == {"hypothesis", "reason", "location", "code", "mode", "tally"}
    assert all(".py-" in fact.value for fact in kinds["location"])
    assert min(map(len, kinds.values())) > 80


def test_a_lost_ban_looks_like_none():
    """An instruction that tests a ban names neither the state that rules out nor which option it concerns."""
    for family in BANNING:
        for world in worlds(family, 5):
            barred = world.family.lexicon.ban.states[0]
            assert not any(barred in world.pages.instruction(need.step) for need in asked_of(world))


def violations(folder, pinned, budget):
    with initialize_config_dir(str(CONF), version_base="1.3"):
        changed = ["task=constraints", "strategy=window", f"strategy.pin_user={pinned}", f"budget={budget}"]
        config = compose("config", [*changed, "instances=8", "embedder=none", "isolate=false", "quiet=true"])
        container = OmegaConf.to_container(config, resolve=True)
    assert cell.run(container, folder, {"task": "constraints"})
    rows = pd.read_parquet(folder / "outcomes.parquet")
    assert (rows.constraint_tests > 10).all()
    return rows.violations.sum() / rows.constraint_tests.sum()


def test_an_unpinned_window_at_half_budget_breaks_a_fifth_of_the_promises_and_a_pinned_one_none(tmp_path):
    assert violations(tmp_path / "unpinned", False, 3000) > 0.2
    assert violations(tmp_path / "pinned", True, 3000) == 0


def test_needs_carry_their_suggestion_through_the_wording():
    task = FAMILIES["constraints"]()
    for world in (task.open(instance, 0) for instance in task.instances()[:5]):
        for need in asked_of(world):
            slot = task.grammar.question(world.pages.instruction(need.step)).slots[0]
            operand = world.family.lexicon.ban.states[0] if need.op == "except" else ""
            assert (slot.op, slot.keys, slot.operand, slot.default) == (need.op, need.keys, operand, need.default)
            assert slot == replace(slot, joint="", source=None)
