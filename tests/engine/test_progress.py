from __future__ import annotations

import time

import pytest

from quadrepro.engine import progress
from quadrepro.engine.progress import RunProgress


def test_piped_output_has_a_line_now_and_then_from_the_start(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.01)
    with RunProgress(3) as shown:
        shown.advance()
        time.sleep(0.1)
        shown.tell("monks, ada: failed \x1b[31m [red]")
    lines = capsys.readouterr().err.splitlines()
    assert "1/3 cells" in lines
    assert r"monks, ada: failed \x1b[31m [red]" in lines


@pytest.mark.parametrize(("n_cells", "quiet"), [(0, False), (3, True)])
def test_without_cells_or_when_quiet_only_messages_are_shown(
    n_cells: int,
    quiet: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.01)
    with RunProgress(n_cells, quiet) as shown:
        time.sleep(0.05)
        shown.tell("a message")
    assert capsys.readouterr().err == "a message\n"
