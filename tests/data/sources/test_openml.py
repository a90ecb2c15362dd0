"""What OpenML's server sends becomes a frame, or one line that says why not and a usable cache."""

from __future__ import annotations

import csv
import hashlib
import pickle
import re
import socket
import types
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from quadrepro.data.canonical import Frame
from quadrepro.data.sources import web
from quadrepro.data.sources.openml import read
from quadrepro.data.sources.schema import OpenMLSource
from quadrepro.errors import DataError, NoConnectionError
from tests.server import (
    PAGE,
    XML,
    OpenMLPaths,
    Reply,
    Server,
    Table,
    configure_openml,
    failure,
    openml_error,
    redirect,
)

SAMPLE = Path(__file__).with_name("openml_2")
SOURCE = OpenMLSource(kind="openml", id=37)
GROWING = b'<!DOCTYPE a [<!ENTITY b "bbbb">]><a>&b;</a>'
UNREADABLE = b'<?xml version="1.0" encoding="none"?><a/>'
DROPPED = "the connection was dropped before all data had arrived"
SENT_PAGE = "the server sent an HTML page instead of data"

pytestmark = pytest.mark.usefixtures("openml_cache")

TABLE = Table(
    {
        "row": "integer",
        "size": "real",
        "a colour": ("red", "blue", "01"),
        "hot": ("TRUE", "FALSE"),
        "weight": "numeric",
        "remark": "string",
        "empty": "real",
        "class": ("no", "yes"),
    },
    [
        ("1", "0.1", "red", "TRUE", "300", "so-so", "?", "no"),
        ("2", "?", "?", "?", "1e-3", "?", "?", "yes"),
        ("3", "-25", "01", "FALSE", "-0.0", "fine", "?", "no"),
    ],
)


@pytest.fixture
def paths(server: Server) -> OpenMLPaths:
    return server.put_openml(37, TABLE)


@pytest.fixture
def both(server: Server) -> OpenMLPaths:
    """Serve the table also as a parquet file."""
    return server.put_openml(37, TABLE, parquet=True)


def assert_is_the_table(frame: Frame) -> None:
    assert frame.origin == "OpenML 37"
    assert frame.names == tuple(TABLE.attributes)
    row, size, colour, hot, weight, remark, empty, label = (c.tolist() for c in frame.columns)
    assert row == [1, 2, 3]
    np.testing.assert_array_equal(size, [0.1, np.nan, -25])
    assert colour == ["red", "", "01"]
    assert hot == ["True", "", "False"]
    assert weight == [300, 1e-3, 0]
    assert remark == ["so-so", "", "fine"]
    assert len(empty) == 3
    assert all(value in ("", None) or value != value for value in empty)
    assert label == ["no", "yes", "no"]
    assert {c.dtype.kind for c in frame.columns} == {"f", "U"}


def assert_is_kept(server: Server) -> None:
    """See that nothing is asked for the table."""
    server.asked.clear()
    assert_is_the_table(read(SOURCE))
    assert not server.asked


def refusal(source: OpenMLSource = SOURCE, kind: type[DataError] = DataError) -> str:
    with pytest.raises(DataError) as caught:
        read(source)
    assert type(caught.value) is kind
    message = str(caught.value)
    assert "\n" not in message
    return message


def assert_next_try_succeeds(server: Server, cache: Path, parquet: bool = False) -> None:
    """Mend the server; nothing of the failure is left to be stumbled over."""
    assert not (cache / "37").exists()
    server.scripts.clear()
    server.put_openml(37, TABLE, parquet=parquet)
    assert_is_the_table(read(SOURCE))


def test_an_arff_file_is_read_whole_and_in_its_order(paths: OpenMLPaths, server: Server) -> None:
    assert_is_the_table(read(SOURCE))
    assert server.asked == {paths.description: 1, paths.arff: 1}


def test_a_parquet_file_is_taken_where_there_is_one(both: OpenMLPaths, server: Server) -> None:
    assert_is_the_table(read(SOURCE))
    assert server.asked == {both.description: 1, both.parquet: 1}


def test_what_a_person_had_fetched_before_is_taken_without_asking(
    paths: OpenMLPaths, server: Server, openml_cache: Path
) -> None:
    folder = openml_cache / "37"
    folder.mkdir(parents=True)
    # As openml-python keeps them.
    for name, path in {
        "description.xml": paths.description,
        "features.xml": paths.features,
        "qualities.xml": paths.qualities,
        "dataset.arff": paths.arff,
    }.items():
        (folder / name).write_bytes(server.replies[path].body)
    assert_is_the_table(read(SOURCE))
    assert not server.asked


