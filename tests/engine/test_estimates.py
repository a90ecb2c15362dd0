from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import pytest

from quadrepro.config.cell import Cell
from quadrepro.engine.estimates import Estimates, longest_first


@dataclass(frozen=True)
class Stub:
    """What estimates know of a cell."""

    dataset: str
    algorithm: str
    size: float = 1.0
    repeat: int = 0
    experiment: str = "table1"


def cell(
    dataset: str, algorithm: str, size: float = 1.0, repeat: int = 0, of: str = "table1"
) -> Cell:
    return cast(Cell, Stub(dataset, algorithm, size, repeat, of))


def test_nothing_is_estimated_before_a_cell_is_done() -> None:
    estimates = Estimates()
    assert estimates.seconds(cell("wine", "ada")) is None
    assert estimates.total([cell("wine", "ada")]) is None
    assert estimates.total([]) is None


def test_another_repeat_takes_the_mean_of_those_that_are_done() -> None:
    estimates = Estimates()
    for seconds in (1.0, 2.0, 6.0):
        estimates.learn(cell("wine", "ada"), seconds)
    estimates.learn(cell("heart", "ada", 100.0), 50.0)
    assert estimates.seconds(cell("wine", "ada", repeat=7)) == 3.0


def test_other_data_are_scaled_by_their_size() -> None:
    estimates = Estimates()
    estimates.learn(cell("wine", "ada", 10.0), 2.0)
    estimates.learn(cell("heart", "ada", 30.0), 10.0)
    assert estimates.seconds(cell("pima", "ada", 20.0)) == pytest.approx(20 * 12 / 40)


def test_a_total_takes_unknown_algorithms_to_be_like_the_others() -> None:
    estimates = Estimates()
    estimates.learn(cell("wine", "ada", 10.0), 5.0)
    todo = [cell("wine", "ada", 10.0, 1), cell("wine", "svm", 4.0)]
    assert estimates.total(todo) == pytest.approx(5.0 + 2.0)


def test_an_algorithm_without_a_finished_cell_takes_as_long_as_the_run_so_far() -> None:
    estimates = Estimates()
    estimates.learn(cell("wine", "ada", 10.0), 5.0)
    todo = [cell("wine", "ada", 10.0, 1), cell("wine", "svm", 4.0), cell("pima", "svm", 40.0)]
    assert estimates.total(todo, 9.0) == pytest.approx(5.0 + 9.0 + 20.0)


def test_cells_of_unknown_time_come_first_then_the_longest() -> None:
    estimates = Estimates()
    estimates.learn(cell("wine", "ada", 1.0), 9.0)
    cells = [cell("wine", "ada", 1.0, 1), cell("pima", "ada", 3.0), cell("wine", "svm", 2.0)]
    assert list(longest_first(cells, estimates)) == [cells[2], cells[1], cells[0]]


def test_the_order_follows_what_is_learned_on_the_way_and_every_cell_comes_once() -> None:
    estimates = Estimates()
    slow, quick = [[cell("wine", name, 1.0, r) for r in range(3)] for name in ("slow", "quick")]
    order = []
    for one in longest_first([*quick, *slow], estimates):
        order.append(one)
        estimates.learn(one, 10.0 if one.algorithm == "slow" else 1.0)
    assert sorted(map(id, order)) == sorted(map(id, [*slow, *quick]))
    assert [one.algorithm for one in order[2:]] == ["slow", "slow", "quick", "quick"]


def test_the_version_rises_only_with_new_knowledge() -> None:
    estimates = Estimates()
    estimates.learn(cell("wine", "ada"), 1.0)
    before = estimates.version
    estimates.learn(cell("wine", "ada", repeat=1), 1.0)
    assert estimates.version == before
    estimates.learn(cell("wine", "svm"), 1.0)
    assert estimates.version == before + 1


def test_experiments_keep_their_order_and_do_not_tell_of_each_other() -> None:
    estimates = Estimates()
    cells = [cell("wine", "ada", size, of=name) for name in ("one", "two") for size in (1.0, 2.0)]
    assert list(longest_first(cells, estimates)) == [cells[1], cells[0], cells[3], cells[2]]
    estimates.learn(cells[1], 8.0)
    assert estimates.seconds(cells[0]) == 8.0
    assert estimates.seconds(cells[2]) is None
    # Of an experiment that may not have begun, the time of the run says nothing.
    assert estimates.total(cells[2:], elapsed=100.0) == pytest.approx(3.0 * 8.0 / 2.0)
