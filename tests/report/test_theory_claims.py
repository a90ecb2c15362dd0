from __future__ import annotations

from copy import deepcopy
from math import nan
from pathlib import Path

import pytest

from quadrepro.config.loading import load_experiment
from quadrepro.engine.records import Record
from quadrepro.learners.grid import Grid
from quadrepro.papers.printed import read_published
from quadrepro.report.claims import claims_table
from quadrepro.report.outcomes import Outcomes

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
UNKNOWN = ("cells missing", "not comparable")

Measures = dict[str, list[float]]
Cells = dict[tuple[str, str], Measures]

N_EXAMPLES = {"interval_3": 3, "interval_60": 60, "wine": 178, "spambase": 4601}
EDGES = {"interval_3": 1 / 6, "interval_60": 1 / 6, "wine": 0.1, "spambase": 0.0}
ROUNDS = {
    "adaboost": [1, 2, 3, 4],
    "hedge": [1, 200, 2000, 5000],
    "quadboost": [1, 2, 3, 4],
    "quadboost-l2": [1, 2, 3, 4],
    "quadboost-linf": [1, 2, 3, 4],
}


def lecture() -> Cells:
    cells: Cells = {}
    for row in N_EXAMPLES:
        cells[row, "adaboost"] = {
            "train_error": [1 / 3, 1 / 3, 0, 0],
            "adaboost_product_bound": [0.9, 0.8, 0.6, 0.5],
            "adaboost_exponential_bound": [0.95, 0.9, 0.85, 0.8],
        }
        wrong = 1.0 if row == "spambase" else 0.0
        cells[row, "hedge"] = {
            "train_error": [0.3, 0.2, wrong, wrong],
            "weak_edge": [EDGES[row]] * 4,
        }
        cells[row, "quadboost"] = {
            "train_error": [1 / 3, 1 / 3, 0, 0],
            "quadratic_risk": [8 / 9, 0.7, 0.3, 0.2],
            "quadboost_quadratic_bound": [8 / 9, 0.8, 0.7, 0.9],
        }
    for row in ("interval_3", "interval_60"):
        cells[row, "hedge"]["train_error"] = [1 / 3, 0, 0, 0]
    return cells


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


def judged(name: str, cells: Cells, lost: tuple[str, str] | None = None) -> list[tuple[str, str]]:
    """Return numbers and judgement of every claim on records with these measures."""
    records, grids = {}, {}
    for (row, column), measures in cells.items():
        axes = {"n_rounds": ROUNDS[column]} if column in ROUNDS else {"lam": [0.01]}
        grids[row, column, 0] = (Grid.of(axes),)
        n_test = N_EXAMPLES.get(row, 100)
        record = Record("k", "ok", 0, n_test, measures=measures)
        records[row, column, 0] = Record("k", "missing") if (row, column) == lost else record
    rows, columns = (tuple(dict.fromkeys(key[i] for key in cells)) for i in (0, 1))
    experiment = load_experiment(CONFIGS / f"{name}.yaml")
    table = claims_table(experiment, Outcomes(rows, columns, 1, records, grids), read_published(""))
    assert table.header == ("claim", "ours", "holds")
    return [(entries[0].ours, entries[1].ours) for _, entries in table.rows]


def test_the_lectures_claims_hold_where_every_inequality_does() -> None:
    # 4 ln(3) 36 = 158.2, 4 ln(60) 36 = 589.6, 4 ln(178) 100 = 2072.7.
    assert judged("lecture", lecture()) == [
        ("least error 0.3333", "holds"),
        (
            "AdaBoost's error after 3 rounds 0.0000 on interval_3, 0.0000 on interval_60",
            "holds",
        ),
        ("γ = 0.1667 on interval_3, γ = 0.1667 on interval_60", "holds"),
        ("32 of 32 inequalities", "holds"),
        (
            "interval_3 T = 159, first without error at 200; interval_60 T = 590, first without "
            "error at 200; wine T = 2073, first without error at 2000",
            "holds",
        ),
        ("16 of 16 inequalities", "holds"),
        ("16 of 16 inequalities", "holds"),
    ]


