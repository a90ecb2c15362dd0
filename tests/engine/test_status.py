from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from quadrepro.config.config import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.core.problems import StoredRows
from quadrepro.engine.estimates import FACTORS, NAME
from quadrepro.engine.records import Record
from quadrepro.engine.run import compute, local
from quadrepro.engine.status import StatusLine, overview
from quadrepro.engine.store import RecordStore


def test_cells_are_counted_by_how_far_they_are(
    small_config: Callable[..., Path], tmp_path: Path
) -> None:
    cells, store = make_plan(load_experiment(small_config())).cells, RecordStore(tmp_path)
    before = overview(cells, store).lines
    assert [replace(line, seconds=None) for line in before] == [
        StatusLine("quadboost-l2", 2, 0, 2, (), None),
        StatusLine("ada", 2, 0, 2, (), None),
    ]
    assert None not in [line.seconds for line in before]
    first, second = cells[:2]
    compute([first], store, local(0), lambda cell, record: None)
    store.put(Record(second.key, "failed", content=second.content, message="boom"))
    found = overview(cells, store)
    l2, ada = found.lines
    assert (l2.n_kept, l2.n_missing, len(ada.failed), ada.n_missing) == (1, 1, 1, 1)
    assert (l2.failed, ada.failed) == ((), (second,))
    assert found.missing == (cells[2], cells[3])
    assert found.forecast(2).unknown == ()


def test_a_damaged_record_is_missing_as_for_a_run(
    small_config: Callable[..., Path], tmp_path: Path
) -> None:
    cells, told = make_plan(load_experiment(small_config())).cells, list[str]()
    store = RecordStore(tmp_path, lambda path, fault: told.append(path.name), read_only=True)
    compute(cells, RecordStore(tmp_path), local(0), lambda cell, record: None)
    damaged = store.path(cells[0].key)
    damaged.write_bytes(damaged.read_bytes()[:-5])
    found = overview(cells, store)
    assert found.missing == (cells[0],)
    assert sum(line.n_kept for line in found.lines) == len(cells) - 1
    assert told == [damaged.name]
    assert damaged.exists()


def test_no_key_is_made_where_there_are_no_records(
    small_config: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = make_plan(load_experiment(small_config())).cells
    monkeypatch.setattr(StoredRows, "origin", None)
    found = overview(cells, RecordStore(tmp_path))
    assert [line.n_missing for line in found.lines] == [2, 2]
    assert len(found.missing) == 4


def test_a_record_of_a_row_tells_how_long_its_repeats_take(
    small_config: Callable[..., Path], tmp_path: Path
) -> None:
    plan = make_plan(load_experiment(small_config(), repeats=2))
    store = RecordStore(tmp_path)
    first = [cell for cell in plan.cells if not cell.repeat]
    compute(first, store, local(0), lambda cell, record: store.put(replace(record, busy=1e6)))
    (tmp_path / NAME).unlink()
    found = overview(plan.cells, store)
    for line in found.lines:
        assert line.seconds is not None
        assert line.seconds > 1e3
    assert found.forecast(1).factor < 1.01 * FACTORS[-1]
