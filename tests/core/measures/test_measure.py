from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

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
