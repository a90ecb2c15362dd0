"""The cell, the unit of work: its content, and the computation of its result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from quadrepro.base.types import FloatArray, IntArray, Targets
from quadrepro.core.jit import clock
from quadrepro.core.measures.measure import evaluate
from quadrepro.core.measures.names import MEASURES, find_metric
from quadrepro.core.preprocessing import Normaliser, add_noise, change_labels
from quadrepro.core.problems import Problem, RowSource, problem_of
from quadrepro.core.protocol import Protocol
from quadrepro.core.seeds import Draws, generator
from quadrepro.core.training.choose import (
    choose_by_folds,
    choose_by_validation,
    choose_rest_by_test,
)
from quadrepro.core.training.contract import Learner, Outputs, Part, Rng, TrainingData
from quadrepro.core.training.fitted import fit
from quadrepro.core.training.grid import Grid, Value
from quadrepro.core.training.voting import DrawnStumps, FixedStumps, TransformerVoters
from quadrepro.core.voters.drawn import RandomStumps

if TYPE_CHECKING:
    from quadrepro.core.training.estimator import EstimatorPredictor


def key_of(content: Mapping[str, Any]) -> str:
    """Return the key of a cell with this content."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Cell:
    """One data set, one algorithm, one repeat."""

    experiment: str
    dataset: str
    algorithm: str
    repeat: int
    source: RowSource | Problem = field(repr=False)
    """Source of the examples, or the examples themselves once the cell is ready."""
    draws: Draws
    protocol: Protocol
    learner: Learner
    grids: tuple[Grid, ...]
    size: int
    """Approximate number of values in its training data."""
    content: dict[str, Any] = field(repr=False)
    """Everything that the result depends on."""
    voters: EstimatorPredictor | None = None
    """Transformer whose outputs vote; None for stumps."""

    @property
    def name(self) -> str:
        """Data set, algorithm and repeat, as messages name the cell."""
        return f"{self.dataset}, {self.algorithm}, repeat {self.repeat}"

    @property
    def problem(self) -> Problem:
        """The examples and their split."""
        if isinstance(self.source, Problem):
            return self.source
        return problem_of(self.source, self.draws)

    @cached_property
    def key(self) -> str:
        """Hash of the content, under which the record is kept."""
        return key_of(self.content)

    def ready(self) -> Cell:
        """Return the cell with its examples, as a worker needs it."""
        return replace(self, source=self.problem)


@dataclass(frozen=True, eq=False)
class CellResult:
    """The result of a cell on its test examples, with their class codes or numbers.

    `loss` belongs to the chosen candidate, and is 0 if nothing was chosen.
    """

    chosen: dict[str, Value]
    loss: float
    outputs: Outputs
    actual: Targets
    measures: dict[str, list[float]]
    seconds: float


def compute_cell(cell: Cell) -> CellResult:
    """Return the result of a cell."""
    data, protocol = training_data(cell), cell.protocol
    fitted = fit(cell.learner, data, cell.grids)
    start = clock()
    loss, trained = 0.0, None
    if protocol.holdout is not None:
        i, losses = choose_by_validation(fitted)
        if protocol.holdout.by == "both":
            i = choose_rest_by_test(fitted, losses)
        loss = float(losses[i])
    elif protocol.folds:
        metric = None if protocol.choose_by == "error" else find_metric(protocol.choose_by)
        i, losses = choose_by_folds(fitted, cell.problem.split.fold, metric)
        loss = float(losses[i])
    else:
        i = len(fitted.candidates) - 1
        trained = fitted.trained() if protocol.measures else None
    outputs = fitted.outputs(i)
    seconds = clock() - start
    measures = {}
    if trained is not None:
        measures = evaluate({name: MEASURES[name] for name in protocol.measures}, trained)
    if data.task == "regression" and cell.problem.truth is not None:
        truth = cell.problem.truth[cell.problem.split.test]
        measures["rmse_noiseless"] = [rmse(outputs.predicted, truth)]
    actual = data.codes_of(data.test.y)
    return CellResult(fitted.candidates[i], loss, outputs, actual, measures, seconds)


