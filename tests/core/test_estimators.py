"""Estimators: the votes of their algorithms, with stages, probabilities and importances."""

from __future__ import annotations

import pickle
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from quadrepro import (
    AdaBoostClassifier,
    AdaBoostRegClassifier,
    CBBoostClassifier,
    CqBoostClassifier,
    EBBoostClassifier,
    GBCBBoostClassifier,
    GradientBoostClassifier,
    GradientBoostRegressor,
    HedgeBoostClassifier,
    LogitBoostClassifier,
    LPBoostClassifier,
    MinCqClassifier,
    QuadBoostClassifier,
    RealAdaBoostClassifier,
    RegularizedLPBoostClassifier,
    RegularizedQPBoostClassifier,
    SAMMEClassifier,
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
    ALL,
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


@each(VOTES)
def test_a_real_data_set_is_learned_with_labels_as_they_were_given(estimator: Any) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    labels = np.where(y == 1, "benign", "malignant")
    assert cross_val_score(clone(estimator), X, labels, cv=3).mean() > 0.88


@pytest.mark.parametrize("reduction", [OneVsRestClassifier, OneVsOneClassifier])
@each(
    [
        AdaBoostClassifier(20),
        QuadBoostClassifier("l2", lam=0.1, n_rounds=30, class_weight="balanced"),
        LPBoostClassifier(0.1),
        GradientBoostClassifier(n_rounds=10),
    ]
)
def test_more_classes_are_reduced_to_two(reduction: Any, estimator: Any) -> None:
    X, y = load_iris(return_X_y=True)
    fitted = reduction(clone(estimator)).fit(X[::2], y[::2])
    assert fitted.score(X[1::2], y[1::2]) > 0.9


def test_rounds_and_stumps_can_be_searched() -> None:
    search = GridSearchCV(
        AdaBoostClassifier(voters=Stumps()),
        {"n_rounds": [1, 20], "voters__per_attribute": [1, 5]},
        cv=3,
    ).fit(*examples())
    best = search.best_params_
    assert best["voters__per_attribute"] == 5
    assert search.best_estimator_.voters_.thresholds_.shape == (3, 5)
    assert search.best_estimator_.n_iter_ == best["n_rounds"]


@each(ALL)
def test_a_fitted_estimator_can_be_pickled(estimator: Any) -> None:
    X, y = examples(estimator)
    fitted = clone(estimator).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert outputs(again, X).tobytes() == outputs(fitted, X).tobytes()


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


N_ROUNDS, N_NEW = 100, 20_000


@pytest.mark.parametrize(
    ("estimator", "method"),
    [
        (GradientBoostRegressor("shrink", n_rounds=N_ROUNDS), "predict"),
        (GradientBoostClassifier("shrink", n_rounds=N_ROUNDS), "decision_function"),
        (LogitBoostClassifier(N_ROUNDS), "predict_proba"),
        (RealAdaBoostClassifier(N_ROUNDS), "decision_function"),
        (SAMMEClassifier(N_ROUNDS), "predict"),
    ],
    ids=str,
)
def test_a_prediction_is_the_last_stage_and_takes_the_memory_of_a_few(
    estimator: Any, method: str
) -> None:
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(60, 2)), rng.normal(size=(N_NEW, 2))
    estimator.fit(X, (X[:, 0] + rng.normal(size=60) > 0).astype(float))
    assert estimator.n_iter_ == N_ROUNDS
    predict = getattr(estimator, method)
    predict(new[:2])
    tracemalloc.start()
    try:
        found = predict(new)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < N_ROUNDS / 3 * 8 * N_NEW
    *_, last = getattr(estimator, f"staged_{method}")(new)
    np.testing.assert_array_equal(found, last)


@each(LINKED)
def test_probabilities_add_up_to_1_and_are_on_the_side_of_the_label(estimator: Any) -> None:
    X, y = examples()
    fitted = clone(estimator).fit(X, y)
    found = fitted.predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    np.testing.assert_array_equal(fitted.classes_[found.argmax(axis=1)], fitted.predict(X))
    *_, last = fitted.staged_predict_proba(X)
    np.testing.assert_allclose(last, found, atol=1e-12)


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


@each([QuadBoostClassifier("l2", n_rounds=30), MinCqClassifier(), EBBoostClassifier()])
def test_votes_without_a_link_have_no_probabilities_but_can_be_calibrated(estimator: Any) -> None:
    assert not hasattr(estimator, "predict_proba")
    assert not hasattr(estimator, "staged_predict_proba")
    X, y = examples()
    new, truth = examples(seed=1)
    weights = np.random.default_rng(2).uniform(0.5, 2.0, len(X))
    calibrated = CalibratedClassifierCV(clone(estimator), cv=3).fit(X, y, sample_weight=weights)
    found = calibrated.predict_proba(new)[:, 1]
    assert brier_score_loss(truth, found, pos_label="yes") < 0.2


