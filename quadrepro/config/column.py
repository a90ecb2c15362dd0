"""A column of a config's table: what a config says of it, and the learner that this names."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from pydantic import ConfigDict, Field, model_validator

from quadrepro.base.models import Model, fault, faults_at
from quadrepro.base.types import Task
from quadrepro.config.axis import Axis, Distribution, from_simple
from quadrepro.core.measures.names import MEASURES
from quadrepro.core.protocol import Measures, Protocol
from quadrepro.core.training.algorithms import check_name, find_registered
from quadrepro.core.training.contract import Learner, Registered
from quadrepro.core.training.grid import N_ROUNDS, Grid, Hyperparameter, Value
from quadrepro.core.training.imported import estimators_with
from quadrepro.data.schema import View
from quadrepro.errors import nearest

if TYPE_CHECKING:
    from quadrepro.core.training.estimator import RegisteredEstimator


class AlgorithmEntry(Model):
    """A column of the table: an algorithm, its settings and the values it searches.

    In YAML, the name alone can stand for the mapping.
    """

    short = "name"
    model_config = ConfigDict(json_schema_extra={"type": ["object", "string"]})

    name: str = Field(min_length=1, description="Name of the column.")
    algorithm: str = Field("", description="Algorithm, or an import path such as `sklearn:SVC`.")
    pipeline: tuple[str | dict[str, Any], ...] = Field((), description="Steps of a pipeline.")
    label: str = Field("", description="Title of the column in tables.")
    settings: dict[str, Any] = Field({}, description="Settings of the algorithm.")
    grid: dict[str, Axis] = Field({}, description="Values of hyper-parameters, simple ones first.")
    draw: dict[str, Distribution] = Field({}, description="Values drawn again for every split.")
    draws: int = Field(30, ge=1, le=10_000, description="Points to draw, each with the whole grid.")
    nominal: Literal["ordinal", "one-hot", "categories"] | None = Field(
        None, description="Nominal attributes, if not as in the view; categories: a data frame."
    )
    missing: Literal["keep"] | None = Field(None, description="Give NaN for missing values.")
    measures: Measures = Field((), description="Measures in place of the protocol's.")
    note: str = Field("", description="Note below the table.")

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.algorithm and self.pipeline:
            raise fault("a column has either an algorithm or a pipeline", "pipeline")
        if not self.pipeline and ":" not in self.algorithm_name:
            with faults_at(self.key):
                check_name(self.algorithm_name)
        return self

    @property
    def key(self) -> str:
        """The key that says what the learner is."""
        return next(key for key in ("pipeline", "algorithm", "name") if getattr(self, key))

    @property
    def algorithm_name(self) -> str:
        """Name of the algorithm, or import path; of no meaning for a pipeline."""
        return self.algorithm or self.name

    def source(self, folder: str) -> Registered | RegisteredEstimator:
        """Return an entry that makes the learner; code of the config is not imported."""
        source: Registered | RegisteredEstimator
        with faults_at(self.key):
            if self.pipeline:
                # The module imports scikit-learn.
                from quadrepro.core.training.estimator import registered_pipeline

                source = registered_pipeline(self.pipeline, folder)
            else:
                source = find_registered(self.algorithm_name, folder)
        searched = (*self.grid, *self.draw)
        return source if isinstance(source, Registered) else replace(source, searched=searched)


@dataclass(frozen=True)
class Column:
    """A column of the table with its learner."""

    entry: AlgorithmEntry
    """What the config says of it."""
    source: Registered | RegisteredEstimator
    """What makes the learner."""
    learner: Learner
    """The learner, with the settings of the entry."""
    grid: dict[str, Axis]
    """The axes of the entry, and default values of the hyper-parameters that need some."""

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.entry.name

    @property
    def id(self) -> str:
        """Name of the algorithm, import path, or the names of a pipeline's steps."""
        return self.source.label if self.entry.pipeline else self.entry.algorithm_name

    @cached_property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """The hyper-parameters of the learner, which take long to find if it is an estimator."""
        return self.learner.hyperparameters

    @property
    def searched(self) -> tuple[str, ...]:
        """Names of the hyper-parameters that are searched over."""
        return (*self.grid, *self.entry.draw)

    def draws_stumps(self, protocol: Protocol) -> bool:
        """Whether it boosts drawn stumps, so that the validation error chooses the rounds."""
        return protocol.holdout is not None and self.learner.gives_votes

    def own_view(self, view: View) -> View:
        """Return the view with nominal attributes as this algorithm is given them."""
        if self.entry.nominal is None:
            return view
        nominal = "one-hot" if self.entry.nominal == "one-hot" else "ordinal"
        return view.model_copy(update={"nominal": nominal})

    def has_every_round(self, row_grid: Mapping[str, Axis]) -> bool:
        """Whether the candidates are 1, 2, 3, ... rounds."""
        axes = self.axes(row_grid)
        every = list(range(1, math.prod(map(len, axes.values())) + 1))
        return axes.get(N_ROUNDS.name) == every and not self.entry.draw

    def axes(self, row_grid: Mapping[str, Axis]) -> dict[str, list[Value]]:
        """Return the values of each hyper-parameter of the grid, with a row's own axes."""
        kinds = {h.name: h.kind for h in self.hyperparameters}
        axes = self.grid | {key: axis for key, axis in row_grid.items() if key in kinds}
        return {name: axis.resolve(kinds[name]) for name, axis in axes.items()}

    def make_grids(
        self, row_grid: Mapping[str, Axis], rng: np.random.Generator | None = None
    ) -> tuple[Grid, ...]:
        """Return the candidates; those of a column that draws values need a generator."""
        axes = self.axes(row_grid)
        draw = {key: of for key, of in self.entry.draw.items() if key not in axes}
        if not draw:
            return (Grid.of(axes),)
        assert rng is not None
        values = [of.draw(rng, self.entry.draws) for of in draw.values()]
        points = [dict(zip(draw, point, strict=True)) for point in zip(*values, strict=True)]
        points = from_simple(points, self.hyperparameters)
        if len(draw) == 1:
            [name] = draw
            return (Grid.of({name: [point[name] for point in points], **axes}),)
        return tuple(Grid.of({**{k: [v] for k, v in point.items()}, **axes}) for point in points)

    def measures(self, protocol: Protocol) -> Measures:
        """Return what is measured of it: its own measures, or those of the protocol."""
        return self.entry.measures or protocol.measures

    def fault_of_task(self, row: str, task: Task, protocol: Protocol) -> str | None:
        """Return why what a row predicts cannot be learned or measured, or None if it can."""
        measures = self.measures(protocol)
        number = f"the view of {row} predicts a number"
        if self.learner.for_task(task) is None:
            if task != "regression":
                return f"{row} has classes, but {self.id} predicts a number"
            return f"{number}, but {self.id} needs classes: give positive"
        if measures and task == "multiclass":
            what = f"{row} has more than two classes, of which {measures[0]} cannot be measured"
            return f"{what}: give positive in its view, or leave measures out"
        of_classes = [name for name in measures if not MEASURES.find(name).of_numbers]
        if of_classes and task == "regression":
            others = " or ".join(name for name in MEASURES if MEASURES.find(name).of_numbers)
            return f"{number}, but {of_classes[0]} measures classes: use {others}"
        return None

    def fault_of_measures(self, protocol: Protocol, row_grid: Mapping[str, Axis]) -> str | None:
        """Return what is wrong with what is measured of it, or None."""
        if self.entry.measures and (protocol.folds or protocol.holdout):
            return "measures are kept only if nothing is chosen: set folds to 0"
        for name in self.measures(protocol):
            measure = MEASURES.find(name)
            if measure.needs == "voters" and not self.learner.gives_votes:
                return f"{self.id} has no voters, which the measure {name} needs: give it others"
            if measure.every_round and not self.has_every_round(row_grid):
                return f"{name} needs every round: give n_rounds as 1, 2, 3 ..., all else one value"
        return None


