from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.config.config import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.engine.estimates import MOST_CELLS, NAME, Estimates, Mean, read_times, recall
from quadrepro.engine.run import compute, local, missing_cells
from quadrepro.engine.store import RecordStore
from quadrepro.engine.upkeep import leftovers
from tests.engine.stubs import cell

Write = Callable[..., Path]

ADA = cell("wine", "ada")


def keep(folder: Path, seconds: float, count: int = 1) -> None:
    estimates = Estimates()
    for _ in range(count):
        estimates.learn(ADA, seconds)
    estimates.keep(folder)


def test_runs_add_to_the_means_what_they_took_but_no_rows(tmp_path: Path) -> None:
    keep(tmp_path, 1.0)
    keep(tmp_path, 1.0, 3)
    mean = Mean(4, 0.0)
    assert read_times(tmp_path / NAME) == {
        "": mean,
        "ada": mean,
        "ada, 1 candidates, 0 folds": mean,
    }


def test_what_came_long_before_counts_less(tmp_path: Path) -> None:
    keep(tmp_path, 1.0, 100 * MOST_CELLS)
    keep(tmp_path, 4.0, MOST_CELLS)
    assert recall(tmp_path).seconds(cell("new", "ada")) == (pytest.approx(2.0, rel=0.05), 3.0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"version": 1, "around": {}, "kinds": [["a", "b", "c", 1.0, 1, 1.0]]}',
        '{"ada": {"count": 0, "log": 1.0}}',
        '{"ada": {"count": 1, "log": NaN}}',
        '{"ada": {"count": 1, "log": 1e999}}',
        '{"ada": {"count": 1, "log": 1000}}',
        '{"ada": {"count": 1.5, "log": 0}}',
        "[" * 100_000,
    ],
)
def test_a_damaged_or_old_file_counts_as_none_and_is_written_again(
    text: str, tmp_path: Path
) -> None:
    (tmp_path / NAME).write_text(text)
    assert read_times(tmp_path / NAME) == {}
    assert not recall(tmp_path).knows(ADA)
    keep(tmp_path, 1.0)
    assert read_times(tmp_path / NAME)["ada"] == Mean(1, 0.0)


def test_a_folder_that_cannot_be_written_is_left_alone(tmp_path: Path) -> None:
    blocked = tmp_path / "records"
    blocked.write_text("a file, not a folder")
    keep(blocked, 1.0)
    assert blocked.read_text() == "a file, not a folder"


def test_nothing_is_written_if_nothing_was_measured(tmp_path: Path) -> None:
    Estimates().keep(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_run_keeps_what_it_computed_and_no_record_twice(
    small_config: Write, tmp_path: Path
) -> None:
    cells, store = make_plan(load_experiment(small_config())).cells, RecordStore(tmp_path)
    compute(cells, store, local(0), lambda cell, record: None)
    kept = (tmp_path / NAME).read_bytes()
    assert read_times(tmp_path / NAME)[""].count == len(cells)
    assert missing_cells(cells, store, recall(tmp_path)) == []
    compute([], store, local(0), lambda cell, record: None)
    assert (tmp_path / NAME).read_bytes() == kept


def test_times_of_one_experiment_tell_of_another(small_config: Write, tmp_path: Path) -> None:
    cells, store = make_plan(load_experiment(small_config())).cells, RecordStore(tmp_path)
    compute(cells, store, local(0), lambda cell, record: None)
    found = Estimates(here=read_times(tmp_path / NAME)).seconds(cells[0])
    assert found is not None
    assert found[1] == 3.0


def test_unfinished_files_are_cleaned(tmp_path: Path) -> None:
    partial = tmp_path / f".{NAME}-0.part"
    partial.write_text("half")
    assert list(leftovers(RecordStore(tmp_path))) == [partial]
