"""Fetching all data sets of an experiment that are not available locally."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from quadrepro.data.card import Card, load_card
from quadrepro.data.location import locate
from quadrepro.data.store import missing_error
from quadrepro.data.task_splits import find_splits, missing_splits
from quadrepro.errors import DataError, NoConnectionError

if TYPE_CHECKING:
    from quadrepro.data.sources.web import Progress


class FetchListener(Protocol):
    """Is told of the progress of several downloads."""

    def begin(self, card: Card) -> Progress | None:
        """Note that a data set is being fetched; return what is told of its bytes."""

    def end(self, card: Card, origin: str) -> None:
        """Note that a data set has arrived from `origin`."""


class Silent:
    """A listener that tells nobody."""

    def begin(self, card: Card) -> None:
        """Ignore the data set."""

    def end(self, card: Card, origin: str) -> None:
        """Ignore its arrival."""


def missing_cards(names: Iterable[str], folder: Path | None) -> list[Card]:
    """Return the cards of the data sets that are not available locally."""
    return [card for card in map(load_card, names) if locate(card, folder) is None]


def bring_tasks(wanted: Iterable[tuple[str, int]], *, offline: bool) -> None:
    """Fetch the splits of OpenML tasks that are not in the cache.

    Parameters
    ----------
    wanted : iterable of tuple of (str, int)
        The names of data sets with the numbers of tasks.
    offline : bool
        Refuse to use the network.

    Raises
    ------
    DataError
        If splits are missing and `offline`, or could not be fetched.
    """
    pairs = [(load_card(name), task) for name, task in wanted]
    missing = [pair for pair in pairs if find_splits(*pair) is None]
    if missing and offline:
        raise missing_splits(missing)
    for card, task in missing:
        from quadrepro.data.fetch import fetch_task

        fetch_task(card, task)


def bring(
    missing: list[Card],
    folder: Path | None,
    *,
    offline: bool,
    listener: FetchListener | None = None,
) -> None:
    """Fetch data sets into the cache, each after the other.

    Parameters
    ----------
    missing : list of Card
        Data sets that are not available locally, see `missing_cards`.
    folder : Path or None
        Folder of canonical CSVs that was looked in first; named in messages.
    offline : bool
        Refuse to use the network.
    listener : FetchListener, optional
        Is told of the progress.

    Raises
    ------
    DataError
        If data sets could not be fetched: all of them are named, after all others were fetched. If
        `offline`, at once, with all that is missing and where to put it.
    """
    if not missing:
        return
    if offline:
        raise missing_error(missing, folder)
    from quadrepro.data.fetch import fetch

    listener = Silent() if listener is None else listener
    failures: list[str] = []
    for i, card in enumerate(missing):
        try:
            listener.end(card, fetch(card, listener.begin(card)))
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
