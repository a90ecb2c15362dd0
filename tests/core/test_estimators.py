"""Estimators: the votes of their algorithms, with stages, probabilities and importances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from quadrepro import (
    AdaBoostClassifier,
    AdaBoostRegClassifier,
    CBBoostClassifier,
    CqBoostClassifier,
    EBBoostClassifier,
    GBCBBoostClassifier,
    GradientBoostClassifier,
    HedgeBoostClassifier,
    LPBoostClassifier,
    MinCqClassifier,
    QuadBoostClassifier,
    RegularizedLPBoostClassifier,
    RegularizedQPBoostClassifier,
    Stumps,
)
from quadrepro.base.types import FloatArray
from quadrepro.core import estimators
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.adaboost_reg import AdaBoostReg
from quadrepro.core.learners.cbboost import CBBoost
from quadrepro.core.learners.cqboost import CqBoost
from quadrepro.core.learners.ebboost import EBBoost
from quadrepro.core.learners.gbcbboost import GBCBBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.hedge import HedgeBoost
from quadrepro.core.learners.learner import Algorithm
from quadrepro.core.learners.lp_reg import RegularizedLP
from quadrepro.core.learners.lpboost import LPBoost
from quadrepro.core.learners.mincq import MinCq
from quadrepro.core.learners.qp_reg import RegularizedQP
from quadrepro.core.learners.quadboost import (
    QuadBoost,
)
from quadrepro.core.learners.rounds import WeightBoosting
from tests.core.variants import (
    BOOSTING,
    BY_GRADIENT,
    PROGRAMS,
    REGRESSORS,
    STAGEWISE,
    VOTES,
    examples,
    outputs,
    staged_outputs,
)

Problem = tuple[FloatArray, FloatArray]

LINKED = [AdaBoostClassifier(20), *BY_GRADIENT]
STAGED = [*BOOSTING, *BY_GRADIENT, *REGRESSORS, *STAGEWISE]


def each(variants: list[Any]) -> Any:
    return pytest.mark.parametrize("estimator", variants, ids=repr)


# Votes and their algorithms


@pytest.mark.parametrize(
    ("estimator", "algorithm", "candidate"),
    [
        (QuadBoostClassifier(n_rounds=30), QuadBoost(), {"n_rounds": 30}),
        (QuadBoostClassifier("l1", lam=0.03), QuadBoost("l1"), {"lam": 0.03}),
        (
            QuadBoostClassifier("l2", lam=2.0, n_rounds=30, reweight=True),
            QuadBoost("l2", reweight=True),
            {"lam": 2.0, "n_rounds": 30},
        ),
        (
            QuadBoostClassifier("linf", alpha_max=0.02, n_rounds=30, selection="correlation"),
            QuadBoost("linf", selection="correlation"),
            {"alpha_max": 0.02, "n_rounds": 30},
        ),
        (AdaBoostClassifier(30), AdaBoost(), {"n_rounds": 30}),
        (EBBoostClassifier(0.3, n_rounds=30), EBBoost(), {"lam": 0.3, "n_rounds": 30}),
        (
            AdaBoostRegClassifier(2.0, power=1, n_rounds=30),
            AdaBoostReg(power=1),
            {"C": 2.0, "n_rounds": 30},
        ),
        (LPBoostClassifier(C=0.5), LPBoost(), {"C": 0.5}),
        (RegularizedLPBoostClassifier(0.3, n_rounds=9), RegularizedLP(9), {"nu": 0.3}),
        (RegularizedQPBoostClassifier(0.1, n_rounds=9), RegularizedQP(9), {"C": 0.1}),
        (HedgeBoostClassifier(0.2, n_rounds=30), HedgeBoost(), {"eta": 0.2, "n_rounds": 30}),
        (CBBoostClassifier(20), CBBoost(), {"n_rounds": 20}),
        (CBBoostClassifier(20, reweight=True), CBBoost(reweight=True), {"n_rounds": 20}),
        (CBBoostClassifier(20, allow_repeats=False), CBBoost(False), {"n_rounds": 20}),
        (GBCBBoostClassifier(20), GBCBBoost(), {"n_rounds": 20}),
        (CqBoostClassifier(0.1), CqBoost(), {"mu": 0.1, "epsilon": 1e-6}),
        (
            CqBoostClassifier(0.1, epsilon=0.3, n_rounds=4),
            CqBoost(),
            {"mu": 0.1, "epsilon": 0.3, "n_rounds": 4},
        ),
        (MinCqClassifier(0.1), MinCq(), {"mu": 0.1}),
    ],
    ids=repr,
)
def test_weights_are_those_of_the_algorithms_path(
    problem: Problem, estimator: Any, algorithm: Algorithm, candidate: dict[str, float]
) -> None:
    H, y = problem
    fitted = clone(estimator).set_params(voters="precomputed").fit(H, y)
    path = algorithm.path(H, y, Grid.of({name: [value] for name, value in candidate.items()}))
    np.testing.assert_array_equal(fitted.voter_weights_, path[0])


@each([e for e in BOOSTING if issubclass(e.learner, WeightBoosting)])
@pytest.mark.parametrize("copies", [None, "whole", "fractions"])
def test_stumps_have_the_weights_and_rounds_of_their_matrix(
    estimator: Any, copies: str | None
) -> None:
    rng = np.random.default_rng(0)
    # Equal examples, and equal, opposite and constant attributes.
    X = rng.normal(size=(500, 5)).round(1)
    X[:, 2], X[:, 3], X[:, 4] = X[:, 1], -X[:, 1], 1.0
    y = X[:, 0] + X[:, 1] + rng.normal(size=500) > 0
    if isinstance(estimator.voters, Stumps) and estimator.voters.missing == "branch":
        X[::7, 0] = np.nan
    counts = rng.integers(1, 4, 500) * (0.3 if copies == "fractions" else 1.0)
    weights = None if copies is None else counts
    ours = clone(estimator).fit(X, y, weights)
    H = ours.voters_.transform(X)
    plain = clone(estimator).set_params(voters="precomputed", min_weight_fraction_leaf=0.0)
    plain.fit(H, y, weights)
    # Fractions of equal examples are added up before they are rounded, or after.
    tolerance = 1e-10 if copies == "fractions" else 0.0
    for found, expected in (
        (ours.voter_weights_, plain.voter_weights_),
        (staged_outputs(ours, X), staged_outputs(plain, H)),
    ):
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance)


def test_adaboost_makes_no_matrix_of_stumps(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> FloatArray:
        raise AssertionError

    X, y = examples()
    monkeypatch.setattr(Stumps, "transform", never)
    assert AdaBoostClassifier(9).fit(X, y).voter_weights_.any()


# Decisions, stages and probabilities


@each(STAGED)
def test_stages_are_shorter_runs(estimator: Any) -> None:
    X, y = examples(estimator)
    parameters = {"random_state": 0} if "random_state" in estimator.get_params() else {}
    if isinstance(estimator, HedgeBoostClassifier):
        parameters["eta"] = 0.1  # by default the rate depends on the number of rounds
    estimator = clone(estimator).set_params(**parameters)
    fitted = clone(estimator).fit(X, y)
    stages = staged_outputs(fitted, X)
    assert len(stages) == fitted.n_iter_ > 3
    for t in (1, 4, fitted.n_iter_):
        alone = clone(estimator).set_params(n_rounds=t).fit(X, y)
        np.testing.assert_allclose(stages[t - 1], outputs(alone, X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(stages[-1], outputs(fitted, X), rtol=1e-9, atol=1e-12)


@each(PROGRAMS)
def test_a_program_has_no_stages(estimator: Any) -> None:
    assert not [name for name in dir(estimator) if name.startswith("staged_")]
    assert clone(estimator).fit(*examples()).n_iter_ == 1


@each([*VOTES, *BY_GRADIENT, *STAGEWISE])
def test_the_label_is_the_sign_of_the_decision_in_every_round(estimator: Any) -> None:
    X, y = examples()
    fitted = clone(estimator).fit(X, y)
    labels, decisions = [fitted.predict(X)], [fitted.decision_function(X)]
    if estimator not in PROGRAMS:
        labels += fitted.staged_predict(X)
        decisions += fitted.staged_decision_function(X)
    for found, numbers in zip(labels, decisions, strict=True):
        np.testing.assert_array_equal(found, fitted.classes_[(numbers > 0).astype(int)])


def test_stages_are_over_the_plain_voters(problem: Problem) -> None:
    H, y = problem
    # Equal voters are merged, so that voters of the reduced problem have other places.
    doubled = np.hstack([H[:, :3], -H[:, :3], H])
    ours = AdaBoostClassifier(9, voters="precomputed").fit(doubled, y)
    plain = AdaBoostClassifier(9, voters="precomputed").fit(H, y)
    np.testing.assert_array_equal(staged_outputs(ours, doubled), staged_outputs(plain, H))


def test_a_run_that_ends_early_has_fewer_stages() -> None:
    H = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    fitted = AdaBoostClassifier(9, voters="precomputed").fit(H, [1, 1, 0])
    (stage,) = fitted.staged_decision_function(H)
    np.testing.assert_array_equal(stage, H[:, 0])
    assert fitted.n_iter_ == 1


def test_a_vote_that_is_even_but_for_rounding_is_zero() -> None:
    ones = np.ones((1, 3))
    fitted = QuadBoostClassifier(voters="precomputed", n_rounds=1).fit(np.eye(3), [0, 1, 1])
    fitted.voter_weights_ = np.array([0.1, 0.2, -0.3])
    fitted._picks, fitted._changes = np.arange(3), fitted.voter_weights_
    assert 0.1 + 0.2 - 0.3 != 0
    assert fitted.decision_function(ones).tolist() == [0.0]
    assert staged_outputs(fitted, ones)[-1].tolist() == [0.0]
    assert fitted.predict(ones).tolist() == [0]


@pytest.mark.parametrize("voters", [None, "precomputed"])
def test_examples_are_applied_in_blocks(voters: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.where(examples()[0] > 0, 1.0, -1.0)
    fitted = AdaBoostClassifier(3, voters=voters).fit(X, X[:, 0] + X[:, 1] + X[:, 2] > 0)
    expected = [fitted.decision_function(X), *staged_outputs(fitted, X)]
    monkeypatch.setattr(estimators, "BLOCK", 7)
    found = [fitted.decision_function(X), *staged_outputs(fitted, X)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@each(
    [
        AdaBoostClassifier(1),
        GradientBoostClassifier("full", n_rounds=30),
        GradientBoostClassifier("full", n_rounds=30, loss="exponential"),
    ]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_probabilities_are_the_frequencies_of_the_classes(estimator: Any, weighted: bool) -> None:
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    y, n = np.array([0, 1, 0, 1]), np.array([60, 20, 20, 60])
    fitted = clone(estimator)
    if weighted:
        fitted.fit(X, y, sample_weight=n / 7)
    else:
        fitted.fit(X.repeat(n, axis=0), y.repeat(n))
    np.testing.assert_allclose(fitted.predict_proba(X[1:3]), [[0.75, 0.25], [0.25, 0.75]])
