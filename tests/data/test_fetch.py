"""Data sets come over the network into the cache, checked, or not at all."""

from __future__ import annotations

import gzip
import hashlib
import io
from pathlib import Path

import pandas as pd
import pytest

from quadrepro.data import store
from quadrepro.data.cache import cache_folder
from quadrepro.data.card import Card, load_card
from quadrepro.data.fetch import bring, fetch, missing_cards
from quadrepro.data.source import OpenMLSource, RemoteFile, WebSource
from quadrepro.data.store import load_dataset, locate
from quadrepro.errors import DataError, NoConnectionError
from tests.server import Server

# pooch leaves the connection of a refused download to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")

ARFF = """@relation toy
@attribute size integer
@attribute colour {red, blue}
@attribute target {no, 01}
@data
1,red,no
-2.5,?,no
?,blue,01
30,red,01
"""
HALF_1, HALF_2 = b"1,red,no\n-2.5,?,no\n", b"?,blue,01\n3e1,red,01\n"
OPENML = OpenMLSource(kind="openml", id=7)


@pytest.fixture
def online_toy(
    toy: Card, server: Server, openml_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> Card:
    """Return the toy card with sources on the server, which has none of them yet."""
    card = with_source(toy, OPENML, web(server, "toy.data", "toy.test"))
    monkeypatch.setattr(store, "load_card", lambda name: card)
    return card


def web(server: Server, *names: str, known: str | None = None) -> WebSource:
    files = tuple(RemoteFile(url=f"{server.url}/{name}", hash=known) for name in names)
    return WebSource(kind="uci", files=files)


def put_uci(server: Server) -> None:
    server.put("/toy.data", HALF_1)
    server.put("/toy.test", HALF_2)


def with_source(card: Card, *sources: OpenMLSource | WebSource) -> Card:
    return card.model_copy(update={"sources": sources})


def refusal(card: Card) -> str:
    with pytest.raises(DataError) as refused:
        fetch(card)
    return str(refused.value)


def test_a_data_set_of_openml_is_kept_and_asked_for_once(online_toy: Card, server: Server) -> None:
    server.put_openml(7, ARFF)
    assert fetch(online_toy) == "OpenML 7"
    dataset = load_dataset("toy")
    assert dataset.origin == "cache (OpenML 7)"
    assert dataset.table.target.tolist() == ["no", "no", "01", "01"]
    [kept] = (path for path in cache_folder().rglob("*") if path.is_file())
    kept.unlink()
    server.asked.clear()
    # The package has a cache of its own.
    fetch(online_toy)
    assert not server.asked


def test_openmls_parquet_file_is_preferred(online_toy: Card, server: Server) -> None:
    frame = {
        "size": [1, -2.5, None, 30],
        "colour": pd.Categorical(["red", None, "blue", "red"]),
        "target": ["no", "no", "01", "01"],
    }
    pd.DataFrame(frame).to_parquet(content := io.BytesIO())
    server.put_openml(7, ARFF, parquet=content.getvalue())
    assert fetch(online_toy) == "OpenML 7"
    assert (server.asked["/datasets/7.pq"], server.asked["/data/download/7.arff"]) == (1, 0)


def test_other_content_or_another_version_is_removed_from_openmls_cache(
    online_toy: Card, server: Server, openml_cache: Path
) -> None:
    server.put_openml(7, ARFF.replace("-2.5", "-2.4"), version=2)
    assert "OpenML 7 differs from the card: content: sha256:" in refusal(online_toy)
    assert not (openml_cache / "7").exists()
    old = with_source(online_toy, OPENML.model_copy(update={"version": 1}))
    assert "OpenML 7: version 2 at OpenML, but version 1 in the card" in refusal(old)
    assert not (openml_cache / "7").exists()
    server.put_openml(7, ARFF)
    assert fetch(old) == "OpenML 7"


def test_the_next_source_is_tried_and_every_failure_is_a_line(
    online_toy: Card, server: Server
) -> None:
    assert "\n  OpenML 7: " in refusal(with_source(online_toy, OPENML))
    server.put_openml(7, ARFF.replace("\n1,red,no", ""))
    server.put("/toy.data", HALF_1)
    first, of_openml, of_uci = refusal(online_toy).splitlines()
    assert first == "toy could not be fetched:"
    assert of_openml.startswith("  toy: OpenML 7 differs from the card: rows: 3 instead of 4; ")
    assert of_uci.startswith(f"  {server.url}/toy.test: 404 Client Error: Not Found")
    assert locate(online_toy) is None
    put_uci(server)
    assert fetch(online_toy) == f"{server.url}/toy.data + {server.url}/toy.test"
    assert load_dataset("toy").table.n_rows == 4
    # What arrived whole is not asked for again; the other file was asked for three times.
    assert (server.asked["/toy.data"], server.asked["/toy.test"]) == (1, 4)
    assert not (cache_folder() / "downloads" / "toy").exists()


def test_files_with_other_content_are_fetched_again(online_toy: Card, server: Server) -> None:
    card = with_source(online_toy, web(server, "toy.data"))
    server.put("/toy.data", HALF_1 + HALF_2.replace(b"3e1", b"31"))
    assert "differs from the card: content: sha256:" in refusal(card)
    server.put("/toy.data", HALF_1 + HALF_2)
    assert fetch(card) == f"{server.url}/toy.data"
    content = gzip.compress(HALF_1 + HALF_2)
    known = hashlib.md5(content).hexdigest()
    card = with_source(online_toy, web(server, "toy.gz", known=f"md5:{known}"))
    server.put("/toy.gz", content[:-1])
    assert known in refusal(card)
    server.put("/toy.gz", content)
    assert fetch(card) == f"{server.url}/toy.gz"


def test_constants_are_columns_and_files_lie_one_below_the_other(
    online_toy: Card, server: Server
) -> None:
    rows = {"red": b"1,no\n30,01\n", "blue": b",01\n", "?": b"-2.5,no\n"}
    files = tuple(
        RemoteFile(url=server.put(f"/{len(colour)}", content), constants={"colour": colour})
        for colour, content in rows.items()
    )
    columns = ("size", "target", "colour")
    fetch(with_source(online_toy, WebSource(kind="mirror", files=files, columns=columns)))
    assert load_dataset("toy").table.columns["colour"].tolist() == ["", "red", "red", "blue"]


def test_without_a_connection_the_other_data_sets_are_not_tried(online_toy: Card) -> None:
    files = (RemoteFile(url="http://127.0.0.1:9/toy"),)
    lost = with_source(online_toy, WebSource(kind="uci", files=files))
    with pytest.raises(NoConnectionError, match=r"127\.0\.0\.1:9/toy: no connection"):
        fetch(lost)
    with pytest.raises(DataError) as refused:
        fetch(with_source(online_toy, *lost.sources, OPENML))  # type: ignore[arg-type]
    assert not isinstance(refused.value, NoConnectionError)
    with pytest.raises(DataError) as refused:
        bring([lost, online_toy], None, offline=False, tell=print)
    *_, rest, by_hand = str(refused.value).splitlines()
    assert rest == "not tried: toy"
    assert by_hand.startswith("Without a network, save the rows as NAME.csv")


def test_only_what_is_not_here_is_missing_and_some_has_no_source_on_the_network() -> None:
    bring([], None, offline=True, tell=print)
    assert [card.name for card in missing_cards(["monks", "pima", "m1"], None)] == ["pima"]
    assert refusal(load_card("orange")) == "orange has no source on the network"


def test_a_cache_that_cannot_be_written_is_named(
    online_toy: Card, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.put_openml(7, ARFF)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("QUADREPRO_CACHE", str(tmp_path / "file"))
    with pytest.raises(DataError, match=r"toy-\w+.parquet cannot be written to the cache .*file: "):
        fetch(with_source(online_toy, OPENML))
