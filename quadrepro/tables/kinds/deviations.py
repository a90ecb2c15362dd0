"""Printed deviations against the sizes of test sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, stdev

from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import SD, Printed
from quadrepro.stats import COVERAGE, LEVEL, ImpliedSize, Moments, implied_test_size
from quadrepro.tables.kinds.base import Context, TableKind, closing_notes
from quadrepro.tables.table import MISSING, Table, TableEntry, Value

FITS, SMALL, LARGE, VARIES = "fits", "too small", "too large", "varies"

HEADER = (
    *("Data set", "printed", "ours"),
    *("implied size", "implied by ours", "our size", "verdict"),
)

DATA_HEADER = (
    *("dataset", "printed risk", "printed sd", "implied", "low", "high"),
    *("n_test", "share"),
    *("our risk", "our sd", "implied by ours", "our low", "our high", "verdict"),
)


@dataclass(frozen=True)
class Audited:
    """A row's deviations and the sizes of test sets that they imply."""

    printed: Moments | None = None  # mean risk, and root of the mean squared deviation
    ours: Moments | None = None
    implied: ImpliedSize | None = None  # None without a risk between 0 and 1
    by_ours: ImpliedSize | None = None
    n_test: float | None = None
    share: float = 0.0  # of all rows in a test set

    @property
    def verdict(self) -> str:
        """How our test sets fit to the printed deviations; empty if this cannot be said."""
        if self.printed is None or self.implied is None or self.n_test is None:
            return ""
        if self.implied.holds(self.n_test):
            return FITS
        if self.n_test < self.implied.low:
            return SMALL
        return VARIES if self.ours and _may_be_equal(self.ours, self.printed) else LARGE


def _audited(outcomes: Outcomes, printed: Printed, row: str) -> Audited:
    numbers = {c: of for c in outcomes.columns if (of := printed.moments(row, c)) is not None}
    if not numbers or outcomes.regression(row):
        return Audited()
    beside = _together([Moments(of.mean / 100, of.sd / 100, of.n) for of in numbers.values()])
    sizes = [r.n_test for c in outcomes.columns for r in outcomes.cell(row, c) if r.ok]
    n_test = fmean(sizes) if sizes else None
    share = outcomes.test_shares.get(row, 0.0)
    rounding = max(printed.rounding(row, c + SD) for c in numbers) / 100
    ours = None
    if outcomes.repeats > 1 and all(outcomes.complete(row, c) for c in numbers):
        risks = [outcomes.values(row, c) for c in numbers]
        ours = _together([Moments(fmean(r), stdev(r), len(r)) for r in risks])
    implied = _implied(beside, rounding, share)
    by_ours = None if ours is None else _implied(ours, 0.0, share)
    return Audited(beside, ours, implied, by_ours, n_test, share)


def _may_be_equal(ours: Moments, printed: Moments) -> bool:
    """Return whether Fisher's test at level `LEVEL` does not find ours to vary less."""
    # scipy.stats takes half a second to import.
    from scipy.stats import f as fisher

    ratio = (printed.sd / ours.sd) ** 2 if ours.sd > 0 else math.inf
    return bool(fisher.sf(ratio, printed.n - 1, ours.n - 1) > LEVEL)


def _together(columns: list[Moments]) -> Moments:
    """Return the mean of the means, and the root of the mean squared deviation."""
    sd = math.sqrt(fmean(m.sd**2 for m in columns))
    return Moments(fmean(m.mean for m in columns), sd, columns[0].n)


def _implied(moments: Moments, rounding: float, share: float) -> ImpliedSize | None:
    if not 0 < moments.mean < 1:
        return None
    return implied_test_size(moments.mean, moments.sd, moments.n, rounding=rounding, share=share)


