from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from quadrepro import (
    AdaBoostClassifier,
    AdaBoostRegClassifier,
    CBBoostClassifier,
    EBBoostClassifier,
    GBCBBoostClassifier,
    HedgeBoostClassifier,
    QuadBoostClassifier,
    Stumps,
)
from quadrepro.base.types import FloatArray
from quadrepro.core import compiling
from quadrepro.core.estimators import GreedyClassifier
from quadrepro.core.voters.chains import VoterGroups
from tests.loops import set_compiled

Problem = tuple[FloatArray, FloatArray]


@pytest.mark.parametrize(
    "estimator",
    [
        AdaBoostClassifier(),
        AdaBoostRegClassifier(5.0),
        EBBoostClassifier(0.3),
        HedgeBoostClassifier(0.1),
        CBBoostClassifier(),
        CBBoostClassifier(reweight=True),
        GBCBBoostClassifier(),
        QuadBoostClassifier(),
        QuadBoostClassifier("l1", reweight=True),
        QuadBoostClassifier("linf"),
    ],
    ids=repr,
)
def test_stages_are_shorter_runs(problem: Problem, estimator: GreedyClassifier) -> None:
    H, y = problem
    estimator = clone(estimator).set_params(voters="precomputed", n_rounds=9)
    stages = list(estimator.fit(H, y).staged_decision_function(H))
    assert len(stages) == 9
    for t in (1, 4, 9):
        alone = clone(estimator).set_params(n_rounds=t).fit(H, y).decision_function(H)
        np.testing.assert_allclose(stages[t - 1], alone, atol=1e-12)


def test_stages_are_over_the_plain_voters(problem: Problem) -> None:
    H, y = problem
    # Equal voters are merged, so that voters of the reduced problem have other places.
    doubled = np.hstack([H[:, :3], -H[:, :3], H])
    estimator = AdaBoostClassifier(9, voters="precomputed").fit(doubled, y)
    plain = AdaBoostClassifier(9, voters="precomputed").fit(H, y)
    stages = zip(
        estimator.staged_decision_function(doubled), plain.staged_decision_function(H), strict=True
    )
    for ours, theirs in stages:
        np.testing.assert_array_equal(ours, theirs)


def test_a_run_that_ends_early_has_fewer_stages() -> None:
    H = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    fitted = AdaBoostClassifier(9, voters="precomputed").fit(H, [1, 1, 0])
    (stage,) = fitted.staged_decision_function(H)
    np.testing.assert_array_equal(stage, H[:, 0])


@pytest.mark.parametrize(
    "estimator",
    [
        AdaBoostClassifier(40),
        AdaBoostRegClassifier(5.0, n_rounds=20),
        EBBoostClassifier(0.3, n_rounds=20),
        HedgeBoostClassifier(0.1, n_rounds=20),
    ],
    ids=repr,
)
@pytest.mark.parametrize("compiled", [True, False])
def test_stumps_have_the_weights_and_rounds_of_their_matrix(
    estimator: GreedyClassifier, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_compiled(monkeypatch, compiled)
    rng = np.random.default_rng(0)
    # Equal examples, and equal, opposite and constant attributes.
    X = rng.normal(size=(1500, 5)).round(1)
    X[:, 2], X[:, 3], X[:, 4] = X[:, 1], -X[:, 1], 1.0
    y = X[:, 0] + X[:, 1] + rng.normal(size=1500) > 0
    ours = clone(estimator).fit(X, y)
    H = Stumps().fit_transform(X)
    plain = clone(estimator).set_params(voters="precomputed").fit(H, y)
    assert ours.voter_weights_.tobytes() == plain.voter_weights_.tobytes()
    pairs = zip(ours.staged_decision_function(X), plain.staged_decision_function(H), strict=True)
    assert all(a.tobytes() == b.tobytes() for a, b in pairs)


@pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")
def test_adaboost_makes_no_matrix_of_stumps(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> FloatArray:
        raise AssertionError

    X = np.random.default_rng(0).normal(size=(50, 3))
    monkeypatch.setattr(VoterGroups, "matrix", never)
    monkeypatch.setattr(Stumps, "transform", never)
    assert AdaBoostClassifier(9).fit(X, X[:, 0] + X[:, 1] > 0).voter_weights_.any()
