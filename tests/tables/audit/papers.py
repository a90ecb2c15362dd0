"""Small papers under audit, written to a folder."""

from __future__ import annotations

from pathlib import Path

from quadrepro.papers.paper import load_paper
from quadrepro.tables.audit import audit
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
        has_facts = first.startswith("{")
        texts[name] = rest if has_facts else content
        lines.append(f"  {name}: {first if has_facts else facts}")
    write_paper(folder / "paper", "\n".join([*lines, claims, ""]), **texts)
    (folder / "small.yaml").write_text(config)
    return Subject(load_paper("./paper", folder))


def findings(check: str, audited: Subject) -> tuple[Finding, ...]:
    """Return the findings of a check of the audit."""
    return audit(audited.paper).findings.get(check, ())


def verdicts(check: str, audited: Subject) -> dict[str, bool | None]:
    """Return whether each printed number holds, by its place."""
    return {" ".join(filter(None, f.place)): f.holds for f in findings(check, audited)}
