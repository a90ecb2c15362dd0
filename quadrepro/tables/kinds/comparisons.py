"""Algorithms compared: every pair, their mean ranks, and one against every other one.

Errors of classes are compared example by example over data sets, as the paper's matrix of
probabilities does (Poisson binomial test); RMSEs and metrics by the data sets that each wins. On
the splits of a single data set the entries are differences of means. Stars are significant
differences by the deciding test: Wilcoxon's over data sets, the corrected t-test over splits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from math import ceil, isnan
from pathlib import Path
from typing import Any

from quadrepro import stats
from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import Printed
from quadrepro.stats import COVERAGE, LEVEL, Comparisons, Repeats
from quadrepro.tables.figure import fitted, looks_of, new_figure
from quadrepro.tables.judge import PrintedNumber, Verdicts, judge
from quadrepro.tables.kinds import Context, Data, Kind, Made, Texts, closing_notes, own_rows_notes
from quadrepro.tables.methods import Scale, draw_ranks, methods_table, numbers_of
from quadrepro.tables.render import Entry, Table, decimals, moments

DATA_HEADER = (
    *("algorithm", "against", "probability", "probability sd", "printed", "verdict"),
    *("difference", "low", "high", "wins", "losses", "ties", "p", "p adjusted", "winner"),
)


def compared(context: Context[Any], outcomes: Outcomes, control: str | None = None) -> Comparisons:
    """Return the comparison of all columns that have all results, or of each with a control.

    The deciding test is Wilcoxon's over several data sets, and the corrected t-test over the splits
    of one. There is none with a single split, or if each split tests all examples.
    """
    losses = outcomes.mean_losses()
    columns = [c for c in outcomes.columns if c in (*outcomes.compared, control) and c in losses]
    if len(columns) < 2 or not outcomes.rows or control not in (None, *columns):
        return {}
    manner: dict[str, Any] = {"greater_is_better": outcomes.greater_is_better, "control": control}
    if len(outcomes.rows) > 1:
        scores = {c: [outcomes.sign * loss for loss in losses[c]] for c in columns}
        return stats.compare_over_datasets(scores, ratio=_has_units(outcomes), **manner)
    [row] = outcomes.rows
    share = outcomes.test_shares.get(row, 1.0)
    splits = {c: outcomes.values(row, c) for c in columns}
    if len(splits[columns[0]]) < 2 or share == 1:
        return {}
    return stats.compare_on_splits(splits, share, resolution=outcomes.resolution(row), **manner)


def _has_units(outcomes: Outcomes) -> bool:
    """Return whether values are in the unit of each target, so that data sets compare by ratios."""
    if outcomes.metric is not None:
        return outcomes.metric.in_target_unit
    return any(map(outcomes.regression, outcomes.rows))


def probabilities(outcomes: Outcomes, a: str, b: str) -> list[float]:
    """Return the probability that A is better than B by the examples each misses, per split."""
    return [
        stats.poisson_binomial_test(
            *([outcomes.records[row, c, r].wrong for row in outcomes.rows] for c in (a, b))
        ).probability
        for r in range(outcomes.repeats)
    ]


def _by_examples(context: Context[str], outcomes: Outcomes, pairs: Comparisons) -> Made:
    """Compare example by example.

    The columns of the printed matrix are first, in their order, and then the others in the order of
    the config.
    """
    printed = context.printed(context.option)
    order = [c for c in printed.columns if c in context.titles]
    order += [c for c in context.compared if c not in order]
    complete = outcomes.mean_losses().keys()
    chances = {
        (a, b): probabilities(outcomes, a, b) if complete >= {a, b} else []
        for a, b in product(order, repeat=2)
    }
    verdicts = _verdicts(printed, outcomes, chances)
    rows, data = defaultdict[str, list[Entry]](list), []
    for (a, b), sample in chances.items():
        above, below = sorted((a, b), key=order.index)
        word = verdicts.words.get((above, below), "")
        text, (mean, sd), c = printed.text(a, b), moments(sample), pairs.get((a, b))
        star, outside = "*" * bool(c and c.winner), word == "outside"
        rows[a].append(Entry(mean, sd, text, digits=2, mark=star, outside=outside))
        data.append((a, b, mean, sd, text, word, *map(numbers_of(c).get, DATA_HEADER[6:])))
    in_parentheses = ", in parentheses the printed one" * bool(printed.cells)
    start = "Probability that the row's algorithm is better than the column's"
    notes = [f"{start} (Poisson binomial test){in_parentheses}."]
    if outcomes.repeats > 1:
        notes.append(f"Mean ± standard deviation over {outcomes.repeats} splits.")
    notes += _notes(context, pairs)
    if verdicts.judged:
        notes.append(
            "† marks a printed probability outside the interval in which the one of a further "
            f"split lies with probability {COVERAGE:g} (Student's t)."
        )
    return Made(_table(context, outcomes, rows, notes, data), verdicts=verdicts)


def _verdicts(
    printed: Printed, outcomes: Outcomes, chances: Mapping[tuple[str, str], list[float]]
) -> Verdicts:
    """Return where each printed probability of the upper triangle is among our splits."""
    entries = [
        judge(PrintedNumber(text), Repeats(tuple(chances[a, b]))).at(a, b, "probability")
        for a, b in combinations([c for c in printed.columns if c in outcomes.columns], 2)
        if (text := printed.text(a, b))
    ]
    return Verdicts(printed.name, tuple(entries), f"{printed.description}.", one_sample=True)


def _by_means(context: Context[str], outcomes: Outcomes, pairs: Comparisons) -> Made:
    """Compare means: by wins over data sets, by differences on the splits of one."""
    several = len(outcomes.rows) > 1
    percent = not several and outcomes.counted(outcomes.rows[0])
    digits = 1 if percent else decimals([c.difference for c in pairs.values()], 2)
    rows, data = defaultdict[str, list[Entry]](list), []
    for a, b in product(outcomes.compared, repeat=2):
        value, c = None, pairs.get((a, b))
        if c is not None:
            value = f"{c.wins}–{c.losses}" if several else c.difference
            numbers = map(numbers_of(c).get, DATA_HEADER[6:])
            data.append((a, b, None, None, None, "", *numbers))
        star = "*" * bool(c and c.winner)
        rows[a].append(Entry(value, mark=star, digits=digits, percent=percent, signed=True))
    unit = ", in percentage points" * percent
    how = (
        f"On how many of {len(outcomes.rows)} data sets the row's algorithm is better than the "
        f"column's, and on how many worse, by mean {outcomes.label}."
        if several
        else f"Mean {outcomes.label} of the row's algorithm − the column's{unit}, over "
        f"{outcomes.repeats} splits."
    )
    return Made(_table(context, outcomes, rows, [how, *_notes(context, pairs)], data))


def _notes(context: Context[str], pairs: Comparisons) -> list[str]:
    if not pairs:
        return own_rows_notes(context.config)
    first = next(iter(pairs.values()))
    note = f"* significant difference by {first.test} with Holm's correction (p ≤ {LEVEL:g})."
    if isnan(first.p_value):
        note = "Too few splits to test differences."
    return [note, *own_rows_notes(context.config)]


def _table(
    context: Context[str], tested: Outcomes, rows: dict[str, list[Entry]], notes: Texts, data: Data
) -> Table:
    subject = f"pairwise comparisons{tested.by_metric}"
    named_rows = [(context.titles[column], row) for column, row in rows.items()]
    header = ("", *(title for title, _ in named_rows))
    return context.table(subject, header, named_rows, notes, DATA_HEADER, data)


def _make_comparisons(context: Context[str], outcomes: Outcomes) -> Made | None:
    """Tests of every pair of columns; the name of a printed table to compare with.

    Written unasked.
    """
    tested = context.headline(outcomes).tested()
    if min(len(context.compared), len(tested.compared)) < 2 or not tested.rows:
        return None
    one_data_set = len(tested.rows) == 1 and not context.config.paper
    pairs = compared(context, tested)
    if tested.counts_errors and not (one_data_set and pairs):
        return _by_examples(context, tested, pairs if len(tested.rows) > 1 else {})
    return _by_means(context, tested, pairs) if pairs else None


COMPARISONS = Kind(str, _make_comparisons, lambda c: c.check_printed(c.option, "comparisons"))


def scale_of(outcomes: Outcomes) -> Scale:
    """Return how the values of outcomes are shown."""
    percent = outcomes.metric is None and all(map(outcomes.counted, outcomes.rows))
    ratio = len(outcomes.rows) > 1 and _has_units(outcomes)
    return Scale(outcomes.label, outcomes.greater_is_better, percent, ratio)


def _check_ranking(context: Context[bool]) -> None:
    """Refuse a config with too little to rank."""
    n_rows = len(context.config.own_rows)
    if not n_rows:
        raise context.error(own_rows_notes(context.config)[0])
    if n_rows == 1 and len(context.compared) > 1:
        raise context.error("ranking is over data sets; comparisons tests the splits of one")
    if len(context.compared) < 2:
        raise context.error("a ranking needs at least two methods on at least two data sets")


def _make_ranking(context: Context[bool], outcomes: Outcomes) -> Made:
    """Mean ranks with tests against the best, and a diagram of ranks: `true`."""
    tested = context.headline(outcomes).tested()
    title = f"{context.config.title}: ranking{tested.by_metric}"
    losses, compared = tested.mean_losses(), tested.compared
    if min(len(tested.rows), len(compared)) < 2 or not losses.keys() >= {*compared}:
        reason = "Ranking takes two algorithms without missing cells on two data sets."
        return Made(Table(title, ("",), (), (reason,), ("method",), ()))
    scores = {c: [tested.sign * loss for loss in losses[c]] for c in compared}
    scale, higher = scale_of(tested), tested.greater_is_better
    ranking = stats.rank_methods(scores, greater_is_better=higher, ratio=scale.ratio)
    table = methods_table(title, ranking, context.titles, scale)
    notes = (*closing_notes(context, tested), *own_rows_notes(context.config))
    draw = partial(draw_ranks, ranking=ranking, titles=context.titles)
    return Made(replace(table, notes=(*table.notes, *notes)), draw)


RANKING = Kind(bool, _make_ranking, _check_ranking)


ABREAST, SIZE = 4, 2.6
"""Maximum number of panels side by side, and the inches of one."""

Dot = tuple[str, float, float]
"""Data set, and the values of the algorithm and of another one on a split."""


def _dots(outcomes: Outcomes, a: str, b: str) -> list[Dot]:
    """Return one dot for every split that both algorithms have."""
    return [
        (row, x.value, y.value)
        for row in outcomes.rows
        for x, y in zip(outcomes.cell(row, a), outcomes.cell(row, b), strict=True)
        if x.ok and y.ok
    ]


def _make_scatter(context: Context[str], outcomes: Outcomes) -> Made:
    """A figure of the errors of one column, by name, against every other column."""
    word = "RMSE" if "regression" in context.experiment.tasks.values() else "risk"
    others = [name for name in context.titles if name != context.option]
    dots = {other: _dots(outcomes, context.option, other) for other in others}
    title, percent = context.titles[context.option], word == "risk"
    rows = []
    for other, pairs in dots.items():
        sides, gaps = [stats.order(y, x) for _, x, y in pairs], [y - x for _, x, y in pairs]
        counts = (Entry(str(sides.count(side))) for side in (1, 0, -1))
        digits = 2 if percent else decimals(gaps)
        gap = Entry(*moments(gaps), digits=digits, percent=percent, signed=True)
        rows.append((context.titles[other], (*counts, gap)))
    note = (
        f"Above, on, below: dots by the diagonal, one per split; above it {title} has the "
        f"lower {word}. Difference: the row's {word} − {title}'s"
        f"{', in percentage points' * percent}, mean ± standard deviation over the dots."
    )
    notes = note, *closing_notes(context, outcomes)
    header = ("", "above", "on", "below", "difference")
    columns = ("algorithm", "dataset", f"{word} of {context.option}", word)
    data = ((other, *dot) for other, pairs in dots.items() for dot in pairs)
    table = context.table(f"{word}s against {title}", header, rows, notes, columns, data)
    return Made(table, partial(_draw_scatter, context, outcomes.rows, word, dots))


def _draw_scatter(
    context: Context[str], rows: tuple[str, ...], word: str, dots: dict[str, list[Dot]], path: Path
) -> None:
    """Draw one panel per algorithm; each data set has its own colour and marker."""
    values = [value for pairs in dots.values() for _, *xy in pairs for value in xy] or [0.0, 1.0]
    margin = 0.05 * (max(values) - min(values)) or 0.05
    ends = min(values) - margin, max(values) + margin
    n_rows, n_columns = ceil(len(dots) / ABREAST), min(ABREAST, len(dots))
    with new_figure(path, SIZE * n_columns + 0.6, SIZE * n_rows + 0.7) as figure:
        for i, (other, pairs) in enumerate(dots.items(), start=1):
            panel = figure.add_subplot(n_rows, n_columns, i)
            panel.plot(ends, ends, color="#999999", linewidth=0.8, zorder=0)
            for row, look in looks_of(rows).items():
                xy = [dot[1:] for dot in pairs if dot[0] == row]
                form = look | {"linestyle": "", "markersize": 4, "alpha": 0.7, "markeredgewidth": 0}
                panel.plot([x for x, _ in xy], [y for _, y in xy], label=row, **form)
            axes = (f"{word} of {context.titles[name]}" for name in (context.option, other))
            xlabel, ylabel = (fitted(text, SIZE - 0.6) for text in axes)
            panel.set(xlim=ends, ylim=ends, aspect="equal", xlabel=xlabel, ylabel=ylabel)


def _check_scatter(context: Context[str]) -> None:
    """Refuse an unknown column, one that is alone, and rows of two units."""
    context.check_column(context.option)
    if len(context.titles) == 1:
        raise context.error(f"{context.option} is the only algorithm")
    tasks = context.experiment.tasks
    numbers = [row for row, task in tasks.items() if task == "regression"]
    if 0 < len(numbers) < len(tasks):
        message = f"one scale serves all rows, and only some predict numbers: {numbers[0]}"
        raise context.error(message)


SCATTER = Kind(str, _make_scatter, _check_scatter)
