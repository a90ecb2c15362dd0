from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from quadrepro.engine.records import Record, from_json
from quadrepro.engine.store import RecordStore
from tests.cli.call import quadrepro

Write = Callable[..., Path]


@pytest.fixture
def computed(small_config: Write, tmp_path: Path) -> tuple[Path, Path]:
    """Return a config and the folder with its records."""
    config = small_config()
    assert quadrepro("run", config, "--jobs", 0, "--out", tmp_path).exit_code == 0
    return config, tmp_path


def test_every_algorithm_has_a_line_and_nothing_is_written(computed: tuple[Path, Path]) -> None:
    config, out = computed
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    found = quadrepro("explain", config, "--verify", "--all", "--out", out)
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
    found = quadrepro("explain", config, "monks", "ada", "--verify", "--repeat", 0, "--out", out)
    assert found.exit_code == 0
    lines = found.stdout.splitlines()
    assert lines[0].split(maxsplit=1) == ["cell", "monks, ada, repeat 0"]
    assert ["ada", "1", "5"] in [line.split()[:3] for line in lines]
    found = quadrepro("explain", config, "monk", "ada", "--verify", "--out", out)
    assert found.exit_code == 2
    assert "unknown row 'monk'; did you mean 'monks'?" in found.stderr


def test_a_false_record_ends_with_4_and_names_its_cell(computed: tuple[Path, Path]) -> None:
    config, out = computed
    store = RecordStore(out / "records")
    for key in store.scan():
        if (record := store.get(key)) is not None and record.chosen == {"n_rounds": 5}:
            store.put(replace(record, cv_errors=record.cv_errors + 1))
    found = quadrepro("explain", config, "--verify", "--out", out)
    assert found.exit_code == 4
    assert "monks, ada, repeat 0: the loss of the choice is" in found.stderr
    [line] = [line for line in found.stdout.splitlines() if line.startswith("ada")]
    assert line.endswith("FAILED")


def test_cells_without_a_result_end_with_1(small_config: Write, tmp_path: Path) -> None:
    found = quadrepro("explain", small_config(), "--verify", "--out", tmp_path)
    assert found.exit_code == 1
    assert "4 of 4 cells have no result" in found.stderr


@pytest.mark.parametrize("words", [("monks",), ("--repeat", 0)])
def test_half_an_entry_is_refused(small_config: Write, words: tuple[object, ...]) -> None:
    found = quadrepro("explain", small_config(), *words)
    assert found.exit_code == 2
    assert "an entry is given by its ROW and COLUMN" in found.stderr


@pytest.mark.slow
def test_explain_recomputes_a_cell_alone_and_finds_a_false_record(
    small_config: Write, tmp_path: Path
) -> None:
    config = small_config()
    asked = "explain", config, "monks", "ada", "--out", tmp_path
    assert quadrepro(*asked).exit_code == 1
    quadrepro("run", config, "--jobs", 0, "--out", tmp_path)
    found = quadrepro(*asked, "--recompute")
    assert found.exit_code == 0
    assert "computed again: 1 of 1 results are the same" in found.stdout
    [record] = [line.split()[1] for line in found.stdout.splitlines() if line.startswith("record ")]
    kept: Record = from_json(json.dumps(json.loads(Path(record).read_text())["record"]).encode())
    RecordStore(tmp_path / "records").put(
        type(kept)(**{**vars(kept), "errors": 0, "predicted": kept.actual})
    )
    found = quadrepro(*asked, "--recompute")
    assert found.exit_code == 4
    assert "computed again, the result differs" in found.stderr


@pytest.mark.slow
def test_a_sample_is_computed_again_without_an_entry(computed: tuple[Path, Path]) -> None:
    config, out = computed
    found = quadrepro("explain", config, "--recompute", "--verify", "--out", out)
    assert found.exit_code == 0
    assert found.stdout.startswith("computed again: 4 of 4 results are the same\nalgorithm ")


def test_without_an_entry_there_is_something_to_check(small_config: Write) -> None:
    found = quadrepro("explain", small_config())
    assert found.exit_code == 2
    assert "name the ROW and COLUMN of an entry, or add --recompute or --verify" in found.stderr
