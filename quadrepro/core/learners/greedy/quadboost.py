"""QuadBoost: vanilla, L1, L2 and L∞, each additive or re-weighting (QuadBoost, section 3).

Once the Gram matrix G and the correlations μ of the voters are known, the examples are not needed
again: a round needs one number per voter. The variants differ only in three numbers of the rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core import compiling
from quadrepro.core.learners.greedy.loop import (
    NEVER,
    Checkpoints,
    GreedyAlgorithm,
    Leap,
    Rule,
    State,
    Step,
    first_of_largest,
    some,
)
from quadrepro.core.learners.grid import N_ROUNDS, Grid, Hyperparameter
from quadrepro.core.learners.learner import Entry
from quadrepro.core.voters.reduction import VotingProblem

LAM = Hyperparameter("lam", "number", "large", "regularisation λ")
ALPHA_MAX = Hyperparameter("alpha_max", "number", "small", "largest voter weight α_max")

Selection = Literal["decrease", "correlation"]

WIDE, WIDEST = 32, 1024
"""Compiled loops run over this many numbers at a time, a small part of longer rows."""


def padded(rows: FloatArray) -> FloatArray:
    """Return rows with zeros behind them, up to a multiple of `WIDE`.

    They stand for voters without any correlation, which are never picked, for the first of equal
    voters is.
    """
    n = rows.shape[-1]
    if n % WIDE == 0 or n > WIDEST:
        return rows
    wide = np.zeros((*rows.shape[:-1], -(-n // WIDE) * WIDE))
    wide[..., :n] = rows
    return wide


class Residuals(State):
    """Correlations c = μ - Gα of all voters with the residual y - F.

    Parameters
    ----------
    problem : VotingProblem
        Voters with values in [-1, 1].
    sample_of : ndarray of shape (n_trajectories,)
        The sample that each trajectory trains on.

    Attributes
    ----------
    c : ndarray of shape (n_trajectories, n_voters)
        Residual correlations.
    eta : ndarray of shape (n_trajectories, n_voters) or None
        Second moments η; None if all of them are 1, as for classifiers.
    grams : ndarray of shape (n_samples, n_voters, n_voters)
        G of every sample.
    sample_of : ndarray of int, shape (n_trajectories,)
        The sample of each trajectory.
    """

    def __init__(self, problem: VotingProblem, sample_of: IntArray) -> None:
        grams = problem.grams()
        eta = grams.diagonal(axis1=1, axis2=2)
        self.eta = None if (eta == 1.0).all() else np.ascontiguousarray(eta[sample_of])
        self.c = problem.correlations()[sample_of]
        self.weights = np.zeros_like(self.c)
        self.grams, self.sample_of = grams, sample_of
        self._padded: FloatArray | None = None
        self._allocate()

    def _allocate(self) -> None:
        self._scratch = np.empty_like(self.c)
        self._offsets = np.arange(self.c.shape[0]) * self.c.shape[1]
        self._first_gram_row = self.sample_of * self.c.shape[1]

    def moments(self) -> FloatArray:
        """Return η of every voter, shape (n_trajectories, n_voters)."""
        return np.ones_like(self.c) if self.eta is None else self.eta

    def at(self, array: FloatArray, picks: IntArray) -> FloatArray:
        """Return the entry of each trajectory's pick in an array of the shape of `c`."""
        return np.asarray(array.reshape(-1)[self._offsets + picks])

    def largest(self) -> IntArray:
        """Return the voter of largest |c| for every trajectory."""
        np.abs(self.c, out=self._scratch)
        return first_of_largest(self._scratch)

    def advance(self, step: Step) -> None:
        """C <- c - δ G[:, j]."""
        rows = self._first_gram_row + step.picks
        # Checking the indices would make `take` buffer its output.
        self.grams.reshape(-1, self.c.shape[1]).take(rows, axis=0, out=self._scratch, mode="clip")
        self._scratch *= step.weights[:, None]
        self.c -= self._scratch

    def padded_grams(self) -> FloatArray:
        """Return the Gram matrices with their rows padded, see `padded`; made once."""
        if self._padded is None:
            self._padded = padded(self.grams)
        return self._padded

    def keep(self, rows: BoolArray) -> None:
        """Keep only the trajectories in `rows`."""
        self.c, self.weights = self.c[rows], self.weights[rows]
        self.eta = None if self.eta is None else self.eta[rows]
        self.sample_of = self.sample_of[rows]
        self._allocate()


