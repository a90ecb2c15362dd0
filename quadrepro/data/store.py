"""Where the rows of a data set are found without the network, and reading them."""

from __future__ import annotations

import csv
import dataclasses
import io
import os
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.data import cache
from quadrepro.data.canonical import RawTable, is_missing, nominal_column, number, numeric_column
from quadrepro.data.card import Card, load_card
from quadrepro.data.checks import to_table, verified
from quadrepro.data.sources.formats import errors_of_others, text_of, unpack
from quadrepro.data.sources.generated import LOADERS, generate
from quadrepro.data.sources.schema import FileSource, GeneratedSource, SklearnSource, describe
from quadrepro.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

LARGE = 1_000_000
"""A table with at least this many values is cached when it was read from a text file."""

KEPT = 32
"""Number of smaller tables that a process keeps, as other experiments need them too."""

_SUFFIXES = (".csv", ".csv.gz")


@dataclasses.dataclass(frozen=True)
class CacheEntry:
    """An entry of the cache that was verified when it was found."""

    path: Path


@dataclasses.dataclass(frozen=True, eq=False)
class Dataset:
    """A data set that agrees with its card; its rows are in canonical order."""

    card: Card
    table: RawTable
    origin: str


@dataclasses.dataclass(frozen=True)
class Found:
    """A data set that is on this machine; its rows are not read before `load`."""

    card: Card
    where: Path | CacheEntry | FileSource | GeneratedSource | SklearnSource | None
    """Where the rows are: a canonical CSV, an entry of the cache, a source of the card, or None if
    they are not here."""

    @property
    def origin(self) -> str:
        """Where the rows come from, in words."""
        match self.where:
            case Path() as csv_file:
                return str(csv_file)
            case CacheEntry(path):
                return f"cache ({cache.provenance(path).origin})"
            case None:
                return "not here"
            case source:
                return describe(source)

    @property
    def content_hash(self) -> str:
        """The hash of the rows that the card demands."""
        return self.card.content_hash

    def load(self, only: Collection[str] | None = None) -> Dataset:
        """Return the data set."""
        return Dataset(self.card, self._read(only), self.origin)

    def _read(self, only: Collection[str] | None) -> RawTable:
        """Return the rows in canonical order, compared with their card."""
        card = self.card
        match self.where:
            case None:
                raise missing_error([card])
            case CacheEntry(path):
                return cache.read(path, card, only)
            case Path() as path:
                return self._through_cache(path, lambda: read_csv(path, card), only)
            case FileSource() as own:
                from quadrepro.data.files import read_file

                path = Path(own.path)
                try:
                    return self._through_cache(
                        path, lambda: to_table(read_file(path, own), own, card, str(path)), only
                    )
                except DataError as error:
                    raise DataError(
                        f"{error}; if the file has changed, describe it again with:"
                        f" {_init_command(card, own)}"
                    ) from error
            case GeneratedSource() as source:
                return verified(card, generate(source, card), self.origin)
            case SklearnSource(loader=loader):
                return verified(card, LOADERS[loader](), self.origin)

    def _through_cache(
        self, path: Path, parse: Callable[[], RawTable], only: Collection[str] | None
    ) -> RawTable:
        """Read a file, or the cache if the file is large and was read before."""
        card = self.card
        if card.rows * len(card.attributes) < LARGE:
            return self._kept(path, parse)
        with errors_of_others(f"{path}: cannot be read"):
            key = cache.sha256_of(path)
        entry = cache.find(card, key)
        if entry is not None:
            return cache.read(entry, card, only)
        table = verified(card, parse(), self.origin)
        known = cache.Provenance(card.name, card.content_hash, self.origin, now())
        try:
            cache.write(table, key, known)
        except DataError as error:
            cache.log.warning("%s", error)
        return table

    def _kept(self, path: Path, parse: Callable[[], RawTable]) -> RawTable:
        """Read a file unless it is as this process has last read it."""
        with errors_of_others(f"{path}: cannot be read"):
            found = path.stat()
        state = found.st_mtime_ns, found.st_size
        card, read, table = _tables.pop(path, (None, state, None))
        if table is None or card is not self.card or read != state:
            table = verified(self.card, parse(), self.origin)
            for column in (*table.columns.values(), table.target):
                column.flags.writeable = False
        _tables[path] = self.card, state, table
        if len(_tables) > KEPT:
            del _tables[next(iter(_tables))]
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


_tables: dict[Path, tuple[Card, tuple[int, int], RawTable]] = {}


def locate(card: Card, folder: Path | None = None) -> Found | None:
    """Find the rows of a data set without reading them."""
    place = data_folder(folder)
    if place is not None:
        # The user's own file may be there as well, and is not a canonical CSV.
        own = {source.path for source in card.sources if isinstance(source, FileSource)}
        for suffix in _SUFFIXES:
            path = place / f"{card.name}{suffix}"
            if path.is_file() and str(path.resolve()) not in own:
                return Found(card, path)
    entry = cache.find(card, card.content_hash)
    if entry is not None:
        return Found(card, CacheEntry(entry))
    for source in card.sources:
        if isinstance(source, GeneratedSource | SklearnSource):
            return Found(card, source)
        if isinstance(source, FileSource) and Path(source.path).is_file():
            return Found(card, source)
    return None


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


