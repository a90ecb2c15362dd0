"""QuadBoost: vanilla, L1, L2 and L∞, each additive or re-weighting (QuadBoost, section 3).

The correlations of the voters with the residual y - F of a vote F = Σ α_j h_j are c = μ - Gα, where
μ = Hᵀy/m are those with the labels and G = HᵀH/m is the Gram matrix. With these two, the examples
are not needed again: a round that adds δ to the weight of voter j leaves c - δ G_j.

As a function of a single weight a, the regularised quadratic risk is, up to a constant,

    η a² - 2 c' a + 2 τ |a| + ρ a²    with |a| <= b and η = G_jj,

which is least at clip(soft(c', τ) / (η + ρ), ±b), where soft(c', τ) is sign(c') max(|c'| - τ, 0).

                    τ    ρ    b
    vanilla         0    0    ∞      eq. 6
    L1              λ    0    ∞      eq. 7
    L2              0    λ    ∞      eq. 8
    L∞              0    0    α_max  eq. 9

In the additive form c' is c, and the minimiser is added to the weight of the voter. In the
re-weighting form it replaces the weight α, and c' = c + α η is the correlation with the residual
without the voter's own contribution (section 3.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.jit import njit
from quadrepro.core.learners.grid import N_ROUNDS, Grid, Hyperparameter
from quadrepro.core.learners.learner import Entry
from quadrepro.core.learners.rounds import BoostingAlgorithm
from quadrepro.core.voters.reduction import VotingProblem

LAM = Hyperparameter("lam", "number", "large", "regularisation λ")
ALPHA_MAX = Hyperparameter("alpha_max", "number", "small", "largest voter weight α_max")

Selection = Literal["decrease", "correlation"]
Penalty = tuple[float, float, float]

TIE = 1e-9
"""Voters whose scores differ by at most this share tie, and the one of lowest index is picked."""


@njit
def boost(
    gram: FloatArray,
    mu: FloatArray,
    penalty: Penalty,
    by_correlation: bool,
    reweight: bool,
    tol: float,
    rounds: IntArray,
    traced: bool,
) -> tuple[FloatArray, bool, IntArray, FloatArray]:
    """Run QuadBoost for the last of some numbers of rounds, or until a step is at most `tol`.

    The penalty is (τ, ρ, b). Return the vote after each of these numbers of rounds, whether a step
    ended the run, and, if it is traced, the voter and the step of each round.
    """
    n = len(mu)
    eta = np.where(np.diag(gram) > 0, np.diag(gram), 1.0)  # a voter that is always 0 gets no step
    c, largest, alpha = mu.copy(), np.abs(mu).max(), np.zeros(n)
    replaced = alpha if reweight else np.zeros(n)
    decreases, votes = np.empty(n), np.empty((len(rounds), n))
    picks, steps = [0 for _ in range(0)], [0.0 for _ in range(0)]
    t, ended = 0, False
    for i, stop in enumerate(rounds):
        while t < stop and not ended:
            if by_correlation:
                pick = first_of_size(c, largest)
            else:
                for j in range(n):
                    decreases[j] = decrease(c[j], eta[j], replaced[j], penalty)
                pick = first_of_largest(decreases)
            old = replaced[pick]
            step = minimiser(c[pick] + old * eta[pick], eta[pick], penalty) - old
            alpha[pick] += step
            largest = subtract(c, gram, pick, step)
            if traced and step != 0.0:
                picks.append(pick)
                steps.append(step)
            ended = abs(step) <= tol
            t += 1
        votes[i] = alpha
    return votes, ended, np.array(picks, np.intp), np.array(steps)


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
    here = c + old * eta
    new = minimiser(here, eta, penalty)
    penalty_old = 2 * tau * abs(old) + rho * (old * old)
    penalty_new = 2 * tau * abs(new) + rho * (new * new)
    return eta * (old * old - new * new) - 2 * here * (old - new) + penalty_old - penalty_new


@njit
def subtract(c: FloatArray, gram: FloatArray, pick: int, step: float) -> float:
    """Subtract step G_pick from c, and return the largest |c|."""
    largest = np.int64(0)
    for j in range(len(c)):
        c[j] -= gram[pick, j] * step
        # Bits of positive numbers are in the order of these. The compiler finds the maximum of
        # several whole numbers at a time, but of floats one by one, in three times the time.
        largest = max(largest, np.float64(abs(c[j])).view(np.int64))
    return np.int64(largest).view(np.float64)


@njit
def first_of_size(c: FloatArray, largest: float) -> int:
    """Return the first voter with the largest |c|, up to `TIE`."""
    least, first = largest * (1.0 - TIE), len(c)
    for j in range(len(c)):  # to the end: without a break, several are compared at a time
        first = min(first, j if abs(c[j]) >= least else len(c))
    return first


@njit
def first_of_largest(scores: FloatArray) -> int:
    """Return the first voter with the largest score, up to `TIE`."""
    largest, first = scores.max(), 0
    least = min(largest, largest * (1.0 - TIE))  # rounding may leave no score above zero
    while scores[first] < least:
        first += 1
    return first


@dataclass(frozen=True)
class QuadBoost(BoostingAlgorithm):
    """QuadBoost without regularisation; the number of rounds is the only control.

    Raises
    ------
    ValueError
        If `selection` is unknown, or is "correlation" in the re-weighting form.
    """

    reweight: bool = False
    """Whether to use the re-weighting form (section 3.1), which replaces the weight of a voter
    instead of adding to it."""
    tol: float = 1e-12
    """A change of a weight of at most this much ends the run."""
    selection: Selection = "decrease"
    """Which voter a round picks: that of the largest decrease of the regularised risk, or that of
    the largest absolute correlation with the residual, |μ - M|, as the paper reads. For voters with
    values -1 and +1 they are the same. The re-weighting form takes only the first: the weight of
    the voter of largest |μ - M| may already be the best one, and nothing would change any more."""

    hyperparameters: ClassVar[tuple[Hyperparameter, ...]] = (N_ROUNDS,)

    def __post_init__(self) -> None:
        if self.selection not in get_args(Selection):
            raise ValueError(
                f"selection must be 'decrease' or 'correlation', not {self.selection!r}"
            )
        if self.reweight and self.selection == "correlation":
            raise ValueError("selection 'correlation' is for the additive form: reweight is true")

    @property
    def merges_voters(self) -> bool:
        """Whether equal voters may be merged: not if weights are replaced, each one on its own."""
        return not self.reweight

    def penalty(self, value: float) -> Penalty:
        """Return (τ, ρ, b) for a value of the hyper-parameter other than ``n_rounds``."""
        return 0.0, 0.0, np.inf

    def runs(
        self, problem: VotingProblem, sample_of: IntArray, values: FloatArray, rounds: Sequence[int]
    ) -> FloatArray:
        """Return the votes of some runs after given numbers of rounds."""
        pairs = zip(sample_of, values, strict=True)
        return np.stack([self._run(problem, *pair, rounds)[0] for pair in pairs])

    def steps(
        self, problem: VotingProblem, value: float, n_rounds: int
    ) -> tuple[IntArray, FloatArray]:
        """Return the voter and the step of each round of a run on the first sample."""
        return self._run(problem, 0, value, [n_rounds], traced=True)[2:]

    def _run(
        self,
        problem: VotingProblem,
        sample: int,
        value: float,
        rounds: Sequence[int],
        traced: bool = False,
    ) -> tuple[FloatArray, bool, IntArray, FloatArray]:
        grams, mu = problem.grams(), problem.correlations()[sample]
        # If η = 1, the voter of largest |c| is that of largest decrease in all additive variants.
        signs = bool((grams.diagonal(axis1=1, axis2=2) == 1.0).all())
        by_correlation = self.selection == "correlation" or (signs and not self.reweight)
        settings = self.penalty(float(value)), by_correlation, self.reweight, self.tol
        return boost(grams[sample], mu, *settings, np.array(rounds), traced)


@dataclass(frozen=True)
class QuadBoostL1(QuadBoost):
    """QuadBoost-L1, which runs until no voter has |c| > λ; the only hyper-parameter is λ.

    A vote that `max_rounds` do not bring there is not a solution, and its weights are NaN.
    """

    tol: float = 1e-9
    """How far above λ a residual correlation may stay."""
    max_rounds: int = 20_000_000
    """Number of rounds after which a candidate with some |c| still above λ has no solution."""

    hyperparameters = (LAM,)

    def penalty(self, value: float) -> Penalty:
        """Return τ = λ."""
        return value, 0.0, np.inf

    def rounds(self, grid: Grid) -> list[int]:
        """Return the largest number of rounds."""
        return [self.max_rounds]

    def runs(
        self, problem: VotingProblem, sample_of: IntArray, values: FloatArray, rounds: Sequence[int]
    ) -> FloatArray:
        """Return the votes of the runs that ended, and NaN for the others."""
        runs = [self._run(problem, *pair, rounds) for pair in zip(sample_of, values, strict=True)]
        return np.stack([np.where(ended, votes, np.nan) for votes, ended, *_ in runs])

    def limit(self, problem: VotingProblem) -> str:
        """Return in a sentence why a candidate has no solution."""
        return f"after {self.max_rounds:,} rounds, a residual correlation is still above lam"


@dataclass(frozen=True)
class QuadBoostL2(QuadBoost):
    """QuadBoost-L2, with hyper-parameters λ and the number of rounds."""

    hyperparameters = (LAM, N_ROUNDS)

    def penalty(self, value: float) -> Penalty:
        """Return ρ = λ."""
        return 0.0, value, np.inf


@dataclass(frozen=True)
class QuadBoostLInf(QuadBoost):
    """QuadBoost-L∞, with hyper-parameters α_max and the number of rounds."""

    hyperparameters = (ALPHA_MAX, N_ROUNDS)

    def penalty(self, value: float) -> Penalty:
        """Return b = α_max."""
        return 0.0, 0.0, value


QUADBOOST = Entry(
    QuadBoost, "QuadBoost", "QuadBoost, eq. 6", {"n_rounds": {"from": 1, "to": 1000, "points": 10}}
)
QUADBOOST_L1 = Entry(
    QuadBoostL1, "QuadBoost-L1", "QuadBoost, eq. 7", {"lam": {"from": 1, "to": 1e-4, "points": 10}}
)
QUADBOOST_L2 = Entry(
    QuadBoostL2,
    "QuadBoost-L2",
    "QuadBoost, eq. 8",
    {"n_rounds": [10, 100, 1000, 10_000], "lam": {"from": 1000, "to": 1, "points": 5}},
)
QUADBOOST_LINF = Entry(
    QuadBoostLInf,
    "QuadBoost-L∞",
    "QuadBoost, eq. 9",
    {"n_rounds": [10, 100, 1000, 10_000], "alpha_max": {"from": 1e-4, "to": 0.1, "points": 5}},
)
