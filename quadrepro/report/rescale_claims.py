"""The claims of Re-scale boosting: on its three tables, and on how fast the training loss falls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.config.loading import Experiment
from quadrepro.papers.printed import Published, read_published
from quadrepro.report.claim import (
    HEADER,
    NOT_COMPARABLE,
    UNKNOWN,
    Claim,
    Judgement,
    in_words,
    not_comparable,
    own_table,
)
from quadrepro.report.kinds.means import MEAN, NOISELESS
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.table import Entry, Table

BOOSTING, RBOOSTING = "boosting", "rboosting"
VARIANTS = {
    "rsboosting": "RSboosting",
    "rtboosting": "RTboosting",
    RBOOSTING: "RBoosting",
    "epsilon-boosting": "ε-boosting",
}
ALL = (BOOSTING, *VARIANTS)

LOSS = "train_mse"

NO_CURVE: Judgement = ("no one curve along n_rounds", None)
"""Of an algorithm whose values are drawn, or of which more than the rounds varies."""

FIRST_ROUND = 100
"""A slope is fitted from this round on."""

SMALLEST_LOSS = 1e-12
"""And before the loss falls below this, where it is rounding."""

RBOOSTING_RATE = -1.0
"""Exponent of the loss in Theorem 1, up to a logarithm."""

LIVSHITS_RATE = -2 * 0.182
"""Exponent of the loss from Livshits' 0.182 for the norm."""


@dataclass(frozen=True)
class Means:
    """Mean errors to judge claims on: ours, or the printed ones.

    Attributes
    ----------
    rows : tuple of str
        Data sets.
    means : dict of str to list of float
        Of each algorithm, one a data set; only where none is missing.
    """

    rows: tuple[str, ...]
    means: dict[str, list[float]]


def _outperform(variants: Sequence[str]) -> Callable[[Means], Judgement]:
    """Judge whether each of the variants has a lower mean than Boosting in every row."""

    def judge(evidence: Means) -> Judgement:
        base, n = evidence.means[BOOSTING], len(evidence.rows)
        lower = {v: sum(_lower(evidence.means[v], base)) for v in variants}
        text = ", ".join(f"{VARIANTS[v]} in {count}" for v, count in lower.items())
        pairs = f"; {sum(lower.values())} of {n * len(lower)} pairs" if len(lower) > 1 else ""
        return f"{text} of {n} rows{pairs}", all(count == n for count in lower.values())

    return judge


def _best_or_second(evidence: Means) -> Judgement:
    mine = evidence.means[RBOOSTING]
    others = [_lower(evidence.means[name], mine) for name in ALL if name != RBOOSTING]
    ranks = [1 + sum(of_row) for of_row in zip(*others, strict=True)]
    text = f"best in {ranks.count(1)}, second in {ranks.count(2)} of {len(ranks)} rows"
    worse = [f"{row} ({rank}.)" for row, rank in zip(evidence.rows, ranks, strict=True) if rank > 2]
    return text + (f"; not in {', '.join(worse)}" if worse else ""), not worse


def _lower(a: list[float], b: list[float]) -> list[bool]:
    # Means of equal errors may differ in their last bits.
    return [round(x, 10) < round(y, 10) for x, y in zip(a, b, strict=True)]


def _slopes(column: str, at_most: float) -> Callable[[Outcomes], Judgement]:
    """Judge whether log loss falls along log k at least as fast as a power in every row."""

    def judge(outcomes: Outcomes) -> Judgement:
        if not _along_rounds(outcomes, column):
            return NO_CURVE
        found = {row: _slope(outcomes, row, column) for row in outcomes.rows}
        known = {row: slope for row, slope in found.items() if slope is not None}
        if len(known) < len(found):
            return f"too few rounds from {FIRST_ROUND} on", None
        text = ", ".join(f"{slope:.2f} on {row}" for row, slope in known.items())
        return f"slope {text}", max(known.values()) <= at_most

    return judge


def _slope(outcomes: Outcomes, row: str, column: str) -> float | None:
    """Return the least-squares slope of log loss on log k, or None with fewer than two rounds."""
    loss = _loss(outcomes, row, column)
    rounds = np.array(outcomes.values_along(row, column, "n_rounds"))
    tiny = np.flatnonzero(loss < SMALLEST_LOSS)
    end = tiny[0] if len(tiny) else len(rounds)
    fitted = slice(int(np.searchsorted(rounds, FIRST_ROUND)), end)
    if len(rounds[fitted]) < 2:
        return None
    return float(np.polyfit(np.log(rounds[fitted]), np.log(loss[fitted]), 1)[0])


def _loss(outcomes: Outcomes, row: str, column: str) -> FloatArray:
    curve = outcomes.curve(row, column, LOSS)
    assert curve is not None
    return curve.mean


def _along_rounds(outcomes: Outcomes, *columns: str) -> bool:
    """Return whether every row has one curve along the rounds for each of some algorithms."""
    return all(outcomes.values_along(row, c, "n_rounds") for row in outcomes.rows for c in columns)


