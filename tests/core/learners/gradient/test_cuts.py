from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.gradient.trees import (
    LeafSearch,
    RootSearch,
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


@pytest.mark.usefixtures("compiled_and_plain")
@settings(max_examples=50, deadline=None)
@given(st.integers(2, 30), st.integers(2, 9), st.integers(0, 10**6))
def test_the_gain_is_the_decrease_of_the_sum_of_squares(m: int, levels: int, seed: int) -> None:
    X, targets = draw(m, levels, seed)
    centred = targets - targets.sum(axis=1, keepdims=True) // m
    features = SortedFeatures(X)
    roots, rows, thresholds = RootSearch(features).best(centred)
    for whole, root, row, threshold in zip(centred, roots, rows, thresholds, strict=True):
        right, y = features.varying[row] > threshold, whole / np.abs(whole).max()
        if right.any():
            parts = sum(np.square(part - part.mean()).sum() for part in (y[right], y[~right]))
            expected = np.sqrt(np.square(y).sum() - parts)
            assert root / np.abs(whole).max() == pytest.approx(expected, abs=1e-7)
        else:
            assert root == 0


@settings(max_examples=50, deadline=None)
@given(st.integers(3, 30), st.integers(2, 9), st.integers(0, 10**6))
def test_a_leaf_has_the_best_cut_of_its_examples_alone(m: int, levels: int, seed: int) -> None:
    X, targets = draw(m, levels, seed)
    X = np.hstack([X, np.arange(m)[:, None]])
    rng = np.random.default_rng(seed)
    leaves = rng.integers(0, 4, targets.shape).astype(np.int32)
    counts = np.stack([(leaves == leaf).sum(axis=1) for leaf in range(5)], axis=1)
    centred = np.zeros_like(targets)
    for t, leaf in np.ndindex(counts.shape):
        if counts[t, leaf]:
            own = leaves[t] == leaf
            centred[t, own] = targets[t, own] - targets[t, own].sum() // own.sum()
    sorted_features = SortedFeatures(X)
    search = LeafSearch(sorted_features)
    roots = search.evaluate(centred, leaves, counts)
    for leaf in range(5):
        rows, thresholds = search.best(np.full(2, leaf))
        for t in range(2):
            own = leaves[t] == leaf
            if own.sum() < 2:
                assert roots[t, leaf] == 0
                continue
            alone = SortedFeatures(X[own])
            [root], [row], [threshold] = RootSearch(alone).best(centred[t : t + 1, own])
            assert roots[t, leaf] == pytest.approx(root, rel=1e-12)
            found = sorted_features.index[rows[t]], thresholds[t]
            assert found == (alone.index[row], threshold)
