from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.stats import binom, binomtest, rankdata, ttest_1samp, ttest_rel

from quadrepro.papers.claims.claim import Judgement
from quadrepro.papers.claims.differences import (
    Closest,
    Competitive,
    EachLower,
    Equivalent,
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
    WorseMoreOften,
)
from quadrepro.papers.claims.evidence import NO_SPLITS, InPrint, Lacking, Ours
from quadrepro.papers.printed import TIME_ROW, Facts, Printed
from quadrepro.stats import equivalence_test, p_text
from tests.papers.measured import changed, errors_of

FOUR = [[10], [10], [10], [10]]


def rows(*counts: int) -> list[list[int]]:
    return [[count] for count in counts]


NOISE = {"a": 0.1 + 0.2, "b": 0.3}
"""RMSEs that differ by rounding alone."""


@pytest.mark.parametrize("of", "ab")
def test_rounding_decides_no_claim(of: str) -> None:
    evidence = changed(
        errors_of(dict.fromkeys("abc", [[1]] * 6)),
        lambda record, row, column, split: replace(record, rmse=NOISE.get(column, 1.0)),
    )
    [than] = {*"ab"} - {of}
    claim = {"kind": "k", "text": "t", "of": of, "than": than}
    tied = SignificantlyBetter(**claim).judge(evidence).text
    assert tied.startswith("0 wins, 0 losses, 6 ties, p = 1.000")
    pairs = SignificantPairs(kind="k", text="t", pairs=((of, "c"), (than, "c")))
    assert pairs.judge(evidence).holds
    assert WinsOrTies(**claim, at_least=6).judge(evidence).text == "6 of 6 (0 wins, 6 ties)"
    assert Competitive(**claim, at_least=6).judge(evidence).holds
    assert LowestMean(kind="k", text="t", of=of, at_least=6).judge(evidence).holds
    assert Rank(kind="k", text="t", of=of, at_most=1).judge(evidence).holds
    assert LosesAtMost(**claim, points=0).judge(evidence).holds
    assert not EachLower(kind="k", text="t", of=(of,), than=than).judge(evidence).holds
    assert not Closest(kind="k", text="t", of=of, to="c").judge(evidence).holds
    often = WorseMoreOften(kind="k", text="t", of=of, than=than, among=("c",)).judge(evidence)
    assert often.text.startswith(f"{of.upper()} worse on 0% of the splits, C on 100%")


def test_a_printed_loss_of_the_allowed_points_is_not_above_them() -> None:
    printed = Printed(
        "p", ("a", "b"), {("x", "a"): "3.3", ("x", "b"): "3.0"}, Facts(unit="percent")
    )
    claim = LosesAtMost(kind="k", text="t", of="a", than="b", points=0.3)
    assert claim.judge(InPrint(("x",), {}, (printed,))).holds


def test_means_of_equal_counts_are_equal() -> None:
    # The floating-point means of these differ in their last bit.
    evidence = errors_of({"a": [[1, 2, 4]], "b": [[4, 2, 1]], "c": [[0, 0, 7]]}, n_test=10)
    assert len({*map(evidence.value, ["r1"] * 3, "abc")}) == 1


@pytest.mark.parametrize(("wins", "losses"), [(6, 0), (5, 0), (8, 1), (8, 2), (0, 6)])
def test_better_needs_significantly_more_wins(wins: int, losses: int) -> None:
    a = rows(*[1] * wins, *[3] * losses, 2)
    evidence = errors_of({"a": a, "b": rows(*[2] * len(a))})
    p = binomtest(wins, wins + losses).pvalue
    shown = f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"
    text = f"{wins} wins, {losses} losses, 1 ties, {shown}"
    better, worse = bool(p <= 0.05) and wins > losses, bool(p <= 0.05) and wins < losses
    claim = {"text": "t", "of": "a", "than": "b"}
    found = SignificantlyBetter(kind="k", **claim).judge(evidence)
    assert found.holds is (True if better else False if worse else None)
    assert (found.text == text) is better
    denied = NotBetter(kind="k", **claim).judge(evidence)
    assert denied.holds is not better
    assert denied.text.startswith(f"{text}; power at 60, 70, 80% wins: ")
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
    assert apart.holds is False
    alike = claim.judge(errors_of({"a": FOUR, "b": FOUR}))
    assert alike.holds is None
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
    # That a claimed pair is not found is no evidence against it.
    assert judged(("a", "b"), ("a", "c")) == (f"{found}; against the claim p = 0.750 (Holm)", None)
    # Of three pairs one is found in the other direction, p = 0.031.
    assert judged(("b", "a")) == (f"{found}; against the claim p = 0.094 (Holm)", None)


