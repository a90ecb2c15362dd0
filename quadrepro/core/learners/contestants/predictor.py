"""Estimators as a config names them: by import path, or as the steps of a pipeline."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import is_classifier, is_regressor
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import gen_batches

from quadrepro.base.models import faults_at
from quadrepro.base.types import FloatArray, IntArray, Targets, Task
from quadrepro.core.learners.contestants.algorithm import Imported, ImportedAlgorithm
from quadrepro.core.learners.contestants.building import (
    KEPT,
    build,
    build_step,
    column_names,
    fault_of,
    names,
    package_of,
    parts,
    paths_in,
    runs_own_code,
    settle,
    step_of,
    use_categories,
)
from quadrepro.core.learners.contestants.paths import (
    SKLEARN,
    check_path,
    full_path,
    names_algorithm,
)
from quadrepro.core.learners.contestants.plain import defined_at
from quadrepro.core.learners.grid import Grid, Hyperparameter, Value
from quadrepro.core.learners.learner import Outputs, Predictor, TrainingData

AVERAGES = (BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier)
"""Classifiers that predict the class of the highest probability."""

BLOCK_BYTES = 4_000_000
"""Size of a block of examples."""


def estimator_outputs(
    estimator: Any, labels: FloatArray | None, data: TrainingData, X_new: Any
) -> Outputs:
    """Return the outputs of a fitted estimator for new examples."""
    if labels is None:
        return Outputs(_predict(estimator, X_new).astype(np.float64))
    seen = np.asarray(labels > 0 if data.task == "classification" else labels, dtype=np.intp)
    found = scores = probabilities = None
    if hasattr(estimator, "predict_proba"):
        found = _of_rows(estimator, "predict_proba", X_new)
        probabilities = np.zeros((len(found), data.n_classes))
        probabilities[:, seen] = found
    if hasattr(estimator, "decision_function") and not _is_of_pairs(estimator):
        scores = _scores(np.asarray(estimator.decision_function(X_new), np.float64), seen, data)
    if found is not None and isinstance(estimator, AVERAGES):
        predicted: Targets = estimator.classes_[found.argmax(axis=1)]
    else:
        predicted = _predict(estimator, X_new)
    return Outputs(seen[predicted.astype(np.intp)], scores, probabilities)


def _predict(estimator: Any, X: Any) -> Targets:
    return np.ravel(_of_rows(estimator, "predict", X))


def _of_rows(estimator: Any, method: str, X: Any) -> NDArray[Any]:
    """Return what a method gives for examples, which bagged trees are given in blocks.

    Bagging copies all of them for each tree, which is slow beyond the processor's cache.
    """
    function = getattr(estimator, method)
    bagged = isinstance(estimator, BaggingClassifier) and isinstance(X, np.ndarray)
    if not bagged or not isinstance(estimator.estimator_, DecisionTreeClassifier):
        return np.asarray(function(X))
    n_rows = max(1, BLOCK_BYTES // (X.itemsize * X.shape[1]))
    return np.concatenate([function(X[rows]) for rows in gen_batches(len(X), n_rows)])


def _is_of_pairs(estimator: Any) -> bool:
    """Return whether scores are of pairs of classes, of which three classes have three, too."""
    return bool(getattr(estimator, "decision_function_shape", "") == "ovo")


def _scores(found: FloatArray, seen: IntArray, data: TrainingData) -> FloatArray | None:
    """Return scores in the form of `Outputs`, or None if they cannot be brought into it."""
    if data.n_classes == 2:
        return found if found.ndim == 1 and len(seen) == 2 else None
    if found.ndim == 1 and len(seen) == 2:
        found = np.column_stack([-found, found])
    if found.ndim != 2 or found.shape[1] != len(seen):
        return None
    scores = np.full((len(found), data.n_classes), -np.inf)
    scores[:, seen] = found
    return scores


def size_name(estimator: Any) -> str:
    """Return the parameter with the size of an ensemble that can grow; "" for other estimators."""
    if package_of(estimator) != "sklearn":
        return ""
    known = estimator.get_params(deep=False)
    if hasattr(estimator, "staged_predict"):
        return "n_estimators" if "n_estimators" in known else "max_iter"
    if not {"n_estimators", "warm_start"} <= known.keys():
        return ""
    # scikit-learn refuses the one for an ensemble that grows, and warns of the other.
    refused = known.get("oob_score") or isinstance(known.get("class_weight"), str)
    return "" if refused else "n_estimators"


def nested_predictions(
    estimator: Any, sizes: Collection[Any], X: FloatArray, y: Targets, X_new: FloatArray
) -> Mapping[Any, Targets]:
    """Return what an ensemble predicts at each of several sizes."""
    name = size_name(estimator)
    if hasattr(estimator, "staged_predict"):
        estimator.set_params(**{name: max(sizes)}).fit(X, y)
        stages = dict(enumerate(estimator.staged_predict(X_new), 1))
        # An ensemble that stops early stays as it is, however large it may be.
        return {size: stages[min(size, len(stages))] for size in sizes}
    found: dict[Any, Targets] = {}
    estimator.set_params(warm_start=True)
    for size in sorted(sizes):
        found[size] = _predict(estimator.set_params(**{name: size}).fit(X, y), X_new)
    return found


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
    """An estimator with scikit-learn's interface; any of its parameters is a hyper-parameter."""

    version: ClassVar[int] = 3
    takes_raw = True
    many_classes = True

    name: str
    """Name of a class of scikit-learn, or the import path of a class or function."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Fixed parameters; all others are hyper-parameters or have their defaults. If no seed is
    given, one is drawn for all candidates on the same examples."""
    folder: str = ""
    """The folder of the config, if the estimator is code of its own."""
    searched: tuple[str, ...] = ()
    """Hyper-parameters of code of the config's own, known only when it is imported.
    """
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
        """What results depend on: not the folder, but the code in it, see `modules`."""
        own = ("name", "settings", "categories", "keeps_missing")
        return {key: getattr(self, key) for key in own}

    @property
    def paths(self) -> tuple[str, ...]:  # type: ignore[override]
        """Its import path, and those of all estimators among its parameters."""
        return paths_in(self._path, self.settings)

    @property
    def packages(self) -> tuple[str, ...]:  # type: ignore[override]
        """scikit-learn, which all estimators are called by, and the packages they come from."""
        return tuple(dict.fromkeys(("scipy", "scikit-learn", *super().packages)))

    @property
    def task(self) -> Task:
        """The task of the estimator."""
        if self.predicts:
            return self.predicts
        made = build(self._path, self.settings, self.folder)
        return task_of(made) or "classification"

    def for_task(self, task: Task) -> Self | None:
        """Return the predictor for a task; code of the config's own is asked when it is run."""
        if self.folder and not self.predicts:
            asked: Task = "regression" if task == "regression" else "classification"
            return replace(self, predicts=asked)
        return super().for_task(task)

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """All parameters of the estimator, each of them optional."""
        given = {**self.settings, **dict.fromkeys(self.searched)}
        known = names(self._path, given, self.folder)
        meaning = f"parameter of {self.name}"
        return tuple(
            Parameter(name, "any", "small", meaning, optional=True, check=self._fault)
            for name in known
        )

    def _fault(self, candidate: Mapping[str, Value]) -> str | None:
        return fault_of(self._path, {**self.settings, **candidate}, self.folder)

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
        """Fit once for all candidates that differ only in size; classes are predicted as given."""
        candidates = [candidate for grid in grids for candidate in grid.candidates]
        random_state = int(rng.integers(2**31))
        predicted = np.empty((len(candidates), len(X_new)))
        table, table_new = self._table(X), self._table(X_new)
        labels, targets = self._labels(y)
        # Parameters were checked with the config; an ensemble would check them for every tree.
        with config_context(skip_parameter_validation=True):
            for chain in self._chains(candidates):
                estimator = self.estimator(candidates[chain[0]], random_state)
                if len(chain) == 1:
                    predicted[chain] = _predict(estimator.fit(table, targets), table_new)
                else:
                    sizes = [candidates[i][size_name(estimator)] for i in chain]
                    by_size = nested_predictions(estimator, set(sizes), table, targets, table_new)
                    predicted[chain] = [by_size[size] for size in sizes]
        return predicted if labels is None else labels[predicted.astype(np.intp)]

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

    def _labels(self, y: FloatArray) -> tuple[FloatArray | None, Targets]:
        """Return the labels that occur, and their codes 0, 1, ..., which every estimator takes."""
        if self.task == "regression":
            return None, y
        labels, codes = np.unique(y, return_inverse=True)
        return labels, codes

    def _chains(self, candidates: Sequence[Mapping[str, Value]]) -> list[list[int]]:
        """Return the places of candidates that are parts of one ensemble; most are alone."""
        chains: dict[str, list[int]] = {}
        for i, candidate in enumerate(candidates):
            name = size_name(self.estimator(candidate))
            others = sorted((key, value) for key, value in candidate.items() if key != name)
            # As text 1, 1.0 and True are three values, which they are to scikit-learn.
            key = repr(others) if name in candidate else str(i)
            chains.setdefault(key, []).append(i)
        return list(chains.values())

    def estimator(
        self, candidate: Mapping[str, Value] | None = None, random_state: int | None = None
    ) -> Any:
        """Return the estimator of a candidate, not fitted."""
        estimator = build(self._path, {**self.settings, **(candidate or {})}, self.folder)
        if self.predicts:
            self._check_task(estimator)
        for part in parts(estimator):
            settle(part, random_state)
            if self.categories:
                use_categories(part, self.n_codes)
        return estimator

    def _check_task(self, estimator: Any) -> None:
        """Refuse code of the user that predicts nothing, or something else than is needed."""
        kind = task_of(estimator)
        if hasattr(estimator, "predict") and kind in (None, self.predicts):
            return
        number = self.predicts == "regression"
        wanted, mixin = ("a number", "RegressorMixin") if number else ("classes", "ClassifierMixin")
        raise ValueError(
            f"{self.name}{defined_at(type(estimator))} must predict {wanted} here, but it does not:"
            f" give it predict, and derive it from scikit-learn's {mixin}"
        )

    def try_code(self, candidate: Mapping[str, Value]) -> None:
        """Import and make the estimator of a candidate, without fitting it."""
        self.estimator(candidate)

    def _table(self, X: FloatArray) -> Any:
        """Return examples with categories in place of codes, as a data frame."""
        if not any(self.n_codes):
            return X
        import pandas as pd

        # CatBoost needs a category for what is missing.
        gaps = all(package_of(part) != "catboost" for part in parts(self.estimator()))
        frame = pd.DataFrame(X, columns=column_names(self.n_codes))
        for name, n_codes in zip(frame, self.n_codes, strict=True):
            if n_codes:
                known = [*map(str, range(n_codes)), *([] if gaps else ["missing"])]
                codes = frame[name].fillna(-1 if gaps else n_codes).astype(np.intp)
                frame[name] = pd.Categorical.from_codes(codes, known)
        return frame

    @property
    def _path(self) -> str:
        return full_path(self.name)


