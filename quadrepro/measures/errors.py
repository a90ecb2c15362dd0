"""Errors, risks and sizes, straight from the scores and the weights."""

from __future__ import annotations

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.measures.trained import Trained


def train_error(trained: Trained) -> FloatArray:
    """Return the share of training examples that each candidate gets wrong."""
    return np.asarray(trained.wrong.mean(axis=1))


def train_error_with_positive_ties(trained: Trained) -> FloatArray:
    """Return the share of training examples that are wrong if a sum of zero counts as positive."""
    return np.asarray(trained.wrong_if_ties_are_positive.mean(axis=1))


def test_error(trained: Trained) -> FloatArray:
    """Return the share of test examples that each candidate gets wrong."""
    return np.asarray(trained.test_wrong.mean(axis=1))


def train_mse(trained: Trained) -> FloatArray:
    """Return the mean squared error on the training examples."""
    return np.asarray(((trained.scores - trained.y) ** 2).mean(axis=1))


def test_mse(trained: Trained) -> FloatArray:
    """Return the mean squared error on the test examples."""
    return np.asarray(((trained.test_scores - trained.y_test) ** 2).mean(axis=1))


def quadratic_risk(trained: Trained) -> FloatArray:
    """Return the mean of (1 - y F)² on the training examples."""
    return np.asarray(((1 - trained.plain_margins) ** 2).mean(axis=0))


def voters(trained: Trained) -> FloatArray:
    """Return the number of voters with a weight."""
    return trained.sizes.astype(np.float64)