@pytest.mark.parametrize(
    ("row", "column", "measure", "place", "value", "failing", "text"),
    [
        ("interval_3", "adaboost", "train_error", 0, 0.3, 0, "least error 0.3000"),
        ("interval_60", "adaboost", "train_error", 2, 0.1, 1, "0.1000 on interval_60"),
        ("interval_60", "hedge", "weak_edge", 0, 0.16, 2, "γ = 0.1600 on interval_60"),
        (
            "wine",
            "adaboost",
            "train_error",
            3,
            0.51,
            3,
            "31 of 32 inequalities; not 0.51 ≤ 0.5 (wine, AdaBoost, T = 4)",
        ),
        (
            "wine",
            "adaboost",
            "adaboost_product_bound",
            1,
            0.91,
            3,
            "not 0.91 ≤ 0.9 (wine, AdaBoost",
        ),
        (
            "wine",
            "adaboost",
            "adaboost_exponential_bound",
            3,
            1e-12,
            3,
            "not 0.5 ≤ 1e-12 (wine, AdaBoost",
        ),
        ("wine", "hedge", "train_error", 3, 0.01, 4, "wine T = 2073, first without error at 2000"),
        ("interval_3", "hedge", "train_error", 1, 0.1, 4, "interval_3 T = 159, first without"),
        (
            "wine",
            "quadboost",
            "quadboost_quadratic_bound",
            3,
            0.19,
            5,
            "15 of 16 inequalities; not 0.2",
        ),
        ("wine", "quadboost", "train_error", 2, 0.4, 6, "15 of 16 inequalities; not 0.4 ≤ 0.3"),
    ],
)
def test_one_number_on_the_wrong_side_is_enough_against_its_claim_alone(
    row: str, column: str, measure: str, place: int, value: float, failing: int, text: str
) -> None:
    cells = lecture()
    cells[row, column][measure][place] = value
    found = judged("lecture", cells)
    assert [i for i, (_, word) in enumerate(found) if word != "holds"] == [failing]
    assert text in found[failing][0]
    assert found[failing][1] == "does not hold"


def test_rounding_is_allowed_for() -> None:
    cells = lecture()
    cells["wine", "quadboost"]["quadboost_quadratic_bound"][0] -= 1e-10
    cells["interval_3", "adaboost"]["train_error"][0] -= 1e-10
    cells["interval_3", "hedge"]["weak_edge"][0] -= 1e-10
    assert {word for _, word in judged("lecture", cells)} == {"holds"}


def test_bounds_far_below_the_rounding_are_still_compared() -> None:
    cells = lecture()
    cells["wine", "adaboost"]["adaboost_product_bound"][3] = 2e-12
    cells["wine", "adaboost"]["adaboost_exponential_bound"][3] = 1e-12
    assert judged("lecture", cells)[3] == (
        "31 of 32 inequalities; not 2e-12 ≤ 1e-12 (wine, AdaBoost, T = 4)",
        "does not hold",
    )


def test_the_experts_are_not_judged_before_their_number_of_rounds() -> None:
    cells = lecture()
    cells["wine", "hedge"]["weak_edge"] = [0.05] * 4
    text, word = judged("lecture", cells)[4]
    assert text.endswith("wine T = 8291, beyond the rounds here, first without error at 2000")
    assert word == "not comparable"
    cells["interval_3", "hedge"]["train_error"] = [0.1] * 4
    text, word = judged("lecture", cells)[4]
    assert text.startswith("interval_3 T = 159, first without error never")
    assert word == "does not hold"


def test_the_experts_are_not_judged_without_an_edge() -> None:
    cells = {key: cell for key, cell in lecture().items() if key[0] == "spambase"}
    assert judged("lecture", cells)[4] == ("no row has an edge", "not comparable")


def test_a_missing_cell_leaves_the_claims_on_other_rows_judged() -> None:
    found = judged("lecture", lecture(), lost=("wine", "adaboost"))
    assert [i for i, claim in enumerate(found) if claim == UNKNOWN] == [3]


def test_claims_on_both_intervals_are_open_without_one_of_them() -> None:
    cells = {key: cell for key, cell in lecture().items() if key[0] != "interval_60"}
    found = judged("lecture", cells)
    assert [i for i, claim in enumerate(found) if claim == UNKNOWN] == [1, 2]


def test_claims_on_a_round_are_open_where_it_was_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ROUNDS, "adaboost", [2, 4, 5, 6])
    found = judged("lecture", lecture())
    assert [i for i, claim in enumerate(found) if claim == UNKNOWN] == [0, 1]


def test_a_measure_that_is_not_kept_leaves_its_claims_open() -> None:
    cells = lecture()
    for row in N_EXAMPLES:
        del cells[row, "quadboost"]["quadboost_quadratic_bound"]
    found = judged("lecture", cells)
    assert [i for i, claim in enumerate(found) if claim == UNKNOWN] == [5]


def test_quadboosts_theory_holds_where_every_inequality_does() -> None:
    least = "39 of 39 inequalities; smallest bound 0.9000, test error 0.2000 there (titanic, "
    theorem = (f"{least}QuadBoost, T = 1); the bound is below 1 in 9", "holds")
    assert judged("quadboost-theory", theory()) == [
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
    found = judged("quadboost-theory", cells)
    assert [i for i, (_, word) in enumerate(found) if word != "holds"] == [failing]
    assert text in found[failing][0]


def test_the_theorem_is_open_without_one_of_the_variants() -> None:
    found = judged("quadboost-theory", theory(), lost=("monks", "quadboost-l1"))
    assert [claim == UNKNOWN for claim in found] == [True, True, True, False, False]


def test_votes_without_voters_or_solutions_are_no_evidence() -> None:
    cells = theory()
    for cell in cells.values():
        for measure in ("quadboost_lemma1_p2", "quadboost_lemma1_pinf", "quadboost_theorem1_p1"):
            cell[measure] = [nan] * len(cell[measure])
    found = judged("quadboost-theory", cells)
    assert [claim == UNKNOWN for claim in found] == [True, False, False, True, False]
