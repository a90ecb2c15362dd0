from __future__ import annotations

from pathlib import Path

import pytest

from quadrepro.errors import ConfigError, DataError
from quadrepro.papers.paper import load_paper
from quadrepro.tables.audit.draft import audit_table, draft_paper
from quadrepro.tables.audit.report import audit

TABLE = "data;ours;theirs\nheart;22,62;22,22\npima;25,0;24,2\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "tab 1.csv"
    path.write_text(TABLE)
    return path


@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
def test_a_bare_table_is_audited_with_any_separator(table: Path, separator: str) -> None:
    table.write_text(TABLE.replace(",", ".").replace(";", separator))
    found = audit_table(table, {"heart": 81})
    [(check, finding)] = found.failures
    assert (check, finding.place) == ("counts", ("tab 1", "heart", "ours"))
    assert finding.printed == "22.62"
    assert audit_table(table, {}).failures == []


def test_commas_can_be_decimal_signs_and_numbers_tell_the_unit(table: Path) -> None:
    assert len(audit_table(table, {"heart": 81}).failures) == 1
    table.write_text("d;a\nx;0,25\n")
    assert "as a fraction" in audit_table(table, {}).notes[0]


def test_a_draft_is_a_paper_that_audits_alike(table: Path, tmp_path: Path) -> None:
    draft_paper(table, tmp_path / "mine", {"heart": 81})
    found = audit(load_paper("./mine", tmp_path))
    assert found.to_markdown() == audit_table(table, {"heart": 81}).to_markdown()
    assert (tmp_path / "mine/printed/tab 1.csv").read_text() == (
        "data,ours,theirs\nheart,22.62,22.22\npima,25.0,24.2\n"
    )


def test_a_mistake_names_the_file_of_the_user(table: Path) -> None:
    with pytest.raises(ConfigError, match=r"tab 1\.csv: unknown row 'hart'; did you mean 'heart'"):
        audit_table(table, {"hart": 81})
    table.write_text("d,a\nx,0.2o\n")
    with pytest.raises(ConfigError) as caught:
        audit_table(table, {})
    assert str(caught.value).startswith(f"{table}:2:3: '0.2o' is not a number")
    table.write_text("")
    with pytest.raises(DataError, match="the file has no rows"):
        audit_table(table, {})
