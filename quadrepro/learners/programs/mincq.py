"""MinCq: the vote of least C-bound among quasi-uniform ones (Germain et al. 2015)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.algorithm import Algorithm
from quadrepro.learners.base import N_ROUNDS
from quadrepro.learners.estimators import Voters
from quadrepro.learners.greedy.cbboost import CBBoost
from quadrepro.learners.grid import Grid
from quadrepro.learners.programs.mean_margin import MU, feasible, infeasible, mu_limit
from quadrepro.learners.programs.mincq_program import MinCqProgram
from quadrepro.learners.streaming import MomentClassifier
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


class MinCqClassifier(MomentClassifier):
    """MinCq: the quasi-uniform vote of least C-bound (Germain et al. 2015).

    Parameters
    ----------
    mu : float, default 0.01
        Mean margin of the vote, at most the mean of |m_j| over the voters, where m_j is the mean
        margin of voter j.
    voters : Stumps, "precomputed" or None, default None
        The voters. None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` means that X is
        the voter matrix.

    Attributes
    ----------
    gap_ : float
        Relative duality gap of the quadratic program.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import MinCqClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> vote = MinCqClassifier(mu=0.1).fit(X, y)
    >>> vote.predict([[1.0], [6.0]])
    array([0, 1])

    The weights are quasi-uniform: none is larger than 1/n.

    >>> bool(np.abs(vote.voter_weights_).max() <= 1 / len(vote.voter_weights_))
    True
    """

    learner = MinCq

    def __init__(self, mu: float = 0.01, *, voters: Voters = None) -> None:
        self.mu = mu
        self.voters = voters

    def _solve(self, problem: GramProblem, candidate: dict[str, float]) -> FloatArray:
        [gram], [margins] = problem.grams(), problem.correlations()
        program = MinCqProgram(gram, margins)
        if not feasible(self.mu, program.largest_mu):
            raise infeasible(self._algorithm(), self.mu, problem)
        solution = program.solve(self.mu)
        self.gap_ = solution.gap
        return problem.expand(solution.voter_weights)

    def _stages(self, H: FloatArray) -> Iterator[FloatArray]:
        # All weights come at once.
        yield H @ self.voter_weights_
