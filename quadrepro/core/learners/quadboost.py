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

ALL_BUT_SIGN = np.int64(0x7FFF_FFFF_FFFF_FFFF)
"""The bits of a float other than its sign."""


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
    """Run QuadBoost until a step is at most `tol`, at most for the last of some numbers of rounds.

    Return the votes after these rounds, whether the run ended and, if `traced`, its voters and
    steps. The penalty is (τ, ρ, b).
    """
    n = len(mu)
    eta = np.where(np.diag(gram) > 0, np.diag(gram), 1.0)  # any number for a voter that is always 0
    c, largest, alpha = mu.copy(), np.abs(mu).max(), np.zeros(n)
    replaced = alpha if reweight else np.zeros(n)
    decreases, changes = np.empty(n), np.empty(n)
    votes = np.empty((len(rounds), n))
    picks, steps = [0 for _ in range(0)], [0.0 for _ in range(0)]
    t, ended = 0, False
    for i, stop in enumerate(rounds):
        while t < stop and not ended:
            if by_correlation:
                pick = first_of_size(c, largest)
                step = minimiser(c[pick], eta[pick], penalty)
            else:
                try_changes(c, eta, replaced, penalty, decreases, changes)
                pick = first_of_largest(decreases)
                step = changes[pick]
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
    """Return the weight of least risk."""
    tau, rho, bound = penalty
    soft = c - min(max(c, -tau), tau)
    return min(max(soft / (eta + rho), -bound), bound)


@njit
def try_changes(
    c: FloatArray,
    eta: FloatArray,
    replaced: FloatArray,
    penalty: Penalty,
    decreases: FloatArray,
    changes: FloatArray,
) -> None:
    """Compute the change of each weight to its minimiser, and the decrease of the risk."""
    tau, rho, _ = penalty
    for j in range(len(c)):
        old, e = replaced[j], eta[j]
        here = c[j] + old * e
        new = minimiser(here, e, penalty)
        penalty_old = 2 * tau * abs(old) + rho * (old * old)
        penalty_new = 2 * tau * abs(new) + rho * (new * new)
        fit = e * (old * old - new * new) - 2 * here * (old - new)
        decreases[j] = fit + penalty_old - penalty_new
        changes[j] = new - old


@njit
def subtract(c: FloatArray, gram: FloatArray, pick: int, step: float) -> float:
    """Subtract a step times a row of the Gram matrix from c; return the largest |c|."""
    largest = np.int64(0)
    for j in range(len(c)):
        c[j] -= gram[pick, j] * step
        largest = max(largest, ordinal(abs(c[j])))
    return from_ordinal(largest)


@njit
def first_of_size(c: FloatArray, largest: float) -> int:
    """Return the first voter with the largest |c|, up to `TIE`."""
    least, first = largest * (1.0 - TIE), len(c)
    for j in range(len(c)):  # to the end, since the compiler divides no loop that may break
        first = min(first, j if abs(c[j]) >= least else len(c))
    return first


@njit
def first_of_largest(scores: FloatArray) -> int:
    """Return the first voter with the largest score, up to `TIE`."""
    most = ordinal(scores[0])
    for j in range(len(scores)):
        most = max(most, ordinal(scores[j]))
    largest = from_ordinal(most)
    least, first = min(largest, largest * (1.0 - TIE)), len(scores)  # scores may be negative
    for j in range(len(scores)):
        first = min(first, j if scores[j] >= least else len(scores))
    return first


@njit
def ordinal(x: float) -> int:
    """Return a whole number for each float, in the same order.

    The compiler takes the maximum of several whole numbers at a time, but of floats one by one.
    """
    bits = np.float64(x).view(np.int64)
    return bits ^ ((bits >> 63) & ALL_BUT_SIGN)


@njit
def from_ordinal(bits: int) -> float:
    """Return the float of a whole number."""
    return np.int64(bits ^ ((bits >> 63) & ALL_BUT_SIGN)).view(np.float64)


@dataclass(frozen=True)
class QuadBoost(BoostingAlgorithm):
    """QuadBoost without regularisation; the number of rounds is the only control.

    Raises
    ------
    ValueError
        If `selection` is unknown, or is "correlation" in the re-weighting form.
    """

    version: ClassVar[int] = 2

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
    uses_gram = True

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
        """Return τ, ρ and b for a value of the hyper-parameter (eq. 6)."""
        return 0.0, 0.0, np.inf

    def runs(
        self, problem: VotingProblem, sample_of: IntArray, values: FloatArray, rounds: Sequence[int]
    ) -> FloatArray:
        """Return the votes of some runs after given numbers of rounds."""
        pairs = zip(sample_of, values, strict=True)
        return np.stack([self._run(problem, s, value, rounds)[0] for s, value in pairs])

    def steps(
        self, problem: VotingProblem, value: float, n_rounds: int
    ) -> tuple[IntArray, FloatArray]:
        """Return the voter of each round of a run on the first sample, and the change of its weight."""
        _, _, picks, steps = self._run(problem, 0, value, [n_rounds], traced=True)
        return picks, steps

    def _run(
        self,
        problem: VotingProblem,
        sample: int,
        value: float,
        rounds: Sequence[int],
        traced: bool = False,
    ) -> tuple[FloatArray, bool, IntArray, FloatArray]:
        grams = problem.grams()
        # If η = 1, the voter of largest |c| is that of largest decrease in all additive variants.
        signs = bool((grams.diagonal(axis1=1, axis2=2) == 1.0).all())
        return boost(
            grams[sample],
            problem.correlations()[sample],
            self.penalty(value),
            self.selection == "correlation" or (signs and not self.reweight),
            self.reweight,
            self.tol,
            np.array(rounds),
            traced,
        )


@dataclass(frozen=True)
class QuadBoostL1(QuadBoost):
    """QuadBoost-L1, which runs until no voter has |c| > λ; the only hyper-parameter is λ.

    A vote that `max_rounds` do not bring there is not a solution, and its weights are NaN.
    """

    version: ClassVar[int] = 3

    tol: float = 1e-9
    """How far above λ a residual correlation may stay."""
    max_rounds: int = 20_000_000
    """Number of rounds after which a candidate with some |c| still above λ has no solution."""

    hyperparameters = (LAM,)

    def penalty(self, value: float) -> Penalty:
        """Return τ = λ, and no other penalty (eq. 7)."""
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
        """Return ρ = λ, and no other penalty (eq. 8)."""
        return 0.0, value, np.inf


@dataclass(frozen=True)
class QuadBoostLInf(QuadBoost):
    """QuadBoost-L∞, with hyper-parameters α_max and the number of rounds."""

    hyperparameters = (ALPHA_MAX, N_ROUNDS)

    def penalty(self, value: float) -> Penalty:
        """Return b = α_max, and no other penalty (eq. 9)."""
        return 0.0, 0.0, value


VARIANTS: dict[str | None, type[QuadBoost]] = {
    None: QuadBoost,
    "l1": QuadBoostL1,
    "l2": QuadBoostL2,
    "linf": QuadBoostLInf,
}
"""The variants by the norm that they regularise."""


QUADBOOST = Entry(
    QuadBoost,
    "QuadBoost",
    "QuadBoost, eq. 6",
    {"n_rounds": {"from": 1, "to": 1000, "points": 10}},
)

QUADBOOST_L1 = Entry(
    QuadBoostL1,
    "QuadBoost-L1",
    "QuadBoost, eq. 7",
    {"lam": {"from": 1, "to": 1e-4, "points": 10}},
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
