"""``python -m stress`` counts attempts by outcome, and fails if one ended as none must."""

from __future__ import annotations

import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from itertools import repeat
from multiprocessing import get_context

import click
from pebble import ProcessPool

from stress.attempts import Outcome, begin, tried
from stress.dask import fail_often
from stress.hostile import attack
from stress.kills import kill_often

Ended = Sequence[tuple[str, Outcome]]


@click.command()
@click.option("--check", "n_check", default=10_000, help="Mutants through check.")
@click.option("--run", "n_run", default=2_000, help="Mutants through run.")
@click.option("--data", "n_data", default=2_000, help="Mangled data files through add.")
@click.option("--fresh", "n_fresh", default=100, help="As many of each in a fresh process.")
@click.option("--kills", "n_kills", default=200, help="Kills of run.")
@click.option("--dask", "n_dask", default=20, help="Kills of Dask's scheduler and workers.")
@click.option("--hostile/--no-hostile", default=True, help="The corpus of hostile files.")
@click.option("--seed", default=0, help="The first mutant's number.")
@click.option("--jobs", default=2, help="Attempts side by side.")
def command(
    n_check: int,
    n_run: int,
    n_data: int,
    n_fresh: int,
    n_kills: int,
    n_dask: int,
    hostile: bool,
    seed: int,
    jobs: int,
) -> None:
    """Try to break quadrepro; deterministic by seed, except for the moments of kills."""
    # In the background of a shell SIGINT is ignored, also by the runs that are to be interrupted.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    failed = 0
    for kind, count in (("check", n_check), ("run", n_run), ("data", n_data)):
        for fresh, n in ((False, count), (True, min(count, n_fresh))):
            began = time.monotonic()
            where = f"{kind}, in {'fresh processes' if fresh else 'process'}"
            failed += _report(where, _mutants(kind, range(seed, seed + n), fresh, jobs), began)
    began = time.monotonic()
    failed += _report("hostile", attack(jobs) if hostile else (), began)
    began = time.monotonic()
    failed += _report("kills", kill_often(n_kills, seed, jobs), began)
    began = time.monotonic()
    failed += _report("dask", fail_often(n_dask, seed, jobs), began)
    sys.exit(1 if failed else 0)


def _mutants(kind: str, seeds: range, fresh: bool, jobs: int) -> Ended:
    # A peak of memory stays with its process, so that workers are not kept for long. The standard
    # library's executor does not replace workers that end while others are idle.
    with ProcessPool(jobs, 1000, begin, [kind], get_context("spawn")) as pool:
        return [*pool.map(tried, repeat(kind), seeds, repeat(fresh)).result()]


def _report(what: str, ended: Ended, began: float) -> int:
    """Print how attempts ended, and return how many failed."""
    if not ended:
        return 0
    counts = Counter(outcome.words for _, outcome in ended)
    said = ", ".join(f"{words} {n}" for words, n in sorted(counts.items()))
    click.echo(f"{what}, {len(ended)} in {time.monotonic() - began:.0f} s: {said}")
    bad = [(name, outcome) for name, outcome in ended if outcome.failed]
    for name, outcome in bad:
        last = (outcome.details.strip().splitlines() or [""])[-1]
        click.echo(f"  {name}: {outcome.words}: {last[:300]}")
    return len(bad)


if __name__ == "__main__":
    command()
