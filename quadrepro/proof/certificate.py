"""Certificates: the largest deviation of each kind that was found, and the failures."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Quantity = Literal["pick", "weight", "violation", "gap"]

LongArray = NDArray[np.longdouble]
Number = float | np.floating[Any]

TOLERANCES: dict[Quantity, float] = {
    "pick": 2e-9,
    "weight": 1e-8,
    "violation": 1e-10,
    "gap": 1e-8,
}
"""The largest valid deviations.

- pick: how much better the best candidate of a round is than the picked one. Algorithms take
  scores for equal that differ by a share of 1e-9.
- weight: how far a weight is from the formula or the optimality condition of the paper.
- violation: by how much a quantity rises that should fall, or a constraint is violated.
- gap: the duality gap, or how far from optimal a program's solution may be.
"""

SMALL = 1e-2
"""Deviations of scores and weights are relative to their size, or to this if it is larger."""

ENDS, BETWEEN = 8, 16
"""How many of the first and of the last rounds a sample has, and how many of those between."""

RIVALS = 4
"""Number of other candidates that a sample has."""


@dataclass
class Certificate:
    """A check, and its findings."""

    n_rounds: int = 0
    n_ties: int = 0
    """Largest number of candidates of a round that are as good as the best."""
    worst: dict[Quantity, float] = field(default_factory=dict)
    """The largest deviation of every kind that was checked."""
    faults: list[str] = field(default_factory=list)

    def measure(self, quantity: Quantity, deviation: Number, what: str) -> None:
        """Note a deviation; it is a fault if it is NaN or above its tolerance."""
        found, tolerance = float(deviation), TOLERANCES[quantity]
        found = np.inf if np.isnan(found) else found
        self.worst[quantity] = max(self.worst.get(quantity, 0.0), found)
        if found > tolerance:
            self.faults.append(f"{what} is off by {found:.2g}, more than {tolerance:g}")

    def require(self, holds: bool | np.bool_, fault: str) -> None:
        """Note a fault unless something holds."""
        if not holds:
            self.faults.append(fault)

    def compare(self, scores: NDArray[Any], score: Number, what: str) -> None:
        """Note by how much the score of a pick is below the largest one."""
        best = float(scores.max())
        unit = max(best, SMALL)
        self.n_ties = max(self.n_ties, int((scores >= best - TOLERANCES["pick"] * unit).sum()))
        self.measure("pick", (best - float(score)) / unit, f"{what}: the pick")

    def weigh(self, found: Number, expected: Number, what: str, rounding: Number = 0.0) -> None:
        """Note how far a weight is from the expected one.

        What rounding explains is subtracted from a deviation that would be a fault.
        """
        off = float(abs(np.longdouble(found) - np.longdouble(expected)))
        unit = max(abs(float(expected)), SMALL)
        if off > TOLERANCES["weight"] * unit and 0 < rounding < np.inf:
            off = max(0.0, off - float(rounding))
        self.measure("weight", off / unit, f"{what}: the weight")

    def add(self, other: Certificate) -> None:
        """Take in what was found for another cell."""
        self.n_rounds += other.n_rounds
        self.n_ties = max(self.n_ties, other.n_ties)
        self.faults += other.faults
        for quantity, value in other.worst.items():
            self.worst[quantity] = max(self.worst.get(quantity, 0.0), value)


@dataclass(frozen=True)
class Rounds:
    """The rounds of a run that are checked, and the candidates that a choice is compared with."""

    rng: np.random.Generator | None = None
    """Draws a sample; None to check all rounds."""

    def among(self, n_rounds: int) -> Collection[int]:
        """Return the rounds to check, increasing, of those from 1 to `n_rounds`."""
        if self.rng is None or n_rounds <= 2 * ENDS + BETWEEN:
            return range(1, n_rounds + 1)
        between = ENDS + 1 + self.rng.choice(n_rounds - 2 * ENDS, BETWEEN, replace=False)
        last = range(n_rounds - ENDS + 1, n_rounds + 1)
        return [*range(1, ENDS + 1), *sorted(between.tolist()), *last]

    def rivals(self, n_candidates: int, chosen: int) -> Collection[int]:
        """Return the places of the candidates that the chosen one is compared with."""
        others = [i for i in range(n_candidates) if i != chosen]
        if self.rng is None or len(others) <= RIVALS:
            return others
        return sorted(self.rng.choice(others, RIVALS, replace=False).tolist())
