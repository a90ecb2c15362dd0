from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.tables.audit.counts import COUNTS, counts, denominator, share_possible
from tests.tables.audit.papers import failures, places, shipped, subject


def printed(k: int, total: int, digits: int) -> list[str]:
    """Return k/total with so many digits, rounded; both neighbours if it lies between two."""
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
    assert share_possible(total, scale) == pytest.approx(
        1 if total >= scale else len(found) / len(texts)
    )


@given(st.integers(2, 400), st.data())
def test_a_risk_that_was_counted_passes_in_percent_as_well(total: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, total))
    for text in printed(100 * k, total, 2):
        assert k in counts(text, total, percent=True)


def test_of_all_changes_of_a_digit_as_many_pass_as_the_power_says() -> None:
    # 216 of the numbers from .000 to .999 are risks on 216 examples, whatever the last digit.
    passed = [f"0.{n:03d}" for n in range(1000) if counts(f"0.{n:03d}", 216)]
    assert len(passed) / 1000 == pytest.approx(share_possible(216, 1000), abs=0.001)
    changed = [f"{t[:-1]}{d}" for t in passed for d in "0123456789" if d != t[-1]]
    share = sum(bool(counts(text, 216)) for text in changed) / len(changed)
    # A tenth of each ten numbers is the right one.
    assert share == pytest.approx((10 * 0.217 - 1) / 9, abs=0.03)


def test_with_many_examples_every_number_passes() -> None:
    assert share_possible(1000, 1000) == 1
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


def test_ebboosts_ringnorm_has_100_test_examples_and_wisconsin_all_699_rows() -> None:
    found = COUNTS.judge(shipped("ebboost"))
    rows = {f.place.row: f.holds for f in found.findings if f.holds is not None}
    assert rows == {"ringnorm": True, "wisconsin": False}
    assert found.notes[0].endswith("at most: ringnorm (100).")
    first = next(f.why for f in found.findings if f.holds is False)
    # 699 rows, of which 349 are trained on and 175 choose.
    assert "175 is the nearest size that fits the row" in first


def test_the_nearest_size_and_its_chance_are_those_of_brute_force(tmp_path: Path) -> None:
    texts = ["0.093", "0.515", "0.340"]
    fits = [
        n
        for n in range(45, 181)
        if all(any(t in printed(k, n, 3) for k in range(n + 1)) for t in texts)
    ]
    nearest = min(fits, key=lambda n: abs(n - 90))
    away = abs(nearest - 90)
    assert 1 < away < 20
    others = [n for n in range(90 - away, 91 + away) if n != 90]
    chance = 1 - math.prod(1 - share_possible(n, 1000) ** 3 for n in others)
    table = f"dataset,a,b,c\nwine,{','.join(texts)}\n"
    found = subject(tmp_path, "\n  t: {n_test: {wine: 90}}", t=table)
    assert f"{nearest} is the nearest size" in failures(COUNTS, found)[0].why
    assert f"with probability {chance:.2g})" in failures(COUNTS, found)[0].why
