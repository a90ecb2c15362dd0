"""GB-CB-Boost: gradient descent on the C-bound (Bauvin et al. 2020, appendix B).

The negative gradient at a vote F is r_i = (2/m) S₁ (y_i S₂ - S₁ F_i)/S₂² with S₁ = Σ y F and
S₂ = Σ F², so that Σ r_i h(x_i) is the slope γν/γ_F - τ times 2γ_F²/ν² (see `cbboost`). A round
picks the voter of steepest descent, argmax Σ r_i h(x_i), among those without weight, and takes
CB-Boost's step (Theorem 3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.jit import njit
from quadrepro.core.learners.cbboost import GRID, NO_MARGIN, CBoundBoosting, best_step, slope_of
from quadrepro.core.learners.learner import Entry
from quadrepro.core.learners.rounds import Trace, first_of_largest


@njit
def boost(gram: FloatArray, correlations: FloatArray, n_rounds: int) -> Trace:
    """Return the voter of each round, and its signed weight."""
    signs = np.where(np.abs(correlations) > NO_MARGIN, np.sign(correlations), 0.0)
    gamma, eta = signs * correlations, np.diag(gram)
    used, tau = np.zeros(len(gamma), np.bool_), np.zeros_like(gamma)
    vote_gamma, nu = 0.0, 0.0
    scores = gamma.copy()  # the first voter is that of largest margin, and its weight is 1
    picks, weights = [0 for _ in range(0)], [0.0 for _ in range(0)]
    for t in range(n_rounds):
        k = first_of_largest(scores)
        if scores[k] == 0.0:
            break
        step = 1.0 if t == 0 else best_step(gamma[k], eta[k], 0.0, tau[k], vote_gamma, nu)
        if step == 0.0:
            break
        picks.append(k)
        weights.append(signs[k] * step)
        used[k] = True
        nu += step * (2.0 * tau[k] + step * eta[k])
        vote_gamma += step * gamma[k]
        for j in range(len(gamma)):
            tau[j] += step * (signs[k] * signs[j] * gram[k, j])
            slope = slope_of(gamma[j], eta[j], tau[j], vote_gamma, nu)
            scores[j] = 0.0 if used[j] else slope
    return np.array(picks, np.intp), np.array(weights)


@dataclass(frozen=True)
class GBCBBoost(CBoundBoosting):
    """GB-CB-Boost (Appendix B); each voter is picked at most once."""

    @property
    def merges_voters(self) -> bool:
        """Whether equal voters may be merged: no, after the first one the second can be picked."""
        return False

    def boost(self, gram: FloatArray, correlations: FloatArray, n_rounds: int) -> Trace:
        """Take steps to the voter of steepest descent."""
        return boost(gram, correlations, n_rounds)


GB_CB_BOOST = Entry(GBCBBoost, "GB-CB-Boost", "Bauvin et al. 2020, appendix B", GRID)
