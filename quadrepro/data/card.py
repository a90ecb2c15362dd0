"""Cards: what a data set must be, where it comes from, and how papers turn it into a problem."""

from __future__ import annotations

import filecmp
import functools
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from quadrepro.base.models import Mistake, Model, fault, validated
from quadrepro.base.resources import cards_folder
from quadrepro.base.types import Task
from quadrepro.base.yaml import Place, read_yaml
from quadrepro.data.canonical import default_order, number
from quadrepro.data.schema import (
    MAX_ROWS,
    Attribute,
    Target,
    Threshold,
    View,
    every_name,
    refuse_repeats,
    series,
)
from quadrepro.data.source import FileSource, Layout, Source
from quadrepro.errors import ConfigError, DataError, nearest

__all__ = ["Attribute", "Card", "View", "card_names", "load_card", "load_card_file"]

MAX_CLASSES = 65_536
"""Codes of classes are kept in two bytes."""


OWN_CARDS = Path("datasets")
"""The folder with the user's own cards, relative to the current one."""

TWO_CLASSES = ("negative", "positive")
"""Names of the classes of a view with `positive`."""

ANY_VIEW = "default"
"""The name of the view that is used for every view that a card lacks."""


class Card(Model):
    """The description of a data set."""

    name: str = Field(
        pattern=r"^[a-z][a-z0-9_]*$",
        description="The short name, also that of the files NAME.yaml and NAME.csv.",
    )
    title: str = Field(min_length=1, description="The name in its repository.")
    task: Literal["classification", "regression"] = Field(
        description="Whether the target is a label or a number."
    )
    rows: int = Field(gt=0, lt=MAX_ROWS, description="The number of rows.")
    attributes: tuple[Attribute, ...] = Field(
        min_length=1,
        description="The columns in the order of the canonical CSV, without the target.",
    )
    missing_cells: int = Field(ge=0, description="The number of missing values.")
    rows_with_missing: int = Field(
        ge=0, lt=MAX_ROWS, description="The number of rows with a missing value."
    )
    target: Target = Field(description="The labels and their counts, or the range of the numbers.")
    parts: dict[str, tuple[int, int]] = Field(
        default_factory=dict,
        description="Named parts of the rows: for each, its first and last row in the order of"
        " the source, counted from 1. Every row is in exactly one part.",
    )
    content_hash: str = Field(
        pattern=r"^sha256:[0-9a-f]{64}$",
        description="`sha256:` and 64 hexadecimal digits, from"
        " `quadrepro.data.canonical.content_hash`.",
    )
    licence: str = Field(description="The terms of use.")
    citation: str = Field(description="What to cite.")
    sources: tuple[Source, ...] = Field(
        default=(),
        description="Where the rows come from; the preferred source first. A card with a"
        " canonical CSV of its name beside it needs none.",
    )
    notes: tuple[str, ...] = Field(
        default=(), description="Known faults of the data, and what was left out or changed."
    )
    views: dict[str, View] = Field(
        default_factory=dict,
        description="By the name of the paper; the view `default` is used for every other name.",
    )

    @field_validator("attributes")
    @classmethod
    def _attributes_of_series(cls, attributes: tuple[Attribute, ...]) -> tuple[Attribute, ...]:
        names = [attribute.name for attribute in attributes]
        for i, name in enumerate(names):
            if next(series(name), None) is None:
                raise fault(f"the series {name} counts down", i, "name")
        return tuple(
            attributes[i] if name == names[i] else attributes[i].model_copy(update={"name": name})
            for i, name in every_name(names)
        )

    @model_validator(mode="after")
    def _parts_agree(self) -> Self:
        refuse_repeats("attributes", (*self.attribute_names, self.target.name), "attributes")
        if self.task == "classification":
            total = sum(self.target.labels.values())
            if len(self.target.labels) < 2:
                raise fault("labels must name at least two labels", "target", "labels")
            if total != self.rows:
                message = f"the label counts add up to {total}, but rows is {self.rows}"
                raise fault(message, "target", "labels")
        elif self.target.labels or self.target.range is None:
            raise fault("the target of a regression needs a range and no labels", "target")
        self._check_parts()
        self._check_layouts()
        for name, view in self.views.items():
            for mistake in self.mistakes(view):
                raise fault(f"view {name}: {mistake.message}", "views", name, *mistake.place)
        return self

    def _check_parts(self) -> None:
        next_row = 1
        for name, (first, last) in self.parts.items():
            if first != next_row or last < first:
                message = f"part {name} must begin at row {next_row} and not be empty"
                raise fault(message, "parts", name)
            next_row = last + 1
        if self.parts and next_row != self.rows + 1:
            raise fault(f"the parts end at row {next_row - 1}, but rows is {self.rows}", "parts")

    def _check_layouts(self) -> None:
        wanted = {*self.attribute_names, self.target.name}
        for i, source in enumerate(self.sources):
            if not isinstance(source, Layout):
                continue
            named = tuple(name for name in source.columns if name)
            refuse_repeats(f"columns of {source.kind}", named, "sources", i, "columns")
            for key, names in (("columns", named), ("codes", source.codes), ("only", source.only)):
                for name in names:
                    if name not in wanted:
                        hint = nearest(name, wanted)
                        message = f"source {source.kind}: unknown column {name!r}{hint}"
                        raise fault(message, "sources", i, key, name)
            if named and (lacking := wanted - {*named}):
                message = f"source {source.kind} lacks the column {min(lacking)!r}"
                raise fault(message, "sources", i, "columns")

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
        yield from _where_mistakes(self, view)
        yield from _name_mistakes(self, view)

    def classes_of(self, view: View) -> tuple[str, ...]:
        """Return the names of the classes in a view, in the order of their codes."""
        if view.positive is not None:
            return TWO_CLASSES
        return default_order(view.labels or self.target.labels)

    def task_of(self, view: View) -> Task:
        """Return what is predicted in a view."""
        n_classes = len(self.classes_of(view))
        if not n_classes:
            return "regression"
        return "classification" if n_classes == 2 else "multiclass"

    def view(self, name: str) -> View:
        """Return the view called `name`, or else the view ``default``.

        A card without a view ``default`` has one that keeps the target as it is.
        """
        view = self.views.get(name, self.views.get(ANY_VIEW))
        if view is None and name == ANY_VIEW:
            return View()
        if view is None:
            hint = nearest(name, self.views)
            raise ConfigError(f"the card of {self.name} has no view {name!r}{hint}")
        return view


