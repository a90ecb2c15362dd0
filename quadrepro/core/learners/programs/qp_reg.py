"""QP_REG, also RQP-Boost: AdaBoost's voters, weighted for the least norm (Rätsch et al. 2001)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.learners.grid import Hyperparameter
from quadrepro.core.learners.learner import Entry
from quadrepro.core.learners.programs.ordered import weighted_sum
from quadrepro.core.learners.programs.program import (
    MANY_STEPS,
    RESIDUAL,
    STEPS,
    TOUCH,
    ProximalSystem,
    QuadraticSolution,
    best_guess,
    kkt_residual,
    require_optimal,
)
from quadrepro.core.learners.programs.soft_margin import SoftMargin

INTERIOR_STEPS = 100
"""Largest number of steps; 10 to 30 are usual."""

GAP = 1e-12
"""A duality gap of this share of the primal objective ends the method."""

BACK = 0.995
"""Share of the way to the boundary that a step goes at most."""


class Guess(NamedTuple):
    """Dual weights close to the optimum, and on which side of each condition the optimum seems."""

    u: FloatArray
    free: BoolArray  # examples on the margin
    capped: BoolArray  # examples short of the margin, with the dual weight C n
    used: BoolArray  # voters with weight
    steps: int


def guess_optimum(margins: FloatArray, caps: FloatArray) -> Guess:
    """Return a guess at the optimum of QP_REG's program.

    Parameters
    ----------
    margins : ndarray of shape (n_examples, n_voters)
        M.
    caps : ndarray of shape (n_examples,)
        C n, the largest dual weights; positive.
    """
    x, s = _start(margins, caps)
    steps = 0
    while steps < INTERIOR_STEPS:
        point = _Point(x, s, len(caps))
        gap = float(x @ s)
        if not gap > GAP * float(point.b @ point.b + caps @ point.xi):
            break
        try:
            newton = _Newton(margins, point)
        except LinAlgError:
            break
        dx, ds = newton.direction(-x * s)
        reach = min(_reach(x, dx), _reach(s, ds))
        centring = (float((x + reach * dx) @ (s + reach * ds)) / gap) ** 3
        dx, ds = newton.direction(centring * gap / len(x) - x * s - dx * ds)
        reach = BACK * min(_reach(x, dx), _reach(s, ds))
        x, s = x + reach * dx, s + reach * ds
        steps += 1
    point = _Point(x, s, len(caps))
    # Of each product, which factor is the larger? Dual weights are in units of the largest.
    scale = point.u.max()
    capped = scale * point.xi >= point.t
    free = (scale * point.w < point.u) & ~capped
    return Guess(np.minimum(point.u, caps), free, capped, point.z < 2 * point.b, steps)


def _start(margins: FloatArray, caps: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (w, ξ, b) and (u, t, z) that satisfy all equations but those of the products.

    u is the multiple of the caps with the largest dual, but at most half of them.
    """
    edges = np.maximum(0.0, caps @ margins)
    square = float(edges @ edges)
    share = min(0.5, 2 * float(caps.sum()) / square) if square > 0 else 0.5
    b = share * edges / 2
    b += max(0.1 * b.max(), 0.01 * np.sqrt(share * caps.mean()))
    short = 1.0 - margins @ b
    slack = np.maximum(0.0, short) + 1.0
    u = share * caps
    x = np.concatenate([slack - short, slack, b])
    return x, np.concatenate([u, caps - u, 2 * b - u @ margins])


class _Point:
    """The parts of x = (w, ξ, b) and s = (u, t, z)."""

    def __init__(self, x: FloatArray, s: FloatArray, m: int) -> None:
        self.w, self.xi, self.b = np.split(x, [m, 2 * m])
        self.u, self.t, self.z = np.split(s, [m, 2 * m])


