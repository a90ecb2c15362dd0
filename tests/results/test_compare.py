from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from quadrepro.errors import ConfigError
from quadrepro.results.compare import compare
from quadrepro.results.folder import MANIFEST, CellsFile, FigureFiles, Manifest, TableFiles
from quadrepro.tables.table import LABEL, Table, TableEntry
from tests.results.pages.made import run

Pair = tuple[Path, Path]
CELLS = "dataset,n_test,seconds,published\nzoo,7,{},0.1\n"


def risks(seconds: str, risk: str = "0.1") -> Table:
    return Table(
        "Risks",
        ("Data set", "a"),
        (("zoo", (TableEntry(risk),)), ("Mean time (s)", (TableEntry(seconds),))),
        ("Mean time (s) is measured.",),
        ("dataset", "a"),
        (("zoo", risk), ("mean_time", seconds)),
        timed_rows=("Mean time (s)", "mean_time"),
    )


def times(seconds: str) -> Table:
    header = ("Data set", "a")
    return Table(
        "Times", header, (("zoo", (TableEntry(seconds),)),), (), header, (("zoo", seconds),)
    )


def manifest(timed_rows: tuple[str, ...] = ("Mean time (s)", "mean_time")) -> Manifest:
    def files(stem: str, **timed: Any) -> TableFiles:
        names = tuple(f"{stem}.{ending}" for ending in ("md", "csv"))
        return TableFiles(key=stem, title=stem.title(), files=names, **timed)

    return Manifest(
        tables={
            "risks": files("risks", timed_rows=timed_rows),
            "times": files("times", timed=True),
        },
        figures={"curve": FigureFiles(key="curves", files=("curve.svg",))},
        cells=CellsFile(file="cells.csv", timed_columns=("seconds",)),
    )


def differences(a: Path, b: Path) -> list[str]:
    return compare(a, b).differences


@pytest.fixture
def folders(tmp_path: Path) -> Pair:
    for name, seconds, commit in (("a", "1.0", "a" * 40), ("b", "1234567.25", "0b" * 20)):
        folder = tmp_path / name / "small"
        risks(seconds).write(folder, "risks")
        times(seconds).write(folder, "times")
        (folder / "cells.csv").write_text(CELLS.format(seconds))
        (folder / "curve.svg").write_text(f"<svg>{name}</svg>")
        (folder / "run.json").write_text(run(computed=[{"git": {"commit": commit}}]))
        (folder / "notes.md").write_text(name)
        manifest().write(folder)
    return tmp_path / "a" / "small", tmp_path / "b" / "small"


def test_measured_times_notes_and_provenance_do_not_count(folders: Pair) -> None:
    path = folders[1] / "risks.md"
    path.write_text(f"{path.read_text()}\n{LABEL}1 cells were computed otherwise.\n")
    assert differences(*folders) == []
    assert differences(*folders[::-1]) == []


def test_a_rounded_zero_may_have_either_sign_in_every_file(folders: Pair) -> None:
    for folder, risk in zip(folders, ("-0.0", "0.0"), strict=True):
        risks("1.0", risk).write(folder, "risks")
    assert differences(*folders) == []


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("risks.md", " 0.1 ", " 0.3 "),
        ("risks.csv", "zoo,0.1", "zoo,0.10001"),
        ("risks.md", "is measured", "was measured"),
        ("risks.md", "zoo", "zooo"),
        ("risks.md", "Mean time (s) |", "Mean time (s) and more |"),
        ("risks.md", " 1234567.25 |", " 1234567.25 s |"),
        ("times.csv", "zoo", "zooo"),
        ("cells.csv", "zoo", "z"),
        ("cells.csv", "seconds,", ""),
        ("cells.csv", ",7,", ",8,"),
        ("run.json", '"seed": 7', '"seed": 2'),
        (MANIFEST, '"Risks"', '"Errors"'),
    ],
)
def test_the_first_difference_is_named_with_its_line(
    folders: Pair, name: str, old: str, new: str
) -> None:
    path = folders[1] / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    [found] = differences(*folders)
    assert str(folders[0] / name) in found
    assert str(path) in found


