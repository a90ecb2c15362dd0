from __future__ import annotations

from pathlib import Path

from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.engine.records import RecordStore
from quadrepro.engine.worker import run_cell
from quadrepro.results.files import write_results
from quadrepro.tables.made import check_tables
from tests.tables.contexts import loaded, table_of

CONFIGS = Path(__file__).resolve().parents[3] / "configs"

DRAWN = """title: Drawn
protocol:
  view: default
  sample: {train: 20, test: 20}
  folds: 0
  measures: [train_mse]
datasets: [{name: sparse, as: sparse target}, {name: m1, as: piecewise function}]
algorithms:
  - {name: boosting, grid: {n_rounds: [1, 2]}}
  - name: rboosting
    draws: 3
    draw: {n_rounds: {integers: [1, 9]}, u: {log: [1, 9]}}
paper: rescale
tables: {claims: convergence}
"""


def test_claims_of_curves_over_drawn_values_are_written_and_not_judged(tmp_path: Path) -> None:
    experiment = loaded(tmp_path, DRAWN)
    check_tables(experiment)
    plan, store = make_plan(experiment), RecordStore(tmp_path / "records")
    for cell in plan.cells:
        store.put(run_cell(cell))
    outcomes = write_results(plan, store, tmp_path / "drawn").outcomes
    assert all(record.ok for record in outcomes.records.values())
    found = dict(table_of(experiment, "claims", outcomes).rows)
    texts = [text for text, _ in found.values()]
    assert texts == [
        "hyper-parameters are drawn or searched over, so there is no one curve",
        "no rounds from 100",
        "hyper-parameters are drawn or searched over, so there is no one curve",
    ]
    assert {word for _, word in found.values()} == {"not decided"}
    assert "there is no one curve" in (tmp_path / "drawn" / "claims.md").read_text()


def test_claims_on_measured_times_are_named_in_both_files(tmp_path: Path) -> None:
    experiment = load_experiment(CONFIGS.parent / "examples/my-paper/my-paper.yaml")
    plan = make_plan(experiment)
    results = write_results(plan, RecordStore(tmp_path / "records"), tmp_path / "out")
    table = results.made["claims"]
    labels, texts = table.timed_rows[::2], table.timed_rows[1::2]
    assert len(labels) == 1
    assert {*labels} < {name for name, _ in table.rows}
    assert {*texts} < {row[0] for row in table.data_rows}
    assert all("faster" in name for name in table.timed_rows)
    assert {p.name for p in (tmp_path / "out").glob("claims.*")} == {"claims.md", "claims.csv"}
    assert results.manifest.tables["claims"].timed_rows == table.timed_rows
