"""Checks of CB-Boost and GB-CB-Boost, from the margins of the examples.

The C-bound of a vote F is 1 - γ²/ν with γ = mean(y F) and ν = mean(F²).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro._typing import BoolArray, FloatArray
from quadrepro.verification.certificate import Certificate, LongArray
from quadrepro.verification.trajectory import Round

COLLINEAR = 1e-8
"""A voter whose angle with the vote has a smaller sin² cannot be told from it by its score."""

ROUNDING = 1e-7
"""Root of the fall of the C-bound below which a run may end: a fall of 1e-14 is rounding."""


def c_bound(margins: LongArray) -> np.longdouble:
    """Return the C-bound of a vote with the given margins."""
    return np.longdouble(1 - margins.mean() ** 2 / (margins**2).mean())


@dataclass
class CBoundRule:
    """The weight minimises the C-bound along the voter of largest score.

    Attributes
    ----------
    gradient : bool
        Whether the score is the slope of the C-bound (GB-CB-Boost), and not its fall.
    repeats : bool
        Whether a voter may be picked again.
    reweight : bool, default False
        Whether the weight of a voter is set anew: it may be lowered, to 0 at most.
    """

    gradient: bool
    repeats: bool
    reweight: bool = False

    def check(self, seen: Round, certificate: Certificate) -> None:
        """Check the pick, its weight, and that the C-bound falls."""
        where, picked = f"round {seen.t}", np.asarray(seen.picked, dtype=np.longdouble)
        if seen.t == 1:
            certificate.compare(
                np.abs(seen.signed.mean(axis=0)), seen.direction * picked.mean(), where
            )
            certificate.weigh(abs(seen.weight), 1.0, where)
            return
        certificate.require(
            self.repeats or seen.vote[seen.pick] == 0, f"{where}: the pick was in the vote before"
        )
        turn = np.sign(picked.mean()) if self.reweight else seen.direction
        margins, picked, step = seen.margins, picked * turn, seen.weight * turn
        gamma, nu = margins.mean(), (margins**2).mean()
        g, tau, eta = picked.mean(), (margins * picked).mean(), (picked**2).mean()
        slope = g * nu - gamma * tau
        weight = slope / (gamma * eta - g * tau)
        if self.reweight:
            weight = max(weight, -abs(seen.vote[seen.pick]))
        # With a long step the last digits of γη - gτ, of which one is rounding, are the weight's.
        certificate.weigh(step, weight, where)
        before, after = c_bound(margins), c_bound(margins + step * picked)
        best = c_bound(margins + weight * picked)
        certificate.measure(
            "violation", np.maximum(after - before, after - best), f"{where}: C-bound"
        )
        scores = self._scores(seen)
        if self.gradient:
            certificate.compare(scores, slope / (gamma * np.sqrt(nu)), where)
        else:
            certificate.compare(scores, np.sqrt(max(before - best, np.longdouble(0))), where)

    def check_end(self, seen: Round, certificate: Certificate) -> None:
        """Check that no voter lowers the C-bound."""
        if seen.t == 1:
            certificate.require(
                not (np.abs(seen.signed.mean(axis=0)) > 1e-12).any(),
                "round 1: a voter has a margin",
            )
            return
        left = float(self._scores(seen).max()) - ROUNDING
        certificate.measure("violation", left, f"round {seen.t}: the fall left")

    def _scores(self, seen: Round) -> FloatArray:
        """Return the root of the C-bound's fall along every voter, or its slope; 0 if none."""
        m, F = len(seen.margins), seen.margins.astype(np.float64)
        gamma, nu = float(seen.margins.mean()), float((seen.margins**2).mean())
        g, tau = seen.signed.mean(axis=0), F @ seen.signed / m
        turns = np.sign(g)
        g, tau = g * turns, tau * turns
        eta = np.einsum("ij,ij->j", seen.signed, seen.signed) / m
        slopes = g * nu - gamma * tau
        bends = gamma * eta - g * tau
        allowed: BoolArray = (g > 1e-12) & ((slopes > 0) | self.reweight) & (bends > 0)
        if not self.repeats:
            allowed &= seen.vote == 0
        old = np.abs(seen.vote).astype(np.float64)
        if self.reweight:
            # Without its only voter, a vote has no margin.
            allowed &= gamma - old * g > ROUNDING * gamma
        if self.gradient:
            return np.asarray(np.where(allowed, slopes / (gamma * np.sqrt(nu)), 0.0))
        spread = np.maximum(nu * eta - tau * tau, COLLINEAR * nu * np.maximum(eta, 1e-300))
        roots = np.where(allowed, np.abs(slopes) / np.sqrt(nu * spread), 0.0)
        emptied = allowed & (slopes + old * bends < 0)
        if self.reweight and emptied.any():
            a, b, c, d = old[emptied], g[emptied], tau[emptied], eta[emptied]
            fall = (gamma - a * b) ** 2 / (nu - 2 * a * c + a * a * d) - gamma**2 / nu
            roots[emptied] = np.sqrt(np.maximum(fall, 0.0))
        return np.asarray(roots)
