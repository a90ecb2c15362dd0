"""Downloading data sets and tasks: the sources of a card in turn, checked and kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from quadrepro.data import cache
from quadrepro.data.canonical import RawTable, canonical_order, sort_rows
from quadrepro.data.card import Card
from quadrepro.data.checks import to_table, verified
from quadrepro.data.source import OpenMLSource, WebSource, describe
from quadrepro.data.store import BY_HAND, locate, missing_error
from quadrepro.errors import DataError, NoConnectionError


def bring(
    cards: Iterable[Card], tasks: Iterable[tuple[Card, int]], folder: Path | None, *, offline: bool
) -> None:
    """Fetch data sets and splits of OpenML tasks that are not here, one after the other.

    A line is printed for each data set.
    """
    missing = [card for card in cards if locate(card, folder).where is None]
    if missing and offline:
        raise missing_error(missing, folder)
    failures: list[str] = []
    for number, card in enumerate(missing, start=1):
        try:
            origin = fetch(card)
        except NoConnectionError as error:
            # If one server cannot be reached, the next one most likely cannot, either.
            rest = [card.name for card in missing[number:]]
            failures += [str(error), *([f"not tried: {', '.join(rest)}"] if rest else [])]
            break
        except DataError as error:
            failures.append(str(error))
        else:
            where = f"{number} of {len(missing)}"
            cache.log.info("%s: fetched from %s (%s)", card.name, origin, where)
    if failures:
        raise DataError("\n".join([*failures, BY_HAND]))
    missing_tasks = [(card, task) for card, task in tasks if not cache.has_splits(card, task)]
    if missing_tasks and offline:
        raise cache.missing_splits(missing_tasks)
    for card, task in missing_tasks:
        fetch_task(card, task)


def fetch(card: Card) -> str:
    """Fetch a data set into the cache, and return the source that has its rows."""
    reasons: list[DataError] = []
    for source in card.sources:
        if isinstance(source, OpenMLSource | WebSource):
            cache.log.debug("%s: asking for %s", card.name, describe(source))
            try:
                table = _rows(source, card)
            except DataError as error:
                cache.log.debug("%s", error)
                reasons.append(error)
            else:
                cache.write(card, sort_rows(table), describe(source))
                shutil.rmtree(_downloads(card), ignore_errors=True)
                return describe(source)
    if not reasons:
        raise DataError(f"{card.name} has no source on the network")
    unreached = all(isinstance(reason, NoConnectionError) for reason in reasons)
    kind = NoConnectionError if unreached else DataError
    raise kind("\n  ".join([f"{card.name} could not be fetched:", *map(str, reasons)]))


def fetch_task(card: Card, number: int) -> None:
    """Fetch the splits of an OpenML task into the cache, for the canonical rows.

    OpenML numbers the rows of its own table, so that is read as well: it must have all rows of the
    data set, and no others. Rows of equal content are the same to any learner.
    """
    from quadrepro.data import remote  # takes long to import

    dataset, parts = remote.read_task(number)
    sources = [s for s in card.sources if isinstance(s, OpenMLSource) and s.id == dataset]
    if not sources:
        wrong = f"divides OpenML {dataset}, which is not a source of {card.name}"
        raise DataError(f"OpenML task {number} {wrong}")
    table = _rows(sources[0], card)
    splits = remote.as_splits(number, parts, table.n_rows)
    cache.keep_splits(card, number, splits[canonical_order(table)])


def _rows(source: OpenMLSource | WebSource, card: Card) -> RawTable:
    """Return checked rows in the order of their source."""
    from quadrepro.data import remote  # takes long to import

    paths = remote.download(source, _downloads(card))
    origin = describe(source)
    try:
        table = to_table(remote.read_downloads(source, paths), source, card, origin)
        return verified(card, table, origin)
    except DataError:
        # The files arrived whole, so without this the next try would read the same ones.
        shutil.rmtree(paths[0].parent, ignore_errors=True)
        raise


def _downloads(card: Card) -> Path:
    return cache.cache_folder() / "downloads" / card.name
