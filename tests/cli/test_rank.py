from __future__ import annotations

from pathlib import Path

import pytest

import quadrepro
from quadrepro.tables.render import to_latex
from tests.cli import call

SCORES = """dataset,ours,theirs,third
a,0.9,0.8,0.7
b,0.8,0.7,0.6
c,0.7,0.75,0.5
d,0.9,,0.6
"""


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text(SCORES)
    return path


def test_it_prints_the_result_of_the_function_and_writes_if_asked(
    scores: Path, tmp_path: Path
) -> None:
    out = tmp_path / "new" / "folder"
    options = "--higher-is-better", "--rope", 0.01, "--test-share", 0.1, "--drop-missing"
    result = call.quadrepro("rank", scores, *options)
    expected = quadrepro.rank(
        scores, higher_is_better=True, rope=0.01, test_share=0.1, missing="rows"
    )
    assert result.exit_code == 0
    for table in (expected.table, expected.pairs):
        assert f"## {table.title}\n" in result.stdout
    assert [line for line in result.stdout.splitlines() if line] == [
        line for line in expected.markdown.splitlines() if line
    ]
    assert [*tmp_path.iterdir()] == [scores]
    result = call.quadrepro("rank", scores, *options, "--out", out)
    assert result.stdout.endswith(f"Tables and diagram written to {out}\n")
    names = ["pairs.csv", "pairs.md", "ranking.csv", "ranking.md", "ranking.svg"]
    assert sorted(path.name for path in out.iterdir()) == names


def test_a_control_an_alpha_and_nemenyis_test_are_options(scores: Path) -> None:
    options = "--higher-is-better", "--drop-missing"
    words = "--control", "third", "--alpha", 0.3, "--nemenyi"
    result = call.quadrepro("rank", scores, *options, *words)
    assert result.exit_code == 0
    assert "against third" in result.stdout
    assert "adjusted for 2 pairs by Holm's method (p ≤ 0.3)" in result.stdout
    assert "Nemenyi's test" in result.stdout


def test_ratios_have_their_own_column(scores: Path) -> None:
    result = call.quadrepro("rank", scores, "--lower-is-better", "--drop-missing", "--ratios")
    assert result.exit_code == 0
    assert "ratio" in result.stdout
    assert "mean score" not in result.stdout


def test_both_tables_are_printed_in_latex(scores: Path) -> None:
    words = "--higher-is-better", "--drop-missing", "--format", "latex"
    result = call.quadrepro("rank", scores, *words)
    expected = quadrepro.rank(scores, higher_is_better=True, missing="rows")
    assert to_latex(expected.table) in result.stdout
    assert to_latex(expected.pairs) in result.stdout


def test_all_rows_that_are_left_out_are_in_the_file_and_ten_on_the_terminal(
    tmp_path: Path,
) -> None:
    path, out = tmp_path / "t.csv", tmp_path / "out"
    full = [f"set{i},{0.5 + 0.02 * i:.2f},{0.49 + 0.02 * i:.2f}" for i in range(8)]
    gaps = [f"gap{i},,0.5" for i in range(12)]
    path.write_text("\n".join(["d,ours,theirs", *full, *gaps]) + "\n")
    result = call.quadrepro("rank", path, "--higher-is-better", "--drop-missing", "--out", out)
    assert result.exit_code == 0
    assert "gap9 and 2 more." in result.stdout
    assert "gap10" not in result.stdout
    text = (out / "ranking.md").read_text(encoding="utf-8")
    assert all(f"gap{i}" in text for i in range(12))


def test_a_table_without_scores_is_refused(tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text("name\nann\nben\n")
    result = call.quadrepro("rank", tmp_path / "names.csv")
    assert result.exit_code == 3
    assert "no table of numbers" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "are higher or lower scores better? Give --higher-is-better"),
        (("--higher-is-better", "--control", "our"), "unknown control 'our'"),
        (("--higher-is-better", "--alpha", "2"), "the level of significance cannot be 2"),
    ],
)
def test_a_wrong_option_is_refused_with_the_exit_code_of_configs(
    scores: Path, options: tuple[str, ...], message: str
) -> None:
    result = call.quadrepro("rank", scores, *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_missing_scores_are_refused_with_the_option_that_leaves_them_out(scores: Path) -> None:
    result = call.quadrepro("rank", scores, "--higher-is-better")
    assert result.exit_code == 3
    assert "scores are missing in d: theirs" in result.stderr
    assert "--missing rows, methods or worst" in result.stderr


def test_it_tells_in_one_line_how_the_table_was_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("dataset,n,ours,theirs\nx,10,0.9,0.8*\ny,20,0.7,0.6\nMean,,0.8,0.7\n")
    result = call.quadrepro("rank", path, "--metric", "accuracy")
    assert result.exit_code == 0
    assert result.stderr == (
        "Read as CSV: 2 data sets × 2 methods (ours, theirs), accuracy; summary rows: Mean; "
        "sizes: n; left out: signs *\n"
    )
    assert "Read as" not in result.stdout
