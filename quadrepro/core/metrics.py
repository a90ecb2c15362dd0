"""Metrics of predictions, by name. Folds choose candidates by them, and tables show them.

A metric that averages over classes leaves out classes without test examples: in small parts of the
rows, a rare class may have none.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pkgutil import resolve_name
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import Need, Task
from quadrepro.errors import nearest

if TYPE_CHECKING:
    from quadrepro.core.training.contract import Judged

Array = NDArray[Any]

MetricFunction = Callable[[Array, Array, int], float]
"""``function(targets, output, n_classes)`` returns the value of a metric."""

CLASSES: tuple[Task, ...] = ("classification", "multiclass")
NUMBERS: tuple[Task, ...] = ("regression",)

LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Metric:
    """A measure of the quality of predictions."""

    name: str
    """Name in configs, in file names and as a column of ``cells.csv``."""
    label: str
    """Name in tables."""
    tasks: tuple[Task, ...]
    """Tasks for which it is defined."""
    needs: Need
    """Outputs that it is computed from; class probabilities also serve as scores."""
    function: MetricFunction
    """Function of targets, output and the number of classes.

    Targets are class codes from 0, or numbers. The output has shape (n_test,); scores of more
    than two classes and probabilities have shape (n_test, n_classes).
    """
    greater_is_better: bool = True
    """Whether the highest value is the best."""
    counts_errors: bool = False
    """Whether it is the share of wrong examples, for tests that compare single examples."""

    @property
    def in_target_unit(self) -> bool:
        """Whether it has the target's unit, so that only ratios are comparable over targets."""
        return self.tasks == NUMBERS and (not self.greater_is_better or self.name[:4] == "neg_")

    @property
    def sign(self) -> float:
        """Factor that turns values into losses: -1 if the highest value is the best, else 1."""
        return -1.0 if self.greater_is_better else 1.0

    def value(self, judged: Judged) -> float | None:
        """Return the metric of some examples; None where it is undefined."""
        output = self.output(judged)
        if output is None:
            return None
        with warnings.catch_warnings():
            # For undefined values scikit-learn warns and returns NaN, or raises an error.
            warnings.simplefilter("ignore")
            try:
                value = float(self.function(np.asarray(judged.actual), output, judged.n_classes))
            except ValueError:
                return None
        return value if math.isfinite(value) else None

    def output(self, judged: Judged) -> Array | None:
        """Return the outputs that the metric is computed from; None if the learner has none."""
        if self.needs == "predictions":
            return judged.predicted
        two, probabilities = judged.n_classes == 2, judged.probabilities
        # Scores of one of several classes need not be comparable between examples; scikit-learn's
        # scorers use them nevertheless.
        scored = two or probabilities is None or METRICS.get(self.name) is not self
        if self.needs == "scores" and judged.scores is not None and scored:
            # A class without training examples may have the score -inf.
            return np.clip(judged.scores.astype(np.float64), -LARGEST, LARGEST)
        if probabilities is None:
            return None
        # Records hold few digits, and scikit-learn warns if the sums are not close enough to 1.
        columns = probabilities.astype(np.float64)
        with np.errstate(invalid="ignore"):
            columns = columns / columns.sum(axis=1, keepdims=True)
        return np.asarray(columns[:, 1] if two and self.needs == "scores" else columns)


def _sklearn(name: str) -> Callable[..., float]:
    """Return a function of scikit-learn, imported when it is called."""
    return lambda *arrays, **options: resolve_name(f"sklearn.metrics:{name}")(*arrays, **options)


def _plain(name: str) -> MetricFunction:
    """Return a metric of scikit-learn that ignores the number of classes."""
    return lambda y, output, k: _sklearn(name)(y, output)


def _one_hot(y: Array, k: int) -> Array:
    return np.asarray(y[:, None] == np.arange(k), dtype=np.intp)


def _ranking(name: str) -> MetricFunction:
    """Return a metric of scores; for more classes, a mean of tested ones against the rest."""

    def function(y: Array, scores: Array, k: int) -> float:
        codes = _tested(y)
        if k == 2:
            return _sklearn(name)(y, scores)
        return _sklearn(name)(_one_hot(y, k)[:, codes], scores[:, codes])

    return function


def _tested(y: Array) -> Array:
    """Return the codes of the classes with examples, or raise ValueError if there is only one."""
    codes = np.unique(y)
    if len(codes) < 2:
        raise ValueError("undefined for examples of one class")
    return codes


def _brier(y: Array, p: Array, k: int) -> float:
    """Return the mean squared error of the second class's probability, or the sum over classes."""
    if k == 2:
        return _sklearn("mean_squared_error")(y, p[:, 1])
    return k * _sklearn("mean_squared_error")(_one_hot(y, k), p)


def _f1(y: Array, predicted: Array, k: int) -> float:
    """Return the F1 score of the second class; for more classes, the mean over the tested ones."""
    codes = _tested(y)
    average, labels = ("binary", None) if k == 2 else ("macro", codes)
    return _sklearn("f1_score")(y, predicted, average=average, labels=labels)


def _balanced_error(y: Array, predicted: Array, k: int) -> float:
    """Return the mean over the tested classes of the share of wrong examples."""
    return fmean(float((predicted[y == code] != code).mean()) for code in _tested(y))


def _log_loss(y: Array, p: Array, k: int) -> float:
    return _sklearn("log_loss")(y, p, labels=range(k))


_PLAIN: Need = "predictions"

