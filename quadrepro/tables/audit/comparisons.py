"""Whether printed comparisons and claims follow from the printed risks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from quadrepro.papers.claims.evidence import InPrint
from quadrepro.papers.printed import Printed
from quadrepro.stats import better_on_one, better_over_all, distribution_of_wins
from quadrepro.tables.audit.counts import counts, denominator
from quadrepro.tables.audit.subject import Finding, PrintedPlace, Subject
from quadrepro.tables.kinds.claims import judged_on


def judge_claims(subject: Subject) -> Iterator[Finding | str]:
    """Judge every claim on what is printed."""
    paper, others = subject.paper, 0
    for group in paper.groups.values():
        if not group.printed:
            others += len(group.claims)
            continue
        tables = tuple(paper.printed(name).in_unit("percent") for name in group.printed)
        evidence = InPrint(tables[0].rows, paper.file.names, tables)
        for claim in group.claims:
            text, holds = judged_on(claim, evidence)
            yield Finding(PrintedPlace(tables[0].name), claim.text, holds, text)
    if others:
        yield (
            f"claims: {others} are about nothing that is printed, so only our numbers judge them."
        )


def judge_pairs(subject: Subject) -> Iterator[Finding]:
    """Check that the probabilities of A over B and of B over A add up to 1."""
    for table in subject.holding("comparisons"):
        algorithms = [name for name in table.columns if name in table.rows]
        for a, b in [*((a, a) for a in algorithms), *combinations(algorithms, 2)]:
            one, other = table.text(a, b), table.text(b, a)
            if not (one and other):
                continue
            total = Fraction(one) + Fraction(other)
            rounding = sum(Fraction(1, 2 * denominator(text)) for text in (one, other))
            why = f"{one} and {other} add up to {float(total):g}"
            holds = abs(total - 1) <= rounding
            yield Finding(PrintedPlace(table.name, a, b), one, holds, why)


def judge_sources(subject: Subject) -> Iterator[Finding | str]:
    """Check that each probability is possible with the printed risks, whichever examples err."""
    failed: list[Finding] = []
    for table in subject.holding("comparisons"):
        if (name := table.facts.compares) is None:
            continue
        risks = {other.name: other for other in subject.holding("errors")}
        subject.known(name, risks, "printed table of errors", table.name, "compares")
        source = risks[name].in_unit(risks[name].facts.unit or "percent")  # accuracies as errors
        for a, b in combinations([name for name in table.columns if name in table.rows], 2):
            if table.text(a, b):
                finding = _of_source(subject, table, source, a, b)
                failed += [finding] if finding.holds is False else []
                yield finding
    hard = sum(not finding.why.endswith(ALLOWED) for finding in failed)
    if failed:
        yield (
            "sources: the test takes the wins over the data sets for tosses of a coin, and gives "
            f"the probability that the coin favours A. Of the {len(failed)} that fail, {hard} "
            "would also fail if it gave the probability that A wins on most data sets."
        )


ALLOWED = "; winning on most data sets would allow it"


def on_most(p: Sequence[float]) -> float:
    """Return the probability of winning on most data sets, with half of that of a tie."""
    wins = distribution_of_wins(p)[::-1]
    return float(wins[: len(wins) // 2].sum() + (wins[len(wins) // 2] / 2 if len(wins) % 2 else 0))


def _of_source(subject: Subject, table: Printed, source: Printed, a: str, b: str) -> Finding:
    text, place = table.text(a, b), PrintedPlace(table.name, a, b)
    ends = possible_probabilities(subject, source, a, b)
    if isinstance(ends, str):
        return Finding(place, text, None, ends)
    # Sums of products are exact up to this.
    value, slack = float(text), table.rounding(a, b) + 1e-9
    low, high = map(better_over_all, ends)
    why = f"{source.name} allows {low:.3f} to {high:.3f}"
    holds = low - slack <= value <= high + slack
    low, high = map(on_most, ends)
    if not holds and low - slack <= value <= high + slack:
        why += ALLOWED
    return Finding(place, text, holds, why)


def possible_probabilities(
    subject: Subject, table: Printed, a: str, b: str
) -> tuple[list[float], list[float]] | str:
    """Return the least and the largest probability of each data set that A is better than B.

    The probability over all data sets rises with that on each of them, so that its ends are those
    of all data sets together.
    """
    if table.splits > 1:
        return f"{table.name} has means, of which no errors of single examples follow"
    lows, highs = [], []
    for row in table.rows:
        size, texts = subject.size(table, row), (table.text(row, a), table.text(row, b))
        if isinstance(size, str):
            return f"{row}: {size}"
        percent = table.facts.unit == "percent"
        ends = [
            ends_on_one(of_a, of_b)
            for n in (size.n_test, *size.or_n_test)
            for of_a, of_b in [[counts(t, n, percent) if t else range(0) for t in texts]]
            if of_a and of_b
        ]
        if not ends:
            return f"{row}: no number of errors gives what {table.name} prints"
        lows.append(min(low for low, _ in ends))
        highs.append(max(high for _, high in ends))
    return lows, highs


def ends_on_one(of_a: range, of_b: range) -> tuple[float, float]:
    """Return the least and the largest probability that A is better on one data set.

    The better A, the fewer its errors are and the more those of B. With given numbers of errors,
    the probability goes from that with as many shared errors as can be steadily towards 1/2.

    Examples
    --------
    Both have two errors, and B has one more for certain or not.

    >>> ends_on_one(range(2, 3), range(2, 4))
    (0.5, 0.75)
    """
    of_ends = []
    for errors_a, errors_b in ((of_a[-1], of_b[0]), (of_a[0], of_b[-1])):
        shared = (0, min(errors_a, errors_b))
        of_ends.append([better_on_one(errors_a - s, errors_b - s) for s in shared])
    return min(of_ends[0]), max(of_ends[1])
