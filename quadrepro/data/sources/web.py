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
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Protocol, Self
from urllib.parse import urlsplit

import numpy as np
import pooch
import requests
from requests.adapters import HTTPAdapter
from urllib3 import exceptions as urllib3

from quadrepro.data.canonical import Frame, below
from quadrepro.data.sources.formats import SECONDS, limit, read_file, read_idx, refuse_bytes
from quadrepro.data.sources.schema import WebSource
from quadrepro.errors import DataError, NoConnectionError

TIMEOUT = 30.0
"""Seconds to wait for an answer of a server, or for its next bytes."""

TRIES = 3
"""Number of attempts if a request fails for a reason that may be temporary."""


class Progress(Protocol):
    """Is told of the bytes of a download, one file at a time."""

    def reset(self, total: int) -> None:
        """Begin a file of some bytes, 0 if their number is unknown."""

    def update(self, n: int) -> None:
        """Count `n` more bytes."""

    def close(self) -> None:
        """End the current file."""


def read(source: WebSource, folder: Path, progress: Progress | None = None) -> Frame:
    """Return the rows of files on the web, one file below the other."""
    paths = []
    for file in source.files:
        with Client(progress=progress) as client:
            paths.append(client.fetch(file.url, folder / file_name(file.url), file.hash))
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


def _with_constants(frame: Frame, constants: dict[str, str]) -> Frame:
    n_rows = len(frame.columns[0])
    added = tuple(np.full(n_rows, text) for text in constants.values())
    names = None if frame.names is None else (*frame.names, *constants)
    return dataclasses.replace(frame, columns=(*frame.columns, *added), names=names)


class Client:
    """Downloads files; all its requests together must end within the limit of time.

    A server can redirect to an address inside the user's own network, which it cannot reach itself.
    So if the first connection leads to a public address, the others must as well.
    """

    def __init__(
        self, origin: str = "", *, tries: int = TRIES, progress: Progress | None = None
    ) -> None:
        self.origin, self.tries, self.progress = origin, tries, progress
        self.place = origin
        self.session = requests.Session()
        for scheme in ("http://", "https://"):
            self.session.mount(scheme, _Adapter(self._admit))
        self._public: bool | None = None
        self._sockets: list[socket.socket] = []
        self._seconds, self._late = limit(SECONDS), False
        self._clock = threading.Timer(self._seconds, self._end)
        self._clock.daemon = True

    def __enter__(self) -> Self:
        self._clock.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._clock.cancel()
        self.session.close()
        for one in self._sockets:
            one.close()

    def fetch(
        self, url: str, path: Path, known: str | None, query: Mapping[str, str] | None = None
    ) -> Path:
        """Download a file, unless it is there with the known hash; `query` is in no message."""
        self.place = f"{self.origin}: {url}" if self.origin else url
        store = pooch.create(
            path.parent,
            base_url="",
            registry={path.name: known},
            urls={path.name: url},
            retry_if_failed=self.tries - 1,
        )
        try:
            with _silence(pooch.get_logger()):
                return Path(store.fetch(path.name, downloader=partial(self._download, query)))
        except (requests.RequestException, ValueError, OSError) as error:
            raise self._failure(error, path.parent) from error

    def refusal(self, answer: requests.Response) -> tuple[str, bool]:
        """Return the message of an answer with an error, and whether the error may be temporary."""
        words = f"the server answered HTTP {answer.status_code} ({answer.reason})"
        return words, answer.status_code >= 500

    def _download(
        self, query: Mapping[str, str] | None, url: str, output_file: str, _: object
    ) -> None:
        """Download a file for pooch, which tries again after errors of requests."""
        # If the server compressed the file, its length would not be that of the counted bytes.
        headers = {"Accept-Encoding": "identity"}
        with self.session.get(
            url, params=query, headers=headers, stream=True, timeout=TIMEOUT
        ) as answer:
            if not answer.ok:
                words, temporary = self.refusal(answer)
                if temporary:
                    raise requests.HTTPError(words, response=answer)
                raise DataError(f"{self.place}: {words}")
            self._save(answer, url, Path(output_file))
        if self._late:
            # An answer without a length ends wherever its connection ends.
            raise self._lateness()
        with open(output_file, "rb") as file:
            start = file.read(100)
        if not start:
            raise DataError(f"{self.place}: the server sent an empty file")
        if is_page(start):
            raise DataError(f"{self.place}: the server sent an HTML page instead of data")

    def _save(self, answer: requests.Response, url: str, path: Path) -> None:
        """Write the body of an answer to a file, as far as it is not too large."""
        length = answer.headers.get("Content-Length", "")
        n_bytes = int(length) if length.isdecimal() else 0
        refuse_bytes(n_bytes, f"{url}: the file")
        if self.progress is not None:
            self.progress.reset(n_bytes)
        seen = 0
        with path.open("wb") as file:
            for chunk in answer.iter_content(1 << 16):
                seen += len(chunk)
                refuse_bytes(seen, f"{url}: the file")
                file.write(chunk)
                if self.progress is not None:
                    self.progress.update(len(chunk))
        if self.progress is not None:
            self.progress.close()

    def _failure(self, error: Exception, folder: Path) -> DataError:
        if self._late:
            return self._lateness()
        if isinstance(error, requests.HTTPError):
            times = f", {self.tries} times" if self.tries > 1 else ""
            return DataError(f"{self.place}: {error}{times}")
        if isinstance(error, requests.RequestException):
            return failure(self.place, error)
        if isinstance(error, OSError):
            return DataError(f"{folder}: cannot be written: {error.strerror or error}")
        # The first sentence of pooch's message has both hashes.
        return DataError(f"{self.place}: {str(error).partition('. Deleted')[0]}")

    def _admit(self, made: socket.socket) -> None:
        """Refuse a new connection to a private address, or note it, so that it ends in time."""
        host = str(made.getpeername()[0])
        if self._public is None:
            self._public = is_public(host)
        elif self._public and not is_public(host):
            raise DataError(
                f"{self.place}: a redirect leads to {host}, which is not a public address"
            )
        # urllib3 wraps the socket for TLS; a copy reaches the connection at every stage.
        self._sockets.append(made.dup())
        if self._late:
            raise self._lateness()

    def _end(self) -> None:
        """End all connections."""
        self._late = True
        for one in [*self._sockets]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _lateness(self) -> DataError:
        return DataError(
            f"{self.place}: not complete after {self._seconds} seconds; {SECONDS} can allow more"
        )


