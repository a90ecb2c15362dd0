"""Upper bounds on the risk of one vote, and on the loss of all votes at once.

Hoeffding's inequality, Bernstein's, and its empirical version of Maurer and Pontil (2009), for the
errors on n test examples: Theorems 2.1, 2.3 and 2.4 of Empirical Bernstein Boosting (Shivaswamy and
Jebara, 2010). On training examples these would not hold: the vote was fitted to them.

Corollary 2.2 and Theorem 2.5 hold for every function of a class, and so for a function that was
fitted to the examples. The class holds the votes of s of the N voters. Size s gets the share
1/(s(s+1)) of δ, so that the bounds hold for votes of all sizes at once. Each bound holds with
probability 1 - δ.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.measures.measure import DELTA, Trained, mean, measure
from quadrepro.core.voters.coded import ZERO_VOTE


@measure("Hoeffding's bound on the risk")
def test_hoeffding_bound(t: Trained) -> FloatArray:
    """Return error + sqrt(ln(1/δ) / (2n)) (Theorem 2.1)."""
    return mean(t.test_wrong, 1) + sqrt(log(1 / DELTA) / (2 * len(t.y_test)))


@measure("empirical Bernstein bound on the risk")
def test_empirical_bernstein_bound(t: Trained) -> FloatArray:
    """Return error + sqrt(2 V̂ ln(2/δ) / n) + 7 ln(2/δ) / (3(n - 1)) (Theorem 2.4)."""
    wrong, n, log_term = t.test_wrong, len(t.y_test), log(2 / DELTA)
    if n < 2:
        raise ValueError(f"the empirical Bernstein bound needs at least 2 test examples, not {n}")
    spread = np.sqrt(2 * wrong.var(axis=1, ddof=1) * log_term / n)
    return np.asarray(mean(wrong, 1) + spread + 7 * log_term / (3 * (n - 1)))


@measure("Bernstein's bound on the risk")
def test_bernstein_bound(t: Trained) -> FloatArray:
    """Return the largest risk p that Theorem 2.3 allows, the variance of an error being p(1 - p).

    p <= error + sqrt(2 p(1 - p) ln(1/δ) / n) + ln(1/δ) / (3n), a quadratic inequality.
    """
    log_term, n = log(1 / DELTA), len(t.y_test)
    low, c = mean(t.test_wrong, 1) + log_term / (3 * n), 2 * log_term / n
    root = np.sqrt(np.maximum(c**2 + 4 * c * low * (1 - low), 0.0))
    return np.where(low >= 1, 1.0, (2 * low + c + root) / (2 + 2 * c))


BITS = 64
"""Bits of a weight as it is computed: a vote is one of finitely many."""


@measure("Corollary 2.2", needs="voters")
def ebboost_corollary22(t: Trained) -> FloatArray:
    """Return error + sqrt(ln(|F|/δ) / (2m)) over the votes with weights of 64 bits.

    The paper prints ln(|F|)/δ, which would leave a class of one function no deviation at all.
    """
    s = _sizes(t)
    log_class = log_votes(t.votes.shape[1], s) + _log_share(s)
    return mean(_wrong(t)) + np.sqrt((log_class - log(DELTA)) / (2 * len(t.y)))


@measure("Theorem 2.5, 0-1 loss", needs="voters")
def ebboost_theorem25(t: Trained) -> FloatArray:
    """Return Theorem 2.5 with the training error, which is Lemma 3.1."""
    s = _sizes(t)
    log_class = log_dichotomies(t.votes.shape[1], s, 2 * len(t.y)) + _log_share(s)
    return _empirical_bernstein(_wrong(t).astype(np.float64), log_class)


@measure("Theorem 2.5, exponential loss", needs="voters")
def ebboost_theorem25_exponential(t: Trained) -> FloatArray:
    """Return Theorem 2.5 with exp(-y F) of votes of unit weight, a bound on its expectation.

    The loss is divided by e, so that it is at most 1, and the bound multiplied by e (section 3.1).
    It is then 1-Lipschitz: a cover of the votes is one of the losses.
    """
    s = _sizes(t)
    log_class = log_cover(t.votes.shape[1], s, 1 / len(t.y)) + _log_share(s)
    return np.e * _empirical_bernstein(np.exp(-1 - t.margins), log_class)


def _empirical_bernstein(losses: FloatArray, log_class: FloatArray) -> FloatArray:
    """Return mean + sqrt(18 V̂ ln(M/δ) / m) + 15 ln(M/δ) / (m - 1) (Theorem 2.5).

    M is 10 times the number of functions that come within 1/m of every one of the class on any 2m
    examples. Maurer and Pontil prove it for m >= 16; for a smaller m it is above 1.
    """
    m, log_term = len(losses), log_class + log(10 / DELTA)
    spread = np.sqrt(18 * losses.var(axis=0, ddof=1) * log_term / m)
    return np.asarray(mean(losses) + spread + 15 * log_term / (m - 1))


def log_votes(n_voters: int, s: IntArray) -> FloatArray:
    """Return ln(C(N, s) 2^(64 s)), the number of votes of s voters."""
    return np.asarray(_log_binomials(n_voters)[s] + s * BITS * np.log(2))


def log_dichotomies(n_voters: int, s: IntArray, m: int) -> FloatArray:
    """Return ln(C(N, s) Σ_{k≤s} C(m, k)), at least the ways in which the votes err on m examples.

    A vote of s given voters errs where y F(x) <= 0, on a halfspace through the origin of R^s. These
    have VC dimension s, so that Sauer's lemma applies.
    """
    ways = np.logaddexp.accumulate(_log_binomials(m))
    return np.asarray(_log_binomials(n_voters)[s] + ways[np.minimum(s, m)])


def log_cover(n_voters: int, s: IntArray, radius: float) -> FloatArray:
    """Return ln(C(N, s) (1 + 2/radius)^s), at least the size of a cover of the votes.

    Every vote with Σ|w| <= 1 is within the radius of one in the cover at every example, for voters
    with values in [-1, 1]: the unit ball of R^s has a net of (1 + 2/radius)^s points.
    """
    return np.asarray(_log_binomials(n_voters)[s] + s * np.log1p(2 / radius))


def _log_binomials(n: int) -> FloatArray:
    """Return ln C(n, 0), ..., ln C(n, n)."""
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, n + 1)))])
    return np.asarray(factorials[-1] - factorials - factorials[::-1])


def _sizes(t: Trained) -> IntArray:
    """Return the number of voters in each vote; an empty one counts as a vote of one voter."""
    return np.maximum(t.sizes, 1)


def _log_share(s: IntArray) -> FloatArray:
    return np.log(s * (s + 1.0))


def _wrong(t: Trained) -> BoolArray:
    """Return a mask of training examples with y F <= 0, the errors of the paper's 0-1 loss."""
    return t.margins <= ZERO_VOTE
