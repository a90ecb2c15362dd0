from __future__ import annotations

from copy import deepcopy
from math import nan
from pathlib import Path

import pytest

from quadrepro.config.config import load_experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.papers.claims.claim import Judgement
from quadrepro.papers.claims.evidence import InPrint
from quadrepro.papers.paper import load_paper
from quadrepro.tables.kinds.claims import claims_table
from tests.papers.measured import CONFIGS, UNKNOWN, Cells, judge_measures

PAPER = load_paper("quadboost")
TABLE = PAPER.printed("table1")


def judged_in_print(position: int) -> Judgement:
    evidence = InPrint(TABLE.rows, PAPER.file.names, (TABLE,))
    return PAPER.groups["table1"].claims[position].judge(evidence)


@pytest.mark.parametrize(
    ("position", "numbers", "holds"),
    [
        (0, "17 of 25 (15 wins, 2 ties)", True),
        (1, "16 of 25 (11 wins, 5 ties)", True),
        (2, "p = 0.057", False),
        (3, "p = 0.238", False),
        (4, "p = 0.096", False),
        (5, "QuadBoost-L∞ over QuadBoost-L1 (p = 0.035)", False),
        (6, "20.4 times as fast", True),
        (7, "20.3 times as fast", True),
    ],
)
def test_the_printed_table_gives_each_claim_its_known_judgement(
    position: int, numbers: str, holds: bool
) -> None:
    text, judgement = judged_in_print(position)
    assert numbers in text
    assert judgement is holds


def test_the_printed_table_has_other_significant_pairs_than_claimed() -> None:
    text, _ = judged_in_print(5)
    for pair in ("over QuadBoost-L1 (p = 0.035)", "over LPBoost (p = 0.012)"):
        assert f"QuadBoost-L∞ {pair}" in text
    assert "QuadBoost-L∞ over AdaBoost (p = 0.011)" in text


def outcomes(config: Path, *of_splits: int) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    """Return verdicts and notes where QuadBoost has so many errors of 1000 and all others 10."""
    experiment = load_experiment(config)
    records = {
        (entry.title, a.name, split): Record(
            "k", "ok", errors if a.name == "quadboost" else 10, 1000, seconds=1.0
        )
        for entry in experiment.config.entries
        for a in experiment.config.algorithms
        for split, errors in enumerate(of_splits)
    }
    rows = tuple(entry.title for entry in experiment.config.entries)
    columns = tuple(a.name for a in experiment.config.algorithms)
    group = experiment.config.tables["claims"]
    table = claims_table(experiment, Outcomes(rows, columns, len(of_splits), records), group)
    return [(e[0].ours, e[1].ours) for _, e in table.rows], table.notes


def test_other_data_sets_than_the_papers_are_not_comparable() -> None:
    found, notes = outcomes(CONFIGS / "quickstart.yaml", 9)
    assert {verdict for _, verdict in found} == {"not comparable"}
    assert found[0][0] == "5 of 5 (5 wins, 0 ties)"
    assert notes == ("The claims speak of 25 data sets; here are 5, so nothing is judged.",)


def test_repeats_say_on_how_many_splits_a_claim_holds() -> None:
    found, notes = outcomes(CONFIGS / "table1.yaml", 9, 11, 10)
    assert found[0] == ("25 of 25 (25 wins, 0 ties)", "holds on 2 of 3 splits")
    assert found[1] == ("25 of 25 (0 wins, 25 ties)", "holds on 3 of 3 splits")
    assert found[2] == (
        "0 wins, 25 losses, 0 ties, p < 0.001",
        "holds on 1 of 3 splits",
    )
    # Times are means over all splits, and judged once.
    assert found[6] == ("1 times as fast", "does not hold")
    assert notes == (
        "Ours: the first split's numbers, and on how many of the splits the claim holds.",
    )


ROUNDS = {name: [1, 2, 3, 4] for name in ("quadboost", "quadboost-l2", "quadboost-linf")}


