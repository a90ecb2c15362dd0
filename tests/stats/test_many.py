from __future__ import annotations

from functools import cache
from itertools import permutations, product
from math import isnan, nan
from operator import gt, lt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from quadrepro.stats import chance_of_a_star, holm, sign_test

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@settings(max_examples=8, deadline=None)
@given(p_values)
def test_holms_values_are_those_of_statsmodels(values: list[float]) -> None:
    assert holm(values) == pytest.approx(list(multipletests(values, method="holm")[1]), rel=1e-12)


def test_a_test_that_could_not_be_made_is_not_counted() -> None:
    first, none, last = holm([0.01, nan, 0.04])
    assert (first, last) == (0.02, 0.04)
    assert isnan(none)
    assert holm([]) == []


def exact_chance(risks: list[list[int]]) -> float:
    """Return the share of all exchanges within the rows after which some pair is significant."""

    @cache
    def significant(wins: int, losses: int) -> bool:
        return sign_test([0] * wins + [1] * losses, [1] * wins + [0] * losses).significant

    found = []
    for table in product(*(list(permutations(row)) for row in risks)):
        columns = list(zip(*table, strict=True))
        pairs = [(a, b) for i, a in enumerate(columns) for b in columns[:i]]
        found.append(any(significant(sum(map(lt, a, b)), sum(map(gt, a, b))) for a, b in pairs))
    return float(np.mean(found))


@pytest.mark.parametrize("risks", [[[1, 2]] * 6, [[1, 2]] * 8 + [[1, 1]], [[1, 2, 3]] * 6])
def test_the_chance_of_a_star_is_that_over_all_exchanges(risks: list[list[int]]) -> None:
    assert chance_of_a_star(risks) == pytest.approx(exact_chance(risks), abs=0.01)


def test_the_chance_of_a_star_grows_with_the_number_of_methods_and_is_always_the_same() -> None:
    rng = np.random.default_rng(0)
    two, six = (chance_of_a_star(rng.random((25, k)).tolist()) for k in (2, 6))
    # 25 tosses give 0.043 for one pair; fifteen pairs that depend on each other give less than 1/2.
    assert two == pytest.approx(0.043, abs=0.005)
    assert 0.35 < six < 0.5
    risks = rng.random((9, 4)).tolist()
    assert chance_of_a_star(risks) == chance_of_a_star(risks)
