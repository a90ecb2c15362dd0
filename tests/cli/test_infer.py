from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from quadrepro.cli import main

Write = Callable[..., Path]

READINGS = """readings:
  - {name: three folds, protocol: {folds: 3}}
  - {name: of monks, of: [monks], protocol: {folds: 4}}
"""
PAPER = "title: Mine\nreference: Nobody, 2020\nprinted: {t: {splits: 10}}\n"
PRINTED = "dataset,ada_mean,ada_sd\nmonks,30.1,4.2\npeople,21.5,2.0\n"


def quadrepro(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def config(small_config: Write, tmp_path: Path) -> Path:
    """Return the small config with readings, beside a paper's numbers."""
    (tmp_path / "mine" / "printed").mkdir(parents=True)
    (tmp_path / "mine" / "paper.yaml").write_text(PAPER)
    (tmp_path / "mine" / "printed" / "t.csv").write_text(PRINTED)
    path = small_config()
    asked = "tables: {readings: {means: t}, audit: t}\n"
    path.write_text(f"{path.read_text()}paper: ./mine\nrepeats: 3\n{READINGS}{asked}")
    return path


def test_infer_prints_the_tables_that_a_run_writes_and_writes_nothing(
    config: Path, tmp_path: Path
) -> None:
    out = tmp_path / "results"
    assert quadrepro("run", config, "--jobs", 1, "--out", out).exit_code == 0
    files = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    result = quadrepro("infer", config, "--out", out)
    assert result.exit_code == 0
    tables = [(out / "small" / f"{name}.md").read_text() for name in ("readings", "audit")]
    assert result.output == "\n".join(tables) + "\n"
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == files


def test_infer_says_what_is_missing_and_which_command_computes_it(
    config: Path, tmp_path: Path
) -> None:
    out = tmp_path / "results"
    result = quadrepro("infer", config, "--out", out, "--repeats", 2)
    assert (result.exit_code, result.stdout) == (1, "")
    # Five rows, two algorithms, two repeats.
    assert f"20 of 20 cells have no result in {out / 'records'}" in result.stderr
    command = re.findall("with: quadrepro (.*)", result.stderr)[0]
    assert quadrepro(*shlex.split(command), "--jobs", 1).exit_code == 0
    assert quadrepro("infer", config, "--out", out, "--repeats", 2).exit_code == 0
    more = quadrepro("infer", config, "--out", out)
    assert more.exit_code == 1
    assert "10 of 30 cells have no result" in more.stderr
    assert "| three folds " in more.stdout


def test_infer_prints_no_audit_that_is_not_asked_for(config: Path, tmp_path: Path) -> None:
    config.write_text(config.read_text().replace(", audit: t", ""))
    quadrepro("run", config, "--jobs", 1, "--out", tmp_path, "--repeats", 2)
    result = quadrepro("infer", config, "--out", tmp_path, "--repeats", 2)
    assert [line for line in result.output.splitlines() if line.startswith("##")] == [
        "## Small: what the printed numbers say of the readings"
    ]


def test_a_config_without_readings_is_refused(small_config: Write) -> None:
    result = quadrepro("infer", small_config())
    assert result.exit_code == 2
    assert "small.yaml:1:1: this config has no readings" in result.stderr


def test_readings_that_are_compared_with_nothing_are_refused(config: Path) -> None:
    config.write_text(config.read_text().replace("readings: {means: t}, ", ""))
    result = quadrepro("infer", config)
    assert result.exit_code == 2
    assert "say which printed tables the readings are compared with" in result.stderr
