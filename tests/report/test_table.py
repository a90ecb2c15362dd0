from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quadrepro.report.table import Entry, Table, csv_text, is_row

TABLE = Table(
    "A title",
    ("Data set", "L∞"),
    (
        ("letter_ab", (Entry("0.1", "0.2", bold=True, printed_bold=True, mark="†"),)),
        ("zoo", (Entry("–", grey=True, mark="*"),)),
        ("wine", (Entry("< 0.001"),)),
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


def test_three_files_are_written(tmp_path: Path) -> None:
    TABLE.write(tmp_path / "new", "t")
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["t.csv", "t.md", "t.tex"]
    assert (tmp_path / "new" / "t.csv").read_text() == "dataset,l\nletter_ab,0.1\nzoo,\n"


def test_only_the_files_that_are_asked_for_are_written(tmp_path: Path) -> None:
    TABLE.write(tmp_path, "t", (".md",))
    assert [p.name for p in tmp_path.iterdir()] == ["t.md"]


names = st.lists(
    st.text('ab_%&|," (', min_size=1, max_size=6).map(str.strip).filter(bool),
    min_size=1,
    max_size=4,
    unique=True,
)


@pytest.mark.parametrize(
    ("ending", "rendered"),
    [(".md", Table.to_markdown), (".csv", Table.to_csv), (".tex", Table.to_latex)],
)
@given(names)
@example(["_ |", "_"])
def test_every_row_is_found_by_its_name_in_every_file(ending, rendered, names) -> None:
    rows = tuple((name, (Entry(str(i)),)) for i, name in enumerate(names))
    data = tuple((name, i) for i, name in enumerate(names))
    table = Table("T", ("Set", "x"), rows, ("A note.",), ("set", "x"), data)
    lines = rendered(table).splitlines()
    for i, name in enumerate(names):
        found = [line for line in lines if is_row(line, name, ending)]
        assert len(found) == 1
        assert str(i) in found[0]
    assert not any(is_row(line, "abc", ending) for line in lines)


def test_a_csv_keeps_eight_digits_of_numbers_and_all_of_words() -> None:
    rows = (("0.123456789", 1 / 3, 123456789012, 2e-300 / 3, 0.5),)
    text = csv_text(("a", "b", "c", "d", "e"), rows)
    assert text == "a,b,c,d,e\n0.123456789,0.33333333,123456789012,6.6666667e-301,0.5\n"
