from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quadrepro.core.measures import measure
from quadrepro.core.measures.measure import Measure, Trained, train_error, voters


def test_a_measure_calls_the_function_that_it_names(trained: Trained) -> None:
    found = Measure("error", train_error)(trained)
    assert found.tolist() == trained.wrong.mean(axis=1).tolist()


def test_a_measure_is_on_scores_lower_is_better_and_any_candidates_will_do() -> None:
    plain = Measure("error", train_error)
    assert (plain.needs, plain.direction, plain.every_round) == ("scores", "lower", False)
    assert not plain.needs_votes


def test_a_measure_of_votes_refuses_a_learner_that_has_none(trained: Trained) -> None:
    sizes = Measure("voters", voters, needs="voters")
    assert sizes.needs_votes
    assert np.isfinite(sizes(trained)).all()
    with pytest.raises(ValueError, match="the learner has none"):
        sizes(replace(trained, H=None, weights=None))


def test_a_measure_can_be_given_as_a_function_of_any_module(trained: Trained) -> None:
    own = Measure("error", lambda trained: trained.wrong.mean(axis=1))
    assert own(trained).tolist() == Measure("error", train_error)(trained).tolist()
    assert own.module == __name__


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # The empty vote says -1 everywhere. The third vote has -1/2 and 1/2 for its sums on the
        # training examples, each with the wrong sign.
        ("train_error", [0.5, 0, 1, 0.5]),
        ("train_error_with_positive_ties", [0.5, 0, 1, 0.5]),
        ("test_error", [0.5, 0.5, 0.5, 1]),
        ("train_mse", [1, 0.25, 2.25, (1.75**2 + 0.25**2) / 2]),
        ("test_mse", [1, (1.5**2 + 0.5**2) / 2, (2.5**2 + 0.5**2) / 2, (2.25**2 + 1.75**2) / 2]),
        ("quadratic_risk", [1, 0.25, 2.25, (1.75**2 + 0.25**2) / 2]),
        ("voters", [0, 1, 2, 2]),
    ],
)
def test_a_number_of_every_vote_is_what_one_counts(
    name: str, expected: list[float], trained: Trained
) -> None:
    found = getattr(measure, name)(trained)
    assert found == pytest.approx(expected)
    assert found.dtype == np.float64
