"""Reproduces the tables of boosting papers, beside the printed numbers."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quadrepro.learners.gradient.estimators import (
        GradientBoostClassifier,
        GradientBoostRegressor,
    )
    from quadrepro.learners.greedy.adaboost import AdaBoostClassifier
    from quadrepro.learners.greedy.adaboost_reg import AdaBoostRegClassifier
    from quadrepro.learners.greedy.cbboost import CBBoostClassifier, GBCBBoostClassifier
    from quadrepro.learners.greedy.ebboost import EBBoostClassifier
    from quadrepro.learners.greedy.hedge import HedgeBoostClassifier
    from quadrepro.learners.greedy.quadboost import QuadBoostClassifier
    from quadrepro.learners.programs.cqboost import CqBoostClassifier
    from quadrepro.learners.programs.lp_reg import RegularizedLPBoostClassifier
    from quadrepro.learners.programs.lpboost import LPBoostClassifier
    from quadrepro.learners.programs.mincq import MinCqClassifier
    from quadrepro.learners.programs.qp_reg import RegularizedQPBoostClassifier
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
    "AdaBoostClassifier": "quadrepro.learners.greedy.adaboost",
    "AdaBoostRegClassifier": "quadrepro.learners.greedy.adaboost_reg",
    "CBBoostClassifier": "quadrepro.learners.greedy.cbboost",
    "CqBoostClassifier": "quadrepro.learners.programs.cqboost",
    "EBBoostClassifier": "quadrepro.learners.greedy.ebboost",
    "GBCBBoostClassifier": "quadrepro.learners.greedy.cbboost",
    "GradientBoostClassifier": "quadrepro.learners.gradient.estimators",
    "GradientBoostRegressor": "quadrepro.learners.gradient.estimators",
    "HedgeBoostClassifier": "quadrepro.learners.greedy.hedge",
    "LPBoostClassifier": "quadrepro.learners.programs.lpboost",
    "MinCqClassifier": "quadrepro.learners.programs.mincq",
    "QuadBoostClassifier": "quadrepro.learners.greedy.quadboost",
    "RegularizedLPBoostClassifier": "quadrepro.learners.programs.lp_reg",
    "RegularizedQPBoostClassifier": "quadrepro.learners.programs.qp_reg",
    "Stumps": "quadrepro.voters.stumps",
}


def __getattr__(name: str) -> Any:
    # Imported when first used, so that the command line's --help does not wait for scikit-learn.
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
