"""Downloads over http and https, within limits of time, size and address."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import ipaddress
import logging
import re
import socket
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Protocol
from urllib.parse import urlsplit

import numpy as np

from quadrepro.data.canonical import Frame, below
from quadrepro.data.sources.formats import read_file, read_idx
from quadrepro.data.sources.frame import SECONDS, limit, refuse_bytes
from quadrepro.data.sources.schema import RemoteFile, WebSource
from quadrepro.errors import DataError, NoConnectionError

TIMEOUT = 30.0
"""Seconds to wait for an answer of a server, or for its next bytes."""

TRIES = 3
"""Number of attempts if a request fails for a reason that may be temporary."""


def failure(origin: str, error: BaseException) -> DataError | None:
    """Return the error to raise for a failed request of `requests` or `urllib3`."""
    import requests
    from urllib3 import exceptions as urllib3

    dropped = "the connection was dropped before all data had arrived"
    # The first match is used, since some of these are special cases of later ones.
    known: tuple[tuple[type[BaseException], type[DataError], str], ...] = (
        (urllib3.NameResolutionError, NoConnectionError, "there is no such host, or no network"),
        (ConnectionRefusedError, NoConnectionError, "the connection was refused"),
        (urllib3.NewConnectionError, NoConnectionError, "the server cannot be reached"),
        (urllib3.ConnectTimeoutError, NoConnectionError, "the server did not answer in time"),
        (urllib3.TimeoutError, DataError, "the server did not answer in time"),
        (requests.exceptions.SSLError, DataError, "no secure connection could be made"),
        (requests.TooManyRedirects, DataError, "the server redirects without end"),
        (requests.ConnectionError, DataError, dropped),
        (urllib3.ProtocolError, DataError, dropped),
    )
    causes = [*_causes(error)]
    for cause, kind, words in known:
        if any(isinstance(one, cause) for one in causes):
            return kind(f"{origin}: {words}")
    if isinstance(error, requests.RequestException | urllib3.HTTPError):
        return DataError(f"{origin}: the request failed ({type(error).__name__})")
    return None


def is_page(start: bytes) -> bool:
    """Return whether a file that starts like this is an HTML page.

    Servers send such pages instead of files that they do not have.
    """
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith((b"<!doctype html", b"<html"))


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and all errors that led to it: arguments, reasons and causes."""
    yield error
    for cause in (*error.args, getattr(error, "reason", None), error.__cause__):
        if isinstance(cause, BaseException) and cause is not error:
            yield from _causes(cause)


# urllib3 has one function for new connections, which all threads share.
_ONE_AT_A_TIME = threading.RLock()


@contextlib.contextmanager
def bounded(origin: str) -> Iterator[None]:
    """Bound the time of all requests in a block, whatever library makes them with urllib3.

    A server can redirect to an address inside the user's own network, which it cannot reach itself.
    So if the first connection leads to a public address, the others must as well.
    """
    from urllib3.util import connection

    with _ONE_AT_A_TIME:
        guard = _Guard(origin, connection.create_connection)
        clock = threading.Timer(guard.seconds, guard.end)
        clock.daemon = True
        connection.create_connection = guard.connect
        clock.start()
        try:
            yield
        except Exception as error:
            if guard.late:
                raise guard.lateness() from error
            raise
        finally:
            connection.create_connection = guard.plain
            clock.cancel()
            guard.close()


class _Guard:
    """Admits connections, and ends those that are open when the time is over."""

    def __init__(self, origin: str, plain: Any) -> None:
        self.origin, self.plain = origin, plain
        self.seconds = limit(SECONDS)
        self.late = False
        self._public: bool | None = None
        self._thread = threading.get_ident()
        self._sockets: list[socket.socket] = []

    def connect(self, *args: Any, **options: Any) -> socket.socket:
        """Connect as urllib3 does."""
        made: socket.socket = self.plain(*args, **options)
        if threading.get_ident() == self._thread:
            try:
                self._admit(made)
            except BaseException:
                made.close()
                raise
        return made

    def _admit(self, made: socket.socket) -> None:
        host = str(made.getpeername()[0])
        if self._public is None:
            self._public = is_public(host)
        elif self._public and not is_public(host):
            raise DataError(
                f"{self.origin}: a redirect leads to {host}, which is not a public address"
            )
        # urllib3 wraps the socket for TLS; a copy reaches the connection at every stage.
        self._sockets.append(made.dup())
        if self.late:
            raise self.lateness()

    def end(self) -> None:
        """End all connections."""
        self.late = True
        for one in [*self._sockets]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let go of all connections."""
        for one in self._sockets:
            one.close()

    def lateness(self) -> DataError:
        """Return the error to raise when the time is over."""
        return DataError(
            f"{self.origin}: not complete after {self.seconds} seconds; {SECONDS} can allow more"
        )


def is_public(host: str) -> bool:
    """Return whether an IP address is one of the internet, not loopback, private or link-local.

    Examples
    --------
    >>> [is_public(host) for host in ("1.1.1.1", "127.0.0.1", "192.168.0.1", "::ffff:10.0.0.1")]
    [True, False, False, False]
    """
    address = ipaddress.ip_address(host)
    inner = getattr(address, "ipv4_mapped", None) or address
    return bool(inner.is_global)


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
    """Return the rows of files on the web, one file below the other."""
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
        retry_if_failed=TRIES - 1,
    )
    try:
        with _silence(pooch.get_logger()):
            return Path(store.fetch(name, downloader=partial(_download, progress)))
    except requests.HTTPError as error:
        raise DataError(f"{file.url}: {_status(error)}, {TRIES} times") from error
    except requests.RequestException as error:
        found = failure(file.url, error)
        assert found is not None
        raise found from error
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
            requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as answer,
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
    if is_page(start):
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
