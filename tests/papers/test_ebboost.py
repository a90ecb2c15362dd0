from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quadrepro.config.config import Experiment
from quadrepro.config.loading import load_experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.papers.paper import load_paper
from tests.papers.measured import (
    MISSING,
    Cells,
    failing,
    judge_measures,
    judged,
    ours,
    outcomes_of,
    printed,
    unknown,
)

PAPERS = load_paper("ebboost").printed("table1").rows
COLUMNS = ("adaboost", "ebboost", "rlp-boost", "rqp-boost", "abr")
GOOD = {"adaboost": 30, "ebboost": 20, "rlp-boost": 40, "rqp-boost": 35, "abr": 22}
MARGINS = {"adaboost": (0.3, 0.1), "ebboost": (0.28, 0.05), "abr": (0.4, 0.2)}


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    rows = ", ".join(f"{{name: monks, as: {row}}}" for row in PAPERS)
    columns = ", ".join(
        f"{{name: {c}, algorithm: adaboost, grid: {{n_rounds: 5}}}}" for c in COLUMNS
    )
    path = tmp_path / "made-up.yaml"
    path.write_text(
        f"title: Made up\nprotocol: {{view: quadboost}}\npaper: ebboost\ndatasets: [{rows}]\n"
        f"algorithms: [{columns}]\ntables: {{claims: table1}}\n"
    )
    return load_experiment(path)


def outcomes(
    rows: tuple[str, ...] = PAPERS,
    splits: int = 4,
    errors: dict[tuple[str, str], int] | None = None,
) -> Outcomes:
    """Return records with the errors of `GOOD`, but for those of some entries."""

    def record(row: str, column: str, split: int) -> Record:
        off = COLUMNS.index(column) * split % 3
        margins = ""
        if column in MARGINS:
            centre, width = MARGINS[column]
            margins = centre + 0.01 * off + width * np.linspace(-1, 1, 40)
        count = (errors or {}).get((row, column), GOOD[column]) + off
        return Record("k", "ok", count, 100, margins=margins)

    return outcomes_of(rows, COLUMNS, splits, record)


ALL_LOWER = "lower on 18 of 18, equal on 0, sign test p < 0.001"
NO_TEST = ("no splits to test over", "not decided")


def test_the_printed_tables_give_each_claim_its_known_judgement(experiment: Experiment) -> None:
    assert printed(judged(experiment, outcomes())) == [
        (ALL_LOWER, "holds"),
        NO_TEST,
        (
            "points of error apart on average: ABR 0.21, RQP-Boost 0.30, AdaBoost 0.38, RLP-Boost "
            "0.47; ABR nearer than RQP-Boost on 14 of 18, equal on 0, sign test p = 0.031",
            "holds",
        ),
        ("lower on 17 of 18, equal on 1, sign test p < 0.001", "does not hold"),
        ("higher on 13 of 18, equal on 3, sign test p = 0.007", "holds"),
        ("higher on 8 of 18, equal on 8, sign test p = 0.109", "does not hold"),
        ("not printed", "not decided"),
    ]


def test_claims_that_our_records_bear_out_hold(experiment: Experiment) -> None:
    found = ours(judged(experiment, outcomes()))
    assert (len(found), failing(found)) == (7, [])
    assert found[0][0] == f"{ALL_LOWER}; significantly lower on 18, the other way on 0"
    assert found[1][0] == "significantly lower on 18 of 18, higher on 0"


def test_one_data_set_is_enough_against_a_claim_on_every_one(experiment: Experiment) -> None:
    first, *_ = ours(judged(experiment, outcomes(errors={("wine", "ebboost"): 50})))
    lower = ALL_LOWER.replace("on 18", "on 17", 1)
    so = f"{lower}; significantly lower on 17, the other way on 1; power 0.8 at "
    assert first[0].startswith(so)
    assert first[1] == "does not hold"


def test_a_missing_cell_leaves_its_algorithms_claims_open(experiment: Experiment) -> None:
    found = outcomes()
    found.records["wine", "abr", 2] = MISSING
    assert unknown(ours(judged(experiment, found))) == [2, 4, 5, 6]


def test_fewer_data_sets_than_the_papers_are_not_judged(experiment: Experiment) -> None:
    table = judged(experiment, outcomes(PAPERS[:3]))
    about = "The paper's 7 claims are about 18 data sets; here are 3, so nothing is judged."
    assert (table.rows, table.notes) == ((), (about,))


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


def test_the_claims_on_bounds_hold_where_the_theorems_do() -> None:
    against = "against 0.1200 at an error of 0.1000"
    assert judge_measures("ebboost-bounds", bounds(), ROUNDS) == [
        (f"wisconsin: 0.1050 {against}; spambase: 0.1050 {against}", "holds"),
        (f"wisconsin: 0.1100 {against}; spambase: 0.1100 {against}", "holds"),
        *[("12 of 12 inequalities", "holds")] * 3,
        ("16 of 16 minimisers are the same", "holds"),
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
    assert failing(judge_measures("ebboost-bounds", cells, ROUNDS)) == [against]