def task_of(estimator: Any) -> Task | None:
    """Return whether an estimator predicts classes or numbers; None if it does neither."""
    if not hasattr(estimator, "predict"):
        return None
    kind = getattr(estimator, "_estimator_type", None)  # of a class without tags
    tagged = hasattr(estimator, "__sklearn_tags__")
    if is_classifier(estimator) if tagged else kind == "classifier":
        return "classification"
    return "regression" if (is_regressor(estimator) if tagged else kind == "regressor") else None


PIPELINE = f"{SKLEARN}:Pipeline"


@dataclass(frozen=True)
class EstimatorEntry:
    """An estimator or an algorithm by import path, with parameters that the user cannot change."""

    path: str
    label: str
    preset: dict[str, Any] = field(default_factory=dict)
    folder: str = ""
    searched: tuple[str, ...] = ()
    grid: ClassVar[Mapping[str, Any]] = {}  # a config may leave every parameter out

    def names(self, settings: Mapping[str, Any]) -> Collection[str]:
        """Return the names of all parameters that there are besides some settings."""
        known = names(self.path, {**settings, **self.preset}, self.folder)
        return [name for name in known if name not in self.preset]

    def make(self, settings: Mapping[str, Any]) -> EstimatorPredictor | ImportedAlgorithm:
        """Return the learner with the given parameters."""
        parameters = {**self.preset, **settings}
        if names_algorithm(self.path, self.folder):
            return ImportedAlgorithm(self.path, parameters, self.folder, self.searched)
        found = _made({self.path: parameters}, self.folder)
        if found is None:
            return EstimatorPredictor(self.path, parameters, self.folder, searched=self.searched)
        if task_of(found) is None:
            raise ValueError(f"{self.label} predicts neither classes nor numbers")
        return EstimatorPredictor(self.path, parameters)


