"""A column of a config's table: an algorithm, its grid or draws, and its learner."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self, cast

import numpy as np
from pydantic import ConfigDict, Field, model_validator

from quadrepro.base.models import Model, fault, faults_at
from quadrepro.core.protocol import Measures, Protocol
from quadrepro.core.training.algorithms import BASELINE, check_name, find_registered
from quadrepro.core.training.contract import Learner, Registered
from quadrepro.core.training.grid import N_ROUNDS, Grid, Hyperparameter, Value
from quadrepro.core.training.imported import estimators_with
from quadrepro.errors import nearest

if TYPE_CHECKING:
    from quadrepro.core.training.estimator import RegisteredEstimator

DIGITS = 12
"""Significant digits of values on a logarithmic scale, on which all processors agree."""


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


Scalar = int | float | bool | str | None
_SCALARS = ("number", "string", "boolean", "null")


class Axis(Model):
    """The values of one hyper-parameter: a list, or evenly spaced on a scale.

    In YAML, a list or a single value can replace the whole mapping.

    Examples
    --------
    >>> Axis.model_validate({"from": 1, "to": 100, "points": 3}).resolve("integer")
    [1, 10, 100]
    """

    model_config = ConfigDict(json_schema_extra={"type": ["object", "array", *_SCALARS]})

    values: tuple[Scalar, ...] | None = None
    """The values themselves."""
    start: float | None = Field(None, alias="from")
    """First value."""
    end: float | None = Field(None, alias="to")
    """Last value."""
    points: int | None = Field(None, ge=1, le=10_000)
    """Number of values."""
    scale: Literal["log", "linear"] = "log"
    """Even steps of logarithms or not."""

    @model_validator(mode="before")
    @classmethod
    def _listed(cls, data: Any) -> Any:
        if isinstance(data, list):
            return {"values": data}
        return data if isinstance(data, dict) else {"values": [data]}

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        ends = (self.start, self.end)
        n_parts = sum(part is not None for part in (*ends, self.points))
        if n_parts != (3 if self.values is None else 0):
            raise ValueError("give either a list of values, or all of from, to and points")
        if self.values == ():
            raise ValueError("the list of values is empty: give at least one")
        if self.scale == "log" and any(end is not None and end <= 0 for end in ends):
            raise ValueError("from and to must be greater than 0 on a logarithmic scale")
        return self

    def fault(self, hyperparameter: Hyperparameter) -> str | None:
        """Return the reason why a hyper-parameter cannot have the values, or None if it can."""
        return hyperparameter.fault(self.resolve(hyperparameter.kind))

    def resolve(self, kind: str) -> list[Value]:
        """Return the values of a hyper-parameter of a kind."""
        if self.values is None:
            values = self._spaced()
            return list(dict.fromkeys(map(round, values))) if kind == "integer" else values
        if kind == "any":
            return list(self.values)
        whole = all(isinstance(v, int | float) and float(v).is_integer() for v in self.values)
        to_number = int if kind == "integer" and whole else float
        return [
            to_number(v) if isinstance(v, int | float) and not isinstance(v, bool) else v
            for v in self.values
        ]

    def _spaced(self) -> list[Any]:
        start, end, points = cast("tuple[float, float, int]", (self.start, self.end, self.points))
        if self.scale == "linear":
            return list(np.linspace(start, end, points).tolist())
        inner = np.geomspace(start, end, points)[1:-1].tolist()
        return [start, *map(_rounded, inner), end][:points]


class Distribution(Model):
    """The distribution that the values of a hyper-parameter are drawn from.

    Exactly one attribute is set. In YAML, a list can replace ``choice``.
    """

    short = "choice"
    model_config = ConfigDict(json_schema_extra={"type": ["object", "array"]})

    choice: tuple[Scalar, ...] | None = Field(None, min_length=1)
    """Values of equal probability."""
    integers: tuple[int, int] | None = None
    """First and last of whole numbers."""
    uniform: tuple[float, float] | None = None
    """Ends of a uniform distribution."""
    log: tuple[float, float] | None = None
    """Ends; the logarithm is uniform."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if sum(values is not None for _, values in self) != 1:
            raise ValueError("give either a list of values, or one of integers, uniform and log")
        low, high = self.integers or self.uniform or self.log or (0, 0)
        if low > high:
            raise ValueError(f"the first end, {low:g}, must not be above the second, {high:g}")
        if self.log is not None and self.log[0] <= 0:
            raise ValueError("a logarithmic scale needs positive ends")
        return self

    def fault(self, hyperparameter: Hyperparameter) -> str | None:
        """Return the reason why a hyper-parameter cannot have the values, or None if it can."""
        if hyperparameter.kind == "integer" and (self.uniform or self.log):
            return f"{hyperparameter.name} takes whole numbers: draw integers, or of a list"
        ends = self.choice or self.integers or self.uniform or self.log or ()
        return next(filter(None, (hyperparameter.fault([value]) for value in ends)), None)

    def draw(self, rng: np.random.Generator, size: int) -> list[Value]:
        """Draw values."""
        if self.choice is not None:
            return [self.choice[i] for i in rng.integers(len(self.choice), size=size)]
        if self.integers is not None:
            return list(rng.integers(*self.integers, size=size, endpoint=True).tolist())
        if self.uniform is not None:
            return list(rng.uniform(*self.uniform, size=size).tolist())
        assert self.log is not None
        low, high = map(math.log, self.log)
        return [_rounded(math.exp(low + u * (high - low))) for u in rng.random(size).tolist()]


