from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from quadrepro import AdaBoostClassifier, QuadBoostClassifier, Trees
from quadrepro.base.types import FloatArray


@pytest.fixture
def examples() -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    return X, np.where((X[:, 0] > 0) == (X[:, 1] > 0), "yes", "no")


def test_voters_are_the_trees_of_a_random_forest(examples: tuple[FloatArray, FloatArray]) -> None:
    X, y = examples
    forest = RandomForestClassifier(15, max_depth=3, random_state=1).fit(X, y)
    shares = np.column_stack([tree.predict_proba(X)[:, 1] for tree in forest.estimators_])
    said = Trees(3, 15, values="share", random_state=1).fit_transform(X, y)
    np.testing.assert_allclose(said, 2 * shares - 1, atol=1e-15)
    classes = Trees(3, 15, random_state=1).fit_transform(X, y)
    np.testing.assert_array_equal(classes, np.where(shares > 0.5, 1.0, -1.0))


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_no_tree_is_deeper_than_asked(examples: tuple[FloatArray, FloatArray], depth: int) -> None:
    trees = Trees(depth, 10, random_state=0).fit(*examples)
    assert max(tree.get_depth() for tree in trees.forest_.estimators_) == depth
    assert trees.get_feature_names_out().tolist()[:2] == ["tree0", "tree1"]


def test_trees_that_draw_nothing_are_one_tree(examples: tuple[FloatArray, FloatArray]) -> None:
    X, y = examples
    H = Trees(2, 5, max_features=None, bootstrap=False, random_state=0).fit_transform(X, y)
    assert (H[:, :1] == H).all()


def test_missing_and_sparse_values_are_taken(examples: tuple[FloatArray, FloatArray]) -> None:
    X, y = examples
    vote = AdaBoostClassifier(20, voters=Trees(random_state=0))
    dense = vote.fit(X, y).decision_function(X)
    sparse = vote.fit(csr_array(X), y).decision_function(csr_array(X))
    np.testing.assert_array_equal(sparse, dense)
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
    assert np.isfinite(vote.fit(X, y).decision_function(X)).all()


def test_shares_are_votes_between_the_classes(examples: tuple[FloatArray, FloatArray]) -> None:
    X, y = examples
    shares = Trees(3, values="share", random_state=0)
    vote = QuadBoostClassifier("l2", lam=0.1, n_rounds=300, voters=shares).fit(X, y)
    assert vote.score(X, y) > 0.95
    with pytest.raises(ValueError, match="voters with values -1 and"):
        AdaBoostClassifier(voters=shares).fit(X, y)


@pytest.mark.parametrize(
    ("trees", "message"),
    [
        (Trees(0), "depth and n_trees must be at least 1, not 0 and 100"),
        (Trees(n_trees=0), "depth and n_trees must be at least 1, not 2 and 0"),
        (Trees(values="leaf"), "values must be 'class' or 'share', not 'leaf'"),
    ],
)
def test_impossible_parameters_are_refused(
    examples: tuple[FloatArray, FloatArray], trees: Trees, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        trees.fit(*examples)


def test_one_class_is_all_that_the_trees_say() -> None:
    X = np.arange(6.0)[:, None]
    assert (Trees(n_trees=3, random_state=0).fit(X, np.ones(6)).transform(X) == 1).all()


@parametrize_with_checks([Trees(n_trees=5, random_state=0)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_follows_scikit_learns_conventions(estimator, check) -> None:  # type: ignore[no-untyped-def]
    check(estimator)


def test_leaves_have_at_least_a_share_of_the_examples() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = X[:, 0] + rng.normal(size=200) > 0
    vote = AdaBoostClassifier(
        5, voters=Trees(4, random_state=0, bootstrap=False), min_weight_fraction_leaf=0.2
    ).fit(X, y)
    sizes = [tree.tree_.n_node_samples for tree in vote.voters_.forest_.estimators_]
    assert min(map(min, sizes)) >= 40
