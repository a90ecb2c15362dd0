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

NAMES = {
    "learners.quadboost": "quadboost quadboost-l1 quadboost-l2 quadboost-linf",
    "learners.lpboost": "lpboost",
    "learners.adaboost": "adaboost",
    "learners.ebboost": "ebboost",
    "learners.adaboost_reg": "abr",
    "learners.soft_margin": "rlp-boost rqp-boost",
    "learners.cbboost": "cb-boost gb-cb-boost",
    "learners.mincq": "mincq mincq-on-cb-boost",
    "learners.cqboost": "cqboost",
    "learners.gradient": "boosting rsboosting rtboosting rboosting epsilon-boosting"
    " rescale-rtboosting rescale-epsilon-boosting",
    "learners.stagewise": "real-adaboost gentle-adaboost logitboost adaboost-m1 samme",
    "learners.hedge": "hedge",
    "training.estimator": BASELINE,
}
"""The names of the algorithms, by the module of their entries."""

_PATHS = {name: f"core.{module}" for module, names in NAMES.items() for name in names.split()}
ALGORITHMS: Registry[Registered | RegisteredEstimator] = Registry(
    "algorithm",
    {name: f"{path}:{name.upper().replace('-', '_')}" for name, path in _PATHS.items()},
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
