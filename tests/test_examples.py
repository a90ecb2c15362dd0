"""The papers of the examples reach verdicts."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import quadrepro
from quadrepro.base.yaml import read_yaml, to_yaml
from quadrepro.config.loading import load_experiment
from quadrepro.tables.printed import described

PAPERS = Path(__file__).resolve().parents[1] / "examples" / "papers"

COPIED = {"openml-weka": "20 of 20", "many-classifiers": "16 of 16", "interpretml": "9 of 25"}
"""Papers of the examples, and how many of their printed numbers are recomputed."""

HERE = {"openml-weka": ["balance"], "many-classifiers": ["wdbc"], "interpretml": ["wdbc"]}
"""Their data sets that need no network."""


@pytest.mark.parametrize("name", COPIED)
def test_printed_numbers_of_a_paper_meet_cells(name: str) -> None:
    [text] = described(load_experiment(PAPERS / name / f"{name}.yaml"))
    assert f": {COPIED[name]} numbers are recomputed" in text
    assert {*COPIED} == {path.name for path in PAPERS.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("name", COPIED)
def test_a_paper_reaches_verdicts(name: str, tmp_path: Path) -> None:
    path = shutil.copytree(PAPERS / name, tmp_path / name) / f"{name}.yaml"
    config = read_yaml(path).data
    rows = [{"name": row} if isinstance(row, str) else row for row in config["datasets"]]
    config["datasets"] = [row for row in rows if row["name"] in HERE[name]]
    assert len(config["datasets"]) == len(HERE[name])
    if "outer" in (split := config["protocol"]["split"]):
        split["outer"] = split["outer"].removeprefix("3x")
    for algorithm in config["algorithms"]:
        if "grid" in algorithm:
            algorithm["grid"]["n_rounds"] = [5]
    path.write_text(to_yaml(config), encoding="utf-8")
    results = quadrepro.reproduce(path, jobs=1, out=tmp_path, progress=False)
    verdicts = (results.folder / "verdicts.md").read_text(encoding="utf-8")
    judged = len(config["datasets"]) * len(config["algorithms"])
    assert re.search(rf"^Inside: \d of {judged}, outside: \d", verdicts, re.MULTILINE)