def test_the_file_of_openml_itself_is_read_right(server: Server) -> None:
    arff = (SAMPLE / "dataset.arff").read_bytes()
    written = (SAMPLE / "description.xml").read_text()
    real_url = re.search("<oml:url>(.*)</oml:url>", written)
    real_md5 = re.search("<oml:md5_checksum>(.*)</oml:md5_checksum>", written)
    assert real_url
    assert real_md5
    url = server.put("/data/download/1666876/phpFsFYVN", arff)
    # The file is cut to its first rows, and the address is not that of the server here.
    written = written.replace(real_url[1], url)
    written = written.replace(real_md5[1], hashlib.md5(arff).hexdigest())
    server.put("/api/v1/xml/data/2", written.encode())

    frame = read(OpenMLSource(kind="openml", id=2, version=1))

    oml = "{http://openml.org/openml}"
    features = [*ET.parse(SAMPLE / "features.xml").iter(f"{oml}feature")]
    assert frame.names == tuple(feature.findtext(f"{oml}name") for feature in features)
    assert "bw%2Fme" in frame.names
    rows = [*csv.reader(arff.decode().partition("@data")[2].splitlines())]
    rows = [row for row in rows if row and not row[0].startswith("%")]
    assert len(rows) == 41
    for column, feature, values in zip(
        frame.columns, features, zip(*rows, strict=True), strict=True
    ):
        if feature.findtext(f"{oml}data_type") == "numeric":
            np.testing.assert_array_equal(column, np.array(values, dtype=np.float64))
        else:
            assert column.tolist() == ["" if value == "?" else value for value in values]
            codes = {code.text for code in feature.iter(f"{oml}nominal_value")}
            assert set(column.tolist()) <= codes | {""}


@pytest.mark.parametrize("part", ["description", "arff", "parquet"])
def test_a_server_that_fails_at_first_is_asked_again(server: Server, part: str) -> None:
    paths = server.put_openml(37, TABLE, parquet=part == "parquet")
    path = getattr(paths, part)
    server.first(path, failure(500), Reply(sent="nothing"))
    assert_is_the_table(read(SOURCE))
    assert server.asked[path] == 3


def test_a_database_that_is_too_busy_is_asked_again(paths: OpenMLPaths, server: Server) -> None:
    server.first(paths.description, openml_error(107, "Database connection error."))
    assert_is_the_table(read(SOURCE))


@pytest.mark.parametrize(
    "reply",
    [failure(404), failure(500), Reply(sent="nothing"), Reply(PAGE), Reply(), Reply(b"PAR1 PAR1")],
)
def test_the_arff_file_is_taken_where_the_parquet_file_cannot_be_had(
    both: OpenMLPaths, server: Server, reply: Reply
) -> None:
    server.put(both.parquet, reply)
    assert_is_the_table(read(SOURCE))
    assert server.asked[both.arff] == 1


@pytest.mark.parametrize(
    ("part", "reply", "words"),
    [
        ("description", openml_error(111, "Unknown"), "no such data set (server says: Unknown)"),
        ("description", openml_error(112, "Private"), "the server refuses it (server says: Priva"),
        ("description", openml_error(107, "Busy"), "the server refuses it (server says: Busy), 3"),
        ("description", failure(404), "the server answered HTTP 404 (Not Found)"),
        ("description", failure(404, b"<html></html>"), "the server answered HTTP 404 (Not Found)"),
        ("arff", failure(404), "the server answered HTTP 404 (Not Found)"),
        ("description", failure(500), "the server answered HTTP 500 (Internal Server Error), 3"),
        ("arff", failure(500, b""), "the server answered HTTP 500 (Internal Server Error), 3"),
        ("description", Reply(sent="nothing"), DROPPED),
        ("description", Reply(PAGE, sent="half"), DROPPED),
        ("arff", Reply(TABLE.arff(), sent="half"), DROPPED),
        ("description", PAGE, SENT_PAGE),
        ("description", b"<html></html>", SENT_PAGE),
        ("arff", PAGE, SENT_PAGE),
        (
            "description",
            b"<a>",
            "the XML that arrived is damaged (no element found: line 1, column ",
        ),
        ("description", b"<other/>", "the XML that arrived is not of OpenML (other)"),
        ("description", GROWING, "the XML that arrived is damaged (it has a DOCTYPE)"),
        ("description", UNREADABLE, "the XML that arrived is damaged (unknown encoding: none)"),
        ("arff", TABLE.arff() + b"% more", "MD5 hash of downloaded file (dataset.arff) does not"),
        ("description", redirect("/api/v1/xml/data/37"), "the server redirects without end"),
    ],
)
def test_a_failure_is_one_line_and_leaves_a_usable_cache(
    paths: OpenMLPaths,
    server: Server,
    openml_cache: Path,
    part: str,
    reply: Reply | bytes,
    words: str,
) -> None:
    path = getattr(paths, part)
    server.put(path, reply)
    # What passes is not what is said.
    server.first(path, failure(502))
    assert refusal().startswith(f"OpenML 37: {server.url}{path}: {words}")
    assert_next_try_succeeds(server, openml_cache)


