from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from quadrepro.errors import ConfigError
from quadrepro.results.compare import compare_folders
from quadrepro.results.run import MANIFEST
from tests.make import edit
from tests.results.made import make_folder, manifest, run

Pair = tuple[Path, Path]


@pytest.fixture
def folders(tmp_path: Path) -> Pair:
    """Return two folders that differ in the times of cells, the notes and the code alone."""
    made = [
        make_folder(tmp_path / name / "small", notes__md=name, run__json=run([{"git": name}]))
        for name in ("a", "b")
    ]
    edit(made[1] / "cells.csv", ",0.5,", ",1234.25,", count=-1)
    return made[0], made[1]


def test_numbers_that_both_folders_call_measured_do_not_count(folders: Pair) -> None:
    a, b = folders
    facts = {"timed_rows": ["monks", "mean_time"]}
    edit(b / "errors.csv", "0.44,", "1234.5,")
    for folder in folders:
        timed = manifest(tables={"errors": {"title": "T", **facts}})
        (folder / MANIFEST).write_text(timed)
    assert compare_folders(a, b).differences == []
    (b / MANIFEST).write_text(manifest())
    errors, tables = compare_folders(a, b).differences
    assert errors.startswith(f"{a / 'errors.csv'}, row 1, column 'mean': '0.44', but")
    assert tables.startswith(f"{a / MANIFEST}, tables.errors.title: 'T', but")
    (b / MANIFEST).write_text(timed)
    edit(b / "errors.csv", "monks", "monk")
    assert len(compare_folders(a, b).differences) == 1


@pytest.mark.parametrize(
    ("name", "old", "new", "place"),
    [
        ("errors.csv", "0.44,", "0.44001,", "row 1, column 'mean': '0.44', but"),
        ("errors.csv", "adaboost", "ada", "row 2, column 'algorithm': 'adaboost', but"),
        ("cells.csv", ",100,", ",101,", "row 1, column 'n_test': '100', but"),
        ("score.csv", "expected outside", "expected", "1 rows of printed table, numbers"),
        ("run.json", '"seed": 7', '"seed": 2', "seed: 7, but"),
        ("run.json", '"repeats": 3', '"repeats": 4', "repeats: 3, but"),
        ("run.json", "sha256:aa", "sha256:ab", "data.monks: 'sha256:aa'"),
        ("claims.csv", "undecided", "agrees", "row 1, column 'judgement': 'undecided', but"),
        ("tables.json", '"figures"', '"percent": ["table1"], "figures"', "percent: (), but"),
    ],
)
def test_a_difference_has_a_place(folders: Pair, name: str, old: str, new: str, place: str) -> None:
    edit(folders[1] / name, old, new)
    [difference] = compare_folders(*folders).differences
    assert difference.startswith(f"{folders[0] / name}")
    assert place in difference
    assert f"but {folders[1] / name}: " in difference


def test_words_of_texts_and_of_the_conclusion_count(folders: Pair) -> None:
    text = (folders[1] / "errors.md").read_text("utf-8")
    (folders[1] / "errors.md").write_text(re.sub(r"\d", "7", text), "utf-8")
    assert compare_folders(*folders).differences == []
    edit(folders[1] / "errors.md", "Ours are", "Theirs are")
    edit(folders[1] / "run.json", '"conclusion": "', '"conclusion": "Not ')
    text, conclusion = compare_folders(*folders).differences
    assert text.startswith(f"{folders[0] / 'errors.md'}, line ")
    assert ", conclusion: " in conclusion


def test_seconds_notes_provenance_and_last_decimals_do_not_count(folders: Pair) -> None:
    edit(folders[1] / "errors.csv", "0.44,", "0.44000005,")
    assert compare_folders(*folders).differences == []
    assert len(compare_folders(*folders, tolerance=0).differences) == 1
    edit(folders[0] / "errors.csv", "0.32,", "-0.0,")
    edit(folders[1] / "errors.csv", "0.32,", "0.0,")
    assert compare_folders(*folders).differences == []


@pytest.mark.parametrize("name", ["errors.md", "cells.csv"])
def test_what_is_missing_is_named_also_in_folders_of_results(folders: Pair, name: str) -> None:
    (folders[1] / name).unlink()
    assert compare_folders(*folders).differences == [f"{folders[1] / name} is missing"]
    a, b = (folder.parent for folder in folders)
    shutil.copytree(folders[0], a / "more")
    result = compare_folders(a, b)
    assert result.compared == {"small": 11}
    assert result.differences == [f"{b / 'more'} is missing", f"{folders[1] / name} is missing"]


def test_nothing_to_compare_is_refused(folders: Pair, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match="holds no results"):
        compare_folders(tmp_path / "empty", folders[0])
    with pytest.raises(ConfigError, match="holds one experiment, but"):
        compare_folders(folders[0].parent, folders[0])


def test_folders_without_seconds_are_compared_all_the_same(folders: Pair) -> None:
    for folder in folders:
        edit(folder / "cells.csv", "seconds", "minutes")
    [difference, *_] = compare_folders(*folders).differences
    assert difference.startswith(f"{folders[0] / 'cells.csv'}, row 1, column 'minutes'")
