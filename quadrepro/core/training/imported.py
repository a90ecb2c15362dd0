"""Import paths in a config: the code that they name, and the files that results depend on.

A bare name, or a name after ``sklearn:``, means a public class of scikit-learn. Any other path is
``module:attribute``: a class or function of a module in the config's folder, or an estimator or a
subclass of `Algorithm` of an installed package. Only `find` imports modules of the folder, where
cells are computed; all other functions only read their files.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

from quadrepro.base.code import (
    files_needed,
    imports_of,
    is_own,
    module_file,
    user_file,
    versions_of,
)
from quadrepro.core.training.contract import Algorithm, Learner, Registered
from quadrepro.core.training.grid import Hyperparameter, Value
from quadrepro.errors import closest, nearest

SKLEARN, OURS = "sklearn", "quadrepro"
"""Packages whose public classes are named without their module."""

BOOSTERS = ("xgboost", "lightgbm", "catboost")
"""Packages of the extra ``boosters``, which hints suggest."""

INSTALLED_AS = {"imblearn": "imbalanced-learn"}
"""Name of the package of a module, if they differ."""

RESAMPLED = "imblearn.pipeline:Pipeline"
"""The pipeline whose steps can resample the training examples."""

METHODS = ("predict", "transform", "fit_resample")
"""Methods of fitted estimators, which have at least one of them."""

_PATH = re.compile(r"[^\W\d_]\w*(\.[^\W\d_]\w*)*:[^\W\d]\w*")


def full_path(name: str) -> str:
    """Return the import path of a name; bare names belong to scikit-learn."""
    return name if ":" in name else f"{SKLEARN}:{name}"


def parsed_step(step: Any) -> tuple[str, Mapping[str, Any]]:
    """Return the name and the parameters of an estimator in a config.

    Examples
    --------
    >>> parsed_step("PCA"), parsed_step({"PCA": {"n_components": 2}})
    (('PCA', {}), ('PCA', {'n_components': 2}))
    """
    match step:
        case str():
            return step, {}
        case dict() if len(step) == 1:
            ((name, parameters),) = step.items()
            if isinstance(name, str) and isinstance(parameters, Mapping | None):
                return name, parameters or {}
    raise ValueError(
        "a step must be the name of an estimator, or map its name to parameters, as"
        f" {{PCA: {{n_components: 2}}}}, not {step!r}"
    )


def is_estimator(candidate: Any) -> bool:
    """Return whether a class or an object has the methods of scikit-learn's estimators."""
    return all(callable(getattr(candidate, m, None)) for m in ("fit", "get_params", "set_params"))


def can_be_fitted(candidate: Any) -> bool:
    """Return whether a class or an object has ``fit`` and one of `METHODS`."""
    return hasattr(candidate, "fit") and any(hasattr(candidate, m) for m in METHODS)


def find(path: str, folder: str = "") -> Any:
    """Import and return the class or the function that an import path names."""
    own = own_file(path, folder)
    module, _, name = path.partition(":")
    if own is not None:
        enter(folder)
    elif module == SKLEARN:
        module = sklearn_modules()[name]
    try:
        imported = importlib.import_module(module)
    except (Exception, SystemExit) as error:
        raise ValueError(f"{module} cannot be imported: {error_text(error)}") from None
    if own is not None and str(own) != imported.__file__:
        raise ValueError(f"{own} is hidden by {imported.__file__}: give it another name")
    attribute = getattr(imported, name, None)
    if not callable(attribute):
        raise unknown(module, name, [key for key in dir(imported) if key[0] != "_"])
    usable = inspect.isclass(attribute) and (
        is_estimator(attribute) or can_be_fitted(attribute) or issubclass(attribute, Algorithm)
    )
    if own is None and not usable:
        # Some installed functions run or load arbitrary code that their arguments name.
        raise ValueError(
            f"{path} is not an estimator: it needs fit and predict. Use other code from a module"
            " in the config's folder"
        )
    return attribute


def estimators_with(learner: type[Learner], parameter: str) -> list[str]:
    """Return the import paths of the estimators of an algorithm that have a parameter."""
    ours = importlib.import_module(OURS)  # late, as its classes import scikit-learn
    classes = {f"{OURS}:{name}": getattr(ours, name) for name in ours.__all__}
    same = {path: cls for path, cls in classes.items() if getattr(cls, "learner", None) is learner}
    return [path for path, cls in same.items() if parameter in inspect.signature(cls).parameters]


