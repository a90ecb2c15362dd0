"""The cache: a parquet file for each data set that was fetched or parsed, and splits of tasks.

``tables/NAME-HASH.parquet`` has the sorted rows with this hash, and in its metadata where they came
from; checksums of its pages show damage. ``tasks/`` has the splits of OpenML tasks for the same
rows. The names of their files end with the hash of the splits, so a plan knows it without reading
them.

Every file is written under another name and then renamed, so two processes that fetch the same data
set are harmless: the second one replaces a file by an equal one.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import io
import logging
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.files import write_bytes
from quadrepro.data.canonical import ColumnValues, RawTable, is_text
from quadrepro.data.card import Card
from quadrepro.errors import DataError

log = logging.getLogger("quadrepro")

TARGET, PART = "target", ""
"""The columns of a table that are not attributes; no attribute has one of these names."""

TRAIN, TEST = 1, 2
"""Use of a row in a split; 0 if the split leaves it out."""

_ORIGIN = b"origin"


@dataclasses.dataclass(frozen=True)
class CachedRows:
    """A table in the cache, and where it came from."""

    path: Path
    origin: str


def cache_folder() -> Path:
    """Return the folder of the cache: ``QUADREPRO_CACHE``, or the system's, by its variables."""
    import pooch  # slow

    try:
        return Path(os.environ.get("QUADREPRO_CACHE") or pooch.os_cache("quadrepro")).expanduser()
    except RuntimeError:
        raise DataError(
            "the cache has no folder, as this user has no home; name one with QUADREPRO_CACHE"
        ) from None


def find_cached(card: Card, file: Path | None = None) -> CachedRows | None:
    """Return the rows of a card, or of a file for it, if they are in the cache."""
    path = _path(card, file)
    if not path.is_file():
        return None
    import pyarrow.parquet as pq

    try:
        return CachedRows(path, pq.read_metadata(path).metadata[_ORIGIN].decode())
    except (OSError, ValueError, KeyError, TypeError) as error:
        _set_aside(path, error)
        return None


def read_cached(entry: CachedRows, card: Card, only: Collection[str] | None = None) -> RawTable:
    """Return the rows of an entry in canonical order, with all attributes or `only` some."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [n for n in card.attribute_names if only is None or n in only]
    names += [TARGET, PART] if card.parts else [TARGET]
    try:
        table = pq.read_table(entry.path, columns=names, page_checksum_verification=True)
    except (OSError, pa.ArrowException) as error:
        _set_aside(entry.path, error)
        raise DataError(
            f"{entry.path} is damaged and was set aside; fetch the data set again with:"
            f" quadrepro fetch {card.name}"
        ) from error
    columns = {name: column.to_numpy() for name, column in zip(names, table.columns, strict=True)}
    return RawTable(card.attributes, columns, columns.pop(TARGET), columns.pop(PART, None))


def write(card: Card, table: RawTable, origin: str, file: Path | None = None) -> None:
    """Keep sorted rows of a card, which were read from a file if that is named."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {name: table.columns[name] for name in card.attribute_names} | {TARGET: table.target}
    if table.part is not None:
        columns[PART] = table.part
    arrays = {name: _compact(column) for name, column in columns.items()}
    content = io.BytesIO()
    pq.write_table(pa.table(arrays, metadata={_ORIGIN: origin}), content, write_page_checksum=True)
    _keep(_path(card, file), content.getvalue())


def _path(card: Card, file: Path | None) -> Path:
    name = f"{card.name}-{_digits(card)}"
    if file is not None:
        with file.open("rb") as opened:
            name += f"-{hashlib.file_digest(opened, 'sha256').hexdigest()[:16]}"
    return cache_folder() / "tables" / f"{name}.parquet"


def _digits(card: Card) -> str:
    return card.content_hash.removeprefix("sha256:")[:16]


def _compact(column: ColumnValues) -> Any:
    """Return texts, or numbers in the smallest type of whole numbers that has all of them."""
    import pyarrow as pa

    array = pa.array(column)
    for kind in () if is_text(column) else (pa.uint8(), pa.int16(), pa.int32()):
        with contextlib.suppress(pa.ArrowInvalid):
            return array.cast(kind)
    return array


def _keep(path: Path, content: bytes) -> None:
    log.debug("%s: %s bytes", path, f"{len(content):,}")
    try:
        write_bytes(path, content)
    except OSError as error:
        raise DataError(
            f"{path.name} cannot be written to the cache {cache_folder()}: {error.strerror};"
            " QUADREPRO_CACHE can name another folder"
        ) from error


def _set_aside(path: Path, error: Exception) -> None:
    """Rename a damaged file; an error of memory or of access, with a whole file, is raised."""
    if isinstance(error, MemoryError) or getattr(error, "errno", None):
        raise error
    aside = path.with_name(f"{path.name}.damaged")
    path.replace(aside)
    log.warning("%s is damaged and was set aside as %s", path, aside.name)


def has_splits(card: Card, task: int) -> bool:
    """Return whether the splits of a task are in the cache."""
    try:
        load_splits(card, task)
    except DataError:
        return False
    return True


def load_splits(card: Card, task: int) -> NDArray[np.uint8]:
    """Return the splits of a task, shape (n_rows, n_splits)."""
    path = _splits_path(card, task)
    try:
        splits: NDArray[np.uint8] = np.load(path)
        if not path.stem.endswith(_hash(splits)):
            raise ValueError("its content has another hash")
    except (OSError, ValueError, EOFError) as error:
        _set_aside(path, error)
        raise missing_splits([(card, task)]) from error
    return splits


def hash_of_splits(card: Card, task: int) -> str:
    """Return the hash of the splits of a task, as the cache names it."""
    return _splits_path(card, task).stem.rpartition("-")[2]


def missing_splits(missing: list[tuple[Card, int]]) -> DataError:
    """Return the error for splits that are not in the cache."""
    tasks = ", ".join(f"{task} ({card.name})" for card, task in missing)
    return DataError(
        f"the splits of OpenML tasks are not in the cache {cache_folder()}: {tasks}; with a"
        " network, quadrepro fetch CONFIG fetches them"
    )


def keep_splits(card: Card, task: int, splits: NDArray[np.uint8]) -> None:
    """Put the splits of a task for the canonical rows into the cache."""
    content = io.BytesIO()
    np.save(content, splits)
    name = f"{task}-{card.name}-{_digits(card)}-{_hash(splits)}.npy"
    _keep(cache_folder() / "tasks" / name, content.getvalue())


def _splits_path(card: Card, task: int) -> Path:
    names = f"{task}-{card.name}-{_digits(card)}-*.npy"
    for path in (cache_folder() / "tasks").glob(names):
        return path
    raise missing_splits([(card, task)])


def _hash(splits: NDArray[np.uint8]) -> str:
    content = f"{splits.dtype} {splits.shape}".encode() + splits.tobytes()
    return hashlib.sha256(content).hexdigest()[:16]
