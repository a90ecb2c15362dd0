from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quadrepro.tables.audit.counts import DIGITS, last_digits
from tests.tables.audit.papers import subject


@pytest.mark.parametrize(("splits", "digits"), [(2, []), (20, ["1.23"])])
def test_deviations_of_counts_over_many_splits_have_any_digit(
    tmp_path: Path, splits: int, digits: list[str]
) -> None:
    facts = f"\n  t: {{of: {{splits: {splits}}}, n_test: {{x: 50}}}}"
    found = subject(tmp_path, facts, t="d,a_mean,a_sd\nx,11.00,1.23\n")
    assert [text for text, _ in last_digits(found, found.tables[0], "x")] == digits


def table(digits: str) -> str:
    numbers = np.random.default_rng(0).integers(100, 999, (30, 2))
    lines = [",".join(f"0.{x}{digits[x % len(digits)]}" for x in row) for row in numbers]
    return "d,a,b\n" + "".join(f"x{i},{line}\n" for i, line in enumerate(lines))


SIZES = f"\n  t: {{n_test: {{{', '.join(f'x{i}: 10000' for i in range(30))}}}}}"


def test_even_digits_alone_fail_and_all_digits_hold(tmp_path: Path) -> None:
    even, every = (
        DIGITS.judge(subject(tmp_path / name, SIZES, t=table(digits))).findings[0]
        for name, digits in (("even", "02468"), ("every", "0123456789"))
    )
    assert even.holds is False
    assert every.holds is True
    assert even.p_value is not None
    assert even.p_value < 1e-6


def test_few_numbers_are_not_judged(tmp_path: Path) -> None:
    [finding] = DIGITS.judge(subject(tmp_path, t="d,a\nx,0.123\n")).findings
    assert finding.holds is None


@pytest.mark.parametrize(
    ("row", "n_test", "digits"),
    [
        ("0.123,0.456", 1000, ["0.123", "0.456"]),
        ("0.123,0.123", 1000, ["0.123"]),  # the same vote
        ("0.023,0.456", 1000, ["0.456"]),  # two digits are too few
        ("0.123,0.456", 999, []),  # not any number can be printed
        ("0.123,0.456", None, []),  # nor is it known
    ],
)
def test_only_digits_that_could_be_any_count(
    tmp_path: Path, row: str, n_test: int | None, digits: list[str]
) -> None:
    facts = f"\n  t: {{n_test: {{x: {n_test}}}}}" if n_test else ""
    found = subject(tmp_path, facts, t=f"d,a,b\nx,{row}\n")
    assert [text for text, _ in last_digits(found, found.tables[0], "x")] == digits


def test_digits_are_as_likely_as_numbers_of_errors_give_them(tmp_path: Path) -> None:
    # Of 1500 examples two counts are printed as an even number of thousandths, and one or two as an
    # odd one, since a count halfway is printed as either.
    found = subject(tmp_path, "\n  t: {n_test: {x: 1500}}", t="d,a\nx,0.123\n")
    [(_, weights)] = last_digits(found, found.tables[0], "x")
    by_hand = [
        sum(abs(2000 * errors - 2 * k * 1500) <= 1500 for errors in range(1501))
        for k in range(120, 130)
    ]
    assert weights == pytest.approx([n / sum(by_hand) for n in by_hand])
