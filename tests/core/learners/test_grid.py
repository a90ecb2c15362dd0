from __future__ import annotations

import numpy as np
import pytest

from quadrepro.core.learners.grid import Grid


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


def test_an_axis_that_the_grid_does_not_name_is_none_and_has_length_one() -> None:
    grid = Grid.of({"b": [3, 4]})
    assert (grid.axis("b"), grid.axis("a")) == ((3, 4), None)
    flat = grid.flatten(np.arange(12.0).reshape(2, 1, 2, 3), ("a", "b"))
    np.testing.assert_array_equal(flat, np.arange(12.0).reshape(2, 2, 3))


def test_an_empty_axis_is_refused() -> None:
    with pytest.raises(ValueError, match="'lam' has no value"):
        Grid.of({"lam": []})
