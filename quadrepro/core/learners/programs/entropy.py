"""Shared by SoftBoost and ERLPBoost: relative entropy over capped weights of the examples.

Both find weights d of the examples in the capped simplex::

    P = {d : sum_i d_i = 1,  0 <= d_i <= n_i/(ν m)}

where example i occurs n_i times and m is the sum of the n_i. They pick the voter or complement of
largest edge d·u, u_i = y_i h(x_i), and choose d again by all voters picked so far, close to the
uniform weights q_i = n_i/m in relative entropy Δ(d, q) = sum_i d_i ln(d_i/q_i). With multipliers
v >= 0 of the voters and F = sum_j v_j u_j, both programs have the dual::

    max φ(v) - ℓ sum_j v_j,    φ(v) = min {d·F + Δ(d, q) : d in P}

SoftBoost gives ℓ, the level of the edges; ERLPBoost gives sum_j v_j instead. The minimiser is
d_i = q_i min(1/ν, exp(θ - F_i)). The gradient of φ holds the edges d·u_j; its Hessian is minus the
covariance of the voters over the examples below their cap, times the weight of these.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core import elementary
from quadrepro.core.learners.grid import Grid, Hyperparameter
from quadrepro.core.learners.learner import Algorithm
from quadrepro.core.learners.programs.ordered import Cholesky, ordered_sum, weighted_sum
from quadrepro.core.learners.programs.program import SolverError, require_optimal
from quadrepro.core.voters.reduction import VotingProblem

NU = Hyperparameter(
    "nu",
    "number",
    "large",
    "share of examples allowed to miss the margin",
    smallest=1e-6,
    largest=1.0,
)
DELTA = Hyperparameter(
    "delta",
    "number",
    "large",
    "how far the soft margin may be below the largest",
    smallest=1e-4,
    largest=1.0,
)
ROUNDS = Hyperparameter(
    "n_rounds", "integer", "small", "largest number of rounds T", optional=True, largest=1e9
)

TIE = 1e-9
"""Edges that differ by less than this are equal."""

ENOUGH = 1e-13
"""A residual of this times 1 + Σv ends Newton's method."""

STEPS = 200
"""Largest number of Newton steps, plus ten for every voter."""

SHIFT, LEAST_SHIFT = 1e-10, 1e-14
"""Added to the Hessian's diagonal, which is 0 for a voter without variance: a share of its largest
entry, and at least the second."""

SLOPE, NOISE = 1e-4, 1e-14
"""A step must reach this share of the rise that its slope promises, up to noise times 10 + Σv."""

CANCELLED = 1e-12
"""Weights up to this are rounding errors, where the sizes of all sum to 1."""

LARGEST_EXPONENT = 600.0
"""Exponents above this are of examples at their cap."""


@dataclass(frozen=True)
class EntropyPoint:
    """Multipliers of the voters, and the weights of the examples that they give."""

    multipliers: FloatArray
    """v, shape (n_voters,)."""
    examples: FloatArray
    """d, shape (n_examples,)."""
    below: BoolArray
    """Which examples are below their cap."""
    edges: FloatArray
    """d·u_j, shape (n_voters,)."""
    value: float
    """φ(v)."""

    @property
    def entropy(self) -> float:
        """Relative entropy Δ(d, q)."""
        return self.value - ordered_sum(self.multipliers * self.edges)


