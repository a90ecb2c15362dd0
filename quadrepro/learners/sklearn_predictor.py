"""scikit-learn's estimators as algorithms of a config, with the same splits and searches.

Candidates that differ only in the size of an ensemble are fitted as parts of the largest one. Each
predicts what it would if it were fitted alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

import numpy as np
from sklearn import config_context
from sklearn.base import is_classifier

from quadrepro._typing import FloatArray, Task
from quadrepro.errors import nearest
from quadrepro.learners.base import Hyperparameter
from quadrepro.learners.estimator_outputs import estimator_outputs
from quadrepro.learners.grid import Grid, Value
from quadrepro.learners.predictor import Predictor
from quadrepro.learners.training import Outputs, TrainingData


@cache
def estimator_classes() -> dict[str, type]:
    """Return scikit-learn's classifiers and regressors by name."""
    # This imports every module of scikit-learn.
    from sklearn.utils import all_estimators

    found = all_estimators(type_filter=["classifier", "regressor"])
    return {name: estimator for name, estimator in found if _makes_itself(estimator)}


def _makes_itself(estimator: type) -> bool:
    """Return whether the estimator can be made without any argument, such as another estimator."""
    parameters = inspect.signature(estimator).parameters.values()
    return all(p.default is not p.empty or p.kind is p.VAR_KEYWORD for p in parameters)


@dataclass(frozen=True, kw_only=True)
class Parameter(Hyperparameter):
    """A parameter of an estimator, which checks its values itself.

    Attributes
    ----------
    estimator : type
        Class of the estimator.
    """

    estimator: type

    def fault(self, values: Sequence[Value]) -> str | None:
        """Return the estimator's message about an invalid value, or None if all are valid."""
        return next(
            (wrong for v in values if (wrong := _fault(self.estimator, {self.name: v}))), None
        )


def _fault(estimator: Any, parameters: Mapping[str, Any]) -> str | None:
    try:
        estimator(**parameters)._validate_params()
    except ValueError as error:
        return str(error)
    return None


@dataclass(frozen=True)
class SklearnPredictor(Predictor):
    """An estimator of scikit-learn, with any of its parameters as hyper-parameters.

    Attributes
    ----------
    name : str
        Name of its class.
    settings : dict of str to int, float, str, bool or None
        Fixed parameters; all others are hyper-parameters or have their defaults. If the estimator
        has a ``random_state`` of None, one is drawn for all candidates on the same examples.
    """

    version: ClassVar[int] = 2
    packages: ClassVar[tuple[str, ...]] = ("scipy", "scikit-learn")
    many_classes: ClassVar[bool] = True

    name: str
    settings: Mapping[str, Value] = field(default_factory=dict)

    @property
    def task(self) -> Task:
        """What the estimator predicts."""
        return "classification" if is_classifier(self._estimator()) else "regression"

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """All parameters of the estimator, each of them optional."""
        meaning = "parameter of scikit-learn"
        estimator = estimator_classes()[self.name]
        return tuple(
            Parameter(name, "any", "small", meaning, optional=True, estimator=estimator)
            for name in self._estimator().get_params()
        )

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
        # Parameters were checked with the config; an ensemble would check them for every tree.
        with config_context(skip_parameter_validation=True):
            for chain in self._chains(candidates):
                estimator = self._estimator(candidates[chain[0]], random_state)
                if len(chain) == 1:
                    predicted[chain] = estimator.fit(X, y).predict(X_new)
                else:
                    sizes = [candidates[i][size_name(estimator)] for i in chain]
                    by_size = nested_predictions(estimator, set(sizes), X, y, X_new)
                    predicted[chain] = [by_size[size] for size in sizes]
        return predicted

    def outputs(
        self, data: TrainingData, candidate: dict[str, Value], X_new: FloatArray
    ) -> Outputs:
        """Fit the estimator alone and return what it says of new examples."""
        estimator = self._estimator(candidate, int(data.rng("all").integers(2**31)))
        with config_context(skip_parameter_validation=True):
            return estimator_outputs(estimator.fit(*data.train), data, X_new)

    def outputs_of(self, predictions: FloatArray) -> Outputs | None:
        """Return None for a classifier, whose predictions do not tell scores and probabilities."""
        return super().outputs_of(predictions) if self.task == "regression" else None

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
        parameters = {**self.settings, **(candidate or {})}
        estimator = estimator_classes()[self.name](**parameters)
        if estimator.get_params(deep=False).get("random_state", 0) is None:
            estimator.set_params(random_state=random_state)
        return estimator


