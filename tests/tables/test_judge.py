"""The judge of printed numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from math import ceil, comb, inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import f as fisher
from scipy.stats import t as student
from scipy.stats import ttest_ind_from_stats

from quadrepro.papers.printed import Facts, Printed, Sample
from quadrepro.tables.judge import NO_VARIATION, OurNumbers, PrintedNumber, Verdict, judge, repeated

SPLITS = (0.21, 0.18, 0.25, 0.20, 0.22)
SAMPLES = {
    "one split": Sample(splits=1),
    "splits": Sample(splits=20),
    "cross-validation": Sample(cv=10),
    "repeated": Sample(cv=2, repeats=5),
    "pooled": Sample(cv=2, pooled=True),
    "runs": Sample(runs=10),
}


def sample_of(mean: float, sd: float, n: int) -> list[float]:
    """Return numbers with a mean and a standard deviation."""
    spread = np.arange(n) - (n - 1) / 2
    return [*(mean + sd * spread / spread.std(ddof=1))]


def p_of(text: str, ours: OurNumbers, sample: Sample, sd: float | None = None) -> float:
    """Return the p-value of a number that has a verdict."""
    return judge(PrintedNumber(text, sample, sd), ours).p_value


@pytest.mark.parametrize(("sample", "k"), [(Sample(splits=1), 1), (Sample(splits=8), 8)])
def test_a_number_without_deviation_is_judged_by_students_t(sample: Sample, k: int) -> None:
    mean, spread = np.mean(SPLITS), np.std(SPLITS, ddof=1) * sqrt(1 / k + 1 / 5)
    reach = student.ppf(0.975, 4) * spread
    for text in ("0.10", "0.212", "0.25", "0.2700", "0.3"):
        verdict = judge(PrintedNumber(text, sample), OurNumbers(SPLITS))
        half = 0.5 * 10.0 ** (2 - len(text))
        off = max(0.0, abs(mean - float(text)) - half)
        assert verdict.p_value == pytest.approx(2 * student.sf(off / spread, 4), abs=1e-9)
        assert (verdict.low, verdict.high) == pytest.approx(
            (mean - reach - half, mean + reach + half)
        )
        assert (verdict.ours, verdict.deviation) == (pytest.approx(mean), None)


@pytest.mark.parametrize(("digits", "half"), [(2, 0.005), (0, 0.5)])
def test_a_mean_with_a_deviation_is_judged_by_welchs_test(digits: int, half: float) -> None:
    ours = OurNumbers(sample_of(14.2, 3.31, 40))
    for mean in np.arange(11, 18, 0.25):
        number = PrintedNumber(f"{mean:.{digits}f}", Sample(splits=20), 3.14, 0.005)
        verdict = judge(number, ours)
        value = float(number.text)
        nearest = 14.2 if abs(value - 14.2) <= half else value + half * np.sign(14.2 - value)
        test = ttest_ind_from_stats(14.2, 3.31, 40, nearest, 3.14, 20, equal_var=False)
        assert verdict.p_value == pytest.approx(test.pvalue, abs=1e-9)
        assert verdict.deviation.word == "inside"


def test_the_p_value_of_a_deviation_is_that_of_fishers_test() -> None:
    # Evenly spread numbers have no excess kurtosis.
    ours = OurNumbers(sample_of(14.2, 3.31, 40))
    for sd in (1.9, 3.0, 4.6):
        verdict = judge(PrintedNumber("14", Sample(splits=20), sd), ours).deviation
        ratio = fisher(19, 39).cdf(sd**2 / 3.31**2)
        assert verdict.p_value == pytest.approx(2 * min(ratio, 1 - ratio), abs=1e-6)
        assert verdict.ours == pytest.approx(3.31)


COUNTS = st.lists(st.integers(0, 30), min_size=3, max_size=8)


@given(COUNTS, st.integers(30, 300), st.integers(0, 60), st.sampled_from([*SAMPLES]))
def test_inside_is_in_the_interval(
    counts: list[int], n_test: int, hundredths: int, name: str
) -> None:
    ours = OurNumbers([count / n_test for count in counts], [n_test] * len(counts), folds=2)
    verdict = judge(PrintedNumber(f"{hundredths / 100:.2f}", SAMPLES[name]), ours)
    if verdict.p_value is not None:
        distance = abs(verdict.position)
        if abs(distance - 1) > 1e-6:
            assert (verdict.word == "inside") == (distance < 1)


@given(COUNTS, st.integers(30, 300), st.integers(0, 600), st.sampled_from([*SAMPLES]))
def test_the_sampling_of_test_examples_only_makes_intervals_wider(
    counts: list[int], n_test: int, thousandths: int, name: str
) -> None:
    values = [count / n_test for count in counts]
    number = PrintedNumber(f"{thousandths / 1000:.3f}", SAMPLES[name])
    with_floor = judge(number, OurNumbers(values, [n_test] * len(counts), folds=2))
    without = judge(number, OurNumbers(values, folds=2))
    if without.p_value is not None and with_floor.p_value is not None:
        assert with_floor.p_value >= without.p_value - 1e-12
        assert (with_floor.low or 0) <= (without.low or 0) + 1e-12
        assert (with_floor.high or 0) >= (without.high or 0) - 1e-12


@pytest.mark.parametrize(
    ("name", "n_printed", "n_ours"),
    [
        ("one split", 50, 300),
        ("splits", 1000, 300),
        # There are three of our own only for two folds.
        ("cross-validation", 500, 300),
        ("repeated", 500, 300),
        ("pooled", 100, 300),
        ("runs", 50, 50),
    ],
)
@pytest.mark.parametrize("text", ["0.004", "0.020", "0.2"])
def test_sampling_error_is_in_every_branch(
    name: str, n_printed: int, n_ours: int, text: str
) -> None:
    ours = OurNumbers([0.0] * 6, [50] * 6, folds=2)
    # Given k errors in all, they are all among the printed examples with this probability.
    half = 0.05 if text == "0.2" else 0.0005
    k = ceil((float(text) - half) * n_printed - 1e-9)
    expected = comb(n_printed, k) / comb(n_ours + n_printed, k)
    assert p_of(text, ours, SAMPLES[name]) == pytest.approx(expected)
    if SAMPLES[name].n > 1:
        assert p_of(text, ours, SAMPLES[name], 0.02) >= expected * (1 - 1e-9)


def test_equal_numbers_without_test_examples_give_no_verdict() -> None:
    verdict = judge(PrintedNumber("0.020"), OurNumbers([0.1] * 5))
    assert (verdict.word, verdict.reason) == ("not comparable", NO_VARIATION)
    assert verdict.ours == pytest.approx(0.1)
    assert judge(PrintedNumber("0.4"), OurNumbers([0.1] * 5, [50] * 5)).word == "outside"


RISKS = OurNumbers([n / 1000 for n in (38, 42, 45, 36, 39, 41)], [1000] * 6)
TWENTY = Sample(splits=20)


@pytest.mark.parametrize(
    ("sd", "word"), [("0.0004", "outside"), ("0.0040", "inside"), ("0.04", "outside")]
)
def test_a_deviation_ten_times_too_small_or_too_large_is_outside(sd: str, word: str) -> None:
    half = 0.00005 if len(sd) == 6 else 0.005
    verdict = judge(PrintedNumber("0.041", TWENTY, float(sd), half, sd), RISKS)
    assert verdict.deviation.word == word
    assert verdict.deviation.printed == sd


@pytest.mark.parametrize("values", [(0.0,) * 3, (0.1,) * 5, (0.0,) * 10, (0, 0, 0, 0, 0.02)])
@pytest.mark.parametrize("mean", ["0.000", "0.100", "1.000"])
def test_a_deviation_of_zero_can_be_inside(values: tuple[float, ...], mean: str) -> None:
    number = PrintedNumber(mean, TWENTY, 0.0, 0.0005, "0.000")
    verdict = judge(number, OurNumbers(values, [50] * len(values)))
    if mean in ("0.000", "1.000") or len({*values}) == 1:
        assert verdict.deviation is None or verdict.deviation.word == "inside"
    else:
        assert verdict.deviation.word == "outside"


@pytest.mark.parametrize("sd", [0.0004, 0.21, 0.5])
@pytest.mark.parametrize("text", ["0.041", "0.060", "0.175"])
def test_a_mean_is_judged_without_a_printed_deviation_that_is_outside(text: str, sd: float) -> None:
    verdict = judge(PrintedNumber(text, TWENTY, sd), RISKS)
    assert verdict.deviation.word == "outside"
    alone = judge(PrintedNumber(text, TWENTY), RISKS)
    assert replace(verdict, deviation=None) == alone


@given(st.integers(2, 12), st.integers(0, 100))
def test_a_deviation_is_impossible_if_no_shares_with_the_mean_have_it(n: int, percent: int) -> None:
    text = f"{percent / 100:.2f}"
    mean = float(text)
    nearest = min(max(0.5, mean - 0.005), mean + 0.005)
    # Shares that are 0 or 1 vary most.
    largest = sqrt(max(nearest, 0) * max(1 - nearest, 0) * n / (n - 1))
    for sd, possible in ((largest + 0.0049, True), (largest + 0.0051, False)):
        number = PrintedNumber(text, Sample(splits=n), sd, 0.005)
        deviation = judge(number, RISKS).deviation
        assert ("impossible" in deviation.reason) is not possible
        if not possible:
            assert (deviation.word, deviation.p_value) == ("outside", 0.0)
            assert (deviation.low, deviation.high) == (0.0, pytest.approx(largest))
    # Numbers in the unit of a target have no largest deviation.
    free = judge(PrintedNumber(text, Sample(splits=n), 2.0), replace(RISKS, n_test=())).deviation
    assert free.reason == ""


FOLDS = (0.1, 0.3, 0.2, 0.3, 0.15, 0.25, 0.05, 0.15)


def test_printed_cross_validations_are_compared_with_ours() -> None:
    ours = OurNumbers(FOLDS, folds=2)
    means = (0.2, 0.25, 0.2, 0.1)
    verdict = judge(PrintedNumber("0.21", Sample(cv=2, repeats=3)), ours)
    assert verdict.repeats.values == pytest.approx(means)
    assert verdict.n_printed == 3
    error = np.std(means, ddof=1) * sqrt(1 / 3 + 1 / 4)
    off = 0.21 - np.mean(means) - 0.005
    assert verdict.p_value == pytest.approx(2 * student.sf(off / error, 3))
    # Pooled errors are weighted by the sizes of the folds.
    sized = replace(ours, n_test=[10, 30] * 4)
    pooled = judge(PrintedNumber("0.21", Sample(cv=2, pooled=True)), sized)
    assert pooled.repeats.values == pytest.approx((0.25, 0.275, 0.225, 0.125))
    assert pooled.repeats.n_test == (40, 40, 40, 40)
    averaged = judge(PrintedNumber("0.21", Sample(cv=2)), sized)
    assert averaged.repeats.values == pytest.approx(means)


@pytest.mark.parametrize(
    ("sample", "folds", "n_splits"),
    [(Sample(cv=4), 2, 8), (Sample(splits=4), 2, 8), (Sample(cv=2), 2, 4), (Sample(cv=2), 0, 8)],
)
def test_folds_of_few_cross_validations_are_splits(
    sample: Sample, folds: int, n_splits: int
) -> None:
    ours = OurNumbers(FOLDS[:n_splits], folds=folds)
    assert repeated(sample, n_splits, folds) == 0
    verdict = judge(PrintedNumber("0.21", sample), ours)
    assert verdict.repeats.values == FOLDS[:n_splits]
    assert verdict == judge(PrintedNumber("0.21", Sample(splits=sample.n)), replace(ours, folds=0))


def test_the_deviation_of_folds_does_not_judge_their_mean() -> None:
    ours = OurNumbers([0.1, 0.3, 0.15, 0.23, 0.1, 0.26], folds=2)
    alone = judge(PrintedNumber("0.30", Sample(cv=2)), ours)
    for sd in (0.001, 0.1, 3.0):
        verdict = judge(PrintedNumber("0.30", Sample(cv=2), sd), ours)
        assert verdict.deviation is not None
        assert replace(verdict, deviation=None) == alone
    # A deviation over several cross-validations, or over other folds, is of another kind.
    for sample in (Sample(cv=2, repeats=3), Sample(cv=3)):
        assert judge(PrintedNumber("0.30", sample, 0.1), ours).deviation is None


def test_runs_on_one_test_set_share_its_sampling_error() -> None:
    ours = OurNumbers([0.10, 0.11, 0.10, 0.09, 0.10], [100] * 5)
    # Two test sets of 100 examples explain a difference that ten do not.
    assert judge(PrintedNumber("0.15", Sample(runs=10)), ours).word == "inside"
    assert judge(PrintedNumber("0.15", Sample(splits=10)), ours).word == "outside"


@pytest.mark.parametrize("n_repeats", [5, 30])
def test_runs_on_two_test_sets_of_one_kind_are_seldom_outside(n_repeats: int) -> None:
    rng, n_outside = np.random.default_rng(1), 0
    for _ in range(400):
        # A tenth of the examples is hard, and each run is wrong on a few others.
        ours, printed = rng.binomial(500, 0.1, 2)
        runs = (ours + rng.binomial(10, 0.5, n_repeats)) / 510
        mean = np.mean((printed + rng.binomial(10, 0.5, 10)) / 510)
        number = PrintedNumber(f"{mean:.3f}", Sample(runs=10))
        n_outside += judge(number, OurNumbers([*runs], [510] * n_repeats)).word == "outside"
    assert n_outside / 400 <= 0.065


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ((), "no result"),
        ((0.2,), "one split"),
        ((0.2, 0.3), "two splits"),
        ((float("nan"), 0.2, 0.3), "a split without a number"),
    ],
)
def test_a_number_without_a_verdict_has_a_reason(values: tuple[float, ...], reason: str) -> None:
    for sd in (None, 0.01):
        verdict = judge(PrintedNumber("0.29", TWENTY, sd), OurNumbers(values))
        assert (verdict.word, verdict.p_value, verdict.reason) == ("not comparable", None, reason)
        assert verdict.position is verdict.deviation is None
        three = OurNumbers((0.2, 0.25, 0.3), [50] * 3)
        assert judge(PrintedNumber("0.29", TWENTY, sd), three).reason == ""


def test_the_position_is_minus_one_and_one_at_the_ends_of_the_interval() -> None:
    verdict = Verdict("0.2", 0.2, 0.1, 0.3, 0.05)
    assert verdict.position == 0
    assert replace(verdict, printed="0.1").position == pytest.approx(-1)
    assert replace(verdict, printed="0.35").position == pytest.approx(1.5)
    assert replace(verdict, low=0.2, high=0.2, printed="0.1").position == -inf
    assert replace(verdict, low=0.2, high=0.2).position == 0


def table_of(facts: Facts, *texts: str) -> Printed:
    """Return a printed table of one mean and its spread."""
    columns = ("a_mean", "a_sd")
    return Printed("t", columns, dict(zip(product(["x"], columns), texts, strict=True)), facts)


def test_a_number_is_taken_with_its_sample_and_its_standard_deviation() -> None:
    facts = Facts(of=Sample(splits=16), spread="sd")
    number = PrintedNumber.at(table_of(facts, "0.120", "0.016"), "x", "a")
    assert (number.value, number.rounding, number.sample.n) == (0.12, 0.0005, 16)
    assert (number.sd, number.sd_rounding, number.sd_text) == (0.016, 0.0005, "0.016")
    errors = facts.model_copy(update={"spread": "se"})
    error = PrintedNumber.at(table_of(errors, "0.120", "0.004"), "x", "a")
    assert (error.sd, error.sd_rounding) == (pytest.approx(0.016), pytest.approx(0.002))
    for text in ("0.004", "12345.6", "0.0000123"):
        sd_text = PrintedNumber.at(table_of(errors, "5", text), "x", "a").sd_text
        assert re.fullmatch(r"[\d.]+", sd_text)
        assert float(sd_text) == pytest.approx(4 * float(text), rel=1e-3)
    nothing = PrintedNumber.at(table_of(facts, "0.120", ""), "x", "a")
    assert (nothing.sd, nothing.sd_rounding, nothing.sd_text) == (None, 0.0, "")
