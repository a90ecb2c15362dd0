"""Checks of the audit: counts, comparisons, claims, ranges, deviations, bold numbers and means."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, hypergeom

from quadrepro.papers.printed import Sample
from quadrepro.stats import better_over_all, poisson_binomial_test
from quadrepro.tables.audit.checks import on_most, possible_probabilities, too_small
from quadrepro.tables.audit.counts import (
    NO_POWER,
    TOO_MANY,
    counts,
    denominator,
    fitting_sizes,
    plausible,
    printable,
)
from quadrepro.tables.audit.subject import Size
from tests.tables.audit.papers import CONFIG, audit_of, findings, subject, verdicts


def rounded(number: Fraction, scale: int) -> set[int]:
    """Return the whole numbers that a number times a scale is rounded to."""
    half = Fraction(1, 2)
    return {math.ceil(number * scale - half), math.floor(number * scale + half)}


@given(st.integers(1, 120), st.integers(1, 3))
def test_counts_are_all_that_brute_force_finds(total: int, digits: int) -> None:
    every: dict[int, list[int]] = {}
    for errors in range(total + 1):
        for k in rounded(Fraction(errors, total), 10**digits):
            every.setdefault(k, []).append(errors)
    for k in range(10**digits + 1):
        text = f"{k / 10**digits:.{digits}f}"
        assert denominator(text) == 10**digits
        assert [*counts(text, total)] == every.get(k, [])


@pytest.mark.parametrize("sizes", [((7, 1),), ((3, 2), (4, 1)), ((1, 1), (2, 3)), ((4, 1), (6, 2))])
def test_printable_numbers_are_those_of_brute_force(sizes: tuple[tuple[int, int], ...]) -> None:
    n_sets = sum(times for _, times in sizes)
    means = {
        sum(Fraction(k, n) for k, (n, _) in zip(errors, sizes, strict=True)) / n_sets
        for errors in product(*(range(n * times + 1) for n, times in sizes))
    }
    every = sorted(set().union(*(rounded(mean, 100) for mean in means)))
    numbers = printable(sizes, 100)
    assert not isinstance(numbers, str)
    assert numbers.tolist() == every
    assert len(every) < 101


@given(st.integers(2, 60), st.integers(1, 3), st.data())
def test_the_size_behind_the_numbers_is_found(n: int, n_sets: int, data: st.DataObject) -> None:
    errors = data.draw(st.lists(st.integers(0, n * n_sets), min_size=1, max_size=4))
    texts = {f"{k / (n * n_sets):.3f}" for k in errors}
    sizes = fitting_sizes(texts, n_sets, 2, 80)
    assert n in sizes
    every = {m: {f"{k / (m * n_sets):.3f}" for k in range(m * n_sets + 1)} for m in range(2, 81)}
    # Halves are rounded to either side, which one format does not show.
    assert {m for m, numbers in every.items() if texts <= numbers} <= {*sizes}


def test_numbers_that_are_all_possible_or_too_many_to_add_up_are_not_judged() -> None:
    assert printable(((100, 10),), 1000) == NO_POWER
    assert printable(((99_999, 5), (100_000, 5)), 10**7) == TOO_MANY
    assert printable(((99, 1),), 10**18) == TOO_MANY


def test_plausible_test_sets_are_tried() -> None:
    for size, sample, names in (
        (Size(172, 345, (173,)), {"splits": 1}, ["172", "173"]),
        (Size(9, 9), {"runs": 10}, ["10 × 9"]),
        (Size(35, 345), {"cv": 10}, ["10 folds of 34 or 35", "345 pooled"]),
        (Size(9, 17), {"cv": 2, "repeats": 5}, ["5 × 2 folds of 8 or 9", "5 × 17 pooled"]),
        (Size(17, 17), {"cv": 2}, ["2 folds of 8 or 9", "17 pooled", "2 folds of 17"]),
        (Size(3, 3), {"cv": 5}, ["5 folds of 1", "5 folds of 3"]),
        (Size(35, 345), {"cv": 10, "pooled": True}, ["345 pooled"]),
    ):
        assert [sets.name for sets in plausible(size, Sample(**sample))] == names


NUMBERS = "dataset,a,b\nmonks,0.231,0.2315\nwine,0.090,0.500\nzoo,,0.1\nn,0.10,0.10\n"
THREE_SIZES = "{unit: fraction, n_test: {monks: 216, wine: 89, n: 1000}}"


def test_each_number_is_checked_against_its_test_set() -> None:
    assert verdicts("counts", facts=THREE_SIZES, t=NUMBERS) == {
        **{"t monks a": True, "t monks b": True, "t wine a": True, "t wine b": False},
        **{"t zoo b": None, "t n a": None, "t n b": None},
    }
    note = audit_of(facts=THREE_SIZES, t=NUMBERS).notes[1]
    assert note.startswith("counts, t: 4 numbers can be checked, ")
    assert "; 10% of random numbers would pass." in note
    assert note.endswith(" with probability 0.05 at most: monks (216).")
    twice = THREE_SIZES.replace("{", "{of: {splits: 2}, ", 1)
    assert verdicts("counts", facts=twice, t=NUMBERS)["t wine b"] is True


NEAREST = [
    ("n_test: {x: 81}", "22.62", "81", "18/81 = 22.22, 19/81 = 23.46"),
    ("n_test: {x: 3}", "100.1", "3", "3/3 = 100.0"),
    ("metric: accuracy, n_test: {x: 9}", "32", "9", "2/9 = 22, 3/9 = 33"),
    ("of: {splits: 2}, n_test: {x: 9}", "12", "2 × 9", "2/18 = 11, 3/18 = 17"),
    ("of: {runs: 2}, n_test: {x: 9}", "12", "2 × 9", "2/18 = 11, 3/18 = 17"),
]


@pytest.mark.parametrize(("facts", "text", "sets", "nearest"), NEAREST)
def test_an_impossible_number_fails_with_the_nearest_possible_ones(
    facts: str, text: str, sets: str, nearest: str
) -> None:
    [finding] = findings("counts", facts=f"{{unit: percent, {facts}}}", t=f"d,a\nx,{text}\n")
    assert (finding.verdict, finding.printed) == ("fails", text)
    kind = "correct answers" if "accuracy" in facts else "errors"
    start = f"impossible on {sets} test examples: no such number of {kind}; nearest: {nearest}; "
    assert finding.why.startswith(start)


def test_a_failure_names_the_sizes_nearby_that_fit_the_whole_row() -> None:
    # On 84 test examples, 0.226 = 19/84 and 0.619 = 52/84; 0.226 alone is possible on 93 as well.
    facts = "{unit: fraction, n_test: {x: 88, y: 88, z: 10}}"
    table = "d,a,b\nx,0.226,0.619\ny,0.226,0.500\nz,0.226,0.222\n"
    x_a, x_b, y_a, y_b, z_a, _ = (f.why for f in findings("counts", facts=facts, t=table))
    for why in (x_a, x_b):
        assert why.endswith("; the whole row fits 84, of the sizes from 80 to 96")
    sizes = ", ".join(map(str, fitting_sizes({"0.226", "0.500"}, 1, 80, 96)))
    assert y_a.endswith(f"; the whole row fits {sizes}, of the sizes from 80 to 96")
    assert y_b == "errors on 88 test examples"
    assert z_a.endswith("; no size from 9 to 11 fits the whole row")


@pytest.mark.parametrize(
    ("numbers", "n", "sizes"),
    [
        ("0.029,0.057", 35, [35]),
        ("0.250,0.500", 36, [36]),
        ("0.250,0.500", 40, [36, 40, 44]),
        ("0.333,0.667", 48, [45, 48, 51]),
    ],
)
def test_a_size_alone_is_confirmed(numbers: str, n: int, sizes: list[int]) -> None:
    low, high = math.ceil(0.9 * n), math.floor(1.1 * n)
    assert fitting_sizes({*numbers.split(",")}, 1, low, high) == sizes
    note = confirming_note(f"d,a,b\nx,{numbers}\n", f"x: {n}")
    assert ("Only these test-set sizes, of those" in note) == (sizes == [n])
    assert note.endswith(f" at most: x ({n}).") == (sizes == [n])


def confirming_note(table: str, sizes: str) -> str:
    facts = f"{{unit: fraction, n_test: {{{sizes}}}}}"
    return audit_of(facts=facts, t=table).notes[1]


def test_sizes_are_confirmed_at_a_level_for_all_rows_together() -> None:
    # Random numbers of two digits are possible on 3 examples with probability 4/101.
    one = confirming_note("d,a\nx,0.33\n", "x: 3")
    assert one.endswith(" at most: x (3).")
    two = confirming_note("d,a\nx,0.33\ny,0.33\n", "x: 3, y: 3")
    assert "Only these" not in two
    # Rows that cannot be checked are not counted.
    unknown = confirming_note("d,a\nx,0.33\ny,0.33\n", "x: 3")
    assert unknown.endswith(" at most: x (3).")


def test_a_row_without_a_size_gets_those_that_fit_its_digits() -> None:
    table = "d,a,b\nx,0.0417,0.0833\ny,0.5,0.3\nz,0.1234,0.4567\nw,0.5,0.5\n"
    facts = "{unit: fraction, n_test: {w: 10}}"
    [*_, note] = audit_of(facts=facts, t=table).notes
    sizes = fitting_sizes({"0.0417", "0.0833"}, 1, 2, 1000)
    assert sizes[:6] == [24, 48, 72, 96, 120, 144]
    others = fitting_sizes({"0.1234", "0.4567"}, 1, 2, 1000)
    # Numbers of one digit fit most sizes, and the size of w is given.
    x, z = (f"{', '.join(map(str, n[:5]))} and {len(n) - 5} more" for n in (sizes, others))
    start = "counts, t: test-set sizes up to 1000 that fit the digits of a row: "
    assert note == f"{start}x: {x}; z: {z}."
    none = audit_of(t="d,a,b\nx,0.00017,0.33333\n").notes[-1]
    assert none.endswith(" that fit the digits of a row: x: none.")


def test_sizes_behind_means_count_all_test_examples() -> None:
    table, facts = "d,a_mean,b_mean\nx,4.17,8.33\n", "{unit: percent, of: {splits: 2}}"
    [*_, note] = audit_of(facts=facts, t=table).notes
    # Sizes behind folds are not searched.
    notes = audit_of(facts=facts.replace("splits", "cv"), t=table).notes
    assert not any("that fit the digits" in note for note in notes)
    sizes = fitting_sizes({"0.0417", "0.0833"}, 1, 2, 2000)
    halves = [n // 2 for n in sizes if n % 2 == 0]
    assert halves[:5] == [12, 24, 36, 48, 60]
    assert note.endswith(f" of a row: x: 12, 24, 36, 48, 60 and {len(halves) - 5} more.")


def test_folds_of_other_sizes_may_explain_a_number_that_equal_ones_do_not() -> None:
    facts = "{unit: fraction, of: {cv: 2}, n_test: {x: [6, 11]}}"
    result = audit_of(facts=facts, t="d,a,b\nx,0.096,0.091\n")
    one, other = result.findings["counts"]
    assert (one.verdict, other.verdict) == ("suspicious", "holds")
    assert one.reason.startswith("impossible on 2 folds of 5 or 6 or 11 pooled test examples: no ")
    assert one.reason.endswith("1/11 = 0.091, 0.100; suspicious unless the folds had other sizes")
    assert other.why == "errors on 11 pooled test examples"
    assert result.failures == []
    pooled = facts.replace("cv: 2", "cv: 2, pooled: true")
    [alone] = findings("counts", facts=pooled, t="d,a\nx,0.096\n")
    assert alone.verdict == "fails"


MATRIX = "{{holds: comparisons, compares: t}}\nalgorithm,a,b\na,0.50,{}\nb,{},0.50\n"
TWENTY_EACH = "{unit: fraction, n_test: {x: 20, y: 20}}"
TWO_ROWS = "d,a,b\nx,0.10,0.30\ny,0.20,0.25\n"


@pytest.mark.parametrize(
    ("one", "other", "holds"),
    [("0.55", "0.45", True), ("0.55", "0.46", True), ("0.55", "0.47", False)],
)
def test_both_directions_add_up_to_one(one: str, other: str, holds: bool) -> None:
    judged = verdicts("pairs", t=TWO_ROWS, m=MATRIX.format(one, other))
    assert judged == {"m a a": True, "m a b": holds, "m b b": True}


def brute_force(errors_a: list[int], errors_b: list[int], n: int) -> list[float]:
    """Return the test's probability for every number of shared errors on every data set."""

    def wrong(errors: int, first: int) -> np.ndarray:
        return np.isin(np.arange(n), np.arange(first, first + errors))

    every = []
    pairs = [*zip(errors_a, errors_b, strict=True)]
    shared = [range(max(a + b - n, 0), min(a, b) + 1) for a, b in pairs]
    for both in product(*shared):
        a = [wrong(k, 0) for k in errors_a]
        b = [wrong(k, i - s) for (i, k), s in zip(pairs, both, strict=True)]
        every.append(poisson_binomial_test(a, b).probability)
    return every


