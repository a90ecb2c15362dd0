"""examples/recompute-tables: tables follow from outcomes.csv, and a wrong number is found."""

from __future__ import annotations

import runpy
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "examples" / "recompute-tables" / "recompute.py"


Recompute = Callable[[Path], tuple[int, str]]


@pytest.fixture
def recompute(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Recompute:
    """Return a function that runs the script, and returns its exit code and what it prints."""

    def run(folder: Path) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", [str(SCRIPT), str(folder)])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(SCRIPT), run_name="__main__")
        assert isinstance(ended.value.code, int)
        return ended.value.code, capsys.readouterr().out

    return run


@pytest.mark.parametrize(
    ("name", "least"),
    [("table1", 186), ("quickstart", 60), ("ebboost-table1", 290), ("ebboost-table2", 250)],
)
def test_committed_tables_follow_from_the_committed_outcomes(
    recompute: Recompute, name: str, least: int
) -> None:
    code, printed = recompute(ROOT / "results" / name)
    assert code == 0, printed
    checked, _, _, differ, _ = printed.split()
    assert (int(checked) >= least, differ) == (True, "0")


def test_the_script_imports_nothing_of_quadrepro() -> None:
    assert "import quadrepro" not in SCRIPT.read_text()
    assert "from quadrepro" not in SCRIPT.read_text()


@pytest.mark.parametrize("file", ["outcomes.csv", "risks.csv"])
def test_a_changed_number_is_found(recompute: Recompute, file: str, tmp_path: Path) -> None:
    folder = shutil.copytree(ROOT / "results" / "quickstart", tmp_path / "q")
    lines = (folder / file).read_text().splitlines()
    row = lines[1].split(",")
    i = 4 if file == "outcomes.csv" else 1
    row[i] = ("0" if row[i][0] == "f" else "f") + row[i][1:] if i == 4 else "0.123"
    lines[1] = ",".join(row)
    (folder / file).write_text("\n".join(lines) + "\n")
    code, printed = recompute(folder)
    assert code == 1
    assert "risk" in printed
