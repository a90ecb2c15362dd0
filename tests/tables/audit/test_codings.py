from __future__ import annotations

from pathlib import Path

import pytest

from quadrepro.errors import DataError
from quadrepro.tables.audit.codings import CODINGS
from tests.tables.audit.papers import CONFIG, failures, places, shipped, subject

FACTS = "\n  t: {codings: [../small.yaml, ../other.yaml]}"
TABLE = "d,a,b\nmonks,0.20,0.40\nwine,0.10,0.10\n"
OTHER = CONFIG.replace("[monks, wine]", "[{name: monks, as: monks 2}, {name: wine, as: wine 2}]")


def write(folder: Path, **means: dict[str, float]) -> None:
    lines = [
        f"{row},{column},{repeat},ok,{mean + 0.01 * (repeat % 3 - 1)}"
        for row, of_row in means.items()
        for column, mean in of_row.items()
        for repeat in range(9)
    ]
    folder.mkdir(parents=True)
    text = "\n".join(["dataset,algorithm,repeat,status,value", *lines, "wine,a,9,failed,"])
    (folder / "cells.csv").write_text(text.replace("2,a", " 2,a").replace("2,b", " 2,b"))


def test_a_number_of_another_coding_is_found_with_what_speaks_against_it(tmp_path: Path) -> None:
    write(tmp_path / "results" / "small", monks={"a": 0.2, "b": 0.2}, wine={"a": 0.1, "b": 0.1})
    others = {"monks2": {"a": 0.4, "b": 0.4}, "wine2": {"a": 0.1, "b": 0.1}}
    write(tmp_path / "results" / "other", **others)
    (tmp_path / "other.yaml").write_text(OTHER)
    found = subject(tmp_path, FACTS, t=TABLE)
    [failed] = failures(CODINGS, found)
    assert failed.place == ("t", "monks", "b")
    assert failed.why.endswith("; it fits the coding monks 2, which does not fit a")
    assert len(places(CODINGS, found)) == 4


def test_a_coding_of_the_whole_row_is_named_as_such(tmp_path: Path) -> None:
    write(tmp_path / "results" / "small", monks={"a": 0.2, "b": 0.2})
    write(tmp_path / "results" / "other", monks2={"a": 0.2, "b": 0.4})
    (tmp_path / "other.yaml").write_text(OTHER)
    [failed] = failures(CODINGS, subject(tmp_path, FACTS, t=TABLE))
    assert failed.why.endswith("; it fits the coding monks 2 with the whole row")


def test_without_results_nothing_is_judged(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text(OTHER)
    [finding] = CODINGS.judge(subject(tmp_path, FACTS, t=TABLE)).findings
    assert finding.holds is None
    assert finding.why.endswith("results/small/cells.csv")


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text(OTHER)
    (tmp_path / "results" / "small").mkdir(parents=True)
    (tmp_path / "results" / "small" / "cells.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="not a file of cells"):
        CODINGS.judge(subject(tmp_path, FACTS, t=TABLE))


def test_cars_adaboost_fits_another_coding_than_its_row() -> None:
    found = CODINGS.judge(shipped("quadboost")).findings
    [car] = [f for f in found if f.place == ("table1", "car", "adaboost")]
    assert car.p_value == min(f.p_value for f in found if f.p_value is not None)
    assert "car alphabetical, which does not fit quadboost-l1, quadboost-l2, quadboost" in car.why
