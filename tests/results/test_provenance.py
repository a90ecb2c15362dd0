from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from quadrepro.config.config import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.engine.records import Record
from quadrepro.results.files import environments, mixture, provenance
from quadrepro.tables.table import LABEL

Write = Callable[..., Path]


def made(date: str, numpy: str = "2.4.6", commit: str = "abc", dirty: bool = False) -> Record:
    environment: dict[str, Any] = {
        "versions": {"numpy": numpy},
        "git": {"commit": commit, "dirty": dirty},
        "processor": {"machine": "x86_64"},
    }
    return Record(f"key of {date}", "ok", date=date, environment=environment)


def test_run_json_says_what_was_asked_for_and_how_the_cells_were_computed(
    small_config: Write,
) -> None:
    record = made("2026-01-01")
    found = provenance(make_plan(load_experiment(small_config())), [record])
    assert found.experiment == "small"
    assert found.seed == found.config["seed"] == 7
    assert {*found.data} == {"monks", "people"}
    assert [*found.computed] == environments([record])


def test_cells_are_counted_by_what_they_were_computed_with() -> None:
    records = [made("2026-01-03", "1"), made("2026-01-02"), made("2026-01-01")]
    first, second = environments([*records, Record("d", "missing")])
    assert (first.cells, first.first, first.last) == (2, "2026-01-01", "2026-01-02")
    assert first.versions == {"numpy": "2.4.6"}
    assert (second.cells, second.versions) == (1, {"numpy": "1"})


def test_a_table_says_if_its_cells_were_not_all_computed_alike() -> None:
    alike = [made("2026-01-01"), made("2026-01-02", commit="def")]
    assert mixture(alike) == ""
    note = mixture([*alike, made("2026-01-03", "1")])
    assert note.startswith(LABEL)
    assert "2 sets of packages or processors" in note


def test_a_table_says_if_code_was_not_committed() -> None:
    note = mixture([made("2026-01-01"), made("2026-01-02", dirty=True)])
    assert note == f"{LABEL}1 cells were computed by code that was not committed."
