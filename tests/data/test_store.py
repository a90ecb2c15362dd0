"""Where data sets are looked for, how their CSVs are read, and what the cache gives back."""

from __future__ import annotations

import gzip
import os
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quadrepro.data import cache, store
from quadrepro.data.canonical import RawTable, content_hash, sort_rows
from quadrepro.data.card import Card, load_card
from quadrepro.data.store import find_datasets, locate, read_canonical
from quadrepro.errors import DataError
from tests.data.tables import assert_same, load_dataset, make_card, make_table, written_card
from tests.make import quadrepro, refusal


@pytest.mark.slow
def test_every_canonical_csv_is_what_its_card_says(canonical_folder: Path) -> None:
    names = {path.name.split(".")[0] for path in canonical_folder.glob("*.csv*")}
    assert len(names) >= 45
    for name in names:
        assert load_dataset(name, canonical_folder).table.n_rows == load_card(name).rows


def test_what_is_missing_is_named_with_places_sources_and_ways_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(DataError) as refusal:
        find_datasets(map(load_card, ["pima", "wine", "car"]), tmp_path)
    assert str(refusal.value).splitlines() == [
        f"2 data sets are not here; looked in the cache {cache.cache_folder()} and for NAME.csv and"
        f" NAME.csv.gz in {tmp_path}:",
        "  pima: mirror, OpenML 37",
        "  car: UCI, mirror, OpenML 40975",
        "With a network, fetch with: quadrepro fetch pima car",
        store.BY_HAND,
    ]
    absent = find_datasets(map(load_card, ["pima"]), lenient=True)["pima"]
    assert absent.origin == "not here"
    with pytest.raises(DataError, match=r"^1 data set is not here; looked in the cache [^ ]*:\n"):
        absent.load()


def test_a_csv_is_read_with_its_missing_values_however_it_is_written(
    toy: Card, toy_csv: Path
) -> None:
    text, table = toy_csv.read_text(), read_canonical(toy_csv, toy)
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
        assert_same(read_canonical(toy_csv, toy), table)
    # Words that pandas takes for gaps are codes.
    toy_csv.write_text("size,colour,target\n1,NA,None\n2,nan,null\n3,?,?\n")
    table = read_canonical(toy_csv, toy)
    assert table.columns["colour"].tolist() == ["NA", "nan", "?"]
    assert table.target.tolist() == ["None", "null", "?"]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", ", line 1: column 1 must be 'size', but is absent"),
        (b"size,colour,target\n", "the file has a header but no rows"),
        (b"size,color,target\n1,red,no\n", ", line 1: column 2 must be 'colour', but is 'color'"),
        (b"size,colour\n1,red\n", ", line 1: column 3 must be 'target', but is absent"),
        (b"size,colour,target,more\n", ", line 1: column 4 must be absent, but is 'more'"),
        (b"size,colour,target\n1,red,no\n1,red\n", ", line 3: 2 fields, but the first row has 3"),
        (b"size,colour,target\n1,r,no\n1,r,no,x\n", ", line 3: 4 fields, but the first row has 3"),
        (b"size,colour,target\n,r,no\n1o,r,no\n", ", line 3: size is '1o', which is not a finite"),
        (b"size,colour,target\n1e999,r,no\n", ", line 2: size is '1e999', which is not a"),
        (b"size,colour,target\n1,r\xe9d,no\n", ", line 2: not UTF-8 text"),
        (b'size,colour,target\n1,"red,no\n', ", line 2: unexpected end of data"),
    ],
)
def test_a_fault_is_named_with_its_line_and_column(
    toy: Card, toy_csv: Path, content: bytes, fault: str
) -> None:
    toy_csv.write_bytes(content)
    told = refusal(toy_csv, lambda path: read_canonical(path, toy), DataError)
    assert told.lstrip().startswith(fault)


