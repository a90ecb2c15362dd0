"""Data sets and tasks of OpenML, through the openml package."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import shutil
import textwrap
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import IntArray
from quadrepro.data.canonical import Column, Frame, numeric_column
from quadrepro.data.sources import web
from quadrepro.data.sources.formats import read_arff
from quadrepro.data.sources.frame import refuse_bytes
from quadrepro.data.sources.schema import OpenMLSource
from quadrepro.data.sources.web import bounded
from quadrepro.data.task_splits import TEST, TRAIN
from quadrepro.errors import DataError

# https://github.com/openml/OpenML, pre.php: "Unknown dataset", "Unknown task".
_UNKNOWN = {111: "no such data set", 151: "no such task"}

# The settings of openml-python and the state of logging and warnings are shared by all threads.
_ONE_AT_A_TIME = threading.Lock()


class _Answer(NamedTuple):
    url: str
    status: int
    reason: str
    is_page: bool


def read(source: OpenMLSource) -> Frame:
    """Return a data set of OpenML, from openml-python's cache or else from the server.

    The user's configuration applies (server, API key, folder of the cache, whether to use parquet),
    except that there are fewer retries.
    """
    origin = f"OpenML {source.id}"
    with session(origin, "datasets", source.id) as (openml, folder):
        version, table = _load(openml, source.id, folder)
    if source.version not in (None, version):
        raise DataError(
            f"{origin}: version {version} at OpenML, but version {source.version} in the card"
        )
    columns = tuple(_column(table.iloc[:, j]) for j in range(table.shape[1]))
    return Frame(columns, origin, tuple(map(str, table.columns)))


@contextlib.contextmanager
def session(origin: str, kind: str, number: int) -> Iterator[tuple[Any, Path]]:
    """Yield openml-python and a folder of its cache, to ask the server for one thing."""
    with _ONE_AT_A_TIME, _silence():
        openml = _library(origin)
        folder = Path(openml.config.get_cache_directory(), kind, str(number))
        with _patience(openml) as answers:
            try:
                with bounded(origin):
                    yield openml, folder
            except Exception as error:
                shutil.rmtree(folder, ignore_errors=True)
                if isinstance(error, DataError):
                    raise
                reason = _reason(error, answers, openml.exceptions)
                failure = web.failure(origin, error) or DataError(f"{origin}: {reason}")
                raise failure from error


def _library(origin: str) -> Any:
    try:
        import openml
    except Exception as error:  # It reads the user's configuration, and creates folders.
        raise DataError(f"{origin}: openml-python does not start: {_said(error)}") from error
    return openml


def _load(openml: Any, number: int, folder: Path) -> tuple[int, Any]:
    """Return version and table; damaged data in the cache are fetched again."""
    from urllib3.exceptions import HTTPError

    was_there = folder.exists()
    try:
        return _fetch(openml, number, folder)
    # If the network or the disk failed, fetching again does not help.
    except (OSError, HTTPError, openml.exceptions.PyOpenMLError, DataError):
        raise
    except Exception:  # Parsers of damaged files raise errors of any kind.
        if not was_there:
            raise
    return _fetch(openml, number, folder, force_refresh_cache=True)


def _fetch(openml: Any, number: int, folder: Path, **options: bool) -> tuple[int, Any]:
    dataset = openml.datasets.get_dataset(number, download_data=True, **options)
    try:
        _check_md5(dataset)
        # A pickle can run code, so that of the cache is never read, but made again.
        dataset.data_pickle_file = dataset.data_feather_file = None
        table, *_ = dataset.get_data(include_row_id=True, include_ignore_attribute=True)
    except BaseException:
        # An interruption must not leave an incomplete copy that openml-python made of the file.
        for derived in folder.glob("*.pkl.py3"):
            derived.unlink(missing_ok=True)
        raise
    return dataset.version, table


def _check_md5(dataset: Any) -> None:
    """Compare the ARFF file with its hash, which openml-python does only for a new file."""
    if dataset.data_file is None or dataset.md5_checksum is None:
        return
    with Path(dataset.data_file).open("rb") as file:
        found = hashlib.file_digest(file, "md5").hexdigest()
    if found != dataset.md5_checksum:
        raise ValueError(f"md5 {found} instead of {dataset.md5_checksum}")


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Suppress all logging and warnings."""
    root, mute, level = logging.getLogger(), logging.NullHandler(), logging.root.manager.disable
    # openml-python calls `logging.warning`, which adds a handler that prints if there is none.
    root.addHandler(mute)
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
        root.removeHandler(mute)


