"""Rows of a table: a data set with its view and protocol, and what sweeps make of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any, Self

from pydantic import Field, FiniteFloat, ValidationError, field_validator, model_validator

from quadrepro.base.models import MOST_SHOWN, Model, changes, fault, nested_fault
from quadrepro.config.axis import Axis, Scalar
from quadrepro.core.protocol import Protocol, SplitRule
from quadrepro.data.card import card_names, find_card, load_card
from quadrepro.data.rules import rule_of
from quadrepro.data.schema import View
from quadrepro.errors import ConfigError, nearest


class Sweep(Model):
    """A field that takes several values: every data set becomes a row for each of them."""

    over: str
    """The field of a data set's entry, such as ``protocol.noise.deviation``, ``grid.n_rounds`` or
    ``parameters.sigma``."""
    values: tuple[Scalar, ...] = Field(min_length=1)
    """Its value."""
    title: str = Field(default="", alias="as")
    """Its name in tables and figures; by default its last word."""

    @model_validator(mode="after")
    def _in_the_entry(self) -> Self:
        first, *rest = self.over.split(".")
        if first not in ("protocol", "grid", "parameters") or not all(rest) or not rest:
            message = "a sweep goes over a field of protocol, grid or parameters, as grid.n_rounds"
            raise fault(message, "over")
        return self

    @property
    def word(self) -> str:
        """Its name in tables and figures."""
        return self.title or self.over.rpartition(".")[2]

    def apply(self, entry: DatasetEntry, value: Scalar) -> DatasetEntry:
        """Return the entry of one value, named after it."""
        change: Any = value
        for part in reversed(self.over.split(".")):
            change = {part: change}
        fields = entry.model_dump(by_alias=True, exclude_unset=True)
        fields["printed"] = entry.printed_row
        fields["as"] = f"{entry.title}, {self.word} {value}"
        return DatasetEntry.model_validate(merged(fields, change))


class Reading(Model):
    """Another reading of the protocol: data sets get a further row for it."""

    name: str
    """Name of the reading in the names of rows."""
    of: tuple[str, ...] = ()
    """The rows' data sets, by title; by default all."""
    view: str | Annotated[dict[str, Any], changes(View)] = Field(default_factory=dict)
    """Its change, as in the entry of a data set."""
    protocol: Annotated[dict[str, Any], changes(Protocol)] = Field(default_factory=dict)
    """Its change, as in the entry of a data set."""
    parameters: dict[str, Any] = Field(default_factory=dict)
    """Its change, as in the entry of a data set."""
    grid: dict[str, Any] = Field(default_factory=dict)
    """Its change, as in the entry of a data set."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Its change, as in the entry of a data set."""

    def apply(self, entry: DatasetEntry) -> DatasetEntry:
        """Return the entry under this reading, named after it."""
        if self.view and isinstance(self.view, dict) and isinstance(entry.view, str):
            raise fault(f"{entry.title} takes its view by name: name the view of the reading")
        fields = entry.model_dump(by_alias=True, exclude_unset=True)
        changes = self.model_dump(include={"protocol", "parameters", "grid", "settings"})
        if self.view:
            changes["view"] = self.view
        fields["printed"] = entry.printed_row
        fields["as"] = f"{entry.title}, {self.name}"
        return DatasetEntry.model_validate(merged(fields, changes))


@dataclass(frozen=True)
class Row:
    """A row of the table."""

    entry: DatasetEntry
    """The data set with all that is special to this row."""
    place: tuple[str | int, ...]
    """Its place in the config."""
    of: str
    """Title of the data set's entry."""
    sweep: str = ""
    """The swept values; empty without a sweep."""
    value: Scalar = None
    """The sweep's value."""
    reading: str = ""
    """The reading of the protocol; empty for that of the config."""


class Absent(Model):
    """A data set of the paper that cannot be had."""

    name: str
    """Its name in the paper."""
    reason: str
    """Why it cannot be had."""


