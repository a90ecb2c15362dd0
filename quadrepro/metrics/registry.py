"""All metrics by the names that configs give them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from quadrepro import extensions
from quadrepro._typing import Task
from quadrepro.errors import nearest
from quadrepro.metrics.metric import Metric
from quadrepro.metrics.own import METRICS

LISTING = "docs/metrics.md"
"""Where the names stand."""


@cache
def find_metric(name: str) -> Metric:
    """Return a metric.

    Parameters
    ----------
    name : str
        One of `METRICS`, one of scikit-learn's scorers, or one of an extension.

    Raises
    ------
    KeyError
        If there is none; the message gives the nearest name.
    ConfigError
        If an extension cannot be used.

    Examples
    --------
    >>> find_metric("log_loss").greater_is_better, find_metric("neg_log_loss").greater_is_better
    (False, True)
    """
    if name in METRICS:
        return METRICS[name]
    # scikit-learn takes long to import.
    from sklearn.metrics import get_scorer_names

    from quadrepro.metrics.scorers import metric_of_scorer, scorer_names

    names = scorer_names()
    if name in names:
        return metric_of_scorer(name)
    if added := extensions.load("metrics", name, Metric):
        return added
    unknown = f"unknown metric {name!r}"
    if name in get_scorer_names():
        unknown = f"{name} judges clusters, or several labels per example"
    known = (*METRICS, *names, *extensions.names("metrics"))
    raise KeyError(f"{unknown}{nearest(name, known, LISTING)}")


def fault_of_task(name: str, tasks: Iterable[Task]) -> str:
    """Return why a metric can judge none of some tasks, or an empty text.

    Parameters
    ----------
    name : str
        The metric.
    tasks : iterable of {"classification", "multiclass", "regression"}
        What is predicted.
    """
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
