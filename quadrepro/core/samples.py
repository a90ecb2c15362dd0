"""Samples drawn by rule, fresh for every repeat: two classes, or functions with noise.

With equal generators a longer sample begins with the shorter one, but for the orange data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray
from quadrepro.data.canonical import Column, RawTable, nominal_column, numeric_column
from quadrepro.data.card import Card
from quadrepro.data.schema import Attribute
from quadrepro.data.sources.schema import LARGEST_TARGET, GeneratedSource
from quadrepro.errors import ConfigError, nearest

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


Measured = tuple[FloatArray, FloatArray]


def draw_m1(rng: np.random.Generator, rows: int, sigma: float, low: float = -0.25) -> Measured:
    """Draw `m1_mean` of one input, uniform on [-2, 2], with normal noise.

    The lowest mean squared error is sigma².
    """
    return _measured(rng, rows, 1, sigma, lambda X: m1_mean(X, low))


def draw_m2(rng: np.random.Generator, rows: int, sigma: float) -> Measured:
    """Draw `m2_mean` of ten inputs, each uniform on [-2, 2], with normal noise.

    The lowest mean squared error is sigma².
    """
    return _measured(rng, rows, 10, sigma, m2_mean)


def draw_sparse(rng: np.random.Generator, rows: int, sigma: float) -> Measured:
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
    mean: FloatArray = terms[:, ::2].sum(axis=1) - terms[:, 1::2].sum(axis=1)
    return mean


def sparse_mean(X: FloatArray) -> FloatArray:
    """Return Σⱼ sign(xⱼ - tⱼ)/j over j = 1, …, 5 with tⱼ = (j - 3)/2: a vote of five stumps.

    This target is in the span of a few weak learners, the assumption of the rate of convergence in
    "Re-scale boosting for regression and classification" (Theorem 1).
    """
    j = np.arange(1, 6)
    mean: FloatArray = np.where(X[:, :5] > (j - 3) / 2, 1.0, -1.0) @ (1.0 / j)
    return mean


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


_SIZE = ("rows", "n_per_class", "seed")
"""Parameters of a card's own sample that a fresh sample does not have."""

_RULES: Mapping[str, Callable[..., Labelled | Measured]] = {
    "m1": draw_m1,
    "m2": draw_m2,
    "orange": draw_orange,
    "ringnorm": draw_ringnorm,
    "sparse": draw_sparse,
    "twonorm": draw_twonorm,
    "waveform": draw_waveform,
}


def _seeded(draw: Callable[..., Labelled | Measured]) -> Callable[..., RawTable]:
    """Return the rule of a card's own sample, drawn with PCG64 and a seed."""

    def rule(*, seed: int, **parameters: Any) -> RawTable:
        return as_table(*draw(np.random.Generator(np.random.PCG64(seed)), **parameters))

    _, *takes = signature(draw, eval_str=True).parameters.values()
    seed = Parameter("seed", Parameter.KEYWORD_ONLY, annotation=int)
    rule.__signature__ = Signature([*takes, seed])  # type: ignore[attr-defined]
    return rule


SEEDED = MappingProxyType({name: _seeded(draw) for name, draw in _RULES.items()})
"""The rules of cards' own samples by name; their arguments are the `parameters` of a card."""


@dataclass(frozen=True, eq=False)
class Fresh:
    """The rows of all parts in turn, and the targets of a regression without their noise."""

    table: RawTable
    truth: FloatArray | None


def rule_of(card: Card, changes: Mapping[str, float]) -> tuple[str, dict[str, float]]:
    """Return the rule that draws the rows of a card."""
    found = [s for s in card.sources if isinstance(s, GeneratedSource) and s.generator in _RULES]
    if not found:
        raise ConfigError(f"{card.name} is not drawn by rule, so no fresh sample can be drawn")
    parameters = {k: v for k, v in found[0].parameters.items() if k not in _SIZE}
    for name in changes:
        if name not in parameters:
            hint = nearest(name, parameters)
            raise ConfigError(f"the rule of {card.name} has no parameter {name!r}{hint}")
    return found[0].generator, parameters | dict(changes)


def draw_fresh(
    rule: str, parameters: Mapping[str, float], sizes: Sequence[int], rng: np.random.Generator
) -> Fresh:
    """Draw the parts of a fresh sample, one after the other."""
    draw = _RULES[rule]
    if rule == "orange":
        if odd := [size for size in sizes if size % 2]:
            raise ConfigError(f"half of the rows are in each class, but {odd[0]} is an odd number")
        noise_inputs = parameters["noise_inputs"]
        if not 0 <= noise_inputs <= 1000 or noise_inputs % 1:
            raise ConfigError(
                f"noise_inputs must be a whole number from 0 to 1000, not {noise_inputs:g}"
            )
        parts = [draw(rng, size // 2, int(noise_inputs)) for size in sizes]
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            parts = [draw(rng, size, **parameters) for size in sizes]
    X, y = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    if not np.abs(y).max() <= LARGEST_TARGET:
        raise ConfigError(
            f"with these parameters, the targets of {rule} are beyond {LARGEST_TARGET:g}"
        )
    truth = None
    if rule == "m1":
        truth = m1_mean(X, parameters["low"])
    elif rule in ("m2", "sparse"):
        truth = (m2_mean if rule == "m2" else sparse_mean)(X)
    return Fresh(as_table(X, y), truth)
