"""Rounds of the algorithms, against scikit-learn, LightGBM and loops as the papers write them."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from sklearn import ensemble
from sklearn.tree import DecisionTreeClassifier

from quadrepro import AdaBoostClassifier, LogitBoostClassifier, SAMMEClassifier
from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.cbboost import CBBoost
from quadrepro.core.learners.gradient import GradientBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.quadboost import QuadBoost

from .conftest import best_of, row

Problem = tuple[FloatArray, FloatArray]
STUMP = DecisionTreeClassifier(max_depth=1)


def seconds_per_round(model: Any, n_rounds: int, X: FloatArray, y: FloatArray) -> float:
    return best_of(3, lambda: model.fit(X, y)) / n_rounds


def test_adaboost(
    benchmark: BenchmarkFixture, pima: Problem, pima_voters: Problem, folds: FloatArray
) -> None:
    n_rounds = 10_000
    grid = Grid.of({"n_rounds": [n_rounds]})
    theirs = seconds_per_round(ensemble.AdaBoostClassifier(STUMP, n_estimators=200), 200, *pima)
    references = {"scikit-learn's `AdaBoostClassifier`": theirs}
    benchmark.pedantic(lambda: AdaBoost().path(*pima_voters, grid, folds), rounds=1)
    six = best_of(3, lambda: AdaBoost().path(*pima_voters, grid, folds)) / (n_rounds * len(folds))
    row("AdaBoost, a round on pima's half, five folds and the whole", six, references)
    one = seconds_per_round(AdaBoostClassifier(n_rounds=n_rounds), n_rounds, *pima)
    row("`AdaBoostClassifier.fit` on pima's half, a round", one, references)


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


@pytest.mark.parametrize("reweight", [False, True])
def test_quadboost(
    benchmark: BenchmarkFixture, pima_voters: Problem, folds: FloatArray, reweight: bool
) -> None:
    n_rounds, values = 10_000, np.geomspace(1e3, 1, 10).tolist()
    grid = Grid.of({"n_rounds": [n_rounds], "lam": values})
    algorithm = QuadBoost("l2", reweight=reweight)
    benchmark.pedantic(lambda: algorithm.path(*pima_voters, grid, folds), rounds=1)
    ours = best_of(3, lambda: algorithm.path(*pima_voters, grid, folds))
    theirs = best_of(3, lambda: plain_quadboost(*pima_voters, 1.0, 1000)) / 1000
    form = ", re-weighting" if reweight else ""
    row(
        f"QuadBoost-L2{form}, a round on pima's half",
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
    grid, n_rounds = Grid.of({"n_rounds": [200]}), 200
    problem = CBBoost().reduced(H, y)
    assert problem.grams.size
    benchmark.pedantic(lambda: CBBoost().paths(problem, [grid]), rounds=1)
    ours = best_of(3, lambda: CBBoost().paths(problem, [grid]))
    # Stored column by column, with a column for each complement, as in the published code.
    correct = np.asfortranarray(np.hstack([problem.H, -problem.H]) * problem.y[:, None])
    theirs = best_of(1, lambda: plain_cbboost(correct, n_rounds))
    row("CB-Boost, 200 rounds on 500 digits", ours, {"passes over the examples": theirs})


@pytest.mark.parametrize(("m", "d", "n_rounds"), [(500, 10, 60), (4000, 50, 15)])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_weak_learners_that_are_fitted(
    benchmark: BenchmarkFixture, m: int, d: int, n_rounds: int, n_classes: int
) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, d))
    noisy = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=m)
    y = noisy.argsort().argsort() * n_classes // m
    adaboost = ensemble.AdaBoostClassifier(STUMP, n_estimators=n_rounds)
    gradient = ensemble.GradientBoostingClassifier(max_depth=1, n_estimators=n_rounds)
    pairs: list[tuple[Any, Any]] = [
        (SAMMEClassifier(n_rounds), adaboost),
        (LogitBoostClassifier(n_rounds), gradient),
    ]
    for ours, theirs in pairs:
        names = type(ours).__name__, type(theirs).__name__
        row(
            f"`{names[0]}`, a stump for {n_classes} classes, {m} x {d}",
            seconds_per_round(ours, n_rounds, X, y),
            {f"scikit-learn's `{names[1]}`": seconds_per_round(theirs, n_rounds, X, y)},
        )
    benchmark.pedantic(pairs[0][0].fit, (X, y), rounds=1)


@pytest.mark.parametrize("loss", ["l2", "logistic"])
@pytest.mark.parametrize("cuts", [1, 4])
def test_gradient_boosting(benchmark: BenchmarkFixture, loss: Any, cuts: int) -> None:
    rng, m, n_values, n_rounds = np.random.default_rng(0), 500, 20, 100
    X = rng.uniform(-2, 2, (m, 10))
    signs = np.where(np.arange(10) % 2 == 0, 1.0, -1.0)
    y = (signs * X * np.sin(X**2)).sum(axis=1) + rng.normal(0, 0.3, m)
    y = y if loss == "l2" else np.where(y > 0, 1.0, -1.0)
    grids = [Grid.of({"nu": np.linspace(0.05, 1, n_values).tolist(), "n_rounds": [n_rounds]})]
    algorithm = GradientBoost("shrink", loss, cuts)
    benchmark.pedantic(lambda: algorithm.predictions(X, y, grids, X, rng), rounds=1)
    ours = best_of(3, lambda: algorithm.predictions(X, y, grids, X, rng)) / (n_rounds * n_values)
    kind = "Regressor" if loss == "l2" else "Classifier"
    size = {"max_leaf_nodes": cuts + 1, "max_depth": None, "n_estimators": n_rounds}
    peers = {"scikit-learn": getattr(ensemble, f"GradientBoosting{kind}")(**size)}
    if find_spec("lightgbm"):
        make = getattr(import_module("lightgbm"), f"LGBM{kind}")
        least = {"min_child_samples": 1, "max_bin": m, "n_jobs": 1, "verbose": -1}
        peers["LightGBM"] = make(num_leaves=cuts + 1, n_estimators=n_rounds, **least)
    references = {name: seconds_per_round(peer, n_rounds, X, y) for name, peer in peers.items()}
    row(f"RSboosting, {loss}, {cuts} cuts, 20 values of ν, a round of one", ours, references)
