"""CB-Boost and GB-CB-Boost: greedy descent on the C-bound (Bauvin et al. 2020, section 3).

The two algorithms differ only in the score of a voter; see `cbound_state` for the quantities.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import compress
from math import sqrt

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.learners.greedy.loop import (
    GreedyAlgorithm,
    Rule,
    State,
    Step,
    first_of_largest,
    some,
)
from quadrepro.core.learners.grid import N_ROUNDS, Grid
from quadrepro.core.learners.learner import Entry
from quadrepro.core.voters.reduction import VotingProblem

COLLINEAR = 1e-10
"""Smallest sin² of the angle between a voter and the vote in a score, to avoid division by zero."""

NO_SLOPE = 1e-13
"""If γν - γ_F τ is at most this share of γ_F √ν, it is rounding error and the run ends."""

NO_MARGIN = 1e-12
"""A voter whose margin is at most this is right as often as wrong, and is never admissible."""


class CBoundState(State):
    """Margins of the voters, and their agreements with the vote.

    Of each pair {h, -h} only the one with a positive margin on the trajectory's sample is used; the
    other one has a negative margin, so it is never admissible. The signs are taken out of the Gram
    matrix at the start and return in the weights.

    The weights are not normalised during a run. With classifiers no step is longer than the vote,
    α ≤ √ν, because no single voter has a smaller C-bound than the vote. Steps shrink as the C-bound
    converges: 100,000 rounds with 600 random voters give weights that add up to 725.

    Parameters
    ----------
    problem : VotingProblem
        Voters with values in [-1, 1].
    sample_of : ndarray of shape (n_trajectories,)
        The sample that each trajectory trains on.

    Attributes
    ----------
    margins : ndarray of shape (n_trajectories, n_voters)
        γ ≥ 0 of every voter.
    agreements : ndarray of shape (n_trajectories, n_voters)
        τ of every voter with the vote.
    eta : ndarray of shape (n_trajectories, n_voters) or None
        Second moments η; None if all of them are 1, as for classifiers.
    vote_margin, vote_norm : list of float
        γ_F and ν of every trajectory. For this few floats plain Python is faster than numpy.
    """

    def __init__(self, problem: VotingProblem, sample_of: IntArray) -> None:
        grams, margins = problem.grams(), problem.correlations()
        eta = grams.diagonal(axis1=1, axis2=2).copy()
        self.eta = None if (eta == 1.0).all() else np.where(eta > 0, eta, 1.0)[sample_of]
        signs = np.where(np.abs(margins) > NO_MARGIN, np.sign(margins), 0.0)
        grams = grams * signs[:, :, None]
        grams *= signs[:, None, :]
        self.margins = (margins * signs)[sample_of]
        self._signs = signs[sample_of]
        self.weights = np.zeros_like(self.margins)
        self.agreements = np.zeros_like(self.margins)
        self.vote_margin = [0.0] * len(sample_of)
        self.vote_norm = [0.0] * len(sample_of)
        self._gram_rows = grams.reshape(-1, grams.shape[1])
        self._first_gram_row = sample_of * grams.shape[1]
        self._allocate()

    def _allocate(self) -> None:
        self._slopes = np.empty_like(self.margins)
        self._spreads = np.empty_like(self.margins)

    def slopes(self, repeats: bool) -> FloatArray:
        """Return γν/γ_F - τ of every admissible voter, and 0 for the others.

        This is the slope of the C-bound along the voter, up to a factor that all voters share. A
        voter is admissible if it has a step α > 0, that is, γν > γ_F τ and τ < γ_F η/γ, and if it
        is not in the vote yet or `repeats` is true. The next round overwrites the array.
        """
        slopes, vote_margin = self._slopes, np.array(self.vote_margin)[:, None]
        np.multiply(self.margins, np.array(self.vote_norm)[:, None] / vote_margin, out=slopes)
        slopes -= self.agreements
        np.maximum(slopes, 0.0, out=slopes)
        if self.eta is not None:
            # If η = 1, γν > γ_F τ implies τ < γ_F/γ, because no voter's γ is above γ_F/√ν.
            slopes *= self.margins * self.agreements < vote_margin * self.eta
        if not repeats:
            slopes *= self.weights == 0.0
        return slopes

    def decreases(self, repeats: bool) -> FloatArray:
        """Return the decrease of the C-bound along every admissible voter, times ν/γ_F².

        The decrease is (γν - γ_F τ)² / (ν (νη - τ²)) (Property 1).
        """
        decreases, spreads = self.slopes(repeats), self._spreads
        norms = np.array(self.vote_norm)[:, None]
        if self.eta is not None:
            norms = norms * self.eta
        np.multiply(self.agreements, self.agreements, out=spreads)
        np.subtract(norms, spreads, out=spreads)
        np.maximum(spreads, COLLINEAR * norms, out=spreads)
        decreases *= decreases
        decreases /= spreads
        return decreases

    def changes(self) -> FloatArray:
        """Return the decrease of the C-bound along every voter if its weight is set again.

        It is in the unit of `decreases`. The weight α becomes that of least C-bound, α + δ with
        δ = (γν - γ_F τ)/(γ_F η - γτ), or 0 if this is negative. With r = γν/γ_F - τ the decrease
        is δ (2r + δ (γ²ν/γ_F² - η))/(ν + 2δτ + δ²η). It is 0 for voters that are left alone: those
        without such a minimum, and one without which the vote F_k has no margin (Theorem 3).
        """
        vote_margin = np.array(self.vote_margin)[:, None]
        norms = np.array(self.vote_norm)[:, None]
        eta = np.ones_like(self.margins) if self.eta is None else self.eta
        old, shares = np.abs(self.weights), self.margins / vote_margin
        slopes, bends = shares * norms - self.agreements, eta - shares * self.agreements
        found = (self.margins > 0) & (bends > 0) & (1.0 - old * shares > NO_SLOPE)
        steps = np.maximum(slopes / np.where(found, bends, 1.0), -old)
        gains = steps * (2.0 * slopes + steps * (shares * shares * norms - eta))
        left = norms + steps * (2.0 * self.agreements + steps * eta)
        return np.maximum(np.where(found, gains / np.where(found, left, 1.0), 0.0), 0.0)

    def start(self) -> Step:
        """Return the first step: the voter of largest margin, with weight 1."""
        picks = first_of_largest(self.margins)
        weights = np.take_along_axis(self._signs, picks[:, None], axis=1)[:, 0]
        return Step(picks, weights, some(weights == 0.0))

    def step_to_best(self, scores: FloatArray) -> Step:
        """Return the step α = (γν - γ_F τ)/(γ_F η - γτ) to the voter of largest score (Theorem 3).

        A negative step takes away at most the weight of the voter. If no score is above 0, the run
        ends without a weight.
        """
        picks = first_of_largest(scores)
        found = enumerate(picks.tolist())
        weights = np.array([self._weight(r, j) if scores.item(r, j) > 0 else 0.0 for r, j in found])
        return Step(picks, weights, some(weights == 0.0))

    def _weight(self, row: int, voter: int) -> float:
        margin, agreement = self.margins.item(row, voter), self.agreements.item(row, voter)
        norm, vote_margin = self.vote_norm[row], self.vote_margin[row]
        eta = 1.0 if self.eta is None else self.eta.item(row, voter)
        slope = margin * norm - vote_margin * agreement
        bend = vote_margin * eta - margin * agreement
        # Rounding can leave no bend where a score says that there is some.
        if abs(slope) <= NO_SLOPE * vote_margin * sqrt(norm) or bend <= 0.0:
            return 0.0
        sign, old = self._signs.item(row, voter), abs(self.weights.item(row, voter))
        return float(sign * max(slope / bend, -old))

    def advance(self, step: Step) -> None:
        """τ <- τ + α G[:, j], ν <- ν + 2ατ + α²η, γ_F <- γ_F + αγ."""
        sizes = step.weights * np.take_along_axis(self._signs, step.picks[:, None], axis=1)[:, 0]
        for row, (voter, size) in enumerate(zip(step.picks.tolist(), sizes.tolist(), strict=True)):
            eta = 1.0 if self.eta is None else self.eta.item(row, voter)
            agreement = self.agreements.item(row, voter)
            self.vote_norm[row] += size * (2.0 * agreement + size * eta)
            self.vote_margin[row] += size * self.margins.item(row, voter)
        rows = self._first_gram_row + step.picks
        # Checking the indices would make `take` buffer its output.
        self._gram_rows.take(rows, axis=0, out=self._slopes, mode="clip")
        self._slopes *= sizes[:, None]
        self.agreements += self._slopes

    def keep(self, rows: BoolArray) -> None:
        """Keep only the trajectories in `rows`."""
        self.margins, self.agreements = self.margins[rows], self.agreements[rows]
        self.vote_margin = list(compress(self.vote_margin, rows))
        self.vote_norm = list(compress(self.vote_norm, rows))
        self.eta = None if self.eta is None else self.eta[rows]
        self.weights, self._signs = self.weights[rows], self._signs[rows]
        self._first_gram_row = self._first_gram_row[rows]
        self._allocate()


@dataclass(frozen=True)
class CBoundRule(Rule[CBoundState]):
    """Start with the voter of largest margin, then step to the voter of largest score."""

    scores: Callable[[CBoundState], FloatArray]
    """Returns the score of every voter: positive if it is admissible, else 0."""

    def step(self, state: CBoundState) -> Step:
        """Pick a voter and the weight that minimises the C-bound."""
        if state.round == 1:
            return state.start()
        return state.step_to_best(self.scores(state))


@dataclass(frozen=True)
class CBoundBoosting(GreedyAlgorithm[CBoundState]):
    """Greedy descent on the C-bound; the only hyper-parameter is the number of rounds.

    The weights of every candidate are divided by the sum of their absolute values.
    """

    hyperparameters = (N_ROUNDS,)
    uses_gram = True

    def state(self, problem: VotingProblem, sample_of: IntArray) -> CBoundState:
        """Return the state of the empty vote."""
        return CBoundState(problem, sample_of)

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        return normalised(super()._paths(problem, grid))


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

    def rule(self, values: FloatArray) -> CBoundRule:
        """Return the rule that picks the voter whose step leads to the smallest C-bound."""
        if self.reweight:
            return CBoundRule(lambda state: state.changes())
        return CBoundRule(lambda state: state.decreases(self.allow_repeats))


@dataclass(frozen=True)
class GBCBBoost(CBoundBoosting):
    """GB-CB-Boost (Appendix B); each voter is picked at most once."""

    @property
    def merges_voters(self) -> bool:
        """Whether equal voters may be merged: no, after the first one the second can be picked."""
        return False

    def rule(self, values: FloatArray) -> CBoundRule:
        """Return the rule that picks the voter of steepest descent, argmax Σ r_i h(x_i).

        The negative gradient is r_i = (2/m) S₁ (y_i S₂ - S₁ F_i)/S₂² with S₁ = Σ y F and S₂ = Σ F²,
        so that Σ r_i h(x_i) is the slope γν/γ_F - τ times 2γ_F²/ν².
        """
        return CBoundRule(lambda state: state.slopes(repeats=False))


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

CB_BOOST = Entry(
    CBBoost,
    "CB-Boost",
    "Bauvin et al. 2020, algorithm 1",
    _GRID,
)

GB_CB_BOOST = Entry(
    GBCBBoost,
    "GB-CB-Boost",
    "Bauvin et al. 2020, appendix B",
    _GRID,
)
