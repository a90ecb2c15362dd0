"""Estimators with scikit-learn's interface, by import path or as a pipeline in a config.

A parameter that takes an estimator is set by name: the name of a class of scikit-learn, an import
path, or a mapping from one of them to its parameters. Unless the config sets them, estimators get a
seed, one thread, silence, and the names of categories.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import _safe_indexing

from quadrepro.base.models import faults_at
from quadrepro.base.text import few
from quadrepro.base.types import FloatArray, Need, Task
from quadrepro.core.features import Feature, frame_of, plain_features
from quadrepro.core.training.contract import Learner, Outputs, Part, Predictor, TrainingData
from quadrepro.core.training.grid import N_ROUNDS, Grid, Hyperparameter, Value
from quadrepro.core.training.imported import (
    BOOSTERS,
    OURS,
    RESAMPLED,
    SKLEARN,
    Imported,
    ImportedAlgorithm,
    check_path,
    error_text,
    find,
    full_path,
    in_folder,
    is_estimator,
    names_algorithm,
    parsed_step,
)
from quadrepro.core.training.objects import (
    OUTPUT_METHODS,
    check_parameters,
    code_of,
    complete,
    digest,
    has_transformer,
    kind_of,
    label_indices,
    names_of,
    outputs_on,
    packages_of,
    parts,
    separates_many,
    settle,
    size_name,
    staged_outputs,
    task_of,
)
from quadrepro.errors import nearest

TO_DERIVE = (
    "give it fit and predict, or derive it from scikit-learn's BaseEstimator with ClassifierMixin,"
    " RegressorMixin or TransformerMixin, or from quadrepro's Algorithm"
)
"""Advice on turning code of the user into an estimator."""

KEPT = ("passthrough", "drop")
"""Words that scikit-learn accepts instead of an estimator."""

ONE = re.compile(r"(.+__|.+_)?(estimator|classifier|regressor|transformer|weak)")
SEVERAL = re.compile(r"(.+__)?(estimators|steps)")
"""Parameters that take an estimator, or a list of them."""


def build(name: str, parameters: Mapping[str, Any], folder: str = "") -> Any:
    """Return a new estimator."""
    maker = find(full_path(name), folder)
    values = {key: _resolved(key, value, folder) for key, value in parameters.items()}
    steps = values.get("steps") if maker is Pipeline else None
    if isinstance(steps, list) and any(hasattr(step, "fit_resample") for _, step in steps):
        maker = find(RESAMPLED, folder)
    accepted = inspect.signature(maker).parameters
    accepts_all = any(p.kind is p.VAR_KEYWORD for p in accepted.values())
    own = {k: v for k, v in values.items() if k in accepted or (accepts_all and "__" not in k)}
    try:
        made = maker(**own)
        complete(made)
    except Exception as error:
        raise ValueError(f"{label_of(name)} cannot be made: {error_text(error)}") from None
    if not is_estimator(made):
        raise ValueError(f"{name} makes no estimator but {type(made).__name__}: {TO_DERIVE}")
    for key in values.keys() - own.keys():
        try:
            made.set_params(**{key: values[key]})
        except (ValueError, AttributeError):
            hint = nearest(key, names_of(made))
            raise ValueError(f"{label_of(name)} has no parameter {key!r}{hint}") from None
    return made


def _resolved(key: str, value: Any, folder: str) -> Any:
    """Return the value of a parameter, with estimators instead of their names."""
    steps = [s if s in KEPT else build(*parsed_step(s), folder) for s in steps_in(key, value)]
    if key.endswith("steps"):
        for step in steps[:-1]:
            check_inner_step(step)
    if SEVERAL.fullmatch(key) and steps:
        return make_pipeline(*steps).steps  # adds names
    return steps[0] if steps else value


def check_inner_step(step: Any) -> None:
    """Raise ValueError unless a pipeline can have steps after this one."""
    if step not in KEPT and not (hasattr(step, "transform") or hasattr(step, "fit_resample")):
        raise ValueError(f"{type(step).__name__} has no transform: it can only be the last step")


def steps_in(key: str, value: Any) -> list[Any]:
    """Return the estimators that the value of a parameter names."""
    if SEVERAL.fullmatch(key) and isinstance(value, list | tuple):
        return [*value]
    return [value] if ONE.fullmatch(key) and isinstance(value, str | Mapping) else []


def paths_in(name: str, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the import paths of an estimator and of all estimators among its parameters."""
    paths = [full_path(name)]
    for key, value in parameters.items():
        for step in steps_in(key, value):
            paths += () if step in KEPT else paths_in(*parsed_step(step))
    return tuple(dict.fromkeys(paths))


