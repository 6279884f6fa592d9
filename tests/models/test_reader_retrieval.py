"""Looking missing facts up, with a toy strategy whose placeholders offer handles."""

from dataclasses import dataclass

import pytest

from harness.contract import Call, Message, Tool
from harness.models.dials import Dials
from tests.models.toy import FETCH, FIND, PAINT, READ, acted, binomial_bounds, call, made, reader, request, share, user

ASK = "do paint: x=value(a/color)"


@dataclass
class Masking:
    """Hides every told text but the last; a placeholder names its handle and its keys. `fetch` brings it back."""

    history: list[Message]
    tools: tuple[Tool, ...] = (PAINT, FETCH)

    def view(self) -> list[Message]:
        told = [index for index, message in enumerate(self.history) if message.role == "user"]
        return [self.hidden(index) if index in told[:-1] else message for index, message in enumerate(self.history)]

    def hidden(self, index: int) -> Message:
        keys = ", ".join(line.split(" is ")[0] for line in self.history[index].content.splitlines())
        return Message(f"mask:m{index}", "user", f"[hidden: m{index}, about {keys}; use fetch]", sources=(f"m{index}",))

    def answer(self, fetch: Call) -> Message:
        number = fetch.arguments["id"][1:]
        found = number.isdigit() and int(number) < len(self.history)
        text = self.history[int(number)].content if found else f"error: no {fetch.arguments['id']}"
        return Message("", "tool", text, answers=fetch.id, author="memory")


def play(strategy: Masking, dials: Dials | None = None, seed: int = 0) -> tuple[list[str], Call]:
    """The handles fetched until the reader acts, and the action."""
    one, fetched = reader(dials), list[str]()
    for turn in range(20):
        (said,) = one.complete(request(strategy.view(), strategy.tools, seed)).message.calls
        if said.name == "paint":
            return fetched, said
        fetched.append(said.arguments["id"])
        asking = Call(f"c{turn}", said.name, said.arguments)
        strategy.history += [Message("", "assistant", "", (asking,)), strategy.answer(asking)]
    raise AssertionError(f"no action after {fetched}")


def told(*texts: str) -> Masking:
    return Masking([user(text) for text in texts])


def test_a_hidden_fact_is_fetched_by_the_handle_that_stands_with_its_key() -> None:
    fetched, action = play(told("b/size is big.", "a/color is red.", "c/color is blue.", ASK))
    assert (fetched, action.arguments["x"]) == (["m1"], "red")


def test_all_facts_of_a_join_are_fetched_each_once() -> None:
    join = "do paint: x=join(a/color, b/size, c/color; joint=-)"
    fetched, action = play(told("b/size is big.", "a/color is red.", "c/color is blue.", join))
    assert (sorted(fetched), action.arguments["x"]) == (["m0", "m1", "m2"], "red-big-blue")


def test_a_fetched_text_stands_in_its_placeholders_place() -> None:
    hidden = [made("[hidden: m0]"), user("a/color is blue."), user("do paint: x=value(a/color)")]
    back = acted("c1", "fetch", "a/color is red.", id="m0")
    assert call([*hidden, *back], (PAINT, FETCH)).arguments["x"] == "blue"
    back = acted("c1", "fetch", "b/color is red.", id="m0")
    first = [*hidden[:2], user("do paint: x=first(a/color, b/color)"), *back]
    assert call(first, (PAINT, FETCH)).arguments["x"] == "b/color"
    assert call(first[1:], (PAINT, FETCH)).arguments["x"] == "a/color"


def test_a_file_read_again_says_how_things_are_now() -> None:
    view = [made("[hidden: a.txt was read]"), user("a/color is blue."), user(ASK)]
    assert call([*view, *acted("c1", "read", "a/color is red.", path="a.txt")], (PAINT, READ)).arguments["x"] == "red"


def test_without_words_of_the_key_beside_it_no_handle_is_tried() -> None:
    view = [made("[hidden: m0]"), made("[hidden: m1]"), user(ASK)]
    assert call(view, (PAINT, FETCH)).arguments == {"by": "me", "x": "unknown"}


def test_the_task_s_own_texts_offer_no_handles() -> None:
    assert call([user("m3 was the color of a once"), user(ASK)], (PAINT, FETCH)).name == "paint"
    system = Message("", "system", "Rules.\nMemory: m3 the color of a")
    assert call([system, user(ASK)], (PAINT, FETCH)).arguments == {"id": "m3"}


