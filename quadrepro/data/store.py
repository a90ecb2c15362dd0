"""Loading data sets by name, and what to say if they are not on this machine."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from quadrepro.data import cache
from quadrepro.data.canonical import RawTable
from quadrepro.data.card import Card, load_card
from quadrepro.data.location import Location, data_folder, locate
from quadrepro.data.sources.schema import GeneratedSource, SklearnSource, describe
from quadrepro.errors import DataError


@dataclasses.dataclass(frozen=True, eq=False)
class Dataset:
    """A data set that agrees with its card.

    Attributes
    ----------
    card : Card
        Its description.
    table : RawTable
        The rows in canonical order, with the attributes of the card.
    origin : str
        Where the rows came from, see `quadrepro.data.location.Location.origin`.
    """

    card: Card
    table: RawTable
    origin: str

    @property
    def content_hash(self) -> str:
        """The hash of the rows, which is that of the card."""
        return self.card.content_hash


@dataclasses.dataclass(frozen=True)
class Found:
    """A data set that is on this machine; its rows are not read before `load`.

    Attributes
    ----------
    card : Card
        Its description.
    location : Location
        Where its rows are.
    """

    card: Card
    location: Location

    @property
    def origin(self) -> str:
        """Where the rows come from, see `quadrepro.data.location.Location.origin`."""
        return self.location.origin

    @property
    def content_hash(self) -> str:
        """The hash of the rows that the card demands."""
        return self.card.content_hash

    def load(self, only: Collection[str] | None = None) -> Dataset:
        """Return the data set.

        Parameters
        ----------
        only : collection of str, optional
            The attributes that are needed; others may be left out.

        Raises
        ------
        DataError
            If the rows cannot be read or differ from the card.
        """
        return Dataset(self.card, self.location.read(self.card, only), self.origin)


def load_dataset(name: str, folder: Path | None = None) -> Dataset:
    """Load a data set and check it against its card.

    Parameters
    ----------
    name : str
        The name of its card.
    folder : Path, optional
        The data folder, see `quadrepro.data.location.locate`.

    Returns
    -------
    Dataset
        The same data set, wherever the rows came from.

    Raises
    ------
    ConfigError
        If there is no card of that name.
    DataError
        If the rows are not on this machine, cannot be read, or differ from the card.
    """
    return find_datasets([name], folder)[name].load()


def find_datasets(names: Iterable[str], folder: Path | None = None) -> dict[str, Found]:
    """Find data sets without reading their rows.

    Parameters
    ----------
    names : iterable of str
        The names of cards.
    folder : Path, optional
        The data folder, see `quadrepro.data.location.locate`.

    Returns
    -------
    dict of str to Found
        By name.

    Raises
    ------
    ConfigError
        If there is no card of that name.
    DataError
        If any data set is missing, see `missing_error`; also if the data folder does not exist or
        a card is invalid.
    """
    cards = [load_card(name) for name in names]
    located = [(card, locate(card, folder)) for card in cards]
    if missing := [card for card, location in located if location is None]:
        raise missing_error(missing, folder)
    return {card.name: Found(card, location) for card, location in located if location}


def missing_error(missing: Sequence[Card], folder: Path | None = None) -> DataError:
    """Return the error for missing data sets.

    Parameters
    ----------
    missing : sequence of Card
        The data sets.
    folder : Path, optional
        The data folder, see `quadrepro.data.location.locate`.

    Returns
    -------
    DataError
        Its message names the data sets, the places that were searched, and how to get the data.
    """
    names = " ".join(card.name for card in missing)
    count = "1 data set is" if len(missing) == 1 else f"{len(missing)} data sets are"
    place = data_folder(folder)
    csvs = f"for NAME.csv and NAME.csv.gz in {place} and " if place else ""
    them = "it as a canonical CSV" if len(missing) == 1 else "them as canonical CSVs"
    return DataError(
        "\n".join(
            (
                f"{count} not here; looked {csvs}in the cache {cache.cache_folder()}:",
                *(f"  {card.name}: {_ways_to_get(card)}" for card in missing),
                f"With a network, fetch with: quadrepro fetch {names}",
                f"Without one, save {them} (a header, the attributes of the card, target) in a"
                " folder that --data or QUADREPRO_DATA names.",
            )
        )
    )


def _ways_to_get(card: Card) -> str:
    ways = [
        f"{describe(source)} ({source.note})" if source.note else describe(source)
        for source in card.sources
        if not isinstance(source, GeneratedSource | SklearnSource)
    ]
    return ", or ".join(ways)
