from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.utils.estimator_checks import parametrize_with_checks

from quadrepro import Stumps

matrices = arrays(np.float64, (7, 3), elements=st.floats(-1e6, 1e6))


@given(matrices)
def test_every_threshold_lies_strictly_between_minimum_and_maximum(X: np.ndarray) -> None:
    thresholds = Stumps(4).fit(X).thresholds_
    spread = X.max(axis=0) - X.min(axis=0)
    wide = spread > max(1e-9 * np.abs(X).max(), 1e-300)
    assert (thresholds[wide] > X.min(axis=0)[wide, None]).all()
    assert (thresholds[wide] < X.max(axis=0)[wide, None]).all()


@given(matrices)
def test_thresholds_are_evenly_spaced(X: np.ndarray) -> None:
    low, high = X.min(axis=0), X.max(axis=0)
    expected = np.linspace(low, high, 6, axis=1)[:, 1:-1]
    np.testing.assert_allclose(Stumps(4).fit(X).thresholds_, expected, atol=1e-9, rtol=1e-9)


def test_a_stump_is_positive_strictly_above_its_threshold() -> None:
    stumps = Stumps(1).fit(np.array([[0.0], [2.0]]))
    assert stumps.transform(np.array([[0.5], [1.0], [1.5]])).ravel().tolist() == [-1, -1, 1]


def test_stumps_of_one_attribute_stand_side_by_side() -> None:
    X = np.array([[0.0, 10.0], [1.0, 20.0]])
    H = Stumps(2).fit(X).transform(np.array([[0.5, 0.0]]))
    assert H.tolist() == [[1, -1, -1, -1]]


def test_a_constant_attribute_keeps_its_columns_as_constant_voters() -> None:
    X = np.array([[5.0, 0.0], [5.0, 1.0]])
    assert (Stumps(3).fit(X).transform(X)[:, :3] == -1).all()


@given(matrices, matrices)
def test_chosen_columns_are_those_of_the_voter_matrix(X: np.ndarray, X_new: np.ndarray) -> None:
    stumps = Stumps(4).fit(X)
    H = stumps.transform(X)
    varying = stumps.varying(X)
    np.testing.assert_array_equal(varying, np.flatnonzero((H[0] != H).any(axis=0)))
    for chosen in (varying, np.array([11, 2])):
        found = stumps.columns(X_new, chosen)
        np.testing.assert_array_equal(found, stumps.transform(X_new)[:, chosen])
        assert found.flags.f_contiguous


def test_no_threshold_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="per_attribute must be at least 1"):
        Stumps(0).fit(np.zeros((2, 1)))


@given(matrices)
def test_the_ranges_of_the_attributes_are_enough(X: np.ndarray) -> None:
    fitted = Stumps(4).fit_ranges(X.min(axis=0), X.max(axis=0))
    assert fitted.thresholds_.tobytes() == Stumps(4).fit(X).thresholds_.tobytes()
    np.testing.assert_array_equal(fitted.transform(X), Stumps(4).fit_transform(X))
    with pytest.raises(ValueError, match="per_attribute must be at least 1"):
        Stumps(0).fit_ranges(X[0], X[0])


@parametrize_with_checks([Stumps()])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_follows_scikit_learns_conventions(estimator, check) -> None:  # type: ignore[no-untyped-def]
    check(estimator)
