"""``quadrepro list``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from quadrepro.base.plugins import KINDS
from quadrepro.base.text import json_text
from quadrepro.cli.options import data_option
from quadrepro.cli.showing import echo

Rows = list[tuple[str, ...]]

OWN = "quadrepro"

DISPENSABLE = ("sources",)
"""Columns that a narrow terminal does not show."""


@click.command("list")
@click.argument("what", type=click.Choice(["datasets", "experiments", *KINDS]))
@data_option
@click.option(
    "--format",
    "form",
    type=click.Choice(("auto", "markdown", "csv", "json")),
    default="auto",
    show_default=True,
    help="Columns as wide as the terminal, or a table for other programs.",
)
def command(what: str, data: Path | None, form: str) -> None:
    """List data sets, experiments, or the names that configs, cards and papers can use.

    What can be named is listed with the package that it is from.
    """
    from quadrepro.cli.showing import print_listing

    listing: dict[str, Callable[[], tuple[tuple[str, ...], Rows]]] = {
        "datasets": lambda: _datasets(data),
        "algorithms": _algorithms,
        "experiments": _experiments,
    }
    header, rows = listing[what]() if what in listing else _others(what)
    if form == "json":
        named = [dict(zip(header, row, strict=True)) for row in rows]
        echo(json_text(named, indent=2))
    elif form == "csv":
        from quadrepro.tables.table import csv_text

        echo(csv_text(header, tuple(rows)), nl=False)
    elif form == "markdown":
        from tabulate import tabulate

        echo(tabulate(rows, header, "pipe", disable_numparse=True))
    else:
        print_listing(header, rows, DISPENSABLE)


def _datasets(folder: Path | None) -> tuple[tuple[str, ...], Rows]:
    from quadrepro.data.card import card_names, load_card
    from quadrepro.data.sources.schema import origin as source_name
    from quadrepro.data.store import locate

    rows: Rows = []
    for name in card_names():
        card = load_card(name)
        found = locate(card, folder)
        size = f"{card.rows} x {len(card.attributes)}"
        origin = found.origin if found else "not here"
        sources = ", ".join(dict.fromkeys(map(source_name, card.sources)))
        rows.append((name, card.task, size, origin, sources, card.title))
    return ("name", "task", "rows x attributes", "available from", "sources", "title"), rows


def _algorithms() -> tuple[tuple[str, ...], Rows]:
    from quadrepro.core.learners.registry import ALGORITHMS, axis_text

    rows: Rows = []
    added = {extension.name: extension for extension in ALGORITHMS.extensions()}
    entries = {**ALGORITHMS} | {name: ALGORITHMS.find(name) for name in added}
    for name, entry in entries.items():
        grid = ", ".join(f"{h.name} ({h.meaning})" for h in entry.make({}).hyperparameters)
        axes = (entry.grid).items()
        values = "; ".join(f"{key}: {axis_text(axis)}" for key, axis in axes)
        settings = ", ".join(f"{k}={v}" for k, v in entry.settings.items())
        package = added[name].title if name in added else OWN
        rows.append((name, grid, values, settings, entry.source, package))
    own = ("its parameters", "", "its parameters")
    rows.append(("sklearn:NAME", *own, "scikit-learn's estimators", "scikit-learn"))
    rows.append(("MODULE:NAME", *own, "estimators of any module, as xgboost:XGBClassifier", "any"))
    return ("name", "searched over", "default values", "settings", "source", "package"), rows


def _others(what: str) -> tuple[tuple[str, ...], Rows]:
    """Return what a registry has, and what other packages add to it."""
    from quadrepro.plugins import REGISTRIES

    registry = REGISTRIES[what]
    rows: Rows = [(name, registry.meaning(entry), OWN) for name, entry in registry.items()]
    for added in registry.extensions():
        rows.append((added.name, registry.meaning(registry.find(added.name)), added.title))
    return ("name", "meaning", "package"), rows


def _experiments() -> tuple[tuple[str, ...], Rows]:
    from quadrepro.base.resources import configs_folder
    from quadrepro.config.config import load_experiment

    rows: Rows = []
    for path in sorted(configs_folder().glob("*.yaml"), key=lambda p: p.stem):
        config = load_experiment(path).config
        size = f"{len(config.rows)} x {len(config.columns)} x {config.repeats}"
        rows.append((path.stem, config.title, size))
    return ("name", "title", "data sets x algorithms x repeats"), rows
