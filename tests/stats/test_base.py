from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import partial
from math import inf, nan

import numpy as np
import pytest

from quadrepro.stats import (
    Placement,
    PoissonBinomialTest,
    Repeats,
    SignTest,
    TTest,
    bayesian_correlated_t,
    bayesian_signed_rank,
    compare_on_splits,
    compare_over_datasets,
    corrected_t_test,
    differences,
    equivalence_test,
    friedman_test,
    hodges_lehmann,
    p_text,
    paired_t_test,
    place_deviation,
    place_number,
    poisson_binomial_test,
    rank_methods,
    rounded_p,
    sign_test,
    wilcoxon_test,
)
from quadrepro.stats.base import PValueResult, Result

P_VALUES: list[Callable[[float], PValueResult]] = [
    lambda p: SignTest(0, 0, 0, p),
    lambda p: TTest(0.0, -1.0, 1.0, p),
    lambda p: Placement(0.0, -1.0, 1.0, p),
]


@pytest.mark.parametrize("make", P_VALUES)
def test_the_level_itself_is_significant(make: Callable[[float], PValueResult]) -> None:
    assert make(0.05).significant
    assert make(0.049).significant
    assert not make(0.0500001).significant


def test_a_result_shows_its_numbers_with_six_digits() -> None:
    assert repr(SignTest(5, 0, 1, 0.0625)) == "SignTest(wins=5, losses=0, ties=1, p_value=0.0625)"
    one, two = PoissonBinomialTest(1 / 3, (1 / 3,)), PoissonBinomialTest(0.1 + 0.2, (1.0, 2 / 3))
    assert repr(one) == "PoissonBinomialTest(probability=0.333333, per_data_set=(0.333333,))"
    assert repr(two) == "PoissonBinomialTest(probability=0.3, per_data_set=(1, 0.666667))"


ONE, TWO = np.array([0.1, 0.2, 0.4]), np.array([0.2, 0.1, 0.7])
RESULTS = [
    sign_test(ONE, TWO),
    sign_test(np.zeros(6), np.ones(6)),
    paired_t_test(ONE, TWO),
    paired_t_test(ONE, ONE),
    poisson_binomial_test([ONE > 0.1], [TWO > 0.1]),
    place_number(Repeats(tuple(ONE.tolist())), 0.15, 0.005),
    place_number(Repeats((0.1, 0.2), (10, 10)), 0.15, 0.005, n_printed=3, printed_sd=0.1),
    place_deviation(Repeats((0.1, 0.2)), 0.15, 0.005, n_printed=3),
    equivalence_test(ONE, TWO, 1.0),
    wilcoxon_test(ONE, TWO),
    hodges_lehmann(ONE, TWO),
    friedman_test(np.stack([ONE, TWO]).tolist()),
]


@pytest.mark.parametrize("result", RESULTS)
def test_the_numbers_of_a_result_are_plain(result: Result) -> None:
    for field in fields(result):
        value = getattr(result, field.name)
        assert field.type == f"{type(value).__name__}{'[float, ...]' * isinstance(value, tuple)}"
        assert not isinstance(value, tuple) or {type(number) for number in value} == {float}


def test_the_fields_of_a_comparison_are_plain() -> None:
    scores = {"a": ONE.tolist(), "b": TWO.tolist()}
    for pairs in (
        compare_over_datasets(scores),
        compare_over_datasets(scores, ratio=True, rope=0.1),
        compare_on_splits(scores, 0.1, greater_is_better=True),
    ):
        for c in pairs.values():
            types = {type(getattr(c, field.name)) for field in fields(c)}
            assert types <= {str, float, int, bool, type(None)}


THREE = {"a": [1.0, 2, 3], "b": [2.0, 3, 5]}
ROPE, MARGIN = "the half-width of the rope cannot be", "the margin must be above 0"
SHARE = "at least 0 and below 1"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *((partial(compare_over_datasets, THREE, rope=r), ROPE) for r in (-0.1, nan, inf)),
        (lambda: compare_on_splits(THREE, 0.1, rope=-0.1), ROPE),
        (lambda: bayesian_signed_rank(ONE, TWO, inf), ROPE),
        (lambda: bayesian_correlated_t(ONE, TWO, 0.5, -0.1), ROPE),
        *((partial(equivalence_test, ONE, TWO, m), MARGIN) for m in (0.0, -1.0, nan, inf)),
        *((partial(corrected_t_test, ONE, TWO, s), SHARE) for s in (-0.1, 1.0, nan)),
        (lambda: paired_t_test([1.0], [2.0]), "at least two values, not 1"),
        (lambda: equivalence_test([1.0], [2.0], 1), "at least two values, not 1"),
        (lambda: paired_t_test([1.0], ONE), "1 values cannot be paired with 3"),
        (lambda: place_number(Repeats((0.1,)), 0.1, 0.0005), "two repeats"),
        (lambda: poisson_binomial_test([[1, 0]], [[1]]), "A has 2 test examples and B has 1 on"),
        (lambda: poisson_binomial_test([[1]] * 2, [[1]]), "2 values cannot be paired with 1"),
        (lambda: rank_methods({"a": [1, 2]}), "two methods on at least two data sets"),
        (lambda: rank_methods({"a": [1], "b": [2]}), "two methods on at least two data sets"),
        (lambda: rank_methods(THREE | {"b": [2, 3]}), "shorter"),
        (lambda: rank_methods(THREE | {"b": [2, 3, nan]}), "finite"),
        (lambda: rank_methods(THREE, control="c"), "unknown control 'c'"),
        *((partial(differences, [1, value], [1, 2]), "finite") for value in (nan, inf)),
    ],
)
def test_invalid_arguments_are_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (1.0, "p = 1.000"),
        (0.0411, "p = 0.041"),
        (0.001, "p = 0.001"),
        (0.00099, "p < 0.001"),
        (0.0, "p < 0.001"),
        (float("nan"), "p = –"),
    ],
)
def test_a_small_p_value_is_not_shown_as_zero(p: float, text: str) -> None:
    assert p_text(p) == text
    assert rounded_p(p) == text.removeprefix("p ").removeprefix("= ")
