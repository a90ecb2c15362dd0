"""QuadBoost's bound on the risk of a vote, and the complexity of its voters (QuadBoost, section 2).

How well voters, and votes of them, fit random signs is their empirical Rademacher complexity,
R_S(H) = E sup_h (1/m) Σ σ_i h(x_i). Lemma 1 says that of the votes of n voters and unit norm is
n^(1-1/p) R_S(H).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.concentration import (
    DELTA,
    ROUNDING,
    check_delta,
    check_falls,
    in_range,
    margin_matrix,
)
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


def _mean_norm(best: Sequence[FloatArray], n: int, p: float) -> float:
    """Return the mean dual norm of n times the size of the best voter, over all sign vectors."""
    q = 1.0 if np.isinf(p) else p / (p - 1)
    repeated = (np.repeat(sizes[:, None], n, axis=1) for sizes in best)
    return sum(float(np.linalg.norm(r, ord=q, axis=1).sum()) for r in repeated) / SIGN_VECTORS


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


def complexity_of_voters(trained: Trained) -> Complexity:
    """Return an estimate of the empirical Rademacher complexity of the voters."""
    return empirical_rademacher(trained.voters, SIGN_VECTORS, trained.rng("signs"))


def measured_complexity(trained: Trained) -> FloatArray:
    """Return the complexity of the voters, the same for all candidates."""
    return trained.constant(trained.once(complexity_of_voters).mean)


def measured_upper(trained: Trained) -> FloatArray:
    """Return the upper bound on the complexity, the same for all candidates."""
    return trained.constant(trained.once(complexity_of_voters).upper)


def measured_massart(trained: Trained) -> FloatArray:
    """Return Massart's bound for the voters, the same for all candidates."""
    return trained.constant(massart(trained.votes.shape[1], len(trained.y)))


def _lemma1(p: float) -> Callable[[Trained], FloatArray]:
    """Return the measure R_S(C_p^n) / (n^(1-1/p) R_S(H)), both on the same signs: 1 by Lemma 1."""

    def measured(trained: Trained) -> FloatArray:
        plain, n = trained.once(complexity_of_voters).mean, trained.sizes
        # The best vote takes the best voter n times; all numbers of voters share the signs.
        batches = sign_correlations(trained.voters, SIGN_VECTORS, trained.rng("signs"))
        best = [sizes.max(axis=1) for sizes in batches]
        ratios = {
            size: _mean_norm(best, size, p) / (float(norm_complexity(size, p)) * plain)
            for size in set(n[n > 0].tolist())
        }
        return np.array([ratios.get(size, np.nan) for size in n.tolist()])

    return measured


QUADBOOST_LEMMA1_P2 = Measure("Lemma 1, p = 2", _lemma1(2), needs="voters", direction=None)
QUADBOOST_LEMMA1_PINF = Measure("Lemma 1, p = ∞", _lemma1(np.inf), needs="voters", direction=None)
RADEMACHER_COMPLEXITY = Measure(
    "Rademacher complexity", measured_complexity, needs="voters", direction=None
)
RADEMACHER_COMPLEXITY_UPPER = Measure(
    "with its confidence", measured_upper, needs="voters", direction=None
)
MASSART = Measure("Massart's bound", measured_massart, needs="voters", direction=None)


def correlations(margins: FloatArray) -> FloatArray:
    """Return |c| of every round's pick: the quadratic risk, the mean of (1 - y F)², falls by c².

    This is so for voters with values -1 and +1 and no regularisation (QuadBoost, section 3).

    Parameters
    ----------
    margins : ndarray of shape (n_examples, n_rounds)
        y F(x) after 1, 2, ... rounds of QuadBoost.

    Returns
    -------
    ndarray of shape (n_rounds,)
        Sizes of the correlations; 0 for a round that added nothing.
    """
    risks = ((1 - margin_matrix(margins)) ** 2).mean(axis=0)
    falls = -np.diff(risks, prepend=1.0)
    check_falls(falls >= -ROUNDING, "quadratic", "QuadBoost")
    return np.asarray(np.sqrt(np.maximum(falls, 0.0)))


def quadratic_bound(gamma: ArrayLike, n_rounds: ArrayLike) -> FloatArray:
    """Return 1 - Tγ², QuadBoost's bound on its quadratic risk and so on the training error.

    It holds as long as every round's pick has |c| >= γ (QuadBoost, section 3).

    Examples
    --------
    >>> quadratic_bound(0.5, [1, 4, 8]).tolist()
    [0.75, 0.0, -1.0]
    """
    gamma, T = in_range("gamma", gamma, 1.0), in_range("n_rounds", n_rounds, np.inf)
    return np.asarray(1 - T * gamma**2)


def measured_quadratic_bound(trained: Trained) -> FloatArray:
    """Return 1 - Tγ² with the least correlation γ of the first T rounds."""
    least = np.minimum.accumulate(correlations(trained.plain_margins))
    return quadratic_bound(least, trained.rounds)


QUADRATIC_LIPSCHITZ = 2.0
"""Lipschitz constant ℓ of the quadratic loss clipped at 1."""

LEAST_NORM = 0.5
"""‖α‖_p in Theorem 1's complexity term, of a vote that has less."""


