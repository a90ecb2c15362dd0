"""Rows of a config's table: data sets, and their variations by sweeps and readings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from quadrepro.base.models import Model, fault, faults_at
from quadrepro.base.types import Task
from quadrepro.base.yaml import Place
from quadrepro.config.column import Axis, Scalar
from quadrepro.core.protocol import Protocol
from quadrepro.data.card import Card, card_names, find_card, load_card
from quadrepro.data.schema import View
from quadrepro.errors import ConfigError, nearest

Changes = dict[str, Any]
"""Changes, as they are written: they are validated together with the values that they change."""

_OfView = BeforeValidator(lambda changes: changes, json_schema_input_type=str | View)
_OfProtocol = BeforeValidator(lambda changes: changes, json_schema_input_type=Protocol)
ChangesOfView = Annotated[str | Changes, _OfView]
ChangesOfProtocol = Annotated[Changes, _OfProtocol]


class Sweep(Model):
    """A field that takes several values: every data set becomes a row for each of them."""

    over: str
    """Field of a row, such as grid.n_rounds or protocol.folds."""
    values: tuple[Scalar, ...] = Field(min_length=1)
    """Values of the field."""
    title: str = Field("", alias="as")
    """Name of the field in tables."""

    @model_validator(mode="after")
    def _is_of_a_row(self) -> Self:
        first, *rest = self.over.split(".")
        if first not in ("protocol", "grid", "parameters") or not all(rest) or not rest:
            message = "a sweep goes over a field of protocol, grid or parameters, as grid.n_rounds"
            raise fault(message, "over")
        return self

    @property
    def word(self) -> str:
        """Its name in tables and figures."""
        return self.title or self.over.rpartition(".")[2]

    def apply(self, item: DatasetItem, value: Scalar) -> DatasetItem:
        """Return the data set with one value, named after it."""
        change: Any = value
        for part in reversed(self.over.split(".")):
            change = {part: change}
        return item.with_changes(change, f"{self.word} {value}")


class Reading(Model):
    """Another reading of the protocol: data sets get a further row for it."""

    name: str
    """Name of the reading in the names of rows."""
    rows: tuple[str, ...] = Field((), alias="of")
    """Rows that it is for; by default all."""
    view: ChangesOfView = Field({})
    """Change of the view."""
    protocol: ChangesOfProtocol = Field({})
    """Changes of the protocol."""
    parameters: Changes = Field({})
    """Changes of a fresh sample's parameters."""
    grid: Changes = Field({})
    """Values of hyper-parameters."""
    settings: Changes = Field({})
    """Settings of algorithms."""

    def apply(self, item: DatasetItem) -> DatasetItem:
        """Return the data set under this reading, named after it."""
        if self.view and isinstance(self.view, dict) and isinstance(item.view, str):
            raise fault(f"{item.title} takes its view by name: name the view of the reading")
        changes = self.model_dump(include={"protocol", "parameters", "grid", "settings"})
        if self.view:
            changes["view"] = self.view
        return item.with_changes(changes, self.name)


class Absent(Model):
    """A data set of the paper that cannot be had."""

    name: str
    """Its name in the paper."""
    reason: str
    """Why it cannot be had."""


