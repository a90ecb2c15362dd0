"""Arguments and steps that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quadrepro.errors import ConfigError, nearest

if TYPE_CHECKING:
    from quadrepro.config.plan import Plan
    from quadrepro.engine.records import RecordStore

RECORDS = "records"
"""Folder of records below the results, shared by all experiments: records go by content."""

config_argument = click.argument("config")
data_option = click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="Folder of canonical CSV files [default: $QUADREPRO_DATA].",
)
offline_option = click.option(
    "--offline",
    is_flag=True,
    envvar="QUADREPRO_OFFLINE",
    help="Never use the network; say at once what is missing [also: $QUADREPRO_OFFLINE=1].",
)
out_option = click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Folder in which each experiment gets a folder of its name.",
)
repeats_option = click.option(
    "--repeats",
    type=click.IntRange(min=1),
    help="Number of random splits, instead of the config's.",
)


def find_config(config: str) -> Path:
    """Return the file of a config given by path, or by the name of one that ships.

    Raises
    ------
    ConfigError
        If there is neither.
    """
    from quadrepro.resources import configs_folder

    path = Path(config)
    if path.is_file():
        return path
    shipped = {p.stem: p for p in configs_folder().glob("*.yaml")}
    if config in shipped:
        return shipped[config]
    if path.is_dir():
        raise ConfigError(f"{config} is a folder, not a config")
    raise ConfigError(f"there is no config {config!r}{nearest(path.stem, shipped)}")


def prepare(config: str, data: Path | None, repeats: int | None, *, offline: bool = True) -> Plan:
    """Return the plan of a config after every check that needs no computing.

    Only where `offline` is False, data that are not here are fetched.
    """
    from quadrepro.cli.fetching import bring
    from quadrepro.config.loading import load_experiment
    from quadrepro.config.plan import make_plan
    from quadrepro.report.files import check_tables

    experiment = load_experiment(find_config(config), repeats)
    check_tables(experiment)
    bring(dict.fromkeys(entry.name for entry in experiment.config.datasets), data, offline)
    return make_plan(experiment, data)


def record_store(out: Path) -> RecordStore:
    """Return the store of records below a results folder."""
    from quadrepro.engine.records import RecordStore

    return RecordStore(out / RECORDS)


def report(plan: Plan, store: RecordStore, out: Path) -> int:
    """Write all tables, print the table of risks, and return the exit code."""
    from quadrepro.errors import EXIT_CELLS_MISSING
    from quadrepro.report.files import write_results

    folder = out / plan.experiment.name
    table, outcomes = write_results(plan, store, folder)
    click.echo(table.to_markdown())
    click.echo(f"Tables written to {folder}")
    bad = [(cell, r) for cell, r in outcomes.records.items() if not r.ok]
    for (row, column, repeat), record in bad[:10]:
        last_line = record.message.strip().splitlines()[-1:] or ["not computed"]
        click.echo(f"{row}, {column}, repeat {repeat}: {record.status}: {last_line[0]}", err=True)
    if bad:
        more = f", the first 10 above; {folder / 'cells.csv'} names all" if len(bad) > 10 else ""
        click.echo(f"{len(bad)} of {len(outcomes.records)} cells have no result{more}", err=True)
        return EXIT_CELLS_MISSING
    return 0


def duration(seconds: float) -> str:
    """Return a duration in words a person uses."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{round(minutes)} min" if minutes < 90 else f"{minutes / 60:.1f} h"
