"""Cards: what a data set must look like, where it comes from, and how a paper views it.

A card is a YAML file `datasets/NAME.yaml`. Every scalar of it is read as the text that is
written, so a label ``no``, ``01`` or ``1`` stays that label; numbers are made only where a field
is a number.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self

import yaml
from pydantic import Field, ValidationError, field_validator, model_validator

from quadrepro.data.schema import (
    Attribute,
    Frozen,
    Target,
    Threshold,
    View,
    refuse_repeats,
    series,
)
from quadrepro.data.sources.schema import Layout, Source
from quadrepro.errors import ConfigError, DataError, nearest
from quadrepro.resources import cards_folder

__all__ = ["Attribute", "Card", "View", "card_names", "load_card", "load_card_file"]

# It leaves every scalar a string: `no` is a label here, not False. In C it is ten times as fast.
LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

OWN_CARDS = Path("datasets")
"""Where a person's own cards are: below the folder in which quadrepro is called."""

ANY_VIEW = "default"
"""A view of this name stands for every view that a card lacks."""


class Card(Frozen):
    """Everything that is known about a data set before its rows are read.

    Attributes
    ----------
    name : str
        The short name, also that of the files NAME.yaml and NAME.csv.
    title : str
        The name its repository gives it.
    task : {"classification", "regression"}
        Whether the target is a label or a number.
    rows, missing_cells, rows_with_missing : int
        Counts that the rows must have.
    attributes : tuple of Attribute
        The columns in the order of the canonical CSV, without the target.
    target : Target
        The labels and their counts, or the range of the numbers.
    parts : dict of str to tuple of int, default {}
        Named parts of the rows, each with its first and last row in the order of the source,
        counted from 1; every row is in one of them.
    content_hash : str
        ``sha256:`` and 64 hexadecimal digits, from `quadrepro.data.canonical.content_hash`.
    licence, citation : str
        The terms of use, and whom to cite.
    sources : tuple of Source
        Where the rows can be had, the preferred first.
    notes : tuple of str
        Known faults, and what was left out or changed.
    views : dict of str to View
        By the name of the paper; the view ``default`` stands for any that is not there.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str = Field(min_length=1)
    task: Literal["classification", "regression"]
    rows: int = Field(gt=0)
    attributes: tuple[Attribute, ...] = Field(min_length=1)
    missing_cells: int = Field(ge=0)
    rows_with_missing: int = Field(ge=0)
    target: Target
    parts: dict[str, tuple[int, int]] = Field(default_factory=dict)
    content_hash: str = Field(pattern=r"^sha256:[0-9a-f]{64}$")
    licence: str
    citation: str
    sources: tuple[Source, ...] = Field(min_length=1)
    notes: tuple[str, ...] = ()
    views: dict[str, View] = Field(default_factory=dict)

    @field_validator("attributes", mode="before")
    @classmethod
    def _whole_series(cls, attributes: Any) -> Any:
        if not isinstance(attributes, (list, tuple)):
            return attributes
        return [one for attribute in attributes for one in _expanded(attribute)]

    @model_validator(mode="after")
    def _parts_agree(self) -> Self:
        refuse_repeats("attributes", (*self.attribute_names, self.target.name))
        if self.task == "classification":
            if len(self.target.labels) < 2:
                raise ValueError("target.labels must name at least two labels")
            total = sum(self.target.labels.values())
            if total != self.rows:
                raise ValueError(f"the label counts add up to {total}, rows is {self.rows}")
        elif self.target.labels or self.target.range is None:
            raise ValueError("the target of a regression has a range, and no labels")
        self._check_parts()
        self._check_layouts()
        for name, view in self.views.items():
            for problem in self.problems(view):
                raise ValueError(f"view {name}: {problem}")
        return self

    def _check_parts(self) -> None:
        next_row = 1
        for name, (first, last) in self.parts.items():
            if first != next_row or last < first:
                raise ValueError(f"part {name} must begin at row {next_row} and not be empty")
            next_row = last + 1
        if self.parts and next_row != self.rows + 1:
            raise ValueError(f"the parts end at row {next_row - 1}, rows is {self.rows}")

    def _check_layouts(self) -> None:
        wanted = {*self.attribute_names, self.target.name}
        for source in self.sources:
            if not isinstance(source, Layout):
                continue
            columns = tuple(name for name in source.columns if name)
            refuse_repeats(f"columns of {source.kind}", columns)
            for name in (*columns, *source.codes, *source.only):
                if name not in wanted:
                    hint = nearest(name, wanted)
                    raise ValueError(f"source {source.kind}: there is no column {name!r}{hint}")
            if columns and (lacking := wanted - set(columns)):
                raise ValueError(f"source {source.kind} lacks column {min(lacking)!r}")

    @cached_property
    def attribute_names(self) -> tuple[str, ...]:
        """The names of the attributes in the order of the columns."""
        return tuple(a.name for a in self.attributes)

    @cached_property
    def nominal_names(self) -> frozenset[str]:
        """The names of all columns that hold codes, the target's among them."""
        names = {a.name for a in self.attributes if a.kind == "nominal"}
        return frozenset(names | {self.target.name} if self.task == "classification" else names)

    def problems(self, view: View) -> list[str]:
        """Return what keeps `view` from being a view of this data set.

        Parameters
        ----------
        view : View
            From this card or from a config.

        Returns
        -------
        list of str
            One message for each label, part or attribute that does not exist, with the nearest
            that does, and for a target that cannot be read so; empty where the view can be used.
        """
        kinds = {a.name: a.kind for a in self.attributes}
        found = [*self._target_problems(view)]
        if view.part and view.part not in self.parts:
            known = nearest(view.part, self.parts) or "; it is not divided into parts"
            found.append(f"{self.name} has no part {view.part!r}{known}")
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
        if set(kinds) <= set(view.exclude):
            found.append(f"all attributes of {self.name} are excluded")
        return found

    def _target_problems(self, view: View) -> Iterator[str]:
        labels = self.target.labels
        match view.positive:
            case None if self.task == "classification":
                yield f"the target of {self.name} is a label, so the view must say what is positive"
            case Threshold() if self.task == "classification":
                yield f"the target of {self.name} is a label, so no number can bound it"
            case tuple() if self.task == "regression":
                yield f"the target of {self.name} is a number: give at_most or at_least as positive"
            case tuple():
                for label in (*view.positive, *view.negative):
                    if label not in labels:
                        yield f"{self.name} has no label {label!r}{nearest(label, labels)}"
                if set(labels) <= set(view.positive):
                    yield f"all labels of {self.name} are positive, so there is nothing to learn"

    def view(self, name: str) -> View:
        """Return the view called `name`, or the one that stands for any.

        Raises
        ------
        ConfigError
            If the card has neither; the nearest is named.
        """
        view = self.views.get(name, self.views.get(ANY_VIEW))
        if view is None:
            hint = nearest(name, self.views)
            raise ConfigError(f"the card of {self.name} has no view {name!r}{hint}")
        return view


