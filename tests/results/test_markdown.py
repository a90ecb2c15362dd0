from __future__ import annotations

import pytest

from quadrepro.results.markdown import notes_html, read_table
from quadrepro.tables.table import Table, TableEntry
from tests.results.pages.made import NOTES


def test_a_table_is_read_as_it_was_written() -> None:
    table = Table(
        "Title",
        ("Data set", "a|b", ""),
        (
            ("x*y_", (TableEntry("1", bold=True), TableEntry("2", printed="3"))),
            ("", (TableEntry("–"),) * 2),
        ),
        ("A note.", "Another."),
    )
    found = read_table(table.to_markdown())
    assert found.header == ("Data set", "a|b", "")
    assert found.alignment == ("left", "right", "right")
    assert found.rows == (("x*y_", "**1**", "2 (3)"), ("", "–", "–"))
    assert found.notes.split("\n\n") == ["", "A note.", "Another.\n"]


@pytest.mark.parametrize("text", ["", "# T\n", "Words.\n", "| a |\n", "| a |\n|--|--|\n", "|\n|\n"])
def test_what_is_not_a_table_is_notes(text: str) -> None:
    found = read_table(text)
    assert (found.header, found.rows) == ((), ())
    assert found.notes.strip() == text.removeprefix("# T").strip()


def test_a_row_has_no_more_cells_than_the_header_and_is_not_filled_up() -> None:
    assert read_table("| a | b |\n|---|:-:|\n| 1 |\n| 1 | 2 | 3 |\n").rows == (("1",), ("1", "2"))


def test_the_section_on_what_does_not_reproduce_stands_alone() -> None:
    outside, others = notes_html(NOTES, {"risks"})
    assert outside == "<p>The printed risk of wine is <strong>far</strong> too low.</p>\n"
    assert "What does not reproduce" not in others
    assert "<h3>What is open</h3>" in others
    assert "<p>Nothing.</p>" in others


def test_headings_stand_below_those_of_the_page() -> None:
    notes = "# Notes\n\n## What does not reproduce\n\n### a\n\n#### b\n\n## c\n\n### d\n"
    outside, others = notes_html(notes, ())
    assert outside.split("\n")[:2] == ["<h3>a</h3>", "<h4>b</h4>"]
    assert others.split("\n")[:2] == ["<h3>c</h3>", "<h4>d</h4>"]


def test_notes_without_that_section_are_whole() -> None:
    assert notes_html("Only this.", ()) == ("", "<p>Only this.</p>\n")
    assert notes_html("", ()) == ("", "")


def test_links_to_tables_of_the_page_stay_on_it() -> None:
    _, others = notes_html("[a](risks.md) [b](../x/risks.md) [c](other.md)", {"risks"})
    assert 'href="#table-risks"' in others
    assert 'href="../x/risks.md"' in others
    assert 'href="other.md"' in others


def test_markup_in_notes_is_text() -> None:
    notes = "<script>alert(1)</script> [x](javascript:alert) ![a](http://far/x.png 'y')"
    _, others = notes_html(notes, ())
    assert "<script" not in others
    assert 'href="javascript' not in others
    assert "<img" not in others
    assert '<a href="http://far/x.png">a</a>' in others
