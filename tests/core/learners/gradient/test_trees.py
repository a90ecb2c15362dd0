from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeRegressor

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.learners.gradient.trees import GrownTrees, TreeFitter

pytestmark = pytest.mark.usefixtures("compiled_and_plain")


def draw(m: int, d: int, n_targets: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return features that fit into scikit-learn's single precision, and targets."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, d)).astype(np.float32).astype(np.float64)
    return X, np.sin(X).sum(axis=1) + rng.normal(size=(n_targets, m))


def fitted(
    X: FloatArray, targets: FloatArray, cuts: int = 1, depth: int | None = None
) -> tuple[GrownTrees, FloatArray]:
    """Return trees and their answers on the training examples."""
    trees, leaves = TreeFitter(X, cuts, depth).fit(targets)
    return trees, trees.answers(leaves)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"cuts": 1}, {"max_depth": 1}),
        ({"cuts": 4}, {"max_leaf_nodes": 5}),
        ({"cuts": 9}, {"max_leaf_nodes": 10}),
        ({"depth": 1}, {"max_depth": 1}),
        ({"depth": 3}, {"max_depth": 3}),
    ],
    ids=str,
)
def test_cuts_are_those_of_scikit_learn(
    seed: int, ours: dict[str, int], theirs: dict[str, int]
) -> None:
    X, targets = draw(400, 3, 4, seed)
    new = draw(100, 3, 1, seed + 1000)[0]
    trees, answers = fitted(X, targets, **ours)
    for t, y in enumerate(targets):
        reference = DecisionTreeRegressor(**theirs).fit(X, y)
        inner = reference.tree_.feature >= 0
        expected = zip(
            reference.tree_.feature[inner], reference.tree_.threshold[inner], strict=True
        )
        made = zip(trees.features[t], trees.thresholds[t], strict=True)
        assert sorted(made) == sorted(expected)
        np.testing.assert_allclose(answers[t], reference.predict(X), atol=1e-12)
        np.testing.assert_allclose(
            trees.answers(trees.leaves(new.T))[t], reference.predict(new), atol=1e-12
        )


class Cut(NamedTuple):
    gain: Fraction
    feature: int
    threshold: float


def exactly_best(X: IntArray, y: IntArray) -> Cut:
    """Return the first best cut of all, in exact arithmetic; its gain is 0 if none has one."""
    best = Cut(Fraction(0), 0, np.inf)
    for feature, column in enumerate(X.T):
        values = np.unique(column)
        for threshold in (values[1:] + values[:-1]) / 2:
            right = column > threshold
            sums = [Fraction(int(part.sum())) ** 2 / len(part) for part in (y[right], y[~right])]
            gain = sum(sums) - Fraction(int(y.sum())) ** 2 / len(y)
            if gain > best.gain:
                best = Cut(Fraction(gain), feature, threshold)
    return best


def mean_of_leaves(y: IntArray, leaves: list[IntArray]) -> FloatArray:
    answer = np.empty(len(y))
    for leaf in leaves:
        answer[leaf] = y[leaf].mean()
    return answer


@st.composite
def whole_numbers(draw: st.DrawFn) -> tuple[IntArray, IntArray]:
    """Draw features of few values, so that there are ties, and three targets."""
    m, d = draw(st.integers(1, 14)), draw(st.integers(1, 3))
    features = st.lists(st.integers(-2, 3), min_size=m * d, max_size=m * d)
    targets = st.lists(st.integers(-4, 4), min_size=m * 3, max_size=m * 3)
    return np.array(draw(features)).reshape(m, d), np.array(draw(targets)).reshape(3, m)


@settings(max_examples=60, deadline=None)
@given(whole_numbers(), st.integers(1, 6))
def test_every_cut_is_the_first_best_of_all_leaves_in_exact_arithmetic(
    problem: tuple[IntArray, IntArray], n_cuts: int
) -> None:
    X, targets = problem
    trees, answers = fitted(X.astype(float), targets.astype(float), n_cuts)
    for t, y in enumerate(targets):
        leaves, expected = [np.arange(len(y))], []
        for _ in range(n_cuts):
            best = [exactly_best(X[leaf], y[leaf]) for leaf in leaves]
            # `index` finds the oldest of equally good leaves.
            parent = [cut.gain for cut in best].index(max(cut.gain for cut in best))
            if best[parent].gain == 0:
                break
            expected.append((parent, *best[parent][1:]))
            right = X[leaves[parent], best[parent].feature] > best[parent].threshold
            leaves.append(leaves[parent][right])
            leaves[parent] = leaves[parent][~right]
        parts = (trees.parents[t], trees.features[t], trees.thresholds[t])
        assert [cut for cut in zip(*parts, strict=True) if cut[2] < np.inf] == expected
        np.testing.assert_allclose(answers[t], mean_of_leaves(y, leaves), atol=1e-13)


