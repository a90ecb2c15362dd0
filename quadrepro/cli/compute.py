"""The verbs that compute: run, and check, which shows what a run would do."""

from __future__ import annotations

import _thread
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Self

import click

from quadrepro.base.text import few
from quadrepro.cli import common as options
from quadrepro.cli.common import (
    SHOWN,
    Common,
    echo,
    failure,
    print_listing,
    report_of,
    show,
)
from quadrepro.engine.process import ENDING
from quadrepro.engine.progress import FetchProgress, RunProgress, tell
from quadrepro.errors import EXIT_INTERRUPTED, QuadreproError, nearest

if TYPE_CHECKING:
    from quadrepro.config.config import Experiment
    from quadrepro.config.plan import Plan
    from quadrepro.core.cell import Cell
    from quadrepro.engine.records import Record, Status
    from quadrepro.engine.run import Backend, StatusLine
    from quadrepro.engine.store import RecordStore
    from quadrepro.results.results import Results


def tell_of_code(experiment: Experiment) -> None:
    """Name the files in a config's folder that a run imports."""
    if files := experiment.code:
        echo(f"this config runs code: {few(files, SHOWN)}\n")


def warn_of_memory(plan: Plan) -> None:
    """Name rows that are not whole data sets, and cells that may need more memory than there is."""
    from quadrepro.config.plan import too_large
    from quadrepro.engine.process import available_memory

    if changed := plan.experiment.changed_rows:
        tell(f"these views use only some rows: {few(changed)}")
    for warning in plan.experiment.small_classes[:SHOWN]:
        tell(f"warning: {warning}")
    memory = plan.experiment.config.memory or available_memory()
    found = too_large(plan, memory)
    for (row, column), needed in list(found.items())[:SHOWN]:
        tell(
            f"warning: {row}, {column}: a cell may need up to {needed / 1e9:.0f} GB, "
            f"but there are {memory / 1e9:.0f} GB"
        )
    if len(found) > SHOWN:
        tell(f"and {len(found) - SHOWN} more")


Written = tuple["Results", "Path | None"]
"""The results of an experiment, and the HTML page if there is one."""


RETRIED = ("failed", "timeout", "crashed")
"""Statuses of cells without a result."""


