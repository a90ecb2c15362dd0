from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import rel_entr

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.cbboost import RHOS, c_bound_of
from quadrepro.core.measures.measure import Trained
from tests.core.measures.votes import measured, path_of, random_problem, votes_of

margin_columns = arrays(np.float64, (12, 3), elements=st.floats(-1, 1, width=16))


def with_margins(margins: FloatArray, weights: FloatArray) -> Trained:
    """Return votes with margins of shape (n_examples, n_votes)."""
    sizes = np.abs(weights).sum(axis=1, keepdims=True)
    scores = margins.T * np.where(sizes > 0, sizes, 1.0)
    return Trained(np.ones(len(margins)), np.ones(len(margins)), scores, scores, None, weights)


@given(margin_columns)
def test_the_c_bound_is_one_minus_the_ratio_of_moments_and_bounds_the_error(
    margins: FloatArray,
) -> None:
    for column, bound in zip(margins.T, c_bound_of(margins), strict=True):
        if column.mean() > 0:
            assert bound == pytest.approx(1 - column.mean() ** 2 / (column**2).mean())
            assert bound >= (column <= 0).mean() - 1e-12
        else:
            assert bound == 1.0


# With few examples the second moment cannot be above 1.
@pytest.mark.parametrize("margins", [np.linspace(0.2, 1.0, 5000), np.ones(50)])
def test_the_pac_bayes_bound_is_theorem_2_on_voters_and_complements(margins: FloatArray) -> None:
    m, weights = len(margins), np.array([[3.0, -1.0, 0.0, 0.0]])
    posterior = np.array([0.75, 0, 0, 0, 0, 0.25, 0, 0])
    divergence = rel_entr(posterior, np.full(8, 1 / 8)).sum()
    confidence = np.log(2 * m**0.5 / 0.025)
    first = margins.mean() - (2 / m * (divergence + confidence)) ** 0.5
    second = (margins**2).mean() + (2 / m * (2 * divergence + confidence)) ** 0.5
    expected = 1 - first**2 / min(second, 1)
    assert 0 < expected < 0.9
    for scale in (1.0, 7.0):
        found = measured("cbboost_pac_bayes", with_margins(margins[:, None], scale * weights))
        assert found == pytest.approx(expected, rel=1e-12)


# With two examples the logarithm of ρ²m/ln n is negative for all ρ.
@pytest.mark.parametrize("m", [2, 500])
def test_the_margin_bound_is_the_smallest_of_the_formula(m: int) -> None:
    margins, n = np.linspace(-0.2, 1.0, m), 20
    values = [
        (margins <= rho).mean()
        + 4 / rho * (2 * np.log(n) / m) ** 0.5
        + 2 / rho * (np.log(n) / m) ** 0.5
        + (
            max(np.ceil(4 / rho**2 * np.log(rho**2 * m / np.log(n))), 0) * np.log(n) / m
            + np.log(2 / 0.05) / (2 * m)
        )
        ** 0.5
        for rho in RHOS
    ]
    found = measured("cortes_margin_bound", with_margins(margins[:, None], np.ones((1, 10))))
    assert found == pytest.approx(min(values), rel=1e-12)


def test_margins_that_only_rounding_puts_above_rho_count_as_rho() -> None:
    ones = np.ones(500)
    margins = np.column_stack([ones, np.nextafter(ones, 2.0), np.nextafter(ones, 0.0)])
    found = measured("cortes_margin_bound", with_margins(margins, np.full((3, 10), 0.1)))
    assert len(set(found.tolist())) == 1


@pytest.mark.parametrize("algorithm", ["cb-boost", "gb-cb-boost"])
def test_corollary_2_sums_the_falls_of_property_1_to_the_c_bound(algorithm: str) -> None:
    for seed in range(20):
        H, y = random_problem(seed)
        trained = votes_of(H, y, path_of(algorithm, H, y, 12))
        found = measured("cbboost_corollary2", trained)
        assert found == pytest.approx(measured("c_bound", trained), abs=1e-9)


def test_corollary_2_is_not_the_c_bound_of_steps_of_another_size() -> None:
    H, y = random_problem(1)
    weights = path_of("cb-boost", H, y, 3)
    assert len({*np.count_nonzero(weights, axis=1)}) == 3
    longer = weights.copy()
    pick = (np.abs(weights[2]) - np.abs(weights[1])).argmax()
    longer[2, pick] *= 1.5
    trained = votes_of(H, y, longer)
    gap = measured("c_bound", trained) - measured("cbboost_corollary2", trained)
    assert gap[:2] == pytest.approx(0, abs=1e-12)
    assert gap[2] > 1e-6
