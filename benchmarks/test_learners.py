"""Rounds of the algorithms, against loops as the papers write them."""

from __future__ import annotations

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.cbboost import CBBoost
from quadrepro.core.learners.quadboost import QuadBoost
from quadrepro.core.training.grid import Grid

from .conftest import best_of, row

Problem = tuple[FloatArray, FloatArray]


def plain_quadboost(H: FloatArray, y: FloatArray, lam: float, n_rounds: int) -> FloatArray:
    """Return QuadBoost-L2's weights as section 3 writes it, over the examples."""
    weights, residual, eta = np.zeros(H.shape[1]), y.copy(), (H * H).mean(axis=0)
    for _ in range(n_rounds):
        c = residual @ H / len(y)
        pick = np.abs(c).argmax()
        step = c[pick] / (eta[pick] + lam)
        weights[pick] += step
        residual -= step * H[:, pick]
    return weights


def test_quadboost(benchmark: BenchmarkFixture, pima_voters: Problem, folds: FloatArray) -> None:
    n_rounds, values = 10_000, np.geomspace(1e3, 1, 10).tolist()
    grid = Grid.from_values({"n_rounds": [n_rounds], "lam": values})
    algorithm = QuadBoost("l2")
    benchmark.pedantic(lambda: algorithm.path(*pima_voters, grid, folds), rounds=1)
    ours = best_of(3, lambda: algorithm.path(*pima_voters, grid, folds))
    theirs = best_of(3, lambda: plain_quadboost(*pima_voters, 1.0, 1000)) / 1000
    row(
        "QuadBoost-L2, a round on pima's half",
        ours / (n_rounds * len(folds) * len(values)),
        {"a loop over the examples": theirs},
    )


def plain_cbboost(correct: FloatArray, n_rounds: int) -> FloatArray:
    """Return Algorithm 1's weights of the columns y h, with a pass over the examples a round."""
    m = len(correct)
    margins = correct.sum(axis=0) / m
    weights = np.zeros(correct.shape[1])
    weights[margins.argmax()] = 1.0
    votes = correct[:, margins.argmax()].copy()
    for _ in range(n_rounds - 1):
        tau = (correct * votes[:, None]).sum(axis=0) / m
        gamma, nu = votes.mean(), (votes**2).mean()
        with np.errstate(divide="ignore", invalid="ignore"):
            alpha = (margins * nu - gamma * tau) / (gamma - margins * tau)
            bounds = 1 - (gamma + alpha * margins) ** 2 / (nu + 2 * alpha * tau + alpha**2)
        admissible = (margins > 0) & (alpha > 0) & np.isfinite(alpha) & (tau * margins < gamma)
        pick = np.where(admissible, bounds, np.inf).argmin()
        weights[pick] += alpha[pick]
        votes += alpha[pick] * correct[:, pick]
    return weights


def test_cb_boost(benchmark: BenchmarkFixture, digits: Problem) -> None:
    H, y = digits
    grid, n_rounds = Grid.from_values({"n_rounds": [200]}), 200
    problem = CBBoost().reduced(H, y)
    _ = problem.grams  # computed once and kept
    benchmark.pedantic(lambda: CBBoost().paths(problem, [grid]), rounds=1)
    ours = best_of(3, lambda: CBBoost().paths(problem, [grid]))
    # Stored column by column, with a column for each complement, as in the published code.
    correct = np.asfortranarray(np.hstack([problem.H, -problem.H]) * problem.y[:, None])
    theirs = best_of(1, lambda: plain_cbboost(correct, n_rounds))
    row("CB-Boost, 200 rounds on 500 digits", ours, {"passes over the examples": theirs})
