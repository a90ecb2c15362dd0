"""Names that configs, cards and papers use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pkgutil import resolve_name
from typing import TypeVar, cast

from quadrepro.errors import nearest

Found = TypeVar("Found")


class Registry(Mapping[str, Found]):
    """Entries by name, each imported when it is needed.

    Parameters
    ----------
    kind : str
        What an entry is, for messages.
    places : dict of str to str
        ``"module:attribute"`` of each entry, below this package.
    """

    def __init__(self, kind: str, places: Mapping[str, str]) -> None:
        self.kind, self.places = kind, dict(places)

    def __getitem__(self, name: str) -> Found:
        return cast(Found, resolve_name(f"quadrepro.{self.places[name]}"))

    def __contains__(self, name: object) -> bool:
        return name in self.places

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def find(self, asked: object) -> Found:
        """Return the entry of a name, or raise KeyError with the nearest name.

        A user may have written a value of any type in place of the name.
        """
        name = str(asked)
        if name not in self.places:
            raise KeyError(f"unknown {self.kind} {asked!r}{nearest(name, self.places)}")
        return self[name]
