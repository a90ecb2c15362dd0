"""``quadrepro run``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quadrepro.cli.interruption import Interruption
from quadrepro.cli.options import (
    allow_missing_option,
    config_argument,
    data_option,
    format_option,
    number_of_bytes,
    offline_option,
    out_option,
    repeats_option,
    shard_of,
    statuses,
)
from quadrepro.errors import EXIT_INTERRUPTED

if TYPE_CHECKING:
    from quadrepro.config.cell import Cell
    from quadrepro.config.plan import Plan
    from quadrepro.engine.records import Record, Status
    from quadrepro.engine.run import Backend


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
@config_argument
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
    config: str,
    data: Path | None,
    out: Path,
    repeats: int | None,
    offline: bool,
    **options: Any,
) -> None:
    """Compute an experiment and write its tables.

    CONFIG is a YAML file, or the name of one that ships with quadrepro. Data sets that are not
    available locally are fetched. Cells that have been computed before are not computed again, nor
    are those that ended without a result, unless --retry names how. The last line is the link to an
    HTML page of all results.
    """
    from quadrepro.progress import FetchProgress
    from quadrepro.reproduction import prepare

    asked = _Options(**options)
    if (asked.backend == "dask") != (asked.scheduler is not None):
        raise click.UsageError("--backend dask and --scheduler go together")
    with Interruption() as interruption:
        try:
            plan = prepare(
                config, data=data, repeats=repeats, offline=offline, fetching=FetchProgress
            )
            code = _run(interruption, plan, out, asked)
        except KeyboardInterrupt:
            interruption.tell()
            code = EXIT_INTERRUPTED
    click.get_current_context().exit(code)


def _run(interruption: Interruption, plan: Plan, out: Path, asked: _Options) -> int:
    from quadrepro.cli.showing import failure, report_of, show, warn_of_memory
    from quadrepro.engine.estimates import Estimates
    from quadrepro.engine.run import compute, missing_cells
    from quadrepro.progress import RunProgress, duration, tell
    from quadrepro.reproduction import record_store, workers, write

    store, estimates = record_store(out, plan), Estimates()
    interruption.plan, interruption.out = plan, out
    todo = missing_cells(plan.cells, store, estimates, asked.retry)
    title, kept = plan.experiment.config.title, len(plan.cells) - len(todo)
    if asked.shard is not None:
        part, n_parts = asked.shard
        todo = [cell for cell in todo if int(cell.key, 16) % n_parts == part - 1]
    if todo:
        warn_of_memory(plan)
    jobs = workers(asked.jobs, todo)
    seconds = estimates.total(todo)
    if asked.as_json:
        _event("begin", title=title, cells=len(plan.cells), kept=kept, todo=len(todo))
    else:
        tell(
            f"{title}: {len(plan.cells)} cells, {kept} already computed"
            + (f", about {duration(seconds / max(1, jobs))} left" if todo and seconds else "")
        )
    with RunProgress(todo, jobs, estimates, quiet=asked.quiet or asked.as_json) as progress:

        def listen(cell: Cell, record: Record) -> None:
            progress(cell, record)
            place = (cell.dataset, cell.algorithm, cell.repeat)
            if asked.as_json:
                row, column, repeat = place
                what = {"dataset": row, "algorithm": column, "repeat": repeat, "key": cell.key}
                ended = {"status": record.status, "seconds": record.seconds}
                _event("cell", **what, **ended, left=progress.n_left)
            elif not record.ok:
                progress.tell(failure(*place, record))
            interruption.check()

        compute(todo, store, _backend(plan, asked, jobs), listen, estimates, progress.sent)
    if asked.shard is not None:
        tell(f"part {asked.shard[0]} of {asked.shard[1]} is done; quadrepro merge joins the parts")
        return 0
    results = write(plan, store, out, asked.allow_missing)
    page = None if asked.no_report else report_of(results)
    if asked.as_json:
        assert results.outcomes is not None
        bad = sum(not record.ok for record in results.outcomes.records.values())
        report = None if page is None else str(page)
        _event("end", folder=str(results.folder), without_result=bad, report=report)
        return int(bad > 0)
    code = show(results, asked.form)
    if page is not None:
        click.echo(f"Report: {page.resolve().as_uri()}")
    return code


def _backend(plan: Plan, asked: _Options, jobs: int) -> Backend:
    from quadrepro.engine.run import local
    from quadrepro.reproduction import limits_of

    limits = limits_of(plan, asked.timeout, asked.memory)
    if asked.scheduler is None:
        return local(jobs, limits)
    from quadrepro.engine.dask_workers import on_dask

    return on_dask(asked.scheduler, limits)


def _event(name: str, **fields: Any) -> None:
    click.echo(json.dumps({"event": name, **fields}, ensure_ascii=False))
