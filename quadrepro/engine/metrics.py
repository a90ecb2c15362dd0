"""Metrics: how good the predictions of a record are, by name."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.registry import Registry
from quadrepro.base.types import FloatArray, Task
from quadrepro.errors import nearest

if TYPE_CHECKING:
    from quadrepro.engine.records import Record

Need = Literal["predictions", "scores", "probabilities"]
"""What a metric is computed from: predicted targets, scores that order, or class probabilities."""

Function = Callable[[NDArray[Any], NDArray[Any], int], float]
"""``function(targets, output, n_classes)`` returns the value of a metric."""

LARGEST = float(np.finfo(np.float64).max)
"""The largest finite number."""


@dataclass(frozen=True)
class Metric:
    """A number for the quality of the predictions on the test examples of a cell."""

    name: str
    """Name in configs, in file names and as a column of ``cells.csv``."""
    label: str
    """Its name in tables."""
    tasks: tuple[Task, ...]
    """The tasks that it can judge."""
    needs: Need
    """What it is computed from. Class probabilities also serve as scores."""
    function: Function
    """``function(targets, output, n_classes)`` returns the value. Targets are class codes from 0,
    or numbers. The output has shape (n_test,); scores of more than two classes and probabilities
    have shape (n_test, n_classes)."""
    greater_is_better: bool = True
    """Whether the highest value is the best."""
    counts_errors: bool = False
    """Whether it is the share of wrong examples, which tests of single examples compare."""

    def serves(self, kept: Record) -> bool:
        """Return whether a record keeps what the metric is computed from."""
        return self._output(kept) is not None

    def value(self, kept: Record) -> float | None:
        """Return the metric of the test examples of a cell."""
        output = self._output(kept)
        if output is None:
            return None
        with warnings.catch_warnings():
            # scikit-learn warns of what is undefined and returns NaN, or raises an error.
            warnings.simplefilter("ignore")
            try:
                value = float(self.function(np.asarray(kept.actual), output, len(kept.classes)))
            except ValueError:
                return None
        return value if math.isfinite(value) else None

    def _output(self, kept: Record) -> NDArray[Any] | None:
        if self.needs == "predictions":
            return kept.predicted
        if self.needs == "scores" and (scores := kept.scores) is not None:
            # A class that no training example has may have the score -inf, which is not a number.
            return np.clip(np.asarray(scores, dtype=np.float64), -LARGEST, LARGEST)
        found = kept.probabilities
        if found is None:
            return None
        # They are kept with few digits; scikit-learn warns unless they add up to 1 exactly enough.
        sums = np.asarray(found, dtype=np.float64).sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            probabilities: FloatArray = np.divide(found, sums, dtype=np.float64)
        two = self.needs == "scores" and len(kept.classes) == 2
        return probabilities[:, 1] if two else probabilities


Targets = NDArray[Any]

CLASSES: tuple[Task, ...] = ("classification", "multiclass")
NUMBERS: tuple[Task, ...] = ("regression",)


def one_hot(y: Targets, n_classes: int) -> NDArray[Any]:
    """Return a column per class that is 1 for its examples."""
    return np.asarray(y[:, None] == np.arange(n_classes), dtype=np.intp)


def of_sklearn(name: str) -> Function:
    """Return a function of scikit-learn's, imported when it is called, of targets and outputs."""

    def function(y: Targets, output: Targets, n_classes: int) -> float:
        return float(resolve_name(f"sklearn.metrics:{name}")(y, output))

    return function


ERROR = Metric(
    "error", "error", CLASSES, "predictions", of_sklearn("zero_one_loss"), False, counts_errors=True
)


def balanced_error(y: Targets, predicted: Targets, n_classes: int) -> float:
    """Return the mean over the classes of the share of wrong examples."""
    return 1.0 - of_sklearn("balanced_accuracy_score")(y, predicted, n_classes)


BALANCED_ERROR = Metric(
    "balanced_error", "balanced error", CLASSES, "predictions", balanced_error, False
)


def auc(y: Targets, scores: Targets, n_classes: int) -> float:
    """Return the area under the ROC curve; of more classes the mean of each against the rest."""
    targets = y if n_classes == 2 else one_hot(y, n_classes)
    return of_sklearn("roc_auc_score")(targets, scores, n_classes)


AUC = Metric("auc", "AUC", CLASSES, "scores", auc)


def average_precision(y: Targets, scores: Targets, n_classes: int) -> float:
    """Return the average precision; of more classes the mean of each against the rest."""
    targets = y if n_classes == 2 else one_hot(y, n_classes)
    if np.any(targets.sum(axis=0) == 0):
        raise ValueError("a class without examples has no precision")
    return of_sklearn("average_precision_score")(targets, scores, n_classes)


AVERAGE_PRECISION = Metric(
    "average_precision", "average precision", CLASSES, "scores", average_precision
)


def log_loss(y: Targets, probabilities: Targets, n_classes: int) -> float:
    """Return the mean of -log of the probability of the actual class."""
    from sklearn import metrics

    return float(metrics.log_loss(y, probabilities, labels=range(n_classes)))


LOG_LOSS = Metric("log_loss", "log loss", CLASSES, "probabilities", log_loss, False)


def brier(y: Targets, probabilities: Targets, n_classes: int) -> float:
    """Return the mean squared error of the second class's probability; of more the sum over all."""
    from sklearn.metrics import mean_squared_error

    if n_classes == 2:
        return float(mean_squared_error(y, probabilities[:, 1]))
    return n_classes * float(mean_squared_error(one_hot(y, n_classes), probabilities))