class _Adapter(HTTPAdapter):
    """Shows every new connection to a function, before anything is sent."""

    def __init__(self, admit: Callable[[socket.socket], None]) -> None:
        super().__init__()
        self._admit = admit

    def get_connection_with_tls_context(self, *args: Any, **options: Any) -> Any:
        """Return the pool of connections for a request."""
        pool: Any = super().get_connection_with_tls_context(*args, **options)
        if not issubclass(pool.ConnectionCls, _Watched):
            parts = (_Watched, pool.ConnectionCls)
            pool.ConnectionCls = type("Watched", parts, {"admit": staticmethod(self._admit)})
        return pool


class _Watched:
    """A connection of urllib3 that is shown to `admit` before TLS begins."""

    admit: Callable[[socket.socket], None]

    def _new_conn(self) -> socket.socket:
        # As urllib3.contrib.socks, which also makes connections in a way of its own.
        made: socket.socket = super()._new_conn()  # type: ignore[misc]
        try:
            self.admit(made)
        except BaseException:
            made.close()
            raise
        return made


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


def is_page(start: bytes) -> bool:
    """Return whether a file that starts like this is an HTML page.

    Servers send such pages instead of files that they do not have.
    """
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith((b"<!doctype html", b"<html"))


_DROPPED = "the connection was dropped before all data had arrived"

# The first match is used, since some of these are special cases of later ones.
_FAILURES: tuple[tuple[type[BaseException], type[DataError], str], ...] = (
    (urllib3.NameResolutionError, NoConnectionError, "no such host, or no network"),
    (ConnectionRefusedError, NoConnectionError, "the connection was refused"),
    (urllib3.NewConnectionError, NoConnectionError, "the server cannot be reached"),
    (urllib3.ConnectTimeoutError, NoConnectionError, "the server did not answer in time"),
    (urllib3.TimeoutError, DataError, "the server did not answer in time"),
    (requests.exceptions.SSLError, DataError, "no secure connection could be made"),
    (requests.TooManyRedirects, DataError, "the server redirects without end"),
    (requests.ConnectionError, DataError, _DROPPED),
    (urllib3.ProtocolError, DataError, _DROPPED),
)


def failure(place: str, error: requests.RequestException) -> DataError:
    """Return the error to raise for a failed request."""
    causes = [*_causes(error)]
    for cause, kind, words in _FAILURES:
        if any(isinstance(one, cause) for one in causes):
            return kind(f"{place}: {words}")
    return DataError(f"{place}: the request failed ({type(error).__name__})")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and all errors that led to it: arguments, reasons and causes."""
    yield error
    for cause in (*error.args, getattr(error, "reason", None), error.__cause__):
        if isinstance(cause, BaseException) and cause is not error:
            yield from _causes(cause)


@contextlib.contextmanager
def _silence(logger: logging.Logger) -> Iterator[None]:
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)
