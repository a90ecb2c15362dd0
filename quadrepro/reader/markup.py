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
    r"\\(toprule|midrule|bottomrule|hline|addlinespace|cmidrule|cline|specialrule|rowcolors?|"
    r"hdashline|endhead|endfoot|endlastfoot|noalign|arrayrulecolor|Xhline|morecmidrules|vspace)"
    r"(?![A-Za-z])\s*(\*|\(\w*\)|\[[^\]]*\]|\{[^{}]*\})*"
)
_TOKEN = re.compile(r"\\\\(?:\s*\[[^\]]*\])?|\\tabularnewline|\\.|[{}&\n]|[^\\{}&\n]+", re.DOTALL)
_BREAK = re.compile(r"\\\\(\s*\[[^\]]*\])?|\\tabularnewline")
_COLOURS = re.compile(r"\\(cellcolor|color|rowcolor|textcolor)(\[[^\]]*\])?\{[^{}]*\}")
_GROUP = r"\{(?:[^{}]|\{[^{}]*\})*\}"
_COLUMNS = re.compile(rf"\s*\\multicolumn\s*\{{(\d+)\}}\s*{_GROUP}")
_ROWS = re.compile(
    r"\s*\\multirow\s*(?:\[[^\]]*\])?\{(-?\d+)\}\s*(?:\[[^\]]*\])?(?:\{[^{}]*\}|\*)(?:\[[^\]]*\])?"
)


def read_latex(text: str) -> list[Grid]:
    r"""Return the tables of LaTeX; lines of ``&`` and ``\\`` alone are one table."""
    text = re.sub(r"(?<!\\)((?:\\\\)*)%.*", r"\1", text)
    text = _expanded(text)
    grids, depth, start, end = list[Grid](), 0, 0, 0
    marks = [*re.finditer(rf"\\(begin|end)\{{{TABULAR}\}}", text)]
    for i, mark in enumerate(marks):
        depth += 1 if mark[1] == "begin" else -1
        if depth == 1 and mark[1] == "begin":
            start = mark.end()
        elif depth == 0:
            following = marks[i + 1].start() if i + 1 < len(marks) else len(text)
            near = text[end:start] + text[mark.end() : following].split(r"\begin{table")[0]
            grid = _latex_grid(text[start : mark.start()], text.count("\n", 0, start) + 1)
            titles = re.findall(rf"\\caption(?:\[[^\]]*\])?({_GROUP})", near)[:1]
            grid.around = [_plain(title, 0) for title in titles]
            grids.append(grid)
            end = mark.end()
    return grids if marks else [_latex_grid(text, 1)]


def _expanded(text: str) -> str:
    """Return LaTeX with the commands that it defines in place."""
    define = rf"\\(?:re)?(?:newcommand|def)\*?\{{?\\([A-Za-z]+)\}}?(?:\[\d\]|(?:#\d)*)({_GROUP})"
    macros = {name: body[1:-1] for name, body in re.findall(define, text)}
    if not macros:
        return text
    names = "|".join(sorted(macros, key=len, reverse=True))

    def expand(match: re.Match[str]) -> str:
        body, parts = str(macros[match[1]]), re.findall(_GROUP, match[2])
        n = len({*re.findall(r"#\d", body)})
        for i, part in enumerate(parts[:n], 1):
            body = body.replace(f"#{i}", part[1:-1])
        return body + "".join(parts[n:])

    text = re.sub(define, "", text)
    return re.sub(rf"\\({names})(?![A-Za-z])((?:\s*{_GROUP})*)", expand, text)


def _latex_grid(text: str, line: int) -> Grid:
    """Return the table of the content of an environment, which begins on a line."""
    # Tables and lines within a field become its text; a head of further pages is left out.
    nested = rf"\\begin\{{{TABULAR}\}}(?:\[[^\]]*\])?(?:{_GROUP})+(.*?)\\end\{{{TABULAR}\}}"
    text = re.sub(nested, lambda m: re.sub(r"\\\\|&", " ", m[1]), text, flags=re.DOTALL)
    for head in (r"\\endfirsthead.*?\\endhead", r"(?<=\\endhead).*?\\endlastfoot"):
        text = re.sub(head, lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)
    preamble = re.match(rf"\s*(\[[^\]]*\])?\s*({_GROUP}\s*)+", text)
    position = preamble.end() if preamble and "&" not in preamble[0] else 0
    line += text.count("\n", 0, position)
    rows, fields, start, depth = list[tuple[int, list[str]]](), [""], line, 0
    for match in _TOKEN.finditer(text, position):
        token = match[0]
        depth += {"{": 1, "}": -1}.get(token, 0)
        if depth not in range(NESTED):
            return Grid(fault=f"line {line}: braces do not match, or are nested too deeply")
        if depth == 0 and token == "&":
            fields.append("")
        elif depth == 0 and _BREAK.fullmatch(token):
            rows.append((start, fields))
            fields, start = [""], line
        elif token == "\n":
            line += 1
            start = start if _RULES.sub("", "".join(fields)).strip() else line
            fields[-1] += " "
        else:
            fields[-1] += token
    try:
        return _filled([*rows, (start, fields)])
    except ValueError as error:
        return Grid(fault=str(error))


