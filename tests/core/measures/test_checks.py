from __future__ import annotations

import numpy as np
import pytest

from quadrepro.core.measures.concentration import check_delta, check_falls, in_range, margin_matrix


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, np.nan])
def test_a_probability_of_failure_lies_between_zero_and_one(delta: float) -> None:
    check_delta(0.5)
    with pytest.raises(ValueError, match=r"delta is a probability in \(0, 1\), not"):
        check_delta(delta)


def test_both_ends_of_a_range_are_inside_and_nothing_beyond_them() -> None:
    assert in_range("gamma", [0, 0.5], 0.5).tolist() == [0, 0.5]
    for value in (-1e-9, 0.5 + 1e-9, np.nan):
        with pytest.raises(ValueError, match=r"gamma must be in \[0, 0.5\], not"):
            in_range("gamma", value, 0.5)


def test_the_first_round_in_which_a_loss_rises_is_named() -> None:
    check_falls(np.array([True, True]), "quadratic", "QuadBoost")
    message = "the quadratic loss rises in round 2: these are not the margins of QuadBoost"
    with pytest.raises(ValueError, match=message):
        check_falls(np.array([True, False, False]), "quadratic", "QuadBoost")


@pytest.mark.parametrize("shape", [(3,), (0, 3), (3, 0), (1, 1, 1)])
def test_margins_are_a_matrix_of_examples_by_rounds(shape: tuple[int, ...]) -> None:
    assert margin_matrix(np.ones((2, 1))).tolist() == [[1], [1]]
    with pytest.raises(ValueError, match="margins must be a matrix of examples by rounds, not"):
        margin_matrix(np.ones(shape))
