from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quadrepro.config.config import Experiment, load_experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record, pack_margins
from quadrepro.papers.paper import load_paper
from quadrepro.tables.kinds.claims import claims_table
from quadrepro.tables.table import Table
from tests.papers.measured import Cells, judge_measures

PAPERS = load_paper("ebboost").printed("table1").rows
COLUMNS = ("adaboost", "ebboost", "rlp-boost", "rqp-boost", "abr")
SPLITS = 4
GOOD = {"adaboost": 30, "ebboost": 20, "rlp-boost": 40, "rqp-boost": 35, "abr": 22}
MARGINS = {"adaboost": (0.3, 0.1), "ebboost": (0.28, 0.05), "abr": (0.4, 0.2)}


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    lines = [
        "title: Made up",
        "protocol: {view: quadboost}",
        "datasets:",
        *(f"  - {{name: monks, as: {row}}}" for row in PAPERS),
        "algorithms:",
        *(f"  - {{name: {c}, algorithm: adaboost, grid: {{n_rounds: 5}}}}" for c in COLUMNS),
        "paper: ebboost",
        "tables: {claims: table1}",
    ]
    path = tmp_path / "made-up.yaml"
    path.write_text("\n".join(lines))
    return load_experiment(path)


def outcomes(
    rows: tuple[str, ...] = PAPERS,
    splits: int = SPLITS,
    errors: dict[tuple[str, str], int] | None = None,
) -> Outcomes:
    """Return records with the errors of `GOOD`, but for those of some entries."""
    records = {}
    spread = np.linspace(-1, 1, 40)
    for row in rows:
        for i, column in enumerate(COLUMNS):
            for split in range(splits):
                count = (errors or {}).get((row, column), GOOD[column]) + (i * split) % 3
                margins = ""
                if column in MARGINS:
                    centre, width = MARGINS[column]
                    margins = pack_margins(centre + 0.01 * (i * split % 3) + width * spread)
                records[row, column, split] = Record("k", "ok", count, 100, margins=margins)
    return Outcomes(rows, COLUMNS, splits, records)


def judged(experiment: Experiment, found: Outcomes) -> Table:
    return claims_table(experiment, found, experiment.config.tables["claims"])


def test_the_printed_tables_give_each_claim_its_known_judgement(experiment: Experiment) -> None:
    rows = judged(experiment, outcomes()).rows
    assert [(e[2].ours, e[3].ours) for _, e in rows] == [
        ("lower on 18 of 18, equal on 0, sign test p < 0.001", "holds"),
        ("no splits to test over", "not comparable"),
        (
            "points of error apart on average: ABR 0.21, RQP-Boost 0.30, AdaBoost 0.38, RLP-Boost "
            "0.47; ABR nearer than RQP-Boost on 14 of 18, equal on 0, sign test p = 0.031",
            "holds",
        ),
        ("lower on 17 of 18, equal on 1, sign test p < 0.001", "does not hold"),
        ("higher on 13 of 18, equal on 3, sign test p = 0.007", "holds"),
        ("higher on 8 of 18, equal on 8, sign test p = 0.109", "does not hold"),
        ("not printed", "not comparable"),
    ]


def test_claims_that_our_records_bear_out_hold(experiment: Experiment) -> None:
    entries = [e for _, e in judged(experiment, outcomes()).rows]
    assert [e[1].ours for e in entries] == ["holds"] * 7
    assert entries[0][0].ours == (
        "lower on 18 of 18, equal on 0, sign test p < 0.001; significantly lower on 18, the other "
        "way on 0"
    )
    assert entries[1][0].ours == "significantly lower on 18 of 18, higher on 0"


def test_one_data_set_is_enough_against_a_claim_on_every_one(experiment: Experiment) -> None:
    found = outcomes(errors={("wine", "ebboost"): 50})
    first = judged(experiment, found).rows[0][1]
    assert first[0].ours == (
        "lower on 17 of 18, equal on 0, sign test p < 0.001; significantly lower on 17, the other "
        "way on 1"
    )
    assert first[1].ours == "does not hold"


def test_another_algorithm_may_be_the_closest(experiment: Experiment) -> None:
    errors = {(row, "abr"): 60 for row in PAPERS}
    third = judged(experiment, outcomes(errors=errors)).rows[2][1]
    assert third[0].ours.startswith("points of error apart on average: AdaBoost ")
    assert third[1].ours == "does not hold"


def test_one_split_has_no_test_over_splits(experiment: Experiment) -> None:
    entries = [e for _, e in judged(experiment, outcomes(splits=1)).rows]
    assert entries[0][0].ours == "lower on 18 of 18, equal on 0, sign test p < 0.001"
    assert (entries[1][0].ours, entries[1][1].ours) == (
        "no splits to test over",
        "not comparable",
    )


def test_a_missing_cell_leaves_its_algorithms_claims_open(experiment: Experiment) -> None:
    found = outcomes()
    found.records["wine", "abr", 2] = Record("k", "missing")
    words = [(e[0].ours, e[1].ours) for _, e in judged(experiment, found).rows]
    unknown = ("cells missing", "not comparable")
    assert [word == unknown for word in words] == [False, False, True, False, True, True, True]


def test_fewer_data_sets_than_the_papers_are_not_judged(experiment: Experiment) -> None:
    table = judged(experiment, outcomes(PAPERS[:3]))
    assert {word.ours for _, e in table.rows for word in (e[1], e[3])} == {"not comparable"}
    assert table.notes[0] == ("The claims speak of 18 data sets; here are 3, so nothing is judged.")
    assert table.rows[0][1][2].ours == "lower on 3 of 3, equal on 0, sign test p = 0.250"


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
    ("column", "measure", "values", "failing"),
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
    column: str, measure: str, values: list[float], failing: int
) -> None:
    cells = bounds()
    cells["spambase", column][measure] = values
    found = judge_measures("ebboost-bounds", cells, ROUNDS)
    assert [i for i, (_, word) in enumerate(found) if word != "holds"] == [failing]