def test_bounds_are_the_extremes_of_the_test_over_all_shared_errors() -> None:
    audited = subject(facts=TWENTY_EACH, t=TWO_ROWS, m=MATRIX.format("0.9", "0.1"))
    ends = possible_probabilities(audited, audited.tables[1], "a", "b")
    bounds = [better_over_all(map(float, end)) for end in ends]
    every = brute_force([2, 4], [6, 5], 20)
    assert bounds == pytest.approx([min(every), max(every)])


ONE_SIZE = TWENTY_EACH.replace(", y: 20", "")
FOLDS, RUNS = (TWENTY_EACH.replace("unit", f"of: {{{n}}}, unit") for n in ("cv: 10", "runs: 10"))
ACCURACY = TWENTY_EACH.replace("fraction", "percent, metric: accuracy")


@pytest.mark.parametrize(
    ("facts", "table", "printed", "holds", "why"),
    [
        # A has fewer errors on both data sets.
        (TWENTY_EACH, TWO_ROWS, "0.70", True, "t allows 0."),
        (TWENTY_EACH, TWO_ROWS, "0.40", False, "t allows 0."),
        (ACCURACY, "d,a,b\nx,90,70\ny,80,75\n", "0.70", True, "t allows 0."),
        (ACCURACY, "d,a,b\nx,90,70\ny,80,75\n", "0.30", False, "t allows 0."),
        (ONE_SIZE, "d,a,b\nx,0.111,0.3\n", "0.70", None, "x: no number of errors gives what t pri"),
        (ONE_SIZE, "d,a,b\nx,0.1,\n", "0.70", None, "x: no number of errors gives what t prints"),
        (ONE_SIZE, TWO_ROWS, "0.70", None, "y: neither a config nor n_test gives"),
        (FOLDS, TWO_ROWS, "0.70", None, "t has means, which do not give the errors of single"),
        (RUNS, TWO_ROWS, "0.70", None, "t has means, which do not give the errors of single"),
    ],
)
def test_a_probability_is_possible_with_the_printed_risks_or_not(
    facts: str, table: str, printed: str, holds: bool | None, why: str
) -> None:
    matrix = MATRIX.format(printed, f"{1 - float(printed):.2f}")
    [finding] = findings("sources", facts=facts, t=table, m=matrix)
    assert (finding.place, finding.holds) == (("m", "a", "b"), holds)
    assert finding.why.startswith(why)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_winning_on_most_is_the_binomial_tail_with_half_of_a_tie(p: list[float]) -> None:
    outcomes = list(product((0, 1), repeat=len(p)))
    chances = [
        math.prod(q if won else 1 - q for q, won in zip(p, o, strict=True)) for o in outcomes
    ]
    scores = [(2 * sum(o) > len(p)) + (2 * sum(o) == len(p)) / 2 for o in outcomes]
    assert on_most(p) == pytest.approx(float(np.dot(chances, scores)))


