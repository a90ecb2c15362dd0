"""Data sets by name: where they are looked for, how canonical CSVs are read, what is refused."""

from __future__ import annotations

import gzip
import os
import shlex
from pathlib import Path

import numpy as np
import pytest

from quadrepro.data import cache, store
from quadrepro.data.card import Card, load_card
from quadrepro.data.store import find_datasets, load_dataset, locate, read_csv
from quadrepro.errors import DataError
from tests.cli.call import quadrepro
from tests.data.tables import assert_same, written_card


@pytest.mark.slow
def test_every_canonical_csv_is_what_its_card_says(canonical_folder: Path) -> None:
    names = {path.name.split(".")[0] for path in canonical_folder.glob("*.csv*")}
    assert len(names) >= 45
    for name in names:
        assert load_dataset(name, canonical_folder).table.n_rows == load_card(name).rows


def test_what_is_missing_is_named_with_places_sources_and_ways_to_get_it(folder: Path) -> None:
    with pytest.raises(DataError) as refusal:
        find_datasets(["pima", "wine", "car"], folder)
    assert str(refusal.value).splitlines() == [
        f"2 data sets are not here; looked in the cache {cache.cache_folder()} and for NAME.csv and"
        f" NAME.csv.gz in {folder}:",
        "  pima: mirror, OpenML 37",
        "  car: UCI, mirror, OpenML 40975",
        "With a network, fetch with: quadrepro fetch pima car",
        store.BY_HAND,
    ]
    absent = find_datasets(["pima"], lenient=True)["pima"]
    assert absent.origin == "not here"
    with pytest.raises(DataError, match=r"^1 data set is not here; looked in the cache [^ ]*:\n"):
        absent.load()


def test_a_csv_is_read_with_its_missing_values_however_it_is_written(
    toy: Card, toy_csv: Path
) -> None:
    text, table = toy_csv.read_text(), read_csv(toy_csv, toy)
    np.testing.assert_array_equal(table.columns["size"], [1, -2.5, np.nan, 30])
    assert table.columns["colour"].tolist() == ["red", "", "blue", "red"]
    assert table.label_counts == {"01": 2, "no": 2}
    assert table.missing.tolist() == [[False, False], [False, True], [True, False], [False, False]]
    for rewritten in (
        text.replace("\n", "\r\n"),
        "\ufeff" + text,
        text.replace("red", '" red"').replace("\n1,", "\n 1.0,"),
        text + "\n",
    ):
        toy_csv.write_bytes(rewritten.encode())
        assert_same(read_csv(toy_csv, toy), table)
    # Words that pandas takes for gaps are codes.
    toy_csv.write_text("size,colour,target\n1,NA,None\n2,nan,null\n3,?,?\n")
    table = read_csv(toy_csv, toy)
    assert table.columns["colour"].tolist() == ["NA", "nan", "?"]
    assert table.target.tolist() == ["None", "null", "?"]


def refusal(path: Path, content: bytes, card: Card) -> str:
    path.write_bytes(content)
    with pytest.raises(DataError) as refused:
        read_csv(path, card)
    return str(refused.value).removeprefix(str(path))


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", ": cannot be read: No columns"),
        (b"size,colour,target\n", ": the file has a header but no rows"),
        (b"size,color,target\n1,red,no\n", ", line 1: column 2 must be 'colour', but is 'color'"),
        (b"size,colour\n1,red\n", ", line 1: column 3 must be 'target', but is absent"),
        (b"size,colour,target,more\n", ", line 1: column 4 must be absent, but is 'more'"),
        (b"size,colour,target\n1,red,no\n1,red\n", ", line 3: the row has no label"),
        (b"size,colour,target\n1,r,no\n1,r,no,x\n", ": cannot be read: Error tokenizing data. C e"),
        (b"size,colour,target\n,r,no\n1o,r,no\n", ", line 3: size is '1o', which is not a finite"),
        (b"size,colour,target\n1e999,r,no\n", ", line 2: size is 'inf', which is not a finite"),
        (b"size,colour,target\n1,r\xe9d,no\n", ": cannot be read: 'utf-8' codec can't decode byte"),
        (b'size,colour,target\n1,"red,no\n', ": cannot be read: Error tokenizing data. C error: E"),
    ],
)
def test_a_fault_is_named_with_its_line_and_column(
    toy: Card, toy_csv: Path, content: bytes, fault: str
) -> None:
    assert refusal(toy_csv, content, toy).startswith(fault)


