"""An entry of the cache gives back what went in, or is set aside under another name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quadrepro.data import cache
from quadrepro.data.canonical import RawTable, content_hash, sort_rows
from quadrepro.data.card import Card
from quadrepro.data.store import read_csv
from quadrepro.errors import DataError
from tests.data.tables import assert_same, make_table

NUMBERS = st.one_of(
    st.integers(0, 255).map(float),
    st.integers(-(2**40), 2**40).map(float),
    st.floats(width=32),
    st.floats(),
).filter(lambda x: not np.isinf(x))
COLOURS = ["", "red", "é", "é" * 1000]


@pytest.fixture
def entry(toy: Card, toy_csv: Path) -> cache.Entry:
    return keep(toy, read_csv(toy_csv, toy))


def keep(card: Card, table: RawTable) -> cache.Entry:
    cache.write(card, table, card.content_hash, "OpenML 7")
    entry = cache.find(card, card.content_hash)
    assert entry is not None
    return entry


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(NUMBERS, st.sampled_from(COLOURS), st.booleans()), min_size=1))
def test_what_is_read_is_what_was_written_to_the_bit(
    toy: Card, rows: list[tuple[float, str, bool]]
) -> None:
    made = make_table([(size, colour, "no") for size, colour, _ in rows])
    parts = np.where([first for *_, first in rows], "train", "test")
    table = sort_rows(replace(made, part=parts if rows[0][2] else None))
    card = toy.model_copy(update={"parts": {"any": (1, 4)} if rows[0][2] else {}})
    again = cache.read(keep(card, table), card)
    assert_same(again, table)
    assert content_hash(again) == content_hash(table)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (range(250), "uint8"),
        (range(-1, 5), "int16"),
        (range(0, 70_000, 7), "int32"),
        ([0.5, np.nan], "float"),
        ([0.1], "double"),
    ],
)
def test_numbers_take_the_fewest_bytes_that_hold_them(
    toy: Card, values: list[float], kind: str
) -> None:
    entry = keep(toy, make_table([(i, "r", "n") for i in values]))
    assert str(pq.read_schema(entry.path).field("size").type) == kind


def test_attributes_that_are_not_needed_may_be_left_out(toy: Card, entry: cache.Entry) -> None:
    whole, some = cache.read(entry, toy), cache.read(entry, toy, only=("size",))
    assert [*cache.read(entry, toy, only=()).columns] == []
    assert [*some.columns] == ["size"]
    np.testing.assert_array_equal(some.columns["size"], whole.columns["size"])
    assert some.target.tolist() == whole.target.tolist()


def test_an_entry_knows_where_it_came_from(toy: Card, entry: cache.Entry) -> None:
    assert (entry.content_hash, entry.origin) == (toy.content_hash, "OpenML 7")
    assert entry.date.startswith("20")
    assert entry.path.parent == cache.cache_folder() / "tables"


def test_an_entry_of_another_card_is_not_taken(toy: Card, entry: cache.Entry) -> None:
    other = toy.model_copy(update={"content_hash": "sha256:" + "1" * 64})
    assert cache.find(other, toy.content_hash) is None
    assert cache.find(other, other.content_hash) is None
    assert entry.path.is_file()


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-10],
        lambda content: b"",
        lambda content: content.replace(b"OpenML", b"Ope\xffML"),
        lambda content: content.replace(b'"date"', b'"dame"'),
    ],
)
def test_a_damaged_entry_is_set_aside_and_named(
    toy: Card,
    entry: cache.Entry,
    damage: Callable[[bytes], bytes],
    caplog: pytest.LogCaptureFixture,
) -> None:
    # The key of the metadata is not the only place of it, so none is left.
    entry.path.write_bytes(damage(entry.path.read_bytes()))
    assert cache.find(toy, toy.content_hash) is None
    aside = f"{entry.path.name}.damaged"
    assert caplog.messages == [f"{entry.path} is damaged and was set aside as {aside}"]
    assert [path.name for path in entry.path.parent.iterdir()] == [aside]


def test_a_bent_page_is_found_when_it_is_read(toy: Card) -> None:
    entry = keep(toy, make_table([(i, "r", "n") for i in np.random.default_rng(0).random(1000)]))
    content = bytearray(entry.path.read_bytes())
    content[1000] ^= 1
    entry.path.write_bytes(content)
    found = cache.find(toy, toy.content_hash)
    assert found is not None
    with pytest.raises(DataError, match=r"damaged and was set aside; .*: quadrepro fetch toy$"):
        cache.read(found, toy)
    assert cache.find(toy, toy.content_hash) is None


def test_a_full_disk_leaves_nothing_behind(toy: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "replace", Mock(side_effect=OSError(28, "no space left")))
    with pytest.raises(DataError, match=r"toy-.*: no space left; QUADREPRO_CACHE can name another"):
        keep(toy, make_table([(1, "r", "no")]))
    assert list((cache.cache_folder() / "tables").iterdir()) == []


def test_the_cache_is_in_the_home_folder_unless_named_otherwise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("QUADREPRO_CACHE", str(tmp_path / "cache"))
    assert cache.cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("QUADREPRO_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.cache_folder() == tmp_path / ".cache" / "quadrepro"
