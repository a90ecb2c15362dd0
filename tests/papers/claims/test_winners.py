"""Claims on errors and times: the test and the words of each kind, symmetry, units and rates."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.stats import binom, binomtest, rankdata, ttest_1samp, ttest_rel

from quadrepro.papers.claims.claim import NO_SPLITS, ClaimWord, Evidence, InPrint, Lacking, Ours
from quadrepro.papers.printed import TIME_ROW, Printed
from quadrepro.stats import equivalence_test, p_text
from tests.papers.measured import (
    AB,
    BA,
    LESS,
    MIRROR,
    MORE,
    NEAR,
    NINE,
    ONE_MORE,
    TEN,
    changed,
    errors_of,
    in_print,
    judge,
    overlapping,
    rows,
    splits,
    timed,
)


@pytest.mark.parametrize("kind", ["lower", "higher"])
@pytest.mark.parametrize(
    ("high", "by", "word"),
    [
        ((9, 9, 9, 9, 9, 9), "every-row", "agrees"),
        ((9, 9, 9, 9, 9, 5), "every-row", "disagrees"),
        ((9, 9, 9, 9, 9, 1), "sign-test", "agrees"),
        ((9, 9, 9, 9, 9, 9, 5), "sign-test", "supported"),
        ((1, 1, 1, 1, 1, 1), "sign-test", "refuted"),
    ],
)
def test_lower_and_higher_are_the_same_seen_from_the_other_side(
    kind: str, high: tuple[int, ...], by: str, word: ClaimWord
) -> None:
    evidence = errors_of({"low": rows(*[5] * len(high)), "high": rows(*high)})
    name, than = ("low", "high") if kind == "lower" else ("high", "low")
    text, judged = judge(evidence, kind, of=name, than=than, by=by)
    assert judged == word
    wins, ties = sum(h > 5 for h in high), sum(h == 5 for h in high)
    assert text.startswith(f"{kind} on {wins} of {len(high)}, equal on {ties}, sign test p = 0.")
    with_power = by == "sign-test" and word != "supported"
    assert ("; power at 60, 70, 80% wins: " in text) == with_power
    assert "significantly" not in text


SPLITS = {
    "a": [[10, 11, 12, 13], [10, 11, 12, 13], [30, 11, 12, 13]],
    "b": [[15, 17, 17, 19], [15, 16, 17, 18], [10, 11, 12, 13]],
}


def test_significant_rows_are_those_of_the_paired_t_test() -> None:
    evidence = errors_of(SPLITS)
    p = [ttest_rel(*(np.array(SPLITS[c][i]) for c in "ab")).pvalue for i in (0, 2)]
    assert p[0] <= 0.05 < p[1]
    mostly = judge(evidence, "lower", **AB, by="paired-t")
    assert mostly == ("significantly lower on 2 of 3, higher on 0", "supported")
    text, word = judge(evidence, "higher", **AB, by="paired-t")
    assert text.startswith("significantly higher on 0 of 3, lower on 2; power 0.8 at ")
    assert word == "refuted"
    text, word = judge(evidence, "lower", **AB)
    assert text.startswith("lower on 2 of 3, equal on 0, sign test p = 1.000; significantly lower ")
    assert "lower on 2, the other way on 0; power 0.8 at " in text
    assert (word, text.endswith(" percentage points")) == ("disagrees", True)


def test_one_row_that_is_significantly_the_other_way_refutes_every_row() -> None:
    evidence = errors_of(SPLITS).over(["r1", "r3"])
    assert judge(evidence, "higher", **AB).word == "refuted"
    # Splits that overlap decide less.
    assert judge(overlapping(evidence, 0.9), "higher", **AB).word == "disagrees"
    # Half of the rows is not most.
    text, word = judge(evidence, "lower", **AB, by="paired-t")
    assert text.startswith("significantly lower on 1 of 2, higher on 0; power")
    assert word == "disagrees"


def test_a_paired_t_test_needs_splits() -> None:
    for evidence in (errors_of({"a": rows(1), "b": rows(2)}), in_print({"a": ["0"], "b": ["1"]})):
        with pytest.raises(Lacking, match=NO_SPLITS):
            judge(evidence, "lower", **AB, by="paired-t")


def test_each_algorithm_must_be_lower_than_each_other() -> None:
    evidence = errors_of({"a": rows(1, 2), "b": rows(1, 3), "c": rows(2, 3), "d": rows(9, 9)})
    judgement = judge(evidence, "lower", of=["a", "b"], than="c")
    assert judgement == ("A in 2, B in 1 of 2 rows; 3 of 4 pairs", "disagrees")
    judgement = judge(evidence, "lower", of="a", than=["c", "d"])
    assert judgement == ("A against C in 2, A against D in 2 of 2 rows; 4 of 4 pairs", "agrees")
    by_signs = judge(evidence, "lower", of=["a", "b"], than="d", by="sign-test")
    assert by_signs.text.startswith("A: lower on 2 of 2, equal on 0, sign test p = 0.500; power")
    assert by_signs.word == "agrees"


def test_one_pair_that_is_significantly_higher_refutes_all() -> None:
    text, word = judge(errors_of(SPLITS | {"c": SPLITS["b"]}), "lower", of=["b", "c"], than="a")
    assert text.startswith("B in 1, C in 1 of 3 rows; 2 of 6 pairs; higher in some pair p = 0.00")
    assert "(Holm), power 0.8 at " in text
    assert word == "refuted"
    near = errors_of({"a": [[10, 14]], "b": [[11, 13]]})
    assert judge(near, "lower", of="b", than="a").word == "disagrees"


@pytest.mark.parametrize(
    ("points", "above", "word"),
    [(2.5, 0, "agrees"), (2.4, 1, "disagrees"), (0.1, 2, "disagrees")],
)
def test_a_loss_of_the_allowed_points_is_allowed(
    points: float, above: int, word: ClaimWord
) -> None:
    # 2.5 points exactly; in floating-point numbers 100 (0.126 - 0.101) is above it.
    evidence = errors_of({"a": rows(126, 103), "b": rows(101, 101)}, n_test=1000)
    text = f"at most 2.50 percentage points (r1); above {points:g} in {above} of 2"
    assert judge(evidence, "lower", **AB, points=points) == (text, word)
    assert judge(evidence, "higher", of="b", than="a", points=points) == (text, word)


@pytest.mark.parametrize(
    ("points", "word"), [(1, "refuted"), (5.5, "disagrees"), (7, "agrees"), (20, "supported")]
)
def test_a_loss_is_refuted_where_it_is_significantly_larger(points: float, word: ClaimWord) -> None:
    evidence = errors_of({"a": [[15, 16, 17], [11, 11, 11]], "b": [[10, 10, 10]] * 2})
    text, judged = judge(evidence, "lower", **AB, points=points)
    assert judged == word
    p = [ttest_1samp([5, 6, 7], points, alternative="greater").pvalue]
    # Differences that do not vary deviate by one test example.
    p.append(ttest_1samp([0, 1, 2], points, alternative="greater").pvalue)
    p_against = p_text(min(1.0, 2 * min(p)))
    assert f"; a test finds it above somewhere {p_against} (Holm), power 0.8 at " in text


def test_points_are_of_every_row() -> None:
    with pytest.raises(ValidationError, match="points are of by: every-row"):
        judge(errors_of(SPLITS), "lower", **AB, points=1, by="paired-t")


@pytest.mark.parametrize(("wins", "losses"), [(6, 0), (5, 0), (8, 1), (8, 2), (0, 6), (0, 5)])
def test_better_and_apart_need_a_significant_sign_test(wins: int, losses: int) -> None:
    a = rows(*[1] * wins, *[3] * losses, 2)
    evidence = errors_of({"a": a, "b": rows(*[2] * len(a))})
    p = float(binomtest(wins, wins + losses).pvalue)
    better = judge(evidence, "lower", **AB, by="sign-test")
    words = ("supported", "agrees") if wins > losses else ("refuted", "disagrees")
    assert better.word == words[p > 0.05]
    denied = judge(evidence, "not-better", **AB)
    start = f"{wins} wins, {losses} losses, 1 ties, {p_text(p)}; power at 60, 70, 80% wins: "
    assert denied.text.startswith(start)
    # On five rows the test cannot be significant, so that it shows nothing.
    not_found: ClaimWord = "agrees" if wins + losses > 5 else "undecided"
    one_sided: ClaimWord = "refuted" if wins > losses else "supported"
    assert denied.word == (one_sided if p <= 0.05 else not_found)
    alike = judge(evidence, "not-different", **AB)
    assert alike == (denied.text, "refuted" if p <= 0.05 else not_found)


@pytest.mark.parametrize(
    ("b", "margin", "word"),
    [
        ((11, 9, 11, 9, 10, 10), 2.5, "supported"),
        ((20, 21, 19, 20, 21, 19), 2.5, "refuted"),
        ((0, 1, 0, 1, 0, 1), 2.5, "refuted"),
        ((30, 9, 11, 9, 10, 10), 2.5, "disagrees"),
        ((20, 9, 11, 9, 10, 10), 2.5, "agrees"),
        ((11, 9, 11, 9, 10, 10), 0.5, "agrees"),
    ],
)
def test_equivalence_is_an_interval_in_a_margin(
    b: tuple[int, ...], margin: float, word: ClaimWord
) -> None:
    evidence = errors_of({"a": rows(*[10] * 6), "b": rows(*b)})
    text, judged = judge(evidence, "equivalent", **AB, margin=margin)
    assert judged == word
    test = equivalence_test([10] * 6, b, margin)
    interval = f"90% interval {test.low:+.2f} to {test.high:+.2f}"
    start = f"mean difference {test.mean_difference:+z.2f} percentage points, {interval}"
    assert text == f"{start}, margin {margin:g}, {p_text(test.p_value)}"


def test_one_row_is_too_few_for_equivalence_and_a_margin_is_above_zero() -> None:
    evidence = errors_of({"a": rows(1), "b": rows(1)})
    with pytest.raises(Lacking, match="one row is too few"):
        judge(evidence, "equivalent", **AB, margin=1)
    for margin in (0, -1, float("inf")):
        with pytest.raises(ValidationError):
            judge(evidence, "equivalent", **AB, margin=margin)


def test_pairs_must_be_the_significant_ones_and_no_others() -> None:
    evidence = errors_of({"a": rows(*[1] * 6), "b": rows(*[2] * 6), "c": rows(1, 2, 1, 2, 1, 2)})
    text = "A over B (p = 0.031)"
    kind = "significant-pairs"
    assert judge(evidence, kind, pairs=[[*"ab"]]) == (text, "supported")
    # A claimed pair that is not significant does not contradict the claim.
    against = f"{text}; against the claim p = 0.750 (Holm)"
    assert judge(evidence, kind, pairs=[[*"ab"], [*"ac"]]) == (against, "agrees")
    # One of three pairs is significant in the other direction, p = 0.031; alone, it refutes.
    against = f"{text}; against the claim p = 0.094 (Holm)"
    assert judge(evidence, kind, pairs=[[*"ba"]]) == (against, "disagrees")
    assert judge(evidence, kind, pairs=[[*"ba"]], among=["a"]).word == "refuted"
    equal = errors_of({"a": rows(*[10] * 4), "b": rows(*[10] * 4)})
    text = "no pair; against the claim p = 1.000 (Holm)"
    assert judge(equal, kind, pairs=[[*"ab"]]) == (text, "disagrees")


THREE = {"a": [[1], [2], [3]], "b": [[2], [2], [2]], "c": [[3], [1], [9]]}


@pytest.mark.parametrize(("n_significant", "word"), [(3, "supported"), (2, "agrees")])
def test_a_count_is_supported_by_a_test_on_each_row(n_significant: int, word: ClaimWord) -> None:
    better, near = [30, 31, 32], [59, 30, 65]
    a = [better] * n_significant + [near] * (4 - n_significant) + [[80, 80, 80]]
    evidence = errors_of({"a": a, "b": splits(60, 62, 61, n_rows=5)})
    text, judged = judge(evidence, "wins-or-ties", **AB, at_least=3)
    assert (text, judged) == ("4 of 5 (4 wins, 0 ties)", word)
    # The third least of five p-values, times those that are left.
    p = ttest_rel(better, [60, 62, 61], alternative="less").pvalue
    assert 3 * p <= 0.05


@given(st.integers(1, 12), st.integers(0, 5), st.data())
def test_a_count_is_refuted_at_its_level_at_most(n: int, missing: int, data: st.DataObject) -> None:
    at_least = data.draw(st.integers(1, n + missing))
    count = data.draw(st.integers(0, n))
    evidence = errors_of({"a": rows(*[1] * count, *[3] * (n - count)), "b": rows(*[2] * n)})
    keys = {**AB, "at_least": at_least, "out_of": n + missing}
    text, word = judge(evidence, "wins-or-ties", **keys)
    share = min(at_least / (n + missing), (at_least + 0.5) / (n + missing + 1))
    tail = binom.cdf(count, n, share)
    open_rows = at_least <= count + missing
    expected: ClaimWord = "refuted" if tail <= 0.05 else "disagrees"
    assert word == ("agrees" if count >= at_least else "undecided" if open_rows else expected)
    if 0 < count < at_least - missing:
        assert f"; {count} or fewer by chance {p_text(tail)}, a test refutes " in text


def test_rows_within_a_deviation_of_the_lowest_could_be_lowest() -> None:
    # A is lowest on none of nine rows: B is one below it, and deviates by 1.41 or 0.
    near = errors_of({"a": [[6, 6]] * 9, "b": [[4, 6]] * 9})
    text, word = judge(near, "lowest-mean", of="a", at_least=6)
    assert text.endswith("; 9 with those within one standard deviation of the best")
    assert word == "disagrees"
    equal_splits = errors_of({"a": [[6, 6]] * 9, "b": [[5, 5]] * 9})
    text = "lowest mean on 0 of 9; none by chance p < 0.001, a test refutes 2 or fewer"
    assert judge(equal_splits, "lowest-mean", of="a", at_least=6) == (text, "refuted")


def test_rows_where_intervals_of_one_deviation_do_not_overlap_are_named() -> None:
    # Deviations are 1.41 each: means 2.8 apart overlap, means 3 apart do not.
    counts = {"a": [[4, 6], [5, 7], [0, 0]], "b": [[3, 1], [4, 2], [9, 9]], "c": [[99, 99]] * 3}
    text, word = judge(errors_of(counts), "competitive", of="a", than=["b", "c"], at_least=2)
    assert (text.partition("; 1 or fewer")[0], word) == ("1 of 3; not on r1, r2", "disagrees")
    near = errors_of({"a": [[40, 60]], "b": [[39, 33]]}, n_test=1000)
    assert judge(near, "competitive", **AB, at_least=1) == ("1 of 1", "agrees")
    # One split has no deviation.
    one = errors_of({"a": [[3], [3]], "b": [[3], [2]]})
    assert judge(one, "competitive", **AB, at_least=2).text.startswith("1 of 2; not on r2")


@pytest.mark.parametrize("at_most", [1, 2, 3])
def test_ranks_are_those_of_scipy(at_most: int) -> None:
    columns = [[row[0] for row in column] for column in THREE.values()]
    ranks = [int(rankdata(row, "min")[0]) for row in zip(*columns, strict=True)]
    assert ranks == [1, 2, 2]
    text, word = judge(errors_of(THREE), "rank", of="a", at_most=at_most)
    # One split refutes nothing.
    assert word == ("agrees" if max(ranks) <= at_most else "disagrees")
    places = ("best", "second", "third")[:at_most]
    counts = ", ".join(f"{p} in {ranks.count(i)}" for i, p in enumerate(places, start=1))
    worse = "; not in r2 (2nd), r3 (2nd)" if at_most == 1 else ""
    assert text == f"{counts} of 3 rows{worse}"


def test_better_ones_on_a_row_refute_a_rank() -> None:
    cases = {(1, 2, 3): "refuted", (99, 99, 99): "supported", (1, 60, 3): "disagrees"}
    for c, word in cases.items():
        counts = {"a": [[21, 22, 23]] * 2, "b": [[11, 12, 14], [51, 52, 53]]}
        evidence = errors_of(counts | {"c": [[*c], [61, 62, 63]]})
        assert judge(evidence, "rank", of="a", at_most=2).word == word


def test_the_closest_has_the_least_mean_distance_whatever_its_sign() -> None:
    evidence = errors_of(
        {"to": rows(10, 10), "a": rows(11, 8), "b": rows(10, 14), "c": rows(30, 9)}
    )
    start = "mean absolute difference in percentage points: A 1.50, B 2.00, C 10.50; "
    end = "on 1 of 2, equal on 0, sign test p = 1.000"
    judgements = [judge(evidence, "closest", of=name, to="to") for name in "ab"]
    assert judgements[0] == (f"{start}A nearer than B {end}", "agrees")
    assert judgements[1] == (f"{start}B nearer than A {end}", "disagrees")
    assert judge(evidence, "closest", of="b", to="to", among=("b", "c")).word == "agrees"


def test_the_closest_must_be_nearer_than_each_other() -> None:
    counts = {"to": rows(10, 10, 10), "a": rows(11, 10, 9), "b": rows(20, 21, 1)}
    keys: dict[str, Any] = {"of": "a", "to": "to"}
    assert judge(errors_of(counts), "closest", **keys).word == "supported"
    near = counts | {"c": rows(12, 10, 9)}
    assert judge(errors_of(near), "closest", **keys).word == "agrees"
    # A rival refutes it if it is significantly nearer.
    for b, word in (((14, 15, 16), "refuted"), ((14, 31, 10), "disagrees")):
        rivals = {"to": [[10]] * 3, "a": [[11]] * 3, "b": rows(*b), "c": rows(90, 95, 99)}
        assert judge(errors_of(rivals), "closest", of="b", to="to").word == word


# On how many of ten splits each is worse than the base, by row.
WORSE = {"a": (9, 8, 10, 9), "b": (5, 4, 6, 4), "c": (9, 7, 9, 10)}


@pytest.mark.parametrize(
    ("name", "among", "word"),
    [
        ("a", "b", "supported"),
        ("c", "a", "disagrees"),
        ("a", "bc", "agrees"),
        ("b", "ac", "refuted"),
    ],
)
def test_shares_of_splits_are_compared_by_t_tests(name: str, among: str, word: ClaimWord) -> None:
    counts = {
        c: [[2] * k + [1] * (5 - k // 2) + [0] * (5 - k + k // 2) for k in numbers]
        for c, numbers in WORSE.items()
    }
    evidence = errors_of(counts | {"base": [[1] * 10] * 4})
    text, judged = judge(evidence, "worse-more-often", of=name, than="base", among=[*among])
    assert judged == word
    low, high = ttest_rel(WORSE[name], WORSE[among[0]]).confidence_interval(0.9)
    mean, other = np.mean(WORSE[name]), np.mean(WORSE[among[0]])
    first = f"{name.upper()} worse on {10 * mean:.0f}% of the splits, {among[0].upper()} on "
    numbers = f"{(mean - other) / 10:+.3g} [{low / 10:+.3g}, {high / 10:+.3g}]"
    assert text.startswith(f"{first}{10 * other:.0f}% ({numbers})")


RATIOS = {"a": [[1.0, 2.0], [3.0, 3.0], [1.0, 1.0]], "b": [[4.0, 8.0], [9.0, 27.0], [5.0, 5.0]]}


# The interval is 3.71 to 5.97; another run can differ by 10%.
@pytest.mark.parametrize(
    ("times", "word"),
    [(3, "supported"), (3.5, "agrees"), (4.5, "agrees"), (6.2, "disagrees"), (7, "refuted")],
)
def test_mean_logarithms_of_ratios_are_tested_over_the_rows(times: float, word: ClaimWord) -> None:
    text, judged = judge(timed(RATIOS), "times-faster", **AB, times=times)
    assert judged == word
    logs = np.log([4, np.sqrt(27), 5])
    low, high = np.exp(ttest_1samp(logs, 0).confidence_interval(0.9))
    start = f"{np.exp(logs.mean()):.3g} times as fast [{low:.3g}, {high:.3g}]; power 0.8 at "
    assert text.startswith(start)
    assert text.endswith(" times")


def test_a_single_row_is_tested_over_its_splits() -> None:
    evidence = timed({"a": [[1.0, 1.0, 1.0]], "b": [[4.0, 5.0, 6.0]]})
    low, high = np.exp(ttest_1samp(np.log([4, 5, 6]), 0).confidence_interval(0.9))
    assert f"[{low:.3g}, {high:.3g}]" in judge(evidence, "times-faster", **AB, times=3).text
    with pytest.raises(Lacking, match=NO_SPLITS):
        judge(timed({"a": [[0.1]], "b": [[0.2]]}), "times-faster", **AB)


def test_each_fast_one_is_faster_than_each_slow_one() -> None:
    evidence = timed({**RATIOS, "c": [[1.1, 1.9], [2.9, 3.3], [0.9, 1.1]], "d": RATIOS["a"]})
    text, word = judge(evidence, "times-faster", of=["a", "c"], than="b")
    assert word == "supported"
    assert text.startswith("A against B 4.7 times as fast")
    assert "; C against B " in text
    # One that is as fast is within what another run can differ by; one that is slower refutes it.
    alike = judge(evidence, "times-faster", of=["a", "c"], than=["b", "d"])
    assert alike.word in ("agrees", "disagrees")
    assert judge(evidence, "times-faster", of=["a", "b"], than="c").word == "refuted"


@pytest.mark.parametrize("seconds", [(0.0, 1.0), (1.0, 0.0)])
def test_no_time_at_all_is_no_evidence(seconds: tuple[float, float]) -> None:
    evidence = timed({c: [[s, s]] for c, s in zip("ab", seconds, strict=True)})
    with pytest.raises(Lacking, match="a time of 0"):
        judge(evidence, "times-faster", **AB)


def test_printed_times_are_compared_as_they_are() -> None:
    for times, word in (
        (4, "supported"),
        (4.1, "refuted"),
    ):
        table = Printed("p", ("a", "b"), {(TIME_ROW, "a"): "2.5", (TIME_ROW, "b"): "10"})
        evidence: Evidence = InPrint(("x",), {}, (table,))
        assert judge(evidence, "times-faster", **AB, times=times) == ("4 times as fast", word)


Errors = list[list[int]]

# Every word.

BY_SPLITS: list[tuple[str, dict[str, Any]]] = [
    ("lower", AB),
    ("higher", BA),
    ("lower", {**AB, "by": "paired-t"}),
    ("lowest-mean", {"of": "a", "at_least": 6}),
    ("rank", {"of": "a", "at_most": 1}),
]
BY_SIGNS: list[tuple[str, dict[str, Any]]] = [
    ("lower", {**AB, "by": "sign-test"}),
    ("significant-pairs", {"pairs": [["a", "b"]]}),
]
FOUR: tuple[ClaimWord, ...] = ("supported", "agrees", "disagrees", "refuted")


def test_a_better_one_gives_four_words_by_its_significance() -> None:
    for claims, pairs in (
        (BY_SPLITS, [(LESS, MORE), (LESS, NEAR), (NEAR, LESS), (MORE, LESS)]),
        (BY_SIGNS, [(NINE, TEN), (ONE_MORE, TEN), (TEN, ONE_MORE), (TEN, NINE)]),
    ):
        for kind, keys in claims:
            words = [judge(errors_of({"a": a, "b": b}), kind, **keys).word for a, b in pairs]
            assert (*words,) == FOUR, kind


CASES: list[tuple[str, dict[str, Any], Errors, Errors, ClaimWord]] = [
    ("wins-or-ties", {**AB, "at_least": 8, "out_of": 8}, LESS, MORE, "undecided"),
    ("wins-or-ties", {**AB, "at_least": 6}, LESS, MORE, "supported"),
    ("wins-or-ties", {**AB, "at_least": 6}, LESS, NEAR, "agrees"),
    ("wins-or-ties", {**AB, "at_least": 6}, ONE_MORE, TEN, "disagrees"),
    ("wins-or-ties", {**AB, "at_least": 6}, MORE, LESS, "refuted"),
    ("lowest-mean", {"of": "a", "at_least": 7}, LESS, MORE, "undecided"),
    ("competitive", {**AB, "at_least": 6}, LESS, MORE, "supported"),
    ("competitive", {**AB, "at_least": 6}, NEAR, LESS, "agrees"),
    ("competitive", {**AB, "at_least": 7}, LESS, MORE, "undecided"),
    ("competitive", {**AB, "at_least": 6}, [*MORE[:1], *LESS[:5]], LESS, "disagrees"),
    ("competitive", {**AB, "at_least": 6}, MORE, LESS, "refuted"),
    ("not-better", AB, ONE_MORE, TEN, "agrees"),
    ("not-different", AB, ONE_MORE, TEN, "agrees"),
]


@pytest.mark.parametrize(("kind", "keys", "a", "b", "word"), CASES)
def test_each_kind_has_each_of_its_other_words(
    kind: str, keys: dict[str, Any], a: Errors, b: Errors, word: ClaimWord
) -> None:
    assert judge(errors_of({"a": a, "b": b}), kind, **keys).word == word


EXACT: list[tuple[str, dict[str, Any], str, str, ClaimWord]] = [
    ("lower", AB, "0.1", "0.2", "supported"),
    ("lower", AB, "0.1", "0.1", "refuted"),
    ("lower", {**AB, "points": 0.3}, "0.033", "0.030", "supported"),
    ("lower", {**AB, "points": 0.2}, "0.033", "0.030", "refuted"),
    ("higher", AB, "0.2", "0.1", "supported"),
    # One row is never significant.
    ("lower", {**AB, "by": "sign-test"}, "0.1", "0.2", "refuted"),
    ("wins-or-ties", {**AB, "at_least": 1}, "0.1", "0.1", "supported"),
    ("wins-or-ties", {**AB, "at_least": 1}, "0.2", "0.1", "refuted"),
    ("wins-or-ties", {**AB, "at_least": 2}, "0.1", "0.2", "undecided"),
    ("lowest-mean", {"of": "a", "at_least": 1}, "0.1", "0.2", "supported"),
    ("lowest-mean", {"of": "a", "at_least": 1}, "0.2", "0.1", "refuted"),
    ("rank", {"of": "a", "at_most": 1}, "0.2", "0.1", "refuted"),
    # Nor can it show that there is no difference.
    ("not-better", AB, "0.1", "0.2", "undecided"),
    ("not-different", AB, "0.1", "0.2", "undecided"),
    ("significant-pairs", {"pairs": [["a", "b"]]}, "0.1", "0.2", "refuted"),
]


@pytest.mark.parametrize(("kind", "keys", "a", "b", "word"), EXACT)
def test_a_claim_on_printed_numbers_is_true_of_them_or_not(
    kind: str, keys: dict[str, Any], a: str, b: str, word: ClaimWord
) -> None:
    assert judge(in_print({"a": [a], "b": [b]}), kind, **keys).word == word


def test_printed_numbers_are_significant_as_the_sign_test_finds_them() -> None:
    evidence = in_print({"a": ["0.1"] * 6, "b": ["0.2"] * 6})
    by_signs: dict[str, Any] = {"by": "sign-test"}
    assert judge(evidence, "lower", **AB, **by_signs).word == "supported"
    assert judge(evidence, "lower", **BA, **by_signs).word == "refuted"
    words = [judge(evidence, "not-better", **pair).word for pair in (AB, BA)]
    assert words == ["refuted", "supported"]
    assert judge(evidence, "not-different", **AB).word == "refuted"
    pairs = [[["a", "b"]], [["b", "a"]]]
    words = [judge(evidence, "significant-pairs", pairs=pair).word for pair in pairs]
    assert words == ["supported", "refuted"]
    alike = in_print({"a": ["0.1"] * 5 + ["0.3"], "b": ["0.2"] * 6})
    words = [judge(alike, kind, **AB).word for kind in ("not-better", "not-different")]
    assert words == ["supported", "supported"]


# Symmetry.

FEW = st.lists(st.integers(0, 30), min_size=2, max_size=6)
PAIRS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=2, max_size=12)


@given(PAIRS, st.sampled_from([0.0, 0.1, 0.5]))
def test_swapping_on_one_row_mirrors_the_word(pairs: list[tuple[int, int]], share: float) -> None:
    counts = {name: [[*side]] for name, side in zip("ab", zip(*pairs, strict=True), strict=True)}
    evidence = overlapping(errors_of(counts), share)
    equal = sum(a - b for a, b in pairs) == 0
    word = judge(evidence, "lower", **AB).word
    mirrored = "disagrees" if equal else MIRROR[word]
    assert judge(evidence, "lower", **BA).word == judge(evidence, "higher", **AB).word == mirrored
    # Equal errors share the better rank.
    ranks = [judge(evidence, "rank", of=name, at_most=1).word for name in "ab"]
    assert ranks[1] == ("agrees" if equal else MIRROR[ranks[0]])


@given(PAIRS)
def test_swapping_two_algorithms_over_rows_mirrors_the_word(pairs: list[tuple[int, int]]) -> None:
    a, b = (rows(*side) for side in zip(*pairs, strict=True))
    evidence = errors_of({"a": a, "b": b, "t": rows(*[10] * len(a))})
    no_winner = sum(np.sign(x - y) for x, y in pairs) == 0
    as_close = sum(abs(x - 10) - abs(y - 10) for x, y in pairs) == 0
    signs, two = {"by": "sign-test"}, {"among": ["a", "b"]}
    cases: list[tuple[str, dict[str, Any], dict[str, Any], bool]] = [
        ("lower", AB | signs, BA | signs, no_winner),
        ("significant-pairs", {"pairs": [[*"ab"]], **two}, {"pairs": [[*"ba"]], **two}, no_winner),
        ("closest", {"of": "a", "to": "t"}, {"of": "b", "to": "t"}, as_close),
    ]
    for kind, one, other, equal in cases:
        word, back = (judge(evidence, kind, **keys).word for keys in (one, other))
        # Neither of two equal algorithms is better.
        assert back == ("disagrees" if equal else MIRROR[word]), kind
    # Agreement is mutual, and significance has one side.
    word, back = (judge(evidence, "not-better", **keys).word for keys in (AB, BA))
    assert back == (MIRROR[word] if word in ("supported", "refuted") else word)
    for kind, keys in (("not-different", {}), ("equivalent", {"margin": 5})):
        assert judge(evidence, kind, **AB, **keys).word == judge(evidence, kind, **BA, **keys).word


@given(st.lists(st.tuples(FEW, FEW), min_size=2, max_size=5))
def test_swapping_mirrors_comparisons_with_a_third(
    pairs: list[tuple[list[int], list[int]]],
) -> None:
    n = min(len(side) for pair in pairs for side in pair)
    a, b = ([side[:n] for side in sides] for sides in zip(*pairs, strict=True))
    evidence = errors_of({"a": a, "b": b, "t": splits(*range(10, 10 + n), n_rows=len(a))})
    words = [
        judge(evidence, "worse-more-often", of=name, than="t", among=among).word
        for name, among in ("ab", "ba")
    ]
    worse = [sum(x > 10 + i for row in side for i, x in enumerate(row)) for side in (a, b)]
    assert words[1] == ("disagrees" if worse[0] == worse[1] else MIRROR[words[0]])


@pytest.mark.parametrize("n_rows", [1, 3])
def test_swapping_mirrors_what_the_paired_t_test_finds_on_most_rows(n_rows: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        a, b = rng.integers(0, 40, (2, n_rows, 6)) + rng.integers(0, 15, (2, 1, 1))
        if (a.sum(axis=1) == b.sum(axis=1)).any():
            continue
        evidence = errors_of({"a": a.tolist(), "b": b.tolist()})
        words = [judge(evidence, "lower", **pair, by="paired-t").word for pair in (AB, BA)]
        assert words[1] == MIRROR[words[0]], (a, b)


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), min_size=2, max_size=6))
def test_swapping_mirrors_which_is_faster(pairs: list[tuple[int, int]]) -> None:
    a, b = ([[float(x)] for x in side] for side in zip(*pairs, strict=True))
    words = [judge(timed({"a": a, "b": b}), "times-faster", **pair).word for pair in (AB, BA)]
    log_ratio = np.log(np.array(b) / np.array(a)).mean()
    if abs(log_ratio) > 1e-12:
        assert words[1] == MIRROR[words[0]]


# Equal methods.


def equal_methods(
    rng: np.random.Generator, names: str, n_rows: int, n_splits: int, n_test: int
) -> Ours:
    """Return evidence of methods that are equally good: half of their errors are common."""
    risks = rng.beta(2, 10, n_rows)[:, None]
    common = rng.binomial(n_test // 2, risks, (n_rows, n_splits))
    return errors_of(
        {
            name: (common + rng.binomial(n_test // 2, risks, (n_rows, n_splits))).tolist()
            for name in names
        },
        n_test,
    )


@pytest.mark.parametrize(
    ("kind", "keys", "names", "shape"),
    [
        ("closest", {"of": "a", "to": "t"}, "tab", (25, 1, 200)),
        ("closest", {"of": "a", "to": "t"}, "tab", (3, 1, 20)),
        ("lowest-mean", {"of": "a", "at_least": 3}, "ab", (12, 2, 20)),
        ("not-better", AB, "ab", (25, 1, 200)),
        ("lower", {**AB, "by": "sign-test"}, "ab", (25, 1, 200)),
        ("lower", AB, "ab", (1, 10, 100)),
        ("rank", {"of": "a", "at_most": 1}, "abc", (1, 5, 100)),
        ("wins-or-ties", {**AB, "at_least": 2}, "ab", (4, 3, 40)),
        ("significant-pairs", {"pairs": [["a", "b"]]}, "ab", (12, 1, 200)),
    ],
)
def test_equal_methods_are_seldom_supported(
    kind: str, keys: dict[str, Any], names: str, shape: tuple[int, int, int]
) -> None:
    rng, n = np.random.default_rng(1), 150
    words = Counter(judge(equal_methods(rng, names, *shape), kind, **keys).word for _ in range(n))
    # At a rate of 5%, one simulation in a hundred has more than this.
    assert words["supported"] <= binom.ppf(0.99, n, 0.05), words


def test_methods_that_are_equal_on_splits_of_one_data_set_are_seldom_supported() -> None:
    rng, n, words = np.random.default_rng(1), 100, Counter[ClaimWord]()
    for _ in range(n):
        # Each method gets a fifth of all rows wrong; the splits are halves of 200 rows.
        wrong = rng.random((2, 3, 200)) < 0.2
        halves = [rng.permutation(200)[:100] for _ in range(20)]
        a, b = ([[int(row[half].sum()) for half in halves] for row in side] for side in wrong)
        evidence = overlapping(errors_of({"a": a, "b": b}), 0.5)
        words[judge(evidence, "lower", **AB, by="paired-t").word] += 1
    assert words["supported"] <= binom.ppf(0.99, n, 0.05), words


# Metrics and units.

KEYS: dict[str, dict[str, Any]] = {
    "wins-or-ties": {**AB, "at_least": 3},
    "lowest-mean": {"of": "a", "at_least": 3},
    "rank": {"of": "a", "at_most": 1},
    "not-better": AB,
    "not-different": AB,
    "significant-pairs": {"pairs": [["a", "b"]]},
}


@pytest.mark.parametrize("kind", KEYS)
def test_the_better_one_by_a_metric_is_better_as_by_its_errors(kind: str) -> None:
    x, y = ["0.90", "0.95", "0.80", "0.70", "0.91", "0.62"], ["0.85", "0.94", "0.70"] * 2
    for numbers in ({"a": x, "b": y}, {"a": y, "b": x}):
        by_auc = judge(in_print(numbers, metric="auc"), kind, **KEYS[kind])
        by_accuracy = judge(in_print(numbers, metric="accuracy"), kind, **KEYS[kind])
        errors = {c: [f"{1 - float(text):.2f}" for text in texts] for c, texts in numbers.items()}
        by_error = judge(in_print(errors), kind, **KEYS[kind])
        assert by_accuracy == by_error
        assert by_auc == (by_error.text.replace("lowest", "highest"), by_error.word)


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        *KEYS.items(),
        ("lower", AB),
        ("lower", {**AB, "by": "sign-test"}),
        ("lower", {**AB, "points": 1.5}),
        ("equivalent", {**AB, "margin": 2.5}),
        ("closest", {"of": "a", "to": "t"}),
    ],
)
def test_percent_and_fractions_give_the_same_judgement(kind: str, keys: dict[str, Any]) -> None:
    numbers = {"a": "4.28 10.1 33 0.07", "b": "5.00 9.9 34 0.06", "t": "4 10 31 1"}
    percent = {name: texts.split() for name, texts in numbers.items()}
    fractions = {name: [str(Decimal(x) / 100) for x in xs] for name, xs in percent.items()}
    judgement = judge(in_print(percent, "percent"), kind, **keys)
    assert judgement == judge(in_print(fractions, "fraction"), kind, **keys)


NOISE = {"a": 0.1 + 0.2, "b": 0.3}
"""RMSEs that differ by rounding alone."""


@pytest.mark.parametrize("name", "ab")
def test_rounding_decides_no_claim(name: str) -> None:
    evidence = changed(
        errors_of(dict.fromkeys("abc", [[1]] * 6)),
        lambda record, row, column, split: replace(record, rmse=NOISE.get(column, 1.0)),
    )
    [than] = {*"ab"} - {name}
    pair = {"of": name, "than": than}
    assert judge(evidence, "not-better", **pair).text.startswith("0 wins, 0 losses, 6 ties, p = 1")
    significant = judge(evidence, "significant-pairs", pairs=[(name, "c"), (than, "c")])
    assert significant.word == "supported"
    assert judge(evidence, "wins-or-ties", **pair, at_least=6).text == "6 of 6 (0 wins, 6 ties)"
    assert judge(evidence, "competitive", **pair, at_least=6).word == "agrees"
    assert judge(evidence, "lowest-mean", of=name, at_least=6).word == "agrees"
    assert judge(evidence, "rank", of=name, at_most=1).word == "agrees"
    assert judge(evidence, "lower", **pair, points=0).word == "agrees"
    assert judge(evidence, "lower", **pair).word == "disagrees"
    assert judge(evidence, "closest", of=name, to="c").word == "disagrees"
    often = judge(evidence, "worse-more-often", **pair, among="c").text
    assert often.startswith(f"{name.upper()} worse on 0% of the splits, C on 100%")
