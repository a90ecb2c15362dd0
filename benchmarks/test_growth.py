"""How the time of a round grows with examples, voters and rounds: fitted slopes and a figure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from pytest_benchmark.fixture import BenchmarkFixture

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.learners.greedy.loop import GreedyAlgorithm
from quadrepro.core.learners.greedy.quadboost import QuadBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.stumps import Stumps

from .conftest import best_of, compare

FIGURE = Path(__file__).parents[1] / "docs" / "growth.svg"
START = {"examples": 1000, "voters": 100, "rounds": 1000}
FACTORS = np.array([1, 2, 4, 8, 16])
ALGORITHMS: dict[str, GreedyAlgorithm] = {"AdaBoost": AdaBoost(), "QuadBoost": QuadBoost()}


def problem(n_examples: int, n_voters: int) -> VotingProblem:
    """Return a noisy problem over ten stumps of each attribute."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_examples, n_voters // 10))
    y = np.where(X[:, :5].sum(axis=1) + rng.normal(0, 2, n_examples) > 0, 1.0, -1.0)
    return AdaBoost().reduced(Stumps().fit(X).transform(X), y)


def seconds(algorithm: GreedyAlgorithm, sizes: dict[str, int]) -> float:
    """Return the time of a run, without the time to set it up."""
    of = problem(sizes["examples"], sizes["voters"])

    def run(n_rounds: int) -> Callable[[], object]:
        return lambda: algorithm.paths(of, [Grid.of({"n_rounds": [n_rounds]})])

    return best_of(3, run(sizes["rounds"])) - best_of(3, run(1))


@pytest.fixture(scope="module")
def times() -> dict[tuple[str, str], FloatArray]:
    return {
        (name, what): np.array(
            [seconds(algorithm, START | {what: start * factor}) for factor in FACTORS.tolist()]
        )
        for name, algorithm in ALGORITHMS.items()
        for what, start in START.items()
    }


def test_growth(benchmark: BenchmarkFixture, times: dict[tuple[str, str], FloatArray]) -> None:
    benchmark.pedantic(lambda: seconds(AdaBoost(), START), rounds=1)
    figure = Figure(figsize=(9, 3), layout="constrained")
    panels = figure.subplots(1, len(START), sharey=True)
    for panel, (what, start) in zip(panels, START.items(), strict=True):
        at = start * FACTORS
        for name in ALGORITHMS:
            found = times[name, what] * 1e3
            slope = np.polyfit(np.log(at), np.log(found), 1)[0]
            compare(benchmark, **{f"{name}: slope along {what}": slope})
            panel.loglog(at, found, marker="o", label=f"{name}, slope {slope:.2f}")
        panel.set_xlabel(what)
        panel.legend(frameon=False)
    panels[0].set_ylabel("time of a run (ms)")
    figure.savefig(FIGURE, metadata={"Date": None})
