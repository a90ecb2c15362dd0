from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError

import pytest

from quadrepro import stats
from quadrepro.stats import (
    LEVEL,
    Moments,
    PairedT,
    PoissonBinomialTest,
    SignTest,
    WelchTest,
    paired_t_test,
    placement,
    poisson_binomial_test,
    sign_test,
    welch_test,
)
from quadrepro.stats.result import PValueResult, paired

P_VALUES: list[Callable[[float], PValueResult]] = [
    lambda p: SignTest(0, 0, 0, p),
    lambda p: PairedT(0.0, p),
    lambda p: WelchTest(0.0, -1.0, 1.0, p),
]


@pytest.mark.parametrize("make", P_VALUES)
def test_the_level_itself_is_significant(make: Callable[[float], PValueResult]) -> None:
    assert LEVEL == 0.05
    assert make(0.05).significant
    assert make(0.049).significant
    assert not make(0.0500001).significant


def test_a_result_shows_its_numbers_with_six_digits() -> None:
    assert repr(SignTest(5, 0, 1, 0.0625)) == "SignTest(wins=5, losses=0, ties=1, p_value=0.0625)"
    assert repr(PairedT(0.1 + 0.2, 2 / 3)) == "PairedT(mean_difference=0.3, p_value=0.666667)"
    one, two = PoissonBinomialTest(1 / 3, (1 / 3,)), PoissonBinomialTest(0.5, (1 / 3, 2 / 3))
    assert repr(one) == "PoissonBinomialTest(probability=0.333333, per_data_set=(0.333333,))"
    assert repr(two) == "PoissonBinomialTest(probability=0.5, per_data_set=(0.333333, 0.666667))"
    none = PoissonBinomialTest(0.5, ())
    assert repr(none) == "PoissonBinomialTest(probability=0.5, per_data_set=())"
    assert repr(Moments(1.0, 0.5, 20)) == "Moments(mean=1, sd=0.5, n=20)"


@pytest.mark.parametrize(
    ("result", "field"),
    [
        (sign_test([1], [2]), "wins"),
        (paired_t_test([1, 2], [3, 5]), "p_value"),
        (Moments(0, 1, 2), "mean"),
        (welch_test(Moments(0, 1, 2), Moments(1, 1, 2)), "difference"),
        (poisson_binomial_test([[True]], [[False]]), "probability"),
        (placement([1, 2], 1.5, 0.05), "inside"),
    ],
)
def test_a_result_cannot_be_changed(result: object, field: str) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(result, field, 0)


def test_pairs_keep_their_order_and_need_equal_lengths() -> None:
    assert paired(iter([1, 2]), iter([3, 4])) == [(1, 3), (2, 4)]
    for a, b in (([1], [1, 2]), ([1, 2], [1])):
        with pytest.raises(ValueError, match=f"{len(a)} values cannot be paired with {len(b)}"):
            paired(a, b)


def test_every_public_function_has_an_example_in_its_documentation() -> None:
    functions = [name for name in stats.__all__ if name[0].islower()]
    for name in functions:
        assert ">>> " in (getattr(stats, name).__doc__ or "")
