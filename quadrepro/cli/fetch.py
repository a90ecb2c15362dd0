"""``quadrepro fetch``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.options import data_option, offline_option
from quadrepro.cli.showing import echo


@click.command("fetch")
@click.argument("what", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every data set that has a card.")
@data_option
@offline_option
def command(what: tuple[str, ...], everything: bool, data: Path | None, offline: bool) -> None:
    """Download data sets into the cache.

    WHAT are names of data sets, or configs whose data sets and OpenML tasks are fetched. Whatever
    was fetched is kept, so an interrupted or failed call can simply be repeated. Exits with 3 if
    something could not be fetched.
    """
    from quadrepro.data.card import card_names
    from quadrepro.data.fetch import bring, bring_tasks, missing_cards
    from quadrepro.data.store import load_dataset
    from quadrepro.engine.progress import FetchProgress

    if not what and not everything:
        raise click.UsageError("name data sets or configs, or use --all")
    names, tasks = (card_names(), {}) if everything else _named(what)
    missing = missing_cards(names, data)
    with FetchProgress(missing) as progress:
        bring(missing, data, offline=offline, listener=progress)
    bring_tasks(tasks, offline=offline)
    for name in names:
        load_dataset(name, data)
    count = "1 data set is" if len(names) == 1 else f"{len(names)} data sets are"
    echo(f"{count} available and as described by the cards")


def _named(what: tuple[str, ...]) -> tuple[list[str], dict[tuple[str, int], None]]:
    """Return the named data sets, and data sets and OpenML tasks of the named configs."""
    from quadrepro.base.resources import configs_folder, find_config
    from quadrepro.config.config import load_experiment
    from quadrepro.data.card import card_names
    from quadrepro.errors import ConfigError, nearest

    known = {*card_names(), *(path.stem for path in configs_folder().glob("*.yaml"))}
    names: dict[str, None] = {}
    tasks: dict[tuple[str, int], None] = {}
    for one in what:
        if one in card_names():
            names[one] = None
        elif one in known or Path(one).is_file():
            experiment = load_experiment(find_config(one))
            names |= dict.fromkeys(entry.name for entry in experiment.config.datasets)
            tasks |= experiment.openml_tasks
        else:
            hint = nearest(one, known, "quadrepro list datasets")
            raise ConfigError(f"unknown data set or config {one!r}{hint}")
    return [*names], tasks
