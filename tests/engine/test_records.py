"""Records survive a round trip, and a file that is not a record of its key counts as missing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quadrepro.core.cell import key_of
from quadrepro.engine.records import ARRAYS, Record, RecordStore

CONTENT: dict[str, Any] = {"algorithm": "AdaBoost", "grid": [["n_rounds", [1, 2]]]}
KEY = key_of(CONTENT)


def record(**fields: Any) -> Record:
    return Record(KEY, "ok", content=CONTENT, **fields)


def kept(folder: Path, one: Record) -> Record:
    store = RecordStore(folder)
    store.put(one)
    found = store.get(one.key)
    assert found is not None
    return found


CODES = np.array([0, 1, 1, 0], dtype=np.intp)
OUTCOMES = {
    "two classes": {"classes": ("no", "yes"), "actual": CODES, "predicted": 1 - CODES},
    "many classes": {
        "classes": tuple(map(str, range(300))),
        "actual": CODES * 299,
        "predicted": CODES,
        "scores": np.float32(np.random.default_rng(0).normal(size=(4, 300))),
    },
    "numbers": {"rmse": 0.1, "actual": np.array([0.1, -2.0]), "predicted": np.array([1e-300, 3.0])},
    "nothing predicted": {"margins": np.float32([0.5, -1.0]), "measures": {"error": [0.5, np.nan]}},
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_a_record_is_read_as_it_was_kept(tmp_path: Path, name: str) -> None:
    one = record(errors=2, n_test=4, chosen={"lam": 1e-5}, message="é\n", **OUTCOMES[name])
    found = kept(tmp_path, one)
    for field, value in vars(one).items():
        if field in ARRAYS and value is not None:
            np.testing.assert_array_equal(getattr(found, field), value)
            expected = np.intp if value.dtype.kind == "i" else np.float64
            assert getattr(found, field).dtype == expected
        else:
            assert repr(getattr(found, field)) == repr(value)


def test_what_follows_from_the_fields_of_a_record() -> None:
    assert record(errors=1, n_test=4).value == 0.25
    assert record(errors=1, n_test=4, rmse=3.0).value == 3.0
    called = record(actual=CODES, predicted=np.array([0, 0, 1, 1]))
    assert called.wrong.tolist() == [False, True, False, True]
    assert record(message="Traceback\nValueError: no\n").reason == "ValueError: no"
    assert record().reason == ""


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 0xFF
    path.write_bytes(content)


def rename(path: Path) -> None:
    other = path.with_name(KEY[:2] + "0" * 62 + ".npz")
    path.rename(other)


def pickled(path: Path) -> None:
    np.savez(path, record=np.array([{"key": KEY}], dtype=object))


def of_other_content(path: Path) -> None:
    fields = {"key": KEY, "status": "ok", "classes": [], "content": {"algorithm": "other"}}
    np.savez(path, record=np.frombuffer(json.dumps(fields).encode(), np.uint8))


@pytest.mark.parametrize("damage", [cut, flip, rename, pickled, of_other_content])
def test_a_damaged_record_counts_as_missing_with_a_warning(
    tmp_path: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    store = RecordStore(tmp_path)
    store.put(
        record(actual=CODES, predicted=CODES, scores=np.random.default_rng(1).normal(size=99))
    )
    damage(store.path(KEY))
    [key] = store.keys()
    assert store.get(key) is None
    assert f"{store.path(key)} is damaged and counts as missing" in caplog.text


def test_a_file_that_was_not_written_to_its_end_is_not_a_record(tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    store.put(record())
    path = store.path(KEY)
    path.rename(path.with_name(f".{path.name}-123.part"))
    assert store.keys() == set()
    assert store.get(KEY) is None
