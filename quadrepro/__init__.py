"""Reproduces the tables of boosting papers, next to the printed numbers.

Public names are imported when they are first used, so that ``import quadrepro`` is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quadrepro.reader.printed_table import PrintedTable

    from . import stats
    from ._version import __version__
    from .api import RankedScores, compare, rank, reproduce
    from .core.estimators.boosted_trees import GradientBoostClassifier, GradientBoostRegressor
    from .core.estimators.programs import (
        CqBoostClassifier,
        LPBoostClassifier,
        MinCqClassifier,
        RegularizedLPBoostClassifier,
        RegularizedQPBoostClassifier,
    )
    from .core.estimators.votes import (
        AdaBoostClassifier,
        AdaBoostRegClassifier,
        CBBoostClassifier,
        EBBoostClassifier,
        GBCBBoostClassifier,
        HedgeBoostClassifier,
        QuadBoostClassifier,
    )
    from .core.learners.stagewise import (
        AdaBoostM1Classifier,
        GentleAdaBoostClassifier,
        LogitBoostClassifier,
        RealAdaBoostClassifier,
        SAMMEClassifier,
    )
    from .core.voters.stumps import Stumps
    from .reader.read import read_table
    from .results.results import Results, load_results

_PUBLIC = {
    "_version": ["__version__"],
    "api": ["RankedScores", "compare", "rank", "reproduce"],
    "core.estimators.boosted_trees": ["GradientBoostClassifier", "GradientBoostRegressor"],
    "core.estimators.programs": [
        *("CqBoostClassifier", "LPBoostClassifier", "MinCqClassifier"),
        *("RegularizedLPBoostClassifier", "RegularizedQPBoostClassifier"),
    ],
    "core.estimators.votes": [
        *("AdaBoostClassifier", "AdaBoostRegClassifier", "CBBoostClassifier", "EBBoostClassifier"),
        *("GBCBBoostClassifier", "HedgeBoostClassifier", "QuadBoostClassifier"),
    ],
    "core.learners.stagewise": [
        *("AdaBoostM1Classifier", "GentleAdaBoostClassifier", "LogitBoostClassifier"),
        *("RealAdaBoostClassifier", "SAMMEClassifier"),
    ],
    "core.voters.stumps": ["Stumps"],
    "reader.read": ["read_table"],
    "reader.printed_table": ["PrintedTable"],
    "results.results": ["Results", "load_results"],
}

_PLACES = {name: place for place, names in _PUBLIC.items() for name in names}

# Type checkers read literals only.
__all__ = ["PrintedTable", "RankedScores", "Results", "Stumps", "__version__", "stats"]
__all__ += ["compare", "load_results", "rank", "read_table", "reproduce"]
__all__ += ["AdaBoostClassifier", "AdaBoostM1Classifier", "AdaBoostRegClassifier"]
__all__ += ["CBBoostClassifier", "CqBoostClassifier", "EBBoostClassifier", "GBCBBoostClassifier"]
__all__ += ["GentleAdaBoostClassifier", "GradientBoostClassifier", "GradientBoostRegressor"]
__all__ += ["HedgeBoostClassifier", "LPBoostClassifier", "LogitBoostClassifier"]
__all__ += ["MinCqClassifier", "QuadBoostClassifier", "RealAdaBoostClassifier"]
__all__ += ["RegularizedLPBoostClassifier", "RegularizedQPBoostClassifier", "SAMMEClassifier"]


def __getattr__(name: str) -> Any:
    if name == "stats":
        return import_module(f"{__name__}.stats")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
