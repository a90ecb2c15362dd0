"""`audit` and `rank`: tables of papers and of scores."""

from __future__ import annotations

from pathlib import Path

import pytest

import quadrepro as package
from quadrepro.cli.papers import sample_of
from quadrepro.papers.printed import Sample
from quadrepro.tables.render import to_latex
from tests.make import quadrepro
from tests.tables.audit.papers import subject

CLAIM = "claims: {t: {claims: [{kind: wins-or-ties, text: two, of: a, than: b, at_least: 2}]}}"


def test_findings_are_no_errors_unless_it_is_strict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    audited = subject(claims=CLAIM, t="d,a,b\nx,0.2,0.1\ny,0.2,0.3\n")
    paper = audited.paper.source.path.parent
    result = quadrepro("audit", paper, "--out", "out")
    assert result.exit_code == 0
    assert "| claims" in result.stdout
    assert Path("out/audit.md").read_text("utf-8") == result.stdout
    strict = quadrepro("audit", paper, "--strict")
    assert strict.exit_code == 4
    assert strict.stderr == f"error: findings that fail in the audit of {paper}: 1\n"
    nothing = quadrepro("audit", "lecture", "--strict")
    assert nothing.exit_code == 0
    assert "there is nothing to check" in nothing.stdout


def test_a_bare_table_is_audited_and_becomes_a_paper(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tab.csv").write_text("data;ours\nheart;22,62\npima;24,22\n")
    sizes = ("--n-test", "heart=81", "--n-test", "pima=384", "--of", "splits=1")
    sizes += ("--metric", "error")
    result = quadrepro("audit", "tab.csv", *sizes, "--strict")
    assert result.stdout == quadrepro("audit", "tab.csv", *sizes[2:], *sizes[:2]).stdout
    assert result.exit_code == 4
    assert "nearest: 18/81 = 22.22, 19/81 = 23.46" in result.stdout
    draft = quadrepro("audit", "tab.csv", *sizes, "--draft")
    assert draft.stdout == "Wrote tab; edit its paper.yaml, then: quadrepro audit ./tab\n"
    again = quadrepro("audit", "./tab").stdout
    expected = result.stdout.replace("(ours), error.", "(ours).")
    assert again.replace("Read as CSV", "Read as semicolons") == expected
    again = quadrepro("audit", "tab.csv", "--draft")
    assert again.exit_code == 2
    assert "error: tab exists:" in again.stderr


@pytest.mark.parametrize(
    ("text", "n"), [("splits=20", 20), ("cv=10,repeats=5", 50), ("cv=10,pooled", 10), ("runs=3", 3)]
)
def test_repetitions_are_stated_as_in_paper_yaml(tmp_path: Path, text: str, n: int) -> None:
    (tmp_path / "t.csv").write_text("d,a,b\nx,0.2,0.1\n")
    result = quadrepro("audit", tmp_path / "t.csv", "--of", text)
    assert result.exit_code == 0
    assert f" of {Sample.model_validate(sample_of(None, None, text)).text}." in result.stdout
    assert sample_of(None, None, text).n == n


SCORES = "dataset,ours,theirs,third\na,0.9,0.8,0.7\nb,0.8,0.7,0.6\nc,0.7,0.75,0.5\nd,0.9,,0.6\n"


@pytest.fixture
def scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Enter a folder with a table of scores, and return its path."""
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text(SCORES)
    return Path("scores.csv")


def test_a_ranking_is_printed_and_written_if_asked(scores: Path) -> None:
    options = "--higher-is-better", "--rope", 0.01, "--test-share", 0.1, "--drop-missing"
    result = quadrepro("rank", scores, *options)
    expected = package.rank(
        scores, higher_is_better=True, rope=0.01, test_share=0.1, missing="rows"
    )
    assert result.exit_code == 0
    assert [line for line in result.stdout.splitlines() if line] == [
        line for line in expected.markdown.splitlines() if line
    ]
    assert [*Path().iterdir()] == [scores]
    result = quadrepro("rank", scores, *options, "--out", "new/folder", "--format", "latex")
    for table in (expected.table, expected.pairs):
        assert to_latex(table) in result.stdout
    assert result.stdout.endswith("Tables and diagram written to new/folder\n")
    names = ["pairs.csv", "pairs.md", "ranking.csv", "ranking.md", "ranking.svg"]
    assert sorted(path.name for path in Path("new/folder").iterdir()) == names


def test_a_control_an_alpha_nemenyis_test_and_ratios_are_options(scores: Path) -> None:
    options = "--higher-is-better", "--drop-missing"
    words = "--control", "third", "--alpha", 0.3, "--nemenyi"
    result = quadrepro("rank", scores, *options, *words)
    assert result.exit_code == 0
    assert "against third" in result.stdout
    assert "adjusted for 2 pairs by Holm's method (p ≤ 0.3)" in result.stdout
    assert "Nemenyi's test" in result.stdout
    ratios = quadrepro("rank", scores, "--lower-is-better", "--drop-missing", "--ratios").stdout
    assert ("ratio" in ratios, "mean score" in ratios) == (True, False)


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("audit t.tex --strict", 3, "no table of numbers"),
        ("audit scores.csv --of folds=3", 2, "'folds=3' is not one of splits=20, cv=10"),
        ("rank t.tex", 3, "no table of numbers"),
        ("rank scores.csv --higher-is-better --control our", 2, "unknown control 'our'"),
        ("rank scores.csv --higher-is-better --alpha 2", 2, "level of significance cannot be 2"),
        ("rank scores.csv --higher-is-better", 3, "--missing rows, methods or worst"),
    ],
)
def test_a_table_or_an_option_that_cannot_be_used_is_refused(
    scores: Path, line: str, code: int, message: str
) -> None:
    Path("t.tex").write_text("\\section{Results} They are good.")
    result = quadrepro(*line.split())
    assert (result.exit_code, message in result.stderr) == (code, True)


def test_how_the_table_was_read_is_shown_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("dataset,n,ours,theirs\nx,10,0.9,0.8*\ny,20,0.7,0.6\nMean,,0.8,0.7\n")
    result = quadrepro("rank", path, "--metric", "accuracy")
    assert result.exit_code == 0
    assert result.stderr == (
        "Read as CSV: 2 data sets × 2 methods (ours, theirs), accuracy; summary rows: Mean; "
        "sizes: n; left out: signs *\n"
    )
    assert "Read as" not in result.stdout
