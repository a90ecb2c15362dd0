from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.adaboost import least_edge
from quadrepro.core.preprocessing import encode
from quadrepro.core.voters.stumps import Stumps
from quadrepro.data.store import load_dataset

signs = st.sampled_from([-1.0, 1.0])


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


@pytest.mark.parametrize("name", ["interval_3", "interval_60"])
def test_on_an_interval_some_stump_errs_on_a_third_of_any_weighting(name: str) -> None:
    dataset = load_dataset(name)
    problem = encode(dataset, dataset.card.view("lecture"))
    H = Stumps(8).fit(problem.X).transform(problem.X)
    assert least_edge(H, problem.y) == pytest.approx(1 / 6)


def test_without_the_constant_stump_the_interval_cannot_be_learned_weakly() -> None:
    dataset = load_dataset("interval_60")
    problem = encode(dataset, dataset.card.view("lecture"))
    X = problem.X[:, [problem.attributes.index("x")]]
    assert least_edge(Stumps(8).fit(X).transform(X), problem.y) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_perfect_voter_or_its_complement_has_an_edge_of_a_half(
    sign: int, problem: tuple[FloatArray, FloatArray]
) -> None:
    H, y = problem
    assert least_edge(np.column_stack([H, sign * y]), y) == pytest.approx(0.5)


def test_there_is_no_edge_where_the_voters_cancel_under_equal_weights() -> None:
    # All products of four signs are orthogonal, the labels being one of them.
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * 4)).reshape(4, -1).T
    y = corners.prod(axis=1)
    assert least_edge(np.column_stack([corners, np.ones(16)]), y) == pytest.approx(0, abs=1e-9)


def test_two_equal_examples_of_both_labels_leave_no_edge() -> None:
    H = np.array([[1.0, -1, 1], [1, -1, 1], [1, 1, -1]])
    assert least_edge(H, np.array([1.0, -1, 1])) == pytest.approx(0, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(st.integers(1, 7), st.integers(1, 6)).flatmap(
        lambda shape: st.tuples(
            arrays(np.float64, shape, elements=signs), arrays(np.float64, shape[0], elements=signs)
        )
    )
)
def test_the_edge_is_the_value_of_the_game(problem: tuple[FloatArray, FloatArray]) -> None:
    H, y = problem
    found = least_edge(H, y)
    assert found == pytest.approx(minimax(H, y), abs=1e-8)
    # A copy or a complement adds nothing.
    assert least_edge(np.column_stack([H, -H, H]), y) == pytest.approx(found, abs=1e-8)
    equal = np.abs((H * y[:, None]).mean(axis=0)).max() / 2
    assert found <= equal + 1e-8
