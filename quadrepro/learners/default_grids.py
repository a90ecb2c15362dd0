"""Values of hyper-parameters for a config that names none, as a config would write them.

They are those of the algorithm's paper where these are few. A grid has at most 20 candidates, and
none of more than 10,000 rounds, so that a data set of some thousand rows takes seconds on a laptop.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

_ROUNDS = {"n_rounds": [10, 32, 100, 316, 1000]}
_FEW_ROUNDS = {"n_rounds": [10, 100, 1000]}
_LONG_RUNS = {"n_rounds": [10, 100, 1000, 10_000]}
_CB_ROUNDS = {"n_rounds": [2, 5, 10, 20, 50, 100, 200, 500]}
_TREES = {"n_rounds": [1, 2, 5, 10, 20, 50, 100, 200, 500]}
_FEW_TREES = {"n_rounds": [5, 20, 100, 500]}
_STEPS = [0.01, 0.03, 0.1, 0.3, 1]
_RESCALING = {"u": [1, 10, 100, 1000], **_FEW_TREES}
_MU = {"from": 0.3, "to": 0.03, "points": 5}

DEFAULT_GRIDS = MappingProxyType[str, dict[str, Any]](
    {
        "quadboost": {"n_rounds": {"from": 1, "to": 1000, "points": 10}},
        "quadboost-l1": {"lam": {"from": 1, "to": 1e-4, "points": 10}},
        "quadboost-l2": {**_LONG_RUNS, "lam": {"from": 1000, "to": 1, "points": 5}},
        "quadboost-linf": {**_LONG_RUNS, "alpha_max": {"from": 1e-4, "to": 0.1, "points": 5}},
        "lpboost": {"C": {"from": 1e-3, "to": 1000, "points": 10}},
        "adaboost": _ROUNDS,
        "adaboost-by-passes": _ROUNDS,
        "ebboost": {"lam": {"from": 100, "to": 0.01, "points": 5}, **_FEW_ROUNDS},
        "abr": {"C": {"from": 1e5, "to": 10, "points": 5}, **_FEW_ROUNDS},
        "rlp-boost": {
            "nu": [1, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01]
        },
        "rqp-boost": {"C": {"from": 1e-3, "to": 100, "points": 11}},
        "cb-boost": _CB_ROUNDS,
        "cb-boost-by-passes": _CB_ROUNDS,
        "gb-cb-boost": _CB_ROUNDS,
        "gb-cb-boost-by-passes": _CB_ROUNDS,
        "mincq": {"mu": {"from": 0.9, "to": 0.009, "points": 10}},
        "mincq-on-cb-boost": _CB_ROUNDS,
        "cqboost": {"mu": _MU, "epsilon": [1e-2, 1e-4, 1e-8]},
        "cqboost-by-solver": {"mu": _MU, "epsilon": [1e-2]},
        "boosting": _TREES,
        "rsboosting": {"nu": _STEPS, **_FEW_TREES},
        "rtboosting": _TREES,
        "rboosting": _RESCALING,
        "epsilon-boosting": {"eps": _STEPS, **_FEW_TREES},
        "rescale-rtboosting": _RESCALING,
        "rescale-epsilon-boosting": {"eps": _STEPS, **_FEW_TREES},
        "hedge": {"eta": [0.01, 0.03, 0.1, 0.3], **_FEW_ROUNDS},
    }
)
"""By algorithm and hyper-parameter. The first axis is the outermost."""


def axis_text(axis: Any) -> str:
    """Return the values of an axis in words.

    Examples
    --------
    >>> axis_text([1, 0.5]), axis_text({"from": 1, "to": 1e-4, "points": 10})
    ('1, 0.5', '1 to 0.0001, 10 values')
    """
    if isinstance(axis, dict):
        return f"{axis['from']:g} to {axis['to']:g}, {axis['points']} values"
    return ", ".join(f"{value:g}" for value in axis)
