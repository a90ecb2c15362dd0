"""The verbs for data sets and names: fetch and list."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

import click

from quadrepro.base.files import cards_folder, configs_folder, find_config, read_text
from quadrepro.base.yaml import read_yaml
from quadrepro.cli import options
from quadrepro.cli.output import echo, print_listing
from quadrepro.errors import ConfigError, nearest

if TYPE_CHECKING:
    from quadrepro.data.card import Card

# Commands import the modules of cards and configs, as these are slow to import.

Listing = tuple[tuple[str, ...], list[tuple[str, ...]]]
"""Header and rows."""


@click.command("fetch")
@click.argument(
    "names",
    metavar="[NAME|CONFIG]...",
    nargs=-1,
    shell_complete=options.completing(cards_folder, configs_folder, Path),
)
@click.option("--all", "everything", is_flag=True, help="Every data set that has a card.")
@options.data
@options.offline
@options.quiet
@options.verbose
def fetch_command(
    names: tuple[str, ...], everything: bool, data: Path | None, offline: bool, quiet: bool
) -> None:
    """Download data sets into the cache.

    Each NAME is a data set; the data sets and OpenML tasks of each CONFIG are downloaded. All
    downloads are kept, so an interrupted or failed call can simply be repeated. Exits with 3 if
    something could not be downloaded.
    """
    from quadrepro.data.card import card_names, load_card
    from quadrepro.data.fetch import bring
    from quadrepro.data.store import find_datasets

    if not names and not everything:
        raise click.UsageError("name data sets or configs, or use --all")
    cards, tasks = (map(load_card, card_names()), []) if everything else _named(names)
    by_name = {card.name: card for card in cards}
    bring(by_name.values(), tasks, data, offline=offline)
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
            cards += [item.card for item in experiment.config.datasets]
            tasks += experiment.openml_tasks
        else:
            hint = nearest(name, {*datasets, *configs}, "quadrepro list datasets")
            raise ConfigError(f"unknown data set or config {name!r}{hint}")
    return cards, tasks


def _datasets(folder: Path | None) -> Listing:
    from quadrepro.data.card import card_names, load_card
    from quadrepro.data.store import locate

    rows: list[tuple[str, ...]] = []
    for card in map(load_card, card_names()):
        size = f"{card.rows} x {len(card.attributes)}"
        rows.append((card.name, card.task, size, locate(card, folder).origin, card.title))
    return ("name", "task", "rows x attributes", "available from", "title"), rows


def _experiments(folder: Path | None) -> Listing:
    from quadrepro.config.loading import read_experiment

    rows: list[tuple[str, ...]] = []
    for path in sorted(configs_folder().glob("*.yaml"), key=lambda p: p.stem):
        experiment = read_experiment(path.stem, read_yaml(path))
        config = experiment.config
        size = f"{len(config.rows)} x {len(experiment.columns)} x {config.repeats}"
        rows.append((path.stem, config.title, size))
    return ("name", "title", "data sets x algorithms x repeats"), rows


def _algorithms(folder: Path | None) -> Listing:
    from quadrepro.core.training.algorithms import ALGORITHMS, axis_text

    rows: list[tuple[str, ...]] = []
    for name, algorithm in ALGORITHMS.items():
        grid = ", ".join(f"{h.name} ({h.meaning})" for h in algorithm.make({}).hyperparameters)
        values = "; ".join(f"{key}: {axis_text(axis)}" for key, axis in algorithm.grid.items())
        settings = ", ".join(f"{key}={value}" for key, value in algorithm.settings.items())
        rows.append((name, grid, values, settings, algorithm.source))
    own = ("its parameters", "", "its parameters")
    rows.append(("sklearn:NAME", *own, "scikit-learn's estimators"))
    rows.append(("MODULE:NAME", *own, "any other module, as xgboost:XGBClassifier"))
    return ("name", "searched over", "default values", "settings", "source"), rows


def _registry(folder: Path | None, place: str, meaning: str) -> Listing:
    """List a registry, with the first line of an attribute as the meaning of each name."""
    texts = {name: getattr(kind, meaning) or "" for name, kind in resolve_name(place).items()}
    return ("name", "meaning"), [(n, text.strip().partition("\n")[0]) for n, text in texts.items()]


LISTINGS: dict[str, Callable[[Path | None], Listing]] = {
    "datasets": _datasets,
    "experiments": _experiments,
    "algorithms": _algorithms,
    "measures": partial(_registry, place="quadrepro.core.measures.names:MEASURES", meaning="title"),
    "metrics": partial(_registry, place="quadrepro.core.metrics:METRICS", meaning="label"),
    "claims": partial(_registry, place="quadrepro.papers.claims:CLAIMS", meaning="__doc__"),
    "tables": partial(_registry, place="quadrepro.config.config:KINDS", meaning="meaning"),
}


@click.command("list")
@click.argument("kind", type=click.Choice([*LISTINGS, "keys"]))
@click.argument("name", required=False, shell_complete=options.completing(cards_folder))
@options.data
@click.option("--markdown", is_flag=True, help="The keys of a config, as a page to read.")
def list_command(kind: str, name: str | None, data: Path | None, markdown: bool) -> None:
    """List data sets, experiments, or the names and keys of configs.

    `list datasets NAME` prints the card of a data set, where its rows are, and whether they match
    the card; it exits with 3 if they do not.

    `list keys` prints the keys of a config, `list keys card` the keys of a card, and `list keys
    paper` the keys of a paper.yaml, as a JSON schema. Editors complete and check the text below the
    line `# yaml-language-server: $schema=FILE`.
    """
    if markdown and (kind, name or "config") != ("keys", "config"):
        raise click.UsageError("--markdown goes with the keys of a config")
    if kind == "keys":
        from quadrepro.config.reference import DOCUMENTS, config_reference, schema_text

        document = name or "config"
        if document not in DOCUMENTS:
            raise ConfigError(f"unknown kind of file {document!r}{nearest(document, DOCUMENTS)}")
        echo(config_reference() if markdown else schema_text(document), nl=False)
    elif name is None:
        print_listing(*LISTINGS[kind](data))
    elif kind == "datasets":
        _show_card(name, data)
    else:
        raise click.UsageError("NAME goes with keys and datasets")


def _show_card(name: str, data: Path | None) -> None:
    """Print a card, where its rows are, and whether they match it."""
    from quadrepro.data.card import find_card, load_card
    from quadrepro.data.store import locate

    card, path = load_card(name), find_card(name)
    assert path is not None
    echo(f"# {path}\n{read_text(path).rstrip()}")
    place = locate(card, data)
    if place.where is None:
        echo(f"# here: no; fetch with: quadrepro fetch {name}")
        return
    echo(f"# here: {place.origin}")
    place.load()
    echo(f"# {card.rows} rows, as described")
