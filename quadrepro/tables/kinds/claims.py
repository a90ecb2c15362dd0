"""What a paper claims, judged on our cells and on its printed table."""

from __future__ import annotations

from dataclasses import dataclass, replace

from quadrepro.config.config import Experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.claims.claim import Claim, Judgement, Undecided
from quadrepro.papers.claims.evidence import Evidence, InPrint, Lacking, Ours
from quadrepro.papers.paper import Also, Group, Paper
from quadrepro.tables.kinds.base import Context, TableKind
from quadrepro.tables.printed import check_claims
from quadrepro.tables.table import Table, TableEntry

WORDS = {True: "holds", False: "does not hold", None: "not comparable"}
"""What the tables say of a judgement."""


UNDECIDED = "cannot be judged"
"""What they say if all numbers are there and do not decide."""


HEADER = ("claim", "ours", "holds", "printed table", "holds in print")


DATA_HEADER = ("claim", "timed", "ours", "holds", "printed", "holds in print")


@dataclass(frozen=True)
class Judged:
    """A claim with its judgements."""

    claim: Claim
    """What was claimed."""
    ours: Judgement
    """On our numbers; of the first split if each was judged."""
    printed: Judgement | None = None
    """On the printed numbers; None if there are none for these claims."""
    held: tuple[int, int] | None = None
    """On how many of how many splits it holds, if each was judged; `ours.holds` is then that of the
    first."""

    @property
    def verdict(self) -> str:
        """What the table for reading says of ours."""
        if self.held is None:
            return _word(self.ours)
        return "holds on {} of {} splits".format(*self.held)

    @property
    def in_print(self) -> tuple[str, ...]:
        """What both tables say of the printed numbers; empty if there are none."""
        return () if self.printed is None else (self.printed.text, _word(self.printed))

    @property
    def data(self) -> tuple[str, ...]:
        """The row of the table for programs."""
        held = _word(self.ours) if self.held is None else "{} of {}".format(*self.held)
        timed = "true" if self.claim.timed else "false"
        return (self.claim.text, timed, self.ours.text, held, *(self.in_print or ("", "")))


def judge_claims(experiment: Experiment, outcomes: Outcomes, name: str) -> tuple[Judged, ...]:
    """Judge a group of claims of the paper."""
    paper, group = _asked(experiment, name)
    names = paper.file.names
    ours = Ours(outcomes.rows, names, outcomes)
    numbers = [row for row, task in experiment.tasks.items() if task == "regression"]
    tables = [
        paper.printed(name).under(experiment.config.entries).in_unit("percent", numbers)
        for name in group.printed
    ]
    in_print = InPrint(outcomes.rows, names, tuple(tables)) if tables else None
    comparable = rows_of_paper(experiment, outcomes, name) is None
    found = []
    for claim in group.claims:
        judged = _on_ours(claim, ours, each_split=group.entry.judged == "splits")
        text = judged.ours.text + _also(claim, group.entry.also, ours)
        printed = None if in_print is None else judged_on(claim, in_print)
        judged = replace(judged, ours=judged.ours._replace(text=text), printed=printed)
        found.append(judged if comparable else _open(judged))
    return tuple(found)


def claims_table(experiment: Experiment, outcomes: Outcomes, name: str) -> Table:
    """Return the table of a group of claims of the paper."""
    paper, group = _asked(experiment, name)
    found = judge_claims(experiment, outcomes, name)
    words = [(of.claim.label, (of.ours.text, of.verdict, *of.in_print)) for of in found]
    return Table(
        f"{experiment.config.title}: claims",
        HEADER if group.printed else HEADER[:3],
        tuple((label, tuple(map(TableEntry, texts))) for label, texts in words),
        _notes(experiment, outcomes, paper, group, name),
        DATA_HEADER,
        tuple(judged.data for judged in found),
        align="left",
        timed_rows=tuple(
            name
            for judged in found
            if judged.claim.timed
            for name in (judged.claim.label, judged.claim.text)
        ),
    )


def rows_of_paper(experiment: Experiment, outcomes: Outcomes, name: str) -> int | None:
    """Return how many rows the claims speak of if they are not those here, or None if they are."""
    paper, group = _asked(experiment, name)
    if not group.printed:
        return None
    table = paper.printed(group.printed[0])
    entries = [e for e in experiment.config.entries if e.title in outcomes.rows]
    here = [table.row_of(entry) or "" for entry in entries]
    return None if sorted(here) == sorted(table.rows) else len(table.rows)


def _asked(experiment: Experiment, name: str) -> tuple[Paper, Group]:
    assert experiment.paper is not None
    return experiment.paper, experiment.paper.group(name)


def judged_on(claim: Claim, evidence: Evidence) -> Judgement:
    """Return the judgement on a claim, also where numbers are missing."""
    try:
        return claim.judge(evidence.over(claim.rows, claim.excluded))
    except Lacking as lacking:
        return Judgement(str(lacking), None)


def _on_ours(claim: Claim, ours: Ours, *, each_split: bool) -> Judged:
    """Judge a claim on the means, or on each split; times are always means."""
    repeats = ours.outcomes.repeats
    if not each_split or claim.timed:
        return Judged(claim, judged_on(claim, ours))
    judged = [judged_on(claim, ours.of_split(repeat)) for repeat in range(repeats)]
    known = [judgement.holds for judgement in judged if judgement.holds is not None]
    if repeats == 1 or not known:
        return Judged(claim, judged[0])
    return Judged(claim, judged[0], held=(sum(known), repeats))


def _also(claim: Claim, also: Also | None, ours: Ours) -> str:
    """Return what is said of a claim on another measure."""
    if also is None:
        return ""
    evidence = replace(ours, instead=also.measure)
    return f"; {also.words}: {judged_on(claim, evidence).text}"


def _open(judged: Judged) -> Judged:
    """Return a claim with its numbers and without its verdicts."""
    printed = judged.printed and Judgement(judged.printed.text, None)
    return Judged(judged.claim, Judgement(judged.ours.text, None), printed)


def _word(judgement: Judgement) -> str:
    return UNDECIDED if isinstance(judgement, Undecided) else WORDS[judgement.holds]


def _notes(
    experiment: Experiment, outcomes: Outcomes, paper: Paper, group: Group, name: str
) -> tuple[str, ...]:
    notes = []
    if (of_paper := rows_of_paper(experiment, outcomes, name)) is not None:
        here = len(outcomes.rows)
        notes.append(
            f"The claims speak of {of_paper} data sets; here are {here}, so nothing is judged."
        )
    if group.entry.judged == "splits" and outcomes.repeats > 1:
        notes.append(
            "Ours: the first split's numbers, and on how many of the splits the claim holds."
        )
    return (*notes, *paper.file.notes, *group.entry.notes)


class ClaimsKind(TableKind[str]):
    """Judgements on a group of claims."""

    key, option = "claims", str
    meaning = "Judgements on claims of the paper: the name of their group."
    endings = (".md", ".csv")

    def check(self, context: Context[str]) -> None:
        """Refuse claims that are not there or do not fit the config."""
        check_claims(context.experiment, context.option)

    def table(self, context: Context[str], outcomes: Outcomes) -> Table:
        """Return the table of judgements."""
        return claims_table(context.experiment, outcomes, context.option)


CLAIMS = ClaimsKind()
