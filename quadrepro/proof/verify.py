"""Verifying the records of cells: their solutions, outcomes, and the errors of their choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from threadpoolctl import threadpool_limits

from quadrepro.base.types import FloatArray, Targets, Task
from quadrepro.core.cell import Cell, training_data
from quadrepro.core.learners.learner import NoSolutionError
from quadrepro.core.seeds import generator
from quadrepro.engine.records import Record
from quadrepro.proof.certificate import TOLERANCES, Certificate, LongArray, Quantity, Rounds
from quadrepro.proof.solution import ExaminedCell, Solution, solve

SINGLE = 1e-6
"""Margins are kept in single precision."""

DIGITS = 1e-9
"""Share by which two sums of squared errors may differ."""


def verify_cell(cell: Cell, record: Record, rounds: Rounds) -> Certificate:
    """Train the chosen candidate of a cell again and check its record."""
    certificate = Certificate()
    # The number of threads may change the last bits of an estimator.
    with threadpool_limits(limits=1):
        examined = ExaminedCell(training_data(cell), cell.grids, record.chosen)
        solution = solve(cell.learner, examined)
        check_outcomes(solution, record, examined, certificate)
        loss = choice_loss(cell, solution, examined)
        close = abs(loss - record.cv_errors) <= DIGITS * max(1.0, loss)
        exact = loss == record.cv_errors or not record.classes
        certificate.require(
            close and exact,
            f"the loss of the choice is {loss:.10g}, but {record.cv_errors:.10g} in the record",
        )
        check_choice(cell, solution, examined, loss, certificate, rounds)
        solution.prove(certificate, rounds)
    return certificate


def check_outcomes(
    solution: Solution, record: Record, cell: ExaminedCell, certificate: Certificate
) -> None:
    """Compare the outcomes in a record with those of a solution."""
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


def choice_loss(cell: Cell, solution: Solution, examined: ExaminedCell) -> float:
    """Return the loss by which the choice was made; 0 if nothing was chosen."""
    data, protocol = examined.data, cell.protocol
    if protocol.holdout is not None:
        assert data.valid is not None
        return _loss(data.task, solution.predicted(data.valid.X, data.task), data.valid.y)
    if not protocol.folds or not solution.compares(cell.n_candidates):
        return 0.0
    fold, y = cell.problem.split.fold, data.train.y
    parts = [fold == f for f in range(int(fold.max()) + 1)]
    # In windows of time, a fold is predicted from earlier rows alone.
    seen = [fold < f if -1 in fold else ~out for f, out in enumerate(parts)]
    predicted = solution.fold_predictions(seen, parts, data.task)
    return sum(_loss(data.task, p, y[out]) for p, out in zip(predicted, parts, strict=True))


def check_choice(
    cell: Cell,
    solution: Solution,
    examined: ExaminedCell,
    loss: float,
    certificate: Certificate,
    rounds: Rounds,
) -> None:
    """Check that no candidate has a smaller loss, and no earlier one the same."""
    compared = cell.protocol.holdout is not None or bool(cell.protocol.folds)
    if cell.n_candidates < 2 or not compared:
        return
    candidates = [candidate for grid in cell.grids for candidate in grid.candidates]
    chosen = candidates.index(examined.alone.candidates[0])
    for i in rounds.rivals(len(candidates), chosen):
        rival = replace(examined, chosen=candidates[i])
        try:
            # Held-out examples choose a number of rounds as well.
            again = cell.protocol.holdout is not None
            other = solve(cell.learner, rival) if again else solution.of_candidate(candidates[i])
            found = choice_loss(cell, other, rival)
        except NoSolutionError:
            continue
        # Losses of numbers are equal up to rounding.
        slack = 0.0 if examined.data.task != "regression" else DIGITS * loss
        better = found < loss - slack or (i < chosen and found <= loss - slack)
        certificate.require(
            not better, f"{candidates[i]} has the loss {found:.10g}, and the choice {loss:.10g}"
        )


def _loss(task: Task, predicted: Targets | LongArray, y: FloatArray) -> float:
    if task == "regression":
        return float(((predicted - y) ** 2).sum())
    return float((predicted != (y > 0 if task == "classification" else y)).sum())


CELLS = 3
"""How many cells of every algorithm a sample has."""

HEADERS = ("algorithm", "cells", "rounds", "ties", *TOLERANCES, "")
"""What the columns of the lines are."""

QUANTITIES: tuple[Quantity, ...] = tuple(TOLERANCES)


@dataclass
class Survey:
    """What was found for one algorithm."""

    algorithm: str
    n_cells: int = 0
    found: Certificate = field(default_factory=Certificate)
    """The largest deviations of all of them."""

    def line(self) -> tuple[str, ...]:
        """Return the words under `HEADERS`; a dash where there is nothing to check."""
        worst, n_rounds = self.found.worst, self.found.n_rounds
        deviations = (f"{worst[q]:.1e}" if q in worst else "-" for q in QUANTITIES)
        counts = (str(n_rounds), str(self.found.n_ties)) if n_rounds else ("-", "-")
        verdict = "FAILED" if self.found.faults else "verified"
        return (self.algorithm, str(self.n_cells), *counts, *deviations, verdict)


def tolerances() -> tuple[str, ...]:
    """Return the line of the tolerances under `HEADERS`."""
    return ("tolerance", "", "", "", *(f"{value:.1e}" for value in TOLERANCES.values()), "")


def sample(cells: Sequence[Cell], seed: int) -> list[Cell]:
    """Return some cells of every algorithm, in their order."""
    taken: set[int] = set()
    for name in dict.fromkeys(cell.algorithm for cell in cells):
        places = [i for i, cell in enumerate(cells) if cell.algorithm == name]
        taken.update(generator(seed, name, "verify").permutation(places)[:CELLS].tolist())
    return [cell for i, cell in enumerate(cells) if i in taken]


def survey(
    cells: Sequence[Cell],
    record_of: Callable[[Cell], Record],
    seed: int | None,
) -> list[Survey]:
    """Verify cells."""
    found = {cell.algorithm: Survey(cell.algorithm) for cell in cells}
    for cell in cells:
        rounds = Rounds(None if seed is None else generator(seed, cell.key, "rounds"))
        certificate = verify_cell(cell, record_of(cell), rounds)
        where = cell.name
        certificate.faults = [f"{where}: {fault}" for fault in certificate.faults]
        found[cell.algorithm].n_cells += 1
        found[cell.algorithm].found.add(certificate)
    return [*found.values()]
