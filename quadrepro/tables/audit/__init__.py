"""Checks of printed tables by themselves: no data are read and nothing is computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from quadrepro.base.files import write_text
from quadrepro.papers.paper import Paper
from quadrepro.stats import LEVEL, holm
from quadrepro.tables.audit import checks
from quadrepro.tables.audit.counts import judge_counts
from quadrepro.tables.audit.subject import VERDICTS, Finding, Subject
from quadrepro.tables.render import Table, csv_text, to_markdown, words

CHECKS: dict[str, Callable[[Subject], Iterable[Finding | str]]] = {
    "ranges": checks.judge_ranges,
    "counts": judge_counts,
    "deviations": checks.judge_deviations,
    "pairs": checks.judge_pairs,
    "sources": checks.judge_sources,
    "bold": checks.judge_bold,
    "summaries": checks.judge_summaries,
    "claims": checks.judge_claims,
}
"""The function that yields findings and notes of each check, in the order of the tables; its
docstring is the question that it answers. One without findings does not apply to the paper."""

CHECKED = ("check", "question", "checked", *VERDICTS)
FAILED = ("check", "place", "printed", "verdict", "why")
HEADER = ("check", "table", "row", "column", "printed", "verdict", "p", "why")


@dataclass(frozen=True)
class Audit:
    """Findings of all checks of a paper."""

    paper: Paper
    findings: dict[str, tuple[Finding, ...]]  # by check
    notes: tuple[str, ...]

    @property
    def every(self) -> list[tuple[str, Finding]]:
        """All findings, with the names of their checks."""
        return [(check, f) for check, findings in self.findings.items() for f in findings]

    @property
    def failures(self) -> list[tuple[str, Finding]]:
        """The findings that fail, with the names of their checks."""
        return [(check, f) for check, f in self.every if f.verdict == "fails"]

    @property
    def tables(self) -> tuple[Table, ...]:
        """The table of checks with the notes, and the failures, if there are any."""
        title = self.paper.file.title
        rows = tuple((check, words(_counts(check, f))) for check, f in self.findings.items())
        notes = (*_unjudged(self.findings), *self.notes)
        if not rows:
            notes = ("The paper has no printed tables, so there is nothing to check.", *notes)
        overview = Table(f"Audit of {title}", CHECKED, rows, notes, align="left")
        failed = tuple((check, words(f.texts)) for check, f in self.every if f.holds is False)
        fails = Table(f"Failures in {title}", FAILED, failed, align="left")
        return (overview, fails) if failed else (overview,)

    def to_markdown(self) -> str:
        """Return the table of checks, the failures, and the notes."""
        return "\n".join(map(to_markdown, self.tables))

    def to_csv(self) -> str:
        """Return every finding as a line of CSV."""
        rows = ((c, *f.place, f.printed, f.verdict, f.p_value, f.reason) for c, f in self.every)
        return csv_text(HEADER, rows)

    def write(self, folder: Path) -> None:
        """Write ``audit.md`` and ``audit.csv``."""
        write_text(folder / "audit.md", self.to_markdown())
        write_text(folder / "audit.csv", self.to_csv())


def audit(paper: Paper) -> Audit:
    """Check the printed tables of a paper by themselves.

    Examples
    --------
    >>> from quadrepro.papers.paper import load_paper
    >>> failures = audit(load_paper("ebboost")).failures
    >>> [finding.place.row for check, finding in failures if check == "counts"]
    ['wisconsin', 'wisconsin']
    """
    subject = Subject(paper)
    by_check: dict[str, tuple[Finding, ...]] = {}
    notes = [f"{table.name}: {table.description}. {table.read}." for table in subject.tables]
    for check, judge in CHECKS.items():
        results = [*judge(subject)]
        notes += [note for note in results if isinstance(note, str)]
        if findings := tuple(f for f in results if isinstance(f, Finding)):
            by_check[check] = findings
    deviations = by_check.get("deviations", ())
    if p_values := [f.p_value for f in deviations if f.p_value is not None]:
        # Equal p-values are adjusted alike.
        adjusted = dict(zip(p_values, holm(p_values), strict=True))
        by_check["deviations"] = tuple(
            f if f.p_value is None else replace(f, holds=adjusted[f.p_value] > LEVEL)
            for f in deviations
        )
        alone = sum(p <= LEVEL for p in p_values)
        together = sum(adjusted[p] <= LEVEL for p in p_values)
        notes.append(
            f"{alone} of {len(p_values)} statistical tests have p ≤ {LEVEL:g}; chance alone gives "
            f"up to {LEVEL * len(p_values):.1f}. Counted as suspicious: {together}, which are so "
            "among all tests together (Holm)."
        )
    return Audit(paper, by_check, tuple(notes))


def _counts(check: str, findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """Return the texts of a check in the table of checks."""
    counts = Counter(finding.verdict for finding in findings)
    numbers = [counts[word] for word in VERDICTS]
    return CHECKS[check].__doc__ or "", str(sum(numbers[:3])), *map(str, numbers)


def _unjudged(by_check: dict[str, tuple[Finding, ...]]) -> list[str]:
    """Return the reasons for findings that cannot be judged, with counts."""
    notes = []
    for check, findings in by_check.items():
        reasons = Counter(finding.why for finding in findings if finding.holds is None)
        if reasons:
            text = "; ".join(f"{why} ({n})" for why, n in reasons.items())
            notes.append(f"{check}, cannot be judged: {text}.")
    return notes
