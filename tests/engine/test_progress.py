from __future__ import annotations

import io

import pytest

from quadrepro.core.cell import Cell
from quadrepro.engine.progress import RunProgress, tell
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


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def done(progress: RunProgress, cell: Cell) -> None:
    progress(cell, Record(cell.key, "ok"))


def test_a_line_now_and_then_and_one_at_the_end_count_the_cells(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with RunProgress(CELLS, 1) as progress:
        for now, one in zip((29.0, 60.0, 61.0, 62.0), CELLS, strict=True):
            clock.now = now
            done(progress, one)
    assert capsys.readouterr().err == "2/4 cells\n4/4 cells\n"


def test_a_bar_shows_the_time_left_by_the_cells_so_far_and_names_cells_as_they_are(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr("rich.console.monotonic", clock)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with RunProgress([*CELLS, cell("a[b]c", "ada")], 1) as progress:
        for one in CELLS[:3]:
            clock.now += 600.0
            done(progress, one)
        progress.sent(cell("a[b]c", "ada"))
    assert "3/5 cells; running a[b]c ada" in screen.getvalue()
    assert "0:20:00" in screen.getvalue()


def test_as_many_cells_are_named_as_there_are_workers() -> None:
    with RunProgress(CELLS, 2, quiet=True) as progress:
        for one in CELLS[:3]:
            progress.sent(one)
        assert progress._text() == "0/4 cells; running wine ada"
        progress.sent(cell("heart", "ada"))
        done(progress, CELLS[0])
        done(progress, CELLS[1])
        assert progress._text() == "2/4 cells; running wine ada, heart ada"


def test_a_quiet_run_shows_nothing_but_what_it_is_told(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with RunProgress(CELLS[:1], 1, quiet=True) as progress:
        clock.now = 100.0
        progress.tell("wine, ada, repeat 0: failed: no vote today")
        done(progress, CELLS[0])
    assert capsys.readouterr().err == "wine, ada, repeat 0: failed: no vote today\n"


def test_a_terminal_that_is_gone_does_not_end_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(Screen):
        def write(self, text: str) -> int:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr("sys.stderr", Gone())
    with RunProgress(CELLS[:1], 1) as progress:
        progress.tell("a line")
        done(progress, CELLS[0])
    tell("a line")
