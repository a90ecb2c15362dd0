"""QuadBoost's bounds, and the complexity of its voters (QuadBoost, sections 2 and 3).

How well the voters H and their complements fit random signs σ is their empirical Rademacher
complexity, R_S(H) = E max_h |Σ σ_i h(x_i)|/m. Lemma 1: votes of n voters with ‖α‖_p = 1 have
n^(1-1/p) R_S(H). Theorem 1 bounds the risk of all votes at once with it.
"""

from __future__ import annotations

from functools import lru_cache
from math import log, sqrt

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.measure import DELTA, Measure, Trained, falls, mean, measure

SIGN_VECTORS = 1000
"""Number B of random sign vectors."""

BATCH = 2**22
"""Largest number of entries in an array of a batch of sign vectors, unless one vector has more."""

LIPSCHITZ = 2.0
"""Lipschitz constant ℓ of the quadratic loss clipped at 1."""

LEAST_NORM = 0.5
"""‖α‖_p in Theorem 1's complexity term, of a vote that has less."""


@measure("1 - Tγ²", every_round=True)
def quadboost_quadratic_bound(t: Trained) -> FloatArray:
    """Return 1 - Tγ², a bound on QuadBoost's quadratic risk and so on its training error.

    γ is the least |c| of the first T picks. A pick with the residual correlation c lowers the risk
    by c², for voters with values -1 and +1 and without regularisation (section 3).
    """
    risks = mean((1 - t.plain_margins) ** 2)
    sizes = np.sqrt(falls(risks, 1.0, "quadratic", "QuadBoost"))
    return np.asarray(1 - t.rounds * np.minimum.accumulate(sizes) ** 2)


quadboost_theorem1_p1 = Measure("Theorem 1, p = 1", lambda t: _theorem1(t, 1), "voters")
quadboost_theorem1_p2 = Measure("Theorem 1, p = 2", lambda t: _theorem1(t, 2), "voters")
quadboost_theorem1_pinf = Measure("Theorem 1, p = ∞", lambda t: _theorem1(t, np.inf), "voters")
"""The bound of Theorem 1 on the risk."""


def _theorem1(t: Trained, p: float) -> FloatArray:
    """Return a bound on the risk that holds for all votes at once, with probability 1 - δ.

    risk <= loss + 4 ℓ n^(1-1/p) ‖α‖_p R_S(H) + sqrt(ln(π² (n+1)² / (3δ)) / (2m))
            + 3 sqrt(ln log2(2 ‖α‖_p) / m)

    The loss is the plain quadratic one. With the empirical complexity δ/2 takes the place of δ and
    the last term is tripled, as the paper says; the proof would triple the term before it as well.
    The complexity is the upper end of its estimate, whose δ adds to the bound's δ.

    In the complexity term 1/2 takes the place of a smaller ‖α‖_p, and 1 in the last one, which has
    no value below 1. The proof adds up the failures of the classes of votes with ‖α‖_p <= 2^k,
    k = 1, 2, ..., each with 2 ℓ n^(1-1/p) 2^k R(H), and a vote belongs to the first that holds it.
    One more class, k = 0, has 2 ℓ n^(1-1/p) R(H) for all votes of norms up to 1, and the failures
    still add up to less than δ; with k = -1 they would not. An empty vote needs no bound.
    """
    m, n = len(t.y), t.sizes.astype(np.float64)
    norm = np.linalg.norm(t.votes, ord=p, axis=1)
    counted = np.where(n > 0, np.maximum(norm, LEAST_NORM), 0.0)
    complexity = 4 * LIPSCHITZ * _upper(t) * n ** (1 - 1 / p) * counted
    confidence = np.sqrt(np.log(np.pi**2 * (n + 1) ** 2 / (3 * DELTA)) / (2 * m))
    scale = 3 * np.sqrt(np.log(np.log2(2 * np.maximum(norm, 1.0))) / m)
    return np.asarray(mean((1 - t.plain_margins) ** 2) + complexity + confidence + scale)


quadboost_lemma1_p2 = Measure("Lemma 1, p = 2", lambda t: _lemma1(t, 2), "voters")
quadboost_lemma1_pinf = Measure("Lemma 1, p = ∞", lambda t: _lemma1(t, np.inf), "voters")
"""The ratio of Lemma 1's sides for votes of the same size."""


def _lemma1(t: Trained, p: float) -> FloatArray:
    """Return R_S(C_p^n) / (n^(1-1/p) R_S(H)), both on the same signs; NaN for an empty vote.

    The best vote of n voters takes the best voter n times: the largest sum is the dual norm of n
    equal numbers.
    """
    q = 1.0 if np.isinf(p) else p / (p - 1)
    sizes, by_size = t.sizes, {0: np.nan}
    for n in set(sizes[sizes > 0].tolist()):
        repeated = (np.repeat(best[:, None], n, axis=1) for best in _best_fits(t))
        norms = (np.linalg.norm(rows, ord=q, axis=1) for rows in repeated)
        by_size[n] = sum(float(batch.sum()) for batch in norms) / SIGN_VECTORS
    plain = sizes.astype(np.float64) ** (1 - 1 / p) * _complexity(t)
    return np.array([by_size[n] for n in sizes.tolist()]) / plain


@measure("Rademacher complexity", needs="voters")
def rademacher_complexity(t: Trained) -> FloatArray:
    """Return the Monte Carlo estimate of R_S(H)."""
    return t.constant(_complexity(t))


@measure("with its confidence", needs="voters")
def rademacher_complexity_upper(t: Trained) -> FloatArray:
    """Return an upper bound on R_S(H), which holds with probability 1 - δ."""
    return t.constant(_upper(t))


@measure("Massart's bound", needs="voters")
def massart(t: Trained) -> FloatArray:
    """Return sqrt(2 ln(N)/m) >= R_S(H), N counting complements (Massart's finite class lemma)."""
    return t.constant(sqrt(2 * log(2 * t.votes.shape[1]) / len(t.y)))


def _complexity(t: Trained) -> float:
    return sum(float(best.sum()) for best in _best_fits(t)) / SIGN_VECTORS


def _upper(t: Trained) -> float:
    """Return the upper end of the estimate of R_S(H).

    The mean over B sign vectors depends on mB independent signs, and each of them changes it by at
    most 2/(mB) because voters have values in [-1, 1]. By McDiarmid's inequality it is below R_S(H)
    by more than sqrt(2 ln(1/δ) / (mB)) with probability at most δ.
    """
    return _complexity(t) + sqrt(2 * log(1 / DELTA) / (len(t.y) * SIGN_VECTORS))


@lru_cache(maxsize=1)  # several measures share it
def _best_fits(t: Trained) -> list[FloatArray]:
    """Return max_h |σᵀh|/m for B random sign vectors σ, batch by batch."""
    H, rng, fits = t.voters, t.rng("signs"), []
    rows = max(1, BATCH // max(H.shape))
    for start in range(0, SIGN_VECTORS, rows):
        signs = 2.0 * rng.integers(0, 2, (min(rows, SIGN_VECTORS - start), len(H))) - 1.0
        fits.append((np.abs(signs @ H) / len(H)).max(axis=1))
    return fits
