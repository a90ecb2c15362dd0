"""MinCq: the vote of least C-bound among quasi-uniform ones (Germain et al. 2015)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import LinAlgError

from quadrepro.base.types import BoolArray, FloatArray
from quadrepro.core.learners.cbboost import CBBoost
from quadrepro.core.learners.grid import N_ROUNDS, Grid
from quadrepro.core.learners.learner import Algorithm, Entry
from quadrepro.core.learners.programs.ordered import ordered_sum, weighted_sum
from quadrepro.core.learners.programs.program import (
    MANY_STEPS,
    MU,
    RESIDUAL,
    TOUCH,
    ProximalSystem,
    QuadraticSolution,
    SolverError,
    best_guess,
    feasible,
    kkt_residual,
    mu_limit,
    require_optimal,
)
from quadrepro.core.voters.reduction import VotingProblem

GUESSES = 8
"""Largest number of guesses at the weights on a bound."""

PROXIMAL = 1e-7
"""Shift of the system of the free voters, which is singular if they depend on each other."""

TOUCHES = (TOUCH, 1e-7, 1e-5)
"""Sizes up to which slopes are zero: the first that leads to the optimum counts."""

SINGULAR = 1e-11
"""Eigenvalues up to this, relative to the largest, are zero."""


class MinCqProgram:
    """MinCq over given voters."""

    def __init__(self, gram: FloatArray, margins: FloatArray) -> None:
        leading = gram[np.arange(len(gram)), (gram != 0).argmax(axis=1)]
        self._signs = np.where(leading < 0, -1.0, 1.0)
        # Adding zero turns -0.0 into 0.0, which `unique` would otherwise tell apart.
        rows = gram * self._signs[:, None] + 0.0
        _, first, inverse, copies = np.unique(
            rows, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        self._inverse = inverse.ravel()
        self._copies = copies.astype(np.float64)
        self._margins = (margins * self._signs)[first]
        self._gram = rows[first][:, first] * self._signs[first]
        # In v = scales x, the norm of x is that of the weights of all voters, merged or not.
        self._scales = np.sqrt(self._copies)
        self._last: tuple[BoolArray, ProximalSystem] | None = None

    @property
    def largest_mu(self) -> float:
        """The largest feasible mean margin: that of the weights ±1/n with the signs of m."""
        return ordered_sum(self._copies * np.abs(self._margins)) / len(self._signs)

    def solve(self, mu: float) -> QuadraticSolution:
        """Solve for a mean margin μ."""
        bounds = self._copies / (len(self._signs) * mu)
        v, eta, word = self._piqp(bounds)
        rough, residual = best_guess(
            (v, eta),
            self._guesses(bounds, v, eta),
            lambda point: self._residual(bounds, *point),
            RESIDUAL / 1000,
        )
        if rough[1] > 0:
            for touch in TOUCHES:
                v, eta = self._settled(bounds, *rough, touch)
                residual = self._residual(bounds, v, eta)
                if residual <= RESIDUAL:
                    break
        require_optimal(residual, f"MinCq's quadratic program at mu = {mu:g} ended as {word!r}")
        product = self._gram @ v
        primal = float(v @ product)
        dual = eta - primal - float(bounds @ np.abs(2 * product - eta * self._margins))
        weights = (mu * v / self._copies)[self._inverse] * self._signs
        return QuadraticSolution(weights, primal, dual, word, residual)

    def _moved(self, bounds: FloatArray, v: FloatArray, eta: float) -> FloatArray:
        """Return v after a step against the slope, which may leave the bounds."""
        slope = 2 * self._gram @ v / eta - self._margins
        return np.asarray(v - bounds.max() * slope)

    def _residual(self, bounds: FloatArray, v: FloatArray, eta: float) -> float:
        if not eta > 0:
            return float("inf")
        moved = self._moved(bounds, v, eta)
        stationarity = kkt_residual(v, moved, -bounds, bounds, bounds.max())
        return max(stationarity, float(abs(self._margins @ v - 1.0)))

    def _guesses(
        self, bounds: FloatArray, v: FloatArray, eta: float
    ) -> Iterator[tuple[FloatArray, float]]:
        """Yield v and η of one guess after another, v clipped to its bounds."""
        for _ in range(GUESSES):
            if not eta > 0:
                return
            moved = self._moved(bounds, v, eta)
            free = np.abs(moved) < bounds
            v, eta = self._solve(np.where(free, v, np.copysign(bounds, moved)), free, eta)
            yield np.clip(v, -bounds, bounds), eta

    def _solve(self, v: FloatArray, free: BoolArray, eta: float) -> tuple[FloatArray, float]:
        """Return v and η if the slope of the free weights is zero, the nearest to given ones.

        v and η are returned as they are if the system cannot be solved.
        """
        if not free.any():
            return v, eta
        try:
            system = self._system(free)
        except LinAlgError:
            return v, eta
        m, scales, v = self._margins[free], self._scales[free], v.copy()
        columns = np.ascontiguousarray(self._gram[:, free])
        along = scales * system.solve(scales * m)
        bound = bool(m.any())
        if bound:
            eta = 0.0
        least = np.inf
        for _ in range(MANY_STEPS):
            slope = weighted_sum(2 * v, columns) - eta * m
            missing = 1.0 - ordered_sum(self._margins * v) if bound else 0.0
            size = max(float(np.abs(slope).max()), abs(missing))
            if not size < least / 2:
                break
            least = size
            step = -scales * system.solve(scales * slope)
            if bound:
                change = (missing - ordered_sum(m * step)) / ordered_sum(m * along)
                step, eta = step + change * along, eta + change
            v[free] += step
        return v, eta

    def _system(self, free: BoolArray) -> ProximalSystem:
        """Return the system of the free weights, the last one if they are the same."""
        if self._last is None or (free != self._last[0]).any():
            scales = self._scales[free]
            matrix = 2 * self._gram[np.ix_(free, free)] * scales * scales[:, None]
            self._last = free, ProximalSystem(matrix, PROXIMAL)
        return self._last[1]

    def _settled(
        self, bounds: FloatArray, v: FloatArray, eta: float, touch: float
    ) -> tuple[FloatArray, float]:
        """Return the optimal v of least norm and its η, in a fixed order.

        Slopes up to `touch` are zero.
        """
        slope = 2 * self._gram @ v / eta - self._margins
        free = np.abs(slope) <= touch
        v, eta = self._solve(np.where(free, 0.0, -np.copysign(bounds, slope)), free, eta)
        if (np.abs(v) > bounds * (1 + TOUCH)).any():
            v = self._least_within(bounds, v, free)
            free = np.abs(v) < bounds * (1 - TOUCH)
            v, eta = self._solve(np.where(free, 0.0, np.copysign(bounds, v)), free, eta)
        return np.clip(v, -bounds, bounds), eta

    def _least_within(self, bounds: FloatArray, v: FloatArray, free: BoolArray) -> FloatArray:
        """Return the v of least norm within the bounds, given an optimal one without."""
        import daqp

        scales, x = self._scales[free], v[free] / self._scales[free]
        values, vectors = np.linalg.eigh(self._gram[np.ix_(free, free)] * scales * scales[:, None])
        # Along these directions nothing changes but the norm.
        flat = np.ascontiguousarray(vectors[:, values <= SINGULAR * values[-1]])
        if not flat.size:
            return v
        room = bounds[free] / scales
        along, *_ = daqp.solve(
            np.eye(flat.shape[1]),
            x @ flat,
            flat,
            room - x,
            -room - x,
            np.zeros(len(flat), dtype=np.intc),
            primal_tol=RESIDUAL / 10_000,
        )
        v = v.copy()
        v[free] = scales * (x + flat @ along)
        return v

    def _piqp(self, bounds: FloatArray) -> tuple[FloatArray, float, str]:
        """Return v, η and PIQP's status."""
        import piqp

        solver = piqp.DenseSolver()
        solver.settings.eps_abs = solver.settings.eps_rel = RESIDUAL / 10_000
        solver.setup(
            np.asfortranarray(2 * self._gram),
            np.zeros(len(bounds)),
            np.asfortranarray(self._margins[None, :]),
            np.ones(1),
            None,
            None,
            None,
            -bounds,
            bounds,
        )
        word = str(solver.solve())
        v = np.clip(solver.result.x, -bounds, bounds)
        return v, -float(solver.result.y[0]), word


