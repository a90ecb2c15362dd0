"""Cards: what a data set must look like, where it comes from, and how a paper views it.

A card is a YAML file `datasets/NAME.yaml`. Every scalar of it is read as the text that is
written, so a label ``no``, ``01`` or ``1`` stays that label; numbers are made only where a field
is a number.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Literal, Self

import yaml
from pydantic import Field, ValidationError, model_validator

from quadrepro.data.schema import (
    Attribute,
    Frozen,
    Source,
    Target,
    View,
    refuse_repeats,
)
from quadrepro.errors import ConfigError, DataError, nearest
from quadrepro.resources import cards_folder

__all__ = ["Attribute", "Card", "View", "card_names", "load_card", "load_card_file"]


class Card(Frozen):
    """Everything that is known about a data set before its rows are read.

    Attributes
    ----------
    name : str
        The short name, also that of the files NAME.yaml and NAME.csv.
    title : str
        The name its repository gives it.
    task : {"classification"}
        What is predicted.
    rows, missing_cells, rows_with_missing : int
        Counts that the rows must have.
    attributes : tuple of Attribute
        The columns in the order of the canonical CSV, without the target.
    target : Target
        The labels and their counts.
    content_hash : str
        ``sha256:`` and 64 hexadecimal digits, from `quadrepro.data.canonical.content_hash`.
    licence, citation : str
        The terms of use, and whom to cite.
    sources : tuple of Source
        Where the rows can be had, the preferred first.
    notes : tuple of str
        Known faults, and what was left out or changed.
    views : dict of str to View
        By the name of the paper.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str = Field(min_length=1)
    task: Literal["classification"]
    rows: int = Field(gt=0)
    attributes: tuple[Attribute, ...] = Field(min_length=1)
    missing_cells: int = Field(ge=0)
    rows_with_missing: int = Field(ge=0)
    target: Target
    content_hash: str = Field(pattern=r"^sha256:[0-9a-f]{64}$")
    licence: str
    citation: str
    sources: tuple[Source, ...] = Field(min_length=1)
    notes: tuple[str, ...] = ()
    views: dict[str, View] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _parts_agree(self) -> Self:
        refuse_repeats("attributes", (*self.attribute_names, self.target.name))
        total = sum(self.target.labels.values())
        if total != self.rows:
            raise ValueError(f"the label counts add up to {total}, rows is {self.rows}")
        for name, view in self.views.items():
            for problem in self.problems(view):
                raise ValueError(f"view {name}: {problem}")
        return self

    @property
    def attribute_names(self) -> tuple[str, ...]:
        """The names of the attributes in the order of the columns."""
        return tuple(a.name for a in self.attributes)

    def problems(self, view: View) -> list[str]:
        """Return what keeps `view` from being a view of this data set.

        Parameters
        ----------
        view : View
            From this card or from a config.

        Returns
        -------
        list of str
            One message for each label or attribute that does not exist, with the nearest that
            does; empty where the view can be used.
        """
        labels, kinds = self.target.labels, {a.name: a.kind for a in self.attributes}
        found = [
            f"{self.name} has no label {label!r}{nearest(label, labels)}"
            for label in view.positive
            if label not in labels
        ]
        found += [
            f"{self.name} has no attribute {name!r}{nearest(name, kinds)}"
            for name in (*view.exclude, *view.order)
            if name not in kinds
        ]
        found += [
            f"{name} of {self.name} is numeric, so its values need no order"
            for name in view.order
            if kinds.get(name) == "numeric"
        ]
        if set(labels) <= set(view.positive):
            found.append(f"all labels of {self.name} are positive, so there is nothing to learn")
        if set(kinds) <= set(view.exclude):
            found.append(f"all attributes of {self.name} are excluded")
        return found

    def view(self, name: str) -> View:
        """Return the view called `name`.

        Raises
        ------
        ConfigError
            If the card has no such view; the nearest is named.
        """
        if name not in self.views:
            hint = nearest(name, self.views)
            raise ConfigError(f"{self.name} has no view {name!r}{hint}")
        return self.views[name]


def card_names() -> list[str]:
    """Return the names of all data sets that have a card, sorted."""
    return sorted(path.stem for path in cards_folder().glob("*.yaml"))


@functools.cache
def load_card(name: str) -> Card:
    """Return the card of the data set `name`.

    Raises
    ------
    ConfigError
        If there is no such card; the nearest name is given.
    DataError
        If the card is broken; its file is named.
    """
    names = card_names()
    if name not in names:
        raise ConfigError(f"there is no data set {name!r}{nearest(name, names)}")
    return load_card_file(cards_folder() / f"{name}.yaml")


def load_card_file(path: Path) -> Card:
    """Read a card from a YAML file.

    Parameters
    ----------
    path : Path
        NAME.yaml, where NAME is the card's own name.

    Returns
    -------
    Card

    Raises
    ------
    DataError
        If the file cannot be read or is not a card; the file and every fault are named.
    """
    try:
        # BaseLoader leaves every scalar a string: `no` is a label here, not False.
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DataError(f"{path}: cannot be read: {' '.join(str(error).split())}") from error
    try:
        card = Card.model_validate(content)
    except ValidationError as error:
        faults = "; ".join(_fault(e["loc"], e["msg"]) for e in error.errors())
        raise DataError(f"{path}: {faults}") from error
    if card.name != path.stem:
        raise DataError(f"{path}: the card is named {card.name!r}, its file {path.stem!r}")
    return card


def _fault(place: tuple[int | str, ...], message: str) -> str:
    text = message.removeprefix("Value error, ")
    return f"{'.'.join(map(str, place))}: {text}" if place else text
