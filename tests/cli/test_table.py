from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
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


def test_tables_are_drawn_on_a_terminal_and_markdown_elsewhere_or_if_asked_for(
    small_config: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small_config()
    quadrepro("run", config, "--jobs", 1, "--out", tmp_path)
    markdown = (tmp_path / "small" / "risks.md").read_text()
    assert quadrepro("table", config, "--out", tmp_path).output.startswith(markdown)
    monkeypatch.setattr("quadrepro.tables.terminal.on_terminal", lambda: True)
    drawn = quadrepro("table", config, "--out", tmp_path).output
    assert drawn.startswith("Small: test risks\n\nData set ")
    assert "|" not in drawn
    asked = quadrepro("table", config, "--out", tmp_path, "--format", "markdown").output
    assert asked.startswith(markdown)


def test_table_without_any_record_writes_nothing(small_config: Write, tmp_path: Path) -> None:
    result = quadrepro("table", small_config(), "--out", tmp_path / "results")
    assert result.exit_code == 1
    assert "has been computed" in result.stderr
    assert not (tmp_path / "results").exists()


def test_of_several_configs_all_tables_are_written_and_none_is_printed(
    small_config: Write, tmp_path: Path
) -> None:
    out, first = tmp_path / "results", small_config()
    second, third = (first.with_name(f"{name}.yaml") for name in ("second", "third"))
    second.write_text(first.read_text())
    quadrepro("run", first, "--jobs", 1, "--out", out)
    third.write_text(first.read_text().replace("seed: 7", "seed: 8"))
    result = quadrepro("table", second, third, first, "--out", out)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f"Tables written to {out / 'second'}",
        f"Tables written to {out / 'small'}",
    ]
    assert f"no cell of {third} has been computed" in result.stderr
    assert not (out / "third").exists()
