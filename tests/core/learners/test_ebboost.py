from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from quadrepro.core.learners.greedy.loop import boost
from scipy.optimize import minimize_scalar

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import UNITS, AdaBoost
from quadrepro.core.learners.ebboost import EBBoost, EBBoostRule, SquaredWeights
from quadrepro.core.learners.grid import Grid
from quadrepro.core.voters.source import FixedVoters

Problem = tuple[FloatArray, FloatArray]

LAMBDAS = [30.0, 2.0, 1.0, 0.4, 0.01]

signs = st.sampled_from([-1.0, 1.0])
small_problems = st.tuples(
    arrays(np.float64, (9, 5), elements=signs), arrays(np.float64, 9, elements=signs)
)
small_samples = arrays(np.float64, (2, 9), elements=st.sampled_from([0.0, 1.0, 3.0])).filter(
    lambda samples: bool((samples.sum(axis=1) > 0).all())
)


class OneSided(FixedVoters):
    """The voters of a matrix without their complements."""

    complements = False


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


def transcription(H: FloatArray, y: FloatArray, lam: float, n_rounds: int) -> FloatArray:
    """EBBoost as the paper reads: in every round the voter and the step of least objective."""
    weights = np.zeros(H.shape[1])
    for _ in range(n_rounds):
        losses = np.exp(-y * (H @ weights))
        steps = [closed_form(losses, y * h, lam) for h in H.T]
        j = int(np.argmin([least for _, least in steps]))
        weights[j] += steps[j][0]
    return weights


def advanced(H: FloatArray, y: FloatArray, lam: list[float], rounds: int) -> SquaredWeights:
    state = SquaredWeights(FixedVoters(H, y), np.ones((len(lam), len(y))))
    boost(EBBoostRule(np.array(lam)), state, rounds)
    return state


@settings(max_examples=100)
@given(small_problems, small_samples, st.integers(1, 40))
def test_without_a_penalty_it_is_adaboost_to_the_bit(
    problem: Problem, samples: FloatArray, n_rounds: int
) -> None:
    ours = EBBoost().path(*problem, Grid.of({"lam": [0.0], "n_rounds": [n_rounds]}), samples)
    theirs = AdaBoost().path(*problem, Grid.of({"n_rounds": [n_rounds]}), samples)
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
def test_it_is_the_papers_algorithm(make_problem: Callable[..., Problem], lam: float) -> None:
    H, y = make_problem(m=40, n=9)
    rounds = [1, 2, 5, 20]
    path = EBBoost().path(H, y, Grid.of({"lam": [lam], "n_rounds": rounds}))
    for weights, n_rounds in zip(path, rounds, strict=True):
        assert weights == pytest.approx(transcription(H, y, lam, n_rounds), rel=1e-6)


@pytest.mark.parametrize("lam", LAMBDAS)
@pytest.mark.parametrize("complements", [True, False])
def test_the_voter_of_least_objective_is_taken(
    make_problem: Callable[..., Problem], lam: float, complements: bool
) -> None:
    for seed in range(10):
        H, y = make_problem(m=40, n=9, seed=seed)
        source = (FixedVoters if complements else OneSided)(H, y)
        state = SquaredWeights(source, np.ones((1, 40)))
        w = np.random.default_rng(seed).exponential(size=40)
        w /= w.sum()
        state.example_weights = w[None] * UNITS
        state.begin(1)
        picks, weights, last, _ = EBBoostRule(np.array([lam])).step(state)
        assert last is None
        found = {}
        for j in range(9):
            for sign in (1.0, -1.0) if complements else (1.0,):
                alpha, least = closed_form(w, sign * y * H[:, j], lam)
                if alpha > 0:
                    found[least] = j, sign * alpha
        j, signed = found[min(found)]
        assert picks[0] == j
        assert weights[0] == pytest.approx(signed, rel=1e-8)


@pytest.mark.parametrize("lam", LAMBDAS)
def test_weights_are_the_exponentials_of_the_margins(
    make_problem: Callable[..., Problem], lam: float
) -> None:
    H, y = make_problem(m=80)
    state = advanced(H, y, [lam], 200)
    expected = np.exp(-y * (H @ state.weights[0]))
    np.testing.assert_allclose(
        state.example_weights[0], expected / expected.sum() * UNITS, rtol=1e-9
    )


def test_weights_keep_their_sum(make_problem: Callable[..., Problem]) -> None:
    state = advanced(*make_problem(m=80), LAMBDAS, 3000)
    np.testing.assert_allclose(state.example_weights.sum(axis=1), UNITS, rtol=1e-12)


def test_merged_examples_give_the_weights_of_repeated_ones(
    make_problem: Callable[..., Problem],
) -> None:
    H, y = make_problem(m=40, n=6)
    samples = np.random.default_rng(0).integers(0, 4, (3, 40)).astype(float)
    grid = Grid.of({"lam": LAMBDAS, "n_rounds": [3, 30, 300]})
    merged = EBBoost().path(H, y, grid, samples)
    for sample, ours in zip(samples, merged, strict=True):
        rows = np.repeat(np.arange(40), sample.astype(int))
        source = FixedVoters(H[rows], y[rows])
        for i, lam in enumerate(LAMBDAS):
            state = SquaredWeights(source, np.ones((1, len(rows))))
            boost(EBBoostRule(np.array([lam])), state, 300)
            np.testing.assert_array_equal(ours[3 * i + 2], state.weights[0])


def test_voters_whose_complements_are_no_candidates_are_never_turned() -> None:
    y = np.array([1.0, -1.0, 1.0, -1.0])
    H = np.column_stack([-y, [1.0, 1.0, -1.0, -1.0]])
    state = SquaredWeights(OneSided(H, y), np.ones((1, 4)))
    state.begin(1)
    step = EBBoostRule(np.array([0.5])).step(state)
    assert step.weights.tolist() == [0.0]
    assert step.last is not None
    assert step.last.all()


def test_a_penalty_gives_the_margins_less_variance(make_problem: Callable[..., Problem]) -> None:
    H, y = make_problem(m=300, n=40)
    paths = EBBoost().path(H, y, Grid.of({"lam": [1.0, 0.0], "n_rounds": [100]}))
    margins = y * (paths @ H.T) / np.abs(paths).sum(axis=1, keepdims=True)
    assert margins[0].var() < margins[1].var()
