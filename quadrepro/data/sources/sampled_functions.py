"""Samples of known regression functions with normal noise.

As in `quadrepro.data.sources.sampled`, samples are the same on every platform.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.data.canonical import RawTable
from quadrepro.data.sources.sampled import DECIMALS, as_table, normals, seeded, uniforms

Measured = tuple[FloatArray, FloatArray]


def draw_m1(rng: np.random.Generator, rows: int, sigma: float, low: float = -0.25) -> Measured:
    """Draw `m1_mean` of one input, uniform on [-2, 2], with normal noise.

    The lowest mean squared error is sigma².

    Parameters
    ----------
    rng : numpy.random.Generator
    rows : int
        Number of examples. A longer sample begins with the shorter one.
    sigma : float
        Standard deviation of the noise.
    low : float, default -0.25
        See `m1_mean`.

    Returns
    -------
    X : ndarray of shape (rows, 1)
    y : ndarray of shape (rows,)
    """
    return _measured(rng, rows, 1, sigma, lambda X: m1_mean(X, low))


def draw_m2(rng: np.random.Generator, rows: int, sigma: float) -> Measured:
    """Draw `m2_mean` of ten inputs, each uniform on [-2, 2], with normal noise.

    The lowest mean squared error is sigma².

    Parameters
    ----------
    rng : numpy.random.Generator
    rows : int
        Number of examples. A longer sample begins with the shorter one.
    sigma : float
        Standard deviation of the noise.

    Returns
    -------
    X : ndarray of shape (rows, 10)
    y : ndarray of shape (rows,)
    """
    return _measured(rng, rows, 10, sigma, m2_mean)


def draw_sparse(rng: np.random.Generator, rows: int, sigma: float) -> Measured:
    """Draw `sparse_mean` of ten inputs, each uniform on [-2, 2], with normal noise.

    The lowest mean squared error is sigma².

    Parameters
    ----------
    rng : numpy.random.Generator
    rows : int
        Number of examples. A longer sample begins with the shorter one.
    sigma : float
        Standard deviation of the noise.

    Returns
    -------
    X : ndarray of shape (rows, 10)
    y : ndarray of shape (rows,)
    """
    return _measured(rng, rows, 10, sigma, sparse_mean)


def m1_mean(X: FloatArray, low: float = -0.25) -> FloatArray:
    """Return 10 √-x sin(8πx) if low ≤ x < 0, otherwise 0.

    Equation 10 of "Re-scale boosting for regression and classification" (S. Lin, Y. Wang and
    L. Xu, 2015), after A. Bagirov, C. Clausen and M. Kohler, "An L2-boosting algorithm for
    estimation of a regression function", IEEE Transactions on Information Theory 56, 2010.

    Parameters
    ----------
    X : ndarray of shape (n_examples, 1)
    low : float, default -0.25
        The start of the wave, which the printed equation 10 lacks.

    Returns
    -------
    ndarray of shape (n_examples,)
    """
    x = X[:, 0]
    wave = 10 * np.sqrt(np.maximum(-x, 0)) * np.sin(8 * np.pi * x)
    return np.where((low <= x) & (x < 0), wave, 0.0)


def m2_mean(X: FloatArray) -> FloatArray:
    """Return Σⱼ (-1)^(j-1) xⱼ sin(xⱼ²), equation 11 of the paper cited in `m1_mean`.

    Parameters
    ----------
    X : ndarray of shape (n_examples, 10)

    Returns
    -------
    ndarray of shape (n_examples,)
    """
    terms = X * np.sin(X**2)
    mean: FloatArray = terms[:, ::2].sum(axis=1) - terms[:, 1::2].sum(axis=1)
    return mean


def sparse_mean(X: FloatArray) -> FloatArray:
    """Return Σⱼ sign(xⱼ - tⱼ)/j over j = 1, …, 5 with tⱼ = (j - 3)/2: a vote of five stumps.

    This target is in the span of a few weak learners, the assumption of the rate of convergence in
    "Re-scale boosting for regression and classification" (Theorem 1).

    Parameters
    ----------
    X : ndarray of shape (n_examples, 10)

    Returns
    -------
    ndarray of shape (n_examples,)
    """
    j = np.arange(1, 6)
    mean: FloatArray = np.where(X[:, :5] > (j - 3) / 2, 1.0, -1.0) @ (1.0 / j)
    return mean


def m1(rows: int, sigma: float, seed: int, low: float = -0.25) -> RawTable:
    """Return a sample of `draw_m1`, drawn with PCG64 and a seed."""
    return as_table(*draw_m1(seeded(seed), rows, sigma, low))


def m2(rows: int, sigma: float, seed: int) -> RawTable:
    """Return a sample of `draw_m2`, drawn with PCG64 and a seed."""
    return as_table(*draw_m2(seeded(seed), rows, sigma))


def sparse(rows: int, sigma: float, seed: int) -> RawTable:
    """Return a sample of `draw_sparse`, drawn with PCG64 and a seed."""
    return as_table(*draw_sparse(seeded(seed), rows, sigma))


def _measured(
    rng: np.random.Generator,
    rows: int,
    n_inputs: int,
    sigma: float,
    mean: Callable[[FloatArray], FloatArray],
) -> Measured:
    U = uniforms(rng, rows, n_inputs + 1)
    X = (4 * U[:, :-1] - 2).round(DECIMALS)
    # The mean is that of the rounded inputs, which learners see.
    return X, (mean(X) + sigma * normals(U[:, -1])).round(DECIMALS)
