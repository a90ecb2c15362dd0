"""Import paths: from ``module:attribute`` to what makes an estimator, and to its code and versions.

A bare name, or one after ``sklearn:``, is that of a public class of scikit-learn. Everything else
needs permission: a class of an installed package must be an estimator or a subclass of `Algorithm`,
and a function must be defined in the config's own folder. Code of that folder is imported by
`find_maker` alone, which is called where cells are computed; all else is read from the text of its
files.
"""

from __future__ import annotations

import ast
import contextlib
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

from quadrepro.base.code import (
    computing_in,
    file_hash,
    imports_in,
    own_modules,
    owner,
    parsed,
    place_of_user,
    versions_of,
)
from quadrepro.core.learners.learner import Algorithm
from quadrepro.errors import nearest

SKLEARN = "sklearn"
"""Module name for all public modules of scikit-learn."""

BOOSTERS = ("xgboost", "lightgbm", "catboost")
"""Packages that the extra ``boosters`` installs."""

LEARNERS = "quadrepro.core.learners"
"""The package of `Algorithm` and of its subclasses."""

REFUSED = frozenset({*sys.stdlib_module_names, "test", "__main__", "quadrepro"})
"""Modules of Python and of quadrepro itself, which a config cannot name."""

_PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


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
    else:
        own_code([path], folder)  # refuses what cannot be parsed
        where, _, name = path.partition(":")
        known = _defined(file)
        if name not in known and "*" not in known:
            raise KeyError(f"{where} ({file}) has no {name!r}{nearest(name, known)}")


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
        raise KeyError(f"{own} is hidden by {module.__file__}, which was found first")
    found = getattr(module, name, None)
    if not callable(found):
        known = [key for key, value in vars(module).items() if callable(value) and key[0] != "_"]
        what = "has no" if found is None else "cannot make an estimator of its"
        raise KeyError(f"{where} ({module.__file__}) {what} {name!r}{nearest(name, known)}")
    if own is None and not inspect.isclass(found):
        # Of installed functions some run or load whatever their arguments name.
        raise KeyError(
            f"{path} is a function: of installed packages only classes are used. Import it in a"
            " module beside the config, and name that module"
        )
    works = is_estimator(found) and (hasattr(found, "predict") or hasattr(found, "transform"))
    if own is None and not works and not issubclass(found, Algorithm):
        raise KeyError(
            f"{path} is not an estimator: it needs fit, get_params, set_params, and predict or"
            " transform"
        )
    return found  # type: ignore[no-any-return]


def own_file(path: str, folder: str) -> Path | None:
    """Return the file of the config's folder that an import path names; None if it is installed.

    Nothing is imported.
    """
    if not _PATH.fullmatch(path):
        raise KeyError(f"{path!r} is not an import path, such as xgboost:XGBClassifier")
    where = path.partition(":")[0]
    top = where.partition(".")[0]
    if where == SKLEARN:
        return None
    if top in REFUSED:
        whose = "quadrepro" if top == "quadrepro" else "Python"
        raise KeyError(f"{top} is a module of {whose} itself, which a config cannot name")
    installed = _installed_file(top, folder)
    if installed is None:
        return _file_in(folder, where)
    if owner(installed) == "python" or any(part.startswith("_") for part in where.split(".")):
        raise KeyError(f"{where} ({installed}) is not for configs: name a public module")
    return None


def own_code(paths: Iterable[str], folder: str) -> dict[str, Path]:
    """Return the modules of the config's folder that import paths name, with all they import there.

    What is imported by a name that the code computes is not seen.
    """
    found: dict[str, Path] = {}
    rest = {path.partition(":")[0] for path in paths if own_file(path, folder)}
    while rest:
        name = rest.pop()
        if name and name not in found and (file := _file(Path(folder), name)):
            found[name] = file
            _parsed(file)
            rest |= {*imports_in(name, file), name.rpartition(".")[0]}
    return dict(sorted(found.items()))


def hashes_of(paths: Iterable[str], folder: str) -> tuple[tuple[str, str], ...]:
    """Return names and hashes of the modules of the config's folder; see `own_code`."""
    found = own_code(paths, folder) if folder else {}
    return tuple((name, file_hash(file)) for name, file in found.items())


def names_algorithm(path: str, folder: str = "") -> bool:
    """Return whether an import path names a subclass of `Algorithm`.

    Of code of the config's folder, that is a class whose base is one of quadrepro's learners.
    """
    file = own_file(path, folder)
    if file is None:
        found = find_maker(path, folder)
        return isinstance(found, type) and issubclass(found, Algorithm)
    known: set[str] = set()
    for node in _parsed(file).body:
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
    body = [] if file is None else _parsed(file).body
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return _arguments(node), False
        if isinstance(node, ast.ClassDef) and node.name == name:
            makes = [
                n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"
            ]
            if makes:
                return _arguments(makes[0])[1:], makes[0].args.kwarg is None
    return (), False


def modules_of(path: str, folder: str = "") -> tuple[str, ...]:
    """Return the installed modules of an import path whose code counts besides their version.

    For scikit-learn, nothing is returned, and for the config's own code the modules of quadrepro
    that it computes with. Of a package that is installed to be edited, all that the module imports
    of it counts.
    """
    where = path.partition(":")[0]
    if where == SKLEARN:
        return ()
    if own_file(path, folder):
        files = own_code([path], folder).items()
        return tuple(sorted({n for name, file in files for n in computing_in(name, file)}))
    file = _installed_file(where.partition(".")[0], folder)
    if file is None or owner(file) == "package":
        return (where,)
    return tuple(sorted(own_modules([where])))


