"""The door for Python: `reproduce`, `compare`, `rank`."""

from __future__ import annotations

import atexit
import inspect
import io
import logging
import math
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from quadrepro.base.files import RECORDS, RESULTS, default_out, find_config
from quadrepro.base.text import few
from quadrepro.errors import ConfigError, DataError, nearest

if TYPE_CHECKING:
    import pandas as pd

    from quadrepro.config.plan import Plan
    from quadrepro.core.cell import Cell
    from quadrepro.engine.records import Record, RecordStore
    from quadrepro.engine.worker import Limits
    from quadrepro.results.results import Results
    from quadrepro.stats import Ranking
    from quadrepro.tables.render import Table

log = logging.getLogger("quadrepro")

STEM = "ranking"
"""Name of the files without ending."""

MOST_LEFT_OUT = 10
"""Maximum number of names in a note on the terminal; the file lists all."""


@dataclass(frozen=True)
class RankedScores:
    """Result of `rank`: shows as Markdown in a terminal and as HTML in a notebook.

    Attributes
    ----------
    ranking : Ranking
        Mean ranks, groups and comparisons, as `quadrepro.stats.rank_methods` returns them.
    table : Table
        One row per method, the best mean rank first.
    pairs : Table
        One row per pair of methods.
    sentence : str
        The result in a sentence.
    left_out : tuple of str
        Rows or methods that were left out because a score is missing.
    read : str
        How the table was read: its form, data sets and methods, and what was not used.
    nemenyi : bool
        Whether the diagram has the bar of Nemenyi's critical difference.
    """

    ranking: Ranking
    table: Table
    pairs: Table
    sentence: str
    left_out: tuple[str, ...] = ()
    read: str = ""
    nemenyi: bool = False

    @property
    def markdown(self) -> str:
        """Both tables with titles and notes, and the sentence, as Markdown."""
        from quadrepro.tables.render import escaped, to_markdown

        tables = map(to_markdown, (self.table, self.pairs))
        return "\n".join([*tables, escaped(self.sentence) + "\n"])

    @property
    def data(self) -> pd.DataFrame:
        """The comparisons with eight digits, one row per pair."""
        import pandas as pd

        from quadrepro.tables.render import to_csv

        texts = dict.fromkeys(("method", "against", "winner"), str)
        empty = dict.fromkeys(("p", "p adjusted"), "")
        file = io.StringIO(to_csv(self.pairs))
        # Methods may be called NA, or by numbers.
        return pd.read_csv(file, dtype=texts, na_values=empty, keep_default_na=False)

    def write(self, folder: str | Path) -> None:
        """Write ``ranking``: ``.md``, ``.csv`` and ``.svg``, and ``pairs`` as ``.md``, ``.csv``."""
        from quadrepro.tables.methods import draw_ranks
        from quadrepro.tables.render import write_table

        left_out = (f"All rows that are left out: {', '.join(self.left_out)}.",)
        notes = left_out if len(self.left_out) > MOST_LEFT_OUT else ()
        notes = (*self.table.notes, *notes, self.sentence)
        table = replace(self.table, notes=notes)
        write_table(table, Path(folder), STEM)
        write_table(self.pairs, Path(folder), "pairs")
        titles = {method.name: method.name for method in self.ranking.methods}
        draw_ranks(Path(folder) / f"{STEM}.svg", self.ranking, titles, nemenyi=self.nemenyi)

    def __repr__(self) -> str:
        return self.markdown

    def _repr_html_(self) -> str:
        from quadrepro.results.results import markdown_html

        return markdown_html(self.markdown)


