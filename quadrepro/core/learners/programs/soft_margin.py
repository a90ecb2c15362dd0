"""Shared by LP_REG and QP_REG: one program over AdaBoost's voters (Rätsch et al. 2001)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.learner import Algorithm, DrawnProblem, StoppedRuns, positive_votes
from quadrepro.core.learners.programs.program import ProgramSolution, SolverError
from quadrepro.core.voters.drawn import StumpVote
from quadrepro.core.voters.reduction import VotingProblem


def first_picks(attributes: IntArray, cuts: NDArray[Any], signs: FloatArray) -> IntArray:
    """Return where each stump was picked first; one that is picked again is the same voter."""
    _, first = np.unique(np.stack([attributes, cuts, signs]), axis=1, return_index=True)
    return np.sort(first)


class MarginProgram(Protocol):
    """A program over given voters on given examples, with one hyper-parameter."""

    def solve(self, value: float, /) -> ProgramSolution:
        """Solve for a value of the hyper-parameter."""


@dataclass(frozen=True)
class SoftMargin(Algorithm):
    """New weights for the voters that AdaBoost found, from one program; signs are kept.

    Subclasses have one hyper-parameter and name their program.
    """

    takes_drawn_stumps = True
    kernels: ClassVar[tuple[str, ...]] = AdaBoost.kernels

    shares_weight: ClassVar[bool] = False
    """Whether voters that are equal on the training examples share a weight; otherwise the first of
    them has it."""

    n_rounds: int = 100
    """AdaBoost's number of rounds, unless it is chosen on held-out examples."""

    def check(self, grid: Grid) -> None:
        """Raise ValueError if the grid or the number of rounds cannot be used."""
        super().check(grid)
        AdaBoost().check(self._rounds)

    def solve_weights(self, H: FloatArray, y: FloatArray, values: Sequence[float]) -> FloatArray:
        """Return the weights of given voters for every value of the hyper-parameter.

        Parameters
        ----------
        H : ndarray of shape (n_examples, n_voters)
            Oriented voters: a voter to which AdaBoost gave a negative weight is negated.
        y : ndarray of shape (n_examples,)
            Labels, -1 or +1.
        values : sequence of float
            Values of the hyper-parameter. It is quickest to list them from simple to complex.

        Returns
        -------
        ndarray of shape (len(values), n_voters)
            Nonnegative weights; NaN if the solver finds no optimum.
        """
        _, first, place, copies = np.unique(
            H, axis=1, return_index=True, return_inverse=True, return_counts=True
        )
        order = first.argsort()
        first, place = first[order], order.argsort()[place.ravel()]
        margins, ones = (H * y[:, None])[:, first], np.ones(len(y))
        if self.shares_weight:
            # k equal voters of weight b are one of weight √k b and with √k times the margins.
            scales = np.sqrt(copies[order])
            found = self._solve_counted(margins * scales, ones, values) / scales
            return np.asarray(found[:, place])
        weights = np.zeros((len(values), H.shape[1]))
        weights[:, first] = self._solve_counted(margins, ones, values)
        return weights

    def hold_out(self, problem: DrawnProblem, grid: Grid) -> StoppedRuns:
        """Find new weights for the stumps of AdaBoost, run for the rounds chosen by hold-out."""
        found = AdaBoost().hold_out(problem, Grid.of({}))
        vote, rounds = found.vote(0), found.candidates[0]
        signs, values = np.sign(vote.weights), self._values(grid)
        once = first_picks(vote.attributes, vote.cuts, signs)
        once = once[signs[once] != 0]
        oriented = (vote.outputs(problem.train) * signs)[:, once]
        weights = np.zeros((len(values), len(signs)))
        if once.size:
            weights[:, once] = self.solve_weights(oriented, problem.y_train, values) * signs[once]
        positive = positive_votes(vote.outputs(problem.valid), weights)
        errors = (positive != (problem.y_valid > 0)[:, None]).sum(axis=0)
        unsolved = np.isnan(weights).any(axis=1)
        return StoppedRuns(
            np.where(unsolved, np.nan, errors),
            [candidate | rounds for candidate in grid.candidates],
            lambda i: StumpVote(vote.attributes, vote.cuts, weights[i]),
        )

    @abstractmethod
    def _program(self, margins: FloatArray, counts: FloatArray) -> MarginProgram:
        """Return the program over oriented voters on distinct examples."""

    def _solve_counted(
        self, margins: FloatArray, counts: FloatArray, values: Sequence[float]
    ) -> FloatArray:
        """Return weights of shape (len(values), n_voters), equal examples merged; NaN unsolved."""
        distinct, inverse = np.unique(margins, axis=0, return_inverse=True)
        merged = np.zeros(len(distinct))
        np.add.at(merged, inverse.ravel(), counts)
        program = self._program(distinct, merged)
        weights = np.full((len(values), margins.shape[1]), np.nan)
        for row, value in zip(weights, values, strict=True):
            with suppress(SolverError):
                row[:] = program.solve(value).voter_weights
        return weights

    @property
    def _rounds(self) -> Grid:
        return Grid.of({"n_rounds": [self.n_rounds]})

    def _values(self, grid: Grid) -> list[float]:
        [parameter] = self.hyperparameters
        return [float(value) for value in grid.axis(parameter.name) or ()]

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values = self._values(grid)
        found = AdaBoost()._paths(problem, self._rounds)[:, 0]
        paths = np.zeros((problem.n_samples, len(values), problem.n_voters))
        for path, vote, counts in zip(paths, found, problem.counts, strict=True):
            voters, held = np.flatnonzero(vote), counts > 0
            if not len(voters):
                continue
            signs = np.sign(vote[voters])
            margins = (problem.H[:, voters] * problem.y[:, None])[held] * signs
            path[:, voters] = self._solve_counted(margins, counts[held], values) * signs
        return paths
