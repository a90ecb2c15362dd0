"""Ensembles of scikit-learn, grown once for all their sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.estimator import nested
from quadrepro.core.learners.imported import find

from .conftest import best_of, row

SIZES = (11, 26, 53, 64, 97)
NAMES = [
    "AdaBoostClassifier",
    "BaggingClassifier",
    "ExtraTreesClassifier",
    "GradientBoostingClassifier",
    "RandomForestClassifier",
]


@pytest.mark.parametrize("name", NAMES)
def test_ensembles_that_grow(
    name: str, benchmark: BenchmarkFixture, pima: tuple[FloatArray, FloatArray]
) -> None:
    X, y = pima
    make = find(f"sklearn:{name}")

    def together() -> list[Any]:
        return nested(make(random_state=0), SIZES, X, y, X)

    def alone() -> list[Any]:
        return [make(n_estimators=k, random_state=0).fit(X, y).predict(X) for k in SIZES]

    np.testing.assert_array_equal(together(), alone())
    benchmark.pedantic(together, rounds=2)
    row(
        f"scikit-learn's `{name}` of five sizes on pima's half",
        best_of(3, together),
        {"each fitted alone": best_of(3, alone)},
    )
