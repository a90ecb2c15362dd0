"""``quadrepro fetch``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.common import data_option, offline_option


@click.command("fetch")
@click.argument("what", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every data set that has a card.")
@data_option
@offline_option
def command(what: tuple[str, ...], everything: bool, data: Path | None, offline: bool) -> None:
    """Bring data sets that are not here into the cache.

    WHAT are names of data sets, or configs whose data sets are meant. What was fetched stays, so an
    interrupted or failed call is simply made again. Exits with 3 where a data set could not be had.
    """
    from quadrepro.cli.fetching import bring
    from quadrepro.data.card import card_names
    from quadrepro.data.store import load_dataset

    if not what and not everything:
        raise click.UsageError("name data sets or configs, or say --all")
    names = card_names() if everything else _names(what)
    bring(names, data, offline)
    for name in names:
        load_dataset(name, data)
    count = "1 data set is" if len(names) == 1 else f"{len(names)} data sets are"
    click.echo(f"{count} here and what the cards say")


def _names(what: tuple[str, ...]) -> list[str]:
    """Return the data sets that are named, and those of the configs that are."""
    from quadrepro.cli.common import find_config
    from quadrepro.config.loading import load_experiment
    from quadrepro.data.card import card_names
    from quadrepro.errors import ConfigError, nearest
    from quadrepro.resources import configs_folder

    known = {*card_names(), *(path.stem for path in configs_folder().glob("*.yaml"))}
    names: dict[str, None] = {}
    for one in what:
        if one in card_names():
            names[one] = None
        elif one in known or Path(one).is_file():
            entries = load_experiment(find_config(one)).config.datasets
            names |= dict.fromkeys(entry.name for entry in entries)
        else:
            raise ConfigError(f"there is no data set and no config {one!r}{nearest(one, known)}")
    return [*names]
