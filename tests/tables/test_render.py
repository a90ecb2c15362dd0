"""Tables as Markdown, LaTeX, CSV and in a terminal."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from math import floor, inf, log10, nan
from pathlib import Path
from statistics import mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from pylatexenc.latex2text import LatexNodes2Text

from quadrepro.tables.render import (
    Entry,
    Table,
    csv_text,
    decimals,
    entry_text,
    listed,
    moments,
    number_text,
    printed_text,
    significant,
    to_csv,
    to_latex,
    to_markdown,
    to_terminal,
    write_table,
)
from tests.make import CONTROLS

OFF = Entry(
    0.12, 0.02, "0.131", "0.002", bold=True, printed_bold=True, outside=True, spread_outside=True
)
TABLE = Table(
    "A title: α & β",
    ("Data set", "L∞"),
    (("letter_ab", (OFF,)), ("zoo", (Entry(mark="*"),)), ("50 % | off", (Entry("< 0.001"),))),
    ("A note.", "* marks ε ≤ 1."),
    ("dataset", "l"),
    (("letter_ab", 0.1), ("zoo", None)),
)

NAMES = (
    *("**x**", "[a](http://b)", "<b>", "a|b", "_x_", "`x`", "__init__", "~~x~~", "a*b*c"),
    *("<!-- x -->", "<https://b.c>", "https://b.c", "www.b.c", "![a](b)", "[a]: b", "\\*x\\*"),
    *("x_1_2", "a\\", "a\\|b", "```", "AT&amp;T", "&#42;", "1. first", "2) second", "10.5", "# x"),
    *("#", "C #", "> x", ">x", "- x", "-", "+", "+1", "---", "===", "* x", "$x_1$", "<1@b.c>"),
)
"""Names that are markup, or nearly, in some format."""


def parsed(text: str) -> Iterator[tuple[str, str]]:
    """Yield the text of each heading, cell and paragraph of Markdown, and the tags in it."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tags: list[str] = []
    for token in parser.parse(text):
        if token.nesting == 1:
            tags.append(token.tag)
        elif token.nesting == -1:
            tags.pop()
        else:
            parts = token.children or [token]
            plain = "".join(part.content for part in parts)
            within = [part.tag for part in parts if part.type not in ("text", "text_special")]
            yield plain, " ".join([*tags, *within])


def named(name: str) -> Table:
    """Return a table in which a title, a column, two rows, an entry and a note have one name."""
    rows = ((name, (Entry(name),)), ("plain", (Entry(0.5),)), (name, (Entry(0.25),)))
    return Table(name, ("Data set", name), rows, ("A note.", name))


def spaced(text: str) -> str:
    """Return a text whose words are one blank apart."""
    return " ".join(text.split())


def assert_literal_in_markdown(name: str) -> None:
    """Check that Markdown shows a name as it is, without a tag of its own."""
    head, body = "table thead tr th", "table tbody tr td"
    texts = [(spaced(text), tags) for text, tags in parsed(to_markdown(named(name)))]
    assert texts == [
        (spaced(name), "h2"),
        *(("Data set", head), (spaced(name), head)),
        *((spaced(name), body), (spaced(name), body)),
        *(("plain", body), ("0.500", body)),
        *((spaced(name), body), ("0.250", body)),
        *(("A note.", "p"), (spaced(name), "p")),
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_shown_literally_in_markdown(name: str) -> None:
    assert_literal_in_markdown(name)


PIECES = [*"*_`[]()<>|\\~#+-=!&:/.1 aB", "**", "~~", "http://", "www.", "<b>", "</b>", "&amp;"]


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join).filter(str.strip))
def test_no_text_is_markup_in_markdown(name: str) -> None:
    assert_literal_in_markdown(name)


