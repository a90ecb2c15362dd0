"""Means and standard deviations of test errors, with the best of each row and its equals.

Errors are in percent. If numbers are predicted, they are RMSEs in the unit of the target; there is
a second table for RMSEs against targets without noise. A metric that a config asks for has a table
of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, stdev

from quadrepro.config.datasets import DatasetEntry
from quadrepro.engine.outcomes import Mean, Outcomes
from quadrepro.papers.printed import MEAN, SD, Printed
from quadrepro.stats import LEVEL, Moments, chance_against_best, holm, paired_t_test
from quadrepro.tables.kinds.base import Context, Kind, closing_notes
from quadrepro.tables.table import BEST, MISSING, Entry, Table, VerdictWord
from quadrepro.tables.verdicts import Verdict, Verdicts, of_two_means

NOISELESS = "rmse_noiseless"
"""The measure of a record that is the RMSE against targets without noise."""

DATA_HEADER = (
    "dataset",
    "algorithm",
    "splits",
    "mean",
    "sd",
    "p against best",
    "p against best (Holm)",
    "printed mean",
    "printed sd",
    "difference",
    "p against printed",
    "verdict",
)


@dataclass(frozen=True)
class Compared:
    """One entry: our errors, in percent or RMSEs, or values of a metric, beside the printed ones.

    Attributes
    ----------
    errors : list of float
        One per split; empty unless every split was computed.
    mean : Fraction, float or None
        Their mean, exact for errors in percent; None if there are no errors.
    best : bool
        Whether the mean is the best of the row.
    p_best : float or None
        p-value of the paired t-test against the best; None if there is nothing to test.
    p_best_holm : float or None
        The same, adjusted for the number of tests of the row.
    printed : Moments or None
        The printed mean and deviation.
    verdict : Verdict or None
        On the printed mean; None if there is none.
    """

    errors: list[float]
    mean: Mean | None
    best: bool
    p_best: float | None
    p_best_holm: float | None
    printed: Moments | None
    verdict: Verdict | None

    @property
    def as_good(self) -> bool:
        """Whether the entry is the best, or not found to differ from the best."""
        return self.best or (self.p_best is not None and self.p_best > LEVEL)

    @property
    def word(self) -> VerdictWord:
        """The verdict on the printed mean in a word; "" if there is none."""
        judged = self.verdict is not None and self.verdict.p_value is not None
        return self.verdict.word if self.verdict is not None and judged else ""


def means_table(context: Context[str], outcomes: Outcomes) -> Table:
    """Return the table of mean test errors, in percent or RMSEs, or of the outcomes' metric."""
    return _table(context, outcomes, noiseless=False)


def noiseless_table(context: Context[str], outcomes: Outcomes) -> Table:
    """Return the same table for RMSEs against targets without noise."""
    return _table(context, outcomes, noiseless=True)


def _table(context: Context[str], outcomes: Outcomes, *, noiseless: bool) -> Table:
    printed = context.printed(context.option)
    cells = {
        (row, column): cell
        for row in outcomes.rows
        for column, cell in _row(outcomes, printed, row, noiseless).items()
    }
    lowest = {row: _lowest_printed(outcomes, printed, row) for row in outcomes.rows}
    rows = tuple(
        (
            row,
            tuple(
                Entry(
                    _text(cells[row, c], 2 if outcomes.counted(row) else 4),
                    printed.spread(row, c + MEAN, c + SD),
                    bold=cells[row, c].as_good,
                    mark="†" if cells[row, c].word == "outside" else "",
                    verdict=cells[row, c].word,
                    best=cells[row, c].best,
                    printed_best=c in lowest[row],
                )
                for c in outcomes.columns
            ),
        )
        for row in outcomes.rows
    )
    return Table(
        f"{context.config.title}: {_what(context, outcomes, noiseless)}",
        ("Data set", *context.titles.values()),
        rows,
        _notes(context, outcomes, printed, list(cells.values())),
        DATA_HEADER,
        tuple((*place, *_numbers(cell)) for place, cell in cells.items()),
    )