def _entries(part: Audited) -> tuple[TableEntry, ...]:
    verdict = part.verdict
    return (
        TableEntry(_spread(part.printed)),
        TableEntry(_spread(part.ours)),
        TableEntry(_size(part.implied)),
        TableEntry(_size(part.by_ours)),
        TableEntry(_count(part.n_test)),
        TableEntry(verdict or MISSING, mark="†" if verdict in (SMALL, LARGE) else ""),
    )


def _spread(moments: Moments | None) -> str:
    return f"{100 * moments.mean:.2f} ± {100 * moments.sd:.2f}" if moments else MISSING


def _size(size: ImpliedSize | None) -> str:
    if size is None:
        return MISSING
    return f"{_count(size.estimate)} [{_count(size.low)}, {_count(size.high)}]"


def _count(number: float | None) -> str:
    if number is None:
        return MISSING
    return "∞" if math.isinf(number) else f"{number:.0f}"


def _numbers(moments: Moments | None, size: ImpliedSize | None) -> tuple[Value, ...]:
    """Return the numbers of printed deviations, or of ours, for the CSV."""
    return (
        *((moments.mean, moments.sd) if moments else (None, None)),
        *((size.estimate, size.low, size.high) if size else (None, None, None)),
    )


def _notes(context: Context[str], printed: Printed, found: dict[str, Audited]) -> tuple[str, ...]:
    verdicts = [part.verdict for part in found.values()]
    counts = ", ".join(f"{verdicts.count(v)} {v}" for v in (FITS, VARIES, LARGE, SMALL))
    return (
        "Printed and ours: mean error in percent ± deviation over the splits, for the columns that "
        "are printed together: the mean of their means, and the root of their mean squared "
        "deviation.",
        "Implied size: a risk p on n test examples has a deviation of at least √(p(1 - p)/n) by "
        "their choice alone, so that a deviation implies n. In brackets: the interval that a "
        f"deviation of {printed.splits} splits leaves with probability {COVERAGE:g} (χ²); its "
        "lower end allows for test sets that overlap.",
        f"Verdicts on our size: {counts}. Too small†: on our test sets the printed errors would "
        "vary more than is printed. Above the interval, the printed errors vary more than the "
        "choice of our test examples can make them. Too large†: ours do not vary so much, and the "
        "paper's test sets were smaller, or its errors vary for a reason that ours lack. Varies: "
        "ours are not found to vary less than the printed ones (Fisher's F-test, "
        f"p > {LEVEL:g}).",
    )


class DeviationsKind(TableKind[str]):
    """Sizes of test sets that printed deviations imply."""

    key, option = "audit", str
    meaning = (
        "The sizes of test sets that printed deviations imply, beside ours: the name of the "
        "printed table."
    )

    def check(self, context: Context[str]) -> None:
        """Refuse a printed table without deviations, and rows that all predict numbers."""
        context.check_printed("errors")
        if context.option:
            context.check_splits(context.option)
        if all(task == "regression" for task in context.experiment.tasks.values()):
            raise context.error("audit is of risks, and all rows predict numbers")

    def table(self, context: Context[str], outcomes: Outcomes) -> Table:
        """Return the sizes of test sets that printed deviations imply, beside ours."""
        printed = context.printed(context.option)
        found: dict[str, Audited] = {}
        for row in context.config.rows:
            title = row.entry.title
            part = _audited(outcomes, printed, title)
            if not row.reading or part.n_test not in (None, found[row.of].n_test):
                found[title] = part
        return Table(
            f"{context.config.title}: printed deviations against the sizes of test sets",
            HEADER,
            tuple((row, _entries(part)) for row, part in found.items()),
            (*_notes(context, printed, found), *closing_notes(context, outcomes)),
            DATA_HEADER,
            tuple(
                (
                    row,
                    *_numbers(part.printed, part.implied),
                    *(part.n_test, None if part.n_test is None else part.share),
                    *_numbers(part.ours, part.by_ours),
                    part.verdict,
                )
                for row, part in found.items()
            ),
        )


DEVIATIONS = DeviationsKind()
