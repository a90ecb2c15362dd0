"""Files of the web become a frame, or one line that says why not; requests end in time."""

from __future__ import annotations

import contextlib
import errno
import gzip
import hashlib
import io
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pooch
import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st
from urllib3 import HTTPConnectionPool, connection, connectionpool, exceptions
from urllib3.connection import HTTPConnection

from quadrepro.data.canonical import Frame
from quadrepro.data.sources import web
from quadrepro.data.sources.schema import WebSource
from quadrepro.data.sources.web import Client, file_name, is_page, is_public, read
from quadrepro.errors import DataError, NoConnectionError
from tests.data.files import images, labels, zipped
from tests.server import PAGE, Reply, Server, failure, redirect

DATA = b"1,red\n2,?\n"
ROWS = [("1", "red"), ("2", "?")]
PATH = "/ml/toy/x.data"


def sha256(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def source(*files: str | dict[str, Any], **layout: Any) -> WebSource:
    listed = [{"url": file} if isinstance(file, str) else file for file in files]
    return WebSource.model_validate({"kind": "uci", "files": listed, **layout})


def rows(frame: Frame) -> list[tuple[Any, ...]]:
    return [*zip(*(column.tolist() for column in frame.columns), strict=True)]


def refusal(wanted: WebSource, folder: Path, kind: type[DataError] = DataError) -> str:
    with pytest.raises(DataError) as caught:
        read(wanted, folder)
    assert type(caught.value) is kind
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_file_is_read_and_kept(server: Server, tmp_path: Path) -> None:
    url = server.put(PATH, DATA)
    folder = tmp_path / "not" / "there"
    assert rows(read(source(url), folder)) == ROWS
    assert [path.name for path in folder.iterdir()] == [file_name(url)]
    assert (folder / file_name(url)).read_bytes() == DATA


@pytest.mark.parametrize("known", [None, sha256(DATA), f"md5:{hashlib.md5(DATA).hexdigest()}"])
def test_a_second_read_asks_for_nothing(server: Server, tmp_path: Path, known: str | None) -> None:
    wanted = source({"url": server.put(PATH, DATA), "hash": known})
    first, second = read(wanted, tmp_path), read(wanted, tmp_path)
    assert rows(first) == rows(second)
    assert server.asked == {PATH: 1}


@pytest.mark.parametrize(
    ("name", "content"),
    [("x.data.gz", gzip.compress(DATA, mtime=0)), ("x.zip", zipped({"x.data": DATA}))],
)
def test_packed_files_are_unpacked(
    server: Server, tmp_path: Path, name: str, content: bytes
) -> None:
    url = server.put(f"/{name}", content)
    assert rows(read(source(url), tmp_path)) == ROWS


def test_two_members_of_an_archive_are_one_download(server: Server, tmp_path: Path) -> None:
    url = server.put("/x.zip", zipped({"train.data": b"1,a\n", "test.data": b"2,b\n"}))
    wanted = source(
        {"url": url, "member": "train.data", "constants": {"part": "train"}},
        {"url": url, "member": "test.data", "constants": {"part": "test"}},
    )
    assert rows(read(wanted, tmp_path)) == [("1", "a", "train"), ("2", "b", "test")]
    assert server.asked == {"/x.zip": 1}


def test_files_of_one_name_stand_below_each_other_with_their_constants(
    server: Server, tmp_path: Path
) -> None:
    red = {"url": server.put("/red/x.data", b"1,a\n2,b\n"), "constants": {"c": "red", "n": "7"}}
    white = {"url": server.put("/white/x.data", b"3,c\n"), "constants": {"c": "white", "n": "8"}}
    frame = read(source(red, white), tmp_path)
    below = [("1", "a", "red", "7"), ("2", "b", "red", "7"), ("3", "c", "white", "8")]
    assert rows(frame) == below
    assert frame.names is None


def test_constants_have_names_where_the_columns_have(server: Server, tmp_path: Path) -> None:
    arff = b"@relation r\n@attribute size real\n@data\n1\n"
    file = {"url": server.put("/x.arff", arff), "constants": {"colour": "red"}}
    frame = read(source(file, format="arff"), tmp_path)
    assert frame.names == ("size", "colour")
    assert rows(frame) == [(1.0, "red")]


def test_images_and_labels_are_read_in_pairs(server: Server, tmp_path: Path) -> None:
    files = (images([[[1, 2]], [[3, 4]]]), labels(7, 9), images([[[5, 6]]]), labels(7))
    urls = [server.put(f"/{i}.gz", gzip.compress(file)) for i, file in enumerate(files)]
    frame = read(source(*urls, format="idx"), tmp_path)
    assert rows(frame) == [(1.0, 2.0, "7"), (3.0, 4.0, "9"), (5.0, 6.0, "7")]


def test_redirects_are_followed(server: Server, tmp_path: Path) -> None:
    url = server.put(PATH, redirect(server.put("/new", DATA)))
    assert rows(read(source(url), tmp_path)) == ROWS


@pytest.mark.parametrize(
    "bad",
    [failure(500), Reply(sent="nothing"), Reply(DATA, sent="half"), Reply(b"old")],
    ids=["500", "dropped", "truncated", "another hash"],
)
def test_what_may_pass_is_tried_again(server: Server, tmp_path: Path, bad: Reply) -> None:
    url = server.put(PATH, DATA)
    server.first(PATH, bad, bad)
    assert rows(read(source({"url": url, "hash": sha256(DATA)}), tmp_path)) == ROWS
    assert server.asked == {PATH: 3}


DROPPED = "the connection was dropped before all data had arrived"
SENT_PAGE = "the server sent an HTML page instead of data"


@pytest.mark.parametrize(
    ("reply", "expected", "times"),
    [
        (failure(404), "the server answered HTTP 404 (Not Found)", 1),
        (failure(500), "the server answered HTTP 500 (Internal Server Error), 3 times", 3),
        (Reply(sent="nothing"), DROPPED, 3),
        (Reply(DATA, sent="half"), DROPPED, 3),
        (Reply(PAGE), SENT_PAGE, 1),
        (Reply(b"\xef\xbb\xbf<HTML><body>"), SENT_PAGE, 1),
        (Reply(), "the server sent an empty file", 1),
        (redirect(PATH), "the server redirects without end", 93),
    ],
)
def test_a_failure_is_one_line_and_leaves_nothing(
    server: Server, tmp_path: Path, reply: Reply, expected: str, times: int
) -> None:
    url = server.put(PATH, reply)
    wanted = source({"url": url, "hash": sha256(DATA)})
    assert refusal(wanted, tmp_path) == f"{url}: {expected}"
    assert server.asked == {PATH: times}
    assert not [*tmp_path.iterdir()]
    server.put(PATH, DATA)
    assert rows(read(wanted, tmp_path)) == ROWS


def test_a_wrong_hash_is_refused_with_both_named(server: Server, tmp_path: Path) -> None:
    url = server.put(PATH, b"3,blue\n")
    wanted = source({"url": url, "hash": sha256(DATA)})
    found = sha256(b"3,blue\n").removeprefix("sha256:")
    assert refusal(wanted, tmp_path) == (
        f"{url}: SHA256 hash of downloaded file ({file_name(url)}) does not match the known hash:"
        f" expected {sha256(DATA)} but got {found}"
    )
    assert server.asked == {PATH: 3}
    assert not [*tmp_path.iterdir()]


def test_a_silent_server_is_given_up(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "TIMEOUT", 0.1)
    url = server.put(PATH, Reply(sent="late"))
    assert refusal(source(url), tmp_path) == f"{url}: the server did not answer in time"
    assert not [*tmp_path.iterdir()]
    assert server.asked == {PATH: 3}


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (socket.gaierror(socket.EAI_NONAME, "?"), "no such host, or no network"),
        (OSError(errno.EHOSTUNREACH, "No route to host"), "the server cannot be reached"),
        (TimeoutError(), "the server did not answer in time"),
    ],
)
def test_no_connection_is_one_line(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, expected: str
) -> None:
    connect = "urllib3.util.connection.create_connection"
    monkeypatch.setattr(connect, Mock(side_effect=error))
    url = "http://uci.invalid/x"
    assert refusal(source(url), tmp_path, NoConnectionError) == f"{url}: {expected}"


