from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.cbboost import CBBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.measures.cbboost import c_bound, margin_bound, pac_bayes_bound
from quadrepro.core.preprocessing import encode
from quadrepro.core.voters.stumps import Stumps
from quadrepro.data.store import load_dataset

RHOS = [0.05, 0.1, 0.3, 1.0]

margin_columns = arrays(np.float64, (12, 3), elements=st.floats(-1, 1, width=16))
weight_rows = arrays(np.float64, (3, 4), elements=st.floats(-1, 1, width=16))


@given(margin_columns)
def test_the_c_bound_is_one_minus_the_ratio_of_moments_and_bounds_the_error(
    margins: FloatArray,
) -> None:
    bounds = c_bound(margins)
    for column, bound in zip(margins.T, bounds, strict=True):
        if column.mean() > 0:
            assert bound == pytest.approx(1 - column.mean() ** 2 / (column**2).mean())
            assert bound >= (column <= 0).mean() - 1e-12
        else:
            assert bound == 1.0


def test_the_c_bound_of_a_vote_alone_is_a_number_and_of_no_vote_is_one() -> None:
    assert c_bound(np.array([0.5, 0.5, 0.5])) == 0.0
    assert c_bound(np.zeros(3)) == 1.0


def test_the_pac_bayes_bound_is_theorem_2() -> None:
    margins = np.linspace(0.2, 1.0, 5000)
    weights = np.array([3.0, -1.0, 0.0, 0.0])
    divergence = 0.75 * np.log(0.75 * 8) + 0.25 * np.log(0.25 * 8)
    confidence = np.log(2 * 5000**0.5 / 0.05)
    first = 0.6 - (2 / 5000 * (divergence + confidence)) ** 0.5
    second = (margins**2).mean() + (2 / 5000 * (2 * divergence + confidence)) ** 0.5
    bound = pac_bayes_bound(margins, weights, delta=0.1)
    assert bound == pytest.approx(1 - first**2 / second, rel=1e-12)
    assert pac_bayes_bound(margins, 7 * weights, delta=0.1) == pytest.approx(bound, rel=1e-12)


def test_margins_that_only_rounding_puts_above_rho_count_as_rho() -> None:
    margins = np.ones(500)
    above, below = np.nextafter(margins, 2.0), np.nextafter(margins, 0.0)
    found = {float(margin_bound(m, 10, [1.0])) for m in (margins, above, below)}
    assert len(found) == 1


def test_the_margin_bound_is_the_smallest_of_the_formula() -> None:
    margins = np.linspace(-0.2, 1.0, 500)
    m, n = 500, 20
    values = [
        (margins <= rho).mean()
        + 4 / rho * (2 * np.log(n) / m) ** 0.5
        + 2 / rho * (np.log(n) / m) ** 0.5
        + (
            max(np.ceil(4 / rho**2 * np.log(rho**2 * m / np.log(n))), 0) * np.log(n) / m
            + np.log(2 / 0.1) / (2 * m)
        )
        ** 0.5
        for rho in RHOS
    ]
    assert margin_bound(margins, 10, RHOS, delta=0.1) == pytest.approx(min(values), rel=1e-12)
    assert np.argmin(values) == 3
    assert np.isfinite(values).all()


@given(margin_columns, weight_rows)
def test_columns_are_votes_of_their_own(margins: FloatArray, weights: FloatArray) -> None:
    together = [
        c_bound(margins),
        pac_bayes_bound(margins, weights),
        margin_bound(margins, 4, RHOS),
    ]
    for i, (column, row) in enumerate(zip(margins.T, weights, strict=True)):
        alone = [c_bound(column), pac_bayes_bound(column, row), margin_bound(column, 4, RHOS)]
        np.testing.assert_allclose([bounds[i] for bounds in together], alone, rtol=1e-12)
    assert ((together[1] >= 0) & (together[1] <= 1)).all()


@pytest.mark.parametrize("name", ["tictactoe", "monks"])
def test_both_bounds_hold_along_the_path_on_held_out_examples(name: str) -> None:
    dataset = load_dataset(name)
    examples = encode(dataset, dataset.card.view("quadboost"))
    order = np.random.default_rng(0).permutation(len(examples.y))
    train, test = np.array_split(order, 2)
    stumps = Stumps(per_attribute=1).fit(examples.X[train])
    H, H_test = (stumps.transform(examples.X[rows]) for rows in (train, test))
    y, y_test = examples.y[train], examples.y[test]
    path = CBBoost().path(H, y, Grid.of({"n_rounds": list(range(1, 30))}))
    margins = (H @ path.T) * y[:, None]
    errors = ((H_test @ path.T) * y_test[:, None] <= 0).mean(axis=0)
    bounds = pac_bayes_bound(margins, path)
    assert (bounds >= errors).all()
    assert (bounds >= c_bound(margins)).all()
    assert (margin_bound(margins, H.shape[1], RHOS) >= errors).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: c_bound(np.ones(0)), "there are no margins"),
        (lambda: c_bound(np.array([np.nan])), "margins must be finite"),
        (lambda: pac_bayes_bound(np.array([1.1]), np.ones(1)), r"must be in \[-1, 1\]"),
        (lambda: pac_bayes_bound(np.ones(4), np.ones(1), 1.0), "delta is a probability"),
        (lambda: pac_bayes_bound(np.ones((4, 2)), np.ones((3, 5))), "needs a row of weights"),
        (lambda: margin_bound(np.ones(4), 0, RHOS), "n_voters >= 1, not 0"),
        (lambda: margin_bound(np.ones(4), 3, []), r"rhos must be values in \(0, 1\]"),
        (lambda: margin_bound(np.ones(4), 3, [0.0]), r"rhos must be values in \(0, 1\]"),
    ],
)
def test_what_is_no_vote_is_refused(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=message):
        call()
