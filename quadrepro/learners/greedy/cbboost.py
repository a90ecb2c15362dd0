"""CB-Boost and GB-CB-Boost: greedy descent on the C-bound (Bauvin et al. 2020, section 3).

For a vote F, γ_F = mean(y F), ν = mean(F²) and the C-bound is 1 - γ_F²/ν. A voter h enters with
its margin γ = mean(y h), its agreement τ = mean(F h) and η = mean(h²), which is 1 for a classifier.
Once the Gram matrix is known a round touches a few numbers a voter. The two algorithms differ in
the score of a voter alone.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import compress
from math import sqrt

import numpy as np

from quadrepro._typing import BoolArray, FloatArray, IntArray
from quadrepro.learners.base import N_ROUNDS
from quadrepro.learners.estimators import Voters
from quadrepro.learners.greedy.algorithm import GreedyAlgorithm
from quadrepro.learners.greedy.estimator import GreedyClassifier
from quadrepro.learners.greedy.loop import Rule, State, Step, some
from quadrepro.learners.grid import Grid
from quadrepro.voters.reduction import VotingProblem

TIE = 1e-9
"""Voters whose scores differ by this share at most tie, and the one of lowest index is taken."""

COLLINEAR = 1e-10
"""Least sin² of the angle between a voter and the vote that enters a score: no division by zero."""

NO_SLOPE = 1e-13
"""Where γν - γ_F τ is at most this share of γ_F √ν it is rounding, and the run ends."""

NO_MARGIN = 1e-12
"""A voter with a margin this close to zero is right as often as wrong: it is never admissible."""


class CBoundState(State):
    """Margins of the voters and their agreements with the vote.

    One of each pair {h, -h} stands here, and it is used the way round in which its margin on the
    trajectory's sample is positive: signs are taken out of the Gram matrix at the start, and enter
    again with the weights. The complement has a negative margin, so it is never admissible.

    The vote's weights are not normalised on the way. With classifiers no step is longer than the
    vote, α ≤ √ν, because no voter alone has a smaller C-bound than the vote; and steps shrink as
    the C-bound settles: 100,000 rounds with 600 random voters give weights that add up to 725.

    Parameters
    ----------
    problem : VotingProblem
        Voters with values in [-1, 1].
    sample_of : ndarray of shape (n_trajectories,)
        Sample each trajectory trains on.

    Attributes
    ----------
    margins : ndarray of shape (n_trajectories, n_voters)
        γ ≥ 0 of every voter; 0 where it has none.
    agreements : ndarray of shape (n_trajectories, n_voters)
        τ of every voter with the vote.
    eta : ndarray of shape (n_trajectories, n_voters) or None
        Second moments η; None where every one is 1, as for classifiers.
    vote_margin, vote_norm : list of float
        γ_F and ν of every trajectory: a handful of floats, where plain Python is quicker.
    """

    def __init__(self, problem: VotingProblem, sample_of: IntArray) -> None:
        grams, margins = problem.grams(), problem.correlations()
        eta = grams.diagonal(axis1=1, axis2=2).copy()
        self.eta = None if (eta == 1.0).all() else np.where(eta > 0, eta, 1.0)[sample_of]
        signs = np.where(np.abs(margins) > NO_MARGIN, np.sign(margins), 0.0)
        grams *= signs[:, :, None]
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

        This is the descent of the C-bound along the voter, up to a factor that all voters share.
        Admissible are voters with a step α > 0, γν > γ_F τ and τ < γ_F η/γ; those in the vote only
        with `repeats`. The array is overwritten by the next round.
        """
        slopes, vote_margin = self._slopes, np.array(self.vote_margin)[:, None]
        np.multiply(self.margins, np.array(self.vote_norm)[:, None] / vote_margin, out=slopes)
        slopes -= self.agreements
        np.maximum(slopes, 0.0, out=slopes)
        if self.eta is not None:
            # Where η = 1, γν > γ_F τ implies τ < γ_F/γ: no voter's γ is above γ_F/√ν.
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

    def start(self) -> Step:
        """Return the first step: the voter of best margin, with weight 1."""
        picks = first_of_largest(self.margins)
        weights = np.take_along_axis(self._signs, picks[:, None], axis=1)[:, 0]
        return Step(picks, weights, some(weights == 0.0))

    def step_to_best(self, scores: FloatArray) -> Step:
        """Return the step α = (γν - γ_F τ)/(γ_F η - γτ) to the voter of largest score (Theorem 3).

        Where no score is above 0 there is no step, and the run ends.
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
        if slope <= NO_SLOPE * vote_margin * sqrt(norm):
            return 0.0
        return float(
            self._signs.item(row, voter) * slope / (vote_margin * eta - margin * agreement)
        )

    def advance(self, step: Step) -> None:
        """τ <- τ + α G[:, j], ν <- ν + 2ατ + α²η, γ_F <- γ_F + αγ."""
        sizes = np.abs(step.weights)
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
        """Drop every trajectory but those in `rows`."""
        self.margins, self.agreements = self.margins[rows], self.agreements[rows]
        self.vote_margin = list(compress(self.vote_margin, rows))
        self.vote_norm = list(compress(self.vote_norm, rows))
        self.eta = None if self.eta is None else self.eta[rows]
        self.weights, self._signs = self.weights[rows], self._signs[rows]
        self._first_gram_row = self._first_gram_row[rows]
        self._allocate()


def first_of_largest(scores: FloatArray) -> IntArray:
    """Return the lowest index in each row whose score is the largest, up to `TIE`."""
    least = np.maximum.reduce(scores, axis=1, keepdims=True) * (1.0 - TIE)
    return np.asarray((scores >= least).argmax(axis=1))


@dataclass(frozen=True)
class CBoundRule(Rule[CBoundState]):
    """Start with the voter of best margin, then step to the voter of best score.

    Attributes
    ----------
    allow_repeats : bool
        Whether a voter may be taken again, and its weights add.
    """

    allow_repeats: bool

    @abstractmethod
    def scores(self, state: CBoundState) -> FloatArray:
        """Return the score of every voter: 0 where it is not admissible, else above."""

    def step(self, state: CBoundState) -> Step:
        """Pick a voter; its weight is the one that minimises the C-bound."""
        if state.round == 1:
            return state.start()
        return state.step_to_best(self.scores(state))


class CBBoostRule(CBoundRule):
    """The voter whose step leads to the smallest C-bound (Algorithm 1)."""

    def scores(self, state: CBoundState) -> FloatArray:
        """Return how much each step lowers the C-bound, times ν/γ_F²."""
        return state.decreases(self.allow_repeats)


class GBCBBoostRule(CBoundRule):
    """The voter of steepest descent (Appendix B): argmax Σ r_i h(x_i), r the negative gradient.

    r_i = (2/m) S₁ (y_i S₂ - S₁ F_i)/S₂² with S₁ = Σ y F and S₂ = Σ F², so that Σ r_i h(x_i) is
    the slope γν/γ_F - τ times 2γ_F²/ν².
    """

    def scores(self, state: CBoundState) -> FloatArray:
        """Return the slopes."""
        return state.slopes(self.allow_repeats)


@dataclass(frozen=True)
class CBoundBoosting(GreedyAlgorithm[CBoundState]):
    """A greedy algorithm on the C-bound; the only hyper-parameter is the number of rounds.

    The weights of every candidate are divided by their sum, signs left aside.
    """

    hyperparameters = (N_ROUNDS,)

    def state(self, problem: VotingProblem, sample_of: IntArray) -> CBoundState:
        """Return the empty vote."""
        return CBoundState(problem, sample_of)

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        return normalised(super()._paths(problem, grid))


@dataclass(frozen=True)
class CBBoost(CBoundBoosting):
    """CB-Boost (Algorithm 1).

    Attributes
    ----------
    allow_repeats : bool, default True
        Whether a voter may be taken again, and its weights add.
    """

    allow_repeats: bool = True

    @property
    def merges_voters(self) -> bool:
        """Whether equal voters may be merged: only where the first of them can be taken again.

        Equal voters have equal scores to the bit, so the first of them is taken every time. Where
        each may be taken once, the second stands in for the first.
        """
        return self.allow_repeats

    def rule(self, values: FloatArray) -> CBBoostRule:
        """Return the rule; it has no hyper-parameter."""
        return CBBoostRule(self.allow_repeats)


@dataclass(frozen=True)
class GBCBBoost(CBoundBoosting):
    """GB-CB-Boost (Appendix B); each voter is taken once at most, so equal ones are not merged."""

    @property
    def merges_voters(self) -> bool:
        """Whether equal voters may be merged: no, the second stands in for the first."""
        return False

    def rule(self, values: FloatArray) -> GBCBBoostRule:
        """Return the rule; it has no hyper-parameter."""
        return GBCBBoostRule(allow_repeats=False)


def normalised(weights: FloatArray) -> FloatArray:
    """Divide votes by the sum of their weights' sizes; an empty vote stays empty.

    Parameters
    ----------
    weights : ndarray of shape (..., n_voters)
        Signed voter weights.

    Returns
    -------
    ndarray of shape (..., n_voters)
        Sizes that add up to 1.
    """
    # Added one by one, so that voters without weight change no bit of the sum.
    totals = np.cumsum(np.abs(weights), axis=-1)[..., -1:]
    return np.asarray(weights / np.where(totals > 0, totals, 1.0))


class _CBoundClassifier(GreedyClassifier):
    """A vote whose weights have sizes that add up to 1 after every round."""

    def _train(self, H: FloatArray, y: FloatArray) -> FloatArray:
        return normalised(super()._train(H, y))

    def _stages(self, H: FloatArray) -> Iterator[FloatArray]:
        # A voter's weight never changes its sign, so the sizes of its steps add up to its own.
        totals = np.cumsum(np.abs(self._steps))
        for votes, total in zip(super()._stages(H), totals, strict=True):
            yield votes / total


class CBBoostClassifier(_CBoundClassifier):
    """CB-Boost: greedy minimisation of the C-bound (Bauvin et al. 2020, Algorithm 1).

    Parameters
    ----------
    n_rounds : int, default 100
        Number of rounds; fewer are run where no voter lowers the C-bound any further.
    allow_repeats : bool, default True
        Whether a voter may be taken again, and its weights add.
    voters : Stumps, "precomputed" or None, default None
        The voters; None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` for X itself.
    """

    learner = CBBoost

    def __init__(
        self, n_rounds: int = 100, *, allow_repeats: bool = True, voters: Voters = None
    ) -> None:
        self.n_rounds = n_rounds
        self.allow_repeats = allow_repeats
        self.voters = voters


class GBCBBoostClassifier(_CBoundClassifier):
    """GB-CB-Boost: gradient descent on the C-bound (Bauvin et al. 2020, Appendix B).

    Parameters
    ----------
    n_rounds : int, default 100
        Number of rounds; fewer are run where no unused voter lowers the C-bound any further.
    voters : Stumps, "precomputed" or None, default None
        The voters; None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` for X itself.
    """

    learner = GBCBBoost

    def __init__(self, n_rounds: int = 100, *, voters: Voters = None) -> None:
        self.n_rounds = n_rounds
        self.voters = voters
