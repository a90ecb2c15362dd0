from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.tables.audit.ranges import judge_deviations, judge_ranges, largest_deviation, too_small
from tests.tables.audit.papers import CONFIG, findings, places, subject


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
    facts = "{unit: percent, of: {splits: 2}, n_test: {x: 9, y: 9}}"
    found = subject(tmp_path, facts=facts, t=table)
    assert [*places(judge_ranges, found).values()] == [True, True, True, False]


def test_numbers_out_of_their_range_fail(tmp_path: Path) -> None:
    found = subject(
        tmp_path,
        risks="{unit: fraction, n_test: {x: 9}}\nd,a,b\nx,1.2,0.9\n",
        m="{holds: margins, of: {splits: 20}}\nd,a_mean,a_sd\nx,0.9,0.8\ny,-1.1,0.1\n",
        e="{of: {splits: 20}, n_test: {x: 9, y: 9}}\nd,a_mean,a_sd\nx,1.0,20.0\ny,101,1\n",
        r="{of: {splits: 20}}\nd,a_mean,a_sd\nx,200,300\ny,200,900\n",
        acc="{metric: accuracy, unit: percent}\nd,a,b\nx,90,105\n",
    )
    assert {place for place, holds in places(judge_ranges, found).items() if not holds} == {
        ("risks", "x", "a"),
        ("acc", "x", "b"),
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
    facts = "{of: {splits: 20}, config: ../small.yaml}"
    found = subject(tmp_path, facts=facts, config=config, t="d,boosting_mean\ndiabetes,159.0\n")
    assert places(judge_ranges, found) == {("t", "diabetes", "boosting_mean"): True}


def test_the_p_value_is_uniform_if_test_sets_share_rows() -> None:
    rng = np.random.default_rng(1)
    # 300 of 1000 rows are wrong, and 400 are tested.
    risks = rng.hypergeometric(300, 700, 400, (4000, 20)) / 400
    p = [too_small(0.3, sd, 20, 400, 0.4) for sd in risks.std(axis=1, ddof=1)]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.015)


TABLE = "d,a_mean,a_sd,b_mean,b_sd\nx,10.0,0.1,10.0,3.0\ny,10.0,3.0,0.0,0.0\nz,10.0,1.0,,\n"


def test_a_deviation_below_the_floor_fails(tmp_path: Path) -> None:
    facts = "{unit: percent, of: {splits: 20}, n_test: {x: [100, 200], y: [100, 200], z: 50}}"
    assert places(judge_deviations, subject(tmp_path, facts=facts, t=TABLE)) == {
        ("t", "x", "a"): False,
        ("t", "x", "b"): True,
        ("t", "y", "a"): True,
        ("t", "y", "b"): None,
        ("t", "z", "a"): None,
    }


def test_a_deviation_may_have_been_rounded_down(tmp_path: Path) -> None:
    facts = "{unit: percent, of: {splits: 20}, n_test: {z: [100, 200]}}"
    found = subject(tmp_path, facts=facts, t=TABLE)
    p_values = [f.p_value for f in findings(judge_deviations, found) if f.p_value is not None]
    assert p_values == [pytest.approx(too_small(0.0995, 0.0105, 20, 100, 0.5))]


def test_majority_rule_on_balanced_classes_has_no_deviation_at_all(tmp_path: Path) -> None:
    # Half of each class is trained on, so that each test set has 25 of 50 errors.
    facts = "{unit: percent, of: {splits: 20}, n_test: {x: [50, 100]}}"
    found = subject(tmp_path, facts=facts, t="d,a_mean,a_sd\nx,50.0,0.0\n")
    [finding] = findings(judge_deviations, found)
    assert finding.verdict == "fails unless"
    assert "stratified" in finding.unless
    folds = subject(tmp_path / "cv", facts=facts.replace("splits", "cv"), t=TABLE)
    assert {*places(judge_deviations, folds).values()} == {None}


def test_a_mean_is_as_rounded_as_the_deviation_needs(tmp_path: Path) -> None:
    # A mean printed as 0 or 1 percent can be half a percent.
    facts = "{unit: percent, of: {splits: 20}, n_test: {x: [50, 500], y: [50, 500]}}"
    found = subject(tmp_path, facts=facts, t="d,a_mean,a_sd\nx,1,1\ny,0,0\n")
    p_values = [f.p_value for f in findings(judge_deviations, found)]
    assert p_values == [pytest.approx(too_small(0.005, 0.015, 20, 50, 0.1)), None]
