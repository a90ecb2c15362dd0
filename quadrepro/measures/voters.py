"""What is measured of the voters behind a vote: how many differ, and what error they could take.

The residual correlation of a voter h is the mean of (y - F) h, the negative slope of half the mean
squared error along h.
"""

from __future__ import annotations

import numpy as np

from quadrepro._typing import BoolArray, FloatArray
from quadrepro.measures.trained import Trained
from quadrepro.voters.reduction import reduce_problem

EQUAL = 1e-9
"""Voters whose mean product is within this of 1 or -1 are equal or complements."""


def distinct_voters(trained: Trained) -> FloatArray:
    """Return the number of voters that differ, up to sign, on the training examples."""
    return trained.constant(reduce_problem(trained.voters, trained.y).n_voters)


def correlation_in_vote(trained: Trained) -> FloatArray:
    """Return the largest residual correlation, in size, of a voter in the vote; 0 without one."""
    return _largest(trained, within=True)


def correlation_of_others(trained: Trained) -> FloatArray:
    """Return the largest residual correlation, in size, of a voter unlike those in the vote."""
    return _largest(trained, within=False)


def _largest(trained: Trained, *, within: bool) -> FloatArray:
    H, residuals = trained.voters, trained.y - trained.scores
    sizes = np.abs(residuals @ H) / len(trained.y)
    chosen = np.stack([_like(H, weights) == within for weights in trained.votes])
    return np.asarray(np.where(chosen, sizes, 0.0).max(axis=1))


def _like(H: FloatArray, weights: FloatArray) -> BoolArray:
    """Return which voters are equal to one with a weight, up to sign."""
    products = H[:, weights != 0].T @ H / len(H)
    return np.asarray((np.abs(products) >= 1 - EQUAL).any(axis=0))
