"""What one worker does: one cell in, one record out.

A worker writes nothing and reads nothing but its cell. Whatever the cell raises becomes a failed
record, so that the other cells go on.
"""

from __future__ import annotations

import platform
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from quadrepro._typing import BoolArray, FloatArray
from quadrepro.config.plan import Cell
from quadrepro.config.protocol import Holdout
from quadrepro.config.seeds import generator
from quadrepro.data.noise import add_noise
from quadrepro.data.normalise import Normaliser
from quadrepro.engine.records import Record, pack, pack_margins
from quadrepro.learners.base import Algorithm, positive_votes
from quadrepro.learners.grid import Value
from quadrepro.learners.predictor import Predictor
from quadrepro.measures.registry import measure
from quadrepro.measures.trained import Trained
from quadrepro.search.predictors import PredictorSearch
from quadrepro.search.votes import HoldoutData, HoldoutSearch, k_fold_search, whole_path
from quadrepro.voters.random_stumps import Coding, RandomStumps
from quadrepro.voters.stumps import Stumps

RECORDED_PACKAGES = ("quadrepro", "numpy", "scipy", "scikit-learn", "highspy", "piqp", "daqp")


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
    examples, split, protocol = cell.problem.examples, cell.problem.split, cell.protocol
    X, y = examples.X, examples.y
    if protocol.noise is not None:
        X = add_noise(X, generator(*cell.draws, "noise"), **protocol.noise.model_dump())
    normaliser = Normaliser.fit(X[split.train], examples.missing)
    prepare = normaliser.transform if protocol.normalise == "tanh" else normaliser.fill_in
    parts = _Parts(
        prepare(X[split.train]),
        y[split.train],
        prepare(X[split.test]),
        y[split.test],
        *(
            (np.empty((0, X.shape[1])), np.empty(0))
            if split.valid is None
            else (prepare(X[split.valid]), y[split.valid])
        ),
    )
    if isinstance(cell.learner, Predictor):
        found = _predicted(cell, cell.learner, parts)
    elif protocol.holdout is not None:
        found = _holdout(cell, protocol.holdout, parts)
    elif protocol.folds:
        found = _k_fold(cell, parts)
    else:
        found = _whole_path(cell, parts)
    return Record(
        cell.key,
        "ok",
        **found.outcome,
        n_test=len(split.test),
        chosen=found.candidate,
        cv_errors=found.loss,
        margins="" if found.margins is None else pack_margins(found.margins),
        measures=found.measures,
        seconds=found.seconds,
        versions=versions(),
        content=cell.content,
    )


@dataclass(frozen=True, eq=False)
class _Parts:
    """The examples, prepared; the validation part has no rows where nothing is held out."""

    X: FloatArray
    y: FloatArray
    X_test: FloatArray
    y_test: FloatArray
    X_valid: FloatArray
    y_valid: FloatArray


@dataclass(frozen=True, eq=False)
class _Found:
    """What a search ends with: the choice, its loss in the search, and how it does on the tests."""

    candidate: dict[str, Value]
    loss: float
    outcome: dict[str, Any]
    seconds: float
    margins: FloatArray | None = None
    measures: dict[str, list[float]] = field(default_factory=dict)


def _classified(positive: BoolArray, y_test: FloatArray) -> dict[str, Any]:
    """Return a record's fields on test examples that were told apart."""
    wrong = positive != (y_test > 0)
    return {"errors": int(wrong.sum()), "wrong": pack(wrong)}


def _voter_matrices(cell: Cell, parts: _Parts) -> tuple[FloatArray, FloatArray]:
    stumps = Stumps(cell.protocol.stumps_per_attribute).fit(parts.X)
    H, H_test = stumps.transform(parts.X), stumps.transform(parts.X_test)
    if cell.protocol.voters is None:
        return H, H_test
    varying = np.flatnonzero((H[0] != H).any(axis=0))
    if len(varying) < cell.protocol.voters:
        raise ValueError(
            f"{cell.protocol.voters} voters are asked for, and {len(varying)} are not constant on"
            " the training part: raise stumps_per_attribute"
        )
    chosen = generator(*cell.draws, "voters").permutation(varying)[: cell.protocol.voters]
    return H[:, np.sort(chosen)], H_test[:, np.sort(chosen)]


