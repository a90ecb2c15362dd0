from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.config.config import Experiment, load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.engine.store import RecordStore
from quadrepro.engine.workers import run_cell
from quadrepro.results.files import check_tables, write_results
from quadrepro.tables.kinds.claims import claims_table, judge_claims
from quadrepro.tables.table import Table

CONFIG = """title: Own
protocol: {view: quadboost}
datasets: [monks, titanic]
algorithms:
  - {name: ada, algorithm: adaboost, grid: {n_rounds: 5}}
  - {name: quad, algorithm: quadboost, grid: {n_rounds: 5}}
paper: ./mypaper
tables: {claims: GROUP}
"""
PAPER = """title: Ours
names: {ada: AdaBoost, quad: QuadBoost}
notes: [Below every table.]
claims:
  table1:
    notes: [Below this one.]
    claims: &claims
      - &wins {kind: wins-or-ties, text: Ada wins, of: ada, than: quad, at_least: 2}
      - {kind: wins-or-ties, text: Ada wins one, of: ada, than: quad, at_least: 1, rows: [monks]}
      - {kind: wins-or-ties, text: Or the other, of: ada, than: quad, at_least: 1, except: [monks]}
      - {kind: times-faster, text: Ada is fast, of: ada, than: quad, times: 2}
      - {kind: lower, text: On splits, of: ada, than: quad, by: paired-t}
      - {kind: small-gap, text: Curves, between: [ada, quad], measure: train_error}
  each:
    judged: splits
    printed: [table1]
    claims: *claims
  ours:
    claims: [*wins]
  also:
    also: {measure: noiseless, words: without noise}
    claims: [*wins]
"""
TABLE = "d,ada,quad\nmonks,0.1,0.2\ntitanic,0.3,0.3\nmean_running_time_s,1,3\n"

Load = Callable[..., Experiment]


