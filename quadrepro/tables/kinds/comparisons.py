"""Every pair of algorithms, compared.

Errors of classes are compared example by example over data sets, as the paper's matrix of
probabilities does (Poisson binomial test); RMSEs and metrics by the data sets that each wins. On
the splits of a single data set the entries are differences of means. Stars are significant
differences by the deciding test: Wilcoxon's over data sets, the corrected t-test over splits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import isnan
from typing import Any

from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import Printed
from quadrepro.stats import (
    COVERAGE,
    LEVEL,
    Comparison,
    Comparisons,
    compare_on_splits,
    compare_over_datasets,
    poisson_binomial_test,
)
from quadrepro.tables.judge import OurNumbers, PrintedNumber, judge
from quadrepro.tables.kinds import (
    Context,
    Kind,
    Made,
    compares_ratios,
    headline,
    own_rows_notes,
)
from quadrepro.tables.table import Entry, Field, Table, decimals, moments
from quadrepro.tables.verdicts import Verdicts

DATA_HEADER = (
    *("algorithm", "against", "probability", "probability sd", "printed", "verdict"),
    *("difference", "low", "high", "wins", "losses", "ties", "p", "p adjusted", "winner"),
)

STARS = "* significant difference by {test} with Holm's correction (p ≤ {level:g})."


def compared(context: Context[Any], outcomes: Outcomes, control: str | None = None) -> Comparisons:
    """Return the comparison of all columns that have all results, or of each with a control.

    The deciding test is Wilcoxon's over several data sets, and the corrected t-test over the splits
    of one. There is none with a single split, or if each split tests all examples.
    """
    losses = outcomes.mean_losses()
    columns = [c for c in outcomes.columns if c in (*outcomes.compared, control) and c in losses]
    if len(columns) < 2 or not outcomes.rows or control not in (None, *columns):
        return {}
    sign = outcomes.sign
    if len(outcomes.rows) > 1:
        scores = {c: [sign * loss for loss in losses[c]] for c in columns}
        return compare_over_datasets(
            scores,
            greater_is_better=outcomes.greater_is_better,
            ratio=compares_ratios(outcomes),
            control=control,
        )
    [row] = outcomes.rows
    share = outcomes.test_shares.get(row, 1.0)
    if outcomes.repeats < 2 or share == 1:
        return {}
    return compare_on_splits(
        {c: outcomes.values(row, c) for c in columns},
        share,
        resolution=outcomes.resolution(row),
        greater_is_better=outcomes.greater_is_better,
        control=control,
    )


def probabilities(outcomes: Outcomes, a: str, b: str) -> list[float]:
    """Return the probability that A is better than B by the examples each misses, per split."""
    return [
        poisson_binomial_test(
            *([outcomes.records[row, c, r].wrong for row in outcomes.rows] for c in (a, b))
        ).probability
        for r in range(outcomes.repeats)
    ]


def _star(comparison: Comparison | None) -> str:
    return "*" if comparison is not None and comparison.winner is not None else ""


def _data(comparison: Comparison | None) -> tuple[Field, ...]:
    if comparison is None:
        return (None,) * 9
    c = comparison
    counts = c.wins, c.losses, c.ties
    return (c.difference, c.low, c.high, *counts, c.p_value, c.p_adjusted, c.winner or "")


def _by_examples(context: Context[str], outcomes: Outcomes, pairs: Comparisons) -> Made:
    """Compare example by example.

    The columns of the printed matrix are first, in their order, and then the others in the order of
    the config.
    """
    printed, titles = context.printed(context.option), context.titles
    order = [c for c in printed.columns if c in titles]
    order += [c for c in context.compared if c not in order]
    complete = outcomes.mean_losses()
    verdicts = _verdicts(printed, outcomes) if printed.cells else None
    rows, data = [], []
    for a in order:
        entries = []
        for b in order:
            chances = probabilities(outcomes, a, b) if complete.keys() >= {a, b} else []
            word = verdicts.word(*sorted((a, b), key=order.index)) if verdicts else None
            text, (mean, sd) = printed.text(a, b), moments(chances)
            comparison = pairs.get((a, b))
            outside, star = word == "outside", _star(comparison)
            entries.append(Entry(mean, sd, text, digits=2, mark=star, outside=outside))
            data.append((a, b, mean, sd, text, word or "", *_data(comparison)))
        rows.append((titles[a], tuple(entries)))
    in_parentheses = ", in parentheses the printed one" * bool(printed.cells)
    notes = [
        "Probability that the row's algorithm is better than the column's (Poisson binomial "
        f"test){in_parentheses}."
    ]
    if outcomes.repeats > 1:
        notes.append(f"Mean ± standard deviation over {outcomes.repeats} splits.")
    notes += _notes(context, pairs)
    if verdicts and verdicts.judged:
        notes.append(
            "† marks a printed probability outside the interval in which the one of a further "
            f"split lies with probability {COVERAGE:g} (Student's t)."
        )
    table = _table(context, outcomes, [titles[c] for c in order], rows, notes, data)
    return Made(table, verdicts=verdicts)


def _verdicts(printed: Printed, outcomes: Outcomes) -> Verdicts:
    """Return where each printed probability of the upper triangle is among our splits."""
    complete, entries = outcomes.mean_losses(), []
    for a, b in combinations([c for c in printed.columns if c in outcomes.columns], 2):
        if printed.text(a, b):
            chances = probabilities(outcomes, a, b) if complete.keys() >= {a, b} else []
            number = PrintedNumber(printed.text(a, b))
            entries.append(judge(number, OurNumbers(chances)).at(a, b, "probability"))
    description = f"{printed.description}."
    return Verdicts(printed.name, tuple(entries), description, one_sample=True)


def _by_means(context: Context[str], outcomes: Outcomes, pairs: Comparisons) -> Made:
    """Compare means: by wins over data sets, by differences on the splits of one."""
    titles, columns, several = context.titles, outcomes.compared, len(outcomes.rows) > 1
    percent = not several and outcomes.counted(outcomes.rows[0])
    digits = 1 if percent else decimals([c.difference for c in pairs.values()], 2)
    rows, data = [], []
    for a in columns:
        entries = []
        for b in columns:
            c = pairs.get((a, b))
            entry = Entry(mark=_star(c), digits=digits, percent=percent, signed=True)
            if c is not None:
                value = f"{c.wins}–{c.losses}" if several else c.difference
                entry = replace(entry, value=value)
            entries.append(entry)
            if c is not None:
                data.append((a, b, *(None,) * 3, "", *_data(c)))
        rows.append((titles[a], tuple(entries)))
    if several:
        how = (
            f"On how many of {len(outcomes.rows)} data sets the row's algorithm is better than the "
        )
        how += f"column's, and on how many worse, by mean {outcomes.label}."
    else:
        unit = ", in percentage points" * percent
        how = f"Mean {outcomes.label} of the row's algorithm − the column's{unit}, over "
        how += f"{outcomes.repeats} splits."
    notes = [how, *_notes(context, pairs)]
    return Made(_table(context, outcomes, [titles[c] for c in columns], rows, notes, data))


def _notes(context: Context[str], pairs: Comparisons) -> list[str]:
    if not pairs:
        return own_rows_notes(context.config)
    first = next(iter(pairs.values()))
    note = STARS.format(test=first.test, level=LEVEL)
    if isnan(first.p_value):
        note = "Too few splits to test differences."
    return [note, *own_rows_notes(context.config)]


def _table(
    context: Context[str],
    outcomes: Outcomes,
    titles: Sequence[str],
    rows: Sequence[tuple[str, tuple[Entry, ...]]],
    notes: Sequence[str],
    data: Sequence[tuple[Field, ...]],
) -> Table:
    title = f"{context.config.title}: pairwise comparisons{outcomes.by_metric}"
    return Table(title, ("", *titles), tuple(rows), tuple(notes), DATA_HEADER, tuple(data))


def _make(context: Context[str], outcomes: Outcomes) -> Made | None:
    """Make the matrix that fits the config, or nothing if no two columns can be compared."""
    tested = headline(context, outcomes).tested()
    if min(len(context.compared), len(tested.compared)) < 2 or not tested.rows:
        return None
    one_data_set = len(tested.rows) == 1 and not context.config.paper
    pairs = compared(context, tested)
    if tested.counts_errors and not (one_data_set and pairs):
        return _by_examples(context, tested, pairs if len(tested.rows) > 1 else {})
    return _by_means(context, tested, pairs) if pairs else None


COMPARISONS = Kind(
    "comparisons",
    str,
    "Tests of every pair of columns; the name of a printed table to compare with. Written unasked.",
    _make,
    lambda context: context.check_printed(context.option, "comparisons"),
)
