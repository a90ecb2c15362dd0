"""All checks of a paper, judged together, and the tables of their findings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from quadrepro.base.files import write_text
from quadrepro.base.text import markdown
from quadrepro.papers.paper import Paper
from quadrepro.stats import LEVEL, holm
from quadrepro.tables.audit.check import Check, Finding, Subject
from quadrepro.tables.audit.comparisons import CLAIMS, PAIRS, SOURCES
from quadrepro.tables.audit.counts import BOLD, COUNTS, MEANS
from quadrepro.tables.audit.ranges import DEVIATIONS, RANGES
from quadrepro.tables.table import Table, csv_text, entry

CHECKS: tuple[Check, ...] = (
    RANGES,
    COUNTS,
    DEVIATIONS,
    PAIRS,
    SOURCES,
    BOLD,
    MEANS,
    CLAIMS,
)
"""All checks, in the order of the tables."""

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
        return [
            (key, finding)
            for key, found in self.findings.items()
            for finding in found
            if finding.verdict in verdicts
        ]

    @property
    def title(self) -> str:
        """Its heading."""
        return f"Audit of {self.paper.file.title}"

    @property
    def tables(self) -> tuple[Table, ...]:
        """The table of checks with the notes, and that of failures; none without findings."""
        if not self.findings:
            return ()
        questions = {check.key: check.question for check in CHECKS}
        rows = tuple(
            (key, (entry(questions[key]), *map(entry, _numbers(found))))
            for key, found in self.findings.items()
        )
        header = ("check", "question", "checked", "hold", "fail", "fail unless", "cannot be judged")
        notes = (*_unjudged(self.findings), *self.notes)
        checks = Table(self.title, header, rows, notes, align="left")
        failed = tuple(
            (key, tuple(map(entry, (_where(f), f.printed, f.verdict, f"{f.why}{_unless(f)}"))))
            for key, f in self._of("fails", "fails unless")
        )
        if not failed:
            return (checks,)
        failures = Table(
            f"What fails in {self.paper.file.title}",
            ("check", "place", "printed", "verdict", "why"),
            failed,
            (),
            align="left",
        )
        return checks, failures

    def to_markdown(self) -> str:
        """Return the table of checks, the failures, and the notes."""
        if not self.findings:
            reason = "The paper has no printed tables, so there is nothing to check."
            return markdown("\n\n".join((f"## {self.title}", reason, *self.notes)) + "\n")
        return "\n".join(table.to_markdown() for table in self.tables)

    def to_csv(self) -> str:
        """Return every finding as a line of CSV."""
        return csv_text(
            HEADER,
            [
                (key, *f.place, f.printed, f.verdict, f.p_value, f"{f.why}{_unless(f)}")
                for key, found in self.findings.items()
                for f in found
            ],
        )

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
    found = {check.key: check.judge(subject) for check in CHECKS}
    kept = {key: of_check.findings for key, of_check in found.items() if of_check.findings}
    judged, note = _together(kept)
    tables = [f"{table.name}: {table.words}." for table in subject.tables]
    notes = [note for of_check in found.values() for note in of_check.notes]
    return Audit(paper, judged, (*tables, *notes, *note))


def _together(
    findings: dict[str, tuple[Finding, ...]],
) -> tuple[dict[str, tuple[Finding, ...]], tuple[str, ...]]:
    """Judge all statistical tests together, and count those that fail by themselves."""
    p_values = [f.p_value for found in findings.values() for f in found if f.p_value is not None]
    if not p_values:
        return findings, ()
    adjusted = holm(p_values)
    # Equal p-values are adjusted alike.
    holds = {p: q > LEVEL for p, q in zip(p_values, adjusted, strict=True)}
    judged = {
        key: tuple(f if f.p_value is None else replace(f, holds=holds[f.p_value]) for f in found)
        for key, found in findings.items()
    }
    alone = sum(p <= LEVEL for p in p_values)
    together = sum(q <= LEVEL for q in adjusted)
    note = (
        f"Of {len(p_values)} statistical tests {alone} have p ≤ {LEVEL:g}; chance alone gives up "
        f"to {LEVEL * len(p_values):.1f}. Counted as failures: {together}, which fail among all "
        "tests together (Holm)."
    )
    return judged, (note,)


def _numbers(found: tuple[Finding, ...]) -> list[str]:
    counts = Counter(finding.verdict for finding in found)
    judged = [counts[key] for key in ("holds", "fails", "fails unless")]
    return [str(n) for n in (sum(judged), *judged, counts["cannot be judged"])]


def _unjudged(findings: dict[str, tuple[Finding, ...]]) -> list[str]:
    """Return why findings cannot be judged, with counts."""
    notes = []
    for key, found in findings.items():
        reasons = Counter(finding.why for finding in found if finding.holds is None)
        if reasons:
            text = "; ".join(f"{why} ({n})" for why, n in reasons.items())
            notes.append(f"{key}, cannot be judged: {text}.")
    return notes


def _unless(finding: Finding) -> str:
    return f"; unless {finding.unless}" if finding.verdict == "fails unless" else ""


def _where(finding: Finding) -> str:
    return ", ".join(filter(None, finding.place))
