"""Losses of a classifier's scores on test examples, also of truncated scores (Re-scale boosting).

The truncation π_M f = min(M, |f|) sgn(f) keeps scores within M, the largest |y| (section III). For
the labels -1 and +1, M is 1.
"""

from __future__ import annotations

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.measure import Trained, mean, measure


@measure("test logistic loss")
def test_logistic_loss(t: Trained) -> FloatArray:
    """Return the mean of ln(1 + exp(-y F)) on the test examples."""
    return _logistic(t.test_scores, t.y_test)


@measure("test logistic loss, truncated")
def truncated_logistic_loss(t: Trained) -> FloatArray:
    """Return the mean of ln(1 + exp(-y π_1 F)) on the test examples."""
    return _logistic(np.clip(t.test_scores, -1, 1), t.y_test)


@measure("test exponential loss")
def test_exponential_loss(t: Trained) -> FloatArray:
    """Return the mean of exp(-y F) on the test examples."""
    return mean(np.exp(-t.y_test * t.test_scores), 1)


@measure("test exponential loss, truncated")
def truncated_exponential_loss(t: Trained) -> FloatArray:
    """Return the mean of exp(-y π_1 F) on the test examples."""
    return mean(np.exp(-t.y_test * np.clip(t.test_scores, -1, 1)), 1)


def _logistic(scores: FloatArray, y: FloatArray) -> FloatArray:
    return mean(np.logaddexp(0.0, -y * scores), 1)
