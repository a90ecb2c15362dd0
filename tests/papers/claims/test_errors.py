from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.stats import binom, binomtest, rankdata, ttest_1samp, ttest_rel

from quadrepro.papers.claims.evidence import NO_SPLITS, InPrint, Lacking, Ours
from quadrepro.papers.printed import TIME_ROW, Facts, Printed
from quadrepro.stats import equivalence_test, p_text
from tests.papers.measured import changed, errors_of, judge

FOUR = [[10], [10], [10], [10]]
AB = {"of": "a", "than": "b"}


def rows(*counts: int) -> list[list[int]]:
    return [[count] for count in counts]


def printed(a: str, b: str) -> InPrint:
    cells = {("x", "a"): a, ("x", "b"): b}
    return InPrint(("x",), {}, (Printed("p", ("a", "b"), cells, Facts(unit="percent")),))


NOISE = {"a": 0.1 + 0.2, "b": 0.3}
"""RMSEs that differ by rounding alone."""


@pytest.mark.parametrize("of", "ab")
def test_rounding_decides_no_claim(of: str) -> None:
    evidence = changed(
        errors_of(dict.fromkeys("abc", [[1]] * 6)),
        lambda record, row, column, split: replace(record, rmse=NOISE.get(column, 1.0)),
    )
    [than] = {*"ab"} - {of}
    pair = {"of": of, "than": than}
    assert judge(evidence, "not-better", **pair).text.startswith("0 wins, 0 losses, 6 ties, p = 1")
    assert judge(evidence, "significant-pairs", pairs=[(of, "c"), (than, "c")]).holds
    assert judge(evidence, "wins-or-ties", **pair, at_least=6).text == "6 of 6 (0 wins, 6 ties)"
    assert judge(evidence, "competitive", **pair, at_least=6).holds
    assert judge(evidence, "lowest-mean", of=of, at_least=6).holds
    assert judge(evidence, "rank", of=of, at_most=1).holds
    assert judge(evidence, "lower", **pair, points=0).holds
    assert not judge(evidence, "lower", **pair).holds
    assert not judge(evidence, "closest", of=of, to="c").holds
    often = judge(evidence, "worse-more-often", **pair, among="c").text
    assert often.startswith(f"{of.upper()} worse on 0% of the splits, C on 100%")


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
    evidence = errors_of({"low": rows(*[5] * len(high)), "high": rows(*high)})
    of, than = ("low", "high") if kind == "lower" else ("high", "low")
    text, judged = judge(evidence, kind, of=of, than=than, by=by)
    assert judged is holds
    wins, ties = sum(h > 5 for h in high), sum(h == 5 for h in high)
    assert text.startswith(f"{kind} on {wins} of {len(high)}, equal on {ties}, sign test p = 0.")
    assert ("; power at 60, 70, 80% wins: " in text) == (by == "sign-test" and not holds)
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
    assert mostly == ("significantly lower on 2 of 3, higher on 0", True)
    text, holds = judge(evidence, "higher", **AB, by="paired-t")
    assert text.startswith("significantly higher on 0 of 3, lower on 2; power 0.8 at ")
    assert holds is False
    text, holds = judge(evidence, "lower", **AB)
    assert text.startswith(
        "lower on 2 of 3, equal on 0, sign test p = 1.000; significantly lower on 2, the other "
        "way on 0; power 0.8 at "
    )
    assert holds is None


def test_one_row_that_is_significantly_the_other_way_refutes_every_row() -> None:
    evidence = errors_of(SPLITS).over(["r1", "r3"])
    assert judge(evidence, "higher", **AB).holds is False
    # Splits that overlap decide less.
    shares = replace(evidence.outcomes, test_shares=dict.fromkeys(evidence.rows, 0.9))
    assert judge(replace(evidence, outcomes=shares), "higher", **AB).holds is None


def test_half_of_the_rows_is_not_most_and_two_splits_are_enough() -> None:
    half = judge(errors_of({c: SPLITS[c][1:] for c in "ab"}), "lower", **AB, by="paired-t")
    assert half.text.startswith("significantly lower on 1 of 2, higher on 0; power")
    assert half.holds is None
    two = errors_of({"a": [[10, 20]], "b": [[11, 21]]})
    assert judge(two, "lower", **AB, by="paired-t").holds
    with pytest.raises(Lacking, match=NO_SPLITS):
        judge(errors_of({"a": rows(1), "b": rows(2)}), "lower", **AB, by="paired-t")