def number_of_bytes(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """Return the number of bytes that an option such as 4GB means."""
    from pydantic import ByteSize, TypeAdapter, ValidationError

    if value is None:
        return None
    try:
        found = int(TypeAdapter(ByteSize).validate_python(value))
    except ValidationError:
        found = 0
    if found <= 0:
        raise click.BadParameter(f"{value!r} is not a size such as 4GB")
    return found


def statuses(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    """Return the statuses that an option names, with commas."""
    names = tuple(name.strip() for name in value.split(",") if name.strip())
    for name in names:
        if name not in RETRIED:
            raise click.BadParameter(f"unknown status {name!r}{nearest(name, RETRIED)}")
    return names


def shard_of(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    """Return the number of a part, from 1, and how many there are."""
    if value is None:
        return None
    part, slash, n_parts = value.partition("/")
    if not (slash and part.isdecimal() and n_parts.isdecimal() and 1 <= int(part) <= int(n_parts)):
        raise click.BadParameter(f"{value!r} is not a part such as 1/4, the first of four")
    return int(part), int(n_parts)


class Finishing:
    """Writes results in a thread of its own, one experiment after the other."""

    def __init__(
        self,
        plans: Sequence[Plan],
        missing: Collection[str],
        write: Callable[[Plan], Written],
        beside: bool = True,
    ) -> None:
        keys = ({cell.key for cell in plan.cells}.intersection(missing) for plan in plans)
        self._waiting = list(zip(plans, keys, strict=True))
        # Not if this process computes the cells, whose memory a cell may limit.
        self._write, self._beside = write, beside
        self._written: dict[str, Future[Written]] = {}

    def __enter__(self) -> Self:
        self._thread = ThreadPoolExecutor(1)
        self._write_what_is_done()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown(cancel_futures=True)

    def done(self, cell: Cell) -> None:
        """Note that a cell is done."""
        for _, left in self._waiting:
            left.discard(cell.key)
        self._write_what_is_done()

    def result(self, plan: Plan) -> Written:
        """Wait until an experiment is written, and return its results or raise what went wrong."""
        return self._written[plan.experiment.name].result()

    def _write_what_is_done(self) -> None:
        for plan in [plan for plan, left in self._waiting if not left]:
            self._written[plan.experiment.name] = self._thread.submit(self._write, plan)
        self._waiting = [(plan, left) for plan, left in self._waiting if left]
        if not self._beside:
            wait(self._written.values())


class Interruption:
    """Ends a block at signals, once.

    An exception raised by a handler can be lost: numpy turns whatever is raised in a comparison
    into an error of its own, which then looks like a failed cell, and Python prints and ignores
    what is raised while it frees an object. So the signal is remembered, and one that was ignored
    is sent again. A second signal does not disturb the end that the first one began.
    """

    # What is computed and where it is kept, once that is known.
    cells: Sequence[Cell] = ()
    out: Path | None = None

    def __enter__(self) -> Self:
        self._came = False
        self._hook = sys.unraisablehook
        sys.unraisablehook = self._ignored
        # What is ignored stays so: nohup is meant to outlive its terminal.
        self._before = {
            one: signal.signal(one, self._handle)
            for one in ENDING
            if signal.getsignal(one) is not signal.SIG_IGN
        }
        return self

    def __exit__(self, *_: object) -> None:
        for one, before in self._before.items():
            signal.signal(one, before)
        sys.unraisablehook = self._hook

    def check(self) -> None:
        """Raise KeyboardInterrupt if a signal came."""
        if self._came:
            raise KeyboardInterrupt

    def guarded(self, backend: Backend) -> Backend:
        """Return a backend that yields no failure that a signal caused."""

        def compute(cells: Iterable[Cell]) -> Generator[Record, None, None]:
            with closing(backend(cells)) as records:
                for record in records:
                    if not record.ok:
                        self.check()
                    yield record

        return compute

    def tell(self) -> None:
        """Print what is kept and how to go on."""
        from quadrepro.api import record_store

        text = "interrupted"
        if self.out is not None:
            known = record_store(self.out).scan()
            kept = sum(cell.key in known for cell in self.cells)
            text += f": {kept} of {len(self.cells)} cells are kept"
        tell(f"\n{text}; continue with: {shlex.join(['quadrepro', *sys.argv[1:]])}")

    def _ignored(self, lost: sys.UnraisableHookArgs) -> None:
        """Send a signal again whose exception Python ignores; another one is printed as usual."""
        if self._came and issubclass(lost.exc_type, KeyboardInterrupt):
            self._came = False
            threading.Timer(0.01, _thread.interrupt_main).start()
        else:
            self._hook(lost)

    def _handle(self, signum: int, frame: FrameType | None) -> None:
        if not self._came:
            self._came = True
            raise KeyboardInterrupt


@dataclass(frozen=True)
class _Options:
    """The options of `quadrepro run`, except config and folders."""

    jobs: int | None
    timeout: float | None
    memory: int | None
    retry: tuple[Status, ...]
    shard: tuple[int, int] | None
    backend: str
    scheduler: str | None
    quiet: bool
    allow_missing: bool
    form: str
    no_report: bool


@click.command("run")
@click.argument("configs", metavar="CONFIG...", nargs=-1, required=True)
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=0),
    help="Worker processes; 0 computes in this one  [default: number of cores]",
)
@options.common_options
@options.offline_option
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    help="Time limit per cell, in seconds.",
)
@click.option(
    "--memory",
    callback=number_of_bytes,
    metavar="SIZE",
    help="Memory limit per cell, such as 4GB (Linux).",
)
@click.option(
    "--retry",
    callback=statuses,
    default="",
    metavar="STATUS",
    help="Recompute cells with these statuses: failed, timeout, crashed, or several with commas.",
)
@click.option(
    "--shard",
    callback=shard_of,
    metavar="I/N",
    help="Compute only part I of N, and write no tables.",
)
@click.option(
    "--backend",
    type=click.Choice(("local", "dask")),
    default="local",
    show_default=True,
    help="Where cells are computed: workers on this machine, or those of a Dask scheduler.",
)
@click.option("--scheduler", help="Address or file of the Dask scheduler, as tcp://host:8786.")
@options.allow_missing_option
@options.format_option
@click.option("--no-report", is_flag=True, help="Write no HTML page.")
@click.option("--quiet", "-q", is_flag=True, help="Show no progress.")
def run_command(configs: tuple[str, ...], common: Common, offline: bool, **others: Any) -> None:
    """Compute experiments and write their tables.

    CONFIG is a YAML file, or the name of one that ships with quadrepro. Missing data sets are
    downloaded. Cells that have been computed before are not computed again, nor are those that
    ended without a result, unless --retry names their status. The last line is the link to an HTML
    page of all results.

    Several experiments share the workers, so that none of these waits for the last cells of one.
    The tables of each are written as soon as its cells are done. An inconsistent config does not
    stop the others; the exit code is the highest of all.
    """
    asked = _Options(**others)
    if (asked.backend == "dask") != (asked.scheduler is not None):
        raise click.UsageError("--backend dask and --scheduler go together")
    with Interruption() as interruption:
        try:
            plans, code = _plans(configs, common, offline)
            if plans:
                code = max(code, _run(interruption, plans, common.out_of(*configs), asked))
        except KeyboardInterrupt:
            interruption.tell()
            code = EXIT_INTERRUPTED
    click.get_current_context().exit(code)


