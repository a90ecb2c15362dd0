"""Downloading data sets: the sources of a card in turn, checked and kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from quadrepro.data import cache
from quadrepro.data.cache import find_splits, keep_splits, missing_splits
from quadrepro.data.canonical import RawTable, canonical_order
from quadrepro.data.card import Card, load_card
from quadrepro.data.checks import divide, refuse_other_content, to_table, verified
from quadrepro.data.sources.schema import OpenMLSource, WebSource, describe
from quadrepro.data.store import locate, missing_error, now
from quadrepro.errors import DataError, NoConnectionError

if TYPE_CHECKING:
    from quadrepro.data.sources.web import Progress

NetworkSource = OpenMLSource | WebSource


def fetch(card: Card, progress: Progress | None = None) -> str:
    """Fetch a data set into the cache."""
    with _turn(card.name):
        entry = cache.find(card, card.content_hash)
        if entry is not None:
            return cache.provenance(entry).origin
        failures: list[DataError] = []
        for source in card.sources:
            if not isinstance(source, NetworkSource):
                continue
            try:
                table, files = _read(source, card, progress)
            except DataError as error:
                failures.append(error)
                continue
            origin = describe(source)
            known = cache.Provenance(card.name, card.content_hash, origin, now(), files=files)
            cache.write(table, card.content_hash, known)
            shutil.rmtree(_downloads(card), ignore_errors=True)
            return origin
    if not failures:
        raise DataError(f"{card.name} has no source on the network")
    reasons = "".join(f"\n  {failure}" for failure in failures)
    unreached = all(isinstance(failure, NoConnectionError) for failure in failures)
    kind = NoConnectionError if unreached else DataError
    raise kind(f"{card.name} could not be fetched:{reasons}")


def fetch_task(card: Card, number: int) -> None:
    """Fetch the splits of an OpenML task into the cache, for the canonical rows.

    OpenML numbers the rows of its own table, so that is read as well: it must have all rows of the
    data set, and no others. Rows of equal content are the same to any learner.
    """
    from quadrepro.data.sources import openml

    what = f"OpenML task {number}"
    with _turn(card.name):
        dataset, lines = openml.read_task(number)
        sources = [s for s in card.sources if isinstance(s, OpenMLSource) and s.id == dataset]
        if not sources:
            raise DataError(
                f"{what} divides data set {dataset} of OpenML, which is not a source of {card.name}"
            )
        frame = openml.read(sources[0])
        table = divide(card, to_table(frame, sources[0], card))
        if table.n_rows != len(frame.columns[0]):
            raise DataError(f"{what} also divides rows that are not in {card.name}")
        refuse_other_content(card, table, describe(sources[0]))
        splits = openml.splits(lines, table.n_rows)
        keep_splits(card, number, splits[canonical_order(table)])


def _read(
    source: NetworkSource, card: Card, progress: Progress | None
) -> tuple[RawTable, dict[str, str]]:
    """Return checked rows, and the hash of each downloaded file."""
    from quadrepro.data.sources import openml, web

    folder, files = _downloads(card), dict[str, str]()
    if isinstance(source, OpenMLSource):
        frame = openml.read(source)
    else:
        frame = web.read(source, folder, progress)
        files = {p.name: f"sha256:{cache.sha256_of(p)}" for p in sorted(folder.iterdir())}
    try:
        return verified(card, to_table(frame, source, card), describe(source)), files
    except DataError:
        # Complete files with other content would make the next attempt fail as well.
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _downloads(card: Card) -> Path:
    return cache.cache_folder() / "downloads" / card.name


@contextmanager
def _turn(name: str) -> Iterator[None]:
    """Wait until no other process fetches the same data set."""
    from filelock import FileLock

    folder = cache.cache_folder() / "locks"
    with cache.writing(name):
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / f"{name}.lock")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


class FetchListener(Protocol):
    """Is told of the progress of several downloads."""

    def begin(self, card: Card) -> Progress | None:
        """Note that a data set is being fetched; return what is told of its bytes."""

    def end(self, card: Card, origin: str) -> None:
        """Note that a data set has arrived from `origin`."""


def missing_cards(names: Iterable[str], folder: Path | None) -> list[Card]:
    """Return the cards of the data sets that are not available locally."""
    return [card for card in map(load_card, names) if locate(card, folder) is None]


def bring_tasks(wanted: Iterable[tuple[str, int]], *, offline: bool) -> None:
    """Fetch the splits of OpenML tasks that are not in the cache."""
    pairs = [(load_card(name), task) for name, task in wanted]
    missing = [pair for pair in pairs if find_splits(*pair) is None]
    if missing and offline:
        raise missing_splits(missing)
    for card, task in missing:
        fetch_task(card, task)


def bring(
    missing: list[Card],
    folder: Path | None,
    *,
    offline: bool,
    listener: FetchListener | None = None,
) -> None:
    """Fetch data sets into the cache, each after the other."""
    if not missing:
        return
    if offline:
        raise missing_error(missing, folder)

    failures: list[str] = []
    for i, card in enumerate(missing):
        try:
            origin = fetch(card, listener.begin(card) if listener else None)
            if listener:
                listener.end(card, origin)
        except NoConnectionError as error:
            # If one server cannot be reached, the next one most likely cannot, either.
            rest = len(missing) - i - 1
            count = "1 more data set was" if rest == 1 else f"{rest} more data sets were"
            failures.append(f"{error}; {count} not tried" if rest else str(error))
            break
        except DataError as error:
            failures.append(str(error))
    if failures:
        raise DataError("\n".join(failures))
