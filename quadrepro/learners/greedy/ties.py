"""Which voter a greedy round picks if several are equally good: the one of lowest index.

Scores that are equal in exact arithmetic differ by rounding errors, so voters tie whose scores
differ by at most a share `TIE` of the largest. Example weights are summed as whole numbers and tie
within as many units, see `quadrepro.learners.greedy.example_weights`.
"""

from __future__ import annotations

import numpy as np

from quadrepro._typing import FloatArray, IntArray

TIE = 1e-9
"""Voters whose scores differ by at most this share tie, and the one of lowest index is picked."""


def first_of_largest(scores: FloatArray) -> IntArray:
    """Return the lowest index in each row whose score is the largest, up to `TIE`.

    Parameters
    ----------
    scores : ndarray of shape (n_trajectories, n_voters)
    """
    largest = np.maximum.reduce(scores, axis=1, keepdims=True)
    # Rounding may leave no score above zero.
    least = np.minimum(largest, largest * (1.0 - TIE))
    return np.asarray((scores >= least).argmax(axis=1))
