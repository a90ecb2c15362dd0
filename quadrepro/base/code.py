"""The files of code that decide a number, by their hash, and the versions of packages.

A record is kept under a hash of both, so that changed code never finds the results of former code.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]

ROOT = "quadrepro.core.cell"
"""The module that computes every cell."""

DECIDING = ("core", "data.canonical", "data.card", "data.rules", "data.schema")
"""What decides numbers. Other modules of data only fetch rows, which the cards' hashes check."""

_IMPORT = re.compile(r"^ *(?:from|import) ([\w.]+)(?: import (\([^)]*\)|.*))?", re.MULTILINE)
"""A module, and what is imported of it; an abstract syntax tree takes ten times as long."""

_TYPES_ONLY = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t].*\n|\n)+", re.MULTILINE)


@cache
def code_hash(modules: frozenset[str], own_code: tuple[tuple[str, str], ...] = ()) -> str:
    """Return a hash of the files that the results of some modules depend on.

    Examples
    --------
    >>> lpboost = code_hash(frozenset({"quadrepro.core.learners.lpboost"}))
    >>> lpboost == code_hash(frozenset({"quadrepro.core.learners.adaboost"}))
    False
    """
    parts = hash_of(files_of([ROOT, *modules])), own_code
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def hash_of(files: Iterable[Path]) -> str:
    """Return a hash of files of this package."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{file.relative_to(PACKAGE)} ".encode() + file.read_bytes())
    return digest.hexdigest()


def files_of(modules: Iterable[str]) -> set[Path]:
    """Return the deciding files of modules and of all that they import, also inside functions.

    A registry names modules, of which a cell uses few: those are named by the cell.
    """
    found: set[Path] = set()
    rest = [*modules]
    while rest:
        name = rest.pop()
        file = _file(name)
        if file is not None and file not in found:
            found.add(file)
            rest += _imports(file)
    return found


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of some packages, as far as they are installed."""
    return {name: found for name in packages if (found := _version(name))}


@cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _file(module: str) -> Path | None:
    """Return the file of a deciding module; None for any other name."""
    package, _, name = module.partition(".")
    decides = any(f"{name}.".startswith(f"{part}.") for part in DECIDING)
    if package != PACKAGE.name or not decides or name.endswith(".registry"):
        return None
    path = PACKAGE.joinpath(*name.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return path if path.is_file() else None


@cache
def _imports(file: Path) -> tuple[str, ...]:
    """Return all that a file may import, but not for types alone."""
    found = []
    for module, names in _IMPORT.findall(_TYPES_ONLY.sub("", file.read_text(encoding="utf-8"))):
        found += [module, *(f"{module}.{name}" for name in re.findall(r"\w+", names))]
    return tuple(found)
