"""Checking when a run over drawn stumps ended, and which of its rounds was taken."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro.learners.stopping import Stopping
from quadrepro.learners.training import Part
from quadrepro.verification.certificate import Certificate
from quadrepro.verification.voters import ZERO, DrawnVote


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The examples by which the number of rounds was chosen.

    Attributes
    ----------
    part : Part
        Held-out examples.
    stopping : Stopping
        When a run ends, and which of its rounds is taken.
    """

    part: Part
    stopping: Stopping

    def check(self, vote: DrawnVote, certificate: Certificate) -> None:
        """Check that the rounds of a vote are those that its errors call for.

        Of a run of which the best round is taken, the later rounds are not known.
        """
        errors, rule = self.errors(vote), self.stopping
        if not errors:
            return
        if rule.take == "best":
            certificate.require(
                min(errors[:-1], default=errors[-1] + 1) > errors[-1],
                "an earlier round has as few errors on the held-out examples",
            )
            return
        ends = [self._ends(errors, t) for t in range(len(errors))]
        certificate.require(not any(ends[:-1]), "an earlier round ends the run")
        # A voter without error, or none with an edge, ends a run too.
        others = np.abs(vote.weights[:-1]).sum()
        by_rule = vote.weights[-1] == 0 or abs(vote.weights[-1]) > others
        certificate.require(
            ends[-1] or by_rule or len(errors) == rule.max_rounds, "the last round ends no run"
        )

    def errors(self, vote: DrawnVote) -> list[int]:
        """Return the number of errors after each round."""
        sums, total = np.zeros(len(self.part.y), dtype=np.longdouble), np.longdouble(0.0)
        codes, positive, found = vote.grid.codes(self.part.X), self.part.y > 0, []
        for attribute, cut, weight in zip(vote.attributes, vote.cuts, vote.weights, strict=True):
            sums += np.where(codes[attribute] > cut, weight, -weight)
            total += abs(weight)
            found.append(int(((sums > ZERO * total) != positive).sum()))
        return found

    def _ends(self, errors: list[int], t: int) -> bool:
        rule = self.stopping
        if rule.lag is not None:
            return t >= rule.lag and errors[t] >= errors[t - rule.lag]
        return t - int(np.argmin(errors[: t + 1])) >= rule.patience
