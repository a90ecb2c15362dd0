from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quadrepro.errors import DataError
from quadrepro.tables.table import (
    Table,
    TableEntry,
    csv_text,
    escaped,
    read_rows,
    row_start,
    start_of_row,
)

TABLE = Table(
    "A title",
    ("Data set", "L∞"),
    (
        ("letter_ab", (TableEntry("0.1", "0.2", bold=True, printed_bold=True, mark="†"),)),
        ("zoo", (TableEntry("–", grey=True, mark="*"),)),
        ("wine", (TableEntry("< 0.001"),)),
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


def test_two_files_are_written(tmp_path: Path) -> None:
    TABLE.write(tmp_path / "new", "t")
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["t.csv", "t.md"]
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
    [(".md", Table.to_markdown), (".csv", Table.to_csv)],
)
@given(names)
@example(["_ |", "_"])
@example(["=1\x1b", "@<b>", "'-a"])
def test_every_row_is_found_by_its_name_in_every_file(ending, rendered, names) -> None:
    rows = tuple((name, (TableEntry(str(i)),)) for i, name in enumerate(names))
    data = tuple((name, i) for i, name in enumerate(names))
    table = Table("T", ("Set", "x"), rows, ("A note.",), ("set", "x"), data)
    lines = rendered(table).splitlines()
    for i, name in enumerate(names):
        found = [line for line in lines if row_start(line, ending) == start_of_row(name, ending)]
        assert len(found) == 1
        assert str(i) in found[0]
    assert not any(row_start(line, ending) == start_of_row("abc", ending) for line in lines)


def test_a_csv_keeps_eight_digits_of_numbers_and_all_of_words() -> None:
    rows = (("0.123456789", 1 / 3, 123456789012, 2e-300 / 3, 0.5),)
    text = csv_text(("a", "b", "c", "d", "e"), rows)
    assert text == "a,b,c,d,e\n0.123456789,0.33333333,123456789012,6.6666667e-301,0.5\n"


def test_names_of_strangers_are_text_in_every_file(tmp_path: Path) -> None:
    name = "=a\x1b[31m\n<b>|\u202e"
    rows = ((name, (TableEntry(name, mark="\x07"),)),)
    data = ((name, -0.5, "-0.5", ""),)
    table = Table(name, (name, "x"), rows, (f"{name} **bold**",), ("@x", name, "y", "z"), data)
    table.write(tmp_path, "t")
    markdown, latex = (tmp_path / "t.md").read_text(), table.to_latex()
    cell = r"=a\x1b[31m\n&lt;b>\|\u202e"
    assert f"| {cell}   | {cell}\\x07 |" in markdown
    assert "## =a\\x1b[31m\n&lt;b>|\\u202e\n" in markdown
    assert r"&lt;b>|\u202e **bold**" in markdown
    assert not set(markdown + latex) & set("\x1b\x07\u202e")
    assert (tmp_path / "t.csv").read_text().startswith(f"'@x,\"'{name}\",y,z\n")
    [(_, row)] = read_rows(tmp_path / "t.csv", ("@x", name))
    assert row == {"@x": name, name: "-0.5", "y": "-0.5", "z": ""}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a,b\n1,2\n",
            r"t\.csv: unknown column 'c'; quadrepro table .* writes the folder again",
        ),
        ("c" + ",c" * 1_000, r"t\.csv: 1,001 columns: at most 1,000 are read"),
        ("c\n" + "1" * 200_000, r"t\.csv:2: field larger than field limit"),
    ],
)
def test_a_csv_of_another_make_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(DataError, match=message):
        list(read_rows(tmp_path / "t.csv", ("c",)))


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("letter_ab & 5 % of #1 for $2", r"letter\_ab \& 5 \% of \#1 for \$2"),
        (r"a\b{c}~^", r"a\textbackslash{}b\{c\}\textasciitilde{}\textasciicircum{}"),
        ("L∞ ≤ ε, λ → Π", r"L$\infty$ $\leq$ $\varepsilon$, $\lambda$ $\rightarrow$ $\Pi$"),
        ("0.1 ± 0.2 < |x|", r"0.1 $\pm$ 0.2 $<$ $|$x$|$"),
        ("‖x‖², x₀, ½", r"$\|$x$\|$\textsuperscript{2}, x\textsubscript{0}, 1/2"),
        ("Rätsch, Čech", r"R\"{a}tsch, \v{C}ech"),
        ("a\u0308", r"\"{a}"),
        ("– — ’ “x”", "-- --- ' {``}x''"),
        ("-0.5 and 3-4, e-05, (-1)", "$-$0.5 and 3-4, e-05, ($-$1)"),
        ("--jobs, a,,b, ''", "-{}-jobs, a,{},b, '{}'"),
        ("[0, 1]*", r"{[}0, 1]$\ast$"),
        ("line\nbreak", "line break"),
        ("漢", "{[}U+6F22]"),
    ],
)
def test_characters_are_set_as_text_or_maths(text: str, latex: str) -> None:
    assert escaped(text) == latex


@given(st.text())
def test_any_text_becomes_printable_ascii_with_balanced_braces_and_maths(text: str) -> None:
    latex = escaped(text)
    assert re.fullmatch(r"[ -~]*", latex)
    plain = re.sub(r"\\[^A-Za-z]", "", latex)
    assert plain.count("{") == plain.count("}")
    assert plain.count("$") % 2 == 0
    assert not re.search("[%&#]", plain)


def test_letters_that_look_alike_and_all_of_the_greek_alphabet_are_known() -> None:
    greek = [chr(code) for code in (*range(0x391, 0x3AA), *range(0x3B1, 0x3CA)) if code != 0x3A2]
    assert all(unicodedata.name(char).startswith("GREEK") for char in greek)
    assert not any("U+" in escaped(char) for char in greek)
    assert escaped("Αα") == r"$A$$\alpha$"
