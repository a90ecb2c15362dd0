"""What a person may write in a config, and what is wrong with it when it is not that.

The models check everything that can be known without the data: names, types, ranges, grids. They
read nothing but cards and compute nothing.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from quadrepro.boosting.base import Algorithm, Hyperparameter, rounded_log_values
from quadrepro.boosting.grid import Grid, Value
from quadrepro.boosting.registry import ALGORITHMS
from quadrepro.data.card import View, card_names, load_card
from quadrepro.errors import ConfigError, nearest


def _fault(message: str, *place: str | int) -> PydanticCustomError:
    """Return an error at a place below the model that finds it."""
    return PydanticCustomError("fault", "{message}", {"message": message, "place": place})


class Model(BaseModel):
    """A mapping of the config; an unknown key is refused with the nearest known one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for key in data if isinstance(data, dict) else ():
            if key not in known:
                raise _fault(f"unknown key {key!r}{nearest(key, known)}", key)
        return data


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
    settings: dict[str, Any] = {}
    grid: dict[str, Axis]
    note: str = ""

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if self.id not in ALGORITHMS:
            place = "algorithm" if self.algorithm else "name"
            raise _fault(f"unknown algorithm {self.id!r}{nearest(self.id, ALGORITHMS)}", place)
        entry = ALGORITHMS[self.id]
        for key in self.settings:
            if key not in entry.settings:
                hint = nearest(key, entry.settings)
                raise _fault(f"{self.id} has no setting {key!r}{hint}", "settings", key)
        try:
            entry.make(self.settings)
        except ValidationError as error:
            first = error.errors()[0]
            raise _fault(first["msg"], "settings", *first["loc"]) from None
        known = {h.name: h for h in entry.algorithm.hyperparameters}
        for key in self.grid:
            if key not in known:
                hint = nearest(key, known)
                raise _fault(f"{self.id} has no hyper-parameter {key!r}{hint}", "grid", key)
        for key, hyperparameter in known.items():
            self._check_axis(key, hyperparameter)
        return self

    def _check_axis(self, key: str, hyperparameter: Hyperparameter) -> None:
        if key not in self.grid:
            raise _fault(f"{self.id} needs values of {key} ({hyperparameter.meaning})", "grid")
        if fault := hyperparameter.fault(self.grid[key].resolve(hyperparameter.kind)):
            raise _fault(fault, "grid", key)

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
    """

    name: str
    row: str = Field(default="", alias="as")
    view: str | dict[str, Any] = {}

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
                raise _fault(str(error), *place) from None
            base = View()
        for key in changes:
            if key not in View.model_fields:
                hint = nearest(key, View.model_fields)
                raise _fault(f"unknown key {key!r}{hint}", "view", key)
        try:
            changed = View.model_validate({**base.model_dump(), **changes})
        except ValidationError as error:
            first = error.errors()[0]
            raise _fault(first["msg"], "view", *first["loc"]) from None
        if problems := card.problems(changed):
            raise _fault("; ".join(problems), "view")
        return changed


def _named(data: Any) -> Any:
    return {"name": data} if isinstance(data, str) else data


class SplitRule(Model):
    """How examples are divided: half to train, rounded up, but no more than `at_most`."""

    train: Literal["half"] = "half"
    at_most: int = Field(default=500, ge=2)


class Protocol(Model):
    """What is done to every data set before an algorithm sees it.

    Attributes
    ----------
    view : str
        View of the cards.
    split : SplitRule
        Training and test part.
    normalise : {"tanh"}
        tanh((x - mean)/std), mean and std of the training part.
    stumps_per_attribute : int
        Thresholds an attribute.
    folds : int
        Folds of the cross-validation.
    """

    view: str
    split: SplitRule = SplitRule()
    normalise: Literal["tanh"] = "tanh"
    stumps_per_attribute: int = Field(default=10, ge=1, le=1000)
    folds: int = Field(default=5, ge=2)


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
        for i, entry in enumerate(self.datasets):
            try:
                entry.resolve(self.protocol.view)
            except PydanticCustomError as error:
                context = error.context or {}
                raise _fault(error.message(), "datasets", i, *context["place"]) from None
        return self


def _refuse_twice(what: str, key: str, names: list[str]) -> None:
    for i, name in enumerate(names):
        if name in names[:i]:
            raise _fault(f"{what} {name!r} stands here twice", key, i)
