"""Tables in plain text: separated fields, ruled columns, blanks, and Weka's experimenter."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from quadrepro.reader.grid import Grid, Text
from quadrepro.reader.numbers import MARKS, is_gap, is_number

SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars", ",": "CSV"}
"""Signs between fields and what a file with them is called."""

LIMIT = 100_000
"""Longest field of a line."""

Lines = list[tuple[int, list[str]]]
"""Fields of lines with their numbers; an empty line has none."""

_BOXES = str.maketrans(
    dict.fromkeys("│┃║", "|")
    | dict.fromkeys("─━═", "-")
    | dict.fromkeys("┼╇╋╪┬┴├┤╞╡┡┩└┘┌┐╒╕╘╛┏┓┗┛┳┻╤╧", "+")
)
_RULE = re.compile(r"[\s|+:]*[-=]{2,}([\s|+:]+[-=]{2,})+[\s|+:]*")
_LINE = re.compile(r"\W{4,}|[-=_ ]{2,}")
_PROSE = re.compile(r"\s*([#%]|//|(table|fig(ure)?|notes?|source)\b)", re.IGNORECASE)


def read_text(text: str) -> tuple[str, list[Grid]]:
    """Return the form of a text and its tables."""
    if re.search(r"^\s*\(v/ /\*\)", text, re.MULTILINE):
        return "the output of Weka's experimenter", [_weka(text)]
    boxes = text.translate(_BOXES)
    rules = [line for line in boxes.splitlines() if _RULE.fullmatch(line)]
    if rules and any("+" in rule or "  " in rule.strip() for rule in rules):
        return "a table with rules", [*_ruled(boxes)]
    choices = []
    for separator, name in SEPARATORS.items():
        try:
            choices.append((name, [*_separated(text, separator)]))
        except csv.Error:
            continue
    lines = [*enumerate(text.splitlines(), 1)]
    choices.append(
        ("columns between blanks", [(n, re.split(r"\s{2,}|\t", s.strip())) for n, s in lines])
    )
    choices.append(("columns between blanks", _blank_separated(lines)))
    name, rows = max(choices, key=lambda choice: _score(choice[1]))
    return name, [*_tables(rows, blanks=name.startswith("columns"))]


def _separated(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True
    )
    for fields in reader:
        yield reader.line_num, [field.strip() for field in fields]


def _blank_separated(lines: list[tuple[int, str]]) -> Lines:
    """Return the fields of lines in which names may have blanks and numbers have none."""
    tokens: Lines = []
    for n, line in lines:
        joined = re.sub(r"\s*(±|\+/-|\+-)\s*", r"\1", line)
        joined = re.sub(
            rf"(?<=[\d%])\s+(?=\(\s*[\d.]+%?\))|(?<=[\d%)])\s+(?=[{re.escape(MARKS)}v](\s|$))",
            "",
            joined,
        )
        tokens.append((n, joined.split()))
    trailing = {n: _trailing(words) for n, words in tokens}
    body = [n for n, words in tokens if trailing[n] and trailing[n] >= min(2, len(words) - 1)]
    if not body:
        return tokens
    header = next((words for n, words in reversed(tokens) if words and n < body[0]), [])
    least = min(trailing[n] for n in body)
    # A line of names has one for the names of rows, or it has not.
    k = least if len(header) == least else len(header) - 1
    if not 0 < k <= least:
        return tokens
    rows = []
    for n, words in tokens:
        if trailing[n] >= k and n in body:
            rows.append((n, [" ".join(words[:-k]), *words[-k:]]))
        else:
            rows.append((n, words))
    return rows


def _trailing(words: list[str]) -> int:
    """Return the number of numbers and gaps at the end of a line."""
    n = 0
    while n < len(words) and (is_number(words[-1 - n]) or is_gap(words[-1 - n])):
        n += 1
    return n


def _numeric(fields: list[str]) -> int:
    return sum(is_number(text) for text in fields[1:])


def _score(rows: Lines) -> tuple[int, int]:
    """Return the number of numbers in rows of the most frequent length, and that length."""
    width = _width(rows)
    return sum(_numeric(fields) for _, fields in rows if len(fields) == width), width


def _width(rows: Lines) -> int:
    lengths = Counter(len(fields) for _, fields in rows if _numeric(fields))
    return lengths.most_common(1)[0][0] if lengths else 0


def _tables(rows: Lines, *, blanks: bool) -> Iterator[Grid]:
    """Yield the tables among lines; each begins with a line of names after an empty line."""
    width, grid, empty, above = _width(rows), Grid([]), True, list[str]()
    for i, (n, fields) in enumerate(rows):
        if not any(fields):
            empty = True
            continue
        below = rows[i + 1][1] if i + 1 < len(rows) else []
        n_filled = sum(map(bool, fields))
        if len(fields) == width - 1 and not _numeric(fields) and _numeric(below):
            fields = ["", *fields]
        text = " ".join(filter(None, fields))
        starts = not grid.rows or (empty and not _numeric(fields))
        alone = n_filled == 1 and width > 1 and (starts or not blanks)
        comment = text.startswith(("#", "%")) and (not _numeric(below) or len(fields) != width)
        if len(fields) == width and not comment and not (alone and starts):
            if starts and any(_numeric([c.text for c in row]) for row in grid.rows):
                yield grid
                grid, above = Grid([]), []
            if not grid.rows:
                fields[0] = fields[0].lstrip("# ")
            grid.rows.append([Text(field) for field in fields])
            grid.lines.append(n)
            grid.around = above
        elif (
            comment
            or alone
            or _LINE.fullmatch(text)
            or _PROSE.match(text)
            or not _trailing(text.split())
        ):
            above.append(text)
        else:
            raise ValueError(f"line {n} has {len(fields)} fields, other lines have {width}")
        empty = False
    if grid.rows:
        yield grid


def _ruled(text: str) -> Iterator[Grid]:
    """Yield tables whose rules show where columns begin and end."""
    lines = [*enumerate(text.splitlines(), 1)]
    above: list[str] = []
    for ruled, block in groupby(lines, lambda line: bool(line[1].strip())):
        part = [*block]
        rules = [line for _, line in part if _RULE.fullmatch(line)]
        if not ruled or not rules:
            above += [line.strip() for _, line in part if line.strip()]
            continue
        spans = [match.span() for match in re.finditer("[-=:]+", max(rules, key=len))]
        boxed = all("+" in rule for rule in rules) and len(rules) > 3
        grid, fresh = Grid([], around=above), True
        for n, line in part:
            if _RULE.fullmatch(line) or _LINE.fullmatch(line.strip()):
                fresh = True
                continue
            if grid.rows or line.strip("| "):
                fields = _slices(line, spans, n)
                if boxed and not fresh:
                    old = grid.rows[-1]
                    grid.rows[-1] = [
                        Text(f"{a.text} {b}".strip()) for a, b in zip(old, fields, strict=True)
                    ]
                else:
                    grid.rows.append([Text(field) for field in fields])
                    grid.lines.append(n)
            fresh = False
        yield grid


def _slices(line: str, spans: list[tuple[int, int]], n: int) -> list[str]:
    """Return the fields of a line below rules, or raise ValueError if one crosses a border."""
    ends = [*(start for start, _ in spans[1:]), max(len(line), spans[-1][1])]
    between = zip((end for _, end in spans[:-1]), ends, strict=False)
    if any(line[a:b].strip(" |") for a, b in between) or line[: spans[0][0]].strip(" |"):
        raise ValueError(f"line {n} crosses the columns that the rules show")
    return [line[start:end].strip(" |") for (start, _), end in zip(spans, ends, strict=True)]


def _weka(text: str) -> Grid:
    """Return the table of Weka's experimenter, with the schemes by the names in its key."""
    key = dict(re.findall(r"^\((\d+)\) (.*?)(?: -?\d{6,})?$", text, re.MULTILINE))
    metric = re.findall(r"^Analysing:\s*(.*)$", text, re.MULTILINE)
    grid, n_columns = Grid([], around=metric), 0
    for n, line in enumerate(text.splitlines(), 1):
        if line.startswith("Dataset") and (numbers := re.findall(r"\((\d+)\)", line)):
            grid.rows.append(
                [Text("Dataset"), *(Text(key.get(i, f"({i})").strip(" '")) for i in numbers)]
            )
            grid.lines.append(n)
            n_columns = len(numbers)
        elif row := re.fullmatch(r"(.*?)\s*\(\s*\d+\)\s+(.*)", line):
            entries = re.findall(
                r"\S+(?:\(\s*[\d.]+\))?(?: [v*](?=\s|$))?", row[2].replace("|", " ")
            )
            if n_columns and len(entries) != n_columns:
                raise ValueError(f"line {n} has {len(entries)} numbers for {n_columns} schemes")
            if n_columns:
                grid.rows.append([Text(row[1]), *map(Text, entries)])
                grid.lines.append(n)
    return grid
