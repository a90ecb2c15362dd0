"""The cache: tables that were fetched or parsed before, each in its own folder.

An entry ``tables/NAME-KEY/`` holds the sorted rows as numpy arrays, and ``provenance.json``, which
says where the rows came from and has the SHA-256 of the arrays. An entry is created under another
name and then renamed, so it is either complete or absent. It is verified each time it is found, and
set aside if it is damaged.

``tasks/`` has the splits of OpenML tasks for canonical rows. The name of such a file ends with the
hash of the splits, so a plan knows it without reading them.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
import logging
import os
import shutil
import uuid
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.files import write_bytes
from quadrepro.data.canonical import Column, RawTable, text_column
from quadrepro.data.card import Card
from quadrepro.errors import DataError

log = logging.getLogger("quadrepro")

TARGET = "target"
_TABLE, _PROVENANCE = "table.npz", "provenance.json"
_LONG = "long"
"""The array with columns of long texts, as JSON."""
_COMPACT = (np.uint8, np.int16, np.int32, np.float32)


@dataclass(frozen=True)
class Provenance:
    """Where the rows of an entry came from."""

    name: str
    content_hash: str
    origin: str
    date: str
    sha256: str = ""  # of the file with the arrays
    # The hash of every downloaded file, by its name.
    files: dict[str, str] = field(default_factory=dict)


def cache_folder() -> Path:
    """Return the folder of the cache: ``QUADREPRO_CACHE``, or else ~/.cache/quadrepro."""
    named = os.environ.get("QUADREPRO_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "quadrepro"


@contextlib.contextmanager
def writing(what: str) -> Iterator[None]:
    """Name what cannot be written to the cache in an error."""
    try:
        yield
    except OSError as error:
        raise DataError(
            f"{what} cannot be written to the cache {cache_folder()}: {error.strerror};"
            " QUADREPRO_CACHE can name another folder"
        ) from error


def entry_path(name: str, key: str) -> Path:
    """Return the folder of an entry."""
    return cache_folder() / "tables" / f"{name}-{key.removeprefix('sha256:')[:16]}"


def find(card: Card, key: str) -> Path | None:
    """Return the folder of an entry if there is one that agrees with the card.

    A damaged entry is renamed, with a warning.
    """
    path = entry_path(card.name, key)
    if not path.is_dir():
        return None
    try:
        whole = sha256_of(path / _TABLE) == provenance(path).sha256
    except (OSError, ValueError, TypeError):
        whole = False
    if not whole:
        _set_aside(path)
        return None
    return path if provenance(path).content_hash == card.content_hash else None


def provenance(path: Path) -> Provenance:
    """Return where the rows of an entry came from."""
    return Provenance(**json.loads((path / _PROVENANCE).read_text(encoding="utf-8")))


def read(path: Path, card: Card, only: Collection[str] | None = None) -> RawTable:
    """Return the rows of an entry in canonical order."""
    try:
        with np.load(path / _TABLE, allow_pickle=False) as arrays:
            columns: dict[str, Column] = {}
            for key in (k for k in arrays.files if k.startswith("names_")):
                names = arrays[key].tolist()
                if only is None or not {TARGET, *only}.isdisjoint(names):
                    columns |= zip(names, arrays[key.removeprefix("names_")], strict=True)
            long = json.loads(arrays[_LONG].tobytes()) if _LONG in arrays else {}
            for name, texts in long.items():
                if only is None or name in {TARGET, *only}:
                    columns[name] = text_column(texts)
            part = arrays.get("part")
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise DataError(f"{path}: cannot be read: {error}") from error
    target = columns.pop(TARGET)
    return RawTable(card.attributes, columns, target, part)


def write(table: RawTable, key: str, source: Provenance) -> Path:
    """Write an entry."""
    final = entry_path(source.name, key)
    with writing(source.name), _scratch(final.parent) as folder:
        content = _packed(table)
        (folder / _TABLE).write_bytes(content)
        known = asdict(source) | {"sha256": hashlib.sha256(content).hexdigest()}
        (folder / _PROVENANCE).write_text(json.dumps(known, indent=1), encoding="utf-8")
        try:
            folder.rename(final)
        except OSError:
            # If another process was first, its entry is just as good.
            if not final.is_dir():
                raise
    return final


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits; it is read again if it has changed."""
    stat = path.stat()
    return _sha256_once(path, stat.st_mtime_ns, stat.st_size)


