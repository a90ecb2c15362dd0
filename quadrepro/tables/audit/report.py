"""All checks of a paper, judged together, and the tables of their findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from quadrepro.base.files import write_text
from quadrepro.papers.paper import Paper
from quadrepro.stats import LEVEL, holm
from quadrepro.tables.audit.comparisons import judge_claims, judge_pairs, judge_sources
from quadrepro.tables.audit.counts import judge_bold, judge_counts, judge_means
from quadrepro.tables.audit.ranges import judge_deviations, judge_ranges
from quadrepro.tables.audit.subject import Finding, Subject
from quadrepro.tables.table import Table, csv_text, entry

CHECKS: dict[str, tuple[str, Callable[[Subject], Iterable[Finding | str]]]] = {
    "ranges": ("Is each number possible at all?", judge_ranges),
    "counts": ("Can each risk be a number of errors on its test sets?", judge_counts),
    "deviations": ("Is each deviation as large as its test sets make it?", judge_deviations),
    "pairs": ("Do the probabilities of both directions add up to 1?", judge_pairs),
    "sources": ("Can each comparison come from the risks that are compared?", judge_sources),
    "bold": ("Are the numbers in bold the best of their rows?", judge_bold),
    "means": ("Are the means of columns those of the numbers above?", judge_means),
    "claims": ("Do the claims of the text follow from the printed numbers?", judge_claims),
}
"""The question that each check answers, in the order of the tables, and the function that yields
its findings and notes. A check without findings does not apply to the paper."""

CHECKED = ("check", "question", "checked", "hold", "fail", "fail unless", "cannot be judged")
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
        return [(check, f) for check, found in self.findings.items() for f in found]

    @property
    def failures(self) -> list[tuple[str, Finding]]:
        """The findings that fail, with the names of their checks."""
        return [(check, f) for check, f in self.every if f.verdict == "fails"]

    @property
    def tables(self) -> tuple[Table, ...]:
        """The table of checks with the notes, and that of what fails, if anything does."""
        title = self.paper.file.title
        rows = tuple((check, _counts(check, found)) for check, found in self.findings.items())
        notes = (*_unjudged(self.findings), *self.notes)
        if not rows:
            notes = ("The paper has no printed tables, so there is nothing to check.", *notes)
        checks = Table(f"Audit of {title}", CHECKED, rows, notes, align="left")
        failed = tuple(
            (check, tuple(map(entry, f.texts))) for check, f in self.every if f.holds is False
        )
        fails = Table(f"What fails in {title}", FAILED, failed, (), align="left")
        return (checks, fails) if failed else (checks,)

    def to_markdown(self) -> str:
        """Return the table of checks, the failures, and the notes."""
        return "\n".join(table.to_markdown() for table in self.tables)

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
    findings: dict[str, tuple[Finding, ...]] = {}
    notes = [f"{table.name}: {table.words}." for table in subject.tables]
    for check, (_, judge) in CHECKS.items():
        found = [*judge(subject)]
        notes += [note for note in found if isinstance(note, str)]
        if of_check := tuple(of for of in found if isinstance(of, Finding)):
            findings[check] = of_check
    deviations = findings.get("deviations", ())
    if p_values := [f.p_value for f in deviations if f.p_value is not None]:
        # Equal p-values are adjusted alike.
        adjusted = dict(zip(p_values, holm(p_values), strict=True))
        findings["deviations"] = tuple(
            f if f.p_value is None else replace(f, holds=adjusted[f.p_value] > LEVEL)
            for f in deviations
        )
        alone = sum(p <= LEVEL for p in p_values)
        together = sum(adjusted[p] <= LEVEL for p in p_values)
        notes.append(
            f"Of {len(p_values)} statistical tests {alone} have p ≤ {LEVEL:g}; chance alone gives "
            f"up to {LEVEL * len(p_values):.1f}. Counted as failures: {together}, which fail among "
            "all tests together (Holm)."
        )
    return Audit(paper, findings, tuple(notes))


def _counts(check: str, found: tuple[Finding, ...]) -> tuple[str, ...]:
    """Return the entries of a check in the table of checks."""
    question, _ = CHECKS[check]
    verdicts = Counter(finding.verdict for finding in found)
    numbers = [verdicts[word] for word in ("holds", "fails", "fails unless", "cannot be judged")]
    return tuple(map(entry, (question, str(sum(numbers[:3])), *map(str, numbers))))


def _unjudged(findings: dict[str, tuple[Finding, ...]]) -> list[str]:
    """Return why findings cannot be judged, with counts."""
    notes = []
    for check, found in findings.items():
        reasons = Counter(finding.why for finding in found if finding.holds is None)
        if reasons:
            text = "; ".join(f"{why} ({n})" for why, n in reasons.items())
            notes.append(f"{check}, cannot be judged: {text}.")
    return notes
