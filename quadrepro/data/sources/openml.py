"""Data sets of OpenML, through openml-python, its configuration and its cache."""

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

from quadrepro.data.canonical import Column, numeric_column
from quadrepro.data.sources import network
from quadrepro.data.sources.frame import Frame
from quadrepro.data.sources.schema import OpenMLSource
from quadrepro.errors import DataError

# https://github.com/openml/OpenML, pre.php: "Unknown dataset".
_UNKNOWN = 111

# openml-python has its settings, and Python its logging and warnings, once for all threads.
_ONE_AT_A_TIME = threading.Lock()


class _Answer(NamedTuple):
    url: str
    status: int
    reason: str
    is_page: bool


def read(source: OpenMLSource) -> Frame:
    """Return a data set of OpenML, from openml-python's cache or else from the server.

    The person's configuration holds (server, API key, folder of the cache, whether parquet is
    taken), but for the retries, which are fewer while this runs.

    Parameters
    ----------
    source : OpenMLSource
        The data set's number, and its version where it is known.

    Returns
    -------
    Frame
        All columns of OpenML's file in its order, the target and those to be ignored among them:
        nominal ones and strings as texts, empty where missing; the others as numbers. The codes
        ``TRUE`` and ``FALSE``, however they are written, become ``True`` and ``False``.

    Raises
    ------
    NoConnectionError
        If the server cannot be reached.
    DataError
        If the server fails, knows no such data set or another version of it, or what arrives is
        damaged. Nothing that is damaged stays in the cache.
    """
    origin = f"OpenML {source.id}"
    with _ONE_AT_A_TIME, _silence():
        openml = _library(origin)
        folder = Path(openml.config.get_cache_directory(), "datasets", str(source.id))
        with _patience(openml) as answers:
            try:
                version, table = _load(openml, source.id, folder)
            except Exception as error:
                shutil.rmtree(folder, ignore_errors=True)
                reason = _reason(error, answers, openml.exceptions)
                failure = network.failure(origin, error) or DataError(f"{origin}: {reason}")
                raise failure from error
    if source.version not in (None, version):
        raise DataError(
            f"{origin}: it is version {version} at OpenML, the card says {source.version}"
        )
    columns = tuple(_column(table.iloc[:, j]) for j in range(table.shape[1]))
    return Frame(columns, origin, tuple(map(str, table.columns)))


def _library(origin: str) -> Any:
    try:
        import openml
    except Exception as error:  # It reads the person's configuration, and makes folders.
        raise DataError(f"{origin}: openml-python does not start: {_said(error)}") from error
    return openml


def _load(openml: Any, number: int, folder: Path) -> tuple[int, Any]:
    """Return version and table; what lay damaged in the cache is fetched once more."""
    from urllib3.exceptions import HTTPError

    was_there = folder.exists()
    try:
        return _fetch(openml, number, folder)
    # The first two say that the network or the disk failed, after which nothing is better.
    except (OSError, HTTPError, openml.exceptions.PyOpenMLError):
        raise
    except Exception:  # Parsers of damaged files raise errors of any kind.
        if not was_there:
            raise
    return _fetch(openml, number, folder, force_refresh_cache=True)


def _fetch(openml: Any, number: int, folder: Path, **options: bool) -> tuple[int, Any]:
    dataset = openml.datasets.get_dataset(number, download_data=True, **options)
    try:
        _check_md5(dataset)
        table, *_ = dataset.get_data(include_row_id=True, include_ignore_attribute=True)
    except BaseException:
        # Nor may an interruption leave half of what openml-python derives from the file.
        for derived in folder.glob("*.pkl.py3"):
            derived.unlink(missing_ok=True)
        raise
    return dataset.version, table


