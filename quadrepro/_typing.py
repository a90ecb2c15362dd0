"""Names of the array types that signatures use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
NumberArray = NDArray[np.floating[Any] | np.integer[Any]]
