from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quadrepro.core import compiling
from quadrepro.core.cell import Cell
from quadrepro.engine.estimates import (
    COMPILE_SECONDS,
    FACTORS,
    FIRST,
    MOST_CELLS,
    NAME,
    SHIPPED,
    START_SECONDS,
    Estimates,
    Mean,
    forecast,
    longest_first,
    names,
    read_times,
    recall,
    start_seconds,
)
from quadrepro.engine.run import compute, local, missing_cells
from quadrepro.engine.store import RecordStore, leftovers
from tests.cells import cells_of
from tests.engine.stubs import cell, with_kernels, with_settings


def taught(*times: tuple[Cell, float]) -> Estimates:
    """Return estimates after some cells."""
    estimates = Estimates()
    for one, seconds in times:
        estimates.learn(one, seconds)
    return estimates


def seconds(estimates: Estimates, of: Cell) -> float:
    found = estimates.seconds(of)
    assert found is not None
    return found[0]


def test_nothing_is_estimated_before_a_cell_is_done() -> None:
    assert Estimates().seconds(cell("wine", "ada")) is None


def test_another_repeat_takes_as_long_as_those_that_are_done() -> None:
    estimates = taught(*((cell("wine", "ada", repeat=i), 3.0) for i in range(5)))
    assert seconds(estimates, cell("wine", "ada", repeat=7)) == pytest.approx(3.0)


def test_times_grow_with_the_root_of_the_size() -> None:
    estimates = taught((cell("wine", "ada", 100.0), 2.0))
    assert seconds(estimates, cell("big", "ada", 900.0)) == pytest.approx(6.0)


def test_the_nearest_of_row_grid_and_learner_counts_most() -> None:
    here, grid, learner = (
        cell("wine", "ada", n_candidates=9),
        cell("heart", "ada", n_candidates=9),
        cell("iris", "ada", n_candidates=2),
    )
    many = [(one, s) for one, s in ((here, 1.0), (grid, 10.0), (learner, 100.0)) for _ in range(50)]
    estimates = taught(*many)
    assert seconds(estimates, here) == pytest.approx(1.0, rel=0.1)
    assert seconds(estimates, cell("new", "ada", n_candidates=9)) == pytest.approx(10**0.5, rel=0.1)
    assert seconds(estimates, cell("new", "ada", n_candidates=5)) == pytest.approx(10.0, rel=0.1)
    assert seconds(estimates, cell("new", "svm")) == pytest.approx(10.0, rel=0.1)


@pytest.mark.parametrize(
    ("of", "i"),
    [
        (cell("wine", "ada"), 3),
        (cell("heart", "ada"), 2),
        (cell("heart", "ada", n_candidates=7), 1),
        (cell("wine", "svm"), 0),
    ],
)
def test_the_less_is_known_of_a_cell_the_wider_is_its_range(of: Cell, i: int) -> None:
    found = taught(*[(cell("wine", "ada"), 1.0)] * 2).seconds(of)
    assert found is not None
    assert found[1] == FACTORS[i]
    assert list(FACTORS) == sorted(set(FACTORS), reverse=True)


def test_the_range_of_a_row_is_wider_after_its_first_cell() -> None:
    ranges = [
        taught(*[(cell("wine", "ada"), 1.0)] * n).seconds(cell("wine", "ada")) for n in (1, 2)
    ]
    assert [found and found[1] for found in ranges] == [FIRST, FACTORS[-1]]


def test_one_cell_that_had_to_compile_does_not_spoil_an_estimate() -> None:
    quick = [(cell("wine", "ada", repeat=i), 0.1) for i in range(20)]
    estimates = taught((cell("heart", "ada"), 60.0), *quick)
    assert seconds(estimates, cell("new", "ada")) < 0.2
    assert seconds(estimates, cell("heart", "ada", repeat=1)) < 5.0


