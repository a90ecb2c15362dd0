from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quadrepro.tables.audit.counts import DIGITS, last_digits
from tests.tables.audit.papers import subject


def test_deviations_of_counts_have_any_digit(tmp_path: Path) -> None:
    facts = "\n  t: {of: {splits: 2}, n_test: {x: 50}}"
    found = subject(tmp_path, facts, t="d,a_mean,a_sd\nx,11.00,1.23\n")
    assert last_digits(found, found.tables[0], "x") == ["3"]


def table(digits: str) -> str:
    numbers = np.random.default_rng(0).integers(100, 999, (30, 2))
    lines = [",".join(f"0.{x}{digits[x % len(digits)]}" for x in row) for row in numbers]
    return "d,a,b\n" + "".join(f"x{i},{line}\n" for i, line in enumerate(lines))


def test_even_digits_alone_fail_and_all_digits_hold(tmp_path: Path) -> None:
    even, every = (
        DIGITS.judge(subject(tmp_path / name, t=table(digits))).findings[0]
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
    ("row", "facts", "digits"),
    [
        ("0.123,0.456", "", ["3", "6"]),
        ("0.123,0.123", "", ["3"]),  # the same vote
        ("0.023,0.456", "", ["6"]),  # two digits are too few
        ("0.123,0.456", "\n  t: {n_test: {x: 999}}", []),  # not any number can be printed
        ("0.123,0.456", "\n  t: {n_test: {x: 1000}}", ["3", "6"]),
    ],
)
def test_only_digits_that_could_be_any_count(
    tmp_path: Path, row: str, facts: str, digits: list[str]
) -> None:
    found = subject(tmp_path, facts, t=f"d,a,b\nx,{row}\n")
    assert last_digits(found, found.tables[0], "x") == digits
