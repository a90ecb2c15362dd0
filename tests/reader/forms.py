"""One table in every form that the reader knows."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
from tabulate import tabulate

Rows = Sequence[Sequence[str]]
"""Rows of texts; the first has the names."""


def _separated(separator: str) -> Callable[[Rows], str]:
    def write(rows: Rows) -> str:
        quoted = [[f'"{x}"' if separator in x or '"' in x else x for x in row] for row in rows]
        return "\n".join(separator.join(row) for row in quoted) + "\n"

    return write


def latex(text: str) -> str:
    """Return a text with the signs of LaTeX escaped."""
    return re.sub(r"([_%&#$])", r"\\\1", text)


def _latex(rows: Rows) -> str:
    head, *body = ([latex(x) for x in row] for row in rows)
    lines = [" & ".join(row) + r" \\" for row in body]
    rules = [r"\toprule", " & ".join(rf"\textbf{{{x}}}" for x in head) + r" \\", r"\midrule"]
    columns = "l" + "r" * (len(head) - 1)
    start = (r"\begin{table}", rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}")
    return "\n".join((*start, *rules, *lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"))


def _markdown(rows: Rows) -> str:
    escaped = [[re.sub(r"([|*_\\])", r"\\\1", x) for x in row] for row in rows]
    return tabulate(escaped[1:], escaped[0], "pipe", disable_numparse=True)


def _readme(rows: Rows) -> str:
    table = "\n".join(line.strip("|") for line in _markdown(rows).splitlines())
    options = "| option | meaning |\n|---|---|\n| `--fast` | faster |\n"
    return f"# Results\n\nWe compare it, as follows.\n\n{table}\n\n## Use\n\n{options}\nThe end.\n"


def _html(rows: Rows) -> str:
    def row(texts: Sequence[str], tag: str) -> str:
        cells = (x.replace("&", "&amp;").replace("<", "&lt;") for x in texts)
        return "<tr>" + "".join(f"<{tag}>{x}</{tag}>" for x in cells) + "</tr>"

    body = "\n".join([row(rows[0], "th"), *(row(texts, "td") for texts in rows[1:])])
    return f"<html><body><p>Results</p><table>{body}</table></body></html>"


def _tabulated(form: str) -> Callable[[Rows], str]:
    return lambda rows: tabulate(rows[1:], rows[0], form, disable_numparse=True)


def _blanks(rows: Rows) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("   ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def _printed(rows: Rows, **options: bool) -> str:
    """Return a data frame of numbers as pandas prints it."""
    frame = _frame(rows)
    numbers = frame.iloc[:, 1:].apply(pd.to_numeric, errors="coerce")
    return pd.concat([frame.iloc[:, :1], numbers], axis=1).to_string(**options)


def _frame(rows: Rows) -> pd.DataFrame:
    return pd.DataFrame([*rows[1:]], columns=[*rows[0]])


TEXTS: dict[str, tuple[str, Callable[[Rows], str]]] = {
    "commas": ("csv", _separated(",")),
    "semicolons": ("csv", _separated(";")),
    "tabs": ("tsv", _separated("\t")),
    "bars": ("txt", _separated("|")),
    "Markdown": ("md", _markdown),
    "README": ("md", _readme),
    "LaTeX": ("tex", _latex),
    "grid": ("rst", _tabulated("grid")),
    "simple": ("rst", _tabulated("rst")),
    "dashes": ("txt", _tabulated("simple")),
    "psql": ("txt", _tabulated("psql")),
    "boxes": ("txt", _tabulated("rounded_outline")),
    "HTML": ("html", _html),
    "records": ("json", lambda rows: json.dumps(_frame(rows).to_dict("records"))),
    "columns": ("json", lambda rows: json.dumps(_frame(rows).to_dict("list"))),
    "split": ("json", lambda rows: json.dumps(_frame(rows).to_dict("split"))),
    "lines": ("jsonl", lambda rows: "\n".join(map(json.dumps, _frame(rows).to_dict("records")))),
    "blanks": ("txt", _blanks),
    "pandas": ("txt", _printed),
    "pandas without index": ("txt", lambda rows: _printed(rows, index=False)),
}
"""Ending and text of each form."""

FORMS = (*TEXTS, "Excel", "parquet")


def write(folder: Path, form: str, rows: Rows) -> Path:
    """Write a table in a form, in a file called ``t``."""
    if form in TEXTS:
        ending, make = TEXTS[form]
        path = folder / f"t.{ending}"
        path.write_text(make(rows), encoding="utf-8")
        return path
    path = folder / f"t.{'xlsx' if form == 'Excel' else 'parquet'}"
    if form == "Excel":
        path.write_bytes(workbook([*rows]))
    else:
        _frame(rows).to_parquet(path)
    return path


def workbook(rows: Rows) -> bytes:
    """Return a minimal workbook with inline texts."""
    import zipfile
    from xml.sax.saxutils import escape

    kinds = "application/vnd.openxmlformats"
    schema = "http://schemas.openxmlformats.org"
    cells = "".join(
        "<row>"
        + "".join(f'<c t="inlineStr"><is><t>{escape(x)}</t></is></c>' for x in row)
        + "</row>"
        for row in rows
    )
    main = f'xmlns="{schema}/spreadsheetml/2006/main"'
    relations = f'xmlns="{schema}/package/2006/relationships"'
    document = f"{schema}/officeDocument/2006/relationships"
    files = {
        "[Content_Types].xml": (
            f'<Types xmlns="{schema}/package/2006/content-types">'
            f'<Default Extension="rels" ContentType="{kinds}-package.relationships+xml"/>'
            '<Override PartName="/xl/workbook.xml" ContentType="'
            f'{kinds}-officedocument.spreadsheetml.sheet.main+xml"/>'
            '<Override PartName="/xl/worksheets/sheet1.xml" ContentType="'
            f'{kinds}-officedocument.spreadsheetml.worksheet+xml"/></Types>'
        ),
        "_rels/.rels": (
            f'<Relationships {relations}><Relationship Id="r1" Type="{document}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>'
        ),
        "xl/workbook.xml": (
            f'<workbook {main} xmlns:r="{document}"><sheets>'
            '<sheet name="scores" sheetId="1" r:id="r1"/></sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": (
            f'<Relationships {relations}><Relationship Id="r1" Type="{document}/worksheet" '
            'Target="worksheets/sheet1.xml"/></Relationships>'
        ),
        "xl/worksheets/sheet1.xml": (
            f"<worksheet {main}><sheetData>{cells}</sheetData></worksheet>"
        ),
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return content.getvalue()
