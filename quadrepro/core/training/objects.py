"""Estimators given as Python objects, with the rows that they are fitted to."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from pickle import PicklingError
from typing import Any, Self

import joblib
import numpy as np
from cloudpickle import dumps
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from quadrepro.base.code import files_needed, imports_of, is_own, user_file
from quadrepro.base.types import FloatArray
from quadrepro.core.training.contract import Learner
from quadrepro.core.training.estimator import EstimatorPredictor
from quadrepro.core.training.grid import Value
from quadrepro.core.training.imported import hash_of_bytes
from quadrepro.core.training.interface import (
    check_parameters,
    parts,
    separates_many,
    settle,
    task_of,
)


@dataclass(frozen=True, eq=False)
class EstimatorObject(EstimatorPredictor):
    """An estimator that was made in Python.

    Its examples are row numbers, which it looks up in the user's array or data frame, so that
    estimators get the user's column names and types.
    """

    hyperparameters = ()
    own_code: tuple[tuple[str, str], ...] = ()
    """Names and hashes of the user's own code, which workers may lack as files."""
    used: frozenset[str] = frozenset()
    """Modules of all other code."""
    original: Any = None
    """The estimator, which is cloned for every fit."""
    digest: str = ""
    """Hash of its class and parameters."""
    X: Any = None
    """The user's array or data frame."""

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any) -> Self:
        """Return the learner of an estimator, or raise ValueError if it cannot be used."""
        try:
            original = clone(estimator)
        except (TypeError, RuntimeError) as error:
            raise ValueError(str(error)) from None
        check_parameters(original)
        task, kind = task_of(original), type(original)
        own, used = code_of(original)
        if task is None or not hasattr(original, "predict"):
            raise ValueError(f"{kind.__name__} predicts neither classes nor numbers")
        return cls(
            f"{kind.__module__}:{kind.__name__}",
            predicts=task,
            own_code=tuple(sorted(own.items())),
            used=frozenset(used),
            original=original,
            digest=digest(original),
            X=X,
        )

    @property
    def content(self) -> dict[str, Any]:
        """Everything that results depend on, apart from the code and the rows."""
        return {"name": self.name, "hash": self.digest}

    @property
    def many_classes(self) -> bool:  # type: ignore[override]
        """Whether the estimator separates more than two classes."""
        return separates_many(self.original)

    for_task = Learner.for_task

    def estimator(
        self, candidate: Mapping[str, Value] | None = None, random_state: int | None = None
    ) -> Any:
        """Return the unfitted estimator; seeds that are None may be set."""
        made = clone(self.original)
        for _, part in parts(made):
            settle(part, random_state)
        return made

    def _used(self) -> set[str]:
        return {*self.used, type(self.X).__module__}

    def _table(self, X: FloatArray) -> Any:
        return _safe_indexing(self.X, X[:, 0].astype(np.intp))


def kinds(estimator: Any) -> Iterator[Any]:
    """Yield the classes and functions of an estimator and its parameters."""
    for value in (estimator, *estimator.get_params(deep=True).values()):
        is_code = inspect.isclass(value) or inspect.isfunction(value)
        kind = value if is_code else type(value)
        yield from getattr(kind, "__mro__", (kind,))


def code_of(estimator: Any) -> tuple[dict[str, str], set[str]]:
    """Return hashes of the user's own code by its names, and the modules of all other code.

    Own code is neither installed nor part of Python: files, with the modules that they import from
    their folder, and the classes and functions of a notebook, hashed in their pickled form.
    """
    own: dict[str, str] = {}
    others: set[str] = set()
    for kind in kinds(estimator):
        name = kind.__module__
        path = getattr(sys.modules.get(name), "__file__", None)
        file = Path(path or "").resolve()
        if name.partition(".")[0] in sys.stdlib_module_names or (path and not is_own(file)):
            others.add(name)
        elif not file.is_file():
            own[kind.__qualname__] = hash_of_bytes(dumps(kind))
        else:
            folder = file.parents[name.count(".") + (file.stem == "__init__")]
            modules = [file.stem if name == "__main__" else name]
            files = files_needed(modules, partial(user_file, folder=folder))
            hashed = {name: file, **files}
            own |= {module: hash_of_bytes(one.read_bytes()) for module, one in hashed.items()}
            others |= {name for module, one in files.items() for name in imports_of(module, one)}
    tops = {name.partition(".")[0] for name in own}
    return own, {name for name in others if name and name.partition(".")[0] not in tops}


def digest(value: Any) -> str:
    """Return a hash of a value; lambdas and local classes are hashed in their pickled form."""
    try:
        return str(joblib.hash(value))
    except (PicklingError, AttributeError):
        return hash_of_bytes(dumps(value))
