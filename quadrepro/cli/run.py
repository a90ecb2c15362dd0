"""``quadrepro run``."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quadrepro._text import json_text
from quadrepro.cli.interruption import Interruption
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
from quadrepro.errors import EXIT_INTERRUPTED, QuadreproError

if TYPE_CHECKING:
    from quadrepro.cli.finishing import Written
    from quadrepro.config.cell import Cell
    from quadrepro.config.plan import Plan
    from quadrepro.engine.records import Record, Status
    from quadrepro.progress import RunProgress


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
    help="Compute again what ended so before: failed, timeout, crashed, or several with commas.",
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
    from quadrepro.progress import FetchProgress, tell
    from quadrepro.reproduction import prepare

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
    from quadrepro.cli.finishing import Finishing
    from quadrepro.cli.showing import expected, report_of, warn_of_memory
    from quadrepro.engine.remaining import forecast
    from quadrepro.engine.run import compute, local, missing_cells
    from quadrepro.engine.times import recall
    from quadrepro.progress import RunProgress, tell
    from quadrepro.reproduction import limits_of, record_store, workers, write

    [store, *_] = [record_store(out, plan) for plan in plans]
    interruption.cells = [cell for plan in plans for cell in plan.cells]
    estimates, around = recall(store.folder, interruption.cells)
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
            text += f", {len(here)} left{expected(forecast(here, estimates, jobs, around), jobs)}"
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
                    backend, known = local(jobs, limit), jobs
                else:
                    backend, known = on_dask(client, limit, jobs, progress.tell), None
                backend = interruption.guarded(backend)
                compute(cells, store, backend, listen, estimates, progress.sent, known)
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
