"""A paper made of a single table in a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from quadrepro.base.atomic import write_text
from quadrepro.base.text import few
from quadrepro.base.yaml import YamlSource, to_yaml
from quadrepro.core.metrics import find_metric
from quadrepro.errors import ConfigError, nearest
from quadrepro.papers.paper import FILE, PRINTED, Paper, PaperFile
from quadrepro.papers.printed import Facts, Sample, Unit, from_table
from quadrepro.reader import PrintedTable
from quadrepro.tables.render import csv_text

HINTS = """\
# Further keys of a table, see docs/papers.md:
#   metric: accuracy            kind of the numbers; by default errors
#   of: {splits: 20}            the repetitions of a mean; or {cv: 10}, {runs: 10}
#   n_test: {ROW: 81}           number of test examples; or [81, 270], that and of all rows
#   bold: {ROW: [COLUMN]}       the numbers in bold
"""


def table_paper(
    table: PrintedTable,
    *,
    unit: Unit | None = None,
    sample: Sample | None = None,
    n_test: Mapping[str, int] | str = "",
) -> Paper:
    """Return a paper that has a single printed table.

    Parameters
    ----------
    table : PrintedTable
        The table.
    unit : {"fraction", "percent"}, optional
        Unit of its shares; by default percent if a sign shows it or a number is above 1.
    sample : Sample, optional
        The repetitions whose mean a number is.
    n_test : mapping of str to int, or str
        Numbers of test examples by row or data set, or the name of a column that has them.

    Raises
    ------
    ConfigError
        If a row, a column or the metric is unknown, or the numbers cannot be shares.
    """
    path, name = Path(table.path), Path(table.path).stem
    stated, metric = {"of": sample, "metric": table.metric}, table.metric or "error"
    try:
        find_metric(metric)
    except ValueError as error:
        raise ConfigError(f"{path}: {error}; state another one with --metric") from None
    facts = Facts.model_validate({"metric": metric, "of": sample})
    if facts.is_share:
        numbers = [table.numbers[row, m].value for row in table.rows for m in table.methods]
        if max(numbers, default=0) > 100:
            advice = "name their metric, such as --metric rmse, or leave out columns with --without"
            raise ConfigError(f"{path}: numbers above 100 are not shares: {advice}")
        if min(numbers, default=0) < 0 and not table.metric:
            raise ConfigError(f"{path}: negative numbers are not shares: name their --metric")
        in_percent = table.percent or (metric != "brier" and any(x > 1 for x in numbers))
        unit = unit or ("percent" if in_percent else "fraction")
        facts = facts.model_copy(update={"unit": unit})
    if isinstance(n_test, str):
        if n_test and n_test not in table.sizes:
            columns = f"; columns of whole numbers: {few([*table.sizes])}" if table.sizes else ""
            raise ConfigError(f"{path}: no column of sizes is called {n_test!r}{columns}")
        n_test = table.sizes.get(n_test, {})
    rows = {*table.rows, *table.datasets.values()}
    for row in n_test:
        if row not in rows:
            raise ConfigError(f"{path}: unknown row {row!r}{nearest(row, rows)}")
    sizes = {row: n_test.get(row, n_test.get(data, 0)) for row, data in table.datasets.items()}
    facts = facts.model_copy(update={"n_test": {row: n for row, n in sizes.items() if n}})
    printed = from_table(table, facts, {key for key, value in stated.items() if not value})
    file = PaperFile(title=name, printed={name: printed.facts})
    return Paper(str(path), file, {name: printed}, {}, YamlSource(path, {}))


def write_draft(paper: Paper, folder: Path) -> None:
    """Write a paper of a single table as a folder: ``paper.yaml`` and the table as CSV."""
    [(name, printed)] = paper.tables.items()
    rows = (*printed.rows, *printed.summaries)
    lines = [[row, *(printed.as_printed(row, c) for c in printed.columns)] for row in rows]
    stated = printed.facts.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    facts = {key: value for key, value in stated.items() if value is not None and key != "spread"}
    write_text(folder / PRINTED / f"{name}.csv", csv_text(["dataset", *printed.columns], lines))
    write_text(folder / FILE, to_yaml({"title": name, "printed": {name: facts}}) + HINTS)


def read_sizes(path: Path) -> dict[str, int]:
    """Return the numbers of test examples by row, from a file of names and sizes."""
    try:
        frame = pd.read_csv(path, header=None, names=["row", "size"], dtype=str)
    except (ValueError, OSError) as error:
        raise ConfigError(f"{path}: {error}") from None
    pairs = frame.fillna("").map(str.strip).itertuples(index=False)
    sizes = {row: int(size) for row, size in pairs if size.isdecimal()}
    if not sizes:
        raise ConfigError(f"{path}: no line has a row and its number of test examples")
    return sizes
