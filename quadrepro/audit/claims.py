"""Whether the claims of a paper follow from its printed tables."""

from __future__ import annotations

from quadrepro.audit.check import Check, Finding, Found, Place
from quadrepro.audit.subject import Subject
from quadrepro.papers.claims.claim import Claim, Judgement
from quadrepro.papers.claims.evidence import InPrint, Lacking


def judge(subject: Subject) -> Found:
    """Judge every claim on what is printed."""
    paper, findings, others = subject.paper, [], 0
    for group in paper.groups.values():
        if not group.printed:
            others += len(group.claims)
            continue
        tables = tuple(map(paper.printed, group.printed))
        evidence = InPrint(tables[0].rows, paper.file.names, tables)
        for claim in group.claims:
            text, holds = _judged(claim, evidence)
            findings.append(Finding(Place(tables[0].name), claim.text, holds, text))
    about = f"claims: {others} are about nothing that is printed, so only our numbers judge them."
    return Found(tuple(findings), (about,) if others else ())


def _judged(claim: Claim, evidence: InPrint) -> Judgement:
    try:
        return claim.judge(evidence.over(claim.rows, claim.excluded))
    except Lacking as lacking:
        return Judgement(str(lacking), None)


CLAIMS = Check("claims", "Do the claims of the text follow from the printed numbers?", judge)
