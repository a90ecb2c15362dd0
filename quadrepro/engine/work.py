"""What one worker does: one cell in, one record out.

A worker writes nothing and reads nothing but its cell. Whatever the cell raises becomes a failed
record, so that the other cells go on.
"""

from __future__ import annotations

import platform
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
from threadpoolctl import threadpool_limits

from quadrepro.boosting.base import positive_votes
from quadrepro.boosting.grid import Value
from quadrepro.data.normalise import Normaliser
from quadrepro.engine.records import Record, pack, pack_margins
from quadrepro.experiment.plan import Cell
from quadrepro.experiment.protocol import Holdout
from quadrepro.experiment.seeds import generator
from quadrepro.selection import HoldoutData, HoldoutSearch, k_fold_search
from quadrepro.voters.random_stumps import Coding, RandomStumps
from quadrepro.voters.reduction import BoolArray, FloatArray
from quadrepro.voters.stumps import Stumps

RECORDED_PACKAGES = ("quadrepro", "numpy", "scipy", "scikit-learn", "highspy")


def versions() -> dict[str, str]:
    """Return the versions that a record keeps."""
    return {"python": platform.python_version(), **{p: version(p) for p in RECORDED_PACKAGES}}


def run_cell(cell: Cell) -> Record:
    """Compute a cell.

    Parameters
    ----------
    cell : Cell
        What to compute.

    Returns
    -------
    Record
        Of status ok, or failed with the traceback.
    """
    try:
        # One BLAS thread, in the serial path too: workers share the cores, and sums stay the same.
        with threadpool_limits(limits=1):
            return _compute(cell)
    except Exception:
        return Record(
            cell.key,
            "failed",
            content=cell.content,
            versions=versions(),
            message=traceback.format_exc(),
        )


def _compute(cell: Cell) -> Record:
    X, split, protocol = cell.examples.X, cell.split, cell.protocol
    normaliser = Normaliser.fit(X[split.train], cell.examples.missing)
    prepare = normaliser.transform if protocol.normalise == "tanh" else normaliser.fill_in
    found = (
        _k_fold(cell, prepare)
        if protocol.holdout is None
        else _holdout(cell, protocol.holdout, prepare)
    )
    wrong = found.positive != (cell.examples.y[split.test] > 0)
    return Record(
        cell.key,
        "ok",
        errors=int(wrong.sum()),
        n_test=len(wrong),
        chosen=found.candidate,
        cv_errors=found.errors,
        wrong=pack(wrong),
        margins="" if found.margins is None else pack_margins(found.margins),
        seconds=found.seconds,
        versions=versions(),
        content=cell.content,
    )


@dataclass(frozen=True, eq=False)
class _Found:
    """What a search ends with: the choice, its errors in the search, its calls on the test part."""

    candidate: dict[str, Value]
    errors: int
    positive: BoolArray
    seconds: float
    margins: FloatArray | None = None


def _k_fold(cell: Cell, prepare: Callable[[FloatArray], FloatArray]) -> _Found:
    X, y, split = cell.examples.X, cell.examples.y, cell.split
    X_train, X_test = prepare(X[split.train]), prepare(X[split.test])
    stumps = Stumps(cell.protocol.stumps_per_attribute).fit(X_train)
    H_train, H_test = stumps.transform(X_train), stumps.transform(X_test)
    start = time.perf_counter()
    choice = k_fold_search(cell.learner, H_train, y[split.train], split.fold, cell.grid)
    seconds = time.perf_counter() - start
    positive = positive_votes(H_test, choice.weights[None, :])[:, 0]
    return _Found(choice.candidate, int(choice.errors.min()), positive, seconds)


def _holdout(cell: Cell, holdout: Holdout, prepare: Callable[[FloatArray], FloatArray]) -> _Found:
    X, y, split = cell.examples.X, cell.examples.y, cell.split
    assert split.valid is not None
    parts = [prepare(X[rows]) for rows in (split.train, split.valid, split.test)]
    train, valid, test = map(Coding.fit(parts[0]).transform, parts)
    data = HoldoutData(train, y[split.train], valid, y[split.valid])
    options = holdout.stumps.model_dump()
    search = HoldoutSearch(
        lambda: RandomStumps(train, data.y_train, generator(*cell.draws), **options),
        holdout.patience,
        holdout.max_rounds,
        holdout.take,
    )
    start = time.perf_counter()
    choice = search(cell.learner, data, cell.grid)
    seconds = time.perf_counter() - start
    total = np.abs(choice.vote.weights).sum()
    margins = data.y_train * choice.vote.sums(train) / (total if total > 0 else 1.0)
    positive = choice.vote.positive(test)
    return _Found(choice.candidate, int(choice.errors.min()), positive, seconds, margins)
