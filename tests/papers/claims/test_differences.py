from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.stats import binomtest, rankdata, ttest_rel

from quadrepro.papers.claims.claim import Judgement, Undecided
from quadrepro.papers.claims.differences import (
    Closest,
    Competitive,
    EachLower,
    Equivalent,
    FasterEverywhere,
    LosesAtMost,
    LowerOrHigher,
    LowestMean,
    NotBetter,
    NotToldApart,
    Rank,
    SignificantlyBetter,
    SignificantPairs,
    TimesFaster,
    WinsOrTies,
    WorseOnMostSplits,
    compare,
)
from quadrepro.papers.claims.evidence import NO_SPLITS, Lacking, Ours
from quadrepro.stats import equivalence_test
from quadrepro.stats.result import p_text
from tests.papers.measured import changed, errors_of

FOUR = [[10], [10], [10], [10]]


def rows(*counts: int) -> list[list[int]]:
    return [[count] for count in counts]


def test_numbers_are_compared_exactly() -> None:
    thirds = [Fraction(1, 10) + Fraction(2, 10), Fraction(3, 10)]
    test = compare(thirds, thirds[::-1])
    assert (test.wins, test.losses, test.ties) == (0, 0, 2)
    assert compare([0.1 + 0.2], [0.3]).losses == 1


def test_means_of_equal_counts_are_equal() -> None:
    # The floating-point means of these differ in their last bit.
    evidence = errors_of({"a": [[1, 2, 4]], "b": [[4, 2, 1]], "c": [[0, 0, 7]]}, n_test=10)
    for other in ("b", "c"):
        assert compare(evidence.values("a"), evidence.values(other)).ties == 1


@pytest.mark.parametrize(("wins", "losses"), [(6, 0), (5, 0), (8, 1), (8, 2), (0, 6)])
def test_better_needs_significantly_more_wins(wins: int, losses: int) -> None:
    a = rows(*[1] * wins, *[3] * losses, 2)
    evidence = errors_of({"a": a, "b": rows(*[2] * len(a))})
    p = binomtest(wins, wins + losses).pvalue
    shown = f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"
    text = f"{wins} wins, {losses} losses, 1 ties, {shown}"
    better = p <= 0.05 and wins > losses
    claim = {"text": "t", "of": "a", "than": "b"}
    assert SignificantlyBetter(kind="k", **claim).judge(evidence) == (text, better)
    assert NotBetter(kind="k", **claim).judge(evidence) == (text, not better)
    alike = NotToldApart(kind="k", text="t", between=("a", "b")).judge(evidence)
    assert alike.text.startswith(f"{text}; power at 60, 70, 80% wins: ")
    assert alike.holds == (p > 0.05)


def test_a_test_that_finds_nothing_says_how_little_it_could_have_found() -> None:
    evidence = errors_of({"a": rows(1, 1, 1, 2, 2, 2), "b": rows(2, 2, 2, 1, 1, 1)})
    found = NotToldApart(kind="k", text="t", between=("a", "b")).judge(evidence)
    # Six wins of six are needed: 0.6⁶ + 0.4⁶ and so on.
    powers = ", ".join(f"{p**6 + (1 - p) ** 6:.2f}" for p in (0.6, 0.7, 0.8))
    assert found.text.endswith(f"p = 1.000; power at 60, 70, 80% wins: {powers}")


def test_without_a_margin_equivalence_is_refuted_or_undecided() -> None:
    claim = Equivalent(kind="k", text="t", between=("a", "b"))
    apart = claim.judge(errors_of({"a": rows(*[1] * 6), "b": rows(*[2] * 6)}))
    assert (apart.holds, isinstance(apart, Undecided)) == (False, False)
    alike = claim.judge(errors_of({"a": FOUR, "b": FOUR}))
    assert (alike.holds, isinstance(alike, Undecided)) == (None, True)
    assert alike.text.startswith("0 wins, 0 losses, 4 ties, p = 1.000; power")


@pytest.mark.parametrize(
    ("b", "margin", "holds"),
    [
        ((11, 9, 11, 9, 10, 10), 2.5, True),
        ((20, 21, 19, 20, 21, 19), 2.5, False),
        ((0, 1, 0, 1, 0, 1), 2.5, False),
        ((30, 9, 11, 9, 10, 10), 2.5, None),
        ((11, 9, 11, 9, 10, 10), 0.5, None),
    ],
)
def test_equivalence_is_decided_by_the_interval_and_the_margin(
    b: tuple[int, ...], margin: float, holds: bool | None
) -> None:
    evidence = errors_of({"a": rows(*[10] * 6), "b": rows(*b)})
    claim = Equivalent(kind="k", text="t", between=("a", "b"), margin=margin)
    found = claim.judge(evidence)
    assert found.holds is holds
    assert isinstance(found, Undecided) == (holds is None)
    test = equivalence_test([10] * 6, b, margin)
    assert found.text == (
        f"mean difference {test.mean_difference:+.2f}, 90% interval {test.low:+.2f} to "
        f"{test.high:+.2f}, margin {margin:g}, {p_text(test.p_value)}"
    )


