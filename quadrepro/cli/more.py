"""The verbs that look after records: merge and clean."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.options import data_option, out_option
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
def merge_command(folders: tuple[Path, ...], out: Path) -> None:
    """Merge the records of several results folders.

    The records in FOLDERS, as parts of one run left them, are checked and copied. If some are
    damaged, they are named and left out, and the exit code is 3. If two folders have different
    results of one cell, both files are named and the exit code is 4.
    """
    from quadrepro.api import record_store
    from quadrepro.engine.store import merge

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


@click.command("clean")
@click.argument("configs", nargs=-1)
@data_option
@out_option
@click.option("--dry-run", is_flag=True, help="Only print what would be removed.")
def clean_command(configs: tuple[str, ...], data: Path | None, out: Path, dry_run: bool) -> None:
    """Delete unused records.

    Damaged records that were set aside, unfinished files, and claims of runs that ended are
    removed. If CONFIGS are given, records that none of them needs are removed as well.
    """
    from quadrepro.api import prepare, record_store
    from quadrepro.engine.store import leftovers

    store = record_store(out)
    used = None
    if configs:
        plans = [prepare(config, data=data, offline=True, check_data=False) for config in configs]
        used = {cell.key for plan in plans for cell in plan.cells}
    size = n_files = 0
    for path in list(leftovers(store, used)):
        size += path.stat().st_size
        n_files += 1
        if not dry_run:
            path.unlink(missing_ok=True)
    verb = "would be removed" if dry_run else "removed"
    echo(f"{n_files} files, {size / 1e6:.1f} MB {verb} from {store.folder}")