def _plans(configs: tuple[str, ...], common: Common, offline: bool) -> tuple[list[Plan], int]:
    """Return the plans of all consistent configs, and the exit code for the others."""
    from quadrepro.api import prepare

    plans: dict[str, Plan] = {}
    code = 0
    for config in configs:
        try:
            plan = prepare(
                config,
                data=common.data,
                repeats=common.repeats,
                offline=offline,
                fetching=FetchProgress,
            )
        except QuadreproError as error:
            if len(configs) == 1:
                raise
            tell(f"error: {config}: {error}")
            code = max(code, error.exit_code)
            continue
        name = plan.experiment.name
        if name in plans:
            raise click.UsageError(f"two configs are called {name!r}: run one after the other")
        plans[name] = plan
    return list(plans.values()), code


@dataclass(frozen=True)
class _Work:
    """The cells of a run that have no result yet, and how they are computed."""

    store: RecordStore
    missing: frozenset[str]
    todo: list[Cell]
    jobs: int


def _run(interruption: Interruption, plans: list[Plan], out: Path, asked: _Options) -> int:
    """Compute plans and write their results, and return the exit code."""
    from quadrepro.api import record_store, write

    [store, *_] = [record_store(out, plan) for plan in plans]
    interruption.cells = [cell for plan in plans for cell in plan.cells]
    interruption.out = out
    work = _work(store, interruption.cells, asked)
    for plan in plans:
        _begin(plan, work)

    def write_all(plan: Plan) -> Written:
        results = write(plan, store, out, asked.allow_missing)
        return results, None if asked.no_report else report_of(results)

    client = None
    if asked.scheduler is not None and work.todo:
        from quadrepro.engine.dask_workers import connect

        client = connect(asked.scheduler)
    finished = plans if asked.shard is None else ()
    with Finishing(finished, work.missing, write_all, beside=work.jobs > 0) as finishing:
        _compute(work, plans, client, interruption, finishing, asked)
        if asked.shard is None:
            return _end(plans, finishing, asked)
    part, n_parts = asked.shard
    tell(f"part {part} of {n_parts} is done; a run without --shard writes the tables")
    return 0


def _work(store: RecordStore, cells: Sequence[Cell], asked: _Options) -> _Work:
    """Return what is left to compute of some cells, or of the part of them that is asked for."""
    from quadrepro.api import workers
    from quadrepro.engine.run import missing_cells

    todo = missing_cells(cells, store, asked.retry)
    missing = frozenset(cell.key for cell in todo)
    if asked.shard is not None:
        part, n_parts = asked.shard
        todo = [cell for cell in todo if int(cell.key, 16) % n_parts == part - 1]
    return _Work(store, missing, todo, workers(asked.jobs, todo))


def _begin(plan: Plan, work: _Work) -> None:
    """Print the number of cells of an experiment that are left."""
    lacking = {cell.key: cell for cell in plan.cells if cell.key in work.missing}
    here = [lacking[cell.key] for cell in work.todo if cell.key in lacking]
    if here:
        warn_of_memory(plan)
    text = f"{plan.experiment.config.title}: {len(plan.cells)} cells"
    text += f", {len(plan.cells) - len(lacking)} already computed"
    if here:
        text += f", {len(here)} left"
    tell(f"{text}; tables go to {work.store.folder.parent / plan.experiment.name}")


