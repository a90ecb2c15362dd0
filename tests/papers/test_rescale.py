from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import rankdata

from quadrepro.config.config import Experiment, load_experiment
from quadrepro.core.learners.grid import Grid
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.papers.paper import load_paper
from quadrepro.tables.kinds.claims import claims_table
from quadrepro.tables.table import Table

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
COLUMNS = ("boosting", "rsboosting", "rtboosting", "rboosting", "epsilon-boosting")
GOOD = dict(zip(COLUMNS, (5.0, 3.0, 4.0, 2.0, 1.0), strict=True))
TABLES = ("rescale-table1", "rescale-table2", "rescale-table3")
UNKNOWN = ("cells missing", "not comparable")


def load(name: str) -> Experiment:
    return load_experiment(CONFIGS / f"{name}.yaml")


def outcomes(
    rows: tuple[str, ...],
    changed: dict[tuple[str, str], float] | None = None,
    noiseless: dict[tuple[str, str], float] | None = None,
) -> Outcomes:
    """Return records of two splits with the RMSEs of `GOOD`, but for those of some entries."""
    records = {}
    for row in rows:
        for column, rmse in GOOD.items():
            for split in range(2):
                value = (changed or {}).get((row, column), rmse) + (-1) ** split / 10
                truth = (noiseless or {}).get((row, column), rmse)
                records[row, column, split] = Record(
                    "k", "ok", n_test=10, rmse=value, measures={"rmse_noiseless": [truth]}
                )
    return Outcomes(rows, COLUMNS, 2, records)


def rows_of(experiment: Experiment) -> tuple[str, ...]:
    return tuple(entry.title for entry in experiment.config.entries)


def judged(experiment: Experiment, found: Outcomes) -> Table:
    return claims_table(experiment, found, experiment.config.tables["claims"])


def words(table: Table, column: int) -> list[tuple[str, str]]:
    """Return numbers and judgement of every claim: ours from column 0, printed from column 2."""
    return [(entries[column].ours, entries[column + 1].ours) for _, entries in table.rows]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "rescale-table1",
            [
                (
                    "RSboosting in 8, RTboosting in 6, RBoosting in 8, ε-boosting in 7 of 8 rows; "
                    "29 of 32 pairs",
                    "does not hold",
                ),
                (
                    "best in 5, second in 1 of 8 rows; not in m1 0.3 (3.), m1 1 (3.)",
                    "does not hold",
                ),
            ],
        ),
        (
            "rescale-table2",
            [
                (
                    "RSboosting in 4, RTboosting in 4, RBoosting in 4, ε-boosting in 4 of 4 rows; "
                    "16 of 16 pairs",
                    "holds",
                ),
                ("best in 1, second in 2 of 4 rows; not in orange 0 (3.)", "does not hold"),
                ("RBoosting in 4 of 4 rows", "holds"),
            ],
        ),
        (
            "rescale-table3",
            [
                (
                    "RSboosting in 8, RTboosting in 6, RBoosting in 8, ε-boosting in 7 of 8 rows; "
                    "29 of 32 pairs",
                    "does not hold",
                ),
                ("best in 4, second in 4 of 8 rows", "holds"),
            ],
        ),
    ],
)
def test_the_printed_tables_give_each_claim_its_known_judgement(
    name: str, expected: list[tuple[str, str]]
) -> None:
    experiment = load(name)
    assert words(judged(experiment, outcomes(rows_of(experiment))), 2) == expected


@pytest.mark.parametrize("name", TABLES)
def test_the_printed_counts_are_those_of_ranks(name: str) -> None:
    printed = load_paper("rescale").printed(name.removeprefix("rescale-"))
    means = np.array([[float(printed.text(r, f"{c}_mean")) for c in COLUMNS] for r in printed.rows])
    ranks = [int(of_row[COLUMNS.index("rboosting")]) for of_row in rankdata(means, "min", axis=1)]
    experiment = load(name)
    first, second, *_ = words(judged(experiment, outcomes(rows_of(experiment))), 2)
    pairs = int((means[:, 1:] < means[:, :1]).sum())
    assert f"; {pairs} of {4 * len(means)} pairs" in first[0]
    assert f"best in {ranks.count(1)}, second in {ranks.count(2)} of" in second[0]


def test_claims_that_our_means_bear_out_hold() -> None:
    experiment = load("rescale-table3")
    assert words(judged(experiment, outcomes(rows_of(experiment))), 0) == [
        (
            "RSboosting in 8, RTboosting in 8, RBoosting in 8, ε-boosting in 8 of 8 rows; "
            "32 of 32 pairs",
            "holds",
        ),
        ("best in 0, second in 8 of 8 rows", "holds"),
    ]


