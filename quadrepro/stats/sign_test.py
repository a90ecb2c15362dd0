"""Two-tailed sign test with ties ignored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

LEVEL = 0.05
"""A p-value of at most this is called significant."""


@dataclass(frozen=True)
class SignTest:
    """Wins, losses and ties of A against B, and the p-value.

    Attributes
    ----------
    wins, losses, ties : int
        Data sets where A has the lower, the higher, the same risk.
    """

    wins: int
    losses: int
    ties: int

    @property
    def p_value(self) -> float:
        """min(1, 2 Σ_{i <= min(w, l)} C(w+l, i) / 2^(w+l))."""
        n = self.wins + self.losses
        tail = sum(comb(n, i) for i in range(min(self.wins, self.losses) + 1))
        return min(1.0, 2.0 * tail / 2.0**n)

    @property
    def significant(self) -> bool:
        """Whether the p-value is at most `LEVEL`."""
        return self.p_value <= LEVEL


def sign_test(a: Sequence[float], b: Sequence[float]) -> SignTest:
    """Compare the risks of A and B data set by data set.

    Parameters
    ----------
    a, b : sequence of float
        Risks, one a data set; equal values are ties.

    Returns
    -------
    SignTest
        Counts and p-value.
    """
    pairs = list(zip(a, b, strict=True))
    wins = sum(x < y for x, y in pairs)
    losses = sum(x > y for x, y in pairs)
    return SignTest(wins, losses, len(pairs) - wins - losses)