def test_shipped_times_are_scaled_to_this_machine() -> None:
    of = [cell("wine", f"a{i}") for i in range(21)]
    shipped = {name: Mean(50, 0.0) for one in of for name in names(one)[:-1]}
    estimates = Estimates(shipped)
    assert seconds(estimates, of[0]) == pytest.approx(1.0)
    for one in of[1:]:
        estimates.learn(one, 3.0)
    # Twenty learners, their grids and all cells count for 41 of 42.
    assert seconds(estimates, of[0]) == pytest.approx(3.0 ** (41 / 42), rel=1e-3)


def test_what_this_run_measures_outweighs_shipped_times() -> None:
    one = cell("wine", "ada")
    estimates = Estimates({names(one)[2]: Mean(10**9, 0.0)})
    for i in range(10 * MOST_CELLS):
        estimates.learn(cell("heart", "ada", repeat=i), 100.0)
    assert seconds(estimates, one) == pytest.approx(100.0, rel=0.2)


def test_repeats_are_of_one_row_and_other_data_or_algorithms_of_another(
    small_config: Callable[..., Path],
) -> None:
    cells = cells_of(small_config(), repeats=3)
    assert len({names(one) for one in cells}) == 4
    assert len({names(one)[1] for one in cells}) == 2


@pytest.mark.parametrize(
    ("settings", "learner"),
    [
        ({"estimator": "a:Slow"}, "Any a:Slow"),
        ({"trees": 5}, "Any"),
        ({"steps": [{"of": "a:B"}, "c"], "on": True}, "Any a:B c"),
    ],
)
def test_words_tell_learners_apart_and_numbers_do_not(
    settings: dict[str, Any], learner: str
) -> None:
    assert names(with_settings("Any", **settings))[1] == learner


def test_grids_are_told_apart_by_candidates_and_folds() -> None:
    grids = {names(with_settings("Any", n))[2] for n in (1, 2, 2)}
    assert grids == {"Any, 1 candidates, 0 folds", "Any, 2 candidates, 0 folds"}


def test_the_shipped_times_hold_every_learner_that_ships_and_are_small() -> None:
    shipped = read_times(SHIPPED)
    assert len(shipped) > 100
    assert {"", "AdaBoost", "MinCq", "EBBoost", "QuadBoost decrease"} < shipped.keys()
    assert SHIPPED.stat().st_size < 30_000


def test_one_of_every_row_comes_first_then_the_longest() -> None:
    long, short = (
        [cell(name, "ada", size, i) for i in range(3)]
        for name, size in (("big", 900.0), ("wine", 1.0))
    )
    unknown = [cell("wine", "svm", repeat=i) for i in range(2)]
    estimates = taught((long[0], 30.0), (short[0], 1.0))
    order = list(longest_first([*short, *unknown, *long], estimates))
    assert [one.dataset for one in order[:3] if one.algorithm == "ada"] == ["big", "wine"]
    assert unknown[1] in order[:3]
    rest = [one for one in order[3:] if one.algorithm == "ada"]
    assert rest == [*long[:2], *short[:2]]
    assert len(order) == 8


def test_workers_begin_with_different_algorithms_each_with_its_longest_row() -> None:
    rows = [("small", "ada", 1.0), ("big", "ada", 4.0), ("small", "svm", 1.0), ("big", "svm", 4.0)]
    cells = [cell(name, of, size, i) for name, of, size in rows for i in range(2)]
    estimates = taught((cells[0], 1.0), (cells[4], 0.1))
    order = [(one.dataset, one.algorithm) for one in longest_first(cells, estimates)]
    firsts = [("big", "ada"), ("big", "svm"), ("small", "ada"), ("small", "svm")]
    assert order[:4] == firsts
    assert order[4:] == [("big", "ada"), ("small", "ada"), ("big", "svm"), ("small", "svm")]


def test_the_order_follows_what_is_learned_on_the_way_and_every_cell_comes_once() -> None:
    estimates = Estimates()
    slow, quick = [[cell("wine", name, 1.0, r) for r in range(3)] for name in ("slow", "quick")]
    order = []
    for one in longest_first([*quick, *slow], estimates):
        order.append(one)
        estimates.learn(one, 10.0 if one.algorithm == "slow" else 1.0)
    assert sorted(map(id, order)) == sorted(map(id, [*slow, *quick]))
    assert [one.algorithm for one in order[2:]] == ["slow", "slow", "quick", "quick"]


