from __future__ import annotations

from pathlib import Path

import quadrepro
from tests.cli import call


def test_it_prints_what_the_function_returns_and_writes_if_asked(tmp_path: Path) -> None:
    scores, out = tmp_path / "scores.csv", tmp_path / "new" / "folder"
    scores.write_text("dataset,ours,theirs\na,0.9,0.8\nb,0.8,0.7\nc,0.7,0.75\nd,0.9,\n")
    options = "--higher-is-better", "--rope", 0.01, "--test-share", 0.1, "--drop-missing"
    result = call.quadrepro("rank", scores, *options)
    expected = quadrepro.rank(
        scores, higher_is_better=True, rope=0.01, test_share=0.1, drop_missing=True
    )
    assert (result.exit_code, result.stdout) == (0, expected.markdown + "\n")
    assert [*tmp_path.iterdir()] == [scores]
    result = call.quadrepro("rank", scores, *options, "--out", out)
    assert result.stdout.endswith(f"Table and diagram written to {out}\n")
    assert (out / "ranking.md").read_text() == expected.markdown


def test_a_table_without_scores_is_refused(tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text("name\nann\nben\n")
    result = call.quadrepro("rank", tmp_path / "names.csv")
    assert result.exit_code == 3
    assert "a ranking needs at least two methods on at least two data sets" in result.stderr
