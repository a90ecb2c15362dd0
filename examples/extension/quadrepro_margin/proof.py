"""What ``quadrepro explain --verify`` checks in the rounds of AdaBoost_ϱ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro.proof.certificate import Certificate
from quadrepro.proof.conditions import WeightConditions
from quadrepro.proof.greedy import GreedySolution, Round

ENDED = 1e-9
"""By how much the largest edge may be above ϱ when a run ends."""


@dataclass
class RhoConditions(WeightConditions):
    """Checks that α = artanh r - artanh ϱ for the edge r of the pick."""

    rho: float
    """ϱ."""

    def check_weight(self, seen: Round, certificate: Certificate) -> None:
        """Check α."""
        alpha = np.arctanh(self.edge(seen)) - np.arctanh(self.rho)
        certificate.weigh(abs(seen.weight), alpha, f"round {seen.t}")

    def check_end(self, seen: Round, certificate: Certificate) -> None:
        """Check that no voter has an edge above ϱ."""
        left = float(self.scores(seen).max()) - self.rho - ENDED
        certificate.measure("violation", left, f"round {seen.t}: the edge left")


class RhoSolution(GreedySolution):
    """A run of AdaBoost_ϱ."""

    @property
    def conditions(self) -> RhoConditions:
        """What checks the rounds."""
        return RhoConditions(self.value)
