"""``quadrepro list``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from quadrepro.cli.options import data_option

Rows = list[tuple[str, ...]]


@click.command("list")
@click.argument("what", type=click.Choice(["datasets", "algorithms", "experiments"]))
@data_option
def command(what: str, data: Path | None) -> None:
    """List data sets, algorithms or experiments."""
    from tabulate import tabulate

    listing: dict[str, Callable[[], tuple[tuple[str, ...], Rows]]] = {
        "datasets": lambda: _datasets(data),
        "algorithms": _algorithms,
        "experiments": _experiments,
    }
    header, rows = listing[what]()
    click.echo(tabulate(rows, header, "simple", disable_numparse=True))


def _datasets(folder: Path | None) -> tuple[tuple[str, ...], Rows]:
    from quadrepro.data.card import card_names, load_card
    from quadrepro.data.location import locate
    from quadrepro.data.sources.schema import origin as source_name

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
    from quadrepro.learners.registry import ALGORITHMS

    rows: Rows = []
    for name, entry in ALGORITHMS.items():
        grid = ", ".join(f"{h.name} ({h.meaning})" for h in entry.make({}).hyperparameters)
        settings = ", ".join(f"{k}={v}" for k, v in entry.settings.items())
        rows.append((name, grid, settings, entry.source))
    rows.append(("sklearn:NAME", "its parameters", "its parameters", "scikit-learn's estimators"))
    return ("name", "searched over", "settings", "source"), rows


def _experiments() -> tuple[tuple[str, ...], Rows]:
    from quadrepro.config.loading import load_experiment
    from quadrepro.resources import configs_folder

    rows: Rows = []
    for path in sorted(configs_folder().glob("*.yaml"), key=lambda p: p.stem):
        config = load_experiment(path).config
        size = f"{len(config.rows)} x {len(config.algorithms)} x {config.repeats}"
        rows.append((path.stem, config.title, size))
    return ("name", "title", "data sets x algorithms x repeats"), rows
