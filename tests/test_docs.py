"""README, --help, configs and committed results say the same."""

from __future__ import annotations

import itertools
import re
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.model_selection
import yaml
from click.testing import CliRunner
from quadrepro.tables.requests import find_verdicts, written

import quadrepro
from quadrepro.cli import main
from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.core.protocol import SplitRule
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.engine.worker import run_cell
from quadrepro.papers.paper import load_paper, paper_names
from quadrepro.results.files import check_tables, make_manifest, make_tables
from quadrepro.results.folder import read_folder
from quadrepro.results.pages.page import PAGE
from quadrepro.results.scoreboard import (
    papers_table,
    read_boards,
    read_results,
    scoreboard_text,
    two_counts,
)
from quadrepro.tables.table import row_start, start_of_row

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = ROOT / "examples" / "my-paper" / "my-paper.yaml"
CONFIGS = sorted((ROOT / "configs").glob("*.yaml"))


def test_the_readme_shows_the_quickstarts_table_as_it_is_committed() -> None:
    table = (ROOT / "results" / "quickstart" / "risks.md").read_text(encoding="utf-8")
    shown = README.split("<!-- results/quickstart/risks.md -->")[1].split("<!-- end -->")[0]
    manifest = read_folder(ROOT / "results" / "quickstart").manifest
    assert manifest is not None

    def timeless(lines: list[str]) -> list[str]:
        timed = {start_of_row(name, ".md") for name in manifest.tables["risks"].timed_rows}
        return [line for line in lines if row_start(line, ".md") not in timed]

    assert timeless(shown.strip().splitlines()) == timeless(table.splitlines()[2:])
    assert len(timeless(table.splitlines())) == len(table.splitlines()) - 1


def test_the_scoreboard_is_that_of_the_committed_results() -> None:
    text = scoreboard_text(read_results(ROOT / "results"))
    assert (ROOT / "results" / "README.md").read_text(encoding="utf-8") == text


def test_the_readme_has_the_scoreboards_counts() -> None:
    boards, _ = read_boards(read_results(ROOT / "results"))
    found = re.findall(r"^\| \[.*?\]\(results/([a-z]+).*\| (.*?) \| (.*?) \|$", README, re.M)
    shown = {{"table": "quadboost"}.get(name, name): counts for name, *counts in found}
    assert {*shown} == {*paper_names()}
    for board, (_, inside, _, _, *fates) in zip(boards, papers_table(boards)[1], strict=True):
        numbers, claims = shown[board.name]
        assert numbers == inside
        assert claims.startswith(f"{fates[0]} of {sum(map(int, fates))}")


def test_the_readme_has_both_counts_of_printed_means() -> None:
    boards, _ = read_boards(read_results(ROOT / "results"))
    means, text, best = re.findall(r"\d+", two_counts(boards))
    found = re.search(r"Of the (\d+) printed means (\d+) are .* and (\d+) under", README)
    assert found is not None
    assert found.groups() == (means, text, best)


def test_every_printed_table_and_group_of_claims_counts_in_the_scoreboard() -> None:
    boards, others = read_boards(read_results(ROOT / "results"))
    assert {board.name for board in boards} == {*paper_names()}
    assert not others
    for board in boards:
        paper = load_paper(board.name)
        assert {*board.claims} == {*paper.groups}
        assert {*board.scores} == {*paper.tables}
        assert board.counting == len(paper.file.experiments)


def test_the_readme_names_the_two_commands_and_the_makefile_has_them() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"(?:`|\$ )make ([a-z-]+)", README):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    assert README.index("$ make quickstart") < README.index("$ make test")
    assert len(README.splitlines()) <= 130


def test_exit_codes_are_the_same_in_the_docs_and_in_help() -> None:
    text = " ".join(CliRunner().invoke(main, ["--help"]).output.split())
    codes = text[text.index("Exit codes:") :]
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert codes in " ".join(page.split())


def test_the_python_of_its_page_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    small = partial(quadrepro.reproduce, EXAMPLE, out=tmp_path)  # the quickstart takes a minute
    monkeypatch.setattr(quadrepro, "reproduce", lambda name, jobs: small(jobs=1))
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    door, statistics, estimators = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    exec(door, names)
    assert names["results"].folder == tmp_path / EXAMPLE.stem
    assert names["committed"].tables[0] == "risks"
    exec(statistics, {})
    assert capsys.readouterr().out.startswith("0.125\nTTest(")
    exec(estimators, {})
    assert "LPBoostClassifier 0.9" in capsys.readouterr().out


ESTIMATORS = (ROOT / "docs" / "estimators.md").read_text(encoding="utf-8")
CLASSES = (ROOT / "docs" / "classes.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```", ESTIMATORS + CLASSES, re.DOTALL)


