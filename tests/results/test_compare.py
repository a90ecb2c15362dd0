from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from quadrepro.errors import ConfigError
from quadrepro.results.compare import compare
from quadrepro.results.run import MANIFEST
from tests.results.made import make_folder, manifest, run

Pair = tuple[Path, Path]
TIMES = "dataset,seconds\nzoo,{}\nmean_time,{}\n"


def timed(**facts: object) -> str:
    names = "errors", "times", "verdicts", "claims"
    return manifest(tables={name: {"title": name, **facts} for name in names})


@pytest.fixture
def folders(tmp_path: Path) -> Pair:
    """Return two folders that differ in measured times, notes and the code alone."""
    made = []
    for name, seconds in (("a", "1.5"), ("b", "1234.25")):
        path = make_folder(
            tmp_path / name / "small",
            times__csv=TIMES.format(seconds, seconds),
            times__md=seconds,
            notes__md=name,
            run__json=run(computed=[{"git": {"commit": name}}]),
            tables__json=timed(timed_rows=["zoo", "mean_time"]),
        )
        edit(path / "cells.csv", ",0.5,", f",{seconds},", count=-1)
        made.append(path)
    return made[0], made[1]


def edit(path: Path, old: str, new: str, count: int = 1) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, count))


def test_measured_times_notes_and_provenance_do_not_count(folders: Pair) -> None:
    assert compare(*folders).differences == []
    for path in folders:
        (path / MANIFEST).write_text(timed(timed=True))
    assert compare(*folders).differences == []
    edit(folders[1] / "times.csv", "zoo", "zooo")
    assert len(compare(*folders).differences) == 1


def test_what_only_one_folder_calls_measured_counts(folders: Pair) -> None:
    (folders[1] / MANIFEST).write_text(timed(timed_rows=["mean_time"]))
    times, tables = compare(*folders).differences
    assert times.startswith(f"{folders[0] / 'times.csv'}, row 1, column 'seconds': '1.5', but")
    assert tables.startswith(f"{folders[0] / MANIFEST}, tables: ")


@pytest.mark.parametrize(
    ("name", "old", "new", "place"),
    [
        ("errors.csv", "0.44,", "0.44001,", "row 1, column 'mean': '0.44', but"),
        ("errors.csv", "adaboost", "ada", "row 2, column 'algorithm': 'adaboost', but"),
        ("cells.csv", ",100,", ",101,", "row 1, column 'n_test': '100', but"),
        ("score.csv", "expected outside", "expected", "1 rows of printed table, numbers"),
        ("run.json", '"seed": 7', '"seed": 2', "seed: 7, but"),
        ("run.json", '"repeats": 3', '"repeats": 4', "repeats: 3, but"),
        ("run.json", "sha256:aa", "sha256:ab", "data: {'monks': 'sha256:aa'"),
        (MANIFEST, '"title": "times"', '"title": "Times"', "tables: "),
    ],
)
def test_the_first_difference_is_named_with_row_and_column(
    folders: Pair, name: str, old: str, new: str, place: str
) -> None:
    edit(folders[1] / name, old, new)
    [found] = compare(*folders).differences
    assert found.startswith(f"{folders[0] / name}")
    assert place in found
    assert f"but {folders[1] / name}: " in found


def test_decimal_numbers_agree_within_the_tolerance(folders: Pair) -> None:
    edit(folders[1] / "errors.csv", "0.44,", "0.44000005,")
    assert compare(*folders).differences == []
    assert len(compare(*folders, tolerance=0).differences) == 1
    edit(folders[0] / "errors.csv", "0.32,", "-0.0,")
    edit(folders[1] / "errors.csv", "0.32,", "0.0,")
    assert compare(*folders).differences == []


@pytest.mark.parametrize("name", ["errors.md", "times.csv", "cells.csv", "curves.svg", "score.csv"])
def test_what_is_missing_is_named_also_in_folders_of_results(folders: Pair, name: str) -> None:
    (folders[1] / name).unlink()
    assert compare(*folders).differences == [f"{folders[1] / name} is missing"]
    a, b = (folder.parent for folder in folders)
    shutil.copytree(folders[0], a / "more")
    found = compare(a, b)
    assert found.compared == {"small": 13}
    assert found.differences == [f"{b / 'more'} is missing", f"{folders[1] / name} is missing"]


def test_nothing_to_compare_is_refused(folders: Pair, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match="holds no results"):
        compare(tmp_path / "empty", folders[0])
    with pytest.raises(ConfigError, match="holds one experiment, but"):
        compare(folders[0].parent, folders[0])
