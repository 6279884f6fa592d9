"""What goes first under each policy, and what is worth how much."""

from __future__ import annotations

from math import log1p

import pytest

from harness.contract import Labels, Message
from strategies.structured.entries import Entry
from strategies.structured.graph import MUST, Graph
from strategies.structured.nodes import kind_of, tier_of
from strategies.structured.policies import TIERS, Policy, Standing, core, ordered
from strategies.structured.words import owners
from tests.strategies.structured_runs import Run, lines, long, shows, strategy


def entry(ref: int, tier: str = "output", part: int = 1, step: int = 0, tokens: int = 10, core: bool = False) -> Entry:
    kind = "CONSTRAINT" if tier == "constraint" else "ACTION_OUTPUT"
    return Entry(
        ref, kind, tier, 0, ref, (f"m{ref}",), ref, ref, step, part, tokens, "run", "", 1, (), (), "", core  # type: ignore[arg-type]
    )  # fmt: skip


def standing(graph: Graph | None = None, used: dict[int, int] | None = None, part: int = 2, step: int = 20) -> Standing:
    return Standing(graph or Graph(), used or {}, {}, step, part)


def order(policy: Policy, now: Standing, *entries: Entry) -> list[tuple[int, str]]:
    return [(e.ref, why) for e, why in ordered(policy, entries, now, lambda e: now.utility(e, TIERS))]


# ---------------------------------------------------------------- kinds and tiers


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (Message("", "user", "The API key is sk_1."), "USER_MESSAGE"),
        (Message("", "user", "Never write to db_1."), "CONSTRAINT"),
        (Message("", "tool", "you must not read this as a rule"), "ACTION_OUTPUT"),
        (Message("", "tool", "x", labels=Labels("constraint")), "CONSTRAINT"),
        (Message("", "assistant", "doing"), "ACTION_INPUT"),
        (Message("", "system", "agent"), "SYSTEM_MESSAGE"),
    ],
)
def test_kinds(message: Message, kind: str) -> None:
    assert kind_of(message, message.content) == kind


def test_the_task_message_is_the_goal_and_worth_most() -> None:
    assert kind_of(Message("", "user", "Never stop."), "Never stop.", task=True) == "GOAL"
    assert TIERS[tier_of("GOAL", "Never stop.")] == 1.0


def test_tiers_put_credentials_over_outputs_over_logs() -> None:
    log = "10:33:37 INFO  flush of db_1 done\n10:33:38 WARN  slow\n10:33:39 INFO  over and out again and again"
    found = "the table has nine rows, three columns and no index worth a word"
    assert tier_of("USER_MESSAGE", "The password of db_1 is p7.q68f.") == "credential"
    assert tier_of("ACTION_OUTPUT", found) == "output"
    assert tier_of("ACTION_OUTPUT", log) == "log"
    assert tier_of("ACTION_OUTPUT", "done") == "log"
    assert tier_of("CONSTRAINT", "never") == "constraint"
    assert [TIERS[t] for t in ("goal", "constraint", "credential", "output", "log")] == [1.0, 1.0, 0.7, 0.4, 0.1]


def test_owners_are_the_first_names_of_statements_that_give_a_value() -> None:
    text = "db_1 | port | 5432\ndb_1 | host | h_2\nnothing to see here\nweb_3 answers to k_9. As told, db_4 stays."
    assert owners(text) == ("db_1", "web_3")


# ---------------------------------------------------------------- policies


def test_lru_goes_by_the_last_step_whose_call_had_a_value_of_the_entry() -> None:
    found = order("lru", standing(used={1: 19}), entry(1, step=1), entry(2, step=9), entry(3, step=5))
    assert found == [(3, "lru"), (2, "lru"), (1, "lru")]


def test_safe_is_what_nobody_unfinished_needs_once_its_subtask_is_over() -> None:
    graph = Graph()
    graph.link(2, 9, MUST, "declared")
    now = standing(graph)
    assert order("safe", now, entry(3), entry(1), entry(2), entry(4, part=2)) == [(1, "safe"), (3, "safe")]
    graph.finish(9)
    assert [ref for ref, _ in order("safe", now, entry(2), entry(4, part=2))] == [2]