def unknown(module: str, name: str, names: Iterable[str]) -> ValueError:
    """Return the error that a module has no class or function `name`."""
    return ValueError(f"{module} has no class or function {name!r}{nearest(name, names)}")


@cache
def sklearn_modules() -> dict[str, str]:
    """Return the module of each public class of scikit-learn.

    The names are read from the files of the modules, since importing all of them takes long.
    """
    [root] = importlib.util.find_spec(SKLEARN).submodule_search_locations  # type: ignore[union-attr,misc]
    modules: dict[str, str] = {}
    for file in sorted([*Path(root).glob("[a-z]*.py"), *Path(root).glob("[a-z]*/__init__.py")]):
        is_package = file.name == "__init__.py"
        listed = r'"([A-Z]\w+)"' if is_package else r"^class ([A-Z]\w+)"
        for name in re.findall(listed, file.read_text(encoding="utf-8"), re.MULTILINE):
            modules.setdefault(name, f"{SKLEARN}.{file.parent.name if is_package else file.stem}")
    return modules


_by_module = cache(packages_distributions)


def distributions(module: str) -> tuple[str, ...]:
    """Return the installed packages of a module, on whose versions keys depend."""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:
        return ()
    # Most have the name of their module; reading the contents of all packages takes long.
    return (top,) if versions_of([top]) else tuple(_by_module().get(top, ()))


def own_file(path: str, folder: str) -> Path | None:
    """Return the file of an import path in the config's folder; None for an installed module."""
    if not _PATH.fullmatch(path):
        raise ValueError(f"{path!r} is not a public import path, such as xgboost:XGBClassifier")
    module, _, name = path.partition(":")
    if module == SKLEARN and name not in sklearn_modules():
        hint = nearest(name, sklearn_modules())
        raise ValueError(f"scikit-learn has no estimator {name!r}{hint}")
    if module in (SKLEARN, OURS):
        return None
    if folder and (file := module_file(folder, module)):
        return file
    if distributions(module):
        return None
    own_modules = [file.stem for file in Path(folder).glob("*.py")] if folder else []
    suggestion = closest(module, [SKLEARN, *BOOSTERS, *own_modules])
    is_misspelt = suggestion not in (None, module)
    package = INSTALLED_AS.get(module.partition(".")[0], "the package that has it")
    hint = f"; did you mean {suggestion!r}?" if is_misspelt else f": pip install {package}"
    raise ValueError(f"unknown module {module!r}{hint}")


_entered = ""
"""Folder of the config whose modules can be imported."""


def enter(folder: str) -> None:
    """Append a folder to Python's path, and forget the former folder with its modules."""
    global _entered
    if folder == _entered:
        return
    if _entered:
        sys.path[:] = [path for path in sys.path if path != _entered]
        for name, module in [*sys.modules.items()]:
            if str(module_file(_entered, name)) == getattr(module, "__file__", ""):
                del sys.modules[name]
    if folder:
        sys.path.append(folder)
    importlib.invalidate_caches()
    _entered = folder


def error_text(error: BaseException) -> str:
    """Return the type and message of an error, with its last line in code of the user."""
    return f"{type(error).__name__}: {error}{place_of_user(error)}"


def place_of_user(error: BaseException) -> str:
    """Return the last line of an error in code of the user, as the end of a message."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if file.suffix == ".py" and is_own(file):
            return f" ({file.name}:{frame.lineno})"
    return ""


def check_path(path: str, folder: str = "") -> None:
    """Raise ValueError for an unusable import path; modules of the folder are only read."""
    file = own_file(path, folder)
    if file is None:
        find(path)
        return
    for needed in own_files([path], folder).values():
        if needed.suffix == ".py":
            tree_of(needed)  # refuses invalid code
    nodes = [*ast.walk(tree_of(file))]
    names = {getattr(node, key, None) for node in nodes for key in ("name", "asname", "id")}
    module, _, name = path.partition(":")
    if name not in names and "*" not in names:
        raise unknown(module, name, filter(None, names))


def in_folder(paths: Iterable[str], folder: str) -> bool:
    """Return whether any import path names code of the config's folder."""
    return any(own_file(path, folder) for path in paths)


