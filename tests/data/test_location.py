"""Where rows are looked for, in which order, and how a large file is read only once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from quadrepro.data import cache, store
from quadrepro.data.card import Card, load_card, load_card_file
from quadrepro.data.store import load_dataset, locate
from quadrepro.errors import DataError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "data"
    made.mkdir()
    return made


def test_places_are_tried_in_order_folder_environment_cache(
    known_toy: Card, toy_csv: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = tmp_path / "named"
    named.mkdir()
    content = toy_csv.read_bytes()
    known = cache.Provenance("toy", known_toy.content_hash, "OpenML 7", "2026-01-01")
    table = load_dataset("toy", toy_csv.parent).table
    cache.write(table, known_toy.content_hash, known)
    assert load_dataset("toy").origin == "cache (OpenML 7)"
    monkeypatch.setenv("QUADREPRO_DATA", str(named))
    assert load_dataset("toy").origin == "cache (OpenML 7)"
    (named / "toy.csv").write_bytes(content)
    assert load_dataset("toy").origin == str(named / "toy.csv")
    assert load_dataset("toy", folder).origin == "cache (OpenML 7)"
    (folder / "toy.csv").write_bytes(content)
    assert load_dataset("toy", folder).origin == str(folder / "toy.csv")


def test_a_large_file_is_parsed_once_and_checked_by_its_hash_from_then_on(
    known_toy: Card, toy_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "LARGE", 8)
    first = load_dataset("toy", toy_csv.parent)
    monkeypatch.setattr(store, "read_csv", lambda path, card: pytest.fail("parsed again"))
    again = load_dataset("toy", toy_csv.parent)
    assert again.origin == first.origin == str(toy_csv)
    np.testing.assert_array_equal(again.table.columns["size"], first.table.columns["size"])
    monkeypatch.undo()
    monkeypatch.setattr(store, "LARGE", 8)
    monkeypatch.setattr(store, "load_card", lambda name: known_toy)
    toy_csv.write_text(toy_csv.read_text().replace("3e1", "3e2"))
    with pytest.raises(DataError, match="differs from the card"):
        load_dataset("toy", toy_csv.parent)


def test_a_users_own_file_is_found_from_the_folder_of_its_card(
    write_card: Callable[..., Path],
    toy: Card,
    toy_csv: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = "  - {kind: file, path: toy.csv, skip: 1}\n"
    path = write_card("views:", f"{own}views:", toy.content_hash)
    card = load_card_file(path)
    monkeypatch.setattr(store, "load_card", lambda name: card)
    monkeypatch.chdir("/")
    dataset = load_dataset("toy")
    assert dataset.origin == str(toy_csv)
    assert dataset.table.target.tolist() == ["no", "no", "01", "01"]
    toy_csv.write_text(toy_csv.read_text() + "1,red,no\n")
    with pytest.raises(DataError, match="describe it again with quadrepro init --card-only"):
        load_dataset("toy")


def test_a_file_in_the_folder_comes_before_what_is_embedded(folder: Path) -> None:
    (folder / "wine.csv").write_text("not wine\n")
    with pytest.raises(
        DataError, match=r"wine\.csv, line 1: column 1 must be 'alcohol', not 'not wine'"
    ):
        load_dataset("wine", folder)


def test_a_folder_that_does_not_exist_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = tmp_path / "absent"
    with pytest.raises(DataError, match=f"^the data folder {absent} does not exist$"):
        locate(load_card("wine"), absent)
    monkeypatch.setenv("QUADREPRO_DATA", str(absent))
    with pytest.raises(DataError, match=f"^QUADREPRO_DATA, the data folder {absent} does not"):
        load_dataset("wine")
