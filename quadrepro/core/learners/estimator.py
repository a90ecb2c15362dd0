"""Estimators of scikit-learn's kind as a config names them: by import path, or as a pipeline.

A parameter that takes an estimator is given its name: that of a class of scikit-learn, an import
path, or a mapping of one of them to its own parameters. An estimator is given what it needs here
and the config leaves out: a seed, one thread, silence, and the names of categories.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
from sklearn import config_context
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.pipeline import make_pipeline

from quadrepro.base.models import faults_at
from quadrepro.base.types import FloatArray, Task
from quadrepro.core.learners.grid import N_ROUNDS, Grid, Hyperparameter, Value
from quadrepro.core.learners.imported import (
    OURS,
    Imported,
    ImportedAlgorithm,
    check_path,
    declared,
    described,
    find,
    full_path,
    is_estimator,
    names_algorithm,
    own_file,
    step_of,
)
from quadrepro.core.learners.learner import Outputs, TrainingData
from quadrepro.core.learners.predictor import Predictor
from quadrepro.errors import nearest

TO_DERIVE = (
    "give it fit and predict, or derive it from scikit-learn's BaseEstimator with ClassifierMixin,"
    " RegressorMixin or TransformerMixin, or from quadrepro's Algorithm"
)
"""How code of the user becomes an estimator."""

KEPT = ("passthrough", "drop")
"""Words that scikit-learn takes in place of an estimator."""

ONE = re.compile(r"(.+__|.+_)?(estimator|classifier|regressor|transformer|weak)")
SEVERAL = re.compile(r"(.+__)?(estimators|steps)")
"""Parameters that take an estimator, or a list of them."""

SEEDS = ("random_state", "random_seed", "seed")
THREADS = ("n_jobs", "thread_count", "nthread", "num_threads")

QUIET: Mapping[str, Mapping[tuple[str, ...], Any]] = MappingProxyType(
    {
        "lightgbm": {("verbose", "verbosity"): -1},
        "catboost": {
            ("logging_level", "verbose", "silent"): "Silent",
            ("allow_writing_files", "train_dir"): False,
        },
    }
)
"""Parameters that keep the estimators of a package silent, by any of their names."""


class Wrapped(BaseEstimator):  # type: ignore[misc]
    """A class of the user with `fit` and `predict` alone; each fit makes an object of it."""

    maker: ClassVar[Callable[..., Any]]

    def __init__(self, **parameters: Any) -> None:
        self.maker(**parameters)  # so that a mistake shows before anything is fitted
        takes = inspect.signature(type(self)).parameters.values()
        vars(self).update({p.name: p.default for p in takes} | parameters)

    @classmethod
    def of(cls, maker: Any) -> type[Self]:
        """Return the estimator of a class, which has its name and its parameters."""
        own = {"maker": staticmethod(maker), "__signature__": inspect.signature(maker)}
        return type(maker.__name__, (cls,), own)

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted(inspect.signature(cls).parameters)

    def fit(self, X: Any, y: Any) -> Self:
        """Make an object of the class and fit it."""
        self.model_ = self.maker(**self.get_params(deep=False))
        self.model_.fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        """Return what the object predicts."""
        return self.model_.predict(X)

    def __getattr__(self, name: str) -> Any:
        """Return what else the fitted object has, such as `predict_proba`."""
        if name.startswith("__") or "model_" not in vars(self):
            raise AttributeError(name)
        return getattr(self.model_, name)


def build(name: str, parameters: Mapping[str, Any], folder: str = "") -> Any:
    """Return a new estimator."""
    maker = find(full_path(name), folder)
    place = defined_at(maker)
    if inspect.isclass(maker) and not is_estimator(maker):
        if not (hasattr(maker, "fit") and hasattr(maker, "predict")):
            raise ValueError(f"{name}{place} is not an estimator: {TO_DERIVE}")
        maker = Wrapped.of(maker)
    takes = inspect.signature(maker).parameters
    takes_all = any(p.kind is p.VAR_KEYWORD for p in takes.values())
    given = {key: _resolved(key, value, folder) for key, value in parameters.items()}
    own = {key: v for key, v in given.items() if key in takes or (takes_all and "__" not in key)}
    try:
        made = maker(**own)
    except Exception as error:
        raise ValueError(f"{_short(name)} cannot be made: {described(error)}") from None
    if inspect.isclass(made) or not is_estimator(made):
        what = f"{name}{place} returns {type(made).__name__}, which is not an estimator"
        raise ValueError(f"{what}: {TO_DERIVE}")
    for key in given.keys() - own.keys():
        try:
            made.set_params(**{key: given[key]})
        except (ValueError, AttributeError):
            hint = nearest(key, names_of(made))
            raise ValueError(f"{_short(name)} has no parameter {key!r}{hint}") from None
    return made


def _resolved(key: str, value: Any, folder: str) -> Any:
    """Return the value of a parameter, with estimators in place of their names."""
    steps = [s if s in KEPT else build(*step_of(s), folder) for s in steps_in(key, value)]
    if SEVERAL.fullmatch(key) and steps:
        return make_pipeline(*steps).steps  # which names them
    return steps[0] if steps else value


def steps_in(key: str, value: Any) -> list[Any]:
    """Return the estimators that the value of a parameter names."""
    if SEVERAL.fullmatch(key) and isinstance(value, list | tuple):
        return [*value]
    return [value] if ONE.fullmatch(key) and isinstance(value, str | Mapping) else []


def paths_in(name: str, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the import paths of an estimator and of all that its parameters name."""
    found = [full_path(name)]
    for key, value in parameters.items():
        for step in steps_in(key, value):
            found += () if step in KEPT else paths_in(*step_of(step))
    return tuple(dict.fromkeys(found))


