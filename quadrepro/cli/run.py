"""``quadrepro run``."""

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

from quadrepro.base.text import json_text
from quadrepro.cli.options import (
    allow_missing_option,
    data_option,
    format_option,
    number_of_bytes,
    offline_option,
    out_option,
    repeats_option,
    shard_of,
    statuses,
)
from quadrepro.cli.showing import echo
from quadrepro.engine.signals import ENDING
from quadrepro.errors import EXIT_INTERRUPTED, QuadreproError

if TYPE_CHECKING:
    from quadrepro.config.plan import Plan
    from quadrepro.core.cell import Cell
    from quadrepro.engine.progress import RunProgress
    from quadrepro.engine.records import Record, Status
    from quadrepro.engine.run import Backend
    from quadrepro.results.results import Results

Written = tuple["Results", "Path | None"]
"""The results of an experiment, and the HTML page if there is one."""


class Finishing:
    """Writes results in a thread of its own, one experiment after the other.

    Parameters
    ----------
    plans : sequence of Plan
        The experiments.
    missing : collection of str
        Keys of the cells that are to be computed.
    write : callable
        Writes the results of an experiment.
    beside : bool, default True
        Whether cells may go on in the meantime; not if this process computes them, whose memory a
        cell may limit.
    """

    def __init__(
        self,
        plans: Sequence[Plan],
        missing: Collection[str],
        write: Callable[[Plan], Written],
        beside: bool = True,
    ) -> None:
        keys = ({cell.key for cell in plan.cells}.intersection(missing) for plan in plans)
        self._waiting = list(zip(plans, keys, strict=True))
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

    Attributes
    ----------
    cells, out : sequence of Cell, and Path or None
        What is computed and where it is kept, once that is known.
    """

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
        """Return a backend without records of cells that failed because of a signal."""

        def compute(cells: Iterable[Cell]) -> Generator[Record, None, None]:
            with closing(backend(cells)) as records:
                for record in records:
                    if not record.ok:
                        self.check()
                    yield record

        return compute

    def tell(self) -> None:
        """Say what is kept and how to go on."""
        from quadrepro.api import record_store
        from quadrepro.engine.progress import tell

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
    """What `quadrepro run` is asked for, besides config and folders."""

    jobs: int | None
    timeout: float | None
    memory: int | None
    retry: tuple[Status, ...]
    shard: tuple[int, int] | None
    backend: str
    scheduler: str | None
    quiet: bool
    as_json: bool
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
@data_option
@out_option
@repeats_option
@offline_option
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), help="Seconds a cell.")
@click.option(
    "--memory", callback=number_of_bytes, metavar="SIZE", help="Memory a cell, as in 4GB (Linux)."
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
    help="Compute only part I of N, and write no tables; see merge.",
)
@click.option(
    "--backend",
    type=click.Choice(("local", "dask")),
    default="local",
    show_default=True,
    help="Where cells are computed: workers on this machine, or those of a Dask scheduler.",
)
@click.option("--scheduler", help="Address or file of the Dask scheduler, as tcp://host:8786.")
@allow_missing_option
@format_option
@click.option("--no-report", is_flag=True, help="Write no HTML page.")
@click.option("--quiet", "-q", is_flag=True, help="Show no progress.")
@click.option("--json", "as_json", is_flag=True, help="Print events as lines of JSON, no tables.")
def command(
    configs: tuple[str, ...],
    data: Path | None,
    out: Path,
    repeats: int | None,
    offline: bool,
    **options: Any,
) -> None:
    """Compute experiments and write their tables.

    CONFIG is a YAML file, or the name of one that ships with quadrepro. Data sets that are not
    available locally are fetched. Cells that have been computed before are not computed again, nor
    are those that ended without a result, unless --retry names how. The last line is the link to an
    HTML page of all results.

    Several experiments share the workers, so that none of these waits for the last cells of one.
    The tables of each are written as soon as its cells are done. A config that does not hold
    together does not stop the others; the exit code is the highest of all.
    """
    asked = _Options(**options)
    if (asked.backend == "dask") != (asked.scheduler is not None):
        raise click.UsageError("--backend dask and --scheduler go together")
    with Interruption() as interruption:
        try:
            plans, code = _plans(configs, data, repeats, offline)
            if plans:
                code = max(code, _run(interruption, plans, out, asked))
        except KeyboardInterrupt:
            interruption.tell()
            code = EXIT_INTERRUPTED
    click.get_current_context().exit(code)


def _plans(
    configs: tuple[str, ...], data: Path | None, repeats: int | None, offline: bool
) -> tuple[list[Plan], int]:
    """Return the plans of all configs that hold together, and the exit code for the others."""
    from quadrepro.api import prepare
    from quadrepro.engine.progress import FetchProgress, tell

    plans: dict[str, Plan] = {}
    code = 0
    for config in configs:
        try:
            plan = prepare(
                config, data=data, repeats=repeats, offline=offline, fetching=FetchProgress
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


def _run(interruption: Interruption, plans: list[Plan], out: Path, asked: _Options) -> int:
    from quadrepro.api import limits_of, record_store, workers, write
    from quadrepro.cli.showing import expected, report_of, warn_of_memory
    from quadrepro.engine.estimates import forecast, recall
    from quadrepro.engine.progress import RunProgress, tell
    from quadrepro.engine.run import compute, local, missing_cells

    [store, *_] = [record_store(out, plan) for plan in plans]
    interruption.cells = [cell for plan in plans for cell in plan.cells]
    estimates = recall(store.folder)
    interruption.out = out
    todo = missing_cells(interruption.cells, store, estimates, asked.retry)
    missing = {cell.key for cell in todo}
    if asked.shard is not None:
        part, n_parts = asked.shard
        todo = [cell for cell in todo if int(cell.key, 16) % n_parts == part - 1]
    jobs = workers(asked.jobs, todo)
    for plan in plans:
        lacking = {cell.key: cell for cell in plan.cells if cell.key in missing}
        here = [lacking[cell.key] for cell in todo if cell.key in lacking]
        kept, title = len(plan.cells) - len(lacking), plan.experiment.config.title
        if here:
            warn_of_memory(plan)
        if asked.as_json:
            counts = {"cells": len(plan.cells), "kept": kept, "todo": len(here)}
            _event("begin", experiment=plan.experiment.name, title=title, **counts)
            continue
        text = f"{title}: {len(plan.cells)} cells, {kept} already computed"
        if here and asked.scheduler is None:
            # How many workers a scheduler has is not known yet.
            text += f", {len(here)} left{expected(forecast(here, estimates, jobs), jobs)}"
        tell(text)
    limits = {plan.experiment.name: limits_of(plan, asked.timeout, asked.memory) for plan in plans}

    def write_all(plan: Plan) -> Written:
        results = write(plan, store, out, asked.allow_missing)
        return results, None if asked.no_report else report_of(results)

    client = None
    if asked.scheduler is not None and todo:
        from quadrepro.engine.dask_workers import connect, on_dask

        client = connect(asked.scheduler)
    code = 0
    finished = plans if asked.shard is None else ()
    with Finishing(finished, missing, write_all, beside=jobs > 0) as finishing:
        # Neighbouring experiments share workers unless their cells have other limits.
        for limit, some in groupby(todo, key=lambda cell: limits[cell.experiment]):

            def listen(cell: Cell, record: Record) -> None:
                progress(cell, record)
                _tell(cell, record, progress, asked)
                finishing.done(cell)
                interruption.check()

            cells = list(some)
            with RunProgress(cells, jobs, estimates, asked.quiet or asked.as_json) as progress:
                if client is None:
                    backend = local(jobs, limit)
                else:
                    backend = on_dask(client, limit, jobs, progress.tell)
                backend = interruption.guarded(backend)
                compute(cells, store, backend, listen, estimates, progress.sent)
        if asked.shard is not None:
            tell(f"part {part} of {n_parts} is done; quadrepro merge joins the parts")
            return 0
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


def _tell(cell: Cell, record: Record, progress: RunProgress, asked: _Options) -> None:
    """Tell of a finished cell: of each as JSON, otherwise of those without a result."""
    from quadrepro.cli.showing import failure

    row, column, repeat = cell.dataset, cell.algorithm, cell.repeat
    if asked.as_json:
        what = {"experiment": cell.experiment, "dataset": row, "algorithm": column}
        ended = {"status": record.status, "seconds": record.seconds, "left": progress.n_left}
        why = {} if record.ok else {"reason": record.reason}
        _event("cell", **what, repeat=repeat, key=cell.key, **ended, **why)
    elif not record.ok:
        progress.tell(failure(row, column, repeat, record))


def _show(written: Written, plan: Plan, asked: _Options, heading: bool) -> int:
    """Print what was written of an experiment, and return the exit code."""
    from quadrepro.cli.showing import show

    results, page = written
    if asked.as_json:
        assert results.outcomes is not None
        bad = sum(not record.ok for record in results.outcomes.records.values())
        what = {"experiment": plan.experiment.name, "folder": str(results.folder)}
        _event("end", **what, without_result=bad, report=None if page is None else str(page))
        return int(bad > 0)
    if heading:
        echo(f"== {plan.experiment.config.title}\n")
    code = show(results, asked.form)
    if page is not None:
        echo(f"Report: {page.resolve().as_uri()}")
    return code


def _event(name: str, **fields: Any) -> None:
    echo(json_text({"event": name, **fields}))
