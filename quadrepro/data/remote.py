"""Data sets and tasks of OpenML, by the package openml, and other files on the web, by pooch."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

import numpy as np
import openml
import pandas as pd
import pooch
import requests
from numpy.typing import NDArray

from quadrepro.base.types import IntArray
from quadrepro.data.cache import TEST, TRAIN
from quadrepro.data.formats import read_idx, read_own_file
from quadrepro.data.separated import numbered
from quadrepro.data.source import FileLayout, OpenMLSource, WebSource
from quadrepro.errors import DataError, NoConnectionError

TaskParts = Sequence[tuple[IntArray, IntArray]]
"""The training and the test rows of each split."""


def download(source: OpenMLSource | WebSource, folder: Path) -> list[Path]:
    """Return the files of a source; those that are already here are not downloaded again.

    OpenML's files are in the cache of the package openml, all others in the folder.
    """
    if isinstance(source, WebSource):
        return [_download(file.url, file.hash, folder) for file in source.files]
    with _in_one_line(f"OpenML {source.id}"):
        dataset = openml.datasets.get_dataset(source.id, download_data=True)
        path = dataset.parquet_file or dataset.data_file
        if not path:
            raise ValueError("OpenML has no file of it")
        return [Path(path)]


def _download(url: str, digest: str | None, folder: Path) -> Path:
    # The hash makes the name unique; the end of the address shows how the file is packed.
    hashed = hashlib.sha256(url.encode()).hexdigest()[:8]
    name = f"{hashed}-{PurePosixPath(urlsplit(url).path).name}"
    store = pooch.create(folder, "", registry={name: digest}, urls={name: url}, retry_if_failed=2)
    pooch.get_logger().setLevel("WARNING")
    with _in_one_line(url):
        return Path(store.fetch(name, progressbar=sys.stderr.isatty()))


def read_downloads(source: OpenMLSource | WebSource, paths: Sequence[Path]) -> pd.DataFrame:
    """Return the rows of downloaded files, one file below the other."""
    if isinstance(source, OpenMLSource):
        form = "parquet" if paths[0].suffix == ".pq" else "arff"
        return read_own_file(paths[0], FileLayout(format=form))
    if source.format == "idx":
        return read_idx(paths)
    frames = []
    for path, file in zip(paths, source.files, strict=True):
        frame = read_own_file(path, source, member=file.member)
        frames.append(frame.assign(**file.constants))
    if len(frames) == 1:
        return frames[0]
    return numbered(pd.concat(frames, ignore_index=True))


def read_task(number: int) -> tuple[int, TaskParts]:
    """Return the data set of a task, and its splits."""
    with _in_one_line(f"OpenML task {number}"):
        task = openml.tasks.get_task(number, download_splits=True)
        n_repeats, n_folds, n_samples = task.get_split_dimensions()
        places = itertools.product(range(n_repeats), range(n_folds))
        parts = [task.get_train_test_split_indices(fold=j, repeat=i) for i, j in places]
    if n_samples > 1:
        raise _unusable(number, "trains on samples of growing size, which are not splits")
    return task.dataset_id, parts


def as_splits(number: int, parts: TaskParts, n_rows: int) -> NDArray[np.uint8]:
    """Return the use of each row in each split of a task, shape (n_rows, n_splits)."""
    splits = np.zeros((n_rows, len(parts)), dtype=np.uint8)
    for split, (train, test) in enumerate(parts):
        if not (len(train) and len(test)):
            raise _unusable(number, "has a split without training or test rows")
        if (last := max(train.max(), test.max())) >= n_rows:
            raise _unusable(number, f"divides row {last}, but there are {n_rows} rows")
        if np.intersect1d(train, test).size:
            raise _unusable(number, "both trains and tests on a row")
        splits[train, split], splits[test, split] = TRAIN, TEST
    return splits


def _unusable(number: int, why: str) -> DataError:
    """Return the error for splits of a task, which are removed from openml's cache."""
    folder = Path(openml.config.get_cache_directory(), "tasks", str(number))
    shutil.rmtree(folder, ignore_errors=True)
    return DataError(f"OpenML task {number} {why}")


@contextlib.contextmanager
def _in_one_line(subject: str) -> Iterator[None]:
    """Turn an error of a download, whose kinds are many, into a `DataError` of one line."""
    try:
        yield
    except requests.ConnectionError as error:
        raise NoConnectionError(f"{subject}: no connection; is there a network?") from error
    except Exception as error:
        said, _, _ = str(error).partition(" for url: ")
        reason = textwrap.shorten(said or type(error).__name__, 200)
        raise DataError(f"{subject}: {reason}") from error
