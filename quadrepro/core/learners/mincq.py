"""MinCq: the vote of least C-bound among quasi-uniform ones (Germain et al. 2015).

Program over signed weights w of n voters, with the Gram matrix G = HᵀH/m and the mean margin m_j of
each voter::

    min  w'Gw    s.t.  sum_j m_j w_j = mu,  -1/n <= w_j <= 1/n

If voters are linearly dependent, several votes are optimal, and a ridge selects the one of least
norm.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.cbboost import GRID, CBBoost
from quadrepro.core.learners.solvers import MU, SolverError, feasible, mu_limit, solve_box_program
from quadrepro.core.training.contract import Algorithm, Registered
from quadrepro.core.training.grid import N_ROUNDS, Grid
from quadrepro.core.voters.reduction import VotingProblem

RIDGE = 1e-7
"""Term added to the diagonal of G, which is 1 for voters with values -1 and +1."""

ON_BOUND = 1e-9
"""Relative distance up to which weights are set to their bound, so that they can cancel exactly."""


@dataclass(frozen=True)
class MinCq(Algorithm):
    """MinCq; the hyper-parameter is the mean margin μ.

    No vote has a μ above mean |m_j|: the weights of a candidate with larger μ are NaN.
    """

    hyperparameters = (MU,)
    packages: ClassVar[tuple[str, ...]] = ("piqp",)

    @property
    def merges_voters(self) -> bool:
        """Whether equal voters may be merged: no, since each has its own bound."""
        return False

    def limit(self, problem: VotingProblem) -> str:
        """Return the largest feasible μ in a sentence."""
        return mu_limit(np.abs(problem.correlations).mean(axis=1))

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values = grid.axis("mu") or ()
        samples = zip(problem.grams, problem.correlations, strict=True)
        return np.array([quasi_uniform(gram, margins, values) for gram, margins in samples])


@dataclass(frozen=True)
class MinCqOnCBBoost(Algorithm):
    """MinCq on the distinct voters that CB-Boost has chosen so far (Bauvin et al. 2020, Figure 5).

    The weights are NaN if no vote over these voters has the mean margin μ.
    """

    mu: float = 0.05
    """MinCq's mean margin."""

    hyperparameters = (N_ROUNDS,)
    packages: ClassVar[tuple[str, ...]] = ("piqp",)

    def check(self, grid: Grid) -> None:
        """Raise ValueError if the grid or the mean margin cannot be used."""
        super().check(grid)
        MinCq().check_candidate(mu=self.mu)

    def limit(self, problem: VotingProblem) -> str:
        """Return in a sentence why a candidate has no solution."""
        return f"the voters of CB-Boost have no vote of mean margin mu = {self.mu:g}"

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        paths = CBBoost()._paths(problem, grid)
        samples = zip(problem.grams, problem.correlations, strict=True)
        for path, (gram, margins) in zip(paths, samples, strict=True):
            for vote in path:
                chosen = np.flatnonzero(vote)
                weights = quasi_uniform(gram[np.ix_(chosen, chosen)], margins[chosen], [self.mu])
                vote[:] = 0.0 if np.isfinite(weights).any() else np.nan
                vote[chosen] = weights
        return paths


def quasi_uniform(gram: FloatArray, margins: FloatArray, values: Sequence[float]) -> FloatArray:
    """Return the weights for every μ, shape (len(values), n_voters); NaN without a solution.

    `gram` has shape (n_voters, n_voters), and `margins` (n_voters,). Voters that are equal up to
    their sign have equal weights: k of them are one variable √k w of the program, which has the
    norm of the k weights. Its unit is the weight ±μ/(n L), which has the usual size for every μ up
    to the largest feasible one, L.
    """
    n, largest = len(margins), float(np.abs(margins).sum() / max(1, len(margins)))
    weights = np.full((len(values), n), np.nan)
    if not largest > 0:
        return weights
    squares = gram.diagonal()
    equal = (np.abs(gram) == squares) & (squares == squares[:, None])
    first, group, copies = np.unique(equal.argmax(axis=1), return_inverse=True, return_counts=True)
    signs = np.copysign(1.0, gram[np.arange(n), first[group]])
    scales = np.sqrt(copies)
    P = gram[np.ix_(first, first)] * scales * scales[:, None] + RIDGE * np.eye(len(first))
    P, mean_margin = np.asfortranarray(P + P), scales * margins[first]
    for row, mu in zip(weights, values, strict=True):
        if feasible(mu, largest):
            with suppress(SolverError):
                high = scales * largest / mu
                shares = solve_box_program(P, mean_margin, n * largest, high) / high
                on_bound = np.abs(shares) > 1 - ON_BOUND
                row[:] = np.where(on_bound, np.sign(shares), shares)[group] * signs / n
    return weights


_MUS = {"mu": {"from": 0.9, "to": 0.009, "points": 10}}
MINCQ = Registered(MinCq, "MinCq", "Germain et al. 2015", _MUS)
MINCQ_ON_CB_BOOST = Registered(
    MinCqOnCBBoost, "MinCq(CB-Boost)", "Bauvin et al. 2020, figure 5", GRID
)
