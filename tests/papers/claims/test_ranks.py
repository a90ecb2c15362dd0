from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.stats import norm

from quadrepro.papers.claims.claim import Judgement
from quadrepro.papers.claims.evidence import InPrint, Lacking, Number, Ours
from quadrepro.papers.claims.ranks import (
    Friedman,
    MeanRank,
    NemenyiPairs,
    OfRanks,
    WilcoxonPairs,
    mean_ranks,
)
from quadrepro.stats import critical_difference, friedman_test, holm, wilcoxon_test
from quadrepro.stats.result import p_text
from tests.papers.measured import errors_of

# Mean ranks of 8/6, 10/6 and 18/6 over six rows.
COUNTS = {"a": (1, 1, 1, 1, 2, 2), "b": (2, 2, 2, 2, 1, 1), "c": (3, 4, 5, 6, 7, 8)}


class Typed(InPrint):
    """Printed numbers without a table."""

    numbers: dict[str, list[Number]]

    def value(self, row: str, algorithm: str, quantity: Any = "error") -> Number:
        return self.numbers[algorithm][self.numbers["rows"].index(row)]  # type: ignore[arg-type]


def ours(counts: dict[str, tuple[int, ...]] = COUNTS) -> Ours:
    return errors_of({name: [[count] for count in of] for name, of in counts.items()})


def printed(counts: dict[str, tuple[int, ...]] = COUNTS) -> InPrint:
    evidence = ours(counts)
    found = Typed(evidence.rows, evidence.names, ())
    numbers: dict[str, Any] = {name: [Fraction(c) for c in of] for name, of in counts.items()}
    object.__setattr__(found, "numbers", {"rows": list(evidence.rows), **numbers})
    return found


def judged(claim: OfRanks, counts: dict[str, tuple[int, ...]] = COUNTS) -> tuple[Judgement, ...]:
    return claim.judge(ours(counts)), claim.judge(printed(counts))


def words(found: tuple[Judgement, ...]) -> tuple[bool | None, ...]:
    return tuple(of.holds for of in found)


def test_the_best_mean_rank_is_the_lowest_alone_or_with_others() -> None:
    found = judged(MeanRank(kind="mean-rank", text="t", of="a"))
    assert words(found) == (True, True)
    assert found[0].text == found[1].text == "A 1.33, B 1.67, C 3.00"
    equal = {"a": (1, 2), "b": (2, 1), "c": (3, 3)}
    assert words(judged(MeanRank(kind="mean-rank", text="t", of="b"), equal)) == (True, True)


def test_a_mean_rank_that_is_not_the_best_is_refuted_by_print_and_by_a_large_gap() -> None:
    close = judged(MeanRank(kind="mean-rank", text="t", of="b"))
    assert words(close) == (None, False)
    # The gap in standard errors, of ours and of the paper's, to either of two others.
    p = 2 * norm.sf((2 / 6) / sqrt(3 * 4 / 36) / sqrt(2))
    assert close[0].text.endswith(f"C 3.00; repetitions differ as much with {p_text(p)}")
    assert words(judged(MeanRank(kind="mean-rank", text="t", of="c"))) == (False, False)


@pytest.mark.parametrize(
    ("rank", "more", "expected"),
    [
        (1.33, {}, (True, True)),
        (1.28, {}, (None, False)),
        (1.29, {}, (True, True)),
        (1.6, {"within": 0.3}, (True, True)),
        (1.34, {"within": 0}, (None, False)),
        (3.0, {}, (False, False)),
    ],
)
def test_a_mean_rank_is_the_claimed_one_up_to_a_margin(
    rank: float, more: dict[str, float], expected: tuple[bool | None, ...]
) -> None:
    found = judged(MeanRank(kind="mean-rank", text="t", of="a", rank=rank, **more))
    assert words(found) == expected
    assert found[1].text == "mean rank 1.33"
    if found[0].holds is not True:
        # The variance of a rank out of three is 2/3.
        p = min(1.0, 2 * norm.sf(abs(8 / 6 - rank) / sqrt(2 / 3 / 6) / sqrt(2)))
        assert found[0].text == f"mean rank 1.33; repetitions differ as much with {p_text(p)}"


def test_ranks_are_among_the_named_algorithms() -> None:
    claim = MeanRank(kind="mean-rank", text="t", of="b", among=("c",))
    assert judged(claim)[0] == Judgement("B 1.00, C 2.00", True)


