"""How well voters, and votes of them, fit random signs (QuadBoost, section 2).

The empirical Rademacher complexity of the voters is R_S(H) = E sup_h (1/m) Σ σ_i h(x_i). Lemma 1
says that of the votes of n voters and unit norm is n^(1-1/p) R_S(H).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.concentration import DELTA, check_delta
from quadrepro.core.measures.measure import Measure, Trained

SIGN_VECTORS = 1000
"""Number of random sign vectors behind every measured complexity."""

BATCH = 2**22
"""Largest number of entries in an array of a batch of sign vectors, unless one vector has more."""


class Complexity(NamedTuple):
    """A Rademacher complexity by Monte Carlo: with probability 1 - δ at most mean + deviation."""

    mean: float
    deviation: float

    @property
    def upper(self) -> float:
        """The upper bound mean + deviation."""
        return self.mean + self.deviation


def sign_correlations(
    H: FloatArray, n_draws: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield |σᵀh_j|/m of all voters for sign vectors σ, batch by batch.

    Parameters
    ----------
    H : ndarray of shape (n_examples, n_voters)
        Voter matrix, values in [-1, 1].
    n_draws : int
        Number of sign vectors B.
    rng : numpy.random.Generator
        Draws the signs.

    Yields
    ------
    ndarray of shape (n_in_batch, n_voters)
        The sizes, B rows in all. A voter and its complement have the same.
    """
    m, n_voters = H.shape
    if m < 1 or n_voters < 1:
        raise ValueError(f"the voter matrix needs an example and a voter, not shape {H.shape}")
    if n_draws < 1:
        raise ValueError(f"n_draws must be at least 1, not {n_draws}")
    rows = max(1, BATCH // max(m, n_voters))
    for start in range(0, n_draws, rows):
        signs = 2.0 * rng.integers(0, 2, (min(rows, n_draws - start), m)) - 1.0
        yield np.abs(signs @ H) / m


def empirical_rademacher(
    H: FloatArray, n_draws: int, rng: np.random.Generator, delta: float = DELTA
) -> Complexity:
    """Return R_S of the voters and their complements, by Monte Carlo.

    The mean over B sign vectors depends on m B independent signs, and each of them changes it by
    at most 2/(mB) because voters have values in [-1, 1]. By McDiarmid's inequality it is below R_S
    by more than t with probability at most exp(-t² m B / 2), which is δ' for
    t = sqrt(2 ln(1/δ') / (mB)).

    Parameters
    ----------
    H : ndarray of shape (n_examples, n_voters)
        Voter matrix, values in [-1, 1].
    n_draws : int
        Number of sign vectors B.
    rng : numpy.random.Generator
        Draws the signs.
    delta : float, default 0.05
        Probability of failure δ', in (0, 1).
    """
    check_delta(delta)
    largest = sum(float(c.max(axis=1).sum()) for c in sign_correlations(H, n_draws, rng))
    return Complexity(largest / n_draws, sqrt(2 * log(1 / delta) / (len(H) * n_draws)))


def combination_complexity(
    H: FloatArray, n: int, p: float, n_draws: int, rng: np.random.Generator, *, distinct: bool
) -> float:
    """Return R_S(C) by Monte Carlo, for the votes C of n voters with ‖α‖_p = 1.

    For signs σ and voters h_1..h_n the best weights reach ‖c‖_q, with c_i = σᵀh_i/m and
    1/q = 1 - 1/p (Hölder). The class of Lemma 1 lets a voter be taken several times,
    so that all n are the best one: the value is n^(1-1/p) R_S(H). If all voters must differ, as in
    a vote with one weight per voter, they are the n best, and the lemma's value is an upper bound.

    Parameters
    ----------
    H : ndarray of shape (n_examples, n_voters)
        Voter matrix, values in [-1, 1]; complements are voters too.
    n : int
        Number of voters in a vote.
    p : float
        Norm, 1 to infinity.
    n_draws : int
        Number of sign vectors.
    rng : numpy.random.Generator
        Draws the signs.
    distinct : bool
        Whether the voters of a vote are all different; a voter and its complement are not.
    """
    if p < 1 or n < 1:
        raise ValueError(f"p and n must be at least 1, not {p} and {n}")
    if distinct and n > H.shape[1]:
        raise ValueError(f"a vote of {n} distinct voters needs {n}, but there are {H.shape[1]}")
    batches = sign_correlations(H, n_draws, rng)
    if distinct:
        return _mean_norm((np.sort(sizes, axis=1)[:, -n:] for sizes in batches), p)
    return _mean_norm((_repeated(sizes.max(axis=1), n) for sizes in batches), p)


def _repeated(best: FloatArray, n: int) -> FloatArray:
    """Return the sizes of n times the best voter, shape (n_in_batch, n)."""
    return np.repeat(best[:, None], n, axis=1)


def _mean_norm(batches: Iterable[FloatArray], p: float) -> float:
    """Return the mean dual norm of the rows of all batches."""
    # 1/q = 1 - 1/p; only p = 1 would divide by zero.
    q = np.inf if p == 1 else 1.0 if np.isinf(p) else p / (p - 1)
    total, n_rows = 0.0, 0
    for best in batches:
        total += float(np.linalg.norm(best, ord=q, axis=1).sum())
        n_rows += len(best)
    return total / n_rows


def norm_complexity(n: ArrayLike, p: float) -> FloatArray:
    """Return n^(1-1/p), by which Lemma 1 multiplies R_S(H) for votes of unit norm.

    Examples
    --------
    >>> norm_complexity([1, 4, 9], p=2).tolist()
    [1.0, 2.0, 3.0]
    """
    counts = np.asarray(n, dtype=np.float64)
    if not p >= 1:
        raise ValueError(f"p must be at least 1, not {p}")
    if not (counts >= 0).all():
        raise ValueError(f"n is a number of voters and cannot be {counts.min():g}")
    return np.asarray(counts ** (1 - 1 / p))


def massart(n_voters: int, m: int) -> float:
    """Return sqrt(2 ln(N)/m) >= R_S with N = 2 n_voters (Massart's finite class lemma).

    Examples
    --------
    >>> round(massart(50, 200), 4)
    0.2146
    """
    if n_voters < 1 or m < 1:
        raise ValueError(f"n_voters and m must be at least 1, not {n_voters} and {m}")
    return sqrt(2 * log(2 * n_voters) / m)


def complexity(trained: Trained) -> Complexity:
    """Return an estimate of the empirical Rademacher complexity of the voters."""
    return empirical_rademacher(trained.voters, SIGN_VECTORS, trained.rng("signs"))


def measured_complexity(trained: Trained) -> FloatArray:
    """Return the complexity of the voters, the same for all candidates."""
    return trained.constant(trained.once(complexity).mean)


def measured_upper(trained: Trained) -> FloatArray:
    """Return the upper bound on the complexity, the same for all candidates."""
    return trained.constant(trained.once(complexity).upper)


def measured_massart(trained: Trained) -> FloatArray:
    """Return Massart's bound for the voters, the same for all candidates."""
    return trained.constant(massart(trained.votes.shape[1], len(trained.y)))


def _lemma1(p: float) -> Callable[[Trained], FloatArray]:
    """Return the measure R_S(C_p^n) / (n^(1-1/p) R_S(H)), both on the same signs: 1 by Lemma 1."""

    def measured(trained: Trained) -> FloatArray:
        plain, n = trained.once(complexity).mean, trained.sizes
        # As `combination_complexity` with `distinct=False`; all numbers of voters share the signs.
        batches = sign_correlations(trained.voters, SIGN_VECTORS, trained.rng("signs"))
        best = [sizes.max(axis=1) for sizes in batches]
        ratios = {
            size: _mean_norm((_repeated(b, size) for b in best), p)
            / (float(norm_complexity(size, p)) * plain)
            for size in set(n[n > 0].tolist())
        }
        return np.array([ratios.get(size, np.nan) for size in n.tolist()])

    return measured


measured_lemma1_p2 = _lemma1(2)
measured_lemma1_pinf = _lemma1(np.inf)


QUADBOOST_LEMMA1_P2 = Measure("Lemma 1, p = 2", measured_lemma1_p2, needs="voters", direction=None)
QUADBOOST_LEMMA1_PINF = Measure(
    "Lemma 1, p = ∞", measured_lemma1_pinf, needs="voters", direction=None
)
RADEMACHER_COMPLEXITY = Measure(
    "Rademacher complexity", measured_complexity, needs="voters", direction=None
)
RADEMACHER_COMPLEXITY_UPPER = Measure(
    "with its confidence", measured_upper, needs="voters", direction=None
)
MASSART = Measure("Massart's bound", measured_massart, needs="voters", direction=None)
