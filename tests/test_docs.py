"""What README and pages show runs as it is written, and prints what they say."""

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
from quadrepro.tables.made import check_tables
from tests.cli.call import quadrepro

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
CSV = "size,label\n" + "".join(f"{i},{'yes' if i % 7 > i % 5 else 'no'}\n" for i in range(60))
REST = {
    "title": "title: Example",
    "datasets": "datasets: [visits]",
    "algorithms": "algorithms: [{name: adaboost, grid: {n_rounds: 5}}]",
}
"""What a config needs where a page shows a part of it."""

COMMANDS = ("README.md", "docs/tutorial.md", "docs/splits.md", "docs/comparing.md")
"""Pages whose commands are run in turn."""

NOT_RUN = r"make |pip |source |quadrepro fetch |quadrepro \w+ configs/table1|.*--repeats 10"


def run_python(code: str, names: dict[str, Any]) -> str:
    """Write a block that begins with a file's name, or run it and return what it prints."""
    if named := re.match(r"# (\w+\.py)\n", code):
        Path(named[1]).write_text(code, encoding="utf-8")
        return ""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, names)
    return printed.getvalue()


def run_config(text: str) -> None:
    """Run one split of a config, or check it if its data are not here."""
    if not re.search(r"^(protocol|algorithms):", text, re.MULTILINE):
        return
    rest = [line for key, line in REST.items() if not re.search(rf"^{key}:", text, re.MULTILINE)]
    whole = "\n".join([*rest, text])
    if "holdout" in text:
        whole = whole.replace(", grid: {n_rounds: 5}", "")
    Path("example.yaml").write_text(whole, encoding="utf-8")
    words = ("--repeats", 1) if "outer" not in text and "column:" not in text else ()
    result = quadrepro("run", "example.yaml", "--jobs", 1, "--no-report", *words)
    lacking = re.search("not here|unknown data set 'my'", result.output)
    assert result.exit_code == 0 or lacking, f"{text}\n{result.output}"


def run_commands(block: str) -> None:
    """Run commands and compare what they print with what is shown below them."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        if not re.match(NOT_RUN, command):
            result = quadrepro(*shlex.split(command, comments=True)[1:])
            assert result.exit_code == 0, result.output
            printed = re.sub(r"\s+", " ", result.output)
            lines = [line for line in shown.splitlines() if line not in ("", "...")]
            assert [line for line in lines if re.sub(r"\s+", " ", line) not in printed] == []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of estimators of other packages
@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run_and_print_what_is_shown(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    Path("results").mkdir()
    for shown in ("examples", "results/table1"):
        Path(shown).symlink_to(ROOT / shown)
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
            run_config(block)
        elif language == "console" and page in COMMANDS:
            run_commands(block)


def test_the_readme_shows_a_committed_table_but_for_measured_times() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [(file, shown)] = re.findall(r"<!-- (results/\S+) -->\n\n(.*?)<!-- end -->", readme, re.DOTALL)
    table = (ROOT / file).read_text(encoding="utf-8").splitlines()[2:]
    lines = [line for line in table if not line.startswith("| Mean running time")]
    assert [line for line in shown.strip().splitlines() if "running time" not in line] == lines


def test_the_readme_has_the_counts_of_the_scoreboard() -> None:
    scoreboard = (ROOT / "results" / "README.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[.*\]\(results/.*\| (.*?) \| (\d+) of (\d+) \|$", readme, re.MULTILINE)
    for numbers, hold, _ in rows:
        assert re.search(
            rf"^\|.*\| *{re.escape(numbers)} \|.*\| +{hold} \|", scoreboard, re.MULTILINE
        )
    assert len(rows) == len([*(ROOT / "quadrepro" / "papers").glob("*/paper.yaml")])
    means = r"Of the (\d+) printed means,? (\d+) are .* and (\d+) under"
    assert re.findall(means, readme) == re.findall(means, scoreboard) != []


def test_configs_that_ship_are_valid_and_their_results_are_committed() -> None:
    for path in (ROOT / "configs").glob("*.yaml"):
        check_tables(load_experiment(path))
        assert (ROOT / "results" / path.stem / "run.json").is_file()
