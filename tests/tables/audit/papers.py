"""Small papers under audit, each in a folder of its own."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from quadrepro.papers.paper import load_paper
from quadrepro.tables.audit import Audit, audit
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
    claims: str = "", config: str = CONFIG, facts: str = FRACTION, **tables: str
) -> Subject:
    """Write a paper with printed tables and facts on the table t, and return it.

    A further table is text with its facts in a first line.
    """
    folder = Path(mkdtemp(dir=Path()))
    lines, texts = ["title: Small", "names: {a: A, b: B, quadboost: QuadBoost}", "printed:"], {}
    for name, content in tables.items():
        first, _, rest = content.partition("\n")
        has_facts = first.startswith("{")
        texts[name] = rest if has_facts else content
        lines.append(f"  {name}: {first if has_facts else facts}")
    write_paper(folder / "paper", "\n".join([*lines, claims, ""]), **texts)
    (folder / "small.yaml").write_text(config)
    return Subject(load_paper("./paper", folder))


def audit_of(**paper: Any) -> Audit:
    """Return the audit of a paper, given as to `subject`."""
    return audit(subject(**paper).paper)


def findings(check: str, **paper: Any) -> tuple[Finding, ...]:
    """Return the findings of a check on a paper."""
    return audit_of(**paper).findings.get(check, ())


def verdicts(check: str, **paper: Any) -> dict[str, bool | None]:
    """Return whether each printed number holds, by its place."""
    return {" ".join(filter(None, f.place)): f.holds for f in findings(check, **paper)}
