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
from quadrepro.tables.made import check_tables, make_tables
from quadrepro.tables.notes import own_rows_note
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


def own(config: Experiment, row: str) -> str:
    """Return the title of a data set's row under the config's own reading."""
    return f"{row}, noise 0" if config.config.sweeps else row


def of_all(experiment: Experiment) -> Outcomes:
    """Return outcomes of all rows; on those that are no data sets, the order is the other one."""
    config, plain = experiment.config, {own(experiment, row): of for row, of in ERRORS.items()}
    errors = {row.entry.title: plain.get(row.entry.title, (9, 5, 1)) for row in config.rows}
    more = {row: tuple(n + 1 for n in of) for row, of in errors.items()}
    return replace(outcomes_of(errors, more), own_rows=config.own_rows)


def of_data_sets(experiment: Experiment) -> Outcomes:
    errors = {own(experiment, row): of for row, of in ERRORS.items()}
    return outcomes_of(errors, {row: tuple(n + 1 for n in of) for row, of in errors.items()})


@pytest.fixture(params=[READINGS, NOISE], ids=["readings", "sweep"])
def varied(request: pytest.FixtureRequest, tmp_path: Path) -> Experiment:
    text = f"{CONFIG}{request.param}tables: {{ranking: true, scatter: quadboost}}\n"
    return loaded(tmp_path, text)


def test_the_rows_that_count_are_those_as_the_config_has_them(varied: Experiment) -> None:
    assert len(varied.config.rows) == 18
    assert varied.config.own_rows == {own(varied, row) for row in ERRORS}


@pytest.mark.parametrize("name", ["comparisons", "ranking"])
def test_pairs_and_ranks_are_those_of_the_data_sets_alone(name: str, varied: Experiment) -> None:
    found = table_of(varied, name, of_all(varied))
    plain = table_of(varied, name, of_data_sets(varied))
    assert (found.rows, found.data_rows) == (plain.rows, plain.data_rows)
    assert own_rows_note(varied.config) in found.notes


def test_a_conclusion_is_that_of_the_data_sets_alone(varied: Experiment) -> None:
    context = context_of(varied, "comparisons")
    found = conclusion(context, of_all(varied))
    plain = conclusion(context, of_data_sets(varied))
    assert found.startswith("Best by risk over 6 data sets: QuadBoost")
    assert found == plain
    assert found.endswith(f" {own_rows_note(varied.config)}")


def test_a_printed_number_counts_once_in_what_chance_would_bring(varied: Experiment) -> None:
    printed = Printed("t", ("quadboost",), {(own(varied, "monks"), "quadboost"): "9.000"})
    other = next(row.entry.title for row in varied.config.rows if row.entry.title not in ERRORS)
    printed = replace(printed, cells={**printed.cells, (other, "quadboost"): "9.000"})
    verdicts = made(varied, "errors", of_all(varied), printed).verdicts
    assert len(verdicts.entries) > 1
    assert (len(verdicts.judged), len(verdicts.outside)) == (1, 1)
    assert "t,1,0,1,0," in score_text([verdicts])
    assert verdicts.statement({})[0].startswith("Inside: 0 of 1, outside: 1.")
    table = verdicts_table(varied, [verdicts])
    assert len(table.data_rows) == len(verdicts.entries)
    assert own_rows_note(varied.config) in table.notes


def test_without_the_configs_own_value_nothing_is_tested_over_data_sets(tmp_path: Path) -> None:
    experiment = loaded(tmp_path, f"{CONFIG}{THRESHOLDS}tables: {{scatter: quadboost}}\n")
    assert experiment.config.own_rows == frozenset()
    found = of_all(experiment)
    tables = {name: of.table for name, of in make_tables(experiment, found).items()}
    assert {*tables} == {"errors", "scatter"}
    message = "No row has the config's own stumps, so nothing is tested over data sets."
    assert all(table and message in table.notes for table in tables.values())
    assert conclusion(context_of(experiment, "errors"), found) == ""
    with pytest.raises(ConfigError, match="No row has the config's own stumps"):
        check_tables(asking_for(experiment, ranking=True))
