"""Test errors of every row and column beside the printed ones, in two units.

As risks, they stand with running times, and a printed one is that of a single split. In percent,
the best of each row is marked with its equals, and printed ones are means with deviations. Where
numbers are predicted, both are RMSEs in the unit of the target; there is one more table for RMSEs
against targets without noise. A metric that a config asks for has a table of means of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev

from quadrepro.config.datasets import DatasetEntry
from quadrepro.core.learners.registry import BASELINE
from quadrepro.engine.outcomes import Mean, Outcomes
from quadrepro.papers.printed import OF_ERRORS, SD, TIME_ROW, Printed, Unit
from quadrepro.stats import COVERAGE, LEVEL, chance_against_best, holm, order, paired_t_test
from quadrepro.tables.kinds.base import Context, TableKind, closing_notes
from quadrepro.tables.kinds.ranking import splits_of
from quadrepro.tables.ranked import Splits, compare_splits
from quadrepro.tables.table import BEST, MISSING, Table, TableEntry, Value, VerdictWord
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

NOISELESS_RMSE = "rmse_noiseless"
"""The measure of a record that is the RMSE against targets without noise."""

MEANS_HEADER = (
    *("dataset", "algorithm", "splits", "mean", "sd"),
    *("p against best", "p against best (Holm)"),
    *("printed mean", "printed sd", "difference", "p against printed", "verdict"),
)


@dataclass(frozen=True)
class Errors:
    """One entry: our errors in the unit of the table, beside the printed ones."""

    values: list[float]
    mean: Mean | None  # exact if errors are counted; None if a split is missing
    best: bool = False
    judged: tuple[Verdict, list[float]] | None = None  # the verdict on print, and ours behind it
    p_best: float | None = None  # of the t-test against the best
    p_best_holm: float | None = None  # adjusted for the tests of the row
    as_good: bool = False  # whether it is the best, or not found to differ from the best
    printed: tuple[float | None, float | None] = (None, None)  # mean and deviation

    @property
    def word(self) -> VerdictWord:
        """The verdict in a word; "" if there is none."""
        if self.judged is None or self.judged[0].p_value is None:
            return ""
        return self.judged[0].word

    @property
    def number(self) -> float | None:
        """The mean for the CSV."""
        return None if self.mean is None else float(self.mean)

    @property
    def p_value(self) -> float | None:
        """The p-value of the verdict."""
        return self.judged[0].p_value if self.judged else None

    @property
    def sd(self) -> float | None:
        """Standard deviation over several splits, none of which is missing."""
        return stdev(self.values) if self.mean is not None and len(self.values) > 1 else None

    def text(self, digits: int) -> str:
        """Return the mean ± standard deviation."""
        if self.mean is None:
            return MISSING
        spread = "" if self.sd is None else f" ± {self.sd:.{digits}f}"
        return f"{float(self.mean):.{digits}f}{spread}"


Row = dict[str, Errors]
"""The entries of a row by column."""


def _where_predicted(context: Context[str], of_classes: str) -> str:
    """Return what a title says, given what it says where classes are predicted."""
    tasks = {*context.experiment.tasks.values()}
    if tasks == {"regression"}:
        return "RMSE on test examples"
    return of_classes + ", or RMSE where numbers are predicted" * ("regression" in tasks)


class ErrorsKind(TableKind[str]):
    """Errors of every row and column beside the printed ones."""

    option = str
    sums_up = True
    unit: Unit
    """The unit of errors."""
    word: str
    """What verdicts call them."""
    of_metrics: bool = False
    """Whether printed numbers of the config's metrics can be shown."""

    def check(self, context: Context[str]) -> None:
        """Refuse a printed table that does not hold errors, or those of a metric not shown here."""
        context.check_printed("errors")
        paper, name = context.experiment.paper, context.option
        shown = context.config.metrics if self.of_metrics else ()
        metric = paper.printed(name).facts.metric if name and paper is not None else OF_ERRORS[0]
        if metric not in (*OF_ERRORS, *shown):
            message = f"{name} prints {metric}: name it under means, and give metrics: [{metric}]"
            raise context.error(message)

    def printed(self, context: Context[str], outcomes: Outcomes) -> Printed:
        """Return the printed table in our unit."""
        metric = outcomes.metric
        unit = self.unit if metric is None or metric.counts_errors else "fraction"
        return context.printed(context.option, unit, metric.name if metric else "")

    def numbers(self, outcomes: Outcomes, row: str, column: str) -> tuple[list[float], Mean | None]:
        """Return the numbers of an entry with their mean, None if one is missing."""
        return outcomes.values(row, column), outcomes.mean(row, column)

    def best(self, outcomes: Outcomes, means: dict[str, Mean | None]) -> set[str]:
        """Return the columns with the best mean of a row; none if a mean is missing."""
        return _lowest(means)

    def row(self, context: Context[str], outcomes: Outcomes, printed: Printed, row: str) -> Row:
        """Return the entries of a row."""
        numbers = {c: self.numbers(outcomes, row, c) for c in outcomes.columns}
        best = self.best(outcomes, {c: mean for c, (_, mean) in numbers.items()})
        of_errors = "RMSE" if outcomes.regression(row) else self.word
        quantity = of_errors if outcomes.metric is None else outcomes.metric.label
        found = {}
        for c, (values, mean) in numbers.items():
            entry = Verdict(row, c, quantity, "")
            if self.unit == "fraction" and outcomes.counted(row):
                sizes = {record.n_test for record in outcomes.cell(row, c) if record.ok}
                entry = replace(entry, n_test=sizes.pop() if len(sizes) == 1 else None)
            records = outcomes.cell(row, c) if printed.of.pooled else ()
            judged = _judged(context, printed, entry, values, [r.n_test for r in records])
            beside = printed.number(row, printed.mean_column(c)), printed.number(row, c + SD)
            is_best = c in best
            found[c] = Errors(values, mean, is_best, judged, as_good=is_best, printed=beside)
        return found

    def published(self, context: Context[str]) -> dict[tuple[str, str], str]:
        """Return the printed numbers; errors in percent have a percent sign."""
        printed = context.printed(context.option, self.unit)
        return {
            (row, column): text + "%" * (self.unit == "percent" and task != "regression")
            for row, task in context.experiment.tasks.items()
            for column in context.titles
            if (text := printed.text(row, printed.mean_column(column)))
        }

    def verdicts(self, context: Context[str], outcomes: Outcomes) -> Verdicts | None:
        """Return where each printed number lies among our splits, or means of like splits."""
        printed = self.printed(context, outcomes)
        rows = [self.row(context, outcomes, printed, row) for row in outcomes.rows]
        found = [of.judged for of_row in rows for of in of_row.values() if of.judged is not None]
        return Verdicts.of(
            printed.name, found, what=_what(context, printed), own_rows=outcomes.own_rows
        )