@settings(max_examples=60, deadline=None)
@given(whole_numbers(), st.integers(1, 4))
def test_every_leaf_is_cut_best_down_to_the_depth_in_exact_arithmetic(
    problem: tuple[IntArray, IntArray], depth: int
) -> None:
    X, targets = problem
    _, answers = fitted(X.astype(float), targets.astype(float), depth=depth)

    def grown(leaf: IntArray, y: IntArray, depth: int) -> list[IntArray]:
        best = exactly_best(X[leaf], y[leaf])
        if depth == 0 or best.gain == 0:
            return [leaf]
        right = X[leaf, best.feature] > best.threshold
        return [*grown(leaf[~right], y, depth - 1), *grown(leaf[right], y, depth - 1)]

    for y, answer in zip(targets, answers, strict=True):
        leaves = grown(np.arange(len(y)), y, depth)
        np.testing.assert_allclose(answer, mean_of_leaves(y, leaves), atol=1e-13)


@pytest.mark.parametrize("size", [{"cuts": 1}, {"cuts": 5}, {"depth": 3}], ids=str)
def test_answers_on_the_training_examples_are_those_of_the_trees(size: dict[str, int]) -> None:
    rng = np.random.default_rng(0)
    X = np.hstack([draw(90, 2, 1, 0)[0], rng.integers(0, 3, (90, 2))])
    trees, answers = fitted(X, rng.normal(size=(5, 90)), **size)
    leaves = trees.leaves(np.ascontiguousarray(X.T))
    np.testing.assert_array_equal(trees.answers(leaves), answers)


@pytest.mark.parametrize("size", [{"cuts": 1}, {"cuts": 5}, {"depth": 3}], ids=str)
def test_a_target_has_the_same_tree_alone_as_among_others(size: dict[str, int]) -> None:
    X, targets = draw(70, 3, 6, 1)
    # A stump fits one target without error, so that its tree has fewer cuts than others.
    targets[2] = np.where(X[:, 1] > 0, 3.0, -1.0)
    _, together = fitted(X, targets, **size)
    for y, answer in zip(targets, together, strict=True):
        np.testing.assert_array_equal(fitted(X, y[None], **size)[1][0], answer)


@pytest.mark.parametrize("low", [1.0, np.nextafter(1.0, 2.0)])
def test_a_threshold_between_neighbouring_numbers_separates_them(low: float) -> None:
    high = np.nextafter(low, 2.0)
    _, answers = fitted(np.array([[low], [high]]), np.array([[0.0, 1.0]]))
    assert answers.tolist() == [[0.0, 1.0]]
    _, answers = fitted(np.array([[low], [high], [9.0]]), np.array([[0.0, 1.0, 9.0]]), 2)
    assert answers.tolist() == [[0.0, 1.0, 9.0]]


@pytest.mark.parametrize("size", [{"cuts": 1}, {"cuts": 4}, {"depth": 3}], ids=str)
@pytest.mark.parametrize(
    "X",
    [np.zeros((5, 2)), np.arange(10.0).reshape(5, 2), np.zeros((1, 1))],
    ids=["constant features", "features", "one example"],
)
def test_a_constant_target_is_answered_by_its_mean(X: FloatArray, size: dict[str, int]) -> None:
    targets = np.full((2, len(X)), [[0.1], [1e9 / 3]])
    trees, answers = fitted(X, targets, **size)
    np.testing.assert_allclose(answers, targets, rtol=1e-15)
    assert not np.isfinite(trees.thresholds).any()


def test_kept_trees_answer_as_before() -> None:
    X, targets = draw(40, 2, 4, 4)
    trees, answers = fitted(X, targets, 3)
    rows = np.array([True, False, False, True])
    kept = trees.keep(rows)
    assert isinstance(kept, GrownTrees)
    leaves = kept.leaves(np.ascontiguousarray(X.T))
    np.testing.assert_array_equal(kept.answers(leaves), answers[rows])