# Importances


@each(ALL)
def test_importances_are_shares_of_the_attributes(estimator: Any) -> None:
    X, y = examples(estimator)
    X = np.column_stack([X, np.zeros(len(X))])
    found = clone(estimator).fit(X, y).feature_importances_
    assert found.shape == (4,)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(1.0)
    # Only the programs that give weights to all stumps give them to constant ones.
    assert found[3] == 0 or not isinstance(estimator, GradientBoostClassifier)


def test_the_importance_of_an_attribute_is_the_weight_of_its_stumps() -> None:
    fitted = QuadBoostClassifier(n_rounds=20, voters=Stumps(4)).fit(*examples())
    sizes = np.abs(fitted.voter_weights_).reshape(3, 4).sum(axis=1)
    np.testing.assert_allclose(fitted.feature_importances_, sizes / sizes.sum())


def test_an_empty_vote_has_no_rounds_and_gives_no_attribute_a_share() -> None:
    fitted = QuadBoostClassifier("l1", lam=100.0).fit(*examples())
    assert fitted.feature_importances_.tolist() == [0.0, 0.0, 0.0]
    assert fitted.n_iter_ == 0


# Refusals


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (QuadBoostClassifier("l3"), "norm must be None, 'l1', 'l2' or 'linf'"),
        (QuadBoostClassifier("l1", lam=0.0), "lam must be positive"),
        (QuadBoostClassifier("linf", alpha_max=-1), "alpha_max must be positive"),
        (QuadBoostClassifier(n_rounds=0), "n_rounds must be positive"),
        (QuadBoostClassifier(n_rounds=2.5), "n_rounds takes whole numbers"),
        (AdaBoostClassifier(0), "n_rounds must be positive"),
        (EBBoostClassifier(-1.0), "lam must be at least 0 and finite, not -1"),
        (AdaBoostRegClassifier(float("nan")), "C must be at least 0 and finite, not nan"),
        (AdaBoostRegClassifier(power=3), "power must be 1 or 2, not 3"),
        (LPBoostClassifier(C=float("inf")), "C must be positive and finite"),
        (RegularizedLPBoostClassifier(nu=1.5), "nu"),
        (RegularizedLPBoostClassifier(n_rounds=0), "n_rounds must be positive"),
        (RegularizedQPBoostClassifier(C=0.0), "C must be positive"),
        (HedgeBoostClassifier(0.7), "eta must be at most 0.5, not 0.7"),
        (CBBoostClassifier(0), "n_rounds must be positive"),
        (GBCBBoostClassifier(2.5), "n_rounds takes whole numbers"),
        (CqBoostClassifier(-1.0), "mu must be positive and finite, not -1"),
        (CqBoostClassifier(epsilon=0.0), "epsilon must be positive and finite, not 0"),
        (CqBoostClassifier(n_rounds=0), "n_rounds must be positive and finite, not 0"),
        (MinCqClassifier(0.0), "mu must be positive and finite, not 0"),
        (
            CqBoostClassifier(1.5),
            r"no optimum was found for {'mu': 1.5, .*}; mu can be at most 1\b",
        ),
        (MinCqClassifier(1.5), r"no optimum was found for {'mu': 1.5}; mu can be at most 0\.666"),
        (AdaBoostClassifier(voters="stumps"), "voters must be Stumps"),
        (AdaBoostClassifier(voters=Stumps(0)), "per_attribute must be at least 1"),
        (
            QuadBoostClassifier(voters="precomputed", min_weight_fraction_leaf=0.1),
            "min_weight_fraction_leaf is for stumps, not for other voters",
        ),
        (QuadBoostClassifier(voters="precomputed"), r"voters must have values in \[-1, 1\]"),
        (GradientBoostClassifier(loss="l2"), "loss must be 'logistic' or 'exponential', not 'l2'"),
    ],
)
def test_impossible_settings_are_refused_by_name(estimator: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimator.fit(np.array([[0.0], [1.0], [2.0]]), [0, 1, 1])


@each([AdaBoostClassifier(), GradientBoostClassifier()])
def test_a_constant_target_is_refused(estimator: Any) -> None:
    with pytest.raises(ValueError, match="y holds 1 class, not 2"):
        estimator.fit(np.zeros((4, 1)), [1, 1, 1, 1])


@pytest.mark.parametrize(
    "ask",
    [
        lambda: next(QuadBoostClassifier().staged_decision_function(np.zeros((1, 1)))),
        lambda: next(GradientBoostRegressor().staged_predict(np.zeros((1, 1)))),
        lambda: LPBoostClassifier().predict(np.zeros((1, 1))),
        lambda: GradientBoostClassifier().feature_importances_,
    ],
)
def test_an_unfitted_estimator_says_so(ask: Callable[[], object]) -> None:
    with pytest.raises(NotFittedError):
        ask()
