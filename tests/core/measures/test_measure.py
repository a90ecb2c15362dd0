from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import log_loss

from quadrepro.core.measures.names import MEASURES, title_of
from tests.core.measures.votes import (
    WEIGHTS,
    four_votes,
    measured,
    path_of,
    random_problem,
    votes_of,
)


def test_measures_are_found_by_name_and_have_different_titles() -> None:
    assert MEASURES.find("c_bound") is MEASURES["c_bound"]
    assert title_of("c_bound") == "C-bound"
    assert len({entry.title for entry in MEASURES.values()}) == len(MEASURES)
    with pytest.raises(ValueError, match=r"unknown measure 'c_bond'; did you mean 'c_bound'\?"):
        MEASURES.find("c_bond")


@pytest.mark.parametrize("name", MEASURES)
def test_no_solution_is_nan_and_scores_alone_are_enough_unless_voters_are_needed(name: str) -> None:
    weights = WEIGHTS[: 2 if MEASURES[name].every_round else 4]
    gap = np.insert(weights, 1, np.nan, axis=0)
    found, plain = measured(name, four_votes(gap)), measured(name, four_votes(weights))
    assert np.isnan(found[1])
    np.testing.assert_array_equal(np.delete(found, 1), plain)
    if MEASURES[name].needs != "voters":
        alone = replace(four_votes(WEIGHTS[1:2]), voters=None, votes=None)
        assert np.isfinite(measured(name, alone)).all()


def test_margins_are_those_of_weights_that_add_up_to_one_and_plain_ones_as_they_are() -> None:
    trained = four_votes()
    third, a, b = -1 / 3, -0.6, 1.0
    assert trained.margins.T.tolist() == [[0] * 4, [1] * 4, [third] * 4, [a, b, a, b]]
    a, b = -0.75, 1.25
    assert trained.plain_margins.T.tolist() == [[0] * 4, [0.5] * 4, [-0.5] * 4, [a, b, a, b]]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # The empty vote is -1 everywhere. The third vote has the sums -1/2 and 1/2 on the training
        # examples, all of the wrong sign.
        ("train_error", [0.5, 0, 1, 0.5]),
        ("train_error_positive_ties", [0.5, 0, 1, 0.5]),
        ("test_error", [0.5, 0.5, 0.5, 1]),
        ("train_mse", [1, 0.25, 2.25, (1.75**2 + 0.25**2) / 2]),
        ("test_mse", [1, (1.5**2 + 0.5**2) / 2, (2.5**2 + 0.5**2) / 2, (2.25**2 + 1.75**2) / 2]),
        ("quadratic_risk", [1, 0.25, 2.25, (1.75**2 + 0.25**2) / 2]),
        ("c_bound", [1, 0, 1, 1 - 0.2**2 / 0.68]),
        ("test_c_bound", [1, 1, 1, 1]),
        ("voters", [0, 1, 2, 2]),
        ("distinct_voters", [2, 2, 2, 2]),
        ("distinct_voters_in_vote", [0, 1, 1, 2]),
        ("weak_edge", [0.5] * 4),
    ],
)
def test_a_number_of_every_vote_is_what_one_counts(name: str, expected: list[float]) -> None:
    assert measured(name, four_votes()) == pytest.approx(expected)


def test_a_zero_sum_is_negative_or_positive_whatever_rounding_left_of_it() -> None:
    weights = np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.4], [0.1, 0.2, 0.2]])
    X, y = np.array([[1.0, 1, -1], [-1, -1, 1]]), np.ones(2)
    positive, negative = votes_of(X, y, weights), votes_of(X, -y, weights)
    above, below = positive.scores[0]
    assert below < 0 < above < 1e-15
    for name in ("train_error", "test_error"):
        assert measured(name, positive).tolist() == [1, 0.5, 0.5]
        assert measured(name, negative).tolist() == [0, 0.5, 0.5]
    assert measured("train_error_positive_ties", positive).tolist() == [0, 0.5, 0.5]
    assert measured("train_error_positive_ties", negative).tolist() == [1, 0.5, 0.5]


@pytest.mark.parametrize("seed", range(5))
def test_correlations_are_mean_products_with_the_residual(seed: int) -> None:
    H, y = random_problem(seed)
    weights = np.array([[0.3, 0, 0, -0.2, 0], [0, 0, 1.5, 0, 0], [0, 0, 0, 0, 0]])
    sizes = [[abs(np.mean((y - H @ w) * h)) for h in H.T] for w in weights]
    trained = votes_of(H, y, weights)
    for name, counted in (("in_vote", weights != 0), ("of_others", weights == 0)):
        expected = np.where(counted, sizes, 0).max(axis=1)
        assert measured(f"correlation_{name}", trained) == pytest.approx(expected)


def test_voters_equal_up_to_sign_are_one_voter_and_can_cancel() -> None:
    H, y = random_problem(1)
    weights, twice = np.eye(5) / 2, np.hstack([H, H, -H])
    plain, more = votes_of(H, y, weights), votes_of(twice, y, np.pad(weights, ((0, 0), (0, 10))))
    for name in ("correlation_in_vote", "correlation_of_others", "distinct_voters"):
        assert measured(name, more) == pytest.approx(measured(name, plain))
    weights = np.array([[0.5, 0, 0, 0], [0.5, -0.2, 0, 0], [0.5, 0, 0.5, 0], [0, 0.1, 0.5, 0.5]])
    copies = np.column_stack([H[:, 0], H[:, 1], -H[:, 0], H[:, 0]])
    found = measured("distinct_voters_in_vote", votes_of(copies, y, weights))
    assert found.tolist() == [1, 2, 0, 1]


@pytest.mark.parametrize(
    ("name", "loss", "algorithm"),
    [
        ("adaboost_exponential_bound", "exponential", "AdaBoost"),
        ("quadboost_quadratic_bound", "quadratic", "QuadBoost"),
    ],
)
def test_rounds_of_another_algorithm_are_refused(name: str, loss: str, algorithm: str) -> None:
    message = f"the {loss} loss rises in round 2: these are not the margins of {algorithm}"
    with pytest.raises(ValueError, match=message):
        measured(name, four_votes(WEIGHTS[[1, 0, 0]]))
    H, y = random_problem(1)
    trained = votes_of(H, y, path_of(algorithm.lower(), H, y, 40))
    assert np.isfinite(measured(name, trained)).all()
    # Where the loss rises by rounding alone, a round has no edge.
    trained = votes_of(np.ones((2, 1)), np.ones(2), np.array([[1.0], [1 - 1e-10]]))
    assert measured(name, trained)[1] == 1


TEST_SCORES = np.array([[-3.0, 0.5, 0.0], [0.9, -40.0, 2.0]])
TARGETS = np.array([1.0, -1.0, 1.0])


@pytest.mark.parametrize(
    ("name", "scores"), [("test", TEST_SCORES), ("truncated", TEST_SCORES.clip(-1, 1))]
)
def test_the_losses_are_those_of_scikit_learn_and_of_the_formula(
    name: str, scores: np.ndarray
) -> None:
    trained = replace(four_votes(WEIGHTS[:2]), test_scores=TEST_SCORES, y_test=TARGETS)
    found = measured(f"{name}_logistic_loss", trained)
    expected = [log_loss(TARGETS, 1 / (1 + np.exp(-row)), labels=[-1, 1]) for row in scores]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    found = measured(f"{name}_exponential_loss", trained)
    np.testing.assert_allclose(found, np.exp(-TARGETS * scores).mean(axis=1), rtol=1e-12)
