"""Where the rows of a data set are found without the network, and reading them."""

from __future__ import annotations

import dataclasses
import os
import shlex
import zlib
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quadrepro.base.resources import cards_folder
from quadrepro.data import cache
from quadrepro.data.canonical import RawTable
from quadrepro.data.card import Card, find_card, load_card
from quadrepro.data.checks import to_table, verified
from quadrepro.data.rules import generate
from quadrepro.data.source import FileSource, GeneratedSource, Layout, describe, origin
from quadrepro.errors import DataError

if TYPE_CHECKING:
    from pandas import DataFrame

LARGE = 1_000_000
"""A table with at least this many values is cached when it was read from a text file."""

BY_HAND = (
    "Without one, save the rows as NAME.csv (a header, the attributes of the card, target) in a"
    " folder that --data or QUADREPRO_DATA names; quadrepro list datasets NAME shows the card and"
    " the addresses of its sources."
)
"""How to bring a data set to a machine without a network."""

_SUFFIXES = (".csv", ".csv.gz")


@dataclasses.dataclass(frozen=True, eq=False)
class Dataset:
    """A data set that agrees with its card; its rows are in canonical order."""

    card: Card
    table: RawTable
    origin: str


@dataclasses.dataclass(frozen=True)
class Found:
    """A data set that is on this machine; its rows are not read before `load`.

    Attributes
    ----------
    card : Card
        The description of the data set.
    where : Path, cache.Entry, FileSource, GeneratedSource or None
        A canonical CSV, an entry of the cache, a source of the card, or None if the rows are not
        on this machine.
    """

    card: Card
    where: Path | cache.Entry | FileSource | GeneratedSource | None

    @property
    def origin(self) -> str:
        """Where the rows come from, in words."""
        match self.where:
            case Path() as path:
                return "ships with quadrepro" if path.parent == cards_folder() else str(path)
            case cache.Entry() as entry:
                return f"cache ({entry.origin})"
            case None:
                return "not here"
            case source:
                return describe(source)

    @property
    def content_hash(self) -> str:
        """The hash of the rows that the card demands."""
        return self.card.content_hash

    def load(self, only: Collection[str] | None = None) -> Dataset:
        """Return the data set; from the cache, the columns of `only` some attributes."""
        return Dataset(self.card, self._read(only), self.origin)

    def _read(self, only: Collection[str] | None) -> RawTable:
        """Return the rows in canonical order, compared with their card."""
        card = self.card
        match self.where:
            case None:
                raise missing_error([card])
            case cache.Entry() as entry:
                return cache.read(entry, card, only)
            case GeneratedSource() as source:
                return verified(card, generate(source, card), self.origin)
            case Path() as path:
                return self._through_cache(path, lambda: read_csv(path, card), only)
            case FileSource(path=name) as own:
                # Slow to import, and rarely needed.
                from quadrepro.data.files import read_file

                path = Path(name)
                try:
                    return self._through_cache(
                        path, lambda: to_table(read_file(path, own), own, card, name), only
                    )
                except DataError as error:
                    raise DataError(
                        f"{error}; if the file has changed, describe it again with:"
                        f" {_init_command(card, own)}"
                    ) from error

    def _through_cache(
        self, path: Path, parse: Callable[[], RawTable], only: Collection[str] | None
    ) -> RawTable:
        """Read a file, or the cache if the file is large and was read before."""
        card = self.card
        if card.rows * len(card.attributes) < LARGE:
            return verified(card, parse(), self.origin)
        key = cache.sha256_of(path)
        entry = cache.find(card, key)
        if entry is not None:
            return cache.read(entry, card, only)
        table = verified(card, parse(), self.origin)
        try:
            cache.write(card, table, key, self.origin)
        except DataError as error:
            cache.log.warning("%s", error)
        return table


def _init_command(card: Card, own: FileSource) -> str:
    """Return the command that describes the user's own file again."""
    words = ["quadrepro", "init", own.path, "--target", card.target.original, "--name", card.name]
    words += ["--task", card.task]
    if own.format == "csv" and not own.skip:
        columns = own.columns or (*card.attribute_names, "target")
        names = (card.target.original if name == "target" else name for name in columns)
        words += ["--names", ",".join(names)]
    return shlex.join([*words, "--card-only", "--force"])