def test_a_pair_that_is_found_against_the_claim_refutes_it() -> None:
    evidence = errors_of({"a": rows(*[1] * 8), "b": rows(*[2] * 8)})
    for pairs, holds in (((("a", "b"),), True), ((("b", "a"),), False)):
        assert SignificantPairs(kind="k", text="t", pairs=pairs).judge(evidence).holds is holds


def test_pairs_are_compared_among_those_that_are_named() -> None:
    evidence = errors_of({"a": rows(*[1] * 6), "b": rows(*[2] * 6), "c": rows(*[3] * 6)})
    claim = SignificantPairs(kind="k", text="t", pairs=(("b", "c"),), among=("c",))
    assert claim.judge(evidence) == ("B over C (p = 0.031)", True)
    nothing = errors_of({"a": FOUR, "b": FOUR})
    claim = SignificantPairs(kind="k", text="t", pairs=(("a", "b"),))
    assert claim.judge(nothing) == ("no pair; against the claim p = 1.000 (Holm)", None)


THREE = {"a": [[1], [2], [3]], "b": [[2], [2], [2]], "c": [[3], [1], [9]]}


@pytest.mark.parametrize(("at_least", "holds"), [(2, True), (3, None)])
def test_wins_and_ties_are_counted_together(at_least: int, holds: bool | None) -> None:
    claim = WinsOrTies(kind="k", text="t", of="a", than="b", at_least=at_least)
    text, found = claim.judge(errors_of(THREE))
    assert text.startswith("2 of 3 (1 wins, 1 ties)")
    assert found is holds


@pytest.mark.parametrize(("wins", "holds"), [(6, True), (5, None), (3, None), (2, False)])
def test_too_few_rows_refute_a_count_by_the_binomial_distribution(
    wins: int, holds: bool | None
) -> None:
    evidence = errors_of({"a": rows(*[1] * wins, *[3] * (9 - wins)), "b": rows(*[2] * 9)})
    claim = WinsOrTies(kind="k", text="t", of="a", than="b", at_least=6)
    text, found = claim.judge(evidence)
    assert found is holds
    few = [binom.cdf(k, 9, 6.5 / 10) for k in range(10)]
    assert few[2] <= 0.05 < few[3]
    if wins < 6:
        p = p_text(few[wins])
        assert text.endswith(f"; {wins} or fewer by chance {p}, a test refutes 2 or fewer")


def test_rows_within_a_deviation_of_the_lowest_could_be_lowest() -> None:
    # Nine rows, on none of which A is lowest: B is one below it, and deviates by 1.41 or 0.
    near = errors_of({"a": [[6, 6]] * 9, "b": [[4, 6]] * 9})
    claim = LowestMean(kind="k", text="t", of="a", at_least=6)
    text, holds = claim.judge(near)
    assert (text.rpartition("; ")[2], holds) == (
        "9 with those within one standard deviation of the lowest",
        None,
    )
    apart = errors_of({"a": [[6, 6]] * 9, "b": [[5, 5]] * 9})
    text, holds = claim.judge(apart)
    assert holds is False
    assert text == "lowest mean on 0 of 9; none by chance p < 0.001, a test refutes 2 or fewer"