def _what(context: Context[str], outcomes: Outcomes, noiseless: bool) -> str:
    if noiseless:
        return "RMSE on test examples without noise"
    if outcomes.metric is not None:
        return f"{outcomes.metric.label} on test examples"
    tasks = {*context.experiment.tasks.values()}
    if tasks == {"regression"}:
        return "RMSE on test examples"
    mixed = "regression" in tasks
    return "test errors in percent" + (", or RMSE where numbers are predicted" * mixed)


def _errors(outcomes: Outcomes, row: str, column: str, noiseless: bool) -> list[float]:
    if not outcomes.complete(row, column):
        return []
    if noiseless:
        measures = [record.measures for record in outcomes.cell(row, column)]
        return [m[NOISELESS][0] for m in measures] if all(NOISELESS in m for m in measures) else []
    unit = 100 if outcomes.counted(row) else 1
    return [unit * value for value in outcomes.values(row, column)]


def _mean(
    outcomes: Outcomes, row: str, column: str, errors: list[float], noiseless: bool
) -> Mean | None:
    if not errors:
        return None
    if noiseless or not outcomes.counted(row):
        return fmean(errors)
    return 100 * outcomes.mean_of_computed(row, column)


def _row(outcomes: Outcomes, printed: Printed, row: str, noiseless: bool) -> dict[str, Compared]:
    errors = {c: _errors(outcomes, row, c, noiseless) for c in outcomes.columns}
    means = {c: _mean(outcomes, row, c, e, noiseless) for c, e in errors.items()}
    compared = outcomes.compared
    known = [mean for c in compared if (mean := means[c]) is not None]
    best: list[str] = []
    if len(compared) > 1 and len(known) == len(compared):
        first = max(known) if outcomes.greater_is_better else min(known)
        best = [c for c, mean in means.items() if mean == first]
    p_best: dict[str, float] = {}
    if best and outcomes.repeats > 1:
        p_best = {c: paired_t_test(errors[c], errors[best[0]]).p_value for c in compared}
    others = [c for c in p_best if c not in best]
    adjusted = dict(zip(others, holm([p_best[c] for c in others]), strict=True))
    cells = {}
    for c, of_column in errors.items():
        beside = _printed_moments(printed, row, c)
        verdict = _verdict(printed, row, c, of_column, beside, outcomes.regression(row))
        cells[c] = Compared(
            of_column, means[c], c in best, p_best.get(c), adjusted.get(c), beside, verdict
        )
    return cells


def _verdict(
    printed: Printed,
    row: str,
    column: str,
    errors: list[float],
    beside: Moments | None,
    regression: bool,
) -> Verdict | None:
    if not (text := printed.text(row, column + MEAN)):
        return None
    ours = Moments(fmean(errors), stdev(errors), len(errors)) if len(errors) > 1 else None
    entry = Verdict(row, column, "RMSE" if regression else "error in percent", text)
    return of_two_means(entry, ours, beside, printed.rounding(row, column + MEAN))


def mean_verdicts(context: Context[str], outcomes: Outcomes) -> Verdicts:
    """Return whether each printed mean can be that of splits like ours."""
    printed = context.printed(context.option)
    found = [
        (cell.verdict, cell.errors)
        for row in outcomes.rows
        for cell in _row(outcomes, printed, row, False).values()
        if cell.verdict is not None
    ]
    return Verdicts.of(printed.name, found, printed.splits or 1)


def _printed_moments(printed: Printed, row: str, column: str) -> Moments | None:
    mean, sd = (printed.number(row, column + ending) for ending in (MEAN, SD))
    if mean is None or sd is None or printed.splits is None:
        return None
    return Moments(mean, sd, printed.splits)


def _lowest_printed(outcomes: Outcomes, printed: Printed, row: str) -> set[str]:
    means = {c: m for c in outcomes.columns if (m := printed.number(row, c + MEAN)) is not None}
    alone = len(outcomes.columns) == 1
    return set() if alone else {c for c, m in means.items() if m == min(means.values())}


