from __future__ import annotations

from quadrepro.results.pages.prose import notes_html, table_html
from quadrepro.tables.table import Entry, Table
from tests.results.pages.made import NOTES


def test_a_table_and_its_notes_are_parted() -> None:
    table = Table("Title", ("Data set", "a|b"), (("x*y_", (Entry("1", bold=True),)),), ("A note.",))
    shown, notes = table_html(table.to_markdown(), 'a "label"')
    assert "Title" not in shown + notes
    assert '<th scope="row" style="text-align:left">x*y_</th>' in shown or (
        '<th style="text-align:left" scope="row">x*y_</th>' in shown
    )
    assert "<strong>1</strong>" in shown
    assert 'aria-label="a &#34;label&#34;"' in shown
    assert "a|b" in shown
    assert notes == "<p>A note.</p>\n"


def test_an_empty_title_of_a_column_has_a_name() -> None:
    table = Table("T", ("", "a"), (("x", (Entry("1"),)),), ())
    assert '<span class="sr">Name</span></th>' in table_html(table.to_markdown(), "T")[0]


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
    _, others = notes_html(
        "<script>alert(1)</script> [x](javascript:alert) ![a](http://far/x.png 'y')", ()
    )
    assert "<script" not in others
    assert 'href="javascript' not in others
    assert "<img" not in others
    assert '<a href="http://far/x.png">a</a>' in others
