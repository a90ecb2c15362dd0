from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.papers.printed import MeanOf
from quadrepro.tables.audit.check import Size
from quadrepro.tables.audit.counts import (
    COUNTS,
    counts,
    denominator,
    plausible,
    printable,
)
from tests.tables.audit.papers import failures, places, shipped, subject


def printed(k: int, total: int, digits: int) -> list[str]:
    """Return k/total to this number of digits, rounded; both neighbours if it lies between two."""
    scaled = 2 * k * 10**digits
    near = [scaled // (2 * total)] if scaled % (2 * total) < total else []
    near += [scaled // (2 * total) + 1] if scaled % (2 * total) >= total else []
    if scaled % (2 * total) == total:
        near.append(near[0] - 1)
    return [f"{n // 10**digits}.{n % 10**digits:0{digits}d}" for n in near]


@given(st.integers(1, 120), st.integers(1, 3))
def test_counts_are_all_that_brute_force_finds(total: int, digits: int) -> None:
    found: dict[str, list[int]] = {}
    for k in range(total + 1):
        for text in printed(k, total, digits):
            found.setdefault(text, []).append(k)
    scale = 10**digits
    texts = [f"{n // scale}.{n % scale:0{digits}d}" for n in range(scale + 1)]
    assert {text: list(ks) for text in texts if (ks := counts(text, total))} == found


@given(st.integers(2, 400), st.data())
def test_a_risk_that_was_counted_passes_in_percent_as_well(total: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, total))
    for text in printed(100 * k, total, 2):
        assert k in counts(text, total, percent=True)


def test_with_many_examples_every_number_passes() -> None:
    assert all(counts(f"0.{n:03d}", 1000) for n in range(1000))


def test_digits_and_percent_make_the_denominator() -> None:
    assert denominator("0.5") == 10
    assert denominator(".125") == 1000
    assert denominator("12", percent=True) == 100


RISKS = "dataset,a,b\nmonks,0.231,0.2315\nwine,0.090,0.500\nzoo,,0.1\n"


def test_each_number_is_checked_against_its_test_set(tmp_path: Path) -> None:
    found = subject(tmp_path, "\n  t: {n_test: {monks: 216, wine: 89}}", t=RISKS)
    assert places(COUNTS, found) == {
        ("t", "monks", "a"): True,
        ("t", "monks", "b"): True,
        ("t", "wine", "a"): True,
        ("t", "wine", "b"): False,
        ("t", "zoo", "b"): None,
    }


def test_splits_multiply_the_examples(tmp_path: Path) -> None:
    found = subject(tmp_path, "\n  t: {of: {splits: 2}, n_test: {wine: 89}}", t=RISKS)
    assert places(COUNTS, found)["t", "wine", "b"] is True


def test_quadboosts_sizes_fit_all_their_risks() -> None:
    findings = COUNTS.judge(shipped("quadboost")).findings
    assert len(findings) == 150
    assert not failures(COUNTS, shipped("quadboost"))
    assert {f.place.row for f in findings if f.holds is None} == {
        *("letter_ab", "optdigits", "titanic", "car"),
    }


def test_ebboosts_ringnorm_has_100_test_examples_and_wisconsin_not_those_of_683_rows() -> None:
    found = COUNTS.judge(shipped("ebboost"))
    rows = {f.place.row: f.holds for f in found.findings if f.holds is not None}
    assert rows == {"ringnorm": True, "wisconsin": False}
    assert found.notes[0].endswith("at most: ringnorm (20 × 100).")


@pytest.mark.parametrize("sizes", [((7, 1),), ((3, 2), (4, 1)), ((1, 1), (2, 3)), ((4, 1), (6, 2))])
def test_printable_numbers_are_all_that_brute_force_finds(
    sizes: tuple[tuple[int, int], ...],
) -> None:
    n_sets = sum(times for _, times in sizes)
    means = {
        sum(Fraction(k, n) for k, (n, _) in zip(errors, sizes, strict=True)) / n_sets
        for errors in product(*(range(n * times + 1) for n, times in sizes))
    }
    halves = [(mean * 100 - Fraction(1, 2), mean * 100 + Fraction(1, 2)) for mean in means]
    every = {k for low, high in halves for k in range(math.ceil(low), math.floor(high) + 1)}
    found = printable(sizes, 100)
    assert found is not None
    assert found.tolist() == sorted(every)
    assert len(found) < 101


@pytest.mark.parametrize(
    ("size", "of", "names"),
    [
        (Size(172, 345, (173,)), {}, ["172", "173"]),
        (Size(9, 90), {"splits": 20}, ["20 × 9"]),
        (Size(15, 150), {"cv": 10}, ["10 folds of 15"]),
        (Size(35, 345), {"cv": 10}, ["10 folds of 34 or 35", "345 pooled"]),
        (Size(9, 17), {"cv": 2, "repeats": 5}, ["5 × 2 folds of 8 or 9", "5 × 17 pooled"]),
        (Size(17, 17), {"cv": 2}, ["2 folds of 8 or 9", "17 pooled", "2 folds of 17"]),
        (Size(3, 3), {"cv": 5}, ["5 folds of 1", "5 folds of 3"]),
    ],
)
def test_all_plausible_test_sets_are_asked(
    size: Size, of: dict[str, int], names: list[str]
) -> None:
    assert [sets.name for sets in plausible(size, MeanOf(**of or {"splits": 1}))] == names


@pytest.mark.parametrize("accuracy", [False, True])
@pytest.mark.parametrize("of", ["splits: 1", "cv: 5", "cv: 5, repeats: 2"])
def test_honest_tables_are_never_impossible(tmp_path: Path, of: str, accuracy: bool) -> None:
    rng = np.random.default_rng(7)
    n_folds, repeats = (5 if "cv" in of else 1), (2 if "repeats" in of else 1)
    lines, sizes = [], []
    for i in range(40):
        n_rows, unit, digits = int(rng.integers(9, 400)), 10**2, int(rng.integers(0, 3))
        folds = [len(part) for part in np.array_split(range(n_rows), n_folds)] * repeats
        errors = rng.binomial(folds, rng.uniform(0, 0.5, (4, 1)))
        texts = []
        for j, of_folds in enumerate(errors.tolist()):
            mean = sum(map(Fraction, of_folds, folds)) / len(folds)
            if j % 2:
                mean = Fraction(sum(of_folds), sum(folds))
            half_up = math.floor(
                (1 - mean if accuracy else mean) * unit * 10**digits + Fraction(1, 2)
            )
            texts.append(f"{half_up / 10**digits:.{digits}f}")
        lines.append(f"x{i},{','.join(texts)}\n")
        sizes.append(f"x{i}: [{folds[0]}, {n_rows}]")
    metric = "accuracy" if accuracy else "error"
    facts = (
        f"\n  t: {{unit: percent, metric: {metric}, of: {{{of}}}, n_test: {{{', '.join(sizes)}}}}}"
    )
    found = subject(tmp_path, facts, t=f"d,a,b,c,e\n{''.join(lines)}")
    judged = [f.holds for f in COUNTS.judge(found).findings]
    assert False not in judged
    assert judged.count(True) > 60


def test_a_number_that_no_test_set_gives_fails_and_those_that_are_asked_are_named(
    tmp_path: Path,
) -> None:
    table = "d,a,b\nx,0.090,0.115\n"
    found = subject(tmp_path, "\n  t: {of: {cv: 2}, n_test: {x: [6, 11]}}", t=table)
    one, other = COUNTS.judge(found).findings
    assert (one.holds, other.holds) == (False, False)
    assert one.why == "no number of errors on 2 folds of 5 or 6 or 11 pooled test examples"
    fits = subject(
        tmp_path / "fits", "\n  t: {of: {cv: 2}, n_test: {x: [6, 11]}}", t="d,a\nx,0.091\n"
    )
    assert COUNTS.judge(fits).findings[0].why == "errors on 11 pooled test examples"
