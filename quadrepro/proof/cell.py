"""Verifying the record of a cell: its solution, its outcomes, and the errors of its choice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from threadpoolctl import threadpool_limits

from quadrepro.base.types import BoolArray, FloatArray, Targets, Task
from quadrepro.core.cell import Cell as PlannedCell
from quadrepro.core.cell import training_data
from quadrepro.core.compiling import warm
from quadrepro.core.learners.learner import Algorithm, Learner, Part
from quadrepro.core.learners.predictor import Predictor
from quadrepro.core.learners.voter_sets import NamedVoters
from quadrepro.engine.records import Record

# Each of these registers how its learners are solved.
from quadrepro.proof import gradient, greedy, programs, refitted  # noqa: F401
from quadrepro.proof.certificate import Certificate, LongArray, Rounds
from quadrepro.proof.refitted import OneVsRestSolution, first_class, solve_classes
from quadrepro.proof.solution import Cell, Solution, called
from quadrepro.proof.voters import ZERO

SINGLE = 1e-6
"""Margins are kept in single precision."""

DIGITS = 1e-9
"""Share by which two sums of squared errors may differ."""


def verify_cell(cell: PlannedCell, record: Record, rounds: Rounds) -> Certificate:
    """Train the chosen candidate of a cell again and check all that its record says of it."""
    certificate = Certificate()
    warm(cell.learner.kernels)
    # The number of threads may change the last bits of an estimator.
    with threadpool_limits(limits=1):
        examined = Cell(training_data(cell), cell.grids, record.chosen)
        solution = solve_classes(cell.learner, examined)
        check_outcomes(solution, record, examined, certificate)
        loss = choice_loss(cell, solution, examined)
        close = abs(loss - record.cv_errors) <= DIGITS * max(1.0, loss)
        exact = loss == record.cv_errors or not record.classes
        certificate.require(
            close and exact,
            f"the loss of the choice is {loss:.10g}, but {record.cv_errors:.10g} in the record",
        )
        solution.prove(certificate, rounds)
    return certificate


def check_outcomes(
    solution: Solution, record: Record, cell: Cell, certificate: Certificate
) -> None:
    """Compare what a record says of the test and training examples with a solution."""
    require, test, task = certificate.require, cell.data.test, cell.data.task
    require(
        solution.candidate == record.chosen,
        f"training again leads to {solution.candidate}, but the record says {record.chosen}",
    )
    predicted = solution.predicted(test.X, task)
    require(len(predicted) == record.n_test, f"there are {len(predicted)} test examples")
    if len(predicted) != record.n_test:
        return
    targets = (test.y > 0).astype(np.intp) if task == "classification" else test.y
    require((record.actual_targets() == targets).all(), "other targets than in the record")
    if task == "regression":
        rmse = float(np.sqrt(np.mean((predicted - test.y) ** 2)))
        close = record.rmse is not None and abs(rmse - record.rmse) <= DIGITS * rmse
        require(close, f"the RMSE is {rmse:.10g}, but {record.rmse:.10g} in the record")
        off = np.abs(record.predicted_targets() - predicted).max()
        require(off <= DIGITS * np.abs(predicted).max(), f"predictions are off by {float(off):.2g}")
        return
    errors = int((predicted != targets).sum())
    require(
        errors == record.errors,
        f"{errors} test examples are wrong, but {record.errors} in the record",
    )
    same = (predicted == record.predicted_targets()).all()
    require(same, "other classes are predicted than in the record")
    kept, scores = record.decision_scores(), solution.kept_scores(test.X)
    if kept is not None and scores is not None:
        close = np.allclose(
            kept, scores, SINGLE, SINGLE * np.abs(scores[np.isfinite(scores)]).max()
        )
        require(close, "other scores than in the record")
    if record.margins and (vote := solution.vote) is not None:
        total = max(vote.total, np.longdouble(1e-300))
        margins = cell.data.train.y * vote.sums(cell.data.train.X) / total
        off = np.abs(margins - record.training_margins()).max()
        require(off <= SINGLE, f"margins of training examples are off by {float(off):.2g}")


def choice_loss(cell: PlannedCell, solution: Solution, examined: Cell) -> float:
    """Return the loss by which the choice was made; 0 if nothing was chosen."""
    data, protocol = examined.data, cell.protocol
    if protocol.holdout is not None:
        assert data.valid is not None
        return _loss(data.task, solution.predicted(data.valid.X, data.task), data.valid.y)
    if not protocol.folds or (cell.n_candidates == 1 and isinstance(cell.learner, Predictor)):
        return 0.0
    fold, y = cell.problem.split.fold, data.train.y
    parts = [fold == f for f in range(int(fold.max()) + 1)]
    # In windows of time, a fold is predicted from earlier rows alone.
    seen = [fold < f if -1 in fold else ~out for f, out in enumerate(parts)]
    if isinstance(solution, OneVsRestSolution):
        every = zip(solution.cells, solution.solutions, strict=True)
        found = zip(*(_scored(cell.learner, s, c, seen, parts) for c, s in every), strict=True)
        predicted = (first_class(solution.codes, of_fold) for of_fold in found)
        return sum(_loss(data.task, p, y[out]) for p, out in zip(predicted, parts, strict=True))
    total = 0.0
    scores = _scored(cell.learner, solution, examined, seen, parts)
    for out, scored in zip(parts, scores, strict=True):
        total += _loss(data.task, called(data.task, *scored), y[out])
    return total


def _scored(
    learner: Learner,
    solution: Solution,
    cell: Cell,
    seen: list[BoolArray],
    parts: list[BoolArray],
) -> Iterator[tuple[LongArray, float]]:
    """Yield the scores of each part by the candidate trained on what it saw, and what is zero."""
    train = cell.data.train
    if isinstance(learner, Algorithm):
        grid = cell.up_to if solution.warm else cell.alone
        voters = cell.data.voters
        if isinstance(voters, NamedVoters) and voters.needs_labels:
            for kept, out in zip(seen, parts, strict=True):
                known = Part(train.X[kept], train.y[kept])
                H, H_out = voters.matrices(known, train.X[out], cell.data.rng)
                vote = learner.path(H, known.y, grid)[-1].astype(np.longdouble)
                yield H_out @ vote, ZERO * float(np.abs(vote).sum())
            return
        _, H = cell.matrix()
        samples = np.stack(seen).astype(np.float64)
        votes = learner.path(H, train.y, grid, samples)[:, -1].astype(np.longdouble)
        for out, vote in zip(parts, votes, strict=True):
            yield H[out] @ vote, ZERO * float(np.abs(vote).sum())
        return
    assert isinstance(learner, Predictor)
    for f, out in enumerate(parts):
        X, y, rng = train.X[seen[f]], train.y[seen[f]], cell.data.rng(f"fold {f}")
        [scores] = learner.predictions(X, y, cell.alone, train.X[out], rng)
        yield scores.astype(np.longdouble), 0.0


def _loss(task: Task, predicted: Targets | LongArray, y: FloatArray) -> float:
    if task == "regression":
        return float(((predicted - y) ** 2).sum())
    return float((predicted != (y > 0 if task == "classification" else y)).sum())