@dataclass(frozen=True)
class QuadBoostRule(Rule[Residuals]):
    """Change the weight of the voter that lowers the regularised risk most, or of largest |c|.

    As a function of a single weight a the risk is η a² - 2 c' a + 2 τ|a| + ρ a² with |a| <= bound,
    up to a constant. It is least at clip(soft(c', τ)/(η + ρ), ±bound), where soft(c', τ) is
    sign(c') max(|c'| - τ, 0). In the additive form this is added to the weight of the voter, and
    c' = c. In the re-weighting form it replaces the weight α, and c' = c + α η, the correlation
    with the residual without the voter's own contribution (section 3.1).

    Attributes
    ----------
    threshold, ridge, bound : ndarray of shape (n_trajectories,)
        τ, ρ and the largest weight.
    reweight : bool
        Whether to use the re-weighting form.
    selection : {"decrease", "correlation"}
        Whether to pick the voter of largest decrease, or that of largest |c|.
    tol : float
        A change of at most this much ends the run.
    """

    threshold: FloatArray
    ridge: FloatArray
    bound: FloatArray
    reweight: bool
    selection: Selection
    tol: float

    def step(self, state: Residuals) -> Step:
        """Pick a voter and the change of its weight."""
        if self._by_correlation(state):
            picks = state.largest()
            eta = state.at(_positive(state.moments()), picks)
            weights = _minimiser(
                state.at(state.c, picks), eta, self.threshold, self.ridge, self.bound
            )
        else:
            picks, weights = self._best_change(state)
        return Step(picks, weights, some(np.abs(weights) <= self.tol))

    def leap(self, state: Residuals, t: int, n_rounds: int) -> Leap | None:
        """Take the rounds in a compiled loop."""
        loops = compiling.beside(__name__)
        if loops is None:
            return None
        leap = Leap.over(len(state.c), n_rounds)
        limits = np.stack([self.threshold, self.ridge, self.bound], axis=1)
        eta = state.moments()
        if self._by_correlation(state):
            c = padded(state.c)
            grams = state.padded_grams()
            arrays = grams, state.sample_of, c, state.weights, eta, limits, self.tol
            loops.add_steps(*arrays, *leap)
            state.c[:] = c[:, : state.c.shape[1]]
        else:
            grams = state.grams
            arrays = grams, state.sample_of, state.c, state.weights, eta, limits, self.tol
            loops.take_best_steps(*arrays, self.reweight, *leap)
        return leap

    def _by_correlation(self, state: Residuals) -> bool:
        """Return whether the voter of largest |c| is picked.

        If η = 1, it is that of largest decrease in all variants.
        """
        return self.selection == "correlation" or (state.eta is None and not self.reweight)

    def _best_change(self, state: Residuals) -> tuple[IntArray, FloatArray]:
        eta = state.moments()
        old = state.weights if self.reweight else np.zeros_like(state.c)
        threshold, ridge, bound = (a[:, None] for a in (self.threshold, self.ridge, self.bound))
        c = state.c + old * eta
        new = _minimiser(c, _positive(eta), threshold, ridge, bound)
        penalty_old, penalty_new = (2 * threshold * np.abs(w) + ridge * (w * w) for w in (old, new))
        decrease = eta * (old * old - new * new) - 2 * c * (old - new) + penalty_old - penalty_new
        picks = first_of_largest(decrease)
        return picks, state.at(new - old, picks)


def _positive(eta: FloatArray) -> FloatArray:
    """Return η, or 1 for voters that are always 0."""
    return np.where(eta > 0, eta, 1.0)


def _minimiser(
    c: FloatArray,
    eta: FloatArray,
    threshold: FloatArray,
    ridge: FloatArray,
    bound: FloatArray,
) -> FloatArray:
    """Return the weight of least risk."""
    soft = c - np.minimum(np.maximum(c, -threshold), threshold)
    return np.asarray(np.minimum(np.maximum(soft / (eta + ridge), -bound), bound))


@dataclass(frozen=True)
class QuadBoost(GreedyAlgorithm[Residuals]):
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
    kernels = ("learners.greedy.quadboost_compiled",)
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

    def state(self, problem: VotingProblem, sample_of: IntArray) -> Residuals:
        """Return the residual correlations of the empty vote."""
        return Residuals(problem, sample_of)

    def rule(self, values: FloatArray) -> QuadBoostRule:
        """Return the rule α = c'/η (eq. 6)."""
        return self._rule(values)

    def _rule(
        self,
        values: FloatArray,
        threshold: FloatArray | float = 0.0,
        ridge: FloatArray | float = 0.0,
        bound: FloatArray | float = np.inf,
    ) -> QuadBoostRule:
        shape = values.shape
        return QuadBoostRule(
            np.broadcast_to(threshold, shape),
            np.broadcast_to(ridge, shape),
            np.broadcast_to(bound, shape),
            self.reweight,
            self.selection,
            self.tol,
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

    def rule(self, values: FloatArray) -> QuadBoostRule:
        """Return the rule α = sign(c') max(|c'| - λ, 0)/η (eq. 7)."""
        return self._rule(values, threshold=values)

    def rounds(self, grid: Grid) -> list[int]:
        """Return the largest number of rounds."""
        return [self.max_rounds]

    def limit(self, problem: VotingProblem) -> str:
        """Return in a sentence why a candidate has no solution."""
        return f"after {self.max_rounds:,} rounds, a residual correlation is still above lam"

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values = self.values(grid)
        ended = Checkpoints([NEVER], problem.n_samples * len(values), problem.n_voters)
        self.run(problem, values, self.max_rounds, [ended])
        return ended.path.reshape(problem.n_samples, len(values), problem.n_voters)


@dataclass(frozen=True)
class QuadBoostL2(QuadBoost):
    """QuadBoost-L2, with hyper-parameters λ and the number of rounds."""

    hyperparameters = (LAM, N_ROUNDS)

    def rule(self, values: FloatArray) -> QuadBoostRule:
        """Return the rule α = c'/(η + λ) (eq. 8)."""
        return self._rule(values, ridge=values)


@dataclass(frozen=True)
class QuadBoostLInf(QuadBoost):
    """QuadBoost-L∞, with hyper-parameters α_max and the number of rounds."""

    hyperparameters = (ALPHA_MAX, N_ROUNDS)

    def rule(self, values: FloatArray) -> QuadBoostRule:
        """Return the rule α = clip(c'/η, ±α_max) (eq. 9)."""
        return self._rule(values, bound=values)


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
