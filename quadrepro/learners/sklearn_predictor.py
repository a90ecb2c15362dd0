"""scikit-learn's estimators as algorithms of a config, with the same splits and searches."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import sklearn
from sklearn.base import is_classifier

from quadrepro._typing import FloatArray
from quadrepro.errors import nearest
from quadrepro.learners.base import Hyperparameter, Task
from quadrepro.learners.grid import Grid, Value
from quadrepro.learners.predictor import Predictor


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
        has a ``random_state`` of None, it is drawn.
    release : str
        Version of scikit-learn, on which the results depend.
    """

    name: str
    settings: Mapping[str, Value] = field(default_factory=dict)
    release: str = field(default=sklearn.__version__, init=False)

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
        """Fit the estimator once per candidate; classes are predicted as -1 and +1."""
        fitted = (self._estimator(c, rng).fit(X, y) for c in grid.candidates)
        return np.array([estimator.predict(X_new) for estimator in fitted], dtype=np.float64)

    def _estimator(
        self, candidate: Mapping[str, Value] | None = None, rng: np.random.Generator | None = None
    ) -> Any:
        parameters = {**self.settings, **(candidate or {})}
        estimator = estimator_classes()[self.name](**parameters)
        if rng is not None and estimator.get_params(deep=False).get("random_state", 0) is None:
            estimator.set_params(random_state=int(rng.integers(2**31)))
        return estimator


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
