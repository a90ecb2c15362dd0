"""Tables in LaTeX, Markdown and HTML."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from typing import Any

from quadrepro.reader.grid import MOST_COLUMNS, Grid, Text

TABULAR = r"(?:tabular[xy*]?|tabulary|longtable|supertabular|array|tblr|NiceTabular)"
"""Environments of LaTeX that are tables."""

NESTED = 50
"""Largest depth of braces in LaTeX, and of tables in HTML."""

_BOLD = re.compile(r"\\(textbf|mathbf|bm|boldsymbol|bfseries|bf|boldmath)(?![A-Za-z])")
_RULES = re.compile(
    r"\\(toprule|midrule|bottomrule|hline|addlinespace|cmidrule|cline|specialrule|rowcolors?|hdashline|"
    r"endhead|endfoot|endlastfoot|noalign|arrayrulecolor|thickhline|Xhline|morecmidrules|vspace)"
    r"(?![A-Za-z])\s*(\*|\(\w*\)|\[[^\]]*\]|\{[^{}]*\})*"
)
_TOKEN = re.compile(
    r"\\begin\{[^}]*\}|\\end\{[^}]*\}|\\\\(?:\s*\[[^\]]*\])?|\\tabularnewline|\\.|[{}&\n]|[^\\{}&\n]+",
    re.DOTALL,
)
_BREAK = re.compile(r"\\\\(\s*\[[^\]]*\])?|\\tabularnewline")
_COLOURS = re.compile(r"\\(cellcolor|color|rowcolor|textcolor)(\[[^\]]*\])?\{[^{}]*\}")


def read_latex(text: str) -> list[Grid]:
    r"""Return the tables of LaTeX; lines of ``&`` and ``\\\\`` alone are one table."""
    text = re.sub(r"(?<!\\)%.*", "", text)
    macros = dict(re.findall(r"\\(?:newcommand\*?\{?|def)\\([A-Za-z]+)\}?\{([^{}]*)\}", text))
    for name, meaning in macros.items():
        text = re.sub(rf"(?<!\{{)(?<!\\def)\\{name}(?![A-Za-z])", lambda _, m=meaning: m, text)
    caption = re.compile(r"\\caption(?:\[[^\]]*\])?\{((?:[^{}]|\{[^{}]*\})*)\}")
    starts = [*re.finditer(rf"\\begin\{{{TABULAR}\}}", text)]
    if not starts:
        return [_latex_grid(text, 1)]
    grids, end = [], 0
    for i, start in enumerate(starts):
        if start.start() < end:
            continue  # a table within a table
        first = text.count("\n", 0, start.start()) + 1
        grid, length = _latex_grid_and_length(text[start.end() :], first)
        following = starts[i + 1].start() if i + 1 < len(starts) else len(text)
        near = (
            text[end : start.start()]
            + text[start.end() + length : following].split(r"\begin{table")[0]
        )
        grid.around = [_plain(title, first) for title in caption.findall(near)[:1]]
        end = start.end() + length
        grids.append(grid)
    return grids


def _latex_grid(text: str, line: int) -> Grid:
    return _latex_grid_and_length(text, line)[0]


def _latex_grid_and_length(text: str, line: int) -> tuple[Grid, int]:
    """Return the table at the beginning of a text, and its length there."""
    rows: list[tuple[int, list[str]]] = []
    fields, start, depth, position = [""], line, 0, 0
    text = re.sub(
        r"\\endfirsthead.*?\\endhead", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL
    )
    # The columns' alignment is the first group in braces.
    preamble = re.match(r"\s*(\[[^\]]*\])?\s*(\{([^{}]|\{[^{}]*\})*\}\s*)+", text)
    position = (
        preamble.end() if (preamble and line > 1) or (preamble and "&" not in preamble[0]) else 0
    )
    line += text.count("\n", 0, position)
    start = line
    for match in _TOKEN.finditer(text, position):
        token = match[0]
        position = match.end()
        if token.startswith(r"\end") and depth == 0:
            position = match.start()
            break
        if token == "{" or token.startswith(r"\begin"):
            depth += 1
        elif token == "}" or token.startswith(r"\end"):
            depth -= 1
        if depth > NESTED or depth < 0:
            raise ValueError(f"line {line}: braces do not match, or are nested too deeply")
        if depth == 0 and token == "&":
            fields.append("")
        elif depth == 0 and _BREAK.fullmatch(token):
            rows.append((start, fields))
            fields, start = [""], line
        elif token == "\n":
            line += 1
            fields[-1] += " "
            start = line if not "".join(fields).strip() else start
        else:
            fields[-1] += token
    rows.append((start, fields))
    return _filled(rows), position


def _filled(rows: list[tuple[int, list[str]]]) -> Grid:
    """Return rows in which fields over several columns or rows are repeated."""
    grid, below = Grid([]), dict[int, tuple[int, Text]]()
    for line, fields in rows:
        fields[0] = _RULES.sub("", fields[0])
        if not "".join(fields).strip():
            continue
        row: list[Text] = []
        for field in fields:
            n_columns, content = _spanning(
                r"\s*\\multicolumn\s*\{(\d+)\}\s*\{(?:[^{}]|\{[^{}]*\})*\}", field
            )
            n_rows, content = _spanning(
                r"\s*\\multirow\s*(?:\[[^\]]*\])?\{(-?\d+)\}\s*(?:\[[^\]]*\])?(?:\{[^{}]*\}|\*)(?:\[[^\]]*\])?",
                content,
            )
            cell = Text(_plain(content, line), _BOLD.search(content) is not None)
            for _ in range(max(n_columns, 1)):
                j = len(row)
                if not cell.text and below.get(j, (0, cell))[0] > 0:
                    n_left, above = below[j]
                    below[j] = n_left - 1, above
                    row.append(above)
                else:
                    below[j] = (n_rows - 1, cell)
                    row.append(cell)
        grid.rows.append(row)
        grid.lines.append(line)
    width = max(map(len, grid.rows), default=0)
    # The last fields of a row can be left out; a field alone is a heading of the rows below.
    grid.rows = [
        [*row, *(row if len(row) == 1 else [Text()]) * (width - len(row))] for row in grid.rows
    ]
    return grid


def _spanning(pattern: str, field: str) -> tuple[int, str]:
    match = re.match(pattern, field)
    if match is None:
        return 0, field
    content = field[match.end() :].strip()
    return min(int(match[1]), MOST_COLUMNS), content.removeprefix("{").removesuffix("}")


def _plain(field: str, line: int) -> str:
    """Return a field of LaTeX as plain text, or raise ValueError for a command of several parts."""
    field = _COLOURS.sub("", field)
    field = re.sub(r"[_^]\s*\{\s*(\\pm|\()", r"\1", field.replace(r"\,", "").replace("~", " "))
    field = field.replace(r"\pm", "±").replace(r"\%", "%").replace("---", "—").replace("--", "–")
    if re.search(r"[\\{}$^_]", field):
        for name, parts in re.findall(r"\\([A-Za-z]+)\s*((?:\{[^{}]*\})*)", field):
            if not _is_known(name) and parts.count("{") > 1:
                raise ValueError(
                    f"line {line}: unknown LaTeX command \\{name} with several arguments"
                )
            if not _is_known(name) and not parts:
                field = re.sub(rf"\\{name}(?![A-Za-z])", name, field)
        field = _converter().latex_to_text(field)
    field = re.sub(r"[_^]\s*(?=[±(*†‡•∘])", "", field)
    return " ".join(field.replace("∙", "•").split())


@cache
def _converter() -> Any:
    from pylatexenc.latex2text import LatexNodes2Text  # slow to import

    return LatexNodes2Text(math_mode="text", keep_comments=True)


def _is_known(name: str) -> bool:
    from pylatexenc.latex2text import get_default_latex_context_db

    return bool(get_default_latex_context_db().get_macro_spec(name).macroname)


def read_markdown(text: str) -> list[Grid]:
    """Return the tables of Markdown, which may stand between other paragraphs."""
    from markdown_it import MarkdownIt  # slow to import

    lines, grids = text.splitlines(), list[Grid]()
    paragraph = ""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for i, token in enumerate(tokens):
        if token.type == "inline" and tokens[i - 1].type in ("paragraph_open", "heading_open"):
            paragraph = token.content
        elif token.type == "table_open":
            grids.append(Grid([], around=[paragraph] if paragraph else []))
        elif token.type == "tr_open" and token.map:
            grids[-1].rows.append([])
            grids[-1].lines.append(token.map[0] + 1)
        elif token.type == "inline" and tokens[i - 1].type in ("th_open", "td_open"):
            grids[-1].rows[-1].append(_inline(token.children or []))
    for grid in grids:
        for row, line in zip(grid.rows, grid.lines, strict=True):
            # Markdown leaves out fields beyond the last column.
            fields = re.sub(r"\\.", "", lines[line - 1]).strip().removeprefix("|").removesuffix("|")
            if fields.count("|") + 1 > len(row):
                raise ValueError(
                    f"line {line} has {fields.count('|') + 1} fields, others have {len(row)}"
                )
    return grids


def _inline(children: list[Any]) -> Text:
    text = "".join(
        "±" if child.content == r"\pm" else " " if child.type == "softbreak" or child.content == "<br>"
        else "" if child.type == "html_inline" else child.content
        for child in children
    )  # fmt: skip
    bold = any(
        child.type == "strong_open" or child.content in ("<b>", "<strong>") for child in children
    )
    if re.search(r"\$.*\\", text):
        bold = bold or _BOLD.search(text) is not None
        text = _plain(text, 0)
    return Text(text.strip(), bold)


class _Tables(HTMLParser):
    """Collects the tables of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.grids: list[Grid] = []
        self.depth = 0
        self.below: dict[int, tuple[int, Text]] = {}
        self.text: list[str] | None = None
        self.bold = self.caption = False
        self.spans = 1, 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a table, a row or a field."""
        names = {name: value or "" for name, value in attrs}
        if tag == "table":
            self.depth += 1
            if self.depth > 1:
                raise ValueError(f"line {self.getpos()[0]}: a table within a table")
            self.grids.append(Grid([]))
            self.below = {}
        elif self.depth and tag == "tr":
            self._end_field()
            self.grids[-1].rows.append([])
            self.grids[-1].lines.append(self.getpos()[0])
        elif self.depth and tag in ("td", "th", "caption"):
            self._end_field()
            self.text, self.caption = [], tag == "caption"
            self.bold = "font-weight:bold" in names.get("style", "").replace(" ", "")
            spans = [names.get(f"{side}span", "1") for side in ("col", "row")]
            self.spans = tuple(min(int(s), MOST_COLUMNS) if s.isdecimal() else 1 for s in spans)  # type: ignore[assignment]
        elif self.text is not None and tag in ("b", "strong"):
            self.bold = True
        elif self.text is not None and tag in ("br", "sup", "sub"):
            self.text.append({"br": " ", "sup": "^", "sub": "_"}[tag])

    def handle_data(self, data: str) -> None:
        """Add text to a field."""
        if self.text is not None:
            self.text.append(data)

    def handle_endtag(self, tag: str) -> None:
        """End a field or a table."""
        if tag in ("td", "th", "tr", "caption", "table"):
            self._end_field()
        if tag == "table":
            self.depth = max(0, self.depth - 1)

    def _end_field(self) -> None:
        if self.text is None or not self.grids:
            return
        text = re.sub(r"[_^]\s*(?=[±(])", "", " ".join("".join(self.text).split()))
        self.text, cell = None, Text(text, self.bold)
        grid = self.grids[-1]
        if self.caption:
            grid.around.append(text)
            return
        if not grid.rows:
            grid.rows.append([])
            grid.lines.append(self.getpos()[0])
        row = grid.rows[-1]
        self._fill(row)
        for _ in range(max(self.spans[0], 1)):
            self.below[len(row)] = self.spans[1] - 1, cell
            row.append(cell)
        self._fill(row)

    def _fill(self, row: list[Text]) -> None:
        """Add the fields of rows above that reach into this one."""
        while self.below.get(len(row), (0, None))[0] > 0 and len(row) < MOST_COLUMNS:
            n_left, cell = self.below[len(row)]
            self.below[len(row)] = n_left - 1, cell
            row.append(cell)


def read_html(text: str) -> list[Grid]:
    """Return the tables of HTML."""
    parser = _Tables()
    parser.feed(text)
    parser.close()
    return parser.grids
