from __future__ import annotations

import numpy as np
import pytest

from quadrepro.core.measures.measure import (
    Trained,
    correlation_in_vote,
    correlation_of_others,
    distinct_voters,
)


def trained(H: np.ndarray, y: np.ndarray, weights: np.ndarray) -> Trained:
    return Trained(y, y, weights @ H.T, weights @ H.T, H, weights)


def random_problem(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.choice([-1.0, 1.0], (12, 5)), rng.choice([-1.0, 1.0], 12)


def test_equal_voters_and_complements_are_one() -> None:
    H, y = random_problem(0)
    found = distinct_voters(trained(np.hstack([H, H, -H[:, :2]]), y, np.ones((2, 12))))
    assert found.tolist() == [5, 5]


@pytest.mark.parametrize("seed", range(5))
def test_correlations_are_mean_products_with_the_residual(seed: int) -> None:
    H, y = random_problem(seed)
    weights = np.array([[0.3, 0, 0, -0.2, 0], [0, 0, 1.5, 0, 0]])
    inside, outside = (
        f(trained(H, y, weights)) for f in (correlation_in_vote, correlation_of_others)
    )
    for w, x, z in zip(weights, inside, outside, strict=True):
        sizes = [abs(np.mean((y - H @ w) * h)) for h in H.T]
        assert x == pytest.approx(max(s for s, a in zip(sizes, w, strict=True) if a))
        assert z == pytest.approx(max(s for s, a in zip(sizes, w, strict=True) if not a))


def test_copies_of_a_voter_in_the_vote_are_no_others() -> None:
    H, y = random_problem(1)
    weights = np.array([[0.5, 0, 0, 0, 0]])
    expected = correlation_of_others(trained(H, y, weights))
    more = np.hstack([H, H[:, :1], -H[:, :1]])
    found = correlation_of_others(trained(more, y, np.pad(weights, ((0, 0), (0, 2)))))
    np.testing.assert_allclose(found, expected)


def test_an_empty_vote_has_no_voters_and_every_voter_is_another() -> None:
    H, y = random_problem(2)
    found = trained(H, y, np.zeros((1, 5)))
    assert correlation_in_vote(found) == [0.0]
    np.testing.assert_allclose(correlation_of_others(found), [np.abs(y @ H).max() / 12])


@pytest.mark.parametrize("seed", range(5))
def test_after_the_line_search_a_voter_has_no_correlation_left(seed: int) -> None:
    H, y = random_problem(seed)
    weights = np.diag(y @ H / 12)
    assert correlation_in_vote(trained(H, y, weights)).tolist() == [0.0] * 5
