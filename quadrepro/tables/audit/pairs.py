"""Whether printed comparisons and claims follow from the printed numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement

from quadrepro.papers.claims.claim import InPrint
from quadrepro.papers.printed import Printed, half_a_unit
from quadrepro.stats import better_on_one, better_over_all, distribution_of_wins
from quadrepro.tables.audit.counts import counts
from quadrepro.tables.audit.subject import SLACK, Finding, PrintedPlace, Subject
from quadrepro.tables.kinds.claims import judged_on


def judge_claims(subject: Subject) -> Iterator[Finding | str]:
    """Judge every claim on the printed numbers."""
    paper = subject.paper
    for group in (group for group in paper.groups.values() if group.printed):
        tables = tuple(paper.printed(name).as_errors() for name in group.printed)
        evidence = InPrint(tables[0].rows, paper.file.names, tables)
        for claim in group.claims:
            text, word = judged_on(claim, evidence)
            holds = None if word == "undecided" else word in ("supported", "agrees")
            yield Finding(PrintedPlace(tables[0].name), claim.text, holds, text)
    if others := sum(len(group.claims) for group in paper.groups.values() if not group.printed):
        yield f"claims: {others} are about numbers that are not printed, so only ours judge them."


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
        source = risks[name].as_errors()
        for a, b in combinations(_compared(table), 2):
            if text := table.text(a, b):
                ends = possible_probabilities(subject, source, a, b)
                finding = _follows(PrintedPlace(table.name, a, b), text, name, ends)
                failed += [finding] if finding.holds is False else []
                yield finding
    if failed:
        hard = sum(not finding.why.endswith(ALLOWED) for finding in failed)
        yield (
            "sources: the test takes the wins over the data sets for tosses of a coin, and gives "
            f"the probability that the coin favours A. {hard} of the {len(failed)} that fail would "
            "also fail if it gave the probability that A wins on most data sets."
        )


ALLOWED = "; winning on most data sets would allow it"


def on_most(p: Sequence[float]) -> float:
    """Return the probability of winning on most data sets, a tie counted by half."""
    wins = distribution_of_wins(p)[::-1]
    return float(wins[: len(wins) // 2].sum() + (wins[len(wins) // 2] / 2 if len(wins) % 2 else 0))


Ends = tuple[list[float], list[float]]
"""The least and the largest probability of each data set that A is better than B."""


def _follows(place: PrintedPlace, text: str, source: str, ends: Ends | str) -> Finding:
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
    """Return the ends of the probability that A is better than B by data set, or a reason.

    The probability over all data sets rises with the one on each of them, so that its ends follow
    from all of these ends.
    """
    if table.sample.n > 1:
        return f"{table.name} has means, which do not give the errors of single examples"
    lows, highs = [], []
    for row in table.rows:
        size, texts = subject.size(table, row), (table.text(row, a), table.text(row, b))
        if isinstance(size, str):
            return f"{row}: {size}"
        ends = []
        for n in (size.n_test, *size.or_n_test):
            errors_a, errors_b = (counts(text, n) if text else range(0) for text in texts)
            if errors_a and errors_b:
                ends.append(ends_on_one(errors_a, errors_b))
        if not ends:
            return f"{row}: no number of errors gives what {table.name} prints"
        lows.append(min(low for low, _ in ends))
        highs.append(max(high for _, high in ends))
    return lows, highs


def ends_on_one(errors_a: range, errors_b: range) -> tuple[float, float]:
    """Return the least and the largest probability that A is better on one data set.

    A is better with fewer errors, and with more errors of B. With given numbers of errors, the
    probability is farthest from 1/2 if the two share all errors that they can.

    Examples
    --------
    Both have two errors, and B has one more for certain or not.

    >>> ends_on_one(range(2, 3), range(2, 4))
    (0.5, 0.75)
    """
    ends = []
    for n_a, n_b in ((errors_a[-1], errors_b[0]), (errors_a[0], errors_b[-1])):
        shared = (0, min(n_a, n_b))
        ends.append([better_on_one(n_a - s, n_b - s) for s in shared])
    return min(ends[0]), max(ends[1])
