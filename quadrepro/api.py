"""The door for Python: `reproduce`, `load_results`, `rank`."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quadrepro.base.resources import RECORDS, RESULTS, default_out, find_config
from quadrepro.base.text import few
from quadrepro.errors import ConfigError, DataError

if TYPE_CHECKING:
    import pandas as pd

    from quadrepro.config.plan import Plan
    from quadrepro.results.results import Results
    from quadrepro.stats import Ranking
    from quadrepro.tables.table import Table

STEM = "ranking"
"""Name of the files without ending."""


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

        return pd.read_csv(io.StringIO(self.table.to_csv()))

    def write(self, folder: str | Path) -> None:
        """Write ``ranking.md``, ``.csv``, and the diagram as ``.svg``."""
        from quadrepro.tables.critical_difference import draw_critical_difference

        self.table.write(Path(folder), STEM)
        path = Path(folder) / f"{STEM}.svg"
        draw_critical_difference(path, self.ranking, self.ranking.methods)

    def __repr__(self) -> str:
        return self.markdown

    def _repr_html_(self) -> str:
        from quadrepro.results.results import markdown_html

        return markdown_html(self.markdown)


def rank(
    scores: str | Path | Mapping[str, Sequence[float]] | pd.DataFrame,
    *,
    higher_is_better: bool | None = None,
    rope: float = 0.0,
    test_share: float | None = None,
    drop_missing: bool = False,
) -> RankedScores:
    """Rank methods by a table of scores, and compare every pair.

    Parameters
    ----------
    scores : str, Path, mapping of str to sequence of float, or DataFrame
        A text file with commas, semicolons, tabs or blanks between fields, or scores of each
        method. Columns are methods, rows are data sets or resamples. If the first column of a file
        or data frame has no numbers, it names the rows.
    higher_is_better : bool
        Whether scores are better when higher, such as accuracies.
    rope : float, default 0.0
        Half-width of the region of practical equivalence: scores that differ by no more are the
        same.
    test_share : float, optional
        Rows are resamples of one data set, such as folds, and this is the share of its examples
        that each tests: adds the corrected resampled t-test.
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
        If it is not said which scores are better, or the rope or the share is out of range.

    Examples
    --------
    >>> import quadrepro
    >>> risks = {"ours": [0.20, 0.31, 0.15, 0.27], "theirs": [0.22, 0.35, 0.14, 0.30]}
    >>> quadrepro.rank(risks, higher_is_better=False, rope=0.01).ranking.mean_ranks
    (1.25, 1.75)
    """
    from quadrepro.stats import fault_of_size, rank_methods
    from quadrepro.tables.ranked import Splits, ranking_table
    from quadrepro.tables.scores import gaps_of, scores_of, told_apart

    if not 0 <= rope < math.inf:
        raise ConfigError(f"the half-width of the rope cannot be {rope:g}: give 0 or more")
    if test_share is not None and not 0 <= test_share < 1:
        raise ConfigError(
            f"the share of test examples cannot be {test_share:g}: give 0.1 for tenfold "
            "cross-validation, 0.5 for halves"
        )
    source = str(scores) if isinstance(scores, str | Path) else "scores"
    found = scores_of(scores)
    if fault := fault_of_size(*found.shape[::-1]):
        raise DataError(f"{source}: {fault}")
    if higher_is_better is None:
        raise ConfigError(
            f"{source}: are higher or lower scores better? Give --higher-is-better "
            "(higher_is_better=True) or --lower-is-better (higher_is_better=False)"
        )
    gaps = gaps_of(found)
    if gaps and not drop_missing:
        missing = few([f"{row}: {', '.join(methods)}" for row, methods in gaps.items()])
        raise DataError(
            f"{source}: scores are missing in {missing}; fill them in, or leave out such "
            "rows with --drop-missing (drop_missing=True)"
        )
    sign = -1.0 if higher_is_better else 1.0
    columns = {name: (sign * of).tolist() for name, of in found.dropna().items()}
    try:
        ranking = rank_methods(columns, rope)
    except ValueError as error:
        raise DataError(f"{source}: {error}") from None
    splits = None if test_share is None else Splits(columns, test_share)
    table = ranking_table(
        f"{Path(source).stem}: ranking",
        ranking,
        {name: name for name in columns},
        splits=splits,
        higher_is_better=higher_is_better,
        rows="data sets" if splits is None else "resamples",
    )
    left_out = [f"Left out: {few([*gaps])}, where scores are missing."] if gaps else []
    notes = (*table.notes, *left_out, told_apart(ranking, splits))
    return RankedScores(ranking, tuple(gaps), replace(table, notes=notes))


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
    from quadrepro.engine.progress import RunProgress
    from quadrepro.engine.records import RecordStore
    from quadrepro.engine.run import compute
    from quadrepro.results.files import write_results

    offline = is_offline() if offline is None else offline
    plan = prepare(config, data=data, repeats=repeats, offline=offline)
    plan.try_code()
    if out is None:
        out = RESULTS if isinstance(config, Mapping) else default_out(config)
    store = RecordStore(Path(out) / RECORDS)
    todo = store.missing(plan.cells, retry)
    limits = {plan.experiment.name: plan.limits}
    with RunProgress(len(todo), quiet=not progress) as shown:
        for _ in compute(todo, store, jobs or -1, limits):
            shown.advance()
    return write_results(plan, store, Path(out))


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
    from quadrepro.data.fetch import bring, bring_tasks, missing_cards
    from quadrepro.tables.made import check_tables

    folder = None if data is None else Path(data)
    if isinstance(config, Mapping):
        experiment = load_mapping(config, repeats)
    else:
        experiment = load_experiment(find_config(config), repeats)
    check_tables(experiment)
    if check_data:
        names = dict.fromkeys(entry.name for entry in experiment.config.datasets)
        bring(missing_cards(names, folder), folder, offline=offline)
        bring_tasks(experiment.openml_tasks, offline=offline)
    plan = make_plan(experiment, folder, lenient=not check_data)
    if check_data:
        plan.check_data()
    return plan


def is_offline() -> bool:
    """Return whether the environment forbids the use of the network."""
    return os.environ.get("QUADREPRO_OFFLINE", "").lower() not in ("", "0", "false", "no")
