"""Data sets and tasks of OpenML, by the package openml and the user's configuration of it."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import openml
import pandas as pd
from numpy.typing import NDArray

from quadrepro.base.types import IntArray
from quadrepro.data.cache import TEST, TRAIN
from quadrepro.data.files import read_file
from quadrepro.data.source import FileLayout, OpenMLSource
from quadrepro.data.web import failure
from quadrepro.errors import DataError

Parts = Sequence[tuple[IntArray, IntArray]]
"""The training and the test rows of each split."""


def download(source: OpenMLSource) -> Path:
    """Return the file of a data set in openml's cache, downloaded if it is not there."""
    with _in_one_line(f"OpenML {source.id}"):
        dataset = openml.datasets.get_dataset(source.id, download_data=True)
        file = dataset.parquet_file or dataset.data_file
        if not file:
            raise ValueError("OpenML has no file of it")
        return Path(file)


def read(path: Path) -> pd.DataFrame:
    """Return the rows of a file of OpenML; its cache may also have a pickle of it."""
    return read_file(path, FileLayout(format="parquet" if path.suffix == ".pq" else "arff"))


def read_task(number: int) -> tuple[int, Parts]:
    """Return the data set of a task, and its splits."""
    with _in_one_line(f"OpenML task {number}"):
        task = openml.tasks.get_task(number, download_splits=True)
        n_repeats, n_folds, n_samples = task.get_split_dimensions()
        parts = [
            task.get_train_test_split_indices(fold=fold, repeat=repeat)
            for repeat in range(n_repeats)
            for fold in range(n_folds)
        ]
    if n_samples > 1:
        raise _unusable(number, "trains on samples of growing size, which are not splits")
    return task.dataset_id, parts


def as_splits(number: int, parts: Parts, n_rows: int) -> NDArray[np.uint8]:
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
    """Turn any error of openml, which has errors of many kinds, into a `DataError` of one line."""
    try:
        yield
    except Exception as error:
        raise failure(subject, error) from error