def test_experiments_keep_their_order() -> None:
    cells = [cell("wine", "ada", size, of=name) for name in ("one", "two") for size in (1.0, 2.0)]
    order = list(longest_first(cells, Estimates()))
    assert [one.experiment for one in order] == ["one", "one", "two", "two"]


CELLS = [cell("wine", "ada", repeat=i) for i in range(4)]


def test_known_cells_share_the_workers_and_the_longest_is_the_least() -> None:
    long = cell("big", "ada", 81.0)
    estimates = taught((long, 9.0), (CELLS[0], 1.0))
    assert forecast(CELLS, estimates, 2, 0.0).seconds == pytest.approx(2.0)
    assert forecast([long, *CELLS], estimates, 2, 0.0).seconds == pytest.approx(9.0)


def test_algorithms_that_never_ran_are_named_and_not_counted() -> None:
    found = forecast([*CELLS, cell("wine", "svm")], taught((CELLS[0], 1.0)), 1, 0.0)
    assert (found.seconds, found.unknown) == (pytest.approx(4.0), ("svm",))
    nothing = forecast([cell("wine", "svm")], Estimates(), 1)
    assert (nothing.seconds, nothing.unknown) == (0.0, ("svm",))


def test_the_range_of_many_cells_is_the_mean_of_theirs_by_their_time() -> None:
    known = taught((CELLS[0], 1.0), (CELLS[0], 1.0))
    found = forecast([CELLS[0], cell("new", "ada", 9.0)], known, 1, 0.0)
    assert found.factor == pytest.approx((FACTORS[3] + 3 * FACTORS[2]) / 4)
    assert math.isclose(found.seconds, 4.0)


def test_the_start_of_workers_is_counted_with_a_wide_range() -> None:
    found = forecast(CELLS, taught((CELLS[0], 1.0), (CELLS[0], 1.0)), 1, 12.0)
    assert found.seconds == pytest.approx(16.0)
    assert found.factor == pytest.approx((4 * FACTORS[3] + 12 * FACTORS[1]) / 16)


def test_loops_without_machine_code_are_counted_once_before_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compiling, "enabled", lambda: True)
    monkeypatch.setattr(compiling, "is_known", "quadrepro.core.known".__eq__)
    of_both = [with_kernels("new", "known"), with_kernels("new"), with_kernels()]
    assert start_seconds(of_both) == START_SECONDS + COMPILE_SECONDS
    monkeypatch.setattr(compiling, "is_known", lambda module: False)
    assert start_seconds(of_both) == START_SECONDS + 2 * COMPILE_SECONDS
    found = forecast(of_both, taught((of_both[0], 1.0)), 1)
    assert found.seconds == pytest.approx(3.0 + START_SECONDS + 2 * COMPILE_SECONDS)
    monkeypatch.setattr(compiling, "enabled", lambda: False)
    assert start_seconds(of_both) == START_SECONDS


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
    cells, store = cells_of(small_config()), RecordStore(tmp_path)
    compute(cells, store, local(0), lambda cell, record: None)
    kept = (tmp_path / NAME).read_bytes()
    assert read_times(tmp_path / NAME)[""].count == len(cells)
    assert missing_cells(cells, store, recall(tmp_path)) == []
    compute([], store, local(0), lambda cell, record: None)
    assert (tmp_path / NAME).read_bytes() == kept


def test_times_of_one_experiment_tell_of_another(small_config: Write, tmp_path: Path) -> None:
    cells, store = cells_of(small_config()), RecordStore(tmp_path)
    compute(cells, store, local(0), lambda cell, record: None)
    found = Estimates(here=read_times(tmp_path / NAME)).seconds(cells[0])
    assert found is not None
    assert found[1] == 3.0


def test_unfinished_files_are_cleaned(tmp_path: Path) -> None:
    partial = tmp_path / f".{NAME}-0.part"
    partial.write_text("half")
    assert list(leftovers(RecordStore(tmp_path))) == [partial]
