from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.core.measures.rescale import excess_risk, largest_loss, stopping_rounds, truncate

LOSSES = {
    "l2": lambda f, y: (f - y) ** 2,
    "logistic": lambda f, y: np.log1p(np.exp(-y * f)),
    "exponential": lambda f, y: np.exp(-y * f),
}
each_loss = pytest.mark.parametrize("loss", LOSSES)


@each_loss
def test_the_largest_loss_is_that_at_the_ends_of_the_scores_and_targets(loss: Any) -> None:
    f = np.linspace(-2.5, 2.5, 11)
    y = np.linspace(-3, 3, 7) if loss == "l2" else np.array([-1.0, 1.0])
    largest = LOSSES[loss](f[:, None], y).max()
    assert largest_loss(loss, 2.5, y.max()) == pytest.approx(largest)


def test_the_largest_losses_at_ln_k_are_the_papers() -> None:
    k = np.array([1.0, 5, 300])
    np.testing.assert_allclose(largest_loss("l2", np.log(k), 2.0), (np.log(k) + 2) ** 2)
    np.testing.assert_allclose(largest_loss("logistic", np.log(k)), np.log(k + 1))
    np.testing.assert_allclose(largest_loss("exponential", np.log(k)), k)


def test_the_terms_are_those_of_theorem_2_and_corollary_1() -> None:
    k, m = 20.0, 500.0
    plain = excess_risk(k, m, 2.0, "l2", 3.0, truncated=False)
    assert plain.numerical == pytest.approx((4 + np.log(k)) / k)
    shared = k * (np.log(m) + np.log(k)) / m
    assert plain.sampling == pytest.approx(((np.log(k) + 3) ** 2 + 5**2) * shared)
    cut = excess_risk(k, m, 2.0, "l2", 3.0, truncated=True)
    assert cut.numerical == plain.numerical
    assert cut.sampling == pytest.approx((6**2 + 5**2) * shared)


@each_loss
def test_a_fixed_power_of_the_examples_as_rounds_is_consistent_below_its_limit(loss: Any) -> None:
    m = np.array([1e3, 1e6, 1e12])
    # Condition (6): k H ln(m) / m falls to 0, for the exponential loss where k² ln(m) / m does.
    terms = excess_risk(m ** (1 / 3), m, 1.0, loss, truncated=False)
    assert (np.diff(terms.sampling + terms.numerical) < 0).all()
    failing = excess_risk(m, m, 1.0, loss, truncated=False)
    assert (np.diff(failing.sampling) > 0).all()


@each_loss
@given(m=st.integers(1, 10**6), h_norm=st.floats(0, 3))
def test_the_rounds_of_corollary_3_are_the_first_to_reach_their_own_limit(
    loss: Any, m: int, h_norm: float
) -> None:
    def limit(k: int) -> float:
        return (m / float(largest_loss(loss, np.log(k)) + largest_loss(loss, h_norm))) ** 0.5

    k = stopping_rounds(m, h_norm, loss)
    assert k >= limit(k) * (1 - 1e-12)
    assert k == 1 or k - 1 < limit(k - 1)


def test_the_exponential_losss_rounds_grow_as_a_third_power_and_the_others_as_a_root() -> None:
    m = 10**8
    growth = {
        loss: stopping_rounds(64 * m, 1.0, loss) / stopping_rounds(m, 1.0, loss)
        for loss in ("l2", "logistic", "exponential")
    }
    assert growth["exponential"] == pytest.approx(4, rel=0.02)
    assert 4.5 < growth["l2"] < growth["logistic"] < 8


@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-2, 2)), min_size=1, max_size=9))
def test_cut_scores_have_no_larger_squared_loss(pairs: list[tuple[float, float]]) -> None:
    f, y = np.array(pairs).T
    cut = truncate(f, 2.0)
    np.testing.assert_array_equal(cut, np.minimum(2.0, np.abs(f)) * np.sign(f))
    assert ((cut - y) ** 2 <= (f - y) ** 2 + 1e-12).all()


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_cut_scores_have_a_larger_loss_of_the_margin_where_they_are_right(loss: str) -> None:
    f = np.array([-3.0, -0.5, 0.5, 3.0])
    change = LOSSES[loss](truncate(f, 1.0), 1.0) - LOSSES[loss](f, 1.0)
    assert np.sign(change).tolist() == [-1, 0, 0, 1]


def test_numbers_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="loss must be 'l2', 'logistic', 'exponential', not 'l1'"):
        largest_loss("l1", 1.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="f must be in"):
        largest_loss("l2", -1.0)
    with pytest.raises(ValueError, match="y must be in"):
        largest_loss("l2", 1.0, -1.0)
    with pytest.raises(ValueError, match="k and m must be at least 1"):
        excess_risk(0, 5, 1.0, "l2", truncated=False)
    with pytest.raises(ValueError, match="m must be at least 1, not 0"):
        stopping_rounds(0, 1.0, "l2")
    with pytest.raises(ValueError, match="largest must be in"):
        truncate(0.5, -1.0)
