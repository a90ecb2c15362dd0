from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from quadrepro.core.preprocessing import add_noise, change_labels

Table = NDArray[np.float64]
NUMBERS = st.one_of(st.floats(-1e6, 1e6), st.just(float("nan")))
TABLES = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=8), elements=NUMBERS)
SEEDS = st.integers(0, 2**32 - 1)


def noisy(X: Table, seed: int, deviation: float, contrast: float = 1.0) -> Table:
    rows = np.arange(len(X))
    return add_noise(X, np.random.default_rng(seed), deviation, contrast, train=rows)


@given(TABLES, SEEDS, st.floats(0, 10), st.floats(0.01, 1))
def test_every_attribute_keeps_its_range_and_its_gaps(
    X: Table, seed: int, deviation: float, contrast: float
) -> None:
    changed = noisy(X, seed, deviation, contrast)
    np.testing.assert_array_equal(np.isnan(changed), np.isnan(X))
    for before, after in zip(X.T, changed.T, strict=True):
        if not np.isnan(before).all():
            assert np.nanmin(before) <= np.nanmin(after)
            assert np.nanmax(after) <= np.nanmax(before)
        if np.nanmin(before, initial=np.inf) == np.nanmax(before, initial=-np.inf):
            np.testing.assert_array_equal(after, before)


@pytest.fixture
def inner() -> Table:
    """Return examples of which all but the two that set the range lie well inside."""
    middle = np.random.default_rng(3).uniform(4, 6, size=(2000, 2)) * [1.0, 100.0]
    return np.vstack([[0.0, 0.0], [10.0, 1000.0], middle])


def test_noise_is_normal_with_its_deviation_as_a_share_of_each_attributes_range(
    inner: Table,
) -> None:
    shares = (noisy(inner, 0, 0.05) - inner)[2:] / [10.0, 1000.0]
    np.testing.assert_allclose(shares.std(axis=0), 0.05, rtol=0.06)
    np.testing.assert_allclose(shares.mean(axis=0), 0, atol=5 * 0.05 / np.sqrt(2000))


def test_the_same_draws_serve_every_deviation_where_nothing_is_clipped(inner: Table) -> None:
    small, large = ((noisy(inner, 5, deviation) - inner)[2:] for deviation in (0.01, 0.05))
    np.testing.assert_allclose(large, 5 * small, rtol=1e-6, atol=1e-9)


def test_contrast_narrows_about_the_middle_of_the_range() -> None:
    X = np.array([[0.0, -2.0], [4.0, 2.0], [1.0, np.nan]])
    np.testing.assert_allclose(noisy(X, 0, 0.0, 0.5), [[1.0, -1.0], [3.0, 1.0], [1.5, np.nan]])


@given(TABLES, SEEDS, st.floats(0, 10))
def test_noise_depends_on_the_training_rows_alone(X: Table, seed: int, deviation: float) -> None:
    train = np.arange(len(X))[::2]
    found = add_noise(X, np.random.default_rng(seed), deviation, train=train)
    others = X.copy()
    others[1::2] = 0.0
    changed = add_noise(others, np.random.default_rng(seed), deviation, train=train)
    np.testing.assert_array_equal(found[train], changed[train])
    np.testing.assert_array_equal(np.isnan(found), np.isnan(X))


def test_a_value_beyond_the_training_range_is_not_taken_further() -> None:
    X = np.tile([[0.0], [1.0], [5.0], [-3.0]], (500, 1))
    train = np.flatnonzero((X[:, 0] == 0.0) | (X[:, 0] == 1.0))
    found = add_noise(X, np.random.default_rng(0), 0.5, train=train)[:, 0].reshape(-1, 4).T
    assert found[:2].min() == 0.0
    assert found[:2].max() == 1.0
    assert found[2].max() == 5.0
    assert found[3].min() == -3.0
    # The scale is half the training range of 1.
    assert (5.0 - found[2]).max() < 0.5 * 4
    still = add_noise(X, np.random.default_rng(0), 0.0, train=train)
    np.testing.assert_array_equal(still, X)


@given(SEEDS, st.floats(0, 0.99), st.integers(2, 5))
def test_a_share_of_the_labels_becomes_another_class(
    seed: int, share: float, n_classes: int
) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_classes, size=90).astype(np.float64)
    y = 2 * codes - 1 if n_classes == 2 else codes
    rows = rng.permutation(90)[:60]
    found = change_labels(y, rows, share, n_classes, np.random.default_rng(seed))
    changed = np.flatnonzero(found != y)
    assert len(changed) == round(share * 60)
    assert np.isin(changed, rows).all()
    assert np.isin(found, np.unique([-1, 1] if n_classes == 2 else range(n_classes))).all()
    fewer = change_labels(y, rows, share / 2, n_classes, np.random.default_rng(seed))
    np.testing.assert_array_equal(found[fewer != y], fewer[fewer != y])


def test_every_other_class_is_as_likely() -> None:
    y = np.zeros(30_000)
    found = change_labels(y, np.arange(30_000), 0.5, 4, np.random.default_rng(0))
    counts = np.bincount(found.astype(int), minlength=4)
    assert counts[0] == 15_000
    assert counts[1:] == pytest.approx(5_000, abs=5 * np.sqrt(5_000 * 2 / 3))
