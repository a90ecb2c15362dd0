"""Whether printed deviations are plausible for the sizes of test sets."""

from __future__ import annotations

import math
from collections.abc import Iterator

from quadrepro.audit.check import Check, Finding, Found, Place
from quadrepro.audit.subject import NO_SPLITS, Subject
from quadrepro.papers.printed import MEAN, SD, Printed
from quadrepro.stats import COVERAGE, LEVEL, implied_test_size


def judge(subject: Subject) -> Found:
    """Test every deviation of risks against the binomial floor of its test sets."""
    findings = [
        finding
        for table in subject.holding("errors")
        for row in table.rows
        for column in table.algorithms
        if table.text(row, column + SD) and table.text(row, column + MEAN)
        for finding in _judged(subject, table, row, column)
    ]
    note = (
        "deviations: the choice of n test examples alone makes a risk p vary by √(p(1 - p)/n), or "
        "less where test sets overlap. It is tested whether a deviation is smaller than that (χ², "
        f"one-sided); sizes that fit are those of an interval of probability {COVERAGE:g}."
    )
    return Found(tuple(findings), (note,) if any(f.p_value is not None for f in findings) else ())


def _judged(subject: Subject, table: Printed, row: str, column: str) -> Iterator[Finding]:
    mean, text = float(table.text(row, column + MEAN)) / 100, table.text(row, column + SD)
    sd, rounding = float(text) / 100, table.rounding(row, column + SD) / 100
    size, splits = subject.size(table, row), table.splits
    place = Place(table.name, row, column)
    if isinstance(size, str) or splits is None:
        yield Finding(place, text, None, size if isinstance(size, str) else NO_SPLITS)
    elif not 0 < mean < 1:
        yield Finding(place, text, None, f"a risk of {mean:g} implies no size")
    elif size.share == 1:
        yield Finding(place, text, None, "all rows are tested, or how many there are is not said")
    else:
        p_value = too_small(mean, sd + rounding, splits, size.n_test, size.share)
        fits = implied_test_size(mean, sd, splits, rounding=rounding, share=size.share)
        floor = 100 * math.sqrt((1 - size.share) * mean * (1 - mean) / size.n_test)
        why = f"{size.n_test} test examples give {floor:.2g} or more; {fits.low:.0f} or more fit"
        yield Finding(place, text, p_value > LEVEL, f"{why} (p = {p_value:.2g})", p_value)


def too_small(mean: float, sd: float, splits: int, n_test: int, share: float) -> float:
    """Return the probability of a deviation so small, if only the test examples vary.

    Parameters
    ----------
    mean, sd : float
        Mean and deviation of the risks.
    splits : int
        Number of splits.
    n_test : int
        Number of test examples.
    share : float
        Share of all rows that a test set holds, see `quadrepro.stats.implied_test_size`.
    """
    # scipy.stats takes half a second to import.
    from scipy.stats import chi2

    floor = (1 - share) * mean * (1 - mean) / n_test
    return float(chi2.cdf((splits - 1) * sd**2 / floor, splits - 1))


DEVIATIONS = Check("deviations", "Is each deviation as large as its test sets make it?", judge)
