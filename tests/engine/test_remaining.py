from __future__ import annotations

from itertools import pairwise

import pytest

from quadrepro.core.cell import Cell
from quadrepro.engine.estimates import FACTORS, Estimates
from quadrepro.engine.progress import Remaining
from tests.engine.stubs import cell


def known(*cells: tuple[Cell, float]) -> Estimates:
    """Return estimates that are sure of the times of some cells."""
    estimates = Estimates()
    for one, seconds in cells:
        for _ in range(10_000):
            estimates.learn(one, seconds)
    return estimates


def left_at(left: Remaining, now: float) -> float:
    found = left.estimate(now)
    assert found is not None
    return found[0]


def shown_at(left: Remaining, now: float) -> float:
    found = left.shown(now)
    assert found is not None
    return found[0]


CELLS = [cell("wine", "ada", 1.0, repeat) for repeat in range(4)]


def test_the_time_left_is_unknown_until_something_is() -> None:
    estimates = Estimates()
    left = Remaining(CELLS, 1, estimates, 0.0)
    assert left.shown(0.0) is None
    estimates.learn(CELLS[0], 10.0)
    left.done(CELLS[0], 10.0, 10.0)
    assert left.estimate(10.0) == (pytest.approx(30.0), FACTORS[-1])


def test_what_cells_cost_beside_their_time_makes_it_longer() -> None:
    cells = [cell("wine", "ada", 1.0, repeat) for repeat in range(200)]
    left = Remaining(cells, 2, known((cells[0], 1.0)), 0.0)
    # Workers started in 50 seconds, and had a cell half of the time from then on.
    for i in range(100):
        left.sent(cells[i], 50.0 + i)
        left.done(cells[i], 1.0, 51.0 + i)
    assert left_at(left, 150.0) == pytest.approx((100 + 100 * 100 / 110) / 2, rel=0.01)


def test_it_counts_down_between_cells_every_second() -> None:
    estimates = known((CELLS[0], 100.0))
    left = Remaining(CELLS, 2, estimates, 0.0)
    for one in CELLS[:2]:
        left.sent(one, 0.0)
    shown = [shown_at(left, float(now)) for now in range(90)]
    assert shown[0] == pytest.approx(200.0)
    for before, after in pairwise(shown):
        assert before - after == pytest.approx(1.0, abs=0.01)


def test_the_longest_cell_left_is_the_least() -> None:
    long = cell("big", "ada", 9.0)
    estimates = known((long, 90.0), (CELLS[0], 1.0))
    left = Remaining([long, *CELLS], 4, estimates, 0.0)
    left.sent(long, 0.0)
    assert left_at(left, 30.0) == pytest.approx(60.0, rel=0.01)


def test_a_cell_that_takes_longer_than_it_should_will_not_end_at_once() -> None:
    estimates = known((CELLS[0], 10.0))
    left = Remaining(CELLS[:1], 1, estimates, 0.0)
    left.sent(CELLS[0], 0.0)
    assert left_at(left, 110.0) == pytest.approx(11.0)
    # Others of its kind are taken to be as long.
    left = Remaining(CELLS[:2], 1, estimates, 0.0)
    left.sent(CELLS[0], 0.0)
    assert left_at(left, 110.0) == pytest.approx(110.0 + 11.0)


def test_a_new_estimate_is_followed_without_a_jump() -> None:
    estimates = known((CELLS[0], 100.0))
    left = Remaining([CELLS[0]] * 11, 1, estimates, 0.0)
    left.sent(CELLS[0], 0.0)
    assert shown_at(left, 0.0) == pytest.approx(1100.0)
    shown = [shown_at(left, float(now)) for now in range(1, 100)]
    for _ in range(100_000):
        estimates.learn(CELLS[0], 300.0)
    target = left_at(left, 100.0)
    assert target > shown[-1] + 500
    shown += [shown_at(left, float(now)) for now in range(100, 1000)]
    assert max(abs(b - a) for a, b in pairwise(shown)) < 0.02 * target
    assert shown[289] == pytest.approx(left_at(left, 290.0), rel=0.25)


def test_workers_have_the_cells_that_were_sent_first() -> None:
    left = Remaining(CELLS, 2, Estimates(), 0.0)
    for one in CELLS[:3]:
        left.sent(one, 0.0)
    assert left.running == CELLS[:2]
    left.done(CELLS[0], 1.0, 1.0)
    assert left.running == CELLS[1:3]


def test_cells_that_other_runs_compute_do_not_count_as_the_work_of_ours() -> None:
    estimates = known((CELLS[0], 100.0))
    left = Remaining(CELLS, 1, estimates, 0.0)
    for one in CELLS[1:]:
        left.done(one, 100.0, 1.0)
    assert left_at(left, 1.0) == pytest.approx(100.0)
