"""Names that configs, cards and papers can use: quadrepro's own, and those of other packages.

A package names what it adds in the group of its kind, such as ``quadrepro.algorithms``. Entry
points are read only when a name is not one of quadrepro's own, or a listing asks for them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pkgutil import resolve_name
from typing import Any, Literal, TypeVar, cast, get_args

from quadrepro.base.code import origin_of
from quadrepro.errors import ConfigError, nearest

Found = TypeVar("Found")

Kind = Literal["algorithms", "measures", "metrics", "claims", "tables", "sources"]
"""Kinds that packages can add; the groups of entry points are called ``quadrepro.KIND``."""

KINDS: tuple[Kind, ...] = get_args(Kind)

WORDS: dict[Kind, str] = {
    "algorithms": "algorithm",
    "measures": "measure",
    "metrics": "metric",
    "claims": "kind of claim",
    "tables": "kind of table",
    "sources": "kind of source",
}
"""Their names in messages."""


@dataclass(frozen=True)
class Extension:
    """One name that a package adds."""

    kind: Kind
    point: EntryPoint

    @property
    def name(self) -> str:
        """Name in configs, cards and papers."""
        return self.point.name

    @property
    def distribution(self) -> str:
        """Name of the package, as it is installed."""
        return self.point.dist.name if self.point.dist else self.package

    @property
    def package(self) -> str:
        """Name of the package, as it is imported."""
        return self.point.module.partition(".")[0]

    @property
    def title(self) -> str:
        """Name and version of the package."""
        version = self.point.dist.version if self.point.dist else ""
        return f"{self.distribution} {version}".rstrip()

    @property
    def where(self) -> str:
        """Package, entry point and file, for messages."""
        dist = self.point.dist
        file = origin_of(self.point.module) or (dist and str(dist.locate_file("")))
        place = f"{self.point.name} = {self.point.value}, in {file or 'no file'}"
        return f"{self.title}, entry point quadrepro.{self.kind}: {place}"

    def load(self, expected: type[Found]) -> Found:
        """Import what is added."""
        return _imported(self.point.load, self.where, expected)

    def load_class(self, base: type[Found]) -> type[Found]:
        """Import a class that is added; see `load`."""
        return _subclass(self.load(type), self.where, base)


@dataclass(frozen=True)
class Place:
    """Place of a class, so that a lower room can name one of a higher room."""

    text: str  # "module:NAME"

    def load_class(self, base: type[Found]) -> type[Found]:
        """Import the class."""
        found = _imported(lambda: resolve_name(self.text), self.text, type)
        return _subclass(found, self.text, base)


def _imported(load: Callable[[], Any], where: str, expected: type[Found]) -> Found:
    try:
        found = load()
    # A module of others can raise anything while it is imported.
    except (Exception, SystemExit) as error:
        reason = f"cannot be imported: {type(error).__name__}: {error}"
        raise ConfigError(f"{where}: {reason}") from error
    if not isinstance(found, expected):
        message = f"must be of type {expected.__name__}, not {type(found).__name__}"
        raise ConfigError(f"{where}: {message}")
    return found


def _subclass(found: type[Any], where: str, base: type[Found]) -> type[Found]:
    if not issubclass(found, base):
        raise ConfigError(f"{where}: must be a subclass of {base.__name__}")
    return found


class Places(Mapping[str, Found]):
    """The entries of a kind by name: quadrepro's own, imported when needed, and those of packages.

    As a mapping it has quadrepro's own alone.

    Parameters
    ----------
    package : str
        The package that places are relative to.
    expected : type
        What an entry of another package must be an instance of.
    places : dict of str to str or object
        By name, ``"module:attribute"``, or the entry itself.
    kind : str or None, default None
        Which of `KINDS` it is; None if other packages add nothing to it.
    listing : str, default ""
        Where all names are listed.
    meaning : str, default ""
        The attribute of an entry that says what it is; its docstring does if there is none.
    renamed : dict of str to str, default {}
        Former names, and the present ones.
    """

    def __init__(
        self,
        package: str,
        expected: type[Any],
        places: Mapping[str, str | Found],
        kind: Kind | None = None,
        listing: str = "",
        meaning: str = "",
        renamed: Mapping[str, str] | None = None,
    ) -> None:
        self.package, self.expected, self.places = package, expected, {**places}
        self.kind, self.listing, self.renamed = kind, listing, renamed or {}
        self._meaning = meaning

    def __getitem__(self, name: str) -> Found:
        place = self.places[name]
        found = resolve_name(f"{self.package}.{place}") if isinstance(place, str) else place
        return cast(Found, found)

    def __contains__(self, name: object) -> bool:
        return name in self.places

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def find(self, asked: object) -> Found:
        """Return the entry of a name, or raise KeyError with the nearest names.

        A user may have written a value of any type in place of the name.
        """
        name = str(asked)
        if name in self.renamed:
            raise KeyError(f"{name} is now called {self.renamed[name]}")
        if name in self:
            return self[name]
        if (added := self.added(name)) is not None:
            return added
        known = (*self, *self.others())
        raise KeyError(f"{self.unknown(asked)}{nearest(name, known, self.listing)}")

    def others(self) -> Sequence[str]:
        """Return the names that other packages add."""
        return names(self.kind)

    def unknown(self, asked: object) -> str:
        """Return what is wrong with a name that nothing has."""
        return f"unknown {'name' if self.kind is None else WORDS[self.kind]} {asked!r}"

    def added(self, name: str) -> Found | None:
        """Return what another package adds by a name, or None."""
        extension = find(self.kind, name)
        return None if extension is None else self.load(extension)

    def load(self, extension: Extension) -> Found:
        """Import what another package adds."""
        return cast(Found, extension.load(self.expected))

    def extensions(self) -> tuple[Extension, ...]:
        """Return all that other packages add."""
        found = [added for name in names(self.kind) if (added := find(self.kind, name))]
        for extension in found:
            if extension.name in self:
                message = f"{extension.name!r} is a name of quadrepro itself: choose another one"
                raise ConfigError(f"{extension.where}: {message}")
        return tuple(found)

    def meaning(self, entry: Found) -> str:
        """Return in words what an entry is."""
        words = getattr(entry, self._meaning) if self._meaning else entry.__doc__ or ""
        return str(words).strip().partition("\n")[0]


class ClassPlaces(Places[type[Found]]):
    """The same for entries that are classes; those of other packages are subclasses of one."""

    def load(self, extension: Extension) -> type[Found]:
        """Import a class that another package adds."""
        return cast(type[Found], extension.load_class(self.expected))


@cache
def _by_name(kind: Kind | None) -> dict[str, tuple[Extension, ...]]:
    found: defaultdict[str, list[Extension]] = defaultdict(list)
    if kind is None:
        return {}
    for point in entry_points(group=f"quadrepro.{kind}"):
        # A folder that is on the path twice lists the same entry point twice.
        added = Extension(kind, point)
        if all(added.title != other.title or point != other.point for other in found[point.name]):
            found[point.name].append(added)
    return {name: tuple(found[name]) for name in sorted(found)}


def names(kind: Kind | None) -> tuple[str, ...]:
    """Return the names that other packages add."""
    return (*_by_name(kind),)


def find(kind: Kind | None, name: str) -> Extension | None:
    """Return what other packages add by a name, or None."""
    found = _by_name(kind).get(name, ())
    if len(found) > 1:
        both = " and ".join(extension.title for extension in found)
        raise ConfigError(f"{both} both add {name!r} to quadrepro.{kind}: uninstall one of them")
    return found[0] if found else None


@cache
def distribution_of(module: str) -> str:
    """Return the installed package that adds a module to quadrepro; empty if there is none."""
    package = module.partition(".")[0]
    every_one = (e for kind in KINDS for found in _by_name(kind).values() for e in found)
    return next((e.distribution for e in every_one if e.package == package), "")