def test_a_mean_that_only_equals_boostings_does_not_outperform_it() -> None:
    experiment = load("rescale-table3")
    found = outcomes(rows_of(experiment), {("boston", "rtboosting"): 5.0})
    text, word = words(judged(experiment, found), 0)[0]
    assert (word, text.split("; ")[1]) == ("does not hold", "31 of 32 pairs")


def test_one_row_where_it_is_third_is_enough_against_rboosting() -> None:
    experiment = load("rescale-table3")
    found = outcomes(rows_of(experiment), {("boston", "rboosting"): 3.5})
    assert words(judged(experiment, found), 0)[1] == (
        "best in 0, second in 7 of 8 rows; not in boston (3.)",
        "does not hold",
    )


def test_an_equal_best_mean_is_the_best() -> None:
    experiment = load("rescale-table3")
    found = outcomes(rows_of(experiment), {("boston", "rboosting"): 1.0})
    assert words(judged(experiment, found), 0)[1][0] == "best in 1, second in 7 of 8 rows"


def test_table_1_is_judged_with_noise_and_says_what_holds_without() -> None:
    experiment = load("rescale-table1")
    rows = rows_of(experiment)
    found = outcomes(rows, noiseless={(rows[0], "rsboosting"): 9.0, (rows[1], "rboosting"): 9.0})
    everywhere, ranks = words(judged(experiment, found), 0)
    assert everywhere[1] == ranks[1] == "holds"
    assert "; against targets without noise: RSboosting in 7, RTboosting in 8" in everywhere[0]
    assert ranks[0].endswith(
        f"without noise: best in 0, second in 7 of 8 rows; not in {rows[1]} (5.)"
    )


def test_a_missing_cell_leaves_its_claims_open_and_the_printed_judged() -> None:
    experiment = load("rescale-table2")
    rows = rows_of(experiment)
    found = outcomes(rows)
    found.records[rows[0], "epsilon-boosting", 1] = Record("k", "missing")
    table = judged(experiment, found)
    assert words(table, 0) == [UNKNOWN, UNKNOWN, ("RBoosting in 4 of 4 rows", "holds")]
    assert [word for _, word in words(table, 2)] == ["holds", "does not hold", "holds"]


def test_other_rows_than_the_papers_are_not_judged(tmp_path: Path) -> None:
    text = (CONFIGS / "rescale-table3.yaml").read_text()
    (tmp_path / "some.yaml").write_text(text.replace("[diabetes, boston,", "[diabetes,"))
    experiment = load_experiment(tmp_path / "some.yaml")
    table = judged(experiment, outcomes(rows_of(experiment)))
    assert {word for i in (0, 2) for _, word in words(table, i)} == {"not comparable"}
    assert table.notes[0] == "The claims speak of 8 data sets; here are 7, so nothing is judged."


ROUNDS = np.arange(1.0, 1001.0)
TARGETS = ("sparse target", "piecewise function")


def converging(losses: dict[str, np.ndarray], last: int = 1000) -> list[tuple[str, str]]:
    """Return the judgements where both targets' losses are these, in two splits."""
    records = {
        (row, column, split): Record(
            "k",
            "ok",
            rmse=1.0,
            measures={"train_mse": (loss * (1 + (-1) ** split / 2))[:last].tolist()},
        )
        for row in TARGETS
        for column, loss in losses.items()
        for split in range(2)
    }
    grid = Grid.of({"n_rounds": ROUNDS[:last].tolist()})
    found = Outcomes(TARGETS, tuple(losses), 2, records, dict.fromkeys(records, (grid,)))
    return words(judged(load("rescale-convergence"), found), 0)


def power(exponent: float) -> np.ndarray:
    return np.asarray(ROUNDS**-exponent)


def test_slopes_are_the_exponents_of_powers() -> None:
    assert converging({"boosting": power(2.5), "rboosting": power(1.25)}) == [
        ("slope -1.25 on sparse target, -1.25 on piecewise function", "holds"),
        ("slope -2.50 on sparse target, -2.50 on piecewise function", "holds"),
        (
            "loss after 1000 rounds 0.00018 against 3.2e-08 on sparse target, 0.00018 against "
            "3.2e-08 on piecewise function",
            "does not hold",
        ),
    ]