def theory() -> Cells:
    bounds = {f"quadboost_theorem1_p{p}": [0.9, 1.0, 1.1, 1.2] for p in ("1", "2", "inf")}
    cells: Cells = {}
    for row in ("titanic", "tictactoe", "monks"):
        for column in ("quadboost", "quadboost-l1", "quadboost-l2", "quadboost-linf"):
            cells[row, column] = {
                "test_error": [0.2, 0.25, 0.3, 0.35],
                **deepcopy(bounds),
                "rademacher_complexity": [0.05] * 4,
                "massart": [0.1] * 4,
                "quadboost_lemma1_p2": [nan, 1.0, 1.0, 1.0],
                "quadboost_lemma1_pinf": [nan, 1.0, 1.0, 1 + 1e-12],
            }
        of_l1 = cells[row, "quadboost-l1"]
        cells[row, "quadboost-l1"] = {name: values[1:2] for name, values in of_l1.items()}
    return cells


def judged(cells: Cells, lost: tuple[str, str] | None = None) -> list[tuple[str, str]]:
    return judge_measures("quadboost-theory", cells, ROUNDS, lost=lost)


def test_quadboosts_theory_holds_where_every_inequality_does() -> None:
    least = "39 of 39 inequalities; smallest bound 0.9000, test error 0.2000 there (titanic, "
    theorem = (f"{least}QuadBoost, T = 1); the bound is below 1 in 9", "holds")
    assert judged(theory()) == [
        theorem,
        theorem,
        theorem,
        ("1.000000 to 1.000000 over 18 votes", "holds"),
        (
            "0.0500 ≤ 0.1000 on titanic, 0.0500 ≤ 0.1000 on tictactoe, 0.0500 ≤ 0.1000 on monks",
            "holds",
        ),
    ]


@pytest.mark.parametrize(
    ("column", "measure", "value", "failing", "text"),
    [
        (
            "quadboost-l1",
            "quadboost_theorem1_p1",
            0.2,
            0,
            "38 of 39 inequalities; not 0.25 ≤ 0.2 (monks, QuadBoost-L1); smallest bound 0.2000",
        ),
        ("quadboost-linf", "quadboost_theorem1_p2", 0.1, 1, "(monks, QuadBoost-L∞, T = 1)"),
        ("quadboost-l2", "quadboost_theorem1_pinf", 0.1, 2, "not 0.2 ≤ 0.1 (monks, QuadBoost-L2"),
        ("quadboost", "quadboost_lemma1_p2", 1.00001, 3, "1.000000 to 1.000010 over 19 votes"),
        ("quadboost", "quadboost_lemma1_pinf", 0.99999, 3, "0.999990 to 1.000000 over 19 votes"),
        ("quadboost", "rademacher_complexity", 0.2, 4, "0.2000 ≤ 0.1000 on monks"),
    ],
)
def test_one_vote_is_enough_against_the_theorem_and_the_lemma(
    column: str, measure: str, value: float, failing: int, text: str
) -> None:
    cells = theory()
    cells["monks", column][measure][0] = value
    found = judged(cells)
    assert [i for i, (_, word) in enumerate(found) if word != "holds"] == [failing]
    assert text in found[failing][0]


def test_the_theorem_is_open_without_one_of_the_variants() -> None:
    found = judged(theory(), lost=("monks", "quadboost-l1"))
    assert [claim == UNKNOWN for claim in found] == [True, True, True, False, False]


def test_votes_without_voters_or_solutions_are_no_evidence() -> None:
    cells = theory()
    for cell in cells.values():
        for measure in ("quadboost_lemma1_p2", "quadboost_lemma1_pinf", "quadboost_theorem1_p1"):
            cell[measure] = [nan] * len(cell[measure])
    found = judged(cells)
    assert [claim == UNKNOWN for claim in found] == [True, False, False, True, False]
