"""Small papers under audit, written to a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from quadrepro.papers.paper import load_paper
from quadrepro.tables.audit.subject import Finding, Subject

CONFIG = """title: Small
paper: ./paper
protocol:
  view: quadboost
datasets: [monks, wine]
algorithms:
  - {name: quadboost, grid: {n_rounds: [1, 10]}}
"""
FRACTION = "{unit: fraction}"

Judge = Callable[[Subject], Iterable[Finding | str]]


def subject(
    folder: Path, claims: str = "", config: str = CONFIG, facts: str = FRACTION, **tables: str
) -> Subject:
    """Write a paper with printed tables and facts on the table t, and return it.

    A further table is text with its facts in a first line.
    """
    paper = folder / "paper"
    (paper / "printed").mkdir(parents=True)
    lines = ["title: Small", "names: {a: A, b: B, quadboost: QuadBoost}", "printed:"]
    for name, content in tables.items():
        first, _, rest = content.partition("\n")
        of_table, text = (first, rest) if first.startswith("{") else (facts, content)
        lines.append(f"  {name}: {of_table}")
        (paper / "printed" / f"{name}.csv").write_text(text)
    (paper / "paper.yaml").write_text("\n".join([*lines, claims, ""]))
    (folder / "small.yaml").write_text(config)
    return Subject(load_paper("./paper", folder))


def shipped(name: str) -> Subject:
    """Return a paper that ships."""
    return Subject(load_paper(name))


def findings(judge: Judge, of: Subject) -> list[Finding]:
    """Return what a check finds."""
    return [found for found in judge(of) if isinstance(found, Finding)]


def notes(judge: Judge, of: Subject) -> list[str]:
    """Return the remarks of a check."""
    return [found for found in judge(of) if isinstance(found, str)]


def places(judge: Judge, of: Subject) -> dict[tuple[str, ...], bool | None]:
    """Return what a check says of each place."""
    return {tuple(finding.place): finding.holds for finding in findings(judge, of)}


def failures(judge: Judge, of: Subject) -> list[Finding]:
    """Return the findings that fail."""
    return [finding for finding in findings(judge, of) if finding.holds is False]