class DatasetEntry(Model):
    """A row of the table: a data set in a view of its card."""

    name: str
    """The data set."""
    row: str = Field(default="", alias="as")
    """The name of the row; by default, that of the data set."""
    view: str | Annotated[dict[str, Any], changes(View)] = Field(default_factory=dict)
    """Another view of the card, or changes to the fields of the protocol's view. If the card has no
    view of that name, the changes are the whole view."""
    protocol: Annotated[dict[str, Any], changes(Protocol)] = Field(default_factory=dict)
    """Changes to the protocol for this row."""
    parameters: dict[str, FiniteFloat] = Field(default_factory=dict)
    """Changes to the parameters of the rule that draws a fresh sample, such as ``sigma``."""
    grid: dict[str, Axis] = Field(default_factory=dict)
    """By hyper-parameter: values for this row, for the algorithms that have the hyper-parameter."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """By setting: values for this row, for the algorithms that have the setting."""
    printed: str = ""
    """Name of the printed row that this one is compared with; by default the one with the name of
    the row, or of the data set."""

    @field_validator("name")
    @classmethod
    def _has_card(cls, name: str) -> str:
        if find_card(name) is None:
            hint = nearest(name, card_names(), "quadrepro list datasets")
            raise ValueError(f"unknown data set {name!r}{hint}")
        return name

    @field_validator("view", mode="before")
    @classmethod
    def _name_or_changes(cls, view: Any) -> Any:
        if not isinstance(view, (str, dict)):
            raise ValueError("view must be the name of a view, or map its fields to values")
        return view

    @property
    def title(self) -> str:
        """The name of the row."""
        return self.row or self.name

    @property
    def printed_row(self) -> str:
        """The name of the printed row to compare with."""
        return self.printed or self.title

    def check_protocol(self, protocol: Protocol) -> None:
        """Check this row against the protocol."""
        if "view" in self.protocol:
            raise fault("the view of a row is set by its own key, view", "protocol", "view")
        changed = self.changed(protocol)
        self.check_split(changed.split, self.resolve(protocol.view))
        if (changed.holdout is None) != (protocol.holdout is None):
            raise fault("either all rows have a holdout or none", "protocol")
        predicts_number = not load_card(self.name).classes_of(self.resolve(protocol.view))
        if changed.noise is not None and changed.noise.labels and predicts_number:
            message = f"{self.title} predicts a number, so it has no labels to change"
            raise fault(message, "protocol", "noise", "labels")
        if changed.sample is not None:
            try:
                rule_of(load_card(self.name), self.parameters)
            except ConfigError as error:
                raise fault(str(error), "parameters" if self.parameters else "name") from None
        elif self.parameters:
            raise fault("parameters are only used by a fresh sample: set sample", "parameters")

    def check_split(self, rule: SplitRule, view: View) -> None:
        """Check that the card and the view of this row have what a rule divides by."""
        card, place = load_card(self.name), ("protocol", "split")
        for key, name in rule.columns:
            if name not in card.attribute_names:
                hint = nearest(name, card.attribute_names)
                raise fault(f"{self.name} has no attribute {name!r}{hint}", *place, key)
        if rule.stratify and not card.classes_of(view):
            message = f"{self.title} predicts a number, so there are no classes to stratify by"
            raise fault(message, *place, "stratify")
        if view.sample_rows is not None and not rule.draws_share:
            message = "rows that are drawn again for every repeat cannot be divided once for all"
            raise fault(f"{self.title}: {message}", "view", "sample_rows")

    def changed(self, protocol: Protocol) -> Protocol:
        """Return the protocol of the config with the changes of this row."""
        if not self.protocol:
            return protocol
        fields = protocol.model_dump(exclude_unset=True)
        if "voter_set" in self.protocol:  # with other parameters, and in place of stumps
            fields = {
                k: v for k, v in fields.items() if k not in ("voter_set", "stumps_per_attribute")
            }
        fields = merged(fields, self.protocol)
        try:
            return Protocol.model_validate(fields)
        except ValidationError as error:
            raise nested_fault(error, "protocol", data=fields) from None

    def resolve(self, view: str) -> View:
        """Return the view of this row."""
        card = load_card(self.name)
        named, changes = (self.view, {}) if isinstance(self.view, str) else (view, self.view)
        try:
            base = card.view(named)
        except ConfigError as error:
            # The changes can be a view of their own.
            if not changes:
                place = ["view"] if isinstance(self.view, str) else []
                raise fault(str(error), *place) from None
            base = View()
        fields = {**base.model_dump(), **changes}
        try:
            changed = View.model_validate(fields)
        except ValidationError as error:
            raise nested_fault(error, "view", data=fields) from None
        if mistakes := [*islice(card.mistakes(changed), MOST_SHOWN)]:
            message = "; ".join(mistake.message for mistake in mistakes)
            raise fault(message, "view", *mistakes[0].place)
        return changed


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return `base` with the values of `changes`, merged at every level of the mappings."""
    result = dict(base)
    for key, new in changes.items():
        old = result.get(key)
        result[key] = merged(old, new) if isinstance(old, dict) and isinstance(new, dict) else new
    return result
