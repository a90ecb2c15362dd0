"""A cell, the unit of work: what its result depends on, and computing it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from quadrepro.base.types import FloatArray, IntArray, Targets
from quadrepro.core.compiling import clock
from quadrepro.core.learners.grid import Grid, Stopping
from quadrepro.core.learners.learner import (
    Fitted,
    Learner,
    Losses,
    NoSolutionError,
    Part,
    Path,
    Rng,
    Trainer,
    TrainingData,
    Voters,
)
from quadrepro.core.learners.one_vs_rest import trainer_of
from quadrepro.core.learners.voting import FixedStumps, NamedVoters, PerRoundStumps
from quadrepro.core.measures.measure import Trained, measure
from quadrepro.core.measures.registry import MEASURES
from quadrepro.core.preprocessing import Normaliser, add_noise, change_labels
from quadrepro.core.problems import Examples, Problem, RowSource
from quadrepro.core.protocol import Protocol
from quadrepro.core.seeds import Draws, generator
from quadrepro.core.voters.random_stumps import RandomStumps

if TYPE_CHECKING:
    from quadrepro.core.learners.estimator import EstimatorPredictor


@dataclass(frozen=True, eq=False)
class Choice:
    """The chosen candidate, trained on the whole training part.

    Its loss and those of all candidates, NaN without a solution, are 0 and empty if nothing was
    chosen. The path has all candidates if they are to be measured.
    """

    fitted: Fitted
    loss: float = 0.0
    losses: FloatArray = field(default_factory=lambda: np.empty(0))
    path: Path | None = None


def least(losses: Losses) -> Choice:
    """Return the candidate of least loss as the choice; ties go to the first.

    A candidate whose loss is NaN, as it has no solution on some part of the examples, is never
    chosen. NoSolutionError is raised only if none has one.
    """
    values = losses.values
    # `nanargmin` would take NaN for as good as an infinite loss.
    solved = np.flatnonzero(~np.isnan(values))
    if not solved.size:
        raise NoSolutionError("no candidate has a solution on all parts of the examples")
    best = int(solved[values[solved].argmin()])
    return Choice(losses.fit(best), float(values[best]), values)


def take_last(trainer: Trainer, *, measured: bool) -> Choice:
    """Return the last candidate as the choice; if it is measured, train all of them."""
    if not measured:
        return Choice(trainer.last())
    path = trainer.path()
    return Choice(path.last, path=path)


def key_of(content: Mapping[str, Any]) -> str:
    """Return the key of a cell with some content."""
    return _key(_items(content))


@dataclass(frozen=True, eq=False)
class Shared:
    """What the contents of several cells have in common, serialised only once."""

    fields: dict[str, Any]

    @cached_property
    def items(self) -> dict[str, str]:
        """Name and value of each field as JSON, by name."""
        return _items(self.fields)


@dataclass(frozen=True)
class Cell:
    """One data set, one algorithm, one repeat.

    Its source is a problem once the cell is ready. What its result depends on is in `shared` as far
    as other repeats share it, else in `own`. Its `size` is that of its training data.
    """

    experiment: str
    dataset: str
    algorithm: str
    repeat: int
    source: RowSource | Problem = field(repr=False)
    draws: Draws
    protocol: Protocol
    learner: Learner
    grids: tuple[Grid, ...]
    size: int
    shared: Shared = field(repr=False)
    own: dict[str, Any] = field(repr=False)
    voters: EstimatorPredictor | None = None
    """What makes the transformer that votes are over; None for stumps."""

    @property
    def problem(self) -> Problem:
        """The examples and their split, made again every time unless the cell is ready."""
        return self.source if isinstance(self.source, Problem) else self.source.problem(self.draws)

    @property
    def content(self) -> dict[str, Any]:
        """All that the result depends on."""
        return self.shared.fields | self._own

    @cached_property
    def key(self) -> str:
        """Hash of the content, under which the record is kept."""
        return _key(self.shared.items | _items(self._own))

    @property
    def name(self) -> str:
        """Its name in messages: data set, algorithm and repeat."""
        return f"{self.dataset}, {self.algorithm}, repeat {self.repeat}"

    @property
    def n_candidates(self) -> int:
        """Number of candidates."""
        return sum(map(len, self.grids))

    def ready(self) -> Cell:
        """Return the cell with its examples, as a worker needs it."""
        return replace(self, source=self.problem, own=self._own)

    @property
    def _own(self) -> dict[str, Any]:
        if isinstance(self.source, Problem):
            return self.own
        return self.own | self.source.origin(self.draws)


def make_ready(cells: Iterable[Cell], among: Iterable[Cell]) -> Iterator[Cell]:
    """Yield cells with their examples, and let go of examples that no later cell has."""
    left = Counter(_examples(cell) for cell in among)
    for cell in cells:
        yield cell.ready()
        examples = _examples(cell)
        left[examples] -= 1
        if examples is not None and not left[examples]:
            examples.let_go()


def _examples(cell: Cell) -> Examples | None:
    return None if isinstance(cell.source, Problem) else cell.source.examples


def _key(items: Mapping[str, str]) -> str:
    # Joined in the order of their names, items are the JSON of the whole with sorted keys.
    text = "{" + ", ".join(items[name] for name in sorted(items)) + "}"
    return hashlib.sha256(text.encode()).hexdigest()


def _items(fields: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: f'"{name}": {json.dumps(value, sort_keys=True, ensure_ascii=False)}'
        for name, value in fields.items()
    }


@dataclass(frozen=True, eq=False)
class CellResult:
    """The result of a cell on its test examples, of which it holds class codes or numbers."""

    choice: Choice
    actual: Targets
    measures: dict[str, list[float]]
    seconds: float


def compute(cell: Cell) -> CellResult:
    """Return the result of a cell."""
    data = training_data(cell)
    trainer = trainer_of(cell.learner, data, cell.grids)
    start = clock()
    choice = _choose(cell, trainer)
    seconds = clock() - start
    actual: Targets = data.test.y
    if classes := cell.problem.classes:
        actual = np.asarray(actual > 0 if len(classes) == 2 else actual, dtype=np.intp)
    return CellResult(choice, actual, _measures(cell, choice, data), seconds)


def rmse(predicted: Targets, actual: Targets) -> float:
    """Return the root of the mean squared error."""
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.sqrt(np.mean((predicted - actual) ** 2)))


def training_data(cell: Cell) -> TrainingData:
    """Prepare the examples: noise first, then filling and normalising by the training rows."""
    problem, protocol = cell.problem, cell.protocol
    X, y, split = problem.X, problem.y, problem.split
    rng = _rng(cell)
    if protocol.noise is not None:
        noise = protocol.noise
        if on := noise.of_attributes:
            X = add_noise(X.astype(np.float64), rng("noise"), **on, train=split.train)
        if noise.labels:
            parts = [split.train] if split.valid is None else [split.train, split.valid]
            rows = np.concatenate([*parts, split.test] if noise.labels_of == "all" else parts)
            n_classes = max(2, len(problem.classes))
            y = change_labels(y, np.unique(rows), noise.labels, n_classes, rng("labels"))
    rows = X[split.train].astype(np.float64, copy=False)
    normaliser = Normaliser.fit(rows, problem.missing)
    scaled = normaliser.transform if protocol.normalise == "tanh" else normaliser.fill_in
    codes = np.array(problem.n_codes, dtype=bool) if cell.learner.categories else None

    def prepare(X: FloatArray) -> FloatArray:
        prepared = scaled(X)
        if cell.learner.keeps_missing:
            prepared = np.where(np.isnan(X), np.nan, prepared)
        return prepared if codes is None else np.where(codes, X, prepared)

    def part(of: IntArray) -> Part:
        return Part(prepare(X[of].astype(np.float64, copy=False)), y[of])

    train, test = Part(prepare(rows), y[split.train]), part(split.test)
    valid = None if split.valid is None else part(split.valid)
    if protocol.holdout is not None and protocol.holdout.by == "test":
        valid = test
    voters, classes = _voters(cell, rng), len(problem.classes)
    if protocol.inputs == "voters" and not cell.learner.gives_votes:
        H, H_test = voters.matrices(train, test.X, rng)
        train, test = Part(H, train.y), Part(H_test, test.y)
    return TrainingData(
        train, test, valid, voters, rng, problem.task, classes, n_codes=problem.n_codes
    )


def _rng(cell: Cell) -> Rng:
    return lambda name: generator(*cell.draws, name)


def _voters(cell: Cell, rng: Rng) -> Voters:
    protocol, named = cell.protocol, cell.voters
    if named is not None:
        seed = int(rng("voter set").integers(2**31))
        return NamedVoters(lambda: named.estimator(random_state=seed), protocol.voters)
    holdout = protocol.holdout
    if holdout is None:
        return FixedStumps(protocol.stumps_per_attribute, protocol.voters)
    options = holdout.stumps.model_dump()
    stopping = Stopping(holdout.patience, holdout.lag, holdout.take, holdout.max_rounds)
    return PerRoundStumps(
        lambda codes, y: RandomStumps(codes, y, rng("stumps"), **options), stopping
    )


def _choose(cell: Cell, trainer: Trainer) -> Choice:
    protocol = cell.protocol
    if protocol.holdout is not None:
        return least(trainer.losses(None))
    if protocol.folds:
        return least(trainer.losses(cell.problem.split.fold))
    return take_last(trainer, measured=bool(protocol.measures))


def _measures(cell: Cell, choice: Choice, data: TrainingData) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    if choice.path is not None:
        scores = choice.path.scores()
        trained = Trained(
            data.train.y, data.test.y, *scores, choice.path.H, choice.path.weights, data.rng
        )
        found = measure({name: MEASURES[name] for name in cell.protocol.measures}, trained)
    if data.task == "regression" and cell.problem.truth is not None:
        truth = cell.problem.truth[cell.problem.split.test]
        found["rmse_noiseless"] = [rmse(choice.fitted.predicted, truth)]
    return found
