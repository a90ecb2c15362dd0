"""examples/recompute-tables: tables follow from outcomes.csv, and a wrong number is found."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "examples" / "recompute-tables" / "recompute.py"


def recompute(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("name", "least"),
    [("table1", 186), ("quickstart", 60), ("ebboost-table1", 290), ("ebboost-table2", 250)],
)
def test_committed_tables_follow_from_the_committed_outcomes(name: str, least: int) -> None:
    done = recompute(ROOT / "results" / name)
    assert done.returncode == 0, done.stdout + done.stderr
    checked, _, _, differ, _ = done.stdout.split()
    assert (int(checked) >= least, differ) == (True, "0")


def test_the_script_imports_nothing_of_quadrepro() -> None:
    assert "import quadrepro" not in SCRIPT.read_text()
    assert "from quadrepro" not in SCRIPT.read_text()


@pytest.mark.parametrize("file", ["outcomes.csv", "risks.csv"])
def test_a_changed_number_is_found(file: str, tmp_path: Path) -> None:
    folder = shutil.copytree(ROOT / "results" / "quickstart", tmp_path / "q")
    lines = (folder / file).read_text().splitlines()
    row = lines[1].split(",")
    i = 4 if file == "outcomes.csv" else 1
    row[i] = ("0" if row[i][0] == "f" else "f") + row[i][1:] if i == 4 else "0.123"
    lines[1] = ",".join(row)
    (folder / file).write_text("\n".join(lines) + "\n")
    done = recompute(folder)
    assert done.returncode == 1
    assert "risk" in done.stdout
