"""Test errors of every row and column beside the printed ones, in two units.

As risks, they stand with running times, and a printed one is that of a single split. In percent,
the best of each row is marked with its equals, and printed ones are means with deviations. Where
numbers are predicted, both are RMSEs in the unit of the target; there is one more table for RMSEs
against targets without noise. A metric that a config asks for has a table of means of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev

from quadrepro.config.datasets import DatasetEntry
from quadrepro.core.learners.registry import BASELINE
from quadrepro.engine.outcomes import Mean, Outcomes
from quadrepro.papers.printed import OF_ERRORS, SD, TIME_ROW, Printed, Unit
from quadrepro.stats import COVERAGE, LEVEL, chance_against_best, holm, paired_t_test
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
    best: bool
    judged: tuple[Verdict, list[float]] | None  # the verdict on print, and ours behind it
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


class RisksKind(TableKind[str]):
    """Test risks beside the printed ones, and mean running times."""

    key, option = "risks", str
    sums_up = True
    unit: Unit = "fraction"
    meaning = "The risk of every row and column, beside a printed table: its name. Always written."

    def check(self, context: Context[str]) -> None:
        """Refuse a printed table that does not hold errors."""
        context.check_printed("errors")
        _check_metric(context, ())

    def table(self, context: Context[str], outcomes: Outcomes) -> Table:
        """Return the table of test risks."""
        config, printed = context.config, context.printed(context.option, self.unit)
        rows = {row: self._row(context, outcomes, printed, row) for row in outcomes.rows}
        times = {c: outcomes.mean_seconds(c) for c in outcomes.columns}
        shown = [(row, tuple(self._entries(printed, row, of))) for row, of in rows.items()]
        for absent in config.absent:
            texts = (printed.spread(absent.name, c) for c in times)
            shown.append((absent.name, tuple(TableEntry(MISSING, text) for text in texts)))
        seconds = (
            TableEntry(MISSING if t is None else f"{t:.3f}", printed.text(TIME_ROW, c))
            for c, t in times.items()
        )
        shown.append((TIME_LABEL, tuple(seconds)))
        kinds = ("", " sd", " printed") if outcomes.repeats > 1 else ("", " printed")
        numbers: list[tuple[str, dict[str, tuple[Mean | None, float | None]]]] = [
            *((row, {c: (e.mean, e.sd) for c, e in of.items()}) for row, of in rows.items()),
            (TIME_ROW, {c: (t, None) for c, t in times.items()}),
        ]
        return Table(
            f"{config.title}: {_where_predicted(context, 'test risks')}",
            ("Data set", *context.titles.values()),
            tuple(shown),
            self._notes(context, outcomes, printed),
            ("dataset", *(column + kind for column in outcomes.columns for kind in kinds)),
            tuple((row, *_in_columns(printed, row, len(kinds), of)) for row, of in numbers),
            timed_rows=(TIME_LABEL, TIME_ROW),
        )

    def published(self, context: Context[str]) -> dict[tuple[str, str], str]:
        """Return the printed risks."""
        return _published(context, context.printed(context.option, self.unit))

    def verdicts(self, context: Context[str], outcomes: Outcomes) -> Verdicts:
        """Return where each printed risk, or RMSE, lies among our splits."""
        printed = context.printed(context.option, self.unit)
        rows = [self._row(context, outcomes, printed, row) for row in outcomes.rows]
        return _verdicts_of(context, printed, rows)

    def _row(self, context: Context[str], outcomes: Outcomes, printed: Printed, row: str) -> Row:
        means = {c: outcomes.mean(row, c) for c in outcomes.columns}
        best = _lowest(means)
        found = {}
        for c, mean in means.items():
            values = outcomes.values(row, c)
            counted = not outcomes.regression(row)
            sizes = {record.n_test for record in outcomes.cell(row, c) if record.ok}
            n_test = sizes.pop() if counted and len(sizes) == 1 else None
            quantity = "risk" if counted else "RMSE"
            judged = _judged(context, printed, row, c, quantity, values, n_test)
            found[c] = Errors(values, mean, c in best, judged)
        return found

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


def _in_columns(
    printed: Printed, row: str, n: int, numbers: dict[str, tuple[Mean | None, float | None]]
) -> Iterator[Value]:
    """Yield the numbers of a row for the CSV: mean, deviation if there is room, and print."""
    for column, (mean, sd) in numbers.items():
        yield None if mean is None else float(mean)
        if n > 2:
            yield sd
        yield printed.text(row, printed.mean_column(column))


def _lowest(numbers: Mapping[str, Mean | None]) -> set[str]:
    """Return the columns of the lowest number; none if one is missing."""
    present = [number for number in numbers.values() if number is not None]
    if len(present) < len(numbers):
        return set()
    return {column for column, number in numbers.items() if number == min(present)}


def _check_metric(context: Context[str], metrics: Iterable[str]) -> None:
    """Refuse a printed table of a metric that no table of the config shows."""
    paper, name = context.experiment.paper, context.option
    if not name or paper is None:
        return
    metric = paper.printed(name).facts.metric
    if metric not in (*OF_ERRORS, *metrics):
        message = f"{name} prints {metric}: name it under means, and give metrics: [{metric}]"
        raise context.error(message)


def _published(context: Context[str], printed: Printed) -> dict[tuple[str, str], str]:
    return {
        (row, column): text
        for row in context.experiment.tasks
        for column in context.titles
        if (text := printed.text(row, printed.mean_column(column)))
    }


def _judged(
    context: Context[str],
    printed: Printed,
    row: str,
    column: str,
    quantity: str,
    values: list[float],
    n_test: int | None = None,
) -> tuple[Verdict, list[float]] | None:
    """Judge a printed number, and return ours that it is placed among."""
    if not (text := printed.text(row, printed.mean_column(column))):
        return None
    beside = printed.moments(row, column)
    if beside is not None and printed.of.cv is None:
        entry = Verdict(row, column, quantity, text, further=printed.splits)
        return of_two_means(entry, values, beside), values
    folds = 0 if printed.of.cv is None else context.folds(row)
    ours, further, n_test = like_print(values, printed.of, folds, n_test)
    entry = Verdict(row, column, quantity, text, n_test=n_test, further=further)
    return of_further_splits(entry, ours), ours


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


def _verdicts_of(context: Context[str], printed: Printed, rows: list[Row]) -> Verdicts:
    judged = [errors.judged for of_row in rows for errors in of_row.values()]
    found = [of for of in judged if of is not None]
    return Verdicts.of(printed.name, found, what=_what(context, printed))


class MeansKind(TableKind[str]):
    """Means and deviations in percent, or of RMSEs, with the best of each row and its equals."""

    key, option = "means", str
    sums_up = True
    meaning = (
        "Means and deviations of test errors over the splits, beside a printed table: its name."
    )

    def check(self, context: Context[str]) -> None:
        """Refuse a printed table that does not hold errors, or a metric that is not asked for."""
        context.check_printed("errors")
        _check_metric(context, context.config.metrics)

    def printed(self, context: Context[str], outcomes: Outcomes) -> Printed:
        """Return the printed table in our unit."""
        metric = outcomes.metric
        unit: Unit = "percent" if metric is None or metric.counts_errors else "fraction"
        return context.printed(context.option, unit, metric.name if metric else "")

    def what(self, context: Context[str], outcomes: Outcomes) -> str:
        """Return what the title calls the numbers."""
        if outcomes.metric is not None:
            return f"{outcomes.metric.label} on test examples"
        return _where_predicted(context, "test errors in percent")

    def values(self, outcomes: Outcomes, row: str, column: str) -> list[float]:
        """Return the numbers of an entry, of which none is missing."""
        unit = 100 if outcomes.counted(row) else 1
        return [unit * value for value in outcomes.values(row, column)]

    def mean(self, outcomes: Outcomes, row: str, column: str, values: list[float]) -> Mean:
        """Return their mean."""
        exact = outcomes.counted(row)
        return 100 * outcomes.mean_of_computed(row, column) if exact else fmean(values)

    def table(self, context: Context[str], outcomes: Outcomes) -> Table:
        """Return the table of means."""
        printed = self.printed(context, outcomes)
        rows = {row: self._row(context, outcomes, printed, row) for row in outcomes.rows}
        splits = splits_of(context, outcomes)
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

    def published(self, context: Context[str]) -> dict[tuple[str, str], str]:
        """Return the printed means; errors have a percent sign and RMSEs have none."""
        tasks = context.experiment.tasks
        return {
            (row, column): text + ("" if tasks[row] == "regression" else "%")
            for (row, column), text in _published(context, context.printed(context.option)).items()
        }

    def verdicts(self, context: Context[str], outcomes: Outcomes) -> Verdicts | None:
        """Return whether each printed mean can be that of splits like ours."""
        printed = self.printed(context, outcomes)
        rows = [self._row(context, outcomes, printed, row) for row in outcomes.rows]
        return _verdicts_of(context, printed, rows)

    def _row(self, context: Context[str], outcomes: Outcomes, printed: Printed, row: str) -> Row:
        values = {
            c: self.values(outcomes, row, c) if outcomes.complete(row, c) else []
            for c in outcomes.columns
        }
        means = {c: self.mean(outcomes, row, c, of) if of else None for c, of in values.items()}
        compared = outcomes.compared
        known = [mean for c in compared if (mean := means[c]) is not None]
        best: list[str] = []
        if len(compared) > 1 and len(known) == len(compared):
            first = max(known) if outcomes.greater_is_better else min(known)
            best = [c for c in compared if means[c] == first]
        found = {}
        for c, of_column in values.items():
            beside = printed.number(row, printed.mean_column(c)), printed.number(row, c + SD)
            found[c] = Errors(
                of_column,
                means[c],
                c in best,
                _judged(context, printed, row, c, self._quantity(outcomes, row), of_column),
                as_good=c in best,
                printed=beside,
            )
        return found

    def _quantity(self, outcomes: Outcomes, row: str) -> str:
        if outcomes.metric is not None:
            return outcomes.metric.label
        return "RMSE" if outcomes.regression(row) else "error in percent"

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
    printed, mean = errors.printed[0], None if errors.mean is None else float(errors.mean)
    return (
        len(errors.values),
        mean,
        errors.sd,
        errors.p_best,
        errors.p_best_holm,
        *errors.printed,
        None if mean is None or printed is None else mean - printed,
        errors.p_value,
        errors.word,
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

    def values(self, outcomes: Outcomes, row: str, column: str) -> list[float]:
        """Return the numbers of an entry, if all splits have them."""
        measures = [record.measures for record in outcomes.cell(row, column)]
        known = all(NOISELESS_RMSE in of_split for of_split in measures)
        return [of_split[NOISELESS_RMSE][0] for of_split in measures] if known else []

    def mean(self, outcomes: Outcomes, row: str, column: str, values: list[float]) -> Mean:
        """Return their mean."""
        return fmean(values)

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
