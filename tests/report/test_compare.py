from __future__ import annotations

from pathlib import Path

import pytest

from quadrepro.report.compare import differences
from quadrepro.report.manifest import MANIFEST, CellsFile, Manifest, TableFiles
from quadrepro.report.table import Entry, Table

CELLS = "dataset,seconds,published\nzoo,{},0.1\n"


def risks(seconds: str, risk: str = "0.1") -> Table:
    return Table(
        "Risks",
        ("Data set", "a"),
        (("zoo", (Entry(risk),)), ("Mean time (s)", (Entry(seconds),))),
        ("Mean time (s) is measured.",),
        ("dataset", "a"),
        (("zoo", risk), ("mean_time", seconds)),
        timed_rows=("Mean time (s)", "mean_time"),
    )


def times(seconds: str) -> Table:
    header = ("Data set", "a")
    return Table("Times", header, (("zoo", (Entry(seconds),)),), (), header, (("zoo", seconds),))


def manifest(timed_rows: tuple[str, ...] = ("Mean time (s)", "mean_time")) -> Manifest:
    files = {
        stem: tuple(f"{stem}.{e}" for e in ("md", "csv", "tex")) for stem in ("risks", "times")
    }
    return Manifest(
        tables={
            "risks": TableFiles(
                key="risks", title="Risks", files=files["risks"], timed_rows=timed_rows
            ),
            "times": TableFiles(key="times", title="Times", files=files["times"], timed=True),
        },
        figures={},
        cells=CellsFile(file="cells.csv", timed_columns=("seconds",)),
    )


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for name, seconds in (("a", "1.0"), ("b", "1234567.25")):
        folder = tmp_path / name
        risks(seconds).write(folder, "risks")
        times(seconds).write(folder, "times")
        (folder / "cells.csv").write_text(CELLS.format(seconds))
        (folder / "run.json").write_text(name)
        (folder / "notes.md").write_text(name)
        manifest().write(folder)
    return tmp_path / "a", tmp_path / "b"


def test_measured_times_notes_and_provenance_do_not_count(folders: tuple[Path, Path]) -> None:
    assert differences(*folders) == []
    assert differences(*folders[::-1]) == []


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("risks.md", " 0.1 ", " 0.2 "),
        ("risks.csv", "zoo,0.1", "zoo,0.2"),
        ("risks.tex", " 0.1 ", " 0.2 "),
        ("risks.md", "is measured", "was measured"),
        ("risks.md", "zoo", "zooo"),
        ("cells.csv", "zoo", "z"),
        (MANIFEST, '"Risks"', '"Errors"'),
    ],
)
def test_the_first_difference_is_named_with_its_line(
    folders: tuple[Path, Path], name: str, old: str, new: str
) -> None:
    path = folders[1] / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    [found] = differences(*folders)
    assert str(folders[0] / name) in found
    assert str(path) in found


def test_a_name_that_only_begins_like_a_timed_rows_counts(folders: tuple[Path, Path]) -> None:
    for folder, risk in zip(folders, ("0.1", "0.2"), strict=True):
        more = Table("Risks", ("Data set", "a"), (("Mean time (s) of all", (Entry(risk),)),), ())
        more.write(folder, "risks")
    assert [found.split(":")[0] for found in differences(*folders)] == [
        str(folders[0] / "risks.md"),
        str(folders[0] / "risks.tex"),
    ]


def test_a_missing_table_is_named(folders: tuple[Path, Path]) -> None:
    (folders[1] / "risks.md").unlink()
    assert differences(*folders) == [f"{folders[1] / 'risks.md'} is missing"]


def test_a_longer_table_differs(folders: tuple[Path, Path]) -> None:
    path = folders[1] / "risks.md"
    n_lines = len(path.read_text().splitlines())
    path.write_text(path.read_text() + "more\n")
    [found] = differences(*folders)
    assert found == f"{folders[0] / 'risks.md'} has {n_lines} lines, {path} has {n_lines + 1}"


def test_a_table_of_nothing_but_times_need_only_be_there(folders: tuple[Path, Path]) -> None:
    (folders[0] / "times.csv").unlink()
    assert differences(*folders) == [f"{folders[0] / 'times.csv'} is missing"]


def test_what_only_one_folder_calls_measured_counts(folders: tuple[Path, Path]) -> None:
    manifest(("mean_time",)).write(folders[1])
    found = [line.split(":")[0] for line in differences(*folders)]
    assert found == [str(folders[0] / name) for name in ("risks.md", "risks.tex", MANIFEST)]


def test_without_the_manifest_of_both_nothing_is_left_out(folders: tuple[Path, Path]) -> None:
    names = sorted(p.name for p in folders[0].iterdir() if p.name not in ("run.json", "notes.md"))
    (folders[1] / MANIFEST).unlink()
    found = differences(*folders)
    assert f"{folders[1] / MANIFEST} is missing" in found
    assert len(found) == len(names)
    (folders[0] / MANIFEST).unlink()
    assert len(differences(*folders)) == len(names) - 1
    assert differences(folders[0], folders[0]) == []
