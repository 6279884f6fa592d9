"""The dials that spoil answers: overlooking, inventing, repeating; and the notes that a reader leaves."""

from pathlib import Path

import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

from harness.contract import Message
from harness.models.dials import Dials
from harness.models.luck import chance, draw
from harness.models.scripted import Scripted
from tests.models.toy import acted, binomial_bounds, call, made, reader, request, share, user

CONF = Path(__file__).parents[2] / "conf"
FILLER = "x" * 400  # 100 tokens by the reader's estimate


def buried(place: int, messages: int = 11) -> list[Message]:
    """A view of about 1,100 tokens with the fact in the message at this place, the question behind it."""
    texts = [FILLER] * messages
    texts[place] = "a/color is red.\n" + "x" * 384
    return [*map(user, texts), user("do paint: x=value(a/color)")]


@pytest.mark.parametrize(("place", "missed"), [(0, 0.034), (2, 0.139), (5, 0.2), (8, 0.143), (10, 0.041)])
def test_the_middle_of_a_long_view_is_overlooked_most(place: int, missed: float) -> None:
    """Expected: the parabola at the middle of the message, with the short question at the end counted in."""
    low, high = binomial_bounds(missed)
    assert low < share({"x": "unknown"}, buried(place), Dials(miss=0.2, miss_from=1000)) < high


def test_a_short_view_is_read_whole() -> None:
    assert share({"x": "red"}, buried(5), Dials(miss=1, miss_from=2000)) == 1


def test_who_overlooks_the_news_answers_with_the_old_value() -> None:
    view = [user("a/color is blue."), *buried(5)]
    # what stands at the beginning is overlooked once in 100 times even so
    assert share({"x": "blue"}, view, Dials(miss=1, miss_from=1000)) > 0.95


def test_bluffing_borrows_the_newest_value_of_a_look_alike() -> None:
    view = [user("b/color is blue.\nc/color is green.\na/size is big."), user("do paint: x=value(a/color)")]
    assert call(view, dials=Dials(bluff=1)).arguments["x"] == "green"
    assert call(view[1:], dials=Dials(bluff=1)).arguments["x"] == "unknown"
    low, high = binomial_bounds(0.3)
    assert low < share({"x": "green"}, view, Dials(bluff=0.3)) < high


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("join(a/color, b/color; joint=-)", "blue-blue"),
        ("first(a/color, b/color)", "b/color"),
        ("count(a/color, b/color; operand=blue)", "1"),
        ("absent(a/color, b/color, c/color)", "a/color"),
        ("except(a/color, b/color, c/color; operand=blue)", "a/color"),
        ("sum(a/color)", "blue"),
    ],
)
def test_bluffing_goes_by_what_is_known(question: str, value: str) -> None:
    view = [user("b/color is blue."), user(f"do paint: x={question}")]
    assert call(view, dials=Dials(bluff=1)).arguments["x"] == value


def test_failures_in_view_make_a_reader_repeat_the_failed_action() -> None:
    view = [
        *acted("c1", "paint", "Error: no such shade", shade="one"),
        *acted("c2", "paint", "error: no such shade", shade="two"),
        *acted("c3", "paint", "painted\nno error", shade="three"),
        user("do paint: x=value(a/color)"),
    ]
    low, high = binomial_bounds(1 - 0.7**2)
    assert low < share({"shade": "two"}, view, Dials(poisoning=0.3)) < high
    assert call(view[4:], dials=Dials(poisoning=1)).arguments == {"by": "me", "x": "unknown"}


def test_notes_restate_what_was_used_and_what_was_just_told() -> None:
    view = [
        user("old/fact is 1.\nused/fact is 2."),
        *acted("c1", "paint", "new/fact is 4, not 3.\ndo paint: x=value(used/fact)"),
    ]
    said = reader(Dials(note=1)).complete(request(view)).message.content
    assert said == "Calling paint.\nnote: used/fact = 2\nnote: new/fact = 4 (was 3)"
    assert reader().complete(request(view)).message.content == "Calling paint."
    recalled = made("old/fact is 1.")  # no news
    at_once = [recalled, user("new/fact is 4.\ndo paint: x=value(new/fact)")]
    assert reader(Dials(note=1)).complete(request(at_once)).message.content == "Calling paint.\nnote: new/fact = 4"
    low, high = binomial_bounds(0.3)
    one = reader(Dials(note=0.3))
    noted = sum("used/fact" in one.complete(request(view, seed=seed)).message.content for seed in range(1000))
    assert low < noted / 1000 < high


def test_an_own_note_is_as_good_as_the_fact() -> None:
    noted = Message("", "assistant", "Calling paint.\nnote: a/color = red")
    assert call([noted, user("do paint: x=value(a/color)")]).arguments["x"] == "red"


def test_equal_circumstances_have_equal_luck_and_others_do_not() -> None:
    assert [draw(7, "pick", "a") for _ in range(3)] == [draw(7, "pick", "a")] * 3
    assert len({draw(seed, dial, about) for seed in range(9) for dial in "ab" for about in "ab"}) == 36
    assert draw(7, "ab", "c") != draw(7, "a", "bc")
    view, dials = [user("do paint: x=value(a/color)"), user("b/color is blue.")], Dials(bluff=0.5)
    more = [user("nothing of interest"), *view]
    assert all(call(view, dials=dials, seed=seed) == call(more, dials=dials, seed=seed) for seed in range(50))


def test_certainties_draw_nothing() -> None:
    assert all(chance(1.0, seed, "x") and not chance(0.0, seed, "x") for seed in range(1000))


@pytest.mark.parametrize("profile", ["ideal", "realistic"])
def test_a_profile_sets_every_dial_and_makes_a_reader(profile: str) -> None:
    config = OmegaConf.create({"reader": OmegaConf.load(CONF / "reader" / f"{profile}.yaml")})
    config.model = OmegaConf.load(CONF / "model" / "scripted.yaml")
    assert set(config.reader) == {"_target_", *Dials.__dataclass_fields__}
    source = instantiate(config.model)
    assert isinstance(source, Scripted) and isinstance(source.reader, Dials)
    source.reader.check()
    assert (source.reader == Dials()) is (profile == "ideal")
    assert (source.reader.bluff, source.reader.poisoning) == (0, 0)


def test_every_dial_of_the_realistic_profile_cites_a_source_or_says_assumed() -> None:
    sources, comment, after_dial = ("Assumed", "arXiv", "TACL", "reference figure"), "", True
    for line in (CONF / "reader" / "realistic.yaml").read_text().splitlines():
        if line.startswith("#"):
            comment = line if after_dial else comment + line
        elif not line.startswith("_target_"):
            dial, value = line.split(": ")
            assert float(value) == 0 or any(source in comment for source in sources), dial
        after_dial = not line.startswith("#")
