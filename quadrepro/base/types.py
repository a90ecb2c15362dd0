"""Names of the array types that signatures use."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
NumberArray = NDArray[np.floating[Any] | np.integer[Any]]

Targets = IntArray | FloatArray
"""Class codes, or numbers that are predicted."""

Task = Literal["classification", "multiclass", "regression"]
"""Kind of target: one of two classes, one of more classes, or a number."""

Need = Literal["predictions", "scores", "probabilities"]
"""Input of a metric: predicted targets, scores that order examples, or class probabilities."""