METRICS = {
    metric.name: metric
    for metric in (
        Metric("error", "error", CLASSES, _PLAIN, _plain("zero_one_loss"), False, True),
        Metric("balanced_error", "balanced error", CLASSES, _PLAIN, _balanced_error, False),
        Metric("auc", "AUC", CLASSES, "scores", _ranking("roc_auc_score")),
        Metric(
            "average_precision",
            "average precision",
            CLASSES,
            "scores",
            _ranking("average_precision_score"),
        ),
        Metric("log_loss", "log loss", CLASSES, "probabilities", _log_loss, False),
        Metric("brier", "Brier score", CLASSES, "probabilities", _brier, False),
        Metric("f1", "F1", CLASSES, _PLAIN, _f1),
        Metric("mcc", "Matthews correlation", CLASSES, _PLAIN, _plain("matthews_corrcoef")),
        Metric("rmse", "RMSE", NUMBERS, _PLAIN, _plain("root_mean_squared_error"), False),
        Metric("mae", "mean absolute error", NUMBERS, _PLAIN, _plain("mean_absolute_error"), False),
        Metric("r2", "R²", NUMBERS, _PLAIN, _plain("r2_score")),
    )
}
"""Metrics with names or definitions of our own; `find_metric` prefers them to scorers."""


def find_metric(name: str) -> Metric:
    """Return a metric or a scorer of scikit-learn, or raise ValueError with the nearest name."""
    if name in METRICS:
        return METRICS[name]
    from sklearn.metrics import get_scorer_names

    if name in get_scorer_names():
        metric = metric_of_scorer(name)
        if not metric.tasks:
            raise ValueError(f"{name} judges clusters, or several labels per example")
        return metric
    hint = nearest(name, (*METRICS, *scorer_names()), "quadrepro list metrics")
    raise ValueError(f"unknown metric {name!r}{hint}")


def fault_of_metric(name: str, tasks: Iterable[Task]) -> str:
    """Return a message if a metric suits none of some tasks, else an empty text."""
    supported, predicted = {*find_metric(name).tasks}, {*tasks}
    if supported & predicted:
        return ""
    words = {"classification": "two classes", "multiclass": "more classes", "regression": "numbers"}
    theirs, ours = (" or ".join(words[t] for t in words if t in s) for s in (supported, predicted))
    fitting = [other.name for other in METRICS.values() if predicted & {*other.tasks}]
    return f"{name} is a metric of {theirs}, and here {ours} are predicted{nearest(name, fitting)}"


def scorer_names() -> list[str]:
    """Return the names of scikit-learn's scorers that can serve as metrics."""
    from sklearn.metrics import get_scorer_names

    return [name for name in get_scorer_names() if metric_of_scorer(name).tasks]


class KnownOutput:
    """Stand-in for a fitted classifier: it returns a given output, and records the called method.

    Attributes
    ----------
    needs : str
        Kind of output that was requested last.
    """

    _estimator_type = "classifier"

    def __init__(self, output: Array, k: int) -> None:
        self.output, self.classes_ = output, np.arange(max(k, 2))
        self.needs: Need = "predictions"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, Tags, TargetTags

        return Tags("classifier", TargetTags(required=True), classifier_tags=ClassifierTags())

    def fit(self, X: Array, y: Array) -> None:
        """Do nothing, as scikit-learn requires the method."""

    def predict(self, X: Array) -> Array:
        """Return the output as predictions."""
        self.needs = "predictions"
        return self.output

    def predict_proba(self, X: Array) -> Array:
        """Return the output as probabilities."""
        self.needs = "probabilities"
        return self.output

    def decision_function(self, X: Array) -> Array:
        """Return the output as scores."""
        self.needs = "scores"
        return self.output


@cache
def metric_of_scorer(name: str) -> Metric:
    """Return a scorer of scikit-learn as a metric whose highest value is the best.

    It has no tasks if the scorer is for clusters, or for several labels per example.
    """
    from sklearn import config_context
    from sklearn.metrics import get_scorer

    def score(y: Array, classifier: KnownOutput, **labels: Any) -> float:
        with config_context(enable_metadata_routing=True):
            scorer = get_scorer(name)
            if labels:
                scorer.set_score_request(labels=True)
            return float(scorer(classifier, np.zeros((len(y), 1)), y, **labels))

    def function(y: Array, output: Array, k: int) -> float:
        # Classes without test examples have probabilities, too.
        labels = {"labels": [*range(k)]} if needs == "probabilities" else {}
        return score(y, KnownOutput(output, k), **labels)

    def value_of(y: Array, output: Array, k: int) -> float | None:
        """Return the value for targets and outputs; None if the scorer refuses them."""
        with warnings.catch_warnings(), suppress(ValueError, IndexError):
            warnings.simplefilter("ignore")
            return function(y, output, k)
        return None

    classifier, two, numbers = KnownOutput(np.arange(2), 2), np.arange(8) % 2, 1.5 + np.arange(8)
    with warnings.catch_warnings(), suppress(ValueError, IndexError):
        warnings.simplefilter("ignore")
        score(np.arange(2), classifier)
    needs = classifier.needs

    def judges(k: int) -> bool:
        """Return whether the scorer accepts perfect predictions of k classes."""
        y = np.arange(4 * k) % k
        one_column = needs == "predictions" or (needs == "scores" and k == 2)
        return value_of(y, y if one_column else np.eye(k)[y], k) is not None

    sizes: dict[Task, int] = {"classification": 2, "multiclass": 3}
    tasks = tuple(task for task, k in sizes.items() if judges(k))
    if needs == "predictions" and tasks and value_of(two, 1 - two, 2) == value_of(two, two, 2):
        tasks = ()  # a metric of clusters, to which labels are only names
    elif needs == "predictions" and value_of(numbers, numbers, 0) is not None:
        tasks = NUMBERS
    return Metric(name, name, tasks, needs, function)
