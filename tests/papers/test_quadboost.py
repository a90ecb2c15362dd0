from __future__ import annotations

from copy import deepcopy
from math import nan

import pytest

from quadrepro.engine.records import Record
from quadrepro.papers.claims.claim import Judgement
from quadrepro.papers.claims.evidence import NO_VALUES, InPrint
from quadrepro.papers.paper import load_paper
from quadrepro.tables.table import Table
from tests.papers.measured import (
    Cells,
    Judged,
    columns_of,
    failing,
    judge_measures,
    judged,
    load,
    ours,
    outcomes_of,
    rows_of,
    unknown,
)

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


def with_errors(config: str, *of_splits: int) -> Table:
    """Return the claims where QuadBoost has these errors of 1000 and all others 10."""
    experiment = load(config)

    def record(row: str, column: str, split: int) -> Record:
        errors = of_splits[split] if column == "quadboost" else 10
        return Record("k", "ok", errors, 1000, seconds=1.0)

    rows, columns = rows_of(experiment), columns_of(experiment)
    return judged(experiment, outcomes_of(rows, columns, len(of_splits), record))


def test_no_claim_is_judged_on_other_data_sets_than_the_papers() -> None:
    table = with_errors("quickstart", 9)
    assert table.rows == ()
    [note] = table.notes
    assert note.startswith("The paper's 8 claims are about 25 data sets; here are 5")


def test_repeats_show_on_how_many_splits_a_claim_holds() -> None:
    table = with_errors("table1", 9, 11, 10)
    found = ours(table)
    assert found[0] == (
        "25 of 25 (0 wins, 25 ties); 2 of 3 single splits show it",
        "holds",
    )
    assert found[1] == ("25 of 25 (0 wins, 25 ties); 3 of 3 single splits show it", "holds")
    assert found[2][0].startswith("0 wins, 0 losses, 25 ties, p = 1.000; power at 60, 70, 80% wins")
    assert found[2][0].endswith("; 1 of 3 single splits show it")
    assert found[2][1] == "not decided"
    # Times are means over all splits, and judged once.
    assert found[6] == ("1 times as fast [1, 1]; power 0.8 at 22 times", "does not hold")
    assert table.notes[0].startswith("Ours: the means over all splits, and on how many single")


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


def judge(cells: Cells, lost: tuple[str, str] | None = None) -> Judged:
    return judge_measures("quadboost-theory", cells, ROUNDS, lost=lost)


def test_quadboosts_theory_holds_where_every_inequality_does() -> None:
    least = "39 of 39 inequalities; smallest bound 0.9000, test error 0.2000 there (titanic, "
    theorem = (f"{least}QuadBoost, T = 1); the bound is below 1 in 9", "holds")
    assert judge(theory()) == [
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
    ("column", "measure", "value", "against", "text"),
    [
        (
            "quadboost-l1",
            "quadboost_theorem1_p1",
            0.2,
            0,
            "38 of 39 inequalities; not 0.25 ≤ 0.2 (",
        ),
        ("quadboost-l1", "quadboost_theorem1_p1", 0.2, 0, "QuadBoost-L1); smallest bound 0.2000"),
        ("quadboost-linf", "quadboost_theorem1_p2", 0.1, 1, "(monks, QuadBoost-L∞, T = 1)"),
        ("quadboost-l2", "quadboost_theorem1_pinf", 0.1, 2, "not 0.2 ≤ 0.1 (monks, QuadBoost-L2"),
        ("quadboost", "quadboost_lemma1_p2", 1.00001, 3, "1.000000 to 1.000010 over 19 votes"),
        ("quadboost", "quadboost_lemma1_pinf", 0.99999, 3, "0.999990 to 1.000000 over 19 votes"),
        ("quadboost", "rademacher_complexity", 0.2, 4, "0.2000 ≤ 0.1000 on monks"),
    ],
)
def test_one_vote_is_enough_against_the_theorem_and_the_lemma(
    column: str, measure: str, value: float, against: int, text: str
) -> None:
    cells = theory()
    cells["monks", column][measure][0] = value
    found = judge(cells)
    assert failing(found) == [against]
    assert text in found[against][0]


def test_the_theorem_is_open_without_one_of_the_variants() -> None:
    assert unknown(judge(theory(), lost=("monks", "quadboost-l1"))) == [0, 1, 2]


def test_votes_without_voters_or_solutions_are_no_evidence() -> None:
    cells = theory()
    for cell in cells.values():
        for measure in ("quadboost_lemma1_p2", "quadboost_lemma1_pinf", "quadboost_theorem1_p1"):
            cell[measure] = [nan] * len(cell[measure])
    open_ = [i for i, claim in enumerate(judge(cells)) if claim == (NO_VALUES, "not decided")]
    assert open_ == [0, 3]
