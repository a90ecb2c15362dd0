"""Whether printed comparisons and claims follow from the printed risks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement

from quadrepro.papers.claims.evidence import InPrint
from quadrepro.papers.printed import Printed, half_a_unit
from quadrepro.stats import better_on_one, better_over_all, distribution_of_wins
from quadrepro.tables.audit.counts import counts
from quadrepro.tables.audit.subject import SLACK, Finding, PrintedPlace, Subject
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
        for a, b in combinations_with_replacement(_compared(table), 2):
            one, other = table.text(a, b), table.text(b, a)
            if one and other:
                total, slack = float(one) + float(other), half_a_unit(one) + half_a_unit(other)
                why = f"{one} and {other} add up to {total:g}"
                holds = abs(total - 1) <= slack + SLACK
                yield Finding(PrintedPlace(table.name, a, b), one, holds, why)


def _compared(table: Printed) -> list[str]:
    """Return the algorithms that have both a row and a column."""
    return [name for name in table.columns if name in table.rows]


def judge_sources(subject: Subject) -> Iterator[Finding | str]:
    """Check that each probability is possible with the printed risks, whichever examples err."""
    failed: list[Finding] = []
    risks = {table.name: table for table in subject.holding("errors")}
    for table in subject.holding("comparisons"):
        if (name := table.facts.compares) is None:
            continue
        subject.check(name, risks, "printed table of errors", table.name, "compares")
        source = risks[name].in_unit(risks[name].facts.unit or "percent")  # accuracies as errors
        for a, b in combinations(_compared(table), 2):
            if text := table.text(a, b):
                ends = possible_probabilities(subject, source, a, b)
                finding = _of_source(PrintedPlace(table.name, a, b), text, name, ends)
                failed += [finding] if finding.holds is False else []
                yield finding
    if failed:
        hard = sum(not finding.why.endswith(ALLOWED) for finding in failed)
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


Ends = tuple[list[float], list[float]]
"""The least and the largest probability of each data set that A is better than B."""


def _of_source(place: PrintedPlace, text: str, source: str, ends: Ends | str) -> Finding:
    if isinstance(ends, str):
        return Finding(place, text, None, ends)

    def allows(low: float, high: float) -> bool:
        slack = half_a_unit(text) + SLACK
        return low - slack <= float(text) <= high + slack

    low, high = map(better_over_all, ends)
    why, holds = f"{source} allows {low:.3f} to {high:.3f}", allows(low, high)
    if not holds and allows(*map(on_most, ends)):
        why += ALLOWED
    return Finding(place, text, holds, why)


def possible_probabilities(subject: Subject, table: Printed, a: str, b: str) -> Ends | str:
    """Return between which probabilities A is better than B on each data set, or why none is known.

    The probability over all data sets rises with that on each of them, so that its ends are those
    of all data sets together.
    """
    if table.of.n > 1:
        return f"{table.name} has means, of which no errors of single examples follow"
    lows, highs, percent = [], [], table.facts.unit == "percent"
    for row in table.rows:
        size, texts = subject.size(table, row), (table.text(row, a), table.text(row, b))
        if isinstance(size, str):
            return f"{row}: {size}"
        ends = []
        for n in (size.n_test, *size.or_n_test):
            of_a, of_b = (counts(text, n, percent) if text else range(0) for text in texts)
            if of_a and of_b:
                ends.append(ends_on_one(of_a, of_b))
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
