from __future__ import annotations

import numpy as np
import pytest

from quadrepro.engine.records import Record
from quadrepro.papers.claims.evidence import Ours
from quadrepro.papers.paper import load_paper
from tests.papers.measured import Cells, contradicted, judge_measures, outcomes_of

MARGINS = {"adaboost": (0.3, 0.1), "ebboost": (0.28, 0.05), "abr": (0.4, 0.2)}


def test_the_claims_on_margins_compare_means_deviations_and_tails() -> None:
    def record(row: str, column: str, split: int) -> Record:
        centre, width = MARGINS[column]
        margins = centre + 0.01 * split + width * np.linspace(-1, 1, 40)
        return Record("k", "ok", 10, 100, margins=margins)

    rows = tuple(f"r{i}" for i in range(6))
    evidence = Ours(rows, {}, outcomes_of(rows, tuple(MARGINS), 2, record))
    claims = load_paper("ebboost").group("table1").claims[3:]
    assert [claim.judge(evidence).word for claim in claims] == ["supported"] * 5
    swapped = {"adaboost": "abr", "abr": "adaboost", "ebboost": "abr"}
    records = {(r, c, i): record(r, swapped[c], i) for r, c, i in evidence.outcomes.records}
    evidence.outcomes.records.update(records)
    words = [claim.judge(evidence).word for claim in claims]
    assert words == [*["disagrees"] * 2, *["refuted"] * 3]


ROUNDS = {"adaboost": [1, 2, 3], "ebboost": [1, 2, 3]}


def bounds() -> Cells:
    return {
        (row, column): {
            "train_error": [0.3, 0.1, 0.2],
            "test_error": [0.3, 0.2, 0.1],
            "test_hoeffding_bound": [0.32, 0.22, 0.12],
            "test_bernstein_bound": [0.33, 0.21, 0.105],
            "test_empirical_bernstein_bound": [0.34, 0.22, 0.11],
            "ebboost_corollary22": [0.4, 0.5, 0.6],
            "ebboost_theorem25": [0.5, 1.0, 2.0],
            "ebboost_theorem25_exponential": [1.0, 2.0, 4.0],
        }
        for row in ("wisconsin", "spambase")
        for column in ROUNDS
    }


def test_the_claims_on_bounds_are_supported_where_the_theorems_hold() -> None:
    against = "against 0.1200 at an error of 0.1000"
    assert judge_measures("ebboost-bounds", bounds(), ROUNDS) == [
        (f"wisconsin: 0.1050 {against}; spambase: 0.1050 {against}", "supported"),
        (f"wisconsin: 0.1100 {against}; spambase: 0.1100 {against}", "supported"),
        *[("12 of 12 inequalities", "supported")] * 3,
        ("16 of 16 minimisers are the same", "supported"),
    ]


@pytest.mark.parametrize(
    ("column", "measure", "values", "against"),
    [
        ("adaboost", "test_bernstein_bound", [0.1, 0.1, 0.12], 0),
        ("adaboost", "test_empirical_bernstein_bound", [0.1, 0.1, 0.13], 1),
        ("ebboost", "ebboost_corollary22", [0.29, 0.5, 0.6], 2),
        ("ebboost", "ebboost_theorem25", [0.5, 0.1, 0.6], 3),
        ("adaboost", "ebboost_theorem25_exponential", [0.5, 1, 0.05], 4),
        # Above one half the penalty falls again.
        ("ebboost", "train_error", [0.6, 0.7, 1.0], 5),
    ],
)
def test_one_number_is_enough_against_a_claim_on_bounds(
    column: str, measure: str, values: list[float], against: int
) -> None:
    cells = bounds()
    cells["spambase", column][measure] = values
    assert contradicted(judge_measures("ebboost-bounds", cells, ROUNDS)) == [against]