def resolve(entry: AlgorithmEntry, protocol: Protocol, folder: str = "") -> Column:
    """Return the column of an entry, or raise a fault with its place in the entry."""
    source = entry.source(folder)
    column = Column(entry, source, _learner(entry, source), entry.grid)
    _check_searched(column)
    given = {*column.searched, *([N_ROUNDS.name] if column.draws_stumps(protocol) else [])}
    needed = {h.name for h in column.hyperparameters} - given
    default = {k: Axis.model_validate(axis) for k, axis in source.grid.items() if k in needed}
    return replace(column, grid=entry.grid | default)


def with_settings(
    column: Column, settings: Mapping[str, Any], protocol: Protocol, folder: str
) -> Column:
    """Return a column with a row's settings in place of its own, as far as it has them."""
    known = column.source.names(column.entry.settings)
    own = {key: value for key, value in settings.items() if key in known}
    if not own:
        return column
    changed = column.entry.model_copy(update={"settings": column.entry.settings | own})
    return resolve(changed, protocol, folder)


def _learner(entry: AlgorithmEntry, source: Registered | RegisteredEstimator) -> Learner:
    """Return the learner with the settings of an entry."""
    known = source.names(entry.settings)
    for key in entry.settings:
        if key not in known:
            hint = _hint(source, key) or nearest(key, known)
            raise fault(f"{entry.algorithm_name} has no setting {key!r}{hint}", "settings", key)
    with faults_at("settings" if entry.settings else entry.key, data=entry.settings):
        learner = source.make(entry.settings)
    asked = {"categories": entry.nominal == "categories", "keeps_missing": entry.missing == "keep"}
    # Other learners are refused when the protocol is checked.
    return replace(learner, **asked) if learner.takes_raw and any(asked.values()) else learner


def _hint(source: Registered | RegisteredEstimator, key: str) -> str:
    """Return where a parameter that an algorithm does not have can be given, or an empty text."""
    if not isinstance(source, Registered):
        return ""
    if key in {h.name for h in source.make({}).hyperparameters}:
        return f": give {key} in grid"
    paths = estimators_with(source.learner, key)
    return f", but {' and '.join(paths)} takes it" if paths else ""


def _check_searched(column: Column) -> None:
    """Refuse hyper-parameters that the learner does not have, and values that it does not take."""
    entry = column.entry
    known = {h.name: h for h in column.hyperparameters}
    for part, given in (("grid", entry.grid), ("draw", entry.draw)):
        for key, values in given.items():
            if key not in known:
                hint = _hint(column.source, key) or nearest(key, known)
                raise fault(f"{column.id} has no hyper-parameter {key!r}{hint}", part, key)
            if key in entry.settings or (part == "draw" and key in entry.grid):
                raise fault(f"{key} has another value in the same column", part, key)
            if wrong := values.fault(known[key]):
                raise fault(wrong, part, key)