def test_a_server_without_a_secure_connection_is_one_line(server: Server, tmp_path: Path) -> None:
    url = server.put(PATH, DATA).replace("http:", "https:")
    assert refusal(source(url), tmp_path) == f"{url}: no secure connection could be made"


def test_a_folder_that_cannot_be_made_is_one_line(server: Server, tmp_path: Path) -> None:
    url = server.put(PATH, DATA)
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "folder"
    assert refusal(source(url), folder) == f"{folder}: cannot be written: Not a directory"


def test_a_damaged_file_is_not_in_the_way_of_the_next_try(server: Server, tmp_path: Path) -> None:
    url = server.put("/x.data.gz", gzip.compress(DATA)[:-4])
    path = tmp_path / file_name(url)
    assert refusal(source(url), tmp_path).startswith(f"{path}: cannot be read: ")
    assert not path.exists()
    server.put("/x.data.gz", gzip.compress(DATA))
    assert rows(read(source(url), tmp_path)) == ROWS


def test_a_file_that_is_not_what_its_hash_says_is_fetched_again(
    server: Server, tmp_path: Path
) -> None:
    url = server.put(PATH, DATA)
    (tmp_path / file_name(url)).write_bytes(DATA[:5])
    frame = read(source({"url": url, "hash": sha256(DATA)}), tmp_path)
    assert rows(frame) == ROWS
    assert (tmp_path / file_name(url)).read_bytes() == DATA


