"""AdaBoost on the example weights (lecture, section 4; the comparison of QuadBoost's Table 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro.boosting.base import N_ROUNDS, GreedyAlgorithm
from quadrepro.boosting.greedy import Rule, State, Step
from quadrepro.boosting.grid import Grid
from quadrepro.voters.reduction import BoolArray, FloatArray, IntArray, VotingProblem

UNITS = 2.0**48
"""The weights of a trajectory add up to this, and enter sums rounded to whole numbers.

Sums of whole numbers below 2^53 are exact in double precision whatever their order, so picks do
not depend on the BLAS, the processor or what else stands in the batch.
"""

TIE = 2.0**10
"""Voters whose sums differ by at most this much tie, and the one of lowest index is taken.

A sum over m examples is off by up to m/2, so where m is larger, m takes its place.
"""

NO_EDGE = 1e-10
"""An edge this small is none: the weak learner's error is 1/2."""


class ExampleWeights(State):
    """Weights over the examples, for algorithms that re-weight them every round.

    Parameters
    ----------
    problem : VotingProblem
        Voters with values -1 and +1.
    sample_of : ndarray of shape (n_trajectories,)
        Sample each trajectory trains on.

    Attributes
    ----------
    example_weights : ndarray of shape (n_trajectories, n_examples)
        Weight w of one copy of each example, 0 where the sample lacks it; over all copies they
        sum to `UNITS`. Copies count only in sums, so that merging equal examples changes no bit.

    Raises
    ------
    ValueError
        If a voter has other values than -1 and +1.
    """

    def __init__(self, problem: VotingProblem, sample_of: IntArray) -> None:
        if not (np.abs(problem.H) == 1.0).all():
            raise ValueError("AdaBoost needs voters with values -1 and +1")
        copies = problem.counts[sample_of]
        sizes = copies.sum(axis=1, keepdims=True)
        self.example_weights = np.where(copies > 0, UNITS / sizes, 0.0)
        self._copies = copies if (copies > 1).any() else None
        self.weights = np.zeros((len(sample_of), problem.H.shape[1]))
        self._right = np.ascontiguousarray(problem.H * problem.y[:, None])
        self._right_of_voter = np.ascontiguousarray(self._right.T)
        self._edges = np.zeros(len(sample_of))
        self._ones = np.ones(len(problem.y))
        self._tie = max(TIE, len(problem.y))
        self._allocate()

    def _allocate(self) -> None:
        rows, n_voters = self.weights.shape
        self._units = np.empty_like(self.example_weights)
        self._sums = np.empty((rows, n_voters))
        self._sizes = np.empty((rows, n_voters))
        self._offsets = np.arange(rows) * n_voters

    def strongest(self) -> tuple[IntArray, FloatArray]:
        """Return the voter of least weighted error, complements included, and its signed edge.

        The edge of a voter is 1 - 2ε; it is negative where the complement is meant.
        """
        np.rint(self.example_weights, out=self._units)
        if self._copies is not None:
            self._units *= self._copies
        np.matmul(self._units, self._right, out=self._sums)
        np.abs(self._sums, out=self._sizes)
        least = self._sizes.max(axis=1, keepdims=True) - self._tie
        picks = (self._sizes >= least).argmax(axis=1)
        totals = self._units @ self._ones
        self._edges = self._sums.reshape(-1)[self._offsets + picks] / totals
        return picks, self._edges

    def advance(self, step: Step) -> None:
        """Multiply by exp(-α y h) / (2 sqrt(ε(1-ε))), which is 1 / (1 + edge y h)."""
        factors = self._units
        self._right_of_voter.take(step.picks, axis=0, out=factors, mode="clip")
        factors *= self._edges[:, None]
        factors += 1.0
        self.example_weights /= factors

    def keep(self, rows: BoolArray) -> None:
        """Drop every trajectory but those in `rows`."""
        self.example_weights = self.example_weights[rows]
        self._copies = None if self._copies is None else self._copies[rows]
        self.weights = self.weights[rows]
        self._edges = self._edges[rows]
        self._allocate()


@dataclass(frozen=True)
class AdaBoostRule(Rule):
    """α = ½ ln((1-ε)/ε) for the voter of least weighted error ε (lecture, section 4).

    With the edge r = 1 - 2ε this is artanh r. A voter without error ends the run as the whole
    vote: it would have been found in the first round. An edge of at most `NO_EDGE` ends it too.
    """

    def step(self, state: State) -> Step:
        """Pick the strongest voter."""
        assert isinstance(state, ExampleWeights)
        picks, edges = state.strongest()
        # A handful of floats: plain Python is quicker here than two reductions.
        if all(NO_EDGE < abs(edge) < 1.0 for edge in edges.tolist()):
            return Step(picks, np.arctanh(edges), None)
        sizes = np.abs(edges)
        last = (sizes <= NO_EDGE) | (sizes >= 1.0)
        weights = np.where(sizes >= 1.0, edges, np.arctanh(np.where(last, 0.0, edges)))
        return Step(picks, weights, last)


@dataclass(frozen=True)
class AdaBoost(GreedyAlgorithm):
    """AdaBoost; the only hyper-parameter is the number of rounds."""

    hyperparameters = (N_ROUNDS,)

    def state(self, problem: VotingProblem, sample_of: IntArray) -> ExampleWeights:
        """Return equal weights on the examples of each sample."""
        return ExampleWeights(problem, sample_of)

    def rule(self, values: FloatArray) -> AdaBoostRule:
        """Return the rule; it has no hyper-parameter."""
        return AdaBoostRule()

    def seconds(self, n_examples: int, n_voters: int, n_samples: int, grid: Grid) -> float:
        """Return a rough estimate: one matrix product a round."""
        return self.rounds(grid)[-1] * (9e-6 + 6e-11 * n_samples * n_examples * n_voters)
