"""All pairs of algorithms: which test compares them, and what the table says of it."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from quadrepro.config.config import Experiment
from quadrepro.config.loading import load_mapping
from quadrepro.config.tables import KINDS
from quadrepro.engine.metrics import METRICS
from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import Printed
from quadrepro.stats import (
    bayesian_correlated_t,
    bayesian_signed_rank,
    better_on_one,
    better_over_all,
    chance_of_a_star,
    corrected_t_test,
    holm,
    sign_test,
)
from quadrepro.tables.kinds.comparisons import COMPARISONS, probabilities
from quadrepro.tables.table import Table
from tests.make import config
from tests.tables.contexts import ONE, as_regression, context_of, made, outcomes_of, table_of

MANY = {f"set{i}": (1 + i % 3, 4 + i % 2, 3) for i in range(6)}
PAIRS = [*combinations(("quadboost", "lpboost", "adaboost"), 2)]


def data_of(table: Table) -> dict[tuple[str, str], dict[str, Any]]:
    rows = (dict(zip(table.data_header, row, strict=True)) for row in table.data_rows)
    return {(row["algorithm"], row["against"]): row for row in rows}


def numbers(found: Outcomes) -> Outcomes:
    """Return the outcomes with RMSEs for risks."""
    for row in found.rows:
        found = as_regression(found, row)
    return found


def test_probabilities_come_from_the_examples_only_one_gets_wrong() -> None:
    # The wrong examples of the fixture are nested, so differences of counts are all there is.
    expected = better_over_all([better_on_one(1, 0), better_on_one(0, 1), better_on_one(0, 1)])
    assert probabilities(outcomes_of(ONE), "quadboost", "lpboost") == [pytest.approx(expected)]


def test_the_printed_order_leads(experiment: Experiment) -> None:
    cells = {("adaboost", "adaboost"): "0.50", ("adaboost", "quadboost"): "0.58"}
    table = table_of(
        experiment, "comparisons", outcomes_of(ONE), Printed("p", ("adaboost", "quadboost"), cells)
    )
    assert table.header[1:] == ("AdaBoost", "QuadBoost", "LPBoost")
    assert table.rows[0][1][1].endswith("(0.58)")


def test_a_printed_probability_has_a_verdict_where_there_are_several_splits(
    experiment: Experiment,
) -> None:
    cells = {("quadboost", "lpboost"): "0.99", ("quadboost", "adaboost"): "0.50"}
    printed = Printed("p", ("quadboost", "lpboost", "adaboost"), cells)
    repeats = [ONE, {**ONE, "monks": (3, 1, 1)}, {**ONE, "monks": (1, 1, 1)}]
    found = made(experiment, "comparisons", outcomes_of(*repeats), printed)
    assert [v.word for v in found.verdicts.entries] == ["outside", "inside"]
    assert ["†" in text for text in found.table.rows[0][1]] == [False, True, False]
    assert "±" in found.table.rows[0][1][1]
    alone = table_of(experiment, "comparisons", outcomes_of(ONE), printed)
    assert not any("†" in text for text in alone.rows[0][1])


def test_stars_are_of_the_sign_test_and_adjusted_for_all_pairs(experiment: Experiment) -> None:
    many = outcomes_of({f"set{i}": (1, 5, 5 + i % 2) for i in range(8)})
    table = table_of(experiment, "comparisons", many)
    found = data_of(table)
    expected = holm(found[pair]["p"] for pair in PAIRS)
    assert [found[pair]["p Holm"] for pair in PAIRS] == expected
    assert [found[b, a]["p Holm"] for a, b in PAIRS] == expected
    assert found["quadboost", "quadboost"]["p Holm"] is None
    assert ["*" in text for text in table.rows[0][1]] == [False, True, True]
    [note] = [note for note in table.notes if "Holm" in note]
    risks = [[0.1, 0.5, 0.5 + i % 2 / 10] for i in range(8)]
    assert f"{100 * chance_of_a_star(risks):.0f}% of such tables would have a star" in note
    assert "for 3 pairs by Holm's method, 2 of 2 starred pairs survive: QuadBoost and LPBo" in note


def test_a_star_may_not_survive_the_adjustment(experiment: Experiment) -> None:
    # Six wins of six, p = 0.031; three times that is above the level.
    found = outcomes_of({f"set{i}": (1, 5, (0, 6)[i % 2]) for i in range(6)})
    [note] = [n for n in table_of(experiment, "comparisons", found).notes if "Holm" in n]
    assert note.endswith("0 of 1 starred pairs survive: QuadBoost and LPBoost, p = 0.094.")
    nothing = table_of(experiment, "comparisons", outcomes_of(ONE)).notes[1]
    assert nothing.endswith("by Holm's method, no pair is significant.")


@pytest.mark.parametrize("n", [1, 2])
def test_a_spread_is_explained_where_there_is_one(experiment: Experiment, n: int) -> None:
    first, *others = table_of(experiment, "comparisons", outcomes_of(*[ONE] * n)).notes
    assert first.endswith(" (Poisson binomial test).")
    assert any(f"over {n} splits" in note for note in others) == (n == 2)


def test_nothing_is_tested_over_missing_cells(experiment: Experiment) -> None:
    lacking = outcomes_of({**ONE, "monks": (2, None, 1)})
    table = table_of(experiment, "comparisons", lacking)
    assert [text.strip("_") for text in table.rows[1][1]] == ["–", "–", "–"]
    assert table.rows[0][1][2] != "–"
    assert not any("Holm" in note for note in table.notes)


def test_numbers_over_data_sets_have_the_signed_rank_posterior_and_the_sign_test(
    experiment: Experiment,
) -> None:
    plain = numbers(outcomes_of(MANY))
    found = data_of(table_of(experiment, "comparisons", plain))
    means = {c: [plain.mean(row, c) or 0.0 for row in plain.rows] for c in plain.columns}
    for a, b in PAIRS:
        test, row, turned = sign_test(means[a], means[b]), found[a, b], found[b, a]
        assert row["probability"] == bayesian_signed_rank(means[a], means[b]).better
        assert (row["wins"], row["losses"], row["p"]) == (test.wins, test.losses, test.p_value)
        assert row["mean difference"] == pytest.approx((sum(means[a]) - sum(means[b])) / 6)
        assert turned["mean difference"] == -row["mean difference"]
        assert turned["probability"] == pytest.approx(1 - row["probability"])
        assert (turned["wins"], turned["losses"]) == (test.losses, test.wins)


def test_where_the_highest_is_best_the_better_one_wins_and_differences_keep_their_sign(
    experiment: Experiment,
) -> None:
    plain = numbers(outcomes_of(MANY))
    higher = replace(METRICS["rmse"], greater_is_better=True)
    values = {place: -record.value for place, record in plain.records.items()}
    of_higher = table_of(experiment, "comparisons", replace(plain, metric=higher, measured=values))
    for pair, row in data_of(table_of(experiment, "comparisons", plain)).items():
        turned = data_of(of_higher)[pair]
        assert turned["probability"] == row["probability"]
        assert turned["wins"] == row["wins"]
        assert turned["mean difference"] == pytest.approx(-row["mean difference"])


def test_data_sets_without_a_unit_in_common_are_counted_alone(experiment: Experiment) -> None:
    table = table_of(experiment, "comparisons", as_regression(outcomes_of(MANY), "set0"))
    assert table.rows[0][1][1] == "6–0*"
    assert table.notes[0].startswith("On how many of 6 data sets the row's algorithm is better")


@pytest.mark.parametrize("of_numbers", [False, True])
def test_on_the_splits_of_one_data_set_pairs_have_the_tests_for_overlapping_splits(
    experiment: Experiment, of_numbers: bool
) -> None:
    repeats = [{"monks": errors} for errors in ((1, 3, 4), (2, 3, 3), (1, 4, 5), (3, 5, 4))]
    plain = outcomes_of(*repeats)
    plain = numbers(plain) if of_numbers else plain
    table = table_of(experiment, "comparisons", plain)
    found = data_of(table)
    values = {c: plain.values("monks", c) for c in plain.columns}
    for a, b in PAIRS:
        test, row = corrected_t_test(values[a], values[b], 0.5), found[a, b]
        posterior = bayesian_correlated_t(values[a], values[b], 0.5)
        assert row["probability"] == pytest.approx(posterior.better)
        assert (row["mean difference"], row["p"]) == (test.mean_difference, test.p_value)
        assert row["low"] < row["mean difference"] < row["high"]
        assert found[b, a]["low"] == -row["high"]
    text = " ".join(table.notes)
    assert "corrected resampled t-test: p ≤ 0.05" in text
    assert "sign test" not in text


def test_one_split_of_one_data_set_has_no_test_of_signs(experiment: Experiment) -> None:
    table = table_of(experiment, "comparisons", outcomes_of({"monks": (1, 5, 2)}))
    assert float(table.rows[0][1][1]) > 0.7
    assert "sign test" not in " ".join(table.notes)
    context = context_of(experiment, "comparisons")
    assert COMPARISONS.make(context, numbers(outcomes_of({"monks": (1, 5, 2)}))) is None


def test_a_lone_algorithm_is_not_compared() -> None:
    lone = load_mapping(config(datasets=[*ONE], algorithms=["quadboost"], baseline=True))
    assert KINDS.find("comparisons") is COMPARISONS
    assert COMPARISONS.make(context_of(lone, "comparisons"), outcomes_of(ONE)) is None
