"""SoftBoost: relative entropy projections for the largest soft margin (Warmuth et al. 2007)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.learner import Entry
from quadrepro.core.learners.programs.entropy import EntropyBoost, EntropyRound, EntropyRun
from quadrepro.core.learners.programs.lpboost import MarginDual, run_solver, weights_of_rows

SLACK = 1e-6
"""Least distance of the level from the least largest edge, near which multipliers grow large."""


class SoftMarginLP(MarginDual):
    """The largest soft margin over the voters added so far; its basis is kept."""

    def __init__(self, caps: FloatArray) -> None:
        super().__init__(caps)
        self.add_sum()

    def solve(self) -> FloatArray:
        """Return the weights of the voters added so far, at least one."""
        solution, _ = run_solver(self._highs, "SoftBoost's linear program")
        return weights_of_rows(solution.row_dual[1:])


@dataclass(frozen=True)
class SoftBoost(EntropyBoost):
    """SoftBoost; the hyper-parameters are ν, δ and, optionally, the largest number of rounds.

    With the examples' weights d in the capped simplex P of
    `quadrepro.core.learners.programs.entropy`, round t picks the voter or complement of largest
    edge d^(t-1)·u^t, sets γ^t = min_(q <= t) d^(q-1)·u^q, and projects the uniform d^0::

        d^t = argmin {Δ(d, d^0) : d in P, d·u^q <= γ^t - δ for q <= t}

    The run ends when there is no such d. The weights are those of largest soft margin over the
    voters picked, by the linear program

        max  rho - (1/νm) sum_i n_i xi_i    s.t.  y_i (H a)_i >= rho - xi_i,  sum_j a_j = 1

    so that it is at most δ below the largest of all votes.
    """

    packages: ClassVar[tuple[str, ...]] = ("highspy",)

    def rounds(self, run: EntropyRun, nu: float, delta: float) -> Iterator[EntropyRound]:
        """Yield rounds until the soft margin is at most δ below the largest."""
        program, d, bound = run.program, run.program.uniform, math.inf
        lp = SoftMarginLP(d / nu)
        while True:
            voter, sign, edge = run.best(d)
            bound = min(bound, edge)
            if (signed := run.add(voter, sign)) is not None:
                lp.add_voter(signed)
            weights = lp.solve()
            gap = bound - program.soft_margin(weights)
            if gap <= delta:
                yield EntropyRound(voter, sign, run.vote(weights), gap, None)
                return
            after = program.solve(bound - min(delta, gap - SLACK))
            yield EntropyRound(voter, sign, run.vote(weights), gap, after)
            d = after.examples


SOFTBOOST = Entry(
    SoftBoost,
    "SoftBoost",
    "Warmuth, Glocer and Raetsch 2007",
    {"nu": [0.5, 0.3, 0.2, 0.1, 0.05], "delta": [0.05]},
)
