from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_rel

from quadrepro.papers.claims.differences import (
    Closest,
    EachLower,
    LosesAtMost,
    LowerOrHigher,
    WorseOnMostSplits,
)
from quadrepro.papers.claims.evidence import NO_SPLITS, Lacking
from tests.papers.measured import errors_of


def one(*counts: int) -> list[list[int]]:
    return [[count] for count in counts]


@pytest.mark.parametrize("kind", ["lower", "higher"])
@pytest.mark.parametrize(
    ("high", "by", "holds"),
    [
        ((9, 9, 9, 9, 9, 9), "every-row", True),
        ((9, 9, 9, 9, 9, 9), "sign-test", True),
        ((9, 9, 9, 9, 9, 5), "every-row", False),
        ((9, 9, 9, 9, 9, 1), "sign-test", False),
        ((9, 9, 9, 9, 9, 9, 5), "sign-test", True),
        ((1, 1, 1, 1, 1, 1), "sign-test", False),
    ],
)
def test_lower_and_higher_are_the_same_seen_from_the_other_side(
    kind: str, high: tuple[int, ...], by: str, holds: bool
) -> None:
    evidence = errors_of({"low": one(*[5] * len(high)), "high": one(*high)})
    of, than = ("low", "high") if kind == "lower" else ("high", "low")
    claim = LowerOrHigher(kind=kind, text="t", of=of, than=than, by=by)
    text, judged = claim.judge(evidence)
    assert judged is holds
    wins, ties = sum(h > 5 for h in high), sum(h == 5 for h in high)
    assert text.startswith(f"{kind} on {wins} of {len(high)}, equal on {ties}, sign test p = 0.")
    assert "significantly" not in text


SPLITS = {
    "a": [[10, 11, 12, 13], [10, 11, 12, 13], [30, 11, 12, 13]],
    "b": [[15, 17, 17, 19], [15, 16, 17, 18], [10, 11, 12, 13]],
}


def test_significant_rows_are_those_of_the_paired_t_test() -> None:
    evidence = errors_of(SPLITS)
    p = [ttest_rel(*(np.array(SPLITS[c][i]) for c in "ab")).pvalue for i in (0, 2)]
    assert p[0] <= 0.05 < p[1]
    claim = {"text": "t", "of": "a", "than": "b"}
    mostly = LowerOrHigher(kind="lower", by="paired-t", **claim)
    assert mostly.judge(evidence) == ("significantly lower on 2 of 3, higher on 0", True)
    higher = LowerOrHigher(kind="higher", by="paired-t", **claim)
    assert higher.judge(evidence) == ("significantly higher on 0 of 3, lower on 2", False)
    every = LowerOrHigher(kind="lower", by="every-row", **claim)
    assert every.judge(evidence) == (
        "lower on 2 of 3, equal on 0, sign test p = 1.000; significantly lower on 2, the other "
        "way on 0",
        False,
    )


def test_small_differences_count_by_their_sign() -> None:
    evidence = errors_of({"a": [[1, 2, 3]], "b": [[2, 3, 4]]}, n_test=1000)
    claim = {"text": "t", "by": "paired-t"}
    lower = LowerOrHigher(kind="lower", of="a", than="b", **claim)
    assert lower.judge(evidence) == ("significantly lower on 1 of 1, higher on 0", True)
    lower = LowerOrHigher(kind="lower", of="b", than="a", **claim)
    assert lower.judge(evidence) == ("significantly lower on 0 of 1, higher on 1", False)


def test_half_of_the_rows_is_not_most() -> None:
    evidence = errors_of({c: SPLITS[c][1:] for c in "ab"})
    claim = LowerOrHigher(kind="lower", text="t", of="a", than="b", by="paired-t")
    assert claim.judge(evidence) == ("significantly lower on 1 of 2, higher on 0", False)


def test_two_splits_are_enough_for_a_test() -> None:
    evidence = errors_of({"a": [[10, 20]], "b": [[11, 21]]})
    claim = LowerOrHigher(kind="lower", text="t", of="a", than="b", by="paired-t")
    assert claim.judge(evidence) == ("significantly lower on 1 of 1, higher on 0", True)


def test_one_split_cannot_be_tested_over_splits() -> None:
    claim = LowerOrHigher(kind="lower", text="t", of="a", than="b", by="paired-t")
    with pytest.raises(Lacking, match=NO_SPLITS):
        claim.judge(errors_of({"a": one(1), "b": one(2)}))


def test_each_algorithm_must_be_lower_on_every_row() -> None:
    evidence = errors_of({"a": one(1, 2), "b": one(1, 3), "c": one(2, 3)})
    both = EachLower(kind="k", text="t", of=("a", "b"), than="c")
    assert both.judge(evidence) == ("A in 2, B in 1 of 2 rows; 3 of 4 pairs", False)
    alone = EachLower(kind="k", text="t", of=("a",), than="c")
    assert alone.judge(evidence) == ("A in 2 of 2 rows", True)


def test_the_closest_has_the_least_mean_distance_whatever_its_sign() -> None:
    counts = {"to": one(10, 10), "a": one(11, 8), "b": one(10, 14), "c": one(30, 9)}
    evidence = errors_of(counts)
    text = "points of error apart on average: A 1.50, B 2.00, C 10.50; "
    assert Closest(kind="k", text="t", of="a", to="to").judge(evidence) == (
        f"{text}A nearer than B on 1 of 2, equal on 0, sign test p = 1.000",
        True,
    )
    assert Closest(kind="k", text="t", of="b", to="to").judge(evidence) == (
        f"{text}B nearer than A on 1 of 2, equal on 0, sign test p = 1.000",
        False,
    )
    among = Closest(kind="k", text="t", of="b", to="to", among=("b", "c"))
    assert among.judge(evidence).holds


def test_an_equally_close_rival_is_enough_against_the_closest() -> None:
    evidence = errors_of({"to": one(10), "a": one(11), "b": one(9)})
    for name in "ab":
        assert not Closest(kind="k", text="t", of=name, to="to").judge(evidence).holds


def test_the_closest_needs_a_rival() -> None:
    evidence = errors_of({"to": one(10), "a": one(11)})
    with pytest.raises(Lacking, match="no other algorithm"):
        Closest(kind="k", text="t", of="a", to="to").judge(evidence)


@pytest.mark.parametrize(
    ("points", "above", "holds"), [(2.5, 0, True), (2.4, 1, False), (0.1, 2, False), (3, 0, True)]
)
def test_a_loss_is_in_percent_points_and_exact(points: float, above: int, holds: bool) -> None:
    # 2.5 points exactly; in floating-point numbers 100 (0.126 - 0.101) is above it.
    evidence = errors_of({"a": one(126, 103), "b": one(101, 101)}, n_test=1000)
    claim = LosesAtMost(kind="k", text="t", of="a", than="b", points=points)
    text = f"at most 2.50 points (r1); above {points:g} in {above} of 2"
    assert claim.judge(evidence) == (text, holds)


def test_more_than_half_of_all_splits_are_most() -> None:
    counts = {"a": [[2, 2], [2, 1]], "b": [[1, 1], [1, 1]], "c": [[1, 1], [2, 1]]}
    evidence = errors_of(counts)
    worse = WorseOnMostSplits(kind="k", text="t", of="a", than="b")
    assert worse.judge(evidence) == ("on 3 of 4 splits", True)
    half = WorseOnMostSplits(kind="k", text="t", of="a", than="c")
    assert half.judge(evidence) == ("on 2 of 4 splits", False)
