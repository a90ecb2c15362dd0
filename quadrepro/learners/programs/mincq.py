"""MinCq: the vote of least C-bound among quasi-uniform ones (Germain et al. 2015)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.algorithm import Algorithm
from quadrepro.learners.base import N_ROUNDS
from quadrepro.learners.greedy.cbboost import CBBoost
from quadrepro.learners.grid import Grid
from quadrepro.learners.programs.mean_margin import MU, feasible, mu_limit
from quadrepro.learners.programs.mincq_program import MinCqProgram
from quadrepro.voters.reduction import GramProblem, VotingProblem


@dataclass(frozen=True)
class MinCq(Algorithm):
    """MinCq; the hyper-parameter is the mean margin μ.

    No vote has a μ above mean |m_j|, where m_j is the mean margin of voter j. The weights of such a
    candidate are NaN.
    """

    hyperparameters = (MU,)
    version = 3
    kernels: ClassVar[tuple[str, ...]] = ("cholesky", "sums")
    packages: ClassVar[tuple[str, ...]] = ("scipy", "piqp", "daqp")
    uses_gram = True

    @property
    def merges_voters(self) -> bool:
        """Whether equal voters may be merged: no, since each has a bound of its own."""
        return False

    def limit(self, problem: GramProblem) -> str:
        """Return the largest feasible μ in a sentence."""
        return mu_limit(np.abs(problem.correlations()).mean(axis=1))

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values = grid.axis("mu") or ()
        samples = zip(problem.grams(), problem.correlations(), strict=True)
        return np.array([_solve_weights(gram, margins, values) for gram, margins in samples])


@dataclass(frozen=True)
class MinCqOnCBBoost(Algorithm):
    """MinCq on the distinct voters that CB-Boost has chosen so far (Bauvin et al. 2020, Figure 5).

    The weights are NaN if no vote over these voters has the mean margin μ.

    Attributes
    ----------
    mu : float, default 0.05
        MinCq's mean margin.
    """

    mu: float = 0.05

    hyperparameters = (N_ROUNDS,)
    version = 3
    kernels: ClassVar[tuple[str, ...]] = ("cholesky", "sums")
    packages: ClassVar[tuple[str, ...]] = ("scipy", "piqp", "daqp")
    uses_gram = True

    def check(self, grid: Grid) -> None:
        """Raise ValueError if the grid or the mean margin cannot be used."""
        super().check(grid)
        MinCq().check_candidate(mu=self.mu)

    def limit(self, problem: GramProblem) -> str:
        """Return in a sentence why a candidate has no solution."""
        return f"the voters of CB-Boost have no vote of mean margin mu = {self.mu:g}"

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        paths = CBBoost()._paths(problem, grid)
        samples = zip(problem.grams(), problem.correlations(), strict=True)
        for path, (gram, margins) in zip(paths, samples, strict=True):
            for vote in path:
                chosen = np.flatnonzero(vote)
                products = gram[np.ix_(chosen, chosen)]
                weights = _solve_weights(products, margins[chosen], [self.mu])[0]
                vote[:] = np.nan if np.isnan(weights).any() or not len(chosen) else 0.0
                vote[chosen] = weights
        return paths


def _solve_weights(gram: FloatArray, margins: FloatArray, values: Sequence[float]) -> FloatArray:
    """Return the weights for every μ, shape (len(values), n_voters); NaN if no vote has it."""
    weights = np.full((len(values), len(margins)), np.nan)
    if not margins.any():
        return weights
    program = MinCqProgram(gram, margins)
    for row, mu in zip(weights, values, strict=True):
        if feasible(mu, program.largest_mu):
            row[:] = program.solve(mu).voter_weights
    return weights