def test_each_algorithm_must_be_lower_than_each_other() -> None:
    evidence = errors_of({"a": rows(1, 2), "b": rows(1, 3), "c": rows(2, 3), "d": rows(9, 9)})
    found = judge(evidence, "lower", of=["a", "b"], than="c")
    assert found == ("A in 2, B in 1 of 2 rows; 3 of 4 pairs", None)
    found = judge(evidence, "lower", of="a", than=["c", "d"])
    assert found == ("A against C in 2, A against D in 2 of 2 rows; 4 of 4 pairs", True)
    by_signs = judge(evidence, "lower", of=["a", "b"], than="d", by="sign-test")
    assert by_signs.text.startswith("A: lower on 2 of 2, equal on 0, sign test p = 0.500; power")
    assert by_signs.holds is None


def test_one_pair_that_is_significantly_higher_refutes_all() -> None:
    text, holds = judge(errors_of(SPLITS | {"c": SPLITS["b"]}), "lower", of=["b", "c"], than="a")
    assert text.startswith("B in 1, C in 1 of 3 rows; 2 of 6 pairs; higher in some pair p < 0.001")
    assert "(Holm), power 0.8 at " in text
    assert holds is False
    near = errors_of({"a": [[10, 14]], "b": [[11, 13]]})
    assert judge(near, "lower", of="b", than="a").holds is None


@pytest.mark.parametrize(
    ("points", "above", "holds"), [(2.5, 0, True), (2.4, 1, None), (0.1, 2, None), (3, 0, True)]
)
def test_a_loss_of_the_allowed_points_is_not_above_them(
    points: float, above: int, holds: bool | None
) -> None:
    # 2.5 points exactly; in floating-point numbers 100 (0.126 - 0.101) is above it.
    evidence = errors_of({"a": rows(126, 103), "b": rows(101, 101)}, n_test=1000)
    text = f"at most 2.50 points (r1); above {points:g} in {above} of 2"
    assert judge(evidence, "lower", **AB, points=points) == (text, holds)
    assert judge(evidence, "higher", of="b", than="a", points=points) == (text, holds)
    assert judge(printed("3.3", "3.0"), "lower", **AB, points=0.3).holds


@pytest.mark.parametrize(("points", "holds"), [(1, False), (5.5, None), (7, True)])
def test_a_loss_is_refuted_where_it_is_significantly_larger(
    points: float, holds: bool | None
) -> None:
    evidence = errors_of({"a": [[15, 16, 17], [11, 11, 11]], "b": [[10, 10, 10]] * 2})
    text, found = judge(evidence, "lower", **AB, points=points)
    assert found is holds
    p = min(1.0, 2 * ttest_1samp([5, 6, 7], points, alternative="greater").pvalue)
    assert f"; a test finds it above somewhere {p_text(p)} (Holm), power 0.8 at " in text


def test_points_are_of_every_row() -> None:
    with pytest.raises(ValidationError, match="points are of by: every-row"):
        judge(errors_of(SPLITS), "lower", **AB, points=1, by="paired-t")


@pytest.mark.parametrize(("wins", "losses"), [(6, 0), (5, 0), (8, 1), (8, 2), (0, 6)])
def test_better_and_apart_need_a_significant_sign_test(wins: int, losses: int) -> None:
    a = rows(*[1] * wins, *[3] * losses, 2)
    evidence = errors_of({"a": a, "b": rows(*[2] * len(a))})
    p = float(binomtest(wins, wins + losses).pvalue)
    found = judge(evidence, "lower", **AB, by="sign-test")
    worse = p <= 0.05 and wins < losses
    assert found.holds is (True if p <= 0.05 and wins > losses else False if worse else None)
    denied = judge(evidence, "not-better", **AB)
    start = f"{wins} wins, {losses} losses, 1 ties, {p_text(p)}; power at 60, 70, 80% wins: "
    assert denied.text.startswith(start)
    assert denied.holds is (p > 0.05 or wins < losses)
    alike = judge(evidence, "not-told-apart", **AB)
    assert alike == (denied.text, p > 0.05)


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
    found = judge(evidence, "equivalent", **AB, margin=margin)
    assert found.holds is holds
    test = equivalence_test([10] * 6, b, margin)
    assert found.text == (
        f"mean difference {test.mean_difference:+.2f}, 90% interval {test.low:+.2f} to "
        f"{test.high:+.2f}, margin {margin:g}, {p_text(test.p_value)}"
    )


def test_one_row_is_too_few_for_equivalence_and_a_margin_is_above_zero() -> None:
    evidence = errors_of({"a": rows(1), "b": rows(1)})
    with pytest.raises(Lacking, match="one row is too few"):
        judge(evidence, "equivalent", **AB, margin=1)
    for margin in (0, -1, float("inf")):
        with pytest.raises(ValidationError):
            judge(evidence, "equivalent", **AB, margin=margin)


