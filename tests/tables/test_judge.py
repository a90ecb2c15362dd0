"""The judge of printed numbers, and verdicts on a printed table as a whole."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from math import ceil, comb, inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.config.loading import load_mapping
from quadrepro.papers.printed import Facts, Printed, Sample
from quadrepro.stats import (
    Repeats,
    chance_of_misses,
    holm,
    independent_misses,
    largest_deviation,
    null_p_values,
    place_deviation,
    place_number,
    tail_p_values,
)
from quadrepro.tables.judge import (
    NO_VARIATION,
    SCORE_HEADER,
    VERDICTS_HEADER,
    PrintedNumber,
    Verdict,
    Verdicts,
    judge,
    repeated,
    score_sentence,
    score_text,
    verdicts_table,
)
from tests.make import config
from tests.tables.contexts import csv_of, texts_of

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


def p_of(text: str, ours: Repeats, sample: Sample, sd: float | None = None) -> float:
    """Return the p-value of a number that has a verdict."""
    return judge(PrintedNumber(text, sample, sd), ours, 2).p_value


@pytest.mark.parametrize(("n", "sd"), [(1, None), (8, None), (8, 3.14), (20, 3.14), (20, 30.0)])
@pytest.mark.parametrize(("text", "half"), [("10", 0.5), ("14.20", 0.005), ("15.1", 0.05)])
def test_a_number_and_its_deviation_are_placed_with_their_rounding_and_sample(
    text: str, half: float, n: int, sd: float | None
) -> None:
    ours = Repeats(sample_of(14.2, 3.31, 40))
    verdict = judge(PrintedNumber(text, Sample(splits=n), sd, 0.005), ours)
    # A deviation that is outside does not judge the mean.
    usable = sd if sd == 3.14 else None
    placement = place_number(ours, float(text), half, n_printed=n, printed_sd=usable)
    assert vars(verdict) == vars(verdict) | vars(placement)
    if sd is None:
        assert verdict.deviation is None
    else:
        placement = place_deviation(ours, sd, 0.005, n_printed=n)
        assert vars(verdict.deviation) == vars(verdict.deviation) | vars(placement)
        assert (verdict.deviation.word == "inside") == (sd == 3.14)


COUNTS = st.lists(st.integers(0, 30), min_size=3, max_size=8)


@given(COUNTS, st.integers(30, 300), st.integers(0, 600), st.sampled_from([*SAMPLES]))
def test_inside_is_in_the_interval_which_the_sampling_of_test_examples_only_makes_wider(
    counts: list[int], n_test: int, thousandths: int, name: str
) -> None:
    values = [count / n_test for count in counts]
    number = PrintedNumber(f"{thousandths / 1000:.3f}", SAMPLES[name])
    with_floor = judge(number, Repeats(tuple(values), (n_test,) * len(counts)), 2)
    without = judge(number, Repeats(tuple(values)), 2)
    for verdict in (with_floor, without):
        if verdict.p_value is not None and abs(abs(verdict.position) - 1) > 1e-6:
            assert (verdict.word == "inside") == (abs(verdict.position) < 1)
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
    ours = Repeats((0.0,) * 6, (50,) * 6)
    # Given k errors in all, they are all among the printed examples with this probability.
    half = 0.05 if text == "0.2" else 0.0005
    k = ceil((float(text) - half) * n_printed - 1e-9)
    expected = comb(n_printed, k) / comb(n_ours + n_printed, k)
    assert p_of(text, ours, SAMPLES[name]) == pytest.approx(expected)
    if SAMPLES[name].n > 1:
        assert p_of(text, ours, SAMPLES[name], 0.02) >= expected * (1 - 1e-9)


def test_equal_numbers_without_test_examples_give_no_verdict() -> None:
    verdict = judge(PrintedNumber("0.020"), Repeats([0.1] * 5))
    assert (verdict.word, verdict.reason) == ("not comparable", NO_VARIATION)
    assert verdict.ours == pytest.approx(0.1)
    assert judge(PrintedNumber("0.4"), Repeats([0.1] * 5, [50] * 5)).word == "outside"


RISKS = Repeats([n / 1000 for n in (38, 42, 45, 36, 39, 41)], [1000] * 6)
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
    verdict = judge(number, Repeats(values, [50] * len(values)))
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
    largest = largest_deviation(float(text), 0.005, 0.0, 1.0, n)
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
    ours = Repeats(tuple(FOLDS))
    means = (0.2, 0.25, 0.2, 0.1)
    verdict = judge(PrintedNumber("0.21", Sample(cv=2, repeats=3)), ours, 2)
    assert verdict.repeats.values == pytest.approx(means)
    assert verdict.n_printed == 3
    placement = place_number(Repeats(means), 0.21, 0.005, n_printed=3)
    assert verdict.p_value == pytest.approx(placement.p_value)
    # Pooled errors are weighted by the sizes of the folds.
    sized = replace(ours, n_test=[10, 30] * 4)
    pooled = judge(PrintedNumber("0.21", Sample(cv=2, pooled=True)), sized, 2)
    assert pooled.repeats.values == pytest.approx((0.25, 0.275, 0.225, 0.125))
    assert pooled.repeats.n_test == (40, 40, 40, 40)
    averaged = judge(PrintedNumber("0.21", Sample(cv=2)), sized, 2)
    assert averaged.repeats.values == pytest.approx(means)


@pytest.mark.parametrize(
    ("sample", "folds", "n_splits"),
    [(Sample(cv=4), 2, 8), (Sample(splits=4), 2, 8), (Sample(cv=2), 2, 4), (Sample(cv=2), 0, 8)],
)
def test_folds_of_few_cross_validations_are_splits(
    sample: Sample, folds: int, n_splits: int
) -> None:
    ours = Repeats(tuple(FOLDS[:n_splits]))
    assert repeated(sample, n_splits, folds) == 0
    verdict = judge(PrintedNumber("0.21", sample), ours, folds)
    assert verdict.repeats.values == FOLDS[:n_splits]
    assert verdict == judge(PrintedNumber("0.21", Sample(splits=sample.n)), ours)


def test_the_deviation_of_folds_does_not_judge_their_mean() -> None:
    ours = Repeats((0.1, 0.3, 0.15, 0.23, 0.1, 0.26))
    alone = judge(PrintedNumber("0.30", Sample(cv=2)), ours, 2)
    for sd in (0.001, 0.1, 3.0):
        verdict = judge(PrintedNumber("0.30", Sample(cv=2), sd), ours, 2)
        assert verdict.deviation is not None
        assert replace(verdict, deviation=None) == alone
    # A deviation over several cross-validations, or over other folds, is of another kind.
    for sample in (Sample(cv=2, repeats=3), Sample(cv=3)):
        assert judge(PrintedNumber("0.30", sample, 0.1), ours).deviation is None


def test_runs_on_one_test_set_share_its_sampling_error() -> None:
    ours = Repeats([0.10, 0.11, 0.10, 0.09, 0.10], [100] * 5)
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
        n_outside += judge(number, Repeats([*runs], [510] * n_repeats)).word == "outside"
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
        verdict = judge(PrintedNumber("0.29", TWENTY, sd), Repeats(values))
        assert (verdict.word, verdict.p_value, verdict.reason) == ("not comparable", None, reason)
        assert verdict.position is verdict.deviation is None
        three = Repeats((0.2, 0.25, 0.3), [50] * 3)
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


def verdicts_on(off: Mapping[tuple[int, int], float]) -> Verdicts:
    """Return verdicts on the means of independent splits, some moved by a number of deviations."""
    rng, entries = np.random.default_rng(1), []
    for i, j in product(range(8), range(4)):
        ours = rng.normal(0.3, 0.01, 30)
        text = f"{ours.mean() + off.get((i, j), 0.0) * ours.std(ddof=1):.6f}"
        verdict = judge(PrintedNumber(text), Repeats(ours.tolist()))
        entries.append(verdict.at(f"row {i}", f"column {j}", "risk"))
    return Verdicts("table1", tuple(entries))


def with_deviations(texts: Mapping[str, str]) -> Verdicts:
    """Return verdicts on means of ours with printed deviations, by row."""
    numbers = {row: PrintedNumber("0.040", TWENTY, float(s), 0.0005, s) for row, s in texts.items()}
    judged = [judge(number, RISKS).at(row, "ada", "risk") for row, number in numbers.items()]
    return Verdicts("table1", tuple(judged))


def test_without_misses_the_number_that_chance_gives_is_stated() -> None:
    verdicts = verdicts_on({})
    [statement] = verdicts.statement({})
    misses = verdicts.misses
    assert statement.startswith("Inside: 32 of 32, outside: 0. If all were drawn like ours, ")
    none = np.prod([chance[0] for chance in verdicts.chances.values()])
    assert misses.p_fewer == pytest.approx(none)
    expected = sum(chance @ np.arange(5) for chance in verdicts.chances.values())
    assert misses.expected == pytest.approx(expected)
    assert f"{misses.expected:.1f} would be outside on average, and {misses.low} to " in statement
    assert f"(p = {misses.p_value:.3f})" in statement


def test_only_what_is_outside_after_holms_correction_is_named() -> None:
    verdicts = verdicts_on({(0, 0): 2.3, (1, 1): 9.0})
    assert [v.row for v in verdicts.outside] == ["row 0", "row 1"]
    assert [v.row for v in verdicts.outside_after_holm] == ["row 1"]
    [_, named] = verdicts.statement({"column 1": "AdaBoost"})
    assert named == "Outside after Holm's correction for 32 numbers (0.05): row 1, AdaBoost."
    [_, nothing] = verdicts_on({(0, 0): 2.3}).statement({})
    assert nothing == "Outside after Holm's correction for 32 numbers (0.05): none."


def test_p_values_after_holm_are_at_least_their_shares_among_our_own_splits() -> None:
    verdicts = verdicts_on({(0, 0): 3.4, (1, 1): 4.2, (2, 2): 9.0})
    ours = np.array([v.repeats.values for v in verdicts.judged if v.repeats]).reshape(8, 4, -1)
    null = np.concatenate([null_p_values(row.T, rounding=0.0000005).ravel() for row in ours])
    p_values = [v.p_value or 0.0 for v in verdicts.judged]
    adjusted = holm(tail_p_values(p_values, null))
    expected = [v for v, p in zip(verdicts.judged, adjusted, strict=True) if p <= 0.05]
    assert verdicts.outside_after_holm == expected
    assert (2, 2) in {(int(v.row[-1]), int(v.column[-1])) for v in expected}


def test_misses_of_one_row_are_named() -> None:
    statement = [*verdicts_on({(2, j): 3.0 for j in range(4)}).statement({"row 2": "wine"})]
    start = "Most are outside in the row wine: 4 of 4; by chance, some row has 4 or"
    assert any(text.startswith(start) for text in statement)
    scattered = [*verdicts_on({(0, 0): 3.0, (1, 1): 3.0}).statement({})]
    assert not any("Most are" in text for text in scattered)


def test_rows_whose_columns_have_other_numbers_of_splits_count_as_independent() -> None:
    verdicts = verdicts_on({})
    first, *others = verdicts.entries
    shorter = replace(first.repeats, values=first.repeats.values[1:])
    entries = (replace(first, repeats=shorter), *others)
    uneven = replace(verdicts, entries=entries)
    assert [*uneven.chances["row 0"]] == pytest.approx([*independent_misses(4)])


def test_rows_of_one_sample_are_counted_together() -> None:
    rng = np.random.default_rng(4)
    splits = rng.normal(size=30) + rng.normal(0, 0.01, (12, 30))
    judged = [judge(PrintedNumber(f"{x.mean():.6f}"), Repeats(x.tolist())) for x in splits]
    entries = tuple(v.at(f"row {i}", "column", "probability") for i, v in enumerate(judged))
    separate = Verdicts("table2", entries).misses
    together = Verdicts("table2", entries, one_sample=True).misses
    assert together.expected == pytest.approx(separate.expected)
    assert together.high == 12 > separate.high


def test_the_chance_of_a_row_takes_the_form_of_its_printed_numbers() -> None:
    ours = np.random.default_rng(1).normal(0.3, 0.01, (20, 3))
    n_test = [100] * 20
    entries = [
        judge(PrintedNumber("0.300", TWENTY), Repeats([*column], n_test)).at("wine", c, "risk")
        for c, column in zip("abc", ours.T, strict=True)
    ]
    [chance] = Verdicts("table1", tuple(entries)).chances.values()
    null = null_p_values(ours, n_printed=20, rounding=0.0005, n_test=n_test)
    assert [*chance] == pytest.approx([*chance_of_misses(null)])


def test_rows_that_do_not_count_are_judged_and_not_counted() -> None:
    verdicts = replace(verdicts_on({(7, 0): 9.0}), own_rows=frozenset({"row 0", "row 1"}))
    assert len(verdicts.entries) == 32
    assert len(verdicts.judged) == 8
    assert verdicts.outside == verdicts.outside_after_holm == []
    assert verdicts.words["row 7", "column 0"] == "outside"
    assert verdicts.score["numbers"] == 8


def test_an_entry_is_outside_if_any_of_its_numbers_is() -> None:
    entry = Verdict("0.3", 0.3, 0.2, 0.4, 0.9, row="wine", column="ada", quantity="margin mean")
    off = replace(entry, p_value=0.01, quantity="margin sd")
    unknown = replace(entry, p_value=None)
    for entries, word in (
        ((entry, off), "outside"),
        ((off, entry), "outside"),
        ((entry, entry), "inside"),
        ((unknown, entry), "inside"),
        ((unknown, unknown), ""),
    ):
        assert Verdicts("t", entries).words.get(("wine", "ada"), "") == word


def test_a_table_without_a_verdict_gives_the_reasons() -> None:
    entries = [judge(PrintedNumber("0.29"), Repeats([0.2] * n)) for n in (1, 1, 0)]
    verdicts = Verdicts("table1", tuple(v.at("wine", "ada", "risk") for v in entries))
    text = "None of the printed numbers can be compared: one split (2), no result (1)."
    assert [*verdicts.statement({})] == [text]
    assert verdicts.judged == []
    score = verdicts.score
    assert [score[k] for k in ("numbers", "inside", "not comparable", "p")] == [3, 0, 3, None]


def test_printed_deviations_are_counted_and_named_apart_from_means() -> None:
    verdicts = with_deviations({"wine": "0.0031", "monks": "0.0003", "zoo": "0.0034"})
    assert [v.word for v in verdicts.judged] == ["inside"] * 3
    assert [v.word for v in verdicts.deviations] == ["inside", "outside", "inside"]
    statement = [*verdicts.statement({"ada": "AdaBoost"})]
    assert statement[-1] == "Standard deviations inside: 2 of 3; outside: monks, AdaBoost."
    assert [*verdicts.score.values()][-2:] == [2, 1]
    assert [*with_deviations({"wine": "0.0031"}).statement({})][-1] == (
        "Standard deviations inside: 1 of 1."
    )


def test_the_score_has_a_number_for_every_title() -> None:
    verdicts = verdicts_on({(0, 0): 2.3, (1, 1): 9.0})
    score, misses = verdicts.score, verdicts.misses
    assert [*score.values()][:5] == ["table1", 32, 30, 2, 0]
    expected = (misses.expected, misses.low, misses.high)
    assert (score["expected outside"], score["low"], score["high"]) == expected
    p_values = (misses.p_value, misses.p_more, misses.p_fewer)
    assert (score["p"], score["p more"], score["p fewer"]) == p_values
    assert json.loads(str(score["outside after holm"])) == [["row 1", "column 1"]]
    lines = score_text([verdicts]).splitlines()
    assert lines[0] == ",".join(SCORE_HEADER)
    assert lines[1].startswith("table1,32,30,2,0,")


def test_a_sentence_sums_up_the_score() -> None:
    score = {"inside": 9, "outside": 1, "expected outside": 0.6, "p": 0.8}
    text = " are inside our intervals, where 9 are expected (p = 0.800)."
    names = {"table1": "Table 1", "appendix_b": "appendix_b", "figure3": "Figure 3"}
    for name, shown in names.items():
        sentence = score_sentence({"printed table": name, **score})
        assert sentence == f"9 of 10 printed numbers of {shown}{text}"


ADA = {"name": "ada", "algorithm": "adaboost", "label": "Ada"}
LP = {"name": "lp", "algorithm": "lpboost", "label": "LP"}
EXPERIMENT = load_mapping(config(algorithms=[ADA, LP]))


@pytest.mark.parametrize(
    ("percent", "texts"),
    [
        (False, ("risk", "0.0410", "0.05000", "0.04321 to 0.06000", "0.001")),
        (True, ("risk in percent", "4.10", "5.000", "4.321 to 6.000", "0.001")),
    ],
)
def test_numbers_outside_are_in_the_unit_of_the_paper(
    percent: bool, texts: tuple[str, ...]
) -> None:
    entry = Verdict("0.0410", 0.05, 0.043214, 0.06, 0.001).at("wine", "ada", "risk")
    inside = replace(entry, p_value=0.5, column="lp")
    verdicts = Verdicts("table1", (entry, inside), "Errors.", percent=percent)
    made = verdicts_table(EXPERIMENT, [verdicts], ["A note."])
    assert texts_of(made) == {"wine, Ada": texts}
    assert made.data_header == VERDICTS_HEADER
    first, second = csv_of(made)
    assert (first["printed"], first["ours"], first["low"]) == ("0.0410", "0.05", "0.043214")
    assert [first["verdict"], second["verdict"]] == ["outside", "inside"]
    assert {"Printed table1: Errors.", "A note."} <= {*made.notes}
    # Rows of comparisons are algorithms.
    comparison = replace(entry, row="ada", column="lp")
    made = verdicts_table(EXPERIMENT, [Verdicts("t", (comparison,), one_sample=True)], [])
    assert [*texts_of(made)] == ["Ada, LP"]


def test_deviations_are_rows_of_the_table_and_of_the_csv() -> None:
    made = verdicts_table(EXPERIMENT, [with_deviations({"wine": "0.0031", "monks": "0.0003"})], [])
    numbers = [(row["quantity"], row["printed"]) for row in csv_of(made)]
    mean, spread = ("risk", "0.040"), "deviation of risk"
    assert numbers == [mean, (spread, "0.0031"), mean, (spread, "0.0003")]
    [(row, texts)] = texts_of(made).items()
    assert (row, texts[:2]) == ("monks, Ada", ("deviation of risk", "0.0003"))


def test_statements_name_their_table_if_there_are_several() -> None:
    both = [verdicts_on({}), replace(verdicts_on({}), printed="table2")]
    alone, together = (verdicts_table(EXPERIMENT, every, []) for every in (both[:1], both))
    starts = [note.partition(" Inside")[0] for note in together.notes[-2:]]
    assert starts == ["Printed table1:", "Printed table2:"]
    assert alone.notes[-1].startswith("Inside: 32 of 32")