def _k_fold(cell: Cell, parts: _Parts) -> _Found:
    assert isinstance(cell.learner, Algorithm)
    H, H_test = _voter_matrices(cell, parts)
    start = time.perf_counter()
    choice = k_fold_search(cell.learner, H, parts.y, cell.problem.split.fold, cell.grids)
    seconds = time.perf_counter() - start
    outcome = _classified(positive_votes(H_test, choice.weights[None, :])[:, 0], parts.y_test)
    return _Found(choice.candidate, int(choice.errors.min()), outcome, seconds)


def _whole_path(cell: Cell, parts: _Parts) -> _Found:
    assert isinstance(cell.learner, Algorithm)
    H, H_test = _voter_matrices(cell, parts)
    start = time.perf_counter()
    path = whole_path(cell.learner, H, parts.y, cell.grids)
    seconds = time.perf_counter() - start
    measures: dict[str, list[float]] = {}
    if cell.protocol.measures:
        scores = path @ H.T, path @ H_test.T
        trained = Trained(parts.y, parts.y_test, *scores, H, path, _rng(cell))
        measures = measure(cell.protocol.measures, trained)
    outcome = _classified(positive_votes(H_test, path[-1:])[:, 0], parts.y_test)
    return _Found(cell.grids[-1].candidates[-1], 0, outcome, seconds, measures=measures)


def _rng(cell: Cell) -> Callable[[str], np.random.Generator]:
    return lambda name: generator(*cell.draws, name)


def _predicted(cell: Cell, predictor: Predictor, parts: _Parts) -> _Found:
    split = cell.problem.split
    search = PredictorSearch(predictor, cell.grids, _rng(cell))
    start = time.perf_counter()
    if split.valid is None:
        choice = search.by_folds(parts.X, parts.y, split.fold, parts.X_test)
    else:
        choice = search.by_holdout(parts.X, parts.y, parts.X_valid, parts.y_valid, parts.X_test)
    seconds = time.perf_counter() - start
    measures: dict[str, list[float]] = {}
    if cell.protocol.measures:
        scores = search.all_scores(parts.X, parts.y, np.vstack([parts.X, parts.X_test]))
        on_training, on_test = np.split(scores, [len(parts.y)], axis=1)
        trained = Trained(parts.y, parts.y_test, on_training, on_test)
        measures = measure(cell.protocol.measures, trained)
    if predictor.task == "classification":
        outcome = _classified(choice.scores > 0, parts.y_test)
        return _Found(choice.candidate, int(choice.loss), outcome, seconds, measures=measures)
    outcome = {"rmse": _rmse(choice.scores, parts.y_test)}
    if cell.problem.truth is not None:
        measures["rmse_noiseless"] = [_rmse(choice.scores, cell.problem.truth[split.test])]
    return _Found(choice.candidate, choice.loss, outcome, seconds, measures=measures)


def _rmse(predicted: FloatArray, y: FloatArray) -> float:
    return float(np.sqrt(np.mean((predicted - y) ** 2)))


def _holdout(cell: Cell, holdout: Holdout, parts: _Parts) -> _Found:
    assert isinstance(cell.learner, Algorithm)
    codings = (parts.X, parts.X_valid, parts.X_test)
    train, valid, test = map(Coding.fit(parts.X).transform, codings)
    data = HoldoutData(train, parts.y, valid, parts.y_valid)
    options = holdout.stumps.model_dump()
    search = HoldoutSearch(
        lambda: RandomStumps(train, data.y_train, generator(*cell.draws, "stumps"), **options),
        holdout.patience,
        holdout.max_rounds,
        holdout.take,
    )
    start = time.perf_counter()
    (grid,) = cell.grids
    choice = search(cell.learner, data, grid)
    seconds = time.perf_counter() - start
    total = np.abs(choice.vote.weights).sum()
    margins = data.y_train * choice.vote.sums(train) / (total if total > 0 else 1.0)
    outcome = _classified(choice.vote.positive(test), parts.y_test)
    return _Found(choice.candidate, int(choice.errors.min()), outcome, seconds, margins)
