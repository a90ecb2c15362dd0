from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.config.config import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.engine.estimates import ENOUGH, NAME, Kind, RunClock, Seen, Times, kind_of, recall
from quadrepro.engine.records import Record
from quadrepro.engine.run import compute, local, missing_cells
from quadrepro.engine.store import RecordStore
from quadrepro.engine.upkeep import leftovers, merge
from tests.engine.stubs import cell

Write = Callable[..., Path]

ADA = Kind("AdaBoost", "how", "exact", 100.0)


def keep(folder: Path, seconds: float, count: int = 1) -> None:
    times = Times(folder)
    times.note(ADA, seconds, count)
    times.keep()


def ignore(cell: object, record: Record) -> None:
    pass


def test_runs_add_to_the_summary_what_they_took(tmp_path: Path) -> None:
    keep(tmp_path, 3.0)
    times = Times(tmp_path)
    times.note(ADA, 5.0)
    times.note_run(1.5, 0.25, 10)
    times.keep()
    times.keep()
    found = Times(tmp_path).read()
    assert found.kinds == {ADA: Seen(2, 8.0)}
    assert (found.around.start, found.around.beside) == (Seen(1, 1.5), Seen(10, 0.25))


def test_runs_that_share_a_folder_lose_nothing(tmp_path: Path) -> None:
    keep(tmp_path, 1.0)
    threads = [threading.Thread(target=keep, args=(tmp_path, 1.0)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Times(tmp_path).read().kinds[ADA] == Seen(9, 9.0)
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_what_came_long_before_counts_less(tmp_path: Path) -> None:
    keep(tmp_path, 1000.0, 1000)
    keep(tmp_path, 3.0 * ENOUGH, ENOUGH)
    assert Times(tmp_path).read().kinds[ADA].mean == pytest.approx(2.0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"version": 0, "kinds": [["a", "b", "c", 1.0, 1, 1.0]]}',
        '{"version": 1}',
        '{"version": 1, "around": 3, "kinds": []}',
        '{"version": 1, "kinds": [["a", "b", "c", 1.0, 0, 1.0]]}',
        '{"version": 1, "kinds": [["a", "b", "c", NaN, 1, 1.0]]}',
        '{"version": 1, "kinds": [["a", "b", "c", 1.0, 1, -1.0]]}',
        '{"version": 1, "kinds": [["a", "b"]]}',
        '{"version": 1, "kinds": [["a", "b", "c", 1.0, 1e999, 1.0]]}',
        "[" * 100_000,
    ],
)
def test_a_damaged_summary_counts_as_none_and_is_written_again(text: str, tmp_path: Path) -> None:
    (tmp_path / NAME).write_text(text)
    assert Times(tmp_path).read().kinds == {}
    keep(tmp_path, 1.0)
    assert Times(tmp_path).read().kinds == {ADA: Seen(1, 1.0)}


def test_a_folder_that_cannot_be_written_is_left_alone(tmp_path: Path) -> None:
    blocked = tmp_path / "records"
    blocked.write_text("a file, not a folder")
    keep(blocked, 1.0)
    assert blocked.read_text() == "a file, not a folder"


def test_nothing_is_written_if_nothing_was_noted(tmp_path: Path) -> None:
    Times(tmp_path / "none").keep()
    assert not (tmp_path / "none").exists()


def test_without_a_summary_records_tell_the_same(small_config: Write, tmp_path: Path) -> None:
    cells = make_plan(load_experiment(small_config(), repeats=2)).cells
    store = RecordStore(tmp_path)
    compute(cells, store, local(0), ignore)
    kept = Times(tmp_path).read().kinds
    (tmp_path / NAME).unlink()
    rebuilt = Times(tmp_path).read().kinds
    assert kept.keys() == rebuilt.keys()
    assert [seen.count for seen in rebuilt.values()] == [2] * 4
    for kind, seen in rebuilt.items():
        assert kept[kind].seconds == pytest.approx(seen.seconds, abs=1e-5)
    # And a run that adds to it tells no cell twice.
    times = Times(tmp_path)
    record = store.get(cells[0].key)
    assert record is not None
    times.note_record(record)
    times.keep()
    again = Times(tmp_path).read().kinds
    assert sorted(seen.count for seen in again.values()) == [1, 2, 2, 2]


def test_a_run_that_finds_all_cells_done_makes_the_summary(
    small_config: Write, tmp_path: Path
) -> None:
    cells, store = make_plan(load_experiment(small_config())).cells, RecordStore(tmp_path)
    compute(cells, store, local(0), ignore)
    for path in tmp_path.glob("??/*.json"):
        # As a version left them that kept no sizes.
        record = json.loads(path.read_bytes())["record"] | {"size": 0.0}
        store.put(Record(**record))
    (tmp_path / NAME).unlink()
    assert Times(tmp_path).read().kinds == {}
    estimates, _ = recall(tmp_path, cells)
    assert missing_cells(cells, store, estimates) == []
    assert len(Times(tmp_path).read().kinds) == 4


def test_only_learners_that_are_asked_for_are_remembered(tmp_path: Path) -> None:
    times = Times(tmp_path)
    wanted, other = cell("wine", "ada"), cell("wine", "svm")
    for one in (wanted, other):
        times.note(kind_of(one.shared.fields, one.size), 2.0)
    times.keep()
    estimates, _ = recall(tmp_path, [cell("new", "ada", 5.0)])
    assert estimates.seconds(wanted) == 2.0
    assert estimates.seconds(other) is None


def test_merged_records_tell_their_times_and_unfinished_files_are_cleaned(
    small_config: Write, tmp_path: Path
) -> None:
    cells = make_plan(load_experiment(small_config())).cells
    one, both = RecordStore(tmp_path / "1"), RecordStore(tmp_path / "2")
    compute(cells, one, local(0), ignore)
    merge([one], both)
    merge([one], both)
    assert Times(both.folder).read().kinds == Times(one.folder).read().kinds
    partial = both.folder / f".{NAME}-0.part"
    partial.write_text("half")
    assert list(leftovers(both)) == [partial]


def test_the_clock_tells_start_and_what_workers_did_beside_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]
    monkeypatch.setattr("quadrepro.engine.estimates.time.monotonic", lambda: now[0])
    clock = RunClock(1)
    assert clock.found() is None
    for i in range(20):
        now[0] = 3.0 + 1.5 * i + 1.0
        clock.done(1.0)
    clock.all_sent()
    # The last one ran on when nothing waited any more.
    now[0] += 100.0
    clock.done(100.0)
    found = clock.found()
    assert found is not None
    assert found == (pytest.approx(3.0), pytest.approx(19 * 0.5), 21)


def test_a_short_run_tells_no_more_than_its_start(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("quadrepro.engine.estimates.time.monotonic", lambda: now[0])
    clock = RunClock(2)
    now[0] = 5.0
    clock.done(1.0)
    assert clock.found() == (4.0, 0.0, 0)
