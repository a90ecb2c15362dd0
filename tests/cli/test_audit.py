from __future__ import annotations

from pathlib import Path

import pytest

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
    sizes = ("--n-test", "heart=81", "--n-test", "pima=384")
    result = quadrepro("audit", "tab.csv", *sizes, "--strict")
    assert result.stdout == quadrepro("audit", "tab.csv", "--n-test", "heart=81,pima=384").stdout
    assert result.exit_code == 4
    assert "nearest: 18/81 = 22.22, 19/81 = 23.46" in result.stdout
    draft = quadrepro("audit", "tab.csv", *sizes, "--draft")
    assert draft.stdout == "Wrote tab; edit its paper.yaml, then: quadrepro audit ./tab\n"
    assert quadrepro("audit", "./tab").stdout == result.stdout
    again = quadrepro("audit", "tab.csv", "--draft")
    assert (again.exit_code, again.stderr[:18]) == (2, "error: tab exists:")
