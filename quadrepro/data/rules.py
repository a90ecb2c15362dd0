"""Samples drawn by rule: two or more classes, or functions with noise.

A card's own sample has a seed; a protocol with `sample` draws a fresh one for every repeat. With
equal random numbers a longer sample begins with the shorter one, but for the orange data. Samples
are the same on every machine and with every version of numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import NamedTuple

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray
from quadrepro.data.canonical import RawTable, nominal_column, numeric_column
from quadrepro.data.card import Card
from quadrepro.data.schema import Attribute
from quadrepro.data.source import GeneratedSource
from quadrepro.errors import ConfigError, DataError, nearest

Labelled = tuple[FloatArray, NDArray[np.int64]]
Measured = tuple[FloatArray, FloatArray]

DECIMALS = 4
"""Number of decimals of sampled values."""

MOST_NOISE_INPUTS = 1000
"""Largest number of noise inputs of the orange data."""

_SHIFT = 2 / np.sqrt(20)
# The two waves of each class, shape (3, 2, 21).
_PEAKS = np.array([[7, 15], [7, 11], [11, 15]])
_WAVES = np.maximum(6.0 - np.abs(np.arange(1, 22) - _PEAKS[:, :, None]), 0.0)


def draw_twonorm(rng: Generator, rows: int) -> Labelled:
    """Draw from two normal distributions that differ in their means.

    Class 0 is N(a, I) and class 1 is N(-a, I) in 20 dimensions, where each entry of a is
    2 / √20; both are equally likely (L. Breiman, "Bias, variance, and arcing classifiers",
    technical report 460, University of California, Berkeley, 1996; labels as in DELVE's file).
    The Bayes error is Φ(-2) = 2.275 %.
    """
    U = uniforms(rng, rows, 21)
    y = (2 * U[:, 0]).astype(np.int64)
    X = np.where(y == 0, _SHIFT, -_SHIFT)[:, None] + normals(U[:, 1:])
    return X.round(DECIMALS), y


def draw_ringnorm(rng: Generator, rows: int) -> Labelled:
    """Draw from two normal distributions, a narrow one within a wide one.

    Class 0 is N(0, 4 I) and class 1 is N(a, I) in 20 dimensions, where each entry of a is 2 / √20;
    both are equally likely (Breiman 1996, as for `draw_twonorm`). The Bayes rule predicts 1 if
    ‖x - 4a/3‖² < 8/3 (20 ln 2 + 2/3); its error is 1.240 %, from the noncentral chi-square
    distribution.
    """
    U = uniforms(rng, rows, 21)
    y = (2 * U[:, 0]).astype(np.int64)
    Z = normals(U[:, 1:])
    X = np.where((y == 0)[:, None], 2 * Z, _SHIFT + Z)
    return X.round(DECIMALS), y


def draw_waveform(rng: Generator, rows: int) -> Labelled:
    """Draw mixtures of two out of three triangular waves, with noise.

    Attribute i = 1, …, 21 of a wave with its peak at p is max(6 - |i - p|, 0). An example is
    u times one wave and 1 - u times another, u uniform on [0, 1], plus standard normal noise in
    each attribute. The peaks are 7 and 15 for class 0, 7 and 11 for class 1, 11 and 15 for
    class 2; all classes are equally likely (L. Breiman, J. H. Friedman, R. A. Olshen and
    C. J. Stone, "Classification and regression trees", 1984, section 2.6.2; labels as in UCI's
    file). The Bayes error is 13.293 %, from an integral over the plane that the waves span.
    """
    U = uniforms(rng, rows, 23)
    y = (3 * U[:, 0]).astype(np.int64)
    share = U[:, 1:2]
    X = share * _WAVES[y, 0] + (1 - share) * _WAVES[y, 1] + normals(U[:, 2:])
    return X.round(DECIMALS), y


def draw_orange(rng: Generator, rows: int, noise_inputs: float) -> Labelled:
    """Draw the orange data: points around a centre, and a ring around them, half of rows each.

    All inputs are standard normal; in class 2 the first two are conditioned on
    4.5 ≤ x₁² + x₂² ≤ 8 (J. Zhu, S. Rosset, T. Hastie and R. Tibshirani, "1-norm support vector
    machines", NIPS 16, 2003). The Bayes rule predicts class 2 in the ring. Its error is
    (exp(-2.25) - exp(-4)) / 2, that is 4.354 %, for any number of noise inputs.
    """
    if rows % 2:
        raise ConfigError(f"half of the rows are in each class, but {rows} is an odd number")
    if not 0 <= noise_inputs <= MOST_NOISE_INPUTS or noise_inputs % 1:
        form = f"a whole number from 0 to {MOST_NOISE_INPUTS}"
        raise ConfigError(f"noise_inputs must be {form}, not {noise_inputs:g}")
    n_per_class = rows // 2
    disc = normals(uniforms(rng, n_per_class, 2))
    ring = np.empty((0, 2))
    while len(ring) < n_per_class:
        # Rounded before the choice, so that all points that are kept are in the ring.
        points = normals(uniforms(rng, 1024, 2)).round(DECIMALS)
        squares = (points**2).sum(axis=1)
        ring = np.vstack([ring, points[(squares >= 4.5) & (squares <= 8)]])
    noise = normals(uniforms(rng, rows, int(noise_inputs)))
    X = np.hstack([np.vstack([disc, ring[:n_per_class]]), noise])
    return X.round(DECIMALS), np.repeat([1, 2], n_per_class)


def draw_m1(rng: Generator, rows: int, sigma: float, low: float = -0.25) -> Measured:
    """Draw `m1_mean` of one input, uniform on [-2, 2], with normal noise.

    The lowest mean squared error is sigma².
    """
    return _measured(rng, rows, 1, sigma, lambda X: m1_mean(X, low))


def draw_m2(rng: Generator, rows: int, sigma: float) -> Measured:
    """Draw `m2_mean` of ten inputs, each uniform on [-2, 2], with normal noise.

    The lowest mean squared error is sigma².
    """
    return _measured(rng, rows, 10, sigma, m2_mean)


def draw_sparse(rng: Generator, rows: int, sigma: float) -> Measured:
    """Draw `sparse_mean` of ten inputs, each uniform on [-2, 2], with normal noise.

    The lowest mean squared error is sigma².
    """
    return _measured(rng, rows, 10, sigma, sparse_mean)


def m1_mean(X: FloatArray, low: float = -0.25) -> FloatArray:
    """Return 10 √-x sin(8πx) if low ≤ x < 0, otherwise 0.

    Equation 10 of "Re-scale boosting for regression and classification" (S. Lin, Y. Wang and
    L. Xu, 2015), after A. Bagirov, C. Clausen and M. Kohler, "An L2-boosting algorithm for
    estimation of a regression function", IEEE Transactions on Information Theory 56, 2010.
    """
    x = X[:, 0]
    wave = 10 * np.sqrt(np.maximum(-x, 0)) * np.sin(8 * np.pi * x)
    return np.where((low <= x) & (x < 0), wave, 0.0)


def m2_mean(X: FloatArray) -> FloatArray:
    """Return Σⱼ (-1)^(j-1) xⱼ sin(xⱼ²), equation 11 of the paper cited in `m1_mean`."""
    terms = X * np.sin(X**2)
    return np.asarray(terms[:, ::2].sum(axis=1) - terms[:, 1::2].sum(axis=1))


def sparse_mean(X: FloatArray) -> FloatArray:
    """Return Σⱼ sign(xⱼ - tⱼ)/j over j = 1, …, 5 with tⱼ = (j - 3)/2: a vote of five stumps.

    This target is in the span of a few weak learners, the assumption of the rate of convergence in
    "Re-scale boosting for regression and classification" (Theorem 1).
    """
    j = np.arange(1, 6)
    return np.asarray(np.where(X[:, :5] > (j - 3) / 2, 1.0, -1.0) @ (1.0 / j))


def _measured(
    rng: Generator, rows: int, n_inputs: int, sigma: float, mean: Callable[..., FloatArray]
) -> Measured:
    U = uniforms(rng, rows, n_inputs + 1)
    X = (4 * U[:, :-1] - 2).round(DECIMALS)
    # Learners see the rounded inputs, so the mean is computed from them.
    return X, (mean(X) + sigma * normals(U[:, -1])).round(DECIMALS)


def uniforms(rng: Generator, rows: int, columns: int) -> FloatArray:
    """Return uniform numbers strictly between 0 and 1, shape (rows, columns)."""
    words = rng.bit_generator.random_raw(rows * columns).reshape(rows, columns)
    # With 52 bits, adding a half is exact. Neither 0 nor 1 occurs, so normal numbers are finite.
    return ((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def normals(U: FloatArray) -> FloatArray:
    """Convert uniform numbers to standard normal ones."""
    from scipy.special import ndtri

    return np.asarray(ndtri(U))


class Rule(NamedTuple):
    """A rule: its sample, and for a regression the target without noise.

    `draw` takes a generator, the number of rows and the parameters of the rule; `mean` takes the
    inputs and those parameters that it has.
    """

    draw: Callable[..., Labelled | Measured]
    mean: Callable[..., FloatArray] | None = None


RULES: Mapping[str, Rule] = {
    "m1": Rule(draw_m1, m1_mean),
    "m2": Rule(draw_m2, m2_mean),
    "orange": Rule(draw_orange),
    "ringnorm": Rule(draw_ringnorm),
    "sparse": Rule(draw_sparse, sparse_mean),
    "twonorm": Rule(draw_twonorm),
    "waveform": Rule(draw_waveform),
}
"""The rules by name."""


def generate(source: GeneratedSource, card: Card) -> RawTable:
    """Return the rows of a card's own sample, drawn with PCG64 and its seed."""
    name, parameters = source.generator, source.parameters
    try:
        if name not in RULES:
            raise ConfigError(f"unknown generator {name!r}{nearest(name, RULES)}")
        return draw_fresh(name, parameters, [card.rows], Generator(PCG64(source.seed))).table
    except (TypeError, ConfigError) as error:
        raise DataError(f"the card of {card.name}: {name}: {error}") from error


@dataclass(frozen=True, eq=False)
class Fresh:
    """The rows of all parts in turn, and the targets of a regression without their noise."""

    table: RawTable
    truth: FloatArray | None


def rule_of(card: Card, changes: Mapping[str, float]) -> tuple[str, dict[str, float]]:
    """Return the rule that draws the rows of a card, and its parameters with some changes."""
    sources = [source for source in card.sources if isinstance(source, GeneratedSource)]
    if not sources:
        raise ConfigError(f"{card.name} is not drawn by rule, so no fresh sample can be drawn")
    parameters = sources[0].parameters
    for name in changes:
        if name not in parameters:
            hint = nearest(name, parameters)
            raise ConfigError(f"the rule of {card.name} has no parameter {name!r}{hint}")
    return sources[0].generator, parameters | dict(changes)


def draw_fresh(
    rule: str, parameters: Mapping[str, float], sizes: Sequence[int], rng: Generator
) -> Fresh:
    """Draw the parts of a sample, one after the other."""
    draw, mean = RULES[rule]
    parts = [draw(rng, size, **parameters) for size in sizes]
    X, y = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    if mean is None:
        return Fresh(as_table(X, y), None)
    settings = {k: v for k, v in parameters.items() if k in signature(mean).parameters}
    return Fresh(as_table(X, y), mean(X, **settings))


def as_table(X: FloatArray, y: NDArray[np.int64] | FloatArray) -> RawTable:
    """Return a sample as a table with attributes x1, x2 and so on."""
    columns = {f"x{j}": numeric_column(x) for j, x in enumerate(X.T, start=1)}
    attributes = tuple(Attribute(name=name, kind="numeric") for name in columns)
    target = numeric_column(y) if y.dtype.kind == "f" else nominal_column(map(str, y.tolist()))
    return RawTable(attributes, columns, target)