GROUPS = """claims:
  t:
    claims:
      - {kind: wins-or-ties, text: two, of: a, than: b, at_least: 2}
      - {kind: wins-or-ties, text: three, of: a, than: b, at_least: 3}
      - {kind: times-faster, text: fast, of: a, than: b, times: 2}
  other:
    claims:
      - {kind: lower-on-average, text: end, of: a, than: b, measure: train_error}
      - {kind: lower-on-average, text: again, of: b, than: a, measure: train_error}
"""


def test_claims_are_judged_on_printed_numbers_and_others_are_counted() -> None:
    table = "dataset,a,b\nmonks,0.1,0.2\nwine,0.1,0.1\nzoo,0.3,0.2\n"
    result = audit_of(claims=GROUPS, t=table)
    claims = result.findings["claims"]
    assert {f.printed: f.holds for f in claims} == {"two": True, "three": False, "fast": None}
    assert claims[0].why == "2 of 3 (1 wins, 1 ties)"
    note = "claims: 2 are about numbers that are not printed, so only ours judge them."
    assert result.notes[-1] == note


WINS = """claims:
  t:
    claims:
      - {kind: wins-or-ties, text: first, of: a, than: b, at_least: 3}
      - {kind: wins-or-ties, text: second, of: b, than: a, at_least: 3}
"""


