"""LP_REG and QP_REG: new weights for the voters that AdaBoost found (Rätsch et al. 2001)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.algorithm import Algorithm, DrawnProblem, HeldOut, positive_votes
from quadrepro.learners.base import Hyperparameter
from quadrepro.learners.estimators import VoteClassifier, Voters
from quadrepro.learners.greedy.adaboost import AdaBoost
from quadrepro.learners.grid import Grid
from quadrepro.learners.programs.margin_lp import MarginLP
from quadrepro.learners.programs.margin_qp import MarginQP
from quadrepro.voters.random_stumps import StumpVote
from quadrepro.voters.reduction import VotingProblem

# At ν = 1 every example has the weight 1/m, and the voter of least error is the whole vote.
NU = Hyperparameter("nu", "number", "large", "share of examples allowed to miss the margin")
C = Hyperparameter("C", "number", "small", "price of a unit of slack")


@dataclass(frozen=True)
class SoftMargin(Algorithm):
    """New weights from one program for the voters that AdaBoost found, signs kept.

    Attributes
    ----------
    n_rounds : int, default 100
        AdaBoost's number of rounds, unless held-out examples choose it.
    """

    takes_drawn_stumps = True

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

    def hold_out(self, problem: DrawnProblem, grid: Grid) -> HeldOut:
        """Find new weights for the stumps that AdaBoost found by hold-out."""
        found = AdaBoost().hold_out(problem, Grid.of({}))
        vote, rounds = found.vote(0), found.candidates[0]
        signs = np.sign(vote.weights)
        values = [float(v) for v in grid.axis(self.value_name) or ()]
        weights = self.reweigh(vote.outputs(problem.train) * signs, problem.y_train, values) * signs
        positive = positive_votes(vote.outputs(problem.valid), weights)
        errors = (positive != (problem.y_valid > 0)[:, None]).sum(axis=0)
        return HeldOut(
            errors,
            [candidate | rounds for candidate in grid.candidates],
            lambda i: StumpVote(vote.attributes, vote.cuts, weights[i]),
        )

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


@dataclass(frozen=True)
class RegularizedLP(SoftMargin):
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


@dataclass(frozen=True)
class RegularizedQP(SoftMargin):
    """QP_REG: the weights of least ‖b‖² + C Σξ whose margins are at least 1 - ξ."""

    hyperparameters = (C,)
    value_name = "C"

    def _solve(
        self, margins: FloatArray, counts: FloatArray, values: Sequence[float]
    ) -> FloatArray:
        program = MarginQP(margins, counts)
        return np.array([program.solve(value).voter_weights for value in values])


class _SoftMarginClassifier(VoteClassifier):
    """AdaBoost's voters with weights from one program."""

    def _train(self, H: FloatArray, y: FloatArray) -> FloatArray:
        algorithm = self._algorithm()
        candidate = self._candidate(algorithm, y)
        path = algorithm.path(H, y, Grid.of({name: [value] for name, value in candidate.items()}))
        return np.asarray(path[0])

    def _stages(self, H: FloatArray) -> Iterator[FloatArray]:
        # All weights come at once.
        yield H @ self.voter_weights_


class RegularizedLPBoostClassifier(_SoftMarginClassifier):
    """LP_REG: AdaBoost's voters, weighted for the largest soft margin (Raetsch et al. 2001).

    Parameters
    ----------
    nu : float, default 0.1
        ν in (0, 1]: at most this share of the examples misses the margin.
    n_rounds : int, default 100
        AdaBoost's number of rounds.
    voters : Stumps, "precomputed" or None, default None
        The voters, with values -1 and +1; None stands for ``Stumps(per_attribute=10)``.
    """

    learner = RegularizedLP

    def __init__(self, nu: float = 0.1, *, n_rounds: int = 100, voters: Voters = None) -> None:
        self.nu = nu
        self.n_rounds = n_rounds
        self.voters = voters


class RegularizedQPBoostClassifier(_SoftMarginClassifier):
    """QP_REG: AdaBoost's voters, weighted for the least norm (Raetsch et al. 2001).

    Parameters
    ----------
    C : float, default 1.0
        Price of a unit of slack.
    n_rounds : int, default 100
        AdaBoost's number of rounds.
    voters : Stumps, "precomputed" or None, default None
        The voters, with values -1 and +1; None stands for ``Stumps(per_attribute=10)``.
    """

    learner = RegularizedQP

    def __init__(self, C: float = 1.0, *, n_rounds: int = 100, voters: Voters = None) -> None:
        self.C = C
        self.n_rounds = n_rounds
        self.voters = voters
