from __future__ import annotations

from itertools import combinations
from math import comb, log

import numpy as np
import pytest

from quadrepro.core.measures.ebboost import log_cover, log_dichotomies, log_size_share, log_votes


@pytest.mark.parametrize(("n_voters", "size"), [(1, 1), (5, 2), (5, 5), (570, 40)])
def test_the_counts_are_the_formulas(n_voters: int, size: int) -> None:
    choices = comb(n_voters, size)
    assert log_votes(n_voters, size) == pytest.approx(log(choices * 2 ** (64 * size)))
    assert log_votes(n_voters, size, bits=8) == pytest.approx(log(choices * 2 ** (8 * size)))
    for m in (3, 50):
        ways = sum(comb(m, k) for k in range(size + 1))
        assert log_dichotomies(n_voters, size, m) == pytest.approx(log(choices * ways))
    assert log_cover(n_voters, size, 0.25) == pytest.approx(log(choices * 9**size))


def test_sizes_are_counted_side_by_side_and_an_empty_vote_as_one_of_one_voter() -> None:
    sizes = np.array([0, 1, 3])
    for counted in (log_votes(4, sizes), log_dichotomies(4, sizes, 9), log_cover(4, sizes, 0.1)):
        assert counted.shape == (3,)
        assert counted[0] == counted[1] < counted[2]


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
        assert log(len(patterns)) <= log_dichotomies(n_voters, size, 7)


def test_votes_far_from_each_other_are_no_more_than_a_cover_has() -> None:
    radius = 0.3
    grid = np.linspace(-1, 1, 41)
    ball = np.array([(a, b) for a in grid for b in grid if abs(a) + abs(b) <= 1 + 1e-12])
    net: list[np.ndarray] = []
    for vote in ball:
        if all(np.abs(vote - other).sum() > radius for other in net):
            net.append(vote)
    assert log(len(net)) <= log_cover(2, 2, radius)
    # What no further vote can be added to covers the ball, for voters with values in [-1, 1].
    H = np.random.default_rng(0).uniform(-1, 1, (30, 2))
    distances = np.abs((ball @ H.T)[:, None] - (np.array(net) @ H.T)[None]).max(axis=2)
    assert distances.min(axis=1).max() <= radius


def test_the_shares_of_all_sizes_add_up_to_one() -> None:
    shares = np.exp(-log_size_share(np.arange(1, 1001)))
    assert shares.sum() == pytest.approx(1 - 1 / 1001)


def test_numbers_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="votes of 3 voters have 0 to 3 of them, not 4"):
        log_votes(3, 4)
    with pytest.raises(ValueError, match="not -1"):
        log_dichotomies(3, -1, 5)
    with pytest.raises(ValueError, match="radius must be above 0, not 0"):
        log_cover(3, 1, 0)
