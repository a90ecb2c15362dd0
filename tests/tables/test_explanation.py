from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.config.config import load_experiment
from quadrepro.config.plan import Plan, make_plan
from quadrepro.engine.records import Record, RecordStore
from quadrepro.engine.worker import run_cell
from quadrepro.errors import ConfigError
from quadrepro.tables.explanation import cells_of, explain, sample


@pytest.fixture
def plan(small_config: Callable[..., Path]) -> Plan:
    return make_plan(load_experiment(small_config(), 2))


def test_an_entry_is_found_by_name_or_title(plan: Plan) -> None:
    for column in ("quadboost-l2", "QuadBoost-L2 (10 stumps per attribute)"):
        cells = cells_of(plan, "people", column)
        assert [(c.dataset, c.algorithm) for c in cells] == [("people", "quadboost-l2")] * 2
    assert [cell.repeat for cell in cells_of(plan, "monks", "ada", 1)] == [1]


@pytest.mark.parametrize(
    ("row", "column", "repeat", "message"),
    [
        ("peple", "ada", None, "unknown row 'peple'; did you mean 'people'"),
        ("people", "adda", None, "unknown column 'adda'; did you mean 'ada'"),
        ("people", "ada", 2, "there are repeats 0 to 1, but no 2"),
    ],
)
def test_what_is_not_there_is_refused_with_the_nearest_name(
    plan: Plan, row: str, column: str, repeat: int | None, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        cells_of(plan, row, column, repeat)


def test_the_chain_leads_from_the_result_to_data_code_and_machine(
    plan: Plan, tmp_path: Path
) -> None:
    store, cell = RecordStore(tmp_path), plan.cells[0]
    record = run_cell(cell)
    chain = dict(explain(cell, record, store))
    assert chain["result"] == f"{record.errors} of {record.n_test} test examples wrong"
    assert chain["data"] == plan.datasets["monks"].content_hash
    assert chain["split"] == f"SHA-256 {cell.problem.split.hash}"
    assert chain["code"] == cell.content["code"]
    assert chain["record"] == str(store.path(cell.key))
    assert "numpy" in chain["versions"]
    assert chain["seed"] == "7, with the names 'monks' and 0"


def test_what_was_not_computed_is_explained_as_far_as_it_is_known(
    plan: Plan, tmp_path: Path
) -> None:
    store, cell = RecordStore(tmp_path), plan.cells[0]
    chain = dict(explain(cell, Record(cell.key, "missing"), store))
    assert chain["result"] == "missing: not computed"
    assert not {"computed", "record"} & {*chain}
    failed = Record(cell.key, "crashed", message="its worker process ended with exit code 3")
    chain = dict(explain(cell, failed, store))
    assert chain["result"] == "crashed: its worker process ended with exit code 3"


def test_a_sample_has_three_cells_of_every_algorithm_in_their_order(
    small_config: Callable[..., Path],
) -> None:
    cells = make_plan(load_experiment(small_config(), 6)).cells
    some = sample(cells, 0)
    assert Counter(cell.algorithm for cell in some) == {"quadboost-l2": 3, "ada": 3}
    assert some == [cell for cell in cells if cell in some]
    assert some == sample(cells, 0)
    assert some != sample(cells, 1)
