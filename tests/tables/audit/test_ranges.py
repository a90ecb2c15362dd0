from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.tables.audit.ranges import RANGES, largest_deviation
from tests.tables.audit.papers import CONFIG, places, shipped, subject


@given(st.lists(st.floats(0, 100), min_size=2, max_size=30))
def test_no_numbers_deviate_more_than_the_largest(numbers: list[float]) -> None:
    mean, sd = np.mean(numbers), np.std(numbers, ddof=1)
    assert sd <= largest_deviation(float(mean), 0, 0, 100, len(numbers)) * (1 + 1e-9) + 1e-9
    assert sd <= largest_deviation(float(mean), 0, 0, math.inf, len(numbers)) * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("numbers", [[0, 100], [0, 0, 100, 100], [0, 0, 0, 7]])
def test_numbers_at_the_ends_reach_it(numbers: list[float]) -> None:
    high = math.inf if max(numbers) == 7 else 100
    largest = largest_deviation(float(np.mean(numbers)), 0, 0, high, len(numbers))
    assert largest == pytest.approx(np.std(numbers, ddof=1))


def test_rounding_of_the_mean_allows_for_more() -> None:
    assert largest_deviation(0.0, 0.5, 0, 100, 20) > largest_deviation(0.0, 0.0, 0, 100, 20) == 0


def test_a_deviation_may_have_been_rounded_up(tmp_path: Path) -> None:
    # 0 and 100 deviate by 70.71.
    table = "d,a_mean,a_sd\nx,50,71\ny,50,72\n"
    found = subject(tmp_path, "\n  t: {of: {splits: 2}, n_test: {x: 9, y: 9}}", t=table)
    assert [*places(RANGES, found).values()] == [True, True, True, False]


def test_numbers_out_of_their_range_fail(tmp_path: Path) -> None:
    found = subject(
        tmp_path,
        "\n  m: {holds: margins, of: {splits: 20}}\n  e: {of: {splits: 20}, n_test: {x: 9, y: 9}}"
        "\n  r: {of: {splits: 20}}\n  risks: {unit: fraction, n_test: {x: 9}}",
        risks="d,a,b\nx,1.2,0.9\n",
        m="d,a_mean,a_sd\nx,0.9,0.8\ny,-1.1,0.1\n",
        e="d,a_mean,a_sd\nx,1.0,20.0\ny,101,1\n",
        r="d,a_mean,a_sd\nx,200,300\ny,200,900\n",
    )
    assert {place for place, holds in places(RANGES, found).items() if not holds} == {
        ("risks", "x", "a"),
        ("m", "x", "a_sd"),
        ("m", "y", "a_mean"),
        ("m", "y", "a_sd"),
        ("r", "y", "a_sd"),
        ("e", "x", "a_sd"),
        ("e", "y", "a_mean"),
        ("e", "y", "a_sd"),
    }


def test_predicted_numbers_have_no_upper_end(tmp_path: Path) -> None:
    config = CONFIG.replace("monks, wine", "diabetes").replace("quadboost\ndata", "rescale\ndata")
    config = config.replace(
        "{name: quadboost, grid: {n_rounds: [1, 10]}}", "{name: boosting, grid: {n_rounds: 9}}"
    )
    config = config.replace("view: rescale", "view: rescale\n  normalise: none\n  holdout: {}")
    facts = "\n  t: {of: {splits: 20}, config: ../small.yaml}"
    found = subject(tmp_path, facts, config=config, t="d,boosting_mean\ndiabetes,159.0\n")
    assert places(RANGES, found) == {("t", "diabetes", "boosting_mean"): True}


def test_all_shipped_numbers_are_possible() -> None:
    assert {n: len(places(RANGES, shipped(n))) for n in ("quadboost", "ebboost", "rescale")} == {
        "quadboost": 186,
        "ebboost": 288,
        "rescale": 200,
    }
    for name in ("quadboost", "ebboost", "rescale"):
        assert all(places(RANGES, shipped(name)).values())