def _converges_faster(outcomes: Outcomes) -> Judgement:
    if not _along_rounds(outcomes, RBOOSTING, BOOSTING):
        return NO_CURVE
    rows = outcomes.rows
    ends = {row: [_loss(outcomes, row, c)[-1] for c in (RBOOSTING, BOOSTING)] for row in rows}
    parts = (f"{mine:.2g} against {theirs:.2g} on {row}" for row, (mine, theirs) in ends.items())
    last = (outcomes.values_along(rows[0], RBOOSTING, "n_rounds") or ())[-1]
    faster = all(mine < theirs for mine, theirs in ends.values())
    return f"loss after {last:g} rounds {', '.join(parts)}", faster


_OF_A_TABLE: tuple[Claim[Means], ...] = (
    Claim("Every variant outperforms Boosting", ALL, _outperform(tuple(VARIANTS))),
    Claim("RBoosting is best or second best in every row", ALL, _best_or_second),
)
_RBOOSTING_ALONE: Claim[Means] = Claim(
    "RBoosting outperforms Boosting", (BOOSTING, RBOOSTING), _outperform((RBOOSTING,))
)

RESCALE_CLAIMS: dict[str, tuple[Claim[Any], ...]] = {
    "rescale-table1": _OF_A_TABLE,
    "rescale-table2": (*_OF_A_TABLE, _RBOOSTING_ALONE),
    "rescale-table3": _OF_A_TABLE,
    "rescale-convergence": (
        Claim(
            "RBoosting's training loss falls as k^-1, up to a logarithm (Theorem 1)",
            (RBOOSTING,),
            _slopes(RBOOSTING, RBOOSTING_RATE),
            measures=(LOSS,),
        ),
        Claim(
            "Boosting's falls at least as fast as on Livshits' sparse target, k^-0.36 (its norm as "
            "k^-0.182)",
            (BOOSTING,),
            _slopes(BOOSTING, LIVSHITS_RATE),
            measures=(LOSS,),
        ),
        Claim(
            "RBoosting converges faster than Boosting",
            (RBOOSTING, BOOSTING),
            _converges_faster,
            measures=(LOSS,),
        ),
    ),
}


def rescale_table(experiment: Experiment, outcomes: Outcomes) -> Table:
    """Return the claims of a table with both judgements, or those of the convergence with ours.

    Parameters
    ----------
    experiment : Experiment
        Names the claims, and the printed row of each of ours.
    outcomes : Outcomes
        The records.

    Returns
    -------
    Table
        Numbers and judgements.
    """
    name = experiment.config.tables["claims"]
    claims = RESCALE_CLAIMS[name]
    if name == "rescale-convergence":
        return own_table(experiment, claims, outcomes, (_ON_SLOPES,))
    titles = {d.title: d.printed_row for d in experiment.config.entries}
    whole = read_published(name)
    comparable = sorted(titles.values()) == sorted(whole.rows)
    ours, printed = _ours(outcomes), _printed(whole.under(titles), outcomes.rows)
    noiseless = _ours(outcomes, NOISELESS) if experiment.config.tables.get("noiseless") else None
    rows = []
    for claim in claims:
        our_text, our_word = in_words(_judged(claim, ours))
        print_text, print_word = in_words(_judged(claim, printed))
        if noiseless:
            our_text += f"; against targets without noise: {_judged(claim, noiseless)[0]}"
        if not comparable:
            our_word = print_word = NOT_COMPARABLE
        texts = (our_text, our_word, print_text, print_word)
        rows.append((claim.label, tuple(Entry(t) for t in texts)))
    notes = [] if comparable else [not_comparable(len(whole.rows), len(outcomes.rows))]
    notes.append("Judged by the mean of each row; an equal mean does not outperform.")
    return Table(
        f"{experiment.config.title}: claims", HEADER, tuple(rows), tuple(notes), align="left"
    )


_ON_SLOPES = (
    f"Slope: least squares of the logarithm of the mean training loss on that of k, from k = "
    f"{FIRST_ROUND} on and while the loss is at least {SMALLEST_LOSS:g}. Both rates are limits for "
    "the slowest targets: a steeper slope is within them."
)


def _judged(claim: Claim[Means], evidence: Means) -> Judgement:
    return claim.judge(evidence) if set(claim.needs) <= set(evidence.means) else UNKNOWN


def _ours(outcomes: Outcomes, measure: str = "") -> Means:
    """Return the mean of what a table shows, or of a measure."""
    means = {}
    for column in outcomes.columns:
        cells = [outcomes.cell(row, column) for row in outcomes.rows]
        if all(r.ok and (not measure or measure in r.measures) for cell in cells for r in cell):
            means[column] = [
                fmean(r.measures[measure][0] if measure else r.value for r in cell)
                for cell in cells
            ]
    return Means(outcomes.rows, means)


def _printed(published: Published, rows: tuple[str, ...]) -> Means:
    means = {}
    for column in ALL:
        numbers = [published.number(row, column + MEAN) for row in rows]
        present = [n for n in numbers if n is not None]
        if len(present) == len(rows):
            means[column] = present
    return Means(rows, means)
