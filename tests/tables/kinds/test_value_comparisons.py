from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import pytest

from quadrepro.config.config import Experiment
from quadrepro.config.loading import load_mapping
from quadrepro.engine.metrics import METRICS
from quadrepro.engine.outcomes import Outcomes
from quadrepro.stats import (
    bayesian_correlated_t,
    bayesian_signed_rank,
    corrected_t_test,
    holm,
    sign_test,
)
from quadrepro.tables.kinds.base import Context
from quadrepro.tables.kinds.comparisons import (
    COMPARISONS,
    compare_values,
    has_values_to_compare,
)
from tests.tables.contexts import as_regression, context_of

Make = Callable[..., Outcomes]
MANY = {f"set{i}": (1 + i % 3, 4 + i % 2, 3) for i in range(6)}


@pytest.fixture
def context(experiment: Experiment) -> Context[str]:
    return context_of(experiment, "comparisons")


def numbers(found: Outcomes) -> Outcomes:
    """Return the outcomes with RMSEs for risks."""
    for row in found.rows:
        found = as_regression(found, row)
    return found


def test_over_data_sets_pairs_have_the_signed_rank_posterior_and_the_sign_test(
    context: Context[str], outcomes: Make
) -> None:
    found = numbers(outcomes(MANY))
    pairs = compare_values(context, found)
    means = {c: [found.mean(row, c) or 0.0 for row in found.rows] for c in found.columns}
    for a, b in combinations(found.columns, 2):
        test = sign_test(means[a], means[b])
        of = pairs[a, b]
        assert of.probability == bayesian_signed_rank(means[a], means[b]).better
        assert of.test == test
        assert of.difference == pytest.approx((sum(means[a]) - sum(means[b])) / 6)
        assert pairs[b, a].probability == pytest.approx(1 - (of.probability or 0))
        assert (pairs[b, a].test.wins, pairs[b, a].test.losses) == (test.losses, test.wins)


def test_on_the_splits_of_one_data_set_pairs_have_the_tests_for_overlapping_splits(
    context: Context[str], outcomes: Make
) -> None:
    repeats = [{"monks": errors} for errors in ((1, 3, 4), (2, 3, 3), (1, 4, 5), (3, 5, 4))]
    found = numbers(outcomes(*repeats))
    pairs = compare_values(context, found)
    values = {c: found.values("monks", c) for c in found.columns}
    for a, b in combinations(found.columns, 2):
        test = corrected_t_test(values[a], values[b], 0.5)
        of = pairs[a, b]
        assert of.probability == bayesian_correlated_t(values[a], values[b], 0.5).better
        assert (of.difference, of.test.p_value) == (test.mean_difference, test.p_value)
    notes = " ".join(COMPARISONS.table(context, found).notes)
    assert "correlated t-test of RMSE on 4 splits" in notes
    assert "corrected resampled t-test: p ≤ 0.05" in notes


def test_where_the_highest_is_best_the_better_one_wins_and_differences_keep_their_sign(
    context: Context[str], outcomes: Make
) -> None:
    plain = numbers(outcomes(MANY))
    higher = replace(METRICS["rmse"], greater_is_better=True)
    values = {place: -record.value for place, record in plain.records.items()}
    turned = replace(plain, metric=higher, measured=values)
    for pair, of in compare_values(context, plain).items():
        other = compare_values(context, turned)[pair]
        assert other.probability == of.probability
        assert other.test == of.test
        assert other.difference == pytest.approx(-(of.difference or 0))


def test_data_sets_without_a_unit_in_common_are_counted_alone(
    context: Context[str], outcomes: Make
) -> None:
    found = as_regression(outcomes(MANY), "set0")
    table = COMPARISONS.table(context, found)
    assert table.rows[0][1][1].ours == "6–0"
    assert table.notes[0].startswith("On how many of 6 data sets the row's algorithm is better")
    assert {row[2:4] for row in table.data_rows} == {(None, None)}


def test_stars_are_adjusted_for_all_pairs(context: Context[str], outcomes: Make) -> None:
    table = COMPARISONS.table(context, numbers(outcomes(MANY)))
    rows = {(row[0], row[1]): row for row in table.data_rows}
    pairs = list(combinations(("quadboost", "lpboost", "adaboost"), 2))
    adjusted = holm(float(rows[pair][7]) for pair in pairs)
    assert [rows[pair][8] for pair in pairs] == list(adjusted)
    assert [rows[b, a][8] for a, b in pairs] == list(adjusted)
    assert [e.mark for e in table.rows[0][1]] == ["", "*", ""]
    assert "0 of 2 starred pairs survive: QuadBoost and LPBoost" in table.notes[1]
    assert [e.grey for e in table.rows[2][1]] == [True, True, False]


def test_a_pair_that_lacks_a_cell_is_a_dash(context: Context[str], outcomes: Make) -> None:
    found = numbers(outcomes(MANY))
    place = ("set2", "lpboost", 0)
    lost = replace(found.records[place], status="missing")
    found = replace(found, records={**found.records, place: lost})
    entries = COMPARISONS.table(context, found).rows[0][1]
    assert [e.ours == "–" for e in entries] == [True, True, False]
    kept = COMPARISONS.table(context, replace(found, allow_missing=True))
    assert "Over the 5 of 6 data sets" in kept.notes[-1]
    assert kept.rows[0][1][1].ours != "–"


def test_one_split_of_one_data_set_has_nothing_to_compare(
    context: Context[str], outcomes: Make
) -> None:
    assert compare_values(context, numbers(outcomes({"monks": (1, 2, 3)}))) == {}
    config = {
        "title": "One",
        "protocol": {"view": "quadboost"},
        "datasets": ["monks"],
        "algorithms": [{"name": "adaboost", "grid": {"n_rounds": 5}}],
    }
    for repeats, expected in ((1, False), (2, True)):
        alone = replace(context, experiment=load_mapping(config, repeats))
        assert has_values_to_compare(alone) is expected


def test_errors_on_one_data_set_have_the_tests_of_its_splits(
    context: Context[str], outcomes: Make
) -> None:
    found = outcomes(*({"monks": (1, 3 + i % 2, 2)} for i in range(10)))
    table = COMPARISONS.table(context, found)
    rows = {row[:2]: dict(zip(table.data_header, row, strict=True)) for row in table.data_rows}
    pair = rows["quadboost", "lpboost"]
    test = corrected_t_test([0.1] * 10, [0.3, 0.4] * 5, 0.5)
    assert pair["p"] == test.p_value < 0.01
    assert (pair["wins"], pair["losses"]) == (10, 0)
    assert pair["low"] < pair["mean difference"] == test.mean_difference < pair["high"] < 0
    assert rows["lpboost", "quadboost"]["low"] == -pair["high"]
    assert table.rows[0][1][1].mark == "*"
    assert "sign test" not in " ".join(table.notes)


def test_one_split_of_one_data_set_has_no_test_of_signs(
    context: Context[str], outcomes: Make
) -> None:
    table = COMPARISONS.table(context, outcomes({"monks": (1, 5, 2)}))
    assert float(table.rows[0][1][1].ours) > 0.7
    assert not any(entry.mark for _, entries in table.rows for entry in entries)
    assert "sign test" not in " ".join(table.notes)
