"""CqBoost: the vote of least C-bound, by column generation (Roy, Marchand and Laviolette 2016).

Program over weights q of the voters and their complements, with G = HᵀH/m and the mean margins
m_j::

    min  q'Gq    s.t.  sum_j m_j q_j >= mu,  sum_j q_j = 1,  q >= 0

With the multiplier β >= 0 of the mean margin, e_j = β m_j - 2 (Gq)_j is the edge of voter j. A
vote is optimal if every voter with weight has the largest edge ν, and m'q = μ or β = 0.

Each round adds the voter or complement with the largest edge and solves the program again over all
added voters. All sums have a fixed order, so that every processor computes the same bits.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.jit import njit
from quadrepro.core.learners.solvers import MU, RESIDUAL, SolverError, feasible, mu_limit
from quadrepro.core.training.contract import Algorithm, Registered
from quadrepro.core.training.grid import N_ROUNDS, Grid, Hyperparameter
from quadrepro.core.voters.reduction import VotingProblem

NOISE = 1e-12
"""Largest weight that counts as zero; edges are equal up to this times max(1, β)."""

SHIFT = 1e-9
"""Term added to the diagonal of a system for a voter that nearly depends on the others."""

STEPS = 3
"""Largest number of steps over the same voters; further steps remove the effect of SHIFT."""


class Program(NamedTuple):
    """The program over the voters added so far; voter n + j is the complement of voter j.

    Attributes
    ----------
    gram : ndarray of shape (n, n)
        G of the voters without complements.
    above : ndarray of shape (2 n,)
        m - μ.
    added : ndarray of bool, shape (2 n,)
        The voters added so far.
    q, edges : ndarray of shape (2 n,)
        Weights, and e up to a constant: β (m - μ) - 2 Gq.
    support : ndarray of int, shape (n + 2,)
        The voters with weight are the first entries.
    U : ndarray of shape (n + 2, n + 2)
        Cholesky's factor of K = G + 11' = U'U over the support. U' is below the diagonal, so that
        both triangular systems read rows.
    """

    gram: FloatArray
    above: FloatArray
    added: BoolArray
    q: FloatArray
    edges: FloatArray
    support: IntArray
    U: FloatArray


@njit
def append(program: Program, i: int) -> None:
    """Compute the column of U of voter i of the support."""
    gram, support, U = program.gram, program.support, program.U
    n, voter, column = len(gram), support[i], np.empty(i + 1)
    for k in range(i + 1):
        product = gram[voter % n, support[k] % n]
        column[k] = (product if (voter < n) == (support[k] < n) else -product) + 1.0
    for k in range(i):
        entry = column[k] / U[k, k]
        U[k, i] = U[i, k] = entry
        row, rest = U[k, k + 1 : i + 1], column[k + 1 :]
        for j in range(len(rest)):
            rest[j] -= entry * row[j]
    U[i, i] = np.sqrt(column[i] if column[i] >= SHIFT else max(0.0, column[i]) + SHIFT)


@njit
def forward(U: FloatArray, sides: FloatArray) -> FloatArray:
    """Return the solution x of U'x = b for each row b of `sides`, shape (n_sides, n)."""
    solutions = sides.copy()
    n = solutions.shape[1]
    for i in range(n):
        row = U[i, i + 1 : n]
        for x in solutions:
            x[i] /= U[i, i]
            entry, rest = x[i], x[i + 1 :]
            for j in range(len(rest)):
                rest[j] -= entry * row[j]
    return solutions


@njit
def backward(U: FloatArray, b: FloatArray) -> FloatArray:
    """Return the solution x of U x = b, shape (n,)."""
    x = b.copy()
    for i in range(len(x) - 1, -1, -1):
        x[i] /= U[i, i]
        entry, row = x[i], U[i]
        for j in range(i):
            x[j] -= entry * row[j]
    return x


