from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.tables.audit.ranges import largest_deviation, too_small
from tests.tables.audit.papers import CONFIG, found, subject, verdicts


@given(st.lists(st.floats(0, 100), min_size=2, max_size=30))
def test_no_numbers_deviate_more_than_the_largest(numbers: list[float]) -> None:
    mean, sd = np.mean(numbers), np.std(numbers, ddof=1)
    for high in (100, math.inf):
        largest = largest_deviation(float(mean), 0, 0, high, len(numbers))
        assert sd <= largest * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("numbers", [[0, 100], [0, 0, 100, 100], [0, 0, 0, 7]])
def test_numbers_at_the_ends_reach_it_and_rounding_of_the_mean_allows_for_more(
    numbers: list[float],
) -> None:
    mean, high, n = float(np.mean(numbers)), math.inf if 7 in numbers else 100, len(numbers)
    assert largest_deviation(mean, 0, 0, high, n) == pytest.approx(np.std(numbers, ddof=1))
    assert largest_deviation(2.0, 0.5, 0, high, n) > largest_deviation(2.0, 0.0, 0, high, n)


def test_numbers_out_of_their_range_fail(tmp_path: Path) -> None:
    percent, sizes = "unit: percent", "n_test: {x: 9, y: 9}"
    of = subject(
        tmp_path,
        risks="{unit: fraction, n_test: {x: 9}}\nd,a,b\nx,1.2,0.9\n",
        m="{holds: margins, of: {splits: 20}}\nd,a_mean,a_sd\nx,0.9,0.8\ny,-1.1,0.1\n",
        e=f"{{{percent}, of: {{splits: 20}}, {sizes}}}\nd,a_mean,a_sd\nx,1.0,20.0\ny,101,1\n",
        r="{unit: percent, of: {splits: 20}}\nd,a_mean,a_sd\nx,200,300\ny,200,900\n",
        acc="{metric: accuracy, unit: percent}\nd,a,b\nx,90,105\n",
        # 0 and 100 deviate by 70.71, which may have been rounded up.
        s=f"{{{percent}, of: {{splits: 2}}, {sizes}}}\nd,a_mean,a_sd\nx,50,71\ny,50,72\n",
    )
    wrong = {place for place, holds in verdicts("ranges", of).items() if not holds}
    assert wrong == {
        *("risks x a", "acc x b", "m x a_sd", "m y a_mean", "m y a_sd"),
        *("r y a_sd", "e x a_sd", "e y a_mean", "e y a_sd", "s y a_sd"),
    }


def test_predicted_numbers_have_no_upper_end(tmp_path: Path) -> None:
    config = CONFIG.replace("monks, wine", "diabetes").replace("quadboost, grid", "boosting, grid")
    config = config.replace("view: quadboost", "view: rescale\n  normalise: none\n  holdout: {}")
    facts = "{unit: percent, of: {splits: 20}, config: ../small.yaml}"
    of = subject(tmp_path, facts=facts, config=config, t="d,boosting_mean\ndiabetes,159.0\n")
    assert verdicts("ranges", of) == {"t diabetes boosting_mean": True}


def test_the_p_value_is_uniform_if_test_sets_share_rows() -> None:
    rng = np.random.default_rng(1)
    # 300 of 1000 rows are wrong, and 400 are tested.
    risks = rng.hypergeometric(300, 700, 400, (4000, 20)) / 400
    p = [too_small(0.3, sd, 20, 400, 0.4) for sd in risks.std(axis=1, ddof=1)]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.015)


SIZES = "{unit: percent, of: {splits: 20}, n_test: {x: [100, 200], y: [100, 200], z: 50}}"
TABLE = "d,a_mean,a_sd,b_mean,b_sd\nx,10.0,0.1,10.0,3.0\ny,10.0,3.0,0.0,0.0\nz,10.0,1.0,,\n"


def test_a_deviation_below_the_floor_fails_unless_splits_are_stratified(tmp_path: Path) -> None:
    of = subject(tmp_path, facts=SIZES, t=TABLE)
    assert verdicts("deviations", of) == {
        **{"t x a": False, "t x b": True, "t y a": True, "t y b": None, "t z a": None}
    }
    finding = found("deviations", of)[0]
    assert finding.verdict == "fails unless"
    assert "stratified" in finding.unless
    folds = subject(tmp_path / "cv", facts=SIZES.replace("splits", "cv"), t=TABLE)
    assert {*verdicts("deviations", folds).values()} == {None}


@pytest.mark.parametrize(
    ("printed", "n_test", "used"),
    [
        ("10.0,1.0", "[100, 200]", (0.0995, 0.0105, 20, 100, 0.5)),
        ("1,1", "[50, 500]", (0.005, 0.015, 20, 50, 0.1)),  # 1 percent can be half a percent.
        ("60,1", "[50, 500]", (0.605, 0.015, 20, 50, 0.1)),
    ],
)
def test_numbers_are_rounded_as_the_deviation_needs(
    tmp_path: Path, printed: str, n_test: str, used: tuple[float, float, int, int, float]
) -> None:
    facts = f"{{unit: percent, of: {{splits: 20}}, n_test: {{x: {n_test}}}}}"
    [finding] = found("deviations", subject(tmp_path, facts=facts, t=f"d,a_mean,a_sd\nx,{printed}"))
    assert finding.p_value == pytest.approx(too_small(*used))
