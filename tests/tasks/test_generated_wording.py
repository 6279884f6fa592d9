"""The grammar reads what the families write: every form, exactly once, and nothing else."""

import random
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.contract import Claim, Slot
from tasks.names import names, token
from tasks.plan import Need, Told
from tasks.wording import ASKS, NOTES, SOURCES, fill, statement
from tests.tasks.oracle import FAMILIES, play

GRAMMARS = {family: make().grammar for family, make in FAMILIES.items()}
FORMS = [
    (family, style, told, kind)
    for family, make in FAMILIES.items()
    for style, forms in make().family.forms.items()
    for told in ("code", *forms.kinds)
    for kind in ("plain", "change", "amount")
]


def words(family, seed):
    lexicon, rng = FAMILIES[family]().family.lexicon, random.Random(seed)
    owners = names(rng, lexicon.nouns, lexicon.suffixes, 50)
    return lambda: next(owners), lambda: rng.choice(lexicon.fields), lambda: token(rng)


@pytest.mark.parametrize(("family", "style", "of", "kind"), FORMS)
def test_every_form_of_a_statement_is_read_as_it_was_meant(family, style, of, kind):
    forms = FAMILIES[family]().family.forms[style]
    choices = getattr(forms.of(of), kind)
    if kind == "amount" and (style not in ("prose", "log") or of != "code"):
        assert choices == ()  # structured records name the field alone
        return
    assert len(set(choices)) >= 5
    for number in range(len(choices)):
        for seed in range(20):
            owner, field, value = words(family, seed)
            told = Told(owner(), field(), value(), value() if kind == "change" else None, of, None, None)
            if kind == "amount":
                told = told._replace(value=str(11 + 37 * seed), kind="tally")
            text = statement(told, forms, number)
            claim = Claim(f"{told.owner}/{told.field}", told.value, told.former)
            for around in (text, f"Note that {text} And so on.", f"| x |\n{text}\n| y |", f"{text}\n{text}"):
                assert list(GRAMMARS[family].claims(around)) == [claim] * around.count(text), around


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("note", NOTES)
def test_notes_in_the_form_key_and_value_are_read(family, note):
    owner, field, value = (word() for word in words(family, 3))
    text = fill(note, {"e": owner, "a": field, "v": value})
    assert list(GRAMMARS[family].claims(f"- {text}\n")) == [Claim(f"{owner}/{field}", value)]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("op", ASKS)
