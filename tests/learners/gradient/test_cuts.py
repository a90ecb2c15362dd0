from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from quadrepro._typing import FloatArray
from quadrepro.learners.gradient.cuts import LeafSearch, RootSearch, SortedFeatures


def draw(m: int, levels: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return features with ties and targets."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, levels, (m, 3)).astype(float), rng.normal(size=(2, m))


def test_features_that_vary_are_sorted_and_others_left_out() -> None:
    features = SortedFeatures(np.array([[1.0, 3.0, 0.5], [1.0, 1.0, 0.5], [1.0, 2.0, 0.0]]))
    assert features.index.tolist() == [1, 2]
    assert features.order.tolist() == [[1, 2, 0], [2, 0, 1]]
    assert features.values.tolist() == [[1.0, 2.0, 3.0], [0.0, 0.5, 0.5]]


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 30), st.integers(2, 9), st.integers(0, 10**6))
def test_the_gain_is_the_decrease_of_the_sum_of_squares(m: int, levels: int, seed: int) -> None:
    X, targets = draw(m, levels, seed)
    centred = targets - targets.mean(axis=1, keepdims=True)
    roots, features, thresholds = RootSearch(SortedFeatures(X)).best(centred)
    for y, root, feature, threshold in zip(centred, roots, features, thresholds, strict=True):
        right = X[:, feature] > threshold
        if right.any():
            parts = sum(np.square(part - part.mean()).sum() for part in (y[right], y[~right]))
            np.testing.assert_allclose(root**2, np.square(y).sum() - parts, atol=1e-12)
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
            centred[t, own] = targets[t, own] - targets[t, own].mean()
    search = LeafSearch(SortedFeatures(X))
    roots = search.evaluate(centred, leaves, counts)
    for leaf in range(5):
        features, thresholds = search.best(np.full(2, leaf))
        for t in range(2):
            own = leaves[t] == leaf
            if own.sum() < 2:
                assert roots[t, leaf] == 0
                continue
            alone = RootSearch(SortedFeatures(X[own])).best(centred[t : t + 1, own])
            np.testing.assert_allclose(roots[t, leaf], alone[0][0], atol=1e-12)
            assert (features[t], thresholds[t]) == (alone[1][0], alone[2][0])