class RisksKind(ErrorsKind):
    """Test risks beside the printed ones, and mean running times."""

    key, unit, word = "risks", "fraction", "risk"
    meaning = "The risk of every row and column, beside a printed table: its name. Always written."

    def table(self, context: Context[str], outcomes: Outcomes) -> Table:
        """Return the table of test risks."""
        config, printed = context.config, self.printed(context, outcomes)
        rows = {row: self.row(context, outcomes, printed, row) for row in outcomes.rows}
        times = {c: Errors([], outcomes.mean_seconds(c)) for c in outcomes.columns}
        shown = [(row, tuple(self._entries(printed, row, of))) for row, of in rows.items()]
        for absent in config.absent:
            texts = (printed.spread(absent.name, c) for c in times)
            shown.append((absent.name, tuple(TableEntry(MISSING, text) for text in texts)))
        seconds = (TableEntry(of.text(3), printed.text(TIME_ROW, c)) for c, of in times.items())
        shown.append((TIME_LABEL, tuple(seconds)))
        several = outcomes.repeats > 1
        kinds = ("", " sd", " printed") if several else ("", " printed")
        return Table(
            f"{config.title}: {_where_predicted(context, 'test risks')}",
            ("Data set", *context.titles.values()),
            tuple(shown),
            self._notes(context, outcomes, printed),
            ("dataset", *(column + kind for column in outcomes.columns for kind in kinds)),
            tuple(
                (row, *_in_columns(printed, row, of, several))
                for row, of in (*rows.items(), (TIME_ROW, times))
            ),
            timed_rows=(TIME_LABEL, TIME_ROW),
        )

    def _entries(self, printed: Printed, row: str, of_row: Row) -> Iterator[TableEntry]:
        printed_best = _lowest({c: printed.number(row, printed.mean_column(c)) for c in of_row})
        for column, errors in of_row.items():
            yield TableEntry(
                errors.text(3),
                printed.spread(row, column),
                bold=errors.best,
                printed_bold=column in printed_best,
                verdict=errors.word,
            )

    def _notes(
        self, context: Context[str], outcomes: Outcomes, printed: Printed
    ) -> tuple[str, ...]:
        first = "Ours, in parentheses the printed risk; the lowest of a row is bold."
        if outcomes.repeats > 1:
            first = (
                f"Ours: mean ± standard deviation over {outcomes.repeats} {context.splits}; "
                "in parentheses the printed number. † marks one outside the interval in which it "
                f"falls with probability {COVERAGE:g} if it stems from splits like ours. "
                f"Printed: {_what(context, printed)}"
            )
        absent = [f"{a.name}: {a.reason.removesuffix('.')}." for a in context.config.absent]
        first_if_printed = [first] if printed.cells else []
        return (*first_if_printed, *absent, *closing_notes(context, outcomes))


