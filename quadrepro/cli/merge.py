"""``quadrepro merge``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.options import out_option
from quadrepro.cli.showing import echo
from quadrepro.errors import ConfigError, DataError


@click.command("merge")
@click.argument(
    "folders",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@out_option
def command(folders: tuple[Path, ...], out: Path) -> None:
    """Merge the records of several results folders.

    The records in FOLDERS, as parts of one run left them, are checked and copied. If some are
    damaged, they are named and left out, and the exit code is 3. If two folders have different
    results of one cell, both files are named and the exit code is 4.
    """
    from quadrepro.api import record_store
    from quadrepro.engine.upkeep import merge

    sources = [record_store(folder, read_only=True) for folder in folders]
    for folder, source in zip(folders, sources, strict=True):
        if not source.folder.is_dir():
            raise ConfigError(
                f"{folder} is not a results folder: it has no folder {source.folder.name!r}"
            )
    merged = merge(sources, record_store(out))
    echo(f"{merged.copied} records copied to {out}, {merged.known} were there already")
    if merged.damaged:
        raise DataError(
            f"{merged.damaged} damaged records were not copied; run computes their cells again"
        )