class EntropyProgram:
    """The dual program over the voters added so far, for counts of the examples above 0."""

    def __init__(self, counts: FloatArray, nu: float) -> None:
        self.uniform = counts / ordered_sum(counts)
        self._nu, self._cap = nu, 1.0 / nu
        self._voters = np.zeros((0, len(counts)))
        self._start = np.zeros(0)

    def add_voter(self, signed: FloatArray, multiplier: float = 0.0) -> None:
        """Add a voter, given y_i h(x_i), and the multiplier to start from."""
        self._voters = np.concatenate([self._voters, signed[None]])
        self._columns = np.ascontiguousarray(self._voters.T)
        self._start = np.append(self._start, multiplier)

    def solve(self, level: float | None) -> EntropyPoint:
        """Return the optimum at a level ℓ, or the one that keeps the sum of the multipliers.

        Newton's method starts from the last optimum. Multipliers that would fall below 0 stop its
        steps, and stay at 0 as long as their edges are not above the level.
        """
        point = self._point(self._start)
        for _ in range(STEPS + 10 * len(self._start)):
            excess = self._excess(point, level)
            residual = _residual(point, excess)
            if residual <= ENOUGH * (1.0 + ordered_sum(point.multipliers)):
                break
            point = self._step(point, excess, level)
        require_optimal(residual, f"the entropy program at nu = {self._nu:g} ended")
        self._start = point.multipliers
        return point

    def soft_margin(self, weights: FloatArray) -> float:
        """Return the soft margin min {d·F : d in P} of a vote."""
        F = weighted_sum(weights, self._voters)
        order, left, last = self._by_cap(F)
        first = order[:last]
        capped = ordered_sum(self._cap * self.uniform[first] * F[first])
        return capped + float(left[last] * F[order[last]])

    def _by_cap(self, F: FloatArray) -> tuple[IntArray, FloatArray, int]:
        """Return the examples by F, and what the full ones before each of them leave to it.

        The last number is the position of the last example for which that is above 0.
        """
        order = F.argsort(kind="stable")
        before = np.add.accumulate(self.uniform[order])
        left = 1.0 - self._cap * np.concatenate([[0.0], before[:-1]])
        return order, left, int(np.count_nonzero(left > 0)) - 1

    def _point(self, v: FloatArray) -> EntropyPoint:
        used = np.flatnonzero(v)
        F = weighted_sum(v[used], self._voters[used])
        order, left, last = self._by_cap(F)
        G, q = F[order], self.uniform[order]
        powers = elementary.exp(np.minimum(G[last] - G, LARGEST_EXPONENT))
        tails = np.add.accumulate((q * powers)[::-1])[::-1]
        # The first that need not be full: its share of what is left is at most its cap.
        fits = left * powers <= self._cap * tails
        fits[last] = True
        first = int(fits.argmax())
        scale = float(left[first] / tails[first])
        d = np.empty(len(F))
        d[order] = q * np.append(np.full(first, self._cap), scale * powers[first:])
        below = np.ones(len(F), dtype=np.bool_)
        below[order[:first]] = False
        full = q[:first] * (G[:first] + elementary.log_of(self._cap))
        theta = float(G[last]) + elementary.log_of(scale)
        value = self._cap * ordered_sum(full) + theta * float(left[first])
        return EntropyPoint(v, d, below, weighted_sum(d, self._columns), value)

    def _excess(self, point: EntropyPoint, level: float | None) -> FloatArray:
        """Return the edges less ℓ, or less their mean if the sum of the multipliers is kept."""
        if level is None:
            v = point.multipliers
            level = ordered_sum(v * point.edges) / ordered_sum(v)
        return point.edges - level

    def _step(self, point: EntropyPoint, excess: FloatArray, level: float | None) -> EntropyPoint:
        """Return a point of larger value in Newton's direction."""
        v = point.multipliers
        moving = (v > 0) | (excess > 0)
        while True:
            move = np.zeros(len(v))
            move[moving] = self._direction(point, excess, moving, level is None)
            held = moving & (v <= 0) & (move < 0)
            if not held.any():
                break
            moving &= ~held
        falls = np.flatnonzero(v + move < 0)
        shares = v[falls] / -move[falls]
        share = float(shares.min(initial=1.0))
        slope = ordered_sum(excess * move)
        noise = NOISE * (10.0 + ordered_sum(v))
        while True:
            new = v + share * move
            new[falls[shares <= share]] = 0.0
            found = self._point(np.maximum(0.0, new))
            rise = found.value - point.value - (level or 0.0) * share * ordered_sum(move)
            if rise >= SLOPE * share * slope - noise:
                return found
            share /= 2

    def _direction(
        self, point: EntropyPoint, excess: FloatArray, moving: BoolArray, keeps_sum: bool
    ) -> FloatArray:
        d = point.examples[point.below]
        rows = self._columns[np.ix_(point.below, moving)]
        centred = rows - weighted_sum(d, rows) / ordered_sum(d)
        matrix = np.stack([weighted_sum(d * column, centred) for column in centred.T])
        diagonal = np.diag_indices(len(matrix))
        matrix[diagonal] += max(SHIFT * float(matrix[diagonal].max()), LEAST_SHIFT)
        factor = Cholesky(matrix)
        move = factor.solve(excess[moving])
        if keeps_sum:
            along = factor.solve(np.ones(len(matrix)))
            move -= ordered_sum(move) / ordered_sum(along) * along
        return move


