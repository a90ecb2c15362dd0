from __future__ import annotations

import pytest

from quadrepro.core.training.grid import Grid
from quadrepro.engine.records import Record
from tests.papers.measured import columns_of, judged, load, ours, outcomes_of, rows_of


def test_table_1_is_judged_with_noise_and_shows_the_numbers_without() -> None:
    experiment = load("rescale-table1")
    rows, columns = rows_of(experiment), columns_of(experiment)

    def record(row: str, column: str, split: int) -> Record:
        rmse = 5.0 - columns.index(column) + (-1) ** split / 10
        noiseless = 9.0 if (row, column) == (rows[0], "rsboosting") else rmse
        return Record("k", "ok", n_test=10, rmse=rmse, measures={"rmse_noiseless": [noiseless]})

    everywhere, ranks = ours(judged(experiment, outcomes_of(rows, columns, 2, record)))
    assert everywhere[1] == "supported"
    assert "; against targets without noise: RSboosting in 7, RTboosting in 8" in everywhere[0]
    assert "; against targets without noise: best in 0, second in 8 of 8 rows" in ranks[0]


def first_step(own: list[float], others: list[float]) -> tuple[str, str]:
    """Return the judgement on a step with these slopes along its stump and the best other one."""
    experiment = load("rescale-figure1")
    measures = {"correlation_in_vote": own, "correlation_of_others": others}
    outcomes = outcomes_of(
        rows_of(experiment),
        columns_of(experiment),
        2,
        lambda row, column, split: Record("k", "ok", 1, 10, measures=measures),
        lambda column: Grid.from_values({"alpha_max": [0.25, 0.5, 0.75, 1.0]}),
    )
    [judgement] = ours(judged(experiment, outcomes))
    return judgement


@pytest.mark.parametrize(
    ("own", "others", "text", "word"),
    [
        ([0.6, 0.4, 0.2, 0.0], [0.3, 0.4, 0.4, 0.4], "θ0 = 0.50 of θ1 = 1.00", "supported"),
        ([0.4, 0.2, 0.0, 0.0], [0.1, 0.1, 0.2, 0.2], "θ0 = 0.75 of θ1 = 0.75", "refuted"),
        ([0.6, 0.4, 0.2, 0.1], [0.0, 0.0, 0.0, 0.0], "θ0 = 0.25 of θ1 = 1.00", "refuted"),
    ],
)
def test_a_step_goes_too_far_if_another_stump_is_as_steep_before_its_end(
    own: list[float], others: list[float], text: str, word: str
) -> None:
    assert first_step(own, others) == (f"wisconsin: {text}; spambase: {text}", word)
