from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

from quadrepro import (
    AdaBoostClassifier,
    AdaBoostRegClassifier,
    CBBoostClassifier,
    CqBoostClassifier,
    EBBoostClassifier,
    GBCBBoostClassifier,
    HedgeBoostClassifier,
    LPBoostClassifier,
    MinCqClassifier,
    QuadBoostClassifier,
    RegularizedLPBoostClassifier,
    RegularizedQPBoostClassifier,
    Stumps,
)
from quadrepro.base.types import FloatArray
from quadrepro.core.estimators import VoteClassifier
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.adaboost_reg import AdaBoostReg
from quadrepro.core.learners.cbboost import CBBoost, GBCBBoost
from quadrepro.core.learners.cqboost import CqBoost
from quadrepro.core.learners.ebboost import EBBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.hedge import HedgeBoost
from quadrepro.core.learners.learner import Algorithm
from quadrepro.core.learners.lp_reg import RegularizedLP
from quadrepro.core.learners.lpboost import LPBoost
from quadrepro.core.learners.mincq import MinCq
from quadrepro.core.learners.qp_reg import RegularizedQP
from quadrepro.core.learners.quadboost import (
    QuadBoost,
    QuadBoostL1,
    QuadBoostL2,
    QuadBoostLInf,
)

Problem = tuple[FloatArray, FloatArray]

ESTIMATORS = [
    QuadBoostClassifier(n_rounds=50),
    QuadBoostClassifier("l1", lam=0.02, reweight=True),
    QuadBoostClassifier("l2", lam=1.0, n_rounds=50),
    QuadBoostClassifier("linf", alpha_max=0.05, n_rounds=50),
    LPBoostClassifier(C=0.5),
    AdaBoostClassifier(n_rounds=20),
    EBBoostClassifier(lam=0.3, n_rounds=20),
    AdaBoostRegClassifier(C=5.0, n_rounds=20),
    CBBoostClassifier(20),
    CBBoostClassifier(20, allow_repeats=False),
    GBCBBoostClassifier(20),
    HedgeBoostClassifier(n_rounds=50),
    RegularizedLPBoostClassifier(nu=0.1, n_rounds=20),
    RegularizedQPBoostClassifier(C=0.1, n_rounds=20),
    CqBoostClassifier(0.3),
    MinCqClassifier(),
]
each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)


@pytest.mark.parametrize(
    ("estimator", "algorithm", "candidate"),
    [
        (QuadBoostClassifier(n_rounds=30), QuadBoost(), {"n_rounds": [30]}),
        (QuadBoostClassifier("l1", lam=0.03), QuadBoostL1(), {"lam": [0.03]}),
        (
            QuadBoostClassifier("l2", lam=2.0, n_rounds=30, reweight=True),
            QuadBoostL2(reweight=True),
            {"lam": [2.0], "n_rounds": [30]},
        ),
        (
            QuadBoostClassifier("linf", alpha_max=0.02, n_rounds=30),
            QuadBoostLInf(),
            {"alpha_max": [0.02], "n_rounds": [30]},
        ),
        (AdaBoostClassifier(30), AdaBoost(), {"n_rounds": [30]}),
        (EBBoostClassifier(0.3, n_rounds=30), EBBoost(), {"lam": [0.3], "n_rounds": [30]}),
        (
            AdaBoostRegClassifier(2.0, power=1, n_rounds=30),
            AdaBoostReg(power=1),
            {"C": [2.0], "n_rounds": [30]},
        ),
        (LPBoostClassifier(C=0.5), LPBoost(), {"C": [0.5]}),
        (RegularizedLPBoostClassifier(0.3, n_rounds=9), RegularizedLP(9), {"nu": [0.3]}),
        (RegularizedQPBoostClassifier(0.1, n_rounds=9), RegularizedQP(9), {"C": [0.1]}),
        (HedgeBoostClassifier(0.2, n_rounds=30), HedgeBoost(), {"eta": [0.2], "n_rounds": [30]}),
        (CBBoostClassifier(20), CBBoost(), {"n_rounds": [20]}),
        (CBBoostClassifier(20, reweight=True), CBBoost(reweight=True), {"n_rounds": [20]}),
        (CBBoostClassifier(20, allow_repeats=False), CBBoost(False), {"n_rounds": [20]}),
        (GBCBBoostClassifier(20), GBCBBoost(), {"n_rounds": [20]}),
        (CqBoostClassifier(0.1), CqBoost(), {"mu": [0.1], "epsilon": [1e-6]}),
        (CqBoostClassifier(0.1, epsilon=0.3), CqBoost(), {"mu": [0.1], "epsilon": [0.3]}),
        (
            CqBoostClassifier(0.1, n_rounds=4),
            CqBoost(),
            {"mu": [0.1], "epsilon": [1e-6], "n_rounds": [4]},
        ),
        (MinCqClassifier(0.1), MinCq(), {"mu": [0.1]}),
    ],
    ids=repr,
)
def test_weights_are_those_of_the_algorithms_path(
    problem: Problem, estimator: VoteClassifier, algorithm: Algorithm, candidate: dict[str, list]
) -> None:
    H, y = problem
    fitted = clone(estimator).set_params(voters="precomputed").fit(H, y)
    np.testing.assert_array_equal(
        fitted.voter_weights_, algorithm.path(H, y, Grid.of(candidate))[0]
    )


@each_estimator
def test_the_last_stage_is_the_decision_function(
    make_problem: Callable[..., Problem], estimator: VoteClassifier
) -> None:
    H, y = make_problem(m=80, n=10)
    fitted = clone(estimator).set_params(voters="precomputed").fit(H, y)
    *_, last = fitted.staged_decision_function(H)
    np.testing.assert_allclose(last, fitted.decision_function(H), atol=1e-12)


@each_estimator
def test_labels_come_back_as_they_were_given(estimator: VoteClassifier) -> None:
    X = np.arange(40.0)[:, None]
    y = np.where(X[:, 0] > 17, "yes", "no")
    fitted = clone(estimator).fit(X, y)
    assert set(fitted.predict(X)) == {"no", "yes"}
    assert (fitted.predict(X) == y).mean() > 0.9
    assert fitted.voter_weights_.shape == (10,)


@each_estimator
def test_learns_a_real_data_set(estimator: VoteClassifier) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    assert cross_val_score(clone(estimator), X, y, cv=3).mean() > 0.9


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
        (AdaBoostClassifier(voters="stumps"), "voters must be Stumps"),
        (AdaBoostClassifier(voters=Stumps(0)), "per_attribute must be at least 1"),
    ],
)
def test_impossible_settings_are_refused_by_name(estimator: VoteClassifier, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimator.fit(np.array([[0.0], [1.0], [2.0]]), [0, 1, 1])


def test_a_constant_target_is_refused() -> None:
    with pytest.raises(ValueError, match="y holds 1 class, not 2"):
        AdaBoostClassifier().fit(np.zeros((4, 1)), [1, 1, 1, 1])


def test_precomputed_voters_must_stay_in_their_range() -> None:
    with pytest.raises(ValueError, match=r"voters must have values in \[-1, 1\]"):
        QuadBoostClassifier(voters="precomputed").fit(np.array([[2.0], [0.0]]), [0, 1])


def test_an_unfitted_classifier_says_so() -> None:
    with pytest.raises(NotFittedError):
        next(QuadBoostClassifier().staged_decision_function(np.zeros((1, 1))))
