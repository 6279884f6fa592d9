"""Laws of the bounds: brute force on small traces, no policy above them, more room never hurts."""

import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.belady import Victim, farthest_next_use, keep_only
from harness.bounds import bound_any, bound_keep
from harness.certify import certify, widest
from harness.trace import Block, Need, Per, Tally, Trace, demands

TURNS = 6


@st.composite
def traces(draw: st.DrawFn, most_blocks: int = 8) -> Trace:
    blocks = draw(
        st.lists(st.builds(Block, st.integers(0, TURNS - 1), st.integers(0, 9)), min_size=1, max_size=most_blocks)
    )
    provider = st.integers(0, len(blocks) - 1)
    turn_of = {f"g{k}": draw(st.integers(0, TURNS - 1)) for k in range(3)}
    needs = [
        Need(draw(st.integers(0, TURNS - 1)), tuple(draw(st.lists(provider, max_size=3))), draw(st.integers(1, 3)))
        for _ in range(draw(st.integers(0, 4)))
    ]
    joined = [
        Need(turn_of[goal], tuple(draw(st.lists(provider, min_size=1, max_size=2))), 1.0, goal)
        for goal in draw(st.lists(st.sampled_from(sorted(turn_of)), max_size=5))
    ]
    return Trace(tuple(blocks), tuple(needs + joined))


rooms = st.one_of(st.integers(0, 25), st.lists(st.integers(0, 25), min_size=TURNS, max_size=TURNS))
pers = st.sampled_from(["need", "goal"])


def subsets(members: frozenset[int]) -> list[frozenset[int]]:
    found = [frozenset[int]()]
    for member in members:
        found += [chosen | {member} for chosen in found]
    return found


def brute(trace: Trace, capacity: int | Sequence[int], per: Per, keep: bool) -> float:
    """Every choice of whole blocks at every turn: all sets that fit, from the ones that could be reached."""
    best: dict[frozenset[int], float] = {frozenset(): 0.0}
    wanted = demands(trace, per)
    for turn in range(TURNS):
        tokens = capacity if isinstance(capacity, int) else capacity[turn]
        arrived = frozenset(i for i, block in enumerate(trace.blocks) if block.arrival <= turn)
        new = frozenset(i for i in arrived if trace.blocks[i].arrival == turn)
        after: dict[frozenset[int], float] = {}
        for held, so_far in best.items():
            for view in subsets(held | new if keep else arrived):
                if sum(trace.blocks[i].tokens for i in view) <= tokens:
                    gain = sum(d.weight for d in wanted if d.turn == turn and all(view & set(c) for c in d.clauses))
                    # A free choice does not depend on yesterday: one state is enough.
                    state = view if keep else frozenset[int]()
                    after[state] = max(after.get(state, 0.0), so_far + gain)
        best = after
    return max(best.values())


@settings(max_examples=60, deadline=None)
@given(traces(), rooms, pers)
def test_exact_bounds_agree_with_brute_force(trace: Trace, capacity: int | list[int], per: Per) -> None:
    assert bound_keep(trace, capacity, exact=True, per=per).met == brute(trace, capacity, per, keep=True)
    assert bound_any(trace, capacity, per=per).met == brute(trace, capacity, per, keep=False)


def test_small_programs_that_defeat_the_presolve_of_the_solver() -> None:
    # Reported infeasible by HiGHS 1.12 with its presolve on, though keeping nothing is always a solution.
    blocks = (Block(0, 2), Block(0, 1), Block(0, 3))
    trace = Trace(blocks, (Need(0, (0, 1), 1.0, "join"), Need(0, (2,), 1.0, "join")))
    assert [bound_any(trace, room, per="goal").met for room in (3, 4)] == [0.0, 1.0]
    assert [bound_keep(trace, room, exact=True, per="goal").met for room in (3, 4)] == [0.0, 1.0]


def lru(trace: Trace) -> Victim:
    """Least recently used: the last turn at which a block arrived or was of use."""
    uses: list[list[int]] = [[block.arrival] for block in trace.blocks]
    for need in trace.needs:
        for index in need.providers:
            uses[index].append(need.turn)
    return lambda turn, present: min(present, key=lambda i: (max([u for u in uses[i] if u < turn], default=turn), i))


def oldest(turn: int, present: Sequence[int]) -> int:
    return present[0]


def newest(turn: int, present: Sequence[int]) -> int:
    return present[-1]


