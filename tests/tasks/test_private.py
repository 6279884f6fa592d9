"""A salt makes other instances in other words, of the same kind, and is never seen itself."""

import re
from statistics import mean

import pytest

from harness.salt import fingerprint
from tasks import private
from tasks.family import Family
from tests.tasks.oracle import FAMILIES, play

SALT = "a salt for tests"


def texts(run):
    return " ".join(message.content for answer in run.answers for message in answer)


def words(family: Family) -> set[str]:
    lexicon = family.lexicon
    return {*lexicon.nouns, *lexicon.codes, *lexicon.modes, *lexicon.tallies}


@pytest.mark.parametrize("family", FAMILIES)
def test_private_instances_are_others_and_the_whole_history_gives_every_goal_of_them(family):
    public, own = FAMILIES[family](), FAMILIES[family](salt=SALT)
    assert {i.seed for i in public.instances()}.isdisjoint(i.seed for i in own.instances())
    assert {i.id for i in public.instances()}.isdisjoint(i.id for i in own.instances())
    for number in range(20):
        run = play(own, number)
        assert run.world.score() == {"success": 1.0}
    assert SALT not in f"{texts(run)} {own.instances()} {run.world.reset().brief}"


@pytest.mark.parametrize("family", FAMILIES)
def test_private_texts_state_what_their_plan_tells_and_nothing_else(family):
    for salt in (SALT, "another"):
        task = FAMILIES[family](salt=salt)
        for number in range(3):
            run = play(task, number)
            told = {(f"{t.owner}/{t.field}", t.value) for rows in run.world.plan.told for t in rows}
            found = {(c.key, c.value) for a in run.answers for m in a for c in task.grammar.claims(m.content)}
            assert found == told


@pytest.mark.parametrize("family", FAMILIES)
def test_names_fields_and_sentences_are_drawn_from_a_larger_pool(family):
    public = FAMILIES[family]().family
    kinds = {kind for forms in public.forms.values() for kind in forms.kinds}
    kept = {name for name, kind in public.lexicon.kinds.items() if kind in kinds}
    several = [private.private(public, f"salt {n}") for n in range(6)]
    for one in several:
        assert words(one) & words(public) <= kept
        assert len(words(one)) == len(words(public))
        assert one.lexicon.ban == public.lexicon.ban
        prose, before = one.forms["prose"], public.forms["prose"]
        assert len(set(prose.plain)) == len(prose.plain) >= 5
        assert len(set(prose.change)) == len(prose.change) >= 5
        assert set(prose.plain) != set(before.plain)
    assert len({frozenset(words(one)) for one in several}) == 6
    assert private.private(public, SALT) == private.private(public, SALT)


@pytest.mark.parametrize("family", FAMILIES)
def test_private_texts_are_as_long_as_public_ones_but_for_a_few_per_cent(family):
    public = mean(len(texts(play(FAMILIES[family](), n))) for n in range(4))
    own = mean(len(texts(play(FAMILIES[family](salt=f"s{n}"), n))) for n in range(4))
    assert abs(own / public - 1) < 0.1


def test_the_fingerprint_is_what_the_harness_writes_down():
    assert re.fullmatch(r"sha256:[0-9a-f]{8}", private.fingerprint(SALT))
    assert private.fingerprint(SALT) == fingerprint(SALT)
