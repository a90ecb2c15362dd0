"""The algorithms line by line as printed, with trees of scikit-learn; F after every round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from quadrepro.base.types import FloatArray, IntArray

EPS = np.finfo(float).eps
Run = Callable[..., list[FloatArray]]


def real_adaboost(
    X: Any, y: IntArray, c: FloatArray, n_rounds: int, **size: int
) -> list[FloatArray]:
    signs, w = 2 * y - 1, c / c.sum()
    F, found = np.zeros(len(X)), []
    for _ in range(n_rounds):
        tree = DecisionTreeClassifier(**size).fit(X, y, w)
        p = np.maximum(tree.predict_proba(X), EPS)
        f = 0.5 * np.log(p[:, 1] / p[:, 0])
        w = w * np.exp(-signs * f)
        w /= w.sum()
        F = F + f
        found.append(F)
    return found


def gentle_adaboost(
    X: Any, y: IntArray, c: FloatArray, n_rounds: int, **size: int
) -> list[FloatArray]:
    signs, w = 2 * y - 1, c / c.sum()
    F, found = np.zeros(len(X)), []
    for _ in range(n_rounds):
        tree = DecisionTreeRegressor(**size).fit(X, signs, w)
        w = w * np.exp(-signs * tree.predict(X))
        w /= w.sum()
        F = F + tree.predict(X)
        found.append(F)
    return found


def logitboost(
    X: Any, y: IntArray, c: FloatArray, n_rounds: int, z_max: float = 4.0, **size: int
) -> list[FloatArray]:
    if y.max() > 1:
        return logitboost_of_classes(X, y, c, n_rounds, z_max, **size)
    F, found = np.zeros(len(y)), []
    for _ in range(n_rounds):
        p = 1 / (1 + np.exp(-2 * F))
        z = np.where(y == 1, np.minimum(1 / p, z_max), -np.minimum(1 / (1 - p), z_max))
        tree = DecisionTreeRegressor(**size)
        tree.fit(X, z, c * np.maximum(p * (1 - p), 2 * EPS))
        F = F + 0.5 * tree.predict(X)
        found.append(F)
    return found


def logitboost_of_classes(
    X: Any, y: IntArray, c: FloatArray, n_rounds: int, z_max: float, **size: int
) -> list[FloatArray]:
    J = y.max() + 1
    F, found = np.zeros((J, len(y))), []
    for _ in range(n_rounds):
        p = np.exp(F) / np.exp(F).sum(axis=0)
        f = np.empty(F.shape)
        for j in range(J):
            z = np.minimum(1 / p[j], z_max)
            z[y != j] = -np.minimum(1 / (1 - p[j]), z_max)[y != j]
            tree = DecisionTreeRegressor(**size)
            tree.fit(X, z, c * np.maximum(p[j] * (1 - p[j]), 2 * EPS))
            f[j] = tree.predict(X)
        F = F + (J - 1) / J * (f - f.mean(axis=0))
        found.append(F)
    return found


def first_of_equal(shares: FloatArray) -> IntArray:
    """Return the first class of largest share: repeated reweighting makes many of them equal."""
    return (shares >= shares.max(axis=1, keepdims=True) - 1e-10).argmax(axis=1)


def votes(
    X: Any, y: IntArray, c: FloatArray, n_rounds: int, bonus: float, **size: int
) -> list[FloatArray]:
    """Return SAMME's or M1's votes, for two classes half their difference."""
    K, w = y.max() + 1, c / c.sum()
    total, found = np.zeros((K, len(X))), []
    for _ in range(n_rounds):
        tree = DecisionTreeClassifier(**size).fit(X, y, w)
        voted = first_of_equal(tree.predict_proba(X))
        wrong = voted != y
        error = w[wrong].sum()
        alpha = np.log((1 - error) / error) + bonus
        if alpha <= 1e-10:
            break
        w = w * np.exp(alpha * wrong)
        w /= w.sum()
        total = total + alpha * (voted == np.arange(K)[:, None])
        found.append((total[1] - total[0]) / 2 if K == 2 else total)
    return found


def samme(X: Any, y: IntArray, c: FloatArray, n_rounds: int, **size: int) -> list[FloatArray]:
    return votes(X, y, c, n_rounds, float(np.log(y.max())), **size)


def adaboost_m1(X: Any, y: IntArray, c: FloatArray, n_rounds: int, **size: int) -> list[FloatArray]:
    return votes(X, y, c, n_rounds, 0.0, **size)