@functools.lru_cache
def _sha256_once(path: Path, changed: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _packed(table: RawTable) -> bytes:
    """Return all columns as one file, with columns of equal type in one array."""
    blocks: dict[str, dict[str, NDArray[Any]]] = defaultdict(dict)
    long: dict[str, list[str]] = {}
    for name, column in (*table.columns.items(), (TARGET, table.target)):
        compact = _compact(column)
        if compact.dtype.kind == "O":
            long[name] = compact.tolist()
        else:
            blocks[compact.dtype.str.strip("<|=")][name] = compact
    arrays: dict[str, NDArray[Any]] = {
        kind: np.stack([*block.values()]) for kind, block in blocks.items()
    }
    if long:
        arrays[_LONG] = np.frombuffer(json.dumps(long).encode(), dtype=np.uint8)
    names = {f"names_{kind}": np.array([*block]) for kind, block in blocks.items()}
    if table.part is not None:
        arrays["part"] = table.part
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays, **names)
    return buffer.getvalue()


def _compact(column: Column) -> NDArray[Any]:
    """Return numbers in the smallest type that represents all of them exactly."""
    if column.dtype.kind != "f":
        return column
    for kind in _COMPACT:
        with np.errstate(invalid="ignore", over="ignore"):
            small = column.astype(kind)
        if np.array_equal(small, column, equal_nan=True):
            return small
    return column


@contextlib.contextmanager
def _scratch(parent: Path) -> Iterator[Path]:
    folder = parent / f".new-{uuid.uuid4().hex}"
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _set_aside(path: Path) -> None:
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    path.rename(aside)
    log.warning("%s is damaged and was set aside as %s", path, aside.name)


TRAIN, TEST = 1, 2
"""What a split makes of a row; 0 if it leaves the row out."""


def find_splits(card: Card, task: int) -> NDArray[np.uint8] | None:
    """Return the splits of a task, if they are in the cache; damaged ones are set aside."""
    path = _splits_path(card, task)
    if path is None:
        return None
    try:
        with np.load(path, allow_pickle=False) as arrays:
            splits: NDArray[np.uint8] = arrays["splits"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
        splits = np.empty(0, dtype=np.uint8)
    if splits.ndim == 2 and len(splits) == card.rows and path.stem.endswith(_splits_hash(splits)):
        return splits
    log.warning("%s is damaged and set aside", path)
    with contextlib.suppress(OSError):
        path.replace(path.with_suffix(".damaged"))
    return None


def load_splits(card: Card, task: int) -> NDArray[np.uint8]:
    """Return the splits of a task, as `find_splits`."""
    splits = find_splits(card, task)
    if splits is None:
        raise missing_splits([(card, task)])
    return splits


def hash_of_splits(card: Card, task: int) -> str:
    """Return the hash of the splits of a task, as the cache names it."""
    path = _splits_path(card, task)
    if path is None:
        raise missing_splits([(card, task)])
    return path.stem.rpartition("-")[2]


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
    path = cache_folder() / "tasks" / f"{_splits_name(card, task)}-{_splits_hash(splits)}.npz"
    np.savez_compressed(content, splits=splits)
    with writing(path.name):
        write_bytes(path, content.getvalue())


def _splits_path(card: Card, task: int) -> Path | None:
    folder = cache_folder() / "tasks"
    return min(folder.glob(f"{_splits_name(card, task)}-*.npz"), default=None)


def _splits_name(card: Card, task: int) -> str:
    content = card.content_hash.removeprefix("sha256:")[:16]
    return f"{task}-{card.name}-{content}"


def _splits_hash(splits: NDArray[np.uint8]) -> str:
    content = f"{splits.dtype} {splits.shape}".encode() + splits.tobytes()
    return hashlib.sha256(content).hexdigest()[:16]
