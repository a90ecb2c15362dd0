from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner, Result

from quadrepro.cli import main

Write = Callable[..., Path]


def quadrepro(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_table_rebuilds_from_records_alone(small_config: Write, tmp_path: Path) -> None:
    out = tmp_path / "results"
    quadrepro("run", small_config(), "--jobs", 1, "--out", out)
    before = (out / "small" / "risks.md").read_bytes()
    (out / "small" / "risks.md").unlink()
    assert quadrepro("table", small_config(), "--out", out).exit_code == 0
    assert (out / "small" / "risks.md").read_bytes() == before


def test_table_shows_a_dash_for_what_is_not_computed(small_config: Write, tmp_path: Path) -> None:
    quadrepro("run", small_config(), "--jobs", 1, "--out", tmp_path)
    more = small_config("n_rounds: 5", "n_rounds: 6")
    result = quadrepro("table", more, "--out", tmp_path)
    assert result.exit_code == 1
    assert "– |" in result.output
    assert "monks, ada, repeat 0: missing: not computed" in result.stderr


def test_table_without_any_record_writes_nothing(small_config: Write, tmp_path: Path) -> None:
    result = quadrepro("table", small_config(), "--out", tmp_path / "results")
    assert result.exit_code == 1
    assert "has been computed" in result.stderr
    assert not (tmp_path / "results").exists()
