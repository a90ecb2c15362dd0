"""What a fitted estimator predicts, as scikit-learn has it but quicker for averages of trees.

Such an ensemble predicts the class of the highest mean probability, so one pass gives both. Bagging
copies all rows for every tree, which takes longer than the trees unless they fit in the cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import gen_batches

from quadrepro._typing import FloatArray, Targets
from quadrepro.learners.contestants.packages import package_of

BAGGING = "BaggingClassifier"
# They predict the class of the highest mean probability.
AVERAGES = (BAGGING, "ExtraTreesClassifier", "RandomForestClassifier")

BLOCK_BYTES = 4_000_000
"""About the size of the rows that are predicted at a time."""


def predict(estimator: Any, X: Any, probabilities: FloatArray | None = None) -> Targets:
    """Return what a fitted estimator predicts.

    Parameters
    ----------
    estimator : estimator with the interface of scikit-learn
        Fitted to one target.
    X : ndarray of shape (n_examples, n_attributes) or data frame
        Examples.
    probabilities : ndarray of shape (n_examples, n_classes), optional
        Those of `predict_proba`, if they are known.

    Returns
    -------
    ndarray of shape (n_examples,)
    """
    if not _is_of(estimator, AVERAGES):
        return np.ravel(estimator.predict(X))
    found = predict_proba(estimator, X) if probabilities is None else probabilities
    return np.asarray(estimator.classes_[found.argmax(axis=1)])


def predict_proba(estimator: Any, X: Any) -> FloatArray:
    """Return the class probabilities of a fitted classifier, which has ``predict_proba``."""
    if not _is_bagging_of_trees(estimator) or not isinstance(X, np.ndarray):
        return np.asarray(estimator.predict_proba(X), dtype=np.float64)
    n_rows = max(1, BLOCK_BYTES // (X.itemsize * X.shape[1]))
    return np.concatenate(
        [estimator.predict_proba(X[rows]) for rows in gen_batches(len(X), n_rows)]
    )


def _is_bagging_of_trees(estimator: Any) -> bool:
    # What multiplies matrices could round differently in blocks.
    trees = DecisionTreeClassifier
    return _is_of(estimator, (BAGGING,)) and isinstance(estimator.estimator_, trees)


def _is_of(estimator: Any, names: tuple[str, ...]) -> bool:
    return package_of(estimator) == "sklearn" and type(estimator).__name__ in names
