"""Noise on attributes, to see what learners make of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def add_noise(
    X: NDArray[np.float64],
    rng: np.random.Generator,
    deviation: float,
    contrast: float = 1.0,
) -> NDArray[np.float64]:
    """Add normal noise to every attribute, clipped to the range that it had.

    x' = clip(x + N(0, deviation²) · range, min, max) (CB-Boost, section 5.4 and appendix F).

    Parameters
    ----------
    X : ndarray of float64, shape (n_rows, n_attributes)
        Finite or NaN; NaN stays.
    rng : numpy.random.Generator
        The same draws serve every deviation.
    deviation : float
        Standard deviation, as a share of the attribute's range.
    contrast : float, default 1.0
        The values are first narrowed to this share of their range, about its middle.

    Returns
    -------
    ndarray of float64, shape (n_rows, n_attributes)
    """
    seen = ~np.isnan(X)
    low = np.where(seen, X, np.inf).min(axis=0)
    high = np.where(seen, X, -np.inf).max(axis=0)
    # Where nothing is seen there is no range, and all stays NaN.
    low, high = np.where(low > high, 0.0, low), np.where(low > high, 0.0, high)
    middle = (low + high) / 2
    noise = deviation * (high - low) * rng.standard_normal(X.shape)
    narrowed = X if contrast == 1.0 else middle + contrast * (X - middle)
    return np.clip(narrowed + noise, low, high)