class _Newton:
    """Newton's equations at a point, factorised."""

    def __init__(self, margins: FloatArray, point: _Point) -> None:
        self._margins, self._point = margins, p = margins, point
        # Rounding alone keeps these from being zero.
        self._short = 1.0 - (margins @ p.b + p.xi - p.w)
        self._edges = p.u @ margins + p.z - 2 * p.b
        self._stiff = 1.0 / (p.w / p.u + p.xi / p.t)
        rows = margins * np.sqrt(self._stiff)[:, None]
        matrix = rows.T @ rows
        matrix[np.diag_indices(len(p.b))] += 2.0 + p.z / p.b
        self._factor = cho_factor(matrix, overwrite_a=True, check_finite=False)

    def direction(self, change: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the directions of x and s that change their products by given amounts."""
        p, m = self._point, len(self._margins)
        of_w, of_xi, of_b = np.split(change, [m, 2 * m])
        short = of_w / p.u - of_xi / p.t + self._short
        right = self._edges + (self._stiff * short) @ self._margins + of_b / p.b
        db = cho_solve(self._factor, right, check_finite=False)
        du = self._stiff * (short - self._margins @ db)
        dx = np.concatenate([(of_w - p.w * du) / p.u, (of_xi + p.xi * du) / p.t, db])
        return dx, np.concatenate([du, -du, (of_b - p.z * db) / p.b])


def _reach(x: FloatArray, dx: FloatArray) -> float:
    """Return the longest step, at most 1, that leaves x nonnegative."""
    falls = dx < 0
    return float((x[falls] / -dx[falls]).min(initial=1.0))


CLIMB = 10
"""Largest number of steps of the active-set method, per example and voter."""

PROXIMAL = 1e-9
"""Relative shift of the system of the margin, singular if examples depend on each other."""


@dataclass(frozen=True)
class MarginQPSolution(QuadraticSolution):
    """An optimal solution of QP_REG; its residual is that of b and u together.

    Attributes
    ----------
    example_weights : ndarray of shape (n_examples,)
        Dual weight u_i of each distinct example, that of all its copies together. If several u are
        optimal, it depends on the processor which of them this is.
    """

    example_weights: FloatArray


class MarginQP:
    """QP_REG over given voters.

    Parameters
    ----------
    margins : ndarray of shape (n_examples, n_voters)
        y_i h_t(x_i).
    counts : ndarray of shape (n_examples,)
        How often each example occurs; all positive.
    """

    def __init__(self, margins: FloatArray, counts: FloatArray) -> None:
        self._margins = np.ascontiguousarray(margins)
        self._counts = counts
        self._last = np.zeros(len(counts))

    def solve(self, C: float) -> MarginQPSolution:
        """Solve for a price C of slack."""
        caps = C * self._counts
        u, word = self._dual_weights(caps)
        b = self._settled(caps, u)
        residual = max(self._violation(caps, u, b), self._distance(b, u))
        require_optimal(residual, f"QP_REG's quadratic program at C = {C:g} ended after {word}")
        slack = np.maximum(0.0, 1.0 - self._margins @ b)
        square = float(b @ b)
        return MarginQPSolution(
            voter_weights=b,
            primal=square + float(caps @ slack),
            dual=float(u.sum() - (self.voter_weights(u) ** 2).sum()),
            status=word,
            residual=residual,
            example_weights=u,
        )

    def voter_weights(self, u: FloatArray) -> FloatArray:
        """Return the voter weights b = ½ (M'u)_+ of dual weights.

        Parameters
        ----------
        u : ndarray of shape (n_examples,)
            Dual weights.

        Returns
        -------
        ndarray of shape (n_voters,)
            The weights b >= 0 that minimise the Lagrangian for this u.
        """
        return np.asarray(np.maximum(0.0, u @ self._margins) / 2)

    def residual(self, C: float, u: FloatArray) -> float:
        """Return the KKT residual of dual weights u and the voter weights that follow from them.

        With b = ½ (M'u)_+ and ξ = (1 - M b)_+, most KKT conditions hold for any u in the box
        0 <= u <= C n: b, ξ and the multipliers of b >= 0, which are 2 b - M'u = (-M'u)_+, are
        nonnegative, and b is zero wherever its multiplier is not. What remains is that examples
        short of the margin 1 have u_i = C n_i and those above it u_i = 0, which says that u
        maximises the dual. The residual is the `kkt_residual` of the dual, whose gradient is
        1 - M b::

            r = max_i |u_i - clip(u_i + s (1 - M b)_i, 0, C n_i)| / s,    s = max u

        Both sides of complementarity are thus measured against what is typical of them: how far an
        example is short of the margin, or above it, against the margin 1, and how far u_i is from
        its bound against the largest dual weight s. For every example, the smaller of the two is at
        most r. Neither is multiplied by the other, as in a duality gap: a product of 1e-8 allows
        1e-4 for both, and does so in degenerate optima, where interior-point solvers end just
        there.

        The residual bounds the gap, and the gap bounds the error: the sum over all examples of
        (C n_i - u_i) max(0, 1 - (M b)_i) + u_i max(0, (M b)_i - 1) is the duality gap, so that::

            gap <= r sum_i max(C n_i, s |1 - (M b)_i|)

        and ‖b - b*‖² <= gap for the optimal b*, since the primal objective exceeds its minimum by
        at least ‖b - b*‖².

        Parameters
        ----------
        C : float
            Price of a unit of slack.
        u : ndarray of shape (n_examples,)
            Dual weights between 0 and C n.
        """
        return self._residual(C * self._counts, u)

    def _residual(self, caps: FloatArray, u: FloatArray) -> float:
        return self._violation(caps, u, self.voter_weights(u))

    def _violation(self, caps: FloatArray, u: FloatArray, b: FloatArray) -> float:
        """Return the residual for voter weights b, whether they follow from u or not."""
        scale = u.max()
        if not scale > 0:
            return float("inf")
        return kkt_residual(u, u + scale * (1.0 - self._margins @ b), 0.0, caps, scale)

    def _gradient(self, u: FloatArray) -> FloatArray:
        """Return the gradient of the dual: by how much each example is short of the margin."""
        return np.asarray(1.0 - self._margins @ self.voter_weights(u))

    def _guesses(self, caps: FloatArray, guess: Guess) -> Iterator[FloatArray]:
        """Yield the dual weights of the guess, then those of a climb from the better point."""
        u = self._solve_guess(caps, guess)
        yield u
        u = min(u, guess.u, key=lambda v: self._residual(caps, v))
        for _ in range(CLIMB * sum(self._margins.shape)):
            u = self._climb(caps, u)
            yield u

    def _solve_guess(self, caps: FloatArray, guess: Guess) -> FloatArray:
        """Return u if the guess is right, or as it was if the system cannot be solved."""
        free = guess.free
        u = np.where(guess.capped, caps, 0.0)
        if not free.any():
            return u
        u[free] = guess.u[free]
        rows = self._margins[:, guess.used]
        try:
            system = _system(rows[free])
        except LinAlgError:
            return guess.u
        for _ in range(STEPS):
            u[free] += system.solve(1.0 - rows[free] @ (u @ rows) / 2)
        return np.clip(u, 0.0, caps)

    def _climb(self, caps: FloatArray, u: FloatArray) -> FloatArray:
        """Return u after one step of an active-set method on the dual, which never descends.

        The direction is Newton's in the examples that can move. The step goes to the maximum in
        this direction, but not beyond the first bound.
        """
        edges = u @ self._margins
        free, direction = self._direction(caps, u, edges > 0)
        if not direction.any():
            return u
        bounds = np.where(direction > 0, caps[free], 0.0)
        with np.errstate(divide="ignore"):
            reach = np.abs(bounds - u[free]) / np.abs(direction)
        step = _highest(direction, edges, direction @ self._margins[free], reach.min())
        moved = np.clip(u[free] + step * direction, 0.0, caps[free])
        u = u.copy()
        u[free] = np.where(reach <= step, bounds, moved)
        return u

    def _direction(
        self, caps: FloatArray, u: FloatArray, used: BoolArray
    ) -> tuple[IntArray, FloatArray]:
        """Return the examples that can move and Newton's direction in them."""
        gradient = self._gradient(u)
        free = np.flatnonzero(_inward(caps, u, gradient))
        while True:
            try:
                direction = _system(self._margins[np.ix_(free, used)]).solve(gradient[free])
            except LinAlgError:
                direction = gradient[free]
            stays = _inward(caps[free], u[free], direction)
            if stays.all():
                return free, direction
            free = free[stays]

    def _dual_weights(self, caps: FloatArray) -> tuple[FloatArray, str]:
        """Return optimal dual weights, and after what they were found."""
        # Where no example is short of the margin, a higher price changes nothing.
        if self._residual(caps, self._last) <= _enough(self._last):
            return self._last, "no step from the last price"
        guess = guess_optimum(self._margins, caps)
        u, _ = best_guess(
            guess.u,
            self._guesses(caps, guess),
            lambda u: self._residual(caps, u),
            _enough(guess.u),
        )
        self._last = u
        return u, f"{guess.steps} steps"

    def _settled(self, caps: FloatArray, u: FloatArray) -> FloatArray:
        """Return the weights that follow from who is on the margin, in a fixed order."""
        rough = self.voter_weights(u)
        # Rounding in u grows with the price: what the residual of u leaves open is on the margin.
        sides = self._sides(rough, u, max(TOUCH, 10 * self._residual(caps, u)))
        for _ in range(STEPS):
            b = self._weights_of(caps, *sides)
            # Without the rounding in u, b tells more exactly who is on the margin.
            before, sides = sides, self._sides(b, u, TOUCH)
            if all(np.array_equal(x, y) for x, y in zip(before, sides, strict=True)):
                break
        return b

    def _sides(
        self, b: FloatArray, u: FloatArray, touch: float
    ) -> tuple[BoolArray, BoolArray, BoolArray]:
        """Return who is on the margin, who is short of it, and which voters have weight."""
        short = 1.0 - self._margins @ b
        return np.abs(short) <= touch, short > touch, b > TOUCH * _unit(b, u)

    def _weights_of(
        self, caps: FloatArray, on: BoolArray, short: BoolArray, used: BoolArray
    ) -> FloatArray:
        """Return the weights that put given examples on the margin."""
        rows = self._margins[:, used]
        pull = weighted_sum(caps[short], rows[short])
        weights = pull / 2
        if on.any() and used.any():
            rows = rows[on]
            columns = np.ascontiguousarray(rows.T)
            system, v, least = _system(rows), np.zeros(len(rows)), np.inf
            for _ in range(MANY_STEPS):
                missing = 1.0 - weighted_sum(pull + weighted_sum(v, rows), columns) / 2
                size = float(np.abs(missing).max())
                if not size < least / 2:
                    break
                v, least = v + system.solve(missing), size
            weights = (pull + weighted_sum(v, rows)) / 2
            # At high prices large forces nearly cancel; steps in the weights themselves do not.
            for _ in range(STEPS):
                missing = 1.0 - weighted_sum(weights, columns)
                if np.abs(missing).max() <= TOUCH / 10:
                    break
                weights = weights + weighted_sum(system.solve(missing), rows) / 2
        b = np.zeros(len(used))
        b[used] = np.maximum(0.0, weights)
        return b

    def _distance(self, b: FloatArray, u: FloatArray) -> float:
        """Return how far b is from the weights of u, without a unit."""
        rough = self.voter_weights(u)
        return float(np.abs(b - rough).max() / _unit(rough, u))


def _system(rows: FloatArray) -> ProximalSystem:
    """Return the system of examples on the margin, from their margins on voters with weight."""
    columns = np.ascontiguousarray(rows.T)
    matrix = np.stack([weighted_sum(row, columns) for row in rows]) / 2
    return ProximalSystem(matrix, PROXIMAL * matrix.diagonal().max())


def _enough(u: FloatArray) -> float:
    """Return the residual that is good enough: more than rounding in M'u can cause."""
    return RESIDUAL / 1000 + 1e-15 * float(np.nansum(u))


def _unit(weights: FloatArray, u: FloatArray) -> float:
    """Return the largest weight, but no less than what rounding is small against."""
    return float(max(weights.max(), 1e-4 * u.sum()))


def _inward(caps: FloatArray, u: FloatArray, direction: FloatArray) -> BoolArray:
    """Return which entries are not on a bound that the direction points beyond."""
    return np.asarray(((u > 0) | (direction > 0)) & ((u < caps) | (direction < 0)))


def _highest(direction: FloatArray, edges: FloatArray, slopes: FloatArray, end: float) -> float:
    """Return the step in [0, end] at which the dual is largest in a direction.

    Its derivative falls with the step, and is linear between the steps at which an edge changes its
    sign.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        kinks = -edges / slopes
    steps = np.concatenate([[0.0], np.sort(kinks[(kinks > 0) & (kinks < end)]), [end]])
    rises = direction.sum() - np.maximum(0.0, edges + steps[:, None] * slopes) @ slopes / 2
    return float(np.interp(0.0, -rises, steps))


C = Hyperparameter("C", "number", "small", "price of a unit of slack", largest=1e6)


@dataclass(frozen=True)
class RegularizedQP(SoftMargin):
    """QP_REG: the weights of least ‖b‖² + C Σξ whose margins are at least 1 - ξ."""

    hyperparameters = (C,)
    version = 4
    shares_weight = True
    kernels = (
        *SoftMargin.kernels,
        "learners.programs.ordered_compiled",
    )
    packages = ("scipy",)

    def _program(self, margins: FloatArray, counts: FloatArray) -> MarginQP:
        return MarginQP(margins, counts)


RQP_BOOST = Entry(
    RegularizedQP,
    "RQP-Boost",
    "Raetsch, Onoda and Mueller 2001, QP_REG",
    {"C": {"from": 1e-3, "to": 100, "points": 11}},
)