@dataclass(frozen=True)
class MinCq(Algorithm):
    """MinCq; the hyper-parameter is the mean margin μ.

    No vote has a μ above mean |m_j|, where m_j is the mean margin of voter j. The weights of such a
    candidate are NaN.
    """

    hyperparameters = (MU,)
    version = 3
    kernels: ClassVar[tuple[str, ...]] = ("learners.programs.ordered_compiled",)
    packages: ClassVar[tuple[str, ...]] = ("scipy", "piqp", "daqp")
    uses_gram = True

    @property
    def merges_voters(self) -> bool:
        """Whether equal voters may be merged: no, since each has a bound of its own."""
        return False

    def limit(self, problem: VotingProblem) -> str:
        """Return the largest feasible μ in a sentence."""
        return mu_limit(np.abs(problem.correlations()).mean(axis=1))

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values = grid.axis("mu") or ()
        samples = zip(problem.grams(), problem.correlations(), strict=True)
        return np.array([_solve_weights(gram, margins, values) for gram, margins in samples])


@dataclass(frozen=True)
class MinCqOnCBBoost(Algorithm):
    """MinCq on the distinct voters that CB-Boost has chosen so far (Bauvin et al. 2020, Figure 5).

    The weights are NaN if no vote over these voters has the mean margin μ.
    """

    mu: float = 0.05
    """MinCq's mean margin."""

    hyperparameters = (N_ROUNDS,)
    version = 3
    kernels: ClassVar[tuple[str, ...]] = ("learners.programs.ordered_compiled",)
    packages: ClassVar[tuple[str, ...]] = ("scipy", "piqp", "daqp")
    uses_gram = True

    def check(self, grid: Grid) -> None:
        """Raise ValueError if the grid or the mean margin cannot be used."""
        super().check(grid)
        MinCq().check_candidate(mu=self.mu)

    def limit(self, problem: VotingProblem) -> str:
        """Return in a sentence why a candidate has no solution."""
        return f"the voters of CB-Boost have no vote of mean margin mu = {self.mu:g}"

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        paths = CBBoost()._paths(problem, grid)
        samples = zip(problem.grams(), problem.correlations(), strict=True)
        for path, (gram, margins) in zip(paths, samples, strict=True):
            for vote in path:
                chosen = np.flatnonzero(vote)
                products = gram[np.ix_(chosen, chosen)]
                weights = _solve_weights(products, margins[chosen], [self.mu])[0]
                vote[:] = np.nan if np.isnan(weights).any() or not len(chosen) else 0.0
                vote[chosen] = weights
        return paths


def _solve_weights(gram: FloatArray, margins: FloatArray, values: Sequence[float]) -> FloatArray:
    """Return the weights for every μ, shape (len(values), n_voters); NaN without a solution."""
    weights = np.full((len(values), len(margins)), np.nan)
    if not margins.any():
        return weights
    program = MinCqProgram(gram, margins)
    for row, mu in zip(weights, values, strict=True):
        if feasible(mu, program.largest_mu):
            with suppress(SolverError):
                row[:] = program.solve(mu).voter_weights
    return weights


MINCQ = Entry(
    MinCq,
    "MinCq",
    "Germain et al. 2015",
    {"mu": {"from": 0.9, "to": 0.009, "points": 10}},
)

MINCQ_ON_CB_BOOST = Entry(
    MinCqOnCBBoost,
    "MinCq(CB-Boost)",
    "Bauvin et al. 2020, figure 5",
    {"n_rounds": [2, 5, 10, 20, 50, 100, 200, 500]},
)
