"""What a learner found for a cell, in a form that can be checked; learners name the class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray, Targets, Task
from quadrepro.core.learners.grid import Grid, Value
from quadrepro.core.learners.learner import (
    Algorithm,
    DrawnProblem,
    Learner,
    NoSolutionError,
    Part,
    TrainingData,
)
from quadrepro.core.learners.one_vs_rest import common_candidate
from quadrepro.core.learners.predictor import Predictor
from quadrepro.core.learners.voting import FixedStumps, NamedVoters, PerRoundStumps
from quadrepro.errors import ConfigError
from quadrepro.proof.certificate import Certificate, LongArray, Number, Rounds

STEPS = 65535
"""Number of steps of the grid on which the thresholds of drawn stumps lie."""

ZERO = 1e-12
"""A vote of at most this share of the sum of the weights is zero, and calls the example -1."""


class Vote(ABC):
    """A weighted vote."""

    @property
    @abstractmethod
    def total(self) -> np.longdouble:
        """The sum of the sizes of the weights."""

    @abstractmethod
    def sums(self, X: FloatArray) -> LongArray:
        """Return the sum of the vote for each example, given its attributes."""


@dataclass(frozen=True, eq=False)
class StumpMatrix:
    """Evenly spaced stumps."""

    thresholds: FloatArray
    """A stump says +1 above its threshold, else -1, shape (n_attributes, per_attribute)."""
    chosen: IntArray | None
    """The stumps that are voters, in order; None if all are."""

    @classmethod
    def of(cls, data: TrainingData, voters: FixedStumps) -> Self:
        """Return the stumps that the training part of a cell gives."""
        low, high = data.train.X.min(axis=0), data.train.X.max(axis=0)
        shares = np.arange(1, voters.per_attribute + 1) / (voters.per_attribute + 1)
        thresholds = low[:, None] + (high - low)[:, None] * shares
        everything = cls(thresholds, None)
        if voters.n_voters is None:
            return everything
        H = everything.outputs(data.train.X)
        varying = np.flatnonzero(H.min(axis=0) < H.max(axis=0))
        drawn = data.rng("voters").permutation(varying)[: voters.n_voters]
        return cls(thresholds, np.sort(drawn))

    def outputs(self, X: FloatArray) -> FloatArray:
        """Return the voter matrix, shape (n_examples, n_voters)."""
        H = np.empty((len(X), self.thresholds.size))
        width = self.thresholds.shape[1]
        for j, thresholds in enumerate(self.thresholds):
            above = X[:, j, None] > thresholds
            H[:, j * width : (j + 1) * width] = np.where(above, 1.0, -1.0)
        return H if self.chosen is None else H[:, self.chosen]


@dataclass(frozen=True, eq=False)
class VoterSetMatrix:
    """The voters of a voter set, which are fitted again and taken as they are."""

    voters: NamedVoters
    data: TrainingData

    def outputs(self, X: FloatArray) -> FloatArray:
        """Return the voter matrix, shape (n_examples, n_voters)."""
        return self.voters.matrices(self.data.train, X, self.data.rng)[1]


Matrix = StumpMatrix | VoterSetMatrix
"""Voters that are the same in every round."""


@dataclass(frozen=True, eq=False)
class MatrixVote(Vote):
    """A vote over voters that are the same in every round."""

    stumps: Matrix
    weights: LongArray
    """Their signed weights, shape (n_voters,)."""

    @property
    def total(self) -> np.longdouble:
        """The sum of the sizes of the weights."""
        return np.longdouble(np.abs(self.weights).sum())

    def sums(self, X: FloatArray) -> LongArray:
        """Return the sum of the vote for each example."""
        used = np.flatnonzero(self.weights)
        return np.asarray(self.stumps.outputs(X)[:, used] @ self.weights[used])


@dataclass(frozen=True, eq=False)
class Grid16:
    """The grid on which thresholds of drawn stumps lie."""

    low: FloatArray
    """The ends of the attributes' ranges on the training examples, shape (n_attributes,)."""
    high: FloatArray

    @classmethod
    def of(cls, X: FloatArray) -> Self:
        """Return the grid that training examples give."""
        return cls(X.min(axis=0), X.max(axis=0))

    def codes(self, X: FloatArray) -> IntArray:
        """Return the least threshold that is not below each value, shape (n_attributes, n)."""
        span = self.high - self.low
        span[span <= 0] = 1.0
        above = np.ceil((X - self.low) / span * STEPS)
        return np.asarray(np.clip(above, 0, STEPS).T, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class DrawnVote(Vote):
    """A vote over stumps that were drawn in every round."""

    grid: Grid16
    """Places of thresholds."""
    attributes: IntArray
    """Attribute of each stump, and its threshold on the grid, shape (n_stumps,)."""
    cuts: IntArray
    weights: FloatArray
    """Signed weights, shape (n_stumps,)."""

    @property
    def total(self) -> np.longdouble:
        """The sum of the sizes of the weights."""
        return np.longdouble(np.abs(self.weights.astype(np.longdouble)).sum())

    def sums(self, X: FloatArray) -> LongArray:
        """Return the sum of the vote for each example."""
        total, codes = np.zeros(len(X), dtype=np.longdouble), self.grid.codes(X)
        for attribute, cut, weight in zip(self.attributes, self.cuts, self.weights, strict=True):
            total += np.where(codes[attribute] > cut, weight, -weight)
        return total


@dataclass(frozen=True, eq=False)
class ExaminedCell:
    """The examples of a cell and the candidate that its record names."""

    data: TrainingData
    """Prepared examples, and where voters come from."""
    grids: Sequence[Grid]
    chosen: dict[str, Any]

    @property
    def drawn(self) -> PerRoundStumps | None:
        """How stumps are drawn; None if they are fixed."""
        return self.data.voters if isinstance(self.data.voters, PerRoundStumps) else None

    @property
    def alone(self) -> Grid:
        """The grid with the chosen candidate alone, as far as grids name its parameters."""
        named = {name for name, _ in self.grids[0].axes}
        return Grid.of({name: [value] for name, value in self.chosen.items() if name in named})

    @property
    def up_to(self) -> Grid:
        """The candidates of one hyper-parameter up to the chosen one, in their order."""
        chosen = dict(self.alone.axes)
        for grid in self.grids:
            if all(chosen[name][0] in values for name, values in grid.axes):
                [(name, values)] = grid.axes
                return Grid.of({name: values[: values.index(chosen[name][0]) + 1]})
        return self.alone

    @cached_property
    def matrix(self) -> tuple[Matrix, FloatArray]:
        """The fixed voters, and the voter matrix of the training examples."""
        voters = self.data.voters
        found: Matrix
        if isinstance(voters, NamedVoters):
            found = VoterSetMatrix(voters, self.data)
        else:
            assert isinstance(voters, FixedStumps)
            found = StumpMatrix.of(self.data, voters)
        return found, found.outputs(self.data.train.X)


def drawn_problem(data: TrainingData, voters: PerRoundStumps) -> tuple[DrawnProblem, Grid16]:
    """Return the examples on the grid of the thresholds, as algorithms learn from them."""
    assert data.valid is not None
    on_grid, train, valid = Grid16.of(data.train.X), data.train, data.valid
    codes, held_out = (on_grid.codes(part.X).astype(np.uint16) for part in (train, valid))
    # Algorithms expect the examples of an attribute next to each other.
    codes, held_out = np.ascontiguousarray(codes), np.ascontiguousarray(held_out)
    problem = DrawnProblem(
        source=lambda: voters.make(codes, train.y),
        train=codes,
        y_train=train.y,
        valid=held_out,
        y_valid=valid.y,
        stopping=voters.stopping,
    )
    return problem, on_grid


Scores = tuple[LongArray, float]
"""Scores of examples, and the largest that is negative."""


@dataclass(frozen=True, eq=False)
class Solution:
    """What a learner found for a cell, and how it is checked."""

    candidate: dict[str, Value]
    """Its hyper-parameters."""
    learner: Learner
    """The learner."""
    cell: ExaminedCell
    """The examples."""

    @classmethod
    def of(cls, learner: Any, cell: ExaminedCell) -> Solution:
        """Train the chosen candidate of a cell once more."""
        raise NotImplementedError

    @property
    def vote(self) -> Vote | None:
        """The vote; None if the learner gives none."""
        return None

    def compares(self, n_candidates: int) -> bool:
        """Return whether that many candidates are compared on examples that are held out."""
        return True

    def of_candidate(self, candidate: dict[str, Any]) -> Self:
        """Return what the folds of another candidate can be scored with."""
        return replace(self, cell=replace(self.cell, chosen=candidate))

    def scores(self, X: FloatArray) -> Scores:
        """Return the score of each example, and the largest that is negative."""
        raise NotImplementedError

    def fold_scores(self, seen: list[BoolArray], parts: list[BoolArray]) -> Iterator[Scores]:
        """Yield the scores of each part by the candidate trained on what it saw.

        Raises
        ------
        NoSolutionError
            If the candidate has no solution on a fold or on the whole training part.
        """
        raise NotImplementedError

    def predicted(self, X: FloatArray, task: Task) -> Targets | LongArray:
        """Return the class code, or the number, that is predicted for each example."""
        return called(task, *self.scores(X))

    def fold_predictions(
        self, seen: list[BoolArray], parts: list[BoolArray], task: Task
    ) -> Iterator[Targets | LongArray]:
        """Yield what is predicted of each part by the candidate trained on what it saw."""
        return (called(task, *scored) for scored in self.fold_scores(seen, parts))

    def kept_scores(self, X: FloatArray) -> LongArray | None:
        """Return the scores that a record of classes keeps; None if they are not known."""
        scores, zero = self.scores(X)
        return np.where(np.abs(scores) <= zero, 0, scores)

    def prove(self, certificate: Certificate, rounds: Rounds) -> None:
        """Check the solution by the definition of the algorithm."""
        raise NotImplementedError


def called(task: Task, scores: LongArray, zero: float) -> Targets | LongArray:
    """Return what scores predict: classes by their sign, or what they are themselves."""
    return (scores > zero).astype(np.intp) if task == "classification" else scores


def _solved(weights: FloatArray) -> LongArray:
    """Return weights, or raise NoSolutionError."""
    if np.isnan(weights).any():
        raise NoSolutionError("the candidate has no solution")
    return weights.astype(np.longdouble)


@dataclass(frozen=True, eq=False)
class VoteSolution(Solution):
    """What an algorithm that votes found."""

    learner: Algorithm

    warm: ClassVar[bool] = False
    """Whether every candidate starts from the solution of the one before."""

    def scores(self, X: FloatArray) -> Scores:
        """Return the sum of the vote for each example."""
        assert self.vote is not None
        return self.vote.sums(X), ZERO * float(self.vote.total)

    def fold_scores(self, seen: list[BoolArray], parts: list[BoolArray]) -> Iterator[Scores]:
        """Yield the sums of the votes of each part."""
        data, train = self.cell.data, self.cell.data.train
        grid = self.cell.up_to if self.warm else self.cell.alone
        if isinstance(data.voters, NamedVoters):
            for kept, out in zip(seen, parts, strict=True):
                known = Part(train.X[kept], train.y[kept])
                H, H_out = data.voters.matrices(known, train.X[out], data.rng)
                vote = _solved(self.learner.path(H, known.y, grid)[-1])
                yield H_out @ vote, ZERO * float(np.abs(vote).sum())
            _solved(self.learner.path(self.cell.matrix[1], train.y, grid)[-1])
            return
        _, H = self.cell.matrix
        samples = np.stack([*seen, np.ones_like(seen[0])]).astype(np.float64)
        *votes, _ = _solved(self.learner.path(H, train.y, grid, samples)[:, -1])
        for out, vote in zip(parts, votes, strict=True):
            yield H[out] @ vote, ZERO * float(np.abs(vote).sum())


@dataclass(frozen=True, eq=False)
class PredictedSolution(Solution):
    """What a predictor found."""

    learner: Predictor

    def compares(self, n_candidates: int) -> bool:
        """Return whether there is a choice: a single candidate of a predictor is not validated."""
        return n_candidates > 1

    def fold_scores(self, seen: list[BoolArray], parts: list[BoolArray]) -> Iterator[Scores]:
        """Yield the predictions of each part."""
        train, grid = self.cell.data.train, self.cell.alone
        for f, (kept, out) in enumerate(zip(seen, parts, strict=True)):
            X, y, rng = train.X[kept], train.y[kept], self.cell.data.rng(f"fold {f}")
            [scores] = self.learner.predictions(X, y, grid, train.X[out], rng)
            yield scores.astype(np.longdouble), 0.0


@dataclass(frozen=True, eq=False)
class RefittedVote(VoteSolution):
    """A vote of which nothing is known but that it must be found again."""

    found: MatrixVote

    @classmethod
    def of(cls, learner: Algorithm, cell: ExaminedCell) -> Self:
        """Find the vote again."""
        if cell.drawn is not None:
            raise ConfigError(
                f"{type(learner).__name__} names no certificate, so its votes over drawn stumps "
                "cannot be verified"
            )
        voters, H = cell.matrix
        [weights] = learner.path(H, cell.data.train.y, cell.alone)
        return cls(cell.chosen, learner, cell, MatrixVote(voters, weights.astype(np.longdouble)))

    @property
    def vote(self) -> MatrixVote:
        """The vote."""
        return self.found

    def prove(self, certificate: Certificate, rounds: Rounds) -> None:
        """Do nothing: the outcomes alone are compared."""


@dataclass(frozen=True, eq=False)
class RefittedPredictions(PredictedSolution):
    """A predictor that is fitted again for every set of examples to predict."""

    @classmethod
    def of(cls, learner: Predictor, cell: ExaminedCell) -> Self:
        """Return the predictor."""
        return cls(cell.chosen, learner, cell)

    def scores(self, X: FloatArray) -> Scores:
        """Fit the predictor and return its predictions."""
        data = self.cell.data
        learner = self.learner.for_columns(data)
        found = learner.predictions(*data.train, self.cell.alone, X, data.rng("all"))
        return found[0].astype(np.longdouble), 0.0

    def kept_scores(self, X: FloatArray) -> LongArray | None:
        """Return None: predictions are not scores."""
        return None

    def prove(self, certificate: Certificate, rounds: Rounds) -> None:
        """Do nothing: the outcomes alone are compared."""


@dataclass(frozen=True, eq=False)
class OneVsRestSolution(Solution):
    """One solution per class, which is +1 in its problem."""

    codes: tuple[int, ...]
    """Codes of the classes that the training part has."""
    solutions: tuple[Solution, ...]

    @classmethod
    def of(cls, learner: Learner, cell: ExaminedCell) -> Self:
        """Train the chosen candidate once more for every class."""
        data = cell.data
        codes = tuple(np.unique(data.train.y).astype(int).tolist())
        cells = (ExaminedCell(data.against_rest(code), cell.grids, cell.chosen) for code in codes)
        solutions = tuple(certificate_of(learner).of(learner, of_class) for of_class in cells)
        candidate = common_candidate([solution.candidate for solution in solutions])
        return cls(candidate, learner, cell, codes, solutions)

    def of_candidate(self, candidate: dict[str, Any]) -> Self:
        """Return the same for every class."""
        return replace(self, solutions=tuple(s.of_candidate(candidate) for s in self.solutions))

    def compares(self, n_candidates: int) -> bool:
        """Return whether candidates are compared in the problem of a class."""
        return self.solutions[0].compares(n_candidates)

    def predicted(self, X: FloatArray, task: Task) -> IntArray:
        """Return the first class of largest score for each example."""
        return first_class(self.codes, [solution.scores(X) for solution in self.solutions])

    def fold_predictions(
        self, seen: list[BoolArray], parts: list[BoolArray], task: Task
    ) -> Iterator[IntArray]:
        """Yield the first class of largest score for each example of each part."""
        scored = (solution.fold_scores(seen, parts) for solution in self.solutions)
        return (first_class(self.codes, of_part) for of_part in zip(*scored, strict=True))

    def kept_scores(self, X: FloatArray) -> LongArray | None:
        """Return one column per class; a class that the training part lacks has -inf."""
        shape = len(X), self.cell.data.n_classes
        found = np.full(shape, -np.inf, dtype=np.longdouble)
        for code, solution in zip(self.codes, self.solutions, strict=True):
            found[:, code] = solution.scores(X)[0]
        return found

    def prove(self, certificate: Certificate, rounds: Rounds) -> None:
        """Check the solution of every class."""
        for code, solution in zip(self.codes, self.solutions, strict=True):
            of_class = Certificate()
            solution.prove(of_class, rounds)
            of_class.faults = [f"class {code}: {fault}" for fault in of_class.faults]
            certificate.add(of_class)


def first_class(codes: Sequence[int], scored: Sequence[tuple[LongArray, Number]]) -> IntArray:
    """Return the first class of largest score for each example."""
    zero = max(float(rounding) for _, rounding in scored)
    best = np.max([scores for scores, _ in scored], axis=0)
    predicted = np.full(len(best), -1, dtype=np.intp)
    for code, (scores, _) in zip(codes, scored, strict=True):
        predicted[(predicted < 0) & (scores >= best - zero)] = code
    return predicted


def certificate_of(learner: Learner) -> type[Solution]:
    """Return what proves the results of a learner, as its class names it.

    A class inherits it within its package alone: another one may change what it derives from. If
    none is named, the learner must find the same again.
    """
    of = type(learner)
    for base in of.__mro__:
        same_package = base.__module__.partition(".")[0] == of.__module__.partition(".")[0]
        if same_package and (named := vars(base).get("certificate")) is not None:
            found: type[Solution] = named.load_class(Solution)
            return found
    return RefittedVote if learner.gives_votes else RefittedPredictions


def solve(learner: Learner, cell: ExaminedCell) -> Solution:
    """Train the chosen candidate once more, for every class if the learner tells two apart."""
    several = learner.against_rest(cell.data.task)
    return (OneVsRestSolution if several else certificate_of(learner)).of(learner, cell)
