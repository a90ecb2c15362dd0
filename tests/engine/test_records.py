from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.engine.records import Record, RecordStore, pack

KEY = "ab" + "0" * 62


def test_a_record_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    record = Record(KEY, "ok", errors=1, n_test=3, chosen={"lam": 0.1}, wrong="20", seconds=1.5)
    store.put(record)
    assert store.get(KEY) == record
    assert store.get("cd" + "0" * 62) is None


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_wrong_examples_survive_packing(wrong: list[bool]) -> None:
    record = Record(KEY, "ok", n_test=len(wrong), wrong=pack(np.array(wrong)))
    assert record.wrong_examples().tolist() == wrong


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"key": "x"}', '{"key": "other", "status": "ok"}']
)
def test_a_damaged_record_counts_as_none(tmp_path: Path, text: str) -> None:
    store = RecordStore(tmp_path)
    store.put(Record(KEY, "ok"))
    store.path(KEY).write_text(text)
    assert store.get(KEY) is None


def test_a_record_that_cannot_be_written_leaves_the_old_one_and_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RecordStore(tmp_path)
    store.put(Record(KEY, "ok", errors=1))

    def full(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("quadrepro._files.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        store.put(Record(KEY, "ok", errors=2))
    kept = store.get(KEY)
    assert kept is not None
    assert kept.errors == 1
    assert [p.suffix for p in store.path(KEY).parent.iterdir()] == [".json"]
