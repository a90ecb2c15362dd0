from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.learners.cuts import CODE_BITS, MOST_CHUNKS, N_ADJACENT, Chunks
from quadrepro.core.learners.trees import (
    MANY_EXAMPLES,
    TreeFitter,
    Trees,
    _cut_by_cut,
    _walk_down,
)

each_size = pytest.mark.parametrize("size", [{"cuts": 1}, {"cuts": 5}, {"depth": 3}], ids=str)


def draw(m: int, d: int, n_targets: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return features that fit into scikit-learn's single precision, and targets."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, d)).astype(np.float32).astype(np.float64)
    return X, np.sin(X).sum(axis=1) + rng.normal(size=(n_targets, m))


def mixed(m: int, seed: int) -> FloatArray:
    """Return features without ties, with few values, mostly 0 and constant."""
    rng = np.random.default_rng(seed)
    sparse = np.where(rng.random((m, 2)) < 0.7, 0.0, rng.normal(size=(m, 2)).round(1))
    return np.hstack([rng.normal(size=(m, 1)), rng.integers(0, 3, (m, 2)), sparse, np.ones((m, 1))])


def fitted(
    X: FloatArray, targets: FloatArray, weights: FloatArray | None = None, **size: Any
) -> tuple[Trees, FloatArray]:
    """Return trees and their answers on the training examples."""
    trees, leaves = TreeFitter(X, **size).fit(targets, weights)
    return trees, trees.answers(leaves)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"cuts": 1}, {"max_depth": 1}),
        ({"cuts": 4}, {"max_leaf_nodes": 5}),
        ({"cuts": 9}, {"max_leaf_nodes": 10}),
        ({"depth": 3}, {"max_depth": 3}),
        ({"depth": 3, "least_share": 0.1}, {"max_depth": 3, "min_weight_fraction_leaf": 0.1}),
        ({"depth": 2, "least_share": 0.3}, {"max_depth": 2, "min_weight_fraction_leaf": 0.3}),
    ],
    ids=str,
)
def test_cuts_are_those_of_scikit_learn(
    ours: dict[str, Any], theirs: dict[str, Any], weighted: bool
) -> None:
    (X, targets), new = draw(300, 3, 8, 0), draw(100, 3, 1, 1000)[0]
    weights = np.random.default_rng(0).uniform(0.1, 3.0, 300) if weighted else None
    trees, answers = fitted(X, targets, **ours, weights=weights)
    on_new = trees.answers(trees.leaves(np.ascontiguousarray(new.T)))
    for t, y in enumerate(targets):
        reference = DecisionTreeRegressor(**theirs).fit(X, y, weights)
        inner = reference.tree_.feature >= 0
        expected = zip(
            reference.tree_.feature[inner], reference.tree_.threshold[inner], strict=True
        )
        made = np.isfinite(trees.thresholds[t])
        cuts = zip(trees.features[t, made], trees.thresholds[t, made], strict=True)
        assert sorted(cuts) == sorted(expected)
        np.testing.assert_allclose(answers[t], reference.predict(X), atol=1e-12)
        np.testing.assert_allclose(on_new[t], reference.predict(new), atol=1e-12)


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
def few_values(draw: st.DrawFn) -> tuple[IntArray, IntArray]:
    """Draw features of few values, so that there are ties, and three targets."""
    m, d = draw(st.integers(1, 14)), draw(st.integers(1, 3))
    features = st.lists(st.integers(-2, 3), min_size=m * d, max_size=m * d)
    targets = st.lists(st.integers(-4, 4), min_size=m * 3, max_size=m * 3)
    return np.array(draw(features)).reshape(m, d), np.array(draw(targets)).reshape(3, m)


@given(few_values(), st.integers(1, 6), st.booleans(), st.sampled_from([1.0, 0.1]))
def test_every_cut_is_the_first_best_of_all_leaves_in_exact_arithmetic(
    problem: tuple[IntArray, IntArray], n_cuts: int, weighted: bool, scale: float
) -> None:
    X, targets = problem
    weights = np.ones(len(X)) if weighted else None
    # On a scale of 0.1 equal gains differ by rounding.
    trees, answers = fitted(X.astype(float), scale * targets, cuts=n_cuts, weights=weights)
    for t, y in enumerate(targets):
        leaves, expected = [np.arange(len(y))], []
        for _ in range(n_cuts):
            best = [exactly_best(X[leaf], y[leaf]) for leaf in leaves]
            # `index` finds the oldest of equally good leaves.
            parent = [cut.gain for cut in best].index(max(cut.gain for cut in best))
            if best[parent].gain == 0:
                break
            expected.append((parent, *best[parent][1:], float(best[parent].gain) ** 0.5))
            right = X[leaves[parent], best[parent].feature] > best[parent].threshold
            leaves.append(leaves[parent][right])
            leaves[parent] = leaves[parent][~right]
        made = [cut for cut in zip(*(part[t] for part in trees[:4]), strict=True) if cut[3] > 0]
        assert [cut[:3] for cut in made] == [cut[:3] for cut in expected]
        gains = [scale * cut[3] for cut in expected]
        np.testing.assert_allclose([cut[3] for cut in made], gains)
        np.testing.assert_allclose(answers[t], scale * mean_of_leaves(y, leaves), atol=1e-13)


