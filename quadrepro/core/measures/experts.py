"""Bounds on boosting by experts: regret, and rounds until no example is wrong (lecture, section 3).

Every training example is an expert, and multiplicative weights with a rate η <= 1/2 has a regret of
at most η T + ln(m)/η after T rounds.
"""

from __future__ import annotations

from math import floor, log, nan, sqrt

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.adaboost import edge_of_voters
from quadrepro.core.measures.concentration import ROUNDING, check_edge
from quadrepro.core.measures.measure import Measure, Trained


def regret_bound(n_rounds: int, m: int) -> float:
    """Return 2 sqrt(T ln m), the bound on the regret at the rate η = sqrt(ln(m)/T).

    Examples
    --------
    >>> round(regret_bound(1000, 60), 2)
    127.97
    """
    _check(m)
    if n_rounds < 1:
        raise ValueError(f"the experts need n_rounds >= 1, not {n_rounds}")
    return 2 * sqrt(n_rounds * log(m))


def experts_rounds(gamma: float, m: int) -> int:
    """Return the least T > 4 ln(m)/γ², after which the vote is right on all m examples.

    From there on `regret_bound` is below γ T, so that every example is right in more than half of
    the rounds.

    Examples
    --------
    >>> experts_rounds(1 / 6, 60)
    590
    """
    _check(m)
    check_edge(gamma)
    return floor(4 * log(m) / gamma**2) + 1


def measured_rounds(trained: Trained) -> FloatArray:
    """Return the experts' number of rounds, the same for all candidates; NaN without an edge."""
    gamma, m = trained.once(edge_of_voters), len(trained.y)
    return trained.constant(experts_rounds(gamma, m) if gamma > ROUNDING else nan)


def _check(m: int) -> None:
    if m < 2:
        raise ValueError(f"the experts need m >= 2 training examples, not {m}")


EXPERTS_ROUNDS = Measure("4 ln(m)/γ²", measured_rounds, needs="voters", direction=None)
