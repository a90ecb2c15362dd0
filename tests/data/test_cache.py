"""An entry of the cache gives back what went in, or is set aside under another name."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
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
def entry(toy: Card, toy_csv: Path) -> Path:
    return keep(toy, read_csv(toy_csv, toy))


def keep(card: Card, table: RawTable) -> Path:
    known = cache.Provenance(card.name, card.content_hash, "OpenML 7", "2026-01-01")
    return cache.write(table, card.content_hash, known)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(NUMBERS, st.sampled_from(COLOURS), st.booleans()), min_size=1))
def test_what_is_read_is_what_was_written_to_the_bit(
    toy: Card, rows: list[tuple[float, str, bool]]
) -> None:
    made = make_table([(size, colour, "no") for size, colour, _ in rows])
    parts = np.where([first for *_, first in rows], "train", "test")
    table = sort_rows(replace(made, part=parts if rows[0][2] else None))
    key = content_hash(table)
    path = cache.write(table, key, cache.Provenance("toy", key, "", ""))
    again = cache.read(path, toy)
    assert_same(again, table)
    assert (again.part is None) == (table.part is None)
    assert content_hash(again) == key


def test_whole_numbers_take_one_byte_each(toy: Card) -> None:
    table = make_table([(i, "r", "n") for i in range(250)])
    with np.load(keep(toy, table) / "table.npz") as arrays:
        assert arrays["u1"].shape == (1, 250)


@pytest.mark.parametrize("colour", ["red", "red" * 100])
def test_attributes_that_are_not_needed_may_be_left_out(toy: Card, colour: str) -> None:
    entry = keep(toy, make_table([(1.0, colour, "no"), (2.0, "blue", "yes")]))
    whole, target = cache.read(entry, toy), cache.read(entry, toy, only=())
    assert {"size", "colour"} <= {*whole.columns}
    assert "size" not in target.columns
    assert target.target.tolist() == whole.target.tolist()
    for name in ("size", "colour"):
        some = cache.read(entry, toy, only=(name,))
        np.testing.assert_array_equal(some.columns[name], whole.columns[name])


def test_an_entry_knows_where_it_came_from(toy: Card, entry: Path) -> None:
    assert cache.find(toy, toy.content_hash) == entry
    known = cache.provenance(entry)
    assert (known.name, known.origin, known.date) == ("toy", "OpenML 7", "2026-01-01")
    assert known.sha256 == cache.sha256_of(entry / "table.npz")


def test_an_entry_of_another_card_is_not_taken(toy: Card, entry: Path) -> None:
    other = toy.model_copy(update={"content_hash": "sha256:" + "1" * 64})
    assert cache.find(other, toy.content_hash) is None
    assert cache.find(other, other.content_hash) is None
    assert entry.is_dir()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def bend(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("table.npz", cut),
        ("table.npz", bend),
        ("table.npz", Path.unlink),
        ("provenance.json", cut),
        ("provenance.json", Path.unlink),
        ("provenance.json", lambda path: path.write_text("[]")),
        ("provenance.json", lambda path: path.write_text(json.dumps({"name": "toy"}))),
    ],
)
def test_a_damaged_entry_is_set_aside_and_named(
    toy: Card,
    entry: Path,
    name: str,
    damage: Callable[[Path], object],
    caplog: pytest.LogCaptureFixture,
) -> None:
    for number in (1, 2):
        damage(entry / name)
        assert cache.find(toy, toy.content_hash) is None
        assert caplog.messages[-1] == (
            f"{entry} is damaged and was set aside as {entry.name}.damaged-{number}"
        )
        assert entry.with_name(f"{entry.name}.damaged-{number}").is_dir()
        assert keep(toy, make_table([(1, "r", "no")])) == entry


def test_a_second_writer_finds_the_first_ones_entry(toy: Card, toy_csv: Path, entry: Path) -> None:
    before = (entry / "table.npz").stat().st_mtime_ns
    assert keep(toy, read_csv(toy_csv, toy)) == entry
    assert (entry / "table.npz").stat().st_mtime_ns == before
    assert [path.name for path in entry.parent.iterdir()] == [entry.name]


def test_a_cache_that_cannot_be_written_is_named(
    toy: Card, toy_csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("QUADREPRO_CACHE", str(tmp_path / "file"))
    with pytest.raises(DataError, match=r"toy cannot be written to .*file: .*QUADREPRO_CACHE"):
        keep(toy, read_csv(toy_csv, toy))


def test_a_full_disk_leaves_nothing_behind(
    toy: Card, toy_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = OSError(28, os.strerror(28))
    monkeypatch.setattr(Path, "write_bytes", Mock(side_effect=full))
    with pytest.raises(DataError, match="No space left on device"):
        keep(toy, read_csv(toy_csv, toy))
    assert list((cache.cache_folder() / "tables").iterdir()) == []


def test_the_cache_is_in_the_home_folder_unless_named_otherwise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("QUADREPRO_CACHE", str(tmp_path / "cache"))
    assert cache.cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("QUADREPRO_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.cache_folder() == tmp_path / ".cache" / "quadrepro"
