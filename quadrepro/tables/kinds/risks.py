"""Test risks beside the printed ones, and mean running times."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import stdev

from quadrepro.engine.outcomes import Mean, Outcomes
from quadrepro.papers.printed import TIME_ROW, Printed
from quadrepro.stats import COVERAGE
from quadrepro.tables.kinds.base import Context, Kind, closing_notes
from quadrepro.tables.table import MISSING, Entry, Table, VerdictWord
from quadrepro.tables.verdicts import Verdict, Verdicts, of_further_splits

TIME_LABEL = "Mean running time (s)"


def risks_table(context: Context[str], outcomes: Outcomes) -> Table:
    """Return the table of test risks."""
    config = context.config
    absent = [a.name for a in config.absent]
    printed = context.printed(context.option)
    words = {(v.row, v.column): v.word for v in risk_verdicts(context, outcomes).judged}
    times = {c: outcomes.mean_seconds(c) for c in outcomes.columns}
    time_entries = tuple(
        Entry(MISSING if t is None else f"{t:.3f}", printed.text(TIME_ROW, c))
        for c, t in times.items()
    )
    kinds = ("", " sd", " printed") if outcomes.repeats > 1 else ("", " printed")
    return Table(
        f"{config.title}: {_what(context)}",
        ("Data set", *context.titles.values()),
        (
            *((row, _entries(outcomes, printed, row, words)) for row in outcomes.rows),
            *((name, _dashes(outcomes, printed, name)) for name in absent),
            (TIME_LABEL, time_entries),
        ),
        _notes(context, outcomes, printed),
        ("dataset", *(column + kind for column in outcomes.columns for kind in kinds)),
        (
            *((row, *_numbers(outcomes, printed, row)) for row in outcomes.rows),
            (TIME_ROW, *_time_numbers(outcomes, printed, times)),
        ),
        timed_rows=(TIME_LABEL, TIME_ROW),
    )


def _what(context: Context[str]) -> str:
    tasks = {*context.experiment.tasks.values()}
    if tasks == {"regression"}:
        return "RMSE on test examples"
    return "test risks" + (", or RMSE where numbers are predicted" * ("regression" in tasks))


def risk_verdicts(context: Context[str], outcomes: Outcomes) -> Verdicts:
    """Return where each printed risk, or RMSE, lies among our splits."""
    printed = context.printed(context.option)
    found = []
    for row in outcomes.rows:
        quantity = "RMSE" if outcomes.regression(row) else "risk"
        for column in outcomes.columns:
            if not (text := printed.text(row, column)):
                continue
            ours = outcomes.values(row, column)
            sizes = {record.n_test for record in outcomes.cell(row, column) if record.ok}
            n_test = sizes.pop() if quantity == "risk" and len(sizes) == 1 else None
            entry = Verdict(row, column, quantity, text)
            rounding = printed.rounding(row, column)
            found.append((of_further_splits(entry, ours, rounding, n_test=n_test), ours))
    return Verdicts.of(printed.name, found)


def _entries(
    outcomes: Outcomes, printed: Printed, row: str, words: dict[tuple[str, str], VerdictWord]
) -> tuple[Entry, ...]:
    best = _lowest({c: outcomes.mean(row, c) for c in outcomes.columns})
    printed_best = _lowest({c: printed.number(row, c) for c in outcomes.columns})
    return tuple(
        Entry(
            _risk_text(outcomes, row, column),
            printed.text(row, column),
            bold=column in best,
            printed_bold=column in printed_best,
            mark="†" if words.get((row, column)) == "outside" else "",
            verdict=words.get((row, column), ""),
        )
        for column in outcomes.columns
    )


def _dashes(outcomes: Outcomes, printed: Printed, name: str) -> tuple[Entry, ...]:
    """Return the entries of a data set that cannot be had, beside the printed ones."""
    return tuple(Entry(MISSING, printed.text(name, column)) for column in outcomes.columns)


def _numbers(outcomes: Outcomes, printed: Printed, row: str) -> Iterator[float | str]:
    for column in outcomes.columns:
        mean = outcomes.mean(row, column)
        yield "" if mean is None else float(mean)
        if outcomes.repeats > 1:
            yield "" if mean is None else stdev(outcomes.values(row, column))
        yield printed.text(row, column)


def _time_numbers(
    outcomes: Outcomes, printed: Printed, times: dict[str, float | None]
) -> Iterator[float | str]:
    for column, seconds in times.items():
        yield "" if seconds is None else seconds
        if outcomes.repeats > 1:
            yield ""
        yield printed.text(TIME_ROW, column)


def _risk_text(outcomes: Outcomes, row: str, column: str) -> str:
    mean = outcomes.mean(row, column)
    if mean is None:
        return MISSING
    if outcomes.repeats == 1:
        return f"{float(mean):.3f}"
    return f"{float(mean):.3f} ± {stdev(outcomes.values(row, column)):.3f}"


def _lowest(risks: dict[str, Mean | None]) -> set[str]:
    """Return the columns of the lowest risk; none if a risk is missing."""
    present = [r for r in risks.values() if r is not None]
    if len(present) < len(risks):
        return set()
    return {c for c, r in risks.items() if r == min(present)}


def _notes(context: Context[str], outcomes: Outcomes, printed: Printed) -> tuple[str, ...]:
    if outcomes.repeats > 1:
        first = (
            f"Ours: mean ± standard deviation over {outcomes.repeats} {context.splits}; "
            "in parentheses the printed risk, which is one split's. "
            f"† marks a printed risk outside the interval in which one split of ours falls with "
            f"probability {COVERAGE:g}."
        )
    else:
        first = "Ours, in parentheses the printed risk; the lowest of a row is bold."
    absent = [f"{a.name}: {a.reason.removesuffix('.')}." for a in context.config.absent]
    first_if_printed = [first] if printed.cells else []
    return (*first_if_printed, *absent, *closing_notes(context, outcomes))


def _published(context: Context[str]) -> dict[tuple[str, str], str]:
    return context.printed(context.option).cells


RISKS = Kind(
    key="risks",
    option=str,
    meaning="The risk of every row and column, beside a printed table: its name. Always written.",
    default="",
    check=lambda context: context.check_printed("risks"),
    table=risks_table,
    published=_published,
    verdicts=risk_verdicts,
)
