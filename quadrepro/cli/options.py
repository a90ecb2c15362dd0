"""Arguments and options that several verbs share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quadrepro.api import is_offline
from quadrepro.base.resources import RECORDS, RESULTS

if TYPE_CHECKING:
    from quadrepro.config.plan import Plan
    from quadrepro.engine.records import RecordStore

config_argument = click.argument("config")
data_option = click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="Folder of canonical CSV files [default: $QUADREPRO_DATA].",
)
offline_option = click.option(
    "--offline",
    is_flag=True,
    callback=lambda ctx, param, value: value or is_offline(),
    help="Never use the network; list what is missing [also: $QUADREPRO_OFFLINE=1].",
)
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(("auto", "markdown", "latex")),
    default="auto",
    show_default=True,
    help="How tables are printed: drawn to the width of a terminal and Markdown elsewhere, always "
    "Markdown, or LaTeX, of an experiment all of them.",
)
allow_missing_option = click.option(
    "--allow-missing",
    is_flag=True,
    help="Test over the data sets without a missing cell, rather than not at all.",
)
out_option = click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path(RESULTS),
    show_default=True,
    help="Folder in which each experiment gets a folder of its name.",
)
repeats_option = click.option(
    "--repeats",
    type=click.IntRange(min=1),
    help="Number of random splits, instead of the config's.",
)


@dataclass(frozen=True)
class Common:
    """The options that verbs with a config share."""

    data: Path | None
    out: Path
    repeats: int | None

    def plan(self, config: str, *, check_data: bool = True) -> Plan:
        """Return the plan of a config, without the network."""
        from quadrepro.api import prepare

        return prepare(
            config, data=self.data, repeats=self.repeats, offline=True, check_data=check_data
        )

    def out_of(self, config: str) -> Path:
        """Return the results folder."""
        return self.out

    def store(self, out: Path) -> RecordStore:
        """Return the store of records below a results folder."""
        from quadrepro.engine.records import RecordStore

        return RecordStore(out / RECORDS)


def common_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --data, --out and --repeats, which the command gets as `common`."""

    @functools.wraps(command)
    def with_common(data: Path | None, out: Path, repeats: int | None, **others: Any) -> Any:
        return command(common=Common(data, out, repeats), **others)

    for decorate in (repeats_option, out_option, data_option):
        with_common = decorate(with_common)
    return with_common
