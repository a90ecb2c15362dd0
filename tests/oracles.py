"""How far votes are from the optimum of their program, by the program's definition alone.

A point x of a polyhedron minimises a convex f over it if and only if no point s of it has
f'(x)·s < f'(x)·x. For any x, f is above its minimum by the difference at most: it is the duality
gap of Wolfe's dual. The best s solves a linear program, which scipy does here, so nothing is shared
with the learners: a program is given by its voters, labels, hyper-parameter and weights.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog

from quadrepro.base.types import FloatArray

EXACT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


class Optimality(NamedTuple):
    """The objective of a program at some weights, and what is missing to its optimum.

    Attributes
    ----------
    objective : float
        The objective, which is minimised.
    gap : float
        Duality gap, at least as large as the objective is above its minimum.
    violation : float
        Largest violation of a constraint.
    """

    objective: float
    gap: float
    violation: float


def lpboost(H: FloatArray, y: FloatArray, C: float, weights: FloatArray) -> Optimality:
    """LPBoost: min Σ|a| + C Σ ξ with y Ha + ξ ≥ 1 and ξ ≥ 0, where a = p - q with p, q ≥ 0."""
    signed, (m, n) = H * y[:, None], H.shape
    slack = np.maximum(0, 1 - signed @ weights)
    x = np.concatenate([np.maximum(0, weights), np.maximum(0, -weights), slack])
    cost = np.concatenate([np.ones(2 * n), np.full(m, C)])
    rows = -np.hstack([signed, -signed, np.eye(m)])
    return _optimality(x, cost @ x, cost, (rows, -np.ones(m)))


def lp_reg(H: FloatArray, y: FloatArray, nu: float, weights: FloatArray) -> Optimality:
    """LP_REG: max ρ - Σ ξ / (ν m) with y Ha + ξ ≥ ρ, Σ a = 1 and a, ξ ≥ 0, by oriented voters."""
    signed, (m, n) = H * y[:, None], H.shape
    margins = signed @ weights
    # The objective is linear in ρ between two margins.
    rho = max(margins, key=lambda r: r - np.maximum(0, r - margins).sum() / (nu * m))
    x = np.concatenate([weights, [rho], np.maximum(0, rho - margins)])
    cost = np.concatenate([np.zeros(n), [-1.0], np.full(m, 1 / (nu * m))])
    rows = np.hstack([-signed, np.ones((m, 1)), -np.eye(m)])
    total = np.concatenate([np.ones(n), np.zeros(m + 1)])
    bounds = [(0.0, None)] * n + [(None, None)] + [(0.0, None)] * m
    return _optimality(x, cost @ x, cost, (rows, np.zeros(m)), (total, 1.0), bounds)


def qp_reg(H: FloatArray, y: FloatArray, C: float, weights: FloatArray) -> Optimality:
    """QP_REG: min ‖b‖² + C Σ ξ with y Hb + ξ ≥ 1 and b, ξ ≥ 0, by oriented voters."""
    signed, (m, _) = H * y[:, None], H.shape
    x = np.concatenate([weights, np.maximum(0, 1 - signed @ weights)])
    slope = np.concatenate([2 * weights, np.full(m, C)])
    objective = weights @ weights + C * x[len(weights) :].sum()
    return _optimality(x, objective, slope, (-np.hstack([signed, np.eye(m)]), -np.ones(m)))


def mincq(H: FloatArray, y: FloatArray, mu: float, weights: FloatArray) -> Optimality:
    """MinCq: min E (Hw)² with E y Hw = μ and |w_j| ≤ 1/n."""
    m, n = H.shape
    votes = H @ weights
    bounds = [(-1 / n, 1 / n)] * n
    return _optimality(weights, votes @ votes / m, 2 * votes @ H / m, None, (y @ H / m, mu), bounds)


def cqboost(H: FloatArray, y: FloatArray, mu: float, weights: FloatArray) -> Optimality:
    """CqBoost: min E (Hw)² with E y Hw ≥ μ and Σ|w| ≤ 1, where w = p - q with p, q ≥ 0.

    A run that ends when no edge is above those of the voters added by more than ε has a gap of ε.
    """
    m, n = H.shape
    votes, both = H @ weights, np.hstack([H, -H])
    x = np.concatenate([np.maximum(0, weights), np.maximum(0, -weights)])
    rows = np.stack([-(y @ both) / m, np.ones(2 * n)])
    return _optimality(x, votes @ votes / m, 2 * votes @ both / m, (rows, np.array([-mu, 1.0])))


def _optimality(
    x: FloatArray,
    objective: float,
    slope: FloatArray,
    at_most: tuple[FloatArray, FloatArray] | None,
    equal: tuple[FloatArray, float] | None = None,
    bounds: list[tuple[float | None, float | None]] | None = None,
) -> Optimality:
    """Return how far x is from the optimum, given the slope of the objective and constraints.

    `at_most` has rows and their upper limits, `equal` one row and its value. By default, nothing is
    negative.
    """
    bounds = bounds or [(0.0, None)] * len(x)
    low, high = np.array(bounds, dtype=float).T
    violations = [np.nan_to_num(low - x, nan=0.0), np.nan_to_num(x - high, nan=0.0)]
    constraints: dict[str, Any] = {}
    if at_most is not None:
        constraints |= {"A_ub": at_most[0], "b_ub": at_most[1]}
        violations.append(at_most[0] @ x - at_most[1])
    if equal is not None:
        constraints |= {"A_eq": equal[0][None], "b_eq": [equal[1]]}
        violations.append(np.abs(equal[0] @ x - equal[1])[None])
    # In units of its largest part, so that tolerances mean the same in every program.
    unit = np.abs(slope).max()
    best = linprog(slope / unit, bounds=bounds, options=EXACT, method="highs", **constraints)
    assert best.status == 0, best.message
    gap = unit * (slope @ x / unit - best.fun)
    return Optimality(float(objective), float(gap), float(np.concatenate(violations).max()))
