"""QuadBoost's risk bound for votes of bounded norm (QuadBoost, section 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from quadrepro._typing import FloatArray
from quadrepro.measures.bounds.rademacher import sign_correlations

QUADRATIC_LIPSCHITZ = 2.0
"""Lipschitz constant ℓ of the quadratic loss clipped at 1."""


@dataclass(frozen=True)
class RiskBound:
    """The terms of Theorem 1, one entry a vote; they are not cut at 1.

    Attributes
    ----------
    loss : ndarray of shape (n_votes,)
        Mean loss on the training examples.
    complexity : ndarray of shape (n_votes,)
        4 ℓ n^(1-1/p) ‖α‖_p R(H).
    confidence : ndarray of shape (n_votes,)
        The term in δ and n.
    scale : ndarray of shape (n_votes,)
        The term in log log2(2 ‖α‖_p).
    """

    loss: FloatArray
    complexity: FloatArray
    confidence: FloatArray
    scale: FloatArray

    @property
    def total(self) -> FloatArray:
        """The bound on the risk."""
        return self.loss + self.complexity + self.confidence + self.scale


def clipped_quadratic_loss(margins: FloatArray) -> FloatArray:
    """Return the mean of min((1 - y F)², 1), for which the proof of Theorem 1 holds.

    Parameters
    ----------
    margins : ndarray of shape (n_examples, ...)
        y F(x).

    Returns
    -------
    ndarray of shape (...)
        The mean loss; that without the clipping, in the theorem's statement, is no smaller.
    """
    return np.asarray(np.minimum((1 - np.asarray(margins)) ** 2, 1.0).mean(axis=0))


def norm_complexity(n: ArrayLike, p: float) -> FloatArray:
    """Return n^(1-1/p), by which Lemma 1 multiplies R_S(H) for votes of unit norm.

    Parameters
    ----------
    n : array-like of int
        Numbers of voters in the vote.
    p : float
        Norm, 1 to infinity.

    Returns
    -------
    ndarray
        The factors, in the shape of `n`.

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    counts = np.asarray(n, dtype=np.float64)
    if not p >= 1:
        raise ValueError(f"p must be at least 1, not {p}")
    if not (counts >= 0).all():
        raise ValueError(f"n counts voters and cannot be {counts.min():g}")
    return np.asarray(counts ** (1 - 1 / p))


def risk_bound(
    loss: ArrayLike,
    n: ArrayLike,
    norm: ArrayLike,
    *,
    p: float,
    m: int,
    complexity: float,
    empirical: bool,
    delta: float = 0.05,
    lipschitz: float = QUADRATIC_LIPSCHITZ,
) -> RiskBound:
    """Return Theorem 1: with probability 1 - δ it bounds the risk of all votes at one p at once.

    risk <= loss + 4 ℓ n^(1-1/p) ‖α‖_p R(H) + sqrt(ln(π² (n+1)² / (6δ)) / (2m))
            + sqrt(ln log2(2 ‖α‖_p) / m),

    with 1 in place of a smaller ‖α‖_p in the last term. With the empirical complexity δ/2 takes the
    place of δ and the last term is tripled, as the paper says; the proof would triple the term in δ
    as well, that is add 2 `confidence`.

    Parameters
    ----------
    loss : array-like of shape (n_votes,)
        Mean loss on the training examples, plain or clipped at 1, of a loss that is at least 1
        where the vote is wrong.
    n : array-like of shape (n_votes,)
        Number of voters in each vote; 0 for an empty one.
    norm : array-like of shape (n_votes,)
        ‖α‖_p.
    p : float
        Norm, 1 to infinity.
    m : int
        Number of training examples.
    complexity : float
        R_m(H), or an upper bound of it such as Massart's; or R_S(H) of the training examples.
    empirical : bool
        Whether `complexity` is R_S(H).
    delta : float, default 0.05
        Probability of failure, in (0, 1]. One of a Monte Carlo estimate of R_S(H) adds to it.
    lipschitz : float, default 2
        Lipschitz constant ℓ of the clipped loss.

    Returns
    -------
    RiskBound
        The terms and their total, which may be above 1.

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    losses, counts, norms = np.broadcast_arrays(
        *(np.asarray(a, dtype=np.float64) for a in (loss, n, norm))
    )
    if m < 1:
        raise ValueError(f"m must be at least 1, not {m}")
    if not 0 < delta <= 1:
        raise ValueError(f"delta is a probability in (0, 1], not {delta}")
    if not ((norms >= 0).all() and (losses >= 0).all() and complexity >= 0 and lipschitz > 0):
        raise ValueError("losses, norms and complexities cannot be negative, nor lipschitz be 0")
    factor = 4 * lipschitz * complexity
    share, times = (delta / 2, 3) if empirical else (delta, 1)
    return RiskBound(
        loss=losses,
        complexity=factor * norm_complexity(counts, p) * norms,
        confidence=np.sqrt(np.log(np.pi**2 * (counts + 1) ** 2 / (6 * share)) / (2 * m)),
        scale=times * np.sqrt(np.log(np.log2(2 * np.maximum(norms, 1.0))) / m),
    )


def combination_complexity(
    H: FloatArray, n: int, p: float, n_draws: int, rng: np.random.Generator, *, distinct: bool
) -> float:
    """Return R_S(C) by Monte Carlo, for votes C of n voters with ‖α‖_p = 1.

    For signs σ and voters h_1..h_n the best weights reach ‖c‖_q, with c_i = σᵀh_i/m and
    1/q = 1 - 1/p (Hölder). Lemma 1's class lets a voter be taken several times, so that all n are
    the best one: the value is n^(1-1/p) R_S(H). Where all must differ, as in a vote that has one
    weight a voter, they are the n best, and the lemma's value is an upper bound.

    Parameters
    ----------
    H : ndarray of shape (n_examples, n_voters)
        Voter matrix, values in [-1, 1]; complements are voters too.
    n : int
        Number of voters of a vote.
    p : float
        Norm, 1 to infinity.
    n_draws : int
        Number of sign vectors.
    rng : numpy.random.Generator
        Draws the signs.
    distinct : bool
        Whether the voters of a vote are all different, a voter and its complement being one.

    Returns
    -------
    float
        Mean over the sign vectors.

    Raises
    ------
    ValueError
        If a number is out of range or there are fewer than n distinct voters.
    """
    if p < 1 or n < 1:
        raise ValueError(f"p and n must be at least 1, not {p} and {n}")
    if distinct and n > H.shape[1]:
        raise ValueError(f"a vote of {n} distinct voters needs as many, here are {H.shape[1]}")
    # 1/q = 1 - 1/p; numpy divides by zero at p = 1 only.
    q = np.inf if p == 1 else 1.0 if np.isinf(p) else p / (p - 1)
    total = 0.0
    for sizes in sign_correlations(H, n_draws, rng):
        if distinct:
            best = np.sort(sizes, axis=1)[:, -n:]
        else:
            best = np.repeat(sizes.max(axis=1, keepdims=True), n, axis=1)
        total += float(np.linalg.norm(best, ord=q, axis=1).sum())
    return total / n_draws