def _text(cell: Compared, digits: int) -> str:
    if cell.mean is None:
        return MISSING
    spread = f" ± {stdev(cell.errors):.{digits}f}" if len(cell.errors) > 1 else ""
    return f"{float(cell.mean):.{digits}f}{spread}"


def _numbers(cell: Compared) -> tuple[str | float | int, ...]:
    errors, printed = cell.errors, cell.printed
    mean = None if cell.mean is None else float(cell.mean)
    values = (
        len(errors),
        mean,
        stdev(errors) if len(errors) > 1 else None,
        cell.p_best,
        cell.p_best_holm,
        printed.mean if printed else None,
        printed.sd if printed else None,
        mean - printed.mean if mean is not None and printed else None,
        cell.verdict.p_value if cell.verdict else None,
        cell.word,
    )
    return tuple("" if value is None else value for value in values)


def _notes(
    context: Context[str], outcomes: Outcomes, printed: Printed, cells: list[Compared]
) -> tuple[str, ...]:
    several = outcomes.repeats > 1
    ours = f"Ours: one {context.splits.removesuffix('s')}"
    if several:
        ours = f"Ours: mean ± standard deviation over {outcomes.repeats} {context.splits}"
    if any(cell.printed for cell in cells):
        ours += f"; in parentheses the printed ones over {printed.splits}"
    extreme = "highest" if outcomes.greater_is_better else "lowest"
    beside = " and the printed one underlined" if outcomes.metric is None else ""
    notes = [f"{ours}. {BEST} marks the {extreme} mean of a row (in LaTeX ours is shaded{beside})."]
    n_compared = len(outcomes.compared)
    if several and n_compared > 1:
        found = chance_against_best(n_compared, outcomes.repeats)
        printed_too = outcomes.metric is None
        unknown = " For the printed ones this cannot be known." if printed_too else ""
        notes.append(
            f"Bold: the best of ours, and what a paired t-test over the splits does not find to "
            f"differ from it (p > {LEVEL:g}).{unknown} The best "
            f"is picked by the same numbers, so that of rows of {n_compared} equal "
            f"algorithms {found:.0%} would have an entry that is not bold; the CSV has Holm's "
            "correction for the tests of a row."
        )
    if any(cell.word for cell in cells):
        notes.append(
            f"† marks a mean that differs from the printed one by more than samples of "
            f"{outcomes.repeats} and {printed.splits} splits would show (Welch's t-test, "
            f"p ≤ {LEVEL:g}; half a unit of the last printed digit is allowed for)."
        )
    return (*notes, *closing_notes(context, outcomes))


def _check_noiseless(context: Context[str]) -> None:
    context.check_printed("errors")
    if not any(_has_truth(context, entry) for entry in context.config.entries):
        raise context.error("no row draws its own sample of numbers: only then is the truth known")


def _has_truth(context: Context[str], entry: DatasetEntry) -> bool:
    """Return whether the targets of a row are known without their noise."""
    fresh = entry.changed(context.config.protocol).sample is not None
    return fresh and context.experiment.tasks[entry.title] == "regression"


def _published(context: Context[str]) -> dict[tuple[str, str], str]:
    """Return the printed means; errors have a percent sign and RMSEs have none."""
    printed = context.printed(context.option)
    return {
        (row, column): text + ("" if task == "regression" else "%")
        for row, task in context.experiment.tasks.items()
        for column in context.titles
        if (text := printed.text(row, column + MEAN))
    }


MEANS = Kind(
    key="means",
    option=str,
    meaning="Means and deviations of test errors over the splits, beside a printed table: its "
    "name.",
    former=("percent",),
    check=lambda context: context.check_printed("errors"),
    table=means_table,
    published=_published,
    verdicts=mean_verdicts,
)

NOISELESS_MEANS = Kind(
    key="noiseless",
    option=str,
    meaning="The same for errors against targets without noise.",
    check=_check_noiseless,
    table=noiseless_table,
)
