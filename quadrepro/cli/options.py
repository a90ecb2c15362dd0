"""Arguments and options that several verbs share."""

from __future__ import annotations

from pathlib import Path

import click

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
    help="Never use the network; list what is missing [also: $QUADREPRO_OFFLINE=1].",
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