def estimator_entry(path: str, folder: str = "") -> EstimatorEntry:
    """Return the entry of an import path such as ``"sklearn:SVC"``."""
    check_path(path, folder)
    return EstimatorEntry(path, path.partition(":")[2], folder=folder)


def pipeline_entry(steps: Sequence[Any], folder: str = "") -> EstimatorEntry:
    """Return the entry of a pipeline."""
    for i, step in enumerate(steps):
        with faults_at(i):
            found = step if step in KEPT else _made(step, folder)
            is_last = i == len(steps) - 1
            if is_last and found is not None and task_of(found) is None:
                raise ValueError(f"the last step must predict, but {_name(step)} does not")
            if not is_last and not (found in (None, *KEPT) or hasattr(found, "transform")):
                raise ValueError(f"a step before the last must transform: {_name(step)} does not")
    label = " + ".join(_name(step) for step in steps)
    return EstimatorEntry(PIPELINE, label, {"steps": list(steps)}, folder)


def transformer(step: Any, folder: str = "") -> EstimatorPredictor:
    """Return what makes a transformer of a config; ValueError if it cannot be used."""
    name, parameters = step_of(step)
    found = _made(step, folder)
    if found is not None and not hasattr(found, "transform"):
        raise ValueError(f"votes are over the outputs of a transformer: {name} is not one")
    return EstimatorPredictor(full_path(name), parameters, folder)


def _made(step: Any, folder: str) -> Any:
    """Return the estimator of a step; None for code of the config's own, which is not imported."""
    name, parameters = step_of(step)
    path = full_path(name)
    if wrong := fault_of(path, parameters, folder):
        raise ValueError(wrong)
    return None if runs_own_code(path, parameters, folder) else build_step(step, folder)


def _name(step: Any) -> str:
    return step_of(step)[0].rpartition(":")[2]
