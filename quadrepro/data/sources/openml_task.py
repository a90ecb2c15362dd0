"""The splits of an OpenML task, fetched with openml-python."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadrepro._typing import IntArray
from quadrepro.data.sources.formats import read_arff
from quadrepro.data.sources.frame import Frame
from quadrepro.data.sources.limits import refuse_bytes
from quadrepro.data.sources.openml import session
from quadrepro.data.task_splits import TEST, TRAIN
from quadrepro.errors import DataError


class Task(NamedTuple):
    """A task as OpenML describes it.

    Attributes
    ----------
    dataset : int
        The number of the data set at OpenML.
    lines : Frame
        For each split, which rows of the data set it trains and tests on.
    """

    dataset: int
    lines: Frame

    def splits(self, n_rows: int) -> NDArray[np.uint8]:
        """Return what each split makes of each row.

        Parameters
        ----------
        n_rows : int
            The number of rows of the data set.

        Returns
        -------
        ndarray of uint8, shape (n_rows, n_splits)
            As in `quadrepro.data.task_splits`. Rows have the order of OpenML, and splits are
            sorted by repeat, then by fold.

        Raises
        ------
        DataError
            If the splits are damaged, or train and test on the same row.
        """
        return _splits(self.lines, n_rows)


def read_task(number: int) -> Task:
    """Return a task, from openml-python's cache or else from the server.

    Parameters
    ----------
    number : int
        The number of the task.

    Raises
    ------
    NoConnectionError
        If the server cannot be reached.
    DataError
        If the server fails or has no such task, or the task has no splits.
    """
    origin = f"OpenML task {number}"
    with session(origin, "tasks", number) as (openml, _):
        # `get_task` also reads the features of the data set, and these and splits from pickles,
        # which can run code.
        task = openml.tasks.functions._get_task_description(number)
        url = getattr(task, "estimation_procedure", {}).get("data_splits_url")
        if not url:
            raise DataError(f"{origin} has no splits")
        text = openml._api_calls._download_text_file(str(url))
        return Task(int(task.dataset_id), read_arff(text, origin))


def _splits(frame: Frame, n_rows: int) -> NDArray[np.uint8]:
    columns = dict(zip(frame.names or (), frame.columns, strict=True))
    if lacking := {"type", "rowid", "repeat", "fold"} - set(columns):
        raise DataError(f"{frame.origin}: the splits lack the column {min(lacking)}")
    row, repeat, fold = (_whole(frame, columns[name]) for name in ("rowid", "repeat", "fold"))
    if "sample" in columns and _whole(frame, columns["sample"]).any():
        raise DataError(f"{frame.origin} trains on samples of growing size, which is no split")
    if row.max() >= n_rows:
        raise DataError(f"{frame.origin} divides row {row.max()}, but there are {n_rows} rows")
    n_folds, n_repeats = int(fold.max()) + 1, int(repeat.max()) + 1
    refuse_bytes(n_rows * n_repeats * n_folds, f"{frame.origin}: the table of splits")
    found = np.zeros((n_rows, n_repeats * n_folds), dtype=np.uint8)
    place = row, repeat * n_folds + fold
    tested = columns["type"] == "TEST"
    for kind, of_kind in ((TRAIN, ~tested), (TEST, tested)):
        at = place[0][of_kind], place[1][of_kind]
        if found[at].any():
            raise DataError(f"{frame.origin} both trains and tests on a row")
        found[at] = kind
    if not ((found == TRAIN).any(axis=0) & (found == TEST).any(axis=0)).all():
        raise DataError(f"{frame.origin} has a split without training or test rows")
    return found


def _whole(frame: Frame, column: object) -> IntArray:
    values = np.asarray(column)
    if values.dtype.kind != "f" or not (values == np.rint(values)).all() or (values < 0).any():
        raise DataError(f"{frame.origin}: the splits have a row, repeat or fold that is no number")
    if (values >= 2**31).any():
        raise DataError(f"{frame.origin}: the splits have a row, repeat or fold that is too large")
    return values.astype(np.intp)
