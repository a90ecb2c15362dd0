"""Tables in plain text: separated fields, ruled columns, blanks, and Weka's experimenter."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby

from quadrepro.reader.roles import names_rows
from quadrepro.reader.text_grid import MARKS, MOST_COLUMNS, Text, TextGrid, is_gap, is_number

SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars", ",": "CSV"}
"""Signs between fields and the name of a file with them."""

BLANKS = "columns between blanks"

Lines = list[tuple[int, list[str]]]
"""Fields of lines with their numbers."""

_BOXES = str.maketrans("│┃║┆╎─━═╌", "|||||----", "") | str.maketrans(
    dict.fromkeys("┼╇╋╪┬┴├┤╞╡┡┩└┘┌┐╒╕╘╛┏┓┗┛┳┻╤╧╭╮╰╯", "+")
)
_RULE = re.compile(r"[\s|+:]*[-=]{2,}([\s|+:]+[-=]{2,})+[\s|+:]*")
_LINE = re.compile(r"\W{4,}|[-=_ ]{2,}")
_PROSE = re.compile(r"\s*([#%]|//|(table|fig(ure)?|notes?|source)\b)", re.IGNORECASE)

_PRINTED_IN_PART = re.compile(
    r"^\s*\.{2,3}(\s+\.{3})+\s*$|^\S.*\s{2}\.\.\.\s{2}|"  # pandas
    r"^[\s|]*…([\s|]+…)+[\s|]*$|^#?.{,3}(with )?\d+ more (rows|variables)\b",  # polars and R
    re.MULTILINE,
)

_GLUE = re.compile(
    r" ?(±|\+/-|\+-) ?|(?<=[\d%]) (?=\( ?[\d.]+%?\))|(?<=\() |"
    rf"(?<=[\d%)]) (?=[{re.escape(MARKS)}v]( |$))"
)
"""Blanks within a number with its deviation and signs."""


def read_plain_text(text: str) -> tuple[str, list[TextGrid]]:
    """Return the form of a text and its tables."""
    if re.search(r"^\s*\(v/ ?/\*\)\s*\|", text, re.MULTILINE):
        parts = re.split(r"(?m)^(?=Tester:)", text)
        grids = [_weka(part) for part in parts if "(v/" in part]
        return "the output of Weka's experimenter", grids
    if re.search(r"\\(pm|textbf|mathbf)\b", text):  # fields in LaTeX
        text = re.sub(r"\\(?:textbf|mathbf|underline|textit)\s*\{([^{}]*)\}", r"\1", text)
        text = re.sub(r"\\pm\b", "±", text.replace("$", ""))
    if ".. csv-table::" in text:  # its options, such as :widths: 20,6
        text = re.sub(r"(?m)^[ \t]+:[a-z-]+:.*$", "", text)
    boxes = text.translate(_BOXES)
    if _PRINTED_IN_PART.search(boxes):
        raise ValueError("printed in part: print all rows and columns")
    rules = [line for line in boxes.splitlines() if _RULE.fullmatch(line)]
    if any("+" in rule or "  " in rule.strip() or "= =" in rule for rule in rules):
        return "a table with rules", [*_ruled(boxes)]
    leaders = re.sub(r"\.{3,}", "  ", text)
    lines = [*enumerate(leaders.splitlines(), 1)]
    choices = [(name, _separated(text, sign)) for sign, name in SEPARATORS.items() if sign in text]
    split = [(n, re.split(r"\s{2,}|\t", line.strip())) for n, line in lines]
    choices += [(BLANKS, split), (BLANKS, _blank_separated(lines))]
    # The separator that shows the most numbers.
    name, rows = max(choices, key=lambda choice: _count_numbers(choice[1]))
    return name, [*_tables(rows, blanks=name == BLANKS)]


def _separated(text: str, separator: str) -> Lines:
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    rows: Lines = []
    with suppress(csv.Error):
        for fields in reader:
            if len(fields) > MOST_COLUMNS:
                raise ValueError(f"{len(fields):,} columns are too many for a table of scores")
            rows.append((reader.line_num, [field.strip() for field in fields]))
        return rows
    return []


def _blank_separated(lines: list[tuple[int, str]]) -> Lines:
    """Return the fields of lines in which names may have blanks and numbers have none."""
    tokens = [(n, _GLUE.sub(r"\1", " ".join(line.split())).split()) for n, line in lines]
    trailing = {n: _trailing(words) for n, words in tokens}
    body = {n for n, words in tokens if trailing[n] >= max(1, min(2, len(words) - 1))}
    first = min(body, default=0)
    header = next((words for n, words in reversed(tokens) if words and n < first), [])
    least = min((trailing[n] for n in body), default=0)
    # A line of names has one for the names of rows, or it has not.
    corner = bool(header) and names_rows(header[0])
    k = least if len(header) == least and not corner else len(header) - 1
    if not 0 < k <= least:
        return tokens
    return [(n, [" ".join(words[:-k]), *words[-k:]] if n in body else words) for n, words in tokens]


def _trailing(words: list[str]) -> int:
    """Return the number of numbers and gaps at the end of a line."""
    # A dot between blanks may be the rest of dot leaders.
    texts = ("?!" if word == "." else word for word in reversed(words))
    others = (i for i, text in enumerate(texts) if not (is_number(text) or is_gap(text)))
    return next(others, len(words))


def _numbers(fields: list[str]) -> int:
    return sum(is_number(text) for text in fields[1:])


def _width(rows: Lines) -> int:
    """Return the most frequent number of fields of lines with numbers."""
    lengths = Counter(len(fields) for _, fields in rows if _numbers(fields))
    return lengths.most_common(1)[0][0] if lengths else 0


def _count_numbers(rows: Lines) -> int:
    width = _width(rows)
    return sum(_numbers(fields) for _, fields in rows if len(fields) == width)


def _tables(rows: Lines, *, blanks: bool) -> Iterator[TextGrid]:
    """Yield the tables among lines; each begins with a line of names after an empty line."""
    width, grid, empty, has_numbers = _width(rows), TextGrid(), True, False
    between = 0  # number of a line without fields since the last row
    for i, (n, fields) in enumerate(rows):
        between = 0 if not any(fields) else between
        if all(re.fullmatch(r"(<\w+>)?", field) for field in fields):
            empty = empty or not any(fields)
            continue
        below = max((f for _, f in rows[i + 1 : i + 3]), key=_numbers, default=[])
        numbers, text = _numbers(fields), " ".join(filter(None, fields))
        corner = names_rows(fields[0]) and not (below and below[0].isdecimal())  # with an index
        if len(fields) == width - 1 and not (numbers or corner) and _numbers(below):
            fields = ["", *fields]  # names without a corner
        starts = not grid.rows or (empty and not numbers)
        alone = sum(map(bool, fields)) == 1 and width > 1
        comment = text.startswith(("#", "%")) and (not _numbers(below) or len(fields) != width)
        ruled = comment or _LINE.fullmatch(text) is not None
        if alone and names_rows(text) and grid.rows and not has_numbers:
            fields = [text, *[""] * (width - 1)]  # the name of an index, below the columns
        elif len(fields) == width and not comment and not (alone and starts):
            if starts and has_numbers:
                yield grid
                grid, has_numbers = TextGrid(), False
            fields = fields if grid.rows else [fields[0].lstrip("# "), *fields[1:]]
        elif (
            ruled
            or (alone and (starts or not blanks))
            or _PROSE.match(text)
            or not (_trailing(text.split()) or sum(map(is_number, text.split())) > 1)
        ):
            grid.around.append(text)
            between, empty = n if blanks and grid.rows and not ruled else 0, False
            continue
        if between and len(fields) == width:
            grid.fault = f"line {between} is within the table: join it with its row"
        grid.add(n, fields)
        has_numbers |= numbers > 0 and len(fields) == width
        empty = False
    # Lines of prose with commas are not a table.
    if has_numbers and len(grid.around) <= 2 * sum(len(row) == width for row in grid.rows) + 5:
        yield grid


def _ruled(text: str) -> Iterator[TextGrid]:
    """Yield tables whose rules show where columns begin and end."""
    above: list[str] = []
    lines = enumerate(text.splitlines(), 1)
    for has_text, block in groupby(lines, lambda line: bool(line[1].strip())):
        part = [*block]
        rules = [(n, line) for n, line in part if _RULE.fullmatch(line)]
        if not has_text or not rules:
            above += [line.strip() for _, line in part if line.strip()]
            continue
        longest = max((line for _, line in rules), key=len)
        spans = [match.span() for match in re.finditer("[-=:]+", longest)]
        boxed = all("+" in line for _, line in rules) and len(rules) > 3
        grid, fresh = TextGrid(around=above), True
        above = []
        for n, line in part:
            if _RULE.fullmatch(line) or _LINE.fullmatch(line.strip()):
                fresh = True
                continue
            fields = _slices(line, spans)
            outside = n > rules[-1][0] if grid.rows else "|" not in line
            if fields is None and outside and ("|" in longest or not _trailing(line.split())):
                grid.around.append(line.strip())
            elif fields and all(re.fullmatch(r"str|[fiu]\d+|bool|cat|enum", x) for x in fields):
                pass  # polars prints the types of columns
            elif fields is None:
                grid.fault = grid.fault or f"line {n} crosses the columns that the rules show"
            elif boxed and not fresh:  # a row of several lines
                pairs = zip(grid.rows[-1], fields, strict=True)
                grid.rows[-1] = [Text(f"{above.text} {text}".strip()) for above, text in pairs]
            else:
                grid.add(n, fields)
            fresh = False
        yield grid


def _slices(line: str, spans: list[tuple[int, int]]) -> list[str] | None:
    """Return the fields of a line below rules, or None if it crosses a border."""
    starts = [start for start, _ in spans]
    ends = [*starts[1:], max(len(line), spans[-1][1])]
    between = [line[end:start] for (_, end), start in zip(spans, starts[1:], strict=False)]
    if any(text.strip(" |") for text in (*between, line[: starts[0]])):
        return None
    return [line[start:end].strip(" |") for start, end in zip(starts, ends, strict=True)]


def _weka(text: str) -> TextGrid:
    """Return the table of Weka's experimenter, with the schemes by the names in its key."""
    key = dict(re.findall(r"^\s*\((\d+)\) (.*?)(?: -?\d{6,})?$", text, re.MULTILINE))
    grid = TextGrid(around=re.findall(r"^Analysing:\s*(.*)$", text, re.MULTILINE))
    for n, line in enumerate(text.partition("(v/")[0].splitlines(), 1):
        if line.strip().startswith("Dataset") and (schemes := re.findall(r"\((\d+)\)", line)):
            grid.add(n, ["Dataset", *(re.sub(" *''$", "", key.get(i, f"({i})")) for i in schemes)])
        elif grid.rows and (row := re.fullmatch(r"\s*(.*?)\s*\(\s*\d+\)\s+(.*)", line)):
            form = r"[^\s(]+(?:\(\s*[\d.]+\s*\))?(?: [v*](?=\s|$))?"
            grid.add(n, [row[1], *re.findall(form, row[2].replace("|", " "))])
    return grid
