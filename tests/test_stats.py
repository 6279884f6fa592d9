"""Known values, coverage and error rates by simulation, and the law that missing is not zero and not ignored."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.families import overall, resample
from harness.pairs import detectable, holm, paired, sign_flip
from harness.ranks import agreement
from harness.rates import clopper_pearson, rate, with_missing
from harness.stats import Estimate, Method, mean, per_instance

NAN = math.nan
finite = st.floats(-100, 100, allow_nan=False).map(lambda x: round(x, 3))
maybe = st.one_of(finite, st.just(NAN))


# ---------------------------------------------------------------- missing


def test_a_mean_with_a_missing_value_says_so() -> None:
    assert mean([1.0, NAN]) == Estimate(1.0, None, None, 2, 1, "no interval under n = 8", (1.0,))
    assert mean([1.0, NAN]).missing == 1
    assert mean([1.0, NAN]).coverage == 0.5
    assert with_missing([1.0, NAN]) == (0.5, 1.0)


@given(st.lists(maybe, max_size=30))
def test_every_planned_value_is_scored_or_missing(values: list[float]) -> None:
    known = [value for value in values if not math.isnan(value)]
    estimate = mean(values)
    assert (estimate.planned, estimate.scored, estimate.missing) == (len(values), len(known), len(values) - len(known))
    assert (estimate.mean is None) == (not known)
    if known:
        assert estimate.mean == pytest.approx(sum(known) / len(known), abs=1e-9)


def test_nothing_scored_is_missing_and_not_zero() -> None:
    for values in ([], [NAN, NAN]):
        assert mean(values).mean is None
        assert rate(values).conditional.mean is None
    assert rate([]).strict.mean is None
    assert mean([]).coverage is None
    assert with_missing([]) is None


def test_a_rate_is_read_strictly_and_over_the_scored() -> None:
    found = rate([1, 1, 1, 0, 0, NAN, NAN, NAN])
    assert found.met == 3
    assert (found.conditional.mean, found.conditional.scored, found.conditional.missing) == (0.6, 5, 3)
    assert (found.strict.mean, found.strict.planned) == (0.375, 8)
    assert found.best == 0.75
    assert found.conditional.low == pytest.approx(0.1466, abs=1e-4)


def test_repeats_are_averaged_within_their_instance() -> None:
    first, second, third = per_instance([1.0, 0.0, 1.0, NAN, NAN], ["a", "b", "a", "b", "c"])
    assert (first.instance, first.mean, first.planned, first.scored) == ("a", 1.0, 2, 2)
    assert (second.instance, second.mean, second.planned, second.scored) == ("b", 0.0, 2, 1)
    assert math.isnan(third.mean) and (third.planned, third.scored) == (1, 0)


def test_an_infinite_value_is_refused() -> None:
    with pytest.raises(ValueError, match="mark what was not measured as NaN"):
        mean([1.0, math.inf])
    with pytest.raises(ValueError, match="infinite"):
        paired([math.inf], [math.inf])


# ---------------------------------------------------------------- intervals


@pytest.mark.parametrize("method", ["t", "bootstrap"])
def test_no_interval_under_eight_and_the_raw_values_instead(method: Method) -> None:
    seven = mean([1.0, 2, 3, 4, 5, 6, 7], method=method)
    assert (seven.mean, seven.low, seven.high) == (4.0, None, None)
    assert seven.raw == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0)
    eight = mean([1.0, 2, 3, 4, 5, 6, 7, 8], method=method)
    assert eight.low is not None and eight.high is not None and eight.low < 4.5 < eight.high
    assert eight.raw == ()


def test_t_interval_of_a_written_out_example() -> None:
    # sd 2.4495, standard error 0.8660, t[.975, 7] = 2.3646: 4.5 ± 2.0479
    found = mean([1.0, 2, 3, 4, 5, 6, 7, 8])
    assert (found.low, found.high) == pytest.approx((2.4521, 6.5479), abs=1e-4)


def test_equal_values_give_no_interval_of_width_zero() -> None:
    for values in ([1.0] * 10, [0.3 - 0.1] * 5 + [0.5 - 0.3] * 5):
        assert mean(values).low is None
        assert "equal" in mean(values).method


def test_a_single_odd_value_gives_no_bootstrap_interval() -> None:
    # A third of the resamples hold the same value throughout: their studentised deviation is infinite.
    assert mean([1.0] * 7 + [0.0], method="bootstrap").low is None


def inside(found: Estimate, truth: float) -> bool:
    assert found.low is not None and found.high is not None
    return found.low <= truth <= found.high


@pytest.mark.parametrize("method", ["t", "bootstrap"])
def test_intervals_cover_the_truth(method: Method) -> None:
    rng = np.random.default_rng(7)
    normal = [inside(mean(rng.normal(3.0, 2.0, 20), method=method, draws=500), 3.0) for _ in range(400)]
    assert 0.92 <= np.mean(normal) <= 0.98
    skewed = [inside(mean(rng.exponential(1.0, 30), method=method, draws=500), 1.0) for _ in range(400)]
    assert 0.89 <= np.mean(skewed) <= 0.98


def test_the_bootstrap_reaches_farther_to_the_side_of_the_long_tail() -> None:
    found = mean(np.random.default_rng(4).exponential(1.0, 30), method="bootstrap")
    assert found.mean is not None and found.low is not None and found.high is not None
    assert found.high - found.mean > 1.2 * (found.mean - found.low)


def test_the_bootstrap_is_the_same_for_the_same_seed() -> None:
    values = np.random.default_rng(1).normal(size=20)
    assert mean(values, method="bootstrap", seed=3) == mean(values, method="bootstrap", seed=3)
    assert mean(values, method="bootstrap", seed=3) != mean(values, method="bootstrap", seed=4)


def test_exact_binomial_known_values() -> None:
    assert clopper_pearson(3, 5) == pytest.approx((0.1466, 0.9473), abs=1e-4)
    assert clopper_pearson(0, 10) == pytest.approx((0.0, 0.3085), abs=1e-4)
    assert clopper_pearson(10, 10) == pytest.approx((0.6915, 1.0), abs=1e-4)
    for met, n in ((0, 0), (3, 2), (-1, 4)):
        with pytest.raises(ValueError, match="0 <= successes <= n"):
            clopper_pearson(met, n)


@pytest.mark.parametrize("truth", [0.1, 0.5, 0.83])
def test_exact_binomial_covers_at_least_its_level(truth: float) -> None:
    n = 12
    covered = 0.0
    for met in range(n + 1):
        low, high = clopper_pearson(met, n)
        if low <= truth <= high:
            covered += math.comb(n, met) * truth**met * (1 - truth) ** (n - met)
    assert covered >= 0.95


def test_a_score_in_between_is_no_success() -> None:
    with pytest.raises(ValueError, match=r"0\.5 is neither 0 nor 1: use mean"):
        rate([0.5, 1.0])


# ---------------------------------------------------------------- pairs


def test_a_pair_with_one_side_missing_is_missing() -> None:
    found = paired([1.0, NAN, 1.0, NAN], [0.0, 1.0, NAN, NAN])
    assert (found.estimate.planned, found.estimate.scored, found.estimate.mean) == (4, 1, 1.0)
    assert (found.missing_a, found.missing_b) == (2, 2)
    assert found.p is None
    with pytest.raises(ValueError, match="align both arms"):
        paired([1.0], [1.0, 2.0])


def test_a_paired_difference_written_out() -> None:
    found = paired([2.0, 3, 4, 5, 6, 7, 8, 9], [1.0, 1, 1, 1, 1, 1, 1, 1])
    assert found.estimate.mean == 4.5
    assert found.estimate.low == pytest.approx(2.4521, abs=1e-4)
    assert found.p == 2 / 2**8  # all gaps on one side: only no flip and all flips reach as far
    assert found.test == "sign flips, all"
    # (t[.975, 7] + t[.8, 7]) · 2.4495 / √8 = (2.3646 + 0.8960) · 0.8660
    assert found.detectable == pytest.approx(2.8238, abs=1e-3)


@settings(deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=6, max_size=9))
def test_all_sign_flips_agree_with_brute_force(gaps: list[int]) -> None:
    reach = [abs(sum(s * g for s, g in zip(signs, gaps, strict=True))) for signs in product((1, -1), repeat=len(gaps))]
    assert sign_flip(gaps)[0] == sum(value >= abs(sum(gaps)) for value in reach) / 2 ** len(gaps)


def test_no_p_value_where_none_could_reach_the_level() -> None:
    assert sign_flip([1.0] * 5) == (None, "no p-value: 2/2^5 exceeds 0.05")
    assert sign_flip([1.0] * 6)[0] == 2 / 2**6
    assert sign_flip([1.0] * 6, alpha=0.01)[0] is None
    with pytest.raises(ValueError, match="common set"):
        sign_flip([1.0] * 9 + [NAN])


def test_random_flips_are_seeded_never_zero_and_near_the_exact_value() -> None:
    gaps = np.random.default_rng(5).normal(0.4, 1.0, 16)
    exact, _ = sign_flip(gaps)
    assert exact is not None
    # A pair of gap 0 changes no sum but makes 17 pairs, beyond what is enumerated.
    drawn, how = sign_flip([*gaps, 0.0], seed=1)
    assert how == "sign flips, 9999 random"
    assert drawn == pytest.approx(exact, abs=0.015)
    assert sign_flip([*gaps, 0.0], seed=1) == (drawn, how)
    assert sign_flip([1.0] * 60, draws=999)[0] == 1 / 1000


@pytest.mark.parametrize("n", [10, 20])
def test_sign_flips_reject_a_true_null_at_the_level(n: int) -> None:
    rng = np.random.default_rng(11)
    p_values = [sign_flip(rng.laplace(size=n), seed=trial, draws=499)[0] for trial in range(1000)]
    assert 0.03 <= np.mean([p is not None and p <= 0.05 for p in p_values]) <= 0.07


def test_the_detectable_difference_is_found_four_times_in_five() -> None:
    difference = detectable(1.5, 20)
    assert difference is not None
    rng = np.random.default_rng(2)
    found = [mean(rng.normal(difference, 1.5, 20)).low for _ in range(1000)]
    assert 0.76 <= np.mean([low is not None and low > 0 for low in found]) <= 0.84
    assert detectable(1.5, 1) is None and detectable(0.0, 20) is None


def test_holm_on_a_textbook_family() -> None:
    # 0.01 · 4, 0.02 · 3, then 0.03 · 2 = 0.06 and 0.04 · 1 raised to 0.06.
    assert holm([0.02, 0.01, 0.04, 0.03]) == pytest.approx((0.06, 0.04, 0.06, 0.06))
    assert holm([0.6, 0.9]) == (1.0, 1.0)
    assert holm([]) == ()


def test_a_test_without_a_p_value_counts_in_the_family() -> None:
    first, none, last = holm([0.02, None, 0.03])
    assert none is None and (first, last) == pytest.approx((0.06, 0.06))


# ---------------------------------------------------------------- families and ranks


def test_families_count_the_same_whatever_their_size() -> None:
    values = {"long": [1.0] * 19 + [0.0], "short": [0.0] * 9 + [1.0], "gone": [NAN, NAN]}
    found = overall(values)
    assert found.estimate.mean == pytest.approx((0.95 + 0.1) / 2)
    assert (found.estimate.planned, found.estimate.scored) == (32, 30)
    assert found.left_out == ("gone",)
    assert found.scope == "on these families"


def test_few_instances_in_a_family_give_no_interval() -> None:
    found = overall({"a": [1.0, 0.0, 1.0], "b": [float(k) for k in range(20)]})
    assert found.estimate.low is None and found.estimate.method == "no interval: a family has n = 3, under 8"
    assert overall({"a": [NAN]}).estimate.mean is None


def test_resampling_keeps_to_the_families_or_draws_them_anew() -> None:
    groups = [np.full(5, 1.0), np.full(3, 2.0), np.full(1, 3.0)]
    fixed = resample(groups, seed=1, draws=50, families=False)
    assert (fixed.means == [1.0, 2.0, 3.0]).all()
    anew = resample(groups, seed=1, draws=2000, families=True)
    assert set(np.unique(anew.means)) == {1.0, 2.0, 3.0}
    assert anew.means.mean() == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize(
    ("families", "spread", "scope"), [(10, 1.0, "families like these"), (3, 0.0, "on these families")]
)
def test_overall_intervals_cover_the_truth(families: int, spread: float, scope: str) -> None:
    rng = np.random.default_rng(3)
    covered = []
    for _ in range(200):
        centres = rng.normal(0.0, spread, families)
        found = overall({str(k): rng.normal(centre, 1.0, 20) for k, centre in enumerate(centres)}, draws=400)
        assert found.scope == scope
        covered.append(inside(found.estimate, 0.0))
    assert 0.90 <= np.mean(covered) <= 0.99


def test_rank_agreement_names_the_arms_that_change_places() -> None:
    ideal = {"window": 0.9, "mask": 0.8, "head": 0.3, "empty": 0.1, "trim": NAN}
    realistic = {"window": 0.5, "mask": 0.6, "head": 0.3, "empty": 0.1, "regex": 0.2}
    found = agreement(ideal, realistic)
    assert found.tau == pytest.approx(4 / 6)  # 5 pairs alike, 1 turned round
    assert found.swapped == (("window", "mask"),)
    assert (found.arms, found.missing) == (4, 2)
    assert agreement({"a": 1.0}, {"a": 2.0}).tau is None
    assert agreement({"a": 1.0, "b": 1.0}, {"a": 1.0, "b": 2.0}).tau is None
