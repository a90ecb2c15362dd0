"""The metrics with a short name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadrepro._typing import Task
from quadrepro.metrics.metric import Metric

Targets = NDArray[Any]

CLASSES: tuple[Task, ...] = ("classification", "multiclass")
NUMBERS: tuple[Task, ...] = ("regression",)


def one_hot(y: Targets, n_classes: int) -> NDArray[Any]:
    """Return a column per class that is 1 for its examples."""
    return np.asarray(y[:, None] == np.arange(n_classes), dtype=np.intp)


def error(y: Targets, predicted: Targets, n_classes: int) -> float:
    """Return the share of wrong examples."""
    from sklearn.metrics import zero_one_loss

    return float(zero_one_loss(y, predicted))


def balanced_error(y: Targets, predicted: Targets, n_classes: int) -> float:
    """Return the mean over the classes of the share of wrong examples."""
    from sklearn.metrics import balanced_accuracy_score

    return 1.0 - float(balanced_accuracy_score(y, predicted))


def auc(y: Targets, scores: Targets, n_classes: int) -> float:
    """Return the area under the ROC curve; of more classes the mean of each against the rest."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(y if n_classes == 2 else one_hot(y, n_classes), scores))


def average_precision(y: Targets, scores: Targets, n_classes: int) -> float:
    """Return the average precision; of more classes the mean of each against the rest."""
    from sklearn.metrics import average_precision_score

    targets = y if n_classes == 2 else one_hot(y, n_classes)
    if np.any(targets.sum(axis=0) == 0):
        raise ValueError("a class without examples has no precision")
    return float(average_precision_score(targets, scores))


def log_loss(y: Targets, probabilities: Targets, n_classes: int) -> float:
    """Return the mean of -log of the probability of the actual class."""
    from sklearn.metrics import log_loss as of_sklearn

    return float(of_sklearn(y, probabilities, labels=range(n_classes)))


def brier(y: Targets, probabilities: Targets, n_classes: int) -> float:
    """Return the mean squared error of the second class's probability; of more the sum over all."""
    from sklearn.metrics import mean_squared_error

    if n_classes == 2:
        return float(mean_squared_error(y, probabilities[:, 1]))
    return n_classes * float(mean_squared_error(one_hot(y, n_classes), probabilities))


def f1(y: Targets, predicted: Targets, n_classes: int) -> float:
    """Return the F1 score of the second class; of more classes the mean over all."""
    from sklearn.metrics import f1_score

    return float(f1_score(y, predicted, average="binary" if n_classes == 2 else "macro"))


def mcc(y: Targets, predicted: Targets, n_classes: int) -> float:
    """Return the correlation coefficient of Matthews."""
    from sklearn.metrics import matthews_corrcoef

    return float(matthews_corrcoef(y, predicted))


def rmse(y: Targets, predicted: Targets, n_classes: int) -> float:
    """Return the root of the mean squared error."""
    from sklearn.metrics import root_mean_squared_error

    return float(root_mean_squared_error(y, predicted))


def mae(y: Targets, predicted: Targets, n_classes: int) -> float:
    """Return the mean absolute error."""
    from sklearn.metrics import mean_absolute_error

    return float(mean_absolute_error(y, predicted))


def r2(y: Targets, predicted: Targets, n_classes: int) -> float:
    """Return the share of the variance that is explained."""
    from sklearn.metrics import r2_score

    return float(r2_score(y, predicted))


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("error", "error", CLASSES, "predictions", error, False, counts_errors=True),
        Metric("balanced_error", "balanced error", CLASSES, "predictions", balanced_error, False),
        Metric("auc", "AUC", CLASSES, "scores", auc),
        Metric("average_precision", "average precision", CLASSES, "scores", average_precision),
        Metric("log_loss", "log loss", CLASSES, "probabilities", log_loss, False),
        Metric("brier", "Brier score", CLASSES, "probabilities", brier, False),
        Metric("f1", "F1", CLASSES, "predictions", f1),
        Metric("mcc", "Matthews correlation", CLASSES, "predictions", mcc),
        Metric("rmse", "RMSE", NUMBERS, "predictions", rmse, False),
        Metric("mae", "mean absolute error", NUMBERS, "predictions", mae, False),
        Metric("r2", "R²", NUMBERS, "predictions", r2),
    )
}
"""By name."""
