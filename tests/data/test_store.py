"""Data sets by name: where they are looked for, how canonical CSVs are read, what is refused."""

from __future__ import annotations

import gzip
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from quadrepro.data import cache, store
from quadrepro.data.card import Card, load_card, load_card_file
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
    with pytest.raises(DataError, match=r"^1 data set is not here; looked in the cache [^ ]*:\n"):
        load_dataset("pima")
    assert find_datasets(["pima"], lenient=True)["pima"].origin == "not here"


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    heavy = {"sklearn", "pandas", "pyarrow", "scipy", "openml", "pooch", "requests"}
    code = (
        "import sys, quadrepro.core.preprocessing, quadrepro.data.fetch;"
        f"print(*{heavy} & set(sys.modules))"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.check_output([sys.executable, "-c", code], text=True, env=env).split() == []


def test_a_csv_is_read_with_its_missing_values(toy: Card, toy_csv: Path) -> None:
    table = read_csv(toy_csv, toy)
    np.testing.assert_array_equal(table.columns["size"], [1, -2.5, np.nan, 30])
    assert table.columns["colour"].tolist() == ["red", "", "blue", "red"]
    assert table.target.tolist() == ["no", "no", "01", "01"]
    assert table.label_counts == {"01": 2, "no": 2}
    assert table.missing.tolist() == [[False, False], [False, True], [True, False], [False, False]]


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("red", '" red"').replace("\n1,", "\n 1.0,"),
        lambda text: text + "\n",
    ],
    ids=["CRLF", "byte order mark", "quotes and blanks", "blank line at the end"],
)
def test_how_a_csv_is_written_does_not_matter(
    toy: Card, toy_csv: Path, rewrite: Callable[[str], str]
) -> None:
    plain = read_csv(toy_csv, toy)
    toy_csv.write_bytes(rewrite(toy_csv.read_text()).encode())
    assert_same(read_csv(toy_csv, toy), plain)


def test_words_that_pandas_takes_for_gaps_are_codes(toy: Card, toy_csv: Path) -> None:
    toy_csv.write_text("size,colour,target\n1,NA,None\n2,nan,null\n")
    table = read_csv(toy_csv, toy)
    assert table.columns["colour"].tolist() == ["NA", "nan"]
    assert table.target.tolist() == ["None", "null"]


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
        (b"size,color,target\n1,red,no\n", ", line 1: column 2 must be 'colour', not 'color'"),
        (b"size,colour\n1,red\n", ", line 1: 2 columns, but the card has 3 (the last one is 't"),
        (b"size,colour,target,more\n", ", line 1: 4 columns, but the card has 3 (the last one is"),
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


def test_places_are_tried_in_order_folder_environment_cache(
    known_toy: Card, toy_csv: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = tmp_path / "named"
    named.mkdir()
    table = load_dataset("toy", toy_csv.parent).table
    cache.write(known_toy, table, known_toy.content_hash, "OpenML 7")
    assert load_dataset("toy").origin == "cache (OpenML 7)"
    monkeypatch.setenv("QUADREPRO_DATA", str(named))
    assert load_dataset("toy").origin == "cache (OpenML 7)"
    (named / "toy.csv").write_bytes(toy_csv.read_bytes())
    assert load_dataset("toy").origin == str(named / "toy.csv")
    assert load_dataset("toy", folder).origin == "cache (OpenML 7)"
    (folder / "toy.csv.gz").write_bytes(gzip.compress(toy_csv.read_bytes()))
    assert load_dataset("toy", folder).origin == str(folder / "toy.csv.gz")


def test_a_csv_beside_its_card_comes_after_the_own_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [(1.5, "red", "no"), (2.0, "blue", "01")]
    own = "{kind: file, path: ../own.csv, skip: 1}"
    card = written_card("mine", rows, tmp_path / "datasets", own)
    beside = tmp_path / "datasets" / "mine.csv"
    assert load_dataset("mine").origin == str(beside)
    (tmp_path / "own.csv").write_bytes(beside.read_bytes())
    monkeypatch.chdir(tmp_path / "datasets")
    assert locate(card).origin == str(tmp_path / "own.csv")  # type: ignore[union-attr]


def test_a_large_file_is_parsed_once_and_checked_by_its_hash_from_then_on(
    known_toy: Card, toy_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_a_small_file_is_not_kept_and_a_cache_that_is_full_does_no_harm(
    known_toy: Card, toy_csv: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    load_dataset("toy", toy_csv.parent)
    assert not cache.cache_folder().exists()
    monkeypatch.setattr(store, "LARGE", 8)
    monkeypatch.setenv("QUADREPRO_CACHE", str(toy_csv))
    assert load_dataset("toy", toy_csv.parent).table.n_rows == 4


def test_a_users_own_file_is_no_canonical_csv_and_starts_at_its_card(
    write_card: Callable[..., Path], toy: Card, toy_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = "  - {kind: file, path: toy.csv, skip: 1, columns: [size, colour, target]}\n"
    card = load_card_file(write_card("views:", f"{own}views:", toy.content_hash))
    toy_csv.write_text(toy_csv.read_text().replace("target", "label"))
    monkeypatch.setattr(store, "load_card", lambda name: card)
    monkeypatch.chdir("/")
    for folder in (None, toy_csv.parent):
        dataset = load_dataset("toy", folder)
        assert dataset.origin == str(toy_csv)
        assert dataset.table.target.tolist() == ["no", "no", "01", "01"]
    toy_csv.write_text(toy_csv.read_text() + "1,red,no\n")
    with pytest.raises(DataError, match="differs from the card"):
        load_dataset("toy")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("size,my label\n1,yes\n2,no\n3,no\n", ["--target", "my label"]),
        ("1,yes\n2,no\n3,no\n", ["--target", "y", "--names", "my size,y"]),
        ("size,y\n1,1\n2,0\n3,0\n", ["--target", "y", "--task", "regression", "--name", "ours"]),
    ],
)
def test_the_command_that_describes_a_changed_file_again_works_as_it_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("a file.csv")
    file.write_text(text)
    assert quadrepro("init", file, *words).exit_code == 0
    [name] = (path.stem for path in Path("datasets").glob("*.yaml"))
    before = load_card(name)
    file.write_text(text.replace("3,", "4,"))
    with pytest.raises(DataError) as caught:
        load_dataset(name)
    _, _, command = str(caught.value).partition("describe it again with: quadrepro ")
    assert quadrepro(*shlex.split(command)).exit_code == 0
    os.utime(f"datasets/{name}.yaml", ns=(0, 0))
    again = load_dataset(name).card
    assert (again.task, again.target) == (before.task, before.target)
    assert again.attribute_names == before.attribute_names


def test_a_file_in_the_folder_comes_before_what_ships(folder: Path) -> None:
    assert load_dataset("wine", folder).origin == "ships with quadrepro"
    (folder / "wine.csv").write_text("not wine\n")
    with pytest.raises(DataError, match=r"wine\.csv, line 1: column 1 must be 'alcohol', not"):
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
