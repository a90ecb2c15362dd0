"""The code and the packages that the result of a cell depends on.

A record is kept under a hash of both, so that changed code never finds the results of former code.
Comments and docstrings do not count, nor does code that only reads, writes or explains.
"""

from __future__ import annotations

import ast
import hashlib
import os
import platform
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

COMPUTING = "quadrepro.core"
"""The package whose modules make results. The code of others is not followed."""

ENTRIES = ("Entry", "Measure")
"""Our classes whose texts are for readers: a key has the settings of an entry."""

TWIN = "_compiled"
"""Ending of the name of a module with compiled loops."""

ROOTS = ("quadrepro.core.cell", "quadrepro.core.problems")
"""Modules that every cell runs through."""

PACKAGES = ("numpy", "scipy", "scikit-learn", "highspy", "piqp", "daqp", "numba")
"""Packages whose versions a record keeps."""

MOST_BYTES = 8 << 20
"""Largest file of code that is read."""


@cache
def code_hash(modules: tuple[str, ...] = (), own_code: tuple[tuple[str, str], ...] = ()) -> str:
    """Return a hash of the code that the results of some modules depend on.

    Examples
    --------
    >>> lpboost = code_hash(("quadrepro.core.learners.programs.lpboost",))
    >>> lpboost == code_hash(("quadrepro.core.learners.greedy.adaboost",))
    False
    """
    return hash_of_code(modules_of((*ROOTS, *modules)), own_code)


def hash_of_code(modules: Iterable[str], own_code: Iterable[tuple[str, str]] = ()) -> str:
    """Return a hash of the code of modules, and of no others that they import."""
    digest = hashlib.sha256()
    for name, code in (*((name, _module(name)[0]) for name in sorted(modules)), *own_code):
        digest.update(f"{name} {code}\n".encode())
    return digest.hexdigest()[:16]


def modules_of(names: Iterable[str]) -> set[str]:
    """Return modules together with all computing ones that they import, also inside functions."""
    found: set[str] = set()
    rest = list(names)
    while rest:
        name = rest.pop()
        if name not in found:
            found.add(name)
            rest += (other for other in imports_of(name) if _computes(other))
            rest += [name + TWIN] if _source(name + TWIN).is_file() else []
    return found


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
    return _hash(_plain(parsed(file)))


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def imports_of(name: str) -> frozenset[str]:
    """Return the names of the modules that a module imports, of quadrepro and of other packages."""
    return _module(name)[1]


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python, of quadrepro and of the packages that it computes with."""
    return {
        "python": platform.python_version(),
        **{name: found for name in ("quadrepro", *PACKAGES) if (found := _version(name))},
    }


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of some packages, as far as they are installed."""
    return {name: found for name in packages if (found := _version(name))}


@cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _computes(name: str) -> bool:
    return name.startswith(COMPUTING + ".")


@cache
def _module(name: str) -> tuple[str, frozenset[str]]:
    """Return the hash of a module's code and the names of what it imports."""
    path = _source(name)
    code = _plain(parsed(path), ENTRIES if name.partition(".")[0] == PACKAGE.name else ())
    others = imports_in(name, path)
    return _hash(code), frozenset(n for n in others if not _computes(n) or _source(n).is_file())


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


def _plain(node: object, entries: tuple[str, ...] = ()) -> str:
    """Return code as text, without docstrings, places, and fields that some versions lack.

    Texts that calls of `entries` are given by position are left out as well.
    """
    if isinstance(node, list):
        return f"[{' '.join(_plain(part, entries) for part in node)}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    shown = []
    for name in node._fields:
        part = getattr(node, name, None)
        if isinstance(node, ast.Call) and name == "args" and _name(node.func) in entries:
            part = [argument for argument in node.args if not _is_constant_text(argument)]
        if name == "body" and isinstance(part, list):
            part = [statement for statement in part if not _is_text(statement)]
        if part is not None and part != []:
            shown.append(f"{name}={_plain(part, entries)}")
    return f"{type(node).__name__}({' '.join(shown)})"


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and _is_constant_text(node.value)


def _is_constant_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


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