def runs_own_code(name: str, parameters: Mapping[str, Any], folder: str) -> bool:
    """Return whether an estimator, or one among its parameters, is code of the config's folder."""
    return bool(folder) and any(own_file(path, folder) for path in paths_in(name, parameters))


def defined_at(maker: Any) -> str:
    """Return where a class or function is defined, as `` (file:line)``, or "" if unknown."""
    try:
        return f" ({inspect.getsourcefile(maker)}:{inspect.getsourcelines(maker)[1]})"
    except (OSError, TypeError):
        return ""


def parts(estimator: Any) -> Iterator[tuple[str, Any]]:
    """Yield an estimator and all that it holds, with what their parameters begin with."""
    yield "", estimator
    for key, value in estimator.get_params(deep=True).items():
        if is_estimator(value) and not inspect.isclass(value):
            yield f"{key}__", value


def own_names(estimator: Any) -> dict[str, Any]:
    """Return the names of an estimator's own parameters, and their values if they are known."""
    takes = inspect.signature(type(estimator)).parameters.values()
    found = {p.name: None for p in takes if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}
    if package_of(estimator) == "lightgbm":
        # Its estimators take, and pass on, all parameters of the library.
        from lightgbm.basic import _ConfigAliases

        found |= dict.fromkeys(_ConfigAliases.get(*_ConfigAliases._get_all_param_aliases()))
    return found | estimator.get_params(deep=False)


def names_of(estimator: Any) -> list[str]:
    """Return the names of all parameters of an estimator and of those that it holds."""
    own = [f"{prefix}{name}" for prefix, part in parts(estimator) for name in own_names(part)]
    return list(dict.fromkeys([*own, *estimator.get_params(deep=True)]))


def names(name: str, parameters: Mapping[str, Any], folder: str = "") -> list[str]:
    """Return the names of all parameters that an estimator can be given besides some."""
    path = full_path(name)
    if runs_own_code(name, parameters, folder):
        own, complete = declared(path, folder)
        return [*dict.fromkeys([*own, *(k for k in parameters if not complete or "__" in k)])]
    try:
        flat = {key: value for key, value in parameters.items() if "__" not in key}
        return names_of(build(name, flat, folder))
    except ValueError:  # `fault_of` tells what is wrong
        return [*dict.fromkeys([*inspect.signature(find(path)).parameters, *parameters])]


def fault_of(name: str, parameters: Mapping[str, Any], folder: str = "") -> str | None:
    """Return why an estimator cannot have some parameters, or None if nothing is known against it.

    scikit-learn's estimators check values themselves. Those of other packages do so when they are
    fitted, and code of the config's folder when it is called, which is in the first cell.
    """
    try:
        if runs_own_code(name, parameters, folder):
            for path in paths_in(name, parameters):
                check_path(path, folder)
            return None
        for _, part in parts(build(name, parameters, folder)):
            if hasattr(part, "_parameter_constraints"):
                part._validate_params()
    except ValueError as error:
        return str(error)
    return None


