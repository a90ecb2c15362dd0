"""What other packages add to quadrepro, found by their entry points.

A package names what it adds in the group of its kind, such as ``quadrepro.algorithms``. Entry
points are read only when a name is not one of quadrepro's own, or a listing asks for them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import Literal, TypeVar, get_args

from quadrepro.errors import ConfigError, nearest

Found = TypeVar("Found")

Kind = Literal["algorithms", "voters", "measures", "metrics", "claims", "tables", "sources"]
"""What can be added; the groups of entry points are called ``quadrepro.KIND``."""

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Extension:
    """One name that a package adds.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    point : EntryPoint
        Its name, and where it is.
    """

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
        try:
            spec = find_spec(self.point.module)
        except (ImportError, ValueError):
            spec = None
        dist = self.point.dist
        file = spec.origin if spec and spec.origin else dist and str(dist.locate_file(""))
        place = f"{self.point.name} = {self.point.value}, in {file or 'no file'}"
        return f"{self.title}, entry point quadrepro.{self.kind}: {place}"

    def load(self, expected: type[Found]) -> Found:
        """Import what is added."""
        try:
            found = self.point.load()
        # A module of others can raise anything while it is imported.
        except (Exception, SystemExit) as error:
            reason = f"cannot be imported: {type(error).__name__}: {error}"
            raise ConfigError(f"{self.where}: {reason}") from error
        if not isinstance(found, expected):
            message = f"must be of type {expected.__name__}, not {type(found).__name__}"
            raise ConfigError(f"{self.where}: {message}")
        return found

    def load_class(self, base: type[Found]) -> type[Found]:
        """Import a class that is added; see `load`."""
        found = self.load(type)
        if not issubclass(found, base):
            raise ConfigError(f"{self.where}: must be a subclass of {base.__name__}")
        return found


class Places(Mapping[str, Found]):
    """Names of quadrepro's own, each with the place of its entry, which is imported when needed.

    Parameters
    ----------
    package : str
        The package that places are relative to.
    expected : type
        What an entry must be an instance of.
    places : dict of str to str or object
        By name, ``"module:attribute"``, or the entry itself.
    """

    def __init__(
        self, package: str, expected: type[Found], places: Mapping[str, str | Found]
    ) -> None:
        self.package, self.expected, self.places = package, expected, {**places}

    def __getitem__(self, name: str) -> Found:
        place = self.places[name]
        found = resolve_name(f"{self.package}.{place}") if isinstance(place, str) else place
        if not isinstance(found, self.expected):
            raise TypeError(f"{place} must be of type {self.expected.__name__}")
        return found

    def __contains__(self, name: object) -> bool:
        return name in self.places

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


@cache
def _by_name(kind: Kind) -> dict[str, tuple[Extension, ...]]:
    found: defaultdict[str, list[Extension]] = defaultdict(list)
    for point in entry_points(group=f"quadrepro.{kind}"):
        # A folder that is on the path twice lists the same entry point twice.
        added = Extension(kind, point)
        if all(added.title != other.title or point != other.point for other in found[point.name]):
            found[point.name].append(added)
    return {name: tuple(found[name]) for name in sorted(found)}


def names(kind: Kind) -> tuple[str, ...]:
    """Return the names that other packages add."""
    return (*_by_name(kind),)


def find(kind: Kind, name: str) -> Extension | None:
    """Return what other packages add by a name, or None."""
    found = _by_name(kind).get(name, ())
    if len(found) > 1:
        both = " and ".join(extension.title for extension in found)
        raise ConfigError(f"{both} both add {name!r} to quadrepro.{kind}: uninstall one of them")
    return found[0] if found else None


def load(kind: Kind, name: str, expected: type[Found]) -> Found | None:
    """Return what other packages add by a name, imported, or None; see `find` and `load`."""
    extension = find(kind, name)
    return None if extension is None else extension.load(expected)


def look_up(
    kind: Kind,
    name: str,
    own: Mapping[str, Found],
    expected: type[Found],
    what: str,
    listing: str = "",
) -> Found:
    """Return what quadrepro itself or another package has by a name."""
    if name in own:
        return own[name]
    if added := load(kind, name, expected):
        return added
    raise KeyError(f"unknown {what} {name!r}{nearest(name, (*own, *names(kind)), listing)}")


def every(kind: Kind, own: Collection[str]) -> tuple[Extension, ...]:
    """Return all that other packages add to one kind."""
    found = [extension for name in names(kind) if (extension := find(kind, name))]
    for extension in found:
        if extension.name in own:
            message = f"{extension.name!r} is a name of quadrepro itself: choose another one"
            raise ConfigError(f"{extension.where}: {message}")
    return tuple(found)


@cache
def distribution_of(module: str) -> str:
    """Return the installed package that adds a module to quadrepro; empty if there is none."""
    package = module.partition(".")[0]
    every_one = (e for kind in KINDS for found in _by_name(kind).values() for e in found)
    return next((e.distribution for e in every_one if e.package == package), "")
