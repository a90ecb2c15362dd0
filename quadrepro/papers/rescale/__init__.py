"""Re-scale boosting: claims on Figure 1's line search, and on the risk as examples are added."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.papers.claims import claim
from quadrepro.papers.claims.claim import Evidence, Judgement, everywhere, one_sided, with_interval

STEP, ALONG = "quadboost-linf", "alpha_max"


def walks_too_far(evidence: Evidence) -> Judgement:
    """Judge whether another weak learner becomes as steep before the end of the line search."""
    parts = {}
    for row in evidence.rows:
        measures = ("correlation_in_vote", "correlation_of_others")
        own, others = (evidence.curve(row, STEP, measure, ALONG) for measure in measures)
        as_steep = others.mean >= own.mean
        turn, end = int(as_steep.argmax()), int(own.mean.argmin())
        text = f"θ0 = {own.x[turn]:.2f} of θ1 = {own.x[end]:.2f}"
        parts[row] = text, bool(as_steep[turn] and turn < end)
    return everywhere(parts)


def falls_with_examples(
    evidence: Evidence,
    algorithm: str,
    measure: str,
    rounds: Sequence[int],
    examples: Sequence[int],
    least: float,
    at_most: float,
) -> Judgement:
    """Judge whether a mean loss approaches the least one as fast as a power of m.

    Each row has its number of training examples m, and its number of rounds. The least-squares
    slope of log excess on log m is compared with `at_most`; a jackknife over the splits gives its
    error.
    """
    losses = _at(evidence, algorithm, measure, rounds)
    n = losses.shape[1]
    if n < 2:
        raise claim.NoSplits(claim.NO_SPLITS)

    def slope(some: FloatArray) -> float:
        return float(np.polyfit(np.log(examples), np.log(some.mean(axis=1) - least), 1)[0])

    whole = slope(losses)
    parts = [n * whole - (n - 1) * slope(np.delete(losses, i, axis=1)) for i in range(n)]
    mean = evidence.mean(evidence.rows[0], parts)
    excess = losses.mean(axis=1) - least
    text = f"slope {with_interval(mean, '{:.2f}'.format)}, claimed at most {at_most:g}; "
    text += f"excess {excess[0]:.3f} to {excess[-1]:.3f}"
    return Judgement(text, evidence.word(whole <= at_most, *one_sided([mean], 1, at_most)))


def truncation_helps(
    evidence: Evidence, algorithm: str, plain: str, truncated: str, rounds: Sequence[int]
) -> Judgement:
    """Judge whether truncated scores have no larger mean loss, on each row after its rounds."""
    losses = [_at(evidence, algorithm, measure, rounds) for measure in (plain, truncated)]
    gaps = losses[1] - losses[0]
    means = [evidence.mean(row, gap) for row, gap in zip(evidence.rows, gaps, strict=True)]
    intervals = (with_interval(mean, "{:+.4f}".format) for mean in means)
    texts = dict(zip(evidence.rows, intervals, strict=True))
    agrees = all(mean.value <= 0 for mean in means)
    text = f"difference of losses {claim.by_row(texts)}"
    return Judgement(text, evidence.word(agrees, *one_sided(means, len(means))))


def _at(evidence: Evidence, algorithm: str, measure: str, rounds: Sequence[int]) -> FloatArray:
    """Return a measure on each row after its number of rounds, shape (n_rows, n_splits)."""
    curves = [evidence.curve(row, algorithm, measure) for row in evidence.rows]
    return np.array([curve.at([k])[:, 0] for curve, k in zip(curves, rounds, strict=True)])
