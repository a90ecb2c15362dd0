"""Import paths: from ``module:attribute`` to what makes an estimator, and to its code and versions.

A bare name, or one after ``sklearn:``, is that of a public class of scikit-learn. Only what a
config names is imported.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import site
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from types import ModuleType
from typing import Any

from quadrepro.errors import nearest
from quadrepro.fingerprint import imports_in, versions_of

SKLEARN = "sklearn"
"""Module that stands for all public modules of scikit-learn."""

BOOSTERS = ("xgboost", "lightgbm", "catboost")
"""Packages that the extra ``boosters`` installs."""

_PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


def full_path(name: str) -> str:
    """Return the import path that a name stands for: a bare one is of scikit-learn."""
    return name if ":" in name else f"{SKLEARN}:{name}"


def find_maker(path: str, folder: str = "") -> Callable[..., Any]:
    """Return the class or the function that an import path names.

    Parameters
    ----------
    path : str
        Such as ``"xgboost:XGBClassifier"`` or ``"sklearn:SVC"``.
    folder : str, default ""
        Where a module is looked for that is not installed, such as the folder of a config.

    Raises
    ------
    KeyError
        If there is no such module or attribute, or it is neither a class nor a function of a module
        that is not installed. The message gives the nearest name.
    """
    if not _PATH.fullmatch(path):
        raise KeyError(f"{path!r} is no import path, such as xgboost:XGBClassifier")
    where, _, name = path.partition(":")
    if where == SKLEARN:
        return _of_sklearn(name)
    module = _module(where, folder)
    found = getattr(module, name, None)
    if not callable(found):
        known = [key for key, value in vars(module).items() if callable(value) and key[0] != "_"]
        what = "has no" if found is None else "cannot make an estimator of its"
        raise KeyError(f"{where} ({module.__file__}) {what} {name!r}{nearest(name, known)}")
    if not inspect.isclass(found) and not _is_own(where):
        # Of installed functions some run or load whatever their arguments name.
        raise KeyError(
            f"{path} is a function: of installed packages only classes are used. Import it in a"
            " module beside the config, and name that module"
        )
    return found  # type: ignore[no-any-return]


@cache
def modules_of(path: str) -> tuple[str, ...]:
    """Return the module of an import path, with all that it imports of its own folder.

    Nothing is returned for scikit-learn, and of an installed package only the module itself: their
    versions tell the rest.
    """
    where = path.partition(":")[0]
    if where == SKLEARN:
        return ()
    if where.partition(".")[0] == __name__.partition(".")[0]:
        return (find_maker(path).__module__,)
    if not _is_own(where):
        return (where,)
    root, found, rest = _root(where), set[str](), {where}
    while rest:
        name = rest.pop()
        if name not in found and (file := _file(root, name)):
            found.add(name)
            rest |= {*imports_in(name, file), name.rpartition(".")[0] or name}
    return tuple(sorted(found))


def distributions_of(path: str) -> tuple[str, ...]:
    """Return the names of the distributions that the module of an import path is installed with."""
    where = path.partition(":")[0]
    top = where.partition(".")[0]
    if top == SKLEARN:
        return ("scipy", "scikit-learn")
    if _is_own(where):
        return ()
    return _distributions(top)


def folder_of(path: str) -> str:
    """Return the folder that a worker has to look in for a module; "" for an installed one."""
    where = path.partition(":")[0]
    return str(_root(where)) if where != SKLEARN and _is_own(where) else ""


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


def _module(where: str, folder: str) -> ModuleType:
    """Import a module that is installed, or else one of the folder."""
    top = where.partition(".")[0]
    if top in sys.stdlib_module_names:
        raise KeyError(f"{top} is a module of Python itself, which has no estimators")
    _offer(top, folder)
    try:
        module = importlib.import_module(where)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{where}.".startswith(f"{error.name}."):
            raise KeyError(f"{where} cannot be imported: {error}") from None
        raise KeyError(_not_there(error.name, folder)) from None
    except (Exception, SystemExit) as error:
        raise KeyError(f"{where} cannot be imported: {type(error).__name__}: {error}") from None
    if folder and _is_own(where):
        file = _file(Path(folder), where)
        if file and str(file) != module.__file__:
            raise KeyError(f"{file} is hidden by {module.__file__}, which was found first")
    return module


def _offer(top: str, folder: str) -> None:
    """Let Python find a module of the folder, after all that is installed."""
    known = not folder or folder in sys.path or top in sys.modules
    if not known and top in _python_in(Path(folder)):
        sys.path.append(folder)
        importlib.invalidate_caches()


def _python_in(folder: Path) -> set[str]:
    """Return the names of the modules and packages in a folder."""
    packages = {file.parent.name for file in folder.glob("*/__init__.py")}
    return packages | {file.stem for file in folder.glob("*.py")}


def _not_there(name: str, folder: str) -> str:
    top = name.partition(".")[0]
    if name in BOOSTERS:
        return f"{top} is not installed: pip install {top}, or quadrepro[boosters]"
    if top != name:
        return f"{top} has no module {name!r}"
    known = {SKLEARN, *BOOSTERS, *(_python_in(Path(folder)) if folder else ())}
    hint = nearest(name, known)
    if "did you mean" in hint:
        return f"there is no module {name!r}{hint}"
    return f"there is no module {name!r}, here or installed: pip install the package that has it"


def _file(root: Path, name: str) -> Path | None:
    """Return the file of a module of a folder; None if it is not there."""
    path = root.joinpath(*name.split("."))
    return next((f for f in (path.with_suffix(".py"), path / "__init__.py") if f.is_file()), None)


def _is_own(where: str) -> bool:
    """Return whether a module is the user's own: not installed, or installed to be edited."""
    return _root(where) not in _installed()


@cache
def _installed() -> set[Path]:
    """Return the folders of installed packages."""
    return {*map(Path, site.getsitepackages()), Path(site.getusersitepackages())}


def _root(where: str) -> Path:
    """Return the folder from which a module is imported."""
    top = importlib.import_module(where.partition(".")[0])
    if top.__file__ is None:
        return Path(next(iter(top.__path__))).parent
    file = Path(top.__file__)
    return file.parent.parent if file.stem == "__init__" else file.parent


@cache
def _distributions(top: str) -> tuple[str, ...]:
    # Most have the name of their module; it takes long to read what all of them hold.
    if versions_of([top]):
        return (top,)
    return tuple(sorted(set(packages_distributions().get(top, ()))))
