"""Learners of equal expected risk on made-up data, and splits of these data.

A learner predicts the nearer class mean. Two that see different attributes of the same distribution
have the same expected risk, and their errors are correlated as those of real learners are: by the
splits, and by the labels.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from quadrepro.base.types import FloatArray

BoolArray = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


def problem(
    rng: Generator, n: int, shifts: tuple[float, ...], share: float = 0.5, size: int = 4
) -> tuple[FloatArray, BoolArray]:
    """Return attributes, a block of `size` for each shift between the classes, and labels."""
    y = rng.random(n) < share
    y[:2] = True, False
    return rng.normal(size=(n, size * len(shifts))) + np.outer(y, np.repeat(shifts, size)), y


def random_splits(rng: Generator, n: int, splits: int, n_test: int) -> BoolArray:
    """Return which examples each random split tests, shape (splits, n)."""
    return rng.random((splits, n)).argsort(axis=1) < n_test


def stratified_splits(rng: Generator, y: BoolArray, splits: int, share: float) -> BoolArray:
    """Return the same with the classes divided alike in every split."""
    tested = np.zeros((splits, len(y)), dtype=np.bool_)
    for of_class in (y, ~y):
        n = int(of_class.sum())
        tested[:, of_class] = random_splits(rng, n, splits, round(share * n))
    return tested


def folds(rng: Generator, n: int, k: int = 10, repeats: int = 1) -> BoolArray:
    """Return which examples each fold of repeated cross-validations tests."""
    places = rng.random((repeats, n)).argsort(axis=1) % k
    tested: BoolArray = places[:, None, :] == np.arange(k)[:, None]
    return tested.reshape(repeats * k, n)


def wrong_of_means(X: FloatArray, y: BoolArray, tested: BoolArray) -> BoolArray:
    """Return which examples are tested and wrong if the nearer class mean is predicted."""
    one, zero = (~tested & of_class for of_class in (y, ~y))
    mean_one, mean_zero = (
        part @ X / np.maximum(part.sum(axis=1, keepdims=True), 1) for part in (one, zero)
    )
    lean = mean_one - mean_zero
    middle = (lean * (mean_one + mean_zero)).sum(axis=1) / 2
    wrong: BoolArray = ((lean @ X.T > middle[:, None]) != y) & tested
    return wrong


def wrong_of_majority(y: BoolArray, tested: BoolArray) -> BoolArray:
    """Return which examples are tested and wrong if the larger class of the rest is predicted."""
    larger = (~tested & y).sum(axis=1) > (~tested & ~y).sum(axis=1)
    wrong: BoolArray = (larger[:, None] != y) & tested
    return wrong


def risks(wrong: BoolArray, tested: BoolArray) -> FloatArray:
    """Return the risk of each split."""
    return np.asarray(wrong.sum(axis=1) / tested.sum(axis=1))
