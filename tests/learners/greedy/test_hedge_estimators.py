from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from quadrepro._typing import FloatArray
from quadrepro.learners.greedy.hedge import HedgeBoost, HedgeBoostClassifier
from quadrepro.learners.grid import Grid

Problem = tuple[FloatArray, FloatArray]


@parametrize_with_checks([HedgeBoostClassifier(n_rounds=50)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_follows_scikit_learns_conventions(estimator, check) -> None:  # type: ignore[no-untyped-def]
    check(estimator)


def test_weights_are_those_of_the_algorithms_path(problem: Problem) -> None:
    H, y = problem
    fitted = HedgeBoostClassifier(0.2, n_rounds=30, voters="precomputed").fit(H, y)
    path = HedgeBoost().path(H, y, Grid.of({"eta": [0.2], "n_rounds": [30]}))
    np.testing.assert_array_equal(fitted.voter_weights_, path[0])


def test_every_stage_adds_one_vote(problem: Problem) -> None:
    H, y = problem
    fitted = HedgeBoostClassifier(n_rounds=40, voters="precomputed").fit(H, y)
    stages = np.array(list(fitted.staged_decision_function(H)))
    assert len(stages) == 40
    assert (np.abs(np.diff(stages, axis=0, prepend=0)) == 1).all()
    np.testing.assert_array_equal(stages[-1], fitted.decision_function(H))


def test_without_a_rate_it_is_the_lectures(problem: Problem) -> None:
    H, y = problem
    given = HedgeBoostClassifier((np.log(60) / 90) ** 0.5, n_rounds=90, voters="precomputed")
    found = HedgeBoostClassifier(n_rounds=90, voters="precomputed").fit(H, y)
    assert found.eta_ == pytest.approx(given.eta)
    np.testing.assert_array_equal(found.voter_weights_, given.fit(H, y).voter_weights_)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (HedgeBoostClassifier(0.7), "eta must be at most 0.5, not 0.7"),
        (HedgeBoostClassifier(n_rounds=0), "n_rounds must be positive and finite, not 0"),
    ],
)
def test_numbers_out_of_range_are_refused(
    problem: Problem, estimator: HedgeBoostClassifier, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        estimator.fit(*problem)
