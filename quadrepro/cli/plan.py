"""``quadrepro plan``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.options import config_argument, data_option, out_option, repeats_option


@click.command("plan")
@config_argument
@data_option
@out_option
@repeats_option
def command(config: str, data: Path | None, out: Path, repeats: int | None) -> None:
    """Say how many cells are kept and missing, and how long these will take.

    Nothing is computed or written. Running times are estimated from those of kept records, those of
    other experiments in the same folder included.
    """
    from quadrepro.cli.showing import print_listing
    from quadrepro.engine.overview import overview
    from quadrepro.progress import duration
    from quadrepro.reproduction import prepare, record_store

    plan = prepare(config, data=data, repeats=repeats, offline=True, check_data=False)
    lines = overview(plan.cells, record_store(out, read_only=True))
    rows = [
        (
            line.algorithm,
            line.n_cells,
            line.n_kept,
            len(line.failed),
            line.n_missing,
            "–" if line.seconds is None else duration(line.seconds) if line.n_missing else "",
        )
        for line in lines
    ]
    header = ("algorithm", "cells", "kept", "failed", "missing", "one core")
    print_listing(header, rows)
    known = sum(line.seconds or 0.0 for line in lines)
    missing = sum(line.n_missing for line in lines)
    text = f"\n{sum(line.n_cells for line in lines)} cells, {missing} missing"
    if known:
        unknown = [line.algorithm for line in lines if line.n_missing and line.seconds is None]
        text += f", about {duration(known)} on one core"
        text += f" without {', '.join(unknown)}" if unknown else ""
    click.echo(text)
