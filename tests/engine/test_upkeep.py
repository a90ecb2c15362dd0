from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from quadrepro.config.config import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.core.cell import key_of
from quadrepro.engine.records import Record
from quadrepro.engine.run import CLAIMS
from quadrepro.engine.store import RecordStore, Reservations
from quadrepro.engine.upkeep import leftovers, merge, result
from quadrepro.errors import ToleranceError
from tests.outcomes import of_wrong


def record_of(name: str, errors: int = 1) -> Record:
    content = {"name": name}
    kept = of_wrong([errors > 0, False, False])
    return Record(key_of(content), "ok", errors=errors, n_test=3, content=content, **kept)


def test_merging_copies_what_is_not_there(tmp_path: Path) -> None:
    one, two, into = (RecordStore(tmp_path / name) for name in ("1", "2", "3"))
    a, b, c = map(record_of, "abc")
    for store, record in ((one, a), (one, b), (two, b), (two, c)):
        store.put(record)
    merged = merge([one, two], into)
    assert (merged.copied, merged.known) == (3, 1)
    assert into.scan() == {record.key: True for record in (a, b, c)}
    assert into.get(b.key) == b


def test_merging_prefers_a_result_to_a_failure(tmp_path: Path) -> None:
    one, into = RecordStore(tmp_path / "1"), RecordStore(tmp_path / "2")
    good = record_of("a")
    into.put(Record(good.key, "failed", content=good.content))
    one.put(good)
    assert merge([one], into).copied == 1
    assert merge([into], one).copied == 0
    assert into.get(good.key) == good


def test_merging_refuses_two_results_of_one_cell(tmp_path: Path) -> None:
    one, into = RecordStore(tmp_path / "1"), RecordStore(tmp_path / "2")
    one.put(record_of("a", 0))
    into.put(record_of("a", 1))
    with pytest.raises(ToleranceError, match="results differ") as caught:
        merge([one], into)
    assert str(one.path(record_of("a").key)) in str(caught.value)


def test_times_dates_and_machines_are_no_part_of_a_result() -> None:
    record = record_of("a")
    later = replace(record, seconds=9.0, date="2026", environment={"system": "x"}, cv_errors=0.0)
    assert result(record) == result(later)
    assert result(record) == result(replace(record, scores="AACAPw=="))
    assert result(record) != result(replace(record, predicted="AA=="))
    assert result(record) != result(replace(record, chosen={"C": 1.0}))
    assert result(record) != result(replace(record, margins="0000803f"))


def test_leftovers_are_what_nothing_needs(
    small_config: Callable[..., Path], tmp_path: Path
) -> None:
    store = RecordStore(tmp_path / "records")
    kept, unused, damaged = map(record_of, "abc")
    for record in (kept, unused, damaged):
        store.put(record)
    store.path(damaged.key).write_text("{")
    assert store.get(damaged.key) is None
    partial = store.path(kept.key).with_name(".x.json-0123.part")
    partial.write_text("")
    claims = Reservations(store.folder / CLAIMS)
    cell = make_plan(load_experiment(small_config())).cells[0]
    claims.take(cell)
    ended = store.folder / CLAIMS / "ended.lock"
    ended.write_text("")
    set_aside = store.path(damaged.key)
    set_aside = set_aside.with_name(set_aside.name + ".damaged")
    assert set(leftovers(store)) == {partial, ended, set_aside}
    assert set(leftovers(store, {kept.key})) - set(leftovers(store)) == {store.path(unused.key)}
    claims.release_all()
