"""Why a view cannot be a view of a data set: what it names that the card lacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quadrepro.data.canonical import number
from quadrepro.data.schema import Threshold, View
from quadrepro.documents.source import Place
from quadrepro.documents.validation import Mistake
from quadrepro.errors import nearest

if TYPE_CHECKING:
    from quadrepro.data.card import Card

MAX_CLASSES = 65_536
"""Codes of classes are kept in two bytes."""


def view_mistakes(card: Card, view: View) -> Iterator[Mistake]:
    """Yield the reasons why a view cannot be one of a card; see `Card.mistakes`."""
    known = card.by_name
    yield from _target_mistakes(card, view)
    yield from _where_mistakes(card, view)
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
        message = f"{card.name} has an attribute {view.target_as!r}: name the target otherwise"
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
                message = f"{name} of {card.name} is numeric, but {value!r} is no number"
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
