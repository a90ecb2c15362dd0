"""Results of an experiment: the tables, data frames and figures of a results folder.

What the files of a folder say is data: nothing that they name is imported or opened.
"""

from __future__ import annotations

import html
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from markdown_it import MarkdownIt
from pydantic import TypeAdapter, ValidationError

from quadrepro.base.files import is_regular, read_text
from quadrepro.config.checks import MAX_CELLS
from quadrepro.data.card import TWO_CLASSES
from quadrepro.errors import ConfigError, DataError, nearest
from quadrepro.results.run import CELLS, MANIFEST, RUN, SCORE, WRITE_AGAIN, Manifest, Run, read_json
from quadrepro.tables.kinds.claims import DATA_HEADER as CLAIMS_HEADER
from quadrepro.tables.kinds.errors import DATA_HEADER as ERRORS_HEADER
from quadrepro.tables.made import VERDICTS
from quadrepro.tables.verdicts import DATA_HEADER as VERDICTS_HEADER
from quadrepro.tables.verdicts import SCORE_HEADER

if TYPE_CHECKING:
    from quadrepro.config.plan import Plan
    from quadrepro.engine.outcomes import Outcomes
    from quadrepro.tables.table import Table

PLACE = ("dataset", "algorithm", "repeat")

MEASURED = ("status", "errors", "n_test", "value", "chosen", "seconds", "reason")

CELLS_HEADER = (*PLACE, *MEASURED)
"""Columns of the table of cells; those of the metrics that the config asks for follow."""

VERDICTS_FILE = f"{VERDICTS}.csv"

EXAMPLE_COLUMNS = (*PLACE, "example", "label", "predicted", "wrong")
"""Columns of `Results.examples`."""


def markdown_html(text: str) -> str:
    """Return Markdown as HTML; HTML in it is shown as text."""
    return str(MarkdownIt("commonmark", {"html": False}).enable("table").render(text))


@dataclass(frozen=True)
class TableView:
    """A table of a results folder.

    In a terminal it shows as Markdown, in a notebook as HTML.

    Attributes
    ----------
    name : str
        Name of its files without ending.
    folder : Path
        The results folder.
    """

    name: str
    folder: Path

    @property
    def markdown(self) -> str:
        """The table with title and notes as Markdown, numbers rounded for reading."""
        return read_text(self.folder / f"{self.name}.md")

    @property
    def data(self) -> pd.DataFrame:
        """The numbers with eight digits, each in a column of its own."""
        return read_csv(self.folder / f"{self.name}.csv")

    def __repr__(self) -> str:
        return self.markdown

    def _repr_html_(self) -> str:
        return markdown_html(self.markdown)