def now() -> str:
    """Return the time in ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


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
    names = " ".join(card.name for card in missing)
    count = "1 data set is" if len(missing) == 1 else f"{len(missing)} data sets are"
    place = data_folder(folder)
    csvs = f"for NAME.csv and NAME.csv.gz in {place} and " if place else ""
    them = "it as a canonical CSV" if len(missing) == 1 else "them as canonical CSVs"
    return DataError(
        "\n".join(
            (
                f"{count} not here; looked {csvs}in the cache {cache.cache_folder()}:",
                *(f"  {card.name}: {_ways_to_get(card)}" for card in missing),
                f"With a network, fetch with: quadrepro fetch {names}",
                f"Without one, save {them} (a header, the attributes of the card, target) in a"
                " folder that --data or QUADREPRO_DATA names.",
            )
        )
    )


def _ways_to_get(card: Card) -> str:
    ways = [
        f"{describe(source)} ({source.note})" if source.note else describe(source)
        for source in card.sources
        if not isinstance(source, GeneratedSource | SklearnSource)
    ]
    return ", or ".join(ways)


def read_csv(path: Path, card: Card) -> RawTable:
    """Read a canonical CSV: a header, the attributes in the order of the card, then the target.

    pyarrow reads the file. If it fails, or if the values are not valid, Python's csv module reads
    the file again to find the line that is wrong.
    """
    import pyarrow as pa

    _, content = unpack(path)
    try:
        table = _parse(content, card)
    except pa.ArrowException as error:
        _explain(content, path, card)
        raise DataError(f"{path}: {error}") from error
    names = (*card.attribute_names, card.target.name)
    if tuple(table.schema.names) != names or not table.num_rows or not all(map(_clean, table)):
        _explain(content, path, card)
    columns = {
        name: nominal_column(column.to_pylist())
        if name in card.nominal_names
        else numeric_column(_numbers(column))
        for name, column in zip(names, table, strict=True)
    }
    target = columns.pop(card.target.name)
    if is_missing(target).any():
        _explain(content, path, card)
    return RawTable(card.attributes, columns, target)


def _parse(content: bytes, card: Card) -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = (*card.attribute_names, card.target.name)
    text, real = pa.string(), pa.float64()
    return arrow_csv.read_csv(
        pa.BufferReader(content),
        # A block must hold a whole row, and that of MNIST's header takes kilobytes.
        arrow_csv.ReadOptions(use_threads=False, block_size=1 << 24),
        arrow_csv.ParseOptions(newlines_in_values=True),
        arrow_csv.ConvertOptions(
            column_types={name: text if name in card.nominal_names else real for name in names},
            null_values=[""],
            strings_can_be_null=False,
        ),
    )


def _clean(column: pa.ChunkedArray) -> bool:
    """Whether a column has only text, or only finite numbers and missing values."""
    import pyarrow as pa

    if pa.types.is_string(column.type):
        return True
    # pyarrow counts empty fields as null; a NaN was written as such, and is not allowed.
    return bool(np.isfinite(_numbers(column)).sum() + column.null_count == len(column))


def _numbers(column: pa.ChunkedArray) -> FloatArray:
    """Return the numbers of a column, with NaN for missing ones."""
    # to_numpy would import pandas, which takes longer than to read a small file.
    parts = []
    for chunk in column.chunks:
        rows = slice(chunk.offset, chunk.offset + len(chunk))
        valid, values = chunk.buffers()
        part = np.frombuffer(values, dtype=np.float64)[rows]
        if chunk.null_count:
            bits = np.unpackbits(np.frombuffer(valid, dtype=np.uint8), bitorder="little")
            part = np.where(bits[rows], part, np.nan)
        parts.append(part)
    return np.concatenate(parts)


def _explain(content: bytes, path: Path, card: Card) -> None:
    """Raise a `DataError` for the first fault of a canonical CSV, if there is one."""
    names = (*card.attribute_names, card.target.name)
    rows = _rows(content, path)
    header, _ = next(rows, (None, 0))
    if header is None:
        raise DataError(f"{path}: the file is empty")
    _check_header(path, header, names)
    n_rows = 0
    for fields, line in rows:
        n_rows += 1
        if len(fields) != len(names):
            raise DataError(
                f"{path}, line {line}: {len(fields)} fields, but the header has {len(names)}"
            )
        for name, field in zip(names, fields, strict=True):
            if name not in card.nominal_names and number(field) is None:
                raise DataError(f"{path}, line {line}, column {name}: {field!r} is not a number")
        if not fields[-1].strip():
            raise DataError(f"{path}, line {line}: column {names[-1]} has no label")
    if not n_rows:
        raise DataError(f"{path}: the file has a header but no rows")


def _rows(content: bytes, path: Path) -> Iterator[tuple[list[str], int]]:
    """Yield every row that is not blank, with the line on which it ends."""
    reader = csv.reader(io.StringIO(text_of(content, str(path)), newline=""), strict=True)
    try:
        for fields in reader:
            if fields:
                yield fields, reader.line_num
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: {error}") from error


def _check_header(path: Path, header: Sequence[str], expected: Sequence[str]) -> None:
    for place, (name, right) in enumerate(zip(header, expected, strict=False), start=1):
        if name != right:
            raise DataError(f"{path}, line 1: column {place} must be {right!r}, not {name!r}")
    if len(header) != len(expected):
        raise DataError(
            f"{path}, line 1: {len(header)} columns, but the card has {len(expected)}"
            f" (the last one is {expected[-1]!r})"
        )