def checked_estimator(name: str, parameters: Mapping[str, Any], folder: str = "") -> Any:
    """Return a checked estimator, or None for code of the folder, which is only read.

    scikit-learn's estimators check values here. Estimators of other packages check them when they
    are fitted, and code of the config's folder when it is called, in the first cell.
    """
    paths = paths_in(name, parameters)
    if in_folder(paths, folder):
        for path in paths:
            check_path(path, folder)
        return None
    made = build(name, parameters, folder)
    check_parameters(made)
    return made


def label_of(step: Any) -> str:
    """Return the name of a step in tables."""
    return parsed_step(step)[0].rpartition(":")[2]


def constant_outputs(label: float, data: TrainingData, n_new: int) -> Outputs:
    """Return the outputs for new examples if all training examples have one label."""
    predicted = data.codes_of(np.full(n_new, label))
    columns = np.eye(data.n_classes)[predicted]
    scores = columns if data.n_classes > 2 else columns[:, 1] - columns[:, 0]
    return Outputs(predicted, scores, columns)


def estimator_outputs(
    estimator: Any, labels: FloatArray | None, data: TrainingData, X_new: Any
) -> Outputs:
    """Return the outputs of an estimator that was fitted to indices of `labels`."""
    predicted = np.ravel(outputs_on(estimator, X_new))
    if labels is None:
        return Outputs(predicted.astype(np.float64))
    seen = data.codes_of(labels)
    scores = probabilities = None
    if hasattr(estimator, "predict_proba"):
        probabilities = np.zeros((len(predicted), data.n_classes))
        probabilities[:, seen] = outputs_on(estimator, X_new, "predict_proba")
        valid = (abs(probabilities.sum(axis=1) - 1) < 0.01) & (probabilities.min(axis=1) > -1e-6)
        # Boosters do not normalise the probabilities of one class against the rest.
        if not valid.all() and packages_of(estimator).isdisjoint(BOOSTERS):
            row = few([f"{p:g}" for p in probabilities[~valid][0]])
            must = "predict_proba must return numbers from 0 to 1 that add up to 1"
            raise ValueError(f"{must}, not {row}")
    # Scores of pairs of classes are left out: three classes have three pairs, too.
    pairs = getattr(estimator, "decision_function_shape", "") == "ovo"
    if hasattr(estimator, "decision_function") and len(seen) > 1 and not pairs:
        scores = np.asarray(estimator.decision_function(X_new), np.float64)
        if data.n_classes > 2:
            columns = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
            scores = np.full((len(predicted), data.n_classes), -np.inf)
            scores[:, seen] = columns
    return Outputs(seen[label_indices(predicted, len(seen))], scores, probabilities)


@dataclass(frozen=True, kw_only=True)
class Parameter(Hyperparameter):
    """A parameter of an estimator, which checks its values itself."""

    learner: EstimatorPredictor

    def fault(self, values: Sequence[Value]) -> str | None:
        """Return the estimator's message about an invalid value, or None if all are valid."""
        learner = self.learner
        try:
            for value in values:
                checked_estimator(
                    learner.name, {**learner.settings, self.name: value}, learner.folder
                )
        except ValueError as error:
            return str(error)
        return None