def test_an_unknown_data_set_is_asked_for_once(server: Server) -> None:
    path = "/api/v1/xml/data/37"
    assert refusal() == (
        f"OpenML 37: {server.url}{path}: no such data set"
        " (server says: Unknown dataset - not found in the database)"
    )
    assert server.asked == {path: 1}


def test_nobody_there_is_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        configure_openml(server=f"{url}/")
        message = refusal(kind=NoConnectionError)
        assert message == f"OpenML 37: {url}/data/37: the connection was refused"


def test_another_version_is_refused_with_both_named(paths: OpenMLPaths, server: Server) -> None:
    server.put_openml(37, TABLE, version=2)
    source = OpenMLSource(kind="openml", id=37, version=1)
    assert refusal(source) == "OpenML 37: version 2 at OpenML, but version 1 in the card"
    assert_is_the_table(read(source.model_copy(update={"version": 2})))
    assert_is_kept(server)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda content: content[: len(content) // 2],
    "cut at a row": lambda content: content[: content.rstrip().rfind(b"\n") + 1],
    "overwritten": lambda content: b"\x00" * 100,
    "empty": lambda content: b"",
}


def damage(path: Path, kind: str) -> None:
    path.write_bytes(DAMAGES[kind](path.read_bytes()))


@pytest.mark.parametrize("kind", DAMAGES)
@pytest.mark.parametrize(
    ("parquet", "names"),
    [
        (False, ["description.xml"]),
        (False, ["dataset.arff"]),
        (False, ["description.xml", "dataset.arff"]),
        (True, ["dataset_37.pq"]),
    ],
)
def test_what_lies_damaged_in_the_cache_is_fetched_again(
    server: Server,
    openml_cache: Path,
    parquet: bool,
    names: list[str],
    kind: str,
) -> None:
    server.put_openml(37, TABLE, parquet=parquet)
    read(SOURCE)
    for name in names:
        damage(openml_cache / "37" / name, kind)
    assert_is_the_table(read(SOURCE))
    assert_is_kept(server)


def test_what_lies_damaged_in_the_cache_is_in_nobodys_way_when_the_server_is_gone(
    paths: OpenMLPaths, server: Server, openml_cache: Path
) -> None:
    read(SOURCE)
    damage(openml_cache / "37" / "dataset.arff", "cut")
    server.put(paths.arff, failure(503))
    assert refusal().endswith("the server answered HTTP 503 (Service Unavailable), 3 times")
    assert_next_try_succeeds(server, openml_cache)


def test_an_unreadable_file_without_md5_is_one_line(
    paths: OpenMLPaths, server: Server, openml_cache: Path
) -> None:
    described = server.replies[paths.description].body
    server.put(paths.description, re.sub(rb"<oml:md5.*md5_checksum>", b"", described))
    server.put(paths.arff, TABLE.arff() + b"4,5%,red\n")
    assert refusal() == (
        "OpenML 37: not readable as ARFF: Bad @DATA instance format in line 15: 4,5%,red"
    )
    assert_next_try_succeeds(server, openml_cache)


def test_a_description_without_an_address_is_one_line(paths: OpenMLPaths, server: Server) -> None:
    described = server.replies[paths.description].body
    server.put(paths.description, re.sub(rb"<oml:url.*oml:url>", b"", described))
    assert refusal() == "OpenML 37: the server has no file of this data set"


@pytest.mark.parametrize("written", [b"server", b"connection_n_retries = many", b"\xff = 1"])
def test_a_configuration_that_cannot_be_read_is_one_line(tmp_path: Path, written: bytes) -> None:
    path = tmp_path / "settings" / "openml" / "config"
    path.write_bytes(written)
    assert refusal().startswith(f"{path}: not a configuration of openml-python: ")


