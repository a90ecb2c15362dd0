from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.papers.printed import MeanOf
from quadrepro.tables.audit.counts import NO_POWER, TOO_MANY, counts, plausible, printable
from quadrepro.tables.audit.report import audit
from quadrepro.tables.audit.subject import Size
from tests.tables.audit.papers import found, subject, verdicts


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
        assert [*counts(text, total)] == every.get(k, [])
        percent = f"{k / 10**digits * 100:.{max(digits - 2, 0)}f}"
        if digits > 1:
            assert [*counts(percent, total, percent=True)] == every.get(k, [])


@pytest.mark.parametrize("sizes", [((7, 1),), ((3, 2), (4, 1)), ((1, 1), (2, 3)), ((4, 1), (6, 2))])
def test_printable_numbers_are_all_that_brute_force_finds(
    sizes: tuple[tuple[int, int], ...],
) -> None:
    n_sets = sum(times for _, times in sizes)
    means = {
        sum(Fraction(k, n) for k, (n, _) in zip(errors, sizes, strict=True)) / n_sets
        for errors in product(*(range(n * times + 1) for n, times in sizes))
    }
    every = sorted(set().union(*(rounded(mean, 100) for mean in means)))
    assert printable(sizes, 100).tolist() == every  # type: ignore[union-attr]
    assert len(every) < 101


def test_numbers_that_are_all_possible_or_too_many_to_add_up_are_not_judged() -> None:
    assert printable(((100, 10),), 1000) == NO_POWER
    assert printable(((99_999, 5), (100_000, 5)), 10**7) == TOO_MANY
    assert printable(((99, 1),), 10**18) == TOO_MANY


@pytest.mark.parametrize(
    ("size", "of", "names"),
    [
        (Size(172, 345, (173,)), {"splits": 1}, ["172", "173"]),
        (Size(9, 90), {"splits": 20}, ["20 × 9"]),
        (Size(35, 345), {"cv": 10}, ["10 folds of 34 or 35", "345 pooled"]),
        (Size(9, 17), {"cv": 2, "repeats": 5}, ["5 × 2 folds of 8 or 9", "5 × 17 pooled"]),
        (Size(17, 17), {"cv": 2}, ["2 folds of 8 or 9", "17 pooled", "2 folds of 17"]),
        (Size(3, 3), {"cv": 5}, ["5 folds of 1", "5 folds of 3"]),
        (Size(35, 345), {"cv": 10, "pooled": True}, ["345 pooled"]),
    ],
)
def test_all_plausible_test_sets_are_asked(
    size: Size, of: dict[str, int], names: list[str]
) -> None:
    assert [sets.name for sets in plausible(size, MeanOf(**of))] == names


def test_each_number_is_checked_against_its_test_set(tmp_path: Path) -> None:
    table = "dataset,a,b\nmonks,0.231,0.2315\nwine,0.090,0.500\nzoo,,0.1\nn,0.10,0.10\n"
    facts = "{unit: fraction, n_test: {monks: 216, wine: 89, n: 1000}}"
    of = subject(tmp_path, facts=facts, t=table)
    assert verdicts("counts", of) == {
        **{"t monks a": True, "t monks b": True, "t wine a": True, "t wine b": False},
        **{"t zoo b": None, "t n a": None, "t n b": None},
    }
    note = audit(of.paper).notes[1]
    assert note.startswith("counts, t: 4 numbers can be checked, ")
    assert "; 10% of random numbers would pass." in note
    assert note.endswith(" with probability 0.05 at most: monks (216).")
    twice = facts.replace("{", "{of: {splits: 2}, ", 1)
    assert verdicts("counts", subject(tmp_path / "2", facts=twice, t=table))["t wine b"] is True


