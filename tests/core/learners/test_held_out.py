from __future__ import annotations

import numpy as np

from quadrepro.core.learners.learner import Fitted, Outputs, Scored, Validation, summed_loss

SCORES = np.array([[1.0, -2.0, 0.0], [0.5, 3.0, 1.0]])


def test_errors_are_counted_and_squared_errors_added() -> None:
    errors = summed_loss("classification", np.array([1.0, -1.0, 1.0]), SCORES)
    assert (errors.tolist(), errors.dtype) == ([1.0, 1.0], np.float64)
    squares = summed_loss("regression", np.array([1.0, 0.0, 2.0]), SCORES)
    assert squares.tolist() == [8.0, 10.25]


def test_of_more_classes_every_other_code_is_an_error() -> None:
    codes = np.array([[0.0, 2.0, 1.0], [0.0, 0.0, 2.0]])
    assert summed_loss("multiclass", np.array([0.0, 2.0, 2.0]), codes).tolist() == [1.0, 1.0]


def test_a_score_that_rounding_cannot_tell_from_zero_is_negative() -> None:
    y, scores = np.array([1.0, 1.0]), np.array([[1e-16, 1.0], [1e-16, 1.0]])
    errors = summed_loss("classification", y, scores, np.array([1e-12, 0.0]))
    assert errors.tolist() == [1.0, 0.0]


def test_a_regression_that_has_overflowed_is_worse_than_all_others() -> None:
    scores = np.array([[np.inf, 0.0], [np.nan, 0.0], [1e200, 0.0]])
    with np.errstate(over="ignore"):
        losses = summed_loss("regression", np.zeros(2), scores)
    assert losses.tolist() == [np.inf] * 3


def test_losses_are_summed_over_parts_and_missing_without_a_solution() -> None:
    parts = [Scored(np.ones(3), SCORES), Scored(-np.ones(3), SCORES, 2.0)]
    kept = Fitted({}, Outputs(np.zeros(1)))
    losses = Validation(parts, np.array([True, False]), lambda i: kept).losses("classification")
    assert losses.values[0] == 2.0
    assert np.isnan(losses.values[1])
    assert losses.fit(0) is kept
    nothing = Validation([], np.ones(2, dtype=bool), lambda i: kept).losses("classification")
    assert nothing.values.tolist() == [0.0, 0.0]