def test_pairs_must_be_the_significant_ones_and_no_others() -> None:
    evidence = errors_of({"a": rows(*[1] * 6), "b": rows(*[2] * 6), "c": rows(1, 2, 1, 2, 1, 2)})
    found = "A over B (p = 0.031)"
    kind = "significant-pairs"
    assert judge(evidence, kind, pairs=[[*"ab"]]) == (found, True)
    # That a claimed pair is not found is no evidence against it.
    against = f"{found}; against the claim p = 0.750 (Holm)"
    assert judge(evidence, kind, pairs=[[*"ab"], [*"ac"]]) == (against, None)
    # Of three pairs one is found in the other direction, p = 0.031; of one, it refutes.
    against = f"{found}; against the claim p = 0.094 (Holm)"
    assert judge(evidence, kind, pairs=[[*"ba"]]) == (against, None)
    assert judge(evidence, kind, pairs=[[*"ba"]], among=["a"]).holds is False
    nothing = errors_of({"a": FOUR, "b": FOUR})
    text = "no pair; against the claim p = 1.000 (Holm)"
    assert judge(nothing, kind, pairs=[[*"ab"]]) == (text, None)


THREE = {"a": [[1], [2], [3]], "b": [[2], [2], [2]], "c": [[3], [1], [9]]}


@pytest.mark.parametrize(("at_least", "holds"), [(2, True), (3, None)])
def test_wins_and_ties_are_counted_together(at_least: int, holds: bool | None) -> None:
    text, found = judge(errors_of(THREE), "wins-or-ties", **AB, at_least=at_least)
    assert text.startswith("2 of 3 (1 wins, 1 ties)")
    assert found is holds


@pytest.mark.parametrize(("wins", "holds"), [(6, True), (5, None), (3, None), (2, False)])
def test_too_few_rows_refute_a_count_by_the_binomial_distribution(
    wins: int, holds: bool | None
) -> None:
    evidence = errors_of({"a": rows(*[1] * wins, *[3] * (9 - wins)), "b": rows(*[2] * 9)})
    text, found = judge(evidence, "wins-or-ties", **AB, at_least=6)
    assert found is holds
    few = [binom.cdf(k, 9, 6.5 / 10) for k in range(10)]
    assert few[2] <= 0.05 < few[3]
    if wins < 6:
        p = p_text(few[wins])
        assert text.endswith(f"; {wins} or fewer by chance {p}, a test refutes 2 or fewer")


def test_rows_within_a_deviation_of_the_lowest_could_be_lowest() -> None:
    # Nine rows, on none of which A is lowest: B is one below it, and deviates by 1.41 or 0.
    near = errors_of({"a": [[6, 6]] * 9, "b": [[4, 6]] * 9})
    text, holds = judge(near, "lowest-mean", of="a", at_least=6)
    assert text.endswith("; 9 with those within one standard deviation of the lowest")
    assert holds is None
    apart = errors_of({"a": [[6, 6]] * 9, "b": [[5, 5]] * 9})
    text = "lowest mean on 0 of 9; none by chance p < 0.001, a test refutes 2 or fewer"
    assert judge(apart, "lowest-mean", of="a", at_least=6) == (text, False)


def test_a_count_in_print_needs_no_test_but_enough_rows() -> None:
    evidence = printed("2", "1")
    assert judge(evidence, "wins-or-ties", **AB, at_least=40).holds is None
    assert judge(evidence, "wins-or-ties", **AB, at_least=1) == ("0 of 1 (0 wins, 0 ties)", False)


def test_rows_where_intervals_of_one_deviation_do_not_overlap_are_named() -> None:
    # Deviations are 1.41 each: means 2.8 apart overlap, means 3 apart do not.
    counts = {"a": [[4, 6], [5, 7], [0, 0]], "b": [[3, 1], [4, 2], [9, 9]], "c": [[99, 99]] * 3}
    text, holds = judge(errors_of(counts), "competitive", of="a", than=["b", "c"], at_least=2)
    assert (text.partition("; 1 or fewer")[0], holds) == ("1 of 3; not on r1, r2", None)
    near = errors_of({"a": [[40, 60]], "b": [[39, 33]]}, n_test=1000)
    assert judge(near, "competitive", **AB, at_least=1) == ("1 of 1", True)
    # One split has no deviation.
    one = errors_of({"a": [[3], [3]], "b": [[3], [2]]})
    assert judge(one, "competitive", **AB, at_least=2).text.startswith("1 of 2; not on r2")


