"""scikit-learn's scorers as metrics: computed from what records keep instead of an estimator."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadrepro._typing import Task
from quadrepro.metrics.metric import Function, Metric, Need

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


def metric_of_scorer(name: str) -> Metric:
    """Return one of scikit-learn's scorers as a metric, of which the highest is the best.

    Parameters
    ----------
    name : str
        One of `scorer_names`.
    """
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
    """Return whether a scorer takes so many classes, by asking it about perfect predictions."""
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
