from __future__ import annotations

import re

import pytest

from quadrepro.results.markdown import notes_html, table_html
from quadrepro.tables.table import Table, TableEntry
from tests.results.pages.made import NOTES


def test_a_table_is_shown_with_its_alignment_and_its_notes_apart() -> None:
    table = Table(
        "Title",
        ("Data set", "a|b", ""),
        (
            ("x*y_", (TableEntry("1", bold=True), TableEntry("2", printed="3"))),
            ("", (TableEntry("–"),) * 2),
        ),
        ("A note.", "Another."),
    )
    shown, notes = table_html(table.to_markdown(), "A <label>")
    assert 'aria-label="A &lt;label&gt;"' in shown
    heads, first, second = re.findall("<tr>(.*?)</tr>", shown, re.DOTALL)
    assert re.findall(r">([^<>\n]+)<", heads) == ["Data set", "a|b", "Name"]
    assert re.findall(r"<t[dh][^>]*>", first) == [
        '<th style="text-align:left" scope="row">',
        *['<td style="text-align:right">'] * 2,
    ]
    assert re.findall(r">([^<>\n]+)<", first) == ["x*y_", "1", "2 (3)"]
    assert "<strong>1</strong>" in first
    assert re.findall(r">([^<>\n]+)<", second) == ["–", "–"]
    assert notes == "<p>A note.</p>\n<p>Another.</p>\n"


@pytest.mark.parametrize("text", ["", "# T\n", "Words.\n", "| a |\n", "| a |\n|--|--|\n", "|\n|\n"])
def test_what_is_not_a_table_is_notes(text: str) -> None:
    shown, notes = table_html(text, "T")
    assert shown == ""
    assert re.sub(r"</?p>", "", notes).strip() == text.removeprefix("# T").strip()


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
