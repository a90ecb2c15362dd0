from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from quadrepro.config.loading import Experiment
from quadrepro.papers.printed import Printed
from quadrepro.report.kinds.comparisons import (
    COMPARISONS,
    comparisons_table,
    probabilities,
    signs,
)
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.table import Table
from quadrepro.stats.poisson_binomial import better_on_one, better_over_all
from tests.report.contexts import context_of

Make = Callable[..., Outcomes]


def table_of(experiment: Experiment, outcomes: Outcomes, printed: Printed | None = None) -> Table:
    return comparisons_table(context_of(experiment, "comparisons", printed), outcomes)


ONE = {"monks": (2, 1, 1), "titanic": (3, 4, 5), "wine": (1, 2, 0)}


def test_probabilities_come_from_the_examples_only_one_gets_wrong(outcomes: Make) -> None:
    # The wrong examples of the fixture are nested, so differences of counts are all there is.
    expected = better_over_all([better_on_one(1, 0), better_on_one(0, 1), better_on_one(0, 1)])
    assert probabilities(outcomes(ONE), "quadboost", "lpboost") == [pytest.approx(expected)]


def test_the_matrix_is_complementary_with_a_half_on_the_diagonal(
    experiment: Experiment, outcomes: Make
) -> None:
    rows = table_of(experiment, outcomes(ONE)).data_rows
    p = {(row[0], row[1]): float(row[2]) for row in rows}
    for (a, b), value in p.items():
        assert value + p[b, a] == pytest.approx(1)
        assert value == pytest.approx(0.5) or a != b


def test_a_printed_probability_has_a_verdict_where_there_are_several_splits(
    experiment: Experiment, outcomes: Make
) -> None:
    cells = {("quadboost", "lpboost"): "0.99", ("quadboost", "adaboost"): "0.50"}
    printed = Printed("p", ("quadboost", "lpboost", "adaboost"), cells)
    repeats = [ONE, {**ONE, "monks": (3, 1, 1)}, {**ONE, "monks": (1, 1, 1)}]
    entries = table_of(experiment, outcomes(*repeats), printed).rows[0][1]
    assert [e.verdict for e in entries] == ["", "outside", "inside"]
    assert ["†" in e.mark for e in entries] == [False, True, False]
    alone = table_of(experiment, outcomes(ONE), printed).rows[0][1]
    assert [e.verdict for e in alone] == ["", "", ""]


def test_the_printed_order_leads_and_the_lower_triangle_is_grey(
    experiment: Experiment, outcomes: Make
) -> None:
    cells = {("adaboost", "adaboost"): "0.50", ("adaboost", "quadboost"): "0.58"}
    printed = Printed("p", ("adaboost", "quadboost"), cells)
    table = table_of(experiment, outcomes(ONE), printed)
    assert table.header[1:] == ("AdaBoost", "QuadBoost", "LPBoost")
    assert [[e.grey for e in entries] for _, entries in table.rows] == [
        [False, False, False],
        [True, False, False],
        [True, True, False],
    ]
    assert table.rows[0][1][1].printed == "0.58"


def test_a_significant_pair_has_a_star(experiment: Experiment, outcomes: Make) -> None:
    many = {f"set{i}": (1, 5, 5) for i in range(6)}
    table = table_of(experiment, outcomes(many))
    assert [e.mark for e in table.rows[0][1]] == ["", "*", "*"]
    assert [e.mark for e in table.rows[1][1]] == ["*", "", ""]


def test_no_test_is_computed_over_missing_cells(experiment: Experiment, outcomes: Make) -> None:
    table = table_of(experiment, outcomes({**ONE, "monks": (2, None, 1)}))
    assert [e.ours for e in table.rows[1][1]] == ["–", "–", "–"]
    assert table.rows[0][1][2].ours != "–"


def test_with_missing_cells_allowed_tests_are_over_the_data_sets_that_lack_nothing(
    experiment: Experiment, outcomes: Make
) -> None:
    gap = replace(outcomes({**ONE, "monks": (2, None, 1)}), allow_missing=True)
    whole = outcomes({name: errors for name, errors in ONE.items() if name != "monks"})
    found, expected = table_of(experiment, gap), table_of(experiment, whole)
    assert found.data_rows == expected.data_rows
    n_rows = len(ONE)
    assert any(note.startswith(f"Over the {n_rows - 1} of {n_rows} data") for note in found.notes)
    empty = replace(outcomes(dict.fromkeys(ONE, (None, 1, 1))), allow_missing=True)
    assert {row[2] for row in table_of(experiment, empty).data_rows} == {""}


def test_repeats_show_the_spread_of_the_probability(experiment: Experiment, outcomes: Make) -> None:
    table = table_of(experiment, outcomes(ONE, {**ONE, "monks": (0, 5, 5)}))
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
    table = table_of(experiment, found)
    assert [(e.ours, e.mark) for e in table.rows[0][1]] == [("–", ""), ("–", "*"), ("–", "*")]
    plain = {row[:2]: row[5:] for row in table_of(experiment, many).data_rows}
    assert {row[:2]: row[5:] for row in table.data_rows} == plain


def test_one_row_of_numbers_among_classes_leaves_out_the_probability(
    experiment: Experiment, outcomes: Make
) -> None:
    found = outcomes(ONE)
    place = ("wine", "lpboost", 0)
    records = {**found.records, place: replace(found.records[place], rmse=0.5)}
    assert probabilities(replace(found, records=records), "quadboost", "adaboost") == []


def test_means_of_equal_counts_tie_in_the_sign_test(experiment: Experiment, outcomes: Make) -> None:
    splits = ({"monks": errors} for errors in ((1, 3, 3), (2, 2, 2), (3, 1, 2)))
    found = outcomes(*splits)
    for a, b, expected in (
        ("quadboost", "lpboost", (0, 0, 1)),
        ("quadboost", "adaboost", (1, 0, 0)),
        ("adaboost", "lpboost", (0, 1, 0)),
    ):
        test = signs(found, a, b)
        assert test is not None
        assert (test.wins, test.losses, test.ties) == expected


def test_comparisons_are_written_with_several_algorithms(experiment: Experiment) -> None:
    context = context_of(experiment, "comparisons")
    assert COMPARISONS.written(context)
    one = experiment.config.model_copy(update={"algorithms": experiment.config.algorithms[:1]})
    alone = replace(experiment, config=one)
    assert not COMPARISONS.written(context_of(alone, "comparisons"))
