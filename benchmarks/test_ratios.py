"""The main algorithms against scikit-learn and scipy, measured in turn in one run.

No benchmark asserts anything about times, because machines are noisy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture
from scipy.optimize import linprog
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from quadrepro import AdaBoostClassifier as QuadreproAdaBoost
from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.adaboost_reg import AdaBoostReg
from quadrepro.core.learners.ebboost import EBBoost
from quadrepro.core.learners.greedy.loop import GreedyAlgorithm
from quadrepro.core.learners.greedy.quadboost import QuadBoostL2
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.programs.lpboost import LPBoost

from .conftest import best_of, compare, plainly, row

Problem = tuple[FloatArray, FloatArray]


def test_adaboost_round(
    benchmark: BenchmarkFixture, pima: Problem, pima_voters: Problem, folds: FloatArray
) -> None:
    n_rounds, theirs_rounds = 10_000, 200
    grid = Grid.of({"n_rounds": [n_rounds]})

    def ours() -> None:
        AdaBoost().path(*pima_voters, grid, folds)

    def theirs() -> None:
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=theirs_rounds).fit(
            *pima
        )

    benchmark.pedantic(ours, rounds=3)
    n_taken = n_rounds * len(folds)
    references = {
        "numpy": plainly(1, ours) / n_taken,
        "scikit-learn's `AdaBoostClassifier`": best_of(3, theirs) / theirs_rounds,
    }
    row("AdaBoost, a round on pima's half", best_of(3, ours) / n_taken, references)


def test_one_fit_of_adaboost(benchmark: BenchmarkFixture, pima: Problem) -> None:
    n_rounds = 10_000
    vote = QuadreproAdaBoost(n_rounds=n_rounds)
    benchmark.pedantic(lambda: vote.fit(*pima), rounds=3)
    ours = best_of(3, lambda: vote.fit(*pima)) / n_rounds
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=200)
    references = {
        "numpy": plainly(1, lambda: vote.fit(*pima)) / n_rounds,
        "scikit-learn's `AdaBoostClassifier`": best_of(3, lambda: theirs.fit(*pima)) / 200,
    }
    row("`AdaBoostClassifier.fit` on pima's half, a round", ours, references)


def test_adaboost_over_voters_of_any_kind(benchmark: BenchmarkFixture) -> None:
    rng, n_rounds = np.random.default_rng(0), 200
    H = rng.choice([-1.0, 1.0], (4700, 567))
    y = np.sign(H[:, :99].sum(axis=1) + 0.5)
    grid = Grid.of({"n_rounds": [n_rounds]})
    problem = AdaBoost().reduced(H, y)

    def ours() -> None:
        AdaBoost().paths(problem, [grid])

    benchmark.pedantic(ours, rounds=2)
    seconds = best_of(3, ours) / n_rounds
    row(
        "AdaBoost, a round over 567 voters on 4,700 examples",
        seconds,
        {"numpy": plainly(1, ours) / n_rounds},
    )


def test_penalised_rounds_against_adaboost(
    benchmark: BenchmarkFixture, pima_voters: Problem
) -> None:
    n_rounds = 1000

    def us(algorithm: GreedyAlgorithm[Any], **values: list[float]) -> float:
        grid = Grid.of({**values, "n_rounds": [n_rounds]})
        return best_of(3, lambda: algorithm.path(*pima_voters, grid)) / n_rounds * 1e6

    lams, prices = np.geomspace(10, 1e-3, 12).tolist(), np.geomspace(1e3, 1, 12).tolist()
    adaboost = us(AdaBoost())
    one, twelve = us(EBBoost(), lam=[0.1]), us(EBBoost(), lam=lams)
    compare(
        benchmark,
        **{
            "AdaBoost us": adaboost,
            "EBBoost us": one,
            "ratio": one / adaboost,
            "12 lambdas us": twelve,
            "ratio each": twelve / 12 / adaboost,
            "AdaBoost_REG us": us(AdaBoostReg(), C=[10.0]),
            "12 C us": us(AdaBoostReg(), C=prices),
        },
    )
    benchmark.pedantic(lambda: us(EBBoost(), lam=[0.1]), rounds=1)


def test_quadboost_round(
    benchmark: BenchmarkFixture, pima_voters: Problem, folds: FloatArray
) -> None:
    n_rounds, values = 10_000, np.geomspace(1e3, 1, 10).tolist()
    grid = Grid.of({"n_rounds": [n_rounds], "lam": values})

    def ours() -> None:
        QuadBoostL2().path(*pima_voters, grid, folds)

    benchmark.pedantic(ours, rounds=3)
    n_taken = n_rounds * len(folds) * len(values)
    references = {"numpy": plainly(1, ours) / n_taken}
    row("QuadBoost-L2, a round of one trajectory", best_of(3, ours) / n_taken, references)


def test_reweighting_round(
    benchmark: BenchmarkFixture, pima_voters: Problem, folds: FloatArray
) -> None:
    n_rounds, values = 1000, np.geomspace(1e3, 1, 10).tolist()
    grid = Grid.of({"n_rounds": [n_rounds], "lam": values})

    def ours() -> None:
        QuadBoostL2(reweight=True).path(*pima_voters, grid, folds)

    benchmark.pedantic(ours, rounds=3)
    n_taken = n_rounds * len(folds) * len(values)
    references = {"numpy": plainly(1, ours) / n_taken}
    row("QuadBoost-L2 with re-weighting, a round", best_of(3, ours) / n_taken, references)


def test_lpboost_path(benchmark: BenchmarkFixture, pima_voters: Problem) -> None:
    H, y = pima_voters
    values = np.geomspace(1e-3, 1e3, 10).tolist()
    m, n = H.shape
    constraints = -np.hstack([H * y[:, None], -H * y[:, None], np.eye(m)])

    def ours() -> None:
        LPBoost().path(H, y, Grid.of({"C": values}))

    def cold() -> None:
        for C in values:
            cost = np.concatenate([np.ones(2 * n), np.full(m, C)])
            linprog(cost, A_ub=constraints, b_ub=-np.ones(m), method="highs")

    benchmark.pedantic(ours, rounds=3)
    ours_s, cold_s = best_of(3, ours), best_of(1, cold)
    row("LPBoost, ten values of C", ours_s, {"`scipy.optimize.linprog`, cold": cold_s})
