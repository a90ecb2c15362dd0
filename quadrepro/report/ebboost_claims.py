"""The claims of Empirical Bernstein Boosting on test errors and training margins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.config.loading import Experiment
from quadrepro.papers.printed import read_published
from quadrepro.report.claim import (
    HEADER,
    NOT_COMPARABLE,
    Claim,
    Judgement,
    in_words,
    not_comparable,
)
from quadrepro.report.kinds.margins import MEAN as MARGIN_MEAN
from quadrepro.report.kinds.margins import SD as MARGIN_SD
from quadrepro.report.kinds.margins import margins_of_splits
from quadrepro.report.kinds.means import MEAN as ERROR_MEAN
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.table import Entry, Table
from quadrepro.stats import LEVEL, paired_t_test, sign_test

ERROR, MARGIN, DEVIATION, TAIL = "error", "margin mean", "margin sd", "margin tail"
"""What is compared: test error in percent; of the training margins the mean, the standard
deviation, and how far the lowest hundredth lies below the mean."""

ADABOOST, EBBOOST_NAME, ABR = "adaboost", "ebboost", "abr"
OTHERS = {ADABOOST: "AdaBoost", "rlp-boost": "RLP-Boost", "rqp-boost": "RQP-Boost", ABR: "ABR"}

PRINTED = {
    ERROR: ("ebboost-table1", ERROR_MEAN),
    MARGIN: ("ebboost-table2", MARGIN_MEAN),
    DEVIATION: ("ebboost-table2", MARGIN_SD),
}
"""Printed table and end of its columns' names."""


@dataclass(frozen=True)
class Evidence:
    """Numbers to judge claims on: ours, or the printed ones.

    Attributes
    ----------
    values : dict of (str, str) to list of float
        By quantity and algorithm, one number a data set; only where none is missing.
    splits : dict of (str, str) to list of list of float
        The same for each data set split by split; empty for the printed ones, and where there is
        one split.
    lacking : str
        What is said where numbers are missing.
    """

    values: dict[tuple[str, str], list[float]]
    splits: dict[tuple[str, str], list[list[float]]]
    lacking: str


def _compared(
    quantity: str, a: str, b: str, word: Literal["lower", "higher"], *, everywhere: bool = False
) -> Callable[[Evidence], Judgement]:
    """Judge whether A's numbers are lower or higher: on every data set, or by the sign test."""
    first, second = (a, b) if word == "lower" else (b, a)

    def judge(evidence: Evidence) -> Judgement:
        sides = [evidence.values.get((quantity, name)) for name in (first, second)]
        if sides[0] is None or sides[1] is None:
            return evidence.lacking, None
        test = sign_test(sides[0], sides[1])
        n = len(sides[0])
        text = f"{word} on {test.wins} of {n}, equal on {test.ties}, sign test {_p(test.p_value)}"
        significant = _significant(evidence, quantity, first, second)
        if significant is not None:
            text += "; significantly {} on {}, the other way on {}".format(word, *significant)
        holds = test.wins == n if everywhere else test.significant and test.wins > test.losses
        return text, holds

    return judge


def _mostly_significant(evidence: Evidence) -> Judgement:
    found = _significant(evidence, ERROR, EBBOOST_NAME, ADABOOST)
    if found is None:
        return "no splits to test over", None
    n = len(evidence.splits[ERROR, ADABOOST])
    text = f"significantly lower on {found[0]} of {n}, higher on {found[1]}"
    return text, found[0] > n / 2


def _significant(evidence: Evidence, quantity: str, a: str, b: str) -> tuple[int, int] | None:
    """Return on how many data sets A is significantly lower and higher than B over the splits."""
    sides = [evidence.splits.get((quantity, name)) for name in (a, b)]
    if sides[0] is None or sides[1] is None:
        return None
    tests = [paired_t_test(x, y) for x, y in zip(sides[0], sides[1], strict=True)]
    signs = [t.mean_difference for t in tests if t.significant]
    return sum(d < 0 for d in signs), sum(d > 0 for d in signs)


def _abr_is_closest(evidence: Evidence) -> Judgement:
    if any((ERROR, name) not in evidence.values for name in (EBBOOST_NAME, *OTHERS)):
        return evidence.lacking, None
    base = evidence.values[ERROR, EBBOOST_NAME]
    gaps = {
        name: [
            round(abs(x - y), 10) for x, y in zip(evidence.values[ERROR, name], base, strict=True)
        ]
        for name in OTHERS
    }
    order = sorted(OTHERS, key=lambda name: fmean(gaps[name]))
    rival = next(name for name in order if name != ABR)
    test = sign_test(gaps[ABR], gaps[rival])
    means = ", ".join(f"{OTHERS[name]} {fmean(gaps[name]):.2f}" for name in order)
    text = (
        f"points of error apart on average: {means}; ABR nearer than {OTHERS[rival]} on "
        f"{test.wins} of {len(base)}, equal on {test.ties}, sign test {_p(test.p_value)}"
    )
    return text, order[0] == ABR


