"""Estimators with scikit-learn's interface as predictors, with the same splits and searches.

Candidates that differ only in the size of one of scikit-learn's ensembles are fitted as parts of
the largest one. Each predicts what it would if it were fitted alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn import config_context
from sklearn.base import is_classifier, is_regressor

from quadrepro._typing import FloatArray, Targets, Task
from quadrepro.fingerprint import file_hash
from quadrepro.learners.base import Hyperparameter
from quadrepro.learners.contestants.building import (
    build,
    fault_of,
    known_by_text,
    names,
    parts,
    paths_in,
    runs_own_code,
)
from quadrepro.learners.contestants.growing import nested_predictions, size_name
from quadrepro.learners.contestants.outputs import estimator_outputs
from quadrepro.learners.contestants.packages import column_names, settle, takes_gaps, use_categories
from quadrepro.learners.contestants.paths import (
    distributions_of,
    full_path,
    modules_of,
    own_code,
)
from quadrepro.learners.contestants.predicting import predict
from quadrepro.learners.grid import Grid, Value
from quadrepro.learners.predictor import Predictor
from quadrepro.learners.training import Outputs, TrainingData

MOST_CHECKED = 100
"""Of an axis with more values only the ends are put to the estimator."""


@dataclass(frozen=True, kw_only=True)
class Parameter(Hyperparameter):
    """A parameter of an estimator, which checks its values itself.

    Attributes
    ----------
    check : callable
        Returns what the estimator says of an invalid value, or None.
    """

    check: Callable[[Value], str | None]

    def fault(self, values: Sequence[Value]) -> str | None:
        """Return the estimator's message about an invalid value, or None if all are valid."""
        if len(values) > MOST_CHECKED:
            values = (values[0], values[-1])
        return next((wrong for value in values if (wrong := self.check(value))), None)


