from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from quadrepro.cli import main

RESULTS = Path(__file__).resolve().parents[2] / "results"


def test_the_scoreboard_is_written_and_named(tmp_path: Path) -> None:
    (tmp_path / "quickstart").symlink_to(RESULTS / "quickstart")
    result = CliRunner().invoke(main, ["overview", "--out", str(tmp_path)])
    assert result.output == f"Scoreboard written to {tmp_path / 'README.md'}\n"
    assert "`quickstart`" in (tmp_path / "README.md").read_text()


def test_a_folder_without_results_exits_with_2(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["overview", "--out", str(tmp_path)])
    assert result.exit_code == 2
    assert "holds no results" in result.stderr
