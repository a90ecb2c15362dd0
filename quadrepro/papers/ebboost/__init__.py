"""Empirical Bernstein Boosting: the claims of sections 2 and 3 on bounds and on the 0-1 loss."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quadrepro.papers.claims.claim import Evidence, Judgement, checked_claim, everywhere

ADABOOST, EBBOOST = "adaboost", "ebboost"


def tighter(evidence: Evidence, bound: str) -> Judgement:
    """Judge whether a bound is below Hoeffding's for the AdaBoost vote of least variance.

    The variance of errors is p(1 - p), so this vote has the least test error.
    """
    parts = {}
    for row in evidence.rows:
        measures = ("test_error", "test_hoeffding_bound", bound)
        errors, hoeffding, other = (evidence.curve(row, ADABOOST, m).mean for m in measures)
        i = int(errors.argmin())
        text = f"{other[i]:.4f} against {hoeffding[i]:.4f} at an error of {errors[i]:.4f}"
        parts[row] = text, bool(other[i] < hoeffding[i])
    return everywhere(parts)


def same_minimiser(evidence: Evidence, lams: Sequence[float]) -> Judgement:
    """Judge whether the same votes have the least training error and the least penalised error.

    Sample variance penalisation makes p + λ sqrt(p(1 - p)) of an error p, which increases up to
    1/2: for errors below that the penalty changes no minimiser (below Lemma 3.1).
    """
    total = kept = 0
    for row in evidence.rows:
        for algorithm in (ADABOOST, EBBOOST):
            errors = evidence.curve(row, algorithm, "train_error").mean
            for lam in lams:
                penalised = errors + lam * np.sqrt(errors * (1 - errors))
                total += 1
                kept += np.array_equal(penalised == penalised.min(), errors == errors.min())
    return checked_claim(f"{kept} of {total} minimisers are the same", kept == total)