def rank(
    scores: str | Path | Mapping[str, Sequence[float]] | pd.DataFrame,
    *,
    higher_is_better: bool | None = None,
    control: str | None = None,
    rope: float = 0.0,
    ratios: bool = False,
    test_share: float | None = None,
    alpha: float = 0.05,
    nemenyi: bool = False,
    missing: Literal["refuse", "rows", "methods", "worst"] = "refuse",
    **choices: Any,
) -> RankedScores:
    """Rank methods by a table of scores, and compare them by one test.

    Parameters
    ----------
    scores : str, Path, mapping of str to sequence of float, or DataFrame
        A file as it was published, such as Markdown, LaTeX, CSV or Excel, see `read_table`, or
        scores of each method. Folds of a data set are averaged.
    higher_is_better : bool, optional
        Whether scores are better when higher, such as accuracies; needed unless the table or
        `metric` names a metric.
    control : str, optional
        Compare all other methods with this one alone; by default every pair is compared.
    rope : float, default 0.0
        Half-width of the region of practical equivalence: differences whose whole interval is
        within it do not matter. With `ratios`, 0.01 for 1%.
    ratios : bool, default False
        Compare ratios of scores, for errors in the units of different targets, such as RMSEs.
    test_share : float, optional
        Rows are splits of one data set, such as folds, and this is the share of its examples
        that each tests: the corrected resampled t-test takes the place of Wilcoxon's test.
    alpha : float, default 0.05
        Level of significance.
    nemenyi : bool, default False
        Whether to add the critical difference of Nemenyi's test.
    missing : {"refuse", "rows", "methods", "worst"}, default "refuse"
        Whether missing scores are refused, their rows or methods are left out, or they count as
        the worst score of their row.
    **choices
        Facts on the table, the attributes of `quadrepro.reader.Choices`: ``rows``, ``methods``,
        ``without``, ``metric``, ``table`` and ``page``.

    Returns
    -------
    RankedScores
        The tables, their numbers and the diagram.

    Raises
    ------
    DataError
        If the scores cannot be read or ranked; the message names file and place.
    ConfigError
        If it is not stated which scores are better, or an option is out of range.

    Examples
    --------
    >>> import quadrepro
    >>> risks = {"ours": [0.20, 0.31, 0.15, 0.27], "theirs": [0.22, 0.35, 0.14, 0.30]}
    >>> ranking = quadrepro.rank(risks, higher_is_better=False).ranking
    >>> [(method.name, method.mean_rank) for method in ranking.methods]
    [('ours', 1.25), ('theirs', 1.75)]
    """
    import pandas as pd

    from quadrepro.reader import Choices, read_table
    from quadrepro.stats import rank_methods
    from quadrepro.tables import methods as tables

    options = [*inspect.signature(rank).parameters, *Choices.__annotations__]
    for name in choices:
        if name not in options:
            raise ConfigError(f"unknown option {name!r}{nearest(name, options)}")
    if not 0 <= rope < math.inf:
        raise ConfigError(f"the half-width of the rope cannot be {rope:g}: give 0 or more")
    if test_share is not None and not 0 <= test_share < 1:
        message = f"the share of test examples cannot be {test_share:g}"
        raise ConfigError(f"{message}: give 0.1 for tenfold cross-validation, 0.5 for halves")
    if not 0 < alpha < 1:
        raise ConfigError(f"the level of significance cannot be {alpha:g}: give 0.05, say")
    if nemenyi and test_share is not None:
        raise ConfigError(
            "Nemenyi's test is for data sets, not for splits of one: leave out --nemenyi (nemenyi=)"
        )
    if ratios and test_share is not None:
        raise ConfigError("splits of one data set have one unit: leave out --ratios (ratios=True)")
    try:
        source = scores if isinstance(scores, str | Path) else pd.DataFrame(scores)
    except (TypeError, ValueError) as error:
        raise DataError(f"scores: not a table of numbers: {error}") from None
    table = read_table(source, **choices)
    frame = table.scores if test_share is None else table.folds
    if test_share is not None and 1 < len({*table.datasets.values()}) < len(table.rows):
        raise DataError(f"{table.path}: --test-share (test_share) needs the splits of one data set")
    if min(frame.shape) < 2:
        advice = "; for the splits of one, give --test-share" * (len(table.rows) > len(frame))
        least = "a ranking needs at least two methods on at least two data sets"
        raise DataError(f"{table.path}: {least}{advice}. {table.sentence}")
    if table.impossible:
        advice = "correct it, or state another --metric (metric) with its direction"
        raise DataError(f"{table.path}: {table.metric} cannot be {table.impossible}: {advice}")
    if higher_is_better is None:
        higher_is_better = table.greater_is_better
    if higher_is_better is None:
        raise ConfigError(
            f"{table.path}: are higher or lower scores better? Give --higher-is-better "
            "(higher_is_better=True) or --lower-is-better (higher_is_better=False)"
        )
    if control is not None and control not in frame:
        raise ConfigError(f"{table.path}: unknown control {control!r}{nearest(control, [*frame])}")
    rows = "data sets" if test_share is None else "splits"
    frame, left_out, note = _without_gaps(frame, missing, higher_is_better, table.path, rows)
    if ratios and not (frame > 0).all(axis=None):
        raise DataError(f"{table.path}: ratios need scores above 0")
    try:
        ranking = rank_methods(
            {name: column.tolist() for name, column in frame.items()},
            greater_is_better=higher_is_better,
            test_share=test_share,
            ratio=ratios,
            rope=rope,
            level=alpha,
            control=control,
        )
    except ValueError as error:
        raise DataError(f"{table.path}: {error}") from None
    scale = tables.Scale("score", higher_is_better, ratio=ratios, rows=rows)
    titles = {name: name for name in frame}
    title = Path(table.path).stem
    methods = tables.methods_table(f"{title}: ranking", ranking, titles, scale)
    notes = [tables.nemenyi_note(ranking, alpha)] if nemenyi else []
    methods = replace(methods, notes=(*methods.notes, *notes, *filter(None, [note])))
    pairs = tables.pairs_table(f"{title}: pairs", ranking, titles, scale)
    sentence = tables.closing_sentence(ranking, titles, scale)
    read = table.sentence if test_share is None else table.describe("compared one by one")
    return RankedScores(ranking, methods, pairs, sentence, left_out, read, nemenyi)


