from __future__ import annotations

import math
from itertools import pairwise

import pytest

from quadrepro.core.cell import Cell
from quadrepro.engine.estimates import PROBABLE, Around, Estimates, Remaining, Seen, forecast
from tests.engine.stubs import cell


def known(*cells: tuple[Cell, float]) -> Estimates:
    estimates = Estimates()
    estimates.recall({estimates.kind_of(one): Seen(1, seconds) for one, seconds in cells})
    return estimates


CELLS = [cell("wine", "ada", 1.0, repeat) for repeat in range(4)]


def test_known_cells_share_the_workers_and_the_longest_is_the_least() -> None:
    long, short = cell("big", "ada", 9.0), CELLS
    estimates = known((long, 9.0), (short[0], 1.0))
    assert forecast(short, estimates, 2, Around()).seconds == pytest.approx(2.0)
    assert forecast([long, *short], estimates, 2, Around()).seconds == pytest.approx(9.0)
    assert forecast(short, estimates, 2, Around()).known


def test_what_runs_take_beside_their_cells_is_counted() -> None:
    around = Around(start=Seen(2, 6.0), beside=Seen(10, 5.0))
    found = forecast(CELLS, known((CELLS[0], 1.0)), 2, around)
    assert found.seconds == pytest.approx(3.0 + 4 * 1.5 / 2)


def test_algorithms_that_never_ran_are_named_and_not_counted() -> None:
    found = forecast([*CELLS, cell("wine", "svm")], known((CELLS[0], 1.0)), 1, Around())
    assert (found.seconds, found.unknown) == (pytest.approx(4.0), ("svm",))
    nothing = forecast([cell("wine", "svm")], Estimates(), 1, Around(start=Seen(1, 9.0)))
    assert (nothing.seconds, nothing.unknown) == (0.0, ("svm",))


def test_the_range_is_wider_where_sizes_are_extrapolated() -> None:
    estimates = known((CELLS[0], 1.0))
    exact = forecast(CELLS, estimates, 1, Around())
    other = forecast([cell("huge", "ada", 1000.0)], estimates, 1, Around())
    assert exact.high / exact.low == pytest.approx(math.exp(2 * PROBABLE * 0.15))
    assert other.high / other.low > 3
    assert not other.known


def test_the_time_left_is_unknown_until_something_is() -> None:
    estimates = Estimates()
    left = Remaining(CELLS, 1, estimates, 0.0)
    assert left.shown(0.0) is None
    estimates.learn(CELLS[0], 10.0)
    left.done(CELLS[0], 10.0, 10.0)
    assert left.estimate(10.0) == pytest.approx(30.0)


def test_workers_that_get_less_done_make_it_longer() -> None:
    estimates = Estimates()
    left = Remaining(CELLS, 2, estimates, 0.0)
    left.sent(CELLS[0], 0.0)
    estimates.learn(CELLS[0], 300.0)
    # Of two workers 600 seconds were to be expected.
    left.done(CELLS[0], 300.0, 300.0)
    found = left.estimate(300.0)
    assert found is not None
    assert found == pytest.approx(900.0, rel=0.05)


def test_it_counts_down_between_cells_every_second() -> None:
    estimates = known((CELLS[0], 100.0))
    left = Remaining(CELLS, 2, estimates, 0.0)
    for one in CELLS[:2]:
        left.sent(one, 0.0)
    shown = [left.shown(float(now)) for now in range(90)]
    assert shown[0] == pytest.approx(200.0)
    for before, after in pairwise(shown):
        assert before is not None
        assert after is not None
        assert before - after == pytest.approx(1.0, abs=0.01)


def test_the_longest_cell_left_is_the_least() -> None:
    long = cell("big", "ada", 9.0)
    estimates = known((long, 90.0), (CELLS[0], 1.0))
    left = Remaining([long, *CELLS], 4, estimates, 0.0)
    left.sent(long, 0.0)
    assert left.estimate(30.0) == pytest.approx(60.0)


def test_a_cell_that_takes_longer_than_it_should_will_not_end_at_once() -> None:
    estimates = known((CELLS[0], 10.0))
    left = Remaining(CELLS[:1], 1, estimates, 0.0)
    left.sent(CELLS[0], 0.0)
    assert left.estimate(110.0) == pytest.approx(11.0)
    # Others of its kind are taken to be as long.
    left = Remaining(CELLS[:2], 1, estimates, 0.0)
    left.sent(CELLS[0], 0.0)
    assert left.estimate(110.0) == pytest.approx(110.0 + 11.0)


def test_a_new_estimate_is_followed_without_a_jump() -> None:
    small = [cell("wine", f"a{i}") for i in range(11)]
    estimates = known(*((one, 100.0) for one in small))
    left = Remaining(small, 1, estimates, 0.0)
    left.sent(small[0], 0.0)
    assert left.shown(0.0) == pytest.approx(1100.0)
    shown = [left.shown(float(now)) for now in range(1, 300)]
    estimates.learn(small[0], 300.0)
    left.done(small[0], 300.0, 300.0)
    left.sent(small[1], 300.0)
    before, target = left.shown(300.0), left.estimate(300.0)
    assert before is not None
    assert target is not None
    assert target > before + 500
    shown += [left.shown(float(now)) for now in range(300, 400)]
    values = [value for value in shown if value is not None]
    assert max(abs(b - a) for a, b in pairwise(values)) < 0.01 * target
    assert values[-1] == pytest.approx(target - 100, rel=0.15)


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
    assert left.estimate(1.0) == pytest.approx(100.0)
