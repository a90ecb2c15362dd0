"""Every estimator in every variant, with few rounds."""

from __future__ import annotations

from itertools import product
from typing import Any, get_args

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
from quadrepro.core.learners.gradient import StepName

STEPS = get_args(StepName)

QUADBOOST = [
    QuadBoostClassifier(norm, lam=0.03, alpha_max=0.05, n_rounds=30, reweight=reweight)
    for norm, reweight in product((None, "l1", "l2", "linf"), (False, True))
]
GREEDY = [
    AdaBoostClassifier(20),
    EBBoostClassifier(0.3, n_rounds=20),
    AdaBoostRegClassifier(5.0, power=1, n_rounds=20),
    AdaBoostRegClassifier(5.0, power=2, n_rounds=20),
    HedgeBoostClassifier(n_rounds=30),
    HedgeBoostClassifier(0.1, n_rounds=30),
    CBBoostClassifier(20),
    CBBoostClassifier(20, reweight=True),
    CBBoostClassifier(20, allow_repeats=False),
    GBCBBoostClassifier(20),
]
PROGRAMS = [
    LPBoostClassifier(0.1),
    CqBoostClassifier(0.02),
    CqBoostClassifier(0.02, n_rounds=5),
    MinCqClassifier(0.02),
    RegularizedLPBoostClassifier(0.2, n_rounds=10),
    RegularizedQPBoostClassifier(0.1, n_rounds=10),
]
OTHER_VOTERS = [
    AdaBoostClassifier(20, voters=Stumps(missing="branch")),
    QuadBoostClassifier("l1", lam=0.03, n_rounds=30, selection="correlation"),
    AdaBoostClassifier(20, voters=Stumps(40), min_weight_fraction_leaf=0.1),
]
VOTES: list[Any] = [*QUADBOOST, *GREEDY, *PROGRAMS, *OTHER_VOTERS]

REGRESSORS = [GradientBoostRegressor(step, n_rounds=10, eps=0.5) for step in STEPS]
REGRESSORS += [
    GradientBoostRegressor("shrink", n_rounds=10, cuts=3),
    GradientBoostRegressor("truncate", n_rounds=10, depth=2, bound="unit"),
    GradientBoostRegressor("rescale", n_rounds=10, cuts=3, min_weight_fraction_leaf=0.1),
]
BY_GRADIENT: list[Any] = [
    GradientBoostClassifier(step, n_rounds=10, loss=loss)
    for step, loss in product(STEPS, ("logistic", "exponential"))
]
BY_GRADIENT += [
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
CLASSIFIERS: list[Any] = [*VOTES, *BY_GRADIENT]
ALL: list[Any] = [*CLASSIFIERS, *REGRESSORS]
