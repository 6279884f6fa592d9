"""The dependency graph and where its edges come from."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from harness.contract import Call, Labels, Message
from strategies.structured import graph as module
from strategies.structured.graph import MAY, MUST, Graph
from strategies.structured.links import Links, Noise
from tests.strategies import structured_runs
from tests.strategies.structured_runs import Run, strategy


def told(text: str, kind: str = "result", uses: tuple[str, ...] = (), provides: tuple[str, ...] = ()) -> Message:
    return Message("", "tool", text, labels=Labels(kind, uses, provides) if uses or provides else None)


def acts(**arguments: str) -> Message:
    return Message("", "assistant", "", (Call("c", "run", arguments),))


def links(*sources: str, noise: Noise = Noise(), verify: bool = True) -> Links:  # noqa: B008
    return Links(Graph(), sources, noise, verify)


def edges(made: Links) -> dict[tuple[int, int], float]:
    return {(edge.source, edge.dependent): edge.weight for edge in made.graph.edges() if edge.kept}


# ---------------------------------------------------------------- graph


def test_a_source_is_waited_for_until_its_sure_dependents_are_finished() -> None:
    graph = Graph()
    graph.link(1, 8, MUST, "declared")
    graph.link(1, 9, MUST, "use")
    graph.link(2, 9, MAY, "use")
    assert (graph.waited_for(1), graph.waited_for(2)) == (True, False)
    graph.finish(8)
    assert graph.waited_for(1)
    graph.finish(9)
    graph.finish(9)
    assert not graph.waited_for(1)
    graph.link(1, 10, MUST, "use")
    assert graph.waited_for(1)
    graph.unlink(1, 10)
    assert not graph.waited_for(1)


def test_degree_is_the_sum_of_weights_and_the_heavier_weight_of_a_pair_counts() -> None:
    graph = Graph()
    graph.link(1, 8, MAY, "use")
    graph.link(1, 9, MAY, "model")
    assert graph.degree(1) == 0.6
    graph.link(1, 8, MUST, "declared")
    assert (graph.degree(1), graph.sources(8)) == (1.3, {1: 1.0})
    graph.unlink(1, 8)
    assert (graph.degree(1), graph.sources(8)) == (0.3, {})
    graph.link(3, 3, MUST, "use")
    assert graph.degree(3) == 0.0


def test_a_loaded_graph_answers_as_the_saved_one() -> None:
    graph, again = Graph(), Graph()
    for dependent in range(5, 9):
        for source in range(dependent % 3, 5):
            graph.link(source, dependent, MUST if source % 2 else MAY, "use")
    graph.unlink(3, 6)
    graph.finish(5)
    again.load(graph.dump())
    for source in range(5):
        assert (again.degree(source), again.waited_for(source)) == (graph.degree(source), graph.waited_for(source))
    assert list(again.edges()) == list(graph.edges())


def executed(work: Callable[[], Any]) -> int:
    """Lines of the graph's module that were executed."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if frame.f_code.co_filename != module.__file__:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def test_operations_cost_the_same_in_a_large_graph() -> None:
    def cost(nodes: int) -> int:
        graph = Graph()
        for node in range(1, nodes):
            graph.link(0, node, MUST, "use")  # a hub that everything depends on
            graph.link(node // 2, node, MAY, "use")

        def work() -> None:
            graph.link(0, nodes, MUST, "use")
            graph.waited_for(0)
            graph.degree(0)
            graph.sources(nodes)
            graph.finish(nodes)
            graph.unlink(0, nodes)

        return executed(work)

    assert 0 < cost(20_000) == cost(20) < 80


# ---------------------------------------------------------------- sources


def test_a_call_needs_the_message_that_introduced_its_value_and_a_mention_may() -> None:
    made = links("use")
    made.told(1, told("db_1 has the port p7.q68f"))
    assert made.acted(2, acts(node="other")) == []
    made.told(3, told("what of db_1?"))
    made.acted(4, acts(port="p7.q68f+zz9"))
    assert edges(made) == {(1, 3): MAY, (1, 4): MUST}


def test_a_value_that_the_newest_turn_says_again_leads_to_that_turn() -> None:
    made = links("use")
    made.told(1, told("the key is k9.aa1"))
    made.acted(2, acts(do="on"))
    made.told(3, told("again: k9.aa1"))
    assert made.acted(4, acts(key="k9.aa1")) == [3]


def test_pinned_text_is_part_of_the_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who repeats a value of the task is not taken for the one that introduced it."""
    monkeypatch.setattr(structured_runs, "TASK", "Free the lock k9.aa1.")
    run = Run(900, strategy())
    run.steps("the lock k9.aa1 is there", "nothing new")
    run.act("free k9.aa1", "done")
    run.view()
    assert [(e.weight, source, to) for e, source, to in run.strategy.proposed()] == [
        (MAY, "m1", "m3"),
        (MUST, "m1", "m6"),
    ]


def test_numbers_lead_nowhere() -> None:
    made = links("use")
    made.told(1, told("step 12, 4902 rows"))
    assert made.acted(2, acts(rows="4902")) == []


def test_declared_uses_need_the_newest_message_that_provides_the_key() -> None:
    made = links("declared")
    made.told(1, told("a", provides=("db/port",)))
    made.told(2, told("b", provides=("db/port",)))
    made.told(3, told("c", uses=("db/port", "db/host")))
    assert edges(made) == {(2, 3): MUST, (1, 3): MAY}
    assert made.graph.waited_for(2)
    made.acted(4, acts(x="y"))
    assert not made.graph.waited_for(2)


def test_a_plan_keeps_waiting_for_what_it_uses_beyond_actions_and_subtasks() -> None:
    made = links("declared")
    made.told(1, told("plan", "plan", uses=("db/port",)))
    made.told(2, told("a", provides=("db/port",)))
    made.acted(3, acts(x="y"))
    made.ended()
    assert made.graph.waited_for(2)


@pytest.mark.parametrize("sources", [("use",), ("declared",), ()])
def test_each_source_is_switched_by_its_name(sources: tuple[str, ...]) -> None:
    made = links(*sources)
    made.told(1, told("db_1 has p7.q68f", provides=("db/port",)))
    made.told(2, told("go on", uses=("db/port",)))
    made.acted(3, acts(port="p7.q68f"))
    expected = {("use",): {(1, 3): MUST}, ("declared",): {(1, 2): MUST}, (): {}}
    assert edges(made) == expected[sources]


def test_without_labels_nothing_is_declared() -> None:
    made = links("declared")
    made.told(1, told("db_1 has p7.q68f"))
    made.told(2, told("use db_1"))
    made.acted(3, acts(port="p7.q68f"))
    assert edges(made) == {}


# ---------------------------------------------------------------- checks


def played(verify: bool, *sources: str) -> Links:
    """Two declared needs, one of which the call used; and a use of something undeclared."""
    made = links(*sources, verify=verify)
    made.told(1, told("x is v1.a", provides=("x/v",)))
    made.told(2, told("y is v2.b", provides=("y/v",)))
    made.told(3, told("z is v3.c"))
    made.acted(4, acts(go="on"))
    made.told(5, told("now", uses=("x/v", "y/v")))
    made.acted(6, acts(value="v1.a", more="v3.c"))
    return made


def test_at_a_border_edges_that_were_not_used_go_and_uses_come() -> None:
    made = played(True, "declared")
    assert edges(made) == {(1, 5): MUST, (2, 5): MUST}
    assert made.ended() == (2, 1)  # both uses of the call had no edge; y/v was not used
    assert edges(made) == {(1, 5): MUST, (1, 6): MUST, (3, 6): MUST}


def test_without_the_check_edges_stay_as_they_are() -> None:
    made = played(False, "declared")
    assert made.ended() == (0, 0)
    assert edges(made) == {(1, 5): MUST, (2, 5): MUST}


# ---------------------------------------------------------------- noise


def noisy(**noise: Any) -> dict[tuple[int, int], float]:
    made = links("use", noise=Noise(**noise))
    for node in range(1, 200, 2):
        made.told(node, told(f"v{node}.x"))
        made.acted(node + 1, acts(value=f"v{node}.x"))
    return edges(made)


def test_noise_misses_true_edges_and_adds_false_ones_as_often_as_it_says() -> None:
    true = {(node, node + 1) for node in range(1, 200, 2)}
    assert set(noisy()) == true
    assert 15 <= len(true - set(noisy(missed=0.3, seed=1))) <= 45
    assert 60 <= len(set(noisy(false=0.8, seed=1)) - true) <= 100
    assert noisy(missed=1.0) == {}


def test_noise_is_drawn_from_its_seed() -> None:
    assert noisy(missed=0.5, seed=1) == noisy(missed=0.5, seed=1) != noisy(missed=0.5, seed=2)
