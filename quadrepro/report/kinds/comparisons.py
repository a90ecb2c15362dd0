"""Table 2's layout: every pair of algorithms by the Poisson binomial and the sign test."""

from __future__ import annotations

from statistics import fmean, stdev

from quadrepro.config.loading import Experiment
from quadrepro.papers.printed import Printed
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.table import MISSING, Entry, Table
from quadrepro.stats.poisson_binomial import poisson_binomial_test
from quadrepro.stats.sign_test import LEVEL, SignTest, sign_test


def probabilities(outcomes: Outcomes, a: str, b: str) -> list[float]:
    """Return the probability that A is better than B for each repeat.

    Returns
    -------
    list of float
        One a repeat; empty where a cell of either is missing or numbers are predicted.
    """
    if any(map(outcomes.regression, outcomes.rows)):
        return []
    if not all(outcomes.complete(row, c) for row in outcomes.rows for c in (a, b)):
        return []
    return [
        poisson_binomial_test(
            [outcomes.records[row, a, r].wrong_examples() for row in outcomes.rows],
            [outcomes.records[row, b, r].wrong_examples() for row in outcomes.rows],
        )
        for r in range(outcomes.repeats)
    ]


def signs(outcomes: Outcomes, a: str, b: str) -> SignTest | None:
    """Return the sign test of the mean risks, or None where a cell of either is missing."""
    risks = [[outcomes.mean_risk(row, c) for row in outcomes.rows] for c in (a, b)]
    present = [[r for r in side if r is not None] for side in risks]
    if any(len(side) < len(outcomes.rows) for side in present):
        return None
    # Means of equal counts may differ in their last bits.
    return sign_test(*([round(r, 12) for r in side] for side in present))


def comparisons_table(experiment: Experiment, outcomes: Outcomes, published: Printed) -> Table:
    """Return the matrix of pairwise tests.

    Parameters
    ----------
    experiment : Experiment
        Labels.
    outcomes : Outcomes
        The records.
    published : Printed
        The printed matrix, which also gives the order; without one the config's order stands.

    Returns
    -------
    Table
        P(row better than column); the lower triangle, which repeats the upper, is grey.
    """
    labels = {a.name: a.title for a in experiment.config.algorithms}
    order = [c for c in published.columns if c in labels]
    order += [c for c in labels if c not in order]
    rows, data = [], []
    for i, a in enumerate(order):
        entries = []
        for j, b in enumerate(order):
            found = probabilities(outcomes, a, b)
            test = signs(outcomes, a, b)
            text = f"{fmean(found):.2f}" if found else MISSING
            if len(found) > 1:
                text += f" ± {stdev(found):.2f}"
            star = "*" if test is not None and test.significant else ""
            entries.append(Entry(text, published.text(a, b), mark=star, grey=j < i))
            data.append(
                (
                    a,
                    b,
                    fmean(found) if found else "",
                    stdev(found) if len(found) > 1 else "",
                    published.text(a, b),
                    *(("", "", "", "") if test is None else _numbers(test)),
                )
            )
        rows.append((labels[a], tuple(entries)))
    notes = [
        "Probability that the row's algorithm is better than the column's (Poisson binomial "
        "test)"
        + (", in parentheses the printed one. " if published.cells else ". ")
        + "The lower triangle, in italics or grey, repeats the upper.",
        f"\\* two-tailed sign test, ties ignored: p ≤ {LEVEL:g}.",
    ]
    if outcomes.repeats > 1:
        notes.append(
            f"Mean ± standard deviation of the probability over {outcomes.repeats} splits; the "
            "sign test compares mean risks."
        )
    return Table(
        f"{experiment.config.title}: pairwise comparisons",
        ("", *(labels[c] for c in order)),
        tuple(rows),
        tuple(notes),
        (
            "algorithm",
            "against",
            "probability",
            "probability sd",
            "printed",
            "wins",
            "losses",
            "ties",
            "sign test p",
        ),
        tuple(data),
    )


def _numbers(test: SignTest) -> tuple[int, int, int, float]:
    return test.wins, test.losses, test.ties, test.p_value
