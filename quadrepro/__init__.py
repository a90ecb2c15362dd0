"""Reproduces the tables of boosting papers, beside the printed numbers."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quadrepro.learners.estimators import LPBoostClassifier
    from quadrepro.learners.gradient.estimators import (
        GradientBoostClassifier,
        GradientBoostRegressor,
    )
    from quadrepro.learners.greedy.cbound_estimators import CBBoostClassifier, GBCBBoostClassifier
    from quadrepro.learners.greedy.estimators import (
        AdaBoostClassifier,
        AdaBoostRegClassifier,
        EBBoostClassifier,
        QuadBoostClassifier,
    )
    from quadrepro.learners.greedy.hedge_estimators import HedgeBoostClassifier
    from quadrepro.learners.programs.quadratic_estimators import CqBoostClassifier, MinCqClassifier
    from quadrepro.learners.programs.soft_margin_estimators import (
        RegularizedLPBoostClassifier,
        RegularizedQPBoostClassifier,
    )
    from quadrepro.voters.stumps import Stumps

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegClassifier",
    "CBBoostClassifier",
    "CqBoostClassifier",
    "EBBoostClassifier",
    "GBCBBoostClassifier",
    "GradientBoostClassifier",
    "GradientBoostRegressor",
    "HedgeBoostClassifier",
    "LPBoostClassifier",
    "MinCqClassifier",
    "QuadBoostClassifier",
    "RegularizedLPBoostClassifier",
    "RegularizedQPBoostClassifier",
    "Stumps",
]

_HOMES = {
    "AdaBoostClassifier": "quadrepro.learners.greedy.estimators",
    "AdaBoostRegClassifier": "quadrepro.learners.greedy.estimators",
    "CBBoostClassifier": "quadrepro.learners.greedy.cbound_estimators",
    "CqBoostClassifier": "quadrepro.learners.programs.quadratic_estimators",
    "EBBoostClassifier": "quadrepro.learners.greedy.estimators",
    "GBCBBoostClassifier": "quadrepro.learners.greedy.cbound_estimators",
    "GradientBoostClassifier": "quadrepro.learners.gradient.estimators",
    "GradientBoostRegressor": "quadrepro.learners.gradient.estimators",
    "HedgeBoostClassifier": "quadrepro.learners.greedy.hedge_estimators",
    "LPBoostClassifier": "quadrepro.learners.estimators",
    "MinCqClassifier": "quadrepro.learners.programs.quadratic_estimators",
    "QuadBoostClassifier": "quadrepro.learners.greedy.estimators",
    "RegularizedLPBoostClassifier": "quadrepro.learners.programs.soft_margin_estimators",
    "RegularizedQPBoostClassifier": "quadrepro.learners.programs.soft_margin_estimators",
    "Stumps": "quadrepro.voters.stumps",
}


def __getattr__(name: str) -> Any:
    # Imported when first used, so that the command line's --help does not wait for scikit-learn.
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
