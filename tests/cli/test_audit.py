from __future__ import annotations

from pathlib import Path

import pytest

from quadrepro.cli.papers import sample_of
from quadrepro.papers.printed import Sample
from tests.cli.call import quadrepro
from tests.tables.audit.papers import subject

CLAIM = "claims: {t: {claims: [{kind: wins-or-ties, text: two, of: a, than: b, at_least: 2}]}}"


def test_findings_are_no_errors_unless_it_is_strict(tmp_path: Path) -> None:
    subject(tmp_path, claims=CLAIM, t="d,a,b\nx,0.2,0.1\ny,0.2,0.3\n")
    result = quadrepro("audit", tmp_path / "paper", "--out", tmp_path / "out")
    assert result.exit_code == 0
    assert "| claims" in result.stdout
    assert (tmp_path / "out" / "audit.md").read_text("utf-8") == result.stdout
    strict = quadrepro("audit", tmp_path / "paper", "--strict")
    assert strict.exit_code == 4
    assert strict.stderr == f"error: findings that fail in the audit of {tmp_path / 'paper'}: 1\n"
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


def test_a_file_without_a_table_is_an_error_also_if_it_is_strict(tmp_path: Path) -> None:
    (tmp_path / "t.tex").write_text("\\section{Results} They are good.")
    result = quadrepro("audit", tmp_path / "t.tex", "--strict")
    assert result.exit_code == 3
    assert "no table of numbers" in result.stderr


@pytest.mark.parametrize(
    ("text", "n"), [("splits=20", 20), ("cv=10,repeats=5", 50), ("cv=10,pooled", 10), ("runs=3", 3)]
)
def test_repetitions_are_stated_as_in_paper_yaml(tmp_path: Path, text: str, n: int) -> None:
    (tmp_path / "t.csv").write_text("d,a,b\nx,0.2,0.1\n")
    result = quadrepro("audit", tmp_path / "t.csv", "--of", text)
    assert result.exit_code == 0
    assert f" of {Sample.model_validate(sample_of(None, None, text)).text}." in result.stdout
    assert sample_of(None, None, text).n == n


def test_wrong_repetitions_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("d,a,b\nx,0.2,0.1\n")
    result = quadrepro("audit", tmp_path / "t.csv", "--of", "folds=3")
    assert result.exit_code == 2
    assert "'folds=3' is not one of splits=20, cv=10" in result.stderr