def _compute(
    work: _Work,
    plans: list[Plan],
    client: Any | None,
    interruption: Interruption,
    finishing: Finishing,
    asked: _Options,
) -> None:
    """Compute the cells that are left, on a scheduler if there is a client of one."""
    from quadrepro.api import limits_of
    from quadrepro.engine.run import compute, local

    limits = {
        plan.experiment.name: limits_of(plan, work.jobs, asked.timeout, asked.memory)
        for plan in plans
    }
    # Neighbouring experiments share workers unless their cells have other limits.
    for limit, some in groupby(work.todo, key=lambda cell: limits[cell.experiment]):

        def listen(cell: Cell, record: Record) -> None:
            progress(cell, record)
            if not record.ok:
                progress.tell(failure(cell.dataset, cell.algorithm, cell.repeat, record))
            finishing.done(cell)
            interruption.check()

        cells = list(some)
        with RunProgress(cells, work.jobs, asked.quiet) as progress:
            if client is None:
                backend = local(work.jobs, limit)
            else:
                from quadrepro.engine.dask_workers import on_dask

                backend = on_dask(client, limit, work.jobs, progress.tell)
            backend = interruption.guarded(backend)
            compute(cells, work.store, backend, listen, progress.sent)


def _end(plans: list[Plan], finishing: Finishing, asked: _Options) -> int:
    """Print the results of all experiments once they are written, and return the exit code."""
    code = 0
    for plan in plans:
        try:
            written = finishing.result(plan)
        except QuadreproError as error:
            if len(plans) == 1:
                raise
            tell(f"error: {plan.experiment.name}: {error}")
            code = max(code, error.exit_code)
        else:
            code = max(code, _show(written, plan, asked, heading=len(plans) > 1))
    return code


def _show(written: Written, plan: Plan, asked: _Options, heading: bool) -> int:
    """Print what was written of an experiment, and return the exit code."""
    results, page = written
    if heading:
        echo(f"== {plan.experiment.config.title}\n")
    code = show(results, asked.form)
    if page is not None:
        echo(f"Report: {page.resolve().as_uri()}")
    return code


@click.command("check")
@options.config_argument
@options.common_options
@click.option(
    "--cells",
    "list_cells",
    is_flag=True,
    help="List the cells without a result, and read no data.",
)
def check_command(config: str, common: Common, list_cells: bool) -> None:
    """Validate a config and its data, and show what a run would compute.

    Nothing is computed or written, so it can be called while a run goes on. CONFIG is a YAML file,
    or the name of one that ships with quadrepro.
    """
    from quadrepro.api import record_store
    from quadrepro.engine.run import overview
    from quadrepro.tables.printed import described

    plan = common.plan(config, check_data=not list_cells)
    tell_of_code(plan.experiment)
    store = record_store(common.out_of(config), read_only=True)
    lines = overview(plan.cells, store)
    if list_cells:
        _print_cells(lines, store)
    else:
        _print_rows(plan)
        _print_columns(plan, lines)
        for text in described(plan.experiment):
            echo(f"\n{text}")
    n_left = sum(len(line.missing) for line in lines)
    n_failed = sum(len(line.failed) for line in lines)
    text = f"\n{len(plan.cells)} cells, {len(plan.cells) - n_left} already computed"
    if n_failed:
        text += f" ({n_failed} without a result)"
    if n_left:
        text += f", {n_left} left"
    echo(text)
    if not list_cells:
        warn_of_memory(plan)


def _print_rows(plan: Plan) -> None:
    """Print the data sets, their sizes and where they are from."""
    rows = []
    for row, dataset in plan.datasets.items():
        n_train, n_valid, n_test = plan.sources[row].sizes
        rows.append((row, n_train, n_valid or "", n_test, dataset.origin))
    print_listing(("data set", "train", "validate", "test", "from"), rows)
    echo()


def _print_columns(plan: Plan, lines: Sequence[StatusLine]) -> None:
    """Print the algorithms, what is searched, and how many of their cells are left."""
    first = {cell.algorithm: cell for cell in reversed(plan.cells)}
    by_name = {line.algorithm: line for line in lines}
    rows = []
    for entry in plan.experiment.config.columns:
        line = by_name[entry.name]
        counts = (line.n_cells, line.n_kept, len(line.failed), len(line.missing))
        searched = ", ".join(entry.searched) or "none"
        rows.append((entry.name, first[entry.name].n_candidates, *counts, searched))
    counted = ("cells", "kept", "failed", "missing")
    print_listing(("algorithm", "candidates", *counted, "searched over"), rows)


def _print_cells(lines: Sequence[StatusLine], store: RecordStore) -> None:
    """Print the cells that have failed and those that are missing."""
    from quadrepro.engine.records import Record
    from quadrepro.engine.run import records_of

    failed = [cell for line in lines for cell in line.failed]
    for cell, record in zip(failed, records_of(failed, store), strict=True):
        echo(failure(cell.dataset, cell.algorithm, cell.repeat, record))
    for line in lines:
        for cell in line.missing:
            echo(failure(cell.dataset, cell.algorithm, cell.repeat, Record("", "missing")))
