"""Every estimator in every variant, with few rounds, and examples for all of them."""

from __future__ import annotations

from itertools import cycle, product
from typing import Any, get_args

import numpy as np
from sklearn.base import is_regressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from quadrepro import (
    AdaBoostClassifier,
    AdaBoostM1Classifier,
    AdaBoostRegClassifier,
    CBBoostClassifier,
    CqBoostClassifier,
    EBBoostClassifier,
    GBCBBoostClassifier,
    GentleAdaBoostClassifier,
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
from quadrepro.core.learners.gradient import StepName

STEPS = get_args(StepName)

BOOSTING: list[Any] = [
    AdaBoostClassifier(20),
    AdaBoostClassifier(20, voters=Stumps(missing="branch")),
    AdaBoostClassifier(20, voters=Stumps(40), min_weight_fraction_leaf=0.1),
    EBBoostClassifier(0.3, n_rounds=20),
    AdaBoostRegClassifier(5.0, power=1, n_rounds=20),
    AdaBoostRegClassifier(5.0, power=2, n_rounds=20),
    HedgeBoostClassifier(n_rounds=30),
    HedgeBoostClassifier(0.1, n_rounds=30),
    CBBoostClassifier(20),
    CBBoostClassifier(20, reweight=True),
    CBBoostClassifier(20, allow_repeats=False),
    GBCBBoostClassifier(20),
    QuadBoostClassifier("l1", lam=0.03, n_rounds=30, selection="correlation"),
    *(
        QuadBoostClassifier(norm, lam=0.03, alpha_max=0.05, n_rounds=30, reweight=reweight)
        for norm, reweight in product((None, "l1", "l2", "linf"), (False, True))
    ),
]
PROGRAMS: list[Any] = [
    LPBoostClassifier(0.1),
    CqBoostClassifier(0.02),
    CqBoostClassifier(0.02, n_rounds=5),
    MinCqClassifier(0.02),
    RegularizedLPBoostClassifier(0.6, n_rounds=10),
    RegularizedQPBoostClassifier(0.1, n_rounds=10),
]
VOTES = [*BOOSTING, *PROGRAMS]

REGRESSORS: list[Any] = [
    *(GradientBoostRegressor(step, n_rounds=10, eps=0.5) for step in STEPS),
    GradientBoostRegressor("shrink", n_rounds=10, cuts=3),
    GradientBoostRegressor("truncate", n_rounds=10, depth=2, bound="unit"),
    GradientBoostRegressor("rescale", n_rounds=10, cuts=3, min_weight_fraction_leaf=0.1),
]
BY_GRADIENT: list[Any] = [
    *(
        GradientBoostClassifier(step, n_rounds=10, loss=loss)
        for step, loss in zip(STEPS, cycle(("logistic", "exponential")), strict=False)
    ),
    GradientBoostClassifier("full", n_rounds=10, cuts=3),
    GradientBoostClassifier("rescale-truncate", n_rounds=10, depth=2, bound="tree"),
    GradientBoostClassifier("shrink", n_rounds=10, min_weight_fraction_leaf=0.1),
]
STAGEWISE: list[Any] = [
    RealAdaBoostClassifier(10),
    RealAdaBoostClassifier(10, depth=2),
    GentleAdaBoostClassifier(10, cuts=3),
    LogitBoostClassifier(10),
    LogitBoostClassifier(10, depth=2, z_max=3.0),
    AdaBoostM1Classifier(10, cuts=3),
    SAMMEClassifier(10),
    SAMMEClassifier(10, depth=2),
    SAMMEClassifier(5, weak=DecisionTreeClassifier(max_depth=1, random_state=0)),
    GentleAdaBoostClassifier(5, weak=DecisionTreeRegressor(max_depth=2, random_state=0)),
]
CLASSIFIERS = [*VOTES, *BY_GRADIENT]
ALL = [*CLASSIFIERS, *REGRESSORS]
ONE_OF_EACH_CLASS = [*{type(e): e for e in reversed(ALL)}.values()]


def examples(estimator: Any = None, seed: int = 0, n: int = 60) -> tuple[FloatArray, Any]:
    """Return noisy examples with some equal attributes; numbers if the estimator predicts them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(1)
    y = X[:, 0] + np.sin(2 * X[:, 1]) + rng.normal(0, 0.5, n)
    number = estimator is not None and is_regressor(estimator)
    return X, (y if number else np.where(y > 0.3, "yes", "no"))


def outputs(fitted: Any, X: FloatArray) -> FloatArray:
    """Return the numbers that a fitted estimator gives to examples."""
    method = fitted.predict if is_regressor(fitted) else fitted.decision_function
    return np.asarray(method(X))


def staged_outputs(fitted: Any, X: FloatArray) -> list[FloatArray]:
    """Return these numbers after each round."""
    regressor = is_regressor(fitted)
    return list((fitted.staged_predict if regressor else fitted.staged_decision_function)(X))