def _filled(rows: list[tuple[int, list[str]]]) -> Grid:
    """Return rows in which fields over several columns or rows are repeated."""
    grid, below = Grid(), dict[int, tuple[int, Text]]()
    for line, fields in rows:
        fields[0] = _RULES.sub("", fields[0])
        if not "".join(fields).strip():
            continue
        row: list[Text] = []
        for field in fields:
            n_columns, content = _spanning(_COLUMNS, field)
            n_rows, content = _spanning(_ROWS, content)
            cell = Text(_plain(content, line), _BOLD.search(content) is not None)
            for _ in range(n_columns):
                n_left, above = below.get(len(row), (0, cell))
                filled = not cell.text and n_left > 0
                below[len(row)] = (n_left - 1, above) if filled else (n_rows - 1, cell)
                row.append(above if filled else cell)
        grid.rows.append(row)
        grid.lines.append(line)
    width = max(map(len, grid.rows), default=0)
    # The last fields of a row can be left out; a field alone is a heading of the rows below.
    grid.rows = [
        [*row, *(row if len(row) == 1 else [Text()]) * (width - len(row))] for row in grid.rows
    ]
    return grid


def _spanning(pattern: re.Pattern[str], field: str) -> tuple[int, str]:
    """Return the number of columns or rows of a field, and its content."""
    match = pattern.match(field)
    if match is None:
        return 1, field
    content = field[match.end() :].strip()
    return _span(match[1]), content.removeprefix("{").removesuffix("}")


_SWITCHES = re.compile(
    r"\\(tiny|scriptsize|footnotesize|small|normalsize|large|Large|sc|rm|it|em|bf|sf|tt|bfseries|"
    r"itshape|centering|raggedright|displaystyle|textstyle|boldmath|unboldmath|quad|hfill|noindent)"
    r"(?![A-Za-z])|\\(href|rotatebox|colorbox|num|makecell|thead|shortstack|SI)(\[[^\]]*\])*"
    r"(?=\{)|\\(phantom|hspace|vspace|footnotemark|footnote|sout|st|cite[a-z]*|label|ref)\*?(\[[^\]]*\])*"
    r"\{[^{}]*\}"
)
"""Commands of fonts, boxes and references, which are no part of a text."""


def _plain(field: str, line: int) -> str:
    """Return a field of LaTeX as plain text, or raise ValueError for a command of several parts."""
    if not re.search(r"[\\{}$^_~-]", field):
        return " ".join(field.split())
    field = re.sub(r"\\(href|rotatebox|colorbox)(\[[^\]]*\])?\{[^{}]*\}", "", field)
    field = _SWITCHES.sub("", _COLOURS.sub("", field)).replace(r"\\", " ")
    field = re.sub(r"\\ding\{5[56]\}", "✗", re.sub(r"\\ding\{5[12]\}", "✓", field))
    field = re.sub(r"\\textsuperscript\s*\{", "^{", re.sub(r"\\textsubscript\s*\{", "_{", field))
    field = re.sub(r"[_^]\s*\{\s*(\\pm|\()", r"\1", field.replace(r"\,", "").replace("~", " "))
    field = (
        field.replace(r"\pm", "±").replace(r"\%", "\ue000").replace("---", "—").replace("--", "–")
    )
    for name, parts in re.findall(r"\\([A-Za-z]+)\s*((?:\{[^{}]*\})*)", field):
        if not _is_known(name) and parts.count("{") > 1:
            raise ValueError(f"line {line}: unknown LaTeX command \\{name} with several arguments")
        if not _is_known(name) and not parts:
            field = re.sub(rf"\\{name}(?![A-Za-z])", f" {name} ", field)
        elif not _is_known(name):  # its text stays apart from that around it
            field = re.sub(rf"\\{name}\s*({_GROUP})", r" \1 ", field)
    try:
        field = _converter().latex_to_text(field)
    except Exception:  # whatever the parser raises
        raise ValueError(f"line {line}: unreadable LaTeX: {field.strip()[:60]}") from None
    return _without_scripts(field.replace("∙", "•").replace("\ue000", "%"))


def _without_scripts(text: str) -> str:
    """Return a text in which signs and deviations are not raised or lowered."""
    text = re.sub(r"[_^]\s*(?=[±(*†‡•∘∗])", "", text.strip())
    text = re.sub(r"(?<=^[\d.])([\d.]*%?)\s*_\s*(?=\d*\.\d+%?$)", r"\1±", text)
    return " ".join(text.split())


@cache
def _converter() -> Any:
    from pylatexenc.latex2text import LatexNodes2Text  # slow to import

    return LatexNodes2Text(math_mode="text", keep_comments=True)


