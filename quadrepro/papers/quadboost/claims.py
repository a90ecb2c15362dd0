"""The claims of the paper's section 2: Theorem 1, Lemma 1 and Massart's bound."""

from __future__ import annotations

from quadrepro.papers.claims.claim import Judgement, checked
from quadrepro.papers.claims.curves import ROUNDING, count_inequalities, inequalities
from quadrepro.papers.claims.evidence import NO_VALUES, Evidence, Lacking

VARIANTS = ("quadboost", "quadboost-l1", "quadboost-l2", "quadboost-linf")
VANILLA = "quadboost"


def theorem_1(evidence: Evidence, bound: str) -> Judgement:
    """Judge whether a risk bound is above the test error for every vote of each variant."""
    every = inequalities(evidence, VARIANTS, ("test_error", bound))
    text, word = count_inequalities(every)
    least = min(every, key=lambda inequality: inequality.upper)
    text += f"; smallest bound {least.upper:.4f}, test error {least.lower:.4f} there"
    text += f" ({least.place}); the bound is below 1 in {sum(i.upper < 1 for i in every)}"
    return Judgement(text, word)


def lemma_1(evidence: Evidence) -> Judgement:
    """Judge whether the ratio of the two sides of Lemma 1 is 1 for every vote."""
    ratios = [
        ratio
        for row in evidence.rows
        for measure in ("quadboost_lemma1_p2", "quadboost_lemma1_pinf")
        for ratio in evidence.curve(row, VANILLA, measure).splits.ravel().tolist()
        if ratio == ratio
    ]
    if not ratios:
        raise Lacking(NO_VALUES)
    text = f"{min(ratios):.6f} to {max(ratios):.6f} over {len(ratios)} votes"
    return checked(text, all(abs(ratio - 1) <= ROUNDING for ratio in ratios))


def below_massart(evidence: Evidence) -> Judgement:
    """Judge whether the complexity of the stumps is at most Massart's bound on every row."""
    sides = ("rademacher_complexity", "massart")
    _, word = count_inequalities(inequalities(evidence, [VANILLA], sides))
    texts = []
    for row in evidence.rows:
        low, high = (evidence.curve(row, VANILLA, measure).splits[0, 0] for measure in sides)
        texts.append(f"{low:.4f} ≤ {high:.4f} on {row}")
    return Judgement(", ".join(texts), word)
