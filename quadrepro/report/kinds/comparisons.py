"""Every pair of algorithms, compared by the Poisson binomial test and the sign test."""

from __future__ import annotations

from statistics import fmean, stdev

from quadrepro.papers.printed import Printed
from quadrepro.report.kinds.base import Context, Kind
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.table import MISSING, Entry, Table, VerdictWord
from quadrepro.stats import (
    COVERAGE,
    LEVEL,
    SignTest,
    placement,
    poisson_binomial_test,
    sign_test,
)


def probabilities(outcomes: Outcomes, a: str, b: str) -> list[float]:
    """Return the probability that A is better than B.

    Returns
    -------
    list of float
        One per repeat; empty if a cell of either is missing or numbers are predicted.
    """
    if any(map(outcomes.regression, outcomes.rows)):
        return []
    rows = outcomes.rows
    if not rows or not all(outcomes.complete(row, c) for row in rows for c in (a, b)):
        return []
    return [
        poisson_binomial_test(
            [outcomes.records[row, a, r].wrong_examples() for row in outcomes.rows],
            [outcomes.records[row, b, r].wrong_examples() for row in outcomes.rows],
        ).probability
        for r in range(outcomes.repeats)
    ]


def signs(outcomes: Outcomes, a: str, b: str) -> SignTest | None:
    """Return the sign test of the mean risks, or None if a cell of either is missing."""
    orders = []
    if not outcomes.rows:
        return None
    for row in outcomes.rows:
        mine, theirs = outcomes.mean(row, a), outcomes.mean(row, b)
        if mine is None or theirs is None:
            return None
        # Only the order of two means matters, and it is exact.
        orders.append(float(mine > theirs) - float(mine < theirs))
    return sign_test(orders, [0.0] * len(orders))


def comparisons_table(context: Context[str], outcomes: Outcomes) -> Table:
    """Return the matrix of pairwise tests.

    The columns of the printed matrix come first, in their order, and then the others in the order
    of the config.

    Returns
    -------
    Table
        P(row better than column). The lower triangle, which repeats the upper one, is grey.
    """
    all_rows, outcomes = outcomes.rows, outcomes.tested()
    printed, titles = context.printed(context.option), context.titles
    order = [c for c in printed.columns if c in titles]
    order += [c for c in titles if c not in order]
    rows, data, verdicts = [], [], []
    for i, a in enumerate(order):
        entries = []
        for j, b in enumerate(order):
            found = probabilities(outcomes, a, b)
            test = signs(outcomes, a, b)
            text = f"{fmean(found):.2f}" if found else MISSING
            if len(found) > 1:
                text += f" ± {stdev(found):.2f}"
            mark = "*" if test is not None and test.significant else ""
            verdict: VerdictWord = "" if a == b else _verdict(found, printed, a, b)
            mark += "†" if verdict == "outside" else ""
            verdicts += [verdict] if verdict and i < j else []
            entries.append(Entry(text, printed.text(a, b), mark=mark, grey=j < i, verdict=verdict))
            data.append(
                (
                    a,
                    b,
                    fmean(found) if found else "",
                    stdev(found) if len(found) > 1 else "",
                    printed.text(a, b),
                    *(("", "", "", "") if test is None else _numbers(test)),
                    verdict,
                )
            )
        rows.append((titles[a], tuple(entries)))
    notes = [
        "Probability that the row's algorithm is better than the column's (Poisson binomial "
        "test)"
        + (", in parentheses the printed one. " if printed.cells else ". ")
        + "The lower triangle, in italics or grey, repeats the upper.",
        f"\\* two-tailed sign test, ties ignored: p ≤ {LEVEL:g}.",
    ]
    if len(outcomes.rows) < len(all_rows):
        notes.append(
            f"Over the {len(outcomes.rows)} of {len(all_rows)} data sets on which every algorithm "
            "has a result in every split."
        )
    if outcomes.repeats > 1:
        notes.append(
            f"Mean ± standard deviation of the probability over {outcomes.repeats} splits; the "
            "sign test compares mean risks."
        )
    if verdicts:
        notes.append(
            f"† marks a printed probability outside the interval in which that of one further "
            f"split falls with probability {COVERAGE:g} (Student's t). Inside: "
            f"{verdicts.count('inside')} of {len(verdicts)} pairs."
        )
    return Table(
        f"{context.config.title}: pairwise comparisons",
        ("", *(titles[c] for c in order)),
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
            "verdict",
        ),
        tuple(data),
    )


def _verdict(found: list[float], printed: Printed, a: str, b: str) -> VerdictWord:
    """Return where the printed probability lies among those of our splits, or "" if unknown."""
    number = printed.number(a, b)
    if number is None or len(found) < 2:
        return ""
    return "inside" if placement(found, number, printed.rounding(a, b)).inside else "outside"


def _numbers(test: SignTest) -> tuple[int, int, int, float]:
    return test.wins, test.losses, test.ties, test.p_value


def _several_columns(context: Context[str]) -> bool:
    return len(context.titles) > 1


COMPARISONS = Kind(
    key="comparisons",
    option=str,
    default="",
    check=lambda context: context.check_printed("comparisons"),
    written=_several_columns,
    table=comparisons_table,
)