def _without_gaps(
    frame: pd.DataFrame, missing: str, higher_is_better: bool, path: str, rows: str
) -> tuple[pd.DataFrame, tuple[str, ...], str]:
    """Return scores without gaps, the names of rows or methods left out, and a note."""
    gaps = frame.isna()
    if not gaps.any(axis=None):
        return frame, (), ""
    if missing == "refuse":
        places = {row: [*frame.columns[gaps.loc[row]]] for row in frame.index[gaps.any(axis=1)]}
        texts = few([f"{row}: {', '.join(methods)}" for row, methods in places.items()])
        raise DataError(
            f"{path}: scores are missing in {texts}; fill them in, or leave out their rows or "
            "methods, or count them as the worst, with --missing rows, methods or worst (missing=)"
        )
    if missing == "worst":
        worst = frame.min(axis=1) if higher_is_better else frame.max(axis=1)
        empty = (*map(str, frame.index[worst.isna()]),)
        filled = frame.apply(lambda column: column.fillna(worst)).dropna()
        n = int(gaps.loc[filled.index].to_numpy().sum())
        note = f"{n} missing scores count as the worst of their rows."
        note += f" Left out, without any score: {few(empty, MOST_LEFT_OUT)}." if empty else ""
        return filled, empty, note
    by_row = missing == "rows"
    names = frame.index[gaps.any(axis=1)] if by_row else frame.columns[gaps.any()]
    frame = frame.dropna(axis="index" if by_row else "columns")
    kept = f"{len(frame)} {rows} and {frame.shape[1]} methods"
    if min(frame.shape) < 2:
        raise DataError(f"{path}: without missing scores {kept} are left, too few for a ranking")
    left_out = (*map(str, names),)
    note = f"Left out, since scores are missing: {few(left_out, MOST_LEFT_OUT)}; {kept} stay."
    return frame, left_out, note


