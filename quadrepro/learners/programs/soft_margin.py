"""LP_REG and QP_REG: new weights for the voters that AdaBoost found (Rätsch et al. 2001)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.base import Algorithm, Hyperparameter
from quadrepro.learners.greedy.adaboost import AdaBoost
from quadrepro.learners.grid import Grid
from quadrepro.learners.programs.margin_lp import MarginLP
from quadrepro.learners.programs.margin_qp import MarginQP
from quadrepro.voters.reduction import VotingProblem

# At ν = 1 every example has the weight 1/m, and the voter of least error is the whole vote.
NU = Hyperparameter("nu", "number", "large", "share of examples allowed to miss the margin")
C = Hyperparameter("C", "number", "small", "price of a unit of slack")


@dataclass(frozen=True)
class Reweighting(Algorithm):
    """New weights for the voters that AdaBoost found, each in the direction it was used in.

    Attributes
    ----------
    n_rounds : int, default 100
        AdaBoost's number of rounds, where the protocol does not stop it by itself.
    """

    n_rounds: int = 100

    value_name: ClassVar[str]
    """Name of the hyper-parameter."""

    def check(self, grid: Grid) -> None:
        """Raise ValueError if the grid or the number of rounds cannot be used."""
        super().check(grid)
        AdaBoost().check(self._rounds)

    def reweigh(self, H: FloatArray, y: FloatArray, values: Sequence[float]) -> FloatArray:
        """Return the weights of given voters for every value of the hyper-parameter.

        Parameters
        ----------
        H : ndarray of shape (n_examples, n_voters)
            Voters, oriented: one that AdaBoost used with negative weight is negated. Equal voters
            are one voter; the first has its weight and the others none, as in `path`.
        y : ndarray of shape (n_examples,)
            Labels, -1 or +1.
        values : sequence of float
            Values of the hyper-parameter; from simple to complex is quickest.

        Returns
        -------
        ndarray of shape (len(values), n_voters)
            Nonnegative weights.

        Raises
        ------
        SolverError
            If a program has no optimum.
        """
        _, first = np.unique(H, axis=1, return_index=True)
        first.sort()
        weights = np.zeros((len(values), H.shape[1]))
        weights[:, first] = self._reweigh((H * y[:, None])[:, first], np.ones(len(y)), values)
        return weights

    def _reweigh(
        self, margins: FloatArray, counts: FloatArray, values: Sequence[float]
    ) -> FloatArray:
        distinct, inverse = np.unique(margins, axis=0, return_inverse=True)
        merged = np.zeros(len(distinct))
        np.add.at(merged, inverse.ravel(), counts)
        return self._solve(distinct, merged, values)

    @abstractmethod
    def _solve(
        self, margins: FloatArray, counts: FloatArray, values: Sequence[float]
    ) -> FloatArray:
        """Return weights of shape (len(values), n_voters) on distinct examples."""

    @property
    def _rounds(self) -> Grid:
        return Grid.of({"n_rounds": [self.n_rounds]})

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values = grid.axis(self.value_name) or ()
        found = AdaBoost()._paths(problem, self._rounds)[:, 0]
        paths = np.zeros((problem.n_samples, len(values), problem.H.shape[1]))
        for path, vote, counts in zip(paths, found, problem.counts, strict=True):
            voters, held = np.flatnonzero(vote), counts > 0
            if not len(voters):
                continue
            signs = np.sign(vote[voters])
            margins = (problem.H[:, voters] * problem.y[:, None])[held] * signs
            path[:, voters] = self._reweigh(margins, counts[held], values) * signs
        return paths

    def seconds(self, n_examples: int, n_voters: int, n_samples: int, grid: Grid) -> float:
        """Return a rough estimate: AdaBoost's run and a program a value and sample."""
        programs = n_samples * len(grid.axis(self.value_name) or ())
        return AdaBoost().seconds(
            n_examples, n_voters, n_samples, self._rounds
        ) + programs * self._seconds(n_examples, min(n_voters, self.n_rounds))

    @abstractmethod
    def _seconds(self, n_examples: int, n_voters: int) -> float:
        """Return a rough estimate of the time of one program."""


@dataclass(frozen=True)
class RegularizedLP(Reweighting):
    """LP_REG: the weights of largest soft margin ρ - C Σξ, with C = 1/(ν m)."""

    hyperparameters = (NU,)
    value_name = "nu"

    def check(self, grid: Grid) -> None:
        """Raise ValueError if the grid or the number of rounds cannot be used."""
        super().check(grid)
        for value in grid.axis("nu") or ():
            if value > 1:
                raise ValueError(f"nu must be at most 1, not {value:g}: it is a share of examples")

    def _solve(
        self, margins: FloatArray, counts: FloatArray, values: Sequence[float]
    ) -> FloatArray:
        program = MarginLP(margins, counts)
        return np.array([program.solve(value).voter_weights for value in values])

    def _seconds(self, n_examples: int, n_voters: int) -> float:
        return 1e-7 * n_examples * n_voters


@dataclass(frozen=True)
class RegularizedQP(Reweighting):
    """QP_REG: the weights of least ‖b‖² + C Σξ whose margins are at least 1 - ξ."""

    hyperparameters = (C,)
    value_name = "C"

    def _solve(
        self, margins: FloatArray, counts: FloatArray, values: Sequence[float]
    ) -> FloatArray:
        program = MarginQP(margins, counts)
        return np.array([program.solve(value).voter_weights for value in values])

    def _seconds(self, n_examples: int, n_voters: int) -> float:
        return 1e-3 + 8e-10 * n_examples * n_voters**2
