"""How often tests against the best find a difference by chance."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from quadrepro.stats import chance_against_best


def test_with_two_columns_the_test_keeps_its_level() -> None:
    # The better of two is as far from the other as the other from it.
    assert chance_against_best(2, 20) == pytest.approx(0.05, abs=0.015)


@pytest.mark.parametrize(("n_columns", "n_splits"), [(3, 6), (6, 12)])
def test_the_share_is_that_of_scipys_tests_on_other_draws(n_columns: int, n_splits: int) -> None:
    rng = np.random.default_rng(7)
    found = 0
    for _ in range(600):
        rows = rng.normal(3, 2, size=(n_splits, n_columns)) + rng.normal(size=(n_splits, 1))
        best = rows.mean(axis=0).argmin()
        others = np.delete(rows, best, axis=1)
        found += bool((ttest_rel(others, rows[:, [best]]).pvalue <= 0.05).any())
    assert chance_against_best(n_columns, n_splits) == pytest.approx(found / 600, abs=0.06)
