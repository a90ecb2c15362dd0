"""Upper bounds on the loss of all votes at once (Empirical Bernstein Boosting, sections 2 and 3).

Corollary 2.2, Theorem 2.5 and Lemma 3.1 of Shivaswamy and Jebara (2010). Each holds with
probability 1 - δ for every function of a class, and so for one that was fitted to the examples. The
theorems for one function fixed beforehand are in `concentration`.
"""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import ArrayLike

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.measures.concentration import DELTA, check_draws, in_range
from quadrepro.core.measures.measure import Measure, Trained
from quadrepro.core.voters.source import ZERO_VOTE

BITS = 64
"""Bits of a weight as it is computed: a vote is one of finitely many."""


def log_votes(n_voters: int, sizes: ArrayLike, bits: int = BITS) -> FloatArray:
    """Return ln(C(N, s) 2^(bits s)), the votes of at most s voters with weights of some bits.

    Examples
    --------
    Three voters have three votes of one with a positive weight, and three with a negative one.

    >>> import numpy as np
    >>> float(np.exp(log_votes(3, 1, bits=1)).round(6))
    6.0
    """
    s = _sizes(n_voters, sizes)
    return np.asarray(_log_binomials(n_voters)[s] + s * bits * np.log(2))


def log_dichotomies(n_voters: int, sizes: ArrayLike, m: int) -> FloatArray:
    """Return a bound on the logarithm of the ways in which votes err on m examples.

    A vote of s given voters errs where y F(x) <= 0, on a halfspace through the origin of R^s. These
    have VC dimension s, so that Sauer's lemma allows Σ_{k≤s} C(m, k) ways; there are C(N, s)
    choices of voters.

    Examples
    --------
    One voter errs nowhere or everywhere if its weight is 0, on some of four examples or the others
    if it is not; Sauer's lemma allows 1 + 4.

    >>> import numpy as np
    >>> float(np.exp(log_dichotomies(1, 1, 4)).round(6))
    5.0
    """
    s = _sizes(n_voters, sizes)
    ways = np.logaddexp.accumulate(_log_binomials(m))
    return np.asarray(_log_binomials(n_voters)[s] + ways[np.minimum(s, m)])


def log_cover(n_voters: int, sizes: ArrayLike, radius: float) -> FloatArray:
    """Return a bound on the logarithm of the votes that come near every vote of unit weight.

    To every vote with Σ|w| <= 1 one of them differs by at most the radius at every example, for
    voters with values in [-1, 1]. The unit ball of R^s has a net of (1 + 2/radius)^s points, and
    there are C(N, s) choices of voters.

    Examples
    --------
    >>> import numpy as np
    >>> float(np.exp(log_cover(1, 1, 0.5)).round(6))
    5.0
    """
    if not radius > 0:
        raise ValueError(f"radius must be above 0, not {radius}")
    s = _sizes(n_voters, sizes)
    return np.asarray(_log_binomials(n_voters)[s] + s * np.log1p(2 / radius))


def log_size_share(sizes: ArrayLike) -> FloatArray:
    """Return ln(s (s + 1)): size s gets the share 1/(s (s + 1)) of δ, and all sizes the whole.

    Examples
    --------
    >>> log_size_share([0, 1, 3]).round(4).tolist()
    [0.6931, 0.6931, 2.4849]
    """
    s = np.maximum(np.asarray(sizes), 1)
    return np.asarray(np.log(s * (s + 1.0)))


def _log_binomials(n: int) -> FloatArray:
    """Return ln C(n, 0), ..., ln C(n, n)."""
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, n + 1)))])
    return np.asarray(factorials[-1] - factorials - factorials[::-1])


def _sizes(n_voters: int, sizes: ArrayLike) -> IntArray:
    s = np.asarray(sizes)
    if not ((s >= 0) & (s <= n_voters)).all():
        raise ValueError(f"votes of {n_voters} voters have 0 to {n_voters} of them, not {s}")
    return np.asarray(np.maximum(s, 1))


