"""``python -m calibration`` draws every world and writes the page of rates."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain, repeat
from multiprocessing import get_context
from pathlib import Path

import click
from threadpoolctl import threadpool_limits

from calibration.page import GROUPS, measured, page


@click.command()
@click.option("--quick", is_flag=True, help="Fewer worlds and draws, and no power: what CI runs.")
@click.option("--out", type=click.Path(path_type=Path), help="Page to write; default: print it.")
@click.option("--jobs", default=2, help="Worlds side by side.")
def command(quick: bool, out: Path | None, jobs: int) -> None:
    """Compare stated rates with actual ones; the same numbers in every run."""
    began, found = time.monotonic(), {}
    limit = partial(threadpool_limits, 1)
    with ProcessPoolExecutor(jobs, get_context("spawn"), limit) as pool:
        for title, worlds in GROUPS.items():
            chosen = [i for i, world in enumerate(worlds) if world.quick or not quick]
            rates = pool.map(measured, repeat(title), chosen, repeat(quick))
            found[title] = list(chain.from_iterable(rates))
    if out is None:
        click.echo(page(found))
    else:
        out.write_text(page(found), encoding="utf-8")
    rates_off = [rate for of_group in found.values() for rate in of_group if rate.off]
    click.echo(f"{len(rates_off)} rates are off; {time.monotonic() - began:.0f} s", err=True)


if __name__ == "__main__":
    sys.exit(command())
