"""examples/my-paper: a paper of the user's own, from printed numbers to verdicts."""

from __future__ import annotations

import csv
import re
import shutil
from pathlib import Path

import pytest

from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.engine.records import RecordStore
from quadrepro.engine.worker import run_cell
from quadrepro.errors import ConfigError
from quadrepro.results.files import write_results
from quadrepro.tables.kinds import check_tables

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "my-paper"
README = (EXAMPLE / "README.md").read_text(encoding="utf-8")


def test_the_readme_shows_the_files_as_they_are() -> None:
    files = dict(re.findall(r"<!-- (\S+) -->\n\n```\w+\n(.*?)```", README, re.DOTALL))
    assert set(files) == {"mypaper/printed/table1.csv", "mypaper/paper.yaml", "my-paper.yaml"}
    for name, text in files.items():
        assert text == (EXAMPLE / name).read_text(encoding="utf-8")


def test_a_paper_of_the_users_own_runs_from_end_to_end(tmp_path: Path) -> None:
    experiment = load_experiment(EXAMPLE / "my-paper.yaml")
    check_tables(experiment)
    plan, store, folder = make_plan(experiment), RecordStore(tmp_path / "r"), tmp_path / "my-paper"
    for cell in plan.cells:
        store.put(run_cell(cell))
    write_results(plan, store, tmp_path)
    monks = (folder / "errors.md").read_text().splitlines()[4]
    assert monks.startswith("| monks")
    assert "(**0.231**)" in monks
    verdicts = list(csv.DictReader((folder / "verdicts.csv").read_text().splitlines()))
    assert len(verdicts) == 9
    claims = (folder / "claims.md").read_text().split("\n", 2)[2].strip()
    in_readme = README.split("<!-- claims.md -->")[1].split("<!-- end -->")[0].strip()
    assert untimed(claims) == untimed(in_readme)
    rows = list(csv.DictReader((folder / "claims.csv").read_text().splitlines()))
    words = [row["judgement on print"] for row in rows]
    assert words == ["refuted", "supported", "undecided", "supported"]


def untimed(table: str) -> list[list[str]]:
    """Return the cells of the lines without measured times."""
    lines = [line for line in table.splitlines() if line and "(measured time)" not in line]
    return [[cell.strip() for cell in line.split("|")] for line in lines]


def test_the_readmes_mistake_is_reported_as_it_shows(tmp_path: Path) -> None:
    [message] = re.findall(r"```\n(examples/my-paper/mypaper/paper.yaml:.*?)\n```", README)
    shutil.copytree(EXAMPLE, tmp_path / "my-paper")
    path = tmp_path / "my-paper/mypaper/paper.yaml"
    path.write_text(path.read_text().replace("wins-or-ties", "wins-or-tie"))
    with pytest.raises(ConfigError) as caught:
        check_tables(load_experiment(tmp_path / "my-paper/my-paper.yaml"))
    assert str(caught.value) == message.replace("examples/my-paper", str(tmp_path / "my-paper"))