@pytest.mark.parametrize(
    ("facts", "text", "on", "nearest"),
    [
        ("n_test: {x: 81}", "22.62", "errors on 81", "18/81 = 22.22, 19/81 = 23.46"),
        ("n_test: {x: 3}", "100.1", "errors on 3", "3/3 = 100.0"),
        ("metric: accuracy, n_test: {x: 9}", "32", "correct answers on 9", "2/9 = 22, 3/9 = 33"),
        ("of: {splits: 2}, n_test: {x: 9}", "12", "errors on 2 × 9", "2/18 = 11, 3/18 = 17"),
    ],
)
def test_a_number_that_no_test_set_gives_fails_with_the_nearest_that_are_possible(
    tmp_path: Path, facts: str, text: str, on: str, nearest: str
) -> None:
    of = subject(tmp_path, facts=f"{{unit: percent, {facts}}}", t=f"d,a\nx,{text}\n")
    [finding] = found("counts", of)
    assert (finding.verdict, finding.printed) == ("fails", text)
    assert finding.why == f"no number of {on} test examples; nearest: {nearest}"


def test_folds_of_other_sizes_may_explain_what_equal_ones_do_not(tmp_path: Path) -> None:
    facts = "{unit: fraction, of: {cv: 2}, n_test: {x: [6, 11]}}"
    of = subject(tmp_path, facts=facts, t="d,a,b\nx,0.096,0.091\n")
    one, other = found("counts", of)
    assert (one.verdict, other.verdict) == ("fails unless", "holds")
    assert one.reason == (
        "no number of errors on 2 folds of 5 or 6 or 11 pooled test examples; nearest: 1/11 = "
        "0.091, 0.100; unless the folds were of other sizes"
    )
    assert other.why == "errors on 11 pooled test examples"
    assert audit(of.paper).failures == []
    pooled = facts.replace("cv: 2", "cv: 2, pooled: true")
    of = subject(tmp_path / "pooled", facts=pooled, t="d,a\nx,0.096\n")
    assert [f.verdict for f in found("counts", of)] == ["fails"]


@pytest.mark.parametrize(
    ("bold", "holds"),
    [("x: [a, b]", 1), ("x: [a]", 1), ("x: [a, c]", 0), ("y: [b]", 1), ("y: [a, b]", 0)],
)
@pytest.mark.parametrize(
    ("metric", "table"),
    [
        ("error", "d,a,b,c\nx,0.1,0.10,0.3\ny,0.2,0.1,0.4\n"),
        ("accuracy", "d,a,b,c\nx,0.9,0.90,0.7\ny,0.8,0.9,0.6\n"),
    ],
)
def test_bold_numbers_are_the_best_before_rounding_or_can_be(
    tmp_path: Path, bold: str, holds: bool, metric: str, table: str
) -> None:
    facts = f"{{unit: fraction, metric: {metric}, bold: {{{bold}}}}}"
    [finding] = found("bold", subject(tmp_path, facts=facts, t=table))
    assert finding.holds == holds
    best = {"error": "the lowest is 0.1 (", "accuracy": "the highest is 0.9 ("}
    assert finding.why.startswith(best[metric])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_means_of_unrounded_numbers_hold_and_those_a_digit_off_fail(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[float]
) -> None:
    mean = sum(numbers) / len(numbers)
    rows = "".join(f"x{i},{x:.3f},{x:.3f}\n" for i, x in enumerate(numbers))
    table = f"d,a,b\n{rows}column_mean,{mean:.3f},{mean + 0.003:.3f}\n"
    of = subject(tmp_path_factory.mktemp("paper"), t=table)
    assert [*verdicts("means", of).values()] == [True, False]


def test_means_of_deviations_or_of_rows_that_are_not_printed_are_left_open(tmp_path: Path) -> None:
    of = subject(
        tmp_path,
        t="d,a\nx,0.1\ny,\ncolumn_mean,0.1\n",
        m="{unit: percent, of: {splits: 20}}\nd,a_mean,a_sd\nx,1.0,0.1\ncolumn_mean,1.0,9.0\n",
    )
    expected = {"m column_mean a_mean": True, "t column_mean a": None}
    assert verdicts("means", of) == expected
