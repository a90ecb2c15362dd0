"""Noise on attributes."""

from __future__ import annotations

import numpy as np

from quadrepro._typing import FloatArray


def add_noise(
    X: FloatArray,
    rng: np.random.Generator,
    deviation: float,
    contrast: float = 1.0,
) -> FloatArray:
    """Add normal noise to every attribute, clipped to its range.

    x' = clip(x + N(0, deviation²) · range, min, max) (CB-Boost, section 5.4 and appendix F).

    Parameters
    ----------
    X : ndarray of float64, shape (n_rows, n_attributes)
        Finite numbers or NaN; NaN stays NaN.
    rng : numpy.random.Generator
        The same generator gives the same standard normal numbers for every deviation.
    deviation : float
        Standard deviation of the noise, as a share of the attribute's range.
    contrast : float, default 1.0
        The share of their range that values are narrowed to, about its middle, before noise is
        added.

    Returns
    -------
    ndarray of float64, shape (n_rows, n_attributes)
    """
    seen = ~np.isnan(X)
    low = np.where(seen, X, np.inf).min(axis=0)
    high = np.where(seen, X, -np.inf).max(axis=0)
    # A column without values has no range, and stays NaN.
    low, high = np.where(low > high, 0.0, low), np.where(low > high, 0.0, high)
    middle = (low + high) / 2
    noise = deviation * (high - low) * rng.standard_normal(X.shape)
    narrowed = X if contrast == 1.0 else middle + contrast * (X - middle)
    return np.clip(narrowed + noise, low, high)
