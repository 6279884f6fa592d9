"""What follows from statements, written out operation by operation."""

import pytest

from tests.models.toy import acted, asked, call, made, user

A, B, C = "a/color is red.", "b/color is green.", "c/color is blue."
UPDATE = "a/color is now white, not red."


@pytest.mark.parametrize(
    ("question", "statements", "value"),
    [
        ("value(a/color)", [A], "red"),
        ("value(a/color)", [A, B], "red"),
        ("value(a/color)", [A, "a/color is pink."], "pink"),  # the newest wins
        ("value(a/color)", [UPDATE, A], "white"),  # also when the old text comes last: it is named as replaced
        ("value(a/color)", [A, UPDATE, "a/color is now red, not white."], "red"),  # back to an old value
        ("value(a/color)", [B], "unknown"),
        ("value(a/color)", [], "unknown"),
        ("join(a/color, b/color; joint=+)", [B, A], "red+green"),
        ("join(a/color, b/color; joint=+)", [A], "unknown"),
        ("first(a/color, b/color)", [B, A], "b/color"),
        ("first(a/color, b/color)", [A], "unknown"),  # the other may have come before
        ("last(a/color, b/color)", [B, A], "a/color"),
        ("last(a/color, b/color)", [B], "unknown"),
        ("absent(a/color, b/color, c/color)", [A, C], "b/color"),
        ("absent(a/color, b/color, c/color)", [A], "unknown"),  # two candidates: one of them was forgotten
        ("absent(a/color, b/color)", [A, B], "unknown"),
        ("except(a/color, b/color; operand=green)", [A, B], "a/color"),
        ("except(a/color, b/color, c/color; operand=green)", [A], "a/color"),
        ("except(a/color, b/color; operand=green)", [B], "a/color"),  # by elimination
        ("except(a/color, b/color, c/color; operand=green)", [B], "unknown"),
        ("count(a/color, b/color, c/color; operand=red)", [A, B, "c/color is red."], "2"),
        ("count(a/color, b/color; operand=red)", [A, B, UPDATE], "0"),
        ("count(a/color, b/color; operand=red)", [A], "unknown"),
        ("sum(n/rows)", ["n/rows is 5.", "n/rows is 7.", "n/rows is 5."], "17"),
        ("sum(n/rows)", ["n/rows is 5.", "n/rows is -7."], "-2"),
        ("sum(n/rows)", ["n/rows is 0.5.", "n/rows is 1.25."], "1.75"),
        ("sum(n/rows)", ["n/rows is 100.", "n/rows is 1[cut]."], "100"),  # a mangled number is none
        ("sum(n/rows)", [], "unknown"),
        ("value(a/color; default=gray)", [], "gray"),  # nothing is known against the text's own suggestion
        ("value(a/color; default=gray)", [A], "red"),
        ("except(a/color, b/color; operand=red, default=a/color)", [], "a/color"),
        ("except(a/color, b/color; operand=red, default=a/color)", [A], "b/color"),
        ("except(a/color, b/color, c/color; operand=red, default=a/color)", [A], "b/color"),  # not what is ruled out
        ("except(a/color, b/color, c/color; operand=red, default=c/color)", [A], "c/color"),
        ("except(a/color, b/color; operand=red, default=a/color)", [A, "b/color is red."], "unknown"),
    ],
)
def test_value_of_a_slot(question: str, statements: list[str], value: str) -> None:
    assert asked(question, *statements) == value


def test_all_slots_and_the_fixed_arguments_are_in_the_call() -> None:
    action = call([user(A), user(B), user("do paint: x=value(a/color) | y=value(z/color)")])
    assert (action.name, action.arguments) == ("paint", {"by": "me", "x": "red", "y": "unknown"})


def test_restated_updates_are_not_added_twice() -> None:
    note = "Calling paint.\nnote: n/rows = 5\nnote: n/rows = 7"
    view = [made("note: n/rows = 5"), user("n/rows is 7."), user("n/rows is 9."), user("do paint: x=sum(n/rows)")]
    assert call(view).arguments["x"] == "21"
    own = acted("c1", "paint", "ok")[0]
    assert call([type(own)("", "assistant", note), *view]).arguments["x"] == "21"


def test_order_is_that_of_the_statements_not_of_their_restatement() -> None:
    view = [user(A), user(B), made("note: a/color = red"), user("do paint: x=last(a/color, b/color)")]
    assert call(view).arguments["x"] == "b/color"


def test_notes_are_read_in_any_text_and_keep_what_they_replace() -> None:
    view = [user("Known so far: note: a/color = white (was red) and more"), user(A), user("do paint: x=value(a/color)")]
    assert call(view).arguments["x"] == "white"
    assert asked("sum(n/rows)", "n/rows is 5.\nnote: n/rows = 5") == "5"  # one statement, found in two ways
