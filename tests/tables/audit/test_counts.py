from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.papers.printed import Sample
from quadrepro.tables.audit import audit
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
from tests.tables.audit.papers import findings, subject, verdicts


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


@pytest.mark.parametrize(
    ("size", "sample", "names"),
    [
        (Size(172, 345, (173,)), {"splits": 1}, ["172", "173"]),
        (Size(9, 9), {"runs": 10}, ["10 × 9"]),
        (Size(35, 345), {"cv": 10}, ["10 folds of 34 or 35", "345 pooled"]),
        (Size(9, 17), {"cv": 2, "repeats": 5}, ["5 × 2 folds of 8 or 9", "5 × 17 pooled"]),
        (Size(17, 17), {"cv": 2}, ["2 folds of 8 or 9", "17 pooled", "2 folds of 17"]),
        (Size(3, 3), {"cv": 5}, ["5 folds of 1", "5 folds of 3"]),
        (Size(35, 345), {"cv": 10, "pooled": True}, ["345 pooled"]),
    ],
)
def test_plausible_test_sets_are_tried(
    size: Size, sample: dict[str, Any], names: list[str]
) -> None:
    assert [sets.name for sets in plausible(size, Sample(**sample))] == names


NUMBERS = "dataset,a,b\nmonks,0.231,0.2315\nwine,0.090,0.500\nzoo,,0.1\nn,0.10,0.10\n"
SIZES = "{unit: fraction, n_test: {monks: 216, wine: 89, n: 1000}}"


def test_each_number_is_checked_against_its_test_set(tmp_path: Path) -> None:
    audited = subject(tmp_path, facts=SIZES, t=NUMBERS)
    assert verdicts("counts", audited) == {
        **{"t monks a": True, "t monks b": True, "t wine a": True, "t wine b": False},
        **{"t zoo b": None, "t n a": None, "t n b": None},
    }
    note = audit(audited.paper).notes[1]
    assert note.startswith("counts, t: 4 numbers can be checked, ")
    assert "; 10% of random numbers would pass." in note
    assert note.endswith(" with probability 0.05 at most: monks (216).")
    twice = SIZES.replace("{", "{of: {splits: 2}, ", 1)
    assert verdicts("counts", subject(tmp_path / "2", facts=twice, t=NUMBERS))["t wine b"] is True


NEAREST = [
    ("n_test: {x: 81}", "22.62", "81", "18/81 = 22.22, 19/81 = 23.46"),
    ("n_test: {x: 3}", "100.1", "3", "3/3 = 100.0"),
    ("metric: accuracy, n_test: {x: 9}", "32", "9", "2/9 = 22, 3/9 = 33"),
    ("of: {splits: 2}, n_test: {x: 9}", "12", "2 × 9", "2/18 = 11, 3/18 = 17"),
    ("of: {runs: 2}, n_test: {x: 9}", "12", "2 × 9", "2/18 = 11, 3/18 = 17"),
]


@pytest.mark.parametrize(("facts", "text", "sets", "nearest"), NEAREST)
def test_an_impossible_number_fails_with_the_nearest_possible_ones(
    tmp_path: Path, facts: str, text: str, sets: str, nearest: str
) -> None:
    audited = subject(tmp_path, facts=f"{{unit: percent, {facts}}}", t=f"d,a\nx,{text}\n")
    [finding] = findings("counts", audited)
    assert (finding.verdict, finding.printed) == ("fails", text)
    kind = "correct answers" if "accuracy" in facts else "errors"
    start = f"impossible on {sets} test examples: no such number of {kind}; nearest: {nearest}; "
    assert finding.why.startswith(start)


def test_a_failure_names_the_sizes_nearby_that_fit_the_whole_row(tmp_path: Path) -> None:
    # On 84 test examples, 0.226 = 19/84 and 0.619 = 52/84; 0.226 alone is possible on 93 as well.
    facts = "{unit: fraction, n_test: {x: 88, y: 88, z: 10}}"
    table = "d,a,b\nx,0.226,0.619\ny,0.226,0.500\nz,0.226,0.222\n"
    x_a, x_b, y_a, y_b, z_a, _ = (
        f.why for f in findings("counts", subject(tmp_path, facts=facts, t=table))
    )
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
def test_a_size_alone_is_confirmed(tmp_path: Path, numbers: str, n: int, sizes: list[int]) -> None:
    low, high = math.ceil(0.9 * n), math.floor(1.1 * n)
    assert fitting_sizes({*numbers.split(",")}, 1, low, high) == sizes
    note = confirming_note(tmp_path, f"d,a,b\nx,{numbers}\n", f"x: {n}")
    assert ("Only these test-set sizes fit" in note) == (sizes == [n])
    assert note.endswith(f" at most: x ({n}).") == (sizes == [n])