def policies(trace: Trace, capacity: int | Sequence[int], per: Per, seed: int) -> dict[str, Tally]:
    rng = random.Random(seed)
    return {
        "lru": keep_only(trace, capacity, lru(trace), per),
        "window": keep_only(trace, capacity, oldest, per),
        "head": keep_only(trace, capacity, newest, per),
        "random": keep_only(trace, capacity, lambda turn, present: rng.choice(present), per),
        "farthest_next_use": farthest_next_use(trace, capacity, per),
    }


@settings(max_examples=60, deadline=None)
@given(traces(), rooms, pers, st.integers(0, 9))
def test_policies_exact_relaxation_and_free_choice_stand_in_order(
    trace: Trace, capacity: int | list[int], per: Per, seed: int
) -> None:
    exact = bound_keep(trace, capacity, exact=True, per=per)
    relaxed = bound_keep(trace, capacity, per=per)
    free = bound_any(trace, capacity, per=per)
    for name, tally in policies(trace, capacity, per, seed).items():
        assert tally.met <= exact.met, name
    assert exact.met <= relaxed.met <= relaxed.total
    assert exact.met <= free.met <= free.total


@settings(max_examples=40, deadline=None)
@given(traces(), st.integers(0, 20), st.integers(0, 10), pers)
def test_more_room_never_hurts(trace: Trace, tokens: int, more: int, per: Per) -> None:
    for bound in (bound_keep, bound_any):
        assert bound(trace, tokens, per=per).met <= bound(trace, tokens + more, per=per).met


def generated(turns: int, seed: int) -> Trace:
    """A block a turn, two needs a turn that form a goal, each stated by one or two earlier blocks."""
    rng = random.Random(seed)
    blocks = tuple(Block(turn, rng.randint(50, 800)) for turn in range(turns))
    needs = tuple(
        Need(turn, tuple(rng.randrange(turn) for _ in range(rng.randint(1, 2))), 1.0, f"g{turn}")
        for turn in range(1, turns)
        for _ in range(2)
    )
    return Trace(blocks, needs)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("per", ["need", "goal"])
def test_no_policy_exceeds_the_relaxation_on_long_traces(seed: int, per: Per) -> None:
    trace = generated(120, seed)
    for capacity in (1000, 4000, 16000):
        bound = bound_keep(trace, capacity, per=per)
        assert bound.claim == "upper bound"
        assert bound.met <= bound_any(trace, capacity, per=per).met
        for name, tally in policies(trace, capacity, per, seed).items():
            assert tally.met <= bound.met, name


def test_lru_beats_farthest_next_use_when_sizes_differ() -> None:
    # The large block is needed soonest, so Belady's rule keeps it and gives up the three small ones needed later.
    blocks = (Block(0, 9), Block(1, 3), Block(2, 3), Block(3, 3))
    trace = Trace(blocks, (Need(4, (0,)), Need(5, (1,)), Need(6, (2,)), Need(7, (3,))))
    assert farthest_next_use(trace, 10).met == 1.0
    assert keep_only(trace, 10, lru(trace)).met == 3.0
    assert bound_keep(trace, 10, exact=True) == Tally(3.0, 4.0, "optimum")


def test_relaxation_may_exceed_the_optimum() -> None:
    # Two of three blocks of 4 tokens do not fit into 7, but parts of all three do: 7/4, and so at most 1 need.
    trace = Trace((Block(0, 4),) * 3, tuple(Need(1, (i,), 1.5) for i in range(3)))
    assert bound_keep(trace, 7, exact=True).met == 1.5
    assert bound_keep(trace, 7).met == pytest.approx(1.5 * 7 / 4)
    assert bound_any(trace, 7).met == 1.5


def test_whole_weights_round_the_relaxation_down() -> None:
    trace = Trace((Block(0, 4),) * 3, tuple(Need(1, (i,)) for i in range(3)))
    assert bound_keep(trace, 7) == Tally(1.0, 3.0, "upper bound")


def test_keeping_costs_room_in_between_and_a_free_choice_does_not() -> None:
    trace = Trace((Block(0, 5), Block(1, 5)), (Need(1, (1,)), Need(2, (0,))))
    assert bound_keep(trace, 5, exact=True).met == 1.0
    assert bound_any(trace, 5).met == 2.0
    # Room shrinks at a turn without arrival or need, and what does not fit then is gone at turn 2.
    held = Trace((Block(0, 5),), (Need(2, (0,)),))
    assert [bound_keep(held, capacity).met for capacity in ([5, 5, 5], [5, 4, 5], [5, math.inf, 5])] == [1.0, 0.0, 1.0]
    assert bound_any(held, [5, 4, 5]).met == 1.0