def test_a_compressed_csv_is_read_as_the_plain_one(toy: Card, toy_csv: Path) -> None:
    packed, whole = toy_csv.with_suffix(".csv.gz"), gzip.compress(toy_csv.read_bytes())
    packed.write_bytes(whole)
    assert_same(read_canonical(packed, toy), read_canonical(toy_csv, toy))
    bent = whole[:10] + b"\xff" * 8 + whole[18:]
    for content in (toy_csv.read_bytes(), whole[:-9], bent):
        packed.write_bytes(content)
        assert refusal(packed, lambda path: read_canonical(path, toy), DataError)


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
    file.write_text("size;y\n1.000;1\n2.000;0\n-9;0\n3,5;?\n")
    told = ("--missing=-9", "--decimal", ",", "--drop-missing-target")
    assert quadrepro("init", file, "--target", "y", "--name", "ours", *told).exit_code == 0
    file.write_text("size;y\n1.000;1\n2.000;0\n-9;0\n4,5;1\n3,5;?\n")
    with pytest.raises(DataError, match="differs from the card") as caught:
        load_dataset("ours")
    _, _, command = str(caught.value).partition("renew its card: quadrepro ")
    assert quadrepro(*shlex.split(command)).exit_code == 0
    os.utime("datasets/ours.yaml", ns=(0, 0))
    sizes = load_dataset("ours").table.columns["size"]
    assert (sizes[:3].tolist(), np.isnan(sizes[3])) == ([4.5, 1000, 2000], True)


def test_a_large_file_is_parsed_once_and_checked_by_its_hash_from_then_on(
    known_toy: Card, toy_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = find_datasets([known_toy], toy_csv.parent)["toy"].load
    load(keep=True)
    assert not cache.cache_folder().exists()
    monkeypatch.setattr(store, "LARGE", 8)
    load()
    assert not cache.cache_folder().exists()
    first = load(keep=True)
    with monkeypatch.context() as context:
        context.setattr(store, "read_canonical", lambda path, card: pytest.fail("parsed again"))
        again = load()
    assert again.origin == first.origin == str(toy_csv)
    assert_same(again.table, first.table)
    toy_csv.write_text(toy_csv.read_text().replace("3e1", "3e2"))
    with pytest.raises(DataError, match="differs from the card"):
        load_dataset("toy", toy_csv.parent)
    # A cache that cannot be written does no harm.
    toy_csv.write_text(toy_csv.read_text().replace("3e2", "30.0"))
    monkeypatch.setenv("QUADREPRO_CACHE", str(toy_csv))
    assert load(keep=True).table.n_rows == 4


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


CARD = make_card()
WHOLE = st.integers(0, 255) | st.integers(-(2**40), 2**40)
NUMBERS = WHOLE.map(float) | st.floats(width=32) | st.floats(allow_infinity=False)
COLOURS = ["", "red", "é", "é" * 1000]


def kept(card: Card, table: RawTable, file: Path | None = None) -> cache.CachedRows:
    """Return the entry of rows that are written."""
    cache.write(card, table, "OpenML 7", file)
    entry = cache.find_cached(card, file)
    assert entry is not None
    return entry


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(NUMBERS, st.sampled_from(COLOURS), st.booleans()), min_size=1))
def test_what_is_read_is_what_was_written_to_the_bit(rows: list[tuple[float, str, bool]]) -> None:
    made = make_table([(size, colour, "no") for size, colour, _ in rows])
    parts = np.where([first for *_, first in rows], "train", "test")
    table = sort_rows(replace(made, part=parts if rows[0][2] else None))
    card = CARD.model_copy(update={"parts": {"any": (1, 4)} if rows[0][2] else {}})
    again = cache.read_cached(kept(card, table), card)
    assert_same(again, table)
    assert content_hash(again) == content_hash(table)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (range(250), "uint8"),
        (range(-1, 5), "int16"),
        (range(0, 70_000, 7), "int32"),
        ([1, np.nan], "double"),
    ],
)
def test_numbers_take_the_fewest_bytes_that_hold_them(values: list[float], kind: str) -> None:
    entry = kept(CARD, make_table([(i, "r", "n") for i in values]))
    assert str(pq.read_schema(entry.path).field("size").type) == kind


