"""Estimators as objects: what they state about themselves, what they are given, and their code.

Classes that are older than parts of scikit-learn's interface, or were not made for it, are
completed.
"""

from __future__ import annotations

import inspect
import pickle
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from quadrepro.base.code import files_needed, imports_of, is_own, user_file
from quadrepro.base.text import few
from quadrepro.base.types import FloatArray, IntArray, Need, Task
from quadrepro.core.training.imported import OURS, can_be_fitted, hash_of_bytes, is_estimator

OUTPUT_METHODS: dict[Need, tuple[str, ...]] = {
    "predictions": ("predict",),
    "scores": ("decision_function", "predict_proba"),
    "probabilities": ("predict_proba",),
}
"""Methods of classifiers, by kind of output."""

BLOCK_BYTES = 4_000_000
"""Size of a block of examples that bagged trees predict."""

SEEDS = ("random_state", "random_seed", "seed")
THREADS = ("n_jobs", "thread_count", "nthread", "num_threads")
QUIET: dict[str, dict[tuple[str, ...], Any]] = {
    "lightgbm": {("verbose", "verbosity"): -1},
    "catboost": {
        ("logging_level", "verbose", "silent"): "Silent",
        ("allow_writing_files", "train_dir"): False,
    },
}
"""Parameters that silence the estimators of a package, each with its synonyms."""


def complete(made: Any) -> None:
    """Add the missing parts of scikit-learn's interface to an object and its nested estimators.

    Classes older than scikit-learn's tags, or not made for scikit-learn, may lack some of them.
    """
    if can_be_fitted(made) and not is_estimator(made):
        made.__class__ = _completed(type(made))
    if is_estimator(made):
        # This fails unless the constructor stores the parameters.
        for part in made.get_params(deep=True).values():
            if not inspect.isclass(part):
                complete(part)
        try:
            get_tags(made)
        except AttributeError:
            made.__class__ = _completed(type(made))


def _completed(cls: type) -> type:
    """Return a subclass with scikit-learn's interface, whose objects always count as fitted."""
    own = {"__module__": cls.__module__, "__sklearn_is_fitted__": lambda self: True}
    return type(cls.__name__, (cls, BaseEstimator), own)


def parts(estimator: Any) -> Iterator[tuple[str, Any]]:
    """Yield an estimator and its nested estimators, each with the prefix of its parameters."""
    yield "", estimator
    for key, value in estimator.get_params(deep=True).items():
        if is_estimator(value) and not inspect.isclass(value):
            yield f"{key}__", value