@cache
def _is_known(name: str) -> bool:
    from pylatexenc.latex2text import get_default_latex_context_db

    spec = get_default_latex_context_db().get_macro_spec(name)
    return spec is not None and bool(spec.macroname)


def read_markdown(text: str) -> list[Grid]:
    """Return the tables of Markdown, also of a page with other paragraphs."""
    from markdown_it import MarkdownIt  # slow to import

    lines, grids = text.splitlines(), list[Grid]()
    paragraph = ""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for i, token in enumerate(tokens):
        if token.type == "inline" and tokens[i - 1].type in ("paragraph_open", "heading_open"):
            paragraph = token.content
        elif token.type == "table_open":
            grids.append(Grid(around=[paragraph] if paragraph else []))
        elif token.type == "tr_open" and token.map:
            grids[-1].rows.append([])
            grids[-1].lines.append(token.map[0] + 1)
        elif token.type == "inline" and tokens[i - 1].type in ("th_open", "td_open"):
            grids[-1].rows[-1].append(_inline(token.children or []))
    for grid in grids:
        for row, line in zip(grid.rows, grid.lines, strict=True):
            # Markdown leaves out fields beyond the last column.
            fields = re.sub(r"\\.", "", lines[line - 1]).strip().removeprefix("|").removesuffix("|")
            if (n := fields.count("|") + 1) > len(row):
                grid.fault = f"line {line} has {n} fields, other lines have {len(row)}"
    return grids


def _inline(children: list[Any]) -> Text:
    """Return the text of a field in Markdown."""
    bold, parts = False, []
    for child in children:
        bold = bold or child.type == "strong_open" or child.content in ("<b>", "<strong>")
        tag = re.match(r"</?(\w*)", child.content)
        is_tag = child.type == "html_inline" and tag is not None
        parts.append(_separator(tag[1]) if is_tag and tag else child.content)
        parts += [" "] if child.type == "softbreak" else []
    text = _without_scripts("".join(parts))
    if re.search(r"\$.*\\", text):
        bold = bold or _BOLD.search(text) is not None
        text = _plain(text, 0)
    return Text(" ".join(text.split()), bold)


def _separator(tag: str) -> str:
    """Return the text in place of a tag, so that numbers around it stay apart."""
    plain = ("b", "strong", "i", "em", "a", "u", "code", "font")
    return {"sup": "^", "sub": "_"}.get(tag, "" if tag in plain else " ")


class _Tables(HTMLParser):
    """Collects the tables of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.grids: list[Grid] = []
        self.depth = 0
        self.below: dict[int, tuple[int, Text]] = {}
        self.text: list[str] | None = None
        self.bold = self.caption = self.skipped = False
        self.spans = 1, 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a table, a row or a field."""
        names = {name: value or "" for name, value in attrs}
        if tag == "table":
            self.depth += 1
            if self.depth > 1:
                raise ValueError(f"line {self.getpos()[0]}: a table within a table")
            self.grids.append(Grid())
            self.below = {}
        elif self.depth and tag == "tr":
            self._end_field()
            self.grids[-1].rows.append([])
            self.grids[-1].lines.append(self.getpos()[0])
        elif self.depth and tag in ("td", "th", "caption"):
            self._end_field()
            self.text, self.caption = [], tag == "caption"
            self.bold = "font-weight:bold" in names.get("style", "").replace(" ", "")
            self.spans = _span(names.get("colspan", "")), _span(names.get("rowspan", ""))
        elif tag in ("script", "style"):
            self.skipped = True
        elif self.text is not None:
            self.bold = self.bold or tag in ("b", "strong")
            self.text.append(_separator(tag))

    def handle_data(self, data: str) -> None:
        """Add text to a field."""
        if self.text is not None and not self.skipped:
            self.text.append(data)

    def handle_endtag(self, tag: str) -> None:
        """End a field or a table."""
        self.skipped = False
        if tag in ("td", "th", "tr", "caption", "table"):
            self._end_field()
        elif self.text is not None and _separator(tag):
            self.text.append(" ")
        if tag == "table":
            self.depth = max(0, self.depth - 1)

    def _end_field(self) -> None:
        if self.text is None or not self.grids:
            return
        text = _without_scripts("".join(self.text))
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
        for _ in range(self.spans[0]):
            self.below[len(row)] = self.spans[1] - 1, cell
            row.append(cell)
        self._fill(row)

    def _fill(self, row: list[Text]) -> None:
        """Add the fields of rows above that reach into this one."""
        while self.below.get(len(row), (0, None))[0] > 0 and len(row) < MOST_COLUMNS:
            n_left, cell = self.below[len(row)]
            self.below[len(row)] = n_left - 1, cell
            row.append(cell)


def _span(text: str) -> int:
    """Return the number of columns or rows of a field."""
    return max(1, min(int(text), MOST_COLUMNS)) if text.isdecimal() else 1


def read_html(text: str) -> list[Grid]:
    """Return the tables of HTML."""
    parser = _Tables()
    parser.feed(text)
    parser.close()
    return parser.grids
