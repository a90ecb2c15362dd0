"""Ensembles of scikit-learn that grow: one fit gives what each of several sizes would predict."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from quadrepro._typing import FloatArray, Targets
from quadrepro.learners.contestants.packages import package_of
from quadrepro.learners.contestants.predicting import predict


def size_name(estimator: Any) -> str:
    """Return the parameter with the size of an ensemble that can grow; "" for other estimators.

    Parameters
    ----------
    estimator : estimator of scikit-learn
        Not fitted.
    """
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
    found: dict[Any, Targets] = {}
    estimator.set_params(warm_start=True)
    for size in sorted(sizes):
        found[size] = predict(estimator.set_params(**{name: size}).fit(X, y), X_new)
    return found
