"""What a fitted estimator says of new examples, with one column for every class of the problem."""

from __future__ import annotations

from typing import Any

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.learners.contestants.predicting import predict, predict_proba
from quadrepro.learners.training import Outputs, TrainingData


def estimator_outputs(
    estimator: Any, labels: FloatArray | None, data: TrainingData, X_new: Any
) -> Outputs:
    """Return what a fitted estimator says of new examples.

    Parameters
    ----------
    estimator : estimator with the interface of scikit-learn
        Fitted to the training part.
    labels : ndarray of shape (n_seen,) or None
        The labels of the training part, whose indices it was given; None for numbers.
    data : TrainingData
        The examples of the cell.
    X_new : ndarray of shape (n_new, n_attributes)
        New examples.

    Returns
    -------
    Outputs
        Scores are those of ``decision_function`` and probabilities those of ``predict_proba``, if
        the estimator has them. A class that the training part lacks has the score -inf and the
        probability 0.
    """
    if labels is None:
        return Outputs(predict(estimator, X_new).astype(np.float64))
    seen = np.asarray(labels > 0 if data.task == "classification" else labels, dtype=np.intp)
    found = scores = probabilities = None
    if hasattr(estimator, "predict_proba"):
        found = predict_proba(estimator, X_new)
        probabilities = np.zeros((len(found), data.n_classes))
        probabilities[:, seen] = found
    if hasattr(estimator, "decision_function") and not _is_of_pairs(estimator):
        scores = _scores(np.asarray(estimator.decision_function(X_new), np.float64), seen, data)
    predicted = predict(estimator, X_new, found)
    return Outputs(seen[predicted.astype(np.intp)], scores, probabilities)


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
