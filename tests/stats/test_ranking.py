from __future__ import annotations

import pytest

from quadrepro.stats import (
    bayesian_signed_rank,
    critical_difference,
    friedman_test,
    hodges_lehmann,
    holm,
    nemenyi_p_value,
    rank_methods,
    wilcoxon_test,
)
from quadrepro.stats.ranking import fault_of_size
from tests.stats.examples import column, risks_of_demsar

NAMES = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
RISKS = {name: column(i) for i, name in enumerate(NAMES)}


def test_methods_stand_by_their_mean_ranks_with_friedmans_test() -> None:
    found = rank_methods(RISKS, rope=0.01)
    assert found.methods == ("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5")
    assert found.mean_ranks == found.friedman.mean_ranks == tuple(sorted(found.mean_ranks))
    assert found.friedman.statistic == pytest.approx(friedman_test(risks_of_demsar()).statistic)
    assert (found.n_datasets, found.rope) == (14, 0.01)
    assert found.critical_difference == critical_difference(4, 14)


def test_every_pair_has_what_the_functions_say_of_it() -> None:
    found = rank_methods(RISKS, rope=0.01)
    assert [(p.a, p.b) for p in found.pairs] == [
        (a, b) for i, a in enumerate(found.methods) for b in found.methods[i + 1 :]
    ]
    ranks = dict(zip(found.methods, found.mean_ranks, strict=True))
    for pair in found.pairs:
        a, b = RISKS[pair.a], RISKS[pair.b]
        assert pair.rank_difference == pytest.approx(ranks[pair.a] - ranks[pair.b])
        assert pair.nemenyi_p == nemenyi_p_value(pair.rank_difference, 4, 14)
        assert pair.wilcoxon_p == wilcoxon_test(a, b).p_value
        assert pair.shift == hodges_lehmann(a, b)
        assert pair.posterior == bayesian_signed_rank(a, b, 0.01)
    assert [p.rank_p_holm for p in found.pairs] == holm(p.rank_p for p in found.pairs)
    assert [p.wilcoxon_p_holm for p in found.pairs] == holm(p.wilcoxon_p for p in found.pairs)


def test_methods_of_equal_rank_keep_their_order() -> None:
    found = rank_methods({"b": [1, 2], "a": [2, 1]})
    assert found.methods == ("b", "a")


@pytest.mark.parametrize(
    ("risks", "message"),
    [
        ({"a": [1, 2]}, "two methods on"),
        ({}, "two methods"),
        ({"a": [1], "b": [2]}, "two methods on at least two data sets"),
        ({"a": [1, 2], "b": [2]}, "the same number of risks"),
        ({"a": [1.0] * 5001, "b": [2.0] * 5001}, "2 methods on 5001 data sets are too many"),
        ({str(i): [1.0, 2.0] for i in range(61)}, "61 methods on 2 data sets are too many"),
        ({str(i): [1.0] * 2300 for i in range(10)}, "and 100000 pairs of methods times"),
    ],
)
def test_what_cannot_be_ranked_is_refused(risks: dict[str, list[float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rank_methods(risks)


def test_the_largest_tables_that_are_ranked() -> None:
    sizes = [(2, 5000), (60, 56), (10, 2222), (2, 2)]
    assert [fault_of_size(*size) for size in sizes] == [""] * 4
    assert all(fault_of_size(k, n + 1) for k, n in sizes[:3])
