"""How long a server is waited for, and what goes wrong between here and there, in words."""

from __future__ import annotations

from collections.abc import Iterator

from quadrepro.errors import DataError, NoConnectionError

TIMEOUT = 30.0
"""Seconds without a sign of the server after which it is given up."""

TRIES = 3
"""How often a request is made whose failure may pass."""


def failure(origin: str, error: BaseException) -> DataError | None:
    """Return what to raise for a request of `requests` or `urllib3` that failed.

    Parameters
    ----------
    origin : str
        What was asked for.
    error : BaseException
        Whatever was raised.

    Returns
    -------
    DataError or None
        A `NoConnectionError` where no server was reached; None where nothing is wrong with the
        connection. The text is never that of `error`, in which an API key may stand.
    """
    import requests
    from urllib3 import exceptions as urllib3

    dropped = "the connection was dropped before all had arrived"
    # The first that fits is said: some of these are special cases of later ones.
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
    """Return whether what begins so is an HTML page, which servers send for files they lack."""
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith((b"<!doctype html", b"<html"))


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and all that it was made from: its arguments, its reason and its cause."""
    yield error
    for cause in (*error.args, getattr(error, "reason", None), error.__cause__):
        if isinstance(cause, BaseException) and cause is not error:
            yield from _causes(cause)
