"""Noise on attributes."""

from __future__ import annotations

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.data.normalise import column_ranges

BLOCK = 128
"""Rows at a time, few enough for a processor's own memory."""


def add_noise(
    X: FloatArray,
    rng: np.random.Generator,
    deviation: float,
    contrast: float = 1.0,
    train: IntArray | None = None,
) -> FloatArray:
    """Add normal noise to every attribute, clipped to its range.

    x' = clip(x + N(0, deviation²) · range, min, max) (CB-Boost, section 5.4 and appendix F). The
    range is that of the training rows; another row whose value is beyond it is not taken further.

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
    train : ndarray of int, optional
        The training rows; by default all.

    Returns
    -------
    ndarray of float64, shape (n_rows, n_attributes)
    """
    # A column without values has no range, and stays NaN.
    low, high = column_ranges(X if train is None else X[train])
    middle, scale = (low + high) / 2, deviation * (high - low)
    noisy = np.empty_like(X)
    for start in range(0, len(X), BLOCK):
        rows = X[start : start + BLOCK]
        noise = rng.standard_normal(rows.shape) if deviation else np.zeros(rows.shape)
        noise *= scale
        still = rows if contrast == 1.0 else middle + contrast * (rows - middle)
        noise += still
        ends = (low, high) if train is None else (np.fmin(low, still), np.fmax(high, still))
        np.clip(noise, *ends, out=noisy[start : start + BLOCK])
    return noisy
