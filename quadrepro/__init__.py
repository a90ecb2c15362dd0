"""Reproduces the tables of boosting papers, beside the printed numbers."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quadrepro.boosting.cbound_estimators import CBBoostClassifier, GBCBBoostClassifier
    from quadrepro.boosting.estimators import LPBoostClassifier
    from quadrepro.boosting.gradient_estimators import (
        GradientBoostClassifier,
        GradientBoostRegressor,
    )
    from quadrepro.boosting.greedy_estimators import (
        AdaBoostClassifier,
        AdaBoostRegClassifier,
        EBBoostClassifier,
        QuadBoostClassifier,
    )
    from quadrepro.boosting.hedge_estimators import HedgeBoostClassifier
    from quadrepro.boosting.quadratic_estimators import CqBoostClassifier, MinCqClassifier
    from quadrepro.boosting.reweighting_estimators import (
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
    "AdaBoostClassifier": "quadrepro.boosting.greedy_estimators",
    "AdaBoostRegClassifier": "quadrepro.boosting.greedy_estimators",
    "CBBoostClassifier": "quadrepro.boosting.cbound_estimators",
    "CqBoostClassifier": "quadrepro.boosting.quadratic_estimators",
    "EBBoostClassifier": "quadrepro.boosting.greedy_estimators",
    "GBCBBoostClassifier": "quadrepro.boosting.cbound_estimators",
    "GradientBoostClassifier": "quadrepro.boosting.gradient_estimators",
    "GradientBoostRegressor": "quadrepro.boosting.gradient_estimators",
    "HedgeBoostClassifier": "quadrepro.boosting.hedge_estimators",
    "LPBoostClassifier": "quadrepro.boosting.estimators",
    "MinCqClassifier": "quadrepro.boosting.quadratic_estimators",
    "QuadBoostClassifier": "quadrepro.boosting.greedy_estimators",
    "RegularizedLPBoostClassifier": "quadrepro.boosting.reweighting_estimators",
    "RegularizedQPBoostClassifier": "quadrepro.boosting.reweighting_estimators",
    "Stumps": "quadrepro.voters.stumps",
}


def __getattr__(name: str) -> Any:
    # Imported when first used, so that the command line's --help does not wait for scikit-learn.
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
