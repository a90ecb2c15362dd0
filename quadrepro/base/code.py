"""The files of code that decide a number, by their hash, and the versions of packages.

A record is kept under a hash of both, so that changed code never finds the results of former code.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import site
import sysconfig
import traceback
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import Literal

PACKAGE = Path(__file__).resolve().parents[1]

ROOT = "quadrepro.core.cell"
"""The module that computes every cell."""

DECIDING = ("core", "data.canonical", "data.card", "data.rules", "data.schema")
"""What decides numbers. Other modules of data only fetch rows, which the cards' hashes check."""

TWIN = "_compiled"
"""Ending of the name of a module with compiled loops."""

_TYPES_ONLY = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t].*\n|\n)+", re.MULTILINE)


@cache
def code_hash(modules: frozenset[str], own_code: tuple[tuple[str, str], ...] = ()) -> str:
    """Return a hash of the files that the results of some modules depend on.

    Examples
    --------
    >>> lpboost = code_hash(frozenset({"quadrepro.core.learners.programs.lpboost"}))
    >>> lpboost == code_hash(frozenset({"quadrepro.core.learners.greedy.adaboost"}))
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
            rest += [*_imports(file), name + TWIN]
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
    for node in ast.walk(ast.parse(_TYPES_ONLY.sub("", file.read_text(encoding="utf-8")))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return tuple(found)


# Code of users, as configs name it.

MOST_BYTES = 8 << 20


def own_modules(names: Iterable[str]) -> set[str]:
    """Return modules of other packages together with all of the same package that they import."""
    found: set[str] = set()
    rest = {*names}
    while rest:
        name = rest.pop()
        if name not in found and (file := _source(name)).is_file():
            found.add(name)
            package = name.partition(".")[0]
            imported = (*imports_in(name, file), name.rpartition(".")[0])
            rest |= {other for other in imported if other.partition(".")[0] == package}
    return found


def imports_in(name: str, file: Path) -> Iterator[str]:
    """Yield all that a module may import, also inside functions, but not for types alone.

    It is not known here which names are those of modules.
    """
    package = name if file.stem == "__init__" else name.rpartition(".")[0]
    rest: list[ast.AST] = [parsed(file)]
    while rest:
        node = rest.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            base = resolve_name(base, package) if node.level else base
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            rest += node.orelse
        elif not isinstance(node, ast.expr):
            rest += ast.iter_child_nodes(node)


def computing_in(name: str, file: Path) -> set[str]:
    """Return the computing modules that a module of another package may import."""
    return {n for n in imports_in(name, file) if _computes(n) and _source(n).is_file()}


def parsed(file: Path) -> ast.Module:
    """Return the syntax tree of a file, which is parsed again only when the file has changed."""
    found = file.stat()
    return _parsed(file, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=100)
def _parsed(file: Path, modified: int, size: int) -> ast.Module:
    if size > MOST_BYTES:
        raise ValueError(f"it has {size:,} bytes: at most {MOST_BYTES:,}")
    return ast.parse(file.read_bytes())


def file_hash(file: Path) -> str:
    """Return the hash of the code of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def origin_of(name: str) -> str | None:
    """Return the file of a module of any package, or None if it is not found."""
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return None
    return spec.origin if spec else None


def _source(name: str) -> Path:
    package, *parts = name.split(".")
    if package != PACKAGE.name:
        file = origin_of(name)
        return Path(file if file and file.endswith(".py") else os.devnull)
    path = PACKAGE.joinpath(*parts)
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def _folders() -> tuple[set[str], set[str]]:
    """Return the folders of installed packages and those of Python, which may be around them."""
    known = sysconfig.get_paths()
    sites = {*site.getsitepackages(), site.getusersitepackages()}
    return sites | {known["purelib"], known["platlib"]}, {known["stdlib"], known["platstdlib"]}


def owner(file: Path) -> Literal["python", "package", "user"]:
    """Return whose a file of code is: Python's, that of an installed package, or the user's."""
    packages, python = _folders()
    if any(file.is_relative_to(folder) for folder in packages):
        return "package"
    return "python" if any(file.is_relative_to(folder) for folder in python) else "user"


def place_of_user(error: BaseException) -> str:
    """Return where an error left code of the user's own, to be appended to a message.

    Examples
    --------
    >>> place_of_user(ValueError("raised nowhere"))
    ''
    """
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        ours = file.is_relative_to(PACKAGE)
        if file.suffix == ".py" and not ours and owner(file) == "user":
            return f" ({file.name}:{frame.lineno})"
    return ""


def _computes(name: str) -> bool:
    return name.startswith("quadrepro.core.")
