"""The splits of OpenML tasks in the cache, for the canonical rows of a data set.

The name of a file ends with the hash of the splits, so a plan knows it without reading them.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.files import write_bytes
from quadrepro.data import cache
from quadrepro.data.card import Card
from quadrepro.errors import DataError

UNUSED, TRAIN, TEST = range(3)
"""What a split makes of a row."""


def find_splits(card: Card, task: int) -> NDArray[np.uint8] | None:
    """Return the splits of a task, if they are in the cache; damaged ones are set aside."""
    path = _find(card, task)
    if path is None:
        return None
    try:
        with np.load(path, allow_pickle=False) as arrays:
            splits: NDArray[np.uint8] = arrays["splits"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
        splits = np.empty(0, dtype=np.uint8)
    if splits.ndim == 2 and len(splits) == card.rows and path.stem.endswith(_hash(splits)):
        return splits
    cache.log.warning("%s is damaged and set aside", path)
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
    path = _find(card, task)
    if path is None:
        raise missing_splits([(card, task)])
    return path.stem.rpartition("-")[2]


def missing_splits(missing: list[tuple[Card, int]]) -> DataError:
    """Return the error for splits that are not in the cache."""
    tasks = ", ".join(f"{task} ({card.name})" for card, task in missing)
    return DataError(
        f"the splits of OpenML tasks are not in the cache {cache.cache_folder()}: {tasks}; with a"
        " network, quadrepro fetch CONFIG fetches them"
    )


def keep_splits(card: Card, task: int, splits: NDArray[np.uint8]) -> None:
    """Put the splits of a task for the canonical rows into the cache."""
    content, folder = io.BytesIO(), cache.cache_folder() / "tasks"
    path = folder / f"{_name(card, task)}-{_hash(splits)}.npz"
    np.savez_compressed(content, splits=splits)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_bytes(path, content.getvalue())
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}") from error


def _find(card: Card, task: int) -> Path | None:
    folder = cache.cache_folder() / "tasks"
    return min(folder.glob(f"{_name(card, task)}-*.npz"), default=None)


def _name(card: Card, task: int) -> str:
    content = card.content_hash.removeprefix("sha256:")[:16]
    return f"{task}-{card.name}-{content}"


def _hash(splits: NDArray[np.uint8]) -> str:
    content = f"{splits.dtype} {splits.shape}".encode() + splits.tobytes()
    return hashlib.sha256(content).hexdigest()[:16]