def _in_columns(printed: Printed, row: str, of_row: Row, several: bool) -> Iterator[Value]:
    """Yield the numbers of a row for the CSV: mean, deviation over several splits, and print."""
    for column, errors in of_row.items():
        yield errors.number
        if several:
            yield errors.sd
        yield printed.text(row, printed.mean_column(column))


def _lowest(numbers: Mapping[str, Mean | None]) -> set[str]:
    """Return the columns of the lowest number; none if one is missing."""
    present = {column: number for column, number in numbers.items() if number is not None}
    if len(present) < len(numbers):
        return set()
    lowest = min(present.values(), default=0)
    return {column for column, number in present.items() if not order(number, lowest)}


def _judged(
    context: Context[str],
    printed: Printed,
    entry: Verdict,
    values: list[float],
    sizes: Sequence[int],
) -> tuple[Verdict, list[float]] | None:
    """Judge a printed number, and return ours that it is placed among."""
    row, column, of = entry.row, entry.column, printed.of
    if not (text := printed.text(row, printed.mean_column(column))):
        return None
    entry = replace(entry, printed=text)
    beside = printed.moments(row, column)
    if beside is not None and of.cv is None:
        entry = replace(entry, n_test=None, further=printed.splits)
        return of_two_means(entry, values, beside), values
    folds = 0 if of.cv is None else context.folds(row)
    ours, further, n_test = like_print(values, of, folds, entry.n_test, sizes)
    return of_further_splits(replace(entry, n_test=n_test, further=further), ours), ours


def _what(context: Context[str], printed: Printed) -> str:
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


