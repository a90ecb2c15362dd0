"""How long a server is waited for, and what goes wrong between here and there, in words."""

from __future__ import annotations

from collections.abc import Iterator

TIMEOUT = 30.0
"""Seconds without a sign of the server after which it is given up."""

TRIES = 3
"""How often a request is made whose failure may pass."""


def fault(error: BaseException) -> str | None:
    """Return in words why a request of `requests` or `urllib3` failed.

    Parameters
    ----------
    error : BaseException
        Whatever was raised.

    Returns
    -------
    str or None
        Never the error's own text, in which addresses stand with a person's API key. None where
        nothing is wrong with the connection.
    """
    import requests
    from urllib3 import exceptions as urllib3

    words: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str], ...] = (
        (urllib3.NameResolutionError, "there is no such host, or no network"),
        (ConnectionRefusedError, "the connection was refused"),
        (urllib3.NewConnectionError, "the server cannot be reached"),
        ((requests.Timeout, urllib3.TimeoutError), "the server did not answer in time"),
        ((requests.exceptions.SSLError, urllib3.SSLError), "no secure connection could be made"),
        (requests.TooManyRedirects, "the server redirects without end"),
        (
            (requests.ConnectionError, requests.exceptions.ChunkedEncodingError),
            "the connection was dropped before all had arrived",
        ),
        (urllib3.ProtocolError, "the connection was dropped before all had arrived"),
    )
    causes = [*_causes(error)]
    for kinds, text in words:
        if any(isinstance(cause, kinds) for cause in causes):
            return text
    if isinstance(error, requests.RequestException | urllib3.HTTPError):
        return f"the request failed ({type(error).__name__})"
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