@pytest.mark.parametrize("at_most", [1, 2, 3])
def test_ranks_are_those_of_scipy(at_most: int) -> None:
    columns = [[row[0] for row in of_column] for of_column in THREE.values()]
    ranks = [int(rankdata(row, "min")[0]) for row in zip(*columns, strict=True)]
    assert ranks == [1, 2, 2]
    text, holds = judge(errors_of(THREE), "rank", of="a", at_most=at_most)
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
    assert judge(evidence, "rank", of="a", at_most=at_most).holds is holds


def test_the_closest_has_the_least_mean_distance_whatever_its_sign() -> None:
    evidence = errors_of(
        {"to": rows(10, 10), "a": rows(11, 8), "b": rows(10, 14), "c": rows(30, 9)}
    )
    text = "points of error apart on average: A 1.50, B 2.00, C 10.50; "
    nearer = "{} nearer than {} on 1 of 2, equal on 0, sign test p = 1.000"
    found = judge(evidence, "closest", of="a", to="to")
    assert found == (text + nearer.format("A", "B"), True)
    assert judge(evidence, "closest", of="b", to="to") == (text + nearer.format("B", "A"), None)
    assert judge(evidence, "closest", of="b", to="to", among=("b", "c")).holds


@pytest.mark.parametrize(
    ("far", "holds"), [((14, 15, 16), False), ((14, 31, 10), None), ((9, 9, 9), None)]
)
def test_a_rival_refutes_the_closest_if_it_is_significantly_nearer(
    far: tuple[int, ...], holds: bool | None
) -> None:
    counts = {"to": rows(10, 10, 10), "a": rows(11, 11, 11), "b": rows(*far), "c": rows(90, 95, 99)}
    assert judge(errors_of(counts), "closest", of="b", to="to").holds is holds


# On how many of ten splits each is worse than the base, by row.
WORSE = {"a": (9, 8, 10, 9), "b": (5, 4, 6, 4), "c": (9, 7, 9, 10)}


@pytest.mark.parametrize(
    ("of", "among", "holds"),
    [("a", "b", True), ("b", "a", False), ("a", "c", None), ("a", "bc", None), ("b", "ac", False)],
)
def test_shares_of_splits_are_compared_by_the_paired_t_test(
    of: str, among: str, holds: bool | None
) -> None:
    counts = {
        c: [[2] * k + [1] * (5 - k // 2) + [0] * (5 - k + k // 2) for k in of_rows]
        for c, of_rows in WORSE.items()
    }
    evidence = errors_of(counts | {"base": [[1] * 10] * 4})
    text, found = judge(evidence, "worse-more-often", of=of, than="base", among=[*among])
    assert found is holds
    low, high = ttest_rel(WORSE[of], WORSE[among[0]]).confidence_interval(0.9)
    mean, other = np.mean(WORSE[of]), np.mean(WORSE[among[0]])
    assert text.startswith(
        f"{of.upper()} worse on {10 * mean:.0f}% of the splits, {among[0].upper()} on "
        f"{10 * other:.0f}% ({(mean - other) / 10:+.3g} [{low / 10:+.3g}, {high / 10:+.3g}])"
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
    text, found = judge(timed(RATIOS), "times-faster", **AB, times=times)
    assert found is holds
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
    text, holds = judge(evidence, "times-faster", of=["a", "c"], than="b")
    assert holds
    assert text.startswith("A against B 4.7 times as fast")
    assert "; C against B " in text
    # One that is as fast leaves it open, one that is slower refutes it.
    assert judge(evidence, "times-faster", of=["a", "c"], than=["b", "d"]).holds is None
    assert judge(evidence, "times-faster", of=["a", "b"], than="c").holds is False


@pytest.mark.parametrize("seconds", [(0.0, 1.0), (1.0, 0.0)])
def test_no_time_at_all_is_no_evidence(seconds: tuple[float, float]) -> None:
    evidence = timed({c: [[s, s]] for c, s in zip("ab", seconds, strict=True)})
    with pytest.raises(Lacking, match="a time of 0"):
        judge(evidence, "times-faster", **AB)


@pytest.mark.parametrize(("times", "holds"), [(4, True), (4.1, False)])
def test_printed_times_are_compared_as_they_are(times: float, holds: bool) -> None:
    table = Printed("p", ("a", "b"), {(TIME_ROW, "a"): "2.5", (TIME_ROW, "b"): "10"})
    evidence = InPrint(("x",), {}, (table,))
    assert judge(evidence, "times-faster", **AB, times=times) == ("4 times as fast", holds)
