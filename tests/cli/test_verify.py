from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from quadrepro.cli import main
from quadrepro.engine.store import RecordStore

Write = Callable[..., Path]


def quadrepro(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def computed(small_config: Write, tmp_path: Path) -> tuple[Path, Path]:
    """Return a config and the folder with its records."""
    config = small_config()
    assert quadrepro("run", config, "--jobs", 0, "--out", tmp_path).exit_code == 0
    return config, tmp_path


def test_every_algorithm_has_a_line_and_nothing_is_written(computed: tuple[Path, Path]) -> None:
    config, out = computed
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    found = quadrepro("verify", config, "--all", "--out", out)
    assert found.exit_code == 0, found.stderr
    lines = [line.split() for line in found.stdout.splitlines()]
    assert lines[0] == [
        "algorithm",
        "cells",
        "rounds",
        "ties",
        "pick",
        "weight",
        "violation",
        "gap",
    ]
    assert [line[0] for line in lines[2:]] == ["quadboost-l2", "ada", "tolerance"]
    assert [line[-1] for line in lines[2:4]] == ["verified"] * 2
    assert [line[1] for line in lines[2:4]] == ["2", "2"]
    assert lines[3][2] == "10"
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before


def test_one_entry_can_be_verified(computed: tuple[Path, Path]) -> None:
    config, out = computed
    found = quadrepro("verify", config, "monks", "ada", "--repeat", 0, "--out", out)
    assert found.exit_code == 0
    assert found.stdout.splitlines()[2].split()[:3] == ["ada", "1", "5"]
    found = quadrepro("verify", config, "monk", "ada", "--out", out)
    assert found.exit_code == 2
    assert "unknown row 'monk'; did you mean 'monks'?" in found.stderr


def test_a_false_record_ends_with_4_and_names_its_cell(computed: tuple[Path, Path]) -> None:
    config, out = computed
    store = RecordStore(out / "records")
    for key in store.scan():
        if (record := store.get(key)) is not None and record.chosen == {"n_rounds": 5}:
            store.put(replace(record, cv_errors=record.cv_errors + 1))
    found = quadrepro("verify", config, "--out", out)
    assert found.exit_code == 4
    assert "monks, ada, repeat 0: the loss of the choice is" in found.stderr
    [line] = [line for line in found.stdout.splitlines() if line.startswith("ada")]
    assert line.endswith("FAILED")


def test_cells_without_a_result_end_with_1(small_config: Write, tmp_path: Path) -> None:
    found = quadrepro("verify", small_config(), "--out", tmp_path)
    assert found.exit_code == 1
    assert "4 of 4 cells have no result" in found.stderr


@pytest.mark.parametrize("words", [("monks",), ("--repeat", 0)])
def test_half_an_entry_is_refused(small_config: Write, words: tuple[object, ...]) -> None:
    found = quadrepro("verify", small_config(), *words)
    assert found.exit_code == 2
    assert "an entry is given by its ROW and COLUMN" in found.stderr
