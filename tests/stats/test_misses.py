"""How many numbers are outside by chance: brute force, simulation, closed forms."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from quadrepro.stats import (
    chance_of_a_group,
    chance_of_misses,
    count_misses,
    independent_misses,
    placement,
)


def normal(n_splits: int, n_columns: int, share: float, seed: int = 3) -> np.ndarray:
    """Return splits whose columns have a part of their variance in common."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n_splits, 1))
    own = rng.normal(size=(n_splits, n_columns))
    return np.sqrt(share) * common + np.sqrt(1 - share) * own


def test_each_split_is_placed_among_the_others() -> None:
    splits = normal(12, 3, 0.5)
    counts = [
        sum(not placement(np.delete(splits[:, c], i), splits[i, c], 0.0).inside for c in range(3))
        for i in range(12)
    ]
    expected = np.bincount(counts, minlength=4) / 12
    np.testing.assert_allclose(chance_of_misses(splits), expected)


def test_one_in_twenty_normal_splits_is_outside_of_the_others() -> None:
    chances = [chance_of_misses(normal(30, 1, 0.0, seed)) for seed in range(200)]
    assert np.mean(chances, axis=0)[1] == pytest.approx(0.05, abs=0.006)


@pytest.mark.parametrize("share", [0.0, 0.9])
def test_one_in_twenty_means_is_outside_however_columns_depend(share: float) -> None:
    splits = normal(40, 5, share)
    chance = chance_of_misses(splits, further=20)
    assert chance @ np.arange(6) / 5 == pytest.approx(0.05, abs=0.012)


def test_columns_that_move_together_are_outside_together() -> None:
    alone, together = (chance_of_misses(normal(40, 5, s), further=20) for s in (0.0, 0.99))
    assert together[5] > 0.02 > alone[5]
    assert together[0] > alone[0]


def test_columns_that_never_vary_are_never_outside() -> None:
    splits = np.column_stack([normal(9, 1, 0.0), np.full(9, 0.3)])
    for further in (1, 9):
        assert chance_of_misses(splits, further=further)[2] == 0


def test_two_splits_are_too_few() -> None:
    with pytest.raises(ValueError, match="at least three splits, not 2"):
        chance_of_misses(np.zeros((2, 4)))


def test_the_number_of_misses_is_that_of_all_combinations_of_rows() -> None:
    rows = [np.array([0.7, 0.2, 0.1]), np.array([0.5, 0.5]), np.array([0.9, 0.0, 0.0, 0.1])]
    total = np.zeros(7)
    for counts in product(*(range(len(row)) for row in rows)):
        total[sum(counts)] += np.prod([row[c] for row, c in zip(rows, counts, strict=True)])
    for outside in range(7):
        found = count_misses(outside, rows)
        assert found.p_more == pytest.approx(total[outside:].sum())
        assert found.p_fewer == pytest.approx(total[: outside + 1].sum())
    assert found.expected == pytest.approx(total @ np.arange(7))


def test_independent_numbers_are_binomial() -> None:
    found = count_misses(10, [independent_misses(5)] * 20)
    of_all = binom(100, 0.05)
    assert found.expected == pytest.approx(5)
    assert (found.low, found.high) == (of_all.ppf(0.025), of_all.ppf(0.975))
    assert found.p_more == pytest.approx(of_all.sf(9))
    assert found.p_fewer == pytest.approx(of_all.cdf(10))


def test_the_chance_of_a_group_is_one_minus_that_no_group_has_so_many() -> None:
    groups = [independent_misses(n) for n in (5, 8, 13)]
    none = np.prod([binom(n, 0.05).cdf(1) for n in (5, 8, 13)])
    assert chance_of_a_group(2, groups) == pytest.approx(1 - none)