def table_of(experiment: Experiment, found: Outcomes) -> Table:
    return claims_table(experiment, found, experiment.config.tables["claims"])


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Return a function that loads the config with a group of claims and the printed table."""

    def load(group: str = "table1", table: str = TABLE) -> Experiment:
        folder = tmp_path / "mypaper"
        (folder / "printed").mkdir(parents=True, exist_ok=True)
        (folder / "paper.yaml").write_text(PAPER)
        (folder / "printed/table1.csv").write_text(table)
        (tmp_path / "own.yaml").write_text(CONFIG.replace("GROUP", group))
        return load_experiment(tmp_path / "own.yaml")

    return load


def outcomes(*splits: tuple[int, int], seconds: float = 1.0) -> Outcomes:
    """Return records where AdaBoost has so many errors of 100 on both rows, and QuadBoost 10."""
    records = {}
    for split, of_ada in enumerate(splits):
        for row, errors in zip(("monks", "titanic"), of_ada, strict=True):
            ada = Record("k", "ok", errors, 100, seconds=seconds, measures={"noiseless": [9.0]})
            records[row, "ada", split] = ada
            quad = Record("k", "ok", 10, 100, seconds=1.0, measures={"noiseless": [1.0]})
            records[row, "quad", split] = quad
    return Outcomes(("monks", "titanic"), ("ada", "quad"), len(splits), records)


def test_every_claim_is_judged_on_our_means_and_on_the_printed_table(load: Load) -> None:
    table = table_of(load(), outcomes((9, 8), (9, 10)))
    assert table.header == ("claim", "ours", "holds", "printed table", "holds in print")
    assert [(name, *(e.ours for e in entries)) for name, entries in table.rows] == [
        (
            "Ada wins",
            "2 of 2 (2 wins, 0 ties)",
            "holds",
            "2 of 2 (1 wins, 1 ties)",
            "holds",
        ),
        ("Ada wins one", "1 of 1 (1 wins, 0 ties)", "holds", "1 of 1 (1 wins, 0 ties)", "holds"),
        ("Or the other", "1 of 1 (1 wins, 0 ties)", "holds", "1 of 1 (0 wins, 1 ties)", "holds"),
        (
            "Ada is fast (measured time)",
            "1 times as fast",
            "does not hold",
            "3 times as fast",
            "holds",
        ),
        (
            "On splits",
            "significantly lower on 1 of 2, higher on 0",
            "does not hold",
            "no splits to test over",
            "not comparable",
        ),
        ("Curves", "cells missing", "not comparable", "not printed", "not comparable"),
    ]
    assert table.notes == ("Below every table.", "Below this one.")


def test_as_data_a_verdict_is_a_word_and_times_are_marked_in_a_column(load: Load) -> None:
    table = table_of(load(), outcomes((9, 11)))
    rows = list(csv.DictReader(table.to_csv().splitlines()))
    assert list(rows[0]) == ["claim", "timed", "ours", "holds", "printed", "holds in print"]
    assert [row["timed"] for row in rows] == ["false", "false", "false", "true", "false", "false"]
    assert [row["holds"] for row in rows] == [
        "does not hold",
        "holds",
        "does not hold",
        "does not hold",
        "not comparable",
        "not comparable",
    ]
    assert (rows[3]["claim"], rows[3]["ours"]) == ("Ada is fast", "1 times as fast")
    assert rows[0]["printed"] == "2 of 2 (1 wins, 1 ties)"


def test_each_split_is_judged_and_counted_but_for_times(load: Load) -> None:
    found = table_of(load("each"), outcomes((11, 9), (9, 9), (9, 8), seconds=0.5))
    first, *_, timed, on_splits, curves = [e for _, e in found.rows]
    assert [e.ours for e in first[:2]] == ["1 of 2 (1 wins, 0 ties)", "holds on 2 of 3 splits"]
    assert [e.ours for e in timed[:2]] == ["2 times as fast", "holds"]
    assert [e.ours for e in on_splits[:2]] == ["no splits to test over", "not comparable"]
    assert [e.ours for e in curves[:2]] == ["cells missing", "not comparable"]
    assert found.data_rows[0][3] == "2 of 3"
    note = "Ours: the first split's numbers, and on how many of the splits the claim holds."
    assert found.notes == (note, "Below every table.")


def test_two_splits_are_several(load: Load) -> None:
    found = table_of(load("each"), outcomes((11, 9), (9, 9)))
    assert found.rows[0][1][1].ours == "holds on 1 of 2 splits"
    assert found.notes[0].startswith("Ours: the first split's numbers")


def test_a_single_split_is_no_count(load: Load) -> None:
    found = table_of(load("each"), outcomes((9, 9)))
    assert found.rows[0][1][1].ours == "holds"
    assert found.notes == ("Below every table.",)


def test_claims_without_a_printed_table_are_judged_on_ours_alone(load: Load) -> None:
    table = table_of(load("ours"), outcomes((9, 9)))
    assert table.header == ("claim", "ours", "holds")
    assert [[e.ours for e in entries] for _, entries in table.rows] == [
        ["2 of 2 (2 wins, 0 ties)", "holds"]
    ]
    assert table.data_rows == (("Ada wins", "false", "2 of 2 (2 wins, 0 ties)", "holds", "", ""),)


def test_another_measure_is_told_and_not_judged(load: Load) -> None:
    [judged] = judge_claims(load("also"), outcomes((9, 9)), "also")
    assert judged.ours == (
        "2 of 2 (2 wins, 0 ties); without noise: 0 of 2 (0 wins, 0 ties)",
        True,
    )


@pytest.mark.parametrize(
    "table", [TABLE.replace("titanic", "zoo"), TABLE.replace("mean", "zoo,1,1\nmean")]
)
def test_other_rows_than_the_papers_are_not_judged(load: Load, table: str) -> None:
    found = table_of(load(table=table), outcomes((9, 9)))
    assert {e[i].ours for _, e in found.rows for i in (1, 3)} == {"not comparable"}
    assert found.rows[0][1][0].ours == "2 of 2 (2 wins, 0 ties)"
    n = len(table.splitlines()) - 2
    assert found.notes[0] == f"The claims speak of {n} data sets; here are 2, so nothing is judged."


def test_the_same_outcomes_give_the_same_table(load: Load) -> None:
    first, second = (table_of(load("each"), outcomes((9, 9), (8, 12))) for _ in range(2))
    assert first.to_markdown() == second.to_markdown()
    assert first.to_csv() == second.to_csv()


DRAWN = """title: Drawn
paper: rescale
protocol:
  view: default
  sample: {train: 20, test: 20}
  folds: 0
  measures: [train_mse]
datasets: [{name: m1, parameters: {sigma: 0}}]
algorithms:
  - {name: boosting, grid: {n_rounds: [1, 2, 3]}}
  - name: rboosting
    draws: 2
    draw: {n_rounds: {integers: [1, 9]}, u: {log: [1, 100]}}
tables: {claims: convergence}
"""


def test_claims_on_curves_are_not_comparable_where_hyper_parameters_are_drawn(
    tmp_path: Path,
) -> None:
    path = tmp_path / "drawn.yaml"
    path.write_text(DRAWN)
    experiment = load_experiment(path)
    check_tables(experiment)
    plan, store = make_plan(experiment), RecordStore(tmp_path / "records")
    for cell in plan.cells:
        store.put(run_cell(cell))
    _, found = write_results(plan, store, tmp_path / "results")
    assert all(record.ok for record in found.records.values())
    rows = list(csv.DictReader((tmp_path / "results/claims.csv").read_text().splitlines()))
    one_curve = "hyper-parameters are drawn or searched over, so there is no one curve"
    assert [(row["ours"], row["holds"]) for row in rows] == [
        (one_curve, "not comparable"),
        ("too few rounds from 100 on", "not comparable"),
        (one_curve, "not comparable"),
    ]
