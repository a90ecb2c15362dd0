"""The algorithms that a config can name.

An entry gives the module of its algorithm, which is imported only when it is needed.
"""

from __future__ import annotations

import importlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from quadrepro import extensions
from quadrepro.learners.base import Learner

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from quadrepro.learners.contestants.entry import EstimatorEntry


@dataclass(frozen=True)
class Entry:
    """One algorithm as a config names it.

    Attributes
    ----------
    home : str or type
        Module in `quadrepro.learners` and class, such as ``"greedy.adaboost:AdaBoost"``, or the
        class itself.
    label : str
        Its name in tables.
    source : str
        The paper that describes it.
    preset : dict
        Settings that the user cannot change.
    grid : dict
        Values of hyper-parameters for a config that names none, as it would write them; those of
        quadrepro's own algorithms stand in `quadrepro.learners.default_grids`.
    """

    home: str | type[Learner]
    label: str
    source: str
    preset: dict[str, Any] = field(default_factory=dict)
    grid: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def learner(self) -> type[Learner]:
        """The class of the algorithm."""
        if isinstance(self.home, type):
            return self.home
        module, _, name = self.home.partition(":")
        found: type[Learner] = getattr(
            importlib.import_module(f"quadrepro.learners.{module}"), name
        )
        return found

    def make(self, settings: dict[str, Any]) -> Learner:
        """Return the algorithm with the given settings.

        Raises
        ------
        pydantic.ValidationError
            If a setting is unknown, has the wrong type or is out of range; a ValueError.
        """
        return _validator(self.learner).validate_python(settings | self.preset, extra="forbid")

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Names and defaults of the settings that the user may change."""
        return {f.name: f.default for f in fields(self.learner) if f.name not in self.preset}

    def names(self, settings: Mapping[str, Any]) -> Collection[str]:
        """Return the names of the settings that the user may change besides some."""
        return self.settings

    @property
    def former(self) -> Mapping[str, str]:
        """Settings that have been renamed: the former name and the present one."""
        return self.learner.former


@cache
def _validator(learner: type[Learner]) -> TypeAdapter[Learner]:
    from pydantic import TypeAdapter

    return TypeAdapter(learner)


OF_ONE_STEP = {"bound": None, "theory": False}
"""Settings of gradient boosting that only one way to step has, and their values for the others."""

BASELINE = "baseline"
"""Name of the algorithm that does not look at the attributes."""

RAETSCH = "Raetsch, Onoda and Mueller 2001"
BAUVIN = "Bauvin et al. 2020"

ALGORITHMS: dict[str, Entry] = {
    "quadboost": Entry("greedy.quadboost:QuadBoost", "QuadBoost", "QuadBoost, eq. 6"),
    "quadboost-l1": Entry("greedy.quadboost:QuadBoostL1", "QuadBoost-L1", "QuadBoost, eq. 7"),
    "quadboost-l2": Entry("greedy.quadboost:QuadBoostL2", "QuadBoost-L2", "QuadBoost, eq. 8"),
    "quadboost-linf": Entry("greedy.quadboost:QuadBoostLInf", "QuadBoost-L∞", "QuadBoost, eq. 9"),
    "lpboost": Entry("programs.lpboost:LPBoost", "LPBoost", "Demiriz et al. 2002"),
    "adaboost": Entry(
        "greedy.adaboost:AdaBoost", "AdaBoost", "Freund and Schapire 1997; lecture, section 4"
    ),
    "ebboost": Entry(
        "greedy.ebboost:EBBoost", "EBBoost", "Shivaswamy and Jebara 2010, algorithm 2"
    ),
    "abr": Entry("greedy.adaboost_reg:AdaBoostReg", "AdaBoost_REG", RAETSCH),
    "rlp-boost": Entry("programs.lp_reg:RegularizedLP", "RLP-Boost", f"{RAETSCH}, LP_REG"),
    "rqp-boost": Entry("programs.qp_reg:RegularizedQP", "RQP-Boost", f"{RAETSCH}, QP_REG"),
    "cb-boost": Entry("greedy.cbboost:CBBoost", "CB-Boost", f"{BAUVIN}, algorithm 1"),
    "gb-cb-boost": Entry("greedy.cbboost:GBCBBoost", "GB-CB-Boost", f"{BAUVIN}, appendix B"),
    "mincq": Entry("programs.mincq:MinCq", "MinCq", "Germain et al. 2015"),
    "mincq-on-cb-boost": Entry(
        "programs.mincq:MinCqOnCBBoost", "MinCq(CB-Boost)", f"{BAUVIN}, figure 5"
    ),
    "cqboost": Entry("programs.cqboost:CqBoost", "CqBoost", "Roy et al. 2016"),
    **{
        name: Entry(f"plain.{home}", label, f"{BAUVIN}, figure 1")
        for name, home, label in (
            ("cqboost-by-solver", "cqboost:CqBoostBySolver", "CqBoost by a solver"),
            ("gb-cb-boost-by-passes", "greedy:GBCBBoostByPasses", "GB-CB-Boost by passes"),
            ("cb-boost-by-passes", "greedy:CBBoostByPasses", "CB-Boost by passes"),
            ("adaboost-by-passes", "greedy:AdaBoostByPasses", "AdaBoost by passes"),
        )
    },
    **{
        name: Entry(
            "gradient.boosting:GradientBoost",
            label,
            f"Re-scale boosting, {source}",
            {"step": step} | {key: value for key, value in OF_ONE_STEP.items() if key != own},
        )
        for name, step, label, source, own in (
            ("boosting", "full", "Boosting", "algorithm 1", ""),
            ("rsboosting", "shrink", "RSboosting", "section IV", ""),
            ("rtboosting", "truncate", "RTboosting", "section IV", "bound"),
            ("rboosting", "rescale", "RBoosting", "algorithm 2", "theory"),
            ("epsilon-boosting", "epsilon", "ε-boosting", "section IV", ""),
            ("rescale-rtboosting", "rescale-truncate", "Re-scale RTboosting", "remark 1", "bound"),
            ("rescale-epsilon-boosting", "rescale-epsilon", "Re-scale ε-boosting", "remark 1", ""),
        )
    },
    "hedge": Entry("greedy.hedge:HedgeBoost", "Experts' vote", "lecture, section 3"),
    BASELINE: Entry(
        "baseline:Baseline",
        "Baseline",
        "most frequent class, or mean",
        {"predicts": "classification"},
    ),
}


def find_entry(name: str, folder: str = "") -> Entry | EstimatorEntry:
    """Return the entry of an algorithm, or of an estimator such as ``"sklearn:SVC"``.

    Parameters
    ----------
    name : str
        A name in the registry or of an extension, or the import path of a class or function:
        ``module:attribute``, where the module ``sklearn`` stands for all of scikit-learn.
    folder : str, default ""
        Where modules are looked for that are not installed.

    Raises
    ------
    KeyError
        If there is none; the message gives the nearest name.
    ConfigError
        If an extension cannot be used.
    """
    if ":" in name:
        # The module imports scikit-learn.
        from quadrepro.learners.contestants.entry import estimator_entry

        return estimator_entry(name, folder)
    listing = "quadrepro list algorithms"
    return extensions.look_up("algorithms", name, ALGORITHMS, Entry, "algorithm", listing)