def rmse(predicted: Targets, actual: Targets) -> float:
    """Return the root of the mean squared error of predictions, shape (n_examples,)."""
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.sqrt(np.mean((predicted - actual) ** 2)))


_prepared: dict[Any, TrainingData] = {}
"""Examples of the last cell, for other learners on the same split."""


def training_data(cell: Cell) -> TrainingData:
    """Return the prepared examples of a cell."""
    learner, protocol = cell.learner, cell.protocol.model_dump_json(exclude={"measures"})
    form = learner.categories, learner.keeps_missing, _takes_votes(cell)
    key = cell.problem.id, protocol, *form
    data = _prepared.get(key)
    if data is None:
        # Two sets of examples may not fit into memory.
        _prepared.clear()
        data = _prepared[key] = _prepare(cell)
    return data


def _prepare(cell: Cell) -> TrainingData:
    """Prepare the examples: noise first, then filling and normalising by the training rows."""
    problem, protocol = cell.problem, cell.protocol
    X, y, split = problem.X, problem.y, problem.split
    rng = partial(generator, *cell.draws)
    if (noise := protocol.noise) is not None:
        if changes := noise.attribute_changes:
            X = add_noise(X.astype(np.float64), rng("noise"), **changes, train=split.train)
        if noise.labels:
            parts = [split.train] if split.valid is None else [split.train, split.valid]
            rows, n_classes = np.unique(np.concatenate(parts)), len(problem.classes)
            y = change_labels(y, rows, noise.labels, n_classes, rng("labels"))
    X_train = X[split.train].astype(np.float64, copy=False)
    normaliser = Normaliser.fit(X_train, problem.missing)
    scaled = normaliser.transform if protocol.normalise == "tanh" else normaliser.fill_in
    codes = None
    if cell.learner.categories:
        codes = np.array([feature.kind != "number" for feature in problem.features])

    def prepare(X: FloatArray) -> FloatArray:
        prepared = scaled(X)
        if cell.learner.keeps_missing:
            prepared = np.where(np.isnan(X), np.nan, prepared)
        return prepared if codes is None else np.where(codes, X, prepared)

    def part(rows: IntArray) -> Part:
        return Part(prepare(X[rows].astype(np.float64, copy=False)), y[rows])

    train, test = Part(prepare(X_train), y[split.train]), part(split.test)
    valid = None if split.valid is None else part(split.valid)
    if protocol.holdout is not None and protocol.holdout.by == "test":
        valid = test
    voters, classes = _voters(cell, rng), len(problem.classes)
    if _takes_votes(cell):
        assert isinstance(voters, FixedStumps)
        on_train, on_test = voters.outputs(train, test.X, rng)
        train, test = Part(on_train.matrix(), train.y), Part(on_test.matrix(), test.y)
    return TrainingData(
        train, test, valid, voters, rng, problem.task, classes, features=problem.features
    )


def _takes_votes(cell: Cell) -> bool:
    """Return whether a learner without voters takes their outputs as attributes."""
    return cell.protocol.inputs == "voters" and not cell.learner.gives_votes


def _voters(cell: Cell, rng: Rng) -> FixedStumps | TransformerVoters | DrawnStumps:
    protocol, named = cell.protocol, cell.voters
    if named is not None:
        seed = int(rng("voter set").integers(2**31))
        return TransformerVoters(lambda: named.estimator(random_state=seed), protocol.voters)
    holdout = protocol.holdout
    if holdout is None:
        return FixedStumps(protocol.stumps_per_attribute, protocol.voters)
    return DrawnStumps(lambda codes: RandomStumps(codes, rng("stumps"), holdout.stumps), holdout)