def _expanded(attribute: Any) -> Iterator[Any]:
    """Yield an attribute of a card, or all that ``p1..p784`` stands for."""
    name = attribute.get("name") if isinstance(attribute, dict) else None
    if not isinstance(name, str):
        yield attribute
        return
    for one in series(name):
        yield {**attribute, "name": one}


def card_names() -> list[str]:
    """Return the names of all data sets that have a card, sorted."""
    return sorted(_card_files())


def load_card(name: str) -> Card:
    """Return the card of the data set `name`.

    Raises
    ------
    ConfigError
        If there is no such card; the nearest name is given.
    DataError
        If the card is broken; its file is named.
    """
    files = _card_files()
    if name not in files:
        raise ConfigError(f"there is no data set {name!r}{nearest(name, files)}")
    return _load_once(files[name], files[name].stat().st_mtime_ns)


def _card_files() -> dict[str, Path]:
    """Return the cards of the current folder, and those that ship, which nothing replaces."""
    folders = (OWN_CARDS.resolve(), cards_folder())
    return {path.stem: path for folder in folders for path in folder.glob("*.yaml")}


@functools.cache
def _load_once(path: Path, changed: int) -> Card:
    return load_card_file(path)


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
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DataError(f"{path}: cannot be read: {' '.join(str(error).split())}") from error
    try:
        card = Card.model_validate(_with_whole_paths(content, path))
    except ValidationError as error:
        faults = "; ".join(_fault(e["loc"], e["msg"]) for e in error.errors())
        raise DataError(f"{path}: {faults}") from error
    if card.name != path.stem:
        raise DataError(f"{path}: the card is named {card.name!r}, its file {path.stem!r}")
    return card


def _with_whole_paths(content: Any, card: Path) -> Any:
    """Let the paths of a person's own files start at the folder of the card that names them."""
    sources = content.get("sources") if isinstance(content, dict) else None
    for source in sources if isinstance(sources, list) else ():
        if isinstance(source, dict) and isinstance(source.get("path"), str):
            source["path"] = str((card.parent / source["path"]).resolve())
    return content


def _fault(place: tuple[int | str, ...], message: str) -> str:
    text = message.removeprefix("Value error, ")
    return f"{'.'.join(map(str, place))}: {text}" if place else text
