"""LPBoost by column generation: the totally corrective loop (Demiriz et al. 2002)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quadrepro._typing import FloatArray
from quadrepro.learners.algorithm import Algorithm
from quadrepro.learners.base import Hyperparameter
from quadrepro.learners.estimators import VoteClassifier, Voters
from quadrepro.learners.grid import Grid
from quadrepro.learners.programs.lpboost_master import LPBoostMaster
from quadrepro.learners.programs.program import ProgramSolution
from quadrepro.voters.reduction import VotingProblem, reduce_problem

VIOLATION = 1e-6
"""A voter whose dual constraint is violated by no more than this is not added."""

C = Hyperparameter("C", "number", "small", "price of a unit of slack")


@dataclass(frozen=True)
class LPBoost(Algorithm):
    """LPBoost with a soft margin; the hyper-parameter is the price C of slack.

    Each round adds the voter whose dual constraint is violated most and solves again over all
    voters added so far. Values of C are solved in turn, each from the last one's basis and voters.
    At least one voter is added, so that where C m max|μ| <= 1, and the optimum is the empty vote,
    the run has still seen the best voter.
    """

    hyperparameters = (C,)

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values = [float(v) for v in grid.axis("C") or ()]
        paths = np.zeros((problem.n_samples, len(values), problem.H.shape[1]))
        for path, counts in zip(paths, problem.counts, strict=True):
            for row, (added, solution) in zip(
                path, generate_columns(problem, counts, values), strict=True
            ):
                row[added] = solution.voter_weights
        return paths


def generate_columns(
    problem: VotingProblem,
    counts: FloatArray,
    values: list[float],
    watch: Callable[[list[int], ProgramSolution], None] | None = None,
) -> Iterator[tuple[list[int], ProgramSolution]]:
    """Yield the voters added and the optimum for each value of C in turn.

    Parameters
    ----------
    problem : VotingProblem
        Voters and labels.
    counts : ndarray of shape (n_examples,)
        How often the sample holds each example.
    values : list of float
        Values of C.
    watch : callable, optional
        Told of every master solution on the way.

    Yields
    ------
    tuple of (list of int, ProgramSolution)
        The added voters in order, and the solution over them.

    Raises
    ------
    SolverError
        If a linear program has no optimum.
    """
    held = counts > 0
    signed = np.ascontiguousarray((problem.H * problem.y[:, None])[held])
    master = LPBoostMaster(counts[held])
    added: list[int] = []
    for value in values:
        master.price_slack(value)
        if not added:
            _add(master, added, signed, int(np.abs(counts[held] @ signed).argmax()))
        while True:
            solution = master.solve()
            if watch is not None:
                watch(added, solution)
            violation = np.abs(solution.example_weights @ signed) - 1.0
            violation[added] = -1.0
            worst = int(violation.argmax())
            if violation[worst] <= VIOLATION:
                break
            _add(master, added, signed, worst)
        yield added, solution


def _add(master: LPBoostMaster, added: list[int], signed: FloatArray, voter: int) -> None:
    added.append(voter)
    master.add_voter(np.ascontiguousarray(signed[:, voter]))


class LPBoostClassifier(VoteClassifier):
    """LPBoost with a soft margin, by column generation (Demiriz et al. 2002).

    Parameters
    ----------
    C : float, default 1.0
        Price of a unit of slack.
    voters : Stumps, "precomputed" or None, default None
        The voters; None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` for X itself.

    Attributes
    ----------
    gap_ : float
        Relative duality gap of the last linear program.
    """

    learner = LPBoost

    def __init__(self, C: float = 1.0, *, voters: Voters = None) -> None:
        self.C = C
        self.voters = voters

    def _train(self, H: FloatArray, y: FloatArray) -> FloatArray:
        self._candidate(self._algorithm(), y)
        problem = reduce_problem(H, y)
        self._solutions: list[tuple[NDArray[np.intp], FloatArray]] = []
        path = generate_columns(
            problem,
            problem.counts[0],
            [float(self.C)],
            lambda added, solution: self._solutions.append(
                (problem.representatives[added], solution.voter_weights)
            ),
        )
        added, solution = next(path)
        self.gap_ = solution.gap
        weights = np.zeros(problem.H.shape[1])
        weights[added] = solution.voter_weights
        return problem.expand(weights)

    def _stages(self, H: FloatArray) -> Iterator[FloatArray]:
        for voters, weights in self._solutions:
            yield H[:, voters] @ weights
