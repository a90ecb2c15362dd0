"""scikit-learn's checks of arrays, for numbers of the whole range of float64."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import _check_sample_weight, validate_data

from quadrepro._typing import BoolArray, FloatArray


def validated(estimator: Any, *arrays: Any, **options: Any) -> Any:
    """Return arrays as `sklearn.utils.validation.validate_data` does, without warnings.

    Its search for infinite numbers adds all numbers up, so it would warn of sums beyond 1.8e308.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return validate_data(estimator, *arrays, dtype=np.float64, **options)


def counted_examples(
    X: Any, sample_weight: ArrayLike | None
) -> tuple[BoolArray | slice, FloatArray]:
    """Return which examples have a positive weight, and the weights of these.

    Without weights every example counts once. ValueError if a weight is negative or all are zero.
    """
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    rows = np.asarray(weights > 0)
    if not rows.any():
        raise ValueError("the weights of all examples are zero")
    return (slice(None), weights) if rows.all() else (rows, weights[rows])
