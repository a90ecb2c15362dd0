"""All checks of a paper, judged together, and the tables of their findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from quadrepro.base.files import write_text
from quadrepro.base.text import markdown
from quadrepro.papers.paper import Paper
from quadrepro.stats import LEVEL, holm
from quadrepro.tables.audit import comparisons, counts, ranges
from quadrepro.tables.audit.subject import Finding, Subject
from quadrepro.tables.table import Table, csv_text, entry

CHECKS: dict[str, Callable[[Subject], Iterable[Finding | str]]] = {
    "ranges": ranges.judge,
    "counts": counts.judge,
    "deviations": ranges.judge_deviations,
    "pairs": comparisons.judge_pairs,
    "sources": comparisons.judge_sources,
    "bold": counts.judge_bold,
    "means": counts.judge_means,
    "claims": comparisons.judge_claims,
}
"""All checks, in the order of the tables; each yields findings and notes. Without findings, a check
does not apply to the paper."""

QUESTIONS = {
    "ranges": "Is each number possible at all?",
    "counts": "Can each risk be a number of errors on its test sets?",
    "deviations": "Is each deviation as large as its test sets make it?",
    "pairs": "Do the probabilities of both directions add up to 1?",
    "sources": "Can each comparison come from the risks that are compared?",
    "bold": "Are the numbers in bold the best of their rows?",
    "means": "Are the means of columns those of the numbers above?",
    "claims": "Do the claims of the text follow from the printed numbers?",
}
"""The question that each check answers."""

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
    def failures(self) -> list[tuple[str, Finding]]:
        """The findings that fail, with the names of their checks."""
        return self._of("fails")

    def _of(self, *verdicts: str) -> list[tuple[str, Finding]]:
        every = ((key, finding) for key, found in self.findings.items() for finding in found)
        return [(key, finding) for key, finding in every if finding.verdict in verdicts]

    @property
    def title(self) -> str:
        """Its heading."""
        return f"Audit of {self.paper.file.title}"

    @property
    def tables(self) -> tuple[Table, ...]:
        """The table of checks with the notes, and that of failures; none without findings."""
        if not self.findings:
            return ()
        rows = tuple(
            (key, (entry(QUESTIONS[key]), *map(entry, _numbers(found))))
            for key, found in self.findings.items()
        )
        notes = (*_unjudged(self.findings), *self.notes)
        checks = Table(self.title, CHECKED, rows, notes, align="left")
        failed = tuple(
            (key, tuple(map(entry, (f.place.text, f.printed, f.verdict, f.reason))))
            for key, f in self._of("fails", "fails unless")
        )
        title = f"What fails in {self.paper.file.title}"
        return (checks, Table(title, FAILED, failed, (), align="left")) if failed else (checks,)

    def to_markdown(self) -> str:
        """Return the table of checks, the failures, and the notes."""
        if not self.findings:
            reason = "The paper has no printed tables, so there is nothing to check."
            return markdown("\n\n".join((f"## {self.title}", reason, *self.notes)) + "\n")
        return "\n".join(table.to_markdown() for table in self.tables)

    def to_csv(self) -> str:
        """Return every finding as a line of CSV."""
        every = ((key, f) for key, found in self.findings.items() for f in found)
        rows = [(key, *f.place, f.printed, f.verdict, f.p_value, f.reason) for key, f in every]
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
    >>> [finding.place.row for key, finding in failures if key == "counts"]
    ['wisconsin', 'wisconsin']
    """
    subject = Subject(paper)
    findings: dict[str, tuple[Finding, ...]] = {}
    notes = [f"{table.name}: {table.words}." for table in subject.tables]
    for key, check in CHECKS.items():
        found = [*check(subject)]
        notes += [note for note in found if isinstance(note, str)]
        if of_check := tuple(of for of in found if isinstance(of, Finding)):
            findings[key] = of_check
    if p_values := [f.p_value for f in findings.get("deviations", ()) if f.p_value is not None]:
        # Equal p-values are adjusted alike.
        adjusted = dict(zip(p_values, holm(p_values), strict=True))
        findings["deviations"] = tuple(
            f if f.p_value is None else replace(f, holds=adjusted[f.p_value] > LEVEL)
            for f in findings["deviations"]
        )
        alone = sum(p <= LEVEL for p in p_values)
        together = sum(adjusted[p] <= LEVEL for p in p_values)
        notes.append(
            f"Of {len(p_values)} statistical tests {alone} have p ≤ {LEVEL:g}; chance alone gives "
            f"up to {LEVEL * len(p_values):.1f}. Counted as failures: {together}, which fail among "
            "all tests together (Holm)."
        )
    return Audit(paper, findings, tuple(notes))


def _numbers(found: tuple[Finding, ...]) -> list[str]:
    numbers = Counter(finding.verdict for finding in found)
    judged = [numbers[key] for key in ("holds", "fails", "fails unless")]
    return [str(n) for n in (sum(judged), *judged, numbers["cannot be judged"])]


def _unjudged(findings: dict[str, tuple[Finding, ...]]) -> list[str]:
    """Return why findings cannot be judged, with counts."""
    notes = []
    for key, found in findings.items():
        reasons = Counter(finding.why for finding in found if finding.holds is None)
        if reasons:
            text = "; ".join(f"{why} ({n})" for why, n in reasons.items())
            notes.append(f"{key}, cannot be judged: {text}.")
    return notes