def test_one_row_is_too_few_for_equivalence_and_a_margin_is_above_zero() -> None:
    claim = Equivalent(kind="k", text="t", between=("a", "b"), margin=1)
    with pytest.raises(Lacking, match="one row is too few"):
        claim.judge(errors_of({"a": rows(1), "b": rows(1)}))
    for margin in (0, -1, float("inf")):
        with pytest.raises(ValidationError):
            Equivalent(kind="k", text="t", between=("a", "b"), margin=margin)


def test_pairs_must_be_the_significant_ones_and_no_others() -> None:
    evidence = errors_of({"a": rows(*[1] * 6), "b": rows(*[2] * 6), "c": rows(1, 2, 1, 2, 1, 2)})
    found = "A over B (p = 0.031)"

    def judged(*pairs: tuple[str, str]) -> Judgement:
        return SignificantPairs(kind="k", text="t", pairs=pairs).judge(evidence)

    assert judged(("a", "b")) == (found, True)
    assert judged(("b", "a")) == (found, False)
    assert judged(("a", "b"), ("a", "c")) == (found, False)


def test_pairs_are_compared_among_those_that_are_named() -> None:
    evidence = errors_of({"a": rows(*[1] * 6), "b": rows(*[2] * 6), "c": rows(*[3] * 6)})
    claim = SignificantPairs(kind="k", text="t", pairs=(("b", "c"),), among=("c",))
    assert claim.judge(evidence) == ("B over C (p = 0.031)", True)
    nothing = errors_of({"a": FOUR, "b": FOUR})
    claim = SignificantPairs(kind="k", text="t", pairs=(("a", "b"),))
    assert claim.judge(nothing) == ("no pair", False)


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


def timed(seconds: dict[str, list[list[float]]]) -> Ours:
    """Return evidence of seconds by algorithm, row and split."""
    evidence = errors_of({c: [[1] * len(row) for row in rows] for c, rows in seconds.items()})
    return changed(
        evidence,
        lambda record, row, column, split: replace(
            record, seconds=seconds[column][int(row[1:]) - 1][split]
        ),
    )


@pytest.mark.parametrize(("times", "holds"), [(4, True), (4.1, False)])
def test_times_are_compared_by_their_means(times: float, holds: bool) -> None:
    evidence = timed({"a": [[1.0, 2.0], [3.0, 2.0]], "b": [[2.0, 2.0], [2.0, 26.0]]})
    claim = TimesFaster(kind="k", text="t", of="a", than="b", times=times)
    assert claim.judge(evidence) == ("4 times as fast", holds)
    assert claim.label == "t (measured time)"


def test_every_fast_one_beats_every_slow_one_on_every_row_by_medians() -> None:
    seconds = {
        "a": [[1.0, 1.0, 99.0], [2.0, 2.0, 2.0]],
        "b": [[2.0, 2.0, 0.0], [1.0, 1.0, 1.0]],
        "c": [[4.0, 4.0, 4.0], [8.0, 8.0, 8.0]],
        "d": [[6.0, 6.0, 6.0], [1.5, 1.5, 1.5]],
    }
    claim = FasterEverywhere(kind="k", text="t", of=("a", "b"), than=("c",))
    assert claim.judge(timed(seconds)) == (
        "faster at 2 of 2 points; 2 to 4 times as fast, median 3",
        True,
    )
    claim = FasterEverywhere(kind="k", text="t", of=("a", "b"), than=("c", "d"))
    assert claim.judge(timed(seconds)) == (
        "faster at 1 of 2 points; 0.75 to 2 times as fast, median 1.38",
        False,
    )


def test_a_fraction_of_a_second_is_evidence_and_the_same_time_is_not_faster() -> None:
    claim = FasterEverywhere(kind="k", text="t", of=("a",), than=("b",))
    assert claim.judge(timed({"a": [[0.1]], "b": [[0.2]]})) == (
        "faster at 1 of 1 points; 2 to 2 times as fast, median 2",
        True,
    )
    assert claim.judge(timed({"a": [[0.2]], "b": [[0.2]]})) == (
        "faster at 0 of 1 points; 1 to 1 times as fast, median 1",
        False,
    )


def test_no_time_at_all_is_no_evidence() -> None:
    evidence = timed({"a": [[0.0]], "b": [[1.0]]})
    for claim in (
        TimesFaster(kind="k", text="t", of="a", than="b", times=2),
        FasterEverywhere(kind="k", text="t", of=("a",), than=("b",)),
    ):
        with pytest.raises(Lacking, match="cells missing"):
            claim.judge(evidence)