@pytest.mark.parametrize(
    ("at_least", "out_of", "holds", "more"),
    [
        (1, None, True, ""),
        (2, None, None, "; 1 or fewer by chance p = 0.316, too few rows to refute it"),
        (2, 3, None, "; 1 or fewer by chance p = 0.316, too few rows to refute it"),
        (2, 4, None, "; what is missing of 4 decides"),
        (3, 4, None, "; 1 or fewer by chance p = 0.216, a test refutes 0 or fewer"),
        # Of all rows one may be missed by chance.
        (3, None, False, "; 1 or fewer by chance p = 0.043, a test refutes 1 or fewer"),
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
    text, holds = claim.judge(evidence)
    assert (text.partition("; 1 or fewer")[0], holds) == ("1 of 3; not on r1, r2", None)
    near = errors_of({"a": [[40, 60]], "b": [[39, 33]]}, n_test=1000)
    claim = Competitive(kind="k", text="t", of="a", than=("b",), at_least=1)
    assert claim.judge(near) == ("1 of 1", True)


def test_a_count_of_more_rows_than_there_are_says_so_and_is_not_decided() -> None:
    claim = Competitive(kind="k", text="t", of="c", than="a", at_least=40)
    found = claim.judge(errors_of(THREE))
    assert found == ("1 of 3; not on r1, r3; 3 rows are too few for a claim on 40", None)
    printed = Printed("p", ("a", "b"), {("x", "a"): "2", ("x", "b"): "1"}, Facts(unit="percent"))
    count = WinsOrTies(kind="k", text="t", of="a", than="b", at_least=40)
    assert count.judge(InPrint(("x",), {}, (printed,))).holds is None


def test_one_split_has_no_deviation_so_equal_means_are_competitive_and_higher_ones_not() -> None:
    evidence = errors_of({"a": [[3], [3]], "b": [[3], [2]]})
    claim = Competitive(kind="k", text="t", of="a", than=("b",), at_least=2)
    text, holds = claim.judge(evidence)
    assert (text.partition("; 1 or fewer")[0], holds) == ("1 of 2; not on r2", None)


@pytest.mark.parametrize("at_most", [1, 2, 3])
def test_ranks_are_those_of_scipy(at_most: int) -> None:
    columns = [[row[0] for row in of_column] for of_column in THREE.values()]
    ranks = [int(rankdata(row, "min")[0]) for row in zip(*columns, strict=True)]
    assert ranks == [1, 2, 2]
    text, holds = Rank(kind="k", text="t", of="a", at_most=at_most).judge(errors_of(THREE))
    # One split refutes nothing.
    assert holds is (True if max(ranks) <= at_most else None)
    places = ("best", "second", "third")[:at_most]
    counts = ", ".join(f"{p} in {ranks.count(i)}" for i, p in enumerate(places, start=1))
    worse = "; not in r2 (2.), r3 (2.)" if at_most == 1 else ""
    assert text == f"{counts} of 3 rows{worse}"


@pytest.mark.parametrize(
    ("c", "at_most", "holds"),
    [((1, 2, 3), 1, False), ((1, 2, 3), 2, False), ((99, 99, 99), 2, True), ((1, 60, 3), 2, None)],
)
def test_a_rank_is_refuted_by_as_many_significantly_lower_ones_on_a_row(
    c: tuple[int, ...], at_most: int, holds: bool | None
) -> None:
    counts = {"a": [[21, 22, 23]] * 2, "b": [[11, 12, 14], [51, 52, 53]]}
    evidence = errors_of(counts | {"c": [list(c), [61, 62, 63]]})
    found = Rank(kind="k", text="t", of="a", at_most=at_most).judge(evidence)
    assert found.holds is holds


def one(*counts: int) -> list[list[int]]:
    return [[count] for count in counts]


@pytest.mark.parametrize("kind", ["lower", "higher"])
@pytest.mark.parametrize(
    ("high", "by", "holds"),
    [
        ((9, 9, 9, 9, 9, 9), "every-row", True),
        ((9, 9, 9, 9, 9, 9), "sign-test", True),
        ((9, 9, 9, 9, 9, 5), "every-row", None),
        ((1, 1, 1, 1, 1, 1), "every-row", None),
        ((9, 9, 9, 9, 9, 1), "sign-test", None),
        ((9, 9, 9, 9, 9, 9, 5), "sign-test", True),
        ((1, 1, 1, 1, 1, 1), "sign-test", False),
    ],
)
def test_lower_and_higher_are_the_same_seen_from_the_other_side(
    kind: str, high: tuple[int, ...], by: str, holds: bool | None
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
    text, holds = higher.judge(evidence)
    assert (text.partition("; power")[0], holds) == (
        "significantly higher on 0 of 3, lower on 2",
        False,
    )
    every = LowerOrHigher(kind="lower", by="every-row", **claim)
    text, holds = every.judge(evidence)
    assert (text.partition("; power")[0], holds) == (
        "lower on 2 of 3, equal on 0, sign test p = 1.000; significantly lower on 2, the other "
        "way on 0",
        None,
    )


def test_one_row_that_is_significantly_the_other_way_refutes_every_row() -> None:
    evidence = errors_of(SPLITS).over(["r1", "r3"])
    claim = LowerOrHigher(kind="higher", text="t", of="a", than="b", by="every-row")
    assert claim.judge(evidence).holds is False
    # Splits that overlap decide less.
    overlapping = replace(evidence, test_shares=dict.fromkeys(evidence.rows, 0.9))
    assert claim.judge(overlapping).holds is None


def test_small_differences_count_by_their_sign() -> None:
    evidence = errors_of({"a": [[1, 2, 3]], "b": [[2, 3, 4]]}, n_test=1000)
    claim = {"text": "t", "by": "paired-t"}
    lower = LowerOrHigher(kind="lower", of="a", than="b", **claim)
    assert lower.judge(evidence) == ("significantly lower on 1 of 1, higher on 0", True)
    lower = LowerOrHigher(kind="lower", of="b", than="a", **claim)
    text, holds = lower.judge(evidence)
    assert (text.partition("; power")[0], holds) == (
        "significantly lower on 0 of 1, higher on 1",
        False,
    )


def test_half_of_the_rows_is_not_most() -> None:
    evidence = errors_of({c: SPLITS[c][1:] for c in "ab"})
    claim = LowerOrHigher(kind="lower", text="t", of="a", than="b", by="paired-t")
    text, holds = claim.judge(evidence)
    assert (text.partition("; power")[0], holds) == (
        "significantly lower on 1 of 2, higher on 0",
        None,
    )


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
    assert both.judge(evidence) == ("A in 2, B in 1 of 2 rows; 3 of 4 pairs", None)
    alone = EachLower(kind="k", text="t", of=("a",), than="c")
    assert alone.judge(evidence) == ("A in 2 of 2 rows", True)


def test_one_pair_that_is_significantly_higher_refutes_all() -> None:
    evidence = errors_of(SPLITS)
    text, holds = EachLower(kind="k", text="t", of=("b",), than="a").judge(evidence)
    assert text.startswith("B in 1 of 3 rows; higher in some pair p < 0.001 (Holm), ")
    assert "power 0.8 at " in text
    assert holds is False
    near = errors_of({"a": [[10, 14]], "b": [[11, 13]]})
    assert EachLower(kind="k", text="t", of=("b",), than="a").judge(near).holds is None


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
        None,
    )
    among = Closest(kind="k", text="t", of="b", to="to", among=("b", "c"))
    assert among.judge(evidence).holds


def test_an_equally_close_rival_is_enough_against_the_closest() -> None:
    evidence = errors_of({"to": one(10), "a": one(11), "b": one(9)})
    for name in "ab":
        assert not Closest(kind="k", text="t", of=name, to="to").judge(evidence).holds


@pytest.mark.parametrize(("far", "holds"), [((14, 15, 16), False), ((14, 31, 10), None)])
def test_a_rival_refutes_the_closest_if_it_is_significantly_nearer(
    far: tuple[int, ...], holds: bool | None
) -> None:
    counts = {"to": one(10, 10, 10), "a": one(11, 11, 11), "b": one(*far), "c": one(90, 95, 99)}
    found = Closest(kind="k", text="t", of="b", to="to").judge(errors_of(counts))
    assert found.holds is holds


@pytest.mark.parametrize(
    ("points", "above", "holds"), [(2.5, 0, True), (2.4, 1, None), (0.1, 2, None), (3, 0, True)]
)
def test_a_loss_is_in_percent_points_and_exact(
    points: float, above: int, holds: bool | None
) -> None:
    # 2.5 points exactly; in floating-point numbers 100 (0.126 - 0.101) is above it.
    evidence = errors_of({"a": one(126, 103), "b": one(101, 101)}, n_test=1000)
    claim = LosesAtMost(kind="k", text="t", of="a", than="b", points=points)
    text = f"at most 2.50 points (r1); above {points:g} in {above} of 2"
    assert claim.judge(evidence) == (text, holds)


@pytest.mark.parametrize(("points", "holds"), [(1, False), (5.5, None), (7, True)])
def test_a_loss_is_refuted_where_it_is_significantly_larger(
    points: float, holds: bool | None
) -> None:
    evidence = errors_of({"a": [[15, 16, 17], [11, 11, 11]], "b": [[10, 10, 10]] * 2})
    text, found = LosesAtMost(kind="k", text="t", of="a", than="b", points=points).judge(evidence)
    assert found is holds
    p = min(1.0, 2 * ttest_1samp([5, 6, 7], points, alternative="greater").pvalue)
    assert f"; a test finds it above somewhere {p_text(p)} (Holm), power 0.8 at " in text


# On how many of ten splits each is worse than the base, by row.
WORSE = {"a": (9, 8, 10, 9), "b": (5, 4, 6, 4), "c": (9, 7, 9, 10)}


def splits_of(shares: dict[str, tuple[int, ...]]) -> Ours:
    """Return evidence in which algorithms are worse than the base on a number of ten splits."""
    counts = {
        c: [[2] * k + [1] * (5 - k // 2) + [0] * (5 - k + k // 2) for k in of]
        for c, of in shares.items()
    }
    return errors_of(counts | {"base": [[1] * 10] * 4})


@pytest.mark.parametrize(
    ("of", "among", "holds"),
    [("a", "b", True), ("b", "a", False), ("a", "c", None), ("a", "bc", None), ("b", "ac", False)],
)
def test_what_is_worse_more_often_is_so_than_each_other(
    of: str, among: str, holds: bool | None
) -> None:
    claim = WorseMoreOften(kind="k", text="t", of=of, than="base", among=(*among,))
    text, found = claim.judge(splits_of(WORSE))
    assert found is holds
    assert text.startswith(f"{of.upper()} worse on {100 * np.mean(WORSE[of]) / 10:.0f}% of the")


def test_shares_of_splits_are_compared_by_the_paired_t_test() -> None:
    claim = WorseMoreOften(kind="k", text="t", of="a", than="base", among=("c",))
    low, high = ttest_rel(WORSE["a"], WORSE["c"]).confidence_interval(0.9)
    mean = np.mean(WORSE["a"]) - np.mean(WORSE["c"])
    assert claim.judge(splits_of(WORSE)).text.startswith(
        f"A worse on 90% of the splits, C on 88% ({mean / 10:+.3g} [{low / 10:+.3g}, "
        f"{high / 10:+.3g}]); power 0.8 at "
    )


def timed(seconds: dict[str, list[list[float]]]) -> Ours:
    """Return evidence of seconds by algorithm, row and split."""
    evidence = errors_of({c: [[1] * len(row) for row in rows] for c, rows in seconds.items()})
    return changed(
        evidence,
        lambda record, row, column, split: replace(
            record, seconds=seconds[column][int(row[1:]) - 1][split]
        ),
    )


RATIOS = {"a": [[1.0, 2.0], [3.0, 3.0], [1.0, 1.0]], "b": [[4.0, 8.0], [9.0, 27.0], [5.0, 5.0]]}


# The interval is 3.71 to 5.97; another run can differ by 10%.
@pytest.mark.parametrize(
    ("times", "holds"), [(3, True), (3.5, None), (4.5, None), (6.2, None), (7, False)]
)
def test_mean_logarithms_of_ratios_are_tested_over_the_rows(
    times: float, holds: bool | None
) -> None:
    claim = TimesFaster(kind="k", text="t", of=("a",), than=("b",), times=times)
    text, found = claim.judge(timed(RATIOS))
    assert found is holds
    logs = np.log([4, np.sqrt(27), 5])
    low, high = np.exp(ttest_1samp(logs, 0).confidence_interval(0.9))
    assert text.startswith(
        f"{np.exp(logs.mean()):.3g} times as fast [{low:.3g}, {high:.3g}]; power"
    )
    assert text.endswith(" times")
    assert claim.label == "t (measured time)"


def test_a_single_row_is_tested_over_its_splits() -> None:
    seconds = {"a": [[1.0, 1.0, 1.0]], "b": [[4.0, 5.0, 6.0]]}
    claim = TimesFaster(kind="k", text="t", of=("a",), than=("b",), times=3)
    low, high = np.exp(ttest_1samp(np.log([4, 5, 6]), 0).confidence_interval(0.9))
    assert f"[{low:.3g}, {high:.3g}]" in claim.judge(timed(seconds)).text


def test_each_fast_one_is_faster_than_each_slow_one() -> None:
    seconds = {**RATIOS, "c": [[1.1, 1.9], [2.9, 3.3], [0.9, 1.1]], "d": RATIOS["a"]}
    claim = TimesFaster(kind="k", text="t", of=("a", "c"), than=("b",))
    text, holds = claim.judge(timed(seconds))
    assert holds
    assert text.startswith("A against B 4.70 times") or text.startswith("A against B 4.7 times")
    assert "; C against B " in text
    # One that is as fast leaves it open, one that is slower refutes it.
    claim = TimesFaster(kind="k", text="t", of=("a", "c"), than=("b", "d"))
    assert claim.judge(timed(seconds)).holds is None
    claim = TimesFaster(kind="k", text="t", of=("a", "b"), than=("c",))
    assert claim.judge(timed(seconds)).holds is False


def test_one_time_of_each_decides_nothing() -> None:
    claim = TimesFaster(kind="k", text="t", of=("a",), than=("b",))
    with pytest.raises(Lacking, match=NO_SPLITS):
        claim.judge(timed({"a": [[0.1]], "b": [[0.2]]}))


@pytest.mark.parametrize("seconds", [(0.0, 1.0), (1.0, 0.0)])
def test_no_time_at_all_is_no_evidence(seconds: tuple[float, float]) -> None:
    evidence = timed({c: [[s, s]] for c, s in zip("ab", seconds, strict=True)})
    with pytest.raises(Lacking, match="a time of 0"):
        TimesFaster(kind="k", text="t", of=("a",), than=("b",)).judge(evidence)


@pytest.mark.parametrize(("times", "holds"), [(4, True), (4.1, False)])
def test_printed_times_are_compared_as_they_are(times: float, holds: bool) -> None:
    table = Printed("p", ("a", "b"), {(TIME_ROW, "a"): "2.5", (TIME_ROW, "b"): "10"})
    claim = TimesFaster(kind="k", text="t", of=("a",), than=("b",), times=times)
    assert claim.judge(InPrint(("x",), {}, (table,))) == ("4 times as fast", holds)
