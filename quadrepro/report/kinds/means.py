"""Mean and deviation of test errors, with the best of each row and its equals.

Errors are in percent; where numbers are predicted, they are RMSEs in the unit of the target.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, stdev

from quadrepro.config.loading import Experiment
from quadrepro.papers.printed import MEAN, SD, Printed
from quadrepro.report.kinds.risks import closing_notes
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.table import BEST, MISSING, Entry, Table
from quadrepro.stats.paired_t import paired_t
from quadrepro.stats.sign_test import LEVEL
from quadrepro.stats.welch import Moments, welch_p

NOISELESS = "rmse_noiseless"
"""The measure of a record that is the RMSE against targets without noise."""

DATA_HEADER = (
    "dataset",
    "algorithm",
    "splits",
    "mean",
    "sd",
    "p against best",
    "printed mean",
    "printed sd",
    "difference",
    "p against printed",
    "verdict",
)


@dataclass(frozen=True)
class Compared:
    """One entry: our errors, in percent or RMSEs, beside the printed ones.

    Attributes
    ----------
    errors : list of float
        One a split; empty unless every split was computed.
    best : bool
        Whether the mean is the lowest of the row.
    p_best : float or None
        p-value of the paired t-test against the best; None where there is nothing to test.
    printed : Moments or None
        The printed mean and deviation.
    """

    errors: list[float]
    best: bool
    p_best: float | None
    printed: Moments | None

    @property
    def as_good(self) -> bool:
        """Whether the entry is the best, or not found to differ from it."""
        return self.best or (self.p_best is not None and self.p_best > LEVEL)

    @property
    def p_printed(self) -> float | None:
        """p-value of Welch's test against the printed mean."""
        if self.printed is None or len(self.errors) < 2:
            return None
        ours = Moments(fmean(self.errors), stdev(self.errors), len(self.errors))
        return welch_p(ours, self.printed)


def percent_table(
    experiment: Experiment, outcomes: Outcomes, printed: Printed, *, noiseless: bool = False
) -> Table:
    """Return the table of mean test errors, in percent or RMSEs.

    Parameters
    ----------
    experiment : Experiment
        Labels and notes.
    outcomes : Outcomes
        The records.
    printed : Printed
        The printed table, its rows under the titles of ours.
    noiseless : bool, default False
        Whether targets without noise are predicted.

    Returns
    -------
    Table
        A row a data set; as data, a row an entry with its tests.
    """
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
                    _text(cells[row, c].errors, 4 if outcomes.regression(row) else 2),
                    printed.spread(row, c + MEAN, c + SD),
                    bold=cells[row, c].as_good,
                    mark="†" if _verdict(cells[row, c]) == "outside" else "",
                    best=cells[row, c].best,
                    printed_best=c in lowest[row],
                )
                for c in outcomes.columns
            ),
        )
        for row in outcomes.rows
    )
    return Table(
        f"{experiment.config.title}: {_what(outcomes, noiseless)}",
        ("Data set", *(a.title for a in experiment.config.algorithms)),
        rows,
        _notes(experiment, outcomes, printed, list(cells.values())),
        DATA_HEADER,
        tuple((*place, *_numbers(cell)) for place, cell in cells.items()),
    )


def _what(outcomes: Outcomes, noiseless: bool) -> str:
    if noiseless:
        return "RMSE on test examples without noise"
    kinds = {outcomes.regression(row) for row in outcomes.rows}
    if kinds == {True}:
        return "RMSE on test examples"
    return "test errors in percent" + (", or RMSE where numbers are predicted" * (len(kinds) > 1))


def _errors(outcomes: Outcomes, row: str, column: str, noiseless: bool) -> list[float]:
    if not outcomes.complete(row, column):
        return []
    if noiseless:
        measures = [record.measures for record in outcomes.cell(row, column)]
        return [m[NOISELESS][0] for m in measures] if all(NOISELESS in m for m in measures) else []
    unit = 1 if outcomes.regression(row) else 100
    return [unit * value for value in outcomes.risks(row, column)]


def _row(outcomes: Outcomes, printed: Printed, row: str, noiseless: bool) -> dict[str, Compared]:
    errors = {c: _errors(outcomes, row, c, noiseless) for c in outcomes.columns}
    best: list[str] = []
    if len(errors) > 1 and all(errors.values()):
        least = min(fmean(e) for e in errors.values())
        best = [c for c, e in errors.items() if fmean(e) <= least + 1e-10]
    cells = {}
    for c, of_column in errors.items():
        p = None
        if best and outcomes.repeats > 1:
            p = paired_t(of_column, errors[best[0]]).p_value
        cells[c] = Compared(of_column, c in best, p, _printed_moments(printed, row, c))
    return cells


def _printed_moments(printed: Printed, row: str, column: str) -> Moments | None:
    mean, sd = (printed.number(row, column + ending) for ending in (MEAN, SD))
    if mean is None or sd is None or printed.splits is None:
        return None
    return Moments(mean, sd, printed.splits)


def _lowest_printed(outcomes: Outcomes, printed: Printed, row: str) -> set[str]:
    means = {c: m for c in outcomes.columns if (m := printed.number(row, c + MEAN)) is not None}
    alone = len(outcomes.columns) == 1
    return set() if alone else {c for c, m in means.items() if m == min(means.values())}


def _text(errors: list[float], digits: int) -> str:
    if not errors:
        return MISSING
    spread = f" ± {stdev(errors):.{digits}f}" if len(errors) > 1 else ""
    return f"{fmean(errors):.{digits}f}{spread}"


def _verdict(cell: Compared) -> str:
    p = cell.p_printed
    return "" if p is None else "outside" if p <= LEVEL else "inside"


def _numbers(cell: Compared) -> tuple[str | float | int, ...]:
    errors, printed = cell.errors, cell.printed
    values = (
        len(errors),
        fmean(errors) if errors else None,
        stdev(errors) if len(errors) > 1 else None,
        cell.p_best,
        printed.mean if printed else None,
        printed.sd if printed else None,
        fmean(errors) - printed.mean if errors and printed else None,
        cell.p_printed,
        _verdict(cell),
    )
    return tuple("" if value is None else value for value in values)


def _notes(
    experiment: Experiment, outcomes: Outcomes, printed: Printed, cells: list[Compared]
) -> tuple[str, ...]:
    several = outcomes.repeats > 1
    ours = "Ours: one random split"
    if several:
        ours = f"Ours: mean ± standard deviation over {outcomes.repeats} random splits"
    if any(cell.printed for cell in cells):
        ours += f"; in parentheses the printed ones over {printed.splits}"
    notes = [
        f"{ours}. {BEST} marks the lowest mean of a row (in LaTeX ours is shaded and the printed "
        "one underlined)."
    ]
    if several:
        notes.append(
            f"Bold: the best of ours, and what a paired t-test over the splits does not find to "
            f"differ from it (p > {LEVEL:g}). For the printed ones this cannot be known."
        )
    verdicts = [v for cell in cells if (v := _verdict(cell))]
    if verdicts:
        notes.append(
            f"† marks a mean that differs from the printed one by more than samples of "
            f"{outcomes.repeats} and {printed.splits} splits would show (Welch's t-test, "
            f"p ≤ {LEVEL:g}). Inside: {verdicts.count('inside')} of {len(verdicts)}, outside: "
            f"{verdicts.count('outside')}."
        )
    return (*notes, *closing_notes(experiment, outcomes))