class DatasetItem(Model):
    """A row of the table: a data set in a view of its card.

    In YAML, the name alone can replace the mapping.
    """

    short = "name"
    model_config = ConfigDict(json_schema_extra={"type": ["object", "string"]})

    name: str
    """Data set, see `quadrepro list datasets`."""
    row: str = Field("", alias="as")
    """Name of the row, if not the data set's."""
    view: ChangesOfView = Field({})
    """Another view, or changes of the protocol's view."""
    protocol: ChangesOfProtocol = Field({})
    """Changes of the protocol."""
    parameters: dict[str, float] = Field({})
    """Parameters of a fresh sample's rule."""
    grid: dict[str, Axis] = Field({})
    """Values for algorithms that have them."""
    settings: Changes = Field({})
    """Settings, for algorithms that have them."""
    printed: str = ""
    """Printed row to compare with, if not of the same name."""

    _folder: Path | None = None
    """The folder of the config, where cards are looked up first."""

    @field_validator("name")
    @classmethod
    def _has_card(cls, name: str, info: ValidationInfo) -> str:
        folder = (info.context or {}).get("folder")
        if find_card(name, folder) is not None:
            return name
        if "." in name:  # names of cards have none
            command = f"quadrepro init {name} --target COLUMN"
            raise ValueError(f"{name!r} is a file: make a data set of it with `{command}`")
        hint = nearest(name, card_names(folder), "quadrepro list datasets")
        raise ValueError(f"unknown data set {name!r}{hint}")

    def model_post_init(self, context: Any) -> None:
        """Keep the folder of the config."""
        self._folder = (context or {}).get("folder")

    @cached_property
    def card(self) -> Card:
        """The card of the data set."""
        return load_card(self.name, self._folder)

    @property
    def title(self) -> str:
        """The name of the row."""
        return self.row or self.name

    @property
    def printed_names(self) -> tuple[str, ...]:
        """Names that its printed row can have, in order of preference."""
        return (self.printed, self.title, self.name)

    def with_changes(self, changes: Changes, name: str) -> DatasetItem:
        """Return the same data set as a further row."""
        fields = self.model_dump(by_alias=True, exclude_unset=True)
        fields |= {"printed": self.printed or self.title, "as": f"{self.title}, {name}"}
        context = {"folder": self._folder}
        return DatasetItem.model_validate(merged_changes(fields, changes), context=context)

    def changed(self, protocol: Protocol) -> Protocol:
        """Return the protocol of the config with the changes of this row."""
        if not self.protocol:
            return protocol
        fields = protocol.model_dump(exclude_unset=True)
        if "voter_set" in self.protocol:  # with other parameters, and in place of stumps
            fields.pop("voter_set", None)
            fields.pop("stumps_per_attribute", None)
        fields = merged_changes(fields, self.protocol)
        with faults_at("protocol", data=fields):
            return Protocol.model_validate(fields)

    def resolve(self, view: str) -> View:
        """Return the view of this row, for the name of the protocol's view."""
        named, changes = (self.view, {}) if isinstance(self.view, str) else (view, self.view)
        try:
            base = self.card.view(named)
        except ConfigError as error:
            # The changes can be a complete view.
            if not changes:
                raise fault(str(error), *["view"] * isinstance(self.view, str)) from None
            base = View()
        fields = {**base.model_dump(), **changes}
        with faults_at("view", data=fields):
            changed = View.model_validate(fields)
        if mistakes := [*self.card.mistakes(changed)]:
            message = "; ".join(mistake.message for mistake in mistakes)
            raise fault(message, "view", *mistakes[0].place)
        return changed


@dataclass(frozen=True)
class Row:
    """A row of the table."""

    item: DatasetItem
    """The data set with all that is special to this row."""
    place: Place
    """Its place in the config."""
    parent: str
    """Title of the data set's own row."""
    outer: Protocol
    """The protocol of the config, before the changes of this row."""
    sweep: str = ""
    """Name of the field that is swept over; empty without a sweep."""
    value: Scalar = None
    """The sweep's value."""
    reading: str = ""
    """Name of the reading; empty for the protocol as the config states it."""

    @property
    def title(self) -> str:
        """The name of the row."""
        return self.item.title

    @cached_property
    def protocol(self) -> Protocol:
        """The protocol of the row."""
        return self.item.changed(self.outer)

    @cached_property
    def view(self) -> View:
        """The view of the row, without attributes that divide its rows."""
        return self.protocol.split.without_columns(self.item.resolve(self.outer.view))

    @cached_property
    def task(self) -> Task:
        """The kind of target: classes or numbers."""
        return self.item.card.task_of(self.view)


def merged_changes(base: Changes, changes: Changes) -> Changes:
    """Return `base` with the values of `changes`, merged at every level of the mappings."""
    result = dict(base)
    for key, new in changes.items():
        old = result.get(key)
        result[key] = new
        # Lists of values, voter sets and thresholds are replaced as a whole.
        if isinstance(old, dict) and isinstance(new, dict) and "values" not in old:
            result[key] = new if key in ("voter_set", "positive") else merged_changes(old, new)
    return result