def reproduce(
    config: str | Path | Mapping[str, Any],
    *,
    jobs: int | None = None,
    data: str | Path | None = None,
    out: str | Path | None = None,
    repeats: int | None = None,
    offline: bool | None = None,
    retry: bool = False,
    progress: bool = True,
) -> Results:
    """Run or resume an experiment, and write and return its results.

    Cells that have been computed before are not computed again. An interruption loses only the
    cells that are being computed.

    Parameters
    ----------
    config : str, Path or mapping
        A YAML file, the name of a config that ships with quadrepro, or the content of a config.
    jobs : int, optional
        Number of worker processes, by default the number of cores; 1 computes in this process.
    data : str or Path, optional
        Folder of canonical CSV files, by default the one that ``QUADREPRO_DATA`` names.
    out : str or Path, optional
        Folder in which each experiment gets a folder of its name, by default ``build`` for a config
        that ships and ``results`` for your own.
    repeats : int, optional
        Number of random splits, instead of the config's.
    offline : bool, optional
        Never use the network; by default whether ``QUADREPRO_OFFLINE`` is set, to anything but
        ``0``, ``false``, ``no`` or an empty text.
    retry : bool, default False
        Compute cells again that ended without a result.
    progress : bool, default True
        Show the progress on standard error.

    Returns
    -------
    Results
        Tables, figures, claims, and all cells as data frames.

    Raises
    ------
    ConfigError
        If the config is inconsistent.
    DataError
        If data are missing or differ from their cards.

    Examples
    --------
    >>> config = {
    ...     "title": "First look",
    ...     "protocol": {"view": "quadboost"},
    ...     "datasets": ["monks"],
    ...     "algorithms": [{"name": "quadboost", "grid": {"n_rounds": 10}}],
    ... }
    >>> results = reproduce(config, jobs=1, progress=False)
    >>> results.cells[["dataset", "algorithm", "errors", "n_test", "chosen"]]
      dataset  algorithm  errors  n_test            chosen
    0   monks  quadboost      42     216  {'n_rounds': 10}
    1   monks   baseline     113     216                {}
    """
    if offline is None:
        offline = os.environ.get("QUADREPRO_OFFLINE", "").lower() not in ("", "0", "false", "no")
    plan = prepare(config, data=data, repeats=repeats, offline=offline)
    plan.try_code()
    if out is None:
        out = RESULTS if isinstance(config, Mapping) else default_out(config)
    return _computed(plan, Path(out), jobs, retry=retry, progress=progress)


def compare(
    estimators: Mapping[str, Any] | Iterable[Any],
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    cv: Any = 5,
    groups: Any = None,
    metrics: str | Sequence[str] = (),
    headline: str = "",
    repeats: int = 10,
    seed: int = 0,
    title: str = "Comparison",
    jobs: int | None = None,
    out: str | Path | None = None,
    progress: bool = True,
) -> Results:
    """Compare estimators on one data set by the same splits.

    Estimators get exactly the rows of `X`, with the names and types of a data frame's columns, so
    each is fitted and tested as by scikit-learn's ``cross_validate``. A dummy estimator is added as
    the baseline.

    Parameters
    ----------
    estimators : dict of str to estimator, or iterable of estimators
        Classifiers or regressors with scikit-learn's interface, such as pipelines and
        ``GridSearchCV``. They are cloned. Without names, they are called by their classes.
    X : DataFrame, array-like, or sparse matrix of shape (n_rows, n_features)
        The rows.
    y : array-like of shape (n_rows,), optional
        Labels, or numbers for regressors. Classifiers get labels as their places among the sorted
        labels, 0, 1, ...
    target : str, optional
        Column of `X` to predict, in place of `y`.
    cv : int, splitter, iterable of (train, test), mapping or SplitRule, default 5
        Number of folds, a splitter of scikit-learn, pairs of row numbers, or what ``protocol:
        split`` of a config has, such as ``{"train": 0.7, "stratify": True}``. Columns that a
        mapping names are left out of `X`.
    groups : array-like of shape (n_rows,) or str, optional
        Groups for splitters such as ``GroupKFold``; a column of this name is left out of `X`.
    metrics : str or sequence of str, default ()
        Metrics in addition to the risk or the RMSE, as ``quadrepro list metrics`` shows them.
    headline : str, default ""
        The one of `metrics` to compare by; by default the risk or the RMSE.
    repeats : int, default 10
        Number of random splits, if `cv` is a mapping that draws a share of the rows.
    seed : int, default 0
        Seed of estimators and splitters whose ``random_state`` is None.
    title : str, default "Comparison"
        Title of the tables, which also names the results folder.
    jobs : int, optional
        Number of worker processes, by default the number of cores; 1 computes in this process.
    out : str or Path, optional
        Folder of results and computed cells. A later call with the same folder computes only what
        has changed. By default, a temporary folder that is removed when Python ends.
    progress : bool, default True
        Show the progress on standard error.

    Returns
    -------
    Results
        Tables, the conclusion, and all cells as data frames.

    Raises
    ------
    ConfigError
        If an estimator, `cv` or a metric cannot be used.
    DataError
        If `y` has missing values, a wrong length, or values that cannot be predicted.

    Examples
    --------
    >>> from quadrepro import compare
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> estimators = {"tree": DecisionTreeClassifier(max_depth=1), "bayes": GaussianNB()}
    >>> results = compare(estimators, X, y, jobs=1, progress=False)
    >>> results.cells.groupby("algorithm").value.mean().round(3).to_dict()
    {'baseline': 0.667, 'bayes': 0.047, 'tree': 0.333}
    """
    from quadrepro.config.in_memory import plan_of_objects

    metrics = [metrics] if isinstance(metrics, str) else [*metrics]
    keys = {"title": title, "seed": seed, "repeats": repeats, "metrics": metrics}
    plan = plan_of_objects(estimators, X, y, target, cv, groups, headline=headline, **keys)
    if out is None:
        out = tempfile.mkdtemp(prefix="quadrepro-")
        atexit.register(shutil.rmtree, out, ignore_errors=True)
    return _computed(plan, Path(out), jobs, retry=True, progress=progress)