class MeansKind(ErrorsKind):
    """Means and deviations in percent, or of RMSEs, with the best of each row and its equals."""

    key, unit, word = "means", "percent", "error in percent"
    of_metrics = True
    meaning = (
        "Means and deviations of test errors over the splits, beside a printed table: its name."
    )

    def what(self, context: Context[str], outcomes: Outcomes) -> str:
        """Return what the title calls the numbers."""
        if outcomes.metric is not None:
            return f"{outcomes.metric.label} on test examples"
        return _where_predicted(context, "test errors in percent")

    def numbers(self, outcomes: Outcomes, row: str, column: str) -> tuple[list[float], Mean | None]:
        """Return the numbers of an entry, of which none is missing."""
        mean = outcomes.mean(row, column)
        if mean is None:
            return [], None
        unit = 100 if outcomes.counted(row) else 1
        values = [unit * value for value in outcomes.values(row, column)]
        return values, unit * mean

    def best(self, outcomes: Outcomes, means: dict[str, Mean | None]) -> set[str]:
        """Return the columns of the best mean, the baseline left out, if there are several."""
        sign = -1 if outcomes.greater_is_better else 1
        losses = {c: None if (mean := means[c]) is None else sign * mean for c in outcomes.compared}
        return _lowest(losses) if len(losses) > 1 else set()

    def table(self, context: Context[str], outcomes: Outcomes) -> Table:
        """Return the table of means."""
        printed = self.printed(context, outcomes)
        rows = {row: self.row(context, outcomes, printed, row) for row in outcomes.rows}
        splits = splits_of(outcomes)
        for of in splits:
            rows[of.dataset] = _against_best(rows[of.dataset], outcomes.compared, of)
        entries = [errors for of_row in rows.values() for errors in of_row.values()]
        return Table(
            f"{context.config.title}: {self.what(context, outcomes)}",
            ("Data set", *context.titles.values()),
            tuple(
                (row, tuple(self._entries(printed, row, of, 2 if outcomes.counted(row) else 4)))
                for row, of in rows.items()
            ),
            self._notes(context, outcomes, printed, entries, any(of.test_share for of in splits)),
            MEANS_HEADER,
            tuple((row, c, *_numbers(e)) for row, of in rows.items() for c, e in of.items()),
        )

    def _entries(
        self, printed: Printed, row: str, of_row: Row, digits: int
    ) -> Iterator[TableEntry]:
        numbers = {c: of.printed[0] for c, of in of_row.items() if of.printed[0] is not None}
        lowest = _lowest(numbers) if len(of_row) > 1 else set()
        for column, errors in of_row.items():
            yield TableEntry(
                errors.text(digits),
                printed.spread(row, column),
                bold=errors.as_good,
                verdict=errors.word,
                best=errors.best,
                printed_best=column in lowest,
            )

    def _notes(
        self,
        context: Context[str],
        outcomes: Outcomes,
        printed: Printed,
        entries: list[Errors],
        overlap: bool,
    ) -> tuple[str, ...]:
        several = outcomes.repeats > 1
        ours = f"Ours: one {context.splits.removesuffix('s')}"
        if several:
            ours = f"Ours: mean ± standard deviation over {outcomes.repeats} {context.splits}"
        if printed.cells:
            ours += "; in parentheses the printed ones"
        extreme = "highest" if outcomes.greater_is_better else "lowest"
        of_errors = outcomes.metric is None
        beside = " and the printed one underlined" * of_errors
        others = "" if BASELINE not in outcomes.columns else ", not counting the baseline"
        notes = [
            f"{ours}. {BEST} marks the {extreme} mean of a row{others} (in LaTeX ours is shaded"
            f"{beside})."
        ]
        n_compared = len(outcomes.compared)
        if any(errors.p_best is not None for errors in entries):
            unknown = " For the printed ones this cannot be known." * of_errors
            test, chance = "a paired t-test over the splits", ""
            if overlap:
                test = (
                    "the corrected resampled t-test over the splits, adjusted for all pairs of a "
                    "row by Holm's method,"
                )
            else:
                found = chance_against_best(n_compared, outcomes.repeats)
                chance = (
                    f" The best is picked by the same numbers, so that of rows of {n_compared} "
                    f"equal algorithms {found:.0%} would have an entry that is not bold; the CSV "
                    "has Holm's correction for the tests of a row."
                )
            notes.append(
                f"Bold: the best of ours, and what {test} does not find to differ from it "
                f"(p > {LEVEL:g}).{unknown}{chance}"
            )
        if printed.cells:
            notes.append(f"Printed: {_what(context, printed)}")
        if any(errors.word for errors in entries):
            by = (
                "Welch's t-test" if printed.facts.spread != "none" else "our deviation, Student's t"
            )
            notes.append(
                f"† marks a mean that differs from the printed one by more than samples of "
                f"{outcomes.repeats} and {printed.splits} splits would show ({by}, "
                f"p ≤ {LEVEL:g}; half a unit of the last printed digit is allowed for)."
            )
        return (*notes, *closing_notes(context, outcomes))


