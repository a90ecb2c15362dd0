"""What a paper's text claims, recomputed from our cells and from its printed table.

A claim is judged twice and the two judgements stand side by side: a claim that does not follow
from the paper's own numbers is a finding, not something to bend a test for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from quadrepro.config.loading import Experiment
from quadrepro.learners.registry import ALGORITHMS
from quadrepro.papers.printed import Published
from quadrepro.report.cbboost_claims import CBBOOST_CLAIMS, cbboost_table
from quadrepro.report.claim import (
    HEADER,
    NOT_COMPARABLE,
    UNKNOWN,
    Claim,
    Judgement,
    in_words,
    not_comparable,
)
from quadrepro.report.ebboost_claims import EBBOOST, ebboost_table
from quadrepro.report.kinds.risks import TIME_ROW
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.rescale_claims import RESCALE_CLAIMS, rescale_table
from quadrepro.report.table import Entry, Table
from quadrepro.report.theory_claims import THEORY_CLAIMS, theory_table
from quadrepro.stats import sign_test

Maker = Callable[[Experiment, Outcomes, Published], Table]
"""Makes the claims table from records and the printed risks."""


@dataclass(frozen=True)
class Risks:
    """Risks and running times to judge claims on: one split of ours, or the printed table.

    Attributes
    ----------
    rows : tuple of str
        Data sets.
    risks : dict of str to list of float
        Risks of each algorithm, one a data set.
    seconds : dict of str to float
        Mean running time of each algorithm.
    """

    rows: tuple[str, ...]
    risks: dict[str, list[float]]
    seconds: dict[str, float]


def _wins_or_ties(a: str, b: str, least: int) -> Callable[[Risks], Judgement]:
    def judge(risks: Risks) -> Judgement:
        test = sign_test(risks.risks[a], risks.risks[b])
        count = test.wins + test.ties
        text = f"{count} of {len(risks.rows)} ({test.wins} wins, {test.ties} ties)"
        return text, count >= least

    return judge


def _faster(a: str, b: str, times: float) -> Callable[[Risks], Judgement]:
    def judge(risks: Risks) -> Judgement:
        if risks.seconds[a] <= 0:
            return UNKNOWN
        ratio = risks.seconds[b] / risks.seconds[a]
        return f"{ratio:.3g} times as fast", ratio >= times

    return judge


def _significant_pairs(claimed: tuple[tuple[str, str], ...]) -> Callable[[Risks], Judgement]:
    def judge(risks: Risks) -> Judgement:
        found = {}
        for a in risks.risks:
            for b in risks.risks:
                test = sign_test(risks.risks[a], risks.risks[b])
                if a != b and test.significant and test.wins > test.losses:
                    found[a, b] = test.p_value
        text = "; ".join(
            f"{_label(a)} over {_label(b)} (p = {p:.3f})" for (a, b), p in found.items()
        )
        return text or "no pair", set(found) == set(claimed)

    return judge


def _better(a: str, b: str) -> Callable[[Risks], Judgement]:
    def judge(risks: Risks) -> Judgement:
        test = sign_test(risks.risks[a], risks.risks[b])
        text = f"{test.wins} wins, {test.losses} losses, {test.ties} ties, p = {test.p_value:.3f}"
        return text, test.significant and test.wins > test.losses

    return judge


def _label(name: str) -> str:
    return ALGORITHMS[name].label


_CLAIMED_PAIRS = (
    ("quadboost-linf", "quadboost"),
    ("quadboost-l2", "quadboost"),
    ("quadboost-l2", "quadboost-l1"),
)
_ALL = ("quadboost-l1", "quadboost-l2", "quadboost-linf", "quadboost", "lpboost", "adaboost")

QUADBOOST: tuple[Claim[Risks], ...] = (
    Claim(
        "QuadBoost wins or ties against AdaBoost on 17 of 25 data sets",
        ("quadboost", "adaboost"),
        _wins_or_ties("quadboost", "adaboost", 17),
    ),
    Claim(
        "QuadBoost-L1 outperforms or ties with LPBoost on 16 of 25 data sets",
        ("quadboost-l1", "lpboost"),
        _wins_or_ties("quadboost-l1", "lpboost", 16),
    ),
    *(
        Claim(
            f"{_label(a)} is significantly better than {_label(b)} (sign test)",
            (a, b),
            _better(a, b),
        )
        for a, b in _CLAIMED_PAIRS
    ),
    Claim(
        "These three pairs are significant and no other (sign test)",
        _ALL,
        _significant_pairs(_CLAIMED_PAIRS),
    ),
    Claim(
        "QuadBoost is 20 times faster than AdaBoost",
        ("quadboost", "adaboost"),
        _faster("quadboost", "adaboost", 20),
        timed=True,
    ),
    Claim(
        "QuadBoost-L1 is 20 times faster than LPBoost",
        ("quadboost-l1", "lpboost"),
        _faster("quadboost-l1", "lpboost", 20),
        timed=True,
    ),
)


def claims_table(experiment: Experiment, outcomes: Outcomes, published: Published) -> Table:
    """Return the claims with both judgements.

    Parameters
    ----------
    experiment : Experiment
        Names the claims.
    outcomes : Outcomes
        The records; with several repeats a claim is judged on each.
    published : Published
        The printed table of risks.

    Returns
    -------
    Table
        Ours and printed, each with numbers and a judgement.
    """
    return _TABLES[experiment.config.tables["claims"]](experiment, outcomes, published)


def _quadboost_table(experiment: Experiment, outcomes: Outcomes, published: Published) -> Table:
    names = {d.title: d.name for d in experiment.config.entries}
    whole = tuple(row for row in published.rows if row != TIME_ROW)
    comparable = sorted(names.values()) == sorted(whole)
    printed = _printed(published, tuple(names.values()))
    rows = []
    for claim in QUADBOOST:
        ours_text, ours = _over_repeats(claim, outcomes)
        print_text, prints = _judged(claim, printed)
        if not comparable:
            ours = prints = NOT_COMPARABLE
        rows.append((claim.label, tuple(Entry(t) for t in (ours_text, ours, print_text, prints))))
    notes = [] if comparable else [not_comparable(len(whole), len(names))]
    if outcomes.repeats > 1:
        notes.append(
            "Ours: the first split's numbers, and on how many of the splits the claim holds."
        )
    return Table(
        f"{experiment.config.title}: claims",
        HEADER,
        tuple(rows),
        tuple(notes),
        align="left",
    )


def _over_repeats(claim: Claim[Risks], outcomes: Outcomes) -> tuple[str, str]:
    judged = [_judged(claim, _ours(outcomes, r)) for r in range(outcomes.repeats)]
    text, word = judged[0]
    if outcomes.repeats == 1 or claim.timed:
        return text, word
    held = sum(word == "holds" for _, word in judged)
    return text, f"holds on {held} of {outcomes.repeats} splits"


def _judged(claim: Claim[Risks], risks: Risks) -> tuple[str, str]:
    if any(name not in risks.risks or name not in risks.seconds for name in claim.needs):
        return in_words(UNKNOWN)
    return in_words(claim.judge(risks))


def _ours(outcomes: Outcomes, repeat: int) -> Risks:
    records = {
        c: [outcomes.records[row, c, repeat] for row in outcomes.rows] for c in outcomes.columns
    }
    whole = [c for c, of_column in records.items() if all(record.ok for record in of_column)]
    return Risks(
        outcomes.rows,
        {c: [record.risk for record in records[c]] for c in whole},
        {c: seconds for c in whole if (seconds := outcomes.mean_seconds(c)) is not None},
    )


def _printed(published: Published, names: tuple[str, ...]) -> Risks:
    risks: dict[str, list[float]] = {}
    seconds: dict[str, float] = {}
    for column in published.columns:
        numbers = [published.number(name, column) for name in names]
        present = [n for n in numbers if n is not None]
        time = published.number(TIME_ROW, column)
        if len(present) == len(numbers) and time is not None:
            risks[column], seconds[column] = present, time
    return Risks(names, risks, seconds)


def _alone(make: Callable[[Experiment, Outcomes], Table]) -> Maker:
    """Let a table that needs no printed risks be made as QuadBoost's is."""
    return lambda experiment, outcomes, published: make(experiment, outcomes)


_GROUPS: tuple[tuple[dict[str, tuple[Claim[Any], ...]], Maker], ...] = (
    ({"quadboost": QUADBOOST}, _quadboost_table),
    ({"ebboost": EBBOOST}, _alone(ebboost_table)),
    (CBBOOST_CLAIMS, _alone(cbboost_table)),
    (RESCALE_CLAIMS, _alone(rescale_table)),
    (THEORY_CLAIMS, _alone(theory_table)),
)
"""The claims of a paper by the names that configs give them, and how their table is made."""

CLAIMS = {name: claims for group, _ in _GROUPS for name, claims in group.items()}

_TABLES = {name: make for group, make in _GROUPS for name in group}
