"""The verbs for data sets and names: fetch and list."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

import click

from quadrepro.base.atomic import read_text
from quadrepro.base.resources import cards_folder, configs_folder, find_config
from quadrepro.cli.common import (
    completing,
    data_option,
    echo,
    offline_option,
    print_listing,
    quiet_option,
    verbose_option,
)
from quadrepro.errors import ConfigError, nearest

if TYPE_CHECKING:
    from quadrepro.data.card import Card

# What reads cards and configs is imported by the commands, as it is slow to import.

Listing = tuple[tuple[str, ...], list[tuple[str, ...]]]
"""Header and rows."""


@click.command("fetch")
@click.argument("what", nargs=-1, shell_complete=completing(cards_folder, configs_folder, Path))
@click.option("--all", "everything", is_flag=True, help="Every data set that has a card.")
@data_option
@offline_option
@quiet_option
@verbose_option
def fetch_command(
    what: tuple[str, ...], everything: bool, data: Path | None, offline: bool, quiet: bool
) -> None:
    """Download data sets into the cache.

    WHAT are names of data sets, or configs whose data sets and OpenML tasks are downloaded. All
    that was downloaded is kept, so an interrupted or failed call can simply be repeated. Exits with
    3 if something could not be downloaded.
    """
    from quadrepro.data.card import card_names, load_card
    from quadrepro.data.fetch import bring, bring_tasks, missing_cards
    from quadrepro.data.store import find_datasets

    if not what and not everything:
        raise click.UsageError("name data sets or configs, or use --all")
    cards, tasks = (map(load_card, card_names()), []) if everything else _named(what)
    by_name = {card.name: card for card in cards}
    bring(missing_cards(by_name.values(), data), data, offline=offline)
    bring_tasks(tasks, offline=offline)
    for place in find_datasets(by_name.values(), data).values():
        place.load()
    if not quiet:
        echo(f"Available and as described by the cards: {', '.join(by_name)}")


def _named(names: tuple[str, ...]) -> tuple[list[Card], list[tuple[Card, int]]]:
    """Return the named data sets, and data sets and OpenML tasks of the named configs."""
    from quadrepro.config.loading import load_experiment
    from quadrepro.data.card import card_names, load_card

    datasets, configs = card_names(), [path.stem for path in configs_folder().glob("*.yaml")]
    cards: list[Card] = []
    tasks: list[tuple[Card, int]] = []
    for name in names:
        if name in datasets:
            cards.append(load_card(name))
        elif name in configs or Path(name).is_file():
            experiment = load_experiment(find_config(name))
            cards += [entry.card for entry in experiment.config.datasets]
            tasks += experiment.openml_tasks
        else:
            hint = nearest(name, {*datasets, *configs}, "quadrepro list datasets")
            raise ConfigError(f"unknown data set or config {name!r}{hint}")
    return cards, tasks


def _datasets(folder: Path | None) -> Listing:
    from quadrepro.data.card import card_names, load_card
    from quadrepro.data.store import locate

    rows: list[tuple[str, ...]] = []
    for name in card_names():
        card = load_card(name)
        found = locate(card, folder)
        size = f"{card.rows} x {len(card.attributes)}"
        rows.append((name, card.task, size, found.origin if found else "not here", card.title))
    return ("name", "task", "rows x attributes", "available from", "title"), rows


def _experiments(folder: Path | None) -> Listing:
    from quadrepro.config.loading import load_experiment

    rows: list[tuple[str, ...]] = []
    for path in sorted(configs_folder().glob("*.yaml"), key=lambda p: p.stem):
        experiment = load_experiment(path)
        config = experiment.config
        size = f"{len(config.rows)} x {len(experiment.columns)} x {config.repeats}"
        rows.append((path.stem, config.title, size))
    return ("name", "title", "data sets x algorithms x repeats"), rows


def _algorithms(folder: Path | None) -> Listing:
    from quadrepro.core.training.algorithms import ALGORITHMS, axis_text

    rows: list[tuple[str, ...]] = []
    for name, entry in ALGORITHMS.items():
        grid = ", ".join(f"{h.name} ({h.meaning})" for h in entry.make({}).hyperparameters)
        values = "; ".join(f"{key}: {axis_text(axis)}" for key, axis in entry.grid.items())
        settings = ", ".join(f"{key}={value}" for key, value in entry.settings.items())
        rows.append((name, grid, values, settings, entry.source))
    own = ("its parameters", "", "its parameters")
    rows.append(("sklearn:NAME", *own, "scikit-learn's estimators"))
    rows.append(("MODULE:NAME", *own, "any other module, as xgboost:XGBClassifier"))
    return ("name", "searched over", "default values", "settings", "source"), rows


def _registry(place: str, meaning: str) -> Callable[[Path | None], Listing]:
    """Return what lists a registry, with an attribute of its entries as their meaning."""

    def listing(folder: Path | None) -> Listing:
        entries = resolve_name(place).items()
        texts = ((name, (getattr(entry, meaning) or "").strip()) for name, entry in entries)
        return ("name", "meaning"), [(name, text.partition("\n")[0]) for name, text in texts]

    return listing


LISTINGS: dict[str, Callable[[Path | None], Listing]] = {
    "datasets": _datasets,
    "experiments": _experiments,
    "algorithms": _algorithms,
    "measures": _registry("quadrepro.core.measures.names:MEASURES", "title"),
    "metrics": _registry("quadrepro.core.metrics:METRICS", "label"),
    "claims": _registry("quadrepro.papers.claims:CLAIMS", "__doc__"),
    "tables": _registry("quadrepro.config.tables:KINDS", "meaning"),
}


@click.command("list")
@click.argument("what", type=click.Choice([*LISTINGS, "keys"]))
@click.argument("name", required=False, shell_complete=completing(cards_folder))
@data_option
@click.option("--markdown", is_flag=True, help="With keys: those of a config as a page to read.")
def list_command(what: str, name: str | None, data: Path | None, markdown: bool) -> None:
    """List data sets, experiments, or the names and keys of configs.

    `list datasets NAME` prints the card of a data set, where its rows are, and whether they match
    the card; it exits with 3 if they do not.

    `list keys` prints the keys of a config, `list keys card` those of a card and `list keys paper`
    those of a paper.yaml, as a JSON schema. Editors complete and check what is typed below the line
    `# yaml-language-server: $schema=FILE`.
    """
    if markdown and (what, name or "config") != ("keys", "config"):
        raise click.UsageError("--markdown goes with the keys of a config")
    if what == "keys":
        from quadrepro.config.reference import DOCUMENTS, config_reference, schema_text

        kind = name or "config"
        if kind not in DOCUMENTS:
            raise ConfigError(f"unknown kind of file {kind!r}{nearest(kind, DOCUMENTS)}")
        echo(config_reference() if markdown else schema_text(kind), nl=False)
    elif name is None:
        print_listing(*LISTINGS[what](data))
    elif what == "datasets":
        _show_card(name, data)
    else:
        raise click.UsageError("NAME goes with keys and datasets")


def _show_card(name: str, data: Path | None) -> None:
    """Print a card, where its rows are, and whether they match it."""
    from quadrepro.data.card import find_card, load_card
    from quadrepro.data.store import locate

    card = load_card(name)
    path, found = find_card(name), locate(card, data)
    assert path is not None
    echo(f"# {path}\n{read_text(path).rstrip()}")
    if found is None:
        echo(f"# here: no; fetch with: quadrepro fetch {name}")
        return
    echo(f"# here: {found.origin}")
    found.load()
    echo(f"# {card.rows} rows, as described")
