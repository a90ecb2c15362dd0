"""Requests end in time, and a redirect from a public host leads to no private one."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from urllib3 import connection, connectionpool

from quadrepro.data.sources import web
from quadrepro.data.sources.web import Client, is_public
from quadrepro.errors import DataError
from tests.server import Reply, Server, redirect


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
