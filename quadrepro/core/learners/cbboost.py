"""CB-Boost and GB-CB-Boost: descent on the C-bound (Bauvin et al. 2020, section 3, appendix B).

The C-bound of a vote F with μ₁ = mean(y F) > 0 and μ₂ = mean(F²) is 1 - μ₁²/μ₂. Of each pair
{h, -h} only the voter with a positive margin γ = mean(y h) is used. With γ_F = mean(y F),
ν = mean(F²), τ = mean(F h) and η = mean(h²), which is 1 for classifiers, the C-bound of F + α h is
least at

    α = (γν - γ_F τ) / (γ_F η - γτ)                       Theorem 3

if both of these differences are positive. It is then lower by

    (γν - γ_F τ)² / (ν (νη - τ²)).                        Property 1

A step changes τ of every voter by α times a row of the Gram matrix, so that rounds do not need the
examples. With classifiers no step is longer than the vote, α ≤ √ν, because no single voter has
a smaller C-bound than the vote. Weights are not normalised during a run.

GB-CB-Boost takes the same step with another voter. The negative gradient at a vote F is
r_i = (2/m) S₁ (y_i S₂ - S₁ F_i)/S₂² with S₁ = Σ y F and S₂ = Σ F², so that Σ r_i h(x_i) is the
slope γν/γ_F - τ times 2γ_F²/ν². A round picks the voter of steepest descent, argmax Σ r_i h(x_i),
among those without weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.jit import njit
from quadrepro.core.learners.rounds import (
    BoostingAlgorithm,
    Trace,
    empty_trace,
    first_of_largest,
    normalised,
)
from quadrepro.core.training.contract import Registered
from quadrepro.core.training.grid import N_ROUNDS, Grid
from quadrepro.core.voters.gram import Gram, write_rows
from quadrepro.core.voters.reduction import VotingProblem

COLLINEAR = 1e-10
"""Smallest sin² of the angle between a voter and the vote in a score, to avoid division by zero."""

NO_SLOPE = 1e-13
"""Share of γ_F √ν up to which γν - γ_F τ is rounding error, which ends the run."""

NO_MARGIN = 1e-12
"""Margin up to which a voter is right as often as wrong, and is never picked."""

Form = tuple[bool, bool, bool]
"""Whether weights are reset, voters may repeat, and a round picks the steepest descent."""


@njit
def take_rounds(
    gram: Gram, correlations: FloatArray, eta: FloatArray, n_rounds: int, form: Form
) -> Trace:
    """Run Algorithm 1; return the picks and their signed steps, shape (n_rounds_taken,).

    A round picks the voter of largest decrease of the C-bound or, `by_slope`, of steepest descent.
    `correlations` and `eta` have shape (n_voters,).
    """
    reweight, repeats, by_slope = form
    signs = np.where(np.abs(correlations) > NO_MARGIN, np.sign(correlations), 0.0)
    rows, chain, ready = gram.rows, gram.chain, gram.ready
    gamma = signs * correlations
    alpha, tau = np.zeros_like(gamma), np.zeros_like(gamma)
    vote_gamma, nu = 0.0, 0.0
    scores = gamma.copy()  # the first voter has the largest margin, and its weight is 1
    picks, changes = empty_trace()
    for t in range(n_rounds):
        k = first_of_largest(scores)
        if scores[k] == 0.0:
            break
        step = 1.0 if t == 0 else best_step(gamma[k], eta[k], alpha[k], tau[k], vote_gamma, nu)
        if step == 0.0:
            break
        picks.append(k)
        changes.append(signs[k] * step)
        alpha[k] += step
        nu += step * (2.0 * tau[k] + step * eta[k])
        vote_gamma += step * gamma[k]
        if not ready[chain[k]]:
            write_rows(gram, chain[k])
        for j in range(len(gamma)):
            tau[j] += step * (signs[k] * signs[j] * rows[k, j])
            if reweight:
                scores[j] = decrease_if_reset(gamma[j], eta[j], alpha[j], tau[j], vote_gamma, nu)
            elif alpha[j] > 0.0 and not repeats:
                scores[j] = 0.0
            elif by_slope:
                scores[j] = slope_of(gamma[j], eta[j], tau[j], vote_gamma, nu)
            else:
                scores[j] = decrease(gamma[j], eta[j], tau[j], vote_gamma, nu)
    return np.array(picks, np.intp), np.array(changes)


@njit
def best_step(
    gamma: float, eta: float, alpha: float, tau: float, vote_gamma: float, nu: float
) -> float:
    """Return the step of Theorem 3, at least the negative weight; 0 if no step lowers the bound."""
    slope, bend = gamma * nu - vote_gamma * tau, vote_gamma * eta - gamma * tau
    # Due to rounding, the bend may vanish although the score is positive.
    if abs(slope) <= NO_SLOPE * vote_gamma * sqrt(nu) or bend <= 0.0:
        return 0.0
    return max(slope / bend, -alpha)


@njit
def slope_of(gamma: float, eta: float, tau: float, vote_gamma: float, nu: float) -> float:
    """Return γν/γ_F - τ, the C-bound's slope up to a common factor; 0 without a step α > 0."""
    return max(gamma * (nu / vote_gamma) - tau, 0.0) if gamma * tau < vote_gamma * eta else 0.0