def own_names(estimator: Any) -> list[str]:
    """Return the names of an estimator's own parameters, from its signature and `get_params`."""
    parameters = inspect.signature(type(estimator)).parameters.values()
    names = [p.name for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    return [*dict.fromkeys([*names, *estimator.get_params(deep=False)])]


def names_of(estimator: Any) -> list[str]:
    """Return the names of all parameters of an estimator and its nested estimators."""
    own = [f"{prefix}{name}" for prefix, part in parts(estimator) for name in own_names(part)]
    return [*dict.fromkeys([*own, *estimator.get_params(deep=True)])]


def package_of(estimator: Any) -> str:
    """Return the name of the package of an estimator's class."""
    return type(estimator).__module__.partition(".")[0]


def packages_of(estimator: Any) -> set[str]:
    """Return the names of the packages of an estimator and its nested estimators."""
    return {package_of(part) for _, part in parts(estimator)}


def has_transformer(estimator: Any) -> bool:
    """Return whether an estimator contains transformers, whose outputs it learns from."""
    nested = (part for _, part in parts(estimator))
    return any(hasattr(part, "transform") and not hasattr(part, "predict") for part in nested)


def settle(part: Any, random_state: int | None, nominal: Sequence[str] = ()) -> None:
    """Set the seed, threads, silence and categories of an estimator, unless they are set."""
    package, names = package_of(part), own_names(part)
    set_names = {key for key, value in part.get_params(deep=False).items() if value is not None}
    values: dict[tuple[str, ...], Any] = {SEEDS: random_state, **QUIET.get(package, {})}
    if package != "sklearn":  # has one thread by default, and warns of some `n_jobs`
        values[THREADS] = 1
    for synonyms, value in values.items():
        usable = [name for name in synonyms if name in names]
        if usable and not set_names.intersection(synonyms):
            part.set_params(**{usable[0]: value})
    if nominal and package == "xgboost":
        part.set_params(enable_categorical=True)
    if nominal and package == "catboost" and "cat_features" not in set_names:
        part.set_params(cat_features=list(nominal))


def task_of(estimator: Any) -> Task | None:
    """Return the task of an estimator, classes or numbers; None for others."""
    kinds: dict[Any, Task] = {"classifier": "classification", "regressor": "regression"}
    return kinds.get(kind_of(estimator))


def kind_of(estimator: Any) -> str | None:
    """Return the type of an estimator, such as "regressor"; None if its class has none."""
    return get_tags(estimator).estimator_type or getattr(estimator, "_estimator_type", None)


def separates_many(estimator: Any) -> bool:
    """Return whether an estimator separates more than two classes."""
    tags = get_tags(estimator).classifier_tags
    return tags is None or bool(tags.multi_class)


def size_name(estimator: Any) -> str:
    """Return the name of the size of an ensemble that can grow; "" for other estimators."""
    if package_of(estimator) not in ("sklearn", OURS):
        return ""
    parameters = estimator.get_params(deep=False)
    if hasattr(estimator, "staged_predict"):
        return next(name for name in ("n_rounds", "n_estimators", "max_iter") if name in parameters)
    # scikit-learn refuses to grow with an out-of-bag score, and warns of class weights.
    if parameters.get("oob_score") or isinstance(parameters.get("class_weight"), str):
        return ""
    return "n_estimators" if {"n_estimators", "warm_start"} <= parameters.keys() else ""


def staged_outputs(
    estimator: Any, sizes: Sequence[Any], X: Any, y: Any, X_new: Any, method: str = "predict"
) -> list[Any]:
    """Return the outputs of an ensemble at each of several sizes, from a single fit."""
    name, outputs = size_name(estimator), {}
    if staged := getattr(estimator, f"staged_{method}", None):
        estimator.set_params(**{name: max(sizes)}).fit(X, y)
        stages = list(staged(X_new))
        # An ensemble that stops early has its last stage at all larger sizes.
        return [stages[min(size, len(stages)) - 1] for size in sizes]
    estimator.set_params(warm_start=True)
    for size in sorted(set(sizes)):
        outputs[size] = outputs_on(estimator.set_params(**{name: size}).fit(X, y), X_new)
    return [outputs[size] for size in sizes]


def outputs_on(estimator: Any, X: Any, method: str = "predict") -> Any:
    """Return the outputs of a method for examples, which bagged trees take in blocks.

    Bagging copies a block for each tree; for MNIST as one block it takes seven times as long.
    """
    function = getattr(estimator, method)
    bagged = isinstance(estimator, BaggingClassifier) and isinstance(X, np.ndarray)
    if bagged and isinstance(estimator.estimator_, DecisionTreeClassifier):
        n = max(1, BLOCK_BYTES // X[:1].nbytes)
        return np.concatenate([function(X[i : i + n]) for i in range(0, len(X), n)])
    returned = function(X)
    try:
        values = np.atleast_1d(np.asarray(returned, dtype=np.float64))
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"{method} must return numbers, such as codes of classes: {error}"
        ) from None
    if len(values) != (n := X.shape[0] if hasattr(X, "shape") else len(X)):
        raise ValueError(f"{method} returns {len(values)} values for {n} examples")
    return values


def label_indices(predicted: FloatArray, n_labels: int) -> IntArray:
    """Return predicted indices of labels as integers, shape (n_new,); ValueError for others."""
    wrong = ~np.isin(predicted, range(n_labels))
    if wrong.any():
        codes = few([*map(str, range(n_labels))])
        raise ValueError(
            f"predict returns {predicted[wrong][0]:g}: it must return classes as fit is given them,"
            f" by the codes {codes}"
        )
    return predicted.astype(np.intp)


def check_parameters(estimator: Any) -> None:
    """Raise ValueError if a parameter of scikit-learn's estimators has an invalid value."""
    for _, part in parts(estimator):
        if hasattr(part, "_parameter_constraints"):
            part._validate_params()


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
            own[kind.__qualname__] = hash_in_full(kind)
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
    except (pickle.PicklingError, AttributeError):
        return hash_in_full(value)


def hash_in_full(value: Any) -> str:
    """Return a hash of a pickled value, which has the code of a notebook's classes in it."""
    # In a tuple, since joblib makes a class of a class.
    in_full = joblib.wrap_non_picklable_objects((value,), keep_wrapper=False)
    return hash_of_bytes(pickle.dumps(in_full))