def test_a_question_put_again_with_a_text_is_the_same_question() -> None:
    again = [*acted("c1", "read", f"nothing here\n{ASK}", path="b.txt"), *acted("c2", "fetch", "nothing", id="m3")]
    view = [made("m3: color of a\nm4: color of a"), user(ASK), *again]
    assert call(view, (PAINT, FETCH, READ), Dials(tries=2)).name == "paint"
    assert call(view, (PAINT, FETCH, READ), Dials(tries=3)).arguments == {"id": "m4"}
    assert call(again[:2], (PAINT, FETCH, READ)).arguments == {"by": "me", "x": "unknown"}


def test_whole_words_count_and_a_lone_handle_is_described_by_its_whole_text() -> None:
    view = [made("m7 holds xa and colors"), made("a text\nabout the color of a\nis kept as m5"), user(ASK)]
    assert call(view, (PAINT, FETCH)).arguments == {"id": "m5"}
    listed = made("m1: size of a\nm2: color of a\nm3: color of b")
    assert call([listed, user(ASK)], (PAINT, FETCH)).arguments == {"id": "m2"}


def test_tries_end_and_no_call_is_repeated() -> None:
    strategy = told("a/size is big.", "a/weight is low.", "a/width is 3.", "b/color is blue.", ASK)
    fetched, action = play(strategy, Dials(tries=3))
    assert (fetched, action.arguments["x"]) == (["m3", "m2", "m1"], "unknown")
    assert play(told("a/size is big.", ASK), Dials(tries=3))[0] == ["m0"]
    assert play(told("a/size is big.", ASK), Dials(tries=0))[0] == []


def test_an_answer_that_still_stands_is_not_asked_for_again_but_a_masked_one_is() -> None:
    fetch, answer = acted("c1", "fetch", "a/size is big.", id="m3")
    view = [made("m3: color of a"), fetch, answer, user(ASK)]
    assert call(view, (PAINT, FETCH)).name == "paint"
    view[2] = Message("mask:m2", "tool", "[hidden]", answers="c1", sources=("m2",))
    assert call(view, (PAINT, FETCH)).arguments == {"id": "m3"}


def test_the_source_that_the_question_names_is_read_again_first() -> None:
    view = [made("m3: color of a"), user("do paint: x=value(a/color; source=a.txt)")]
    assert call(view, (PAINT, FETCH, READ)).arguments == {"path": "a.txt"}
    assert call(view, (PAINT, FETCH)).arguments == {"id": "m3"}
    again = [*view, *acted("c1", "read", "error: gone", path="a.txt")]
    assert call(again, (PAINT, FETCH, READ)).arguments == {"id": "m3"}
    assert call(view, (PAINT, FETCH, READ), Dials(reread=0)).arguments == {"id": "m3"}
    assert call(view, (PAINT, FETCH, READ), Dials(reread=0, retrieve=0)).arguments == {"by": "me", "x": "unknown"}
    offered = [made("[hidden: a.txt, the color of a]"), view[1]]
    assert call(offered, (PAINT, READ), Dials(reread=0)).name == "paint"


def test_a_tool_without_a_handle_is_asked_for_the_key() -> None:
    assert call([user(ASK)], (PAINT, FIND)).arguments == {"query": "a/color"}
    tried = [user(ASK), *acted("c1", "find", "nothing", query="a/color")]
    assert call(tried, (PAINT, FIND)).arguments == {"query": "color"}


def test_what_is_known_is_not_looked_up() -> None:
    assert call([made("m3: color of a"), user("a/color is red."), user(ASK)], (PAINT, FETCH, FIND)).name == "paint"


def test_one_key_that_cannot_be_found_leaves_tries_for_the_others() -> None:
    ask = "do paint: x=value(z/color) | y=value(a/size)"
    strategy = told("a/size is big.", "b/color is red.", "c/color is red.", "d/color is red.", "e/color is red.", ask)
    assert play(strategy)[1].arguments == {"by": "me", "x": "unknown", "y": "big"}


@pytest.mark.parametrize("p", [0.2, 0.67])
def test_how_often_a_reader_looks_up(p: float) -> None:
    low, high = binomial_bounds(p)
    view = [made("m3: color of a"), made("m4: color of b"), user("do paint: x=value(a/color; source=a.txt)")]
    assert low < share({"id": "m3"}, view, Dials(retrieve=p), (PAINT, FETCH)) < high
    assert low < share({"path": "a.txt"}, view, Dials(reread=p), (PAINT, READ, FETCH)) < high
    assert low < share({"id": "m3"}, view, Dials(pick=p), (PAINT, FETCH)) < high
    assert low < 1 - share({"id": "m4"}, view, Dials(pick=p), (PAINT, FETCH)) < high
