from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.gradient.trees import TreeFitter, WeightedTreeFitter

SIZES = [{}, {"cuts": 5}, {"depth": 3}]


def examples(seed: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return examples that single precision holds, as scikit-learn's trees need."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 20, (60, 4)) / 4.0
    targets = np.stack([np.sin(X[:, 0]) + X[:, 1] + rng.normal(0, 0.3, 60), rng.normal(size=60)])
    return X, targets, rng.integers(1, 5, 60).astype(np.float64)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(5))
def test_whole_weights_give_the_tree_of_repeated_rows(seed: int, size: dict[str, int]) -> None:
    X, targets, weights = examples(seed)
    n = weights.astype(int)
    expected, _ = TreeFitter(X.repeat(n, axis=0), **size).fit(targets.repeat(n, axis=1))
    found, leaves = WeightedTreeFitter(X, 0.3 * weights, **size).fit(targets)
    np.testing.assert_array_equal(found.thresholds, expected.thresholds)
    np.testing.assert_array_equal(found.features, expected.features)
    np.testing.assert_array_equal(found.parents, expected.parents)
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(leaves, found.leaves(X.T))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("seed", range(5))
def test_a_tree_of_any_depth_is_that_of_scikit_learn(seed: int, share: float) -> None:
    X, targets, _ = examples(seed)
    weights = np.random.default_rng(seed).uniform(0.1, 3.0, 60)
    trees, leaves = WeightedTreeFitter(X, weights, depth=3, least_share=share).fit(targets)
    for target, answers in zip(targets, trees.answers(leaves), strict=True):
        theirs = DecisionTreeRegressor(max_depth=3, min_weight_fraction_leaf=share, random_state=0)
        np.testing.assert_allclose(answers, theirs.fit(X, target, weights).predict(X), rtol=1e-6)


def test_targets_that_are_not_finite_give_one_leaf_of_nan() -> None:
    X, targets, weights = examples(0)
    targets[0, 3] = np.inf
    trees, leaves = WeightedTreeFitter(X, weights).fit(targets)
    assert np.isnan(trees.values[0, 0])
    assert not leaves[0].any()
    assert np.isfinite(trees.values[1]).all()


def test_the_mean_of_equal_targets_is_that_target() -> None:
    X = np.arange(20.0)[:, None]
    targets = np.array([[0.1] * 10 + [0.3] * 10])
    for seed in range(10):
        weights = np.random.default_rng(seed).uniform(0.1, 3.0, 20)
        trees, _ = WeightedTreeFitter(X, weights).fit(targets)
        assert trees.values.tolist() == [[0.1, 0.3]]
