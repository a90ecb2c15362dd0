"""What a worker does: one cell in, one record out.

A worker writes nothing and reads nothing but its cell. An exception in a cell becomes a failed
record, so that the other cells go on.
"""

from __future__ import annotations

import sys
import time
import traceback
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import ThreadpoolController

from quadrepro._typing import FloatArray, IntArray
from quadrepro.config.cell import Cell
from quadrepro.config.protocol import Protocol
from quadrepro.config.seeds import generator
from quadrepro.data.noise import add_noise
from quadrepro.data.normalise import Normaliser
from quadrepro.engine.environment import environment, utc_now
from quadrepro.engine.limits import at_most
from quadrepro.engine.packing import pack_codes, pack_numbers, pack_scores
from quadrepro.engine.records import Record, pack_margins, rmse
from quadrepro.errors import place_of_user
from quadrepro.kernels.compiling import warm
from quadrepro.learners.one_vs_rest import trainer_of
from quadrepro.learners.stopping import Stopping
from quadrepro.learners.training import Part, Rng, TrainingData, Voters
from quadrepro.learners.voting import DrawnStumps, FixedStumps
from quadrepro.measures.registry import measure
from quadrepro.measures.trained import Trained
from quadrepro.search.choice import Choice, Search
from quadrepro.search.holdout import HoldOut
from quadrepro.search.k_fold import KFold
from quadrepro.search.whole_path import WholePath
from quadrepro.voters.random_stumps import RandomStumps
from quadrepro.voters.registry import find_voter_set

if TYPE_CHECKING:
    from quadrepro.voters.voter_set import VoterSet


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> ThreadpoolController:
    """Return what controls the libraries with threads; a new module may bring another one."""
    return ThreadpoolController()


def run_cell(cell: Cell, memory: int | None = None) -> Record:
    """Compute a cell.

    Parameters
    ----------
    cell : Cell
        What to compute.
    memory : int, optional
        Bytes that it may use at most.

    Returns
    -------
    Record
        Its status is "ok", or "failed" with the reason as its message.
    """
    try:
        planned = {name: cell.content[name] for name in ("code", "packages")}
        if (here := cell.made_by()) != planned:
            message = "this worker has other code or packages than the plan"
            return _failed(cell, f"{message}: {here}, but the plan {planned}")
        warm(cell.learner.kernels)
        # One BLAS thread, also without workers: workers share the cores, and sums stay the same.
        with _libraries(len(sys.modules)).limit(limits=1), at_most(memory):
            return _compute(cell)
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


def _compute(cell: Cell) -> Record:
    data = _training_data(cell)
    trainer = trainer_of(cell.learner, data, cell.grids)
    search = _search(cell)
    start = time.perf_counter()
    choice = search(trainer)
    seconds = time.perf_counter() - start
    margins = choice.fitted.margins
    return Record(
        cell.key,
        "ok",
        **_outcome(cell, choice, data.test.y),
        n_test=len(data.test.y),
        chosen=choice.fitted.candidate,
        margins="" if margins is None else pack_margins(margins),
        measures=_measures(cell, choice, data),
        seconds=seconds,
        date=utc_now(),
        environment=environment(),
        content=cell.content,
    )


def _training_data(cell: Cell) -> TrainingData:
    """Prepare the examples: noise first, then filling and normalising by the training rows."""
    problem, protocol = cell.problem, cell.protocol
    X, y, split = problem.X, problem.y, problem.split
    rng = _rng(cell)
    if protocol.noise is not None:
        noise = protocol.noise.model_dump()
        X = add_noise(X.astype(np.float64), rng("noise"), **noise, train=split.train)
    rows = X[split.train].astype(np.float64, copy=False)
    normaliser = Normaliser.fit(rows, problem.missing)
    filled = normaliser.transform if protocol.normalise == "tanh" else normaliser.fill_in
    codes = np.array(problem.n_codes, dtype=bool) if cell.learner.categories else None

    def prepare(X: FloatArray) -> FloatArray:
        prepared = filled(X)
        if cell.learner.keeps_missing:
            prepared = np.where(np.isnan(X), np.nan, prepared)
        return prepared if codes is None else np.where(codes, X, prepared)

    def part(of: IntArray) -> Part:
        return Part(prepare(X[of].astype(np.float64, copy=False)), y[of])

    train, test = Part(prepare(rows), y[split.train]), part(split.test)
    valid = None if split.valid is None else part(split.valid)
    if protocol.holdout is not None and protocol.holdout.by == "test":
        valid = test
    voters, classes = _voters(protocol, rng), len(problem.classes)
    if protocol.inputs == "voters" and not cell.learner.gives_votes:
        H, H_test = voters.matrices(train, test.X, rng)
        train, test = Part(H, train.y), Part(H_test, test.y)
    return TrainingData(
        train, test, valid, voters, rng, problem.task, classes, n_codes=problem.n_codes
    )


def _rng(cell: Cell) -> Rng:
    return lambda name: generator(*cell.draws, name)


def _voters(protocol: Protocol, rng: Rng) -> Voters:
    holdout = protocol.holdout
    if protocol.named_voters[0]:
        return _named_voters(protocol, rng)
    if holdout is None:
        return FixedStumps(protocol.stumps_per_attribute, protocol.voters)
    options = holdout.stumps.model_dump()
    stopping = Stopping(holdout.patience, holdout.lag, holdout.take, holdout.max_rounds)
    return DrawnStumps(lambda codes, y: RandomStumps(codes, y, rng("stumps"), **options), stopping)


def _named_voters(protocol: Protocol, rng: Rng) -> Voters:
    # Only what names a voter set depends on the module.
    from quadrepro.learners.voter_sets import FixedVoters

    name, parameters = protocol.named_voters
    entry = find_voter_set(name)

    def make() -> VoterSet:
        return entry.make(parameters, lambda: int(rng("voter set").integers(2**31)))

    return FixedVoters(make, entry.needs_labels, protocol.voters)


def _search(cell: Cell) -> Search:
    if cell.protocol.holdout is not None:
        return HoldOut()
    if cell.protocol.folds:
        return KFold(cell.problem.split.fold)
    return WholePath(measured=bool(cell.protocol.measures))


def _outcome(cell: Cell, choice: Choice, y_test: FloatArray) -> dict[str, Any]:
    """Return the fields of a record on its test examples."""
    outputs, classes = choice.fitted.outputs, cell.problem.classes
    if not classes:
        return {
            "rmse": rmse(outputs.predicted, y_test),
            "cv_errors": choice.loss,
            "actual": pack_numbers(y_test),
            "predicted": pack_numbers(outputs.predicted),
        }
    actual = np.asarray(y_test > 0 if len(classes) == 2 else y_test, dtype=np.intp)
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


def _measures(cell: Cell, choice: Choice, data: TrainingData) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    if choice.path is not None:
        scores = choice.path.scores()
        trained = Trained(
            data.train.y, data.test.y, *scores, choice.path.H, choice.path.weights, data.rng
        )
        found = measure(cell.protocol.measures, trained)
    if data.task == "regression" and cell.problem.truth is not None:
        truth = cell.problem.truth[cell.problem.split.test]
        found["rmse_noiseless"] = [rmse(choice.fitted.predicted, truth)]
    return found
