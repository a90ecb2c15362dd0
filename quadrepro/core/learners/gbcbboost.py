"""GB-CB-Boost: gradient descent on the C-bound (Bauvin et al. 2020, appendix B).

The negative gradient at a vote F is r_i = (2/m) S₁ (y_i S₂ - S₁ F_i)/S₂² with S₁ = Σ y F and
S₂ = Σ F², so that Σ r_i h(x_i) is the slope γν/γ_F - τ times 2γ_F²/ν² (see `cbboost`). A round
picks the voter of steepest descent, argmax Σ r_i h(x_i), among those without weight, and takes
CB-Boost's step (Theorem 3).
"""

from __future__ import annotations

from dataclasses import dataclass

from quadrepro.core.learners.cbboost import GRID, CBoundBoosting
from quadrepro.core.learners.learner import Entry


@dataclass(frozen=True)
class GBCBBoost(CBoundBoosting):
    """GB-CB-Boost (Appendix B); each voter is picked at most once."""

    allow_repeats = False
    by_slope = True


GB_CB_BOOST = Entry(GBCBBoost, "GB-CB-Boost", "Bauvin et al. 2020, appendix B", GRID)
