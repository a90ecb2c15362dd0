"""A typed table, and its renderings in Markdown, CSV and LaTeX.

`quadrepro.tables.terminal` draws it in a terminal.
"""

from __future__ import annotations

import csv
import io
import re
import textwrap
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from tabulate import tabulate

from quadrepro.base.files import read_text, write_text
from quadrepro.base.text import as_cell, from_cell, markdown, visible
from quadrepro.errors import DataError

PREAMBLE = r"""\usepackage{booktabs,graphicx}
\usepackage[table]{xcolor}
"""
"""LaTeX packages that a table needs."""


NOTE = r"\par\smallskip\parbox{\linewidth}{\footnotesize "
"""How the line of a note begins."""


CROWDED = 120
"""Characters of a row for which printed numbers go below ours: scaled, they would be too small."""


LONG = 36
"""Lines of a table that fit on a page with its caption and some lines of notes."""


NOTED, NOTE_WIDTH = 8, 90
"""Lines of notes for which there is room beside these, and characters of such a line."""


_FIT = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def to_latex(table: Table, label: str) -> str:
    """Return the table, or its parts, and the notes below the last one."""
    stacked = _is_crowded(table)
    # Results that agree are laid out alike, whatever they were computed with.
    notes = [note for note in table.notes if not note.startswith(LABEL)]
    lines_of_notes = sum(1 + len(note) // NOTE_WIDTH for note in notes)
    room = max(LONG // 3, LONG - max(0, lines_of_notes - NOTED))
    parts = list(_parts(table, room // 2 if stacked else room))
    align = "l" + (len(table.header) - 1) * table.align[0]
    heads = " & ".join(
        _heading(title, column) for title, column in zip(table.header, align, strict=True)
    )
    caption = [rf"\caption{{{escaped(table.title)}}}"]
    if label:
        caption.append(rf"\label{{{re.sub('[^A-Za-z0-9:]+', '-', label)}}}")
    lines = [f"% Requires {line}" for line in PREAMBLE.splitlines()]
    for i, rows in enumerate(parts):
        lines += [r"\begin{table}", r"\centering"]
        lines += caption if i == 0 else [r"\tablename~\thetable{} (continued)\par"]
        lines += [r"\smallskip", _FIT, rf"\begin{{tabular}}{{{align}}}", r"\toprule"]
        lines += [rf"{heads} \\", r"\midrule"]
        for name, entries in rows:
            lines += _row(name, entries, stacked)
        lines += [r"\bottomrule", r"\end{tabular}}"]
        if i == len(parts) - 1:
            lines += [f"{NOTE}{escaped(plain(note))}}}" for note in table.notes]
        lines.append(r"\end{table}")
    return "\n".join(lines) + "\n"


def _parts(table: Table, n: int) -> Iterator[tuple[tuple[str, tuple[TableEntry, ...]], ...]]:
    """Yield the rows in parts of at most n that are equally long."""
    n_parts = max(1, -(-len(table.rows) // n))
    length = max(1, -(-len(table.rows) // n_parts))
    for start in range(0, max(1, len(table.rows)), length):
        yield table.rows[start : start + length]


def _is_crowded(table: Table) -> bool:
    """Return whether printed numbers make rows too wide; measured times do not count."""
    rows = [(n, e) for n, e in table.rows if n not in table.timed_rows]
    if not any(e.printed for _, entries in rows for e in entries):
        return False
    columns = zip(*(entries for _, entries in rows), strict=True)
    widths = [max(len(f"{e.ours}{e.mark} ({e.printed})") for e in column) for column in columns]
    names = max(len(name) for name, _ in rows)
    return names + sum(width + 2 for width in widths) > CROWDED


def _heading(title: str, align: str) -> str:
    """Return a heading, in lines if it is long."""
    lines = textwrap.wrap(title, HEADING, break_on_hyphens=False, break_long_words=False)
    if len(lines) < 2:
        return escaped(title)
    text = r" \\ ".join(map(escaped, lines))
    return rf"\begin{{tabular}}[b]{{@{{}}{align}@{{}}}}{text}\end{{tabular}}"


def _row(name: str, entries: tuple[TableEntry, ...], stacked: bool) -> list[str]:
    if not stacked:
        cells = [f"{_ours(e)} ({_printed(e)})" if e.printed else _ours(e) for e in entries]
        return [rf"{' & '.join([escaped(name), *map(_greyed, entries, cells)])} \\"]
    ours = map(_greyed, entries, map(_ours, entries))
    lines = [rf"{' & '.join([escaped(name), *ours])} \\"]
    if any(e.printed for e in entries):
        cells = [f"({_printed(e)})" if e.printed else "" for e in entries]
        lines.append(rf" & {' & '.join(map(_greyed, entries, cells))} \\ \addlinespace[2pt]")
    return lines


def _ours(entry: TableEntry) -> str:
    text = rf"\textbf{{{escaped(entry.ours)}}}" if entry.bold else escaped(entry.ours)
    if entry.mark:
        text += rf"\textsuperscript{{{escaped(entry.mark)}}}"
    return rf"\cellcolor{{gray!25}}{text}" if entry.best else text


def _printed(entry: TableEntry) -> str:
    text = rf"\textbf{{{escaped(entry.printed)}}}" if entry.printed_bold else escaped(entry.printed)
    return rf"\underline{{{text}}}" if entry.printed_best else text


def _greyed(entry: TableEntry, text: str) -> str:
    return rf"\textcolor{{gray}}{{{text}}}" if entry.grey and text else text


LABEL = "Provenance: "
"""Begins the note of a table on how its cells were computed."""


MISSING = "–"
"""Stands for an entry without a result."""

OUTSIDE = "†"
"""Marks an entry with a printed number outside our interval."""

BEST = "◆"
"""Stands before the best of a row if bold means more than that."""

DIGITS = 8
"""Significant digits of numbers in a CSV: few enough to be the same on every processor."""

HEADING = 10
"""Characters of a line of a heading where it is broken."""

MOST_COLUMNS = 1_000
"""Number of columns of a CSV above which it is not read back."""

ENDINGS = (".md", ".csv")
"""File extensions written per table."""


Value = str | float | int | None
"""A field of a CSV; None is an empty one."""

VerdictWord = Literal["inside", "outside", "not comparable", ""]
"""Where a printed number lies among ours; empty if there is none."""


@dataclass(frozen=True)
class TableEntry:
    """One cell of a table: our number and the printed one."""

    ours: str
    """Our number, rounded for reading."""
    printed: str = ""
    """The number in the paper; empty if there is none."""
    bold: bool = False
    printed_bold: bool = False
    """Whether each is the best of its row, or as good as the best if the table says so."""
    mark: str = ""
    """A sign after our number, which the notes of the table explain."""
    grey: bool = False
    """Whether the entry only repeats another one."""
    best: bool = False
    printed_best: bool = False
    """Whether each is the best of its row, for tables in which bold means more than that. It gets a
    ◆ in front of it; in LaTeX a shaded cell, or an underlined printed number."""
    verdict: VerdictWord = ""
    """Where the printed number lies among ours; empty if they cannot be compared. It is a colour in
    a terminal; "outside" is marked everywhere."""

    def __post_init__(self) -> None:
        """Show control characters as text wherever the entry is written, and mark a verdict."""
        for name in ("ours", "printed", "mark"):
            object.__setattr__(self, name, visible(getattr(self, name)))
        if self.verdict == "outside" and not self.mark.endswith(OUTSIDE):
            object.__setattr__(self, "mark", self.mark + OUTSIDE)


@dataclass(frozen=True)
class Table:
    """Rows of entries with a title and notes."""

    title: str
    """Title of the table."""
    header: tuple[str, ...]
    """One title per column, including the column of row names."""
    rows: tuple[tuple[str, tuple[TableEntry, ...]], ...]
    """Name and entries of each row."""
    notes: tuple[str, ...]
    """Paragraphs below the table."""
    data_header: tuple[str, ...] = ()
    data_rows: tuple[tuple[Value, ...], ...] = ()
    """The same with eight digits for the CSV, in which every number has a column of its own; empty
    for a table of words."""
    align: Literal["right", "left"] = "right"
    """Alignment of the entries; row names are aligned left."""
    timed_rows: tuple[str, ...] = ()
    """Names of the rows that hold measured times, in the table or in the CSV."""

    def __post_init__(self) -> None:
        """Show control characters as text, wherever the table is written but in its CSV."""
        object.__setattr__(self, "title", visible(self.title))
        object.__setattr__(self, "header", tuple(map(visible, self.header)))
        object.__setattr__(self, "rows", tuple((visible(name), es) for name, es in self.rows))
        object.__setattr__(self, "notes", tuple(map(visible, self.notes)))

    def to_markdown(self) -> str:
        """Return the table as GitHub Markdown."""
        body = [[_piped(name), *(_markdown(e) for e in entries)] for name, entries in self.rows]
        header = [_piped(h) for h in self.header]
        parts = [f"## {markdown(self.title)}"]
        if body:
            align = self._alignment
            parts.append(tabulate(body, header, "pipe", colalign=align, disable_numparse=True))
        return "\n\n".join((*parts, *map(markdown, self.notes))) + "\n"

    def to_latex(self, label: str = "") -> str:
        r"""Return the table as a LaTeX ``table`` with caption and notes."""
        return to_latex(self, label)

    @property
    def _alignment(self) -> tuple[str, ...]:
        return ("left", *(self.align for _ in self.header[1:]))

    def to_csv(self) -> str:
        """Return the numbers with eight digits as CSV."""
        return csv_text(self.data_header, self.data_rows)

    def write(self, folder: Path, stem: str, endings: tuple[str, ...] = ENDINGS) -> None:
        """Write ``stem.md`` and ``stem.csv``, or one of them."""
        texts = {".md": self.to_markdown, ".csv": self.to_csv}
        for ending in endings:
            write_text(folder / f"{stem}{ending}", texts[ending]())


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """Return CSV with LF line ends and numbers of `DIGITS` digits."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(map(as_cell, header))
    writer.writerows([_rounded(value) for value in row] for row in rows)
    return buffer.getvalue()


def _rounded(value: Value) -> Value:
    if isinstance(value, str):
        return as_cell(value)
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def unmarked_csv(text: str) -> io.StringIO:
    """Return CSV as `csv_text` writes it, without the apostrophes in front of formulas."""
    buffer = io.StringIO()
    rows = csv.reader(io.StringIO(text, newline=""))
    csv.writer(buffer, lineterminator="\n").writerows(map(from_cell, row) for row in rows)
    buffer.seek(0)
    return buffer


def read_rows(path: Path, columns: Collection[str] = ()) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a CSV that `csv_text` has written, each with the number of its line."""
    lines = csv.reader(io.StringIO(read_text(path), newline=""))
    try:
        header = [*map(from_cell, next(lines, columns))]
        if len(header) > MOST_COLUMNS:
            raise DataError(f"{path}: {len(header):,} columns: at most {MOST_COLUMNS:,} are read")
        if missing := [column for column in columns if column not in header]:
            raise DataError(
                f"{path}: unknown column {missing[0]!r}; quadrepro table "
                f"{path.absolute().parent.name} writes the folder again"
            )
        for fields in filter(None, lines):
            fields += [""] * (len(header) - len(fields))
            yield lines.line_num, dict(zip(header, map(from_cell, fields), strict=False))
    except csv.Error as error:
        raise DataError(f"{path}:{lines.line_num}: {error}") from None


def row_start(line: str, ending: str) -> str | None:
    """Return the first cell of a line as it is written; None if the line is not a row."""
    if ending == ".csv":
        return from_cell((next(csv.reader([line]), None) or [""])[0])
    end = re.search(r"(?<!\\)\|", line[2:])
    return line[2:][: end.start()].rstrip(" ") if end and line.startswith("| ") else None


def start_of_row(name: str, ending: str) -> str:
    """Return the first cell of the row of that name as it is written."""
    return _piped(name).rstrip(" ") if ending == ".md" else name


def plain(note: str) -> str:
    """Return a note without the backslashes that Markdown needs."""
    return re.sub(r"\\([*_|`\\])", r"\1", note)


def _piped(text: str) -> str:
    """Return text for a cell of a Markdown table."""
    return markdown(text).replace("|", r"\|").replace("\n", r"\n")


def _markdown(entry: TableEntry) -> str:
    ours = f"**{entry.ours}**" if entry.bold else entry.ours
    printed = f"**{entry.printed}**" if entry.printed_bold else entry.printed
    ours = f"{BEST} {ours}" if entry.best else ours
    printed = f"{BEST} {printed}" if entry.printed_best else printed
    text = _piped(f"{ours}{entry.mark} ({printed})" if printed else f"{ours}{entry.mark}")
    return f"_{text}_" if entry.grey else text


# Text for LaTeX: every character as something that any engine and font encoding sets. Mathematical
# signs and Greek letters go through math fonts, accents through their commands, so that neither
# pdflatex nor lualatex needs a package or a font for them.


def _pairs(text: str) -> dict[str, str]:
    """Return the words of a text, every second of which belongs to the one before it."""
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_TEXT = {
    **_pairs(r"""
        & \&  % \%  _ \_  # \#  $ \$  { \{  } \}  * $\ast$  ~ \textasciitilde{}
        ^ \textasciicircum{}  \ \textbackslash{}  ` \textasciigrave{}  " ''  – --  — ---  ‐ -  ‑ -
        ‘ {`}  ’ '  “ {``}  ” ''  „ ,,  ⁄ /  … \ldots{}
    """),
    # In brackets, for either would be an argument of the line break before it.
    "[": "{[}",
    "\u00a0": "~",
    "\u2009": r"\,",
    "\u202f": r"\,",
    "\u00ad": r"\-",
    "\u200b": "",
    "\ufeff": "",
    **_pairs(r"""
        § \S{}  ¶ \P{}  © \copyright{}  £ \pounds{}  € \texteuro{}  ß \ss{}  æ \ae{}  Æ \AE{}
        œ \oe{}  Œ \OE{}  ø \o{}  Ø \O{}  ł \l{}  Ł \L{}  å \aa{}  Å \AA{}  ı \i{}
    """),
    **{char: rf"\c{{{base}}}" for char, base in zip("çÇşŞţŢ", "cCsStT", strict=True)},
}


_MATHS = {
    **_pairs(r"""
        < <  > >  | |  − -  ± \pm  ∓ \mp  × \times  ÷ \div  · \cdot  ⋅ \cdot  ° ^\circ  ∘ \circ
        • \bullet  √ \surd  ∞ \infty  ∑ \sum  ∏ \prod  ∫ \int  ∂ \partial  ∇ \nabla  ∈ \in
        ∉ \notin  ∅ \emptyset  ⊂ \subset  ⊆ \subseteq  ∪ \cup  ∩ \cap  ∀ \forall  ∃ \exists
        ¬ \neg  ∧ \wedge  ∨ \vee  ≤ \leq  ≥ \geq  ≪ \ll  ≫ \gg  « \ll  » \gg  ≠ \neq  ≈ \approx
        ≡ \equiv  ∼ \sim  ∝ \propto  → \rightarrow  ← \leftarrow  ↔ \leftrightarrow  ↑ \uparrow
        ↓ \downarrow  ↦ \mapsto  ⇒ \Rightarrow  ⇔ \Leftrightarrow  ‖ \|  ∥ \|  ⟨ \langle
        ⟩ \rangle  ⌊ \lfloor  ⌋ \rfloor  ⌈ \lceil  ⌉ \rceil  ′ \prime  ℓ \ell  † \dagger
        ‡ \ddagger  ◆ \diamond  ◇ \diamond  ★ \star  ✓ \surd  ✗ \times  µ \mu  ε \varepsilon
        ϵ \epsilon  φ \varphi  ϕ \phi  ϑ \vartheta  ς \varsigma
    """),
    **{
        letter: rf"\{name}"
        for letters, names in (
            ("αβγδζηθικλμνξ", "alpha beta gamma delta zeta eta theta iota kappa lambda mu nu xi"),
            ("πρστυχψω", "pi rho sigma tau upsilon chi psi omega"),
            ("ΓΔΘΛΞΠΣΥΦΨΩ", "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"),
        )
        for letter, name in zip(letters, names.split(), strict=True)
    },
    # Those that look like Latin letters have no command.
    **dict(zip("οΑΒΕΖΗΙΚΜΝΟΡΤΧ", "oABEZHIKMNOPTX", strict=True)),
}

_ACCENTS = {
    "\u0300": r"\`",
    "\u0301": r"\'",
    "\u0302": r"\^",
    "\u0303": r"\~",
    "\u0304": r"\=",
    "\u0306": r"\u",
    "\u0307": r"\.",
    "\u0308": r"\"",
    "\u030b": r"\H",
    "\u030c": r"\v",
    "\u0323": r"\d",
}

_MINUS = re.compile(r"(?<![\w.)\]-])-(?=\.?\d|∞)")
"""A hyphen that is a sign."""

_LIGATURE = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)")
"""Between two characters that fonts would make one of."""


def escaped(text: str) -> str:
    r"""Return text for LaTeX.

    Examples
    --------
    >>> print(escaped("p ≤ 5 %"), escaped("-1"), escaped("χ²"), escaped("漢"))
    p $\leq$ 5 \% $-$1 $\chi$\textsuperscript{2} {[}U+6F22]
    """
    text = _MINUS.sub("−", unicodedata.normalize("NFC", text))
    return "{}".join("".join(map(_character, part)) for part in _LIGATURE.split(text))


@cache
def _character(char: str) -> str:
    if char in _TEXT:
        return _TEXT[char]
    if char in _MATHS:
        return f"${_MATHS[char]}$"
    if " " <= char <= "~":
        return char
    if char.isspace() or unicodedata.category(char) == "Cc":
        return " "
    tag, _, parts = unicodedata.decomposition(char).rpartition("> ")
    plain = "".join(chr(int(code, 16)) for code in parts.split())
    if not tag and len(plain) == 2 and plain[0].isascii() and plain[1] in _ACCENTS:
        return f"{_ACCENTS[plain[1]]}{{{plain[0]}}}"
    if tag in ("<super", "<sub"):
        inside = "".join(map(_character, plain))
        return (
            rf"\textsuperscript{{{inside}}}" if tag == "<super" else rf"\textsubscript{{{inside}}}"
        )
    if tag:
        return "".join(map(_character, plain))
    return f"{{[}}U+{ord(char):04X}]"
