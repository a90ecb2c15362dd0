"""A small results folder made by hand, with every kind of file a page reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from quadrepro.results.results import CELLS_HEADER, CLAIMS_HEADER, COMPARISONS_HEADER, ERRORS_HEADER
from quadrepro.tables.judge import SCORE_HEADER, VERDICTS_HEADER
from quadrepro.tables.render import csv_text
from tests.make import config

Rows = Mapping[tuple[str, str], tuple[int | None, ...]]

ERRORS: Rows = {
    ("monks", "quadboost"): (40, 44, 48),
    ("monks", "adaboost"): (30, 30, 36),
    ("wine", "quadboost"): (10, 20, 30),
    ("wine", "adaboost"): (10, 20, 30),
}
"""Wrong examples of 100 on three splits."""

SPREAD = ("deviation of risk", "0.09", 0.04, 0.02, 0.08, 0.02, "outside", "")
"""The verdict on the printed deviation of the first number."""

VERDICTS = (
    ("table1", "monks", "quadboost", "risk", "0.43", 0.44, 0.4, 0.48, 0.6, "inside", ""),
    ("table1", "monks", "quadboost", *SPREAD),
    ("table1", "wine", "quadboost", "risk", "0.01", 0.2, 0.1, 0.3, 0.01, "outside", ""),
    ("table1", "monks", "adaboost", "risk", "0.52", 0.32, 0.24, 0.4, 0.001, "outside", ""),
    ("table1", "wine", "adaboost", "risk", "0.28", "", "", "", "", "not comparable", "no result"),
)

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M 1.2345 2"/></svg>'

RISKS = """## Small: test risks

| Data set | QuadBoost | AdaBoost |
|:---------|----------:|---------:|
| monks    |      0.44 |     0.32 |
| wine     |      0.20 |     0.20 |

Ours are means.
"""

NOTES = """# Notes

Both sets are small; see [the errors](errors.md).

## What does not reproduce

The printed risk of wine is **far** too low.

## Open questions

Nothing.
"""


def make_folder(path: Path, **changes: str | None) -> Path:
    """Write a results folder with some files replaced or, if they are None, left out.

    Files are named as keywords, with a double underscore for the dot.
    """
    texts = every_file() | {name.replace("__", "."): text for name, text in changes.items()}
    path.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        if text is not None:
            (path / name).write_text(text, encoding="utf-8")
    return path


def make_own_folder(
    path: Path, rows: Rows, winners: Mapping[tuple[str, str], str], **changes: str
) -> Path:
    """Write the results of a comparison without a paper, given wrong examples and winners."""
    files: dict[str, str | None] = {
        "run__json": run(paper=None),
        "cells__csv": cells(rows),
        "errors__csv": errors(rows),
        "comparisons__csv": comparisons(winners),
        "comparisons__md": "## Small: comparisons\n",
        "tables__json": manifest(
            tables={name: {"title": f"Small: {name}"} for name in ("errors", "comparisons")}
        ),
        **dict.fromkeys(("verdicts__csv", "score__csv", "claims__csv", "notes__md")),
    }
    return make_folder(path, **{**files, **changes})


def manifest(**changes: Any) -> str:
    """Return a ``tables.json`` with some of its fields replaced."""
    tables = {name: {"title": f"Small: {name}"} for name in ("errors", "claims", "verdicts")}
    return json.dumps({"tables": tables, "figures": ["curves.svg"]} | changes)


def run(
    computed: list[dict[str, Any]] | None = None,
    conclusion: str = "",
    best: str = "a",
    **changes: Any,
) -> str:
    """Return a ``run.json`` with some fields of the config replaced."""
    release = {"cells": 12, "versions": {"quadrepro": "0.1.0", "numpy": "2.4.6"}}
    content = config(paper="quadboost", repeats=3, datasets=["monks", "wine"])
    fields = {
        "experiment": "small",
        "seed": 7,
        "config": {**content, "tables": {"claims": "table1"}, **changes},
        "titles": {"quadboost": "QuadBoost", "adaboost": "AdaBoost"},
        "data": {"monks": "sha256:aa", "wine": "sha256:bb"},
        "conclusion": conclusion,
        "best": best,
        "computed": computed or [release],
    }
    return json.dumps(fields)


def cells(rows: Rows = ERRORS) -> str:
    """Return a ``cells.csv`` from wrong examples of 100, by row and column; None is a failure."""
    lines: list[tuple[Any, ...]] = []
    for place, counts in rows.items():
        for repeat, n in enumerate(counts):
            chosen = json.dumps({"n_rounds": 5 + repeat % 2})
            numbers = ("failed", *[""] * 5, "too slow")
            if n is not None:
                numbers = ("ok", n, 100, n / 100, chosen, 0.5 + repeat, "")
            lines.append((*place, repeat, *numbers))
    return csv_text(CELLS_HEADER, lines)


def errors(rows: Rows = ERRORS) -> str:
    """Return an ``errors.csv`` that fits `cells` and the printed numbers of `VERDICTS`."""
    spreads = {row[1:3]: row[4] for row in VERDICTS if row[3] != "risk"}
    printed = {
        row[1:3]: (row[4], spreads.get(row[1:3], ""), row[9])
        for row in VERDICTS
        if row[3] == "risk"
    }
    lines = []
    for place, counts in rows.items():
        risks = [n / 100 for n in counts if n is not None]
        mean = fmean(risks) if None not in counts else None
        sd = stdev(risks) if None not in counts and len(risks) > 1 else None
        lines.append((*place, "risk", len(risks), mean, sd, *printed.get(place, [""] * 3)))
    return csv_text(ERRORS_HEADER, lines)


def claims(*rows: str) -> str:
    """Return a ``claims.csv`` with these rows."""
    return "\n".join([",".join(CLAIMS_HEADER), *rows]) + "\n"


def comparisons(winners: Mapping[tuple[str, str], str]) -> str:
    """Return a ``comparisons.csv`` of pairs, in both orders, with their winners if any."""
    rows = []
    for (a, b), winner in winners.items():
        numbers = {"p adjusted": "0.01" if winner else "0.4", "winner": winner}
        for pair in ((a, b), (b, a)):
            fields = dict(zip(COMPARISONS_HEADER, pair, strict=False)) | numbers
            rows.append([fields.get(name, "") for name in COMPARISONS_HEADER])
    return csv_text(COMPARISONS_HEADER, rows)


def score(*numbers: Any) -> str:
    """Return a ``score.csv`` with one printed table."""
    return csv_text(SCORE_HEADER, [numbers])


def every_file() -> dict[str, str | None]:
    """Return the files of a results folder by name."""
    first = "QuadBoost wins,false,1 of 2,undecided,17 of 25,supported"
    places = '[["monks", "adaboost"]]'
    return {
        "tables.json": manifest(),
        "run.json": run(),
        "cells.csv": cells(),
        "errors.csv": errors(),
        "errors.md": RISKS,
        "verdicts.csv": csv_text(VERDICTS_HEADER, VERDICTS),
        "verdicts.md": "## Small: verdicts\n",
        "score.csv": score("table1", 4, 1, 2, 1, 0.15, 0, 1, 0.014, 0.007, 0.999, places, 0, 1),
        "claims.csv": claims(first, "Odd,,,,,"),
        "claims.md": "## Small: claims\n",
        "curves.svg": SVG,
        "notes.md": NOTES,
    }
