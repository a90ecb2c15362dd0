"""The verbs that compute: run, and check, which previews a run."""

from __future__ import annotations

import signal
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from quadrepro.api import compute_cells, prepare
from quadrepro.base.text import few, tell
from quadrepro.cli import options
from quadrepro.cli.output import SHOWN, echo, missing_code, print_listing, show
from quadrepro.errors import EXIT_CELLS_MISSING, QuadreproError

if TYPE_CHECKING:
    from quadrepro.config.plan import Plan
    from quadrepro.engine.records import Record, RecordStore


def shard_of(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    """Return the number of a part, from 1, and the number of parts."""
    if value is None:
        return None
    part, _, n_parts = value.partition("/")
    if not (part.isdecimal() and n_parts.isdecimal() and 1 <= int(part) <= int(n_parts)):
        raise click.BadParameter(f"{value!r} is not a part such as 1/4, the first of four")
    return int(part), int(n_parts)


JOBS = click.IntRange(min=1)


@click.command("run")
@click.argument(
    "configs", metavar="CONFIG...", nargs=-1, required=True, shell_complete=options.complete_configs
)
@click.option("--jobs", "-j", type=JOBS, help="Worker processes  [default: number of cores]")
@options.common
@options.offline
@click.option("--retry", is_flag=True, help="Recompute cells that ended without a result.")
@click.option("--shard", callback=shard_of, metavar="I/N", help="Compute part I of N, no tables.")
@click.option("--dask", metavar="SCHEDULER", help="Address or file of a Dask scheduler to use.")
@options.table_format
@click.option("--no-report", is_flag=True, help="Write no HTML page.")
@options.quiet
@options.verbose
def run_command(
    configs: tuple[str, ...],
    common: options.Common,
    offline: bool,
    jobs: int | None,
    retry: bool,
    shard: tuple[int, int] | None,
    dask: str | None,
    form: str,
    no_report: bool,
    quiet: bool,
) -> int:
    """Compute experiments and write their tables.

    CONFIG is a YAML file, or the name of one that ships with quadrepro. Missing data sets are
    downloaded. Cells that have been computed before are not computed again, nor are those that
    ended without a result, unless --retry is given. The last line is the link to an HTML
    page of all results. With --jobs 1, cells are computed in this process.

    Several experiments share the workers; their tables are written when all cells are done. An
    inconsistent config does not stop the others; the exit code is the highest of all.
    """
    if dask is not None and jobs:
        raise click.UsageError("--jobs is for this machine: leave out --dask")
    from quadrepro.results.writer import refuse_other_config

    # These end a run like Ctrl-C, with the line that resumes it, unless nohup keeps it running.
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    # joblib warns of the cells that are being computed then, for which that line is enough, and of
    # workers that it replaces because they have grown.
    warnings.filterwarnings("ignore", "[0-9]+ tasks |A worker stopped while", UserWarning)
    plans, code = _plans(configs, common, offline)
    out = common.out_of(*(plan.experiment.source.path for plan in plans))
    store = common.store(out)
    for plan in plans:
        refuse_other_config(plan.experiment, out)
    part, n_parts = shard or (1, 1)
    cells = [c for plan in plans for c in plan.cells if int(c.key, 16) % n_parts == part - 1]
    todo = store.missing(cells, retry)
    if quiet:
        form = ""
    else:
        _begin(plans, {cell.key for cell in cells}, {cell.key for cell in todo}, out)
    limits = {plan.experiment.name: plan.limits for plan in plans}
    compute_cells(todo, store, jobs, limits, quiet=quiet, dask=dask)
    if shard is None:
        return max([code, *(_write(plan, store, out, form, page=not no_report) for plan in plans)])
    tell(f"part {part} of {n_parts} is done; a run without --shard writes the tables")
    return max(code, EXIT_CELLS_MISSING * any(not record.ok for record in store.records_of(cells)))


def _interrupt(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt(number)


def _plans(configs: Sequence[str], common: options.Common, offline: bool) -> tuple[list[Plan], int]:
    """Return the plans of consistent configs, and the exit code of the others."""
    plans: dict[str, Plan] = {}
    code = 0
    for config in configs:
        try:
            plan = prepare(config, data=common.data, repeats=common.repeats, offline=offline)
            plan.try_code()
        except QuadreproError as error:
            if len(configs) == 1:
                raise
            tell(f"error: {config}: {error}")
            code = max(code, error.exit_code)
            continue
        if plan.experiment.name in plans:
            raise click.UsageError(f"two configs are called {plan.experiment.name!r}")
        plans[plan.experiment.name] = plan
    return [*plans.values()], code


def _begin(plans: Sequence[Plan], chosen: set[str], missing: set[str], out: Path) -> None:
    """Print where results go, and how many of the cells that are computed here are left."""
    for plan in plans:
        n, left = (sum(cell.key in keys for cell in plan.cells) for keys in (chosen, missing))
        text = f"{plan.experiment.config.title}: {n} cells, {n - left} already computed"
        if left:
            _warn_of_rows(plan)
            text += f", {left} left"
        tell(f"{text}; results go to {out / plan.experiment.name}")


def _warn_of_rows(plan: Plan) -> None:
    """Name rows with a class of fewer examples than folds."""
    for warning in plan.experiment.small_classes[:SHOWN]:
        tell(f"warning: {warning}")


def _write(plan: Plan, store: RecordStore, out: Path, form: str, page: bool) -> int:
    """Write the results of an experiment, print them in a format if any, and return the exit code.

    The others go on if that fails.
    """
    from quadrepro.results.writer import write_results

    try:
        results = write_results(plan, store, out)
        code = show(results, form) if form else missing_code(results)
        link = results.report().resolve().as_uri() if page else ""
    except (QuadreproError, OSError) as error:
        tell(f"error: {plan.experiment.name}: {error}")
        return getattr(error, "exit_code", 1)
    if link and form:
        echo(f"Report: {link}")
    return code


@click.command("check")
@options.config
@options.common
def check_command(config: str, common: options.Common) -> None:
    """Validate a config and its data, and preview the run.

    Nothing is computed or written, so it can be called while a run goes on. CONFIG is a YAML file,
    or the name of one that ships with quadrepro.
    """
    from quadrepro.tables.conclusion import planned
    from quadrepro.tables.from_paper import described

    plan = common.plan(config)
    if files := plan.experiment.code:
        echo(f"this config runs code: {few(files, SHOWN)}\n")
    records = common.store(common.out_of(config)).records_of(plan.cells)
    _print_rows(plan)
    if text := planned(plan.experiment, plan.sources):
        echo(f"{text}\n")
    _print_columns(plan, records)
    for text in described(plan.experiment):
        echo(f"\n{text}")
    n = Counter(record.status for record in records)
    text = f"\n{n.total()} cells, {n.total() - n['missing']} already computed"
    if n_failed := n.total() - n["ok"] - n["missing"]:
        text += f" ({n_failed} without a result)"
    echo(text + (f", {n['missing']} left" if n["missing"] else ""))
    _warn_of_rows(plan)


def _print_rows(plan: Plan) -> None:
    """Print the data sets, their sizes and where they are from."""
    rows = []
    for row, dataset in plan.datasets.items():
        n_train, n_valid, n_test = plan.sources[row].sizes
        if plan.experiment.protocols[row].split.columns:
            # The rows decide: these are the sizes of the first split.
            split = next(cell for cell in plan.cells if cell.dataset == row).problem.split
            n_train, n_test = len(split.train), len(split.test)
            n_valid = 0 if split.valid is None else len(split.valid)
        rows.append((row, n_train, n_valid or "", n_test, dataset.origin))
    print_listing(("data set", "train", "validate", "test", "from"), rows)
    echo()


def _print_columns(plan: Plan, records: Sequence[Record]) -> None:
    """Print the algorithms, their grids, and the number of their cells."""
    rows, every = [], [*zip(plan.cells, records, strict=True)]
    for column in plan.experiment.columns:
        pairs = [pair for pair in every if pair[0].algorithm == column.name]
        n = Counter(record.status for _, record in pairs)
        n_candidates = sum(map(len, pairs[0][0].grids))
        counts = (n.total(), n["ok"], n.total() - n["ok"] - n["missing"], n["missing"])
        rows.append((column.name, n_candidates, *counts, ", ".join(column.searched) or "none"))
    counted = ("cells", "kept", "failed", "missing")
    print_listing(("algorithm", "candidates", *counted, "searched over"), rows)
