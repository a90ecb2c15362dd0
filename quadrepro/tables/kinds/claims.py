"""What a paper claims, judged on our cells and on its printed table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.claims.claim import Claim, Judgement
from quadrepro.papers.claims.evidence import Evidence, InPrint, Lacking, NotInConfig, Ours
from quadrepro.papers.paper import Group, Paper
from quadrepro.stats import LEVEL, p_text
from quadrepro.tables.kinds.base import Context, Kind, Made
from quadrepro.tables.printed import check_claims
from quadrepro.tables.table import Table, entry

WORDS = {True: "holds", False: "does not hold", None: "not decided"}
"""The words for a judgement."""

MEANING = (
    "Ours does not hold if a test refutes it (level 0.05), and is not decided if our numbers "
    "neither show nor refute it. In brackets: intervals of probability 0.9, over splits (corrected "
    "for their overlap) or over rows. Power 0.8 at x: the test finds x with probability 0.8."
)
"""Note below a table in which not every claim holds."""

HEADER = ("claim", "ours", "holds", "printed table", "holds in print")
DATA_HEADER = ("claim", "timed", "ours", "holds", "printed", "holds in print")


Judged = tuple[Claim, list[Judgement]]
"""A claim, judged on our numbers and, if there are any for it, on the printed ones."""


def claims_table(context: Context[str], outcomes: Outcomes) -> Table:
    """Return the table of a group of claims of the paper."""
    paper = context.experiment.paper
    assert paper is not None
    group = paper.group(context.option)
    found, rows, data, timed = list[Judged](), [], [], list[str]()
    if n_rows := _rows_of_paper(context, paper, group):
        about = f"The paper's {len(group.claims)} claims are about {n_rows} data sets"
        notes = [f"{about}; here are {len(outcomes.rows)}, so nothing is judged."]
    else:
        found = [*_judge(context, outcomes, paper, group)]
        notes = [*_notes(outcomes, group, found), *paper.file.notes, *group.notes]
    for claim, judgements in found:
        texts = [text for of in judgements for text in (of.text, WORDS[of.holds])]
        rows.append((claim.label, tuple(map(entry, texts))))
        not_printed = [""] * (4 - len(texts))
        data.append((claim.text, str(claim.timed).lower(), *texts, *not_printed))
        timed += [claim.label, claim.text] if claim.timed else []
    return Table(
        f"{context.config.title}: claims",
        HEADER if group.printed else HEADER[:3],
        tuple(rows),
        tuple(notes),
        DATA_HEADER,
        tuple(data),
        align="left",
        timed_rows=tuple(timed),
    )


def _rows_of_paper(context: Context[str], paper: Paper, group: Group) -> int:
    """Return how many rows the claims are about if they are not those here; 0 if they are."""
    if not group.printed:
        return 0
    table = paper.printed(group.printed[0])
    here = [table.row_of(entry.printed_names) or "" for entry in context.config.entries]
    return 0 if sorted(here) == sorted(table.rows) else len(table.rows)


def _judge(
    context: Context[str], outcomes: Outcomes, paper: Paper, group: Group
) -> Iterator[Judged]:
    """Judge those claims of a group that are about rows and algorithms of the config."""
    names, tables = paper.file.names, tuple(map(context.printed, group.printed))
    ours = Ours(outcomes.rows, names, outcomes)
    in_print = InPrint(outcomes.rows, names, tables) if tables else None
    for claim in group.claims:
        try:
            found = judged_on(claim, ours, absent=False)
        except NotInConfig:
            continue
        if group.judged == "splits":
            found = _on_splits(claim, ours, found)
        if group.also is not None:
            other = judged_on(claim, replace(ours, instead=group.also.measure))
            found = found._replace(text=f"{found.text}; {group.also.words}: {other.text}")
        printed = [judged_on(claim, in_print)] if in_print else []
        yield claim, [found, *printed]


def judged_on(claim: Claim, evidence: Evidence, absent: bool = True) -> Judgement:
    """Return the judgement on a claim, also where numbers are missing.

    If it may not be `absent`, NotInConfig is raised where the config has nothing it is about.
    """
    try:
        return claim.judge(evidence.over(claim.rows, claim.excluded))
    except Lacking as lacking:
        if isinstance(lacking, NotInConfig) and not absent:
            raise
        return Judgement(str(lacking), None)


def _on_splits(claim: Claim, ours: Ours, pooled: Judgement) -> Judgement:
    """Judge a claim of one split on all of ours together, and on how many of them it holds.

    It holds as well if a test finds that it does on more than half of the splits. It is refuted
    only if the splits together do so, and one that shows it would be rare among ours.
    """
    # scipy takes half a second to import.
    from scipy.special import bdtrc

    repeats = ours.outcomes.repeats
    if repeats == 1 or claim.timed:
        return pooled
    splits = [ours.of_split(i).over(claim.rows, claim.excluded) for i in range(repeats)]
    try:
        held = sum(claim.judge(split).holds is True for split in splits)
    except Lacking:
        return pooled
    text = pooled.text + f"; {held} of {repeats} single splits show it"
    if (p := float(bdtrc(held - 1, repeats, 0.5))) <= LEVEL:
        return Judgement(f"{text}, more than half of all ({p_text(p)})", True)
    if pooled.holds is False and held + 1 > LEVEL * (repeats + 1):
        return Judgement(text, None)
    return Judgement(text, pooled.holds)


def _notes(outcomes: Outcomes, group: Group, found: Sequence[Judged]) -> Iterator[str]:
    if left := len(group.claims) - len(found):
        here = f"{left} of {len(group.claims)}"
        yield f"Left out: claims about data sets or algorithms that are not here ({here})."
    if group.judged == "splits" and outcomes.repeats > 1:
        yield (
            "Ours: the means over all splits, and on how many single splits, such as that of the "
            "paper, the claim holds."
        )
    if any(ours.holds is not True for _, (ours, *_) in found):
        yield MEANING


CLAIMS: Kind[str] = Kind(
    "claims",
    str,
    "Judgements on claims of the paper: the name of their group.",
    lambda context, outcomes: Made(claims_table(context, outcomes)),
    lambda context: check_claims(context.experiment, context.option),
)
