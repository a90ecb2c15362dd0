from __future__ import annotations

import numpy as np
import pytest

from quadrepro.learners.base import rounded_log_values
from quadrepro.learners.greedy.quadboost import QuadBoostL2
from quadrepro.learners.grid import Grid


def test_candidates_run_with_the_first_axis_outermost() -> None:
    grid = Grid.of({"a": [1, 2], "b": [3, 4]})
    assert grid.candidates == [
        {"a": 1, "b": 3},
        {"a": 1, "b": 4},
        {"a": 2, "b": 3},
        {"a": 2, "b": 4},
    ]


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_flattened_weights_follow_the_candidates(names: tuple[str, str]) -> None:
    grid = Grid.of({"a": [1, 2], "b": [3, 4, 5]})
    axes = dict(grid.axes)
    array = np.array([[[[10 * x + y]] for y in axes[names[1]]] for x in axes[names[0]]])
    array = array.reshape(1, len(axes[names[0]]), len(axes[names[1]]), 1)
    flat = grid.flatten(array.astype(float), names)[0, :, 0]
    expected = [10 * c[names[0]] + c[names[1]] for c in grid.candidates]
    assert flat.tolist() == expected


def test_the_papers_scales_have_ten_values_with_exact_ends() -> None:
    rounds = rounded_log_values(1e2, 1e6, 10, integer=True)
    assert rounds == [100, 278, 774, 2154, 5995, 16681, 46416, 129155, 359381, 1000000]
    lam = rounded_log_values(1, 1e-4, 10, integer=False)
    assert (lam[0], lam[-1], len(lam)) == (1.0, 1e-4, 10)


def test_an_integer_scale_drops_values_that_round_together() -> None:
    assert rounded_log_values(1, 4, 10, integer=True) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ({"n_rounds": [10], "lam": [1.0], "C": [1.0]}, "no hyper-parameter 'C'"),
        ({"n_rounds": [10]}, "needs a value of lam"),
        ({"n_rounds": [10], "lam": [-1.0]}, "lam must be positive"),
        ({"n_rounds": [10], "lam": [float("nan")]}, "lam must be positive and finite"),
        ({"n_rounds": [10.5], "lam": [1.0]}, "n_rounds takes whole numbers"),
        ({"n_rounds": [20, 10], "lam": [1.0]}, "n_rounds must increase"),
        ({"n_rounds": [10], "lam": [1.0, 2.0]}, "lam must decrease"),
        ({"n_rounds": [10, 10], "lam": [1.0]}, "n_rounds lists a value twice"),
    ],
)
def test_a_grid_that_does_not_fit_the_algorithm_is_refused(
    axes: dict[str, list[float]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        QuadBoostL2().path(np.ones((2, 1)), np.array([1.0, -1.0]), Grid.of(axes))


def test_an_empty_axis_is_refused() -> None:
    with pytest.raises(ValueError, match="'lam' has no value"):
        Grid.of({"lam": []})