def package_of(estimator: Any) -> str:
    """Return the name of the package that an estimator's class is of."""
    return type(estimator).__module__.partition(".")[0]


def settle(part: Any, random_state: int | None, categories: Sequence[str]) -> None:
    """Give an estimator a seed, one thread, silence and categories, unless these are given."""
    package, known = package_of(part), own_names(part)
    # Those of scikit-learn have one thread by default, and some of them warn of `n_jobs`.
    threads = {} if package == "sklearn" else {THREADS: 1}
    for aliases, value in {SEEDS: random_state, **threads, **QUIET.get(package, {})}.items():
        found = [name for name in aliases if name in known]
        if found and all(known[name] is None for name in found):
            part.set_params(**{found[0]: value})
    if categories and package == "xgboost":
        part.set_params(enable_categorical=True)
    if categories and package == "catboost" and not known["cat_features"]:
        part.set_params(cat_features=list(categories))


def task_of(estimator: Any) -> Task | None:
    """Return whether an estimator predicts classes or numbers; None if it does neither."""
    if not hasattr(estimator, "predict"):
        return None
    if is_classifier(estimator):
        return "classification"
    return "regression" if is_regressor(estimator) else None


def size_name(estimator: Any) -> str:
    """Return the parameter with the size of an ensemble that can grow; "" for other estimators."""
    known, package = estimator.get_params(deep=False), package_of(estimator)
    if package not in ("sklearn", OURS):
        return ""
    if hasattr(estimator, "staged_predict"):
        return next(name for name in ("n_rounds", "n_estimators", "max_iter") if name in known)
    # scikit-learn refuses to grow the one, and warns of the other.
    refused = known.get("oob_score") or isinstance(known.get("class_weight"), str)
    return "n_estimators" if {"n_estimators", "warm_start"} <= known.keys() and not refused else ""


def nested(
    estimator: Any, sizes: Sequence[Any], X: Any, y: Any, X_new: Any, method: str = "predict"
) -> list[Any]:
    """Return what an ensemble predicts at each of several sizes, of one run."""
    name = size_name(estimator)
    if hasattr(estimator, f"staged_{method}"):
        estimator.set_params(**{name: max(sizes)}).fit(X, y)
        stages = list(getattr(estimator, f"staged_{method}")(X_new))
        # An ensemble that stops early stays as it is, however large it may be.
        return [stages[min(size, len(stages)) - 1] for size in sizes]
    found = {}
    estimator.set_params(warm_start=True)
    for size in sorted(set(sizes)):
        found[size] = estimator.set_params(**{name: size}).fit(X, y).predict(X_new)
    return [found[size] for size in sizes]


def estimator_outputs(
    estimator: Any, labels: FloatArray | None, data: TrainingData, X_new: Any
) -> Outputs:
    """Return the outputs of an estimator, fitted to the indices of some labels."""
    predicted = np.ravel(estimator.predict(X_new))
    if labels is None:
        return Outputs(predicted.astype(np.float64))
    seen = np.asarray(labels > 0 if data.task == "classification" else labels, dtype=np.intp)
    scores = probabilities = None
    if hasattr(estimator, "predict_proba"):
        probabilities = np.zeros((len(predicted), data.n_classes))
        probabilities[:, seen] = estimator.predict_proba(X_new)
    # Scores of pairs of classes are left out; of three classes there are three, too.
    pairs = getattr(estimator, "decision_function_shape", "") == "ovo"
    if hasattr(estimator, "decision_function") and not pairs and len(seen) > 1:
        scores = np.asarray(estimator.decision_function(X_new), np.float64)
        if data.n_classes > 2:
            found = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
            scores = np.full((len(predicted), data.n_classes), -np.inf)
            scores[:, seen] = found
    return Outputs(seen[predicted.astype(np.intp)], scores, probabilities)


