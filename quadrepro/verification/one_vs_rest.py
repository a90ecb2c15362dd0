"""Learners of two classes, trained once for every class: each of these problems is checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quadrepro._typing import FloatArray, IntArray, Task
from quadrepro.learners.base import Learner
from quadrepro.learners.one_vs_rest import common_candidate
from quadrepro.verification.certificate import Certificate, LongArray, Number, Rounds
from quadrepro.verification.refitted import solution_of
from quadrepro.verification.solution import Cell, Solution


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
    """Return the first class of largest score for each example.

    Parameters
    ----------
    codes : sequence of int
        The classes, in order.
    scored : sequence of (ndarray of shape (n_examples,), number)
        By class: the scores, and by how much rounding may change them.
    """
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
