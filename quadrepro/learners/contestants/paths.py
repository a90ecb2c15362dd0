"""Import paths: from ``module:attribute`` to what makes an estimator, and to its code and versions.

A bare name, or one after ``sklearn:``, is that of a public class of scikit-learn. Only what a
config names is imported.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import packages_distributions
from modulefinder import ModuleFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from quadrepro.errors import nearest

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
        If there is no such module or attribute, or it cannot be called. The message gives the
        nearest name.
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
    return found  # type: ignore[no-any-return]


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
    if distributions_of(path):
        return (where,)
    finder = ModuleFinder(path=[str(_root(where))])
    finder.import_hook(where)
    return tuple(sorted(finder.modules))


def distributions_of(path: str) -> tuple[str, ...]:
    """Return the names of the distributions that hold the module of an import path."""
    top = path.partition(":")[0].partition(".")[0]
    return (
        ("scipy", "scikit-learn")
        if top == SKLEARN
        else tuple(sorted(set(_distributions().get(top, ()))))
    )


def folder_of(path: str) -> str:
    """Return the folder that a worker has to look in for a module; "" for an installed one."""
    return "" if distributions_of(path) else str(_root(path.partition(":")[0]))


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
    for file in sorted([*root.glob("[a-z]*.py"), *root.glob("[a-z]*/__init__.py")]):
        text = file.read_text(encoding="utf-8")
        listed = re.search(r"^__all__ = \[(.*?)\]", text, re.DOTALL | re.MULTILINE)
        defined = r'"([A-Z]\w+)"' if listed else r"^class ([A-Z]\w+)"
        module = file.stem if file.parent == root else file.parent.name
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
    except Exception as error:
        raise KeyError(f"{where} cannot be imported: {type(error).__name__}: {error}") from None
    own = Path(folder, *where.split(".")) if folder else None
    here = own and next(
        (p for p in (own.with_suffix(".py"), own / "__init__.py") if p.exists()), None
    )
    if here and not distributions_of(where) and not here.samefile(module.__file__ or ""):
        raise KeyError(f"{here} is hidden by {module.__file__}, which was imported before it")
    return module


def _offer(top: str, folder: str) -> None:
    """Let Python find a module of the folder, after all that is installed."""
    if not folder or folder in sys.path or not (there := _python_in(Path(folder))):
        return
    if top in there:
        sys.path.append(folder)
        importlib.invalidate_caches()


def _python_in(folder: Path) -> set[str]:
    """Return the names of the modules and packages in a folder."""
    packages = {file.parent.name for file in folder.glob("*/__init__.py")}
    return packages | {file.stem for file in folder.glob("*.py")}


def _not_there(name: str, folder: str) -> str:
    top = name.partition(".")[0]
    if top in BOOSTERS:
        return f"{top} is not installed: pip install {top}, or quadrepro[boosters]"
    if top != name:
        return f"{top} has no module {name!r}"
    known = {SKLEARN, *BOOSTERS, *(_python_in(Path(folder)) if folder else ())}
    hint = nearest(name, known)
    if "did you mean" in hint:
        return f"there is no module {name!r}{hint}"
    return f"there is no module {name!r}, here or installed: pip install the package that has it"


def _root(where: str) -> Path:
    """Return the folder from which a module is imported."""
    top = importlib.import_module(where.partition(".")[0])
    if top.__file__ is None:
        return Path(next(iter(top.__path__))).parent
    file = Path(top.__file__)
    return file.parent.parent if file.stem == "__init__" else file.parent


@cache
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()
