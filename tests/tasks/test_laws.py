"""Distance laws `early` and `recent`, laws by kind of fact, and kinds of which only the user speaks."""

import random
from statistics import median

import pytest

from tasks.dials import Dials, delays, distances
from tests.tasks.oracle import FAMILIES, play


def drawn(law, step, **dials):
    back = distances(Dials(**dials), law, random.Random(1))
    return [back(step) for _ in range(4000)]


def test_recent_is_one_to_three_steps_and_no_more_than_there_are():
    assert set(drawn("recent", 50)) == {1, 2, 3}
    assert set(drawn("recent", 1)) == {1}


def test_early_leads_back_to_the_first_steps_wherever_it_starts():
    assert {50 - d for d in drawn("early", 50, early=10)} == set(range(10))
    assert {4 - d for d in drawn("early", 4, early=10)} == set(range(4))


def test_updates_of_what_was_told_early_come_later_all_over_the_run():
    ahead = delays(Dials(), "early", random.Random(1))
    assert {ahead(80) for _ in range(4000)} == set(range(1, 41))


def distances_by_kind(family):
    task, found = FAMILIES[family](), {}
    for instance in task.instances():
        schedule = task.open(instance, 0).schedule()
        facts = {fact.id: fact for fact in schedule.facts}
        for goal in schedule.goals:
            for fact in map(facts.__getitem__, goal.facts):
                found.setdefault(fact.kind, []).append(goal.step - fact.stated)
    return found


def test_support_has_near_middle_and_far_kinds():
    found = distances_by_kind("support")
    assert median(found["order"]) == 2 and sorted(found["order"])[int(0.9 * len(found["order"]))] <= 5
    assert median(found["product"]) > 25 and 8 < median(found["contact"]) < 25


def test_credentials_are_told_early_used_late_and_some_are_rotated():
    task = FAMILIES["credentials"]()
    rotated = 0
    for instance in task.instances():
        facts = task.open(instance, 0).schedule().facts
        told = [fact for fact in facts if fact.kind in ("credential", "endpoint", "setting")]
        replaced = {fact.key for fact in told if fact.superseded is not None}
        rotated += len(replaced)
        assert all(fact.stated < 16 for fact in told if fact.key not in replaced)
        late = [fact for fact in told if fact.stated >= 16]
        assert {fact.key for fact in late} <= replaced
    assert rotated / 20 > 4
    found = distances_by_kind("credentials")
    assert all(median(found[kind]) > 22 for kind in ("credential", "endpoint", "setting"))


@pytest.mark.parametrize("family", ["credentials", "support"])
def test_only_the_user_speaks_of_what_is_the_users(family):
    task = FAMILIES[family]()
    kinds = task.family.lexicon.kinds
    spoken = set(task.family.lexicon.spoken_kinds)
    for number in range(4):
        said = {
            (message.role, kinds.get(claim.key.partition("/")[2]))
            for messages in play(task, number).answers
            for message in messages
            for claim in task.grammar.claims(message.content)
        }
        assert {kind for role, kind in said if role == "tool"}.isdisjoint(spoken)
        assert {kind for role, kind in said if role == "user"} >= spoken


@pytest.mark.parametrize("dials", [{"law": "soon"}, {"laws": {"order": "soon"}}])
def test_an_unknown_law_is_refused(dials):
    with pytest.raises(ValueError, match="law='soon'"):
        FAMILIES["support"](**dials)