def typeset(latex: str) -> str:
    """Return LaTeX as text, with the signs that its default fonts show for bars and backquotes."""
    for source, text in (("|", "—"), (r"{\textbar}", "|"), ("`", "‘")):
        latex = latex.replace(source, text)
    reader = LatexNodes2Text(math_mode="text", keep_comments=True)
    return str(reader.latex_to_text(latex)).strip()


@pytest.mark.parametrize("name", [name for name in NAMES if "--" not in name])
def test_a_name_is_shown_literally_in_latex(name: str) -> None:
    lines = to_latex(named(name)).splitlines()
    [caption] = [line for line in lines if line.startswith(r"\caption")]
    assert typeset(caption.removeprefix(r"\caption{").removesuffix("}")) == name
    rows = [line.removesuffix(r"\\").split(" & ") for line in lines if line.endswith(r"\\")]
    assert [[*map(typeset, row)] for row in rows] == [
        *(["Data set", name], [name, name], ["plain", "0.500"], [name, "0.250"])
    ]
    # After the end of a row, LaTeX takes these signs for an option.
    assert not any(row[0].strip().startswith(("[", "*")) for row in rows)
    assert typeset(lines[-2]) == name


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_shown_literally_in_a_terminal(name: str) -> None:
    text = to_terminal(named(name), 100)
    assert text.count(name) >= 6
    assert "\x1b" not in text


def test_controls_and_line_ends_of_a_name_do_not_change_the_layout() -> None:
    table = named(f"a\n\n{''.join(CONTROLS)}\nb")
    for text in (to_markdown(table), to_latex(table), to_terminal(table, 200)):
        assert not CONTROLS & {*text}
    assert len(to_markdown(table).splitlines()) == len(to_markdown(named("a")).splitlines())
    assert len(to_latex(table).splitlines()) == len(to_latex(named("a")).splitlines())
    assert r"\x1b" in to_terminal(table, 200)


@given(st.floats(-1e6, 1e6), st.integers(0, 6), st.booleans(), st.booleans())
def test_a_number_has_the_asked_decimals_a_minus_to_read_and_zero_has_no_sign(
    value: float, digits: int, percent: bool, signed: bool
) -> None:
    text = number_text(value, digits, percent=percent, signed=signed)
    back = float(text.replace("−", "-"))
    assert back == round(100 * value if percent else value, digits)
    assert len(text.partition(".")[2]) == digits
    assert "-" not in text
    assert text.startswith("−") == (back < 0)
    assert text.startswith("+") == (signed and back > 0)


@given(st.floats(1e-9, 1e9), st.integers(2, 6), st.sampled_from([-1, 1]))
def test_significant_digits_follow_the_size(size: float, digits: int, sign: int) -> None:
    text = significant(sign * size, digits)
    assert re.fullmatch(r"−?\d+(\.\d+)?", text)
    unit = 10.0 ** min(0, floor(log10(size)) - digits + 1)
    assert abs(float(text.replace("−", "-")) - sign * size) <= unit / 2 * (1 + 1e-6)
    assert (significant(0.0), significant(-0.5)) == ("0.0000", "−0.5000")
    # The same number in percent has two decimals less.
    assert significant(0.12346, percent=True) == significant(12.346) == "12.35"


def test_a_printed_number_keeps_its_digits_in_percent() -> None:
    pairs = {"0.0420": "4.20", "0.1": "10", "1": "100", "0.004": "0.4", "": ""}
    assert {text: printed_text(text, True) for text in pairs} == pairs
    assert all(printed_text(text, False) == text for text in pairs)


