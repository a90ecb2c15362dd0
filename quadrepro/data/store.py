"""Where the rows of a data set are found without the network, and reading them."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path

from quadrepro.base.files import cards_folder
from quadrepro.data import cache
from quadrepro.data.canonical import RawTable, sort_rows
from quadrepro.data.card import Card
from quadrepro.data.checks import to_table, verified
from quadrepro.data.rules import generate
from quadrepro.data.source import FileSource, GeneratedSource, Layout, describe, origin
from quadrepro.errors import DataError

LARGE = 1_000_000
"""A table with at least this many values is cached when it was read from a text file."""

BY_HAND = (
    "Without a network, save the rows as NAME.csv (a header, the attributes of the card, target)"
    " in a folder that --data or QUADREPRO_DATA names; quadrepro list datasets NAME shows the card"
    " and the addresses of its sources."
)
"""How to bring a data set to a machine without a network."""

Where = Path | cache.CachedRows | FileSource | GeneratedSource
"""A place with rows: a canonical CSV, an entry of the cache, or a source of a card."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set that agrees with its card; its rows are in canonical order."""

    card: Card
    table: RawTable
    origin: str


@dataclass(frozen=True)
class Found:
    """A data set and where its rows are, if they are here; they are not read before `load`."""

    card: Card
    where: Where | None
    _columns: dict[frozenset[str], RawTable] = field(
        default_factory=dict, init=False, compare=False
    )

    @property
    def origin(self) -> str:
        """The place of the rows, in words."""
        match self.where:
            case Path() as path:
                return "ships with quadrepro" if path.parent == cards_folder() else str(path)
            case cache.CachedRows() as entry:
                return f"cache ({entry.origin})"
            case None:
                return "not here"
            case source:
                return describe(source)

    def load(self, only: Collection[str] | None = None, *, keep: bool = False) -> Dataset:
        """Return the data set; from the cache, the columns of `only` some attributes.

        The rows of a large file are kept in the cache if asked for.
        """
        cache.log.debug("%s: %s", self.card.name, self.origin)
        try:
            return Dataset(self.card, self._rows(only, keep), self.origin)
        except DataError as error:
            if not isinstance(self.where, FileSource):
                raise
            again = f"quadrepro init {shlex.quote(str(self.card.file or 'CARD'))}"
            raise DataError(f"{error}; if the file has changed, renew its card: {again}") from error

    def columns(self, names: frozenset[str]) -> RawTable:
        """Return the target and some attributes of all rows, which are read once."""
        if names not in self._columns:
            table = self.load(names).table
            attributes = tuple(a for a in table.attributes if a.name in names)
            columns = {name: table.columns[name] for name in names}
            self._columns[names] = replace(table, attributes=attributes, columns=columns)
        return self._columns[names]

    def _rows(self, only: Collection[str] | None, keep: bool) -> RawTable:
        """Return the rows in canonical order, compared with their card."""
        card, where = self.card, self.where
        if where is None:
            raise missing_error([card])
        if isinstance(where, cache.CachedRows):
            return cache.read_cached(where, card, only)
        file = Path(where.path) if isinstance(where, FileSource) else where
        is_large = card.rows * len(card.attributes) >= LARGE
        large_file = file if is_large and isinstance(file, Path) else None
        if large_file and (entry := cache.find_cached(card, large_file)):
            with contextlib.suppress(DataError):  # it is damaged
                return cache.read_cached(entry, card, only)
        table = sort_rows(verified(card, _parsed(where, card), self.origin))
        if large_file and keep:
            try:
                cache.write(card, table, self.origin, large_file)
            except DataError as error:
                cache.log.warning("%s", error)
        return table


def _parsed(where: Path | FileSource | GeneratedSource, card: Card) -> RawTable:
    """Return the rows of a place in any order."""
    if isinstance(where, Path):
        return read_canonical(where, card)
    if isinstance(where, GeneratedSource):
        return generate(where, card)
    # Slow to import, and rarely needed.
    from pyarrow import default_memory_pool

    from quadrepro.data.formats import read_source

    table = to_table(read_source(where), where, card, where.path)
    default_memory_pool().release_unused()  # It had all texts.
    return table


def locate(card: Card, folder: Path | None = None) -> Found:
    """Find the rows of a data set without reading them."""
    return Found(card, next(_in_order(card, folder), None))


def _in_order(card: Card, folder: Path | None) -> Iterator[Where]:
    """Yield the places that have the rows, in the order in which they are looked up."""
    own = [source for source in card.sources if isinstance(source, FileSource)]
    if (place := data_folder(folder)) is not None:
        for path in (place / f"{card.name}.csv", place / f"{card.name}.csv.gz"):
            # The user's own file may be there as well, and is not a canonical CSV.
            if path.is_file() and str(path.resolve()) not in {source.path for source in own}:
                yield path
    if entry := cache.find_cached(card):
        yield entry
    yield from (source for source in own if Path(source.path).is_file())
    if card.file is not None and card.file.with_suffix(".csv").is_file():
        yield card.file.with_suffix(".csv")
    yield from (source for source in card.sources if isinstance(source, GeneratedSource))


def data_folder(folder: Path | None = None) -> Path | None:
    """Return the data folder: the given one, ``QUADREPRO_DATA``, or None."""
    if folder is None and (path := os.environ.get("QUADREPRO_DATA")):
        folder = Path(path)
    if folder is not None and not folder.is_dir():
        raise DataError(f"the data folder {folder} does not exist; see --data and QUADREPRO_DATA")
    return folder


def find_datasets(
    cards: Iterable[Card], folder: Path | None = None, *, lenient: bool = False
) -> dict[str, Found]:
    """Find data sets without reading their rows; if lenient, those that are not here as well."""
    places = {card.name: locate(card, folder) for card in cards}
    missing = [place.card for place in places.values() if place.where is None]
    if missing and not lenient:
        raise missing_error(missing, folder)
    return places


def missing_error(missing: Sequence[Card], folder: Path | None = None) -> DataError:
    """Return the error for missing data sets."""
    count = "1 data set is" if len(missing) == 1 else f"{len(missing)} data sets are"
    place = data_folder(folder)
    csvs = f" and for NAME.csv and NAME.csv.gz in {place}" if place else ""
    lines = [f"{count} not here; looked in the cache {cache.cache_folder()}{csvs}:"]
    for card in missing:
        sources = ", ".join(dict.fromkeys(map(origin, card.sources)))
        lines.append(f"  {card.name}: {sources or 'no source'}")
    names = " ".join(card.name for card in missing)
    lines += [f"With a network, fetch with: quadrepro fetch {names}", BY_HAND]
    return DataError("\n".join(lines))


def read_canonical(path: Path, card: Card) -> RawTable:
    """Read a canonical CSV: a header, the attributes in the order of the card, then the target."""
    # Slow to import.
    from quadrepro.data.formats import read_own_file, unpack
    from quadrepro.data.separated import detect

    layout, start = detect(unpack(path)[1], path, "", "utf-8", ",", skip=0, header=True)
    names = (*card.attribute_names, card.target.name)
    for place, (expected, name) in enumerate(zip_longest(names, start.header), start=1):
        if name != expected:
            right, wrong = (repr(one) if one is not None else "absent" for one in (expected, name))
            raise DataError(f"{path}, line 1: column {place} must be {right}, but is {wrong}")
    return to_table(read_own_file(path, layout), Layout(missing=("",)), card, str(path))