def test_what_is_new_is_not_safe_for_having_no_dependents_yet() -> None:
    assert not standing(part=1).safe(entry(1, part=1))


def test_utility_is_tier_degree_and_recency() -> None:
    graph = Graph()
    graph.link(1, 8, MUST, "use")
    graph.link(1, 9, MUST, "use")
    now = standing(graph, used={1: 10}, step=20)
    assert now.utility(entry(1), TIERS) == pytest.approx(0.4 + 0.2 * log1p(2.0) + 0.2 * 2**-1)
    assert order("utility", now, entry(1), entry(2, "log"), entry(3, "constraint")) == [
        (2, "utility"), (1, "utility"), (3, "utility"),
    ]  # fmt: skip


def test_hybrid_takes_safe_ones_first_then_the_least_useful() -> None:
    found = order("hybrid", standing(), entry(1), entry(2, "log", part=2), entry(3, "log"), entry(4, part=2))
    assert found == [(3, "safe"), (1, "safe"), (2, "utility"), (4, "utility")]


def test_the_core_is_constraints_and_credentials_up_to_its_share_the_most_useful_first() -> None:
    rules = [entry(1, "credential", core=True, tokens=40), entry(2, "constraint", core=True, tokens=40), entry(3)]
    now = standing()
    assert core(rules, 100, lambda e: now.utility(e, TIERS)) == {1, 2}
    assert core(rules, 50, lambda e: now.utility(e, TIERS)) == {2}


# ---------------------------------------------------------------- in an episode


def crowded(**settings: object) -> Run:
    """A rule and a credential at the beginning, then more than the budget holds."""
    run = Run(700, strategy(**settings))
    run.user("You must never delete rows of table_9 in here, " + "please " * 20)
    run.view()
    run.act("login", "The password of the server db_1 is p7.q68f. " + "ready " * 20)
    run.steps(*(long(f"part {n}") for n in range(12)))
    return run


def test_hybrid_never_evicts_a_constraint_and_utility_may() -> None:
    assert shows(crowded(policy="hybrid").view(), "never delete rows")
    assert not shows(crowded(policy="hybrid", core_share=0.05).view(), "never delete rows")
    assert not shows(crowded(policy="lru").view(), "never delete rows")


def test_safe_alone_needs_the_last_resort_while_a_subtask_lasts() -> None:
    run = crowded(policy="safe", part_steps=100)
    assert run.noted("overflow") and not run.noted("evict")
    assert crowded(policy="safe", part_steps=2).noted("evict")[0][0] == "safe"


def test_evictions_go_down_to_low_water_and_then_leave_the_prefix_alone() -> None:
    def batches(low_water: float) -> int:
        return len(crowded(low_water=low_water).noted("evict"))

    assert batches(0.5) < batches(1.0)


def test_a_safe_eviction_that_is_needed_after_all_is_counted_once() -> None:
    run = Run(300, strategy(policy="safe", part_steps=2))
    run.view()
    run.act("start", "the lock of db_1 is q7.zz9, " + "and " * 40)
    run.steps(*(long(f"part {n}") for n in range(4)))
    assert next(ids for why, ids in run.noted("evict") if why == "safe")[:2] == ["m2", "m3"]
    for _ in range(2):
        run.act("open q7.zz9", "opened")
        run.view()
    assert run.noted("needed") == [("safe", ["m2", "m3"])]


def test_overflow_error_hands_out_the_view_as_it_is() -> None:
    run = Run(200, strategy(overflow="error"))
    run.view()
    run.act("cat", long("everything", 400))
    assert run.kit.count(run.view()) > 200
    assert not run.noted("overflow")
    other = Run(200, strategy())
    other.view()
    other.act("cat", long("everything", 400))
    assert other.kit.count(other.view()) <= 200
    assert other.noted("overflow")[0][0] == "oversize"
    assert lines(other.view())


@pytest.mark.parametrize(
    "wrong",
    [{"policy": "best"}, {"edges": ["guess"]}, {"core_share": 0}, {"confidence": 2}, {"factor": 0.5}, {"hot": 0}],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Run(100, strategy(**wrong))