def test_a_dagger_is_after_what_is_outside() -> None:
    for entry, text in (
        (Entry(), "–"),
        (Entry(""), ""),
        (Entry(nan), "–"),
        (Entry(inf), "∞"),
        (Entry(-inf), "–"),
        (Entry("word", mark="*"), r"word\*"),
        (Entry(0.1236), "0.124"),
        (Entry(0.1236, 0.02, digits=2), "0.12 ± 0.02"),
        (Entry(0.1236, 0.02, digits=2, percent=True), "12.36 ± 2.00"),
        (Entry(0.1236, bold=True, mark="*"), r"**0.124**\*"),
        (Entry(0.1236, signed=True), "+0.124"),
        (Entry(0.1, printed="0.2"), "0.100 (0.2)"),
        (Entry(None, 0.1, "0.2"), "– (0.2)"),
        (Entry(0.1, printed="0.2", printed_bold=True), "0.100 (**0.2**)"),
        (Entry(0.1, printed="0.2", outside=True), "0.100 (0.2†)"),
        (Entry(0.1, printed="0.2", printed_spread="0.3", outside=True), "0.100 (0.2† ± 0.3)"),
        (Entry(0.1, None, "0.2", "0.3", spread_outside=True), "0.100 (0.2 ± 0.3†)"),
        (OFF, "**0.120 ± 0.020** (**0.131**† ± 0.002†)"),
    ):
        assert entry_text(entry) == text


def test_markdown_has_a_title_aligned_entries_and_notes_as_paragraphs() -> None:
    lines = to_markdown(TABLE).splitlines()
    assert lines[0] == "## A title: α & β"
    assert lines[3].startswith("|:---")
    assert lines[3].endswith("---:|")
    assert lines[-4:] == ["", "A note.", "", r"\* marks ε ≤ 1."]
    left = to_markdown(replace(TABLE, align="left")).splitlines()
    assert left[3].split("|")[2].startswith(":---")


def test_latex_has_three_rules_a_label_and_the_marks_of_markdown() -> None:
    text = to_latex(TABLE, "tab:table_1-errors")
    for rule in ("top", "mid", "bottom"):
        assert text.count(rf"\{rule}rule") == 1
    assert r"\hline" not in text
    title = r"A title: \ensuremath{\alpha} \& \ensuremath{\beta}"
    assert rf"\caption{{{title}}}\label{{tab:table-1-errors}}" in text
    dagger, plus_minus = r"{\textdagger}", r" \ensuremath{\pm} "
    ours = rf"\textbf{{0.120{plus_minus}0.020}}"
    assert rf"{ours} (\textbf{{0.131}}{dagger}{plus_minus}0.002{dagger}) \\" in text
    assert r"{\textendash}*" in text
    assert r"\label" not in to_latex(TABLE)


