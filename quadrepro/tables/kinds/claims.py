"""Claims of the paper, judged on our cells and on its printed table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.claims.claim import Claim, InPrint, Judgement, Lacking, NotInConfig, Ours
from quadrepro.papers.paper import Group, Paper
from quadrepro.stats import LEVEL
from quadrepro.tables.from_paper import check_claims
from quadrepro.tables.kinds import Context, Kind, Made
from quadrepro.tables.render import MINUS, CsvField, words

MEANING = (
    "Supported: a test finds it (level 0.05), or it is about these very numbers and true of them. "
    "Agrees: the numbers agree, but no test finds it. Undecided: they say neither. Disagrees and "
    "refuted: the same for the contrary. In brackets: intervals of probability 0.9, over splits "
    "(corrected for their overlap) or over rows. Power 0.8 at x: the test finds x with probability "
    "0.8."
)

HEADER = ("claim", "ours", "judgement", "printed table", "judgement on it")
DATA_HEADER = ("claim", "timed", "ours", "judgement", "printed", "judgement on print")

_HYPHEN = re.compile(r"(?<![\w.])-(?=\d)")
"""The sign of a negative number in a sentence."""

JudgedClaim = tuple[Claim, list[Judgement]]
"""A claim, judged on our numbers and, if there are any for it, on the printed ones."""


def make_claims(context: Context[str], outcomes: Outcomes) -> Made:
    """Judgements on claims of the paper: the name of their group."""
    paper = context.experiment.paper
    assert paper is not None
    group = paper.group(context.option)
    judged, rows, data, timed = list[JudgedClaim](), [], list[tuple[CsvField, ...]](), list[str]()
    if n_rows := _rows_of_paper(context, paper, group):
        about = f"The paper's {len(group.claims)} claims are about {n_rows} data sets"
        notes = [f"{about}; here are {len(outcomes.rows)}, so nothing is judged."]
    else:
        judged = [*_judge(context, outcomes, paper, group)]
        notes = [*_notes(outcomes, group, judged), *paper.file.notes, *group.notes]
    for claim, judgements in judged:
        texts = [_HYPHEN.sub(MINUS, text) for judgement in judgements for text in judgement]
        rows.append((claim.label, words(texts)))
        not_printed = [""] * (4 - len(texts))
        data.append((claim.text, str(claim.timed).lower(), *texts, *not_printed))
        timed += [claim.label, claim.text] if claim.timed else []
    header = HEADER if group.printed else HEADER[:3]
    table = context.table("claims", header, rows, notes, DATA_HEADER, data)
    return Made(replace(table, align="left", timed_rows=tuple(timed)))


def _rows_of_paper(context: Context[str], paper: Paper, group: Group) -> int:
    """Return the number of printed rows if ours are others; otherwise 0."""
    if not group.printed:
        return 0
    table = paper.printed(group.printed[0])
    rows = [table.row_of(row.item.printed_names) or "" for row in context.config.rows]
    return 0 if sorted(rows) == sorted(table.rows) else len(table.rows)


def _judge(
    context: Context[str], outcomes: Outcomes, paper: Paper, group: Group
) -> Iterator[JudgedClaim]:
    """Judge those claims of a group that are about rows and algorithms of the config."""
    names, tables = paper.file.names, tuple(map(context.printed, group.printed))
    errors = [table for table in tables if table.facts.holds == "errors"]
    judged = context.judged(outcomes, errors[0]) if errors else outcomes
    ours = Ours(outcomes.rows, names, outcomes if judged is None else judged)
    in_print = InPrint(outcomes.rows, names, tables) if tables else None
    for claim in group.claims:
        try:
            judgement = claim.judged_on(ours, absent=False)
        except NotInConfig:
            continue
        if judged is None:
            reason = f"the config does not ask for metrics: [{errors[0].facts.metric}]"
            judgement = Judgement(reason, "undecided")
        elif group.judged == "splits":
            judgement = _on_splits(claim, ours, judgement)
        if group.also is not None:
            other = claim.judged_on(replace(ours, instead=group.also.measure))
            text = f"{judgement.text}; {group.also.words}: {other.text}"
            judgement = judgement._replace(text=text)
        printed = [claim.judged_on(in_print)] if in_print else []
        yield claim, [judgement, *printed]


def _on_splits(claim: Claim, ours: Ours, pooled: Judgement) -> Judgement:
    """Judge a claim of one split on all of ours together, and on each alone.

    The paper's split is one like ours: if at most 5% of such splits do not show the claim, that
    supports it as a test on all splits together does, and if at most 5% show it, that refutes it.
    Where the two contradict each other, it is undecided; where neither finds anything, most splits
    agree or disagree.
    """
    repeats = ours.outcomes.repeats
    if repeats == 1 or claim.timed:
        return pooled
    splits = [ours.on_split(i).over(claim.rows, claim.excluded) for i in range(repeats)]
    try:
        words_of_splits = [claim.judge(split).word for split in splits]
    except Lacking:
        return pooled
    if "undecided" in words_of_splits:
        return pooled
    n = words_of_splits.count("supported")
    text = pooled.text + f"; {n} of {repeats} single splits show it"
    rare = LEVEL * (repeats + 1)
    findings = {pooled.word} & {"supported", "refuted"}
    findings |= {"supported"} if repeats - n + 1 <= rare else set()
    findings |= {"refuted"} if n + 1 <= rare else set()
    if len(findings) == 1:
        return Judgement(text, findings.pop())
    if findings or 2 * n == repeats:
        return Judgement(text, "undecided")
    return Judgement(text, "agrees" if 2 * n > repeats else "disagrees")


def _notes(outcomes: Outcomes, group: Group, judged: Sequence[JudgedClaim]) -> Iterator[str]:
    if left := len(group.claims) - len(judged):
        n = len(group.claims)
        yield f"Left out: claims about data sets or algorithms that are not here ({left} of {n})."
    if group.judged == "splits" and outcomes.repeats > 1:
        yield (
            "Ours: the means over all splits, and the number of single splits, such as the one of "
            "the paper, that show the claim."
        )
    yield MEANING


CLAIMS = Kind(str, make_claims, lambda context: check_claims(context.experiment, context.option))
