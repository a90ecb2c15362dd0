"""What the verbs that may use the network share: bringing what is missing, with progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Self

import click

from quadrepro.cli.progress import SECONDS_BETWEEN_LINES, TerminalBar

if TYPE_CHECKING:
    from quadrepro.data.card import Card


def bring(names: Iterable[str], folder: Path | None, offline: bool) -> None:
    """Fetch every data set that is nowhere here.

    Parameters
    ----------
    names : iterable of str
        Data sets by the names of their cards.
    folder : Path or None
        Folder of canonical CSVs to look in first.
    offline : bool
        Refuse to use the network.

    Raises
    ------
    DataError
        If a data set could not be had: all of them are named, after all others were fetched.
        Offline: at once, naming all that is missing and where to put it.
    """
    from quadrepro.data.card import load_card
    from quadrepro.data.fetch import fetch
    from quadrepro.data.location import locate
    from quadrepro.data.store import missing_error
    from quadrepro.errors import DataError, NoConnectionError

    missing = [card for card in map(load_card, names) if locate(card, folder) is None]
    if offline and missing:
        raise missing_error(missing, folder)
    failures: list[str] = []
    with FetchProgress(missing) as progress:
        for card in missing:
            progress.begin(card)
            try:
                progress.end(card, fetch(card, progress))
            except NoConnectionError as error:
                rest = len(missing) - len(failures) - progress.n_done - 1
                count = "1 more data set was" if rest == 1 else f"{rest} more data sets were"
                failures.append(f"{error}; {count} not tried" if rest else str(error))
                break
            except DataError as error:
                failures.append(str(error))
    if failures:
        raise DataError("\n".join(failures))


class FetchProgress(TerminalBar):
    """Tells how far a row of downloads is: a bar on a terminal, a line a data set in a pipe.

    Parameters
    ----------
    cards : list of Card
        What will be fetched.

    Attributes
    ----------
    n_done : int
        How many data sets have arrived.
    """

    def __init__(self, cards: list[Card]) -> None:
        self.n_done = 0
        self._name = ""
        self._arrived = 0
        self._last_line = time.monotonic()
        self._n_cards = len(cards)
        self._total = 0

    def __enter__(self) -> Self:
        if self._n_cards and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                DownloadColumn,
                Progress,
                TextColumn,
                TimeRemainingColumn,
            )

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                DownloadColumn(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
            )
            self._bar.start()
            self._task = self._bar.add_task("", total=None)
        return self

    def begin(self, card: Card) -> None:
        """Begin a data set."""
        self._name = card.name
        self.reset()

    def end(self, card: Card, origin: str) -> None:
        """Count a data set that has arrived."""
        self.n_done += 1
        click.echo(
            f"{card.name}: fetched from {origin} ({self.n_done} of {self._n_cards})", err=True
        )

    @property
    def total(self) -> int:
        """Bytes of the file under way, 0 where that is not known."""
        return self._total

    @total.setter
    def total(self, n: int) -> None:
        self._total = n
        if self._bar is not None:
            self._bar.update(self._task, total=n or None)

    def update(self, n: int) -> None:
        """Count bytes of the file under way."""
        # pooch counts whole blocks, the last one too.
        self._arrived = min(self._arrived + n, self._total or self._arrived + n)
        if self._bar is not None:
            self._bar.advance(self._task, n)
        elif time.monotonic() - self._last_line >= SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            whole = f" of {self._total / 1e6:.1f}" if self._total else ""
            click.echo(f"{self._name}: {self._arrived / 1e6:.1f}{whole} MB", err=True)

    def reset(self) -> None:
        """Begin a file."""
        self._arrived = 0
        self._describe(f"{self._name} ({self.n_done + 1} of {self._n_cards})")

    def close(self) -> None:
        """End a file."""
        self._describe(f"{self._name}: reading and checking")

    def _describe(self, text: str) -> None:
        if self._bar is not None:
            self._bar.reset(self._task, description=text, total=None)
