"""Test errors of every row and column beside the printed ones; also RMSEs and other metrics.

Errors are shown in the unit of the printed table: as fractions, or in percent. Where numbers are
predicted, they are RMSEs in the unit of the target. Metrics that the config asks for follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import Any

from quadrepro.core.learners.registry import BASELINE
from quadrepro.engine.metrics import NUMBERS, Metric
from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import OF_ERRORS, SD, TIME_ROW, Printed
from quadrepro.stats import COVERAGE, order
from quadrepro.tables.kinds.base import Context, Kind, Made, by_metrics, closing_notes
from quadrepro.tables.table import MISSING, Table, Value, entry, mean_text, moments
from quadrepro.tables.verdicts import (
    LEAST_SPLITS,
    Verdict,
    Verdicts,
    like_print,
    of_further_splits,
    of_two_means,
    repeated,
)

TIME_LABEL = "Mean running time (s)"

DATA_HEADER = (
    *("dataset", "algorithm", "quantity", "splits", "mean", "sd"),
    *("printed", "printed sd", "verdict"),
)

TRUTH = "rmse_noiseless"
"""The measure of a record that is the RMSE against targets without noise."""


@dataclass(frozen=True)
class Block:
    """Errors, or the values of one metric, of all rows beside a printed table."""

    context: Context[Any]
    outcomes: Outcomes
    printed: Printed

    @classmethod
    def of(cls, context: Context[str], outcomes: Outcomes) -> Block:
        """Return a block beside the table that the option names, in the unit of that table."""
        name, paper, of_errors = context.option, context.experiment.paper, outcomes.metric is None
        unit = paper.printed(name).facts.unit if paper and name and of_errors else None
        metric = outcomes.metric.name if outcomes.metric else ""
        return cls(context, outcomes, context.printed(name, unit or "fraction", metric))

    @property
    def metric(self) -> str:
        """Name of the metric; empty for errors."""
        return self.outcomes.metric.name if self.outcomes.metric else ""

    @property
    def in_percent(self) -> bool:
        """Whether errors are shown in percent."""
        return self.printed.facts.unit == "percent"

    def quantity(self, row: str) -> str:
        """Return what is measured in a row, as verdicts call it."""
        if self.outcomes.metric is not None:
            return self.outcomes.metric.label
        if self.outcomes.regression(row):
            return "RMSE"
        return "error in percent" if self.in_percent else "risk"

    @cached_property
    def values(self) -> dict[str, dict[str, list[float]]]:
        """One value per split of every row and column; none if one is missing."""
        outcomes, found = self.outcomes, {}
        for row in outcomes.rows:
            unit = 100 if self.in_percent and outcomes.counted(row) else 1
            found[row] = {
                c: [unit * v for v in outcomes.values(row, c)] if outcomes.complete(row, c) else []
                for c in self.context.titles
            }
        return found

    @cached_property
    def verdicts(self) -> Verdicts:
        """The verdicts on the printed numbers."""
        found = [
            self._judged(row, column, text)
            for row, of_row in self.values.items()
            for column in of_row
            if (text := self.printed.text(row, self.printed.mean_column(column)))
        ]
        what, own_rows = _what_is_printed(self.context, self.printed), self.outcomes.own_rows
        return Verdicts.of(self.printed.name, found, what=what, own_rows=own_rows)

    def _judged(self, row: str, column: str, text: str) -> tuple[Verdict, list[float]]:
        values, printed, of = self.values[row][column], self.printed, self.printed.of
        verdict = Verdict(row, column, self.quantity(row), text)
        beside = printed.moments(row, column)
        if beside is not None and of.cv is None:
            return of_two_means(replace(verdict, further=printed.of.n), values, beside), values
        sizes = [record.n_test for record in self.outcomes.cell(row, column) if record.ok]
        alike = self.outcomes.counted(row) and not self.in_percent and len({*sizes}) == 1
        folds = self.context.experiment.protocols[row].split.outer_folds
        ours, further, n_test = like_print(values, of, folds, sizes[0] if alike else None, sizes)
        return of_further_splits(replace(verdict, n_test=n_test, further=further), ours), ours

    def texts(self, row: str) -> tuple[str, ...]:
        """Return the entries of a row in Markdown, the best in bold, ours and printed."""
        printed, sign, values = self.printed, self.outcomes.sign, self.values[row]
        digits = (2 if self.in_percent else 3) if self.outcomes.counted(row) else 4
        means = {c: moments(values[c])[0] for c in self.outcomes.compared}
        numbers = {c: printed.number(row, printed.mean_column(c)) for c in values}
        best = set() if None in means.values() else _best(means, sign)
        printed_best = _best(numbers, sign)
        return tuple(
            entry(
                mean_text(*moments(of), digits),
                printed.spread(row, column),
                bold=column in best,
                printed_bold=column in printed_best,
                outside=self.verdicts.words.get((row, column)) == "outside",
            )
            for column, of in values.items()
        )

    def data(self, row: str) -> Iterator[tuple[Value, ...]]:
        """Yield the numbers of a row, one entry after the other."""
        for column, of in self.values[row].items():
            word = self.verdicts.words.get((row, column), "")
            numbers = len(of), *moments(of), *self._printed(row, column)
            yield (row, column, self.quantity(row), *numbers, word)

    def times(self) -> Iterator[tuple[str, tuple[Value, ...]]]:
        """Yield the mean running time of each column, as an entry and as data."""
        for column in self.context.titles:
            mean = self.outcomes.mean_seconds(column)
            printed = self._printed(TIME_ROW, column)
            numbers = int(mean is not None), mean, None, *printed
            shown = entry(mean_text(mean, None, 3), printed[0])
            yield shown, (TIME_ROW, column, "seconds", *numbers, "")

    def _printed(self, row: str, column: str) -> tuple[str, str]:
        names = self.printed.mean_column(column), column + SD
        return self.printed.text(row, names[0]), self.printed.text(row, names[1])


def _best(numbers: Mapping[str, float | None], sign: float) -> set[str]:
    """Return the columns of the best number, if there are several numbers."""
    losses = {column: sign * number for column, number in numbers.items() if number is not None}
    lowest = min(losses.values(), default=0.0)
    best = {column for column, loss in losses.items() if not order(loss, lowest)}
    return best if len(losses) > 1 else set()


def _title(context: Context[Any], blocks: Sequence[Block]) -> str:
    tasks = {*context.experiment.tasks.values()}
    metric, more = blocks[0].outcomes.metric, ", and other metrics" * (len(blocks) > 1)
    if metric is not None:
        return metric.label + more
    if tasks == {"regression"}:
        return f"RMSE on test examples{more}"
    unit = "errors in percent" if blocks[0].in_percent else "risks"
    return f"test {unit}" + ", or RMSE where numbers are predicted" * ("regression" in tasks) + more


def _of_one_data_set(context: Context[Any], blocks: Sequence[Block]) -> bool:
    """Return whether this is an own comparison on a single data set."""
    return not context.config.paper and all(len(of.outcomes.rows) == 1 for of in blocks)


def _table(context: Context[Any], blocks: Sequence[Block]) -> Table:
    config, titles = context.config, context.titles
    places = [(block, row) for block in blocks for row in block.values]
    quantities = [block.quantity(row) for block, row in places]
    texts = [block.texts(row) for block, row in places]
    data = [numbers for block, row in places for numbers in block.data(row)]
    if _of_one_data_set(context, blocks):
        # On a single data set the algorithms are the rows, and what they are judged by the columns.
        header = ("Algorithm", *quantities)
        shown = [*zip(titles.values(), zip(*texts, strict=True), strict=True)]
    else:
        header = ("Data set", *titles.values())
        names = [row for _, row in places]
        if len(blocks) > 1:
            names = [f"{row}, {of}" for row, of in zip(names, quantities, strict=True)]
        shown = [*zip(names, texts, strict=True)]
        for absent in config.absent:
            beside = (blocks[0].printed.spread(absent.name, column) for column in titles)
            shown.append((absent.name, tuple(entry(MISSING, text) for text in beside)))
        for block in (block for block in blocks if not block.metric):
            times, of_times = zip(*block.times(), strict=True)
            shown.append((TIME_LABEL, times))
            data += of_times
    return Table(
        f"{config.title}: {_title(context, blocks)}",
        header,
        tuple(shown),
        tuple(_notes(context, blocks)),
        DATA_HEADER,
        tuple(data),
        timed_rows=(TIME_LABEL, TIME_ROW),
    )


def _notes(context: Context[Any], blocks: Sequence[Block]) -> Iterator[str]:
    outcomes, printed = blocks[0].outcomes, [b.printed for b in blocks if b.printed.cells]
    ours = "Ours"
    if outcomes.repeats > 1:
        ours = f"Ours: mean ± standard deviation over {outcomes.repeats} {context.splits}"
    beside = ", in parentheses the printed number" * bool(printed)
    of = "column" if _of_one_data_set(context, blocks) else "row"
    others = ", not counting the baseline" * (BASELINE in outcomes.columns)
    yield f"{ours}{beside}; the best of a {of} is bold{others}."
    if printed and outcomes.repeats > 1:
        yield (
            "† marks a printed number outside the interval in which it falls with probability "
            f"{COVERAGE:g} if it stems from splits like ours (half a unit of its last digit is "
            "allowed for)."
        )
    for table in printed:
        yield f"Printed: {_what_is_printed(context, table)}"
    for judged in (block.outcomes for block in blocks if block.metric not in ("", TRUTH)):
        done = {place for place, r in judged.records.items() if r.ok and place[0] in judged.rows}
        if judged.metric and (lacking := len(done - judged.measured.keys())):
            yield (
                f"{judged.metric.label} is undefined, or there are no {judged.metric.needs} to "
                f"compute it from ({MISSING}), in {lacking} of {len(done)} cells."
            )
    yield from (f"{a.name}: {a.reason.removesuffix('.')}." for a in context.config.absent)
    yield from closing_notes(context, outcomes)


def _what_is_printed(context: Context[Any], printed: Printed) -> str:
    """Return what the printed numbers are, and how a mean over folds is judged."""
    text = f"{printed.words}."
    if printed.of.cv is None:
        return text
    if repeated(printed.of, context.config.repeats, context.config.protocol.split.outer_folds):
        return f"{text} It is placed among the means of our cross-validations."
    return (
        f"{text} Without at least {LEAST_SPLITS} such cross-validations of ours, folds are taken "
        "for independent splits, which makes intervals wider than they need be."
    )


def _check(context: Context[str]) -> None:
    """Refuse a printed table that does not hold errors, or those of a metric not asked for."""
    context.check_printed(context.option, "errors")
    paper, name = context.experiment.paper, context.option
    metric = paper.printed(name).facts.metric if name and paper is not None else OF_ERRORS[0]
    if metric not in (*OF_ERRORS, *context.config.metrics):
        raise context.error(f"{name} prints {metric}: ask for it with metrics: [{metric}]")


def _make(context: Context[str], outcomes: Outcomes) -> Made:
    """Make the table, and verdicts on what is printed."""
    blocks = [Block.of(context, of) for of in (outcomes, *by_metrics(context, outcomes))]
    # The headline comes first.
    blocks.sort(key=lambda block: block.metric != context.config.headline)
    verdicts = next((block.verdicts for block in blocks if block.printed.cells), None)
    return Made(_table(context, blocks), verdicts=verdicts)


ERRORS = Kind(
    "errors",
    str,
    "Errors of all rows and columns; the name of a printed table to compare with. Always written.",
    _make,
    _check,
)


# It is measured with the cell.
TRUE_RMSE = Metric(
    TRUTH, "RMSE on test examples without noise", NUMBERS, "predictions", lambda *_: nan, False
)


def _make_noiseless(context: Context[str], outcomes: Outcomes) -> Made:
    """Make the table of RMSEs against targets without noise, beside the printed RMSEs."""
    measured = {
        place: record.measures[TRUTH][0]
        for place, record in outcomes.records.items()
        if TRUTH in record.measures
    }
    true = replace(outcomes, metric=TRUE_RMSE, measured=measured)
    block = Block(context, true, context.printed(context.option, "fraction"))
    return Made(_table(context, [block]))


NOISELESS = Kind(
    "noiseless",
    str,
    "The same for errors against targets without noise.",
    _make_noiseless,
    _check,
)