def _p(value: float) -> str:
    return f"p = {value:.3f}" if value >= 0.001 else "p < 0.001"


EBBOOST: tuple[Claim[Evidence], ...] = (
    Claim(
        "EBBoost has a lower test error than AdaBoost on every data set",
        (),
        _compared(ERROR, EBBOOST_NAME, ADABOOST, "lower", everywhere=True),
    ),
    Claim(
        "EBBoost is significantly better than AdaBoost on most data sets (paired t-test)",
        (),
        _mostly_significant,
    ),
    Claim(
        "ABR comes closest to EBBoost in test error",
        (),
        _abr_is_closest,
    ),
    Claim(
        "EBBoost's margins have a smaller deviation than AdaBoost's on every data set",
        (),
        _compared(DEVIATION, EBBOOST_NAME, ADABOOST, "lower", everywhere=True),
    ),
    Claim(
        "ABR's margins have a larger mean than AdaBoost's (sign test)",
        (),
        _compared(MARGIN, ABR, ADABOOST, "higher"),
    ),
    Claim(
        "ABR's margins have a larger deviation than AdaBoost's (sign test)",
        (),
        _compared(DEVIATION, ABR, ADABOOST, "higher"),
    ),
    Claim(
        "ABR's margins have a longer lower tail than EBBoost's (sign test)",
        (),
        _compared(TAIL, ABR, EBBOOST_NAME, "higher"),
    ),
)


def ebboost_table(experiment: Experiment, outcomes: Outcomes) -> Table:
    """Return the claims with both judgements.

    Parameters
    ----------
    experiment : Experiment
        Its rows go by the paper's names of the data sets.
    outcomes : Outcomes
        The records.

    Returns
    -------
    Table
        Ours and printed, each with numbers and a judgement.
    """
    whole = read_published("ebboost-table1").rows
    comparable = sorted(outcomes.rows) == sorted(whole)
    ours, printed = _ours(outcomes), _printed(outcomes.rows)
    rows = []
    for claim in EBBOOST:
        our_text, our_word = in_words(claim.judge(ours))
        print_text, print_word = in_words(claim.judge(printed))
        if not comparable:
            our_word = print_word = NOT_COMPARABLE
        texts = (our_text, our_word, print_text, print_word)
        rows.append((claim.text, tuple(Entry(t) for t in texts)))
    notes = [] if comparable else [not_comparable(len(whole), len(outcomes.rows))]
    notes.append(
        "Numbers of each data set are compared: of ours the mean error and the margins of all "
        "splits together; the printed ones as rounded there, so that some are equal, which is "
        "neither lower nor higher. "
        f"Significant: p ≤ {LEVEL:g}, on one data set by the paired t-test over the splits."
    )
    notes.append("The lower tail reaches from the mean of the margins to their lowest hundredth.")
    return Table(
        f"{experiment.config.title}: claims", HEADER, tuple(rows), tuple(notes), align="left"
    )


def _ours(outcomes: Outcomes) -> Evidence:
    values: dict[tuple[str, str], list[float]] = {}
    splits: dict[tuple[str, str], list[list[float]]] = {}
    for column in outcomes.columns:
        if all(outcomes.complete(row, column) for row in outcomes.rows):
            errors = [[100 * r for r in outcomes.risks(row, column)] for row in outcomes.rows]
            splits[ERROR, column] = errors
            # Means of equal counts may differ in their last bits.
            values[ERROR, column] = [round(fmean(of_row), 10) for of_row in errors]
        margins = [margins_of_splits(outcomes, row, column) for row in outcomes.rows]
        if all(margins):
            for quantity, measure in _MEASURES.items():
                splits[quantity, column] = [[measure(m) for m in of_row] for of_row in margins]
                values[quantity, column] = [measure(np.concatenate(of_row)) for of_row in margins]
    return Evidence(values, splits if outcomes.repeats > 1 else {}, "cells missing")


def _tail(margins: FloatArray) -> float:
    return float(margins.mean() - np.quantile(margins, 0.01))


_MEASURES: dict[str, Callable[[FloatArray], float]] = {
    MARGIN: lambda margins: float(margins.mean()),
    DEVIATION: lambda margins: float(margins.std(ddof=1)),
    TAIL: _tail,
}


def _printed(rows: tuple[str, ...]) -> Evidence:
    values = {}
    for quantity, (name, ending) in PRINTED.items():
        table = read_published(name)
        for column in (EBBOOST_NAME, *OTHERS):
            numbers = [table.number(row, column + ending) for row in rows]
            present = [n for n in numbers if n is not None]
            if len(present) == len(rows):
                values[quantity, column] = present
    return Evidence(values, {}, "not printed")