def finite_class(mean: ArrayLike, n: int, log_size: ArrayLike, delta: float = DELTA) -> FloatArray:
    """Return Hoeffding's bound for all functions of a finite class at once (Corollary 2.2).

    mean + sqrt(ln(|F|/δ) / (2n)). The paper prints ln(|F|)/δ, which would leave a class of one
    function no deviation at all.

    Examples
    --------
    >>> import numpy as np
    >>> float(finite_class(0.02, 1000, np.log(100)).round(4))
    0.0816
    """
    check_draws(n, 1, delta)
    size = in_range("log_size", log_size, np.inf)
    return np.asarray(np.asarray(mean) + np.sqrt((size - log(delta)) / (2 * n)))


def empirical_bernstein_of_class(
    mean: ArrayLike, sample_variance: ArrayLike, n: int, log_size: ArrayLike, delta: float = DELTA
) -> FloatArray:
    """Return the empirical Bernstein bound for all functions of a class at once (Theorem 2.5).

    mean + sqrt(18 V̂ ln(M/δ) / n) + 15 ln(M/δ) / (n - 1), where M is 10 times the number of
    functions that come within 1/n of every one of the class on any 2n examples. With the 0-1 loss
    it is Lemma 3.1. Maurer and Pontil prove it for n >= 16; for a smaller n it is above 1.

    Examples
    --------
    >>> import numpy as np
    >>> float(empirical_bernstein_of_class(0.02, 0.02 * 0.98, 10_000, np.log(100)).round(4))
    0.0535
    """
    check_draws(n, 2, delta)
    t = in_range("log_size", log_size, np.inf) + log(10 / delta)
    spread = np.sqrt(18 * np.asarray(sample_variance) * t / n)
    return np.asarray(np.asarray(mean) + spread + 15 * t / (n - 1))


def penalised_error(error: ArrayLike, lam: float) -> FloatArray:
    """Return p + λ sqrt(p(1 - p)), what sample variance penalisation makes of an error p.

    It increases with p up to 1/2, so that of errors below 1/2 the least has the least penalised
    error, whatever λ is: with the 0-1 loss the penalty changes no minimiser (below Lemma 3.1).

    Examples
    --------
    >>> penalised_error([0.1, 0.2, 0.5], 1.0).round(4).tolist()
    [0.4, 0.6, 1.0]
    """
    p, (lam,) = in_range("error", error, 1.0), in_range("lam", [lam], np.inf)
    return np.asarray(p + lam * np.sqrt(p * (1 - p)))


def measured_corollary22(trained: Trained) -> FloatArray:
    """Return Corollary 2.2 with the training error, over votes with weights of 64 bits."""
    wrong = _wrong(trained)
    size = log_votes(trained.votes.shape[1], trained.sizes) + log_size_share(trained.sizes)
    return finite_class(wrong.mean(axis=0), len(wrong), size)


def measured_theorem25(trained: Trained) -> FloatArray:
    """Return Theorem 2.5 with the training error, which is Lemma 3.1."""
    wrong, sizes = _wrong(trained), trained.sizes
    n = len(wrong)
    size = log_dichotomies(trained.votes.shape[1], sizes, 2 * n) + log_size_share(sizes)
    mean, variance = wrong.mean(axis=0), wrong.var(axis=0, ddof=1)
    return empirical_bernstein_of_class(mean, variance, n, size)


def measured_exponential_theorem25(trained: Trained) -> FloatArray:
    """Return Theorem 2.5 with exp(-y F) of votes of unit weight, a bound on its expectation.

    The loss is divided by e, so that it is at most 1, and the bound multiplied by e (section 3.1).
    It is then 1-Lipschitz: a cover of the votes is one of the losses.
    """
    losses, sizes = np.exp(-1 - trained.margins), trained.sizes
    n = len(losses)
    size = log_cover(trained.votes.shape[1], sizes, 1 / n) + log_size_share(sizes)
    mean, variance = losses.mean(axis=0), losses.var(axis=0, ddof=1)
    return np.e * empirical_bernstein_of_class(mean, variance, n, size)


def _wrong(trained: Trained) -> FloatArray:
    """Return which training examples have y F <= 0, as the paper's 0-1 loss counts them."""
    return (trained.margins <= ZERO_VOTE).astype(np.float64)


EBBOOST_COROLLARY22 = Measure("Corollary 2.2", measured_corollary22, needs="voters")
EBBOOST_THEOREM25 = Measure("Theorem 2.5, 0-1 loss", measured_theorem25, needs="voters")
EBBOOST_THEOREM25_EXPONENTIAL = Measure(
    "Theorem 2.5, exponential loss", measured_exponential_theorem25, needs="voters"
)
