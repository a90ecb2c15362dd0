from __future__ import annotations

from pathlib import Path

import pytest

from quadrepro.report.compare import differences

MD = "| a | 0.1 |\n| Mean running time (s) | {} |\n"
CELLS = "dataset,seconds,published\nzoo,{},0.1\n"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for name, seconds in (("a", 1.0), ("b", 2.0)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "risks.md").write_text(MD.format(seconds))
        (folder / "cells.csv").write_text(CELLS.format(seconds))
        (folder / "run.json").write_text(name)
        (folder / "notes.md").write_text(name)
    return tmp_path / "a", tmp_path / "b"


def test_measured_times_notes_and_provenance_do_not_count(folders: tuple[Path, Path]) -> None:
    assert differences(*folders) == []


@pytest.mark.parametrize(
    ("name", "old", "new"), [("risks.md", "0.1", "0.2"), ("cells.csv", "zoo", "z")]
)
def test_the_first_difference_is_named_with_its_line(
    folders: tuple[Path, Path], name: str, old: str, new: str
) -> None:
    path = folders[1] / name
    path.write_text(path.read_text().replace(old, new))
    [found] = differences(*folders)
    assert str(folders[0] / name) in found
    assert str(path) in found


def test_a_missing_table_is_named(folders: tuple[Path, Path]) -> None:
    (folders[1] / "risks.md").unlink()
    assert differences(*folders) == [f"{folders[1] / 'risks.md'} is missing"]


def test_a_longer_table_differs(folders: tuple[Path, Path]) -> None:
    path = folders[1] / "risks.md"
    path.write_text(path.read_text() + "more\n")
    assert "has 2 lines" in differences(*folders)[0]


def test_a_table_of_nothing_but_times_need_only_be_there(folders: tuple[Path, Path]) -> None:
    for folder, seconds in zip(folders, ("1.0", "2.0"), strict=True):
        for name in ("times.md", "times.csv", "times.tex"):
            (folder / name).write_text(seconds)
    assert differences(*folders) == []
    (folders[0] / "times.csv").unlink()
    assert differences(*folders) == [f"{folders[0] / 'times.csv'} is missing"]


CLAIMS = """claim,timed,ours,holds,printed,holds in print
"A, not B",false,"1 of 2",holds,,
fast,true,{},holds,,
"""


def test_of_claims_on_measured_times_nothing_is_compared(folders: tuple[Path, Path]) -> None:
    for folder, seconds in zip(folders, ("2 times", "3 times"), strict=True):
        (folder / "claims.csv").write_text(CLAIMS.format(seconds))
    assert differences(*folders) == []
    path = folders[1] / "claims.csv"
    path.write_text(path.read_text().replace("1 of 2", "2 of 2"))
    [found] = differences(*folders)
    assert "claims.csv:2: 'A, not B,false,1 of 2,holds,,'" in found
