"""Records are kept at once and whole, and progress is shown."""

from __future__ import annotations

import json
import threading
import time
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quadrepro.core.cell import Cell, key_of
from quadrepro.engine import progress
from quadrepro.engine.dispatch import compute, largest_first
from quadrepro.engine.progress import RunProgress
from quadrepro.engine.records import ARRAYS, Record, RecordStore
from quadrepro.engine.worker import run_cell
from tests import make


@pytest.fixture
def cells() -> list[Cell]:
    quadboost = {"name": "quadboost-l2", "grid": {"n_rounds": [10, 20], "lam": 1}}
    ada = {"name": "adaboost", "grid": {"n_rounds": 5}}
    return [*make.cells(2, algorithms=[quadboost, ada])]


def test_only_what_is_missing_or_to_be_retried_is_computed_each_content_once(
    cells: list[Cell], tmp_path: Path
) -> None:
    store, (first, second, *rest) = RecordStore(tmp_path), cells
    store.put(run_cell(first))
    store.put(Record(second.key, "failed", content=second.content))
    twin = replace(rest[0], dataset="another row")
    assert store.missing([*cells, twin]) == rest
    todo = store.missing(cells, retry=True)
    assert todo == [second, *rest]
    assert {record.key for record in compute(todo, store, 1)} == {cell.key for cell in todo}
    assert store.missing(cells, retry=True) == []


def test_largest_data_sets_come_first_within_each_experiment(cells: list[Cell]) -> None:
    one = [replace(cells[0], size=size, experiment="one", repeat=size % 10) for size in (11, 32)]
    two = [replace(cells[0], size=size, experiment="two") for size in (5, 99)]
    assert [cell.size for cell in largest_first([*one, *two])] == [32, 11, 99, 5]


def test_a_record_is_kept_before_the_next_cell_begins(cells: list[Cell], tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    for n, record in enumerate(compute(cells, store, 1), start=1):
        assert store.get(record.key) is not None
        assert len(store.keys()) == n
        if n == 2:
            break
    assert len(store.missing(cells)) == len(cells) - 2


def test_a_rerun_reads_each_record_once(
    cells: list[Cell], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []
    [*compute(cells[:1], RecordStore(tmp_path), 1)]
    original: Callable[[Path], bytes] = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.append(path) or original(path))
    store = RecordStore(tmp_path)
    assert store.missing(cells[:1]) == []
    assert [record.ok for record in store.records_of(cells[:1])] == [True]
    assert [path for path in read if path.suffix == ".record"] == [store.path(cells[0].key)]


@pytest.mark.parametrize(
    ("n_cells", "quiet", "shown"), [(3, False, True), (0, False, False), (3, True, False)]
)
def test_piped_output_has_a_line_now_and_then_unless_it_is_quiet(
    n_cells: int,
    quiet: bool,
    shown: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.01)
    before, text, deadline = {*threading.enumerate()}, "", time.monotonic() + 60
    with RunProgress(n_cells, quiet) as running:
        assert bool({*threading.enumerate()} - before) == shown
        running.advance()
        while shown and "1/3 cells\n" not in text:
            assert time.monotonic() < deadline
            time.sleep(0.01)
            text += capsys.readouterr().err
        running.tell("monks, ada: failed \x1b[31m [red]")
    found = (text + capsys.readouterr().err).splitlines()
    assert r"monks, ada: failed \x1b[31m [red]" in found
    assert len(found) == 1 or shown


def test_a_terminal_has_a_bar_below_what_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("FORCE_COLOR", "1"), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    with RunProgress(3) as running:
        running.advance()
        running.tell("monks, ada: failed")
    text = capsys.readouterr().err
    assert text.rindex("monks, ada: failed") < text.rindex("1/3")
    # The cursor is there again, and the bar is gone.
    assert text.endswith("\x1b[?25h\r\x1b[1A\x1b[2K")


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
    content[100] ^= 0xFF
    path.write_bytes(content)


def rename(path: Path) -> None:
    other = path.with_name(KEY[:2] + "0" * 62 + ".record")
    path.rename(other)


def rewrite(path: Path, **fields: object) -> None:
    path.write_bytes(zlib.compress(json.dumps(fields).encode() + b"\n" + bytes(8)))


def with_objects(path: Path) -> None:
    whole = json.loads(zlib.decompress(path.read_bytes()).partition(b"\n")[0])
    rewrite(path, **whole | {"arrays": {"actual": ["O", [1]]}})


def of_other_content(path: Path) -> None:
    content = {"algorithm": "other"}
    rewrite(path, key=KEY, status="ok", classes=[], arrays={}, content=content)


@pytest.mark.parametrize("damage", [cut, flip, rename, with_objects, rewrite, of_other_content])
def test_damaged_records_count_as_missing_with_a_warning_and_unfinished_ones_do_not_count(
    tmp_path: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    store = RecordStore(tmp_path)
    store.put(
        record(actual=CODES, predicted=CODES, scores=np.random.default_rng(1).normal(size=99))
    )
    unfinished = store.path(KEY).with_name(f".{KEY}.record-123.part")
    unfinished.write_bytes(store.path(KEY).read_bytes())
    damage(store.path(KEY))
    [key] = store.keys()
    assert store.get(key) is None
    assert f"{store.path(key)} is damaged and counts as missing" in caplog.text
