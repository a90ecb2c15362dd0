from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quadrepro.base.types import BoolArray, FloatArray
from quadrepro.core import compiling
from quadrepro.core.learners.gradient import trees
from quadrepro.core.learners.gradient.trees import (
    SortedFeatures,
    WholeArray,
    largest_whole,
    whole_numbers,
)


def draw(m: int, levels: int, seed: int) -> tuple[FloatArray, WholeArray]:
    """Return features with ties and targets."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, levels, (m, 3)).astype(float), whole_numbers(rng.normal(size=(2, m)))[0]


@pytest.mark.parametrize("m", [1, 2, 3, 1000, 1024])
def test_whole_numbers_are_the_targets_in_units_of_their_own(m: int) -> None:
    rng = np.random.default_rng(m)
    scales = np.array([[1.0], [1e-200], [1e200], [1.7e308], [5e-324], [0.0]])
    targets = scales * np.append(rng.uniform(-1, 1, (6, m - 1)), np.ones((6, 1)), axis=1)
    whole, units = whole_numbers(targets)
    limit = largest_whole(m)
    assert m * limit < 2**62 <= 4 * m * limit
    sizes = np.abs(whole).max(axis=1)
    assert ((limit / 2 <= sizes[:4]) & (sizes[:4] <= limit)).all()
    errors = np.abs(whole * units[:, None] - targets).max(axis=1)
    assert (errors <= units).all()


@pytest.mark.parametrize("odd", [np.inf, -np.inf, np.nan])
def test_targets_that_are_not_finite_have_no_unit(odd: float) -> None:
    whole, units = whole_numbers(np.array([[1.0, odd, 2.0], [1.0, -0.5, 0.75]]))
    assert whole[0].tolist() == [0, 0, 0]
    assert np.isnan(units[0])
    assert (whole[1] * units[1]).tolist() == [1.0, -0.5, 0.75]


def test_features_that_vary_are_sorted_and_others_left_out() -> None:
    features = SortedFeatures(np.array([[1.0, 3.0, 0.5], [1.0, 1.0, 0.5], [1.0, 2.0, 0.0]]))
    assert features.index.tolist() == [1, 2]
    assert features.varying.tolist() == [[3.0, 1.0, 2.0], [0.5, 0.5, 0.0]]
    assert features.tied.tolist() == [False, True]
    assert features.order.tolist() == [[1, 2, 0], [2, 0, 1]]
    assert features.values.tolist() == [[1.0, 2.0, 3.0], [0.0, 0.5, 0.5]]


def best_cuts(X: FloatArray, targets: WholeArray) -> list[trees.Cut]:
    """Return the best cut of all examples for each target, by the compiled search if there is."""
    if loops := compiling.beside(trees.__name__):
        means = targets.sum(axis=1) // len(X)
        found = trees.RootSearch(SortedFeatures(X)).best(loops, targets, means)
        return list(zip(*(part.tolist() for part in found), strict=True))
    return [best_of_leaf(X, whole, np.ones(len(X), dtype=np.bool_)) for whole in targets]


def best_of_leaf(X: FloatArray, whole: WholeArray, held: BoolArray) -> trees.Cut:
    return trees.TreeGrower(X)._best_cut(partial(trees._gains, whole, 1), held)


@pytest.mark.usefixtures("compiled_and_plain")
@settings(max_examples=50, deadline=None)
@given(st.integers(2, 30), st.integers(2, 9), st.integers(0, 10**6))
def test_the_gain_is_the_decrease_of_the_sum_of_squares(m: int, levels: int, seed: int) -> None:
    X, targets = draw(m, levels, seed)
    features = SortedFeatures(X)
    for whole, (root, row, threshold) in zip(targets, best_cuts(X, targets), strict=True):
        right, y = features.varying[row] > threshold, whole / np.abs(whole).max()
        if right.any():
            parts = sum(np.square(part - part.mean()).sum() for part in (y[right], y[~right]))
            expected = np.sqrt(np.square(y - y.mean()).sum() - parts)
            assert root / np.abs(whole).max() == pytest.approx(expected, abs=1e-7)
        else:
            assert root == 0


@settings(max_examples=50, deadline=None)
@given(st.integers(3, 30), st.integers(2, 9), st.integers(0, 10**6))
def test_a_leaf_has_the_best_cut_of_its_examples_alone(m: int, levels: int, seed: int) -> None:
    X, targets = draw(m, levels, seed)
    X = np.hstack([X, np.arange(m)[:, None]])
    held = np.random.default_rng(seed).random(m) < 0.5
    root, row, threshold = best_of_leaf(X, targets[0], held)
    if held.sum() < 2:
        assert root == 0
        return
    [(expected, of_alone, at)] = best_cuts(X[held], targets[:1, held])
    assert root == pytest.approx(expected, rel=1e-12)
    found = SortedFeatures(X).index[row], threshold
    assert found == (SortedFeatures(X[held]).index[of_alone], at)
