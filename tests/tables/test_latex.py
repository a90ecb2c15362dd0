from __future__ import annotations

import re
import string
from dataclasses import replace
from pathlib import Path

import pytest

from quadrepro.base.resources import configs_folder
from quadrepro.tables.table import (
    _MATHS,
    _TEXT,
    LABEL,
    LONG,
    NOTE,
    PREAMBLE,
    Table,
    TableEntry,
    escaped,
)
from tests.tables.typesetting import ENGINES, faults

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

TABLE = Table(
    "A title: α",
    ("Data set", "L∞"),
    (
        ("letter_ab", (TableEntry("0.1", "0.2", bold=True, printed_bold=True, mark="†"),)),
        ("zoo", (TableEntry("–", grey=True, mark="*"),)),
        ("wine", (TableEntry("< 0.001", best=True),)),
        ("[x]", (TableEntry("-1", "2", printed_best=True),)),
    ),
    ("A note.", r"\* marks ε ≤ 1."),
)


def table(n_rows: int, n_columns: int, entry: TableEntry, note: str = "A note.") -> Table:
    rows = tuple((f"row {i}", (entry,) * n_columns) for i in range(n_rows))
    return Table("T", ("Data set", *(f"column {i}" for i in range(n_columns))), rows, (note,))


def rows_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("row ")]


def test_names_are_escaped_and_markup_is_kept() -> None:
    lines = TABLE.to_latex().splitlines()
    assert r"Data set & L$\infty$ \\" in lines
    assert r"letter\_ab & \textbf{0.1}\textsuperscript{$\dagger$} (\textbf{0.2}) \\" in lines
    assert r"zoo & \textcolor{gray}{--\textsuperscript{$\ast$}} \\" in lines
    assert r"wine & \cellcolor{gray!25}$<$ 0.001 \\" in lines
    assert r"{[}x] & $-$1 (\underline{2}) \\" in lines


def test_title_and_notes_are_set_and_the_preamble_is_named() -> None:
    text = TABLE.to_latex("tab:table_1-risks")
    assert text.startswith("".join(f"% Requires {line}\n" for line in PREAMBLE.splitlines()))
    assert "\\caption{A title: $\\alpha$}\n\\label{tab:table-1-risks}\n" in text
    assert f"{NOTE}A note.}}\n{NOTE}$\\ast$ marks $\\varepsilon$ $\\leq$ 1.}}\n" in text
    assert r"\label" not in TABLE.to_latex()


def test_a_long_table_goes_on_in_parts_of_equal_length_with_the_notes_in_the_last() -> None:
    text = table(2 * LONG + 1, 1, TableEntry("1")).to_latex()
    parts = text.split(r"\begin{table}")[1:]
    assert [len(rows_of(part)) for part in parts] == [25, 25, 23]
    assert rows_of(text) == [rf"row {i} & 1 \\" for i in range(2 * LONG + 1)]
    assert [part.count(r"\caption") for part in parts] == [1, 0, 0]
    assert [part.count(NOTE) for part in parts] == [0, 0, 1]
    assert [r"\thetable{} (continued)" in part for part in parts] == [False, True, True]
    assert table(LONG, 1, TableEntry("1")).to_latex().count(r"\begin{table}") == 1


def test_printed_numbers_go_below_ours_where_rows_are_too_wide() -> None:
    entry = TableEntry("1.234 ± 0.567", "1.235 ± 0.568", mark="†")
    assert "addlinespace" not in table(1, 3, entry).to_latex()
    lines = table(1, 5, entry).to_latex().splitlines()
    ours = r"1.234 $\pm$ 0.567\textsuperscript{$\dagger$}"
    at = lines.index(rf"row 0 & {' & '.join([ours] * 5)} \\")
    below = " & ".join([r"(1.235 $\pm$ 0.568)"] * 5)
    assert lines[at + 1] == rf" & {below} \\ \addlinespace[2pt]"