def _residual(point: EntropyPoint, excess: FloatArray) -> float:
    used = point.multipliers > 0
    return max(float(excess.max()), float(np.abs(excess[used]).max(initial=0.0)))


@dataclass(frozen=True)
class EntropyRound:
    """A round of a run."""

    voter: int
    """The voter picked."""
    sign: float
    """1.0, or -1.0 if its complement was picked."""
    vote: FloatArray
    """Signed weights after the round, shape (n_voters,)."""
    gap: float
    """Difference of the least edge of a picked voter, which no soft margin exceeds, and the soft
    margin of the vote."""
    after: EntropyPoint | None
    """Weights of the examples for the next round; None if SoftBoost has none."""


class EntropyRun:
    """The voters of a sample, and the entropy program over those picked so far."""

    def __init__(self, problem: VotingProblem, counts: FloatArray, nu: float) -> None:
        held = counts > 0
        self._signed = np.ascontiguousarray((problem.H * problem.y[:, None])[held])
        self.program = EntropyProgram(counts[held], nu)
        self.picked: list[tuple[int, float]] = []

    def best(self, examples: FloatArray) -> tuple[int, float, float]:
        """Return the first voter of largest edge in size, its sign and that size."""
        edges = weighted_sum(examples, self._signed)
        sizes = np.abs(edges)
        voter = int((sizes > sizes.max() - TIE).argmax())
        return voter, -1.0 if edges[voter] < 0 else 1.0, float(sizes[voter])

    def add(self, voter: int, sign: float, multiplier: float = 0.0) -> FloatArray | None:
        """Add a voter or its complement; return its y h(x), None if it was picked before."""
        if (voter, sign) in self.picked:
            return None
        self.picked.append((voter, sign))
        signed = sign * self._signed[:, voter]
        self.program.add_voter(signed, multiplier)
        return signed

    def vote(self, weights: FloatArray) -> FloatArray:
        """Return signed weights of all voters, shape (n_voters,)."""
        vote = np.zeros(self._signed.shape[1])
        for (voter, sign), weight in zip(self.picked, weights, strict=True):
            vote[voter] += sign * weight
        # A voter and its complement may cancel each other.
        return np.where(np.abs(vote) > CANCELLED, vote, 0.0)


@dataclass(frozen=True)
class EntropyBoost(Algorithm):
    """Base of SoftBoost and ERLPBoost; the hyper-parameters are ν, δ and, optionally, rounds."""

    hyperparameters = (NU, DELTA, ROUNDS)
    kernels: ClassVar[tuple[str, ...]] = (
        "elementary_compiled",
        "learners.programs.ordered_compiled",
    )

    @abstractmethod
    def rounds(self, run: EntropyRun, nu: float, delta: float) -> Iterator[EntropyRound]:
        """Yield rounds until the soft margin is at most δ below the largest."""

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        nus, deltas = grid.axis("nu") or (), grid.axis("delta") or ()
        limits = grid.axis("n_rounds") or (np.inf,)
        paths = np.zeros((problem.n_samples, len(nus), len(deltas), len(limits), problem.n_voters))
        for path, counts in zip(paths, problem.counts, strict=True):
            for i, nu in enumerate(nus):
                for j, delta in enumerate(deltas):
                    rounds = self.rounds(EntropyRun(problem, counts, nu), nu, delta)
                    try:
                        for t, found in enumerate(rounds, start=1):
                            path[i, j, np.array(limits) >= t] = found.vote
                            if t == limits[-1]:
                                break
                    except SolverError:
                        path[i, j] = np.nan
        return grid.flatten(paths, ("nu", "delta", "n_rounds"))
