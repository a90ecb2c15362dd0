from __future__ import annotations

from copy import deepcopy
from math import nan

import pytest

from quadrepro.papers.claims.evidence import NO_VALUES
from tests.papers.measured import Cells, Judged, contradicted, judge_measures, unknown

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
        l1 = cells[row, "quadboost-l1"]
        cells[row, "quadboost-l1"] = {name: values[1:2] for name, values in l1.items()}
    return cells


def judge(cells: Cells, lost: tuple[str, str] | None = None) -> Judged:
    return judge_measures("quadboost-theory", cells, ROUNDS, lost=lost)


def test_quadboosts_theory_is_supported_where_every_inequality_holds() -> None:
    least = "39 of 39 inequalities; smallest bound 0.9000, test error 0.2000 there (titanic, "
    theorem = (f"{least}QuadBoost, T = 1); the bound is below 1 in 9", "supported")
    assert judge(theory()) == [
        theorem,
        theorem,
        theorem,
        ("1.000000 to 1.000000 over 18 votes", "supported"),
        (
            "0.0500 ≤ 0.1000 on titanic, 0.0500 ≤ 0.1000 on tictactoe, 0.0500 ≤ 0.1000 on monks",
            "supported",
        ),
    ]


@pytest.mark.parametrize(
    ("column", "measure", "value", "against", "text"),
    [
        ("quadboost-l1", "quadboost_theorem1_p1", 0.2, 0, "38 of 39 inequalities; not 0.25 ≤ 0.2"),
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
    judgements = judge(cells)
    assert contradicted(judgements) == [against]
    assert judgements[against][1] == "refuted"
    assert text in judgements[against][0]


def test_the_theorem_is_undecided_without_one_of_the_variants() -> None:
    assert unknown(judge(theory(), lost=("monks", "quadboost-l1"))) == [0, 1, 2]


def test_votes_without_voters_or_solutions_are_no_evidence() -> None:
    cells = theory()
    for cell in cells.values():
        for measure in ("quadboost_lemma1_p2", "quadboost_lemma1_pinf", "quadboost_theorem1_p1"):
            cell[measure] = [nan] * len(cell[measure])
    undecided = [i for i, claim in enumerate(judge(cells)) if claim == (NO_VALUES, "undecided")]
    assert undecided == [0, 3]
