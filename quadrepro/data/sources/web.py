"""Files of UCI's archive and of mirrors, fetched with pooch."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import logging
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Protocol
from urllib.parse import urlsplit

import numpy as np

from quadrepro.data.sources import network
from quadrepro.data.sources.bounded import bounded
from quadrepro.data.sources.formats import read_file, read_idx
from quadrepro.data.sources.frame import Frame, below
from quadrepro.data.sources.limits import refuse_bytes
from quadrepro.data.sources.schema import RemoteFile, WebSource
from quadrepro.errors import DataError


class Progress(Protocol):
    """The progress bar that pooch expects; it counts the bytes of one file at a time.

    Attributes
    ----------
    total : int
        The size of the file in bytes.
    """

    total: int

    def update(self, n: int) -> Any:
        """Count `n` more bytes."""

    def reset(self) -> Any:
        """Start again at 0."""

    def close(self) -> Any:
        """End the current file."""


def read(source: WebSource, folder: Path, progress: Progress | None = None) -> Frame:
    """Return the rows of files on the web, one file below the other.

    Parameters
    ----------
    source : WebSource
        The files and their layout.
    folder : Path
        The folder for downloads, with the file names of `file_name`. A file that is there already
        is used if its hash is right or not known.
    progress : Progress or None, default None
        Counts the bytes that arrive.

    Returns
    -------
    Frame
        The columns of the files, then their constants.

    Raises
    ------
    NoConnectionError
        If a server cannot be reached.
    DataError
        If a file cannot be fetched within the limits of `quadrepro.data.sources.limits`, has the
        wrong hash, or cannot be read. Damaged files do not stay in the folder.
    """
    paths = [_fetched(file, folder, progress) for file in source.files]
    try:
        if source.format == "idx":
            return read_idx(paths)
        return below(
            [
                _with_constants(read_file(path, source, member=file.member), file.constants)
                for path, file in zip(paths, source.files, strict=True)
            ]
        )
    except DataError:
        # A file with the right hash is complete, so the card is wrong and fetching again is no use.
        for path, file in zip(paths, source.files, strict=True):
            if file.hash is None:
                path.unlink(missing_ok=True)
        raise


def file_name(url: str) -> str:
    """Return the name of the downloaded file of an address.

    It consists of a hash of the address, which makes it unique, and the last part of the address.

    Parameters
    ----------
    url : str
    """
    last = re.sub(r"[^\w.-]", "_", PurePosixPath(urlsplit(url).path).name)
    return f"{hashlib.sha256(url.encode()).hexdigest()[:8]}-{last[-100:]}"


def _fetched(file: RemoteFile, folder: Path, progress: Progress | None) -> Path:
    import pooch
    import requests

    name = file_name(file.url)
    store = pooch.create(
        folder,
        base_url="",
        registry={name: file.hash},
        urls={name: file.url},
        retry_if_failed=network.TRIES - 1,
    )
    try:
        with _silence(pooch.get_logger()):
            return Path(store.fetch(name, downloader=partial(_download, progress)))
    except requests.HTTPError as error:
        raise DataError(f"{file.url}: {_status(error)}, {network.TRIES} times") from error
    except requests.RequestException as error:
        failure = network.failure(file.url, error)
        assert failure is not None
        raise failure from error
    except ValueError as error:
        # The first sentence of pooch's message has both hashes.
        raise DataError(f"{file.url}: {str(error).partition('. Deleted')[0]}") from error
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror or error}") from error


def _download(progress: Progress | None, url: str, output_file: str, store: Any) -> None:
    """Download a file, but do not retry what would fail again."""
    import requests

    # If the server compressed the file, its length would not be that of the counted bytes.
    headers = {"Accept-Encoding": "identity"}
    try:
        with (
            bounded(url),
            requests.get(url, headers=headers, stream=True, timeout=network.TIMEOUT) as answer,
        ):
            answer.raise_for_status()
            _save(answer, Path(output_file), progress)
    except requests.HTTPError as error:
        failed: Any = error.response
        if failed.status_code >= 500:
            raise
        raise DataError(f"{url}: {_status(error)}") from error
    with open(output_file, "rb") as file:
        start = file.read(100)
    if not start:
        raise DataError(f"{url}: the server sent an empty file")
    if network.is_page(start):
        raise DataError(f"{url}: the server sent an HTML page instead of data")


def _save(answer: Any, path: Path, progress: Progress | None) -> None:
    """Write the body of an answer to a file, as far as it is not too large."""
    what = f"{answer.url}: the file"
    length = answer.headers.get("Content-Length", "")
    n_bytes = int(length) if length.isdecimal() else 0
    refuse_bytes(n_bytes, what)
    if progress is not None:
        progress.reset()
        progress.total = n_bytes
    seen = 0
    with path.open("wb") as file:
        for chunk in answer.iter_content(1 << 16):
            seen += len(chunk)
            refuse_bytes(seen, what)
            file.write(chunk)
            if progress is not None:
                progress.update(len(chunk))
    if progress is not None:
        progress.close()


def _status(error: Any) -> str:
    return f"the server answered HTTP {error.response.status_code} ({error.response.reason})"


@contextlib.contextmanager
def _silence(logger: logging.Logger) -> Iterator[None]:
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


def _with_constants(frame: Frame, constants: dict[str, str]) -> Frame:
    n_rows = len(frame.columns[0])
    added = tuple(np.full(n_rows, text) for text in constants.values())
    names = None if frame.names is None else (*frame.names, *constants)
    return dataclasses.replace(frame, columns=(*frame.columns, *added), names=names)