def test_slower_powers_than_the_theorys_do_not_hold() -> None:
    found = converging({"boosting": power(0.35), "rboosting": power(0.75)})
    assert [word for _, word in found] == ["does not hold", "does not hold", "holds"]


def test_rounds_before_the_hundredth_and_losses_of_rounding_are_left_out() -> None:
    loss = 1e-8 * power(1.5)
    assert loss[98] > 1e-12 > loss[700]
    loss[:99], loss[700:] = 1.0, np.linspace(1e-13, 1, 300)
    first, *_ = converging({"boosting": power(1), "rboosting": loss})
    assert first == ("slope -1.50 on sparse target, -1.50 on piecewise function", "holds")


def test_a_slope_needs_two_rounds() -> None:
    found = converging({"boosting": power(1), "rboosting": power(2)}, last=100)
    assert found[:2] == [("too few rounds from 100 on", "not comparable")] * 2
    assert found[2][0].startswith("loss after 100 rounds 0.0001 against 0.01 on sparse target")


def test_the_convergence_of_one_algorithm_is_judged_without_the_other() -> None:
    found = converging({"rboosting": power(2)})
    assert [word for _, word in found] == ["holds", "not comparable", "not comparable"]


STEPS = [0.25, 0.5, 0.75, 1.0]


def first_step(own: list[float], others: list[float]) -> tuple[str, str]:
    """Return the judgement on a step with these slopes along its stump and the best other one."""
    measures = {"correlation_in_vote": own, "correlation_of_others": others}
    rows = ("wisconsin", "spambase")
    records = {
        (row, "quadboost-linf", split): Record("k", "ok", 1, 10, measures=measures)
        for row in rows
        for split in range(2)
    }
    grid = Grid.of({"alpha_max": STEPS})
    found = Outcomes(rows, ("quadboost-linf",), 2, records, dict.fromkeys(records, (grid,)))
    [judgement] = words(judged(load("rescale-figure1"), found), 0)
    return judgement


@pytest.mark.parametrize(
    ("own", "others", "text", "holds"),
    [
        ([0.6, 0.4, 0.2, 0.0], [0.3, 0.4, 0.4, 0.4], "θ0 = 0.50 of θ1 = 1.00", "holds"),
        ([0.4, 0.2, 0.0, 0.0], [0.1, 0.1, 0.2, 0.2], "θ0 = 0.75 of θ1 = 0.75", "does not hold"),
        ([0.6, 0.4, 0.2, 0.1], [0.0, 0.0, 0.0, 0.0], "θ0 = 0.25 of θ1 = 1.00", "does not hold"),
    ],
)
def test_a_step_goes_too_far_if_another_stump_is_as_steep_before_its_end(
    own: list[float], others: list[float], text: str, holds: str
) -> None:
    assert first_step(own, others) == (f"wisconsin: {text}; spambase: {text}", holds)


def improved(config: str, better: set[str], n_rows: int) -> list[str]:
    """Return the verdicts if some columns have fewer errors than the others on the first rows."""
    experiment = load(config)
    rows, columns = rows_of(experiment), tuple(a.name for a in experiment.config.algorithms)
    records = {
        (row, column, split): Record("k", "ok", 50 - 20 * (column in better and i < n_rows), 100)
        for i, row in enumerate(rows)
        for column in columns
        for split in range(3)
    }
    found = Outcomes(rows, columns, 3, records)
    return [word for _, word in words(judged(experiment, found), 0)]


BOTH = {"rescale-rtboosting", "rescale-epsilon-boosting"}


@pytest.mark.parametrize(
    ("config", "better", "n_rows", "holding"),
    [
        ("rescale-remark1", BOTH, 4, [0, 1, 2, 3]),
        ("rescale-remark1", BOTH, 3, []),
        ("rescale-remark1", BOTH | {"rtboosting"}, 6, [1, 2, 3]),
        ("rescale-remark1", BOTH | {"rboosting"}, 6, [0, 1]),
        ("rescale-exponential", {"rboosting", "rboosting-exponential"}, 3, [0, 1]),
        ("rescale-exponential", {"rboosting-exponential"}, 4, [0]),
        ("rescale-exponential", {"rboosting", "rboosting-exponential"}, 2, []),
    ],
)
def test_an_improvement_is_one_on_more_than_half_of_the_rows(
    config: str, better: set[str], n_rows: int, holding: list[int]
) -> None:
    verdicts = improved(config, better, n_rows)
    assert [i for i, word in enumerate(verdicts) if word == "holds"] == holding
