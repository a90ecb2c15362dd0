"""What a person may write in a config, and what is wrong with it when it is not that.

The models check everything that can be known without the data: names, types, ranges, grids. They
read nothing but cards and compute nothing.
"""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import (
    BeforeValidator,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from quadrepro.boosting.adaboost import WeightBoosting
from quadrepro.boosting.base import N_ROUNDS, Algorithm, Hyperparameter, rounded_log_values
from quadrepro.boosting.grid import Grid, Value
from quadrepro.boosting.registry import ALGORITHMS
from quadrepro.boosting.reweighting import Reweighting
from quadrepro.data.card import View, card_names, load_card
from quadrepro.errors import ConfigError, nearest
from quadrepro.experiment.model import Model, fault
from quadrepro.experiment.protocol import Protocol


class Axis(Model):
    """Values of one hyper-parameter: listed, or evenly spaced on a logarithmic scale."""

    values: tuple[float, ...] | None = None
    start: float | None = Field(default=None, alias="from", gt=0, allow_inf_nan=False)
    end: float | None = Field(default=None, alias="to", gt=0, allow_inf_nan=False)
    points: int | None = Field(default=None, ge=1, le=10_000)

    @model_validator(mode="before")
    @classmethod
    def _listed(cls, data: Any) -> Any:
        if isinstance(data, list):
            return {"values": data}
        return {"values": [data]} if isinstance(data, (int, float)) else data

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        scale = (self.start, self.end, self.points)
        if (self.values is None) == (None in scale) or (self.values and any(scale)):
            raise ValueError("give a list of values, or all of from, to and points")
        if self.values == ():
            raise ValueError("the grid is empty: give at least one value")
        return self

    def resolve(self, kind: str) -> list[Value]:
        """Return the values, whole numbers where `kind` is ``"integer"``."""
        if self.values is None:
            assert self.start is not None
            assert self.end is not None
            assert self.points is not None
            return rounded_log_values(self.start, self.end, self.points, integer=kind == "integer")
        if kind == "integer" and all(v.is_integer() for v in self.values):
            return [int(v) for v in self.values]
        return list(self.values)


class AlgorithmEntry(Model):
    """A column of the table: an algorithm, its settings and the grid it searches.

    Attributes
    ----------
    name : str
        Name of the column; unique.
    algorithm : str, optional
        Name in the registry; by default the column's name.
    label : str, optional
        What tables print.
    settings : dict
        Settings of the algorithm, such as ``reweight``.
    grid : dict of str to Axis
        One axis a hyper-parameter, the first outermost.
    note : str
        Said below the table, such as a departure from the paper.
    """

    name: str = Field(min_length=1)
    algorithm: str = ""
    label: str = ""
    settings: dict[str, Any] = Field(default_factory=dict)
    grid: dict[str, Axis] = Field(default_factory=dict)
    note: str = ""

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if self.id not in ALGORITHMS:
            place = "algorithm" if self.algorithm else "name"
            raise fault(f"unknown algorithm {self.id!r}{nearest(self.id, ALGORITHMS)}", place)
        entry = ALGORITHMS[self.id]
        for key in self.settings:
            if key not in entry.settings:
                hint = nearest(key, entry.settings)
                raise fault(f"{self.id} has no setting {key!r}{hint}", "settings", key)
        try:
            entry.make(self.settings)
        except ValidationError as error:
            first = error.errors()[0]
            raise fault(first["msg"], "settings", *first["loc"]) from None
        known = {h.name: h for h in entry.algorithm.hyperparameters}
        for key in self.grid:
            if key not in known:
                hint = nearest(key, known)
                raise fault(f"{self.id} has no hyper-parameter {key!r}{hint}", "grid", key)
        for key in self.grid:
            self._check_axis(key, known[key])
        return self

    def _check_axis(self, key: str, hyperparameter: Hyperparameter) -> None:
        if wrong := hyperparameter.fault(self.grid[key].resolve(hyperparameter.kind)):
            raise fault(wrong, "grid", key)

    def check_protocol(self, protocol: Protocol) -> None:
        """Refuse a grid that lacks what the protocol does not choose by itself.

        Raises
        ------
        PydanticCustomError
            If an axis is missing, or the algorithm cannot learn from drawn stumps.
        """
        algorithm = ALGORITHMS[self.id].algorithm
        if protocol.holdout is not None:
            if not issubclass(algorithm, WeightBoosting | Reweighting):
                raise fault(f"{self.id} needs a voter matrix, and a hold-out draws stumps")
            if N_ROUNDS.name in self.grid:
                raise fault("the validation error chooses the rounds", "grid", N_ROUNDS.name)
        for hyperparameter in algorithm.hyperparameters:
            name = hyperparameter.name
            chosen = protocol.holdout is not None and name == N_ROUNDS.name
            if name not in self.grid and not chosen:
                raise fault(f"{self.id} needs values of {name} ({hyperparameter.meaning})", "grid")

    @property
    def id(self) -> str:
        """Name in the registry."""
        return self.algorithm or self.name

    @property
    def title(self) -> str:
        """What tables print."""
        return self.label or ALGORITHMS[self.id].label

    def make(self) -> Algorithm:
        """Return the algorithm."""
        return ALGORITHMS[self.id].make(self.settings)

    def make_grid(self) -> Grid:
        """Return the grid."""
        kinds = {h.name: h.kind for h in ALGORITHMS[self.id].algorithm.hyperparameters}
        return Grid.of({name: axis.resolve(kinds[name]) for name, axis in self.grid.items()})


class DatasetEntry(Model):
    """A row of the table: a data set in a view of its card.

    Attributes
    ----------
    name : str
        Data set.
    row : str, optional (``as`` in YAML)
        Name of the row, where one data set stands in several.
    view : str or dict
        Another view of the card than the protocol's, or fields to set otherwise than that one; all
        that is said of the view where the card has none of that name.
    protocol : dict
        Fields of the protocol to set otherwise for this row.
    printed : str
        Name of the printed row that this one is set beside; by default its own name.
    """

    name: str
    row: str = Field(default="", alias="as")
    view: str | dict[str, Any] = Field(default_factory=dict)
    protocol: dict[str, Any] = Field(default_factory=dict)
    printed: str = ""

    @field_validator("name")
    @classmethod
    def _has_card(cls, name: str) -> str:
        if name not in card_names():
            raise ValueError(f"unknown data set {name!r}{nearest(name, card_names())}")
        return name

    @field_validator("view", mode="before")
    @classmethod
    def _name_or_changes(cls, view: Any) -> Any:
        if not isinstance(view, (str, dict)):
            raise ValueError("view names a view of the card, or maps fields of a view to values")
        return view

    @property
    def title(self) -> str:
        """Name of the row."""
        return self.row or self.name

    @property
    def printed_row(self) -> str:
        """Name of the printed row."""
        return self.printed or self.title

    def check_protocol(self, protocol: Protocol) -> None:
        """Refuse a view or changes of the protocol that there cannot be, as `resolve` does."""
        self.resolve(protocol.view)
        changed = self.changed(protocol)
        if (changed.holdout is None) != (protocol.holdout is None):
            raise fault("all rows must hold out, or none", "protocol")

    def changed(self, protocol: Protocol) -> Protocol:
        """Return the protocol of this row.

        Raises
        ------
        PydanticCustomError
            If a change is not possible.
        """
        if not self.protocol:
            return protocol
        try:
            return Protocol.model_validate(_merged(protocol.model_dump(), self.protocol))
        except ValidationError as error:
            first = error.errors()[0]
            raise fault(first["msg"], "protocol", *first["loc"]) from None

    def resolve(self, view: str) -> View:
        """Return the view of the card that this entry names, or that called `view`, as changed.

        Raises
        ------
        PydanticCustomError
            If the card has no such view or a change is not possible.
        """
        card = load_card(self.name)
        named, changes = (self.view, {}) if isinstance(self.view, str) else (view, self.view)
        try:
            base = card.view(named)
        except ConfigError as error:
            # What the entry says can be a view of its own.
            if not changes:
                place = ["view"] if isinstance(self.view, str) else []
                raise fault(str(error), *place) from None
            base = View()
        for key in changes:
            if key not in View.model_fields:
                hint = nearest(key, View.model_fields)
                raise fault(f"unknown key {key!r}{hint}", "view", key)
        try:
            changed = View.model_validate({**base.model_dump(), **changes})
        except ValidationError as error:
            first = error.errors()[0]
            raise fault(first["msg"], "view", *first["loc"]) from None
        if problems := card.problems(changed):
            raise fault("; ".join(problems), "view")
        return changed


def _merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return `base` with the leaves of `changes` in place of its own."""
    merged = dict(base)
    for key, new in changes.items():
        old = merged.get(key)
        merged[key] = _merged(old, new) if isinstance(old, dict) and isinstance(new, dict) else new
    return merged


def _named(data: Any) -> Any:
    return {"name": data} if isinstance(data, str) else data


class Tables(Model):
    """Printed tables and claims to set ours beside; empty where there is none.

    Attributes
    ----------
    risks, comparisons : str
        Printed tables of test risks, and of tests between algorithms.
    percent : str
        A printed table of mean and deviation of the test risk in percent.
    margins : str
        A printed table of mean and deviation of the training margins.
    margin_figure : tuple of str
        Rows whose margins are drawn.
    claims : str
        The claims of a paper's text.
    """

    risks: str = ""
    comparisons: str = ""
    percent: str = ""
    margins: str = ""
    margin_figure: tuple[str, ...] = ()
    claims: str = ""


class Config(Model):
    """A whole config."""

    title: str
    seed: int = Field(default=0, ge=0, lt=2**32)
    repeats: int = Field(default=1, ge=1, le=100_000)
    protocol: Protocol
    datasets: tuple[Annotated[DatasetEntry, BeforeValidator(_named)], ...] = Field(min_length=1)
    algorithms: tuple[AlgorithmEntry, ...] = Field(min_length=1)
    tables: Tables = Tables()
    notes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        _refuse_twice("data set", "datasets", [d.title for d in self.datasets])
        _refuse_twice("algorithm", "algorithms", [a.name for a in self.algorithms])
        places: list[tuple[str, int, DatasetEntry | AlgorithmEntry]] = [
            *(("datasets", i, entry) for i, entry in enumerate(self.datasets)),
            *(("algorithms", i, entry) for i, entry in enumerate(self.algorithms)),
        ]
        for key, i, entry in places:
            try:
                entry.check_protocol(self.protocol)
            except PydanticCustomError as error:
                context = error.context or {}
                raise fault(error.message(), key, i, *context["place"]) from None
        return self


def _refuse_twice(what: str, key: str, names: list[str]) -> None:
    for i, name in enumerate(names):
        if name in names[:i]:
            raise fault(f"{what} {name!r} stands here twice", key, i)
