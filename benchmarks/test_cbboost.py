"""CB-Boost on MNIST's 4 against 9, with the Gram matrix and with passes over all examples.

In the published code the complement of a voter is a column of its own, and a round costs
O(examples x voters). It also computes the margins of the voters three times per round, and doubles
a product before summing it; the lean loop leaves both out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.greedy.cbboost import CBBoost, GBCBBoost
from quadrepro.core.learners.greedy.loop import Checkpoints, GreedyAlgorithm
from quadrepro.core.measures.cbboost import c_bound
from quadrepro.core.preprocessing import encode
from quadrepro.core.voters.reduction import VotingProblem, reduce_problem
from quadrepro.core.voters.stumps import Stumps
from quadrepro.data.store import load_dataset

from .conftest import best_of, compare, row

ROUNDS = [50, 200]
N_EXAMPLES = 4000


@pytest.fixture(scope="module")
def digits(canonical_folder: Path) -> VotingProblem:
    dataset = load_dataset("mnist", canonical_folder)
    examples = encode(dataset, dataset.card.view("4v9"))
    rows = np.random.default_rng(0).permutation(len(examples.y))[:N_EXAMPLES]
    X = examples.X[rows]
    X = X[:, np.ptp(X, axis=0) > 0]
    return reduce_problem(Stumps(per_attribute=1).fit(X).transform(X), examples.y[rows])


def run(algorithm: GreedyAlgorithm[Any], problem: VotingProblem, n_rounds: int) -> FloatArray:
    end = Checkpoints([n_rounds], 1, problem.H.shape[1])
    algorithm.run(problem, np.array([np.nan]), n_rounds, [end])
    return end.path[0, 0]


def plainly(correct: FloatArray, n_rounds: int, *, lean: bool) -> FloatArray:
    """Return the weights of the columns y h, computed as Algorithm 1 is written."""
    m = len(correct)
    margins = correct.sum(axis=0) / m
    weights = np.zeros(correct.shape[1])
    weights[margins.argmax()] = 1.0
    votes = correct[:, margins.argmax()].copy()
    for _ in range(n_rounds - 1):
        if lean:
            tau = (correct * votes[:, None]).sum(axis=0) / m
        else:
            margins, *_ = (correct.sum(axis=0) / m for _ in range(3))
            tau = (2 * (correct * votes[:, None])).sum(axis=0) / (2 * m)
        gamma, nu = votes.mean(), (votes**2).mean()
        with np.errstate(divide="ignore", invalid="ignore"):
            alpha = (margins * nu - gamma * tau) / (gamma - margins * tau)
            bounds = 1 - (gamma + alpha * margins) ** 2 / (nu + 2 * alpha * tau + alpha**2)
        admissible = (margins > 0) & (alpha > 0) & np.isfinite(alpha) & (tau * margins < gamma)
        pick = np.where(admissible, bounds, np.inf).argmin()
        weights[pick] += alpha[pick]
        votes += alpha[pick] * correct[:, pick]
    return weights


def test_cb_boost_against_passes_over_all_examples(
    benchmark: BenchmarkFixture, digits: VotingProblem
) -> None:
    H, y = digits.H, digits.y
    # Stored column by column, as in the published code.
    correct = np.asfortranarray(np.hstack([H, -H]) * y[:, None])
    gram = best_of(5, digits.grams)
    compare(
        benchmark,
        **{
            "examples": len(y),
            "voters": correct.shape[1],
            "Gram s": gram,
            "reduction s": best_of(2, lambda: reduce_problem(H, y)),
        },
    )
    for n_rounds in ROUNDS:
        end = c_bound(y * (H @ run(CBBoost(), digits, n_rounds)))
        assert end == pytest.approx(
            c_bound(correct @ plainly(correct, n_rounds, lean=True)), abs=5e-6
        )
        ours = best_of(5, lambda n=n_rounds: run(CBBoost(), digits, n))
        published = best_of(1, lambda n=n_rounds: plainly(correct, n, lean=False))
        lean = best_of(1, lambda n=n_rounds: plainly(correct, n, lean=True))
        compare(
            benchmark,
            **{
                "rounds": n_rounds,
                "us per round": (ours - gram) / n_rounds * 1e6,
                "AdaBoost s": best_of(2, lambda n=n_rounds: run(AdaBoost(), digits, n)),
                "GB-CB-Boost s": best_of(2, lambda n=n_rounds: run(GBCBBoost(), digits, n)),
                "C-bound": float(end),
            },
        )
        row(
            f"CB-Boost on MNIST's 4 against 9, {n_rounds} rounds once the Gram matrix is known",
            ours,
            {"passes over all examples, as published": published, "a lean loop of them": lean},
        )
    benchmark.pedantic(lambda: run(CBBoost(), digits, ROUNDS[0]), rounds=3)
