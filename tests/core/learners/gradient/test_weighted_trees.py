from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.gradient.trees import TreeFitter
from quadrepro.core.learners.gradient.weighted_trees import WeightedTreeFitter

pytestmark = pytest.mark.usefixtures("compiled_and_plain")

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


@pytest.mark.parametrize("size", [{"cuts": 5}, {"depth": 3}], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_trees_without_weights_have_the_same_leaves_of_a_least_share(
    seed: int, size: dict[str, int]
) -> None:
    X, targets, _ = examples(seed)
    found, leaves = TreeFitter(X, **size, least_share=0.15).fit(targets)
    expected, _ = WeightedTreeFitter(X, np.ones(60), **size, least_share=0.15).fit(targets)
    np.testing.assert_array_equal(found.thresholds, expected.thresholds)
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-12, atol=1e-14)
    assert min(np.bincount(own).min() for own in leaves) == 9


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


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({}, {"max_depth": 1}),
        ({"cuts": 6}, {"max_leaf_nodes": 7}),
        ({"depth": 3}, {"max_depth": 3}),
    ],
    ids=str,
)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_a_tree_of_the_classes_is_that_of_scikit_learn_by_gini(
    n_classes: int, ours: dict[str, int], theirs: dict[str, int]
) -> None:
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(150, 4)).astype(np.float32).astype(np.float64)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=150)).argsort().argsort() * n_classes // 150
    weights = rng.exponential(size=150)
    weights /= weights.mean()
    tree = DecisionTreeClassifier(**theirs, random_state=0).fit(X, y, weights)
    fitter = WeightedTreeFitter(X, np.ones(150), **ours)
    of_classes = (y == np.arange(n_classes)[:, None]).astype(np.float64)
    trees, leaves = fitter.grow(of_classes[None], weights[None])
    np.testing.assert_allclose(trees.values[:, leaves[0]].T, tree.predict_proba(X), atol=1e-12)
    if n_classes == 2:
        signs, leaves = fitter.grow(np.where(y == 1, 1.0, -1.0)[None, None], weights[None])
        np.testing.assert_allclose(
            (1 + signs.answers(leaves)[0]) / 2, tree.predict_proba(X)[:, 1], atol=1e-12
        )


def test_examples_without_weight_make_no_difference() -> None:
    X, targets, weights = examples(3)
    weights[::3] = 0.0
    kept = weights > 0
    fitter = WeightedTreeFitter(X, np.ones(60), 4)
    found, _ = fitter.grow(targets[:1, None], weights[None] / weights.mean())
    few = WeightedTreeFitter(X[kept], weights[kept], 4).fit(targets[:1, kept])[0]
    new = X[kept].T
    np.testing.assert_allclose(
        found.answers(found.leaves(new)), few.answers(few.leaves(new)), rtol=1e-12
    )
