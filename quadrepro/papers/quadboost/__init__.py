"""QuadBoost: claims on Theorem 1 (section 2), training errors and sizes of votes (section 3)."""

from __future__ import annotations

from statistics import fmean

import numpy as np

from quadrepro.papers.claims.claim import Evidence, Judgement, mean_of, one_sided, with_interval
from quadrepro.papers.claims.trends import count_inequalities, inequalities
from quadrepro.stats import sign_test

VARIANTS = ("quadboost", "quadboost-l1", "quadboost-l2", "quadboost-linf")


def theorem_1(evidence: Evidence, bound: str) -> Judgement:
    """Judge whether a risk bound is above the test error for every vote of each variant."""
    every = inequalities(evidence, VARIANTS, ("test_error", bound))
    text, word = count_inequalities(every)
    least = min(every, key=lambda inequality: inequality.upper)
    text += f"; smallest bound {least.upper:.4f}, test error {least.lower:.4f} there"
    text += f" ({least.place}); the bound is below 1 in {sum(i.upper < 1 for i in every)}"
    return Judgement(text, word)


def lower_over_rows(
    evidence: Evidence, measure: str, mine: str, other: str, along: str = "n_rounds"
) -> Judgement:
    """Judge whether the mean of one curve is lower than another's, by a t-test over the rows."""
    rows, names = evidence.rows, (mine, other)
    curves = [[evidence.curve(row, name, measure, along) for row in rows] for name in names]
    low, high = ([float(curve.splits.mean()) for curve in column] for column in curves)
    gap, signs = mean_of(np.subtract(low, high)), sign_test(low, high)
    ends = [fmean(float(curve.mean[-1]) for curve in column) for column in curves]
    labels = [evidence.label(name) for name in names]
    x = curves[0][0].x[-1]
    text = (
        f"{labels[0]} {fmean(low):.4g}, {labels[1]} {fmean(high):.4g}, difference "
        f"{with_interval(gap, '{:+.3g}'.format)}; lower on {signs.wins} of {len(evidence.rows)}, "
        f"equal on {signs.ties}; {ends[0]:.4g} and {ends[1]:.4g} at {x:g}"
    )
    return Judgement(text, evidence.word(gap.value < 0, gap.p_below(), gap.p_above()))


def smaller_votes(evidence: Evidence, algorithm: str) -> Judgement:
    """Judge whether the mean size of the vote never grows with λ, by t-tests over the splits."""
    n_pairs, larger, gaps = 0, [], []
    for row in evidence.rows:
        curve = evidence.curve(row, algorithm, "distinct_voters_in_vote", "lam")
        ascending = np.argsort(curve.x)
        steps = np.diff(curve.splits[:, ascending], axis=1)
        n_pairs += steps.shape[1]
        larger += [row] * int((steps.mean(axis=0) > 0).sum())
        gaps += [evidence.mean(row, step) for step in steps.T]
    p_for, p_against = one_sided(gaps, len(gaps))
    text = f"not larger in {n_pairs - len(larger)} of {n_pairs} pairs of neighbouring λ"
    if larger:
        text += f", larger on {', '.join(dict.fromkeys(larger))}"
    return Judgement(text, evidence.word(not larger, p_for, p_against))
