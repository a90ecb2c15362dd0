"""The lecture on AdaBoost: claims of Example 24.1, and on the rounds until no example is wrong."""

from __future__ import annotations

from math import isnan

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.papers.claims.claim import Evidence, Judgement, Lacking, checked_claim
from quadrepro.papers.claims.trends import ROUNDING

ADABOOST, HEDGE = "adaboost", "hedge"
ERROR = "train_error_positive_ties"

EIGHT_DIGITS = 1e-8
"""Results are kept with eight digits, and an error of 1/3 must still be one when they are read."""

EDGE = 1 / 6
"""γ of Example 24.1."""


def no_better_stump(evidence: Evidence) -> Judgement:
    """Judge whether AdaBoost's first stump, which is the best, is not below error 1/3."""
    least = min(_errors_after(evidence, row, 1).min() for row in evidence.rows)
    return checked_claim(f"least error {least:.4f}", bool(least >= 1 / 3 - EIGHT_DIGITS))


def three_are_exact(evidence: Evidence) -> Judgement:
    """Judge whether AdaBoost's vote after three rounds is right on all examples."""
    errors = {row: float(_errors_after(evidence, row, 3).max()) for row in evidence.rows}
    text = ", ".join(f"{error:.4f} on {row}" for row, error in errors.items())
    return checked_claim(f"AdaBoost's error after 3 rounds {text}", not any(errors.values()))


def weak_learner(evidence: Evidence) -> Judgement:
    """Judge whether some stump has the edge 1/6 on every weighting."""
    curves = {row: evidence.curve(row, HEDGE, "weak_edge") for row in evidence.rows}
    edges = {row: float(curve.splits[:, 0].min()) for row, curve in curves.items()}
    text = ", ".join(f"γ = {edge:.4f} on {row}" for row, edge in edges.items())
    return checked_claim(text, min(edges.values()) >= EDGE - ROUNDING)


def none_wrong_after(evidence: Evidence, algorithm: str, rounds: str) -> Judgement:
    """Judge whether no example is wrong from a measured number of rounds on."""
    texts, holds = list[str](), list[bool | None]()
    for row in evidence.rows:
        enough = evidence.curve(row, algorithm, rounds).splits[:, 0]
        errors = evidence.curve(row, algorithm, ERROR)
        x = np.array(errors.x)
        for needed, split in zip(enough, errors.splits, strict=True):
            if isnan(needed):
                continue
            exact, after = x[split == 0], split[x >= needed]
            first = f"at {exact[0]:g}" if len(exact) else "never"
            beyond = "" if len(after) else ", beyond the rounds here"
            texts.append(f"{row} T = {needed:.0f}{beyond}, first without error {first}")
            holds.append(not after.any() if len(after) else None)
    if not holds:
        raise Lacking("no row has an edge")
    text = "; ".join(dict.fromkeys(texts))
    if None in holds and False not in holds:
        return Judgement(text, "undecided")
    return checked_claim(text, False not in holds)


def _errors_after(evidence: Evidence, row: str, n_rounds: int) -> FloatArray:
    """Return AdaBoost's training error after a number of rounds, one per split."""
    curve = evidence.curve(row, ADABOOST, ERROR)
    if n_rounds not in curve.x:
        raise Lacking(f"no number after round {n_rounds}")
    return curve.at([n_rounds])[:, 0]
