"""Predictions are those of the last stage, and do not keep the stages before it."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from quadrepro import (
    GradientBoostClassifier,
    GradientBoostRegressor,
    LogitBoostClassifier,
    RealAdaBoostClassifier,
    SAMMEClassifier,
)

N_ROUNDS, N_NEW = 100, 20_000


@pytest.mark.parametrize(
    ("estimator", "method"),
    [
        (GradientBoostRegressor("shrink", n_rounds=N_ROUNDS), "predict"),
        (GradientBoostClassifier("shrink", n_rounds=N_ROUNDS), "decision_function"),
        (GradientBoostClassifier("shrink", n_rounds=N_ROUNDS), "predict"),
        (LogitBoostClassifier(N_ROUNDS), "predict_proba"),
        (RealAdaBoostClassifier(N_ROUNDS), "decision_function"),
        (SAMMEClassifier(N_ROUNDS), "predict"),
    ],
    ids=str,
)
def test_a_prediction_is_the_last_stage_and_takes_the_memory_of_a_few(
    estimator: Any, method: str
) -> None:
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(60, 2)), rng.normal(size=(N_NEW, 2))
    estimator.fit(X, (X[:, 0] + rng.normal(size=60) > 0).astype(float))
    assert estimator.n_iter_ == N_ROUNDS
    predict = getattr(estimator, method)
    predict(new[:2])
    tracemalloc.start()
    try:
        found = predict(new)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < N_ROUNDS / 3 * 8 * N_NEW
    *_, last = getattr(estimator, f"staged_{method}")(new)
    np.testing.assert_array_equal(found, last)