def _against_best(of_row: Row, compared: Sequence[str], splits: Splits) -> Row:
    """Return a row with the tests of the columns against the best, if it has one."""
    first = next((c for c in compared if of_row[c].best), None)
    if first is None:
        return of_row
    others = [c for c in compared if not of_row[c].best]
    if splits.test_share:
        pairs = compare_splits(splits, rope=0.0)
        p_best = {c: pairs[c, first].p_value for c in others}
        decisive = adjusted = {c: pairs[c, first].p_holm for c in others}
    else:
        best = of_row[first].values
        decisive = p_best = {c: paired_t_test(of_row[c].values, best).p_value for c in others}
        adjusted = dict(zip(others, holm(p_best.values()), strict=True))
    tested = {
        c: replace(
            of_row[c],
            p_best=p_best[c],
            p_best_holm=adjusted[c],
            as_good=decisive[c] > LEVEL,
        )
        for c in others
    }
    ties = {c: replace(e, p_best=1.0) for c, e in of_row.items() if e.best}
    return of_row | ties | tested


def _numbers(errors: Errors) -> tuple[Value, ...]:
    """Return the numbers of an entry for the CSV."""
    printed, mean = errors.printed[0], errors.number
    difference = None if mean is None or printed is None else mean - printed
    return (
        *(len(errors.values), mean, errors.sd, errors.p_best, errors.p_best_holm),
        *(*errors.printed, difference, errors.p_value, errors.word),
    )


class NoiselessKind(MeansKind):
    """RMSEs against targets without noise."""

    key = "noiseless"
    sums_up = False
    meaning = "The same for errors against targets without noise."

    def check(self, context: Context[str]) -> None:
        """Refuse a config without rows of which the truth is known."""
        super().check(context)
        if not any(self._has_truth(context, entry) for entry in context.config.entries):
            message = "no row draws its own sample of numbers: only then is the truth known"
            raise context.error(message)

    def what(self, context: Context[str], outcomes: Outcomes) -> str:
        """Return what the title calls the numbers."""
        return "RMSE on test examples without noise"

    def numbers(self, outcomes: Outcomes, row: str, column: str) -> tuple[list[float], Mean | None]:
        """Return the numbers of an entry, if all splits have them."""
        measures = [record.measures for record in outcomes.cell(row, column)]
        if not all(NOISELESS_RMSE in of_split for of_split in measures):
            return [], None
        values = [of_split[NOISELESS_RMSE][0] for of_split in measures]
        return values, fmean(values)

    def published(self, context: Context[str]) -> dict[tuple[str, str], str]:
        """Return nothing: the printed means are those of `MeansKind`."""
        return {}

    def verdicts(self, context: Context[str], outcomes: Outcomes) -> Verdicts | None:
        """Return nothing, for the same reason."""
        return None

    def _has_truth(self, context: Context[str], entry: DatasetEntry) -> bool:
        """Return whether the targets of a row are known without their noise."""
        fresh = entry.changed(context.config.protocol).sample is not None
        return fresh and context.experiment.tasks[entry.title] == "regression"


RISKS, MEANS, NOISELESS = RisksKind(), MeansKind(), NoiselessKind()