@contextlib.contextmanager
def _patience(openml: Any) -> Iterator[list[_Answer]]:
    """Limit the waiting time and the retries of openml-python; yield a list with its last answer.

    openml-python has no option for a timeout: it waits forever for an answer, and half an hour for
    a parquet file.
    """
    import minio
    import requests
    import urllib3

    answers: list[_Answer] = []

    class Session(requests.Session):
        def request(self, *args: Any, **options: Any) -> requests.Response:
            changes = {"timeout": web.TIMEOUT, "stream": True}
            response = super().request(*args, **(options | changes))
            _read_content(response)
            # The query can contain the API key.
            url = response.url.partition("?")[0]
            page = web.is_page(response.content[:100])
            answers[:] = [_Answer(url, response.status_code, response.reason, page)]
            return response

    def client(*, http_client: urllib3.PoolManager | None, **options: Any) -> minio.Minio:
        pool = http_client or urllib3.PoolManager()
        pool.connection_pool_kw |= {
            "timeout": urllib3.Timeout(web.TIMEOUT),
            # If a server of parquet files does not answer, the ARFF file is fetched instead.
            "retries": urllib3.Retry(
                web.TRIES - 1, read=0, backoff_factor=0.2, status_forcelist=[500, 502, 503, 504]
            ),
        }
        made = plain_client(http_client=pool, **options)
        plain_stat = made.stat_object

        def stat_object(*args: Any, **options: Any) -> Any:
            found = plain_stat(*args, **options)
            refuse_bytes(found.size or 0, f"{found.bucket_name}/{found.object_name}: the file")
            return found

        made.stat_object = stat_object  # type: ignore[method-assign]
        return made

    config, plain_session, plain_client = openml.config, requests.Session, minio.Minio
    policy, n_tries = config.retry_policy, config.connection_n_retries
    try:
        config.retry_policy, config.connection_n_retries = "human", min(n_tries, web.TRIES)
        requests.Session, minio.Minio = Session, client  # type: ignore[misc, assignment]
        yield answers
    finally:
        config.retry_policy, config.connection_n_retries = policy, n_tries
        requests.Session, minio.Minio = plain_session, plain_client  # type: ignore[misc]


def _read_content(response: Any) -> None:
    """Read an answer, as far as it is not too large."""
    content = bytearray()
    with contextlib.closing(response):
        for chunk in response.iter_content(1 << 16):
            content += chunk
            refuse_bytes(len(content), f"{response.url.partition('?')[0]}: the file")
    response._content = bytes(content)


def _reason(error: Exception, answers: list[_Answer], exceptions: Any) -> str:
    """Return in words why a data set could not be fetched, if the network is not the reason."""
    if isinstance(error, exceptions.OpenMLServerException | exceptions.OpenMLPrivateDatasetError):
        code = getattr(error, "code", None) or 0
        what = _UNKNOWN.get(code, "the server refuses it")
        return f"{what} (server says: {_said(error).removesuffix(' - None')})"
    for answer in answers:
        if answer.status != 200:
            return f"the server answered HTTP {answer.status} ({answer.reason}) for {answer.url}"
        if answer.is_page:
            return f"{answer.url} sent an HTML page instead of data"
    if isinstance(error, OSError | exceptions.OpenMLCacheException):
        return f"openml-python's cache cannot be used: {_said(error)}"
    return f"the data that arrived are damaged ({_said(error)})"


def _said(error: Exception) -> str:
    """Return the message of an error on one line."""
    # openml-python hides a fault of a parquet file behind an error that only names the file.
    hidden = error.__cause__ if type(error) is Exception and error.__cause__ else error
    text = str(getattr(hidden, "message", None) or hidden) or type(hidden).__name__
    # str() of liac-arff's errors fails if the row has a percent sign.
    return textwrap.shorten(text.replace("%d", str(getattr(hidden, "line", ""))), 200)


def _column(series: Any) -> Column:
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        codes = [str(code).strip() for code in series.cat.categories]
        if {code.capitalize() for code in codes} == {"True", "False"}:
            codes = [code.capitalize() for code in codes]
        # A missing value has the code -1, and so becomes the last of these.
        column: Column = np.array([*codes, ""], dtype=np.str_)[series.cat.codes]
        return column
    if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind):
        return numeric_column(series.to_numpy(np.float64, na_value=np.nan))
    texts = [
        "" if gap else str(value).strip() for value, gap in zip(series, series.isna(), strict=True)
    ]
    return np.array(texts, dtype=np.str_)


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
        """Return what each split makes of each row."""
        return _splits(self.lines, n_rows)


def read_task(number: int) -> Task:
    """Return a task, from openml-python's cache or else from the server."""
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
        raise DataError(f"{frame.origin} trains on samples of growing size, which is not a split")
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
        raise DataError(
            f"{frame.origin}: the splits have a row, repeat or fold that is not a number"
        )
    if (values >= 2**31).any():
        raise DataError(f"{frame.origin}: the splits have a row, repeat or fold that is too large")
    return values.astype(np.intp)
