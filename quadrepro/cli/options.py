"""Arguments and options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from quadrepro.errors import nearest

RETRIED = ("failed", "timeout", "crashed")
"""How a cell can end without a result."""


def number_of_bytes(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """Return the number of bytes that an option such as 4GB means."""
    from pydantic import ByteSize, TypeAdapter, ValidationError

    if value is None:
        return None
    try:
        found = int(TypeAdapter(ByteSize).validate_python(value))
    except ValidationError:
        found = 0
    if found <= 0:
        raise click.BadParameter(f"{value!r} is not a size such as 4GB")
    return found


def statuses(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    """Return the statuses that an option names, with commas."""
    names = tuple(name.strip() for name in value.split(",") if name.strip())
    for name in names:
        if name not in RETRIED:
            raise click.BadParameter(f"unknown status {name!r}{nearest(name, RETRIED)}")
    return names


def shard_of(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    """Return the number of a part, from 1, and how many there are."""
    if value is None:
        return None
    part, slash, n_parts = value.partition("/")
    if not (slash and part.isdecimal() and n_parts.isdecimal() and 1 <= int(part) <= int(n_parts)):
        raise click.BadParameter(f"{value!r} is not a part such as 1/4, the first of four")
    return int(part), int(n_parts)


def described_file(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument and options that say what is in a file of the user's own."""
    for decorate in (
        click.option("--force", is_flag=True, help="Replace what is there of that name."),
        click.option(
            "--nominal", multiple=True, metavar="COLUMN", help="Column whose digits are codes."
        ),
        click.option(
            "--missing", multiple=True, metavar="WORD", help="Text that means a missing value."
        ),
        click.option(
            "--name", default="", show_default="that of the file", help="Name of the data set."
        ),
        click.option(
            "--positive",
            default="",
            show_default="the rarer of two; more labels stay classes",
            help="Positive label; all others are negative.",
        ),
        click.option(
            "--task",
            type=click.Choice(["classification", "regression"]),
            callback=lambda ctx, param, value: value or "",
            show_default="by the values of the target",
            help="Kind of target.",
        ),
        click.option(
            "--target", required=True, help="Column to predict; in a LIBSVM file, a name."
        ),
        click.argument("file", type=click.Path(path_type=Path)),
    ):
        command = decorate(command)
    return command


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
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(("auto", "markdown")),
    default="auto",
    show_default=True,
    help="How tables are printed: drawn to the width of a terminal and Markdown elsewhere, or "
    "always Markdown.",
)
allow_missing_option = click.option(
    "--allow-missing",
    is_flag=True,
    help="Test over the data sets without a missing cell, rather than not at all.",
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