def test_every_form_of_an_instruction_is_read_as_it_was_meant(family, op):
    made = FAMILIES[family]().family
    for seed in range(60):
        rng, (owner, field, value) = random.Random(seed), words(family, seed)
        keys = tuple(f"{owner()}/{field()}" for _ in range(1 if op in ("value", "sum") else rng.randint(2, 5)))
        operand, joint = value() if op in ("except", "count") else "", rng.choice("+~|:") if op == "join" else ""
        source = f"{made.lexicon.folder}/{owner()}" if op == "value" and seed % 2 else None
        parts = {"arg": "setting", "e": keys[0].partition("/")[0], "a": keys[0].partition("/")[2]}
        parts |= {"keys": ", ".join(keys), "joint": joint, "operand": operand}
        text = fill(ASKS[op][seed % 5], parts)
        text += f" {SOURCES[seed % 5].replace('<path>', source)}" if source else ""
        target = owner()
        order = fill(made.orders[seed // 5 % 5], {"tool": "convert", "e": target})
        question = GRAMMARS[family].question(f"[step 1/9, part 1/2] Not this.\n\n[step 2/9, part 1/2] {order} {text}")
        assert question is not None
        assert question.slots == (Slot("setting", op, keys, operand, joint, source),), text
        assert (question.tool, question.fixed, question.subtask) == ("convert", {made.target: target}, "1")


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=200, deadline=None)
@given(text=st.text(alphabet=st.sampled_from("ab_1. :=\n/|\",csvmil'"), max_size=200))
def test_other_text_is_read_without_fault_and_makes_no_claims(family, text):
    assert list(GRAMMARS[family].claims(text)) == []
    assert GRAMMARS[family].question(text) is None
    assert GRAMMARS[family].question("[step 3/80, part 1/12] " + text) is None


@pytest.mark.parametrize("family", FAMILIES)
def test_messages_claim_what_the_plan_tells_there_and_nothing_else(family):
    task = FAMILIES[family]()
    for number in range(6):
        run = play(task, number)
        for step, messages in enumerate(run.answers):
            found = Counter(c for m in messages for c in task.grammar.claims(m.content))
            told = [Claim(f"{t.owner}/{t.field}", t.value, t.former) for t in run.world.plan.told[step]]
            before = {(t.owner, t.field, t.value) for rows in run.world.plan.told[:step] for t in rows}
            again = found - Counter(told)  # what agents hand over was told to one of them before
            assert found - again == Counter(told)
            assert not again or run.world.plan.reports
            assert all((*c.key.split("/"), c.value) in before and c.replaces is None for c in again)


@pytest.mark.parametrize("family", FAMILIES)
def test_instructions_neither_state_facts_nor_give_away_answers(family):
    task = FAMILIES[family]()
    for number in range(20):
        world = task.open(task.instances()[number], 0)
        for step, need in world.plan.needs.items():
            text = world.pages.instruction(step)
            assert list(task.grammar.claims(text)) == []
            if need.op in ("value", "join", "sum") and not need.default:  # a suggestion may happen to be right
                said = text.partition("]")[2]
                assert not any(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", said) for part in need.parts)


def context(text, claim):
    """The words of a statement around its key and value: which paraphrase it is."""
    owner = claim.key.partition("/")[0]
    found = re.search(rf"(\S*\s?){re.escape(owner)}(.{{0,60}}?){re.escape(claim.value)}(.{{0,3}})", text)
    return "" if found is None else re.sub("|".join(FIELDS), "_", found[2])


FIELDS = [field for make in FAMILIES.values() for field in make().family.lexicon.fields]


@pytest.mark.parametrize("family", FAMILIES)
def test_wording_place_and_shape_do_not_tell_what_is_needed(family):
    """Needed shares by paraphrase, by place in the message and by shape of the value stay near the overall share."""
    task = FAMILIES[family]()
    seen: dict[tuple[str, object], Counter] = {}
    for number in range(20):
        run = play(task, number)
        for step, messages in enumerate(run.answers):
            told = {(f"{t.owner}/{t.field}", t.value): t.fact for t in run.world.plan.told[step]}
            for message in messages:
                claims = list(task.grammar.claims(message.content))
                for place, claim in enumerate(claims):
                    if (claim.key, claim.value) not in told:
                        continue  # handed over by another agent
                    shape = re.sub("[a-z]", "a", re.sub("[A-Z]", "A", re.sub(r"\d", "0", claim.value)))
                    features = {
                        "paraphrase": context(message.content, claim),
                        "place": 4 * place // len(claims),
                        "shape": shape,
                        "field": claim.key.partition("/")[2],
                        "role": message.role,
                        "named": claim.replaces is not None,
                    }
                    for feature in features.items():
                        seen.setdefault(feature, Counter())[told[claim.key, claim.value] is not None] += 1
    roles = [counts for (feature, _), counts in seen.items() if feature == "role"]
    overall = sum(counts[True] for counts in roles) / sum(counts.total() for counts in roles)
    for feature, counts in seen.items():
        size = counts.total()
        if size >= 100 and feature[1] not in RULES:
            assert abs(counts[True] / size - overall) < 4.5 * (overall * (1 - overall) / size) ** 0.5, (feature, counts)
    assert sum(counts.total() >= 100 for counts in seen.values()) > 25


# a standing rule, or a field of the file at hand, is needed many times or never: its words vary by instance
LEXICONS = [make().family.lexicon for make in FAMILIES.values()]
RULES = frozenset(word for lexicon in LEXICONS for word in lexicon.rules + lexicon.running)


def test_needs_keep_their_parts_apart():
    assert (
        Need(1, "join", ("a_1/x", "b_2/x"), ("f1", "f2"), ("v1", "v2"), (frozenset(),) * 2, joint="+").answer == "v1+v2"
    )
