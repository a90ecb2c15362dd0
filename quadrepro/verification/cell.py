"""Verifying the record of a cell: its solution, its outcomes, and the errors of its choice."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from quadrepro._typing import Task
from quadrepro.config.cell import Cell as PlannedCell
from quadrepro.engine.records import Record

# A record is about the examples that this prepares; nothing else of the engine is used.
from quadrepro.engine.work import _training_data
from quadrepro.kernels.compiling import warm
from quadrepro.learners.algorithm import Algorithm
from quadrepro.learners.predictor import Predictor
from quadrepro.learners.training import Part

# Each of these registers how its learners are solved.
from quadrepro.verification import cq_programs, gradient, greedy, programs, refitted  # noqa: F401
from quadrepro.verification.certificate import Certificate, LongArray, Rounds
from quadrepro.verification.solution import Cell, Solution, solve
from quadrepro.verification.voters import ZERO

SINGLE = 1e-6
"""Margins are kept in single precision."""

DIGITS = 1e-9
"""Share by which two sums of squared errors may differ."""


def verify_cell(cell: PlannedCell, record: Record, rounds: Rounds) -> Certificate:
    """Train the chosen candidate of a cell again and check all that its record says of it.

    Parameters
    ----------
    cell : quadrepro.config.cell.Cell
        The cell.
    record : Record
        Its record, with status "ok".
    rounds : Rounds
        Which rounds are checked.

    Returns
    -------
    Certificate
        What was found.
    """
    certificate = Certificate()
    warm(cell.learner.kernels)
    # The number of threads may change the last bits of an estimator.
    with threadpool_limits(limits=1):
        examined = Cell(_training_data(cell), cell.grids, record.chosen)
        solution = solve(cell.learner, examined)
        check_outcomes(solution, record, examined, cell.learner.task, certificate)
        loss = choice_loss(cell, solution, examined)
        close = abs(loss - record.cv_errors) <= DIGITS * max(1.0, loss)
        exact = loss == record.cv_errors or cell.learner.task == "regression"
        certificate.require(
            close and exact,
            f"the loss of the choice is {loss:.10g}, but {record.cv_errors:.10g} in the record",
        )
        solution.prove(certificate, rounds)
    return certificate


def check_outcomes(
    solution: Solution, record: Record, cell: Cell, task: Task, certificate: Certificate
) -> None:
    """Compare what a record says of the test and training examples with a solution.

    Parameters
    ----------
    solution : Solution
        The candidate, trained again.
    record : Record
        What the cell left.
    cell : Cell
        The examples.
    task : {"classification", "regression"}
        What is predicted.
    certificate : Certificate
        Takes what is found.
    """
    require, test = certificate.require, cell.data.test
    require(
        solution.candidate == record.chosen,
        f"training again leads to {solution.candidate}, but the record says {record.chosen}",
    )
    scores, zero = solution.scores(test.X)
    require(len(scores) == record.n_test, f"there are {len(scores)} test examples")
    if task == "regression":
        rmse = float(np.sqrt(np.mean((scores - test.y) ** 2)))
        close = record.rmse is not None and abs(rmse - record.rmse) <= DIGITS * rmse
        require(close, f"the RMSE is {rmse:.10g}, but {record.rmse:.10g} in the record")
        return
    wrong = (scores > zero) != (test.y > 0)
    require(
        int(wrong.sum()) == record.errors,
        f"{int(wrong.sum())} test examples are wrong, but {record.errors} in the record",
    )
    same = len(wrong) == record.n_test and (wrong == record.wrong_examples()).all()
    require(same, "other test examples are wrong than in the record")
    if record.margins and (vote := solution.vote) is not None:
        total = max(vote.total, np.longdouble(1e-300))
        margins = cell.data.train.y * vote.sums(cell.data.train.X) / total
        off = np.abs(margins - record.training_margins()).max()
        require(off <= SINGLE, f"margins of training examples are off by {float(off):.2g}")


def choice_loss(cell: PlannedCell, solution: Solution, examined: Cell) -> float:
    """Return the loss by which the choice was made; 0 if nothing was chosen.

    Parameters
    ----------
    cell : quadrepro.config.cell.Cell
        The cell.
    solution : Solution
        The candidate, trained on the whole training part.
    examined : Cell
        The examples.
    """
    task, protocol = cell.learner.task, cell.protocol
    if protocol.holdout is not None:
        valid = examined.data.valid
        assert valid is not None
        return _loss(task, *solution.scores(valid.X), valid)
    if not protocol.folds:
        return 0.0
    fold = cell.problem.split.fold
    parts = [fold == f for f in range(int(fold.max()) + 1)]
    learner, train = cell.learner, examined.data.train
    if isinstance(learner, Algorithm):
        _, H = examined.matrix()
        samples = np.stack([~out for out in parts]).astype(np.float64)
        grid = examined.up_to if solution.warm else examined.alone
        votes = learner.path(H, train.y, grid, samples)[:, -1].astype(np.longdouble)
        zeros = ZERO * np.abs(votes).sum(axis=1)
        found = zip(parts, votes, zeros, strict=True)
        return float(sum(((H[o] @ a > z) != (train.y[o] > 0)).sum() for o, a, z in found))
    assert isinstance(learner, Predictor)
    if cell.n_candidates == 1:
        return 0.0
    total = 0.0
    for f, out in enumerate(parts):
        X, y, rng = train.X[~out], train.y[~out], examined.data.rng(f"fold {f}")
        [scores] = learner.predictions(X, y, examined.alone, train.X[out], rng)
        total += _loss(task, scores.astype(np.longdouble), 0.0, Part(train.X[out], train.y[out]))
    return total


def _loss(task: Task, scores: LongArray, zero: float, part: Part) -> float:
    if task == "regression":
        return float(((scores - part.y) ** 2).sum())
    return float(((scores > zero) != (part.y > 0)).sum())