def locate(card: Card, folder: Path | None = None) -> Found | None:
    """Find the rows of a data set without reading them.

    They are looked for in the data folder, the cache, the user's own file, the canonical CSV beside
    the card, and the rules.
    """
    own = [source for source in card.sources if isinstance(source, FileSource)]
    place = data_folder(folder)
    if place is not None:
        for suffix in _SUFFIXES:
            path = place / f"{card.name}{suffix}"
            # The user's own file may be there as well, and is not a canonical CSV.
            if path.is_file() and str(path.resolve()) not in {source.path for source in own}:
                return Found(card, path)
    entry = cache.find(card, card.content_hash)
    if entry is not None:
        return Found(card, entry)
    for source in own:
        if Path(source.path).is_file():
            return Found(card, source)
    beside = find_card(card.name)
    if beside is not None and beside.with_suffix(".csv").is_file():
        return Found(card, beside.with_suffix(".csv"))
    rules = (source for source in card.sources if isinstance(source, GeneratedSource))
    return next((Found(card, rule) for rule in rules), None)


def data_folder(folder: Path | None = None) -> Path | None:
    """Return the data folder: the given one, or else that of ``QUADREPRO_DATA``, or else None."""
    name = "the data folder"
    if folder is None:
        if not os.environ.get("QUADREPRO_DATA"):
            return None
        folder, name = Path(os.environ["QUADREPRO_DATA"]), "QUADREPRO_DATA, the data folder"
    if not folder.is_dir():
        raise DataError(f"{name} {folder} does not exist")
    return folder


def load_dataset(name: str, folder: Path | None = None) -> Dataset:
    """Load a data set and check it against its card."""
    return find_datasets([name], folder)[name].load()


def find_datasets(
    names: Iterable[str], folder: Path | None = None, *, lenient: bool = False
) -> dict[str, Found]:
    """Find data sets without reading their rows; if lenient, those that are not here as well."""
    cards = {name: load_card(name) for name in names}
    found = {name: locate(card, folder) for name, card in cards.items()}
    missing = [card for name, card in cards.items() if found[name] is None]
    if missing and not lenient:
        raise missing_error(missing, folder)
    return {name: one or Found(cards[name], None) for name, one in found.items()}


def missing_error(missing: Sequence[Card], folder: Path | None = None) -> DataError:
    """Return the error for missing data sets."""
    count = "1 data set is" if len(missing) == 1 else f"{len(missing)} data sets are"
    place = data_folder(folder)
    csvs = f" and for NAME.csv and NAME.csv.gz in {place}" if place else ""
    sources = {card.name: ", ".join(dict.fromkeys(map(origin, card.sources))) for card in missing}
    return DataError(
        "\n".join(
            (
                f"{count} not here; looked in the cache {cache.cache_folder()}{csvs}:",
                *(f"  {name}: {of_card or 'no source'}" for name, of_card in sources.items()),
                f"With a network, fetch with: quadrepro fetch {' '.join(sources)}",
                BY_HAND,
            )
        )
    )


def read_csv(path: Path, card: Card) -> RawTable:
    """Read a canonical CSV: a header, the attributes in the order of the card, then the target."""
    names = (*card.attribute_names, card.target.name)
    codes = card.nominal_names
    kinds = {name: str if name in codes else np.float64 for name in names}
    gaps = {name: [] if name in codes else [""] for name in names}
    try:
        _check_header([*_parsed(path, nrows=0).columns], names, path)
        try:
            frame = _parsed(path, dtype=kinds, na_values=gaps)
        except ValueError:
            # `to_table` finds the text that is not a number.
            frame = _parsed(path, dtype=str)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise DataError(f"{path}: cannot be read: {error}") from error
    if frame.empty:
        raise DataError(f"{path}: the file has a header but no rows")
    return to_table(frame, Layout(missing=("",)), card, str(path))


def _parsed(path: Path, **options: object) -> DataFrame:
    """Return the table of a CSV, with the line of each row as its index."""
    import pandas as pd

    frame = pd.read_csv(path, keep_default_na=False, **options)
    frame.index = pd.RangeIndex(2, len(frame) + 2, name="line")
    return frame


def _check_header(header: Sequence[str], expected: Sequence[str], path: Path) -> None:
    for place, (name, right) in enumerate(zip(header, expected, strict=False), start=1):
        if name != right:
            raise DataError(f"{path}, line 1: column {place} must be {right!r}, not {name!r}")
    if len(header) != len(expected):
        raise DataError(
            f"{path}, line 1: {len(header)} columns, but the card has {len(expected)}"
            f" (the last one is {expected[-1]!r})"
        )