@dataclass(frozen=True)
class RiskBound:
    """The terms of Theorem 1, one entry per vote; they are not cut at 1.

    Attributes
    ----------
    loss : ndarray of shape (n_votes,)
        Mean loss on the training examples.
    complexity : ndarray of shape (n_votes,)
        4 ℓ n^(1-1/p) ‖α‖_p R(H), with 1/2 for a smaller ‖α‖_p; 0 for an empty vote.
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


def risk_bound(
    loss: ArrayLike,
    n: ArrayLike,
    norm: ArrayLike,
    *,
    p: float,
    m: int,
    complexity: float,
    delta: float = DELTA,
) -> RiskBound:
    """Return the bound of Theorem 1 on the risk of votes.

    With probability 1 - δ it holds for all votes at once, at one p::

        risk <= loss + 4 ℓ n^(1-1/p) ‖α‖_p R(H) + sqrt(ln(π² (n+1)² / (6δ)) / (2m))
                + sqrt(ln log2(2 ‖α‖_p) / m)

    In the complexity term 1/2 takes the place of a smaller ‖α‖_p, and 1 in the last one, which has
    no value below 1. The proof adds up the failures of the classes of votes with ‖α‖_p <= 2^k,
    k = 1, 2, ..., each with 2 ℓ n^(1-1/p) 2^k R(H), and a vote belongs to the first that holds it.
    One more class, k = 0, has 2 ℓ n^(1-1/p) R(H) for all votes of norms up to 1, and the failures
    still add up to less than δ; with k = -1 they would not. An empty vote needs no bound.
    The complexity is the empirical one, with which δ/2 takes the place of δ and the last term is
    tripled, as the paper says; the proof would triple the term in δ as well, that is, add
    2 `confidence`.

    Parameters
    ----------
    loss, n, norm : array-like of shape (n_votes,)
        Mean loss on m training examples, plain or clipped at 1, at least 1 on a wrong one; number
        of voters in each vote; ‖α‖_p.
    complexity : float
        R_S(H) of the training examples, or an upper bound on it; the probability that its estimate
        fails adds to `delta`.

    Examples
    --------
    >>> bound = risk_bound(0.4, 9, 3.0, p=2, m=5000, complexity=0.005)
    >>> float(bound.complexity.round(4)), float(bound.total.round(4))
    (0.36, 0.831)
    """
    losses, counts, norms = np.broadcast_arrays(
        *(np.asarray(a, dtype=np.float64) for a in (loss, n, norm))
    )
    if m < 1:
        raise ValueError(f"m must be at least 1, not {m}")
    if not 0 < delta <= 1:
        raise ValueError(f"delta is a probability in (0, 1], not {delta}")
    if not ((norms >= 0).all() and (losses >= 0).all() and complexity >= 0):
        raise ValueError("losses, norms and complexities cannot be negative")
    factor = 4 * QUADRATIC_LIPSCHITZ * complexity
    return RiskBound(
        loss=losses,
        complexity=factor
        * norm_complexity(counts, p)
        * np.where(counts > 0, np.maximum(norms, LEAST_NORM), 0.0),
        confidence=np.sqrt(np.log(np.pi**2 * (counts + 1) ** 2 / (3 * delta)) / (2 * m)),
        scale=3 * np.sqrt(np.log(np.log2(2 * np.maximum(norms, 1.0))) / m),
    )


def clipped_quadratic_loss(margins: FloatArray) -> FloatArray:
    """Return the mean of min((1 - y F)², 1), for which the proof of Theorem 1 holds.

    Parameters
    ----------
    margins : ndarray of shape (n_examples, ...)
        y F(x).

    Returns
    -------
    ndarray of shape (...)
        The mean loss. The plain loss, which the theorem states, is no smaller.

    Examples
    --------
    >>> import numpy as np
    >>> float(clipped_quadratic_loss(np.array([0.5, 1.5, -2.0])))
    0.5
    """
    return np.asarray(np.minimum((1 - np.asarray(margins)) ** 2, 1.0).mean(axis=0))


def measured_clipped_risk(trained: Trained) -> FloatArray:
    """Return the clipped quadratic risk on the training examples."""
    return clipped_quadratic_loss(trained.plain_margins)


def _theorem1(p: float) -> Callable[[Trained], FloatArray]:
    """Return the measure of Theorem 1, with the plain loss and an upper bound on R_S(H)."""

    def measured(trained: Trained) -> FloatArray:
        loss = ((1 - trained.plain_margins) ** 2).mean(axis=0)
        norm = np.linalg.norm(trained.votes, ord=p, axis=1)
        bound = risk_bound(
            loss,
            trained.sizes,
            norm,
            p=p,
            m=len(trained.y),
            complexity=trained.once(complexity_of_voters).upper,
        )
        return bound.total

    return measured


CLIPPED_QUADRATIC_RISK = Measure("clipped quadratic risk", measured_clipped_risk)
QUADBOOST_QUADRATIC_BOUND = Measure("1 - Tγ²", measured_quadratic_bound, every_round=True)
QUADBOOST_THEOREM1_P1 = Measure("Theorem 1, p = 1", _theorem1(1), needs="voters", version=2)
QUADBOOST_THEOREM1_P2 = Measure("Theorem 1, p = 2", _theorem1(2), needs="voters", version=2)
QUADBOOST_THEOREM1_PINF = Measure("Theorem 1, p = ∞", _theorem1(np.inf), needs="voters", version=2)