@dataclass(frozen=True, eq=False)
class Results:
    """The results of an experiment, as `quadrepro.reproduce` or `load_results` returns them.

    Attributes
    ----------
    folder : Path
        The results folder.
    plan : Plan or None, default None
        The cells with their splits; None if the results were read from a folder.
    outcomes : Outcomes or None, default None
        The records of the cells; None if the results were read from a folder.
    made : dict of str to Table
        The tables as they were written, the one to print first; empty if the results were read from
        a folder.
    """

    folder: Path
    plan: Plan | None = field(default=None, repr=False)
    outcomes: Outcomes | None = field(default=None, repr=False)
    made: dict[str, Table] = field(default_factory=dict, repr=False)

    @cached_property
    def manifest(self) -> Manifest:
        """The tables and figures of the folder."""
        if not is_regular(self.folder / MANIFEST):
            raise ConfigError(f"{self.folder} is not a results folder: it has no {MANIFEST}")
        return read_json(self.folder / MANIFEST, Manifest)

    @cached_property
    def run(self) -> Run:
        """The config, its data, and with what the cells were computed."""
        path = self.folder / RUN
        return read_json(path, Run) if is_regular(path) else Run()

    @property
    def name(self) -> str:
        """Name of the experiment."""
        return self.run.experiment or self.folder.resolve().name

    @property
    def title(self) -> str:
        """Title of the experiment."""
        return self.run.asked("title") or self.name

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables, the most important one first."""
        return tuple(self.manifest.tables)

    @property
    def figures(self) -> dict[str, Path]:
        """The file of each figure by name."""
        return {Path(name).stem: self.folder / name for name in self.manifest.figures}

    def table(self, name: str) -> TableView:
        """Return a table.

        Parameters
        ----------
        name : str
            One of `tables`, such as ``"errors"``.

        Raises
        ------
        ConfigError
            If there is no such table; the nearest name is given.
        """
        if name not in self.tables:
            hint = nearest(name, self.tables)
            raise ConfigError(f"{self.folder} has no table {name!r}{hint}")
        return TableView(name, self.folder)

    @cached_property
    def cells(self) -> pd.DataFrame:
        """One row per cell: errors, chosen hyper-parameters, seconds, metrics; as ``cells.csv``."""
        found = self._read(CELLS, CELLS_HEADER, ("errors", "n_test", "value", "seconds"))
        path, metrics = self.folder / CELLS, found.columns[len(CELLS_HEADER) :]
        found["repeat"] = _numbers(path, found["repeat"], needed=True)
        found["chosen"] = _parsed(path, found["chosen"], dict[str, Any])
        return found.assign(**{name: _numbers(path, found[name]) for name in metrics})

    @cached_property
    def examples(self) -> pd.DataFrame:
        """One row per cell and test example: its label, what is predicted, whether that is wrong.

        The column ``example`` is the row of the example in the data set's view. Labels are -1 and
        +1 where the view has `positive`, and otherwise those of the data set. Cells that
        predict numbers are left out.

        Raises
        ------
        ConfigError
            If the results were read from a folder, which does not hold the records.
        """
        if self.plan is None or self.outcomes is None:
            raise ConfigError(
                f"{self.folder} does not hold the outcome of every example: call "
                "quadrepro.reproduce, which computes only what is missing"
            )
        parts = [pd.DataFrame(columns=[*EXAMPLE_COLUMNS], dtype=object)]
        for cell in self.plan.cells:
            place = cell.dataset, cell.algorithm, cell.repeat
            record = self.outcomes.records[place]
            if record.ok and record.classes:
                labels = np.array([-1, 1] if record.classes == TWO_CLASSES else record.classes)
                found = labels[record.actual], labels[record.predicted], record.wrong
                columns = (*place, cell.problem.split.test, *found)
                parts.append(pd.DataFrame(dict(zip(EXAMPLE_COLUMNS, columns, strict=True))))
        return pd.concat(parts[1:] or parts, ignore_index=True)

    @cached_property
    def errors(self) -> pd.DataFrame:
        """The mean error of every entry, and its mean by each metric that the config asks for."""
        return self._read("errors.csv", ERRORS_HEADER, ("splits", "mean", "sd"))

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """Where each printed number lies in the distribution of the repeats; empty without print.

        Printed numbers are texts, digit for digit.
        """
        found = self._read(VERDICTS_FILE, VERDICTS_HEADER, ("ours", "low", "high", "p"))
        _numbers(self.folder / VERDICTS_FILE, found["printed"], needed=True)
        return found

    @cached_property
    def claims(self) -> pd.DataFrame:
        """The claims of the paper, judged on these results and in print; empty without claims."""
        found = self._read("claims.csv", CLAIMS_HEADER)
        return found.assign(timed=found["timed"] == "true")

    @cached_property
    def scores(self) -> pd.DataFrame:
        """The number of printed numbers inside and outside, by printed table; empty without print.

        ``surely off`` has row and column of each number that is outside after Holm's correction.
        """
        found = self._read(SCORE, SCORE_HEADER, SCORE_HEADER[1:-1])
        off = _parsed(self.folder / SCORE, found["surely off"], list[tuple[str, str]])
        return found.assign(**{"surely off": [of or [] for of in off]})

    def _read(self, file: str, header: Sequence[str], numbers: Sequence[str] = ()) -> pd.DataFrame:
        """Return a CSV that has these columns, some of them of numbers; empty if it is missing."""
        path = self.folder / file
        found = pd.DataFrame(columns=[*header], dtype=str)
        if is_regular(path):
            found = read_csv(path, dtype=str, keep_default_na=False)
        if missing := [name for name in header if name not in found]:
            raise DataError(f"{path}: there is no column {missing[0]!r}; {WRITE_AGAIN}")
        if len(found) > MAX_CELLS:
            raise DataError(f"{path}: {len(found):,} rows; at most {MAX_CELLS:,} are read")
        return found.assign(**{name: _numbers(path, found[name]) for name in numbers})

    def report(self) -> Path:
        """Write the results as an HTML page, and the index of all results folders beside this one.

        The page shows tables, figures, claims, notes and every split, and needs no other file. It
        is made from the files of the results folder.

        Returns
        -------
        Path
            ``report.html`` in the results folder.

        Raises
        ------
        DataError
            If a file of the folder is damaged.
        """
        from quadrepro.results.page import write_report  # imports jinja2

        beside = None if self.plan is None else self.plan.experiment.source.path.parent
        page, _ = write_report(self.folder, beside)
        return page

    def __repr__(self) -> str:
        return "\n".join([*(self.table(name).markdown for name in self.tables[:1]), self._listed])

    def _repr_html_(self) -> str:
        first = "".join(self.table(name)._repr_html_() for name in self.tables[:1])
        return f"{first}<p>{html.escape(self._listed)}</p>"

    @property
    def _listed(self) -> str:
        named = {"tables": self.tables, "figures": tuple(self.figures)}
        lines = [f"{what}: {', '.join(names)}" for what, names in named.items() if names]
        return "\n".join([*lines, f"folder: {self.folder}"])


def load_results(folder: str | Path) -> Results:
    """Read a results folder.

    Parameters
    ----------
    folder : str or Path
        A folder that ``quadrepro run`` or `quadrepro.reproduce` has written, such as
        ``results/table1``.

    Returns
    -------
    Results
        All but the outcome of every example.

    Raises
    ------
    ConfigError
        If it is not a results folder.
    DataError
        If a file of the folder is damaged.

    Examples
    --------
    >>> from quadrepro import reproduce
    >>> config = {
    ...     "title": "First look",
    ...     "protocol": {"view": "quadboost"},
    ...     "datasets": ["monks"],
    ...     "algorithms": [{"name": "quadboost", "grid": {"n_rounds": 10}}],
    ... }
    >>> folder = reproduce(config, jobs=1, progress=False).folder
    >>> results = load_results(folder)
    >>> results.tables
    ('errors',)
    >>> results.cells[["dataset", "algorithm", "errors", "n_test"]]
      dataset  algorithm  errors  n_test
    0   monks  quadboost      42     216
    1   monks   baseline     113     216
    """
    results = Results(Path(folder))
    if not results.tables:
        raise ConfigError(f"{folder} holds no table")
    return results


def read_csv(path: Path, **options: Any) -> pd.DataFrame:
    """Return a CSV of a results folder."""
    try:
        found = pd.read_csv(io.StringIO(read_text(path)), **options)
    except (ValueError, OverflowError) as error:
        raise DataError(f"{path} is damaged: {error}") from None
    if not isinstance(found.index, pd.RangeIndex):
        raise DataError(f"{path} is damaged: a row has more fields than the first one")
    return found


def _numbers(path: Path, texts: pd.Series[str], needed: bool = False) -> pd.Series[Any]:
    """Return the numbers of a column; an empty text is NaN, and refused where they are needed."""
    numbers = pd.to_numeric(texts, errors="coerce")
    bad = ~np.isfinite(numbers) if needed else numbers.isna() & ~texts.isin(["", "nan"])
    if bad.any():
        i = bad.idxmax()
        place = f"{path}, row {i + 1}, column {texts.name!r}"
        raise DataError(f"{place}: {texts[i][:60]!r} is not a number")
    return numbers


def _parsed(path: Path, texts: pd.Series[str], kind: Any) -> pd.Series[Any]:
    """Return the values of a column of JSON texts; None for an empty one."""
    read = TypeAdapter(kind).validate_json
    try:
        known = {text: read(text) for text in texts.unique() if text}
    except ValidationError as error:
        raise DataError(f"{path}, column {texts.name!r}: {error.errors()[0]['msg']}") from None
    return pd.Series([known.get(text) for text in texts], dtype=object, index=texts.index)


def results_folders(out: Path) -> list[Path]:
    """Return the results folders below a folder, by name."""
    if not out.is_dir():
        return []
    return sorted(path for path in out.iterdir() if is_regular(path / MANIFEST))