def confirming_note(folder: Path, table: str, sizes: str) -> str:
    facts = f"{{unit: fraction, n_test: {{{sizes}}}}}"
    return audit(subject(folder, facts=facts, t=table).paper).notes[1]


def test_sizes_are_confirmed_at_a_level_for_all_rows_together(tmp_path: Path) -> None:
    # Random numbers of two digits are possible on 3 examples with probability 4/101.
    one = confirming_note(tmp_path / "1", "d,a\nx,0.33\n", "x: 3")
    assert one.endswith(" at most: x (3).")
    two = confirming_note(tmp_path / "2", "d,a\nx,0.33\ny,0.33\n", "x: 3, y: 3")
    assert "Only these" not in two
    # Rows that cannot be checked are not counted.
    unknown = confirming_note(tmp_path / "3", "d,a\nx,0.33\ny,0.33\n", "x: 3")
    assert unknown.endswith(" at most: x (3).")


def test_random_numbers_of_all_rows_confirm_a_size_seldom(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    n_rows, confirmed = 5, 0
    sizes = ", ".join(f"r{i}: {20 + 3 * i}" for i in range(n_rows))
    for i in range(60):
        rows = "".join(
            f"r{j},0.{a:03},0.{b:03}\n"
            for j, (a, b) in enumerate(rng.integers(0, 999, (n_rows, 2)))
        )
        confirmed += "Only these" in confirming_note(tmp_path / str(i), f"d,a,b\n{rows}", sizes)
    # At 5%, one simulation in a hundred has more.
    assert confirmed <= 7


def test_a_row_without_a_size_gets_those_that_fit_its_digits(tmp_path: Path) -> None:
    table = "d,a,b\nx,0.0417,0.0833\ny,0.5,0.3\nz,0.1234,0.4567\nw,0.5,0.5\n"
    facts = "{unit: fraction, n_test: {w: 10}}"
    [*_, note] = audit(subject(tmp_path, facts=facts, t=table).paper).notes
    sizes = fitting_sizes({"0.0417", "0.0833"}, 1, 2, 1000)
    assert sizes[:6] == [24, 48, 72, 96, 120, 144]
    others = fitting_sizes({"0.1234", "0.4567"}, 1, 2, 1000)
    # Numbers of one digit fit most sizes, and the size of w is given.
    x, z = (f"{', '.join(map(str, n[:5]))} and {len(n) - 5} more" for n in (sizes, others))
    start = "counts, t: test-set sizes up to 1000 that fit the digits of a row: "
    assert note == f"{start}x: {x}; z: {z}."
    none = audit(subject(tmp_path / "none", t="d,a,b\nx,0.00017,0.33333\n").paper).notes[-1]
    assert none.endswith(" that fit the digits of a row: x: none.")


def test_sizes_behind_means_count_all_test_examples(tmp_path: Path) -> None:
    table, facts = "d,a_mean,b_mean\nx,4.17,8.33\n", "{unit: percent, of: {splits: 2}}"
    [*_, note] = audit(subject(tmp_path / "1", facts=facts, t=table).paper).notes
    # Sizes behind folds are not searched.
    cv = facts.replace("splits", "cv")
    notes = audit(subject(tmp_path / "2", facts=cv, t=table).paper).notes
    assert not any("that fit the digits" in note for note in notes)
    sizes = fitting_sizes({"0.0417", "0.0833"}, 1, 2, 2000)
    halves = [n // 2 for n in sizes if n % 2 == 0]
    assert halves[:5] == [12, 24, 36, 48, 60]
    assert note.endswith(f" of a row: x: 12, 24, 36, 48, 60 and {len(halves) - 5} more.")


def test_folds_of_other_sizes_may_explain_a_number_that_equal_ones_do_not(tmp_path: Path) -> None:
    facts = "{unit: fraction, of: {cv: 2}, n_test: {x: [6, 11]}}"
    audited = subject(tmp_path, facts=facts, t="d,a,b\nx,0.096,0.091\n")
    one, other = findings("counts", audited)
    assert (one.verdict, other.verdict) == ("suspicious", "holds")
    assert one.reason.startswith("impossible on 2 folds of 5 or 6 or 11 pooled test examples: no ")
    assert one.reason.endswith("1/11 = 0.091, 0.100; suspicious unless the folds had other sizes")
    assert other.why == "errors on 11 pooled test examples"
    assert audit(audited.paper).failures == []
    pooled = facts.replace("cv: 2", "cv: 2, pooled: true")
    audited = subject(tmp_path / "pooled", facts=pooled, t="d,a\nx,0.096\n")
    assert [f.verdict for f in findings("counts", audited)] == ["fails"]
