"""Commands and code in README and documentation run, and print the text below them."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import quadrepro as package
from quadrepro.config.loading import load_experiment
from quadrepro.tables.kinds import check_tables
from tests.make import quadrepro

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
CSV = "size,label\n" + "".join(f"{i},{'yes' if i % 7 > i % 5 else 'no'}\n" for i in range(60))
REST = {"title": "Example", "datasets": "[visits]", "algorithms": "[boosting]"}
"""The rest of a config, for pages that show a part of it."""

COMMANDS = ("README.md", "docs/tutorial.md", "docs/splits.md", "docs/comparing.md")
"""Pages whose commands are run in turn."""

NOT_RUN = r"make |pip |source |quadrepro fetch |quadrepro \w+ configs/table1|.*--repeats 10"


def run_python(code: str, names: dict[str, Any]) -> str:
    """Write a block that begins with a file's name, or run it and return its output."""
    if named := re.match(r"# (\w+\.py)\n", code):
        Path(named[1]).write_text(code, encoding="utf-8")
        return ""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, names)
    return printed.getvalue()


def check_config(text: str) -> None:
    """Check a config, whose data need not be here."""
    keys = re.findall(r"^(\w+):", text, re.MULTILINE)
    if {"protocol", "algorithms"} & {*keys}:
        rest = [f"{key}: {value}" for key, value in REST.items() if key not in keys]
        Path("example.yaml").write_text("\n".join([*rest, text]), encoding="utf-8")
        output = quadrepro("check", "example.yaml").output
        assert re.search("\\d cells, |not here|unknown data set 'my'", output), f"{text}\n{output}"


def run_commands(block: str) -> None:
    """Run commands and compare their output with the text below them."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, text = part.partition("\n")
        if not re.match(NOT_RUN, command):
            result = quadrepro(*shlex.split(command, comments=True)[1:])
            assert result.exit_code == 0, result.output
            printed = re.sub(r"\s+", " ", result.output)
            lines = [line for line in text.splitlines() if line not in ("", "...")]
            assert [line for line in lines if re.sub(r"\s+", " ", line) not in printed] == []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # other packages' estimators warn
@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run_and_print_what_is_shown(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    Path("results").mkdir()
    for folder in ("examples", "results/table1"):
        Path(folder).symlink_to(ROOT / folder)
    example = ROOT / "examples" / "my-paper" / "my-paper.yaml"
    small = partial(package.reproduce, example, out=tmp_path / "out")
    monkeypatch.setattr(package, "reproduce", lambda name, jobs: small(jobs=1))
    Path("my.csv").write_text(CSV)
    text = (ROOT / page).read_text(encoding="utf-8")
    if config := re.search(r"`(mine\.yaml)`:\n\n```yaml\n(.*?)```", text, re.DOTALL):
        Path(config[1]).write_text(config[2])
    printed, names = "", dict[str, Any]()
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        if language == "python":
            printed = run_python(block, names)
        elif language == "text" and printed:
            assert printed == block
        elif language == "yaml":
            check_config(block)
        elif language == "console" and page in COMMANDS:
            run_commands(block)


def test_the_readme_shows_a_committed_table_and_the_counts_of_the_scoreboard() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    scoreboard = (ROOT / "results" / "README.md").read_text(encoding="utf-8")
    [(file, rows)] = re.findall(r"<!-- (results/\S+) -->\n\n(.*?)<!-- end -->", readme, re.DOTALL)
    table = (ROOT / file).read_text(encoding="utf-8")
    # Times depend on the machine.
    rows, table = (re.sub(r"\| Mean running time.*\n", "", text) for text in (rows, table))
    assert rows.strip() in table
    means = r"(\d+) of the (\d+) printed means are .* and (\d+) under"
    [counts] = re.findall(means, scoreboard)
    [sentence] = [line for line in readme.splitlines() if "printed means" in line]
    assert sorted(re.findall(r"\d+", sentence)) == sorted(counts)
    papers = re.findall(r"^\| \[.*\]\(results/.*\| (.*?) \| ([\d, ]+) \|$", readme, re.MULTILINE)
    assert len(papers) == len([*(ROOT / "quadrepro" / "papers").glob("*/paper.yaml")])
    first_table = scoreboard.partition("\n|:")[2].partition("\n\n")[0].splitlines()[1:]
    expected = []
    for line in first_table:
        _, numbers, _, _, *claims, _ = (field.strip() for field in line.strip("|").split("|"))
        expected.append((numbers, ", ".join(claims)))
    assert sorted(papers) == sorted(expected)


def test_configs_that_ship_are_valid_and_their_results_are_committed() -> None:
    for path in (ROOT / "configs").glob("*.yaml"):
        check_tables(load_experiment(path))
        assert (ROOT / "results" / path.stem / "run.json").is_file()


def test_the_map_names_functions_that_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text[text.index("## The map") : text.index("## Words")]
    places = re.findall(r"([a-z_]+(?:/[a-z_]+)*\.py): ([A-Za-z_.]+)", section)
    assert len(places) > 15
    for file, name in places:
        defined = (package.__path__[0] / Path(file)).read_text(encoding="utf-8")
        for part in name.split("."):
            assert re.search(rf"^\s*(def|class) {part}\b", defined, re.MULTILINE), (file, name)


def test_every_public_estimator_is_checked_by_scikit_learns_checks_and_documented() -> None:
    from tests.core.variants import ALL, STAGEWISE

    names = {n for n in package.__all__ if n.endswith(("Classifier", "Regressor"))}
    assert names <= {type(estimator).__name__ for estimator in [*ALL, *STAGEWISE]}
    api = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert {name for name in names if f".{name}" not in api} == set()
