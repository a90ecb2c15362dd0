"""Learners of two classes, trained once for every class: each of these problems is checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quadrepro.base.types import FloatArray, IntArray, Task
from quadrepro.core.learners.baseline import Baseline
from quadrepro.core.learners.contestants.predictor import EstimatorPredictor
from quadrepro.core.learners.learner import Algorithm, Learner
from quadrepro.core.learners.one_vs_rest import common_candidate
from quadrepro.core.learners.predictor import Predictor
from quadrepro.errors import ConfigError
from quadrepro.proof.certificate import Certificate, LongArray, Number, Rounds
from quadrepro.proof.solution import Cell, Solution, solve
from quadrepro.proof.voters import MatrixVote


@dataclass(frozen=True, eq=False)
class RefittedSolution(Solution):
    """A predictor that is fitted again for every set of examples to predict.

    Attributes
    ----------
    learner : Predictor
        The predictor.
    cell : Cell
        The examples.
    """

    learner: Predictor
    cell: Cell

    def scores(self, X: FloatArray) -> tuple[LongArray, float]:
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
class RefittedVote(Solution):
    """A vote that an algorithm of another package finds once more.

    Attributes
    ----------
    found : MatrixVote
        The vote.
    """

    found: MatrixVote

    @property
    def vote(self) -> MatrixVote:
        """The vote."""
        return self.found

    def prove(self, certificate: Certificate, rounds: Rounds) -> None:
        """Do nothing: the outcomes alone are compared."""


def solution_of(learner: Learner, cell: Cell) -> Solution:
    """Train the chosen candidate once more; see `solve`.

    Nothing is known of the algorithms of other packages but that they must find the same again.
    """
    if type(learner).__module__.partition(".")[0] == __name__.partition(".")[0]:
        return solve(learner, cell)
    if isinstance(learner, Predictor):
        return RefittedSolution(cell.chosen, learner, cell)
    assert isinstance(learner, Algorithm)
    if cell.drawn is not None:
        raise ConfigError(
            f"{type(learner).__name__} is of another package: its votes over drawn stumps cannot "
            "be verified"
        )
    voters, H = cell.matrix()
    [weights] = learner.path(H, cell.data.train.y, cell.alone)
    return RefittedVote(cell.chosen, MatrixVote(voters, weights.astype(np.longdouble)))


@solve.register(EstimatorPredictor)
@solve.register(Baseline)
def _(learner: Predictor, cell: Cell) -> Solution:
    return RefittedSolution(cell.chosen, learner, cell)


@dataclass(frozen=True, eq=False)
class OneVsRestSolution(Solution):
    """One solution per class, which is +1 in its problem.

    Attributes
    ----------
    codes : tuple of int
        Codes of the classes that the training part has.
    cells : tuple of Cell
        The problem of each of them.
    solutions : tuple of Solution
        The solution of each of them.
    n_classes : int
        Number of all classes.
    """

    codes: tuple[int, ...]
    cells: tuple[Cell, ...]
    solutions: tuple[Solution, ...]
    n_classes: int

    def predicted(self, X: FloatArray, task: Task) -> IntArray:
        """Return the first class of largest score for each example."""
        return first_class(self.codes, [solution.scores(X) for solution in self.solutions])

    def kept_scores(self, X: FloatArray) -> LongArray | None:
        """Return one column per class; a class that the training part lacks has -inf."""
        found = np.full((len(X), self.n_classes), -np.inf, dtype=np.longdouble)
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


def solve_classes(learner: Learner, cell: Cell) -> Solution:
    """Train the chosen candidate once more, for every class if the learner tells two apart."""
    data = cell.data
    if not learner.against_rest(data.task):
        return solution_of(learner, cell)
    codes = tuple(np.unique(data.train.y).astype(int).tolist())
    cells = tuple(Cell(data.against_rest(code), cell.grids, cell.chosen) for code in codes)
    solutions = tuple(solution_of(learner, of_class) for of_class in cells)
    candidate = common_candidate([solution.candidate for solution in solutions])
    return OneVsRestSolution(candidate, codes, cells, solutions, data.n_classes)
