"""Weights of examples count them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier

from quadrepro import (
    AdaBoostRegClassifier,
    HedgeBoostClassifier,
    LPBoostClassifier,
    RegularizedQPBoostClassifier,
)
from quadrepro.base.types import FloatArray
from tests.core.variants import ALL, ONE_OF_EACH_CLASS, examples, outputs

PRICED = (AdaBoostRegClassifier, LPBoostClassifier, RegularizedQPBoostClassifier)
"""Estimators with a price per example, so that twice the examples are another problem."""

UNPRICED = [estimator for estimator in ONE_OF_EACH_CLASS if not isinstance(estimator, PRICED)]


def assert_same(first: Any, second: Any, X: FloatArray, rtol: float = 1e-7) -> None:
    expected = outputs(second, X)
    np.testing.assert_allclose(
        outputs(first, X), expected, rtol=rtol, atol=rtol * np.abs(expected).max()
    )


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_whole_weights_are_repeated_rows_and_weight_zero_leaves_a_row_out(estimator: Any) -> None:
    X, y = examples(estimator)
    weights = np.random.default_rng(1).integers(0, 4, len(X))
    # A row of weight zero must not move the thresholds, nor be a class of its own.
    X[0], weights[0] = 100.0, 0
    weighted = clone(estimator).fit(X, y, sample_weight=weights)
    repeated = clone(estimator).fit(X.repeat(weights, axis=0), y.repeat(weights))
    assert_same(weighted, repeated, X[1:])
    np.testing.assert_allclose(
        weighted.feature_importances_, repeated.feature_importances_, atol=1e-9
    )


@pytest.mark.parametrize("estimator", UNPRICED, ids=repr)
def test_a_scale_of_the_weights_changes_nothing(estimator: Any) -> None:
    X, y = examples(estimator)
    weights = np.random.default_rng(2).uniform(0.2, 3.0, len(X))
    # Experts have another rate if the weights add up to more than the examples.
    first = clone(estimator).fit(X, y, sample_weight=0.5 * weights)
    assert_same(first, clone(estimator).fit(X, y, sample_weight=0.3 * weights), X)


@pytest.mark.parametrize("price", [0.05, 0.2])
@pytest.mark.parametrize("kind", [LPBoostClassifier, RegularizedQPBoostClassifier])
def test_the_price_of_slack_is_that_of_a_weight_of_one(kind: Any, price: float) -> None:
    X, y = examples(kind())
    weights = np.random.default_rng(2).uniform(0.2, 3.0, len(X))
    first = kind(4 * price).fit(X, y, sample_weight=weights)
    assert_same(first, kind(price).fit(X, y, sample_weight=4 * weights), X)


def test_the_default_rate_of_experts_depends_on_total_weight_or_number_of_examples() -> None:
    X, y = examples(HedgeBoostClassifier())
    eta = {s: HedgeBoostClassifier().fit(X, y, np.full(60, s)).eta_ for s in (0.01, 1.0, 4.0)}
    assert eta[4.0] == HedgeBoostClassifier().fit(X.repeat(4, axis=0), y.repeat(4)).eta_
    assert eta[0.01] == eta[1.0] < eta[4.0]


@pytest.mark.parametrize("estimator", [*filter(is_classifier, ONE_OF_EACH_CLASS)], ids=repr)
def test_weights_of_classes_multiply_those_of_examples(estimator: Any) -> None:
    X, y = examples(estimator)
    weights = np.random.default_rng(3).uniform(0.5, 2.0, len(X))
    positive = y == "yes"
    share = weights[positive].sum() / weights.sum()
    balanced = weights * np.where(positive, 0.5 / share, 0.5 / (1 - share))
    for class_weight, expected in (
        ({"yes": 3.0}, weights * np.where(positive, 3.0, 1.0)),
        ("balanced", balanced),
    ):
        by_class = clone(estimator).set_params(class_weight=class_weight)
        assert_same(
            by_class.fit(X, y, sample_weight=weights),
            clone(estimator).fit(X, y, sample_weight=expected),
            X,
        )