def _name_mistakes(card: Card, view: View) -> Iterator[Mistake]:
    known = card.by_name
    if view.part and view.part not in card.parts:
        hint = nearest(view.part, card.parts) or "; it is not divided into parts"
        yield Mistake(("part",), f"{card.name} has no part {view.part!r}{hint}")
    named: list[tuple[Place, str]] = [(("where", name), name) for name in view.where]
    named += [(("order", name), name) for name in view.order]
    for place, name in [*((("exclude", i), n) for i, n in enumerate(view.exclude)), *named]:
        if name not in known:
            hint = nearest(name, known)
            yield Mistake(place, f"{card.name} has no attribute {name!r}{hint}")
    for name in view.order:
        if name in known and known[name].kind == "numeric":
            message = f"{name} of {card.name} is numeric, so its values need no order"
            yield Mistake(("order", name), message)
    if view.target_as in known:
        message = (
            f"{card.name} has an attribute {view.target_as!r}: choose another name for the target"
        )
        yield Mistake(("target_as",), message)
    if known.keys() <= set(view.exclude):
        yield Mistake(("exclude",), f"all attributes of {card.name} are excluded")


def _where_mistakes(card: Card, view: View) -> Iterator[Mistake]:
    for name, values in view.where.items():
        if (attribute := card.by_name.get(name)) is None:
            continue
        codes = None if attribute.codes is None else set(attribute.codes)
        for value in values:
            if attribute.kind == "numeric" and number(value) is None:
                message = f"{name} of {card.name} is numeric, but {value!r} is not a number"
                yield Mistake(("where", name), message)
            elif codes is not None and value not in codes:
                hint = nearest(value, codes)
                message = f"{name} of {card.name} has no code {value!r}{hint}"
                yield Mistake(("where", name), message)


def _target_mistakes(card: Card, view: View) -> Iterator[Mistake]:
    labels, at = card.target.labels, ("positive",)
    target = f"the target of {card.name}"
    match view.positive:
        case None if card.task == "regression" and view.labels:
            yield Mistake(("labels",), f"{target} is a number, so it has no labels to keep")
        case None:
            yield from _unknown_labels(card, "labels", view.labels)
            if len(view.labels or labels) > MAX_CLASSES:
                message = f"{target} has more than {MAX_CLASSES:,} labels: list some as labels"
                yield Mistake(("labels",), message)
        case Threshold() if card.task == "classification":
            yield Mistake(at, f"{target} is a label, so positive must list labels")
        case tuple() if card.task == "regression":
            yield Mistake(at, f"{target} is a number: give at_most or at_least as positive")
        case tuple():
            yield from _unknown_labels(card, "positive", view.positive)
            yield from _unknown_labels(card, "negative", view.negative)
            if labels.keys() <= set(view.positive):
                yield Mistake(
                    at, f"all labels of {card.name} are positive, so there is nothing to learn"
                )


def _unknown_labels(card: Card, key: str, named: tuple[str, ...]) -> Iterator[Mistake]:
    labels = card.target.labels
    for i, label in enumerate(named):
        if label not in labels:
            hint = nearest(label, labels)
            yield Mistake((key, i), f"{card.name} has no label {label!r}{hint}")


def card_names() -> list[str]:
    """Return the names of all data sets that have a card, sorted."""
    return sorted({path.stem for folder in _card_folders() for path in folder.glob("*.yaml")})


def load_card(name: str) -> Card:
    """Return the card of a data set."""
    path = find_card(name)
    if path is None:
        hint = nearest(name, card_names(), "quadrepro list datasets")
        raise ConfigError(f"unknown data set {name!r}{hint}")
    return _load_once(path, path.stat().st_mtime_ns)


def find_card(name: str) -> Path | None:
    """Return the file of a card that ships or of the user's own, or None without either."""
    shipped, own = (folder / f"{name}.yaml" for folder in _card_folders())
    found = [p for p in (shipped, own) if p.stem == name and os.path.exists(p)]
    if len(found) == 2 and not filecmp.cmp(shipped, own):
        raise ConfigError(f"{own}: {name} ships with quadrepro; give this card another name")
    return found[0] if found else None


def _card_folders() -> tuple[Path, Path]:
    return cards_folder(), OWN_CARDS.resolve()


@functools.cache
def _load_once(path: Path, changed: int) -> Card:
    return load_card_file(path)


def load_card_file(path: Path) -> Card:
    """Read a card from a YAML file; paths of the user's own files start at its folder."""
    source = read_yaml(path, scalars="text", error=DataError)
    card = validated(Card, source, DataError)
    if card.name != path.stem:
        place = source.where(("name",))
        raise DataError(f"{place}: the card is named {card.name!r}, but its file {path.stem!r}")
    sources = (
        source.model_copy(update={"path": str((path.parent / source.path).resolve())})
        if isinstance(source, FileSource)
        else source
        for source in card.sources
    )
    return card.model_copy(update={"sources": tuple(sources)})