def test_a_goal_is_met_only_when_all_its_needs_are() -> None:
    trace = Trace((Block(0, 5), Block(0, 5)), (Need(1, (0,), 1.0, "join"), Need(1, (1,), 1.0, "join")))
    assert bound_keep(trace, 5, exact=True, per="need") == Tally(1.0, 2.0, "optimum")
    assert bound_keep(trace, 5, exact=True, per="goal") == Tally(0.0, 1.0, "optimum")
    assert bound_any(trace, 5, per="goal") == Tally(0.0, 1.0, "optimum")
    assert bound_any(trace, 10, per="goal") == Tally(1.0, 1.0, "optimum")


def test_no_room_meets_only_what_costs_nothing() -> None:
    trace = Trace((Block(0, 0), Block(0, 1)), (Need(1, (0,)), Need(1, (1,)), Need(0, ()), Need(0, (1,))))
    for tally in (bound_keep(trace, 0), bound_any(trace, 0), farthest_next_use(trace, 0)):
        assert (tally.met, tally.total, tally.share) == (1.0, 4.0, 0.25)


def test_a_provider_that_arrives_later_does_not_count() -> None:
    trace = Trace((Block(3, 1),), (Need(2, (0,)),))
    assert bound_keep(trace, 9).met == bound_any(trace, 9).met == farthest_next_use(trace, 9).met == 0.0


@pytest.mark.parametrize("trace", [Trace((), ()), Trace((Block(0, 5),), ())])
def test_nothing_needed_is_missing_and_not_zero(trace: Trace) -> None:
    assert bound_keep(trace, 5, exact=True).share is None
    for tally in (bound_keep(trace, 5), bound_any(trace, 5), farthest_next_use(trace, 5)):
        assert tally.total == 0.0
        assert tally.share is None


def test_until_keeps_the_needs_up_to_a_checkpoint() -> None:
    trace = Trace((Block(0, 1),), (Need(1, (0,)), Need(2, (0,)), Need(3, (0,))))
    assert bound_keep(trace.until(2), 5).total == 2.0


def test_a_stopped_search_claims_no_optimum() -> None:
    trace = generated(40, 1)
    stopped = bound_keep(trace, 2000, exact=True, nodes=1)
    assert stopped.claim == "upper bound" and stopped.met == bound_keep(trace, 2000).met


@pytest.mark.parametrize(
    ("trace", "capacity", "per", "message"),
    [
        (Trace((Block(0, -1),), ()), 5, "need", "at least 0"),
        (Trace((Block(0, 1),), (Need(0, (1,)),)), 5, "need", "provider 1 is none of the 1 blocks"),
        (Trace((Block(0, 1),), (Need(0, (0,), math.nan),)), 5, "need", "finite"),
        (Trace((Block(0, 1),), (Need(2, (0,)),)), [5, 5], "need", "capacity has 2 turns"),
        (Trace((Block(0, 1),), (Need(0, (0,)),)), -3, "need", "over the budget"),
        (Trace((Block(0, 1),), (Need(0, (0,), 1, "g"), Need(1, (0,), 1, "g"))), 5, "goal", "one turn and one weight"),
        (Trace((), ()), 5, "fact", "choose 'need' or 'goal'"),
    ],
)
def test_bad_input_is_named(trace: Trace, capacity: int | list[int], per: Per, message: str) -> None:
    for bound in (bound_keep, bound_any):
        with pytest.raises(ValueError, match=message):
            bound(trace, capacity, per=per)


@pytest.mark.parametrize(
    ("came_back", "made", "expected"),
    [
        (False, False, "keep-only"),
        (True, False, "re-admitting"),
        (False, True, "rewriting"),
        (True, True, "rewriting"),
    ],
)
def test_the_class_is_read_off_a_view(came_back: bool, made: bool, expected: str) -> None:
    assert certify(came_back, made) == expected


def test_an_arm_has_the_widest_class_of_its_episodes() -> None:
    assert widest([]) == "keep-only"
    assert widest(["keep-only", "re-admitting", "keep-only"]) == "re-admitting"
    assert widest(["rewriting", "re-admitting"]) == "rewriting"
