from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from quadrepro.core.cell import key_of
from quadrepro.engine.records import Record
from quadrepro.engine.store import (
    DAMAGED,
    RecordStore,
    result,
)
from tests.outcomes import of_wrong

CONTENT = {"algorithm": "AdaBoost"}
KEY = key_of(CONTENT)
RECORD = Record(KEY, "ok", errors=1, n_test=3, content=CONTENT, **of_wrong([0, 0, 1]))


def test_a_record_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    store.put(RECORD)
    assert store.get(KEY) == RECORD
    assert store.get("cd" + "0" * 62) is None
    assert store.scan() == {KEY}


def test_a_changed_digit_is_found_set_aside_and_named(tmp_path: Path) -> None:
    told: list[tuple[Path, str]] = []
    store = RecordStore(tmp_path, lambda path, fault: told.append((path, fault)))
    store.put(RECORD)
    path = store.path(KEY)
    changed = path.read_bytes().replace(b'"n_test": 3', b'"n_test": 4')
    path.write_bytes(changed)
    assert store.get(KEY) is None
    assert told == [(path, "its checksum is not that of its text")]
    assert path.with_name(path.name + DAMAGED).read_bytes() == changed
    assert not path.exists()
    assert store.scan() == set()
    store.put(RECORD)
    assert store.get(KEY) == RECORD


def test_a_record_without_a_result_gives_way_to_one_and_the_other_way_round(
    tmp_path: Path,
) -> None:
    store, failed = RecordStore(tmp_path), Record(KEY, "failed", content=CONTENT)
    for record in (failed, RECORD, failed):
        store.put(record)
        assert store.get(KEY) == record
        assert store.scan() == {KEY}
        assert len(list(tmp_path.rglob("*.json"))) == 1


def test_a_result_is_preferred_to_a_failure_that_was_copied_next_to_it(tmp_path: Path) -> None:
    one, two = RecordStore(tmp_path / "1"), RecordStore(tmp_path / "2")
    one.put(RECORD)
    two.put(Record(KEY, "failed", content=CONTENT))
    for path in two.folder.glob("??/*.json"):
        shutil.copy(path, one.path(KEY).parent)
    assert one.get(KEY) == RECORD
    assert one.scan() == {KEY}


def test_a_store_that_is_only_read_moves_nothing(tmp_path: Path) -> None:
    RecordStore(tmp_path).put(RECORD)
    path = RecordStore(tmp_path).path(KEY)
    path.write_text("{")
    assert RecordStore(tmp_path, read_only=True).get(KEY) is None
    assert path.read_text() == "{"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"sha256": "", "record": {}}', "[" * 5000])
def test_a_damaged_record_counts_as_none(tmp_path: Path, text: str) -> None:
    store = RecordStore(tmp_path)
    store.put(RECORD)
    store.path(KEY).write_text(text)
    assert store.get(KEY) is None


def test_a_whole_record_that_no_cell_leaves_is_set_aside(tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    store.put(replace(RECORD, errors=2))
    assert store.get(KEY) is None


def test_a_record_under_the_name_of_another_is_set_aside(tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    store.put(RECORD)
    other = store.path("ab" + "0" * 62)
    other.parent.mkdir()
    other.write_bytes(store.path(KEY).read_bytes())
    assert store.get(other.stem) is None
    assert store.get(KEY) == RECORD


def test_a_record_that_cannot_be_written_leaves_the_old_one_and_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RecordStore(tmp_path)
    store.put(RECORD)

    def full(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("quadrepro.base.files.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        store.put(replace(RECORD, errors=0, predicted=RECORD.actual))
    assert store.get(KEY) == RECORD
    assert [p.suffix for p in store.path(KEY).parent.iterdir()] == [".json"]


def test_a_pipe_a_link_and_a_huge_file_are_no_records(tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    paths = [store.path(key * 64) for key in "abc"]
    for path in paths:
        path.parent.mkdir()
    os.mkfifo(paths[0])
    paths[1].symlink_to("/dev/zero")
    with paths[2].open("wb") as file:
        file.truncate(6 * 2**30)
    assert [store.get(key * 64) for key in "abc"] == [None] * 3
    assert [path.name for path in sorted(tmp_path.glob("*/*"))] == [p.name for p in paths]


def record_of(name: str, errors: int = 1) -> Record:
    content = {"name": name}
    kept = of_wrong([errors > 0, False, False])
    return Record(key_of(content), "ok", errors=errors, n_test=3, content=content, **kept)


def test_times_dates_and_machines_are_no_part_of_a_result() -> None:
    record = record_of("a")
    later = replace(record, seconds=9.0, date="2026", environment={"system": "x"}, cv_errors=0.0)
    assert result(record) == result(later)
    assert result(record) == result(replace(record, scores="AACAPw=="))
    assert result(record) != result(replace(record, predicted="AA=="))
    assert result(record) != result(replace(record, chosen={"C": 1.0}))
    assert result(record) != result(replace(record, margins="0000803f"))
