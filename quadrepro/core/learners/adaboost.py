"""AdaBoost (Freund and Schapire 1997; lecture, section 4).

A round picks the voter h, or its complement, of least weighted error ε under the example weights w.
Its edge is r = Σ w y h / Σ w = 1 - 2ε, and its weight is

    α = ½ ln((1-ε)/ε) = artanh r.

Each example weight is multiplied by exp(-α y h) / (2 sqrt(ε(1-ε))), which is 1 / (1 + r y h), so
that their sum stays the same. A voter without error ends the run, with a weight that outweighs all
others. An edge of at most `NO_EDGE` adds no weight, and ends the run unless the next round has
other voters.
"""

from __future__ import annotations

from dataclasses import dataclass

from quadrepro.core.jit import inlined
from quadrepro.core.learners.reweighting import (
    VoterSums,
    WeightBoosting,
    boosting_loop,
    step_of,
    strongest,
)
from quadrepro.core.training.contract import Registered
from quadrepro.core.training.grid import N_ROUNDS


@inlined
def choose(sums: VoterSums, value: float, t: int) -> tuple[int, float, float, float]:
    """Return the voter of least error, α, and the divisors 1 ± r of weights, see `Choose`."""
    pick, edge = strongest(sums)
    return pick, step_of(edge, t), 1.0 + edge, 1.0 - edge


@dataclass(frozen=True)
class AdaBoost(WeightBoosting):
    """AdaBoost; the only hyper-parameter is the number of rounds."""

    hyperparameters = (N_ROUNDS,)
    choose, take_rounds = staticmethod(choose), staticmethod(boosting_loop(choose))


GRID = {"n_rounds": [10, 32, 100, 316, 1000]}
ADABOOST = Registered(AdaBoost, "AdaBoost", "Freund and Schapire 1997; lecture, section 4", GRID)