def test_an_entry_knows_its_origin_and_attributes_may_be_left_out() -> None:
    entry = kept(CARD, make_table([(1, "red", "no"), (2, "blue", "01")]))
    assert (entry.origin, entry.path.parent) == ("OpenML 7", cache.cache_folder() / "tables")
    some = cache.read_cached(entry, CARD, only=("size",))
    assert (some.columns["size"].tolist(), some.target.tolist()) == ([1, 2], ["no", "01"])
    assert [*some.columns] == ["size"]
    assert [*cache.read_cached(entry, CARD, only=()).columns] == []


def test_rows_are_those_of_one_content_and_of_one_file(tmp_path: Path) -> None:
    (file := tmp_path / "a.csv").write_text("a")
    kept(CARD, make_table([(1, "red", "no")]), file)
    assert cache.find_cached(CARD) is None
    assert cache.find_cached(CARD.model_copy(update={"content_hash": "sha256:1"}), file) is None
    file.write_text("b")
    assert cache.find_cached(CARD, file) is None


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
    assert cache.find_cached(CARD) is None
    assert caplog.messages == [f"{path} is damaged and was set aside as {path.name}.damaged"]
    assert [one.name for one in path.parent.iterdir()] == [f"{path.name}.damaged"]


def test_a_bent_page_is_found_when_it_is_read() -> None:
    entry = kept(CARD, make_table([(i, "r", "n") for i in np.random.default_rng(0).random(1000)]))
    content = bytearray(entry.path.read_bytes())
    content[1000] ^= 1
    entry.path.write_bytes(content)
    assert cache.find_cached(CARD) == entry
    with pytest.raises(DataError, match=r"damaged and was set aside; .*: quadrepro fetch toy$"):
        cache.read_cached(entry, CARD)
    assert cache.find_cached(CARD) is None


@pytest.mark.parametrize(
    "fault", [pa.ArrowMemoryError("malloc of size 64 failed"), PermissionError(13, "denied")]
)
def test_without_memory_or_access_an_entry_is_not_called_damaged(
    fault: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **keys: object) -> None:
        raise fault

    entry = kept(CARD, make_table([(1, "red", "no")]))
    cache.keep_splits(CARD, 7, np.array([[1], [2]], dtype=np.uint8))
    with monkeypatch.context() as context:
        for name in ("pyarrow.parquet.read_table", "pyarrow.parquet.read_metadata", "numpy.load"):
            context.setattr(name, fail)
        for read in (
            lambda: cache.read_cached(entry, CARD),
            lambda: cache.find_cached(CARD),
            lambda: cache.load_splits(CARD, 7),
        ):
            with pytest.raises(type(fault)):
                read()
    assert cache.read_cached(entry, CARD).n_rows == len(cache.load_splits(CARD, 7)) - 1


def test_a_damaged_copy_of_a_file_is_made_again_from_the_file(
    known_toy: Card, toy_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "LARGE", 8)
    first = load_dataset("toy", toy_csv.parent).table
    find_datasets([known_toy], toy_csv.parent)["toy"].load(keep=True)
    (copy,) = (cache.cache_folder() / "tables").iterdir()
    whole = copy.read_bytes()
    # The metadata at the end are whole, so the damage is seen when the rows are read.
    copy.write_bytes(whole[:60].translate(bytes(range(255, -1, -1))) + whole[60:])
    again = find_datasets([known_toy], toy_csv.parent)["toy"].load(keep=True).table
    assert_same(again, first)
    assert copy.read_bytes() == whole


def test_the_cache_is_where_the_system_keeps_caches_unless_named_otherwise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, place, folder in (
        ("QUADREPRO_CACHE", "~/cache", "cache"),
        ("QUADREPRO_CACHE", "", ".cache/quadrepro"),
        ("XDG_CACHE_HOME", str(tmp_path / "xdg"), "xdg/quadrepro"),
    ):
        monkeypatch.setenv(name, place)
        assert cache.cache_folder() == tmp_path / folder


def test_a_user_without_a_home_is_asked_for_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "QUADREPRO_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 123_456_789)  # not in /etc/passwd
    result = quadrepro("list", "datasets", "wine")
    assert result.exit_code == 3
    assert result.stderr == (
        "error: the cache has no folder, as this user has no home; name one with QUADREPRO_CACHE\n"
    )
