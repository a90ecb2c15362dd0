from __future__ import annotations

from fractions import Fraction

import pytest
from pydantic import ValidationError
from scipy.stats import binomtest

from quadrepro.papers.claims.claim import Judgement, Undecided
from quadrepro.papers.claims.counts import (
    Equivalent,
    NotBetter,
    NotToldApart,
    SignificantlyBetter,
    SignificantPairs,
    compare,
)
from quadrepro.papers.claims.evidence import Lacking
from quadrepro.stats import equivalence_test
from quadrepro.stats.result import p_text
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
