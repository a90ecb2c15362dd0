"""Cards: data sets with their sources, and how papers turn them into problems."""

from __future__ import annotations

import filecmp
import functools
import os
from collections.abc import Collection, Iterator
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import AfterValidator, Field, NonNegativeInt, PositiveInt, model_validator

from quadrepro.base.files import cards_folder, write_text
from quadrepro.base.models import Mistake, Model, fault, refuse_unknown, validated
from quadrepro.base.types import Task
from quadrepro.base.yaml import Place, read_yaml, to_yaml
from quadrepro.data.canonical import default_order, parse_numbers
from quadrepro.data.schema import Attribute, Target, Threshold, View, refuse_repeats, series
from quadrepro.data.source import Layout, Source
from quadrepro.errors import ConfigError, DataError, nearest

__all__ = ["Attribute", "Card", "View", "card_names", "load_card", "load_card_file", "write_card"]

OWN_CARDS = Path("datasets")
"""The folder with the user's own cards, next to a config or in the current folder."""

TWO_CLASSES = ("negative", "positive")
"""Names of the classes of a view with `positive`."""

ANY_VIEW = "default"
"""The name of the view that is used for every view that a card lacks."""


def _expanded(attributes: tuple[Attribute, ...]) -> tuple[Attribute, ...]:
    every = [a.model_copy(update={"name": one}) for a in attributes for one in series(a.name)]
    refuse_repeats((*(a.name for a in every), "target"))
    return tuple(every)


