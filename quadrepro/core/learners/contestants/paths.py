"""Import paths: from ``module:attribute`` to what makes an estimator, and to its code and versions.

A bare name, or one after ``sklearn:``, is that of a public class of scikit-learn. Otherwise it is a
class or function of a module in the config's folder, or an estimator or a subclass of `Algorithm`
of an installed package. Code of the folder is imported by `find_maker` alone, which is called where
cells are computed; all else is read from the text of its files.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from types import ModuleType
from typing import Any

from quadrepro.base.code import versions_of
from quadrepro.core.learners.contestants.own import (
    files_reached,
    imports_of,
    is_own,
    module_file,
    place_of_user,
    tree_of,
)
from quadrepro.core.learners.learner import Algorithm
from quadrepro.errors import nearest

SKLEARN = "sklearn"
"""Module name for all public modules of scikit-learn."""

BOOSTERS = ("xgboost", "lightgbm", "catboost")
"""Packages that the extra ``boosters`` installs."""

LEARNERS = "quadrepro.core.learners"
"""The package of `Algorithm` and of its subclasses."""

REFUSED = frozenset({*sys.stdlib_module_names, "test", "quadrepro"})
"""Modules of Python and of quadrepro itself, which a config cannot name."""

_PATH = re.compile(r"[^\W\d_]\w*(\.[^\W\d_]\w*)*:[^\W\d]\w*")


def full_path(name: str) -> str:
    """Return the import path of a name: a bare one is of scikit-learn."""
    return name if ":" in name else f"{SKLEARN}:{name}"


def is_estimator(candidate: Any) -> bool:
    """Return whether a class or an object has the methods of scikit-learn's estimators."""
    return all(callable(getattr(candidate, m, None)) for m in ("fit", "get_params", "set_params"))


def check_path(path: str, folder: str = "") -> None:
    """Refuse an import path that leads nowhere or may not be used.

    Modules of the folder are read but not imported.
    """
    file = own_file(path, folder)
    if file is None:
        find_maker(path, folder)
        return
    own_code([path], folder)  # refuses what cannot be parsed
    where, _, name = path.partition(":")
    known = _names_in(file)
    if name not in known and "*" not in known:
        raise ValueError(f"{where} ({file}) has no {name!r}{nearest(name, known)}")


def find_maker(path: str, folder: str = "") -> Callable[..., Any]:
    """Import and return the class or the function that an import path names."""
    own = own_file(path, folder)
    where, _, name = path.partition(":")
    if where == SKLEARN:
        return _of_sklearn(name)
    if own is not None:
        enter(folder)
    module = _imported(where)
    if own is not None and str(own) != module.__file__:
        raise ValueError(f"{own} is hidden by {module.__file__}, which was found first")
    found = getattr(module, name, None)
    if not callable(found):
        known = [key for key, value in vars(module).items() if callable(value) and key[0] != "_"]
        hint = nearest(name, known)
        raise ValueError(f"{where} ({module.__file__}) has no class or function {name!r}{hint}")
    usable = inspect.isclass(found) and (is_estimator(found) or issubclass(found, Algorithm))
    if own is None and not usable:
        # Some installed functions run or load whatever their arguments name.
        raise ValueError(
            f"{path} is not an estimator: it needs fit, get_params and set_params. Use other code"
            " from a module beside the config"
        )
    return found  # type: ignore[no-any-return]


def own_file(path: str, folder: str) -> Path | None:
    """Return the file of the config's folder that an import path names; None if it is installed.

    Nothing is imported.
    """
    if not _PATH.fullmatch(path):
        raise ValueError(f"{path!r} is not a public import path, such as xgboost:XGBClassifier")
    where = path.partition(":")[0]
    top = where.partition(".")[0]
    if where == SKLEARN:
        return None
    if top in REFUSED:
        whose = "quadrepro" if top == "quadrepro" else "Python"
        raise ValueError(f"{top} is a module of {whose} itself, which a config cannot name")
    if _is_installed(top, folder):
        return None
    file = module_file(folder, where) if folder else None
    if file is None:
        raise ValueError(_not_there(where, folder))
    return file


def own_code(paths: Iterable[str], folder: str) -> dict[str, Path]:
    """Return the files of the config's folder that import paths run, by module."""
    names = (path.partition(":")[0] for path in paths if own_file(path, folder))
    return files_reached(names, folder)


def hashes_of(paths: Iterable[str], folder: str) -> tuple[tuple[str, str], ...]:
    """Return the names below the folder and the hashes of the files of `own_code`."""
    files = own_code(paths, folder).values()
    return tuple(
        (str(file.relative_to(folder)), hashlib.sha256(file.read_bytes()).hexdigest())
        for file in files
    )


def modules_of(paths: Iterable[str], folder: str = "") -> tuple[str, ...]:
    """Return the modules of quadrepro that code of the config's folder computes with."""
    files = own_code(paths, folder).items()
    imported = {found for name, file in files for found in imports_of(name, file)}
    return tuple(sorted(name for name in imported if name.startswith("quadrepro.")))


def distributions_of(paths: Iterable[str], folder: str = "") -> tuple[str, ...]:
    """Return the names of the distributions that code of import paths is installed with or uses."""
    modules = [path.partition(":")[0] for path in paths if own_file(path, folder) is None]
    for name, file in own_code(paths, folder).items():
        modules += imports_of(name, file)
    tops = dict.fromkeys(name.partition(".")[0] for name in modules)
    installed = (top for top in tops if top not in REFUSED and _is_installed(top, folder))
    return tuple(dict.fromkeys(name for top in installed for name in _distributions(top)))


