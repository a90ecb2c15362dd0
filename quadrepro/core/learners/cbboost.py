"""CB-Boost and GB-CB-Boost: greedy descent on the C-bound (Bauvin et al. 2020, section 3).

The C-bound of a vote F with μ₁ = mean(y F) > 0 and μ₂ = mean(F²) is 1 - μ₁²/μ₂. Of each pair
{h, -h} only the voter with a positive margin γ = mean(y h) is used. With γ_F = mean(y F),
ν = mean(F²), τ = mean(F h) and η = mean(h²), which is 1 for classifiers, the C-bound of F + α h is
least at

    α = (γν - γ_F τ) / (γ_F η - γτ)                       Theorem 3

if both of these differences are positive. It is then lower by

    (γν - γ_F τ)² / (ν (νη - τ²)).                        Property 1

A step changes τ of every voter by α times a row of the Gram matrix, so that the examples are not
needed again. Weights are not normalised during a run. With classifiers no step is longer than the
vote, α ≤ √ν, because no single voter has a smaller C-bound than the vote. Steps shrink as the
C-bound converges: 100,000 rounds with 600 random voters give weights that add up to 725.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.jit import njit
from quadrepro.core.learners.grid import N_ROUNDS
from quadrepro.core.learners.learner import Entry
from quadrepro.core.learners.quadboost import first_of_largest
from quadrepro.core.learners.rounds import BoostingAlgorithm
from quadrepro.core.voters.reduction import VotingProblem

COLLINEAR = 1e-10
"""Smallest sin² of the angle between a voter and the vote in a score, to avoid division by zero."""

NO_SLOPE = 1e-13
"""If γν - γ_F τ is at most this share of γ_F √ν, it is rounding error and the run ends."""

NO_MARGIN = 1e-12
"""A voter whose margin is at most this is right as often as wrong, and is never admissible."""


@njit
def boost(
    gram: FloatArray,
    correlations: FloatArray,
    n_rounds: int,
    gradient: bool,
    reweight: bool,
    repeats: bool,
) -> tuple[IntArray, FloatArray]:
    """Run Algorithm 1; return the voter of each round, and the signed change of its weight.

    A round takes the voter of largest score: the slope of the C-bound (`gradient`), its decrease if
    the weight of the voter is set again (`reweight`), or else its decrease by a further step.
    """
    signs = np.where(np.abs(correlations) > NO_MARGIN, np.sign(correlations), 0.0)
    gamma, eta = signs * correlations, np.diag(gram)
    alpha, tau = np.zeros_like(gamma), np.zeros_like(gamma)
    vote_gamma, nu = 0.0, 0.0
    scores = gamma.copy()  # the first voter is that of largest margin, and its weight is 1
    picks, changes = [0 for _ in range(0)], [0.0 for _ in range(0)]
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
        for j in range(len(gamma)):
            tau[j] += step * (signs[k] * signs[j] * gram[k, j])
            if reweight:
                scores[j] = decrease_if_reset(gamma[j], eta[j], alpha[j], tau[j], vote_gamma, nu)
            elif alpha[j] > 0.0 and not repeats:
                scores[j] = 0.0
            else:
                slope = slope_of(gamma[j], eta[j], tau[j], vote_gamma, nu)
                scores[j] = slope if gradient else decrease(slope, eta[j], tau[j], nu)
    return np.array(picks, np.intp), np.array(changes)


@njit
def best_step(
    gamma: float, eta: float, alpha: float, tau: float, vote_gamma: float, nu: float
) -> float:
    """Return the step of Theorem 3, which takes away at most the weight; 0 if there is none."""
    slope, bend = gamma * nu - vote_gamma * tau, vote_gamma * eta - gamma * tau
    # Rounding can leave no bend where a score says that there is some.
    if abs(slope) <= NO_SLOPE * vote_gamma * sqrt(nu) or bend <= 0.0:
        return 0.0
    return max(slope / bend, -alpha)


@njit
def slope_of(gamma: float, eta: float, tau: float, vote_gamma: float, nu: float) -> float:
    """Return γν/γ_F - τ if a voter has a step α > 0, else 0.

    This is the slope of the C-bound along the voter, up to a factor that all voters share.
    """
    return max(gamma * (nu / vote_gamma) - tau, 0.0) if gamma * tau < vote_gamma * eta else 0.0


@njit
def decrease(slope: float, eta: float, tau: float, nu: float) -> float:
    """Return the decrease of the C-bound by a step (Property 1), times ν/γ_F²."""
    return slope * slope / max(nu * eta - tau * tau, COLLINEAR * (nu * eta)) if slope > 0.0 else 0.0


@njit
def decrease_if_reset(
    gamma: float, eta: float, alpha: float, tau: float, vote_gamma: float, nu: float
) -> float:
    """Return the decrease of the C-bound if the weight of a voter is set again, times ν/γ_F².

    The weight α becomes that of least C-bound, α + δ with δ = (γν - γ_F τ)/(γ_F η - γτ), or 0 if
    this is negative. With r = γν/γ_F - τ the decrease is δ (2r + δ (γ²ν/γ_F² - η))/(ν + 2δτ + δ²η).
    It is 0 for voters that are left alone: those without such a minimum, and one without which the
    vote F_k has no margin (Theorem 3).
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
    """Greedy descent on the C-bound; the only hyper-parameter is the number of rounds.

    The weights of every candidate are divided by the sum of their absolute values.
    """

    hyperparameters = (N_ROUNDS,)

    @property
    @abstractmethod
    def rule(self) -> tuple[bool, bool, bool]:
        """Whether `boost` follows the gradient, sets weights again, and picks voters again."""

    def runs(
        self, problem: VotingProblem, sample_of: IntArray, values: FloatArray, rounds: Sequence[int]
    ) -> FloatArray:
        """Return the votes of some runs after given numbers of rounds."""
        votes = np.zeros((len(sample_of), len(rounds), problem.n_voters))
        for found, sample in zip(votes, sample_of, strict=True):
            gram, correlations = problem.grams()[sample], problem.correlations()[sample]
            picks, changes = boost(gram, correlations, rounds[-1], *self.rule)
            for vote, t in zip(found, rounds, strict=True):
                np.add.at(vote, picks[:t], changes[:t])
        return normalised(votes)

    def steps(
        self, problem: VotingProblem, value: float, n_rounds: int
    ) -> tuple[IntArray, FloatArray]:
        """Return the voter and the change of weight of each round of a run on the first sample."""
        return boost(problem.grams()[0], problem.correlations()[0], n_rounds, *self.rule)


