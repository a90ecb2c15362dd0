"""scikit-learn's checks of arrays, for numbers of the whole range of float64."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data


def validated(estimator: Any, *arrays: Any, **options: Any) -> Any:
    """Return arrays as `sklearn.utils.validation.validate_data` does, without warnings.

    Its search for infinite numbers adds all numbers up, so it would warn of sums beyond 1.8e308.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return validate_data(estimator, *arrays, dtype=np.float64, **options)