@dataclass(frozen=True)
class EstimatorPredictor(Imported, Predictor):
    """An estimator with scikit-learn's interface; all of its parameters are hyper-parameters."""

    takes_raw = True

    predicts: Task | Literal[""] = ""
    """Task of the config's own code, or of a class without one."""
    categories: bool = False
    """Whether nominal attributes become categories in a data frame."""
    keeps_missing: bool = False
    """Whether missing values stay NaN."""
    features: tuple[Feature, ...] = ()
    """Columns of the data frame; empty for a learner of arrays, and before `for_columns`."""

    @property
    def content(self) -> dict[str, Any]:
        """Everything that results depend on, with the form of the examples."""
        form = {"categories": self.categories, "keeps_missing": self.keeps_missing}
        return super().content | form

    @property
    def packages(self) -> tuple[str, ...]:  # type: ignore[override]
        """The packages of its code, and pandas if it takes a data frame."""
        return (*super().packages, "pandas") if self.categories else super().packages

    @property
    def paths(self) -> tuple[str, ...]:
        """Import paths of the estimator and of all estimators among its parameters."""
        return paths_in(self.name, self.settings)

    @property
    def task(self) -> Task:
        """The task of the estimator."""
        made = None if self.predicts else build(self.name, self.settings, self.folder)
        return self.predicts or task_of(made) or "classification"

    def for_task(self, task: Task) -> Self | None:
        """Return the predictor for a task, which code without a task must suit when it runs."""
        if not self.folder and task_of(build(self.name, self.settings)):
            return super().for_task(task)
        return replace(self, predicts="regression" if task == "regression" else "classification")

    @property
    def many_classes(self) -> bool:  # type: ignore[override]
        """Whether the estimator, or the end of a pipeline, separates more than two classes.

        Estimators of other packages do.
        """
        *_, last = self.settings.get("steps") or [self.name]
        name, _ = parsed_step(last)
        if not name.startswith(f"{OURS}:"):
            return True
        return separates_many(find(name)())

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """All parameters of the estimator, each of them optional."""
        if in_folder(self.paths, self.folder):
            names = [*self.settings, *self.searched]  # code checks them when it is imported
        else:
            nested_names = [key for key in self.settings if "__" in key]
            try:
                flat = {k: value for k, value in self.settings.items() if k not in nested_names}
                names = names_of(build(self.name, flat))
            except ValueError:  # raised when the estimator is checked
                names = [*inspect.signature(find(full_path(self.name))).parameters, *nested_names]
        meaning, is_ours = f"parameter of {label_of(self.name)}", self.name.startswith(f"{OURS}:")
        return tuple(
            replace(N_ROUNDS, optional=True)
            if is_ours and name == N_ROUNDS.name
            else Parameter(name, "any", "small", meaning, optional=True, learner=self)
            for name in dict.fromkeys(names)
        )

    def gives(self, need: Need) -> bool:
        """Whether the estimator has a method with this output; True for the user's own code."""
        if in_folder(self.paths, self.folder):
            return True
        made = self.estimator()
        return any(hasattr(made, method) for method in OUTPUT_METHODS[need])

    def for_columns(self, data: TrainingData) -> Self:
        """Return this predictor with the columns of its data frame, if it takes one."""
        return replace(self, features=data.features) if self.categories else self

    def estimator(
        self, candidate: Mapping[str, Value] | None = None, random_state: int | None = None
    ) -> Any:
        """Return the unfitted estimator of a candidate."""
        made = build(self.name, {**self.settings, **(candidate or {})}, self.folder)
        task = task_of(made) or self.predicts
        if self.predicts and (task != self.predicts or not hasattr(made, "predict")):
            number = self.predicts == "regression"
            target, mixin = ("a number", "Regressor") if number else ("classes", "Classifier")
            raise ValueError(
                f"{self.name} must predict {target} here, but it does not: give it predict, and"
                f" derive it from scikit-learn's {mixin}Mixin"
            )
        categories = [f.name for f in self._features(made) if f.kind == "category"]
        for _, part in parts(made):
            settle(part, random_state, () if has_transformer(made) else categories)
        return made

    def try_code(self, candidate: Mapping[str, Value]) -> None:
        """Import and make the estimator of a candidate, without fitting it."""
        self.estimator(candidate)

    def predictions(
        self, train: Part, grids: Sequence[Grid], X_new: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        """Fit once for all candidates that differ only in size; see `Predictor.predictions`."""
        candidates = [candidate for grid in grids for candidate in grid.candidates]
        random_state = int(rng.integers(2**31))
        predicted = np.empty((len(candidates), len(X_new)))
        labels, y = self._labels(train.y)
        if labels is not None and len(labels) == 1:
            predicted[:] = labels[0]
            return predicted
        # The score separates a class from the rest, if there are more than two.
        method = "predict" if self.many_classes else "decision_function"
        X, X_new = self._table(train.X), self._table(X_new)
        # Parameters were checked with the config; an ensemble would check them for every tree.
        with config_context(skip_parameter_validation=True):
            for group in self._differing_in_size(candidates):
                estimator = self.estimator(candidates[group[0]], random_state)
                if len(group) > 1:
                    sizes = [candidates[i][size_name(estimator)] for i in group]
                    predicted[group] = staged_outputs(estimator, sizes, X, y, X_new, method)
                else:
                    estimator.fit(X, y)
                    predicted[group] = np.ravel(outputs_on(estimator, X_new, method))
        if labels is None or method != "predict":
            return predicted
        return labels[label_indices(predicted, len(labels))]

    def outputs(
        self, data: TrainingData, candidate: dict[str, Value], X_new: FloatArray, draws: str = "all"
    ) -> Outputs:
        """Fit the estimator alone and return its outputs for new examples."""
        labels, y = self._labels(data.train.y)
        if labels is not None and len(labels) == 1:
            return constant_outputs(labels[0], data, len(X_new))
        estimator = self.estimator(candidate, int(data.rng(draws).integers(2**31)))
        with config_context(skip_parameter_validation=True):
            estimator.fit(self._table(data.train.X), y)
            return estimator_outputs(estimator, labels, data, self._table(X_new))

    def outputs_of(self, predictions: FloatArray) -> Outputs | None:
        """Return None for a classifier, whose predictions do not determine other outputs."""
        return super().outputs_of(predictions) if self.task == "regression" else None

    def _labels(self, y: FloatArray) -> tuple[FloatArray | None, Any]:
        """Return the labels in `y`, shape (n_labels,), and their indices, shape (n_examples,)."""
        return (None, y) if self.task == "regression" else np.unique(y, return_inverse=True)

    def _differing_in_size(self, candidates: Sequence[Mapping[str, Value]]) -> list[list[int]]:
        """Return groups of candidates, by index, that differ only in the size of an ensemble."""
        groups: dict[str, list[int]] = {}
        for i, candidate in enumerate(candidates):
            size = size_name(self.estimator(candidate))
            others = {key: value for key, value in candidate.items() if key != size}
            # As text, 1, 1.0 and True are three values, as for scikit-learn.
            groups.setdefault(repr(others) if size in candidate else str(i), []).append(i)
        return list(groups.values())

    def _table(self, X: FloatArray) -> Any:
        """Return a copy of the examples: an array, or a data frame if the estimator takes one."""
        # Other cells share the examples, and an estimator may change its arguments.
        X = X.copy()
        if not self.features:
            return X
        made = self.estimator()
        frame = frame_of(X, self._features(made))
        if not has_transformer(made) and "catboost" in packages_of(made):
            # CatBoost needs a category for missing values.
            for name, column in frame.select_dtypes("category").items():
                frame[name] = column.cat.add_categories("").fillna("")
        return frame

    def _features(self, made: Any) -> Sequence[Feature]:
        """Return the columns of the data frame, with types that the estimator accepts.

        Transformers and the user's own code get texts, dates and names unchanged.
        """
        packages = packages_of(made)
        if has_transformer(made) or not packages <= {SKLEARN, *BOOSTERS}:
            return self.features
        return plain_features(self.features, packages)


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
            raise ValueError(
                f"{kind.__name__} predicts neither classes nor numbers; a class of your own needs "
                "ClassifierMixin or RegressorMixin in front of BaseEstimator"
            )
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


@dataclass(frozen=True)
class Baseline(EstimatorPredictor):
    """scikit-learn's dummy: the first most frequent class, or the mean."""

    hyperparameters = ()

    def for_task(self, task: Task) -> Self:
        """Return the dummy of a task."""
        return replace(self, name="Dummy" + ("Regressor" if task == "regression" else "Classifier"))


@dataclass(frozen=True)
class RegisteredEstimator:
    """An estimator or an algorithm by import path."""

    path: str
    label: str
    """Name in tables."""
    source: str = ""
    """The paper that describes it."""
    grid: Mapping[str, Any] = field(default_factory=dict)
    """Default values of the hyper-parameters."""
    preset: Mapping[str, Any] = field(default_factory=dict)
    """Parameters that the user cannot change."""
    learner: type[EstimatorPredictor] = EstimatorPredictor
    folder: str = ""
    searched: tuple[str, ...] = ()

    @property
    def settings(self) -> dict[str, Any]:
        """Names and defaults of the estimator's own settings that the user may change."""
        parameters, names = inspect.signature(find(self.path)).parameters, self.names({})
        return {name: parameters[name].default for name in names if name in parameters}

    def names(self, settings: Mapping[str, Any]) -> Collection[str]:
        """Return all settings that the user may change, including settings of nested estimators."""
        learner = self.learner(self.path, {**settings, **self.preset}, self.folder)
        fixed = {*self.preset, *self.grid}
        return [h.name for h in learner.hyperparameters if h.name not in fixed]

    def make(self, settings: Mapping[str, Any]) -> EstimatorPredictor | ImportedAlgorithm:
        """Return the learner with the given parameters."""
        parameters = {**self.preset, **settings}
        if names_algorithm(self.path, self.folder):
            return ImportedAlgorithm(self.path, parameters, self.folder, self.searched)
        made = checked_estimator(self.path, parameters, self.folder)
        if made is None:
            return self.learner(self.path, parameters, self.folder, self.searched)
        if kind_of(made) not in ("classifier", "regressor", None) or not hasattr(made, "predict"):
            raise ValueError(f"{self.label} predicts neither classes nor numbers")
        return self.learner(self.path, parameters)


BASELINE = RegisteredEstimator(
    "sklearn:DummyClassifier", "Baseline", "most frequent class, or mean", learner=Baseline
)


def registered_estimator(path: str, folder: str = "") -> RegisteredEstimator:
    """Return the entry of an import path such as ``"sklearn:SVC"``."""
    check_path(path, folder)
    return RegisteredEstimator(path, label_of(path), folder=folder)


def registered_pipeline(steps: Sequence[Any], folder: str = "") -> RegisteredEstimator:
    """Return the entry of a pipeline."""
    for i, step in enumerate(steps):
        with faults_at(i):
            made = None if step in KEPT else checked_estimator(*parsed_step(step), folder)
            if made is not None and i < len(steps) - 1:
                check_inner_step(made)
    label = " + ".join(map(label_of, steps))
    return RegisteredEstimator("sklearn:Pipeline", label, preset={"steps": [*steps]}, folder=folder)


def transformer(step: Any, folder: str = "") -> EstimatorPredictor:
    """Return the predictor of a transformer; ValueError if it has no `transform`."""
    name, parameters = parsed_step(step)
    made = checked_estimator(name, parameters, folder)
    if made is not None and not hasattr(made, "transform"):
        raise ValueError(f"votes are over the outputs of a transformer: {name} is not one")
    return EstimatorPredictor(full_path(name), parameters, folder)
