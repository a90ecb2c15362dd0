"""The algorithms a config can name."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from quadrepro.errors import nearest
from quadrepro.learners.base import Learner
from quadrepro.learners.gradient.boosting import GradientBoost
from quadrepro.learners.greedy.adaboost import AdaBoost
from quadrepro.learners.greedy.adaboost_reg import AdaBoostReg
from quadrepro.learners.greedy.cbboost import CBBoost, GBCBBoost
from quadrepro.learners.greedy.ebboost import EBBoost
from quadrepro.learners.greedy.hedge import HedgeBoost
from quadrepro.learners.greedy.quadboost import QuadBoost, QuadBoostL1, QuadBoostL2, QuadBoostLInf
from quadrepro.learners.programs.cqboost import CqBoost
from quadrepro.learners.programs.lpboost import LPBoost
from quadrepro.learners.programs.mincq import MinCq, MinCqOnCBBoost
from quadrepro.learners.programs.soft_margin import RegularizedLP, RegularizedQP

if TYPE_CHECKING:
    from quadrepro.learners.sklearn_predictor import SklearnEntry

SKLEARN = "sklearn:"
"""How the names of scikit-learn's estimators begin."""


@dataclass(frozen=True)
class Entry:
    """One algorithm as a config names it.

    Attributes
    ----------
    learner : type of Learner
        Its class.
    label : str
        What tables call it.
    source : str
        Where it comes from.
    preset : dict
        Settings that make it what it is.
    """

    learner: type[Learner]
    label: str
    source: str
    preset: dict[str, Any] = field(default_factory=dict)

    def make(self, settings: dict[str, Any]) -> Learner:
        """Return the algorithm with some settings, checked for type.

        Raises
        ------
        pydantic.ValidationError, which is a ValueError
            If a setting is unknown or has the wrong type.
        """
        return TypeAdapter(self.learner).validate_python(settings | self.preset, extra="forbid")

    @property
    def settings(self) -> dict[str, Any]:
        """Names and defaults of the settings that a person may choose."""
        return {f.name: f.default for f in fields(self.learner) if f.name not in self.preset}


ALGORITHMS: dict[str, Entry] = {
    "quadboost": Entry(QuadBoost, "QuadBoost", "QuadBoost, eq. 6"),
    "quadboost-l1": Entry(QuadBoostL1, "QuadBoost-L1", "QuadBoost, eq. 7"),
    "quadboost-l2": Entry(QuadBoostL2, "QuadBoost-L2", "QuadBoost, eq. 8"),
    "quadboost-linf": Entry(QuadBoostLInf, "QuadBoost-L∞", "QuadBoost, eq. 9"),
    "lpboost": Entry(LPBoost, "LPBoost", "Demiriz et al. 2002"),
    "adaboost": Entry(AdaBoost, "AdaBoost", "Freund and Schapire 1997; lecture, section 4"),
    "ebboost": Entry(EBBoost, "EBBoost", "Shivaswamy and Jebara 2010, algorithm 2"),
    "abr": Entry(AdaBoostReg, "AdaBoost_REG", "Raetsch, Onoda and Mueller 2001"),
    "rlp-boost": Entry(RegularizedLP, "RLP-Boost", "Raetsch, Onoda and Mueller 2001, LP_REG"),
    "rqp-boost": Entry(RegularizedQP, "RQP-Boost", "Raetsch, Onoda and Mueller 2001, QP_REG"),
    "cb-boost": Entry(CBBoost, "CB-Boost", "Bauvin et al. 2020, algorithm 1"),
    "gb-cb-boost": Entry(GBCBBoost, "GB-CB-Boost", "Bauvin et al. 2020, appendix B"),
    "mincq": Entry(MinCq, "MinCq", "Germain et al. 2015"),
    "mincq-on-cb-boost": Entry(MinCqOnCBBoost, "MinCq(CB-Boost)", "Bauvin et al. 2020, figure 5"),
    "cqboost": Entry(CqBoost, "CqBoost", "Roy et al. 2016"),
    **{
        name: Entry(GradientBoost, label, f"Re-scale boosting, {source}", {"step": step})
        for name, step, label, source in (
            ("boosting", "full", "Boosting", "algorithm 1"),
            ("rsboosting", "shrink", "RSboosting", "section IV"),
            ("rtboosting", "truncate", "RTboosting", "section IV"),
            ("rboosting", "rescale", "RBoosting", "algorithm 2"),
            ("epsilon-boosting", "epsilon", "ε-boosting", "section IV"),
        )
    },
    "hedge": Entry(HedgeBoost, "Experts' vote", "lecture, section 3"),
}


def find_entry(name: str) -> Entry | SklearnEntry:
    """Return the entry of an algorithm, or of an estimator as in ``"sklearn:SVC"``.

    Raises
    ------
    KeyError
        If there is none; the message gives the nearest.
    """
    if name.startswith(SKLEARN):
        # scikit-learn is imported whole for this, so only where it is asked for.
        from quadrepro.learners.sklearn_predictor import sklearn_entry

        return sklearn_entry(name.removeprefix(SKLEARN))
    if name not in ALGORITHMS:
        raise KeyError(f"unknown algorithm {name!r}{nearest(name, ALGORITHMS)}")
    return ALGORITHMS[name]
