"""`quadrepro.rank`: methods ranked by a table of scores from anywhere."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quadrepro._files import is_special
from quadrepro.errors import ConfigError, DataError

if TYPE_CHECKING:
    import pandas as pd

    from quadrepro.report.table import Table
    from quadrepro.stats import Ranking

STEM = "ranking"
"""Name of the files without ending."""

MISSING = frozenset({"", "na", "nan", "n/a", "-", "–"})
"""What stands for a missing score, in lower case."""

MOST_BYTES = 32 * 2**20
"""Size of the largest file that is read."""


@dataclass(frozen=True)
class Scores:
    """Scores of methods.

    Attributes
    ----------
    methods : tuple of str
        Names of the columns.
    rows : tuple of str
        What each row is called in messages.
    values : tuple of tuple of float
        The scores of each row; NaN where one is missing.
    source : str
        Where they are from.
    """

    methods: tuple[str, ...]
    rows: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    source: str = "scores"


@dataclass(frozen=True)
class RankedScores:
    """What `rank` returns: shows as Markdown in a terminal and as HTML in a notebook.

    Attributes
    ----------
    ranking : Ranking
        Mean ranks, tests and effects, as `quadrepro.stats.rank_methods` returns them for risks;
        of scores that are better when higher, their signs are turned.
    left_out : tuple of str
        Rows that were left out because a score is missing.
    table : Table
        The table of pairs.
    """

    ranking: Ranking
    left_out: tuple[str, ...]
    table: Table

    @property
    def markdown(self) -> str:
        """The table of pairs with title and notes as Markdown."""
        return self.table.to_markdown()

    @property
    def data(self) -> pd.DataFrame:
        """The numbers with eight digits, one row per pair."""
        import pandas as pd

        from quadrepro.report.table import unmarked_csv

        return pd.read_csv(io.StringIO(unmarked_csv(self.table.to_csv())))

    def write(self, folder: str | Path) -> None:
        """Write ``ranking.md``, ``.csv``, ``.tex``, and the diagram as ``.svg`` and ``.png``."""
        from quadrepro.report.critical_difference import draw_critical_difference

        found = self.ranking
        self.table.write(Path(folder), STEM)
        draw_critical_difference(
            Path(folder), STEM, found.methods, found.mean_ranks, found.critical_difference
        )

    def __repr__(self) -> str:
        return self.markdown

    def _repr_html_(self) -> str:
        from markdown_it import MarkdownIt

        return str(MarkdownIt("commonmark", {"html": False}).enable("table").render(self.markdown))


def rank(
    scores: str | Path | Mapping[str, Sequence[float]] | pd.DataFrame,
    *,
    higher_is_better: bool = False,
    rope: float = 0.0,
    test_share: float | None = None,
    drop_missing: bool = False,
) -> RankedScores:
    """Rank methods by a table of scores, and compare every pair.

    Parameters
    ----------
    scores : str, Path, mapping of str to sequence of float, or DataFrame
        A CSV file, or scores of each method. Columns are methods, rows are data sets or resamples.
        If the first column of a file or data frame has no numbers, it names the rows.
    higher_is_better : bool, default False
        Whether scores are better when higher, such as accuracies; by default lower ones are.
    rope : float, default 0.0
        Half-width of the region of practical equivalence: scores that differ by no more are the
        same.
    test_share : float, optional
        Rows are resamples of one data set, such as folds, and this is the share of its examples
        that each tests: adds the corrected resampled t-test and the Bayesian correlated t-test.
    drop_missing : bool, default False
        Whether rows with a missing score are left out; by default they are refused.

    Returns
    -------
    RankedScores
        The table, its numbers and the diagram.

    Raises
    ------
    DataError
        If the scores cannot be read or ranked; the message names file, line and column.
    ConfigError
        If the rope or the share is out of range.

    Examples
    --------
    >>> import quadrepro
    >>> risks = {"ours": [0.20, 0.31, 0.15, 0.27], "theirs": [0.22, 0.35, 0.14, 0.30]}
    >>> quadrepro.rank(risks, rope=0.01).ranking.mean_ranks
    (1.25, 1.75)
    """
    from quadrepro.report.ranking import Splits, ranking_table
    from quadrepro.stats import rank_methods

    if not 0 <= rope < math.inf:
        raise ConfigError(f"the half-width of the rope cannot be {rope:g}: give 0 or more")
    if test_share is not None and not 0 <= test_share < 1:
        raise ConfigError(
            f"the share of test examples cannot be {test_share:g}: give 0.1 for tenfold "
            "cross-validation, 0.5 for halves"
        )
    found = _scores(scores)
    gaps = [name for name, row in zip(found.rows, found.values, strict=True) if _has_gap(row)]
    if gaps and not drop_missing:
        raise DataError(
            f"{found.source}: scores are missing in {_listed(gaps)}: fill them in, or leave out "
            "such rows with --drop-missing (drop_missing=True)"
        )
    kept = [row for row in found.values if not _has_gap(row)]
    sign = -1.0 if higher_is_better else 1.0
    columns = {name: [sign * row[i] for row in kept] for i, name in enumerate(found.methods)}
    try:
        ranking = rank_methods(columns, rope)
    except ValueError as error:
        raise DataError(f"{found.source}: {error}") from None
    splits = [] if test_share is None else [Splits("", columns, test_share)]
    table = ranking_table(
        f"{Path(found.source).stem}: ranking",
        ranking,
        {name: name for name in found.methods},
        splits,
        higher_is_better=higher_is_better,
        rows="data sets" if test_share is None else "resamples",
        left_out=f"{_listed(gaps)}, where scores are missing" if gaps else "",
    )
    return RankedScores(ranking, tuple(gaps), table)


def read_scores(path: Path) -> Scores:
    """Read a table of scores.

    Parameters
    ----------
    path : Path
        A CSV file in UTF-8. The first line names the methods. If the first column has no name, or
        no field of it is a number, it names the rows.

    Returns
    -------
    Scores
        NaN stands for empty fields, NA, NaN and dashes.

    Raises
    ------
    DataError
        If the file cannot be read or is too large, a line has more or fewer fields than the first,
        a method has no name or stands twice, there are too many to rank, or a field is not a
        number.
    """
    from quadrepro.stats.ranking import MOST_METHODS, MOST_ROWS

    if is_special(path):
        raise DataError(f"{path}: not a regular file")
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not a text file in UTF-8 (byte {error.start})") from None
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
    if len(raw) > MOST_BYTES:
        raise DataError(f"{path}: the file has more than {MOST_BYTES // 2**20} MiB")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        lines = [(reader.line_num, fields) for fields in reader if any(map(str.strip, fields))]
    except csv.Error as error:
        raise DataError(f"{path}:{reader.line_num}: not valid CSV: {error}") from None
    if len(lines) < 2:
        raise DataError(f"{path}: a table of scores has a line of names and a line per data set")
    (top, header), *body = lines
    names = [name.strip() for name in header]
    for line, fields in body:
        if len(fields) != len(names):
            raise DataError(
                f"{path}:{line}: the line has {len(fields)} fields, and the first has {len(names)}"
            )
    numbers = (_number(fields[0]) for _, fields in body)
    first = int(not names[0] or all(x is None or math.isnan(x) for x in numbers))
    if len(names) - first > MOST_METHODS:
        n = len(names) - first
        raise DataError(f"{path}:{top}: {n} methods are too many to rank: at most {MOST_METHODS}")
    for i, name in enumerate(names[first:], start=first):
        if not name or name in names[first:i]:
            fault = f"{name!r} stands here twice" if name else "the column has no name"
            raise DataError(f"{path}:{top}, column {i + 1}: {fault}")
    values: list[tuple[float, ...]] = []
    whole = 0
    for line, fields in body:
        row = [_number(field) for field in fields[first:]]
        for name, field, value in zip(names[first:], fields[first:], row, strict=True):
            if value is None:
                place = f"{path}:{line}, column {name!r}"
                raise DataError(f"{place}: {field.strip()!r} is not a number such as 0.035")
        values.append(tuple(value for value in row if value is not None))
        whole += not _has_gap(values[-1])
        if whole > MOST_ROWS:
            raise DataError(f"{path}:{line}: too many data sets to rank: at most {MOST_ROWS}")
    rows = [f"line {line}" + (f" ({fields[0].strip()})" if first else "") for line, fields in body]
    return Scores(tuple(names[first:]), tuple(rows), tuple(values), str(path))


def _scores(scores: Any) -> Scores:
    """Return scores of any form that `rank` takes."""
    if isinstance(scores, str | Path):
        return read_scores(Path(scores))
    rows: Sequence[Any] = ()
    if hasattr(scores, "iloc"):
        first = scores.iloc[:, 0]
        named = first.dtype.kind not in "iufb"
        rows = list(first if named else scores.index)
        scores = scores.iloc[:, 1:] if named else scores
    elif not isinstance(scores, Mapping):
        raise DataError(f"scores must be a file, a data frame or a mapping, not {type(scores)}")
    columns = {str(name): list(scores[name]) for name in scores}
    sizes = {len(values) for values in columns.values()}
    if len(sizes) > 1:
        raise DataError(f"scores: every method must have as many scores as the others: {sizes}")
    try:
        values = tuple(tuple(map(float, row)) for row in zip(*columns.values(), strict=True))
    except (TypeError, ValueError) as error:
        raise DataError(f"scores: not a table of numbers: {error}") from None
    return Scores(tuple(columns), tuple(map(str, rows or range(len(values)))), values)


def _number(text: str) -> float | None:
    """Return a finite number, NaN for what is missing, or None for anything else."""
    if text.strip().lower() in MISSING:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None


def _has_gap(row: Sequence[float]) -> bool:
    return any(map(math.isnan, row))


def _listed(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