AUC = "red,0.95,0.90\nblue,0.85,0.80\ngreen,0.75,0.70\nwhite,0.65,0.70\n"
ERRORS = "red,0.05,0.10\nblue,0.15,0.20\ngreen,0.25,0.30\nwhite,0.35,0.30\n"


@pytest.mark.parametrize(("metric", "rows"), [("auc", AUC), ("error", ERRORS)])
@pytest.mark.parametrize(("bold", "verdict"), [("a", "holds"), ("b", "fails")])
def test_claims_and_bold_type_follow_the_metric(
    metric: str, rows: str, bold: str, verdict: str
) -> None:
    facts = f"{{unit: fraction, metric: {metric}, bold: {{red: [{bold}]}}}}"
    every = audit_of(claims=WINS, facts=facts, t=f"dataset,a,b\n{rows}").findings
    assert {f.printed: f.verdict for f in every["claims"]} == {"first": "holds", "second": "fails"}
    assert [f.verdict for f in every["bold"]] == [verdict]


def test_numbers_out_of_their_range_fail() -> None:
    percent, sizes = "unit: percent", "n_test: {x: 9, y: 9}"
    every = findings(
        "ranges",
        risks="{unit: fraction, n_test: {x: 9}}\nd,a,b\nx,1.2,0.9\n",
        m="{holds: margins, of: {splits: 20}}\nd,a_mean,a_sd\nx,0.9,0.8\ny,-1.1,0.1\n",
        e=f"{{{percent}, of: {{splits: 20}}, {sizes}}}\nd,a_mean,a_sd\nx,1.0,20.0\ny,101,1\n",
        r="{unit: percent, of: {splits: 20}}\nd,a_mean,a_sd\nx,200,300\ny,200,900\n",
        acc="{metric: accuracy, unit: percent}\nd,a,b\nx,90,105\n",
        auc="{metric: auc, unit: fraction}\nd,a,b\nx,0.9,1.05\n",
        mcc="{metric: mcc}\nd,a\nx,-0.3\n",
        # 0 and 100 deviate by 70.71, which may have been rounded up.
        s=f"{{{percent}, of: {{splits: 2}}, {sizes}}}\nd,a_mean,a_sd\nx,50,71\ny,50,72\n",
    )
    assert {" ".join(f.place) for f in every if not f.holds} == {
        *("risks x a", "acc x b", "auc x b", "m x a_sd", "m y a_mean", "m y a_sd"),
        *("r y a_sd", "e x a_sd", "e y a_mean", "e y a_sd", "s y a_sd"),
    }
    reasons = {" ".join(f.place): f.why for f in every}
    assert reasons["risks x a"] == "numbers lie between 0 and 1"
    assert reasons["e y a_mean"] == "numbers lie between 0 and 100"
    assert reasons["s y a_sd"] == "with a mean of 50 it is at most 70.71"


