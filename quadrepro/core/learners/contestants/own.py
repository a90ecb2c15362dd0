"""Code of the config's own folder, as its text tells it: nothing is imported here."""

from __future__ import annotations

import ast
import sysconfig
import traceback
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from quadrepro.base.code import PACKAGE


def module_file(folder: str | Path, name: str) -> Path | None:
    """Return the file of a module of a folder; None if it is not there."""
    path = Path(folder).joinpath(*name.split("."))
    return next((f for f in (path.with_suffix(".py"), path / "__init__.py") if f.is_file()), None)


def files_reached(modules: Iterable[str], folder: str) -> dict[str, Path]:
    """Return the files of a folder that modules consist of and import from it, by module.

    What is imported by a name that the code computes is not seen.
    """
    found: dict[str, Path] = {}
    rest = {*modules}
    while rest:
        name = rest.pop()
        if name and name not in found and (file := module_file(folder, name)):
            found[name] = file
            rest |= {*imports_of(name, file), name.rpartition(".")[0]}
    return dict(sorted(found.items()))


def imports_of(name: str, file: Path) -> Iterator[str]:
    """Yield all that a module may import; not all of these names are those of modules."""
    package = name.split(".") if file.stem == "__init__" else name.split(".")[:-1]
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def tree_of(file: Path) -> ast.Module:
    """Return the syntax tree of a file, or raise ValueError if it has none."""
    try:
        return _parsed(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError) as error:
        raise ValueError(f"{file} cannot be read: {type(error).__name__}: {error}") from None


@lru_cache(maxsize=100)
def _parsed(text: bytes) -> ast.Module:
    return ast.parse(text)


def is_own(file: Path) -> bool:
    """Return whether a file is the user's, and not of Python, quadrepro or an installed package."""
    installed = {"site-packages", "dist-packages"}.intersection(file.parts)
    return not installed and not any(
        file.is_relative_to(folder) for folder in (PACKAGE, sysconfig.get_path("stdlib"))
    )


def place_of_user(error: BaseException) -> str:
    """Return where an error left code of the user's own, to be appended to a message.

    Examples
    --------
    >>> place_of_user(ValueError("raised nowhere"))
    ''
    """
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if file.suffix == ".py" and is_own(file):
            return f" ({file.name}:{frame.lineno})"
    return ""
