"""QuadBoost's bound on the risk of a vote (QuadBoost, section 2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import ArrayLike

from quadrepro.base.types import FloatArray
from quadrepro.core.measures import rademacher
from quadrepro.core.measures.concentration import (
    DELTA,
    ROUNDING,
    check_falls,
    in_range,
    margin_matrix,
)
from quadrepro.core.measures.measure import Measure, Trained
from quadrepro.core.measures.rademacher import norm_complexity


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


def rounds_to_error(gamma: float, error: float = 0.0) -> int:
    """Return the least T >= (1 - ε)/γ², after which QuadBoost's quadratic risk is at most ε.

    1 - Tγ² is then at most ε, and so is the training error. With ε = 0 it is the 1/γ² of the paper,
    which no run exceeds with |c| >= γ in every round.

    Examples
    --------
    >>> rounds_to_error(0.5), rounds_to_error(0.5, 0.5)
    (4, 2)

    AdaBoost needs ln(1/ε)/(2γ²) rounds at the same γ, which is more for ε below exp(-2) only.

    >>> from quadrepro.core.measures.adaboost import rounds_to_error as adaboost
    >>> [(rounds_to_error(0.1, e), adaboost(0.1, e)) for e in (0.5, 0.1, 0.001)]
    [(50, 35), (90, 116), (100, 346)]
    """
    if not 0 < gamma <= 1:
        raise ValueError(f"gamma must be in (0, 1], not {gamma}")
    return ceil((1 - float(in_range("error", error, 1.0))) / gamma**2)


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
    empirical: bool,
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
    With the empirical complexity δ/2 takes the place of δ and the last term is tripled, as the
    paper says; the proof would triple the term in δ as well, that is, add 2 `confidence`.

    Parameters
    ----------
    loss, n, norm : array-like of shape (n_votes,)
        Mean loss on m training examples, plain or clipped at 1, at least 1 on a wrong one; number
        of voters in each vote; ‖α‖_p.
    complexity : float
        R_m(H), or an upper bound on it such as Massart's; if it is `empirical`, R_S(H) of the
        training examples, and the probability that its estimate fails adds to `delta`.

    Examples
    --------
    >>> bound = risk_bound(0.4, 9, 3.0, p=2, m=5000, complexity=0.005, empirical=False)
    >>> float(bound.complexity.round(4)), float(bound.total.round(4))
    (0.36, 0.8022)
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
    share, times = (delta / 2, 3) if empirical else (delta, 1)
    return RiskBound(
        loss=losses,
        complexity=factor
        * norm_complexity(counts, p)
        * np.where(counts > 0, np.maximum(norms, LEAST_NORM), 0.0),
        confidence=np.sqrt(np.log(np.pi**2 * (counts + 1) ** 2 / (6 * share)) / (2 * m)),
        scale=times * np.sqrt(np.log(np.log2(2 * np.maximum(norms, 1.0))) / m),
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


def theory_lambda(n: ArrayLike, p: float, complexity: float) -> FloatArray:
    """Return the λ that Theorem 1 asks of QuadBoost with an L_p penalty (section 3).

    The bound is the risk plus 8 n^(1-1/p) R(H) ‖α‖_p. With p = 1 the paper minimises the risk plus
    2λ‖α‖_1, so that λ = 4 R(H). With p > 1 it is the risk plus λ‖α‖_p: λ = 8 sqrt(n) R(H) with
    p = 2 and 8 n R(H) with p = ∞. QuadBoost-L2's rule is that of the squared norm, and
    QuadBoost-L∞ has a largest weight in place of λ.

    Examples
    --------
    >>> theory_lambda([1, 4], 1, 0.1).tolist(), theory_lambda([1, 4], 2, 0.1).tolist()
    ([0.4, 0.4], [0.8, 1.6])
    """
    if not complexity >= 0:
        raise ValueError(f"a complexity cannot be negative, as {complexity} is")
    halved = 0.5 if p == 1 else 1.0
    return halved * 4 * QUADRATIC_LIPSCHITZ * complexity * norm_complexity(n, p)


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
            complexity=trained.once(rademacher.complexity).upper,
            empirical=True,
        )
        return bound.total

    return measured


measured_theorem1_p1 = _theorem1(1)
measured_theorem1_p2 = _theorem1(2)
measured_theorem1_pinf = _theorem1(np.inf)


CLIPPED_QUADRATIC_RISK = Measure("clipped quadratic risk", measured_clipped_risk)
QUADBOOST_QUADRATIC_BOUND = Measure("1 - Tγ²", measured_quadratic_bound, every_round=True)
QUADBOOST_THEOREM1_P1 = Measure("Theorem 1, p = 1", measured_theorem1_p1, needs="voters", version=2)
QUADBOOST_THEOREM1_P2 = Measure("Theorem 1, p = 2", measured_theorem1_p2, needs="voters", version=2)
QUADBOOST_THEOREM1_PINF = Measure(
    "Theorem 1, p = ∞", measured_theorem1_pinf, needs="voters", version=2
)