def test_a_compressed_csv_is_read_as_the_plain_one(toy: Card, toy_csv: Path) -> None:
    packed, whole = toy_csv.with_suffix(".csv.gz"), gzip.compress(toy_csv.read_bytes())
    packed.write_bytes(whole)
    assert_same(read_csv(packed, toy), read_csv(toy_csv, toy))
    bent = whole[:10] + b"\xff" * 8 + whole[18:]
    for content in (toy_csv.read_bytes(), whole[:-9], bent):
        assert refusal(packed, content, toy).startswith(": cannot be read: ")


def test_places_are_tried_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [(1.5, "red", "no"), (2.0, "blue", "01")]
    source = {"kind": "file", "path": "../data/mine.csv", "skip": 1}
    card = written_card("mine", rows, tmp_path / "datasets", **source)
    beside, own = tmp_path / "datasets" / "mine.csv", tmp_path / "data" / "mine.csv"
    assert load_dataset("mine").origin == str(beside)
    own.parent.mkdir()
    own.write_text(beside.read_text().replace("target", "label"))
    # In the data folder, it is not a canonical CSV, either.
    for folder in (None, own.parent):
        assert load_dataset("mine", folder).origin == str(own)
    cache.write(card, load_dataset("mine").table, "OpenML 7")
    assert load_dataset("mine", own.parent).origin == "cache (OpenML 7)"
    packed = own.with_suffix(".csv.gz")
    packed.write_bytes(gzip.compress(beside.read_bytes()))
    assert load_dataset("mine").origin == "cache (OpenML 7)"
    monkeypatch.setenv("QUADREPRO_DATA", str(own.parent))
    assert load_dataset("mine").origin == str(packed)
    assert load_dataset("mine").table.target.tolist() == ["no", "01"]
    (other := tmp_path / "other").mkdir()
    assert load_dataset("mine", other).origin == "cache (OpenML 7)"
    (other / "mine.csv").write_bytes(beside.read_bytes())
    assert load_dataset("mine", other).origin == str(other / "mine.csv")


def test_a_changed_file_is_refused_with_the_command_that_describes_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "a file.csv"
    file.write_text("size,y\n1,1\n2,0\n3,0\n")
    assert quadrepro("init", file, "--target", "y", "--name", "ours").exit_code == 0
    file.write_text("size,y\n1,1\n2,0\n4,0\n")
    with pytest.raises(DataError, match="differs from the card") as caught:
        load_dataset("ours")
    _, _, command = str(caught.value).partition("describe it again with: quadrepro ")
    assert quadrepro(*shlex.split(command)).exit_code == 0
    os.utime("datasets/ours.yaml", ns=(0, 0))
    assert load_dataset("ours").table.columns["size"].tolist() == [1, 2, 4]


def test_a_large_file_is_parsed_once_and_checked_by_its_hash_from_then_on(
    known_toy: Card, toy_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_dataset("toy", toy_csv.parent)
    assert not cache.cache_folder().exists()
    monkeypatch.setattr(store, "LARGE", 8)
    first = load_dataset("toy", toy_csv.parent)
    with monkeypatch.context() as context:
        context.setattr(store, "read_csv", lambda path, card: pytest.fail("parsed again"))
        again = load_dataset("toy", toy_csv.parent)
    assert again.origin == first.origin == str(toy_csv)
    assert_same(again.table, first.table)
    toy_csv.write_text(toy_csv.read_text().replace("3e1", "3e2"))
    with pytest.raises(DataError, match="differs from the card"):
        load_dataset("toy", toy_csv.parent)
    # A cache that cannot be written does no harm.
    toy_csv.write_text(toy_csv.read_text().replace("3e2", "30.0"))
    monkeypatch.setenv("QUADREPRO_CACHE", str(toy_csv))
    assert load_dataset("toy", toy_csv.parent).table.n_rows == 4


def test_a_folder_that_does_not_exist_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = tmp_path / "absent"
    message = f"^the data folder {absent} does not exist; see --data and QUADREPRO_DATA$"
    with pytest.raises(DataError, match=message):
        locate(load_card("wine"), absent)
    monkeypatch.setenv("QUADREPRO_DATA", str(absent))
    with pytest.raises(DataError, match=message):
        load_dataset("wine")