@dataclass(frozen=True, kw_only=True)
class Parameter(Hyperparameter):
    """A parameter of an estimator, which checks its values itself."""

    check: Callable[[Mapping[str, Value]], str | None]

    def fault(self, values: Sequence[Value]) -> str | None:
        """Return the estimator's message about an invalid value, or None if all are valid."""
        wrong = (self.check({self.name: value}) for value in values)
        return next(filter(None, wrong), None)


@dataclass(frozen=True)
class EstimatorPredictor(Imported, Predictor):
    """An estimator of scikit-learn's kind; any of its parameters is a hyper-parameter."""

    version: ClassVar[int] = 4
    takes_raw = True

    name: str
    """Name of a class of scikit-learn, or the import path of a class or function."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Fixed parameters; all others are hyper-parameters or have their defaults. If no seed is
    given, one is drawn for all candidates on the same examples."""
    folder: str = ""
    """The folder of the config, if the estimator is code of its own."""
    searched: tuple[str, ...] = ()
    """Hyper-parameters of code of the config's own, known only when it is imported."""
    predicts: Task | Literal[""] = ""
    """The task of the config's own code."""
    categories: bool = False
    """Whether nominal attributes are given as categories, in a data frame."""
    keeps_missing: bool = False
    """Whether missing values stay NaN."""
    n_codes: tuple[int, ...] = ()
    """Of each column the number of categories, 0 for numbers; empty as long as the learner is not
    bound to the examples of a cell."""

    @property
    def content(self) -> dict[str, Any]:
        """What results depend on: not the folder, but the code in it, see `own_code`."""
        own = ("name", "settings", "categories", "keeps_missing")
        return {key: getattr(self, key) for key in own}

    @property
    def paths(self) -> tuple[str, ...]:  # type: ignore[override]
        """Its import path, and those of all estimators among its parameters."""
        return paths_in(self.name, self.settings)

    @property
    def packages(self) -> tuple[str, ...]:  # type: ignore[override]
        """The packages the estimators come from, and scikit-learn, which calls all of them."""
        return tuple(dict.fromkeys(("scipy", "scikit-learn", *super().packages)))

    @property
    def task(self) -> Task:
        """The task of the estimator."""
        made = None if self.predicts else build(self.name, self.settings, self.folder)
        return self.predicts or task_of(made) or "classification"

    def for_task(self, task: Task) -> Self | None:
        """Return the predictor for a task; code of the config's own is asked when it is run."""
        if self.folder and not self.predicts:
            return replace(self, predicts="regression" if task == "regression" else "classification")
        return super().for_task(task)

    @property
    def many_classes(self) -> bool:  # type: ignore[override]
        """Whether the estimator separates more than two classes, as all but some of ours do."""
        if not self.name.startswith(f"{OURS}:"):
            return True
        tags = find(self.name)().__sklearn_tags__().classifier_tags
        return tags is None or bool(tags.multi_class)

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """All parameters of the estimator, each of them optional."""
        known = names(self.name, {**self.settings, **dict.fromkeys(self.searched)}, self.folder)
        meaning = f"parameter of {_short(self.name)}"
        found: list[Hyperparameter] = [
            Parameter(name, "any", "small", meaning, optional=True, check=self._fault)
            for name in known
        ]
        if self.name.startswith(f"{OURS}:"):
            found = [replace(N_ROUNDS, optional=True) if h.name == N_ROUNDS.name else h for h in found]
        return tuple(found)

    def _fault(self, candidate: Mapping[str, Value]) -> str | None:
        return fault_of(self.name, {**self.settings, **candidate}, self.folder)

    def for_columns(self, data: TrainingData) -> Self:
        """Return this predictor with the columns that hold codes, if it asks for them."""
        return replace(self, n_codes=data.n_codes) if self.categories else self

    def predictions(
        self,
        X: FloatArray,
        y: FloatArray,
        grids: Sequence[Grid],
        X_new: FloatArray,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Fit once for all candidates that differ only in size; see `Predictor.predictions`."""
        candidates = [candidate for grid in grids for candidate in grid.candidates]
        random_state = int(rng.integers(2**31))
        labels, targets = self._labels(y)
        if labels is not None and len(labels) == 1:
            return np.full((len(candidates), len(X_new)), labels[0])
        # One class is separated from the rest by scores, which labels do not tell.
        method = "predict" if self.many_classes else "decision_function"
        table, table_new = self._table(X), self._table(X_new)
        predicted = np.empty((len(candidates), len(X_new)))
        # Parameters were checked with the config; an ensemble would check them for every tree.
        with config_context(skip_parameter_validation=True):
            for group in self._differing_in_size(candidates):
                estimator = self.estimator(candidates[group[0]], random_state)
                if len(group) > 1:
                    sizes = [candidates[i][size_name(estimator)] for i in group]
                    predicted[group] = nested(estimator, sizes, table, targets, table_new, method)
                else:
                    found = getattr(estimator.fit(table, targets), method)(table_new)
                    predicted[group] = np.ravel(found)
        use_labels = labels is not None and method == "predict"
        return labels[predicted.astype(np.intp)] if use_labels else predicted

    def outputs(
        self, data: TrainingData, candidate: dict[str, Value], X_new: FloatArray
    ) -> Outputs:
        """Fit the estimator alone and return its outputs for new examples."""
        labels, y = self._labels(data.train.y)
        estimator = self.estimator(candidate, int(data.rng("all").integers(2**31)))
        with config_context(skip_parameter_validation=True):
            fitted = estimator.fit(self._table(data.train.X), y)
            return estimator_outputs(fitted, labels, data, self._table(X_new))

    def outputs_of(self, predictions: FloatArray) -> Outputs | None:
        """Return None for a classifier, whose predictions do not tell scores and probabilities."""
        return super().outputs_of(predictions) if self.task == "regression" else None

    def _labels(self, y: FloatArray) -> tuple[FloatArray | None, Any]:
        """Return the labels that occur, and their codes 0, 1, ..., which every estimator takes."""
        return (None, y) if self.task == "regression" else np.unique(y, return_inverse=True)

    def _differing_in_size(self, candidates: Sequence[Mapping[str, Value]]) -> list[list[int]]:
        """Return the places of candidates that are parts of one ensemble; most are alone."""
        groups: dict[str, list[int]] = {}
        for i, candidate in enumerate(candidates):
            size = size_name(self.estimator(candidate))
            others = {key: value for key, value in candidate.items() if key != size}
            # As text 1, 1.0 and True are three values, which they are to scikit-learn.
            groups.setdefault(repr(others) if size in candidate else str(i), []).append(i)
        return list(groups.values())

    def estimator(
        self, candidate: Mapping[str, Value] | None = None, random_state: int | None = None
    ) -> Any:
        """Return the estimator of a candidate, not fitted."""
        estimator = build(self.name, {**self.settings, **(candidate or {})}, self.folder)
        kind = task_of(estimator)
        if self.predicts and (not hasattr(estimator, "predict") or kind not in (None, self.predicts)):
            number = self.predicts == "regression"
            wanted, mixin = ("a number", "Regressor") if number else ("classes", "Classifier")
            raise ValueError(
                f"{self.name}{defined_at(type(estimator))} must predict {wanted} here, but it does"
                f" not: give it predict, and derive it from scikit-learn's {mixin}Mixin"
            )
        nominal = [name for name, n in zip(self._columns, self.n_codes, strict=True) if n]
        for _, part in parts(estimator):
            settle(part, random_state, nominal)
        return estimator

    def try_code(self, candidate: Mapping[str, Value]) -> None:
        """Import and make the estimator of a candidate, without fitting it."""
        self.estimator(candidate)

    @property
    def _columns(self) -> list[str]:
        return [f"x{i}" for i in range(len(self.n_codes))]

    def _table(self, X: FloatArray) -> Any:
        """Return examples with categories in place of codes, as a data frame."""
        if not any(self.n_codes):
            return X
        # CatBoost needs a category for what is missing.
        catboost = any(package_of(part) == "catboost" for _, part in parts(self.estimator()))
        frame = pd.DataFrame(X, columns=self._columns)
        for name, n_codes in zip(self._columns, self.n_codes, strict=True):
            if n_codes:
                known = [*map(str, range(n_codes)), *(["missing"] if catboost else [])]
                codes = frame[name].fillna(n_codes if catboost else -1).astype(np.intp)
                frame[name] = pd.Categorical.from_codes(codes, known)
        return frame


@dataclass(frozen=True)
class Baseline(EstimatorPredictor):
    """The most frequent class, the first of equal ones, or the mean, by scikit-learn's dummies."""

    hyperparameters = ()

    def for_task(self, task: Task) -> Self:
        """Return the dummy of a task."""
        return replace(self, name="Dummy" + ("Regressor" if task == "regression" else "Classifier"))


@dataclass(frozen=True)
class EstimatorEntry:
    """An estimator or an algorithm by import path."""

    path: str
    """Its import path."""
    label: str
    """Its name in tables."""
    source: str = ""
    """The paper that describes it."""
    grid: Mapping[str, Any] = field(default_factory=dict)
    """Values of hyper-parameters for a config that names none."""
    preset: Mapping[str, Any] = field(default_factory=dict)
    """Parameters that the user cannot change."""
    learner: type[EstimatorPredictor] = EstimatorPredictor
    """Its class."""
    folder: str = ""
    """The folder of the config."""
    searched: tuple[str, ...] = ()
    """The hyper-parameters that the config gives values of."""

    @property
    def settings(self) -> dict[str, Any]:
        """Names and defaults of its own settings that the user may change."""
        takes, known = inspect.signature(find(self.path)).parameters, self.names({})
        return {name: takes[name].default for name in known if name in takes}

    def names(self, settings: Mapping[str, Any]) -> Collection[str]:
        """Return the names of the other settings that the user may change."""
        learner = self.learner(self.path, {**settings, **self.preset}, self.folder)
        fixed = {*self.preset, *self.grid}
        return [h.name for h in learner.hyperparameters if h.name not in fixed]

    def make(self, settings: Mapping[str, Any]) -> EstimatorPredictor | ImportedAlgorithm:
        """Return the learner with the given parameters."""
        parameters = {**self.preset, **settings}
        if names_algorithm(self.path, self.folder):
            return ImportedAlgorithm(self.path, parameters, self.folder, self.searched)
        found = made_of({self.path: parameters}, self.folder)
        if found is None:
            return self.learner(self.path, parameters, self.folder, self.searched)
        if task_of(found) is None:
            raise ValueError(f"{self.label} predicts neither classes nor numbers")
        return self.learner(self.path, parameters)


BASELINE = EstimatorEntry(
    "sklearn:DummyClassifier", "Baseline", "most frequent class, or mean", learner=Baseline
)


def estimator_entry(path: str, folder: str = "") -> EstimatorEntry:
    """Return the entry of an import path such as ``"sklearn:SVC"``."""
    check_path(path, folder)
    return EstimatorEntry(path, _short(path), folder=folder)


def pipeline_entry(steps: Sequence[Any], folder: str = "") -> EstimatorEntry:
    """Return the entry of a pipeline."""
    for i, step in enumerate(steps):
        with faults_at(i):
            found = step if step in KEPT else made_of(step, folder)
            if i < len(steps) - 1 and not (found in (None, *KEPT) or hasattr(found, "transform")):
                raise ValueError(f"a step before the last must transform: {_label(step)} does not")
            if i == len(steps) - 1 and found is not None and task_of(found) is None:
                raise ValueError(f"the last step must predict, but {_label(step)} does not")
    label = " + ".join(map(_label, steps))
    return EstimatorEntry("sklearn:Pipeline", label, preset={"steps": [*steps]}, folder=folder)


def transformer(step: Any, folder: str = "") -> EstimatorPredictor:
    """Return what makes a transformer of a config; ValueError if it cannot be used."""
    name, parameters = step_of(step)
    found = made_of(step, folder)
    if found is not None and not hasattr(found, "transform"):
        raise ValueError(f"votes are over the outputs of a transformer: {name} is not one")
    return EstimatorPredictor(full_path(name), parameters, folder)


def made_of(step: Any, folder: str) -> Any:
    """Return the estimator of a step; None for code of the config's own, which is not imported."""
    name, parameters = step_of(step)
    if wrong := fault_of(name, parameters, folder):
        raise ValueError(wrong)
    return None if runs_own_code(name, parameters, folder) else build(name, parameters, folder)


def _label(step: Any) -> str:
    return _short(step_of(step)[0])


def _short(name: str) -> str:
    return name.rpartition(":")[2]
