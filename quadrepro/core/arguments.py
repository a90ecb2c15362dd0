"""scikit-learn's checks of arrays and weights, for numbers of the whole range of float64."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import get_tags
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import _check_sample_weight, validate_data

from quadrepro.base.types import FloatArray

ClassWeight = Literal["balanced"] | dict[Any, float] | None


def validated_data(estimator: Any, *arrays: Any, **options: Any) -> Any:
    """Return arrays as `sklearn.utils.validation.validate_data` does, without warnings.

    The estimator's tags determine which arrays are valid. The search for infinite numbers adds up
    all numbers, so it would warn of sums beyond 1.8e308.
    """
    tags = get_tags(estimator).input_tags
    options["accept_sparse"] = "csr" if tags.sparse else False
    options["ensure_all_finite"] = "allow-nan" if tags.allow_nan else True
    with np.errstate(over="ignore", invalid="ignore"):
        return validate_data(estimator, *arrays, dtype=np.float64, **options)


def check_leaf(share: float) -> None:
    """Raise ValueError unless a least share of the weight in a leaf is between 0 and 0.5."""
    if not 0 <= share <= 0.5:
        raise ValueError(f"min_weight_fraction_leaf must be between 0 and 0.5, not {share}")


def weighted_examples(
    X: FloatArray,
    y: NDArray[Any],
    sample_weight: ArrayLike | None,
    class_weight: ClassWeight = None,
) -> tuple[FloatArray, NDArray[Any], FloatArray | None]:
    """Return the examples with positive weight, their labels and their weights.

    The shapes are (n_examples, n_features), (n_examples,) and (n_examples,); weights that are all 1
    become None. Examples of weight zero affect neither ranges of attributes nor classes.
    """
    if sample_weight is None and class_weight is None:
        return X, y, None
    weights = np.asarray(
        _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    )
    counted = weights > 0
    if not counted.any():
        raise ValueError("the weights of all examples are zero")
    if not counted.all():
        X, y, weights = X[counted], y[counted], weights[counted]
    if class_weight is not None:
        weights = weights * _factors(y, weights, class_weight)
    return X, y, None if (weights == 1.0).all() else weights


def _factors(y: NDArray[Any], weights: FloatArray, class_weight: ClassWeight) -> FloatArray:
    """Return the factor of each example's weight, shape (n_examples,)."""
    labels, codes = np.unique(y, return_inverse=True)
    if isinstance(class_weight, str) and class_weight == "balanced":
        totals = np.bincount(codes, weights)
        factors = totals.sum() / (len(labels) * totals)
    else:
        factors = compute_class_weight(class_weight, classes=labels, y=y)
        if not (np.isfinite(factors).all() and (factors > 0).all()):
            raise ValueError(f"class_weight must be positive and finite, not {class_weight}")
    return np.asarray(factors[codes], dtype=np.float64)