def test_predicted_numbers_have_no_upper_end() -> None:
    config = CONFIG.replace("monks, wine", "diabetes").replace("quadboost, grid", "boosting, grid")
    config = config.replace("view: quadboost", "view: rescale\n  normalise: none\n  holdout: {}")
    facts = "{unit: percent, of: {splits: 20}, config: ../small.yaml}"
    table = "d,boosting_mean\ndiabetes,159.0\n"
    judged = verdicts("ranges", facts=facts, config=config, t=table)
    assert judged == {"t diabetes boosting_mean": True}


# Deviations.


def test_the_p_value_is_uniform_if_test_sets_share_rows() -> None:
    rng = np.random.default_rng(1)
    # 300 of 1000 rows are wrong, and 400 are tested.
    risks = rng.hypergeometric(300, 700, 400, (2500, 20)) / 400
    p = [too_small(0.3, sd, 20, 400, 0.4) for sd in risks.std(axis=1, ddof=1)]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.015)


def test_the_p_value_is_that_of_a_chi_squared_sum() -> None:
    floor = 0.5 * hypergeom.var(10**6, 10**5, 100) / 100**2
    expected = chi2.cdf(19 * 0.01**2 / floor, 19)
    assert too_small(0.1, 0.01, 20, 100, 0.5) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(("n_folds", "repeats"), [(10, 1), (5, 5), (3, 10), (2, 5)])
