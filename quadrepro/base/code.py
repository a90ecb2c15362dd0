"""The files of code that decide a number, by their hash, and the versions of packages.

A record is kept under a hash of both, so that changed code never finds the results of former code.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
import sysconfig
from collections.abc import Callable, Iterable
from functools import cache
from importlib.machinery import all_suffixes
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]

ROOT = "quadrepro.core.cell"
"""The module that computes every cell."""

DECIDING = ("core", "data.canonical", "data.card", "data.rules", "data.schema")
"""What decides numbers. Other modules of data only fetch rows, which the cards' hashes check."""

REGISTRIES = ("core.training.algorithms", "core.measures.names")
"""Modules that name all algorithms or measures; a cell names the few that it uses."""

_IMPORT = re.compile(
    r"(?:^|[;:])[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import\b[ \t]*(\([^)]*\)|[^\n;]*)"
    r"|import[ \t]+([^\n;]*))",
    re.MULTILINE,
)
"""An import, perhaps in a string; an abstract syntax tree takes ten times as long."""

_TYPES_ONLY = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t].*\n|\n)+", re.MULTILINE)

_COMMENT = re.compile(r"#.*|\\\n")
"""A comment, or the end of a line that goes on."""


@cache
def code_hash(modules: frozenset[str], own_code: tuple[tuple[str, str], ...] = ()) -> str:
    """Return a hash of the files that the results of some modules depend on.

    Examples
    --------
    >>> lpboost = code_hash(frozenset({"quadrepro.core.learners.lpboost"}))
    >>> lpboost == code_hash(frozenset({"quadrepro.core.learners.adaboost"}))
    False
    """
    parts = hash_of_files(files_of([ROOT, *modules])), own_code
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def hash_of_files(files: Iterable[Path]) -> str:
    """Return a hash of files of this package."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{file.relative_to(PACKAGE)} ".encode() + file.read_bytes())
    return digest.hexdigest()


def files_of(modules: Iterable[str]) -> set[Path]:
    """Return the deciding files of modules and of all that they import, also inside functions.

    Registries are left out.
    """
    return {*files_needed(modules, _deciding_file).values()}


def files_needed(modules: Iterable[str], file_of: Callable[[str], Path | None]) -> dict[str, Path]:
    """Return the files of modules and of all that they import, by module.

    `file_of` returns the file of a module, or None for one that is not followed. Modules that code
    imports by a computed name are not seen.
    """
    files: dict[str, Path] = {}
    rest, visited = [*modules], {""}
    while rest:
        module = rest.pop()
        if module in visited:
            continue
        visited.add(module)
        if file := file_of(module):
            files[module] = file
            rest += [*imports_of(module, file), module.rpartition(".")[0]]
    return dict(sorted(files.items()))


def imports_of(module: str, file: Path) -> set[str]:
    """Return all that a module may import, but not for types alone; not all names are modules."""
    if file.suffix != ".py":
        return set()
    package = module.split(".") if file.stem == "__init__" else module.split(".")[:-1]
    names: set[str] = set()
    for source, members, modules in _imports_in(file.read_text(encoding="utf-8", errors="replace")):
        if modules:
            names |= {part.split()[0] for part in modules.split(",") if part.strip()}
            continue
        name = source.lstrip(".")
        level = len(source) - len(name)
        parts = package[: len(package) + 1 - level] if level else []
        base = ".".join([*parts, *filter(None, [name])])
        names |= {base, *(f"{base}.{part}" for part in re.findall(r"\w+", members))}
    return names


@cache
def _imports_in(text: str) -> list[tuple[str, str, str]]:
    """Return the groups of every import; keys of several algorithms need the same files."""
    return _IMPORT.findall(_TYPES_ONLY.sub("", _COMMENT.sub("", text)))


def user_file(module: str, folder: str | Path = "") -> Path | None:
    """Return the file of a module of the user's own; None for others, and for none.

    It is in a folder, or on Python's path without being installed. A package that is installed in
    editable form is the user's own.
    """
    if folder and (file := module_file(folder, module)):
        return file if is_own(file) else None
    top, *parts = module.split(".")
    if top in sys.stdlib_module_names or top == PACKAGE.name:
        return None
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError, AttributeError):
        return None
    files = [Path(spec.origin)] if spec and spec.origin and not parts else []
    for place in (spec and parts and spec.submodule_search_locations) or ():
        path = Path(place, *parts)
        names = (f"{path.name}{suffix}" for suffix in all_suffixes())
        files += [path / "__init__.py", *map(path.with_name, names)]
    return next((file for file in files if file.is_file() and is_own(file)), None)


def module_file(folder: str | Path, module: str) -> Path | None:
    """Return the file of a module of a folder; None if it is not there."""
    path = Path(folder).joinpath(*module.split("."))
    return next((f for f in (path.with_suffix(".py"), path / "__init__.py") if f.is_file()), None)


def is_own(file: Path) -> bool:
    """Return whether a file is neither installed nor part of Python or of this package."""
    roots = (PACKAGE, Path(sysconfig.get_path("stdlib")))
    is_installed = not {"site-packages", "dist-packages"}.isdisjoint(file.parts)
    return not is_installed and not any(map(file.is_relative_to, roots))


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of some packages, as far as they are installed."""
    return {name: number for name in packages if (number := _version(name))}


@cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _deciding_file(module: str) -> Path | None:
    """Return the file of a deciding module of this package; None for any other name."""
    package, _, name = module.partition(".")
    decides = any(f"{name}.".startswith(f"{part}.") for part in DECIDING)
    if package != PACKAGE.name or not decides or name in REGISTRIES:
        return None
    return module_file(PACKAGE.parent, module)
