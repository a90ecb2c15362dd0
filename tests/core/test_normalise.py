"""What a learner sees is finite, bounded, in order, and decided by the training rows alone."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from quadrepro.core.preprocessing import Normaliser

Table = NDArray[np.float64]
Way = Literal["mean", "low"]
CELLS = st.just(float("nan")) | st.floats(-1e6, 1e6)
TABLES = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=8), elements=CELLS)
WAYS = pytest.mark.parametrize("missing", ["mean", "low"])


@WAYS
@given(X=TABLES, data=st.data())
def test_every_value_ends_between_minus_one_and_one(
    missing: Way, X: Table, data: st.DataObject
) -> None:
    others = data.draw(arrays(np.float64, (3, X.shape[1]), elements=CELLS))
    normaliser = Normaliser.fit(X, missing)
    for rows in (X, others):
        Z = normaliser.transform(rows)
        assert Z.shape == rows.shape
        assert (np.abs(Z) <= 1.0).all()


@given(X=TABLES)
def test_low_puts_missing_values_at_or_below_all_others(X: Table) -> None:
    Z = Normaliser.fit(X, "low").transform(X)
    for x, z in zip(X.T, Z.T, strict=True):
        gaps = np.isnan(x)
        if gaps.any() and not gaps.all():
            assert z[gaps].max() <= z[~gaps].min()


@WAYS
@given(value=st.floats(-1e6, 1e6), n=st.integers(1, 9))
def test_a_constant_column_has_no_spread(missing: Way, value: float, n: int) -> None:
    normaliser = Normaliser.fit(np.full((n, 1), value), missing)
    assert normaliser.std.tolist() == [1.0]
    assert (normaliser.transform(np.full((2, 1), value)) == 0.0).all()


def test_columns_get_training_mean_zero_and_deviation_one_before_the_tanh() -> None:
    X = np.array([[1.0, 10.0], [2.0, np.nan], [6.0, 30.0]])
    Z = np.arctanh(Normaliser.fit(X).transform(X))
    np.testing.assert_allclose(Z.mean(axis=0), 0.0, atol=1e-15)
    np.testing.assert_allclose(Z.std(axis=0), 1.0)
    assert Z[1, 1] == 0.0


def test_low_fills_one_deviation_below_the_minimum() -> None:
    X = np.array([[1.0, 5.0], [3.0, 5.0], [np.nan, np.nan]])
    assert Normaliser.fit(X, "low").fill.tolist() == [0.0, 4.0]


@WAYS
def test_a_wholly_missing_column_is_filled_with_zero(missing: Way) -> None:
    normaliser = Normaliser.fit(np.full((3, 1), np.nan), missing)
    assert normaliser.fill.tolist() == [0.0]
    np.testing.assert_array_equal(
        normaliser.transform(np.array([[np.nan], [0.5]])), [[0.0], [np.tanh(0.5)]]
    )


def test_other_rows_do_not_change_the_parameters() -> None:
    train = np.array([[0.0], [2.0]])
    np.testing.assert_allclose(
        Normaliser.fit(train).transform(np.array([[np.nan], [101.0]])), [[0.0], [1.0]]
    )


def test_a_value_far_outside_a_tiny_spread_saturates() -> None:
    normaliser = Normaliser.fit(np.array([[0.0], [1e-160]]))
    assert normaliser.transform(np.array([[1e300], [-1e300]])).tolist() == [[1.0], [-1.0]]


def test_memory_layout_does_not_change_a_bit() -> None:
    X = np.random.default_rng(0).normal(size=(501, 7))
    left, right = Normaliser.fit(X), Normaliser.fit(np.asfortranarray(X))
    assert left.mean.tobytes() == right.mean.tobytes()
    assert left.std.tobytes() == right.std.tobytes()


def test_values_whose_squares_are_no_numbers_are_refused() -> None:
    X = np.array([[0.0, -1.0], [1.0, 1.0]])
    assert np.isfinite(Normaliser.fit(X * 1e150, "mean").std).all()
    for large in (1e160, 1.7e308):
        with pytest.raises(ValueError, match=r"column 2 has values beyond 1e150"):
            Normaliser.fit(X * [1.0, large], "mean")
