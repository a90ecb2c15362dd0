"""Tables in LaTeX, Markdown and HTML."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from itertools import chain
from typing import Any

from quadrepro.reader.text_grid import MOST_COLUMNS, Text, TextGrid, is_gap, is_number

TABULAR = r"(?:tabular[xy*]?|tabulary|longtable|supertabular|array|tblr|NiceTabular)"
"""Environments of LaTeX that are tables."""

NESTED = 50
"""Largest depth of braces in LaTeX."""

_BOLD = re.compile(r"\\(textbf|mathbf|bm|boldsymbol|bfseries|bf|boldmath)(?![A-Za-z])")
_RULES = re.compile(
    r"\s*(?:\\(toprule|midrule|bottomrule|hline|addlinespace|cmidrule|cline|specialrule|rowcolors?|"
    r"hdashline|endhead|endfoot|endlastfoot|noalign|arrayrulecolor|Xhline|morecmidrules|vspace)"
    r"(?![A-Za-z])\s*(\*|\(\w*\)|\[[^\]]*\]|\{[^{}]*\})*\s*)*"
)
_NOT_PRINTED = re.compile(r"\\iffalse\b.*?\\fi\b|\\begin\{comment\}.*?\\end\{comment\}", re.DOTALL)
_TOKEN = re.compile(
    r"\\\\(?:\s*\[[^\]]*\])?|\\tabularnewline|\\cr(?![A-Za-z])|\\.|[{}&]|[^\\{}&]+", re.DOTALL
)
_GROUP = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_COLUMNS = re.compile(rf"\s*\\multicolumn\s*\{{(\d+)\}}\s*{_GROUP}")
_ROWS = re.compile(
    r"\s*\\multirow\s*(?:\[[^\]]*\])?\{(-?\d+)\}\s*(?:\[[^\]]*\])?(?:\{[^{}]*\}|\*)(?:\[[^\]]*\])?"
)
_COMMANDS = re.compile(
    r"\\(tiny|scriptsize|footnotesize|small|normalsize|large|Large|sc|rm|it|em|bf|sf|tt|bfseries|"
    r"itshape|centering|raggedright|displaystyle|textstyle|boldmath|unboldmath|quad|hfill|noindent)"
    r"(?![A-Za-z])|\\(num|makecell|thead|shortstack|SI)(\[[^\]]*\])*(?=\{)|\\(phantom|hspace|"
    r"vspace|footnotemark|footnote|sout|st|cite[a-z]*|label|ref|cellcolor|color|rowcolor|textcolor|"
    r"href|rotatebox|colorbox)\*?(\[[^\]]*\])*\{[^{}]*\}"
)
"""Commands of fonts, boxes, colours and references, which are not part of a text."""


SpannedRows = list[tuple[int, list[tuple[Text, int]]]]
"""The line and the fields of each row; a field has the number of rows over which it extends."""


def _filled(rows: SpannedRows, *, leave_out: bool) -> TextGrid:
    """Return rows with fields repeated where they span; HTML leaves out the fields below them."""
    grid, below = TextGrid(), dict[int, tuple[int, Text]]()
    for line, fields in rows:
        row, waiting = list[Text](), fields[::-1]
        while waiting or (leave_out and below.get(len(row), (0,))[0]):
            n_left, cell = below.get(len(row), (0, Text()))
            covered = n_left > 0 and (leave_out or not waiting[-1][0].text)
            if not (covered and leave_out):
                field, n_rows = waiting.pop()
            below[len(row)] = (n_left - 1, cell) if covered else (n_rows - 1, field)
            row.append(cell if covered else field)
        grid.rows.append(row)
        grid.lines.append(line)
    return grid


def _span(text: str) -> int:
    """Return the number of columns or rows of a field."""
    return max(1, min(int(text), MOST_COLUMNS)) if text.isdecimal() else 1


def read_latex(text: str) -> list[TextGrid]:
    r"""Return the tables of LaTeX; lines of ``&`` and ``\\`` alone are one table."""
    text = re.sub(r"(?<!\\)((?:\\\\)*)%.*", r"\1", text)
    text = _expanded(_NOT_PRINTED.sub(lambda match: "\n" * match[0].count("\n"), text))
    marks = [*re.finditer(rf"\\(begin|end)\{{{TABULAR}\}}", text)]
    grids, depth, start, end = list[TextGrid](), 0, 0, 0
    for i, mark in enumerate(marks):
        depth += 1 if mark[1] == "begin" else -1
        if depth == 1 and mark[1] == "begin":
            start = mark.end()
        elif depth == 0:
            following = marks[i + 1].start() if i + 1 < len(marks) else len(text)
            above = re.split(r"\\end\{table", text[end:start])[-1]
            near = above + re.split(r"\\(?:begin|end)\{table", text[mark.end() : following])[0]
            titles = re.findall(rf"\\caption(?:\[[^\]]*\])?({_GROUP})", near)[:1]
            grids.append(_latex_grid(text[start : mark.start()], text.count("\n", 0, start) + 1))
            grids[-1].around = [_plain(title, 0) for title in titles]
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


def _latex_grid(text: str, line: int) -> TextGrid:
    """Return the table of the content of an environment, which begins on a line."""
    # Tables and lines within a field become its text; a head of further pages is left out.
    nested = rf"\\begin\{{{TABULAR}\}}(?:\[[^\]]*\])?(?:{_GROUP})+(.*?)\\end\{{{TABULAR}\}}"
    text = re.sub(nested, lambda m: re.sub(r"\\\\|&", " ", m[1]), text, flags=re.DOTALL)
    for head in (r"\\endfirsthead.*?\\endhead", r"(?<=\\endhead).*?\\endlastfoot"):
        text = re.sub(head, lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)
    preamble, joined = re.match(rf"\s*(\[[^\]]*\])?\s*({_GROUP}\s*)+", text), list[int]()
    if preamble and "&" not in preamble[0]:
        joined = _joined_columns(preamble[2])
        text = "\n" * preamble[0].count("\n") + text[preamble.end() :]
    marked, depth = "", 0
    for token in _TOKEN.findall(text):
        depth += {"{": 1, "}": -1}.get(token, 0)
        if depth not in range(NESTED):
            line += marked.count("\n")
            return TextGrid(fault=f"line {line}: braces do not match, or are nested too deeply")
        ends_row = token.startswith((r"\\", r"\tabularnewline", r"\cr"))
        mark = "\ue002" if ends_row else "\ue001" if token == "&" else token
        marked += token if depth else mark
    rows: SpannedRows = []
    try:
        for row in marked.split("\ue002"):
            rules = _RULES.match(row)
            n = rules.end() if rules else 0
            first, line = line + row.count("\n", 0, n), line + row.count("\n")
            if row[n:].replace("\ue001", "").strip():
                fields = (_latex_fields(text, first) for text in row[n:].split("\ue001"))
                rows.append((first, [*chain.from_iterable(fields)]))
    except ValueError as error:
        return TextGrid(fault=str(error))
    grid = _filled(rows, leave_out=False)
    for cells in grid.rows:
        for j in joined if len(cells) > 1 else ():
            mean, spread = [*cells[j : j + 2], Text(), Text()][:2]
            alone = is_gap(spread.text) or not is_number(spread.text)  # above both columns
            cells[j : j + 2] = [mean if alone else Text(f"{mean.text}±{spread.text}", mean.bold)]
    width = max(map(len, grid.rows), default=0)
    # The last fields of a row can be left out; a field alone is a heading of the rows below.
    for cells in grid.rows:
        cells += (cells if len(cells) == 1 else [Text()]) * (width - len(cells))
    return grid


def _joined_columns(columns: str) -> list[int]:
    r"""Return the places of columns that ``@{$\pm$}`` joins with the next one, the last first."""
    columns = re.sub(rf"\*\s*\{{(\d+)\}}\s*({_GROUP})", lambda m: int(m[1]) * m[2][1:-1], columns)
    parts = re.findall(rf"([@!>]\s*{_GROUP})|[A-Za-z](?:{_GROUP})?", columns.strip()[1:-1])
    places = [i for i, part in enumerate(parts) if r"\pm" in part]
    return [sum(not part for part in parts[:i]) - 1 for i in places[::-1]]


def _latex_fields(text: str, line: int) -> list[tuple[Text, int]]:
    """Return a field for each of its columns, or raise ValueError for an unknown command."""
    spans = []
    if re.match(r"\s*\{\s*\\multi", text):  # siunitx reads fields in braces as words
        text = text.strip()[1:-1]
    for pattern in (_COLUMNS, _ROWS):
        match = pattern.match(text)
        spans.append(_span(match[1]) if match else 1)
        if match:
            text = text[match.end() :].strip().removeprefix("{").removesuffix("}")
    n_columns, n_rows = spans
    return [(Text(_plain(text, line), _BOLD.search(text) is not None), n_rows)] * n_columns


def _plain(field: str, line: int) -> str:
    """Return a field of LaTeX as plain text, or raise ValueError for a command of several parts."""
    if not re.search(r"[\\{}$^_~-]", field):
        return " ".join(field.split())
    field = _COMMANDS.sub("", field).replace(r"\\", " ").replace(r"\,", "")
    field = re.sub(r"\\ding\{5[56]\}", "✗", re.sub(r"\\ding\{5[12]\}", "✓", field))
    converter = _converter()
    for name, parts in re.findall(r"\\([A-Za-z]+)\s*((?:\{[^{}]*\})*)", field):
        spec = converter.latex_context.get_macro_spec(name)
        if spec is not None and spec.macroname:
            continue
        if parts.count("{") > 1:
            raise ValueError(f"line {line}: unknown LaTeX command \\{name} with several arguments")
        # Its text stays apart from the text around it.
        unknown = rf"\\{name}(?![A-Za-z])" + rf"\s*({_GROUP})" * bool(parts)
        field = re.sub(unknown, r" \1 " if parts else f" {name} ", field)
    try:
        return _without_scripts(converter.latex_to_text(field).replace("∙", "•"))
    except Exception:  # whatever the parser raises
        raise ValueError(f"line {line}: unreadable LaTeX: {field.strip()[:60]}") from None


def _without_scripts(text: str) -> str:
    """Return a text in which signs and deviations are not raised or lowered."""
    text = re.sub(r"[_^]\s*(?=[±(*†‡•∘∗])", "", text.strip())
    text = re.sub(r"(?<=^[\d.])([\d.]*%?)\s*_\s*(?=\d*\.\d+%?$)", r"\1±", text)
    return " ".join(text.split())


@cache
def _converter() -> Any:
    from pylatexenc.latex2text import LatexNodes2Text  # slow to import

    return LatexNodes2Text(math_mode="text", keep_comments=True)


def read_markdown(text: str) -> list[TextGrid]:
    """Return the tables of Markdown, also of a page with other paragraphs, by way of HTML."""
    from markdown_it import MarkdownIt  # slow to import

    # A table of a page with tabs is as far to the right as code.
    parser = MarkdownIt("commonmark").enable("table").disable("code")
    tokens, lines, grids, title = parser.parse(text), text.splitlines(), list[TextGrid](), ""
    for i, token in enumerate(tokens):
        if token.type == "inline" and tokens[i - 1].type in ("paragraph_open", "heading_open"):
            title = token.content
        elif token.type == "table_open" and token.map:
            first = token.map[0]
            end = next(j for j in range(i, len(tokens)) if tokens[j].type == "table_close")
            [grid] = read_html(parser.renderer.render(tokens[i : end + 1], parser.options, {}))
            grid.around = [title] if title else []
            grid.lines = [first + 1 + j + (j > 0) for j in range(len(grid.rows))]
            for row, line in zip(grid.rows, [lines[first], *lines[first + 2 :]], strict=False):
                # Markdown leaves out fields beyond the last column.
                row += [Text()] * (_n_fields(line) - len(row))
            below = [*enumerate(lines[token.map[1] :], token.map[1] + 1)]
            rest = [(n, x) for n, x in below if x.strip() and not x.lstrip().startswith("<!--")]
            goes_on = rest and _n_fields(rest[0][1]) == len(grid.rows[0])
            if goes_on and not any("--" in x for _, x in rest[1:2]):
                grid.fault = f"line {rest[0][0]}: a row after its table: delete the lines between"
            grids.append(grid)
    return grids


def _n_fields(line: str) -> int:
    """Return the number of fields of a row in Markdown."""
    fields = re.sub(r"\\.", "", line).strip(" >").removeprefix("|").rstrip("| ")
    return fields.count("|") + 1


class _Tables(HTMLParser):
    """Collects the rows and captions of tables in HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[SpannedRows] = []
        self.captions: list[list[str]] = []
        self.in_table = self.in_script = self.bold = False
        self.parts: list[str] | None = None
        """Text of the field that is being read."""
        self.tag = ""
        self.spans = 1, 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a table, a row or a field."""
        names = {name: value or "" for name, value in attrs}
        self.in_script = tag in ("script", "style")
        if tag == "table":
            if self.in_table:
                raise ValueError(f"line {self.getpos()[0]}: a table within a table")
            self.in_table = True
            self.tables.append([])
            self.captions.append([])
        elif self.in_table and tag in ("tr", "td", "th", "caption"):
            self._end_field()
            if tag == "tr" or (tag != "caption" and not self.tables[-1]):
                self.tables[-1].append((self.getpos()[0], []))
            self.parts, self.tag = None if tag == "tr" else [], tag
            self.bold = "font-weight:bold" in names.get("style", "").replace(" ", "")
            self.spans = _span(names.get("colspan", "")), _span(names.get("rowspan", ""))
        elif self.parts is not None:
            self.bold = self.bold or tag in ("b", "strong")
            self.parts.append(_separator(tag) + names.get("alt", ""))

    def handle_data(self, data: str) -> None:
        """Add text to a field."""
        if self.parts is not None and not self.in_script:
            self.parts.append(data)

    def handle_endtag(self, tag: str) -> None:
        """End a field or a table."""
        self.in_script = False
        if tag in ("td", "th", "tr", "caption", "table"):
            self._end_field()
            self.in_table = self.in_table and tag != "table"
        elif self.parts is not None and _separator(tag):
            self.parts.append(" ")

    def _end_field(self) -> None:
        if self.parts is None:
            return
        text = _without_scripts("".join(self.parts))
        if re.search(r"\$.*\\", text):
            self.bold = self.bold or _BOLD.search(text) is not None
            text = _plain(text, self.getpos()[0])
        if self.tag == "caption":
            self.captions[-1].append(text)
        else:
            n_columns, n_rows = self.spans
            self.tables[-1][-1][1].extend([(Text(text, self.bold), n_rows)] * n_columns)
        self.parts = None


def _separator(tag: str) -> str:
    """Return the text in place of a tag, so that numbers around it stay apart."""
    plain = ("b", "strong", "i", "em", "a", "u", "code", "font")
    return {"sup": "^", "sub": "_"}.get(tag, "" if tag in plain else " ")


def read_html(text: str) -> list[TextGrid]:
    """Return the tables of HTML."""
    parser = _Tables()
    parser.feed(text)
    parser.close()
    grids = [_filled(rows, leave_out=True) for rows in parser.tables]
    for grid, captions in zip(grids, parser.captions, strict=True):
        grid.around = captions
    return grids
