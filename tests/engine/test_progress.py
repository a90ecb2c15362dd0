from __future__ import annotations

import time

import pytest

from quadrepro.engine import progress
from quadrepro.engine.progress import RunProgress


@pytest.mark.parametrize(
    ("n_cells", "quiet", "lines"), [(3, False, 1), (0, False, 0), (3, True, 0)]
)
def test_piped_output_has_a_line_now_and_then_unless_it_is_quiet(
    n_cells: int,
    quiet: bool,
    lines: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.01)
    with RunProgress(n_cells, quiet) as shown:
        shown.advance()
        time.sleep(0.1)
        shown.tell("monks, ada: failed \x1b[31m [red]")
    found = capsys.readouterr().err.splitlines()
    assert r"monks, ada: failed \x1b[31m [red]" in found
    assert ("1/3 cells" in found) == bool(lines)
    assert len(found) == 1 or lines