def own_files(paths: Iterable[str], folder: str) -> dict[str, Path]:
    """Return the user's own files behind import paths, with all that they import, by module."""
    modules = {path.partition(":")[0] for path in paths} - {SKLEARN, OURS}
    return files_needed(modules, partial(user_file, folder=folder))


def hash_of_bytes(code: bytes) -> str:
    """Return a hash of code."""
    return hashlib.sha256(code).hexdigest()


def tree_of(file: Path) -> ast.Module:
    """Return the syntax tree of a file, or raise ValueError if it has none."""
    try:
        return ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"{file} cannot be read: {type(error).__name__}: {error}") from None


def names_algorithm(path: str, folder: str = "") -> bool:
    """Return whether an import path names a subclass of `Algorithm`.

    In the config's folder, that is a class whose base is one of quadrepro's learners.
    """
    file = own_file(path, folder)
    if file is None:
        return issubclass(find(path), Algorithm)
    algorithms: set[str] = set()
    for node in tree_of(file).body:
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{OURS}."):
            algorithms |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.ClassDef) and algorithms & {
            ast.unparse(base) for base in node.bases
        }:
            algorithms.add(node.name)
    return path.partition(":")[2] in algorithms


@dataclass(frozen=True)
class Imported(Learner):
    """A learner whose code a config names by an import path."""

    name: str
    """Name of a class of scikit-learn, or the import path of a class or function."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Fixed parameters; all others are hyper-parameters or keep their defaults."""
    folder: str = ""
    """Folder of the config, if the config may name code in it."""
    searched: tuple[str, ...] = ()
    """Hyper-parameters with values in the config; code of its folder checks them itself."""

    @property
    def content(self) -> dict[str, Any]:
        """Name and settings; results depend on the code in the folder by `own_code`."""
        return {"name": self.name, "settings": self.settings}

    @property
    def paths(self) -> tuple[str, ...]:
        """All import paths of the learner."""
        return (full_path(self.name),)

    @property
    def own_code(self) -> tuple[tuple[str, str], ...]:
        """Paths in the config's folder, or else names, of the user's own modules, with hashes."""
        hashes = []
        for module, file in own_files(self.paths, self.folder).items():
            is_inside = self.folder and file.is_relative_to(self.folder)
            name = str(file.relative_to(self.folder)) if is_inside else module
            hashes.append((name, hash_of_bytes(file.read_bytes())))
        return tuple(hashes)

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules of quadrepro whose code results depend on."""
        used = sorted(name for name in self._used() if name.startswith(f"{OURS}."))
        return (*super().modules, *used)

    @property
    def packages(self) -> tuple[str, ...]:  # type: ignore[override]
        """The packages of the code, and scikit-learn with scipy, which every estimator uses."""
        tops = {name.partition(".")[0] for name in self._used()} - {SKLEARN, OURS}
        packages = {package for top in tops for package in distributions(top)}
        return ("scipy", "scikit-learn", *sorted(packages))

    def _used(self) -> set[str]:
        """Return the modules of installed code, and all modules that own code may import."""
        installed = [path for path in self.paths if own_file(path, self.folder) is None]
        files = own_files(self.paths, self.folder)
        imports = {name for module in files for name in imports_of(module, files[module])}
        return imports.difference(files) | {find(path).__module__ for path in installed}


@dataclass(frozen=True)
class ImportedAlgorithm(Imported):
    """A subclass of `Algorithm` that is imported only where cells are computed."""

    gives_votes = True
    takes_drawn_stumps = True

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """The hyper-parameters with values in the config."""
        meaning = f"hyper-parameter of {self.name}"
        return tuple(Hyperparameter(name, "any", "small", meaning) for name in self.searched)

    def made(self) -> Learner:
        """Return the imported algorithm."""
        return Registered(find(self.name, self.folder), "", self.name).make(dict(self.settings))

    def try_code(self, candidate: Mapping[str, Value]) -> None:
        """Import and make the algorithm, and check a candidate."""
        self.made().check_candidate(**candidate)