@pytest.mark.parametrize("name", ["risks.md", "times.csv", "cells.csv", "curve.svg", "run.json"])
def test_what_is_missing_or_empty_is_named(folders: Pair, name: str) -> None:
    path = folders[1] / name
    path.write_text("")
    assert differences(*folders) == [f"{path} is empty"]
    path.unlink()
    assert differences(*folders) == [f"{path} is missing"]


def test_cells_that_are_cut_off_differ_without_a_traceback(folders: Pair) -> None:
    path = folders[1] / "cells.csv"
    path.write_text(path.read_text().splitlines()[0] + "\nzoo\n")
    assert len(differences(*folders)) == 1
    path.write_text(path.read_text().splitlines()[0] + "\n")
    assert differences(*folders) == [f"{path} ends before line 2"]


def test_decimal_numbers_agree_within_the_tolerance_and_counts_exactly(folders: Pair) -> None:
    path = folders[1] / "risks.csv"
    path.write_text(path.read_text().replace("zoo,0.1", "zoo,0.10000005"))
    assert compare(*folders).differences == []
    assert len(compare(*folders, tolerance=0).differences) == 1
    assert len(compare(*folders, tolerance=1e-8).differences) == 1


def test_a_rounded_number_may_differ_in_its_last_digit_if_there_is_a_tolerance(
    folders: Pair,
) -> None:
    path = folders[1] / "risks.md"
    path.write_text(path.read_text().replace(" 0.1 ", " 0.2 "))
    assert compare(*folders).differences == []
    assert len(compare(*folders, tolerance=0).differences) == 1


def test_a_name_that_only_begins_like_a_timed_rows_counts(folders: Pair) -> None:
    for folder, risk in zip(folders, ("0.1", "0.4"), strict=True):
        more = Table(
            "Risks", ("Data set", "a"), (("Mean time (s) of all", (TableEntry(risk),)),), ()
        )
        more.write(folder, "risks")
    found = [line.split(":")[0] for line in differences(*folders)]
    assert found == [str(folders[0] / "risks.md")]


def test_a_longer_table_differs(folders: Pair) -> None:
    path = folders[1] / "risks.md"
    n_lines = len(path.read_text().splitlines())
    path.write_text(path.read_text() + "more\n")
    assert differences(*folders) == [f"{folders[0] / 'risks.md'} ends before line {n_lines + 1}"]


def test_what_only_one_folder_calls_measured_counts(folders: Pair) -> None:
    manifest(("mean_time",)).write(folders[1])
    found = [line.split(":")[0] for line in differences(*folders)]
    assert found == [str(folders[0] / name) for name in ("risks.md", MANIFEST)]


def test_folders_of_results_are_compared_one_by_one(folders: Pair) -> None:
    a, b = (folder.parent for folder in folders)
    shutil.copytree(folders[0], a / "more")
    found = compare(a, b)
    assert found.compared == {"small": 8}
    assert found.differences == [f"{b / 'more'} is missing"]


def test_nothing_to_compare_is_refused(folders: Pair, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ConfigError, match="holds no results"):
        compare(empty, empty)
    (folders[1] / MANIFEST).unlink()
    with pytest.raises(ConfigError, match="holds no results"):
        compare(*folders)
    with pytest.raises(ConfigError, match="holds one experiment"):
        compare(folders[0], folders[0].parent)


def test_a_long_line_is_not_repeated_whole(folders: Pair) -> None:
    (folders[0] / "risks.md").write_text("x" * 1_000_000)
    (found,) = differences(*folders)
    assert len(found) < 10_000


def test_a_run_json_of_another_make_is_a_difference(folders: Pair) -> None:
    for text in ("[1]", "[" * 100_000):
        for folder in folders:
            (folder / "run.json").write_text(text)
        (found,) = differences(*folders)
        assert "run.json cannot be read: " in found


def test_many_names_of_measured_rows_take_linear_time(folders: Pair) -> None:
    for folder in folders:
        manifest(tuple(f"row {i}" for i in range(20_000))).write(folder)
        (folder / "risks.md").write_text("| row 19999 | 1 |\n" * 20_000)
    assert not [found for found in differences(*folders) if "risks.md" in found]
