from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from quadrepro.tables.table import Table, TableEntry
from quadrepro.tables.terminal import listing_text, table_text

WIDTHS = [60, 80, 100, 140]
ALGORITHMS = ("QuadBoost-L1", "QuadBoost-L2", "QuadBoost-L∞", "QuadBoost", "LPBoost", "AdaBoost")


def six(n_rows: int = 2) -> Table:
    """Return a table such as Table 1; every number occurs once."""

    def entry(i: int) -> TableEntry:
        return TableEntry(f"0.{i:03d}", f"1.{i:03d}", bold=i % 2 == 0, mark="†" * (i % 3 == 0))

    rows = [(f"data set {r}", tuple(entry(6 * r + i) for i in range(6))) for r in range(n_rows)]
    times = ("Mean running time (s)", tuple(TableEntry("0.5", "26.930") for _ in ALGORITHMS))
    notes = (r"\* is escaped, [red]this[/] is not a colour. " * 5,)
    return Table("Six: a title", ("Data set", *ALGORITHMS), (*rows, times), notes)


def curves() -> Table:
    names = (TableEntry("Algorithm x"), TableEntry("27"))
    numbers = tuple(TableEntry(f"0.{i:04d}") for i in range(12))
    header = ("Data set", "Algorithm", "rounds", *(f"Theorem {i}" for i in range(12)))
    return Table("Curves", header, (("titanic", (*names, *numbers)),), ("Notes. " * 40,))


def claims() -> Table:
    texts = ("Twelve words say at length what a paper claims of its algorithm here", "it holds")
    entries = tuple(TableEntry(text) for text in texts * 2)
    header = ("claim", "ours", "holds", "printed", "holds in print")
    return Table("Claims", header, ((texts[0], entries), ("b", entries)), (), align="left")


def widest(text: str) -> int:
    return max(map(cell_len, text.splitlines()))


@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_of_words_is_wider_than_the_terminal(width: int) -> None:
    assert widest(table_text(claims(), width)) <= width
    assert widest(table_text(curves(), width).partition("Notes.")[2]) <= width


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("make", [six, curves, claims])
def test_lines_have_neither_codes_nor_blanks_at_their_ends(make, width: int) -> None:
    assert re.search(r"\x1b| $", table_text(make(), width), re.MULTILINE) is None


@pytest.mark.parametrize("width", WIDTHS)
def test_every_number_and_mark_is_shown_once_and_whole(width: int) -> None:
    text = table_text(six(), width)
    for i in range(12):
        assert len(re.findall(rf"(?<!\S)0\.{i:03d}{'†' * (i % 3 == 0)}(?!\S)", text)) == 1
        assert text.count(f"(1.{i:03d})") == 1


@pytest.mark.parametrize(("width", "stacked"), [(140, False), (80, True), (60, True)])
def test_printed_numbers_go_below_where_a_row_would_be_too_wide(width: int, stacked: bool) -> None:
    text = table_text(six(), width)
    assert ("0.000† (1.000)" in text) != stacked
    if stacked:
        lines = text.splitlines()
        ours = next(i for i, line in enumerate(lines) if line.startswith("data set 0"))
        assert lines[ours + 1].lstrip().startswith("(1.000)")


@pytest.mark.parametrize("width", WIDTHS)
def test_a_row_of_numbers_is_one_line_however_many_there_are(width: int) -> None:
    [line] = [line for line in table_text(curves(), width).splitlines() if "titanic" in line]
    assert len(re.findall(r"0\.\d{4}", line)) == 12


def test_notes_are_text_without_the_escapes_of_markdown() -> None:
    text = table_text(six(), 100)
    assert "* is escaped, [red]this[/] is not a colour." in text
    assert r"\*" not in text


def coloured(entry: TableEntry) -> str:
    table = Table("T", ("Data set", "a"), (("x", (entry,)),), ())
    return table_text(table, 80, colour=True)


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


def test_verdicts_have_colours_beside_their_marks() -> None:
    outside = coloured(TableEntry("1", "2", mark="†", verdict="outside"))
    assert "1\x1b[31m†\x1b[0m \x1b[31m(2)\x1b[0m" in outside
    assert "\x1b[32m(2)\x1b[0m" in coloured(TableEntry("1", "2", verdict="inside"))
    assert "\x1b[32m0.4\x1b[0m" in coloured(TableEntry("0.4", verdict="inside"))
    assert "1 (2)" in coloured(TableEntry("1", "2"))
    assert "\x1b[2m–\x1b[0m" in coloured(TableEntry("–"))


def test_no_color_leaves_bold_type_and_a_dumb_terminal_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entry = TableEntry("1", "2", bold=True, mark="†", verdict="outside", best=True)
    monkeypatch.setenv("NO_COLOR", "1")
    text = coloured(entry)
    assert "\x1b[1m" in text
    assert not re.search(r"\x1b\[[0-9;]*3\d", text)
    assert "◆ 1" in re.sub(r"\x1b\[[0-9;]*m", "", text)
    monkeypatch.setenv("TERM", "dumb")
    assert "◆ 1† (2)" in coloured(entry)
    assert "\x1b" not in coloured(entry)


words = st.text(st.characters(categories=("L", "N", "Sm")), min_size=1, max_size=30)


@given(st.lists(st.tuples(words, words, words), min_size=1, max_size=4), st.integers(30, 120))
def test_a_listing_fits_and_loses_nothing(rows: list[tuple[str, ...]], width: int) -> None:
    text = listing_text(("name", "size", "title"), rows, width)
    assert widest(text) <= width
    shown = sorted(re.sub(r"[\s─]", "", text))
    assert shown == sorted("namesizetitle" + "".join("".join(row) for row in rows))


def test_a_listing_leaves_out_what_is_dispensable_only_if_it_must() -> None:
    header, rows = ("name", "sources", "title"), [("a", "OpenML, UCI", "Abalone and so on")]
    assert "OpenML" in listing_text(header, rows, 40, ("sources",))
    narrow = listing_text(header, rows, 25, ("sources",)).splitlines()
    assert narrow == ["name  title", "───────────────────────", "a     Abalone and so on"]


def test_a_listing_may_have_no_rows_and_no_heading() -> None:
    assert listing_text(("name", ""), [], 20).splitlines()[0].strip() == "name"


def test_words_of_a_listing_are_broken_only_where_there_is_no_room() -> None:
    rows = [("name-of-it", "some words of a sentence", "12"), ("b", "more", "7")]
    lines = listing_text(("name", "what is said", "n"), rows, 28).splitlines()
    assert [line.rstrip() for line in lines] == [
        "name       what is said    n",
        "────────────────────────────",
        "name-of-it some words of  12",
        "           a sentence",
        "b          more            7",
    ]


def test_names_and_long_words_are_broken_last() -> None:
    rows = [("a-name-of-twenty-four-l", "Contraceptive", "a b c d e f g h i j")]
    lines = listing_text(("name", "method", "rest"), rows, 46).splitlines()
    assert lines[2].split() == ["a-name-of-twenty-four-l", "Contraceptive", *"abcd"]
