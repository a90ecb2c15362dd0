"""RBoosting's generalisation (Re-scale boosting, section III): its terms, up to two constants.

Theorem 2 and its corollaries hold for constants C and C' that depend on the loss and the dictionary
and are not given. The functions return what these constants multiply, as rates to compare.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.concentration import in_range

Loss = Literal["l2", "logistic", "exponential"]

LARGEST_LOSS: dict[Loss, Callable[[FloatArray, float], FloatArray]] = {
    "l2": lambda f, y: np.asarray((f + y) ** 2),
    "logistic": lambda f, y: np.logaddexp(0.0, f),
    "exponential": lambda f, y: np.exp(f),
}
"""H_φ(R1, R2) of Assumption 2 by the name of the loss; labels are at most 1 in size."""


def largest_loss(loss: Loss, f: ArrayLike, y: float = 1.0) -> FloatArray:
    """Return H_φ(R1, R2), which no loss exceeds with |F| <= R1 and |y| <= R2 (Assumption 2).

    (R1 + R2)² for the squared loss, ln(1 + exp(R1)) for the logistic and exp(R1) for the
    exponential loss.

    Examples
    --------
    >>> largest_loss("l2", [0.0, 2.0], y=1.0).tolist()
    [1.0, 9.0]
    """
    if loss not in LARGEST_LOSS:
        raise ValueError(f"loss must be {', '.join(map(repr, LARGEST_LOSS))}, not {loss!r}")
    (bound,) = in_range("y", [y], np.inf)
    return LARGEST_LOSS[loss](in_range("f", f, np.inf), float(bound))


@dataclass(frozen=True)
class Excess:
    """The two terms of Theorem 2, without C and C'.

    Attributes
    ----------
    numerical : ndarray of shape (n_values,)
        (‖h‖₁² + ln k) / k, that of the numerical convergence (Theorem 1), which C multiplies.
    sampling : ndarray of shape (n_values,)
        (H_φ(·, M) + H_φ(‖h‖₁, M)) k (ln m + ln k) / m, which C' multiplies.
    """

    numerical: FloatArray
    sampling: FloatArray


def excess_risk(
    k: ArrayLike, m: ArrayLike, h_norm: float, loss: Loss, y: float = 1.0, *, truncated: bool
) -> Excess:
    """Return the terms that bound RBoosting's expected excess risk over a function h (Theorem 2).

    It is at most C times the first term and C' times the second, for α_k = 3/(k + 3).

    Examples
    --------
    >>> terms = excess_risk([10, 100], 10_000, 2.0, "logistic", truncated=False)
    >>> terms.numerical.round(3).tolist(), terms.sampling.round(3).tolist()
    ([0.63, 0.086], [0.052, 0.931])
    """
    rounds, examples = np.broadcast_arrays(
        *(np.asarray(a, dtype=np.float64) for a in (k, m)),
    )
    if not ((rounds >= 1).all() and (examples >= 1).all()):
        raise ValueError("k and m must be at least 1")
    of_scores = largest_loss(loss, np.full(rounds.shape, y) if truncated else np.log(rounds), y)
    losses = of_scores + largest_loss(loss, h_norm, y)
    return Excess(
        numerical=np.asarray((h_norm**2 + np.log(rounds)) / rounds),
        sampling=np.asarray(losses * rounds * np.log(examples * rounds) / examples),
    )


def stopping_rounds(m: int, h_norm: float, loss: Loss, y: float = 1.0) -> int:
    """Return the least k with k² (H_φ(ln k, M) + H_φ(‖h‖₁, M)) >= m, of Corollary 3's order.

    The corollary stops where k is the root of m over the sum, whose size depends on k: about
    sqrt(m) for the squared and the logistic loss and m^(1/3) for the exponential loss.

    Examples
    --------
    >>> [stopping_rounds(m, 1.0, "exponential") for m in (1000, 8000)]
    [10, 20]
    """
    if m < 1:
        raise ValueError(f"m must be at least 1, not {m}")
    # H_φ is more than 1/2 for every loss but the squared one, whose sum may be 0 at k = 1.
    k = np.arange(1.0, 3 + np.sqrt(2 * m))
    losses = largest_loss(loss, np.log(k), y) + largest_loss(loss, h_norm, y)
    reached = k**2 * losses >= m
    return int(k[reached.argmax()])


def truncate(scores: ArrayLike, largest: float) -> FloatArray:
    """Return π_M F, the scores cut at ±M (section III).

    With targets in [-M, M] the squared loss does not rise. The paper says so of every loss; the
    logistic and the exponential loss rise where y F > M, and fall where y F < -M.

    Examples
    --------
    >>> truncate([-3.0, 0.5, 2.0], 1.0).tolist()
    [-1.0, 0.5, 1.0]
    """
    (bound,) = in_range("largest", [largest], np.inf)
    return np.clip(np.asarray(scores, dtype=np.float64), -bound, bound)
