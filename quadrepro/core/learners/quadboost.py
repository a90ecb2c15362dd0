"""QuadBoost: vanilla, L1, L2 and L∞, each additive or re-weighting (QuadBoost, section 3).

The correlations of the voters with the residual y - F of a vote F = Σ α_j h_j are c = μ - Gα, with
the correlations μ = Hᵀy/m with the labels and the Gram matrix G = HᵀH/m. Given μ and G, rounds do
not need the examples: a round that adds δ to the weight of voter j leaves c - δ G_j.

As a function of a single weight a, the regularised quadratic risk is, up to a constant,

    η a² - 2 c' a + 2 τ |a| + ρ a²    with |a| <= b and η = G_jj,

which is least at clip(soft(c', τ) / (η + ρ), ±b), where soft(c', τ) is sign(c') max(|c'| - τ, 0).

In the additive form c' is c, and the minimiser is added to the weight. In the re-weighting form it
replaces the weight α, and c' = c + α η leaves out the voter's own contribution (section 3.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.jit import njit
from quadrepro.core.learners.rounds import (
    BoostingAlgorithm,
    Trace,
    empty_trace,
    first_of_largest,
    first_of_size,
)
from quadrepro.core.training.contract import Registered
from quadrepro.core.training.grid import N_ROUNDS, Hyperparameter
from quadrepro.core.voters.gram import Gram, write_rows
from quadrepro.core.voters.reduction import VotingProblem

LAM = Hyperparameter("lam", "number", "large", "regularisation λ")
ALPHA_MAX = Hyperparameter("alpha_max", "number", "small", "largest voter weight α_max")

Norm = Literal["l1", "l2", "linf"] | None
Selection = Literal["decrease", "correlation"]
Penalty = tuple[float, float, float]


@njit
def take_rounds(
    gram: Gram,
    mu: FloatArray,
    eta: FloatArray,
    penalty: Penalty,
    reweight: bool,
    by_correlation: bool,
    tol: float,
    n_rounds: int,
) -> Trace:
    """Return the picks and steps of a run, shape (n_rounds_taken,).

    The run ends after a step of a size of at most `tol`, which leaves no c above the threshold τ.

    `mu` and `eta` have shape (n_voters,).
    """
    rows, chain, ready = gram.rows, gram.chain, gram.ready
    n, (picks, steps) = len(mu), empty_trace()
    c, largest, decreases, replaced = mu.copy(), np.abs(mu).max(), np.empty(n), np.zeros(n)
    while len(picks) < n_rounds:
        if by_correlation:
            pick = first_of_size(c, largest)
        else:
            for j in range(n):
                decreases[j] = decrease(c[j], eta[j], replaced[j], penalty)
            pick = first_of_largest(decreases)
        old = replaced[pick]
        step = minimiser(c[pick] + old * eta[pick], eta[pick], penalty) - old
        if reweight:
            replaced[pick] += step
        if not ready[chain[pick]]:
            write_rows(gram, chain[pick])
        largest = subtract(c, rows, pick, step)
        if step != 0.0:
            picks.append(pick)
            steps.append(step)
        if abs(step) <= tol:
            break
    return np.array(picks, np.intp), np.array(steps)


@njit
def minimiser(c: float, eta: float, penalty: Penalty) -> float:
    """Return clip(soft(c, τ) / (η + ρ), ±b)."""
    tau, rho, bound = penalty
    soft = c - min(max(c, -tau), tau)
    return min(max(soft / (eta + rho), -bound), bound)


@njit
def decrease(c: float, eta: float, old: float, penalty: Penalty) -> float:
    """Return the decrease of the regularised risk if a weight is replaced by the minimiser."""
    tau, rho, _ = penalty
    c_without = c + old * eta
    new = minimiser(c_without, eta, penalty)
    penalty_old = 2 * tau * abs(old) + rho * (old * old)
    penalty_new = 2 * tau * abs(new) + rho * (new * new)
    return eta * (old * old - new * new) - 2 * c_without * (old - new) + penalty_old - penalty_new


@njit
def subtract(c: FloatArray, gram: FloatArray, pick: int, step: float) -> float:
    """Subtract step G_pick from c, shape (n_voters,), and return the largest |c|."""
    largest = np.int64(0)
    for j in range(len(c)):
        c[j] -= gram[pick, j] * step
        # The bits of positive numbers have their order, and vector units compare them.
        largest = max(largest, np.float64(abs(c[j])).view(np.int64))
    return np.int64(largest).view(np.float64)


@dataclass(frozen=True)
class QuadBoost(BoostingAlgorithm):
    """QuadBoost.

    With the norm L1, a run has no number of rounds: it ends when |c| is at most λ for all voters,
    up to 1e-9.
    """

    norm: Norm = None
    """The norm of the voter weights that is regularised."""
    reweight: bool = False
    """Whether to replace the weight of a voter instead of adding to it (section 3.1)."""
    selection: Selection = "decrease"
    """Whether a round picks the voter of largest decrease of the risk or, as in the text of the
    paper, of largest |c|. For voters with values -1 and +1 they are the same."""

    def __post_init__(self) -> None:
        if self.reweight and self.selection == "correlation":
            raise ValueError("selection 'correlation' is for the additive form: reweight is true")

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:  # type: ignore[override]
        """The hyper-parameters that a grid may name."""
        own = {None: (), "l1": (LAM,), "l2": (LAM,), "linf": (ALPHA_MAX,)}[self.norm]
        return own if self.norm == "l1" else (*own, N_ROUNDS)

    def penalty(self, value: float) -> Penalty:
        """Return (τ, ρ, b) for the value of λ or α_max."""
        return {
            None: (0.0, 0.0, inf),  # eq. 6
            "l1": (value, 0.0, inf),  # eq. 7
            "l2": (0.0, value, inf),  # eq. 8
            "linf": (0.0, 0.0, value),  # eq. 9
        }[self.norm]

    @property
    def merges_voters(self) -> bool:
        """Whether equal voters may be merged: not if each weight is replaced by itself."""
        return not self.reweight

    def run(self, problem: VotingProblem, sample: int, value: float, n_rounds: int) -> Trace:
        """Run on one sample, see `BoostingAlgorithm.run`."""
        gram, mu, squares = problem.quadratic(sample)
        # If η = 1, the voter of largest |c| has the largest decrease in all additive variants.
        signs = not self.reweight and bool((squares == 1.0).all())
        eta = np.where(squares > 0, squares, 1.0)  # a voter that is always 0 gets no step
        by_correlation = signs or self.selection == "correlation"
        tol = 1e-9 if self.norm == "l1" else 1e-12
        penalty = self.penalty(value)
        return take_rounds(gram, mu, eta, penalty, self.reweight, by_correlation, tol, n_rounds)


_ROUNDS = {"n_rounds": [10, 100, 1000, 10_000]}
_LAMS, _MOST = {"from": 1000, "to": 1, "points": 5}, {"from": 1e-4, "to": 0.1, "points": 5}
_ONE = {"n_rounds": {"from": 1, "to": 1000, "points": 10}}
_L1 = {"lam": {"from": 1, "to": 1e-4, "points": 10}}
QUADBOOST = Registered(QuadBoost, "QuadBoost", "QuadBoost, eq. 6", _ONE, {"norm": None})
QUADBOOST_L1 = Registered(QuadBoost, "QuadBoost-L1", "QuadBoost, eq. 7", _L1, {"norm": "l1"})
QUADBOOST_L2 = Registered(
    QuadBoost, "QuadBoost-L2", "QuadBoost, eq. 8", _ROUNDS | {"lam": _LAMS}, {"norm": "l2"}
)
QUADBOOST_LINF = Registered(
    QuadBoost, "QuadBoost-L∞", "QuadBoost, eq. 9", _ROUNDS | {"alpha_max": _MOST}, {"norm": "linf"}
)
