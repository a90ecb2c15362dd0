"""The verbs for data sets and names: fetch and list."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

import click

from quadrepro.cli.options import data_option, offline_option
from quadrepro.cli.showing import echo, print_listing
from quadrepro.errors import ConfigError, nearest

if TYPE_CHECKING:
    from quadrepro.data.card import Attribute, Card, View

Rows = list[tuple[str, ...]]

REGISTRIES = {
    "measures": ("quadrepro.core.measures.measure:MEASURES", "title"),
    "metrics": ("quadrepro.engine.metrics:METRICS", "label"),
    "claims": ("quadrepro.papers.claims:CLAIMS", "__doc__"),
    "tables": ("quadrepro.config.tables:KINDS", "meaning"),
    "sources": ("quadrepro.data.sources.schema:SOURCES", "__doc__"),
}
"""Names that are listed with their meaning: the registry, and the attribute of its entries."""

DISPENSABLE = ("sources",)
"""Columns that a narrow terminal does not show."""

WIDTH = 100
"""Largest width of the lines of a card."""

SHOWN_CODES = 8
SHOWN_NAMES = 12


@click.command("fetch")
@click.argument("what", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every data set that has a card.")
@data_option
@offline_option
def fetch_command(
    what: tuple[str, ...], everything: bool, data: Path | None, offline: bool
) -> None:
    """Download data sets into the cache.

    WHAT are names of data sets, or configs whose data sets and OpenML tasks are downloaded. All
    that was downloaded is kept, so an interrupted or failed call can simply be repeated. Exits with
    3 if something could not be downloaded.
    """
    from quadrepro.data.card import card_names
    from quadrepro.data.fetch import bring, bring_tasks, missing_cards
    from quadrepro.data.store import load_dataset
    from quadrepro.engine.progress import FetchProgress

    if not what and not everything:
        raise click.UsageError("name data sets or configs, or use --all")
    names, tasks = (card_names(), {}) if everything else _named(what)
    missing = missing_cards(names, data)
    with FetchProgress(missing) as progress:
        bring(missing, data, offline=offline, listener=progress)
    bring_tasks(tasks, offline=offline)
    for name in names:
        load_dataset(name, data)
    count = "1 data set is" if len(names) == 1 else f"{len(names)} data sets are"
    echo(f"{count} available and as described by the cards")


def _named(what: tuple[str, ...]) -> tuple[list[str], dict[tuple[str, int], None]]:
    """Return the named data sets, and data sets and OpenML tasks of the named configs."""
    from quadrepro.base.resources import configs_folder, find_config
    from quadrepro.config.config import load_experiment
    from quadrepro.data.card import card_names

    known = {*card_names(), *(path.stem for path in configs_folder().glob("*.yaml"))}
    names: dict[str, None] = {}
    tasks: dict[tuple[str, int], None] = {}
    for one in what:
        if one in card_names():
            names[one] = None
        elif one in known or Path(one).is_file():
            experiment = load_experiment(find_config(one))
            names |= dict.fromkeys(entry.name for entry in experiment.config.datasets)
            tasks |= experiment.openml_tasks
        else:
            hint = nearest(one, known, "quadrepro list datasets")
            raise ConfigError(f"unknown data set or config {one!r}{hint}")
    return [*names], tasks


@click.command("list")
@click.argument(
    "what", type=click.Choice(["datasets", "experiments", "keys", "algorithms", *REGISTRIES])
)
@click.argument("name", required=False)
@data_option
@click.option(
    "--format",
    "form",
    type=click.Choice(("auto", "markdown", "csv")),
    default="auto",
    show_default=True,
    help="Columns as wide as the terminal, or a table for other programs.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="With keys: file to write instead of printing."
)
def list_command(
    what: str, name: str | None, data: Path | None, form: str, out: Path | None
) -> None:
    """List data sets, experiments, or the names and keys that configs can use.

    `list datasets NAME` prints the card of a data set, where its rows are, and whether they match
    the card; it exits with 3 if they do not.

    `list keys` prints the keys of a config, `list keys card` those of a card and `list keys paper`
    those of a paper.yaml, as a JSON schema. Editors complete and check what is typed below the line
    `# yaml-language-server: $schema=FILE`. With --format markdown, the keys of a config are a page.
    """
    if out is not None and what != "keys":
        raise click.UsageError("--out goes with keys")
    if what == "keys":
        _keys(name or "config", form, out)
    elif name is None:
        _list(what, data, form)
    elif what == "datasets" and form == "auto":
        _show_card(name, data)
    else:
        raise click.UsageError("NAME goes with keys, and with datasets without --format")


def _keys(what: str, form: str, out: Path | None) -> None:
    """Print or write the keys of a kind of file."""
    from quadrepro.base.files import write_text
    from quadrepro.cli.schemas import DOCUMENTS, config_reference, schema_text

    if what not in DOCUMENTS:
        raise ConfigError(f"unknown kind of file {what!r}{nearest(what, DOCUMENTS)}")
    if form == "csv" or (form == "markdown" and what != "config"):
        raise click.UsageError("keys are a JSON schema; those of a config also --format markdown")
    text = config_reference() if form == "markdown" else schema_text(what)
    if out is None:
        echo(text, nl=False)
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    write_text(out, text)
    echo(f"Wrote {out}")


def _list(what: str, data: Path | None, form: str) -> None:
    """Print all names of a kind."""
    listing: dict[str, Callable[[], tuple[tuple[str, ...], Rows]]] = {
        "datasets": lambda: _datasets(data),
        "algorithms": _algorithms,
        "experiments": _experiments,
    }
    header, rows = listing[what]() if what in listing else _others(what)
    if form == "csv":
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
    for name, entry in ALGORITHMS.items():
        grid = ", ".join(f"{h.name} ({h.meaning})" for h in entry.make({}).hyperparameters)
        values = "; ".join(f"{key}: {axis_text(axis)}" for key, axis in entry.grid.items())
        settings = ", ".join(f"{k}={v}" for k, v in entry.settings.items())
        rows.append((name, grid, values, settings, entry.source))
    own = ("its parameters", "", "its parameters")
    rows.append(("sklearn:NAME", *own, "scikit-learn's estimators"))
    rows.append(("MODULE:NAME", *own, "any other module, as xgboost:XGBClassifier"))
    return ("name", "searched over", "default values", "settings", "source"), rows


def _others(what: str) -> tuple[tuple[str, ...], Rows]:
    """Return what a registry has."""
    place, meaning = REGISTRIES[what]
    rows: Rows = []
    for name, entry in resolve_name(place).items():
        text = getattr(entry, meaning) or ""
        rows.append((name, text.strip().partition("\n")[0]))
    return ("name", "meaning"), rows


def _experiments() -> tuple[tuple[str, ...], Rows]:
    from quadrepro.base.resources import configs_folder
    from quadrepro.config.config import load_experiment

    rows: Rows = []
    for path in sorted(configs_folder().glob("*.yaml"), key=lambda p: p.stem):
        config = load_experiment(path).config
        size = f"{len(config.rows)} x {len(config.columns)} x {config.repeats}"
        rows.append((path.stem, config.title, size))
    return ("name", "title", "data sets x algorithms x repeats"), rows


def _show_card(dataset: str, data: Path | None) -> None:
    """Print a card, where its rows are, and whether they match it."""
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
    """Print a title and its paragraphs, if it has any."""
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
    """Yield one line per attribute, or per run of attributes with the same description."""
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
