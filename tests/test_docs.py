"""README, --help, configs and committed results say the same."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

from quadrepro.cli import VERBS, main
from quadrepro.config.loading import load_experiment
from quadrepro.report.compare import TIMED
from quadrepro.report.files import check_tables

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONFIGS = sorted((ROOT / "configs").glob("*.yaml"))


def test_the_readme_shows_the_quickstarts_table_as_it_is_committed() -> None:
    table = (ROOT / "results" / "quickstart" / "risks.md").read_text(encoding="utf-8")
    shown = README.split("<!-- results/quickstart/risks.md -->")[1].split("<!-- end -->")[0]
    timeless = [line for line in table.splitlines()[2:] if not any(t in line for t in TIMED)]
    assert [line for line in shown.strip().splitlines() if TIMED[0] not in line] == timeless


def test_the_readme_names_the_two_commands_and_the_makefile_has_them() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"(?:`|\$ )make ([a-z-]+)", README):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    assert README.index("make quickstart") < README.index("make test") < 700


@pytest.mark.parametrize("verb", VERBS)
def test_the_readme_names_every_verb_and_only_options_that_there_are(verb: str) -> None:
    assert f"`quadrepro {verb} " in README
    text = CliRunner().invoke(main, [verb, "--help"]).output
    row = next(line for line in README.splitlines() if line.startswith(f"| `quadrepro {verb} "))
    for option in re.findall(r"`(--[a-z]+)`", row):
        assert option in text


def test_exit_codes_are_the_same_in_the_readme_and_in_help() -> None:
    text = " ".join(CliRunner().invoke(main, ["--help"]).output.split())
    codes = text[text.index("Exit codes:") :]
    assert codes in " ".join(README.split())


def test_the_readmes_config_can_be_used(tmp_path: Path) -> None:
    example = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)[0]
    path = tmp_path / "example.yaml"
    path.write_text(example, encoding="utf-8")
    config = load_experiment(path).config
    assert [d.title for d in config.datasets] == ["monks", "car-vgood", "4 against 9", "abalone"]


def test_the_readmes_draws_sweeps_and_contestants_can_be_used(tmp_path: Path) -> None:
    example = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)[2]
    path = tmp_path / "example.yaml"
    path.write_text(f"title: Example\n{example}", encoding="utf-8")
    experiment = load_experiment(path)
    check_tables(experiment)
    assert [row.value for row in experiment.config.rows] == [0, 0.1, 0.5]


def test_the_readmes_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(re.findall(r"```python\n(.*?)```", README, re.DOTALL)[0], {})
    assert "LPBoostClassifier 0.9" in capsys.readouterr().out


@pytest.mark.parametrize("path", CONFIGS, ids=lambda p: p.stem)
def test_every_config_that_ships_is_valid(path: Path) -> None:
    check_tables(load_experiment(path))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda p: p.stem)
def test_every_config_has_its_results_committed(path: Path) -> None:
    files = {p.name for p in (ROOT / "results" / path.stem).iterdir()}
    claims = {"claims.md", "claims.csv"} if load_experiment(path).config.tables.claims else set()
    assert {"risks.md", "comparisons.md", "cells.csv", "run.json"} | claims <= files


def test_the_papers_grids_are_in_the_config_of_table_1() -> None:
    by_name = {
        a.name: a.make_grids(np.random.default_rng(0))[0]
        for a in load_experiment(ROOT / "configs" / "table1.yaml").config.algorithms
    }
    sizes = {name: len(grid.candidates) for name, grid in by_name.items()}
    assert sizes == {
        "quadboost-l1": 10,
        "quadboost-l2": 100,
        "quadboost-linf": 100,
        "quadboost": 10,
        "lpboost": 10,
        "adaboost": 10,
    }
    ends = {
        (name, axis): (min(values), max(values))
        for name, grid in by_name.items()
        for axis, values in grid.axes
    }
    assert ends == {
        ("quadboost-l1", "lam"): (1e-4, 1.0),
        ("quadboost-l2", "n_rounds"): (10, 100_000),
        ("quadboost-l2", "lam"): (1.0, 1e3),
        ("quadboost-linf", "n_rounds"): (1, 100_000),
        ("quadboost-linf", "alpha_max"): (1e-4, 1e-1),
        ("quadboost", "n_rounds"): (1, 1000),
        ("lpboost", "C"): (1e-3, 1e3),
        ("adaboost", "n_rounds"): (100, 1_000_000),
    }


def test_no_file_names_a_registrys_host() -> None:
    for name in ("constraints.txt", "pyproject.toml", "Makefile", ".ci/run"):
        assert "://" not in (ROOT / name).read_text(encoding="utf-8")


def test_constraints_pin_every_direct_dependency() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    pinned = {
        line.split("==")[0].lower()
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if "==" in line
    }
    blocks = re.findall(r"^(?:dependencies|dev) = \[(.*?)\]", project, re.DOTALL | re.MULTILINE)
    names = {re.split(r"[><=]", n)[0].lower() for b in blocks for n in re.findall(r'"(.+?)"', b)}
    assert names <= pinned


def test_cards_are_plain_yaml() -> None:
    for path in (ROOT / "datasets").glob("*.yaml"):
        assert yaml.safe_load(path.read_text(encoding="utf-8"))["name"] == path.stem
