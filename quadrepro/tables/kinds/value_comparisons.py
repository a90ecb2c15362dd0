"""Every pair of algorithms, compared by numbers: RMSEs, or the values of a metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

from quadrepro.engine.outcomes import Outcomes
from quadrepro.stats import (
    LEVEL,
    bayesian_correlated_t,
    bayesian_signed_rank,
    corrected_t_test,
    holm,
    sign_test,
)
from quadrepro.stats.posterior import N_DRAWS, SEED
from quadrepro.stats.ranking import fault_of_size
from quadrepro.stats.result import p_text
from quadrepro.tables.kinds.base import Context
from quadrepro.tables.kinds.ranking import splits_of
from quadrepro.tables.ranking import Splits
from quadrepro.tables.table import MISSING, Entry, Table

DATA_HEADER = (
    "algorithm",
    "against",
    "probability",
    "mean difference",
    "wins",
    "losses",
    "ties",
    "p",
    "p Holm",
)


@dataclass(frozen=True)
class Compared:
    """Two algorithms: over data sets by their means, or on the splits of a single data set.

    Attributes
    ----------
    probability : float or None
        That the first is better; None over data sets whose values have no unit in common.
    difference : float or None
        Mean of the first less that of the second; None if they have no unit in common.
    wins, losses, ties : int
        Number of data sets, or of splits, on which the first is better, worse, and neither.
    p_value : float
        Of the sign test, or of the corrected resampled t-test.
    """

    probability: float | None
    difference: float | None
    wins: int
    losses: int
    ties: int
    p_value: float

    def turned(self) -> Compared:
        """Return the same with the second algorithm first."""
        return Compared(
            None if self.probability is None else 1 - self.probability,
            None if self.difference is None else 0.0 - self.difference,
            self.losses,
            self.wins,
            self.ties,
            self.p_value,
        )

    @property
    def text(self) -> str:
        """The probability, or wins and losses."""
        if self.probability is None:
            return f"{self.wins}–{self.losses}"
        return f"{self.probability:.2f}"


def has_values_to_compare(context: Context[Any]) -> bool:
    """Return whether there are several data sets, or several splits of a single one."""
    return len(context.config.rows) > 1 or context.config.repeats > 1


def compare_values(context: Context[Any], outcomes: Outcomes) -> dict[tuple[str, str], Compared]:
    """Return the comparison of every pair of columns, in both orders.

    Pairs of which a cell has no value are left out, and so are all pairs if a single data set has
    one split, or splits that test all examples.
    """
    pairs = list(combinations(outcomes.compared, 2))
    if len(outcomes.rows) == 1:
        splits = splits_of(context, outcomes)
        found = {pair: _on_splits(splits[0], outcomes, *pair) for pair in pairs if splits}
    else:
        # A probability takes a millisecond per data set.
        few = not fault_of_size(len(outcomes.compared), len(outcomes.rows))
        units = {outcomes.regression(row) for row in outcomes.rows}
        alike = few and (outcomes.metric is not None or len(units) == 1)
        found = {pair: _over_rows(outcomes, *pair, alike) for pair in pairs}
    known = {pair: of for pair, of in found.items() if of is not None}
    return known | {(b, a): of.turned() for (a, b), of in known.items()}


def _over_rows(outcomes: Outcomes, a: str, b: str, alike: bool) -> Compared | None:
    losses = [[outcomes.mean_loss(row, c) for row in outcomes.rows] for c in (a, b)]
    mine, theirs = ([loss for loss in of if loss is not None] for of in losses)
    if not outcomes.rows or len(mine) + len(theirs) < 2 * len(outcomes.rows):
        return None
    test = sign_test(mine, theirs)
    counts = test.wins, test.losses, test.ties, test.p_value
    if not alike:
        return Compared(None, None, *counts)
    difference = fmean(float(x) - float(y) for x, y in zip(mine, theirs, strict=True))
    probability = bayesian_signed_rank(mine, theirs).better
    return Compared(probability, outcomes.sign * difference, *counts)


def _on_splits(splits: Splits, outcomes: Outcomes, a: str, b: str) -> Compared | None:
    if not all(outcomes.complete(splits.dataset, c) for c in (a, b)):
        return None
    mine, theirs = splits.risks[a], splits.risks[b]
    test = corrected_t_test(mine, theirs, splits.test_share)
    counts = sign_test(mine, theirs)
    return Compared(
        bayesian_correlated_t(mine, theirs, splits.test_share).better,
        outcomes.sign * test.mean_difference,
        counts.wins,
        counts.losses,
        counts.ties,
        test.p_value,
    )


def value_comparisons_table(context: Context[Any], outcomes: Outcomes) -> Table:
    """Return the matrix of pairwise tests."""
    all_rows, outcomes = outcomes.rows, outcomes.tested()
    titles, order = context.titles, outcomes.columns
    found = compare_values(context, outcomes)
    first = [pair for pair in combinations(order, 2) if pair in found]
    adjusted = dict(zip(first, holm(found[pair].p_value for pair in first), strict=True))
    rows, data = [], []
    for i, a in enumerate(order):
        entries = []
        for j, b in enumerate(order):
            of = found.get((a, b))
            star = "*" if of is not None and of.p_value <= LEVEL else ""
            entries.append(Entry(MISSING if of is None else of.text, mark=star, grey=j < i))
            if of is not None:
                p_holm = adjusted.get((a, b), adjusted.get((b, a), ""))
                probability, difference = (
                    "" if x is None else x for x in (of.probability, of.difference)
                )
                counts = of.wins, of.losses, of.ties, of.p_value
                data.append((a, b, probability, difference, *counts, p_holm))
        rows.append((titles[a], tuple(entries)))
    return Table(
        f"{context.config.title}: pairwise comparisons{outcomes.by_metric}",
        ("", *(titles[c] for c in order)),
        tuple(rows),
        (
            *_notes(outcomes, titles, found, adjusted),
            *([missing] if (missing := outcomes.left_out(all_rows)) else []),
        ),
        DATA_HEADER,
        tuple(data),
    )


def _notes(
    outcomes: Outcomes,
    titles: Mapping[str, str],
    found: Mapping[tuple[str, str], Compared],
    adjusted: Mapping[tuple[str, str], float],
) -> list[str]:
    if not found:
        return ["No pair of algorithms has values to compare."]
    one = len(outcomes.rows) == 1
    over = f"{len(outcomes.rows)} data sets"
    if one:
        how = (
            "Probability that the row's algorithm is better than the column's, by the Bayesian "
            f"correlated t-test of {outcomes.label} on {outcomes.repeats} splits."
        )
    elif any(of.probability is None for of in found.values()):
        how = (
            f"On how many of {over} the row's algorithm is better than the column's, and on how "
            f"many it is worse, by mean {outcomes.label}."
        )
    else:
        how = (
            "Probability that the row's algorithm is better than the column's, by the Bayesian "
            f"signed-rank test of mean {outcomes.label} over {over} ({N_DRAWS:,} draws with seed "
            f"{SEED})."
        )
    test = "corrected resampled t-test" if one else "two-tailed sign test, ties ignored"
    starred = [pair for pair in adjusted if found[pair].p_value <= LEVEL]
    many = adjusted_text(titles, adjusted, starred) if len(adjusted) > 1 else ""
    return [
        f"{how} The lower triangle, in italics or grey, repeats the upper.",
        f"\\* {test}: p ≤ {LEVEL:g}.{many}",
    ]


def adjusted_text(
    titles: Mapping[str, str],
    adjusted: Mapping[tuple[str, str], float],
    starred: Sequence[tuple[str, str]],
) -> str:
    """Return what a note says of the stars that survive the adjustment for all pairs."""
    listed = "; ".join(f"{titles[a]} and {titles[b]}, {p_text(adjusted[a, b])}" for a, b in starred)
    survive = sum(adjusted[pair] <= LEVEL for pair in starred)
    held = f"{survive} of {len(starred)} starred pairs survive: {listed}"
    return (
        f" Adjusted for {len(adjusted)} pairs by Holm's method, "
        f"{held if starred else 'no pair is significant'}."
    )
