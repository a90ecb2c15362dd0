from __future__ import annotations

import re

import pytest

from quadrepro.tables.table import Table, entry
from quadrepro.tables.terminal import table_text


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
