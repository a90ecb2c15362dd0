"""Checks by counts of errors: whether printed numbers, digits and summaries are possible."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import fmean

from quadrepro.papers.printed import MEAN_ROW, SD, Printed
from quadrepro.stats import LEVEL
from quadrepro.tables.audit.check import Check, Finding, Findings, PrintedPlace, Subject

NO_POWER = "so many test examples give every number of so few digits"
FARTHEST = 5000
"""Other sizes are tried from half to twice the size, and at most so far away."""


def denominator(text: str, percent: bool = False) -> int:
    """Return D if a printed risk is one of the multiples of 1/D, by its number of digits.

    Examples
    --------
    >>> denominator("0.145"), denominator("4.28", percent=True)
    (1000, 10000)
    """
    return int(10 ** len(text.partition(".")[2])) * (100 if percent else 1)


def counts(text: str, total: int, percent: bool = False) -> range:
    """Return all numbers of errors among `total` examples that are printed so when rounded.

    A number halfway between two printed ones may be rounded to either.

    Examples
    --------
    >>> counts("0.145", 345)
    range(50, 51)
    >>> len(counts("0.146", 345))
    0
    """
    scale = denominator(text, percent)
    printed = Fraction(text) / (100 if percent else 1)
    half = Fraction(1, 2 * scale)
    first = max(math.ceil((printed - half) * total), 0)
    return range(first, min(math.floor((printed + half) * total), total) + 1)


def share_possible(total: int, scale: int) -> float:
    """Return the share of the numbers 0, 1/scale, ..., 1 that are a k/total when rounded.

    Examples
    --------
    With 50 examples every twentieth number of three digits can be a risk.

    >>> round(share_possible(50, 1000), 3)
    0.051
    """
    if total >= scale:
        return 1.0
    # Each k gives one number, and one halfway between two gives both.
    common = math.gcd(2 * scale, total)
    twice = (common + 1) // 2 if 2 * scale // common % 2 else 0
    return min((total + 1 + twice) / (scale + 1), 1.0)


def judge(subject: Subject) -> Findings:
    """Check every printed risk and every mean of risks."""
    findings: list[Finding] = []
    notes: list[str] = []
    for table in subject.holding("errors"):
        shares: list[float] = []
        confirmed: list[str] = []
        for row in table.rows:
            found, of_row = _row(subject, table, row)
            findings += found
            shares += of_row.values()
            fits = all(finding.holds is not False for finding in found)
            if fits and math.prod(of_row.values()) <= LEVEL:
                size = subject.size(table, row)
                assert not isinstance(size, str)
                confirmed.append(f"{row} ({size.n_test})")
        if shares:
            notes.append(_note(table.name, shares, confirmed))
    return Findings(tuple(findings), tuple(notes))


def _row(subject: Subject, table: Printed, row: str) -> tuple[list[Finding], dict[str, float]]:
    """Return what is found in a row, and the power of the check for each different number."""
    percent = table.facts.unit == "percent"
    size, splits = subject.size(table, row), table.splits
    found: list[Finding] = []
    power: dict[str, float] = {}
    texts = {c: table.text(row, table.mean_column(c)) for c in table.algorithms}
    other = ""
    for column, text in texts.items():
        place = PrintedPlace(table.name, row, column)
        if not text:
            continue
        if isinstance(size, str):
            found.append(Finding(place, text, None, size))
            continue
        total = size.n_test * splits
        share = share_possible(total, denominator(text, percent))
        if share == 1:
            found.append(Finding(place, text, None, NO_POWER))
            continue
        power[text] = share
        possible = counts(text, total, percent)
        of = f"{size.n_test} test examples" + (f" × {splits} splits" if splits > 1 else "")
        why = f"{possible[0] if possible else 'no number'} of {of}"
        if not possible and not other:
            other = _other_size([t for t in texts.values() if t], size.n_test, splits, percent)
            why += f"; {other}"
        found.append(Finding(place, text, bool(possible), why))
    return found, power


def _other_size(texts: list[str], n_test: int, splits: int, percent: bool) -> str:
    """Return which size near the one that fails fits all numbers of a row."""
    texts = list(dict.fromkeys(texts))
    away = min(n_test, FARTHEST)
    sizes = range(max(n_test - away // 2, 1), n_test + away + 1)
    fits = [n for n in sizes if all(counts(text, n * splits, percent) for text in texts)]
    if not fits:
        return f"nor does any size from {sizes[0]} to {sizes[-1]} fit the row"
    nearest = min(fits, key=lambda n: (abs(n - n_test), n))
    away = abs(nearest - n_test)
    none = math.prod(
        1 - math.prod(share_possible(n * splits, denominator(t, percent)) for t in texts)
        for n in range(n_test - away, n_test + away + 1)
        if n in sizes and n != n_test
    )
    return (
        f"{nearest} is the nearest size that fits the row (random numbers fit one as near with "
        f"probability {1 - none:.2g})"
    )


def _note(table: str, shares: list[float], confirmed: list[str]) -> str:
    text = (
        f"counts, {table}: {len(shares)} numbers can be checked, equal ones of a row counted once; "
        f"{fmean(shares):.0%} of random numbers would pass."
    )
    if confirmed:
        text += (
            " The digits confirm these sizes, which random numbers would fit with probability "
            f"{LEVEL:g} at most: {', '.join(confirmed)}."
        )
    return text


COUNTS = Check("counts", "Can each risk be a number of errors on its test sets?", judge)


FEWEST = 50
"""Five of each digit, as the χ² test needs."""

LEADING = 3
"""With fewer digits in all, the last one is not evenly distributed."""


def judge_digits(subject: Subject) -> Findings:
    """Test the last digits of each table of errors for an even distribution."""
    findings = []
    for table in subject.holding("errors"):
        last = [digit for row in table.rows for digit in last_digits(subject, table, row)]
        printed, place = f"{len(last)} numbers", PrintedPlace(table.name)
        if len(last) < FEWEST:
            why = f"fewer than {FEWEST} numbers have a last digit that could be any"
            findings.append(Finding(place, printed, None, why))
            continue
        # scipy.stats takes half a second to import.
        from scipy.stats import chisquare

        often = [last.count(digit) for digit in "0123456789"]
        p = float(chisquare(often).pvalue)
        why = f"0 to 9 stand last {', '.join(map(str, often))} times (χ², p = {p:.2g})"
        findings.append(Finding(place, printed, p > LEVEL, why, p))
    return Findings(tuple(findings))


def last_digits(subject: Subject, table: Printed, row: str) -> list[str]:
    """Return the last digits of the different numbers of a row that could be any digit.

    Counts on small test sets give some digits more often, and algorithms that end in the same vote
    give the same number.
    """
    size = subject.size(table, row)
    total = math.inf if isinstance(size, str) else size.n_test * table.splits
    texts = dict.fromkeys(
        text
        for column in table.columns
        if len((text := table.text(row, column)).lstrip("+-0.").replace(".", "")) >= LEADING
        and (column.endswith(SD) or total >= denominator(text, table.facts.unit == "percent"))
    )
    return [text[-1] for text in texts]


DIGITS = Check("digits", "Are the last digits evenly distributed?", judge_digits)


def judge_bold(subject: Subject) -> Findings:
    """Compare the bold numbers that ``paper.yaml`` lists with the lowest of their rows."""
    findings = []
    for table in subject.holding("errors"):
        for row, columns in table.facts.bold.items():
            subject.known(row, table.rows, "row", table.name, "bold", row)
            texts = {c: table.text(row, table.mean_column(c)) for c in table.algorithms}
            numbers = {c: text for c, text in texts.items() if text}
            for i, column in enumerate(columns):
                subject.known(column, numbers, "column", table.name, "bold", row, i)
            least = min(map(Fraction, numbers.values()))
            lowest = [c for c, text in numbers.items() if Fraction(text) == least]
            why = f"the lowest is {float(least):g} ({', '.join(lowest)})"
            holds = set(columns) == set(lowest)
            findings.append(Finding(PrintedPlace(table.name, row), ", ".join(columns), holds, why))
    return Findings(tuple(findings))


def judge_means(subject: Subject) -> Findings:
    """Compare printed means of columns with the means of what is printed above them."""
    findings = []
    for table in subject.tables:
        for column in table.columns:
            text = table.text(MEAN_ROW, column)
            texts = [table.text(row, column) for row in table.rows]
            if not text or column.endswith(SD):
                continue
            place = PrintedPlace(table.name, MEAN_ROW, column)
            if not texts or not all(texts):
                findings.append(Finding(place, text, None, "not all rows are printed"))
                continue
            mean = sum(map(Fraction, texts), Fraction()) / len(texts)
            own, *above = (Fraction(1, 2 * denominator(t)) for t in (text, *texts))
            slack = own + sum(above, Fraction()) / len(texts)
            holds = abs(mean - Fraction(text)) <= slack
            findings.append(Finding(place, text, holds, f"the mean is {float(mean):.6g}"))
    return Findings(tuple(findings))


BOLD = Check("bold", "Are the numbers in bold the lowest of their rows?", judge_bold)
MEANS = Check("means", "Are the means of columns those of the numbers above?", judge_means)
