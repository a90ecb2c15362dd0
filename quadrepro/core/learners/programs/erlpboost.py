"""ERLPBoost: LPBoost with the relative entropy of its weights of examples (Warmuth et al. 2008)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from quadrepro.core import elementary
from quadrepro.core.learners.learner import Entry
from quadrepro.core.learners.programs.entropy import EntropyBoost, EntropyRound, EntropyRun
from quadrepro.core.learners.programs.ordered import ordered_sum


def price(nu: float, delta: float) -> float:
    """Return η = max(2/δ ln(1/ν), 1/2)."""
    return max(2.0 / delta * -elementary.log_of(nu), 0.5)


@dataclass(frozen=True)
class ERLPBoost(EntropyBoost):
    """ERLPBoost; the hyper-parameters are ν, δ and, optionally, the largest number of rounds.

    With η = max(2/δ ln(1/ν), 1/2) and the examples' weights d in the capped simplex P of
    `quadrepro.core.learners.programs.entropy`, round t picks the voter or complement of largest
    edge d^(t-1)·u^t, and finds::

        d^t = argmin {P^t(d) : d in P},    P^t(d) = max_(q <= t) d·u^q + Δ(d, d^0)/η

    from the uniform d^0 on. The run ends before round t if
    min_(q <= t) P^q(d^(q-1)) - P^(t-1)(d^(t-1)) <= δ/2. The vote is the solution of the dual,
    a = v/η, whose soft margin is then at most δ below the largest of all votes.
    """

    def rounds(self, run: EntropyRun, nu: float, delta: float) -> Iterator[EntropyRound]:
        """Yield rounds until the soft margin is at most δ below the largest."""
        eta, program = price(nu, delta), run.program
        voter, sign, bound = run.best(program.uniform)
        least = bound
        while True:
            run.add(voter, sign, 0.0 if run.picked else eta)
            after = program.solve(None)
            weights = after.multipliers / ordered_sum(after.multipliers)
            picked = voter, sign
            voter, sign, edge = run.best(after.examples)
            bound, least = min(bound, edge), min(least, edge + after.entropy / eta)
            gap = bound - program.soft_margin(weights)
            yield EntropyRound(*picked, run.vote(weights), gap, after)
            if least - after.value / eta <= delta / 2:
                return


ERLPBOOST = Entry(
    ERLPBoost,
    "ERLPBoost",
    "Warmuth, Glocer and Vishwanathan 2008",
    {"nu": [0.5, 0.3, 0.2, 0.1, 0.05], "delta": [0.05]},
)
