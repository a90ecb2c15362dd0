"""Samples of known distributions, whose Bayes error is known as well.

The same generator gives the same sample on every platform. numpy guarantees the raw words of a bit
generator but not the results of `Generator.normal`, so the words are converted to uniform numbers
here, and to normal ones by the inverse of the distribution function. Values are rounded to four
decimals, as in DELVE's files, since platforms differ in the last bits of a sine and a hash would
depend on them. The bit generator must have 64-bit words, as PCG64, numpy's default, has.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadrepro._typing import FloatArray
from quadrepro.data.canonical import Column, RawTable, nominal_column, numeric_column
from quadrepro.data.schema import Attribute

Labelled = tuple[FloatArray, NDArray[np.int64]]

DECIMALS = 4
"""Number of decimals of sampled values."""
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
    U = uniforms(rng, rows, 21)
    y = (2 * U[:, 0]).astype(np.int64)
    X = np.where(y == 0, _SHIFT, -_SHIFT)[:, None] + normals(U[:, 1:])
    return X.round(DECIMALS), y


def draw_ringnorm(rng: np.random.Generator, rows: int) -> Labelled:
    """Draw from two normal distributions, a narrow one within a wide one.

    Class 0 is N(0, 4 I) and class 1 is N(a, I) in 20 dimensions, where each entry of a is 2 / √20;
    both are equally likely (Breiman 1996, as for `draw_twonorm`). The Bayes rule predicts 1 if
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
    U = uniforms(rng, rows, 21)
    y = (2 * U[:, 0]).astype(np.int64)
    Z = normals(U[:, 1:])
    X = np.where((y == 0)[:, None], 2 * Z, _SHIFT + Z)
    return X.round(DECIMALS), y


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
    U = uniforms(rng, rows, 23)
    y = (3 * U[:, 0]).astype(np.int64)
    share = U[:, 1:2]
    X = share * _WAVES[y, 0] + (1 - share) * _WAVES[y, 1] + normals(U[:, 2:])
    return X.round(DECIMALS), y


def draw_orange(rng: np.random.Generator, n_per_class: int, noise_inputs: int) -> Labelled:
    """Draw the orange data: points around a centre, and a ring around them.

    All inputs are standard normal; in class 2 the first two are conditioned on
    4.5 ≤ x₁² + x₂² ≤ 8 (J. Zhu, S. Rosset, T. Hastie and R. Tibshirani, "1-norm support vector
    machines", NIPS 16, 2003). The Bayes rule predicts class 2 in the ring. Its error is
    (exp(-2.25) - exp(-4)) / 2, that is 4.354 %, for any number of noise inputs.

    Parameters
    ----------
    rng : numpy.random.Generator
    n_per_class : int
        Number of examples of each class.
    noise_inputs : int
        Number of inputs other than the first two.

    Returns
    -------
    X : ndarray of shape (2 * n_per_class, 2 + noise_inputs)
        The examples of class 1, then those of class 2.
    y : ndarray of int, shape (2 * n_per_class,)
        1 or 2.
    """
    disc = normals(uniforms(rng, n_per_class, 2))
    ring = np.empty((0, 2))
    while len(ring) < n_per_class:
        # Rounded before the choice, so that all points that are kept are in the ring.
        points = normals(uniforms(rng, 1024, 2)).round(DECIMALS)
        squares = (points**2).sum(axis=1)
        ring = np.vstack([ring, points[(squares >= 4.5) & (squares <= 8)]])
    noise = normals(uniforms(rng, 2 * n_per_class, noise_inputs))
    X = np.hstack([np.vstack([disc, ring[:n_per_class]]), noise])
    return X.round(DECIMALS), np.repeat([1, 2], n_per_class)


def twonorm(rows: int, seed: int) -> RawTable:
    """Return a sample of `draw_twonorm`, drawn with PCG64 and a seed."""
    return as_table(*draw_twonorm(seeded(seed), rows))


def ringnorm(rows: int, seed: int) -> RawTable:
    """Return a sample of `draw_ringnorm`, drawn with PCG64 and a seed."""
    return as_table(*draw_ringnorm(seeded(seed), rows))


def waveform(rows: int, seed: int) -> RawTable:
    """Return a sample of `draw_waveform`, drawn with PCG64 and a seed."""
    return as_table(*draw_waveform(seeded(seed), rows))


def orange(n_per_class: int, noise_inputs: int, seed: int) -> RawTable:
    """Return a sample of `draw_orange`, drawn with PCG64 and a seed."""
    return as_table(*draw_orange(seeded(seed), n_per_class, noise_inputs))


def seeded(seed: int) -> np.random.Generator:
    """Return the generator for the sample of a card."""
    return np.random.Generator(np.random.PCG64(seed))


def uniforms(rng: np.random.Generator, rows: int, columns: int) -> FloatArray:
    """Return uniform numbers strictly between 0 and 1, shape (rows, columns)."""
    words = rng.bit_generator.random_raw(rows * columns).reshape(rows, columns)
    # With 52 bits, adding a half is exact. Neither 0 nor 1 occurs, so normal numbers are finite.
    return ((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def normals(U: FloatArray) -> FloatArray:
    """Convert uniform numbers to standard normal ones."""
    from scipy.special import ndtri

    normals: FloatArray = ndtri(U)
    return normals


def as_table(X: FloatArray, y: NDArray[np.int64] | FloatArray) -> RawTable:
    """Return a sample as a table with attributes x1, x2 and so on."""
    columns: dict[str, Column] = {f"x{j}": numeric_column(x) for j, x in enumerate(X.T, start=1)}
    return RawTable(
        tuple(Attribute(name=name, kind="numeric") for name in columns),
        columns,
        numeric_column(y) if y.dtype.kind == "f" else nominal_column(map(str, y.tolist())),
    )
