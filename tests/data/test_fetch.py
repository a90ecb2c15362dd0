"""Data sets come over the network into the cache, checked, or not at all."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from quadrepro.data import cache, store
from quadrepro.data.canonical import RawTable, is_missing
from quadrepro.data.card import Card, card_names, load_card
from quadrepro.data.fetch import fetch
from quadrepro.data.sources.schema import Layout, OpenMLSource, RemoteFile, WebSource
from quadrepro.data.store import load_dataset, locate
from quadrepro.errors import DataError, NoConnectionError
from tests.server import Server, Table

TOY = Table(
    {"size": "numeric", "colour": ["red", "blue"], "class": ["no", "01"]},
    [["1", "red", "no"], ["-2.5", "?", "no"], ["?", "blue", "01"], ["30", "red", "01"]],
)
HALF_1, HALF_2 = b"1,red,no\n-2.5,?,no\n", b"?,blue,01\n3e1,red,01\n"

pytestmark = pytest.mark.usefixtures("openml_cache")


@pytest.fixture
def online_toy(toy: Card, server: Server, monkeypatch: pytest.MonkeyPatch) -> Card:
    """Return the toy card with sources on the server, which has none of them yet."""
    files = tuple(RemoteFile(url=f"{server.url}/{name}") for name in ("toy.data", "toy.test"))
    sources = (OpenMLSource(kind="openml", id=7), WebSource(kind="uci", files=files))
    card = toy.model_copy(update={"sources": sources})
    monkeypatch.setattr(store, "load_card", lambda name: card)
    return card


def put_uci(server: Server) -> None:
    server.put("/toy.data", HALF_1)
    server.put("/toy.test", HALF_2)


def from_source(card: Card, source: OpenMLSource) -> str:
    return fetch(card.model_copy(update={"sources": (source,)}))


def refusal(card: Card) -> str:
    with pytest.raises(DataError) as refused:
        fetch(card)
    assert not isinstance(refused.value, NoConnectionError)
    return str(refused.value)


def left_over() -> list[str]:
    """Return what lies in the cache beside whole entries."""
    folder = cache.cache_folder()
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    return [n for n in names if not re.fullmatch(r"tables/[^.]*/[a-z.]*|locks/.*", n)]


def test_a_data_set_comes_from_openml_and_is_kept_with_its_provenance(
    online_toy: Card, server: Server
) -> None:
    paths = server.put_openml(7, TOY)
    assert fetch(online_toy) == "OpenML 7"
    dataset = load_dataset("toy")
    assert dataset.origin == "cache (OpenML 7)"
    assert dataset.table.target.tolist() == ["no", "no", "01", "01"]
    asked = server.asked.copy()
    assert asked[paths.arff] == 1
    assert fetch(online_toy) == "OpenML 7"
    assert server.asked == asked


def test_the_next_source_is_tried_where_one_has_other_rows(
    online_toy: Card, server: Server
) -> None:
    server.put_openml(7, Table(TOY.attributes, TOY.rows[:3]))
    put_uci(server)
    origin = f"{server.url}/toy.data + {server.url}/toy.test"
    assert fetch(online_toy) == origin
    entry = cache.find(online_toy, online_toy.content_hash)
    assert entry is not None
    known = cache.provenance(entry)
    assert known.origin == origin
    assert sorted(name[9:] for name in known.files) == ["toy.data", "toy.test"]
    assert all(re.fullmatch("sha256:[0-9a-f]{64}", text) for text in known.files.values())
    assert left_over() == []


def test_where_no_source_has_the_rows_each_is_named_with_its_reason(
    online_toy: Card, server: Server
) -> None:
    server.put_openml(7, Table(TOY.attributes, TOY.rows[:3]))
    server.put("/toy.data", HALF_1)
    first, openml, uci = refusal(online_toy).splitlines()
    assert first == "toy could not be fetched:"
    assert openml.startswith("  toy: OpenML 7 differs from the card: 3 rows instead of 4 rows;")
    assert uci == f"  {server.url}/toy.test: the server answered HTTP 404 (Not Found)"
    assert locate(online_toy) is None


def test_what_arrived_whole_is_not_asked_for_again(online_toy: Card, server: Server) -> None:
    server.put("/toy.data", HALF_1)
    refusal(online_toy)
    server.put("/toy.test", HALF_2)
    fetch(online_toy)
    assert (server.asked["/toy.data"], server.asked["/toy.test"]) == (1, 2)
    assert left_over() == []


def test_files_with_other_rows_are_not_kept(online_toy: Card, server: Server) -> None:
    put_uci(server)
    server.put("/toy.test", HALF_2.replace(b"3e1", b"31"))
    assert re.search(r"content sha256:\w+ instead of sha256:", refusal(online_toy))
    assert left_over() == []
    put_uci(server)
    fetch(online_toy)
    assert load_dataset("toy").table.n_rows == 4


def test_a_damaged_entry_is_fetched_again(
    online_toy: Card, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    put_uci(server)
    fetch(online_toy)
    entry = cache.find(online_toy, online_toy.content_hash)
    assert entry is not None
    (entry / "table.npz").write_bytes(b"")
    assert locate(online_toy) is None
    assert "is damaged and was set aside" in caplog.text
    fetch(online_toy)
    assert load_dataset("toy").table.n_rows == 4


def test_no_connection_at_all_is_told_apart(online_toy: Card, server: Server) -> None:
    urls = ("http://127.0.0.1:9/toy", "http://127.0.0.1:9/copy", f"{server.url}/absent")
    sources = tuple(WebSource(kind="uci", files=(RemoteFile(url=url),)) for url in urls)
    with pytest.raises(NoConnectionError) as refused:
        fetch(online_toy.model_copy(update={"sources": sources[:2]}))
    assert str(refused.value).count("the connection was refused") == 2
    refusal(online_toy.model_copy(update={"sources": sources}))


def test_without_a_source_on_the_network_nothing_can_be_fetched() -> None:
    assert refusal(load_card("orange")) == "orange has no source on the network"


def test_two_that_fetch_at_once_take_turns(online_toy: Card, server: Server) -> None:
    put_uci(server)
    with ThreadPoolExecutor(2) as pool:
        origins = list(pool.map(fetch, [online_toy] * 2))
    assert len(set(origins)) == 1
    assert server.asked["/toy.data"] == 1


def test_an_interruption_leaves_nothing_that_is_half(online_toy: Card, server: Server) -> None:
    put_uci(server)
    with pytest.raises(KeyboardInterrupt):
        fetch(online_toy, Mock(update=Mock(side_effect=KeyboardInterrupt)))
    assert left_over() == []
    fetch(online_toy)
    assert load_dataset("toy").table.n_rows == 4


def test_a_cache_that_cannot_be_made_is_named(
    online_toy: Card, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("QUADREPRO_CACHE", str(tmp_path / "file"))
    assert re.search(r"cannot be written to the cache .*file: ", refusal(online_toy))


def written(card: Card, layout: Layout, table: RawTable) -> Table:
    """Return the table of a source that its layout makes these rows of."""
    columns: list[list[str]] = []
    attributes: dict[str, str | list[str]] = {}
    for j, name in enumerate(layout.columns or (*card.attribute_names, "target")):
        if not name:
            attributes[f"left out {j}"] = "numeric"
            columns.append(["0"] * table.n_rows)
            continue
        column = table.target if name == "target" else table.columns[name]
        back = {new: old for old, new in layout.codes.get(name, {}).items()}
        codes = column if column.dtype.kind == "U" else [format(x, ".17g") for x in column]
        texts = [_quoted(back.get(str(code), str(code))) for code in codes]
        columns.append(np.where(is_missing(column), "?", texts).tolist())
        nominal = name in card.nominal_names
        attributes[name] = sorted(set(columns[-1]) - {"?"}) if nominal else "numeric"
    rows = [list(row) for row in zip(*columns, strict=True)]
    above = 0 if layout.rows is None else layout.rows[0] - 1
    return Table(attributes, rows[:above] + rows)


def _quoted(code: str) -> str:
    return f"'{code}'" if re.search(r"[\s,{}%]", code) else code


SMALL_ENOUGH = 60_000
OPENML = {
    name: source
    for name in card_names()
    for source in load_card(name).sources
    if isinstance(source, OpenMLSource)
}


def fetched_as_written(name: str, server: Server, folder: Path | None = None) -> None:
    """See that the rows of a card come back from what its layout makes of them."""
    card, source = load_card(name), OPENML[name]
    held = written(card, source, load_dataset(name, folder).table)
    server.put_openml(source.id, held, version=source.version or 1)
    assert from_source(card, source) == f"OpenML {source.id}"


@pytest.mark.parametrize("name", ["balance", "monks", "monks_3", "tictactoe", "wine", "wdbc"])
def test_openmls_form_of_an_embedded_set_is_mapped_to_the_card(name: str, server: Server) -> None:
    fetched_as_written(name, server)


def test_openmls_form_of_every_small_set_is_mapped_to_its_card(
    canonical_folder: Path, server: Server
) -> None:
    cards = [load_card(name) for name in OPENML]
    small = [card for card in cards if card.rows * len(card.attributes) < SMALL_ENOUGH]
    for card in small:
        fetched_as_written(card.name, server, canonical_folder)
    assert len(small) >= 20


def test_a_rescaled_copy_is_refused_with_what_differs(server: Server) -> None:
    card, source = load_card("wine"), OPENML["wine"]
    table = load_dataset("wine").table
    low, high = np.min(table.columns["hue"]), np.max(table.columns["hue"])
    scaled = table.columns | {"hue": 2 * (table.columns["hue"] - low) / (high - low) - 1}
    held = written(card, source, RawTable(table.attributes, scaled, table.target))
    server.put_openml(source.id, held)
    said = refusal(card.model_copy(update={"sources": (source,)}))
    assert said.endswith("differs from the card: hue from -1 to 1 instead of from 0.48 to 1.71")
