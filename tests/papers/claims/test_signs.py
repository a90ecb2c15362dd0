from __future__ import annotations

from fractions import Fraction

import pytest
from scipy.stats import binomtest

from quadrepro.papers.claims.claim import Judgement
from quadrepro.papers.claims.signs import (
    Equivalent,
    NotBetter,
    SignificantlyBetter,
    SignificantPairs,
    compare,
)
from tests.papers.measured import errors_of

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
    equivalent = Equivalent(kind="k", text="t", between=("a", "b"))
    assert equivalent.judge(evidence) == (text, p > 0.05)


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
    assert SignificantPairs(kind="k", text="t", pairs=(("a", "b"),)).judge(nothing) == (
        "no pair",
        False,
    )
