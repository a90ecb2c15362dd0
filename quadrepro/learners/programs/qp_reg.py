"""QP_REG, also RQP-Boost: AdaBoost's voters, weighted for the least norm (Rätsch et al. 2001)."""

from __future__ import annotations

from dataclasses import dataclass

from quadrepro._typing import FloatArray
from quadrepro.learners.base import Hyperparameter
from quadrepro.learners.programs.qp_reg_program import MarginQP
from quadrepro.learners.programs.soft_margin import SoftMargin

C = Hyperparameter("C", "number", "small", "price of a unit of slack", largest=1e6)


@dataclass(frozen=True)
class RegularizedQP(SoftMargin):
    """QP_REG: the weights of least ‖b‖² + C Σξ whose margins are at least 1 - ξ."""

    hyperparameters = (C,)
    version = 2
    kernels = (*SoftMargin.kernels, "cholesky", "sums")
    packages = ("scipy",)

    def _program(self, margins: FloatArray, counts: FloatArray) -> MarginQP:
        return MarginQP(margins, counts)
