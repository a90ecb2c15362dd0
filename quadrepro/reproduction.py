"""The door for Python: prepare, compute, write. The command line calls the same functions."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quadrepro.errors import ConfigError, DataError, nearest

if TYPE_CHECKING:
    from quadrepro.config.cell import Cell
    from quadrepro.config.plan import Plan
    from quadrepro.data.bring import FetchListener
    from quadrepro.data.card import Card
    from quadrepro.engine.limits import Limits
    from quadrepro.engine.records import Status
    from quadrepro.engine.store import RecordStore
    from quadrepro.report.table import Table
    from quadrepro.results import Results

RECORDS = "records"
"""Folder of records below the results; all experiments share it, for it goes by content."""

PROBE = ".writable"
"""Name of a file that is written and removed before anything is computed."""

Fetching = Callable[[list["Card"]], AbstractContextManager["FetchListener"]]
"""Returns a listener to the progress of fetching some data sets."""


def reproduce(
    config: str | Path | Mapping[str, Any],
    *,
    jobs: int | None = None,
    data: str | Path | None = None,
    out: str | Path = "results",
    repeats: int | None = None,
    offline: bool | None = None,
    timeout: float | None = None,
    memory: int | None = None,
    retry: Collection[Status] = (),
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
        Number of worker processes, by default the number of cores; 0 computes in this process.
    data : str or Path, optional
        Folder of canonical CSV files, by default the one that ``QUADREPRO_DATA`` names.
    out : str or Path, default "results"
        Folder in which each experiment gets a folder of its name.
    repeats : int, optional
        Number of random splits, instead of the config's.
    offline : bool, optional
        Never use the network; by default whether ``QUADREPRO_OFFLINE`` is set.
    timeout : float, optional
        Seconds that a cell may take, instead of the config's.
    memory : int, optional
        Bytes that a cell may use, instead of the config's; only on Linux.
    retry : collection of {"failed", "timeout", "crashed"}, default ()
        Cells that ended so before are computed again.
    progress : bool, default True
        Show the progress on standard error.

    Returns
    -------
    Results
        Tables, figures, claims, and all cells as data frames.

    Raises
    ------
    ConfigError
        If the config does not hold together.
    DataError
        If data are missing or are not what their cards say.

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
    from quadrepro.engine.run import compute, local, missing_cells
    from quadrepro.engine.times import recall
    from quadrepro.progress import FetchProgress, RunProgress

    offline = bool(os.environ.get("QUADREPRO_OFFLINE")) if offline is None else offline
    plan = prepare(
        config,
        data=data,
        repeats=repeats,
        offline=offline,
        fetching=FetchProgress if progress else None,
    )
    store = record_store(out, plan)
    estimates, _ = recall(store.folder, plan.cells)
    todo = missing_cells(plan.cells, store, estimates, retry)
    jobs = workers(jobs, todo)
    with RunProgress(todo, jobs, estimates, quiet=not progress) as listener:
        backend = local(jobs, limits_of(plan, timeout, memory))
        compute(todo, store, backend, listener, estimates, listener.sent, jobs)
    return write(plan, store, out)


def prepare(
    config: str | Path | Mapping[str, Any],
    *,
    data: str | Path | None = None,
    repeats: int | None = None,
    offline: bool = False,
    fetching: Fetching | None = None,
    check_data: bool = True,
) -> Plan:
    """Return the plan of a config after every check that needs no computing.

    Parameters
    ----------
    config, data, repeats, offline
        As in `reproduce`. Data sets that are not available locally are fetched unless `offline`.
    fetching : callable, optional
        Returns a listener to the progress of fetching some data sets.
    check_data : bool, default True
        Read all data sets once, to compare them with their cards and views.

    Returns
    -------
    Plan
        All cells of the experiment.

    Raises
    ------
    ConfigError
        If the config does not hold together.
    DataError
        If data are missing or are not what their cards say.
    """
    from quadrepro.config.loading import load_experiment, load_mapping
    from quadrepro.config.plan import make_plan
    from quadrepro.data.bring import bring, bring_tasks, missing_cards
    from quadrepro.report.files import check_tables

    folder = None if data is None else Path(data)
    if isinstance(config, Mapping):
        experiment = load_mapping(config, repeats)
    else:
        experiment = load_experiment(find_config(config), repeats)
    check_tables(experiment)
    names = dict.fromkeys(entry.name for entry in experiment.config.datasets)
    missing = missing_cards(names, folder)
    if fetching is None or offline:
        bring(missing, folder, offline=offline)
    else:
        with fetching(missing) as listener:
            bring(missing, folder, offline=offline, listener=listener)
    bring_tasks(experiment.openml_tasks, offline=offline)
    plan = make_plan(experiment, folder)
    if check_data:
        plan.check_data()
    return plan


def write(plan: Plan, store: RecordStore, out: str | Path, allow_missing: bool = False) -> Results:
    """Write and return the results of what has been computed.

    Parameters
    ----------
    plan : Plan
        All cells of the experiment.
    store : RecordStore
        What has been computed; a cell without a record is shown as a dash.
    out : str or Path
        Folder in which each experiment gets a folder of its name.
    allow_missing : bool, default False
        Whether tests over all data sets leave out those that lack a result; otherwise there is no
        test if a result is missing.
    """
    from quadrepro.report.files import write_results
    from quadrepro.results import Results

    folder = Path(out) / plan.experiment.name
    _warn_of_another(plan, folder)
    first, outcomes = write_results(plan, store, folder, allow_missing)
    return Results(folder, plan, outcomes, first)


def _warn_of_another(plan: Plan, folder: Path) -> None:
    """Say if a results folder held the results of another config of the same file name."""
    import json

    from quadrepro._files import read_text
    from quadrepro.progress import tell

    try:
        run = json.loads(read_text(folder / "run.json"))
        title = run["config"]["title"]
    except (DataError, ValueError, LookupError, TypeError, RecursionError):
        return
    if title != plan.experiment.config.title:
        tell(f"{folder} held the results of another config, {title!r}, which are replaced")


def infer(
    config: str | Path,
    *,
    data: str | Path | None = None,
    out: str | Path = "results",
    repeats: int | None = None,
) -> tuple[list[Table], int, int]:
    """Return what printed numbers say of the readings of a protocol.

    Parameters
    ----------
    config, data, repeats
        As in `reproduce`. The config must list readings and ask for the table ``readings``.
    out : str or Path, default "results"
        Folder with the records of what has been computed. Nothing is written.

    Returns
    -------
    tuple of (list of Table, int, int)
        The table of readings, and that of deviations if the config asks for it; empty if no cell
        has a result. The number of cells without a result, and that of all cells.

    Raises
    ------
    ConfigError
        If the config does not hold together, has no readings, or asks for no table of them.
    DataError
        If data are missing or are not what their cards say.
    """
    from quadrepro.config.loading import load_experiment
    from quadrepro.engine.run import records_of
    from quadrepro.report.files import make_tables
    from quadrepro.report.outcomes import Outcomes

    experiment = load_experiment(find_config(config), repeats)
    if not experiment.config.readings:
        raise experiment.error(
            "this config has no readings: list those to compare, as readings: [{name: tanh, "
            "protocol: {normalise: tanh}}]"
        )
    if not experiment.config.tables.get("readings"):
        raise experiment.error(
            "say which printed tables the readings are compared with, as tables: {readings: "
            "{means: NAME}}",
            "tables",
        )
    plan = prepare(config, data=data, repeats=repeats, offline=True, check_data=False)
    records = records_of(plan.cells, record_store(out))
    missing = sum(not record.ok for record in records)
    tables = []
    if missing < len(records):
        made = make_tables(experiment, Outcomes.of(plan.cells, records), ("readings", "audit"))
        tables = [made[name] for name in ("readings", "audit") if name in made]
    return tables, missing, len(records)


def record_store(out: str | Path, plan: Plan | None = None, read_only: bool = False) -> RecordStore:
    """Return the store of records below a results folder.

    Parameters
    ----------
    out : str or Path
        The results folder.
    plan : Plan, optional
        What will be written there; checks that it can be.
    read_only : bool, default False
        Leave damaged records where they are.

    Raises
    ------
    OSError
        If files cannot be written into the folder.
    """
    from quadrepro._files import write_bytes
    from quadrepro.engine.store import RecordStore
    from quadrepro.progress import tell

    def damaged(path: Path, fault: str) -> None:
        then = "counts as missing" if read_only else "set aside and computed again"
        tell(f"{path} is damaged, {then}: {fault}")

    store = RecordStore(Path(out) / RECORDS, damaged, read_only)
    if plan is not None:
        results = Path(out) / plan.experiment.name
        for folder in (store.folder, results if results.exists() else Path(out)):
            # Of the size of a record, for a full disk takes a name but no content.
            write_bytes(folder / PROBE, bytes(1 << 16))
            (folder / PROBE).unlink()
    return store


def workers(jobs: int | None, cells: Sequence[Cell]) -> int:
    """Return the number of worker processes for some cells.

    Parameters
    ----------
    jobs : int or None
        As asked for; None for the number of cores that this process may use.
    cells : sequence of Cell
        What to compute: there are not more workers than cells.
    """
    from quadrepro.resources import available_cores

    return min(available_cores() if jobs is None else jobs, max(1, len(cells)))


def limits_of(plan: Plan, timeout: float | None = None, memory: int | None = None) -> Limits:
    """Return what a cell may use: the given limits, or else those of the config."""
    from quadrepro.engine.limits import Limits

    config = plan.experiment.config
    return Limits(
        config.timeout if timeout is None else timeout, config.memory if memory is None else memory
    )


def find_config(config: str | Path) -> Path:
    """Return the file of a config given by path, or by the name of one that ships.

    Raises
    ------
    ConfigError
        If there is no such file and no such name; the nearest name is given.
    """
    from quadrepro.resources import configs_folder

    path = Path(config)
    if path.is_file():
        return path
    shipped = {p.stem: p for p in configs_folder().glob("*.yaml")}
    if str(config) in shipped:
        return shipped[str(config)]
    if path.is_dir():
        raise ConfigError(f"{config} is a folder, not a config")
    hint = nearest(path.stem, shipped, "quadrepro list experiments")
    raise ConfigError(f"there is no config {str(config)!r}{hint}")
