from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.engine.records import Record, RecordStore, from_json
from tests.cli.call import quadrepro

Write = Callable[..., Path]


@pytest.fixture
def computed(small_config: Write, tmp_path: Path) -> tuple[Path, Path]:
    """Return a config and the folder with its records."""
    config = small_config()
    assert quadrepro("run", config, "--jobs", 1, "--out", tmp_path).exit_code == 0
    return config, tmp_path


@pytest.mark.slow
def test_all_cells_are_computed_again_and_nothing_is_written(computed: tuple[Path, Path]) -> None:
    config, out = computed
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    found = quadrepro("explain", config, "--recompute", "--all", "--out", out)
    assert found.exit_code == 0, found.stderr
    assert found.stdout == "computed again: 4 of 4 results are the same\n"
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before


def test_an_unknown_row_is_refused_with_the_nearest(small_config: Write) -> None:
    found = quadrepro("explain", small_config(), "monk", "ada", "--recompute")
    assert found.exit_code == 2
    assert "unknown row 'monk'; did you mean 'monks'?" in found.stderr


def test_cells_without_a_result_end_with_1(small_config: Write, tmp_path: Path) -> None:
    found = quadrepro("explain", small_config(), "--recompute", "--out", tmp_path)
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
    quadrepro("run", config, "--jobs", 1, "--out", tmp_path)
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


def test_without_an_entry_there_is_something_to_check(small_config: Write) -> None:
    found = quadrepro("explain", small_config())
    assert found.exit_code == 2
    assert "name the ROW and COLUMN of an entry, or add --recompute" in found.stderr
