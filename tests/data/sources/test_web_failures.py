"""What a failed request is called, whatever library raised it and however deep the cause is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import requests
from urllib3 import HTTPConnectionPool, exceptions
from urllib3.connection import HTTPConnection

from quadrepro.data.sources.web import failure, is_page
from quadrepro.errors import DataError, NoConnectionError

CONNECTION = HTTPConnection("here.test")
POOL = HTTPConnectionPool("here.test")


def retried(reason: Exception) -> requests.RequestException:
    """Return an error as `requests` raises it after urllib3 has given up."""
    return requests.ConnectionError(exceptions.MaxRetryError(POOL, "/?api_key=secret", reason))


def chained(reason: Exception) -> requests.RequestException:
    """Return an error that was raised from another one."""
    try:
        raise requests.RequestException("secret") from reason
    except requests.RequestException as error:
        return error


UNKNOWN = exceptions.NameResolutionError("here.test", CONNECTION, OSError("secret"))  # type: ignore[arg-type]
SILENT = "the server did not answer in time"
DROPPED = exceptions.ProtocolError("secret", exceptions.IncompleteRead(1, 2))


@pytest.mark.parametrize("wrapped", [requests.RequestException, retried, chained])
@pytest.mark.parametrize(
    ("reason", "connected", "words"),
    [
        (UNKNOWN, False, "there is no such host, or no network"),
        (ConnectionRefusedError("secret"), False, "the connection was refused"),
        (
            exceptions.NewConnectionError(CONNECTION, "secret"),
            False,
            "the server cannot be reached",
        ),
        (exceptions.ConnectTimeoutError("secret"), False, SILENT),
        (exceptions.ReadTimeoutError(POOL, "/", "secret"), True, SILENT),
        (requests.exceptions.SSLError("secret"), True, "no secure connection could be made"),
        (requests.TooManyRedirects("secret"), True, "the server redirects without end"),
        (DROPPED, True, "the connection was dropped before all data had arrived"),
    ],
)
def test_a_cause_has_its_words_and_nothing_of_the_library_is_said(
    wrapped: Callable[[Exception], requests.RequestException],
    reason: Exception,
    connected: bool,
    words: str,
) -> None:
    found = failure("OpenML 37", wrapped(reason))
    assert type(found) is (DataError if connected else NoConnectionError)
    assert str(found) == f"OpenML 37: {words}"


def test_a_request_that_failed_otherwise_is_named_by_its_kind() -> None:
    found = failure("here", requests.exceptions.InvalidURL("secret"))
    assert str(found) == "here: the request failed (InvalidURL)"


def test_an_error_that_names_itself_as_its_cause_comes_to_an_end() -> None:
    error = requests.RequestException()
    error.args = (error,)
    assert str(failure("here", error)) == "here: the request failed (RequestException)"


@pytest.mark.parametrize(
    ("start", "page"),
    [
        (b"<!DOCTYPE html><html>", True),
        (b"\xef\xbb\xbf\r\n  <HTML lang='en'>", True),
        (b"<htm", False),
        (b"1,2,<html>", False),
        (b"", False),
    ],
)
def test_a_page_is_known_by_how_it_begins(start: bytes, page: bool) -> None:
    assert is_page(start) is page
