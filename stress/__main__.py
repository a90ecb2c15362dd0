"""``python -m stress`` counts attempts by outcome, and fails if one ended as none must."""

from __future__ import annotations

import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context

import click

from stress.attempts import begin, tried
from stress.kills import kill_often


@click.command()
@click.option("--check", "n_check", default=10_000, help="Mutants through check.")
@click.option("--run", "n_run", default=2_000, help="Mutants through run.")
@click.option("--data", "n_data", default=2_000, help="Mangled data files through add.")
@click.option("--fresh", "n_fresh", default=100, help="As many of each in a fresh process.")
@click.option("--kills", "n_kills", default=200, help="Kills of run.")
@click.option("--seed", default=0, help="The first mutant's number.")
@click.option("--jobs", default=2, help="Worker processes.")
def command(
    n_check: int, n_run: int, n_data: int, n_fresh: int, n_kills: int, seed: int, jobs: int
) -> None:
    """Try to break quadrepro; deterministic by seed, except for the moments of kills."""
    failed = 0
    context = get_context("spawn")
    for kind, count in (("check", n_check), ("run", n_run), ("data", n_data)):
        for fresh, n in ((False, count), (True, min(count, n_fresh))):
            seeds = range(seed, seed + n)
            # A peak of memory stays with its process, so that workers are not kept for long.
            with ProcessPoolExecutor(
                jobs, context, initializer=begin, max_tasks_per_child=2000
            ) as pool:
                ended = [*pool.map(tried, repeat(kind), seeds, repeat(fresh))]
            counts = Counter(outcome.words for _, outcome in ended)
            where = "fresh processes" if fresh else "in process"
            said = ", ".join(f"{words} {n}" for words, n in sorted(counts.items()))
            click.echo(f"{kind}, {n} {where}: {said or 'none'}")
            for number, outcome in ended:
                if outcome.failed:
                    failed += 1
                    last = (outcome.details.strip().splitlines() or [""])[-1]
                    click.echo(f"  {kind} {number}: {outcome.words}: {last[:200]}")
    for fault in kill_often(n_kills, seed):
        failed += 1
        click.echo(f"  {fault}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    command()