def test_how_long_a_measured_time_is_does_not_change_the_layout() -> None:
    def timed(seconds: str) -> Table:
        rows = (("a", (TableEntry("1", "2"),)), ("time", (TableEntry(seconds, "3"),)))
        return Table("T", ("Data set", "x"), rows, (), timed_rows=("time",))

    short, long = (timed(seconds).to_latex() for seconds in ("1", "1" * 200))
    assert long.replace("1" * 200, "1") == short


def test_what_results_were_computed_with_does_not_change_the_layout() -> None:
    plain = table(LONG, 1, TableEntry("1"))
    told = replace(plain, notes=(*plain.notes, LABEL + "computed long ago. " * 100))
    assert told.to_latex().count(r"\begin{table}") == plain.to_latex().count(r"\begin{table}")


def test_long_headings_are_wrapped() -> None:
    heading = table(1, 1, TableEntry("1")).to_latex()
    assert r"Data set & column 0 \\" in heading
    wide = Table("T", ("Data set", "Rademacher complexity"), (("a", (TableEntry("1"),)),), ())
    inner = r"\begin{tabular}[b]{@{}r@{}}Rademacher \\ complexity\end{tabular}"
    assert rf"Data set & {inner} \\" in wide.to_latex()


def characters() -> list[str]:
    """Return what occurs in configs, papers, cards and tables, and what has a sign of its own."""
    folders = [configs_folder(), ROOT / "datasets", ROOT / "quadrepro/papers", ROOT / "results"]
    files = [p for folder in folders for p in folder.rglob("*") if p.suffix in (".yaml", ".md")]
    found = set().union(*(set(path.read_text(encoding="utf-8")) for path in files))
    known = {*_TEXT, *_MATHS, *string.printable, *map(chr, range(0xA0, 0x250))}
    return sorted(found | known | set("₀₁ᵀ½№ấ漢🙂\u0301\u200d"))


SHAPES = {
    "empty": Table("", ("",), (), ()),
    "marked": TABLE,
    "narrow": table(5, 1, TableEntry("1"), "A long note. " * 40),
    "wide": table(LONG, 16, TableEntry("0.123", "0.456", mark="†", best=True)),
    "wide and long": table(
        3 * LONG, 9, TableEntry("0.123 ± 0.456", "0.789 ± 0.012", printed_best=True, bold=True)
    ),
    "words": Table(
        "Words",
        ("claim", "judgement in many words " * 4),
        tuple((f"{char} claim" * 5, (TableEntry(f"it holds{char} " * 9),)) for char in "[*-&"),
        (),
        align="left",
    ),
    "characters": Table(
        " ".join(characters()[:90]),
        ("", *map("x{}y".format, characters()[:9])),
        tuple((f"{c}{c}", (TableEntry(f"{c} {c}", c, mark=c, bold=True),)) for c in characters()),
        (" ".join(characters()[90:180]),),
    ),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_tables_of_all_shapes_and_characters_can_be_set(engine: str, tmp_path: Path) -> None:
    for name, shape in SHAPES.items():
        (tmp_path / f"{name.replace(' ', '-')}.tex").write_text(shape.to_latex(), encoding="utf-8")
    assert faults(engine, sorted(tmp_path.glob("*.tex")), tmp_path) == []


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("bad", [(r"\rule{2\linewidth}{1pt}", "漢"), (r"\nosuch",)])
def test_tables_that_cannot_be_set_are_found(
    engine: str, bad: tuple[str, ...], tmp_path: Path
) -> None:
    files = [tmp_path / f"{i}.tex" for i in range(len(bad))]
    for file, text in zip(files, bad, strict=True):
        file.write_text(text, encoding="utf-8")
    kinds = {line.split()[0] for line in faults(engine, files, tmp_path)}
    assert len(kinds) == len(bad)


def test_every_row_is_on_one_line() -> None:
    names = [name for name, _ in SHAPES["characters"].rows]
    lines = SHAPES["characters"].to_latex().splitlines()
    starts = [re.split(r" & ", line)[0] for line in lines]
    assert {escaped(name) for name in names} <= set(starts)
