r"""A table as a LaTeX ``table`` that a paper takes in with ``\input``.

A table that is wider than a line is scaled down to it. Before that, long headings are broken and
printed numbers go below ours. One that is longer than a page is continued in a second ``table``.
Notes are sentences, so they are as wide as a line and never scaled; threeparttable would make them
as narrow as a table of two columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from quadrepro.results.manifest import LABEL
from quadrepro.tables.symbols import escaped
from quadrepro.tables.table import Entry, Table, heading_lines, plain

PREAMBLE = r"""\usepackage{booktabs,graphicx}
\usepackage[table]{xcolor}
"""
"""What a document needs to take in a table."""

NOTE = r"\par\smallskip\parbox{\linewidth}{\footnotesize "
"""How the line of a note begins."""

CROWDED = 120
"""Characters of a row for which printed numbers go below ours: scaled, they would be too small."""

LONG = 36
"""Lines of a table that fit on a page beside its caption and some lines of notes."""

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
    lines = [f"% Requires {line}" for line in PREAMBLE.splitlines()]
    for i, rows in enumerate(parts):
        lines += [r"\begin{table}", r"\centering"]
        lines += _caption(table, label) if i == 0 else [r"\tablename~\thetable{} (continued)\par"]
        lines += [r"\smallskip", _FIT, rf"\begin{{tabular}}{{{align}}}", r"\toprule"]
        lines += [rf"{heads} \\", r"\midrule"]
        for name, entries in rows:
            lines += _row(name, entries, stacked)
        lines += [r"\bottomrule", r"\end{tabular}}"]
        if i == len(parts) - 1:
            lines += [f"{NOTE}{escaped(plain(note))}}}" for note in table.notes]
        lines.append(r"\end{table}")
    return "\n".join(lines) + "\n"


def _parts(table: Table, n: int) -> Iterator[tuple[tuple[str, tuple[Entry, ...]], ...]]:
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
    lines = heading_lines(title)
    if len(lines) < 2:
        return escaped(title)
    text = r" \\ ".join(map(escaped, lines))
    return rf"\begin{{tabular}}[b]{{@{{}}{align}@{{}}}}{text}\end{{tabular}}"


def _caption(table: Table, label: str) -> list[str]:
    caption = [rf"\caption{{{escaped(table.title)}}}"]
    return [*caption, rf"\label{{{_slug(label)}}}"] if label else caption


def _slug(label: str) -> str:
    return re.sub("[^A-Za-z0-9:]+", "-", label)


def _row(name: str, entries: tuple[Entry, ...], stacked: bool) -> list[str]:
    if not stacked:
        cells = [f"{_ours(e)} ({_printed(e)})" if e.printed else _ours(e) for e in entries]
        return [rf"{' & '.join([escaped(name), *map(_greyed, entries, cells)])} \\"]
    ours = map(_greyed, entries, map(_ours, entries))
    lines = [rf"{' & '.join([escaped(name), *ours])} \\"]
    if any(e.printed for e in entries):
        cells = [f"({_printed(e)})" if e.printed else "" for e in entries]
        lines.append(rf" & {' & '.join(map(_greyed, entries, cells))} \\ \addlinespace[2pt]")
    return lines


def _ours(entry: Entry) -> str:
    text = rf"\textbf{{{escaped(entry.ours)}}}" if entry.bold else escaped(entry.ours)
    if entry.mark:
        text += rf"\textsuperscript{{{escaped(entry.mark)}}}"
    return rf"\cellcolor{{gray!25}}{text}" if entry.best else text


def _printed(entry: Entry) -> str:
    text = rf"\textbf{{{escaped(entry.printed)}}}" if entry.printed_bold else escaped(entry.printed)
    return rf"\underline{{{text}}}" if entry.printed_best else text


def _greyed(entry: Entry, text: str) -> str:
    return rf"\textcolor{{gray}}{{{text}}}" if entry.grey and text else text