def from_simple(
    points: list[dict[str, Value]], hyperparameters: Iterable[Hyperparameter]
) -> list[dict[str, Value]]:
    """Return distinct points, sorted from simple to complex."""

    def rank(point: dict[str, Any]) -> list[float]:
        return [
            point[h.name] if h.simple == "small" else -point[h.name]
            for h in hyperparameters
            if h.name in point and h.kind != "any"
        ]

    # In scikit-learn, 1 can be a count, 1.0 a share and True a switch.
    return sorted({repr(point): point for point in points}.values(), key=rank)


class AlgorithmItem(Model):
    """A column of the table: an algorithm, its settings and the values it searches.

    In YAML, the name alone can replace the mapping.
    """

    short = "name"
    model_config = ConfigDict(json_schema_extra={"type": ["object", "string"]})

    name: str = Field(min_length=1)
    """Name of the column."""
    algorithm: str = ""
    """Algorithm, or an import path such as `sklearn:SVC`."""
    pipeline: tuple[str | dict[str, Any], ...] = ()
    """Steps of a pipeline."""
    label: str = ""
    """Title of the column in tables."""
    settings: dict[str, Any] = Field({})
    """Settings of the algorithm."""
    grid: dict[str, Axis] = Field({})
    """Values of hyper-parameters, simple ones first."""
    draw: dict[str, Distribution] = Field({})
    """Values drawn again for every split."""
    draws: int = Field(30, ge=1, le=10_000)
    """Points to draw, each with the whole grid."""
    nominal: Literal["ordinal", "one-hot", "categories"] | None = None
    """Nominal attributes, if not as in the view; categories: a data frame."""
    missing: Literal["keep"] | None = None
    """Give NaN for missing values."""
    measures: Measures = ()
    """Measures in place of the protocol's."""
    note: str = ""
    """Note below the table."""

    @model_validator(mode="after")
    def _names_one_learner(self) -> Self:
        if self.algorithm and self.pipeline:
            raise fault("a column has either an algorithm or a pipeline", "pipeline")
        if not self.pipeline and ":" not in self.algorithm_name:
            with faults_at(self.key):
                check_name(self.algorithm_name)
        if self.pipeline or self.algorithm_name != BASELINE:
            for key in ("name", "label"):
                if (title := getattr(self, key)).lower() == BASELINE:
                    message = f"{title!r} is the name of the added baseline: choose another {key}"
                    raise fault(message, key)
        return self

    @property
    def key(self) -> str:
        """The key that names the learner."""
        return next(key for key in ("pipeline", "algorithm", "name") if getattr(self, key))

    @property
    def algorithm_name(self) -> str:
        """Name of the algorithm, or import path; of no meaning for a pipeline."""
        return self.algorithm or self.name

    def source(self, folder: str) -> Registered | RegisteredEstimator:
        """Return the maker of the learner; code of the config is not imported."""
        with faults_at(self.key):
            if not self.pipeline:
                source = find_registered(self.algorithm_name, folder)
            else:
                # The module imports scikit-learn.
                from quadrepro.core.training.estimator import registered_pipeline

                source = registered_pipeline(self.pipeline, folder)
        searched = (*self.grid, *self.draw)
        return source if isinstance(source, Registered) else replace(source, searched=searched)


