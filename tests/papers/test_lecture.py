from __future__ import annotations

from math import nan

import pytest

from tests.papers.measured import Cells, Judged, judge_measures, unknown

ERROR = "train_error_positive_ties"
PRODUCT = "adaboost_product_bound"
EXPONENTIAL = "adaboost_exponential_bound"
QUADRATIC = "quadboost_quadratic_bound"
N_EXAMPLES = {"interval_3": 3, "interval_60": 60, "wine": 178, "spambase": 4601}
EDGES = {"interval_3": 1 / 6, "interval_60": 1 / 6, "wine": 0.1, "spambase": 0.0}
# 4 ln(3) 36 = 158.2, 4 ln(60) 36 = 589.6, 4 ln(178) 100 = 2072.7.
EXPERTS = {"interval_3": 159.0, "interval_60": 590.0, "wine": 2073.0, "spambase": nan}
VC = {"interval_3": 3.0, "interval_60": 4.0, "wine": 4.0, "spambase": nan}
ROUNDS = {"adaboost": [1, 2, 3, 4], "hedge": [1, 200, 2000, 5000], "quadboost": [1, 2, 3, 4]}


def lecture() -> Cells:
    cells: Cells = {}
    for row in N_EXAMPLES:
        cells[row, "adaboost"] = {
            ERROR: [1 / 3, 1 / 3, 0, 0],
            PRODUCT: [0.9, 0.8, 0.6, 0.5],
            EXPONENTIAL: [0.95, 0.9, 0.85, 0.8],
            "adaboost_rounds": [VC[row]] * 4,
        }
        wrong = 1.0 if row == "spambase" else 0.0
        cells[row, "hedge"] = {
            ERROR: [0.3, 0.2, wrong, wrong],
            "weak_edge": [EDGES[row]] * 4,
            "experts_rounds": [EXPERTS[row]] * 4,
        }
        cells[row, "quadboost"] = {
            ERROR: [1 / 3, 1 / 3, 0, 0],
            "quadratic_risk": [8 / 9, 0.7, 0.3, 0.2],
            QUADRATIC: [8 / 9, 0.8, 0.7, 0.9],
        }
    for row in ("interval_3", "interval_60"):
        cells[row, "hedge"][ERROR] = [1 / 3, 0, 0, 0]
    return cells


def judged(cells: Cells, lost: tuple[str, str] | None = None) -> Judged:
    return judge_measures("lecture", cells, ROUNDS, N_EXAMPLES, lost)


def test_the_lectures_claims_are_supported_where_every_inequality_holds() -> None:
    assert judged(lecture()) == [
        ("least error 0.3333", "supported"),
        (
            "AdaBoost's error after 3 rounds 0.0000 on interval_3, 0.0000 on interval_60",
            "supported",
        ),
        ("γ = 0.1667 on interval_3, γ = 0.1667 on interval_60", "supported"),
        ("32 of 32 inequalities", "supported"),
        (
            "interval_3 T = 3, first without error at 3; interval_60 T = 4, first without error at "
            "3; wine T = 4, first without error at 3",
            "supported",
        ),
        (
            "interval_3 T = 159, first without error at 200; interval_60 T = 590, first without "
            "error at 200; wine T = 2073, first without error at 2000",
            "supported",
        ),
        ("16 of 16 inequalities", "supported"),
        ("16 of 16 inequalities", "supported"),
    ]


def test_the_experts_are_not_judged_before_their_number_of_rounds() -> None:
    cells = lecture()
    cells["wine", "hedge"]["experts_rounds"] = [8291.0] * 4
    text, word = judged(cells)[5]
    assert text.endswith("wine T = 8291, beyond the rounds here, first without error at 2000")
    assert word == "undecided"
    cells["interval_3", "hedge"][ERROR] = [0.1] * 4
    text, word = judged(cells)[5]
    assert text.startswith("interval_3 T = 159, first without error never")
    assert word == "refuted"


def test_neither_number_of_rounds_is_judged_without_an_edge() -> None:
    cells = {key: cell for key, cell in lecture().items() if key[0] == "spambase"}
    # The three claims on the intervals are left out.
    assert judged(cells)[1:3] == [("no row has an edge", "undecided")] * 2


def test_claims_on_a_round_are_undecided_without_that_round(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(ROUNDS, "adaboost", [2, 4, 5, 6])
    judgements = judged(lecture())
    assert judgements[:2] == [(f"no number after round {n}", "undecided") for n in (1, 3)]
    assert not unknown(judgements)
