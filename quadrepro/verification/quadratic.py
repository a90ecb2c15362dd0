"""Checks of QuadBoost, from the residuals of the examples.

QuadBoost keeps residual correlations and never sees the examples again. Here the correlations of a
round are computed afresh, c_j = mean(h_j (y - F)), which is mean(y h_j (1 - y F)).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.verification.certificate import Certificate, LongArray, Number
from quadrepro.verification.trajectory import Round

ROUNDING = 1e-11
"""What rounding may add to the change that is left when a run ends."""


BLUR = 1e-10
"""Added to the falls of the risk that re-weighting compares, of which the roots are the scores.

They are differences of numbers near 1, so that rounding changes small ones by a large share.
"""


@dataclass
class QuadBoostRule:
    """The weight is clip(soft(c', τ)/(η + ρ), ±bound) of the voter that lowers the risk most.

    Attributes
    ----------
    threshold, ridge, bound : float
        τ, ρ and the largest weight.
    reweight : bool
        Whether the weight of a voter is replaced; then c' = c + α η, else c' = c.
    tol : float
        The change of a weight at which a run ends.
    by_correlation : bool, default False
        Whether the voter of largest |c| is picked, and not that of the largest fall of the risk.
    """

    threshold: float
    ridge: float
    bound: float
    reweight: bool
    tol: float
    by_correlation: bool = False

    def check(self, seen: Round, certificate: Certificate) -> None:
        """Check the pick, its weight, and that the risk falls."""
        where = f"round {seen.t}"
        _, falls = self._changes(seen)
        residuals, picked = 1 - seen.margins, seen.picked
        eta = (picked.astype(np.longdouble) ** 2).mean()
        old = seen.vote[seen.pick] if self.reweight else np.longdouble(0.0)
        c = (residuals * picked).mean() + old * eta
        new = old + np.longdouble(seen.weight)
        fall = np.longdouble(self._risk(c, eta, old)) - np.longdouble(self._risk(c, eta, new))
        blur = BLUR if self.reweight else 0.0
        if self.by_correlation:
            certificate.compare(self._sizes(seen), abs(c), where)
        else:
            roots = np.sqrt(np.maximum(falls, 0.0) + blur)
            certificate.compare(roots, np.sqrt(np.maximum(fall, 0.0) + blur), where)
        expected = np.longdouble(self._minimiser(c, eta)) - old
        certificate.weigh(seen.weight, expected, where)
        before = (residuals**2).mean()
        after = ((residuals - np.longdouble(seen.weight) * picked) ** 2).mean()
        rise = after - before
        if self.reweight:
            rise += self._penalty(new) - self._penalty(old)
        certificate.measure("violation", rise, f"{where}: the fall of the risk")

    def check_end(self, seen: Round, certificate: Certificate) -> None:
        """Check that no weight would change."""
        changes, falls = self._changes(seen)
        scores = self._sizes(seen) if self.by_correlation else falls
        # The last change is no larger than `tol`, but it is made and may add as much to others.
        left = abs(float(changes[scores.argmax()])) - 2 * self.tol - ROUNDING
        certificate.measure("violation", left, f"round {seen.t}: the change left")

    def _sizes(self, seen: Round) -> FloatArray:
        """Return |c| of every voter."""
        return np.abs((1 - seen.margins).astype(np.float64) @ seen.signed / len(seen.signed))

    def _changes(self, seen: Round) -> tuple[FloatArray, FloatArray]:
        """Return the best change of every voter's weight, and by how much it lowers the risk."""
        m = len(seen.signed)
        eta = np.einsum("ij,ij->j", seen.signed, seen.signed) / m
        old = seen.vote.astype(np.float64) if self.reweight else np.zeros(len(eta))
        c = (1 - seen.margins).astype(np.float64) @ seen.signed / m + old * eta
        new = np.where(eta > 0, self._minimiser(c, np.where(eta > 0, eta, 1.0)), 0.0)
        falls = self._risk(c, eta, old) - self._risk(c, eta, new)
        return new - old, np.asarray(falls, dtype=np.float64)

    def _risk(
        self,
        c: FloatArray | Number,
        eta: FloatArray | Number,
        weight: FloatArray | LongArray | Number,
    ) -> FloatArray | LongArray:
        """Return the risk as a function of one weight, up to a constant."""
        return np.asarray(weight * (eta * weight - 2 * c) + self._penalty(weight))

    def _penalty(self, weight: FloatArray | LongArray | Number) -> FloatArray | LongArray:
        return np.asarray(2 * self.threshold * np.abs(weight) + self.ridge * weight * weight)

    def _minimiser(self, c: FloatArray | Number, eta: FloatArray | Number) -> FloatArray:
        soft = np.sign(c) * np.maximum(np.abs(c) - self.threshold, 0.0)
        return np.asarray(np.clip(soft / (eta + self.ridge), -self.bound, self.bound))