@given(few_values(), st.integers(1, 4))
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


@st.composite
def many_examples(draw: st.DrawFn) -> tuple[FloatArray, FloatArray]:
    """Draw features of all kinds for chunks of several examples, and targets of some kinds."""
    m, seed = draw(st.integers(1, 4000)), draw(st.integers(0, 2**32 - 1))
    rng, X = np.random.default_rng(seed), mixed(m, seed)
    noise, signal = rng.normal(size=m), np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 3]
    kinds = {
        "noise": noise,
        "signal": signal + 0.1 * noise,
        "few values": np.round(signal + noise),
        "skewed": rng.standard_cauchy(m) + signal,
        "indicator": (noise > 2) * 1.0,
        "offset": 1e6 + noise,
        "constant": np.full(m, 0.1),
        "outlier": np.where(np.arange(m) == m // 2, 1e9, noise),
    }
    names = draw(st.lists(st.sampled_from(sorted(kinds)), min_size=1, max_size=3))
    return X, np.stack([kinds[name] for name in names])


@given(
    many_examples() | few_values(),
    st.sampled_from([{"cuts": 1}, {"cuts": 6}, {"depth": 4}]),
    st.sampled_from([0.0, 0.01, 0.2]),
)
def test_cuts_found_by_chunks_are_those_of_a_search_of_all_examples(
    problem: tuple[FloatArray, FloatArray], size: dict[str, int], least_share: float
) -> None:
    X, targets = (part.astype(float) for part in problem)
    fitter = TreeFitter(X, **size, least_share=least_share)
    fitter._chunks = None
    expected, leaves = fitter.fit(targets)
    fitter._chunks = Chunks.by_places(fitter._sorted, 16)
    trees, leaves_by_chunks = fitter.fit(targets)
    for array, reference in zip((*trees, leaves_by_chunks), (*expected, leaves), strict=True):
        assert array.shape == reference.shape
        assert array.tobytes() == reference.tobytes()


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_of_two_equal_cuts_in_different_chunks_the_lower_threshold_wins(sign: float) -> None:
    # The list is upward or downward; the gain is the same after 400 and after 1600 examples.
    column = sign * np.concatenate([np.zeros(20), np.arange(1.0, 1981.0)])
    ranks = (sign * column).argsort(kind="stable").argsort()
    targets = np.where(ranks >= 1600, 1.0, np.where(ranks < 400, -1.0, 0.0))
    fitter = TreeFitter(column[:, None])
    fitter._chunks = None
    expected = fitter.fit(targets[None])[0].thresholds
    fitter._chunks = Chunks.by_places(fitter._sorted, 2)
    np.testing.assert_array_equal(fitter.fit(targets[None])[0].thresholds, expected)
    assert expected[0, 0] == np.sort(column)[399:401].mean()


@given(many_examples())
def test_chunks_are_neighbours_in_the_lists_and_keep_equal_values_together(
    problem: tuple[FloatArray, FloatArray],
) -> None:
    X = problem[0]
    fitter = TreeFitter(X)
    chunks, examples = Chunks.by_places(fitter._sorted, 2), fitter._sorted
    for f, column in enumerate(X.T):
        codes = chunks.codes[f // N_ADJACENT] >> (f % N_ADJACENT * CODE_BITS) & (2**CODE_BITS - 1)
        assert len({(x, code) for x, code in zip(column, codes, strict=True)}) == len(set(column))
        for s in (2 * f, 2 * f + 1):
            listed = examples.listed[examples.starts[s] : examples.starts[s + 1]]
            ks = np.arange(chunks.n_chunks[s])
            order = ks if s % 2 == 0 else MOST_CHUNKS - ks
            sizes, starts = chunks.sizes[f, order], chunks.starts[f, order]
            np.testing.assert_array_equal(codes[listed], np.repeat(order, sizes))
            np.testing.assert_array_equal(starts, examples.starts[s] + sizes.cumsum() - sizes)
            n_values = [len(set(column[codes == code])) for code in order]
            np.testing.assert_array_equal(chunks.n_values[f, order], n_values)


@pytest.mark.parametrize(("cuts", "by_chunks"), [(1, True), (7, True), (8, False)])
def test_chunks_are_used_for_many_examples_with_few_leaves(cuts: int, by_chunks: bool) -> None:
    X = np.random.default_rng(0).normal(size=(MANY_EXAMPLES, 2))
    assert (TreeFitter(X, cuts)._chunks is not None) == by_chunks
    assert TreeFitter(X[1:], cuts)._chunks is None
    assert TreeFitter(X * (X > 2), cuts)._chunks is None


@each_size
@pytest.mark.parametrize("weighted", [False, True])
def test_leaves_of_the_training_examples_are_those_of_the_trees_and_gains_add_up(
    size: dict[str, int], weighted: bool
) -> None:
    rng = np.random.default_rng(0)
    X, targets = mixed(90, 0), rng.normal(size=(5, 90))
    weights = rng.uniform(0.5, 2.0, 90)
    trees, leaves = TreeFitter(X, **size).fit(targets, weights if weighted else None)
    np.testing.assert_array_equal(trees.leaves(np.ascontiguousarray(X.T)), leaves)
    w = weights if weighted else np.ones(90)
    means = (w * targets).sum(axis=1, keepdims=True) / w.sum()
    before, after = np.square(targets - means), np.square(targets - trees.answers(leaves))
    np.testing.assert_allclose(np.square(trees.gains).sum(axis=1), ((before - after) * w).sum(1))


@each_size
@pytest.mark.parametrize("weighted", [False, True])
def test_equal_targets_are_answered_by_their_mean(size: dict[str, int], weighted: bool) -> None:
    for X in (np.zeros((5, 2)), np.arange(10.0).reshape(5, 2), np.zeros((1, 1))):
        targets = np.full((2, len(X)), [[0.1], [1e9 / 3]])
        weights = np.linspace(0.5, 1.5, len(X)) if weighted else None
        trees, answers = fitted(X, targets, **size, weights=weights)
        np.testing.assert_allclose(answers, targets, rtol=1e-15)
        assert not np.isfinite(trees.thresholds).any()
    X, targets = np.arange(20.0)[:, None], np.array([[0.1] * 10 + [0.3] * 10])
    for seed in range(10):
        weights = np.random.default_rng(seed).uniform(0.1, 3.0, 20)
        assert fitted(X, targets, weights=weights)[0].values.tolist() == [[0.1, 0.3]]


@pytest.mark.parametrize("low", [1.0, np.nextafter(1.0, 2.0)])
def test_a_threshold_between_neighbouring_numbers_separates_them(low: float) -> None:
    high = np.nextafter(low, 2.0)
    X, targets = np.array([[low], [high], [9.0]]), np.array([[0.0, 1.0, 9.0]])
    trees, answers = fitted(X, targets, cuts=2)
    assert answers.tolist() == trees.answers(trees.leaves(X.T.copy())).tolist() == [[0.0, 1.0, 9.0]]


@pytest.mark.parametrize("size", [{"cuts": 5}, {"depth": 9}, {"cuts": 150}], ids=str)
def test_walking_down_a_tree_ends_in_the_leaf_of_its_cuts_in_order(size: dict[str, int]) -> None:
    X, targets = mixed(400, 0), np.random.default_rng(1).normal(size=(3, 400))
    targets[2] = X[:, 1]  # a tree of few cuts
    trees, leaves = TreeFitter(X, **size).fit(targets)
    columns = np.ascontiguousarray(X.T)
    for descend in (_cut_by_cut, _walk_down):
        reached = np.zeros_like(leaves)
        descend(trees.parents, trees.features, trees.thresholds, columns, reached)
        np.testing.assert_array_equal(reached, leaves)
    np.testing.assert_array_equal(trees.leaves(columns), leaves)


@st.composite
def classes_without_ties(draw: st.DrawFn) -> tuple[FloatArray, IntArray, FloatArray, int]:
    """Draw features that single precision holds, classes, and weights that are all different."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    m, n_classes = draw(st.integers(20, 60)), draw(st.integers(2, 5))
    X = rng.normal(size=(m, 3)).astype(np.float32).astype(np.float64)
    y = rng.permutation(np.arange(m) % n_classes)
    return X, y, rng.uniform(0.1, 3.0, m), n_classes


@given(
    classes_without_ties(),
    st.sampled_from(
        [
            ({"cuts": 1}, {"max_depth": 1}),
            ({"cuts": 4}, {"max_leaf_nodes": 5}),
            ({"depth": 2}, {"max_depth": 2}),
        ]
    ),
)
def test_shares_of_classes_are_those_of_scikit_learns_trees(
    problem: tuple[FloatArray, IntArray, FloatArray, int], sizes: Any
) -> None:
    X, y, weights, n_classes = problem
    trees, [leaves], shares = TreeFitter(X, **sizes[0]).fit_classes(y, weights, n_classes)
    reference = DecisionTreeClassifier(**sizes[1]).fit(X, y, weights)
    np.testing.assert_allclose(shares[leaves], reference.predict_proba(X), atol=1e-13)
    tree = reference.tree_
    left, right = tree.children_left[tree.feature >= 0], tree.children_right[tree.feature >= 0]
    size = tree.weighted_n_node_samples * tree.impurity
    decreases = size[tree.feature >= 0] - size[left] - size[right]
    # Both classes of two have half of the decrease each.
    gains = np.square(trees.gains[0]) * (2 if n_classes == 2 else 1)
    decreases = decreases[decreases > 1e-12]  # rounding lets scikit-learn cut a leaf of one class
    np.testing.assert_allclose(np.sort(gains), np.sort(decreases), rtol=1e-9)