@dataclass(frozen=True)
class CBBoost(CBoundBoosting):
    """CB-Boost (Algorithm 1).

    The paper can be read in three ways where a voter k is picked that is in the vote already.

    - Its weights add up, which is what the authors' code does: a step is taken from the vote F to
      F + α h with α > 0. This is the default.
    - Its weight is set again (`reweight`): in section 3.1, F_k is the vote without voter k, and the
      C-bound of F_k + α h is minimised over α ≥ 0. Along a voter both find the same minimum; but
      now a weight can also be lowered, down to 0, which leaves the voter out.
    - There is no such voter (`allow_repeats` is False): in section 3.3, every round gives a weight
      to one more voter.

    Raises
    ------
    ValueError
        If weights are set again but no voter may be picked again.
    """

    allow_repeats: bool = True
    """Whether a voter may be picked again."""
    reweight: bool = False
    """Whether the weight of a voter that is picked again is set again, instead of added to."""

    def __post_init__(self) -> None:
        if self.reweight and not self.allow_repeats:
            raise ValueError("reweight resets weights: allow_repeats must be true")

    @property
    def merges_voters(self) -> bool:
        """Whether equal voters may be merged: only if a voter can be picked again.

        Equal voters have exactly equal scores, so the first of them is picked every time. If a
        voter can be picked only once, the second one takes its place.
        """
        return self.allow_repeats

    @property
    def rule(self) -> tuple[bool, bool, bool]:
        """A step to the voter that leads to the smallest C-bound."""
        return False, self.reweight, self.allow_repeats


@dataclass(frozen=True)
class GBCBBoost(CBoundBoosting):
    """GB-CB-Boost (Appendix B); each voter is picked at most once."""

    @property
    def merges_voters(self) -> bool:
        """Whether equal voters may be merged: no, after the first one the second can be picked."""
        return False

    @property
    def rule(self) -> tuple[bool, bool, bool]:
        """A step to the voter of steepest descent, argmax Σ r_i h(x_i).

        The negative gradient is r_i = (2/m) S₁ (y_i S₂ - S₁ F_i)/S₂² with S₁ = Σ y F and S₂ = Σ F²,
        so that Σ r_i h(x_i) is the slope γν/γ_F - τ times 2γ_F²/ν².
        """
        return True, False, False


def normalised(weights: FloatArray) -> FloatArray:
    """Divide votes by the sum of their absolute weights; an empty vote stays empty.

    Parameters
    ----------
    weights : ndarray of shape (..., n_voters)
        Signed voter weights.

    Returns
    -------
    ndarray of shape (..., n_voters)
        Weights whose absolute values add up to 1.
    """
    # Added one by one, so that voters without weight do not change the last bits of the sum.
    totals = np.cumsum(np.abs(weights), axis=-1)[..., -1:]
    return np.asarray(weights / np.where(totals > 0, totals, 1.0))


_GRID = {"n_rounds": [2, 5, 10, 20, 50, 100, 200, 500]}

CB_BOOST = Entry(CBBoost, "CB-Boost", "Bauvin et al. 2020, algorithm 1", _GRID)
GB_CB_BOOST = Entry(GBCBBoost, "GB-CB-Boost", "Bauvin et al. 2020, appendix B", _GRID)