class Card(Model):
    """The description of a data set."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    """Name, also of its files."""
    title: str = Field(min_length=1)
    """Name in its repository."""
    task: Literal["classification", "regression"]
    """Kind of target."""
    rows: PositiveInt
    """Number of rows."""
    attributes: Annotated[tuple[Attribute, ...], AfterValidator(_expanded)] = Field(min_length=1)
    """Columns in the order of the canonical CSV, without the target."""
    missing_cells: NonNegativeInt
    """Number of missing values."""
    rows_with_missing: NonNegativeInt
    """Number of rows with a missing value."""
    target: Target
    """Labels and their counts, or the range of the numbers."""
    parts: dict[str, tuple[PositiveInt, PositiveInt]] = Field({})
    """Parts of the rows: first and last row in the order of the source, from 1."""
    content_hash: str = Field(pattern=r"^sha256:[0-9a-f]{64}$")
    """`sha256:` and digits, from `quadrepro.data.canonical.content_hash`."""
    licence: str
    """Terms of use."""
    citation: str
    """What to cite."""
    sources: tuple[Source, ...] = ()
    """Where rows are from, preferred first."""
    notes: tuple[str, ...] = ()
    """Known faults, and what was left out."""
    views: dict[str, View] = Field({})
    """Views by paper; `default` is used for every other name."""

    _file: Path | None = None

    @property
    def file(self) -> Path | None:
        """The file that `load_card` read it from."""
        return self._file

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        self._check_target()
        self._check_columns()
        for name, view in self.views.items():
            for mistake in self.mistakes(view):
                raise fault(f"view {name}: {mistake.message}", "views", name, *mistake.place)
        return self

    def _check_target(self) -> None:
        labels, total = self.target.labels, sum(self.target.labels.values())
        if self.task == "regression" and (labels or self.target.range is None):
            raise fault("the target of a regression needs a range and no labels", "target")
        if self.task == "classification" and len(labels) < 2:
            raise fault("labels must name at least two labels", "target", "labels")
        if labels and total != self.rows:
            message = f"the label counts add up to {total}, but rows is {self.rows}"
            raise fault(message, "target", "labels")

    def _check_columns(self) -> None:
        names = {*self.attribute_names, self.target.name}
        for i, source in enumerate(self.sources):
            if not isinstance(source, Layout):
                continue
            for key in ("columns", "codes", "only"):
                for name in filter(None, getattr(source, key)):
                    refuse_unknown("unknown column", name, names, "sources", i, key, name)
            if source.columns and (lacking := names - {*source.columns}):
                raise fault(f"no column is {min(lacking)!r}", "sources", i, "columns")

    @cached_property
    def attribute_names(self) -> tuple[str, ...]:
        """The names of the attributes in the order of the columns."""
        return tuple(a.name for a in self.attributes)

    @cached_property
    def by_name(self) -> dict[str, Attribute]:
        """The attributes by name."""
        return {a.name: a for a in self.attributes}

    @cached_property
    def nominal_names(self) -> frozenset[str]:
        """The names of all columns with codes, including the target of a classification."""
        names = {a.name for a in self.attributes if a.kind == "nominal"}
        return frozenset(names | {self.target.name} if self.task == "classification" else names)

    def mistakes(self, view: View) -> Iterator[Mistake]:
        """Yield the reasons why a view cannot be a view of this data set."""
        yield from _target_mistakes(self, view)
        for place, lack, name, names in _names(self, view):
            if name not in names:
                # Nothing but parts can be lacking altogether.
                hint = nearest(name, names) or "; it is not divided into parts"
                yield Mistake(place, f"{lack} {name!r}{hint}")
        for name, values in view.where.items():
            is_numeric = name in self.by_name and self.by_name[name].kind == "numeric"
            if is_numeric and np.isinf(parse_numbers(values)).any():
                message = f"{name} of {self.name} is numeric, so its values must be numbers"
                yield Mistake(("where", name), message)
        if view.target_as in self.by_name:
            message = f"{self.name} has an attribute {view.target_as!r}: choose another name"
            yield Mistake(("target_as",), f"{message} for the target")
        if self.by_name.keys() <= set(view.exclude):
            yield Mistake(("exclude",), f"all attributes of {self.name} are excluded")

    def classes_of(self, view: View) -> tuple[str, ...]:
        """Return the names of the classes in a view, in the order of their codes."""
        if view.positive is not None:
            return TWO_CLASSES
        return default_order(view.labels or self.target.labels)

    def task_of(self, view: View) -> Task:
        """Return the task of a view."""
        tasks: dict[int, Task] = {0: "regression", 2: "classification"}
        return tasks.get(len(self.classes_of(view)), "multiclass")

    def view(self, name: str) -> View:
        """Return the view called `name`, or else the view ``default``.

        A card without a view ``default`` has one that keeps the target as it is.
        """
        if name in self.views:
            return self.views[name]
        if name == ANY_VIEW or ANY_VIEW in self.views:
            return self.views.get(ANY_VIEW, View())
        hint = nearest(name, self.views)
        raise ConfigError(f"the card of {self.name} has no view {name!r}{hint}")


def _target_mistakes(card: Card, view: View) -> Iterator[Mistake]:
    """Yield the reasons why a view does not fit the target."""
    labels, target = card.target.labels, f"the target of {card.name}"
    match view.positive:
        case None if view.labels and not labels:
            yield Mistake(("labels",), f"{target} is a number, so it has no labels to keep")
        case Threshold() if labels:
            yield Mistake(("positive",), f"{target} is a label, so positive must list labels")
        case tuple() if not labels:
            message = f"{target} is a number: give at_most or at_least as positive"
            yield Mistake(("positive",), message)
        case tuple() if labels.keys() <= set(view.positive):
            message = f"all labels of {card.name} are positive, so there is nothing to learn"
            yield Mistake(("positive",), message)


def _names(card: Card, view: View) -> Iterator[tuple[Place, str, str, Collection[str]]]:
    """Yield the names in a view: the place, the fault if it is unknown, the name, all names."""
    if view.part:
        yield ("part",), f"{card.name} has no part", view.part, card.parts
    positive = view.positive if isinstance(view.positive, tuple) else ()
    lists = {"positive": positive, "negative": view.negative, "labels": view.labels}
    for key, labels in lists.items():
        for i, label in enumerate(labels if card.target.labels else ()):
            yield (key, i), f"{card.name} has no label", label, card.target.labels
    for i, name in enumerate(view.exclude):
        yield ("exclude", i), f"{card.name} has no attribute", name, card.by_name
    for key, names in (("where", view.where), ("order", view.order)):
        for name in names:
            yield (key, name), f"{card.name} has no attribute", name, card.by_name
    for name, values in view.where.items():
        if name in card.by_name and (codes := card.by_name[name].codes):
            for value in values:
                yield ("where", name), f"{name} of {card.name} has no code", value, codes


def card_names(near: Path | None = None) -> list[str]:
    """Return the names of all data sets that have a card, sorted."""
    folders = (cards_folder(), *_own_folders(near))
    return sorted({path.stem for folder in folders for path in folder.glob("*.yaml")})


def load_card(name: str, near: Path | None = None) -> Card:
    """Return the card of a data set."""
    path = find_card(name, near)
    if path is None:
        hint = nearest(name, card_names(near), "quadrepro list datasets")
        raise ConfigError(f"unknown data set {name!r}{hint}")
    return _load_once(path, path.stat().st_mtime_ns)


def find_card(name: str, near: Path | None = None) -> Path | None:
    """Return the file of a card, or None without one.

    It is in the folder ``datasets`` next to the config or in the current folder, or it ships.
    """
    if Path(name).name != name:
        return None  # a path does not name a card
    shipped, *own = (folder / f"{name}.yaml" for folder in (cards_folder(), *_own_folders(near)))
    file = next(filter(Path.is_file, own), None)
    if not shipped.is_file():
        return file
    if file is not None and not filecmp.cmp(shipped, file):
        raise ConfigError(f"{file}: {name} ships with quadrepro; give this card another name")
    return shipped


def _own_folders(near: Path | None) -> list[Path]:
    """Return the folders of the user's own cards."""
    folders = [OWN_CARDS] if near is None else [near / OWN_CARDS, OWN_CARDS]
    return [*dict.fromkeys(folder.resolve() for folder in folders)]


@functools.cache
def _load_once(path: Path, changed: int) -> Card:
    card = load_card_file(path)
    card._file = path
    return card


def load_card_file(path: Path) -> Card:
    """Read a card from a YAML file; paths of the user's own files start at its folder."""
    source = read_yaml(path, scalars="text", error=DataError)
    card = validated(Card, source, DataError, context={"folder": path.parent})
    if card.name != path.stem:
        place = source.where(("name",))
        raise DataError(f"{place}: the card is named {card.name!r}, but its file {path.stem!r}")
    return card


def write_card(card: Card, path: Path) -> None:
    """Write a card so that `load_card_file` reads the same card back."""
    content = card.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    for source in content.get("sources", ()):
        for key in source.keys() & {"path", "test"}:
            own, folder = Path(source[key]), path.parent.resolve()
            if own.is_relative_to(folder.parent):  # the whole project can be moved
                source[key] = Path(os.path.relpath(own, folder)).as_posix()
    # The attributes can be thousands of lines.
    content["attributes"] = content.pop("attributes")
    write_text(path, to_yaml(content))
