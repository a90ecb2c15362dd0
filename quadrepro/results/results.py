"""Results of an experiment: the tables, data frames and figures of a results folder.

The files of a folder are data: nothing that they name is imported or opened.
"""

from __future__ import annotations

import html
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from markdown_it import MarkdownIt
from pydantic import TypeAdapter, ValidationError

from quadrepro.base.files import is_regular, read_text
from quadrepro.core.problems import StoredRows
from quadrepro.data.card import TWO_CLASSES
from quadrepro.errors import ConfigError, DataError, nearest
from quadrepro.results.run import CELLS, MANIFEST, RUN, SCORE, WRITE_AGAIN, Manifest, Run, read_json
from quadrepro.tables.judge import SCORE_HEADER, VERDICTS_HEADER
from quadrepro.tables.kinds import VERDICTS
from quadrepro.tables.kinds.claims import DATA_HEADER as CLAIMS_HEADER
from quadrepro.tables.kinds.comparisons import DATA_HEADER as COMPARISONS_HEADER
from quadrepro.tables.kinds.scores import DATA_HEADER as ERRORS_HEADER

if TYPE_CHECKING:
    from quadrepro.config.plan import Plan
    from quadrepro.core.cell import Cell
    from quadrepro.engine.outcomes import Outcomes
    from quadrepro.engine.records import Record
    from quadrepro.tables.render import Table

PLACE = ("dataset", "algorithm", "repeat")

MEASURED = ("status", "errors", "n_test", "value", "chosen", "seconds", "reason")

CELLS_HEADER = (*PLACE, *MEASURED)
"""Columns of the table of cells, before the metrics that the config asks for."""

MAX_CELLS = 100_000
"""Maximum number of cells of a results folder that is read."""

VERDICTS_FILE = f"{VERDICTS}.csv"

HOLM = "outside after holm"
"""Column of the numbers that are outside after Holm's correction."""

EXAMPLE = (*PLACE, "example", "row")
LABELS, NUMBERS = ("label", "predicted", "wrong"), ("actual", "predicted", "error")
"""Columns of `Results.examples`, of classifiers and of regressors."""


def _places(cell: Cell) -> Any:
    """Return the line or the index of each row of a cell's data set; None if it has none."""
    if not isinstance(cell.source, StoredRows):
        return None
    return cell.source.examples.stored.load().table.places