@pytest.mark.filterwarnings("ignore")  # of estimators of other packages
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: text.partition("\n")[0])
def test_the_configs_of_estimators_and_classes_run(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    for package in re.findall(r"(\w+boost|lightgbm):", example):
        pytest.importorskip(package)
    own = re.findall(r"```python\n# (\S+)\n(.*?)```", ESTIMATORS, re.DOTALL)
    for name, code in own:
        (tmp_path / name).write_text(code, encoding="utf-8")
    (tmp_path / "example.yaml").write_text(example, encoding="utf-8")
    cells = make_plan(load_experiment(tmp_path / "example.yaml", repeats=1)).cells
    assert [run_cell(cell.ready()).message for cell in cells] == [""] * len(cells)


@pytest.mark.parametrize("page", ["comparing.md", "algorithms.md"])
def test_the_pages_print_what_they_say(
    page: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    snippets = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", text, re.DOTALL)
    assert snippets
    for code, printed in snippets:
        exec(code, names)
        assert capsys.readouterr().out == printed


def test_the_pages_splits_can_be_drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "splits.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec("".join(code), {})
    [command] = re.findall(r"^\$ quadrepro (.*)$", text, re.MULTILINE)
    assert CliRunner().invoke(main, command.split()).exit_code == 0
    examples = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert len(examples) > 5
    for example in examples:
        algorithm = "" if "holdout" in example else ", grid: {n_rounds: [1, 5]}"
        rest = f"title: Example\ndatasets: [visits]\nalgorithms: [{{name: adaboost{algorithm}}}]\n"
        (tmp_path / "example.yaml").write_text(rest + example, encoding="utf-8")
        plan = make_plan(load_experiment(tmp_path / "example.yaml"))
        plan.check_data()
        for cell in plan.cells:
            split = cell.problem.split
            assert not {*split.train} & {*split.test}
            assert len(split.train) > 1


def test_the_page_on_splits_shows_every_field_and_names_splitters_that_there_are() -> None:
    text = (ROOT / "docs" / "splits.md").read_text(encoding="utf-8")
    assert {field for field in SplitRule.model_fields if f"{field}:" not in text} == set()
    splitters = set(re.findall(r"`([A-Z]\w+(?:Split|Fold|Out))`", text))
    assert len(splitters) > 10
    assert splitters <= set(sklearn.model_selection.__all__)


def test_the_page_on_comparing_shows_the_ranking_as_it_is_printed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "comparing.md").read_text(encoding="utf-8")
    [command] = re.findall(r"^\$ quadrepro (.*)$", text, re.MULTILINE)
    shown = text.split("<!-- quadrepro rank -->")[1].split("<!-- end -->")[0]
    assert CliRunner().invoke(main, command.split()).stdout.strip() == shown.strip()
    functions = re.findall(r"^\|[^|]*\|([^|]*)\|", text.split("## Which test")[1], re.MULTILINE)
    named = {name for cell in functions for name in re.findall(r"`(\w+)`", cell)}
    assert named <= set(quadrepro.stats.__all__)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda p: p.stem)
def test_every_config_that_ships_is_valid(path: Path) -> None:
    check_tables(load_experiment(path))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda p: p.stem)
def test_every_config_has_its_results_committed(path: Path) -> None:
    experiment = load_experiment(path)
    config, folder = experiment.config, ROOT / "results" / path.stem
    rows, columns = tuple(entry.title for entry in config.entries), tuple(experiment.titles)
    places = itertools.product(rows, columns, range(config.repeats))
    missing = dict.fromkeys(places, Record("k", "missing"))
    nothing = Outcomes(rows, columns, config.repeats, missing)
    verdicts = find_verdicts(experiment, nothing)
    requests = written(experiment, verdicts)
    manifest = make_manifest(requests, make_tables(requests, nothing), bool(verdicts))
    assert read_folder(folder).manifest == manifest
    assert "risks.md" in manifest.files
    always = {"run.json", "tables.json"}
    assert {p.name for p in folder.iterdir()} - {"notes.md", PAGE} == always | {*manifest.files}
    for stem, table in manifest.tables.items():
        texts = {name: (folder / name).read_text(encoding="utf-8") for name in table.files}
        assert texts[f"{stem}.md"].startswith(f"## {table.title}\n")
        for row in table.timed_rows:
            found = [name for name, text in texts.items() if _has_row(name, text, row)]
            assert found in ([f"{stem}.md"], [f"{stem}.csv"])


def _has_row(name: str, text: str, row: str) -> bool:
    ending = Path(name).suffix
    return start_of_row(row, ending) in (row_start(line, ending) for line in text.splitlines())


def test_the_papers_grids_are_in_the_config_of_table_1() -> None:
    by_name = {
        a.name: a.make_grids(np.random.default_rng(0))[0]
        for a in load_experiment(ROOT / "configs" / "table1.yaml").algorithms
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
    for name in ("constraints.txt", "Makefile", ".ci/run"):
        assert "://" not in (ROOT / name).read_text(encoding="utf-8")
    before, urls = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split("[project.urls]")
    assert "://" not in before + urls.partition("\n[")[2]


def dependencies(group: str) -> set[str]:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    blocks = re.findall(rf"^(?:{group}) = \[(.*?)\]", project, re.DOTALL | re.MULTILINE)
    return {re.split(r"[><=]", n)[0].lower() for b in blocks for n in re.findall(r'"(.+?)"', b)}


def test_constraints_pin_every_direct_dependency() -> None:
    pinned = {
        line.split("==")[0].lower()
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if "==" in line
    }
    assert dependencies("dependencies|dev") <= pinned


def test_contributing_gives_a_reason_for_every_dependency() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| .+ \|$", text.partition("## Dependencies")[2], re.M)
    assert {name for row in rows for name in row.split(", ")} >= dependencies("dependencies")


def test_cards_are_plain_yaml() -> None:
    for path in (ROOT / "datasets").glob("*.yaml"):
        assert yaml.safe_load(path.read_text(encoding="utf-8"))["name"] == path.stem