@cache
def _distributions(top: str) -> tuple[str, ...]:
    if top == SKLEARN:
        return ("scipy", "scikit-learn")
    # Most have the name of their module; it takes long to read what all of them hold.
    return (top,) if versions_of([top]) else tuple(packages_distributions().get(top, ()))


def names_algorithm(path: str, folder: str = "") -> bool:
    """Return whether an import path names a subclass of `Algorithm`.

    Of code of the config's folder, that is a class whose base is one of quadrepro's learners.
    """
    file = own_file(path, folder)
    if file is None:
        found = find_maker(path, folder)
        return inspect.isclass(found) and issubclass(found, Algorithm)
    known: set[str] = set()
    for node in tree_of(file).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(LEARNERS):
            known |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.ClassDef) and known & {ast.unparse(b) for b in node.bases}:
            known.add(node.name)
    return path.partition(":")[2] in known


def declared(path: str, folder: str) -> tuple[tuple[str, ...], bool]:
    """Return the parameters that code of the config's folder declares, and whether these are all.

    A function may return an estimator with more of them, and a class may inherit them.
    """
    file = own_file(path, folder)
    name = path.partition(":")[2]
    for node in tree_of(file).body if file is not None else ():
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return _arguments(node), False
        if isinstance(node, ast.ClassDef) and node.name == name:
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name == "__init__":
                    return _arguments(method)[1:], method.args.kwarg is None
    return (), False


def _arguments(function: ast.FunctionDef) -> tuple[str, ...]:
    args = function.args
    return tuple(arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs))


def _names_in(file: Path) -> set[str]:
    """Return all names that occur in a module, with "*" if it may have others."""
    nodes = [*ast.walk(tree_of(file))]
    found = {getattr(node, key, None) for node in nodes for key in ("name", "asname", "id")}
    return {name for name in found if isinstance(name, str)}


@cache
def sklearn_modules() -> dict[str, str]:
    """Return the module of each public class of scikit-learn.

    The names are read from the text of the modules, since it takes long to import all of them.
    """
    spec = importlib.util.find_spec(SKLEARN)
    assert spec is not None
    assert spec.origin is not None
    root = Path(spec.origin).parent
    found: dict[str, str] = {}
    for file in sorted([*root.glob("[a-z]*.py"), *root.glob("[a-z]*/__init__.py")]):
        is_package = file.parent != root
        module = file.parent.name if is_package else file.stem
        listed = r'"([A-Z]\w+)"' if is_package else r"^class ([A-Z]\w+)"
        for name in re.findall(listed, file.read_text(encoding="utf-8"), re.MULTILINE):
            found.setdefault(name, f"{SKLEARN}.{module}")
    return found


def _of_sklearn(name: str) -> Callable[..., Any]:
    modules = sklearn_modules()
    found = getattr(importlib.import_module(modules[name]), name, None) if name in modules else None
    if not callable(getattr(found, "fit", None)):
        raise ValueError(f"scikit-learn has no estimator {name!r}{nearest(name, modules)}")
    return found  # type: ignore[return-value]


def _imported(where: str) -> ModuleType:
    try:
        return importlib.import_module(where)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{where}.".startswith(f"{error.name}."):
            raise ValueError(f"{where.partition('.')[0]} has no module {where!r}") from None
        raise ValueError(f"{where} cannot be imported: {error}") from None
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}{place_of_user(error)}"
        raise ValueError(f"{where} cannot be imported: {reason}") from None


_entered = ""
"""The folder of a config whose modules can be imported."""


def enter(folder: str) -> None:
    """Let Python find the modules of a folder after all others, and forget those of another one."""
    global _entered
    if folder == _entered:
        return
    if _entered:
        # Code of the folder may have changed the path.
        with contextlib.suppress(ValueError):
            sys.path.remove(_entered)
        for name, module in [*sys.modules.items()]:
            file = Path(getattr(module, "__file__", None) or "")
            if file == module_file(_entered, name) and is_own(file):
                del sys.modules[name]
    if folder:
        sys.path.append(folder)
    importlib.invalidate_caches()
    _entered = folder


def _is_installed(top: str, folder: str) -> bool:
    """Return whether a module is found elsewhere than in the config's or the working folder."""
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return False
    if spec is None:
        return False
    home = Path([*(spec.submodule_search_locations or ()), spec.origin or ""][0])
    # `python -m` puts the working folder first on the path.
    working = {Path.cwd()}.difference(map(Path, sys.path[1:]))
    return home.parent not in {Path(folder), Path(_entered), *working}


def _not_there(where: str, folder: str) -> str:
    top = where.partition(".")[0]
    if top in BOOSTERS:
        return f"{top} is not installed: pip install {top}, or quadrepro[boosters]"
    if folder and module_file(folder, top):
        return f"{top} has no module {where!r}"
    beside = {file.stem for file in Path(folder).glob("*.py")} if folder else set()
    hint = nearest(top, {SKLEARN, *BOOSTERS, *beside})
    if "did you mean" not in hint:
        hint = ", beside the config or installed: pip install the package that has it"
    return f"unknown module {top!r}{hint}"