@njit
def dot(a: FloatArray, b: FloatArray) -> float:
    """Return a'b of vectors (n,), added up in the order of the entries."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@njit
def newton_move(
    edges: FloatArray, above: FloatArray, q: FloatArray, beta: float, U: FloatArray
) -> tuple[FloatArray, float]:
    """Return the move, (n_support,), to the optimum for weights of any sign, and its β.

    `edges`, `above` and `q` are restricted to the support, shape (n_support,).
    """
    # The product of forward(a) and forward(b) is a'K⁻¹b.
    plain = np.ones(len(q))
    move, ones, surplus = forward(U, np.stack(((edges - beta * above) / 2.0, plain, above)))
    # First to the sum of 1, then to the mean margin, in a direction that preserves the sum.
    squares = dot(ones, ones)
    move += (1.0 - dot(plain, q) - dot(ones, move)) / squares * ones
    keeping = surplus - dot(ones, surplus) / squares * ones
    squares, price = dot(keeping, keeping), 0.0
    # If all voters have the same margin, every vote has it.
    if squares > NOISE * dot(surplus, surplus):
        price = max(0.0, -(dot(above, q) + dot(surplus, move)) / squares)
    return backward(U, move + price * keeping), 2.0 * price


@njit
def update_edges(program: Program, size: int, beta: float) -> None:
    """Recompute the edges."""
    gram, above, edges = program.gram, program.above, program.edges
    n, sums = len(gram), np.zeros(len(gram))
    for voter in program.support[:size]:
        weight = program.q[voter] if voter < n else -program.q[voter]
        for j in range(n):
            sums[j] += weight * gram[voter % n, j]
    for j in range(n):
        edges[j] = beta * above[j] - 2.0 * sums[j]
        edges[n + j] = beta * above[n + j] + 2.0 * sums[j]


@njit
def descend(program: Program, size: int, beta: float) -> tuple[int, float]:
    """Move to the optimum over the support; voters whose weight would be negative leave it."""
    q, leaving = program.q, 0
    while leaving >= 0:
        support = program.support[:size]
        move, price = newton_move(
            program.edges[support], program.above[support], q[support], beta, program.U
        )
        share, leaving = 1.0, -1
        for i in range(size):
            weight = q[support[i]]
            if weight + move[i] < -NOISE and weight < -share * move[i]:
                share, leaving = weight / -move[i], i
        for i in range(size):
            q[support[i]] = max(0.0, q[support[i]] + share * move[i])
        beta += share * (price - beta)
        if leaving >= 0:
            q[support[leaving]] = 0.0
            size -= 1
            for i in range(leaving, size):
                support[i] = support[i + 1]
                append(program, i)
        update_edges(program, size, beta)
    return size, beta


@njit
def minimise(program: Program, size: int, beta: float) -> tuple[int, float]:
    """Solve the program by an active-set method; return the size of the support and β.

    The added voter of largest edge joins the support, and the weights move to the optimum over it,
    until no edge is larger than the edges of the support.
    """
    edges, support = program.edges, program.support
    steps, joined = STEPS, -1
    for _ in range(10 * len(edges)):
        best, low, high = support[0], edges[support[0]], edges[support[0]]
        for j in support[:size]:
            low, high = min(low, edges[j]), max(high, edges[j])
        for j in range(len(edges)):
            if program.added[j] and edges[j] > edges[best]:
                best = j
        noise = NOISE * max(1.0, beta)
        if high - low > noise and steps < STEPS:
            steps += 1
        # A voter that joins twice in a row has the larger edge by rounding alone.
        elif edges[best] > high + noise and best != joined and size < len(support):
            support[size] = joined = best
            append(program, size)
            size, steps = size + 1, 1
        else:
            break
        size, beta = descend(program, size, beta)
    return size, beta


@njit
def optimality(program: Program, size: int, beta: float) -> tuple[float, float, int]:
    """Return the residual of the weights, the excess of the largest outside edge, and its voter.

    The residual is the largest violation of a constraint or of a condition on an edge, the latter
    divided by max(1, β). The excess is the edge of the best voter not yet added, less ν. If edges
    differ by rounding alone, the first of these voters is returned.
    """
    edges, added, chosen = program.edges, program.added, program.support[:size]
    weights, scale = program.q[chosen], max(1.0, beta)
    nu, surplus = dot(weights, edges[chosen]), dot(weights, program.above[chosen])
    lacking = 1.0 - dot(weights, np.ones(size))
    inside, outside = -np.inf, -np.inf
    for j in range(len(edges)):
        if added[j]:
            inside = max(inside, edges[j])
        else:
            outside = max(outside, edges[j])
    spread = max(inside - nu, nu - edges[chosen].min())
    residual = np.array([spread / scale, abs(lacking), -surplus, beta * surplus]).max()
    first = 0
    while outside > -np.inf and (added[first] or edges[first] < outside - NOISE * scale):
        first += 1
    return residual, (outside - nu if outside - nu > NOISE * scale else 0.0), first


def rounds(gram: FloatArray, margins: FloatArray, mu: float) -> Iterator[tuple[FloatArray, float]]:
    """Yield the vote after each round, until no edge is above ν.

    Parameters
    ----------
    gram : ndarray of shape (n_voters, n_voters)
        G of the voters, without complements.
    margins : ndarray of shape (n_voters,)
        Mean of y h of each voter.
    mu : float
        Least mean margin of the vote, at most max |margins|.

    Yields
    ------
    tuple of (ndarray of shape (n_voters,), float)
        Signed weights, and the excess over ν of the largest edge of a voter not yet added.

    Raises
    ------
    SolverError
        If weights have a residual above `RESIDUAL`.
    """
    n = len(margins)
    above = np.concatenate([margins, -margins]) - mu
    # A step would divide by the difference of a margin and μ, even if it is a rounding error.
    above[np.abs(above) <= NOISE] = 0.0
    first = int(np.abs(margins).argmax())
    support = np.full(n + 2, first if margins[first] > 0 else first + n)
    added, (q, edges) = np.zeros(2 * n, dtype=np.bool_), np.zeros((2, 2 * n))
    program = Program(gram, above, added, q, edges, support, np.empty((n + 2, n + 2)))
    q[support[0]], added[support[0]], size, beta = 1.0, True, 1, 0.0
    append(program, 0)
    update_edges(program, size, beta)
    while True:
        size, beta = minimise(program, size, beta)
        residual, excess, joining = optimality(program, size, beta)
        if not residual <= RESIDUAL:
            raise SolverError(f"CqBoost's program at mu = {mu:g} has a residual of {residual:.1g}")
        yield q[:n] - q[n:], excess
        if not excess:
            return
        added[joining] = True


EPSILON = Hyperparameter("epsilon", "number", "large", "excess of an edge that ends a run")
ROUNDS = replace(N_ROUNDS, optional=True)


@dataclass(frozen=True)
class CqBoost(Algorithm):
    """CqBoost; the hyper-parameters are the mean margin μ, ε and, optionally, the number of rounds.

    A run ends when no edge is above ν + ε. One run per μ gives the candidates for all values of ε
    and all numbers of rounds. No vote has a μ above max |m_j|: the weights of a candidate with
    larger μ are NaN.
    """

    hyperparameters = (MU, EPSILON, ROUNDS)

    def limit(self, problem: VotingProblem) -> str:
        """Return the largest feasible μ in a sentence."""
        return mu_limit(np.abs(problem.correlations).max(axis=1))

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values, limits = grid.axis("mu") or (), np.array(grid.axis("n_rounds") or [sys.maxsize])
        epsilons = np.array(grid.axis("epsilon"))
        shape = (len(values), len(epsilons), len(limits), problem.n_voters)
        paths = np.full((len(problem.counts), *shape), np.nan)
        samples = zip(problem.grams, problem.correlations, strict=True)
        for path, (gram, margins) in zip(paths, samples, strict=True):
            for part, mu in zip(path, values, strict=True):
                if feasible(mu, float(np.abs(margins).max())):
                    with suppress(SolverError):
                        _write_votes(rounds(gram, margins, mu), epsilons, limits, part)
        return grid.flatten(paths, ("mu", "epsilon", "n_rounds"))


def _write_votes(
    run: Iterator[tuple[FloatArray, float]], epsilons: FloatArray, limits: IntArray, out: FloatArray
) -> None:
    """Write the final vote for each ε and number of rounds, (n_epsilons, n_limits, n_voters)."""
    waiting = np.ones(out.shape[:2], dtype=np.bool_)
    loosest, earliest = epsilons.max(), limits.min()
    for t, (vote, excess) in enumerate(run, 1):
        if excess > loosest and t < earliest:
            continue
        ends = waiting & ((excess <= epsilons)[:, None] | (t >= limits))
        out[ends] = vote
        waiting &= ~ends
        if not waiting.any():
            break


GRID = {"mu": {"from": 0.3, "to": 0.03, "points": 5}, "epsilon": [1e-2, 1e-4, 1e-8]}
CQBOOST = Registered(CqBoost, "CqBoost", "Roy et al. 2016", GRID)
