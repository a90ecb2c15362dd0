"""``quadrepro show``."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quadrepro.cli.options import data_option
from quadrepro.cli.showing import echo

if TYPE_CHECKING:
    from quadrepro.data.card import Attribute, Card, View

WIDTH = 100
"""Columns of a terminal that are used at most."""

SHOWN_CODES = 8
SHOWN_NAMES = 12


@click.command("show")
@click.argument("dataset")
@data_option
def command(dataset: str, data: Path | None) -> None:
    """Print the card of a data set, where its rows are, and whether they match the card.

    Exits with 3 if rows are available that do not match it.
    """
    from quadrepro.data.card import load_card

    card = load_card(dataset)
    _paragraph(f"{card.name}: {card.title}", "")
    echo(f"{card.task}, {card.rows} rows, {len(card.attributes)} attributes")
    _section(f"target ({card.target.original})", [_target(card)])
    _section("attributes", _attributes(card))
    _section("parts", (f"{name}: rows {a} to {b}" for name, (a, b) in card.parts.items()))
    numbers = card.task == "regression"
    views = (_view(name, view, numbers) for name, view in card.views.items())
    _section("views", itertools.chain.from_iterable(views))
    _section("notes", card.notes)
    _section("licence", [card.licence])
    _section("citation", [card.citation])
    _section("sources, the preferred first", _sources(card))
    _section("here", _provenance(card, data))
    _section("checks", _checks(card, data))


def _section(title: str, paragraphs: Iterable[str]) -> None:
    """Print a title and what stands under it; nothing where nothing does."""
    for i, paragraph in enumerate(paragraphs):
        if i == 0:
            echo(f"\n{title}")
        _paragraph(paragraph.strip(), "  " + " " * (len(paragraph) - len(paragraph.lstrip())))


def _paragraph(text: str, indent: str) -> None:
    """Print lines as wide as the terminal; paths, addresses and hashes are never broken."""
    from quadrepro.tables.terminal import columns

    echo(
        textwrap.fill(
            text,
            min(WIDTH, columns()),
            initial_indent=indent,
            subsequent_indent=f"{indent}  ",
            break_on_hyphens=False,
            break_long_words=False,
        )
    )


def _target(card: Card) -> str:
    from quadrepro.data.checks import extent

    if card.target.range is not None:
        return extent(card.target.range)
    return ", ".join(f"{label} ({n})" for label, n in card.target.labels.items())


def _attributes(card: Card) -> Iterator[str]:
    """Yield one line an attribute, or a run of attributes of which the same is said."""
    for said, run in itertools.groupby(card.attributes, key=_said):
        names = [a.name for a in run]
        many = len(names) > SHOWN_NAMES
        shown = f"{names[0]} to {names[-1]} ({len(names)})" if many else ", ".join(names)
        yield f"{shown}: {said}"


def _said(attribute: Attribute) -> str:
    from quadrepro.data.checks import extent

    if attribute.range is not None:
        return f"numeric, {extent(attribute.range)}"
    if attribute.codes is None:
        return attribute.kind
    codes = attribute.codes
    more = f", ... ({len(codes)} codes)" if len(codes) > SHOWN_CODES else ""
    return f"nominal, {', '.join(codes[:SHOWN_CODES])}{more}"


def _view(name: str, view: View, numbers: bool) -> Iterator[str]:
    from quadrepro.data.schema import Threshold

    match view.positive:
        case None if numbers:
            target = "the number is predicted"
        case None:
            target = f"classes are {', '.join(view.labels) or 'all labels'}"
        case Threshold(at_most=float(bound)):
            target = f"at most {bound:g} is positive"
        case Threshold(at_least=bound):
            target = f"at least {bound:g} is positive"
        case labels:
            rest = f"against {', '.join(view.negative)}" if view.negative else "against the rest"
            target = f"{', '.join(labels)} {rest}"
    changes = view.content()
    for key in ("positive", "negative", "labels"):
        changes.pop(key, None)
    others = "".join(f"; {k}: {_plain(v)}" for k, v in changes.items())
    lowest = "" if view.bayes_error is None else f"; lowest risk {view.bayes_error:g}"
    yield f"{name}: {target}{others}{lowest} ({view.status})"
    if view.evidence:
        yield f"  {view.evidence}"


def _plain(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, dict)) else str(value)


def _sources(card: Card) -> Iterator[str]:
    from quadrepro.data.sources.schema import describe

    for i, source in enumerate(card.sources, start=1):
        note = getattr(source, "note", "")
        yield f"{i}. {describe(source)}" + (f" ({note})" if note else "")


def _provenance(card: Card, folder: Path | None) -> Iterator[str]:
    from quadrepro.data.cache import provenance
    from quadrepro.data.store import CacheEntry, locate

    location = locate(card, folder)
    if location is None:
        yield f"no; fetch with: quadrepro fetch {card.name}"
    elif isinstance(location.where, CacheEntry):
        known = provenance(location.where.path)
        yield f"{location.where.path}, from {known.origin} at {known.date}"
        for name, file_hash in known.files.items():
            yield f"  {name}: {file_hash}"
    else:
        yield location.origin


def _checks(card: Card, folder: Path | None) -> Iterator[str]:
    from quadrepro.data.checks import checks
    from quadrepro.data.store import load_dataset, locate

    if locate(card, folder) is not None:
        # What is not as the card says is refused here, with its message.
        for check in checks(card, load_dataset(card.name, folder).table):
            yield f"ok  {check.what}: {check.expected}"
