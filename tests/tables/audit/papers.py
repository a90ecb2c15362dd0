"""Small papers under audit, written to a folder."""

from __future__ import annotations

import re
from pathlib import Path

from quadrepro.papers.paper import load_paper
from quadrepro.tables.audit.check import Check, Finding, Subject

CONFIG = """title: Small
paper: ./paper
protocol:
  view: quadboost
datasets: [monks, wine]
algorithms:
  - {name: quadboost, grid: {n_rounds: [1, 10]}}
"""


def subject(
    folder: Path, facts: str = "", claims: str = "", config: str = CONFIG, **tables: str
) -> Subject:
    """Write a paper with printed tables and facts on them, and return it."""
    paper = folder / "paper"
    (paper / "printed").mkdir(parents=True)
    text = "title: Small\nnames: {a: A, b: B, quadboost: QuadBoost}\n"
    for name, content in tables.items():
        fractions = (
            max(
                map(float, re.findall(r"(?<=,)[.\d]+", content.partition("\ncolumn_mean")[0])),
                default=0,
            )
            <= 1
            and "_mean" not in content.splitlines()[0]
        )
        if fractions and f"\n  {name}: {{" not in facts:
            facts += f"\n  {name}: {{unit: fraction}}"
        elif fractions and not re.search(rf"\n  {name}: .*(unit|holds)", facts):
            # At the end, so that places in the line stay.
            facts = re.sub(rf"(\n  {name}: .*)\}}", r"\1, unit: fraction}", facts)
    (paper / "paper.yaml").write_text(f"{text}{facts and f'printed:{facts}'}\n{claims}\n")
    for name, content in tables.items():
        (paper / "printed" / f"{name}.csv").write_text(content)
    (folder / "small.yaml").write_text(config)
    return Subject(load_paper("./paper", folder))


def shipped(name: str) -> Subject:
    """Return a paper that ships."""
    return Subject(load_paper(name))


def places(check: Check, of: Subject) -> dict[tuple[str, ...], bool | None]:
    """Return what a check says of each place."""
    return {tuple(finding.place): finding.holds for finding in check.judge(of).findings}


def failures(check: Check, of: Subject) -> list[Finding]:
    """Return the findings that fail."""
    return [finding for finding in check.judge(of).findings if finding.holds is False]
