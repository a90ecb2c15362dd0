"""MinCq: the weights of least C-bound among quasi-uniform ones (Germain et al. 2015)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.algorithm import Algorithm
from quadrepro.learners.base import N_ROUNDS, Hyperparameter
from quadrepro.learners.estimators import VoteClassifier, Voters
from quadrepro.learners.greedy.cbboost import CBBoost
from quadrepro.learners.grid import Grid
from quadrepro.learners.programs.mincq_program import MinCqProgram
from quadrepro.voters.reduction import VotingProblem, reduce_problem

ROUNDING = 1e-12
"""Share by which a mean margin may be above the largest feasible one, which is a rounded sum."""

# At the largest feasible μ the weights are all of one size: there is nothing left to choose.
MU = Hyperparameter("mu", "number", "large", "mean margin of the vote")


@dataclass(frozen=True)
class MinCq(Algorithm):
    """MinCq; the hyper-parameter is the mean margin μ.

    No vote has a μ above mean |m_j|, where m_j is the mean margin of voter j: the weights of such
    a candidate are NaN.
    """

    hyperparameters = (MU,)
    version = 2

    @property
    def merges_voters(self) -> bool:
        """Whether equal voters may be merged: no, each has a bound of its own."""
        return False

    def limit(self, problem: VotingProblem) -> str:
        """Return the largest feasible μ in a sentence."""
        return mu_limit(np.abs(problem.correlations()).mean(axis=1))

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values = grid.axis("mu") or ()
        samples = zip(problem.grams(), problem.correlations(), strict=True)
        return np.array([_reweigh(gram, margins, values) for gram, margins in samples])


@dataclass(frozen=True)
class MinCqOnCBBoost(Algorithm):
    """MinCq on the distinct voters that CB-Boost has chosen so far (Bauvin et al. 2020, Figure 5).

    The weights are NaN where so few voters have no vote of mean margin μ.

    Attributes
    ----------
    mu : float, default 0.05
        MinCq's mean margin.
    """

    mu: float = 0.05

    hyperparameters = (N_ROUNDS,)
    version = 2

    def check(self, grid: Grid) -> None:
        """Raise ValueError if the grid or the mean margin cannot be used."""
        super().check(grid)
        MinCq().check(Grid.of({"mu": [self.mu]}))

    def limit(self, problem: VotingProblem) -> str:
        """Return in a sentence why a candidate has no solution."""
        return f"the voters of CB-Boost have no vote of mean margin mu = {self.mu:g}"

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        paths = CBBoost()._paths(problem, grid)
        samples = zip(problem.grams(), problem.correlations(), strict=True)
        for path, (gram, margins) in zip(paths, samples, strict=True):
            for vote in path:
                chosen = np.flatnonzero(vote)
                products = gram[np.ix_(chosen, chosen)]
                weights = _reweigh(products, margins[chosen], [self.mu])[0]
                vote[:] = np.nan if np.isnan(weights).any() or not len(chosen) else 0.0
                vote[chosen] = weights
        return paths


def feasible(mu: float, largest: float) -> bool:
    """Tell whether μ is at most the largest that a vote can have, rounding aside."""
    return mu <= largest * (1 + ROUNDING)


def mu_limit(largest: FloatArray) -> str:
    """Return the largest feasible μ in a sentence, rounded down so that it can be used.

    Parameters
    ----------
    largest : ndarray of shape (n_samples,)
        The largest μ that each sample allows.

    Returns
    -------
    str
        One sentence without a full stop.
    """
    smallest = float(largest.min())
    if not smallest > 0:
        return "no voter is right more or less often than wrong: no mu above 0 is feasible"
    unit = 10.0 ** (math.floor(math.log10(smallest)) - 2)
    shown = math.floor(smallest / unit) * unit
    where = " on the smallest of these samples" if len(largest) > 1 else ""
    return f"mu can be at most {shown:.3g}{where}"


def _reweigh(gram: FloatArray, margins: FloatArray, values: Sequence[float]) -> FloatArray:
    """Return MinCq's weights for every μ; NaN where no vote has it."""
    weights = np.full((len(values), len(margins)), np.nan)
    if not margins.any():
        return weights
    program = MinCqProgram(gram, margins)
    for row, mu in zip(weights, values, strict=True):
        if feasible(mu, program.largest_mu):
            row[:] = program.solve(mu).voter_weights
    return weights


def infeasible(algorithm: Algorithm, mu: float, problem: VotingProblem) -> ValueError:
    """Return the error of a mean margin that no vote has."""
    return ValueError(f"no vote has a mean margin of mu = {mu:g}: {algorithm.limit(problem)}")


class MinCqClassifier(VoteClassifier):
    """MinCq: the quasi-uniform vote of least C-bound (Germain et al. 2015).

    Parameters
    ----------
    mu : float, default 0.01
        Mean margin of the vote, at most the mean of the voters' |mean margin|.
    voters : Stumps, "precomputed" or None, default None
        The voters; None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` for X itself.

    Attributes
    ----------
    gap_ : float
        Relative duality gap of the quadratic program.
    """

    learner = MinCq

    def __init__(self, mu: float = 0.01, *, voters: Voters = None) -> None:
        self.mu = mu
        self.voters = voters

    def _train(self, H: FloatArray, y: FloatArray) -> FloatArray:
        algorithm = MinCq()
        algorithm.check_candidate(mu=self.mu)
        problem = reduce_problem(H, y, merge_voters=False)
        [margins] = problem.correlations()
        program = MinCqProgram(problem.grams()[0], margins)
        if not feasible(self.mu, program.largest_mu):
            raise infeasible(algorithm, self.mu, problem)
        solution = program.solve(self.mu)
        self.gap_ = solution.gap
        return solution.voter_weights

    def _stages(self, H: FloatArray) -> Iterator[FloatArray]:
        # All weights come at once.
        yield H @ self.voter_weights_
