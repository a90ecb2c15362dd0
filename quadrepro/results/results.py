"""Results of an experiment: tables, data frames and figures of a results folder."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from quadrepro.base.files import is_regular, read_text
from quadrepro.errors import ConfigError, DataError, nearest

if TYPE_CHECKING:
    import pandas as pd

    from quadrepro.config.plan import Plan
    from quadrepro.engine.outcomes import Outcomes
    from quadrepro.results.folder import Folder
    from quadrepro.tables.table import Table


EXAMPLE_COLUMNS = ("dataset", "algorithm", "repeat", "example", "label", "predicted", "wrong")
"""Columns of `Results.examples`."""


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
        return _frame(self.folder / f"{self.name}.csv")

    def __repr__(self) -> str:
        return self.markdown

    def _repr_html_(self) -> str:
        from quadrepro.results.markdown import plain_html

        return plain_html(self.markdown)


@dataclass(frozen=True, eq=False)
class Results:
    """What an experiment has come to, as `quadrepro.reproduce` or `load_results` returns it.

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

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables, the most important one first."""
        return tuple(self._read.manifest.tables)

    def table(self, name: str) -> TableView:
        """Return a table.

        Parameters
        ----------
        name : str
            One of `tables`, such as ``"risks"``.

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
        import pandas as pd

        path = self.folder / "cells.csv"
        cells = _frame(path)
        try:
            chosen = [json.loads(t) if isinstance(t, str) else None for t in cells["chosen"]]
        except (ValueError, LookupError, RecursionError) as error:
            raise DataError(f"{path} is damaged: {error}") from None
        cells["chosen"] = pd.Series(chosen, dtype=object)
        return cells

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
        import numpy as np
        import pandas as pd

        from quadrepro.data.card import TWO_CLASSES

        if self.plan is None or self.outcomes is None:
            raise ConfigError(
                f"{self.folder} does not hold the outcome of every example: call "
                "quadrepro.reproduce, which computes only what is missing"
            )
        parts = []
        for cell in self.plan.cells:
            record = self.outcomes.records[cell.dataset, cell.algorithm, cell.repeat]
            if record.ok and record.classes:
                labels = np.array([-1, 1] if record.classes == TWO_CLASSES else record.classes)
                columns = {
                    "example": cell.problem.split.test,
                    "label": labels[record.actual],
                    "predicted": labels[record.predicted],
                    "wrong": record.wrong,
                }
                names = {"dataset": cell.dataset, "algorithm": cell.algorithm}
                parts.append(pd.DataFrame({**names, "repeat": cell.repeat, **columns}))
        empty = pd.DataFrame(columns=EXAMPLE_COLUMNS)
        return pd.concat(parts, ignore_index=True) if parts else empty

    @property
    def verdicts(self) -> pd.DataFrame:
        """Where each printed risk lies in the distribution of the repeats.

        Raises
        ------
        ConfigError
            If there is only one repeat, or nothing is printed.
        """
        return self._data("verdicts", "several repeats and a printed table of risks")

    @property
    def claims(self) -> pd.DataFrame:
        """The claims of the paper, judged on these results and on its printed table.

        Raises
        ------
        ConfigError
            If the config asks for no claims.
        """
        return self._data("claims", "a config with claims under tables")

    @property
    def figures(self) -> dict[str, Path]:
        """The SVG file of each figure by name; a PNG file is next to it."""
        return {name: self.folder / f"{name}.svg" for name in self._read.manifest.figures}

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
        from quadrepro.results.pages.index import write_report

        beside = None if self.plan is None else self.plan.experiment.source.path.parent
        page, _ = write_report(self.folder, beside)
        return page

    @cached_property
    def _read(self) -> Folder:
        from quadrepro.results.folder import read_folder

        return read_folder(self.folder)

    def _data(self, name: str, needs: str) -> pd.DataFrame:
        path = self.folder / f"{name}.csv"
        if not is_regular(path):
            raise ConfigError(f"{self.folder} has no {name}: they need {needs}")
        return TableView(name, self.folder).data

    def __repr__(self) -> str:
        figures = f"\nfigures: {', '.join(self.figures)}" if self.figures else ""
        first = self.table(self.tables[0])
        return f"{first!r}\ntables: {', '.join(self.tables)}{figures}\nfolder: {self.folder}"

    def _repr_html_(self) -> str:
        from html import escape

        figures = f"; figures: {', '.join(self.figures)}" if self.figures else ""
        text = escape(f"tables: {', '.join(self.tables)}{figures}; folder: {self.folder}")
        return f"{self.table(self.tables[0])._repr_html_()}<p>{text}</p>"


def _frame(path: Path) -> pd.DataFrame:
    """Return the numbers of a file that `quadrepro.tables.table.csv_text` has written."""
    import pandas as pd

    try:
        return pd.read_csv(io.StringIO(read_text(path)))
    except ValueError as error:
        raise DataError(f"{path} is damaged: {error}") from None


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
    ('risks',)
    >>> results.cells[["dataset", "algorithm", "errors", "n_test"]]
      dataset  algorithm  errors  n_test
    0   monks  quadboost      42     216
    1   monks   baseline     113     216
    """
    results = Results(Path(folder))
    if not results.tables:
        raise ConfigError(f"{folder} holds no table")
    return results
