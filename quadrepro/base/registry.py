"""Names that configs, cards and papers use."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping
from pkgutil import resolve_name
from typing import Any, TypeVar, cast

from quadrepro.errors import nearest

T = TypeVar("T")


class Registry(UserDict[str, T]):
    """Objects by name, each imported when it is needed.

    Parameters
    ----------
    kind : str
        Noun for one of the names in messages.
    places : dict of str to str
        ``"module:attribute"`` of each object, below this package.
    """

    def __init__(self, kind: str, places: Mapping[str, Any]) -> None:
        super().__init__(places)
        self.kind = kind

    def __getitem__(self, name: str) -> T:
        return cast(T, resolve_name(f"quadrepro.{self.data[name]}"))

    def find(self, written: object) -> T:
        """Return the object of a name, or raise ValueError with the nearest name.

        A user may have written a value of any type in place of the name.
        """
        name = str(written)
        if name not in self:
            raise ValueError(f"unknown {self.kind} {written!r}{nearest(name, self)}")
        return self[name]