@pytest.mark.parametrize("by", ["chi-squared", "f"])
def test_friedmans_test_is_as_claimed(by: str) -> None:
    test = friedman_test(list(zip(*COUNTS.values(), strict=True)))
    text = f"χ² = {test.statistic:.2f}, {p_text(test.p_value)}"
    if by == "f":
        text = f"F = {test.f_statistic:.2f}, {p_text(test.f_p_value)}"
    differ, same = (
        Friedman.model_validate({"kind": "friedman", "text": "t", "differ": differ, "by": by})
        for differ in (True, False)
    )
    assert judged(differ) == (Judgement(text, True), Judgement(text, True))
    assert words(judged(same)) == (None, False)
    equal = {"a": (1, 2, 1, 2), "b": (2, 1, 2, 1)}
    assert words(judged(same, equal)) == (True, True)
    assert words(judged(differ, equal)) == (False, False)
    clear = {name: tuple(range(i, 90, 3)) for i, name in enumerate("abc")}
    assert words(judged(same, clear)) == (False, False)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([("a", "c")], (True, True)),
        ([("a", "c"), ("b", "c")], (None, False)),
        ([], (None, False)),
        ([("c", "a")], (False, False)),
    ],
)
def test_nemenyis_pairs_are_the_claimed_ones_and_no_others(
    pairs: list[tuple[str, str]], expected: tuple[bool | None, ...]
) -> None:
    found = judged(NemenyiPairs(kind="nemenyi-pairs", text="t", pairs=tuple(pairs)))
    assert critical_difference(3, 6) < 10 / 6
    assert words(found) == expected
    assert found[1].text == "A over C (p = 0.011)"


def test_no_pair_can_be_claimed() -> None:
    equal = {"a": (1, 2, 1, 2), "b": (2, 1, 2, 1)}
    for kind in (NemenyiPairs, WilcoxonPairs):
        claim = kind(kind=kind.names[0], text="t", pairs=())
        assert judged(claim, equal) == (Judgement("no pair", True),) * 2


def test_wilcoxons_pairs_are_adjusted_if_asked() -> None:
    p = [wilcoxon_test(COUNTS[a], COUNTS[b]).p_value for a, b in combinations(COUNTS, 2)]
    assert (p[1] <= 0.05, p[2] <= 0.05, holm(p)[1] <= 0.05) == (True, True, False)
    claim = WilcoxonPairs(kind="wilcoxon-pairs", text="t", pairs=(("a", "c"), ("b", "c")))
    text = f"A over C ({p_text(p[1])}); B over C ({p_text(p[2])})"
    assert judged(claim) == (Judgement(text, True),) * 2
    adjusted = claim.model_copy(update={"adjusted": True})
    assert words(judged(adjusted)) == (None, False)
    assert judged(adjusted)[1].text == "no pair"
    turned = claim.model_copy(update={"pairs": (("c", "a"), ("c", "b"))})
    assert words(judged(turned)) == (False, False)


def test_one_row_or_algorithm_is_too_few() -> None:
    claim = Friedman(kind="friedman", text="t")
    for evidence in (ours({"a": (1,), "b": (2,)}), ours({"a": (1, 2)})):
        with pytest.raises(Lacking, match="one row or algorithm is too few"):
            claim.judge(evidence)


def test_a_rank_is_at_least_one_and_a_margin_at_least_zero() -> None:
    for more in ({"rank": 0.5}, {"rank": 2, "within": -0.1}):
        with pytest.raises(ValidationError):
            MeanRank.model_validate({"kind": "mean-rank", "text": "t", "of": "a", **more})


def test_honest_repetitions_are_rarely_refuted() -> None:
    rng = np.random.default_rng(0)
    refuted = np.zeros(3)
    for _ in range(60):
        paper, here = rng.integers(10, 30, (2, 4, 12))
        printed_ones = {name: tuple(map(int, of)) for name, of in zip("abcd", paper, strict=True)}
        means = mean_ranks({name: list(of) for name, of in printed_ones.items()})
        differing = NemenyiPairs(kind="k", text="t", pairs=()).tests(
            {name: list(of) for name, of in printed_ones.items()}
        )
        found = tuple(pair for pair, p in differing.items() if p <= 0.05)
        claims = (
            MeanRank(kind="k", text="t", of="a", rank=means["a"]),
            MeanRank(kind="k", text="t", of=next(iter(means))),
            NemenyiPairs(kind="k", text="t", pairs=found),
        )
        evidence = ours({name: tuple(map(int, of)) for name, of in zip("abcd", here, strict=True)})
        refuted += [claim.judge(evidence).holds is False for claim in claims]
    # More than six of 60 have a probability of 0.03 at a rate of 0.05.
    assert (refuted <= 6).all()
