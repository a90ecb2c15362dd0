"""A row of a config's table: a data set in a view of its card."""

from __future__ import annotations

from typing import Any

from pydantic import Field, FiniteFloat, ValidationError, field_validator

from quadrepro.config.axis import Axis
from quadrepro.config.protocol import Protocol
from quadrepro.data.card import View, card_names, load_card
from quadrepro.data.sources.fresh import rule_of
from quadrepro.documents.model import Model, fault
from quadrepro.errors import ConfigError, nearest


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
    parameters : dict of str to float
        Parameters of the rule that a fresh sample is drawn by, such as ``sigma``.
    grid : dict of str to Axis
        Values to take instead in this row, by the algorithms that have such hyper-parameters.
    printed : str
        Name of the printed row that this one is set beside; by default the one that is called
        like the row, or like the data set.
    """

    name: str
    row: str = Field(default="", alias="as")
    view: str | dict[str, Any] = Field(default_factory=dict)
    protocol: dict[str, Any] = Field(default_factory=dict)
    parameters: dict[str, FiniteFloat] = Field(default_factory=dict)
    grid: dict[str, Axis] = Field(default_factory=dict)
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
        if "view" in self.protocol:
            raise fault("a row's view stands under its own key, view", "protocol", "view")
        self.resolve(protocol.view)
        changed = self.changed(protocol)
        if (changed.holdout is None) != (protocol.holdout is None):
            raise fault("all rows must hold out, or none", "protocol")
        if changed.sample is not None:
            try:
                rule_of(load_card(self.name), self.parameters)
            except ConfigError as error:
                raise fault(str(error), "parameters" if self.parameters else "name") from None
        elif self.parameters:
            raise fault("parameters are those of a fresh sample: set sample", "parameters")

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
            return Protocol.model_validate(merged(protocol.model_dump(), self.protocol))
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


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return `base` with the leaves of `changes` in place of its own."""
    result = dict(base)
    for key, new in changes.items():
        old = result.get(key)
        result[key] = merged(old, new) if isinstance(old, dict) and isinstance(new, dict) else new
    return result