@dataclass(frozen=True)
class Column:
    """A column of the table with its learner."""

    item: AlgorithmItem
    """The column in the config."""
    source: Registered | RegisteredEstimator
    """The maker of the learner."""
    learner: Learner
    """The learner, with the settings of the item."""
    grid: dict[str, Axis]
    """The axes of the item, and default values of the hyper-parameters that need some."""

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.item.name

    @property
    def id(self) -> str:
        """Name of the algorithm, import path, or the names of a pipeline's steps."""
        return self.source.label if self.item.pipeline else self.item.algorithm_name

    @cached_property
    def hyperparameters(self) -> dict[str, Hyperparameter]:
        """The hyper-parameters of the learner by name; it takes long to find an estimator's."""
        return {h.name: h for h in self.learner.hyperparameters}

    @property
    def searched(self) -> tuple[str, ...]:
        """Names of the hyper-parameters that are searched over."""
        return (*self.grid, *self.item.draw)

    def draws_stumps(self, protocol: Protocol) -> bool:
        """Whether it boosts drawn stumps, so that the validation error chooses the rounds."""
        return protocol.holdout is not None and self.learner.gives_votes

    def axes(self, row_grid: Mapping[str, Axis]) -> dict[str, list[Value]]:
        """Return the values of each hyper-parameter of the grid, with a row's own axes."""
        axes = self.grid | {k: axis for k, axis in row_grid.items() if k in self.hyperparameters}
        return {name: axis.resolve(self.hyperparameters[name].kind) for name, axis in axes.items()}

    def make_grids(
        self, row_grid: Mapping[str, Axis], rng: np.random.Generator | None = None
    ) -> tuple[Grid, ...]:
        """Return the candidates; a column that draws values needs a generator."""
        axes = self.axes(row_grid)
        draw = {key: values for key, values in self.item.draw.items() if key not in axes}
        if not draw:
            return (Grid.from_values(axes),)
        assert rng is not None
        columns = [values.draw(rng, self.item.draws) for values in draw.values()]
        points = [dict(zip(draw, point, strict=True)) for point in zip(*columns, strict=True)]
        points = from_simple(points, self.hyperparameters.values())
        if len(draw) == 1:
            [name] = draw
            return (Grid.from_values({name: [point[name] for point in points], **axes}),)
        return tuple(Grid.from_values({k: [v] for k, v in p.items()} | axes) for p in points)

    def measures(self, protocol: Protocol) -> Measures:
        """Return its own measures, or else the protocol's."""
        return self.item.measures or protocol.measures


def resolve(item: AlgorithmItem, protocol: Protocol, folder: str = "") -> Column:
    """Return the column of an item, or raise a fault with its place in the item."""
    source = item.source(folder)
    column = Column(item, source, _learner(item, source), item.grid)
    hyperparameters = column.hyperparameters
    for part, searched in (("grid", item.grid), ("draw", item.draw)):
        for key, values in searched.items():
            if key not in hyperparameters:
                hint = _hint(source, key, hyperparameters)
                raise fault(f"{column.id} has no hyper-parameter {key!r}{hint}", part, key)
            if key in item.settings or (part == "draw" and key in item.grid):
                raise fault(f"{key} has another value in the same column", part, key)
            if message := values.fault(hyperparameters[key]):
                raise fault(message, part, key)
    needed = hyperparameters.keys() - {*column.searched}
    if column.draws_stumps(protocol):
        needed.discard(N_ROUNDS.name)
    default = {k: Axis.model_validate(axis) for k, axis in source.grid.items() if k in needed}
    return replace(column, grid=item.grid | default)


def _learner(item: AlgorithmItem, source: Registered | RegisteredEstimator) -> Learner:
    """Return the learner with the settings of an item."""
    names = source.names(item.settings)
    for key in item.settings:
        if key not in names:
            hint = _hint(source, key, names)
            raise fault(f"{item.algorithm_name} has no setting {key!r}{hint}", "settings", key)
    with faults_at("settings" if item.settings else item.key, data=item.settings):
        learner = source.make(item.settings)
    raw = {"categories": item.nominal == "categories", "keeps_missing": item.missing == "keep"}
    # Other learners are refused when the protocol is checked.
    return replace(learner, **raw) if learner.takes_raw and any(raw.values()) else learner


def _hint(source: Registered | RegisteredEstimator, key: str, names: Iterable[str]) -> str:
    """Return where a parameter that an algorithm does not have can be given, or the nearest."""
    if isinstance(source, Registered):
        if key in {h.name for h in source.make({}).hyperparameters}:
            return f": give {key} in grid"
        if paths := estimators_with(source.learner, key):
            return f", but {' and '.join(paths)} takes it"
    return nearest(key, names)
