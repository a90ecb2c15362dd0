"""The rows of a table: data sets, the values that sweeps give them, and readings of a protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from quadrepro.base.models import Model, changes, fault
from quadrepro.config.axis import Scalar
from quadrepro.config.datasets import DatasetEntry, merged
from quadrepro.core.protocol import Protocol
from quadrepro.data.schema import View


class Sweep(Model):
    """A field that takes several values: every data set becomes a row for each of them.

    Attributes
    ----------
    over : str
        The field of a data set's entry, such as ``protocol.noise.deviation``, ``grid.n_rounds`` or
        ``parameters.sigma``.
    values : tuple
        What it is set to.
    title : str (``as`` in YAML)
        What tables and figures call it; by default its last word.
    """

    over: str
    values: tuple[Scalar, ...] = Field(min_length=1)
    title: str = Field(default="", alias="as")

    @model_validator(mode="after")
    def _in_the_entry(self) -> Self:
        first, *rest = self.over.split(".")
        if first not in ("protocol", "grid", "parameters") or not all(rest) or not rest:
            message = "a sweep goes over a field of protocol, grid or parameters, as grid.n_rounds"
            raise fault(message, "over")
        return self

    @property
    def word(self) -> str:
        """What tables and figures call it."""
        return self.title or self.over.rpartition(".")[2]

    def apply(self, entry: DatasetEntry, value: Scalar) -> DatasetEntry:
        """Return the entry of one value, named after it.

        Raises
        ------
        pydantic.ValidationError
            If the entry does not take the value.
        """
        change: Any = value
        for part in reversed(self.over.split(".")):
            change = {part: change}
        fields = entry.model_dump(by_alias=True, exclude_unset=True)
        fields["printed"] = entry.printed_row
        fields["as"] = f"{entry.title}, {self.word} {value}"
        return DatasetEntry.model_validate(merged(fields, change))


class Reading(Model):
    """Another reading of the protocol: data sets become a row for it, beside their own.

    Attributes
    ----------
    name : str
        What the reading is called in the rows' names.
    of : tuple of str, default ()
        The rows' data sets, by title; by default all.
    view, protocol, parameters, grid, settings
        What it changes, as in the entry of a data set.
    """

    name: str
    of: tuple[str, ...] = ()
    view: str | Annotated[dict[str, Any], changes(View)] = Field(default_factory=dict)
    protocol: Annotated[dict[str, Any], changes(Protocol)] = Field(default_factory=dict)
    parameters: dict[str, Any] = Field(default_factory=dict)
    grid: dict[str, Any] = Field(default_factory=dict)
    settings: dict[str, Any] = Field(default_factory=dict)

    def apply(self, entry: DatasetEntry) -> DatasetEntry:
        """Return the entry under this reading, named after it.

        Raises
        ------
        pydantic.ValidationError
            If the entry does not take the changes.
        PydanticCustomError
            If the reading changes fields of a view that the entry takes by its name.
        """
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
    """A row of the table.

    Attributes
    ----------
    entry : DatasetEntry
        The data set with all that is special to this row.
    place : tuple of str or int
        Where the config speaks of it.
    of : str
        Title of the data set's entry.
    sweep : str
        What is swept over; empty without a sweep.
    value : int, float, str, bool or None
        The sweep's value.
    reading : str
        The reading of the protocol; empty for that of the config.
    """

    entry: DatasetEntry
    place: tuple[str | int, ...]
    of: str
    sweep: str = ""
    value: Scalar = None
    reading: str = ""


class Absent(Model):
    """A data set of the paper that cannot be had.

    Attributes
    ----------
    name : str
        What the paper calls it.
    reason : str
        Why it cannot be had.
    """

    name: str
    reason: str