def test_a_file_whose_hash_fits_is_kept_though_the_card_misreads_it(
    server: Server, tmp_path: Path
) -> None:
    content = b"1,red\n2\n"
    url = server.put(PATH, content)
    path = tmp_path / file_name(url)
    wanted = source({"url": url, "hash": sha256(content)})
    assert refusal(wanted, tmp_path) == f"{path}, line 2: 1 fields, but the first row has 2"
    assert path.exists()


def test_an_interrupted_download_leaves_nothing(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.put(PATH, DATA)
    monkeypatch.setattr(web, "is_page", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        read(source(url), tmp_path)
    assert not [*tmp_path.iterdir()]


class Bar:
    """A progress bar that notes what it is told."""

    def __init__(self) -> None:
        self.total = self.n = 0
        self.closed: list[tuple[int, int]] = []

    def update(self, n: int) -> None:
        self.n += n

    def reset(self, total: int) -> None:
        self.n, self.total = 0, total

    def close(self) -> None:
        self.closed.append((self.n, self.total))


def test_a_progress_bar_sees_every_byte_of_every_file(server: Server, tmp_path: Path) -> None:
    large = b"1,red\n" * 50_000
    urls = [server.put("/large", large), server.put("/small", DATA)]
    server.first("/large", Reply(large, sent="half"))
    bar = Bar()
    read(source(*urls), tmp_path, progress=bar)
    assert bar.closed == [(len(large), len(large)), (len(DATA), len(DATA))]


def test_two_at_once_do_no_harm(server: Server, tmp_path: Path) -> None:
    wanted = source({"url": server.put(PATH, DATA * 10_000), "hash": sha256(DATA * 10_000)})
    with ThreadPoolExecutor(4) as pool:
        frames = [*pool.map(lambda _: read(wanted, tmp_path), range(4))]
    assert [len(rows(frame)) for frame in frames] == [20_000] * 4
    assert len([*tmp_path.iterdir()]) == 1


def test_nothing_is_printed(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed, logger = io.StringIO(), pooch.get_logger()
    monkeypatch.setattr(logger, "handlers", [logging.StreamHandler(printed)])
    url = server.put(PATH, DATA)
    server.first(PATH, failure(500))
    level = logger.level
    read(source(url), tmp_path)
    assert printed.getvalue() == ""
    assert logger.level == level


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4), st.text())
def test_a_files_name_is_one_in_its_folder(parts: list[str], query: str) -> None:
    url = f"https://host/{'/'.join(parts)}?{query}"
    name = file_name(url)
    assert Path(name).name == name
    assert 9 <= len(name.encode()) <= 255


def test_a_files_name_ends_as_its_address_and_differs_from_others() -> None:
    urls = ["http://a/1/x.data.gz", "http://a/2/x.data.gz", "http://b/1/x.data.gz?y=/z.zip"]
    names = [file_name(url) for url in urls]
    assert len(set(names)) == 3
    assert all(name.endswith("-x.data.gz") for name in names)


@contextlib.contextmanager
def one_answer(answer: bytes) -> Iterator[str]:
    """Serve the same bytes to one request, whatever it asks for."""

    def serve() -> None:
        made, _ = listening.accept()
        with made:
            made.recv(10_000)
            made.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/x.data"
        thread.join()


def test_a_file_that_is_too_large_is_refused_and_not_kept(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.put(PATH, b"1,red\n" * 100)
    monkeypatch.setenv("QUADREPRO_MAX_BYTES", "599")
    message = f"{url}: the file has more than 599 bytes; QUADREPRO_MAX_BYTES can allow more"
    assert refusal(source(url), tmp_path) == message
    assert not [*tmp_path.iterdir()]
    assert server.asked[PATH] == 1
    monkeypatch.setenv("QUADREPRO_MAX_BYTES", "600")
    assert len(rows(read(source(url), tmp_path))) == 100


def test_the_size_is_that_of_the_bytes_and_not_what_the_server_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In chunks of any size, without a length.
    part = b"1,red\n" * 10
    body = b"3c\r\n" + part + b"\r\n"
    answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body * 10 + b"0\r\n\r\n"
    monkeypatch.setenv("QUADREPRO_MAX_BYTES", "600")
    with one_answer(answer) as url:
        assert len(rows(read(source(url), tmp_path))) == 100
    monkeypatch.setenv("QUADREPRO_MAX_BYTES", "599")
    with one_answer(answer) as url:
        assert refusal(source(url), tmp_path).startswith(f"{url}: the file has more than 599 bytes")


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
LOST = exceptions.ProtocolError("secret", exceptions.IncompleteRead(1, 2))


@pytest.mark.parametrize("wrapped", [requests.RequestException, retried, chained])
@pytest.mark.parametrize(
    ("reason", "connected", "words"),
    [
        (UNKNOWN, False, "no such host, or no network"),
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
        (LOST, True, "the connection was dropped before all data had arrived"),
    ],
)
def test_a_cause_has_its_words_and_nothing_of_the_library_is_said(
    wrapped: Callable[[Exception], requests.RequestException],
    reason: Exception,
    connected: bool,
    words: str,
) -> None:
    found = web.failure("OpenML 37", wrapped(reason))
    assert type(found) is (DataError if connected else NoConnectionError)
    assert str(found) == f"OpenML 37: {words}"


def test_a_request_that_failed_otherwise_is_named_by_its_kind() -> None:
    found = web.failure("here", requests.exceptions.InvalidURL("secret"))
    assert str(found) == "here: the request failed (InvalidURL)"


def test_an_error_that_names_itself_as_its_cause_comes_to_an_end() -> None:
    error = requests.RequestException()
    error.args = (error,)
    assert str(web.failure("here", error)) == "here: the request failed (RequestException)"


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


@pytest.mark.parametrize("host", ["1.1.1.1", "2606:4700:4700::1111", "::ffff:1.1.1.1"])
def test_addresses_of_the_internet_are_public(host: str) -> None:
    assert is_public(host)


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "::1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1"),
        *("169.254.169.254", "fe80::1%eth0", "fd00::1", "::ffff:127.0.0.1"),
    ],
)
def test_loopback_private_and_link_local_addresses_are_not_public(host: str) -> None:
    assert not is_public(host)