@dataclass(frozen=True)
class EstimatorPredictor(Predictor):
    """An estimator with scikit-learn's interface, with any of its parameters as hyper-parameters.

    Attributes
    ----------
    name : str
        Name of a class of scikit-learn, or the import path of a class or function.
    settings : dict of str to object
        Fixed parameters; all others are hyper-parameters or have their defaults. If no seed is
        given, one is drawn for all candidates on the same examples.
    folder : str, default ""
        The folder of the config, if the estimator is code of its own.
    searched : tuple of str, default ()
        Hyper-parameters of code of the config's own, which tells its own only when it is imported.
    predicts : {"classification", "regression"} or "", default ""
        What code of the config's own must predict.
    categories : bool, default False
        Whether nominal attributes are given as categories, in a data frame.
    keeps_missing : bool, default False
        Whether missing values stay NaN.
    n_codes : tuple of int, default ()
        Of each column the number of categories, 0 for numbers; empty as long as the learner is not
        bound to the examples of a cell.
    """

    version: ClassVar[int] = 3
    takes_raw = True
    many_classes = True

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    folder: str = ""
    searched: tuple[str, ...] = ()
    predicts: Task | Literal[""] = ""
    categories: bool = False
    keeps_missing: bool = False
    n_codes: tuple[int, ...] = ()

    @property
    def content(self) -> dict[str, Any]:
        """What results depend on: not the folder, but the code in it, see `modules`."""
        own = ("name", "settings", "categories", "keeps_missing")
        return {key: getattr(self, key) for key in own}

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules whose code results depend on."""
        found = (name for path in self._paths for name in modules_of(path, self.folder))
        return (*super().modules, *found)

    @property
    def own_code(self) -> tuple[tuple[str, str], ...]:
        """The modules of the config's folder that the estimator is made of."""
        found = own_code(self._paths, self.folder) if self.folder else {}
        return tuple((name, file_hash(file)) for name, file in found.items())

    @property
    def packages(self) -> tuple[str, ...]:  # type: ignore[override]
        """The packages that the estimator and those that it holds come from."""
        found = (name for path in self._paths for name in distributions_of(path, self.folder))
        return tuple(dict.fromkeys(("scipy", "scikit-learn", *found)))

    @property
    def task(self) -> Task:
        """What the estimator predicts."""
        if self.predicts:
            return self.predicts
        return kind_of(self._path, self.settings, self.folder) or "classification"

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
            Parameter(name, "any", "small", meaning, optional=True, check=self._check(name))
            for name in known
        )

    def _check(self, name: str) -> Callable[[Value], str | None]:
        if runs_own_code(self._path, self.settings, self.folder):
            return lambda value: None
        return lambda value: fault_of(self._path, {**self.settings, name: value}, self.folder)

    def for_columns(self, data: TrainingData) -> Self:
        """Return this predictor with the columns that hold codes, if it asks for them."""
        return replace(self, n_codes=data.n_codes) if self.categories else self

    def predictions(
        self, X: FloatArray, y: FloatArray, grid: Grid, X_new: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        """Train every candidate of a grid; classes are predicted as they are given."""
        return self.all_predictions(X, y, [grid], X_new, rng)

    def all_predictions(
        self,
        X: FloatArray,
        y: FloatArray,
        grids: Sequence[Grid],
        X_new: FloatArray,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Fit the estimator once for all candidates that differ only in its size."""
        candidates = [candidate for grid in grids for candidate in grid.candidates]
        random_state = int(rng.integers(2**31))
        predicted = np.empty((len(candidates), len(X_new)))
        table, table_new = self._table(X), self._table(X_new)
        labels, targets = self._labels(y)
        # Parameters were checked with the config; an ensemble would check them for every tree.
        with config_context(skip_parameter_validation=True):
            for chain in self._chains(candidates):
                estimator = self._estimator(candidates[chain[0]], random_state)
                if len(chain) == 1:
                    predicted[chain] = predict(estimator.fit(table, targets), table_new)
                else:
                    sizes = [candidates[i][size_name(estimator)] for i in chain]
                    by_size = nested_predictions(estimator, set(sizes), table, targets, table_new)
                    predicted[chain] = [by_size[size] for size in sizes]
        return predicted if labels is None else labels[predicted.astype(np.intp)]

    def outputs(
        self, data: TrainingData, candidate: dict[str, Value], X_new: FloatArray
    ) -> Outputs:
        """Fit the estimator alone and return what it says of new examples."""
        labels, y = self._labels(data.train.y)
        estimator = self._estimator(candidate, int(data.rng("all").integers(2**31)))
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
            name = size_name(self._estimator(candidate))
            others = sorted((key, value) for key, value in candidate.items() if key != name)
            # As text 1, 1.0 and True are three values, which they are to scikit-learn.
            key = repr(others) if name in candidate else str(i)
            chains.setdefault(key, []).append(i)
        return list(chains.values())

    def _estimator(
        self, candidate: Mapping[str, Value] | None = None, random_state: int | None = None
    ) -> Any:
        estimator = build(self._path, {**self.settings, **(candidate or {})}, self.folder)
        if self.predicts and task_of(estimator) != self.predicts:
            wanted = "a number" if self.predicts == "regression" else "classes"
            raise ValueError(f"{self.name} must predict {wanted} here, but it does not")
        for part in parts(estimator):
            settle(part, random_state)
            if self.categories:
                use_categories(part, self.n_codes)
        return estimator

    def _table(self, X: FloatArray) -> Any:
        """Return examples with categories in place of codes, as a data frame."""
        if not any(self.n_codes):
            return X
        import pandas as pd

        gaps = all(takes_gaps(part) for part in parts(self._estimator()))
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

    @property
    def _paths(self) -> tuple[str, ...]:
        return paths_in(self._path, self.settings)


def task_of(estimator: Any) -> Task | None:
    """Return whether an estimator predicts classes or numbers; None if it does neither."""
    if not hasattr(estimator, "predict"):
        return None
    kind = getattr(estimator, "_estimator_type", None)  # of a class without tags
    tagged = hasattr(estimator, "__sklearn_tags__")
    if is_classifier(estimator) if tagged else kind == "classifier":
        return "classification"
    return "regression" if (is_regressor(estimator) if tagged else kind == "regressor") else None


@known_by_text
def kind_of(path: str, parameters: Mapping[str, Any], folder: str = "") -> Task | None:
    """Return what the estimator of an import path predicts, or None; see `task_of`."""
    return task_of(build(path, parameters, folder))