def distributions_of(path: str, folder: str = "") -> tuple[str, ...]:
    """Return the names of the distributions that the module of an import path is installed with."""
    top = path.partition(":")[0].partition(".")[0]
    if top == SKLEARN:
        return ("scipy", "scikit-learn")
    return () if own_file(path, folder) else _distributions(top)


@cache
def sklearn_modules() -> dict[str, str]:
    """Return the module of each public class of scikit-learn.

    The names are read from the text of the modules, since it takes long to import all of them.
    """
    spec = importlib.util.find_spec(SKLEARN)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    root = Path(spec.submodule_search_locations[0])
    found: dict[str, str] = {}
    packages = sorted(root.glob("[a-z]*/__init__.py"))
    # Few classes are in a module of a package only, such as those of feature_extraction.text.
    for file in [*root.glob("[a-z]*.py"), *packages, *root.glob("feature_extraction/[a-z]*.py")]:
        text = file.read_text(encoding="utf-8")
        listed = re.search(r"^__all__ = \[(.*?)\]", text, re.DOTALL | re.MULTILINE)
        defined = r'"([A-Z]\w+)"' if listed else r"^class ([A-Z]\w+)"
        module = ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        for name in re.findall(defined, listed[1] if listed else text, re.MULTILINE):
            found.setdefault(name, f"{SKLEARN}.{module}")
    return found


def _of_sklearn(name: str) -> Callable[..., Any]:
    modules = sklearn_modules()
    found = getattr(importlib.import_module(modules[name]), name, None) if name in modules else None
    if not callable(getattr(found, "fit", None)):
        raise KeyError(f"scikit-learn has no estimator {name!r}{nearest(name, _estimators())}")
    return found  # type: ignore[return-value]


def _estimators() -> list[str]:
    from sklearn.utils import all_estimators

    return [name for name, _ in all_estimators()]


def _imported(where: str) -> ModuleType:
    try:
        return importlib.import_module(where)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{where}.".startswith(f"{error.name}."):
            raise KeyError(f"{where} cannot be imported: {error}") from None
        raise KeyError(f"{where.partition('.')[0]} has no module {where!r}") from None
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}{place_of_user(error)}"
        raise KeyError(f"{where} cannot be imported: {reason}") from None


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
            file = getattr(module, "__file__", None)
            ours = name.partition(".")[0] in REFUSED
            if file and not ours and _file(Path(_entered), name) == Path(file):
                del sys.modules[name]
    if folder:
        sys.path.append(folder)
    importlib.invalidate_caches()
    _entered = folder


def _installed_file(top: str, folder: str) -> Path | None:
    """Return the file, or the folder, of an installed module; None if it is not installed."""
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        return None
    file = Path(spec.origin or next(iter(spec.submodule_search_locations or ("",))))
    root = file.parent.parent if file.stem == "__init__" else file.parent
    here = Path.cwd()
    # The folder in which Python was started is on its path, but that makes nothing installed.
    started = root == here and here not in map(Path, sys.path[1:])
    return None if started or (root in (Path(folder), Path(_entered))) else file


def _file_in(folder: str, where: str) -> Path:
    """Return the file of a module of the config's folder, or refuse what is not there."""
    root, top = Path(folder), where.partition(".")[0]
    if not folder or _file(root, top) is None:
        raise KeyError(_not_there(top, folder))
    file = _file(root, where)
    if file is None:
        raise KeyError(f"{top} has no module {where!r}")
    if not file.resolve().is_relative_to(root.resolve()):
        raise KeyError(f"{file} leads to {file.resolve()}, which is not in the config's folder")
    return file


def _python_in(folder: Path) -> set[str]:
    """Return the names of the modules and packages in a folder."""
    packages = {file.parent.name for file in folder.glob("*/__init__.py")}
    return packages | {file.stem for file in folder.glob("*.py")}


def _not_there(top: str, folder: str) -> str:
    if top in BOOSTERS:
        return f"{top} is not installed: pip install {top}, or quadrepro[boosters]"
    hint = nearest(top, {SKLEARN, *BOOSTERS, *(_python_in(Path(folder)) if folder else ())})
    if "did you mean" not in hint:
        hint = ", beside the config or installed: pip install the package that has it"
    return f"unknown module {top!r}{hint}"


def _file(root: Path, name: str) -> Path | None:
    """Return the file of a module of a folder; None if it is not there."""
    path = root.joinpath(*name.split("."))
    return next((f for f in (path.with_suffix(".py"), path / "__init__.py") if f.is_file()), None)


def _parsed(file: Path) -> ast.Module:
    try:
        return parsed(file)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError) as error:
        raise KeyError(f"{file} cannot be read: {type(error).__name__}: {error}") from None


def _defined(file: Path) -> set[str]:
    """Return the names that a module defines or imports, with "*" if it may have others."""
    found: set[str] = set()
    for node in ast.walk(_parsed(file)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found


def _arguments(function: ast.FunctionDef) -> tuple[str, ...]:
    args = function.args
    return tuple(arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs))


@cache
def _distributions(top: str) -> tuple[str, ...]:
    # Most have the name of their module; it takes long to read what all of them hold.
    if versions_of([top]):
        return (top,)
    return tuple(sorted(set(packages_distributions().get(top, ()))))
