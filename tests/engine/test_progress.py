from __future__ import annotations

import io
import time
from itertools import pairwise

import pytest

from quadrepro.core.cell import Cell
from quadrepro.engine.estimates import FIRST, Estimates
from quadrepro.engine.progress import Remaining, RunProgress, countdown, duration, tell
from quadrepro.engine.records import Record
from tests.engine.stubs import cell

CELLS = [cell("wine", "ada", repeat=i) for i in range(4)]


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("quadrepro.engine.progress.time.monotonic", clock)
    return clock


def done(progress: RunProgress, estimates: Estimates, cell: Cell, seconds: float) -> None:
    estimates.learn(cell, seconds)
    progress(cell, Record(cell.key, "ok", seconds=seconds))


def test_a_line_now_and_then_tells_how_much_is_left(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    estimates = Estimates()
    with RunProgress(CELLS, 1, estimates) as progress:
        clock.now = 29.0
        done(progress, estimates, CELLS[0], 29.0)
        progress.show()
        assert capsys.readouterr().err == ""
        clock.now = 60.0
        done(progress, estimates, CELLS[1], 31.0)
        progress.show()
        assert capsys.readouterr().err == "2/4 cells, about 60 s (48 s to 75 s) left\n"
        clock.now = 61.0
        done(progress, estimates, CELLS[2], 1.0)
        clock.now = 62.0
        done(progress, estimates, CELLS[3], 1.0)
        assert capsys.readouterr().err == "4/4 cells\n"


def test_the_end_is_shown_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("quadrepro.engine.progress.SECONDS_BETWEEN_UPDATES", 0.01)
    with RunProgress(CELLS[:1], 1, Estimates()) as progress:
        done(progress, Estimates(), CELLS[0], 1.0)
        time.sleep(0.1)
    assert capsys.readouterr().err == "1/1 cells\n"


def test_the_workers_share_what_is_left(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    estimates = Estimates()
    with RunProgress(CELLS, 2, estimates) as progress:
        for one in CELLS[:2]:
            progress.sent(one)
        clock.now = 600.0
        for one in CELLS[:2]:
            done(progress, estimates, one, 600.0)
        progress.show()
    assert capsys.readouterr().err == "2/4 cells, about 10 min (8 min to 12 min) left\n"


def test_the_estimate_moves_on_while_no_cell_is_done(clock: Clock) -> None:
    estimates = Estimates()
    with RunProgress(CELLS, 1, estimates) as progress:
        progress.sent(CELLS[0])
        clock.now = 10.0
        done(progress, estimates, CELLS[0], 10.0)
        progress.sent(CELLS[1])
        assert progress._text() == "1/4 cells, about 30 s (12 s to 75 s) left; running wine ada"
        clock.now = 16.0
        assert progress._text() == "1/4 cells, about 24 s (10 s to 60 s) left; running wine ada"


def test_a_bar_shows_seconds_names_cells_as_they_are_and_moves_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("quadrepro.engine.progress.SECONDS_BETWEEN_UPDATES", 0.01)
    estimates = Estimates()
    with RunProgress([*CELLS, cell("a[b]c", "ada")], 1, estimates) as progress:
        estimates.learn(CELLS[0], 300.0)
        progress.sent(cell("a[b]c", "ada"))
        deadline = time.monotonic() + 20
        while "24 min 5" not in screen.getvalue():
            assert time.monotonic() < deadline
            time.sleep(0.05)
    assert "0/5 cells, about 24 min 59 s left; running a[b]c ada" in screen.getvalue()


def test_as_many_cells_are_named_as_there_are_workers() -> None:
    with RunProgress(CELLS, 2, Estimates(), quiet=True) as progress:
        for one in CELLS[:3]:
            progress.sent(one)
        assert progress._text() == "0/4 cells; running wine ada"
        progress.sent(cell("heart", "ada", 2.0))
        done(progress, Estimates(), CELLS[0], 1.0)
        done(progress, Estimates(), CELLS[1], 1.0)
        assert progress._text().endswith("; running wine ada, heart ada")


def test_a_quiet_run_shows_nothing_but_what_it_is_told(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with RunProgress(CELLS[:1], 1, Estimates(), quiet=True) as progress:
        clock.now = 100.0
        progress.tell("wine, ada, repeat 0: failed: no vote today")
        done(progress, Estimates(), CELLS[0], 100.0)
    assert capsys.readouterr().err == "wine, ada, repeat 0: failed: no vote today\n"


def test_a_terminal_that_is_gone_does_not_end_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(5, "Input/output error")

        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stderr", Gone())
    with RunProgress(CELLS[:1], 1, Estimates()) as progress:
        progress.tell("a line")
        done(progress, Estimates(), CELLS[0], 1.0)
    tell("a line")


def test_before_a_cell_is_done_records_tell_what_to_expect() -> None:
    estimates = Estimates()
    with RunProgress(CELLS, 2, estimates) as progress:
        assert progress._text() == "0/4 cells"
        estimates.learn(CELLS[0], 10.0)
        assert progress._text() == "0/4 cells, about 20 s (8 s to 50 s) left"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "1 s"), (59.6, "60 s"), (100, "2 min"), (5300, "88 min"), (5400, "1.5 h")],
)
def test_durations_are_in_the_unit_that_suits_them(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "1 s"), (89.4, "89 s"), (90, "1 min 30 s"), (605, "10 min 05 s"), (5400, "1 h 30 min")],
)
def test_a_countdown_changes_every_second_below_an_hour_and_a_half(
    seconds: float, text: str
) -> None:
    assert countdown(seconds) == text


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


def test_the_time_left_is_unknown_until_something_is() -> None:
    estimates = Estimates()
    left = Remaining(CELLS, 1, estimates, 0.0)
    assert left.shown(0.0) is None
    estimates.learn(CELLS[0], 10.0)
    left.done(CELLS[0], 10.0, 10.0)
    assert left.estimate(10.0) == (pytest.approx(30.0), FIRST)


def test_the_time_left_counts_down_from_the_first_cell_that_is_sent() -> None:
    left = Remaining(CELLS, 1, known((CELLS[0], 10.0)), 0.0)
    assert shown_at(left, 0.0) == shown_at(left, 25.0) == pytest.approx(40.0)
    left.sent(CELLS[0], 25.0)
    assert shown_at(left, 25.0) == pytest.approx(40.0)
    assert shown_at(left, 30.0) == pytest.approx(35.0)


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