def _outcome(record: Record) -> dict[str, Any]:
    """Return the columns of a cell's test examples."""
    actual, predicted = np.asarray(record.actual), np.asarray(record.predicted)
    if not record.classes:
        return dict(zip(NUMBERS, (actual, predicted, predicted - actual), strict=True))
    labels = np.array([-1, 1] if record.classes == TWO_CLASSES else record.classes)
    return dict(zip(LABELS, (labels[actual], labels[predicted], record.wrong), strict=True))


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
    markdown : str
        The table with title and notes as Markdown, numbers rounded for reading.
    csv : str
        The numbers as CSV.
    """

    name: str
    folder: Path
    markdown: str
    csv: str

    @property
    def data(self) -> pd.DataFrame:
        """The numbers with eight digits, each in a column of its own."""
        return read_csv(self.folder / f"{self.name}.csv", self.csv)

    def __repr__(self) -> str:
        return self.markdown

    def _repr_html_(self) -> str:
        return markdown_html(self.markdown)


@dataclass(frozen=True, eq=False)
class Results:
    """The results of an experiment, as `quadrepro.reproduce` or `load_results` returns them.

    They keep their tables and numbers if a later run writes the folder again, and when pickled.

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
        """The config, its data, and the packages and machines of the cells."""
        path = self.folder / RUN
        return read_json(path, Run) if is_regular(path) else Run()

    @cached_property
    def texts(self) -> dict[str, str]:
        """The files of tables, cells and verdicts, which are read at once."""
        tables = [f"{name}{end}" for name in self.tables for end in (".md", ".csv")]
        paths = [self.folder / file for file in (*tables, CELLS, SCORE)]
        return {path.name: read_text(path) for path in paths if is_regular(path)}

    def read(self) -> Self:
        """Return these results after reading the folder, which a later run may write again."""
        _ = self.manifest, self.run, self.texts
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Return everything that is shown, without the estimators and the data."""
        if self.plan is not None:
            _ = self.examples
        return vars(self) | {"plan": None, "outcomes": None}

    @property
    def name(self) -> str:
        """Name of the experiment."""
        return self.run.experiment or self.folder.resolve().name

    @property
    def title(self) -> str:
        """Title of the experiment."""
        return self.run.config_text("title") or self.name

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
            If the folder has no such table; the nearest name is given.
        """
        if name not in self.tables:
            hint = nearest(name, self.tables)
            raise ConfigError(f"{self.folder} has no table {name!r}{hint}")
        paths = [self.folder / f"{name}{end}" for end in (".md", ".csv")]
        texts = (self.texts.get(path.name) or read_text(path) for path in paths)
        return TableView(name, self.folder, *texts)

    @cached_property
    def cells(self) -> pd.DataFrame:
        """One row per cell: errors, chosen hyper-parameters, seconds, metrics; as ``cells.csv``."""
        frame = self._read(CELLS, CELLS_HEADER, ("errors", "n_test", "value", "seconds"))
        path, metrics = self.folder / CELLS, frame.columns[len(CELLS_HEADER) :]
        frame["repeat"] = _numbers(path, frame["repeat"], needed=True)
        frame["chosen"] = _parsed(path, frame["chosen"], dict[str, Any])
        return frame.assign(**{name: _numbers(path, frame[name]) for name in metrics})

    @cached_property
    def examples(self) -> pd.DataFrame:
        """One row per cell and test example: what it is, and what was predicted.

        The column ``example`` is the row of the example in the data set's view, and ``row`` its
        line in the file, or its index in the data frame; None where neither is known. Classes have
        ``label``, ``predicted`` and ``wrong``; labels are -1 and +1 where the view has `positive`,
        and otherwise the labels of the data set. Numbers have ``actual``, ``predicted`` and
        ``error``, the prediction less the actual number.

        Raises
        ------
        ConfigError
            If the results were read from a folder, which does not hold the records.
        """
        if self.plan is None or self.outcomes is None:
            raise ConfigError(
                f"{self.folder} does not hold the outcome of every example: call "
                "quadrepro.reproduce, or quadrepro.compare with the same out=, which compute only "
                "missing cells"
            )
        parts = [pd.DataFrame(columns=[*EXAMPLE, *LABELS], dtype=object)]
        places: dict[str, Any] = {}
        for cell in self.plan.cells:
            place = cell.dataset, cell.algorithm, cell.repeat
            record = self.outcomes.records[place]
            if not record.ok:
                continue
            if cell.dataset not in places:
                places[cell.dataset] = _places(cell)
            lines, problem = places[cell.dataset], cell.problem
            test = problem.split.test
            row = None if lines is None else lines[problem.rows[test]]
            columns = dict(zip(EXAMPLE, (*place, test, row), strict=True))
            parts.append(pd.DataFrame(columns | _outcome(record)))
        return pd.concat(parts[1:] or parts, ignore_index=True)

    @cached_property
    def errors(self) -> pd.DataFrame:
        """The mean error of every entry, and its mean by each metric that the config asks for."""
        frame = self._read("errors.csv", ERRORS_HEADER, ("splits", "mean", "sd"))
        if frame["dataset"].nunique() * frame["algorithm"].nunique() > MAX_CELLS:
            raise DataError(f"{self.folder}: the table of errors is too large for a page")
        return frame

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """Verdict on each printed number; empty if there are none.

        Printed numbers are texts with all digits; shares are fractions.
        """
        frame = self._read(VERDICTS_FILE, VERDICTS_HEADER, ("ours", "low", "high", "p"))
        _numbers(self.folder / VERDICTS_FILE, frame["printed"], needed=True)
        return frame

    @cached_property
    def comparisons(self) -> pd.DataFrame:
        """The comparison of every pair of algorithms, as texts; empty without any."""
        return self._read("comparisons.csv", COMPARISONS_HEADER)

    @cached_property
    def claims(self) -> pd.DataFrame:
        """The claims of the paper, judged on these results and on the printed numbers."""
        frame = self._read("claims.csv", CLAIMS_HEADER)
        return frame.assign(timed=frame["timed"] == "true")

    @cached_property
    def scores(self) -> pd.DataFrame:
        """The number of printed numbers inside and outside, by printed table.

        ``outside after holm`` has row and column of each number that is outside after Holm's
        correction.
        """
        numbers = [name for name in SCORE_HEADER[1:] if name != HOLM]
        frame = self._read(SCORE, SCORE_HEADER, numbers)
        places = _parsed(self.folder / SCORE, frame[HOLM], list[tuple[str, str]])
        return frame.assign(**{HOLM: [listed or [] for listed in places]})

    def _read(self, file: str, header: Sequence[str], numbers: Sequence[str] = ()) -> pd.DataFrame:
        """Return a CSV that has these columns, some of them of numbers; empty if it is missing."""
        path = self.folder / file
        frame = pd.DataFrame(columns=[*header], dtype=str)
        if file in self.texts:
            frame = read_csv(path, self.texts[file], dtype=str, keep_default_na=False)
        if missing := [name for name in header if name not in frame]:
            raise DataError(f"{path}: the column {missing[0]!r} is missing; {WRITE_AGAIN}")
        if len(frame) > MAX_CELLS:
            raise DataError(f"{path}: {len(frame):,} rows; at most {MAX_CELLS:,} are read")
        return frame.assign(**{name: _numbers(path, frame[name]) for name in numbers})

    def report(self) -> Path:
        """Write the results as an HTML page, and the index of all results folders next to this one.

        The page shows tables, figures, claims, notes and every split, and needs no other file. It
        is made from the files of the results folder.

        Returns
        -------
        Path
            ``report.html`` in the results folder.

        Raises
        ------
        ConfigError
            If a later run has written other results to the folder.
        DataError
            If a file of the folder is damaged.
        """
        from quadrepro.results.page import write_report  # imports jinja2

        if Results(self.folder).texts != self.texts:
            raise ConfigError(f"{self.folder} now has the results of a later run: load them")
        start = None if self.plan is None else self.plan.experiment.source.path.parent
        page, _ = write_report(self.folder, start)
        return page

    def __repr__(self) -> str:
        return "\n".join([*(self.table(name).markdown for name in self.tables[:1]), self._listed])

    def _repr_html_(self) -> str:
        first = "".join(self.table(name)._repr_html_() for name in self.tables[:1])
        return f"{first}<p>{html.escape(self._listed)}</p>"

    @property
    def _listed(self) -> str:
        groups = {"tables": self.tables, "figures": tuple(self.figures)}
        lines = [f"{group}: {', '.join(names)}" for group, names in groups.items() if names]
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
        Everything except for the outcome of every example.

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
    return results.read()


def read_csv(path: Path, text: str, **options: Any) -> pd.DataFrame:
    """Return the text of a CSV of a results folder as a data frame."""
    try:
        frame = pd.read_csv(io.StringIO(text), **options)
    except (ValueError, OverflowError) as error:
        raise DataError(f"{path} is damaged: {error}") from None
    if not isinstance(frame.index, pd.RangeIndex):
        raise DataError(f"{path} is damaged: a row has more fields than the first one")
    return frame


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
        values = {text: read(text) for text in texts.unique() if text}
    except ValidationError as error:
        raise DataError(f"{path}, column {texts.name!r}: {error.errors()[0]['msg']}") from None
    return pd.Series([values.get(text) for text in texts], dtype=object, index=texts.index)


def results_folders(out: Path) -> list[Path]:
    """Return the results folders below a folder, by name."""
    if not out.is_dir():
        return []
    return sorted(path for path in out.iterdir() if is_regular(path / MANIFEST))
