"""A table as Markdown, LaTeX, CSV and in a terminal."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from quadrepro.tables.table import Table, csv_text, entry
from quadrepro.tables.terminal import table_text

TABLE = Table(
    "A title: α & β",
    ("Data set", "L∞"),
    (
        ("letter_ab", (entry("0.1 ± 0.2", "0.3", bold=True, printed_bold=True, outside=True),)),
        ("zoo", (entry("–", mark="*"),)),
        ("50 % | off", (entry("< 0.001"),)),
    ),
    ("A note.", r"\* marks ε ≤ 1."),
    ("dataset", "l"),
    (("letter_ab", 0.1), ("zoo", None)),
)


def test_markdown_shows_bold_marks_and_notes() -> None:
    text = TABLE.to_markdown()
    assert text.startswith("## A title: α & β\n\n| Data set")
    assert "| letter_ab   | **0.1 ± 0.2**† (**0.3**) |" in text
    assert "–*" in text
    assert r"| 50 % \| off |" in text
    assert text.endswith("A note.\n\n\\* marks ε ≤ 1.\n")


def test_latex_has_three_rules_and_what_markdown_marks() -> None:
    lines = TABLE.to_latex("tab:table_1-errors").splitlines()
    text = "\n".join(lines)
    for rule in ("top", "mid", "bottom"):
        assert text.count(rf"\{rule}rule") == 1
    assert r"\hline" not in text
    title = r"A title: \ensuremath{\alpha} \& \ensuremath{\beta}"
    assert rf"\caption{{{title}}}\label{{tab:table-1-errors}}" in text
    [row] = [line for line in lines if line.strip().startswith(r"letter\_ab")]
    assert r"\textbf{0.1 \ensuremath{\pm} 0.2}{\textdagger} (\textbf{0.3})" in row
    assert r"\textendash}*" in text
    assert r"50 \% | off" in text
    assert r"* marks \ensuremath{\epsilon}" in text or r"* marks \ensuremath{\varepsilon}" in text
    assert r"\label" not in TABLE.to_latex()


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_latex_can_be_set(engine: str, tmp_path: Path) -> None:
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not here")
    start = "\\documentclass{article}\n\\usepackage{booktabs,graphicx}\n\\begin{document}\n"
    (tmp_path / "all.tex").write_text(f"{start}{TABLE.to_latex()}\\end{{document}}\n", "utf-8")
    words = [engine, "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "all.log").read_text("utf-8", errors="replace")
    assert done.returncode == 0, log
    assert "Missing character" not in log


def test_two_files_are_written(tmp_path: Path) -> None:
    TABLE.write(tmp_path / "new", "t")
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["t.csv", "t.md"]
    assert (tmp_path / "new" / "t.csv").read_text() == "dataset,l\nletter_ab,0.1\nzoo,\n"


def test_a_csv_keeps_eight_digits_of_numbers_and_all_of_words() -> None:
    rows = (("0.123456789", 1 / 3, 123456789012, 2e-300 / 3, 0.5),)
    text = csv_text(("a", "b", "c", "d", "e"), rows)
    assert text == "a,b,c,d,e\n0.123456789,0.33333333,123456789012,6.6666667e-301,0.5\n"


def six() -> Table:
    """Return a table of six columns in which every number occurs once."""
    rows = []
    for r in range(2):
        ours = [(f"0.{6 * r + i:03d}", f"1.{6 * r + i:03d}") for i in range(6)]
        rows.append((f"data set {r}", tuple(entry(*pair, outside=True) for pair in ours)))
    notes = (r"\* is escaped, [red]this[/] is not a colour. " * 5,)
    return Table("Six: a title", ("Data set", *"abcdef"), tuple(rows), notes)


@pytest.mark.parametrize("width", [100, 140])
def test_every_number_is_whole_and_no_line_is_too_wide_or_ends_with_blanks(width: int) -> None:
    text = table_text(six(), width)
    for i in range(12):
        assert text.count(f"0.{i:03d}†") == text.count(f"(1.{i:03d})") == 1
    assert max(map(len, text.splitlines())) <= width
    assert re.search(r"\x1b| $", text, re.MULTILINE) is None


def test_notes_are_text_without_the_escapes_of_markdown() -> None:
    text = table_text(six(), 100)
    assert "* is escaped, [red]this[/] is not a colour." in text
    assert r"\*" not in text


def test_a_number_and_its_deviation_stay_on_one_line() -> None:
    table = Table("T", ("x", *"abcdef"), (("row", ("1.25 ± 0.50",) * 6),), ())
    assert table_text(table, 100).count("1.25\u00a0±\u00a00.50") == 6


def test_bold_type_is_for_terminals_that_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    table = Table("T", ("x", "a"), (("row", (entry("1", bold=True),)),), ())
    for term, codes in (("xterm", True), ("dumb", False)):
        monkeypatch.setenv("TERM", term)
        assert ("\x1b[1m" in table_text(table, 80, colour=True)) is codes
        assert "\x1b" not in table_text(table, 80)


def test_latex_without_rows_has_no_tabular() -> None:
    latex = replace(TABLE, rows=()).to_latex()
    assert "tabular" not in latex
    assert r"\caption" in latex