def _computed(plan: Plan, out: Path, jobs: int | None, *, retry: bool, progress: bool) -> Results:
    """Compute the missing cells of a plan, and write and return its results."""
    from quadrepro.engine.records import RecordStore
    from quadrepro.results.writer import refuse_other_config, write_results

    refuse_other_config(plan.experiment, out)
    store = RecordStore(out / RECORDS)
    limits = {plan.experiment.name: plan.limits}
    compute_cells(store.missing(plan.cells, retry), store, jobs, limits, quiet=not progress)
    return write_results(plan, store, out)


def compute_cells(
    cells: Sequence[Cell],
    store: RecordStore,
    jobs: int | None,
    limits: dict[str, Limits],
    *,
    quiet: bool = False,
    dask: str | None = None,
) -> None:
    """Compute cells, and show progress, and the first failure and warning of each kind."""
    if not cells:
        return
    # They take long to import.
    from quadrepro.engine.dispatch import compute, workers_of
    from quadrepro.engine.progress import RunProgress

    by_key = {cell.key: cell for cell in cells}
    reported: set[tuple[str, str]] = set()
    with RunProgress(len(cells), quiet) as progress, workers_of(dask) as send:
        for record in compute(cells, store, jobs, limits, send):
            progress.advance()
            cell = by_key[record.key]
            log.debug("%s: %s in %.3g s, %s", cell.name, record.status, record.seconds, cell.key)
            lines = [] if quiet else [f"warning: {text}" for text in record.warnings]
            lines += [] if record.ok else [failure(record)]
            for line in lines:
                if (cell.algorithm, line) not in reported:
                    reported.add((cell.algorithm, line))
                    progress.tell(f"{cell.name}: {line}")


def failure(record: Record) -> str:
    """Return in one line why a cell has no result."""
    return f"{record.status}: {record.reason or 'not computed'}"


def prepare(
    config: str | Path | Mapping[str, Any],
    *,
    data: str | Path | None = None,
    repeats: int | None = None,
    offline: bool = False,
    check_data: bool = True,
) -> Plan:
    """Return the plan of a config, whose data are fetched and compared with their cards.

    Without `check_data`, data sets need not be here: keys of records follow from their cards.
    """
    from quadrepro.config.loading import load_experiment, load_mapping
    from quadrepro.config.plan import make_plan
    from quadrepro.data.fetch import bring
    from quadrepro.tables.kinds import check_tables

    folder = None if data is None else Path(data)
    if isinstance(config, Mapping):
        experiment = load_mapping(config, repeats)
    else:
        experiment = load_experiment(find_config(config), repeats)
    check_tables(experiment)
    if check_data:
        cards = {entry.name: entry.card for entry in experiment.config.datasets}
        bring(cards.values(), experiment.openml_tasks, folder, offline=offline)
    plan = make_plan(experiment, folder, lenient=not check_data)
    if check_data:
        plan.check_data()
    return plan
