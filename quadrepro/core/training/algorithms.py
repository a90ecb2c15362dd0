"""The algorithms that a config can name.

An entry gives the module of its algorithm, which is imported only when it is needed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from quadrepro.base.models import Registry
from quadrepro.core.training.contract import Registered
from quadrepro.errors import closest, nearest

if TYPE_CHECKING:
    from quadrepro.core.training.estimator import RegisteredEstimator


def axis_text(axis: Any) -> str:
    """Return the values of an axis as text.

    Examples
    --------
    >>> axis_text([1, 0.5]), axis_text({"from": 1, "to": 1e-4, "points": 10})
    ('1, 0.5', '1 to 0.0001, 10 values')
    """
    if isinstance(axis, dict):
        return f"{axis['from']:g} to {axis['to']:g}, {axis['points']} values"
    return ", ".join(f"{value:g}" for value in axis)


BASELINE = "baseline"
"""Name of the algorithm that ignores the attributes."""

ALGORITHMS: Registry[Registered | RegisteredEstimator] = Registry(
    "algorithm",
    {
        "quadboost": "core.learners.quadboost:QUADBOOST",
        "quadboost-l1": "core.learners.quadboost:QUADBOOST_L1",
        "quadboost-l2": "core.learners.quadboost:QUADBOOST_L2",
        "quadboost-linf": "core.learners.quadboost:QUADBOOST_LINF",
        "lpboost": "core.learners.lpboost:LPBOOST",
        "adaboost": "core.learners.adaboost:ADABOOST",
        "ebboost": "core.learners.ebboost:EBBOOST",
        "abr": "core.learners.adaboost_reg:ABR",
        "rlp-boost": "core.learners.soft_margin:RLP_BOOST",
        "rqp-boost": "core.learners.soft_margin:RQP_BOOST",
        "cb-boost": "core.learners.cbboost:CB_BOOST",
        "gb-cb-boost": "core.learners.cbboost:GB_CB_BOOST",
        "mincq": "core.learners.mincq:MINCQ",
        "mincq-on-cb-boost": "core.learners.mincq:MINCQ_ON_CB_BOOST",
        "cqboost": "core.learners.cqboost:CQBOOST",
        "boosting": "core.learners.gradient:BOOSTING",
        "rsboosting": "core.learners.gradient:RSBOOSTING",
        "rtboosting": "core.learners.gradient:RTBOOSTING",
        "rboosting": "core.learners.gradient:RBOOSTING",
        "epsilon-boosting": "core.learners.gradient:EPSILON_BOOSTING",
        "rescale-rtboosting": "core.learners.gradient:RESCALE_RTBOOSTING",
        "rescale-epsilon-boosting": "core.learners.gradient:RESCALE_EPSILON_BOOSTING",
        "real-adaboost": "core.learners.stagewise:REAL_ADABOOST",
        "gentle-adaboost": "core.learners.stagewise:GENTLE_ADABOOST",
        "logitboost": "core.learners.stagewise:LOGITBOOST",
        "adaboost-m1": "core.learners.stagewise:ADABOOST_M1",
        "samme": "core.learners.stagewise:SAMME",
        "hedge": "core.learners.hedge:HEDGE",
        BASELINE: "core.training.estimator:BASELINE",
    },
)
"""The algorithms; each declares its entry in its own file."""


def check_name(name: str) -> None:
    """Raise ValueError, with the nearest name, if an algorithm is unknown."""
    if name in ALGORITHMS:
        return
    from quadrepro.core.training.imported import sklearn_modules

    if closest(name, ALGORITHMS) is None and (estimator := closest(name, sklearn_modules())):
        raise ValueError(f"unknown algorithm {name!r}; did you mean 'sklearn:{estimator}'?")
    hint = f"{nearest(name, ALGORITHMS)}; others by import path, such as xgboost:XGBClassifier"
    raise ValueError(f"unknown algorithm {name!r}{hint}")


def find_registered(name: str, folder: str = "") -> Registered | RegisteredEstimator:
    """Return the entry of a known algorithm, or of an estimator such as ``"sklearn:SVC"``."""
    if ":" in name:
        # The module imports scikit-learn.
        from quadrepro.core.training.estimator import registered_estimator

        return registered_estimator(name, folder)
    entry = ALGORITHMS[name]
    return entry if isinstance(entry, Registered) else replace(entry, folder=folder)
