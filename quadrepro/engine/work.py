"""What a worker does: one cell in, one record out.

A worker writes nothing and reads nothing but its cell. An exception in a cell becomes a failed
record, so that the other cells go on.
"""

from __future__ import annotations

import sys
import traceback
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController

from quadrepro.core.cell import Cell, CellResult, compute, rmse
from quadrepro.core.compiling import warm
from quadrepro.engine.keys import environment, made_by, utc_now
from quadrepro.engine.limits import at_most
from quadrepro.engine.records import Record, pack_codes, pack_margins, pack_numbers, pack_scores
from quadrepro.errors import place_of_user


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> ThreadpoolController:
    """Return what controls the libraries with threads; a new module may bring another one."""
    return ThreadpoolController()


def run_cell(cell: Cell, memory: int | None = None) -> Record:
    """Compute a cell."""
    try:
        planned = {name: cell.content[name] for name in ("code", "packages")}
        if (here := made_by(cell)) != planned:
            message = "the worker's code or packages differ from the plan's"
            return _failed(cell, f"{message}: {here}, but the plan {planned}")
        warm(cell.learner.kernels)
        # One BLAS thread, also without workers: workers share the cores, and sums stay the same.
        with _libraries(len(sys.modules)).limit(limits=1), at_most(memory):
            return _record(cell, compute(cell))
    except MemoryError:
        most = "" if memory is None else f": it may use {memory / 1e9:g} GB"
        return _failed(cell, f"out of memory{most}\n{traceback.format_exc()}")
    except (Exception, SystemExit) as error:
        return _failed(cell, traceback.format_exc().rstrip() + place_of_user(error))


def _failed(cell: Cell, message: str) -> Record:
    return Record(
        cell.key,
        "failed",
        date=utc_now(),
        environment=environment(),
        content=cell.content,
        message=message,
    )


def _record(cell: Cell, result: CellResult) -> Record:
    choice, margins = result.choice, result.choice.fitted.margins
    return Record(
        cell.key,
        "ok",
        **_outcome(cell, result),
        n_test=len(result.actual),
        chosen=choice.fitted.candidate,
        margins="" if margins is None else pack_margins(margins),
        measures=result.measures,
        seconds=result.seconds,
        date=utc_now(),
        environment=environment(),
        content=cell.content,
    )


def _outcome(cell: Cell, result: CellResult) -> dict[str, Any]:
    """Return the fields of a record on its test examples."""
    choice, actual, classes = result.choice, result.actual, cell.problem.classes
    outputs = choice.fitted.outputs
    if not classes:
        return {
            "rmse": rmse(outputs.predicted, actual),
            "cv_errors": choice.loss,
            "actual": pack_numbers(actual),
            "predicted": pack_numbers(outputs.predicted),
        }
    scores, probabilities = outputs.scores, outputs.probabilities
    return {
        "errors": int((outputs.predicted != actual).sum()),
        "cv_errors": int(choice.loss),
        "classes": classes,
        "actual": pack_codes(actual, len(classes)),
        "predicted": pack_codes(outputs.predicted, len(classes)),
        "scores": "" if scores is None else pack_scores(scores),
        "probabilities": "" if probabilities is None else pack_scores(probabilities),
    }
