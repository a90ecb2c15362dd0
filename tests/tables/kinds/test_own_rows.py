"""Tests over data sets take each of them once, whatever readings and sweeps a config has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from quadrepro.config.config import Experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.errors import ConfigError
from quadrepro.papers.printed import Printed
from quadrepro.tables.conclusion import conclusion
from quadrepro.tables.kinds import check_tables, make_tables, own_rows_notes
from quadrepro.tables.verdicts import score_text, verdicts_table
from tests.tables.contexts import asking_for, context_of, loaded, made, outcomes_of, table_of

CONFIG = """title: Several
protocol: {view: quadboost, split: {train: half, at_most: 500}, noise: {deviation: 0}}
datasets: [monks, titanic, wine, heart, pima, bupa]
algorithms:
  - {name: quadboost, label: QuadBoost, grid: {n_rounds: 5}}
  - {name: lpboost, label: LPBoost, grid: {C: 1}}
  - {name: adaboost, label: AdaBoost, grid: {n_rounds: 5}}
baseline: false
"""
READINGS = (
    "readings: [{name: raw, protocol: {normalise: none}}, {name: four, protocol: {folds: 4}}]\n"
)
NOISE = "sweeps: [{over: protocol.noise.deviation, as: noise, values: [0.5, 0, 1]}]\n"
THRESHOLDS = "sweeps: [{over: protocol.stumps_per_attribute, as: stumps, values: [2, 4]}]\n"
ERRORS = {
    **{"monks": (1, 2, 3), "titanic": (2, 3, 4), "wine": (1, 3, 5)},
    **{"heart": (2, 4, 5), "pima": (1, 2, 4), "bupa": (2, 3, 6)},
}


def own(experiment: Experiment, row: str) -> str:
    """Return the title of a data set's row under the config's own reading."""
    return f"{row}, noise 0" if experiment.config.sweeps else row


def splits_of(errors: dict[str, tuple[int, ...]]) -> Outcomes:
    """Return outcomes of two splits; the second one has an error more everywhere."""
    return outcomes_of(
        errors, {row: tuple(n + 1 for n in counts) for row, counts in errors.items()}
    )


def all_rows(experiment: Experiment) -> Outcomes:
    """Return outcomes of all rows; those that do not count have the opposite order."""
    config = experiment.config
    plain = {own(experiment, row): counts for row, counts in ERRORS.items()}
    errors = {row.title: plain.get(row.title, (9, 5, 1)) for row in config.rows}
    return replace(splits_of(errors), own_rows=config.own_rows)


def own_rows(experiment: Experiment) -> Outcomes:
    """Return outcomes of the rows that count alone."""
    return splits_of({own(experiment, row): counts for row, counts in ERRORS.items()})


@pytest.fixture(params=[READINGS, NOISE], ids=["readings", "sweep"])
def varied(request: pytest.FixtureRequest, tmp_path: Path) -> Experiment:
    text = f"{CONFIG}{request.param}tables: {{ranking: true, scatter: quadboost}}\n"
    return loaded(tmp_path, text)


def test_the_rows_that_count_are_those_as_the_config_has_them(varied: Experiment) -> None:
    assert len(varied.config.rows) == 18
    assert varied.config.own_rows == {own(varied, row) for row in ERRORS}


@pytest.mark.parametrize("name", ["comparisons", "ranking"])
def test_pairs_and_ranks_are_of_the_data_sets_alone(name: str, varied: Experiment) -> None:
    table = table_of(varied, name, all_rows(varied))
    plain = table_of(varied, name, own_rows(varied))
    assert (table.rows, table.data_rows) == (plain.rows, plain.data_rows)
    [note] = own_rows_notes(varied.config)
    assert table.notes.count(note) == 1
    how = "with noise 0" if varied.config.sweeps else "under the config's own reading"
    assert note == f"Each data set counts once: 6 of 18 rows, {how}."


def test_a_conclusion_is_about_the_data_sets_alone(varied: Experiment) -> None:
    context = context_of(varied, "comparisons")
    sentence = conclusion(context, all_rows(varied))
    assert sentence.startswith("Best by risk over 6 data sets: QuadBoost")
    assert sentence == conclusion(context, own_rows(varied))


def test_a_printed_number_counts_once_in_the_table_as_a_whole(varied: Experiment) -> None:
    printed = Printed("t", ("quadboost",), {(own(varied, "monks"), "quadboost"): "0.900"})
    others = [row.title for row in varied.config.rows if row.title not in ERRORS]
    printed = replace(printed, cells={**printed.cells, (others[0], "quadboost"): "0.100"})
    outcomes = all_rows(varied)
    third = {(*place[:2], 2): r for place, r in outcomes.records.items() if place[2] == 1}
    three = replace(outcomes, repeats=3, records={**outcomes.records, **third})
    verdicts = made(varied, "errors", three, printed).verdicts
    assert len(verdicts.entries) > 1
    assert (len(verdicts.judged), len(verdicts.outside)) == (1, 1)
    assert "t,1,0,1,0," in score_text([verdicts])
    assert next(verdicts.statement({})).startswith("Inside: 0 of 1, outside: 1.")
    notes = own_rows_notes(varied.config)
    table = verdicts_table(varied, [verdicts], notes)
    assert len(table.data_rows) == len(verdicts.entries)
    assert notes[0] in table.notes


def test_without_the_configs_own_value_nothing_is_tested_over_data_sets(tmp_path: Path) -> None:
    experiment = loaded(tmp_path, f"{CONFIG}{THRESHOLDS}tables: {{scatter: quadboost}}\n")
    assert experiment.config.own_rows == frozenset()
    outcomes = all_rows(experiment)
    tables = {name: result.table for name, result in make_tables(experiment, outcomes).items()}
    assert {*tables} == {"errors", "scatter"}
    message = "No row has the config's own stumps, so nothing is tested over data sets."
    assert all(message in table.notes for table in tables.values())
    assert conclusion(context_of(experiment, "errors"), outcomes) == ""
    with pytest.raises(ConfigError, match="No row has the config's own stumps"):
        check_tables(asking_for(experiment, ranking=True))
