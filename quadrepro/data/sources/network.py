"""Timeouts for servers, and network errors in words."""

from __future__ import annotations

from collections.abc import Iterator

from quadrepro.errors import DataError, NoConnectionError

TIMEOUT = 30.0
"""Seconds to wait for an answer of a server, or for its next bytes."""

TRIES = 3
"""Number of attempts if a request fails for a reason that may be temporary."""


def failure(origin: str, error: BaseException) -> DataError | None:
    """Return the error to raise for a failed request of `requests` or `urllib3`.

    Parameters
    ----------
    origin : str
        The requested source in words, for the message.
    error : BaseException
        The exception of the library.

    Returns
    -------
    DataError or None
        A `NoConnectionError` if no server was reached, or None if the error is not one of the
        network. The message never contains that of `error`, which can contain an API key.
    """
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

    Parameters
    ----------
    start : bytes
        The first bytes of the file.
    """
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith((b"<!doctype html", b"<html"))


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and all errors that led to it: arguments, reasons and causes."""
    yield error
    for cause in (*error.args, getattr(error, "reason", None), error.__cause__):
        if isinstance(cause, BaseException) and cause is not error:
            yield from _causes(cause)
