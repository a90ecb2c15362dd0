from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize_scalar

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.ebboost import EBBoost
from quadrepro.core.training.grid import Grid
from tests.core.learners.given import (
    FixedVoters,
    Problem,
    boosted,
    make_problem,
    small_problems,
    small_samples,
)

LAMBDAS = [30.0, 2.0, 1.0, 0.4, 0.01]


def penalised(losses: FloatArray, lam: float) -> float:
    """Return the paper's objective: every pair of examples stands in it by itself."""
    differences = np.subtract.outer(losses, losses)
    return float(losses.sum() ** 2 + lam * np.tril(differences**2).sum())


def closed_form(w: FloatArray, right: FloatArray, lam: float) -> tuple[float, float]:
    """Return α and the least objective from the sums over the right and the wrong."""
    sides = [w[right > 0], w[right < 0]]
    N = [(1 - lam) * s.sum() ** 2 + lam * len(w) * (s**2).sum() for s in sides]
    product = sides[0].sum() * sides[1].sum()
    return np.log(N[0] / N[1]) / 4, 2 * np.sqrt(N[0] * N[1]) + 2 * (1 - lam) * product


def transcription(
    H: FloatArray, y: FloatArray, lam: float, n_rounds: int, complements: bool = True
) -> list[tuple[int, float]]:
    """EBBoost as the paper reads: in every round the voter and the step of least objective."""
    weights, rounds = np.zeros(H.shape[1]), []
    for _ in range(n_rounds):
        losses = np.exp(-y * (H @ weights))
        steps = [closed_form(losses, y * h, lam) for h in H.T]
        candidates = [j for j, step in enumerate(steps) if complements or step[0] > 0]
        j = min(candidates, key=lambda j: steps[j][1])
        rounds.append((j, steps[j][0]))
        weights[j] += steps[j][0]
    return rounds


@given(small_problems, small_samples, st.integers(1, 30))
def test_without_a_penalty_it_is_adaboost_to_the_bit(
    problem: Problem, samples: FloatArray, n_rounds: int
) -> None:
    ours = EBBoost().path(
        *problem, Grid.from_values({"lam": [0.0], "n_rounds": [n_rounds]}), samples
    )
    theirs = AdaBoost().path(*problem, Grid.from_values({"n_rounds": [n_rounds]}), samples)
    np.testing.assert_array_equal(ours, theirs)


@given(arrays(np.float64, 8, elements=st.floats(0.01, 1.0)), st.floats(0, 20), st.integers(1, 7))
def test_the_sums_over_the_two_sides_are_the_sums_over_pairs(
    w: FloatArray, lam: float, n_right: int
) -> None:
    w /= w.sum()
    right = np.where(np.arange(8) < n_right, 1.0, -1.0)

    def objective(alpha: float) -> float:
        return penalised(w * np.exp(-alpha * right), lam)

    alpha, least = closed_form(w, right, lam)
    numeric = minimize_scalar(objective, bracket=(-1.0, 1.0), tol=1e-10)
    assert alpha == pytest.approx(numeric.x, abs=1e-6)
    assert least == pytest.approx(objective(alpha), rel=1e-9)
    assert least <= numeric.fun * (1 + 1e-12)


@pytest.mark.parametrize("lam", LAMBDAS)
@pytest.mark.parametrize("complements", [True, False])
def test_it_is_the_papers_algorithm(lam: float, complements: bool) -> None:
    for seed in range(3):
        H, y = make_problem(m=40, n=9, seed=seed)
        picks, alphas = zip(*transcription(H, y, lam, 15, complements), strict=True)
        found = boosted(EBBoost(), FixedVoters(H, y, complements), 15, [lam])
        assert tuple(int(r.picks[0]) for r in found) == picks
        np.testing.assert_allclose([r.changes[0] for r in found], alphas, rtol=1e-6)


def test_voters_whose_complements_are_no_candidates_are_never_turned() -> None:
    y = np.array([1.0, -1.0, 1.0, -1.0])
    H = np.column_stack([-y, [1.0, 1.0, -1.0, -1.0]])
    [(_, changes, last)] = boosted(EBBoost(), FixedVoters(H, y, complements=False), 1, [0.5])
    assert (changes.tolist(), last.tolist()) == ([0.0], [True])


@pytest.mark.parametrize("lam", [0.0, 0.4])
def test_fractions_of_copies_weigh_in_the_penalised_loss(lam: float) -> None:
    rng = np.random.default_rng(0)
    H, y = rng.choice([-1.0, 1.0], (30, 6)), rng.choice([-1.0, 1.0], 30)
    copies = rng.uniform(0.2, 3.0, 30)
    weights = EBBoost().path(H, y, Grid.from_values({"lam": [lam], "n_rounds": [3]}), copies[None])[
        0, 0
    ]

    def loss(step: float, voter: int, losses: FloatArray) -> float:
        e = losses * np.exp(-step * y * H[:, voter])
        return (1 - lam) * (copies @ e) ** 2 + lam * copies.sum() * (copies @ e**2)

    vote, losses = np.zeros(6), np.ones(30)
    for _ in range(3):
        found = [minimize_scalar(loss, args=(j, losses), tol=1e-12) for j in range(6)]
        best = int(np.argmin([one.fun for one in found]))
        vote[best] += found[best].x
        losses = losses * np.exp(-found[best].x * y * H[:, best])
        losses /= losses.sum()
    np.testing.assert_allclose(weights, vote, atol=1e-6)
