"""Test errors of every row and column next to the printed ones; also RMSEs and other metrics.

Shares are shown as the printed table shows them, as fractions or in percent. Where numbers are
predicted, errors are RMSEs in the unit of the target. Metrics that the config asks for follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import nan
from typing import Any

from quadrepro.base.text import few
from quadrepro.core.metrics import NUMBERS, Metric
from quadrepro.core.training.algorithms import BASELINE
from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import ACCURACY, NOTHING, OF_ERRORS, SD, TIME_ROW, Printed
from quadrepro.stats import COVERAGE, MIN_SPLITS, order
from quadrepro.tables.judge import Verdicts, judge_entry, repeated
from quadrepro.tables.kinds import Context, Kind, Made, closing_notes
from quadrepro.tables.render import MISSING, CsvField, Entry, Table, decimals, moments

TIME_LABEL = "Mean running time (s)"

DATA_HEADER = (
    *("dataset", "algorithm", "quantity", "splits", "mean", "sd"),
    *("printed", "printed sd", "verdict"),
)

TRUTH = "rmse_noiseless"
"""The measure of a record that is the RMSE against targets without noise."""


@dataclass(frozen=True)
class Block:
    """Errors, or the values of one metric, of all rows next to a printed table."""

    context: Context[Any]
    outcomes: Outcomes
    printed: Printed
    percent: bool = False
    """Whether shares are shown in percent."""

    @classmethod
    def from_outcomes(cls, context: Context[str], outcomes: Outcomes) -> Block:
        """Return a block with the printed table that the option names, if it is of this metric."""
        printed, metric = context.printed(context.option), outcomes.metric
        printed_metric = "" if printed.facts.metric in OF_ERRORS else printed.facts.metric
        matches = printed_metric == (metric.name if metric else "")
        percent = printed.in_percent and (matches or metric is None)
        return cls(context, outcomes, printed if matches else NOTHING, percent)

    @property
    def metric(self) -> str:
        """Name of the metric; empty for errors."""
        return self.outcomes.metric.name if self.outcomes.metric else ""

    def quantity(self, row: str) -> str:
        """Return the name of the numbers of a row."""
        if self.outcomes.metric is not None:
            return self.outcomes.metric.label
        return "RMSE" if self.outcomes.regression(row) else "risk"

    def in_percent(self, row: str) -> bool:
        """Return whether the numbers of a row are shown in percent; RMSEs keep their unit."""
        return self.percent and (self.outcomes.metric is not None or self.outcomes.counted(row))

    @cached_property
    def verdicts(self) -> Verdicts:
        """The verdicts on the printed numbers."""
        printed, protocols, entries = self.printed, self.context.experiment.protocols, []
        for row, column in product(self.outcomes.rows, self.context.titles):
            if printed.text(row, printed.mean_column(column)):
                folds = protocols[row].split.outer_folds
                verdict = judge_entry(printed, self.outcomes, row, column, folds)
                entries.append(verdict.at(row, column, self.quantity(row)))
        text, own_rows = _description(self.context, printed), self.outcomes.own_rows
        return Verdicts(printed.name, tuple(entries), text, own_rows, self.percent)

    def entries(self, row: str) -> Iterator[tuple[Entry, tuple[CsvField, ...]]]:
        """Yield the entries of a row, each with its numbers.

        The best of our numbers is bold, and so is the best of the printed ones. Verdicts mark the
        printed numbers outside our intervals.
        """
        printed, outcomes, columns = self.printed, self.outcomes, self.context.titles
        quantity, percent = self.quantity(row), self.in_percent(row)
        # An entry has no number if one split is missing; nothing of ours is bold then.
        values = {c: outcomes.values(row, c) if outcomes.complete(row, c) else [] for c in columns}
        ours = {c: moments(sample) for c, sample in values.items()}
        compared = {c: ours[c][0] for c in outcomes.compared}
        best = set() if None in compared.values() else _best(compared, outcomes.greater_is_better)
        numbers = {c: printed.number(row, printed.mean_column(c)) for c in values}
        printed_best = _best(numbers, printed.facts.greater_is_better)
        digits = 2 if percent else 3
        if not (percent or outcomes.counted(row)):
            numbers_of_row = (self._texts(row, c)[0] for c in values)
            printed_digits = (len(number.partition(".")[2]) for number in numbers_of_row)
            digits = max(decimals(mean for mean, _ in ours.values()), *printed_digits)
        in_unit = outcomes.metric is not None or outcomes.counted(row)
        outside = self.verdicts.outside_places
        for column, mean_and_sd in ours.items():
            texts = self._texts(row, column, as_printed=in_unit)
            bold = column in best, column in printed_best
            place = row, column, quantity
            off = place in outside, (row, column, f"deviation of {quantity}") in outside
            entry = Entry(*mean_and_sd, *texts, *bold, "", *off, digits=digits, percent=percent)
            word = self.verdicts.words.get((row, column), "")
            fields = len(values[column]), *mean_and_sd, *self._texts(row, column)
            yield entry, (*place, *fields, word)

    def absent(self, name: str) -> list[Entry]:
        """Return the entries of a row that has no data, with its printed numbers."""
        columns = self.context.titles
        return [Entry(MISSING, None, *self._texts(name, c, as_printed=True)) for c in columns]

    def times(self) -> Iterator[tuple[Entry, tuple[CsvField, ...]]]:
        """Yield the mean running time of each column, as an entry and as data."""
        for column in self.context.titles:
            mean = self.outcomes.mean_seconds(column)
            printed = self._texts(TIME_ROW, column)
            row = (TIME_ROW, column, "seconds", int(mean is not None), mean, None, *printed, "")
            yield Entry(mean, None, printed[0]), row

    def _texts(self, row: str, column: str, *, as_printed: bool = False) -> tuple[str, str]:
        """Return a printed number and its spread as texts, in the unit of the paper or as kept."""
        text = self.printed.as_printed if as_printed else self.printed.text
        return text(row, self.printed.mean_column(column)), text(row, column + SD)


def _best(numbers: Mapping[str, float | None], greater_is_better: bool) -> set[str]:
    """Return the columns of the best number, if there are several numbers."""
    sign = -1.0 if greater_is_better else 1.0
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
    unit = "errors in percent" if blocks[0].percent else "risks"
    return f"test {unit}" + ", or RMSE where numbers are predicted" * ("regression" in tasks) + more


def _is_one_data_set(context: Context[Any], blocks: Sequence[Block]) -> bool:
    """Return whether this is an own comparison on a single data set."""
    return not context.config.paper and all(len(block.outcomes.rows) == 1 for block in blocks)


def _table(context: Context[Any], blocks: Sequence[Block]) -> Table:
    config, titles = context.config, context.titles
    names, quantities = list[str](), list[str]()
    entries, data = list[tuple[Entry, ...]](), list[tuple[CsvField, ...]]()
    places = [(block, row) for block in blocks for row in block.outcomes.rows]
    for block, row in places:
        quantities.append(block.quantity(row) + " in percent" * block.in_percent(row))
        names.append(f"{row}, {quantities[-1]}" if len(blocks) > 1 else row)
        row_entries, numbers = zip(*block.entries(row), strict=True)
        entries.append(row_entries)
        data += numbers
    if _is_one_data_set(context, blocks):
        # On a single data set the algorithms are the rows, and the metrics the columns.
        header = ("Algorithm", *quantities)
        rows = [*zip(titles.values(), zip(*entries, strict=True), strict=True)]
    else:
        header = ("Data set", *titles.values())
        rows = [*zip(names, entries, strict=True)]
        rows += [(absent.name, (*blocks[0].absent(absent.name),)) for absent in config.absent]
        for block in (block for block in blocks if not block.metric):
            times, numbers = zip(*block.times(), strict=True)
            rows.append((TIME_LABEL, times))
            data += numbers
    title, notes = _title(context, blocks), _notes(context, blocks)
    table = context.table(title, header, rows, notes, DATA_HEADER, data)
    return replace(table, timed_rows=(TIME_LABEL, TIME_ROW))


def _notes(context: Context[Any], blocks: Sequence[Block]) -> Iterator[str]:
    outcomes, printed = blocks[0].outcomes, [b.printed for b in blocks if b.printed.cells]
    ours = "Ours"
    if outcomes.repeats > 1:
        ours = f"Ours: mean ± standard deviation over {outcomes.repeats} {context.splits}"
    in_parentheses = ", in parentheses the printed number" * bool(printed)
    line = "column" if _is_one_data_set(context, blocks) else "row"
    others = ", not counting the baseline" * (BASELINE in outcomes.columns)
    yield f"{ours}{in_parentheses}; the best of a {line} is bold{others}."
    if printed and outcomes.repeats > 1:
        yield (
            "† marks a printed number outside the interval in which it lies with probability "
            f"{COVERAGE:g} if it is drawn like ours (half a unit of its last digit is allowed for)."
        )
    for table in printed:
        yield f"Printed: {_description(context, table)}"
    for judged in (block.outcomes for block in blocks if block.metric not in ("", TRUTH)):
        yield from _undefined(judged)
    if context.config.metrics:
        yield from _untested(context, outcomes)
    yield from (f"{a.name}: {a.reason.removesuffix('.')}." for a in context.config.absent)
    yield from closing_notes(context, outcomes)


def _undefined(judged: Outcomes) -> Iterator[str]:
    """Yield notes on cells without a value of a metric."""
    assert judged.metric is not None
    label, n_columns = judged.metric.label, len(judged.columns)
    alone = {row: n for row, n in judged.undefined.items() if n}
    for row, n in alone.items():
        others = "; means are over the others" * (n < judged.repeats)
        text = f"{row}: {label} is undefined in {n} of {judged.repeats} splits"
        yield f"{text}, whose test rows are of one class{others}."
    done = {place for place, r in judged.records.items() if r.ok and place[0] in judged.rows}
    lacking = len(done - judged.measured.keys()) - n_columns * sum(alone.values())
    if lacking > 0:
        yield (
            f"{label} is undefined, or there are no {judged.metric.needs} to "
            f"compute it from ({MISSING}), in {lacking} of {len(done)} cells."
        )


def _untested(context: Context[Any], outcomes: Outcomes) -> Iterator[str]:
    """Yield notes on classes without test rows, which means over classes leave out."""
    for row, task in context.experiment.tasks.items():
        if task == "multiclass" and (counts := outcomes.untested(row)):
            classes = few([f"{name} in {n}" for name, n in sorted(counts.items())])
            yield (
                f"{row}: means over classes leave out those without test rows: {classes} of"
                f" {outcomes.repeats} splits."
            )


def _description(context: Context[Any], printed: Printed) -> str:
    """Return the meaning of the printed numbers, and how a mean over folds is judged."""
    paper = context.experiment.paper
    # As printed: accuracies are shown as errors.
    source = paper.printed(printed.name) if paper and printed.name else printed
    text = source.description + "; shown as errors" * (source.facts.metric == ACCURACY) + "."
    if printed.sample.cv is None:
        return text
    if repeated(printed.sample, context.config.repeats, context.config.protocol.split.outer_folds):
        return f"{text} It is placed among the means of our cross-validations."
    return (
        f"{text} Without at least {MIN_SPLITS} such cross-validations of ours, folds are taken "
        "for independent splits, which makes intervals wider than they need be."
    )


def _check(context: Context[str]) -> None:
    """Refuse a printed table without errors, or of a metric that is not asked for."""
    context.check_printed(context.option, "errors")
    context.check_metric(context.option)


def _make(context: Context[str], outcomes: Outcomes) -> Made:
    """Errors of all rows and columns; the name of a printed table to compare with.

    Always written.
    """
    every = (outcomes, *context.by_metrics(outcomes).values())
    blocks = [Block.from_outcomes(context, judged) for judged in every]
    # The headline is the first block.
    blocks.sort(key=lambda block: block.metric != context.config.headline)
    judged = next((block for block in blocks if block.printed.cells), blocks[0])
    return Made(_table(context, blocks), verdicts=judged.verdicts)


ERRORS = Kind(str, _make, _check)


# It is measured with the cell.
TRUE_RMSE = Metric(
    TRUTH, "RMSE on test examples without noise", NUMBERS, "predictions", lambda *_: nan, False
)


def _make_noiseless(context: Context[str], outcomes: Outcomes) -> Made:
    """The same for errors against targets without noise."""
    records = outcomes.records.items()
    measured = {place: r.measures[TRUTH][0] for place, r in records if TRUTH in r.measures}
    true = replace(outcomes, metric=TRUE_RMSE, measured=measured)
    block = Block(context, true, context.printed(context.option))
    return Made(_table(context, [block]))


NOISELESS = Kind(str, _make_noiseless, _check)
