"""Stumps, and voters of any kind, as the estimators take them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder

from quadrepro import (
    AdaBoostClassifier,
    QuadBoostClassifier,
    Stumps,
)
from quadrepro.base.types import FloatArray
from quadrepro.core.voters import thresholds
from tests.core.variants import ONE_OF_EACH_CLASS

matrices = arrays(np.float64, (7, 3), elements=st.floats(-1e6, 1e6))


@given(matrices)
def test_thresholds_may_be_evenly_spaced(X: np.ndarray) -> None:
    low, high = X.min(axis=0), X.max(axis=0)
    expected = np.linspace(low, high, 6, axis=1)[:, 1:-1]
    found = Stumps(4, spacing="even").fit(X).thresholds_
    np.testing.assert_allclose(found, expected, atol=1e-9, rtol=1e-9)


def test_a_stump_is_positive_strictly_above_its_threshold() -> None:
    stumps = Stumps(1, spacing="even").fit(np.array([[0.0, 5.0], [2.0, 5.0]]))
    votes = stumps.transform(np.array([[0.5, 5.0], [1.0, 5.0], [1.5, 5.0]]))
    assert votes.tolist() == [[-1, -1], [-1, -1], [1, -1]]
    stumps = Stumps(2, spacing="even").fit(np.array([[0.0, 10.0], [1.0, 20.0]]))
    assert stumps.transform(np.array([[0.5, 0.0]])).tolist() == [[1, -1, -1, -1]]


def test_voters_are_named_by_what_they_ask() -> None:
    X = pd.DataFrame({"age": [0.0, 3.0], "flag": [5.0, 5.0]})
    stumps = Stumps(2, spacing="even").fit(X)
    expected = ["age > 1", "age > 2", "flag > 5", "flag > 5 (2)"]
    assert stumps.get_feature_names_out().tolist() == expected
    assert stumps.get_feature_names_out(["age", "flag"]).tolist() == expected
    assert Stumps(1, spacing="even").fit(X.to_numpy()).get_feature_names_out().tolist() == [
        "x0 > 1.5",
        "x1 > 5",
    ]


@given(matrices, st.integers(1, 9))
def test_by_default_a_few_values_are_all_set_apart(X: np.ndarray, per_attribute: int) -> None:
    thresholds_ = Stumps(per_attribute).fit(X).thresholds_
    for column, row in zip(X.T, thresholds_, strict=True):
        values = np.unique(column)
        cuts = np.unique(np.searchsorted(values, row))
        assert (np.diff(row) >= 0).all()
        if len(values) > 1:
            # Every stump divides the examples, and no two of them alike unless all cuts are used.
            assert ((row >= values[0]) & (row < values[-1])).all()
            assert len(cuts) == min(per_attribute, len(values) - 1)


def test_by_default_equal_weights_are_between_thresholds_but_for_those_of_frequent_values() -> None:
    rng = np.random.default_rng(0)
    x = rng.exponential(size=5000)
    for weights in (None, rng.uniform(0.1, 5.0, 5000)):
        [row] = Stumps(9).fit(x[:, None], sample_weight=weights).thresholds_
        shares = [np.average(x <= threshold, weights=weights) for threshold in row]
        np.testing.assert_allclose(shares, np.arange(1, 10) / 10, atol=2e-3)
    # A frequent value leaves the other thresholds to the others.
    rest = rng.uniform(1.0, 2.0, 1000)
    for sign in (-1.0, 1.0):
        x = sign * np.append(np.zeros(9000), rest)
        [row] = np.sort(sign * Stumps(5).fit(x[:, None]).thresholds_)
        assert 0.0 < row[0] < 1.01
        shares = [(rest <= threshold).mean() for threshold in row[1:]]
        np.testing.assert_allclose(shares, np.arange(1, 5) / 5, atol=5e-3)


def test_increasing_transformations_and_scales_of_weights_change_no_default_vote() -> None:
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(300, 3)), rng.integers(1, 4, 300)
    y = X[:, 0] + X[:, 1] + rng.normal(size=300) > 0
    vote = AdaBoostClassifier(50).fit(X, y, weights)
    for found, Z in (
        (AdaBoostClassifier(50).fit(np.exp(3 * X), y, weights), np.exp(3 * X)),
        (AdaBoostClassifier(50).fit(X.repeat(weights, axis=0), y.repeat(weights)), X),
    ):
        np.testing.assert_array_equal(found.decision_function(Z), vote.decision_function(X))


NUMBER = "per_attribute must be a whole number of at least 1"
SHARE = r"min_weight_fraction_leaf must be between 0 and 0\.5"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        *(({"per_attribute": value}, NUMBER) for value in (2.5, 0, "3", None)),
        ({"spacing": "log"}, "spacing must be 'quantile' or 'even', not 'log'"),
        ({"missing": "mean"}, "missing must be 'error' or 'branch', not 'mean'"),
        *(({"min_weight_fraction_leaf": share}, SHARE) for share in (-0.1, 0.6)),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Stumps(**settings).fit(np.zeros((2, 1)))


GAPS = np.array([[0.0, 1.0], [3.0, 2.0], [np.nan, 3.0], [1.0, 4.0], [np.nan, 5.0]])


def test_a_missing_value_is_above_no_threshold_and_has_a_voter() -> None:
    stumps = Stumps(2, missing="branch", spacing="even").fit(GAPS)
    np.testing.assert_allclose(stumps.thresholds_, [[1, 2], [1 + 4 / 3, 1 + 8 / 3]])
    assert stumps.gaps_.tolist() == [0]
    H = stumps.transform(GAPS)
    assert H[:, :2].tolist() == [[-1, -1], [1, 1], [-1, -1], [-1, -1], [-1, -1]]
    assert H[:, 4].tolist() == [-1, -1, 1, -1, 1]
    assert stumps.get_feature_names_out().tolist()[4] == "x0 is missing"
    assert (H[:, 5] == 1).all()
    # In an attribute without gaps in training, a missing value is just not above.
    assert stumps.transform([[0.0, np.nan]]).tolist() == [[-1, -1, -1, -1, -1, 1]]


def test_missing_values_are_refused_unless_they_are_a_branch() -> None:
    with pytest.raises(ValueError, match="NaN"):
        Stumps().fit(GAPS)
    with pytest.raises(ValueError, match="infinity"):
        Stumps(missing="branch").fit([[np.inf], [0.0]])


def test_missing_values_count_below_a_threshold_with_too_little_weight() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0]] + [[np.nan]] * 6)
    stumps = Stumps(2, 0.15, missing="branch", spacing="even").fit(X)
    # Two examples of ten are above 1, and only one is above 2.
    assert stumps.thresholds_.tolist() == [[1.0, np.inf]]


def test_an_attribute_that_is_always_missing_has_constant_stumps() -> None:
    H = Stumps(2, missing="branch").fit_transform(np.array([[np.nan, 0.0], [np.nan, 1.0]]))
    assert H[:, :2].tolist() == [[-1, -1]] * 2
    assert H[:, 4].tolist() == [1, 1]


def test_voters_for_missing_values_have_names_of_their_own() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(130, 4))
    X[rng.random(X.shape) < 0.2] = np.nan
    voters = Stumps(3, missing="branch").fit(X)
    n_voters = voters.transform(X).shape[1]
    assert n_voters == 4 * 3 + 4 + 1
    assert len(set(voters.get_feature_names_out())) == n_voters
    # One voter is always +1.
    assert voters.over_attributes(np.ones(n_voters)).sum() == n_voters - 1


@pytest.mark.parametrize("spacing", ["quantile", "even"])
@pytest.mark.parametrize("block", [1, 100, 10**6])
def test_sparse_examples_give_the_voters_of_dense_ones(
    block: int, spacing: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "CELLS", block)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(130, 4)) * (rng.random((130, 4)) < 0.3)
    dense, found = (Stumps(3, spacing=spacing).fit(A) for A in (X, csr_array(X)))
    assert found.thresholds_.tobytes() == dense.thresholds_.tobytes()
    np.testing.assert_array_equal(found.transform(csr_array(X)), dense.transform(X))


@pytest.mark.parametrize(("share", "weighted"), [(0.05, True), (0.2, False), (0.5, True)])
def test_a_stump_has_enough_weight_on_both_sides_or_is_constant(
    share: float, weighted: bool
) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    weights = rng.uniform(0.1, 5.0, 60) if weighted else np.ones(60)
    plain = Stumps(20, spacing="even").fit(X)
    stumps = Stumps(20, min_weight_fraction_leaf=share, spacing="even")
    stumps.fit(X, sample_weight=weights if weighted else None)
    right = weights @ (plain.transform(X) > 0) / weights.sum()
    light = np.minimum(right, 1 - right) < share
    assert light.any()
    expected = np.where(light, np.where(right < 0.5, np.inf, -np.inf), plain.thresholds_.ravel())
    assert stumps.thresholds_.ravel().tolist() == expected.tolist()


def examples() -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    return X, np.where(X[:, 0] + X[:, 1] + rng.normal(size=90) > 0, 7, 3)


@pytest.mark.parametrize(
    "vote", [e for e in ONE_OF_EACH_CLASS if "voters" in e.get_params()], ids=repr
)
@pytest.mark.filterwarnings("ignore:the soft margin")
def test_a_vote_is_that_over_the_voter_matrix(vote: Any) -> None:
    plain, y = examples()
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
    ],
    ids=["pca", "one-hot"],
)
def test_any_transformer_may_vote(voters: Any) -> None:
    X, y = examples()
    vote = QuadBoostClassifier("l2", lam=0.1, n_rounds=200, voters=voters).fit(X, y)
    assert vote.score(X, y) > 0.65
    *_, last = vote.staged_decision_function(X)
    np.testing.assert_allclose(last, vote.decision_function(X), atol=1e-9)
    assert not hasattr(vote, "feature_importances_")
    vote = QuadBoostClassifier(n_rounds=5, voters=Shifted()).fit(X / np.abs(X).max(), y)
    assert vote.voters_.labels_.tolist() == [3, 7]


class Shifted(TransformerMixin, BaseEstimator):
    def __init__(self, returns: Any = None) -> None:
        self.returns = returns

    def fit(self, X: FloatArray, y: Any) -> Shifted:
        self.labels_ = np.unique(y)
        return self

    def transform(self, X: FloatArray) -> Any:
        return X if self.returns is None else self.returns


@pytest.mark.parametrize(
    ("returns", "message"),
    [
        (None, r"Shifted.transform must return values in \[-1, 1\], but voter \d has the value"),
        (np.full((90, 2), np.nan), r"voter 0 has the value nan"),
        (np.zeros(90), r"a voter matrix of 90 rows and at least one column, .* shape \(90,\)"),
        (np.zeros((90, 0)), r"at least one column, not an array of shape \(90, 0\)"),
        (np.zeros((3, 2)), r"90 rows"),
        (np.full((90, 1), "up"), "could not convert string to float"),
    ],
)
def test_what_is_no_voter_matrix_is_refused(returns: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        QuadBoostClassifier(n_rounds=5, voters=Shifted(returns)).fit(*examples())