def get(url: str, path: Path) -> bytes:
    with Client() as client:
        return client.fetch(url, path / "file", None).read_bytes()


@pytest.mark.parametrize(
    ("first", "second", "refused"),
    [(True, False, True), (True, True, False), (False, False, False)],
)
def test_a_redirect_to_a_private_host_is_refused_unless_the_first_one_is_private(
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    first: bool,
    second: bool,
    refused: bool,
) -> None:
    answers: Iterator[bool] = iter([first, second])
    monkeypatch.setattr(web, "is_public", lambda host: next(answers))
    server.put("/secret", b"1,2\n")
    # With a connection that is closed, the redirect needs one of its own.
    away = redirect(server.url.replace("127.0.0.1", "localhost") + "/secret")
    url = server.put("/", away)
    if refused:
        with pytest.raises(DataError, match=r"/: a redirect leads to 127.0.0.1, which is not a pu"):
            get(url, tmp_path)
        assert server.asked["/secret"] == 0
    else:
        assert get(url, tmp_path) == b"1,2\n"


@pytest.mark.parametrize("scheme", ["file:///etc/passwd", "ftp://127.0.0.1/a"])
def test_a_redirect_leads_to_http_only(server: Server, tmp_path: Path, scheme: str) -> None:
    url = server.put("/", redirect(scheme))
    with pytest.raises(DataError, match=r"/: the request failed \(InvalidSchema\)"):
        get(url, tmp_path)


def test_a_server_that_sends_for_ever_is_given_up(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.put("/", Reply(b"x" * 1000, sent="slowly"))
    monkeypatch.setenv("QUADREPRO_MAX_SECONDS", "1")
    began = time.monotonic()
    with pytest.raises(DataError, match=r"/: not complete after 1 seconds; QUADREPRO_MAX_SECONDS"):
        get(url, tmp_path)
    assert time.monotonic() - began < 5


def test_a_server_whose_headers_never_end_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drip() -> None:
        with contextlib.suppress(OSError), listening.accept()[0] as made:
            made.sendall(b"HTTP/1.1 200 OK\r\nA: ")
            while True:
                made.sendall(b"a")
                time.sleep(0.05)

    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("QUADREPRO_MAX_SECONDS", "1")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=drip)
        thread.start()
        with pytest.raises(DataError, match="not complete after 1 seconds"):
            get(f"http://127.0.0.1:{listening.getsockname()[1]}/", tmp_path)
        thread.join()


def test_other_requests_of_the_process_are_not_watched(server: Server, tmp_path: Path) -> None:
    before = connection.HTTPConnection._new_conn
    get(server.put("/", b"1"), tmp_path)
    assert connection.HTTPConnection._new_conn is before
    assert connectionpool.HTTPConnectionPool.ConnectionCls is connection.HTTPConnection