def test_a_table_without_rows_has_title_and_notes_alone() -> None:
    empty = replace(TABLE, rows=())
    assert "tabular" not in to_latex(empty)
    assert r"\caption" in to_latex(empty)
    assert [tags for _, tags in parsed(to_markdown(empty))] == ["h2", "p", "p"]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_latex_can_be_typeset(engine: str, tmp_path: Path) -> None:
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not installed")
    start = "\\documentclass{article}\n\\usepackage{booktabs,graphicx}\n\\begin{document}\n"
    tables = "\n".join(map(to_latex, (TABLE, *map(named, NAMES))))
    (tmp_path / "all.tex").write_text(f"{start}{tables}\\end{{document}}\n", "utf-8")
    words = [engine, "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "all.log").read_text("utf-8", errors="replace")
    assert done.returncode == 0, log
    assert "Missing character" not in log


def test_a_table_is_written_as_markdown_and_csv(tmp_path: Path) -> None:
    write_table(TABLE, tmp_path / "new", "t")
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["t.csv", "t.md"]
    assert (tmp_path / "new" / "t.csv").read_text() == "dataset,l\nletter_ab,0.1\nzoo,\n"
    assert (tmp_path / "new" / "t.md").read_text() == to_markdown(TABLE)


def test_a_csv_keeps_eight_digits_of_numbers_and_all_of_texts() -> None:
    rows = (("0.123456789", 1 / 3, 123456789012, 2e-300 / 3, 0.5, -0.25),)
    text = csv_text(("a", "b", "c", "d", "e", "f"), rows)
    assert text == "a,b,c,d,e,f\n0.123456789,0.33333333,123456789012,6.6666667e-301,0.5,-0.25\n"
    # A number without a value is an empty field.
    assert csv_text(("a", "b", "c"), [(nan, None, "x")]) == "a,b,c\n,,x\n"


@pytest.mark.parametrize("name", NAMES)
def test_a_csv_has_names_as_they_are(name: str) -> None:
    table = replace(TABLE, data_header=(name, "x"), data_rows=((name, 0.5),))
    assert [*csv.reader(io.StringIO(to_csv(table)))] == [[name, "x"], [name, "0.5"]]


def six_columns() -> Table:
    """Return a table of six columns in which every number occurs once."""
    entries = [Entry(i / 1000, printed=f"1.{i:03d}", outside=True) for i in range(12)]
    rows = (("data set 0", tuple(entries[:6])), ("data set 1", tuple(entries[6:])))
    notes = ("* is a star, [red]this[/] is not a colour. " * 5,)
    return Table("Six: a title", ("Data set", *"abcdef"), rows, notes)


@pytest.mark.parametrize("width", [100, 140])
def test_every_number_is_whole_and_no_line_is_too_wide_or_ends_with_blanks(width: int) -> None:
    text = to_terminal(six_columns(), width)
    assert "* is a star, [red]this[/] is not a colour." in text
    for i in range(12):
        assert text.count(f"0.{i:03d}") == text.count(f"(1.{i:03d}†)") == 1
    assert max(map(len, text.splitlines())) <= width
    assert re.search(r"\x1b| $", text, re.MULTILINE) is None


def test_a_number_and_its_deviation_stay_on_one_line() -> None:
    entries = (Entry(1.25, 0.5, digits=2),) * 6
    table = Table("T", ("x", *"abcdef"), (("row", entries),))
    assert to_terminal(table, 100).count("1.25\u00a0±\u00a00.50") == 6


def test_bold_type_is_for_terminals_that_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    table = Table("T", ("x", "a"), (("row", (Entry(1.0, bold=True),)),))
    for term, codes in (("xterm", True), ("dumb", False)):
        monkeypatch.setenv("TERM", term)
        assert ("\x1b[1m" in to_terminal(table, 80, colour=True)) is codes
        assert "\x1b" not in to_terminal(table, 80)


SIZES = st.floats(1e-7, 1e7)


@given(st.lists(SIZES, min_size=1, max_size=5), st.integers(1, 5))
def test_decimals_give_the_largest_value_its_digits(sizes: list[float], digits: int) -> None:
    largest = max(sizes)
    text = f"{largest:.{decimals([-size for size in sizes], digits)}f}"
    # Half a unit of the last of the digits is the largest error.
    power = 0
    while 10 ** (power + 1) <= largest:
        power += 1
    while 10.0**power > largest:
        power -= 1
    unit = 10.0 ** min(power - digits + 1, 0)
    assert abs(float(text) - largest) <= unit / 2 * (1 + 1e-9)
    assert decimals(sizes, digits) <= max(0, digits - 1 - power)


def test_missing_infinite_and_zero_values_do_not_decide_decimals() -> None:
    assert decimals([None, nan, inf, -inf, 0.0, 0.0123]) == decimals([0.0123]) == 5
    assert decimals([None, nan, 0.0]) == 4


def test_moments_are_none_with_too_few_values() -> None:
    assert moments([]) == (None, None)
    assert moments([0.5]) == (0.5, None)
    values = [0.1, 0.4, 0.2]
    assert moments(values) == (pytest.approx(mean(values)), pytest.approx(stdev(values)))
    # The deviation of equal values is exactly zero.
    assert moments([0.1] * 7) == (0.1, 0.0)


def test_items_with_commas_are_separated_by_semicolons() -> None:
    assert [listed("abc"[:n]) for n in (1, 2, 3)] == ["a", "a and b", "a, b and c"]
    assert listed(["a, b", "c"]) == "a, b; c"
