"""CqBoost: the vote of least C-bound, by column generation (Roy, Marchand and Laviolette 2016)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.algorithm import Algorithm
from quadrepro.learners.base import Hyperparameter
from quadrepro.learners.grid import Grid
from quadrepro.learners.programs.cqboost_master import CqBoostMaster
from quadrepro.learners.programs.cqboost_solution import CqBoostSolution
from quadrepro.learners.programs.mean_margin import MU, feasible, mu_limit
from quadrepro.voters.reduction import GramProblem, VotingProblem

EPSILON = Hyperparameter("epsilon", "number", "large", "excess of an edge that ends a run")
ROUNDS = Hyperparameter(
    "n_rounds", "integer", "small", "number of rounds T", optional=True, largest=1e9
)


@dataclass(frozen=True)
class CqBoost(Algorithm):
    """CqBoost; the hyper-parameters are the mean margin μ, ε and, optionally, the number of rounds.

    Each round adds the voter or complement with the largest edge and solves the program again over
    all that were added. A run ends when no edge is above ν + ε. One run per μ serves all values of
    ε and of the number of rounds. No vote has a μ above max |m_j|, where m_j is the mean margin of
    voter j. The weights of such a candidate are NaN.
    """

    hyperparameters = (MU, EPSILON, ROUNDS)
    kernels: ClassVar[tuple[str, ...]] = ("cqboost",)
    uses_gram = True
    version = 2

    def limit(self, problem: GramProblem) -> str:
        """Return the largest feasible μ in a sentence."""
        return mu_limit(np.abs(problem.correlations()).max(axis=1))

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values = grid.axis("mu") or ()
        epsilons = np.array(grid.axis("epsilon"), dtype=np.float64)
        rounds = np.array(grid.axis("n_rounds") or [sys.maxsize])
        n_voters = problem.n_voters
        paths = np.full(
            (problem.n_samples, len(values), len(epsilons), len(rounds), n_voters), np.nan
        )
        samples = zip(problem.grams(), problem.correlations(), strict=True)
        for path, (gram, margins) in zip(paths, samples, strict=True):
            for part, mu in zip(path, values, strict=True):
                _write_votes(gram, margins, mu, epsilons, rounds, part)
        return grid.flatten(paths, ("mu", "epsilon", "n_rounds"))


def _write_votes(
    gram: FloatArray,
    margins: FloatArray,
    mu: float,
    epsilons: FloatArray,
    rounds: FloatArray,
    out: FloatArray,
) -> None:
    """Write the vote of every ε and number of rounds from one run; leave it if there is none."""
    master = _begin(gram, margins, mu)
    waiting = np.ones(out.shape[:2], dtype=np.bool_)
    while master is not None and waiting.any():
        # The next round after which one of them ends.
        epsilon = float(epsilons[waiting.any(axis=1)].max())
        n_voters = int(rounds[waiting.any(axis=0)].min())
        solution = master.generate(epsilon, n_voters)
        ends = (solution.excess <= epsilons)[:, None] | (master.n_added >= rounds)
        out[waiting & ends] = master.vote()
        waiting &= ~ends


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
        Least mean margin of the vote. Nothing is yielded if it is above max |margins|.

    Yields
    ------
    tuple of (ndarray of shape (n_voters,), CqBoostSolution)
        Signed weights, and the solution over the voters added so far.

    Raises
    ------
    SolverError
        If a program has no optimum.
    """
    master = _begin(gram, margins, mu)
    while master is not None:
        solution = master.solve()
        yield master.vote(), solution
        if not solution.excess > 0:
            return
        master.add_voter(*solution.best)


def _begin(gram: FloatArray, margins: FloatArray, mu: float) -> CqBoostMaster | None:
    """Return the master problem over the best voter; None if no vote has the mean margin."""
    sizes = np.abs(margins)
    if not feasible(mu, float(sizes.max())):
        return None
    best = int(sizes.argmax())
    master = CqBoostMaster(gram, margins, mu)
    master.add_voter(best, float(np.sign(margins[best])))
    return master