def test_without_a_configuration_the_server_is_that_of_openml(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(host: str, *_: object) -> None:
        assert host == "www.openml.org"
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "OPENML_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("socket.getaddrinfo", unknown)
    monkeypatch.setattr("pooch.core.time", types.SimpleNamespace(sleep=lambda seconds: None))
    message = refusal(kind=NoConnectionError)
    assert message.startswith("OpenML 37: https://www.openml.org/api/v1/xml/data/37: no such host")
    # As openml-python calls the folder of this server.
    folder = tmp_path / ".cache" / "openml" / "org" / "openml" / "www" / "datasets" / "37"
    folder.mkdir(parents=True)
    (folder / "description.xml").write_text(
        f"<oml:data_set_description {XML}><oml:url>http://x</oml:url></oml:data_set_description>"
    )
    (folder / "dataset.arff").write_bytes(TABLE.arff())
    assert_is_the_table(read(SOURCE))


def test_an_interruption_while_reading_leaves_what_was_downloaded(
    paths: OpenMLPaths, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = "quadrepro.data.sources.openml.read_arff"
    with monkeypatch.context() as patch:
        patch.setattr(reader, Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            read(SOURCE)
    assert_is_kept(server)


def test_a_persons_pauses_and_tries_are_not_longer_than_ours(
    paths: OpenMLPaths, server: Server
) -> None:
    configure_openml(
        server=f"{server.url}/api/v1/xml", retry_policy="robot", connection_n_retries="50"
    )
    server.put(paths.arff, failure(500))
    refusal()
    assert server.asked[paths.arff] == 3


def test_a_person_may_want_fewer_tries(paths: OpenMLPaths, server: Server) -> None:
    configure_openml(server=f"{server.url}/api/v1/xml", connection_n_retries="1")
    server.put(paths.arff, failure(500))
    assert refusal().endswith("the server answered HTTP 500 (Internal Server Error)")
    assert server.asked[paths.arff] == 1


def test_an_api_key_is_sent_to_the_persons_server_and_to_no_other(server: Server) -> None:
    with Server() as other:
        paths = server.put_openml(37, TABLE, parquet=True)
        described = server.replies[paths.description].body
        parquet = f"{server.url}{paths.parquet}".encode()
        assert parquet in described
        elsewhere = other.put(paths.parquet, server.replies[paths.parquet]).encode()
        server.put(paths.description, described.replace(parquet, elsewhere))
        configure_openml(server=f"{server.url}/api/v1/xml", apikey="0123secret")
        assert_is_the_table(read(SOURCE))
        assert server.queries == ["api_key=0123secret"]
        assert other.queries == [""]


@pytest.mark.parametrize("reply", [failure(404), PAGE, Reply(sent="nothing"), b"<other/>"])
def test_an_api_key_is_in_no_message(
    paths: OpenMLPaths, server: Server, reply: Reply | bytes
) -> None:
    configure_openml(server=f"{server.url}/api/v1/xml", apikey="0123secret")
    for path in (paths.description, paths.arff):
        server.put(path, reply)
        assert "secret" not in refusal()
        server.put_openml(37, TABLE)


def test_a_persons_proxy_is_asked(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("http_proxy", server.url)
    configure_openml(server="http://openml.invalid/api/v1/xml")
    server.url = "http://openml.invalid"
    paths = server.put_openml(37, TABLE, parquet=True)
    assert_is_the_table(read(SOURCE))
    assert server.asked == {paths.description: 1, paths.parquet: 1}


def test_parquet_is_not_taken_where_a_person_does_not_want_it(
    both: OpenMLPaths, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENML_SKIP_PARQUET", "true")
    assert_is_the_table(read(SOURCE))
    assert not server.asked[both.parquet]


class Touch:
    """Makes a file when its pickle is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, tuple[Path]]:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("parquet", [False, True])
def test_no_pickle_of_the_cache_is_read(
    server: Server, openml_cache: Path, tmp_path: Path, parquet: bool
) -> None:
    server.put_openml(37, TABLE, parquet=parquet)
    read(SOURCE)
    content = pickle.dumps(Touch(tmp_path / "run"))
    folder = openml_cache / "37"
    for name in ("features.xml.pkl", "dataset.pkl.py3", "dataset_37.pkl.py3"):
        (folder / name).write_bytes(content)
    assert_is_the_table(read(SOURCE))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("where", "refused"), [("1.1.1.1", True), ("10.0.0.1", False)])
def test_a_public_server_names_no_file_at_a_private_address(
    paths: OpenMLPaths, server: Server, monkeypatch: pytest.MonkeyPatch, where: str, refused: bool
) -> None:
    described = server.replies[paths.description].body
    # Another name of this machine, and so another connection.
    away = described.replace(b"127.0.0.1", b"localhost")
    server.put(paths.description, away)
    seen = iter([where, "127.0.0.1"])
    plain = web.is_public
    monkeypatch.setattr(web, "is_public", lambda host: plain(next(seen)))
    if refused:
        assert refusal().endswith("a redirect leads to 127.0.0.1, which is not a public address")
        assert not server.asked[paths.arff]
    else:
        assert_is_the_table(read(SOURCE))
