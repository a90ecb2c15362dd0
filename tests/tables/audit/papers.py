"""Small papers under audit, written to a folder."""

from __future__ import annotations

from pathlib import Path

from quadrepro.papers.paper import load_paper
from quadrepro.tables.audit.report import audit
from quadrepro.tables.audit.subject import Finding, Subject
from tests.make import write_paper

CONFIG = """title: Small
paper: ./paper
protocol:
  view: quadboost
datasets: [monks, wine]
algorithms:
  - {name: quadboost, grid: {n_rounds: [1, 10]}}
"""
FRACTION = "{unit: fraction}"


def subject(
    folder: Path, claims: str = "", config: str = CONFIG, facts: str = FRACTION, **tables: str
) -> Subject:
    """Write a paper with printed tables and facts on the table t, and return it.

    A further table is text with its facts in a first line.
    """
    lines, texts = ["title: Small", "names: {a: A, b: B, quadboost: QuadBoost}", "printed:"], {}
    for name, content in tables.items():
        first, _, rest = content.partition("\n")
        of_table, texts[name] = (first, rest) if first.startswith("{") else (facts, content)
        lines.append(f"  {name}: {of_table}")
    write_paper(folder / "paper", "\n".join([*lines, claims, ""]), **texts)
    (folder / "small.yaml").write_text(config)
    return Subject(load_paper("./paper", folder))


def found(check: str, of: Subject) -> tuple[Finding, ...]:
    """Return what a check of the audit finds."""
    return audit(of.paper).findings.get(check, ())


def verdicts(check: str, of: Subject) -> dict[str, bool | None]:
    """Return whether what is printed holds, by its place."""
    return {" ".join(filter(None, f.place)): f.holds for f in found(check, of)}
