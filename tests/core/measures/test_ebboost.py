from __future__ import annotations

from itertools import combinations
from math import comb, log

import numpy as np
import pytest

from quadrepro.core.measures.ebboost import log_cover, log_dichotomies, log_votes
from tests.core.measures.votes import four_votes, measured


@pytest.mark.parametrize(("n_voters", "size"), [(1, 1), (5, 2), (5, 5), (570, 40)])
def test_the_counts_are_the_formulas(n_voters: int, size: int) -> None:
    s, choices = np.array([size]), comb(n_voters, size)
    assert log_votes(n_voters, s) == pytest.approx(log(choices * 2 ** (64 * size)))
    for m in (3, 50):
        ways = sum(comb(m, k) for k in range(size + 1))
        assert log_dichotomies(n_voters, s, m) == pytest.approx(log(choices * ways))
    assert log_cover(n_voters, s, 0.25) == pytest.approx(log(choices * 9**size))


@pytest.mark.parametrize(("n_voters", "size"), [(1, 1), (3, 1), (3, 2), (2, 2)])
def test_no_more_error_patterns_are_found_than_are_counted(n_voters: int, size: int) -> None:
    rng = np.random.default_rng(size)
    for values in (rng.normal(size=(7, n_voters)), rng.choice([-1.0, 1.0], (7, n_voters))):
        patterns = {(True,) * 7}
        for chosen in combinations(range(n_voters), size):
            weights = rng.normal(size=(4000, size))
            # Weights on the borders between the patterns, too.
            weights[:500] = np.round(weights[:500])
            wrong = weights @ values[:, chosen].T <= 0
            patterns |= set(map(tuple, wrong.tolist()))
        assert log(len(patterns)) <= log_dichotomies(n_voters, np.array([size]), 7)


def test_votes_far_from_each_other_are_no_more_than_a_cover_has() -> None:
    radius = 0.3
    grid = np.linspace(-1, 1, 41)
    ball = np.array([(a, b) for a in grid for b in grid if abs(a) + abs(b) <= 1 + 1e-12])
    net: list[np.ndarray] = []
    for vote in ball:
        if all(np.abs(vote - other).sum() > radius for other in net):
            net.append(vote)
    assert log(len(net)) <= log_cover(2, np.array([2]), radius)
    # What no further vote can be added to covers the ball, for voters with values in [-1, 1].
    H = np.random.default_rng(0).uniform(-1, 1, (30, 2))
    distances = np.abs((ball @ H.T)[:, None] - (np.array(net) @ H.T)[None]).max(axis=2)
    assert distances.min(axis=1).max() <= radius


def test_bounds_for_all_votes_are_of_the_training_losses_and_the_votes_sizes() -> None:
    # No voter, one, two and two; a margin of 0 is an error with both labels.
    trained = four_votes()
    n, sizes, wrong = 4, [1, 1, 2, 2], trained.margins <= 1e-12
    assert wrong.mean(axis=0).tolist() == [1, 0, 1, 0.5]
    losses = np.exp(-trained.margins)
    found = [
        measured(f"ebboost_{name}", trained)
        for name in ("corollary22", "theorem25", "theorem25_exponential")
    ]
    for i, s in enumerate(sizes):
        error, choices = wrong[:, i].mean(), comb(3, s) * s * (s + 1)
        # Hoeffding's inequality and the union over the class leave δ.
        failure = np.exp(-2 * n * (found[0][i] - error) ** 2)
        assert failure * choices * 2.0 ** (64 * s) == pytest.approx(0.05)
        # Lemma 3.1, with the sum of the first s + 1 of the binomial coefficients of 2n = 8.
        t = log(choices * [9, 37][s - 1] * 10 / 0.05)
        lemma = error + np.sqrt(18 * error * (1 - error) * t / (n - 1)) + 15 * t / (n - 1)
        assert found[1][i] == pytest.approx(lemma)
        t = log(choices * 9.0**s * 10 / 0.05)
        spread = np.sqrt(18 * losses[:, i].var(ddof=1) * t / n)
        theorem = losses[:, i].mean() + spread + np.e * 15 * t / (n - 1)
        assert found[2][i] == pytest.approx(theorem)
