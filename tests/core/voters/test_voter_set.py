"""Voters of any kind, as the estimators take them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder

from quadrepro import (
    AdaBoostClassifier,
    CBBoostClassifier,
    CqBoostClassifier,
    EBBoostClassifier,
    LPBoostClassifier,
    QuadBoostClassifier,
    RegularizedQPBoostClassifier,
    Stumps,
)
from quadrepro.base.types import FloatArray

VOTES = [
    AdaBoostClassifier(15),
    EBBoostClassifier(n_rounds=15),
    QuadBoostClassifier("l2", lam=1.0, n_rounds=15),
    CBBoostClassifier(15),
    LPBoostClassifier(C=0.1),
    RegularizedQPBoostClassifier(C=0.1, n_rounds=10),
    CqBoostClassifier(mu=0.1, n_rounds=10),
]
each_vote = pytest.mark.parametrize("vote", VOTES, ids=repr)


@pytest.fixture
def examples() -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    return X, np.where(X[:, 0] + X[:, 1] + rng.normal(size=90) > 0, 7, 3)


@each_vote
def test_a_vote_is_that_over_the_voter_matrix(
    vote: Any, examples: tuple[FloatArray, FloatArray]
) -> None:
    plain, y = examples
    gaps = np.where(np.random.default_rng(1).random(plain.shape) < 0.15, np.nan, plain)
    on_pca = make_pipeline(PCA(2), Stumps(5))
    for voters, X in ((Stumps(3, missing="branch"), gaps), (on_pca, plain)):
        found = clone(vote).set_params(voters=voters).fit(X, y)
        H = found.voters_.transform(X)
        alone = clone(vote).set_params(voters="precomputed").fit(H, y)
        np.testing.assert_array_equal(found.voter_weights_, alone.voter_weights_)
        decisions = found.decision_function(X)
        np.testing.assert_allclose(decisions, alone.decision_function(H), atol=1e-12)
        if hasattr(found, "staged_decision_function"):
            *_, last = found.staged_decision_function(X)
            np.testing.assert_allclose(last, decisions, atol=1e-12)


@each_vote
def test_sparse_examples_give_the_vote_of_dense_ones(
    vote: Any, examples: tuple[FloatArray, FloatArray]
) -> None:
    X, y = np.where(np.abs(examples[0]) < 0.7, 0.0, examples[0]), examples[1]
    dense = clone(vote).fit(X, y)
    for kind in (csr_array, csr_matrix):
        sparse = clone(vote).fit(kind(X), y)
        np.testing.assert_array_equal(sparse.voter_weights_, dense.voter_weights_)
        found = sparse.decision_function(kind(X))
        np.testing.assert_array_equal(found, dense.decision_function(X))


def test_low_high_and_missing_values_can_have_any_labels() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0], [np.nan], [np.nan]] * 5)
    for low, high, missing in [*product([0, 1], repeat=3)][1:-1]:
        y = np.array([low, low, high, high, missing, missing] * 5)
        vote = AdaBoostClassifier(100, voters=Stumps(1, missing="branch")).fit(X, y)
        assert vote.score(X, y) == 1


@pytest.mark.parametrize(
    "voters",
    [
        make_pipeline(PCA(3), MinMaxScaler((-1, 1), clip=True)),
        make_pipeline(FunctionTransformer(np.sign), OneHotEncoder(handle_unknown="ignore")),
        make_pipeline(PCA(2), Stumps(5)),
    ],
    ids=["pca", "one-hot", "stumps on pca"],
)
def test_any_transformer_may_vote(voters: Any, examples: tuple[FloatArray, FloatArray]) -> None:
    X, y = examples
    vote = QuadBoostClassifier("l2", lam=0.1, n_rounds=200, voters=voters).fit(X, y)
    assert vote.score(X, y) > 0.65
    *_, last = vote.staged_decision_function(X)
    np.testing.assert_allclose(last, vote.decision_function(X), atol=1e-9)
    assert not hasattr(vote, "feature_importances_")
    assert vote.set_params(voters=clone(voters)).fit(X, y).score(X, y) > 0.65


class Shifted(TransformerMixin, BaseEstimator):
    def __init__(self, returns: Any = None) -> None:
        self.returns = returns

    def fit(self, X: FloatArray, y: Any) -> Shifted:
        self.labels_ = np.unique(y)
        return self

    def transform(self, X: FloatArray) -> Any:
        return X if self.returns is None else self.returns


def test_a_transformer_sees_the_labels_as_they_were_given(
    examples: tuple[FloatArray, FloatArray],
) -> None:
    X, y = examples
    vote = QuadBoostClassifier(n_rounds=5, voters=Shifted()).fit(X / np.abs(X).max(), y)
    assert vote.voters_.labels_.tolist() == [3, 7]


@pytest.mark.parametrize(
    ("returns", "message"),
    [
        (None, r"Shifted.transform must return values in \[-1, 1\], but voter \d has the value"),
        (np.full((90, 2), np.nan), r"voter 0 has the value nan"),
        (np.zeros(90), r"a voter matrix of 90 rows and at least one column, .* shape \(90,\)"),
        (np.zeros((90, 0)), r"at least one column, not an array of shape \(90, 0\)"),
        (np.zeros((3, 2)), r"90 rows"),
        (np.full((90, 1), "up"), "Shifted.transform must return numbers"),
        (np.full((90, 1), 1e-9), "the values of voter 0 are at most 1e-09"),
    ],
)
def test_what_is_no_voter_matrix_is_refused(
    returns: Any, message: str, examples: tuple[FloatArray, FloatArray]
) -> None:
    with pytest.raises(ValueError, match=message):
        QuadBoostClassifier(n_rounds=5, voters=Shifted(returns)).fit(*examples)
