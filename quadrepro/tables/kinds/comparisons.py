"""Every pair of algorithms, compared by the Poisson binomial test and the sign test.

Where numbers are predicted, their RMSEs are compared as `value_comparisons` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from statistics import fmean, stdev

from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import Printed
from quadrepro.stats import (
    COVERAGE,
    LEVEL,
    SignTest,
    chance_of_a_star,
    holm,
    poisson_binomial_test,
    sign_test,
)
from quadrepro.stats.multiplicity import N_DRAWS, SEED
from quadrepro.tables.kinds.base import Context, Kind
from quadrepro.tables.kinds.value_comparisons import (
    adjusted_text,
    has_values_to_compare,
    value_comparisons_table,
)
from quadrepro.tables.table import MISSING, Entry, Table
from quadrepro.tables.verdicts import Verdict, Verdicts, of_further_splits


def probabilities(outcomes: Outcomes, a: str, b: str) -> list[float]:
    """Return the probability that A is better than B."""
    if not outcomes.counts_errors:
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
        mine, theirs = outcomes.mean_loss(row, a), outcomes.mean_loss(row, b)
        if mine is None or theirs is None:
            return None
        # Only the order of two means matters, and it is exact.
        orders.append(float(mine > theirs) - float(mine < theirs))
    return sign_test(orders, [0.0] * len(orders))


def comparisons_table(context: Context[str], outcomes: Outcomes) -> Table:
    """Return the matrix of pairwise tests.

    The columns of the printed matrix come first, in their order, and then the others in the order
    of the config.
    """
    if not outcomes.counts_errors:
        return value_comparisons_table(context, outcomes)
    all_rows, outcomes = outcomes.rows, outcomes.tested()
    printed, titles = context.printed(context.option), context.titles
    order = [c for c in printed.columns if c in titles]
    order += [c for c in titles if c not in order]
    tests = {(a, b): signs(outcomes, a, b) for a in order for b in order}
    adjusted = _adjusted({pair: tests[pair] for pair in combinations(order, 2)})
    chances = {(a, b): probabilities(outcomes, a, b) for a in order for b in order}
    words = {(v.row, v.column): v.word for v in _placed(printed, chances).judged}
    rows, data = [], []
    for i, a in enumerate(order):
        entries = []
        for j, b in enumerate(order):
            found, test = chances[a, b], tests[a, b]
            text = f"{fmean(found):.2f}" if found else MISSING
            if len(found) > 1:
                text += f" ± {stdev(found):.2f}"
            mark = "*" if test is not None and test.significant else ""
            verdict = words.get((a, b), words.get((b, a), ""))
            mark += "†" if verdict == "outside" else ""
            entries.append(Entry(text, printed.text(a, b), mark=mark, grey=j < i, verdict=verdict))
            data.append(
                (
                    a,
                    b,
                    fmean(found) if found else "",
                    stdev(found) if len(found) > 1 else "",
                    printed.text(a, b),
                    *(("", "", "", "") if test is None else _numbers(test)),
                    adjusted.get((a, b), adjusted.get((b, a), "")),
                    verdict,
                )
            )
        rows.append((titles[a], tuple(entries)))
    notes = [
        "Probability that the row's algorithm is better than the column's (Poisson binomial "
        "test)"
        + (", in parentheses the printed one. " if printed.cells else ". ")
        + "The lower triangle, in italics or grey, repeats the upper.",
        f"\\* two-tailed sign test, ties ignored: p ≤ {LEVEL:g}."
        + _of_many_tests(outcomes, titles, adjusted, tests),
    ]
    if left_out := outcomes.left_out(all_rows):
        notes.append(left_out)
    if outcomes.repeats > 1:
        notes.append(
            f"Mean ± standard deviation of the probability over {outcomes.repeats} splits; the "
            "sign test compares mean risks."
        )
    if words:
        notes.append(
            "† marks a printed probability outside the interval in which that of one further "
            f"split falls with probability {COVERAGE:g} (Student's t)."
        )
    return Table(
        f"{context.config.title}: pairwise comparisons{outcomes.by_metric}",
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
            "sign test p Holm",
            "verdict",
        ),
        tuple(data),
    )


def pair_verdicts(context: Context[str], outcomes: Outcomes) -> Verdicts:
    """Return where each printed probability of the upper triangle lies among our splits."""
    printed, outcomes = context.printed(context.option), outcomes.tested()
    known = [c for c in printed.columns if c in context.titles]
    pairs = (pair for pair in combinations(known, 2) if printed.text(*pair))
    return _placed(printed, {(a, b): probabilities(outcomes, a, b) for a, b in pairs})


def _placed(printed: Printed, chances: Mapping[tuple[str, str], list[float]]) -> Verdicts:
    """Return the verdicts on the printed upper triangle, given our probabilities of each pair."""
    found = []
    for a, b in combinations(printed.columns, 2):
        if (a, b) in chances and printed.text(a, b):
            entry = Verdict(a, b, "probability", printed.text(a, b))
            ours = chances[a, b]
            found.append((of_further_splits(entry, ours, printed.rounding(a, b)), ours))
    return Verdicts.of(printed.name, found, together=True)


def _adjusted(
    tests: Mapping[tuple[str, str], SignTest | None],
) -> dict[tuple[str, str], float]:
    """Return the p-values of all sign tests that could be made, adjusted by Holm's method."""
    known = {pair: test.p_value for pair, test in tests.items() if test is not None}
    return dict(zip(known, holm(known.values()), strict=True))


def _of_many_tests(
    outcomes: Outcomes,
    titles: Mapping[str, str],
    adjusted: Mapping[tuple[str, str], float],
    tests: Mapping[tuple[str, str], SignTest | None],
) -> str:
    """Return what the note says of stars by chance, and of those that survive the adjustment."""
    if len(adjusted) < 2:
        return ""
    compared = [c for c in titles if any(c in pair for pair in adjusted)]
    means = [[outcomes.mean(row, c) for c in compared] for row in outcomes.rows]
    chance = chance_of_a_star([[m for m in of_row if m is not None] for of_row in means])
    starred = [pair for pair in adjusted if (test := tests[pair]) and test.significant]
    return (
        f" If all algorithms were alike, {100 * chance:.0f}% of such tables would have a star "
        f"({N_DRAWS:,} tables, drawn with seed {SEED}, in which the risks of each data set are "
        f"exchanged between the algorithms).{adjusted_text(titles, adjusted, starred)}"
    )


def _numbers(test: SignTest) -> tuple[int, int, int, float]:
    return test.wins, test.losses, test.ties, test.p_value


def _several_columns(context: Context[str]) -> bool:
    tasks = {*context.experiment.tasks.values()}
    values = tasks != {"regression"} or has_values_to_compare(context)
    return len(context.titles) > 1 and values


COMPARISONS = Kind(
    key="comparisons",
    option=str,
    meaning="Tests of every pair of columns, beside a printed table: its name. Always written.",
    default="",
    check=lambda context: context.check_printed("comparisons"),
    written=_several_columns,
    table=comparisons_table,
    verdicts=pair_verdicts,
)
