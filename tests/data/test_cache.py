"""An entry of the cache gives back what went in, or is set aside under another name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quadrepro.data import cache
from quadrepro.data.canonical import RawTable, content_hash, sort_rows
from quadrepro.data.card import Card
from quadrepro.errors import DataError
from tests.data.tables import assert_same, make_card, make_table

CARD = make_card()
WHOLE = st.integers(0, 255) | st.integers(-(2**40), 2**40)
NUMBERS = WHOLE.map(float) | st.floats(width=32) | st.floats(allow_infinity=False)
COLOURS = ["", "red", "é", "é" * 1000]


def kept(card: Card, table: RawTable, file: Path | None = None) -> cache.Entry:
    """Return the entry of rows that are written."""
    cache.write(card, table, "OpenML 7", file)
    entry = cache.find(card, file)
    assert entry is not None
    return entry


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(NUMBERS, st.sampled_from(COLOURS), st.booleans()), min_size=1))
def test_what_is_read_is_what_was_written_to_the_bit(rows: list[tuple[float, str, bool]]) -> None:
    made = make_table([(size, colour, "no") for size, colour, _ in rows])
    parts = np.where([first for *_, first in rows], "train", "test")
    table = sort_rows(replace(made, part=parts if rows[0][2] else None))
    card = CARD.model_copy(update={"parts": {"any": (1, 4)} if rows[0][2] else {}})
    again = cache.read(kept(card, table), card)
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
def test_numbers_take_the_fewest_bytes_that_hold_them(values: list[float], kind: str) -> None:
    entry = kept(CARD, make_table([(i, "r", "n") for i in values]))
    assert str(pq.read_schema(entry.path).field("size").type) == kind


def test_an_entry_knows_its_origin_and_attributes_may_be_left_out() -> None:
    entry = kept(CARD, make_table([(1, "red", "no"), (2, "blue", "01")]))
    assert (entry.origin, entry.path.parent) == ("OpenML 7", cache.cache_folder() / "tables")
    some = cache.read(entry, CARD, only=("size",))
    assert (some.columns["size"].tolist(), some.target.tolist()) == ([1, 2], ["no", "01"])
    assert [*some.columns] == ["size"]
    assert [*cache.read(entry, CARD, only=()).columns] == []


def test_rows_are_those_of_one_content_and_of_one_file(tmp_path: Path) -> None:
    (file := tmp_path / "a.csv").write_text("a")
    kept(CARD, make_table([(1, "red", "no")]), file)
    assert cache.find(CARD) is None
    assert cache.find(CARD.model_copy(update={"content_hash": "sha256:1"}), file) is None
    file.write_text("b")
    assert cache.find(CARD, file) is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-10],
        lambda content: b"",
        lambda content: content.replace(b"OpenML", b"Ope\xffML"),
        lambda content: content.replace(b"origin", b"origan"),
    ],
)
def test_a_damaged_entry_is_set_aside_and_named(
    damage: Callable[[bytes], bytes], caplog: pytest.LogCaptureFixture
) -> None:
    path = kept(CARD, make_table([(1, "red", "no")])).path
    path.write_bytes(damage(path.read_bytes()))
    assert cache.find(CARD) is None
    assert caplog.messages == [f"{path} is damaged and was set aside as {path.name}.damaged"]
    assert [one.name for one in path.parent.iterdir()] == [f"{path.name}.damaged"]


def test_a_bent_page_is_found_when_it_is_read() -> None:
    entry = kept(CARD, make_table([(i, "r", "n") for i in np.random.default_rng(0).random(1000)]))
    content = bytearray(entry.path.read_bytes())
    content[1000] ^= 1
    entry.path.write_bytes(content)
    assert cache.find(CARD) == entry
    with pytest.raises(DataError, match=r"damaged and was set aside; .*: quadrepro fetch toy$"):
        cache.read(entry, CARD)
    assert cache.find(CARD) is None


def test_the_cache_is_in_the_home_folder_unless_named_otherwise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("QUADREPRO_CACHE", str(tmp_path / "cache"))
    assert cache.cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("QUADREPRO_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.cache_folder() == tmp_path / ".cache" / "quadrepro"