def size_name(estimator: Any) -> str:
    """Return the parameter with the size of an ensemble that can grow; "" for other estimators.

    Parameters
    ----------
    estimator : estimator of scikit-learn
        Not fitted.
    """
    known = estimator.get_params(deep=False)
    if hasattr(estimator, "staged_predict"):
        return "n_estimators" if "n_estimators" in known else "max_iter"
    if not {"n_estimators", "warm_start"} <= known.keys():
        return ""
    # scikit-learn refuses the one for an ensemble that grows, and warns of the other.
    refused = known.get("oob_score") or isinstance(known.get("class_weight"), str)
    return "" if refused else "n_estimators"


def nested_predictions(
    estimator: Any, sizes: Collection[Any], X: FloatArray, y: FloatArray, X_new: FloatArray
) -> dict[Any, FloatArray]:
    """Return what an ensemble predicts at each of several sizes.

    Parameters
    ----------
    estimator : estimator of scikit-learn
        An ensemble with a `size_name`, not fitted, whose ``random_state`` is not None.
    sizes : collection of int
        Different sizes.
    X : ndarray of shape (n_examples, n_attributes)
        Training examples.
    y : ndarray of shape (n_examples,)
        Labels, or the numbers to predict.
    X_new : ndarray of shape (n_new, n_attributes)
        Examples to predict.

    Returns
    -------
    dict of int to ndarray of shape (n_new,)
        The predictions at each size, which are those of an ensemble fitted alone.
    """
    name = size_name(estimator)
    if hasattr(estimator, "staged_predict"):
        estimator.set_params(**{name: max(sizes)}).fit(X, y)
        stages = dict(enumerate(estimator.staged_predict(X_new), 1))
        # An ensemble that stops early stays as it is, however large it may be.
        return {size: stages[min(size, len(stages))] for size in sizes}
    found = {}
    estimator.set_params(warm_start=True)
    for size in sorted(sizes):
        found[size] = estimator.set_params(**{name: size}).fit(X, y).predict(X_new)
    return found


@dataclass(frozen=True)
class SklearnEntry:
    """An estimator of scikit-learn as a config names it.

    Attributes
    ----------
    label : str
        Name of its class, which tables print.
    """

    label: str
    source = "scikit-learn"
    former = SklearnPredictor.former

    @property
    def settings(self) -> dict[str, Any]:
        """Names and defaults of the parameters."""
        return dict(estimator_classes()[self.label]().get_params())

    def make(self, settings: dict[str, Any]) -> SklearnPredictor:
        """Return the predictor with the given parameters.

        Raises
        ------
        ValueError
            If scikit-learn refuses a parameter.
        """
        if wrong := _fault(estimator_classes()[self.label], settings):
            raise ValueError(wrong)
        return SklearnPredictor(self.label, settings)


def sklearn_entry(name: str) -> SklearnEntry:
    """Return the entry of an estimator, given the name of its class.

    Raises
    ------
    KeyError
        If scikit-learn has no such classifier or regressor; the message gives the nearest name.
    """
    if name not in estimator_classes():
        hint = nearest(name, estimator_classes())
        raise KeyError(f"scikit-learn has no classifier or regressor {name!r}{hint}")
    return SklearnEntry(name)