def test_honest_folds_are_seldom_suspicious(n_folds: int, repeats: int) -> None:
    rng, n_rows, n = np.random.default_rng(1), 600, 200
    n_test = n_rows // n_folds
    wrong = np.tile(np.arange(n_rows) < 180, (n * repeats, 1))
    folds = rng.permuted(wrong, axis=1).reshape(n, repeats * n_folds, n_test).mean(axis=2)
    assert folds.mean() == pytest.approx(0.3)
    rows = "".join(
        f"x{i},{100 * x.mean():.3f},{100 * x.std(ddof=1):.3f}\n" for i, x in enumerate(folds)
    )
    sizes = ", ".join(f"x{i}: [{n_test}, {n_rows}]" for i in range(n))
    facts = f"{{unit: percent, of: {{cv: {n_folds}, repeats: {repeats}}}, n_test: {{{sizes}}}}}"
    every = findings("deviations", facts=facts, t=f"d,a_mean,a_sd\n{rows}")
    p_values = np.array([finding.p_value for finding in every], dtype=float)
    # At a rate of 5%, one simulation in a hundred has more than 18 of 200.
    assert (p_values <= 0.05).sum() <= 18


SIZES = "{unit: percent, of: {splits: 20}, n_test: {x: [100, 200], y: [100, 200], z: 50}}"
TABLE = "d,a_mean,a_sd,b_mean,b_sd\nx,10.0,0.1,10.0,3.0\ny,10.0,3.0,0.0,0.0\nz,10.0,1.0,,\n"


@pytest.mark.parametrize("repetitions", ["splits: 20", "cv: 2, repeats: 10"])
def test_a_deviation_below_the_floor_is_suspicious(repetitions: str) -> None:
    facts = SIZES.replace("splits: 20", repetitions)
    result = audit_of(facts=facts, t=TABLE)
    finding, *others = result.findings["deviations"]
    assert [f.holds for f in (finding, *others)] == [False, True, True, None, None]
    assert finding.verdict == "suspicious"
    # The variance is (1 - 1/2) p (1 - p) / 100 or more; folds share no test examples.
    floor = "2.1" if "splits" in repetitions else "3"
    assert f" {floor} or more (p = " in finding.why
    unless = "splits are stratified, or errors depend on which examples are tested"
    assert finding.reason.endswith(f"; suspicious unless {unless}")
    assert result.failures == []


def test_the_reason_why_a_deviation_is_not_judged_is_true() -> None:
    table = f"{TABLE}u,10.0,1.0,,\n"
    every = findings("deviations", facts=SIZES, t=table)
    reasons = {" ".join(f.place[1:]): f.why for f in every if f.holds is None}
    assert reasons == {
        "y b": "a risk of 0 implies no size",
        "z a": "all rows are tested, or their number is not stated",
        "u a": "neither a config nor n_test gives the size of its test sets",
    }
    rmses = "{metric: rmse, of: {splits: 20}, n_test: {x: [100, 200], y: [100, 200]}}"
    for other, facts in (
        ("all runs share one test set", SIZES.replace("splits: 20", "runs: 20")),
        ("its algorithms predict numbers", rmses),
    ):
        every = findings("deviations", facts=facts, t=TABLE)
        assert {(f.verdict, f.why) for f in every} == {("cannot be judged", other)}


