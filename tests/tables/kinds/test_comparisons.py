from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from quadrepro.config.config import Experiment
from quadrepro.config.loading import load_mapping
from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import Printed
from quadrepro.stats import better_on_one, better_over_all, chance_of_a_star, holm
from quadrepro.tables.kinds.comparisons import COMPARISONS, matrix_of_values, probabilities, signs
from quadrepro.tables.table import Table
from tests.tables.contexts import as_regression, context_of

Make = Callable[..., Outcomes]


def table_of(experiment: Experiment, outcomes: Outcomes, printed: Printed | None = None) -> Table:
    return COMPARISONS.table(context_of(experiment, "comparisons", printed), outcomes)


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
    assert {row[2] for row in table_of(experiment, empty).data_rows} == {None}


def test_repeats_show_the_spread_of_the_probability(experiment: Experiment, outcomes: Make) -> None:
    table = table_of(experiment, outcomes(ONE, {**ONE, "monks": (0, 5, 5)}))
    assert "±" in table.rows[0][1][1].ours


def test_where_numbers_are_predicted_their_values_are_compared(
    experiment: Experiment, outcomes: Make
) -> None:
    found = outcomes({f"set{i}": (1, 5, 5) for i in range(6)})
    for row in found.rows:
        found = as_regression(found, row)
    assert probabilities(found, "quadboost", "lpboost") == []
    context = context_of(experiment, "comparisons")
    shown = COMPARISONS.table(context, found)
    assert shown.data_rows == matrix_of_values(context, found).data_rows()
    assert shown.data_header[2:4] == ("probability", "mean difference")


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
    data = experiment.source.data
    alone = load_mapping(data | {"algorithms": data["algorithms"][:1]})
    assert not COMPARISONS.written(context_of(alone, "comparisons"))


def test_p_values_are_adjusted_for_the_number_of_pairs(
    experiment: Experiment, outcomes: Make
) -> None:
    many = outcomes({f"set{i}": (1, 5, 5 + i % 2) for i in range(8)})
    table = table_of(experiment, many)
    by_pair = {row[:2]: row for row in table.data_rows}
    header = table.data_header
    pairs = [("quadboost", "lpboost"), ("quadboost", "adaboost"), ("lpboost", "adaboost")]
    p, adjusted = (header.index(name) for name in ("sign test p", "sign test p Holm"))
    expected = holm(float(by_pair[pair][p]) for pair in pairs)
    assert [by_pair[pair][adjusted] for pair in pairs] == expected
    assert [by_pair[pair[::-1]][adjusted] for pair in pairs] == expected
    assert by_pair["quadboost", "quadboost"][adjusted] is None
    [note] = [note for note in table.notes if "Holm" in note]
    risks = [[0.1, 0.5, 0.5 + i % 2 / 10] for i in range(8)]
    assert f"{100 * chance_of_a_star(risks):.0f}% of such tables would have a star" in note
    assert "for 3 pairs by Holm's method, 2 of 2 starred pairs survive: QuadBoost and LPBo" in note


def test_a_star_may_not_survive_the_adjustment(experiment: Experiment, outcomes: Make) -> None:
    # Six wins of six, p = 0.031; three times that is above the level.
    table = table_of(experiment, outcomes({f"set{i}": (1, 5, (0, 6)[i % 2]) for i in range(6)}))
    [note] = [note for note in table.notes if "Holm" in note]
    assert note.endswith("0 of 1 starred pairs survive: QuadBoost and LPBoost, p = 0.094.")
    nothing = table_of(experiment, outcomes(ONE)).notes[1]
    assert nothing.endswith("by Holm's method, no pair is significant.")


def test_pairs_with_missing_cells_are_not_counted(experiment: Experiment, outcomes: Make) -> None:
    notes = table_of(experiment, outcomes({**ONE, "monks": (2, None, 1)})).notes
    assert not any("Holm" in note for note in notes)
