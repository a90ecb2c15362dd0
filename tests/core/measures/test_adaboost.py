from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.adaboost import least_edge
from quadrepro.core.measures.measure import Trained
from tests.core.measures.votes import measured, path_of, random_problem, votes_of

Problem = tuple[FloatArray, FloatArray]

small_problems = st.integers(0, 10**6).map(random_problem)
THREE_POINTS = np.array([[1.0, -1, -1], [1, 1, -1], [1, 1, 1]]), np.array([-1.0, 1, -1])


@given(small_problems, st.integers(1, 40))
def test_adaboosts_bounds_are_those_of_the_errors_on_its_own_example_weights(
    problem: Problem, n_rounds: int
) -> None:
    H, y = problem
    path = path_of("adaboost", H, y, n_rounds)
    w, errors = np.full(9, 1 / 9), []
    for step in np.diff(path, axis=0, prepend=0.0):
        agreement = y * (H @ step)
        errors.append(w[agreement < 0].sum())
        w = w * np.exp(-agreement)
        w /= w.sum()
    # A voter without error has one chance in fifty, and its weight would be infinite.
    assume(min(errors) > 0)
    error, products, bound = (
        measured(name, votes_of(H, y, path))
        for name in ("train_error", "adaboost_product_bound", "adaboost_exponential_bound")
    )
    eps, T = np.array(errors), np.arange(1, n_rounds + 1)
    assert products == pytest.approx(np.cumprod(2 * np.sqrt(eps * (1 - eps))), rel=1e-6)
    gamma = np.minimum.accumulate(0.5 - eps)
    np.testing.assert_allclose(np.sqrt(-np.log(bound) / (2 * T)), gamma, atol=1e-6)
    assert (error <= products + 1e-9).all()
    assert (products <= bound + 1e-9).all()


@given(arrays(np.float64, (4, 7), elements=st.floats(-5, 5)))
def test_the_product_bound_is_above_the_training_error_of_any_vote(margins: FloatArray) -> None:
    found = measured("adaboost_product_bound", Trained(np.ones(7), np.ones(1), margins, margins))
    assert ((margins <= 0).mean(axis=1) <= found + 1e-12).all()


def test_a_long_run_does_not_lose_its_edges() -> None:
    # The mean of exp(-y F) falls below the least floating-point number.
    H, y = THREE_POINTS
    trained = votes_of(H, y, path_of("adaboost", H, y, 13_000))
    assert measured("adaboost_product_bound", trained)[-1] == 0
    bound = measured("adaboost_exponential_bound", trained)
    assert (bound <= np.exp(-2 * trained.rounds / 36) * (1 + 1e-3)).all()
    assert (bound >= np.exp(-trained.rounds / 2)).all()


def test_no_example_is_wrong_after_the_rounds_of_the_lecture() -> None:
    H, y = THREE_POINTS
    trained = votes_of(H, y, np.zeros((2, 3)))
    # 18 ln(6) = 32.3 and 4 ln(3) · 36 = 158.2.
    assert measured("weak_edge", trained) == pytest.approx([1 / 6, 1 / 6])
    assert measured("adaboost_rounds", trained).tolist() == [33, 33]
    assert measured("experts_rounds", trained).tolist() == [159, 159]
    # With labels that alternate, the voters of a threshold have the least edge.
    H = np.where(np.arange(5)[:, None] > np.arange(-1, 4), 1.0, -1.0)
    assert least_edge(H, (-1.0) ** np.arange(5)) == pytest.approx(1 / 10)
    for labels in product([-1.0, 1.0], repeat=5):
        y = np.array(labels)
        [n_rounds] = measured("adaboost_rounds", votes_of(H, y, np.zeros((1, 5))))
        assert (y * (H @ path_of("adaboost", H, y, int(n_rounds))[-1]) > 0).all()


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(small_problems)
def test_the_regret_of_the_experts_is_below_their_edge_from_the_measured_round_on(
    problem: Problem,
) -> None:
    trained = votes_of(*problem, np.zeros((1, 5)))
    [gamma], [T] = (measured(name, trained) for name in ("weak_edge", "experts_rounds"))
    assume(gamma > 1e-6)
    assert 2 * np.sqrt(T * np.log(9)) < gamma * T
    assert 2 * np.sqrt((T - 1) * np.log(9)) >= gamma * (T - 1) * (1 - 1e-12)


def test_without_an_edge_the_numbers_of_rounds_are_unknown() -> None:
    trained = votes_of(np.ones((4, 3)), np.array([1.0, 1, -1, -1]), np.zeros((2, 3)))
    assert measured("weak_edge", trained) == pytest.approx([0, 0], abs=1e-9)
    for name in ("adaboost_rounds", "experts_rounds"):
        assert np.isnan(measured(name, trained)).all()


def minimax(H: FloatArray, y: FloatArray) -> float:
    """Return the least over weightings d of the largest |Σ d y h|/2, by a program of its own."""
    m, n = H.shape
    margins = H * y[:, None]
    rows = np.block([[margins.T, -np.ones((n, 1))], [-margins.T, -np.ones((n, 1))]])
    found = linprog(
        c=np.append(np.zeros(m), 1.0),
        A_ub=rows,
        b_ub=np.zeros(2 * n),
        A_eq=[np.append(np.ones(m), 0.0)],
        b_eq=[1.0],
    )
    return float(found.fun) / 2


@given(
    st.tuples(st.integers(1, 7), st.integers(2, 7)).flatmap(
        lambda shape: arrays(np.float64, shape, elements=st.sampled_from([-1.0, 1.0]))
    )
)
def test_the_edge_is_the_value_of_the_game(signs: FloatArray) -> None:
    H, y = signs[:, 1:], signs[:, 0]
    found = least_edge(H, y)
    assert found == pytest.approx(minimax(H, y), abs=1e-8)
    # A copy or a complement adds nothing, and a voter without error leaves nothing to add.
    assert least_edge(np.column_stack([H, -H, H]), y) == pytest.approx(found, abs=1e-8)
    assert least_edge(np.column_stack([H, -y]), y) == pytest.approx(0.5)


def test_there_is_no_edge_where_the_voters_cancel_or_equal_examples_differ() -> None:
    # All products of four signs are orthogonal, the labels being one of them.
    corners = np.array(list(product([-1.0, 1.0], repeat=4)))
    H, y = np.column_stack([corners, np.ones(16)]), corners.prod(axis=1)
    assert least_edge(H, y) == pytest.approx(0, abs=1e-9)
    H = np.array([[1.0, -1, 1], [1, -1, 1], [1, 1, -1]])
    assert least_edge(H, np.array([1.0, -1, 1])) == pytest.approx(0, abs=1e-9)
