from __future__ import annotations

from pathlib import Path

from quadrepro.report.table import Entry, Table

TABLE = Table(
    "A title",
    ("Data set", "L∞"),
    (
        ("letter_ab", (Entry("0.1", "0.2", bold=True, printed_bold=True, mark="†"),)),
        ("zoo", (Entry("–", grey=True, mark="*"),)),
    ),
    ("A note.",),
    ("dataset", "l"),
    (("letter_ab", 0.1), ("zoo", "")),
)


def test_markdown_shows_bold_marks_and_notes() -> None:
    text = TABLE.to_markdown()
    assert text.startswith("## A title\n\n| Data set")
    assert "**0.1**† (**0.2**)" in text
    assert "_–*_" in text
    assert text.endswith("A note.\n")


def test_latex_escapes_names_and_keeps_markup() -> None:
    text = TABLE.to_latex()
    assert r"letter\_ab" in text
    assert "% Needs the package xcolor." in text
    assert r"L$\infty$" in text
    assert r"\textbf{0.1}$^\dagger$ (\textbf{0.2})" in text
    assert r"\textcolor{gray}{--$^\ast$}" in text


def test_three_files_are_written(tmp_path: Path) -> None:
    TABLE.write(tmp_path / "new", "t")
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["t.csv", "t.md", "t.tex"]
    assert (tmp_path / "new" / "t.csv").read_text() == "dataset,l\nletter_ab,0.1\nzoo,\n"
