from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from quadrepro.config.loading import Experiment
from quadrepro.papers.printed import NOTHING, Printed
from quadrepro.report.kinds.comparisons import comparisons_table, probabilities
from quadrepro.report.outcomes import Outcomes
from quadrepro.stats.poisson_binomial import better_on_one, better_over_all

Make = Callable[..., Outcomes]
ONE = {"monks": (2, 1, 1), "titanic": (3, 4, 5), "wine": (1, 2, 0)}


def test_probabilities_come_from_the_examples_only_one_gets_wrong(outcomes: Make) -> None:
    # The wrong examples of the fixture are nested, so differences of counts are all there is.
    expected = better_over_all([better_on_one(1, 0), better_on_one(0, 1), better_on_one(0, 1)])
    assert probabilities(outcomes(ONE), "quadboost", "lpboost") == [pytest.approx(expected)]


def test_the_matrix_is_complementary_with_a_half_on_the_diagonal(
    experiment: Experiment, outcomes: Make
) -> None:
    rows = comparisons_table(experiment, outcomes(ONE), NOTHING).data_rows
    p = {(row[0], row[1]): float(row[2]) for row in rows}
    for (a, b), value in p.items():
        assert value + p[b, a] == pytest.approx(1)
        assert value == pytest.approx(0.5) or a != b


def test_the_printed_order_leads_and_the_lower_triangle_is_grey(
    experiment: Experiment, outcomes: Make
) -> None:
    cells = {("adaboost", "adaboost"): "0.50", ("adaboost", "quadboost"): "0.58"}
    printed = Printed("p", ("adaboost", "quadboost"), cells)
    table = comparisons_table(experiment, outcomes(ONE), printed)
    assert table.header[1:] == ("AdaBoost", "QuadBoost", "LPBoost")
    assert [[e.grey for e in entries] for _, entries in table.rows] == [
        [False, False, False],
        [True, False, False],
        [True, True, False],
    ]
    assert table.rows[0][1][1].printed == "0.58"


def test_a_significant_pair_has_a_star(experiment: Experiment, outcomes: Make) -> None:
    many = {f"set{i}": (1, 5, 5) for i in range(6)}
    table = comparisons_table(experiment, outcomes(many), NOTHING)
    assert [e.mark for e in table.rows[0][1]] == ["", "*", "*"]
    assert [e.mark for e in table.rows[1][1]] == ["*", "", ""]


def test_no_test_is_computed_over_missing_cells(experiment: Experiment, outcomes: Make) -> None:
    table = comparisons_table(experiment, outcomes({**ONE, "monks": (2, None, 1)}), NOTHING)
    assert [e.ours for e in table.rows[1][1]] == ["–", "–", "–"]
    assert table.rows[0][1][2].ours != "–"


def test_repeats_show_the_spread_of_the_probability(experiment: Experiment, outcomes: Make) -> None:
    table = comparisons_table(experiment, outcomes(ONE, {**ONE, "monks": (0, 5, 5)}), NOTHING)
    assert "±" in table.rows[0][1][1].ours


def test_where_numbers_are_predicted_there_is_the_sign_test_and_no_probability(
    experiment: Experiment, outcomes: Make
) -> None:
    many = outcomes({f"set{i}": (1, 5, 5) for i in range(6)})
    records = {
        place: replace(record, errors=0, wrong="", rmse=record.risk)
        for place, record in many.records.items()
    }
    found = replace(many, records=records)
    assert probabilities(found, "quadboost", "lpboost") == []
    table = comparisons_table(experiment, found, NOTHING)
    assert [(e.ours, e.mark) for e in table.rows[0][1]] == [("–", ""), ("–", "*"), ("–", "*")]
    plain = {row[:2]: row[5:] for row in comparisons_table(experiment, many, NOTHING).data_rows}
    assert {row[:2]: row[5:] for row in table.data_rows} == plain


def test_one_row_of_numbers_among_classes_leaves_out_the_probability(
    experiment: Experiment, outcomes: Make
) -> None:
    found = outcomes(ONE)
    place = ("wine", "lpboost", 0)
    records = {**found.records, place: replace(found.records[place], rmse=0.5)}
    assert probabilities(replace(found, records=records), "quadboost", "adaboost") == []
