"""CqBoost: the C-bound minimised by column generation (Roy et al. 2016)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.base import Algorithm, Hyperparameter
from quadrepro.learners.grid import Grid
from quadrepro.learners.programs.cqboost_master import CqBoostMaster, CqBoostSolution
from quadrepro.learners.programs.mincq import MU, feasible, mu_limit
from quadrepro.voters.reduction import VotingProblem

EPSILON = Hyperparameter("epsilon", "number", "large", "excess of an edge that ends a run")
ROUNDS = Hyperparameter("n_rounds", "integer", "small", "number of rounds T", optional=True)


@dataclass(frozen=True)
class CqBoost(Algorithm):
    """CqBoost; the hyper-parameters are the mean margin μ, ε and, if named, the number of voters.

    Each round adds the voter or complement of largest edge and solves again over all that were
    added, until no edge is above ν + ε. One run serves all values of ε and of the number of
    voters. No vote has a μ above max |m_j|, where m_j is the mean margin of voter j: the weights
    of such a candidate are NaN.
    """

    hyperparameters = (MU, EPSILON, ROUNDS)

    def limit(self, problem: VotingProblem) -> str:
        """Return the largest feasible μ in a sentence."""
        return mu_limit(np.abs(problem.correlations()).max(axis=1))

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values = grid.axis("mu") or ()
        epsilons = np.array(grid.axis("epsilon"), dtype=np.float64)
        rounds = np.array(grid.axis("n_rounds") or [math.inf])
        n_voters = problem.H.shape[1]
        paths = np.full(
            (problem.n_samples, len(values), len(epsilons), len(rounds), n_voters), np.nan
        )
        samples = zip(problem.grams(), problem.correlations(), strict=True)
        for path, (gram, margins) in zip(paths, samples, strict=True):
            for part, mu in zip(path, values, strict=True):
                waiting = np.ones(part.shape[:2], dtype=np.bool_)
                for t, (weights, solution) in enumerate(generate_columns(gram, margins, mu), 1):
                    ends = (solution.excess <= epsilons)[:, None] | (t >= rounds)
                    part[waiting & ends] = weights
                    waiting &= ~ends
                    if not waiting.any():
                        break
        return grid.flatten(paths, ("mu", "epsilon", "n_rounds"))

    def seconds(self, n_examples: int, n_voters: int, n_samples: int, grid: Grid) -> float:
        """Return a rough estimate: a Gram matrix a sample, a linear system a voter and μ."""
        most = min(n_voters, max(grid.axis("n_rounds") or [n_voters]))
        run = most * (2e-4 + 1e-8 * most**2)
        gram = 1.5e-11 * n_examples * n_voters**2
        return n_samples * (gram + len(grid.axis("mu") or ()) * run)


def generate_columns(
    gram: FloatArray, margins: FloatArray, mu: float
) -> Iterator[tuple[FloatArray, CqBoostSolution]]:
    """Yield the vote after each round, until no edge is above ν.

    Parameters
    ----------
    gram : ndarray of shape (n_voters, n_voters)
        G = HᵀH/m.
    margins : ndarray of shape (n_voters,)
        Mean of y h for each voter.
    mu : float
        Least mean margin; above max |margins| nothing is yielded.

    Yields
    ------
    tuple of (ndarray of shape (n_voters,), CqBoostSolution)
        Signed weights, and the solution over the voters added so far.

    Raises
    ------
    SolverError
        If a program has no optimum.
    """
    sizes = np.abs(margins)
    if not feasible(mu, float(sizes.max())):
        return
    best = int(sizes.argmax())
    sign = float(np.sign(margins[best]))
    master = CqBoostMaster(gram, margins, mu)
    while True:
        master.add_voter(best, sign)
        solution = master.solve()
        yield master.vote(), solution
        if not solution.excess > 0:
            return
        best, sign = solution.best