BRIER = Metric("brier", "Brier score", CLASSES, "probabilities", brier, False)


def f1(y: Targets, predicted: Targets, n_classes: int) -> float:
    """Return the F1 score of the second class; of more classes the mean over all."""
    from sklearn.metrics import f1_score

    return float(f1_score(y, predicted, average="binary" if n_classes == 2 else "macro"))


F1 = Metric("f1", "F1", CLASSES, "predictions", f1)


MCC = Metric("mcc", "Matthews correlation", CLASSES, "predictions", of_sklearn("matthews_corrcoef"))

_ROOT, _ABSOLUTE = of_sklearn("root_mean_squared_error"), of_sklearn("mean_absolute_error")
RMSE = Metric("rmse", "RMSE", NUMBERS, "predictions", _ROOT, False)
MAE = Metric("mae", "mean absolute error", NUMBERS, "predictions", _ABSOLUTE, False)
R2 = Metric("r2", "R²", NUMBERS, "predictions", of_sklearn("r2_score"))


NEEDS: dict[Any, Need] = {"predict": "predictions", "predict_proba": "probabilities"}
"""What a scorer asks of an estimator, if not for whatever orders the examples."""

OF_CLASSES: dict[Task, int] = {"classification": 2, "multiclass": 3}
"""With how many classes it is tried whether a scorer can judge a task."""

OF_CLUSTERS, OF_NUMBERS = "sklearn.metrics.cluster.", "sklearn.metrics._regression"
"""Where scikit-learn has the functions for clusters and for numbers."""


def scorer_names() -> list[str]:
    """Return the names of the scorers that can be a metric."""
    from sklearn.metrics import get_scorer, get_scorer_names

    # Those for clusters and for several labels per example judge neither classes nor numbers.
    return [
        name
        for name in get_scorer_names()
        if not _module(get_scorer(name)).startswith(OF_CLUSTERS) and not name.endswith("_samples")
    ]


@cache
def metric_of_scorer(name: str) -> Metric:
    """Return one of scikit-learn's scorers as a metric, of which the highest is the best."""
    from sklearn.metrics import get_scorer

    scorer = get_scorer(name)
    needs = NEEDS.get(scorer._response_method, "scores")
    function = _function(scorer, needs)
    if _module(scorer) == OF_NUMBERS:
        tasks: tuple[Task, ...] = ("regression",)
    else:
        tasks = tuple(task for task, k in OF_CLASSES.items() if _works(function, needs, k))
    return Metric(name, name, tasks, needs, function)


def _module(scorer: Any) -> str:
    return str(scorer._score_func.__module__)


def _function(scorer: Any, needs: Need) -> Function:
    score, sign, settings = scorer._score_func, scorer._sign, scorer._kwargs
    takes_labels = needs != "predictions" and "labels" in inspect.signature(score).parameters

    def function(y: NDArray[Any], output: NDArray[Any], n_classes: int) -> float:
        # As a scorer does: of two classes, the probability of the second one.
        two = needs == "probabilities" and n_classes == 2
        labels = {"labels": list(range(n_classes))} if takes_labels else {}
        return float(sign * score(y, output[:, 1] if two else output, **labels, **settings))

    return function


def _works(function: Function, needs: Need, n_classes: int) -> bool:
    """Return whether a scorer accepts a number of classes, by scoring perfect predictions."""
    y = np.arange(4 * n_classes) % n_classes
    output: NDArray[Any] = y
    if needs == "probabilities" or (needs == "scores" and n_classes > 2):
        output = np.eye(n_classes)[y]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(y, output, n_classes)
        except ValueError:
            return False
    return True


METRICS: Registry[Metric] = Registry(
    "metric",
    {
        "error": "metrics:ERROR",
        "balanced_error": "metrics:BALANCED_ERROR",
        "auc": "metrics:AUC",
        "average_precision": "metrics:AVERAGE_PRECISION",
        "log_loss": "metrics:LOG_LOSS",
        "brier": "metrics:BRIER",
        "f1": "metrics:F1",
        "mcc": "metrics:MCC",
        "rmse": "metrics:RMSE",
        "mae": "metrics:MAE",
        "r2": "metrics:R2",
    },
    "quadrepro.engine",
)
"""The metrics that do not follow from a scorer of scikit-learn by name."""


def find_metric(name: str) -> Metric:
    """Return a metric or a scorer of scikit-learn, or raise KeyError with the nearest name."""
    if name in METRICS:
        return METRICS[name]
    from sklearn.metrics import get_scorer_names

    scorers = scorer_names()
    if name in scorers:
        return metric_of_scorer(name)
    if name in get_scorer_names():
        raise KeyError(f"{name} judges clusters, or several labels per example")
    hint = nearest(name, (*METRICS, *scorers), "docs/metrics.md")
    raise KeyError(f"unknown metric {name!r}{hint}")


def fault_of_task(name: str, tasks: Iterable[Task]) -> str:
    """Return why a metric can judge none of some tasks, or an empty text."""
    found, predicted = find_metric(name), set(tasks)
    if predicted & set(found.tasks):
        return ""
    fitting = [other.name for other in METRICS.values() if predicted & set(other.tasks)]
    whats = {"classification": "two classes", "multiclass": "more classes", "regression": "numbers"}
    of, here = (
        " or ".join(whats[task] for task in whats if task in some)
        for some in (found.tasks, predicted)
    )
    return f"{name} is a metric of {of}, and here {here} are predicted{nearest(name, fitting)}"