@njit
def decrease(gamma: float, eta: float, tau: float, vote_gamma: float, nu: float) -> float:
    """Return the decrease of the C-bound by a step (Property 1), times ν/γ_F²."""
    slope = slope_of(gamma, eta, tau, vote_gamma, nu)
    return slope * slope / max(nu * eta - tau * tau, COLLINEAR * (nu * eta)) if slope > 0.0 else 0.0


@njit
def decrease_if_reset(
    gamma: float, eta: float, alpha: float, tau: float, vote_gamma: float, nu: float
) -> float:
    """Return the decrease of the C-bound if the weight of a voter is reset, times ν/γ_F².

    The new weight minimises the C-bound: α + δ with δ = (γν - γ_F τ)/(γ_F η - γτ), or 0 if this is
    negative. With r = γν/γ_F - τ, the decrease is δ (2r + δ (γ²ν/γ_F² - η))/(ν + 2δτ + δ²η). It is
    0 for voters that stay unchanged: voters without a minimum, and a voter without which the vote
    F_k has no margin (Theorem 3).
    """
    share = gamma / vote_gamma
    slope, bend = share * nu - tau, eta - share * tau
    if gamma == 0.0 or bend <= 0.0 or 1.0 - alpha * share <= NO_SLOPE:
        return 0.0
    step = max(slope / bend, -alpha)
    gain = step * (2.0 * slope + step * (share * share * nu - eta))
    return max(gain / (nu + step * (2.0 * tau + step * eta)), 0.0)


@dataclass(frozen=True)
class CBoundBoosting(BoostingAlgorithm):
    """Greedy descent on the C-bound; the resulting votes are divided by their total weight."""

    hyperparameters = (N_ROUNDS,)

    by_slope = False
    allow_repeats = True
    reweight = False

    @property
    def merges_voters(self) -> bool:
        """Whether equal voters may be merged: only if a voter can be picked again."""
        return self.allow_repeats

    def run(self, problem: VotingProblem, sample: int, value: float, n_rounds: int) -> Trace:
        """Run on one sample, see `BoostingAlgorithm.run`."""
        form = self.reweight, self.allow_repeats, self.by_slope
        return take_rounds(*problem.quadratic(sample), n_rounds, form)

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        return normalised(super()._paths(problem, grid))


@dataclass(frozen=True)
class CBBoost(CBoundBoosting):
    """CB-Boost (Algorithm 1), with three ways to pick a voter of the vote again.

    By default its steps add up, as in the authors' code: the vote becomes F + α h with α > 0.
    """

    allow_repeats: bool = True
    """Whether a voter may be picked again; in section 3.3, every round adds another voter."""
    reweight: bool = False
    """Whether to reset the weight of a voter that is picked again, possibly to a lower one or to 0:
    in section 3.1, F_k is the vote without voter k, and the C-bound of F_k + α h is minimised."""

    def __post_init__(self) -> None:
        if self.reweight and not self.allow_repeats:
            raise ValueError("reweight resets weights: allow_repeats must be true")


@dataclass(frozen=True)
class GBCBBoost(CBoundBoosting):
    """GB-CB-Boost (appendix B): gradient descent; each voter is picked at most once."""

    allow_repeats = False
    by_slope = True


GRID = {"n_rounds": [2, 5, 10, 20, 50, 100, 200, 500]}
CB_BOOST = Registered(CBBoost, "CB-Boost", "Bauvin et al. 2020, algorithm 1", GRID)
GB_CB_BOOST = Registered(GBCBBoost, "GB-CB-Boost", "Bauvin et al. 2020, appendix B", GRID)