CV = """{unit: percent, metric: accuracy, of: {cv: 5, repeats: 5}, \
n_test: {red: [43, 214]}}"""


def test_fractions_among_percents_are_suspicious_deviations_of_folds() -> None:
    # 2.8 is half of a 95% interval of 25 folds with the deviation of their test sets.
    for printed, verdict in (("0.02", "suspicious"), ("2.8", "holds")):
        table = f"dataset,a_mean,a_ci95\nred,52.00,{printed}\n"
        [finding] = findings("deviations", facts=CV, t=table)
        assert (finding.printed, finding.verdict) == (printed, verdict)
        assert (finding.p_value < 1e-20) == (verdict == "suspicious")


@pytest.mark.parametrize(
    ("printed", "n_test", "arguments"),
    [
        ("10.0,1.0", "[100, 200]", (0.0995, 0.0105, 20, 100, 0.5)),
        ("1,1", "[50, 500]", (0.005, 0.015, 20, 50, 0.1)),  # 1 percent can be half a percent.
        ("60,1", "[50, 500]", (0.605, 0.015, 20, 50, 0.1)),
    ],
)
def test_numbers_are_rounded_as_the_deviation_needs(
    printed: str, n_test: str, arguments: tuple[float, float, int, int, float]
) -> None:
    facts = f"{{unit: percent, of: {{splits: 20}}, n_test: {{x: {n_test}}}}}"
    table = f"d,a_mean,a_sd\nx,{printed}\n"
    [finding] = findings("deviations", facts=facts, t=table)
    assert finding.p_value == pytest.approx(too_small(*arguments))


# Bold numbers and means.


@pytest.mark.parametrize(
    ("bold", "holds"),
    [("x: [a, b]", 1), ("x: [a]", 1), ("x: [a, c]", 0), ("y: [b]", 1), ("y: [a, b]", 0)],
)
@pytest.mark.parametrize(
    ("facts", "table", "best"),
    [
        ("error, unit: fraction", "x,0.1,0.10,0.3\ny,0.2,0.1,0.4", "lowest is 0.1 ("),
        ("accuracy, unit: fraction", "x,0.9,0.90,0.7\ny,0.8,0.9,0.6", "highest is 0.9 ("),
        ("auc, unit: percent", "x,90,90.0,70\ny,80,90,60", "highest is 90 ("),
        ("log_loss", "x,0.1,0.10,0.3\ny,0.2,0.1,0.4", "lowest is 0.1 ("),
    ],
)
def test_bold_numbers_are_the_best_before_rounding_or_can_be(
    bold: str, holds: bool, facts: str, table: str, best: str
) -> None:
    facts = f"{{metric: {facts}, bold: {{{bold}}}}}"
    [finding] = findings("bold", facts=facts, t=f"d,a,b,c\n{table}\n")
    assert finding.holds == holds
    assert finding.why.startswith(f"the {best}")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_means_of_unrounded_numbers_hold_and_those_a_digit_off_fail(numbers: list[float]) -> None:
    mean = sum(numbers) / len(numbers)
    rows = "".join(f"x{i},{x:.3f},{x:.3f}\n" for i, x in enumerate(numbers))
    table = f"d,a,b\n{rows}column_mean,{mean:.3f},{mean + 0.003:.3f}\n"
    assert [*verdicts("summaries", t=table).values()] == [True, False]


def test_means_of_deviations_or_of_rows_that_are_not_printed_are_left_open() -> None:
    judged = verdicts(
        "summaries",
        t="d,a\nx,0.1\ny,\ncolumn_mean,0.1\n",
        m="{unit: percent, of: {splits: 20}}\nd,a_mean,a_sd\nx,1.0,0.1\ncolumn_mean,1.0,9.0\n",
    )
    assert judged == {"m column_mean a_mean": True, "t column_mean a": None}
