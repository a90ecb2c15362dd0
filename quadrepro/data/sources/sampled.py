"""Samples of distributions that are known exactly, and so is the lowest risk on them.

The same generator gives the same sample everywhere. numpy promises to keep the raw words of a bit
generator, but not what `Generator.normal` makes of them; so the words become uniform numbers here,
and normal ones by the inverse of their distribution function. Finished values are rounded to four
decimals, as DELVE's files are: platforms differ in the last bit of a sine, and a hash sees it.
The bit generator must be one of 64-bit words, such as PCG64, numpy's default.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from quadrepro.data.canonical import Column, RawTable, nominal_column, numeric_column
from quadrepro.data.schema import Attribute

Labelled = tuple[NDArray[np.float64], NDArray[np.int64]]
Measured = tuple[NDArray[np.float64], NDArray[np.float64]]

_DECIMALS = 4
_SHIFT = 2 / np.sqrt(20)
# The two waves of each class, shape (3, 2, 21).
_PEAKS = np.array([[7, 15], [7, 11], [11, 15]])
_WAVES = np.maximum(6.0 - np.abs(np.arange(1, 22) - _PEAKS[:, :, None]), 0.0)


def draw_twonorm(rng: np.random.Generator, rows: int) -> Labelled:
    """Draw from two normal distributions that differ in their means.

    Class 0 is N(a, I) and class 1 is N(-a, I) in 20 dimensions, where each entry of a is
    2 / √20; both are equally likely (L. Breiman, "Bias, variance, and arcing classifiers",
    technical report 460, University of California, Berkeley, 1996; labels as in DELVE's file).
    The Bayes error is Φ(-2) = 2.275 %.

    Parameters
    ----------
    rng : numpy.random.Generator
    rows : int
        Number of examples. A longer sample begins with the shorter one.

    Returns
    -------
    X : ndarray of shape (rows, 20)
    y : ndarray of int, shape (rows,)
        0 or 1.
    """
    U = _uniforms(rng, rows, 21)
    y = (2 * U[:, 0]).astype(np.int64)
    X = np.where(y == 0, _SHIFT, -_SHIFT)[:, None] + _normals(U[:, 1:])
    return X.round(_DECIMALS), y


def draw_ringnorm(rng: np.random.Generator, rows: int) -> Labelled:
    """Draw from two normal distributions, a narrow one within a wide one.

    Class 0 is N(0, 4 I) and class 1 is N(a, I) in 20 dimensions, where each entry of a is 2 / √20;
    both are equally likely (Breiman 1996, as for `draw_twonorm`). The Bayes rule says 1 where
    ‖x - 4a/3‖² < 8/3 (20 ln 2 + 2/3); its error is 1.240 %, from the noncentral chi-square
    distribution.

    Parameters
    ----------
    rng : numpy.random.Generator
    rows : int
        Number of examples. A longer sample begins with the shorter one.

    Returns
    -------
    X : ndarray of shape (rows, 20)
    y : ndarray of int, shape (rows,)
        0 or 1.
    """
    U = _uniforms(rng, rows, 21)
    y = (2 * U[:, 0]).astype(np.int64)
    Z = _normals(U[:, 1:])
    X = np.where((y == 0)[:, None], 2 * Z, _SHIFT + Z)
    return X.round(_DECIMALS), y


def draw_waveform(rng: np.random.Generator, rows: int) -> Labelled:
    """Draw mixtures of two out of three triangular waves, with noise.

    Attribute i = 1, …, 21 of a wave with its peak at p is max(6 - |i - p|, 0). An example is
    u times one wave and 1 - u times another, u uniform on [0, 1], plus standard normal noise in
    each attribute. The peaks are 7 and 15 for class 0, 7 and 11 for class 1, 11 and 15 for
    class 2; all classes are equally likely (L. Breiman, J. H. Friedman, R. A. Olshen and
    C. J. Stone, "Classification and regression trees", 1984, section 2.6.2; labels as in UCI's
    file). The Bayes error is 13.293 %, from an integral over the plane that the waves span.

    Parameters
    ----------
    rng : numpy.random.Generator
    rows : int
        Number of examples. A longer sample begins with the shorter one.

    Returns
    -------
    X : ndarray of shape (rows, 21)
    y : ndarray of int, shape (rows,)
        0, 1 or 2.
    """
    U = _uniforms(rng, rows, 23)
    y = (3 * U[:, 0]).astype(np.int64)
    share = U[:, 1:2]
    X = share * _WAVES[y, 0] + (1 - share) * _WAVES[y, 1] + _normals(U[:, 2:])
    return X.round(_DECIMALS), y


def draw_orange(rng: np.random.Generator, n_per_class: int, noise_inputs: int) -> Labelled:
    """Draw the orange data: a disc of points, and a ring like its skin.

    All inputs are standard normal; in class 2 the first two are conditioned on
    4.5 ≤ x₁² + x₂² ≤ 8 (J. Zhu, S. Rosset, T. Hastie and R. Tibshirani, "1-norm support vector
    machines", NIPS 16, 2003). The Bayes rule says 2 in the ring. It errs for half of
    exp(-2.25) - exp(-4), that is 4.354 %, whatever the number of noise inputs.

    Parameters
    ----------
    rng : numpy.random.Generator
    n_per_class : int
        Number of examples of each class.
    noise_inputs : int
        Number of inputs beside the first two.

    Returns
    -------
    X : ndarray of shape (2 * n_per_class, 2 + noise_inputs)
        The examples of class 1, then those of class 2.
    y : ndarray of int, shape (2 * n_per_class,)
        1 or 2.
    """
    disc = _normals(_uniforms(rng, n_per_class, 2))
    ring = np.empty((0, 2))
    while len(ring) < n_per_class:
        # Rounded before they are chosen, so that each that is kept lies in the ring.
        points = _normals(_uniforms(rng, 1024, 2)).round(_DECIMALS)
        squares = (points**2).sum(axis=1)
        ring = np.vstack([ring, points[(squares >= 4.5) & (squares <= 8)]])
    noise = _normals(_uniforms(rng, 2 * n_per_class, noise_inputs))
    X = np.hstack([np.vstack([disc, ring[:n_per_class]]), noise])
    return X.round(_DECIMALS), np.repeat([1, 2], n_per_class)


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


def m1_mean(X: NDArray[np.float64], low: float = -0.25) -> NDArray[np.float64]:
    """Return 10 √-x sin(8πx) where low ≤ x < 0, and 0 elsewhere.

    Equation 10 of "Re-scale boosting for regression and classification" (S. Lin, Y. Wang and
    L. Xu, 2015), after A. Bagirov, C. Clausen and M. Kohler, "An L2-boosting algorithm for
    estimation of a regression function", IEEE Transactions on Information Theory 56, 2010.

    Parameters
    ----------
    X : ndarray of shape (n_examples, 1)
    low : float, default -0.25
        Where the wave begins; the print of equation 10 lacks it.

    Returns
    -------
    ndarray of shape (n_examples,)
    """
    x = X[:, 0]
    wave = 10 * np.sqrt(np.maximum(-x, 0)) * np.sin(8 * np.pi * x)
    return np.where((low <= x) & (x < 0), wave, 0.0)


def m2_mean(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Σⱼ (-1)^(j-1) xⱼ sin(xⱼ²), equation 11 of the paper that `m1_mean` names.

    Parameters
    ----------
    X : ndarray of shape (n_examples, 10)

    Returns
    -------
    ndarray of shape (n_examples,)
    """
    terms = X * np.sin(X**2)
    mean: NDArray[np.float64] = terms[:, ::2].sum(axis=1) - terms[:, 1::2].sum(axis=1)
    return mean


def sparse_mean(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Σⱼ sign(xⱼ - tⱼ)/j over j = 1, …, 5 with tⱼ = (j - 3)/2: a vote of five stumps.

    A target in the span of few weak learners, for which "Re-scale boosting for regression and
    classification" states its rate of convergence (Theorem 1).

    Parameters
    ----------
    X : ndarray of shape (n_examples, 10)

    Returns
    -------
    ndarray of shape (n_examples,)
    """
    j = np.arange(1, 6)
    mean: NDArray[np.float64] = np.where(X[:, :5] > (j - 3) / 2, 1.0, -1.0) @ (1.0 / j)
    return mean


def twonorm(rows: int, seed: int) -> RawTable:
    """Return the table that `draw_twonorm` draws from PCG64 with a seed."""
    return as_table(*draw_twonorm(_seeded(seed), rows))


def ringnorm(rows: int, seed: int) -> RawTable:
    """Return the table that `draw_ringnorm` draws from PCG64 with a seed."""
    return as_table(*draw_ringnorm(_seeded(seed), rows))


def waveform(rows: int, seed: int) -> RawTable:
    """Return the table that `draw_waveform` draws from PCG64 with a seed."""
    return as_table(*draw_waveform(_seeded(seed), rows))


def orange(n_per_class: int, noise_inputs: int, seed: int) -> RawTable:
    """Return the table that `draw_orange` draws from PCG64 with a seed."""
    return as_table(*draw_orange(_seeded(seed), n_per_class, noise_inputs))


def m1(rows: int, sigma: float, seed: int, low: float = -0.25) -> RawTable:
    """Return the table that `draw_m1` draws from PCG64 with a seed."""
    return as_table(*draw_m1(_seeded(seed), rows, sigma, low))


def m2(rows: int, sigma: float, seed: int) -> RawTable:
    """Return the table that `draw_m2` draws from PCG64 with a seed."""
    return as_table(*draw_m2(_seeded(seed), rows, sigma))


def sparse(rows: int, sigma: float, seed: int) -> RawTable:
    """Return the table that `draw_sparse` draws from PCG64 with a seed."""
    return as_table(*draw_sparse(_seeded(seed), rows, sigma))


def _seeded(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def _uniforms(rng: np.random.Generator, rows: int, columns: int) -> NDArray[np.float64]:
    words = rng.bit_generator.random_raw(rows * columns).reshape(rows, columns)
    # With 52 bits the half is exact, so that neither 0 nor 1 occurs: no normal number is infinite.
    return ((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def _normals(U: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.special import ndtri

    normals: NDArray[np.float64] = ndtri(U)
    return normals


def _measured(
    rng: np.random.Generator,
    rows: int,
    n_inputs: int,
    sigma: float,
    mean: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> Measured:
    U = _uniforms(rng, rows, n_inputs + 1)
    X = (4 * U[:, :-1] - 2).round(_DECIMALS)
    # The mean of the rounded inputs, for those are what a learner sees.
    return X, (mean(X) + sigma * _normals(U[:, -1])).round(_DECIMALS)


def as_table(X: NDArray[np.float64], y: NDArray[np.int64] | NDArray[np.float64]) -> RawTable:
    """Return a sample as a table with the attributes x1, x2 and so on."""
    columns: dict[str, Column] = {f"x{j}": numeric_column(x) for j, x in enumerate(X.T, start=1)}
    return RawTable(
        tuple(Attribute(name=name, kind="numeric") for name in columns),
        columns,
        numeric_column(y) if y.dtype.kind == "f" else nominal_column(map(str, y.tolist())),
    )