def _check_md5(dataset: Any) -> None:
    """Compare the ARFF file with its description; openml-python does so only for a new one."""
    if dataset.data_file is None or dataset.md5_checksum is None:
        return
    with Path(dataset.data_file).open("rb") as file:
        found = hashlib.file_digest(file, "md5").hexdigest()
    if found != dataset.md5_checksum:
        raise ValueError(f"md5 {found} instead of {dataset.md5_checksum}")


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Let nothing be logged or warned of."""
    root, mute, level = logging.getLogger(), logging.NullHandler(), logging.root.manager.disable
    # openml-python logs by `logging.warning`, which gives a root without handlers one that prints.
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
    """Bound how long openml-python waits and how often it tries; yield the last answer it had.

    openml-python waits for ever for an answer and half an hour for a parquet file, and takes no
    timeout.
    """
    import minio
    import requests
    import urllib3

    answers: list[_Answer] = []

    class Session(requests.Session):
        def request(self, *args: Any, **options: Any) -> requests.Response:
            response = super().request(*args, **(options | {"timeout": network.TIMEOUT}))
            # The query may hold the API key.
            url = response.url.partition("?")[0]
            page = network.is_page(response.content[:100])
            answers[:] = [_Answer(url, response.status_code, response.reason, page)]
            return response

    def client(*, http_client: urllib3.PoolManager | None, **options: Any) -> minio.Minio:
        pool = http_client or urllib3.PoolManager()
        pool.connection_pool_kw |= {
            "timeout": urllib3.Timeout(network.TIMEOUT),
            # A silent server of parquet files is not asked again: there is the ARFF file.
            "retries": urllib3.Retry(
                network.TRIES - 1, read=0, backoff_factor=0.2, status_forcelist=[500, 502, 503, 504]
            ),
        }
        return plain_client(http_client=pool, **options)

    config, plain_session, plain_client = openml.config, requests.Session, minio.Minio
    policy, n_tries = config.retry_policy, config.connection_n_retries
    try:
        config.retry_policy, config.connection_n_retries = "human", min(n_tries, network.TRIES)
        requests.Session, minio.Minio = Session, client  # type: ignore[misc, assignment]
        yield answers
    finally:
        config.retry_policy, config.connection_n_retries = policy, n_tries
        requests.Session, minio.Minio = plain_session, plain_client  # type: ignore[misc]


def _reason(error: Exception, answers: list[_Answer], exceptions: Any) -> str:
    """Return in words why a data set could not be had, where the network is not at fault."""
    if isinstance(error, exceptions.OpenMLServerException | exceptions.OpenMLPrivateDatasetError):
        unknown = getattr(error, "code", None) == _UNKNOWN
        what = "no such data set" if unknown else "the server refuses it"
        return f"{what} (server says: {_said(error).removesuffix(' - None')})"
    for answer in answers:
        if answer.status != 200:
            return f"the server answered HTTP {answer.status} ({answer.reason}) for {answer.url}"
        if answer.is_page:
            return f"{answer.url} sent an HTML page instead of data"
    if isinstance(error, OSError | exceptions.OpenMLCacheException):
        return f"openml-python's cache cannot be used: {_said(error)}"
    return f"what arrived is damaged ({_said(error)})"


def _said(error: Exception) -> str:
    """Return an error's own words in one line."""
    # openml-python hides what is wrong with a parquet file behind an error that names the file.
    hidden = error.__cause__ if type(error) is Exception and error.__cause__ else error
    text = str(getattr(hidden, "message", None) or hidden) or type(hidden).__name__
    # The text of liac-arff's errors fails where the row in it has a percent sign.
    return textwrap.shorten(text.replace("%d", str(getattr(hidden, "line", ""))), 200)


def _column(series: Any) -> Column:
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        codes = [str(code).strip() for code in series.cat.categories]
        if {code.capitalize() for code in codes} == {"True", "False"}:
            codes = [code.capitalize() for code in codes]
        # A missing value has the number -1, and so the last of these.
        column: Column = np.array([*codes, ""], dtype=np.str_)[series.cat.codes]
        return column
    if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind):
        return numeric_column(series.to_numpy(np.float64, na_value=np.nan))
    texts = [
        "" if gap else str(value).strip() for value, gap in zip(series, series.isna(), strict=True)
    ]
    return np.array(texts, dtype=np.str_)
