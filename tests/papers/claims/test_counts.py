from __future__ import annotations

import pytest
from scipy.stats import rankdata

from quadrepro.papers.claims.counts import Competitive, LowestMean, Rank, WinsOrTies
from tests.papers.measured import errors_of

THREE = {"a": [[1], [2], [3]], "b": [[2], [2], [2]], "c": [[3], [1], [9]]}


@pytest.mark.parametrize(("at_least", "holds"), [(2, True), (3, False)])
def test_wins_and_ties_are_counted_together(at_least: int, holds: bool) -> None:
    claim = WinsOrTies(kind="k", text="t", of="a", than="b", at_least=at_least)
    assert claim.judge(errors_of(THREE)) == ("2 of 3 (1 wins, 1 ties)", holds)


@pytest.mark.parametrize(
    ("at_least", "out_of", "holds", "more"),
    [
        (1, None, True, ""),
        (2, None, False, ""),
        (2, 3, False, ""),
        (2, 4, None, "; what is missing of 4 decides"),
        (3, 4, False, ""),
        (1, 4, True, ""),
    ],
)
def test_missing_rows_leave_a_count_open_only_if_they_decide(
    at_least: int, out_of: int | None, holds: bool | None, more: str
) -> None:
    claim = LowestMean(kind="k", text="t", of="a", at_least=at_least, out_of=out_of)
    assert claim.judge(errors_of(THREE)) == (f"lowest mean on 1 of 3{more}", holds)


def test_an_equal_lowest_mean_counts_however_the_splits_add_up() -> None:
    evidence = errors_of({"a": [[1, 2, 4]], "b": [[0, 0, 7]], "c": [[9, 9, 9]]}, n_test=10)
    for name in ("a", "b"):
        claim = LowestMean(kind="k", text="t", of=name, at_least=1)
        assert claim.judge(evidence).holds


def test_the_lowest_mean_is_among_those_that_are_named() -> None:
    claim = LowestMean(kind="k", text="t", of="b", among=("a", "b"), at_least=2)
    assert claim.judge(errors_of(THREE)) == ("lowest mean on 2 of 3", True)


def test_rows_where_intervals_of_one_deviation_do_not_overlap_are_named() -> None:
    # Deviations are 1.41 each: means 2.8 apart overlap, means 3 apart do not.
    counts = {"a": [[4, 6], [5, 7], [0, 0]], "b": [[3, 1], [4, 2], [9, 9]], "c": [[99, 99]] * 3}
    evidence = errors_of(counts)
    claim = Competitive(kind="k", text="t", of="a", than=("b", "c"), at_least=2)
    assert claim.judge(evidence) == ("1 of 3; not on r1, r2", False)
    near = errors_of({"a": [[40, 60]], "b": [[39, 33]]}, n_test=1000)
    claim = Competitive(kind="k", text="t", of="a", than=("b",), at_least=1)
    assert claim.judge(near) == ("1 of 1", True)


def test_one_split_has_no_deviation_so_equal_means_are_competitive_and_higher_ones_not() -> None:
    evidence = errors_of({"a": [[3], [3]], "b": [[3], [2]]})
    claim = Competitive(kind="k", text="t", of="a", than=("b",), at_least=2)
    assert claim.judge(evidence) == ("1 of 2; not on r2", False)


@pytest.mark.parametrize("at_most", [1, 2, 3])
def test_ranks_are_those_of_scipy(at_most: int) -> None:
    columns = [[row[0] for row in of_column] for of_column in THREE.values()]
    ranks = [int(rankdata(row, "min")[0]) for row in zip(*columns, strict=True)]
    assert ranks == [1, 2, 2]
    text, holds = Rank(kind="k", text="t", of="a", at_most=at_most).judge(errors_of(THREE))
    assert holds is (max(ranks) <= at_most)
    places = ("best", "second", "third")[:at_most]
    counts = ", ".join(f"{p} in {ranks.count(i)}" for i, p in enumerate(places, start=1))
    worse = "; not in r2 (2.), r3 (2.)" if at_most == 1 else ""
    assert text == f"{counts} of 3 rows{worse}"
