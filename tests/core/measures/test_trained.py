from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quadrepro.core.measures import adaboost, quadboost
from quadrepro.core.measures.measure import Trained
from quadrepro.core.measures.quadboost import SIGN_VECTORS, empirical_rademacher


def test_margins_are_of_votes_whose_weights_add_up_to_one(trained: Trained) -> None:
    assert trained.margins.T.tolist() == [
        [0, 0, 0, 0],
        [1, 1, 1, 1],
        [-1 / 3, -1 / 3, -1 / 3, -1 / 3],
        [-0.6, 1.0, -0.6, 1.0],
    ]
    assert trained.test_margins.T.tolist() == [[0, 0], [-1, 1], [-1, 1], [-1, -0.6]]


def test_plain_margins_keep_the_weights_as_they_are(trained: Trained) -> None:
    assert trained.plain_margins.T.tolist() == [
        [0, 0, 0, 0],
        [0.5, 0.5, 0.5, 0.5],
        [-0.5, -0.5, -0.5, -0.5],
        [-0.75, 1.25, -0.75, 1.25],
    ]


def test_the_empty_vote_says_minus_one_everywhere(trained: Trained) -> None:
    assert trained.wrong[0].tolist() == [True, True, False, False]
    assert trained.test_wrong[0].tolist() == [False, True]


def test_a_zero_sum_is_negative_whatever_rounding_left_of_it() -> None:
    weights = np.array([[0.1, 0.2, 0.3]])
    X = np.array([[1.0, 1, -1], [1, 1, 1]])
    (rounded,) = (weights @ X[:1].T).tolist()
    assert 0 < rounded[0] < 1e-15
    y, scores = np.array([-1.0, 1]), weights @ X.T
    votes = Trained(y, y, scores, scores, X, weights)
    assert votes.wrong.tolist() == [[False, False]]
    assert votes.test_wrong.tolist() == [[False, False]]


def test_a_zero_sum_can_count_as_positive_whatever_rounding_left_of_it() -> None:
    weights = np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.4], [0.1, 0.2, 0.2]])
    X = np.array([[1.0, 1, -1], [-1, -1, 1]])
    scores, y = weights @ X.T, np.array([1.0, 1])
    assert scores[0, 1] < 0
    votes = Trained(y, y, scores, scores, X, weights)
    assert votes.wrong_if_ties_are_positive.tolist() == [
        [False, False],
        [True, False],
        [False, True],
    ]
    assert votes.wrong[0].all()
    votes = Trained(-y, y, scores, scores, X, weights)
    assert votes.wrong_if_ties_are_positive[0].all()


def test_a_vote_with_a_tiny_total_weight_still_counts() -> None:
    weights, H = np.array([[1e-13]]), np.array([[1.0], [-1.0]])
    votes = Trained(H[:, 0], H[:, 0], weights @ H.T, weights @ H.T, H, weights)
    assert not votes.wrong.any()


def test_sizes_and_rounds_count_voters_and_candidates(trained: Trained) -> None:
    assert trained.sizes.tolist() == [0, 1, 2, 2]
    assert trained.rounds.tolist() == [1, 2, 3, 4]
    assert trained.n_candidates == 4
    assert trained.constant(0.5).tolist() == [0.5] * 4


def test_the_complexity_is_drawn_once_with_the_splits_own_signs(
    trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = empirical_rademacher(trained.voters, SIGN_VECTORS, trained.rng("signs"))
    calls = []

    def counted(*arguments: object) -> object:
        calls.append(arguments)
        return empirical_rademacher(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(quadboost, "empirical_rademacher", counted)
    for _ in range(2):
        assert trained.once(quadboost.complexity_of_voters) == expected
    assert len(calls) == 1


def test_the_least_edge_is_one_program_for_all_measures(
    trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    edge = trained.once(adaboost.edge_of_voters)
    assert edge == adaboost.least_edge(trained.voters, trained.y)
    monkeypatch.delattr(adaboost, "least_edge")
    assert trained.once(adaboost.edge_of_voters) == edge


def test_scores_alone_have_margins_and_no_votes(trained: Trained) -> None:
    alone = replace(trained, H=None, weights=None)
    assert alone.margins.tolist() == trained.plain_margins.tolist()
    for needed in ("votes", "voters", "sizes"):
        with pytest.raises(ValueError, match="on a vote over voters, and the learner has none"):
            getattr(alone, needed)
    for estimate in (quadboost.complexity_of_voters, adaboost.edge_of_voters):
        with pytest.raises(ValueError, match="on a vote over voters, and the learner has none"):
            alone.once(estimate)
