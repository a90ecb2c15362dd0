"""All pairs of algorithms: which test compares them, and what its stars show."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from statistics import fmean
from typing import Any

import pytest

from quadrepro.config.config import KINDS, Experiment
from quadrepro.config.loading import load_mapping
from quadrepro.core.metrics import METRICS
from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import Printed
from quadrepro.stats import (
    Repeats,
    better_on_one,
    better_over_all,
    compare_on_splits,
    compare_over_datasets,
    place_number,
)
from quadrepro.tables.kinds.comparisons import COMPARISONS, compared, probabilities
from quadrepro.tables.render import Table
from tests.make import config
from tests.tables.contexts import (
    ONE,
    as_regression,
    context_of,
    made,
    outcomes_of,
    table_of,
    texts_of,
)

MANY = {f"set{i}": (1 + i % 3, 4 + i % 2, 3) for i in range(6)}
EIGHT = {f"set{i}": (1, 5 + i % 2, 5 + (i + 1) % 2) for i in range(8)}
SPLITS = [{"monks": errors} for errors in ((1, 3, 4), (2, 3, 3), (1, 4, 5), (3, 5, 4))]
COLUMNS = ("quadboost", "lpboost", "adaboost")
PAIRS = [*combinations(COLUMNS, 2)]


def by_accuracy(outcomes: Outcomes) -> Outcomes:
    """Return the outcomes by a metric that is best when highest, the complement of the risk."""
    metric = replace(METRICS["brier"], greater_is_better=True)
    measured = {place: 1 - record.value for place, record in outcomes.records.items()}
    return replace(outcomes, metric=metric, measured=measured)


def data_of(table: Table) -> dict[tuple[str, str], dict[str, Any]]:
    rows = (dict(zip(table.data_header, row, strict=True)) for row in table.data_rows)
    return {(row["algorithm"], row["against"]): row for row in rows}


def entries_of(table: Table) -> list[tuple[str, ...]]:
    return [*texts_of(table).values()]


def test_probabilities_are_of_examples_that_only_one_gets_wrong(experiment: Experiment) -> None:
    # The wrong examples of the fixture are nested, so differences of counts are all there is.
    expected = better_over_all([better_on_one(1, 0), better_on_one(0, 1), better_on_one(0, 1)])
    assert probabilities(outcomes_of(ONE), "quadboost", "lpboost") == [pytest.approx(expected)]
    # A spread is explained where there is one.
    for n in (1, 2):
        first, *others = table_of(experiment, "comparisons", outcomes_of(*[ONE] * n)).notes
        assert first.endswith(" (Poisson binomial test).")
        assert any(f"over {n} splits" in note for note in others) == (n == 2)


def test_the_printed_order_is_first(experiment: Experiment) -> None:
    cells = {("adaboost", "adaboost"): "0.50", ("adaboost", "quadboost"): "0.58"}
    printed = Printed("p", ("adaboost", "quadboost"), cells)
    table = table_of(experiment, "comparisons", outcomes_of(ONE), printed)
    assert table.header[1:] == ("AdaBoost", "QuadBoost", "LPBoost")
    assert texts_of(table)["AdaBoost"][1].endswith("(0.58)")


def test_a_printed_probability_has_a_verdict_from_three_splits_on(experiment: Experiment) -> None:
    cells = {("quadboost", "lpboost"): "0.99", ("quadboost", "adaboost"): "0.50"}
    printed = Printed("p", COLUMNS, cells)
    repeats = [ONE, {**ONE, "monks": (3, 1, 1)}, {**ONE, "monks": (1, 1, 1)}]
    result = made(experiment, "comparisons", outcomes_of(*repeats), printed)
    assert result.verdicts.one_sample
    judged = [(v.word, v.quantity) for v in result.verdicts.entries]
    assert judged == [("outside", "probability"), ("inside", "probability")]
    first = entries_of(result.table)[0]
    assert first[1].endswith(" (0.99†)")
    assert first[2].endswith(" (0.50)")
    assert "±" in first[1]
    chances = tuple(probabilities(outcomes_of(*repeats), "quadboost", "lpboost"))
    placement = place_number(Repeats(chances), 0.99, 0.005)
    assert result.verdicts.entries[0].p_value == placement.p_value
    for n in (1, 2):
        few = table_of(experiment, "comparisons", outcomes_of(*repeats[:n]), printed)
        assert not any("†" in text for text in entries_of(few)[0])


@pytest.mark.parametrize(
    ("outcomes", "manner"),
    [
        # Eight wins of eight against both, and between the two others four of eight.
        (outcomes_of(EIGHT), {}),
        (outcomes_of(MANY), {}),
        (as_regression(outcomes_of(MANY)), {"ratio": True}),
        (by_accuracy(outcomes_of(MANY)), {"greater_is_better": True}),
        # The step of a share is one of ten test examples.
        (outcomes_of(*SPLITS), {"resolution": 0.1}),
        (as_regression(outcomes_of(*SPLITS)), {"resolution": 0.0}),
    ],
)
def test_a_pair_has_numbers_and_star_of_the_deciding_test_with_holms_method(
    experiment: Experiment, outcomes: Outcomes, manner: dict[str, Any]
) -> None:
    if len(outcomes.rows) > 1:
        scores = {c: [fmean(outcomes.values(row, c)) for row in outcomes.rows] for c in COLUMNS}
        pairs = compare_over_datasets(scores, **manner)
    else:
        scores = {c: outcomes.values("monks", c) for c in COLUMNS}
        pairs = compare_on_splits(scores, 0.5, **manner)
    table = table_of(experiment, "comparisons", outcomes)
    data = data_of(table)
    for pair, c in pairs.items():
        numbers = {"difference": c.difference, "low": c.low, "high": c.high, "wins": c.wins}
        numbers |= {"losses": c.losses, "ties": c.ties, "p": c.p_value, "p adjusted": c.p_adjusted}
        assert data[pair] | numbers | {"winner": c.winner or ""} == data[pair]
    assert data.get(("quadboost", "quadboost"), {}).get("p adjusted") is None
    starred = {
        (a, b)
        for a, (_, entries) in zip(COLUMNS, table.rows, strict=True)
        for b, entry in zip(COLUMNS, entries, strict=True)
        if entry.mark == "*"
    }
    assert starred == {pair for pair, c in pairs.items() if c.winner}
    start = f"* significant difference by {c.test} with Holm's correction (p ≤ 0.05)"
    assert any(text.startswith(start) for text in table.notes)


def test_nothing_is_tested_over_missing_cells(experiment: Experiment) -> None:
    gap = outcomes_of({**ONE, "monks": (2, None, 1)})
    table = table_of(experiment, "comparisons", gap)
    first, second, _ = entries_of(table)
    assert second == ("–", "–", "–")
    assert first[2] != "–"
    data = data_of(table)
    assert {row["p"] for pair, row in data.items() if "lpboost" in pair} == {None}


def test_rows_of_two_units_are_compared_by_wins(experiment: Experiment) -> None:
    table = table_of(experiment, "comparisons", as_regression(outcomes_of(MANY), "set0"))
    assert entries_of(table)[0] == ("–", "6–0", "4–0")
    assert table.notes[0].startswith("On how many of 6 data sets the row's algorithm is better")
    assert data_of(table)["quadboost", "lpboost"]["p"] == pytest.approx(2 / 64)


def test_differences_of_risks_on_splits_are_percentage_points(experiment: Experiment) -> None:
    plain, unit = outcomes_of(*SPLITS), "in percentage points"
    risks, rmses = (table_of(experiment, "comparisons", x) for x in (plain, as_regression(plain)))
    assert (entries_of(risks)[0][1], entries_of(rmses)[0][1]) == ("−20.0", "−0.50")
    assert (unit in risks.notes[0], unit in rmses.notes[0]) == (True, False)


def test_one_or_two_splits_have_no_test_but_that_of_examples(experiment: Experiment) -> None:
    table = table_of(experiment, "comparisons", outcomes_of(*SPLITS[:2]))
    assert entries_of(table)[0] == ("–", "−15.0", "−20.0")
    assert not any("significant" in note for note in table.notes)
    assert any("Too few splits to test differences" in note for note in table.notes)
    table = table_of(experiment, "comparisons", outcomes_of({"monks": (1, 5, 2)}))
    expected = better_over_all([better_on_one(0, 4)])
    assert float(entries_of(table)[0][1]) == pytest.approx(expected, abs=0.005)
    assert not any("significant" in note for note in table.notes)
    context = context_of(experiment, "comparisons")
    assert COMPARISONS.make(context, as_regression(outcomes_of({"monks": (1, 5, 2)}))) is None


def test_a_control_is_compared_with_each_other_method_alone(experiment: Experiment) -> None:
    context = context_of(experiment, "comparisons")
    pairs = compared(context, outcomes_of(MANY), "lpboost")
    assert {frozenset(pair) for pair in pairs} == {frozenset({c, "lpboost"}) for c in COLUMNS[::2]}
    # Two pairs in place of three.
    every = compared(context, outcomes_of(MANY))
    pair = ("quadboost", "lpboost")
    assert pairs[pair].p_value == every[pair].p_value == pytest.approx(2 / 64)
    assert pairs[pair].p_adjusted == pytest.approx(4 / 64)
    gap = outcomes_of({**MANY, "set0": (1, None, 3)})
    assert compared(context, gap, "lpboost") == {}


def test_a_single_algorithm_is_not_compared() -> None:
    alone = load_mapping(config(datasets=[*ONE], algorithms=["quadboost"], baseline=True))
    assert KINDS.find("comparisons") is COMPARISONS
    assert COMPARISONS.make(context_of(alone, "comparisons"), outcomes_of(ONE)) is None
