"""Documentation, examples and workflows: they run, and show what the package does."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import quadrepro as package
from quadrepro.base.yaml import read_yaml, to_yaml
from quadrepro.config.loading import load_experiment
from quadrepro.tables.from_paper import described
from tests.conftest import SMALL
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


PAPERS = ROOT / "examples" / "papers"

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
    results = package.reproduce(path, jobs=1, out=tmp_path, progress=False)
    verdicts = (results.folder / "verdicts.md").read_text(encoding="utf-8")
    judged = len(config["datasets"]) * len(config["algorithms"])
    assert re.search(rf"^Inside: \d of {judged}, outside: \d", verdicts, re.MULTILINE)


EXAMPLE = ROOT / "examples" / "github-actions.yml"
TABLES = ROOT / ".github" / "workflows" / "tables.yml"
WORKFLOWS = [EXAMPLE, *sorted((ROOT / ".github" / "workflows").glob("*.yml"))]


def steps_of(path: Path) -> list[dict[str, Any]]:
    return [step for job in read_yaml(path).data["jobs"].values() for step in job["steps"]]


def commands_of(path: Path) -> list[str]:
    return [step["run"] for step in steps_of(path) if "run" in step]


def verbs_of(commands: list[str]) -> list[str]:
    return re.findall(r"quadrepro (\w+)", "\n".join(commands))


def test_the_schema_of_workflows_takes_every_file() -> None:
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema"]
    command += ["--builtin-schema", "vendor.github-workflows", *map(str, WORKFLOWS)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_an_action_is_pinned_to_one_commit_everywhere() -> None:
    pins: dict[str, set[str]] = {}
    for path in WORKFLOWS:
        text = path.read_text(encoding="utf-8")
        pinned = re.findall(r"uses: ([\w-]+/[\w-]+)\S*@([0-9a-f]{40} # v\d+\.\d+\.\d+)\n", text)
        assert len(pinned) == len(re.findall(r"\buses:", text)), path
        for action, pin in pinned:
            pins.setdefault(action, set()).add(pin)
    assert {action: pin for action, pin in pins.items() if len(pin) > 1} == {}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_names_its_rights_limits_and_files(path: Path) -> None:
    workflow = read_yaml(path).data
    assert workflow["permissions"] == {"contents": "read"}
    assert all("timeout-minutes" in job for job in workflow["jobs"].values())
    caches = [step["with"] for step in steps_of(path) if step.get("with", {}).get("cache")]
    files = [name for cache in caches for name in cache["cache-dependency-path"].split()]
    if path == EXAMPLE:
        assert files == ["requirements.txt"]
    else:
        assert all((ROOT / name).is_file() for name in files)
    targets = re.findall(r"^make (?:-C \S+ )?([\w-]+)", "\n".join(commands_of(path)), re.MULTILINE)
    assert {*targets} <= {line.split()[0] for line in make_help().splitlines()}


def test_data_are_fetched_before_they_are_checked_as_the_docs_show() -> None:
    docs = (ROOT / "docs" / "many-machines.md").read_text(encoding="utf-8")
    block = docs.partition("Four commands do the work:")[2].split("```")[1]
    assert (
        verbs_of([block]) == verbs_of(commands_of(EXAMPLE)) == ["fetch", "check", "run", "compare"]
    )
    assert verbs_of(commands_of(TABLES)) == ["fetch", "run", "compare"]
    commands = "\n".join(commands_of(EXAMPLE)).replace('"', "").replace("$CONFIG", "mine")
    for line in block.strip().splitlines()[1:]:
        assert line.removeprefix("$ ") in commands


def make_help(*words: str) -> str:
    command = ["make", "--no-print-directory", *(words or ["help"])]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_make_alone_lists_every_target_in_one_line() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    [targets] = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    printed = make_help("--no-print-directory")  # no target: the default one
    assert printed == make_help()
    assert [line.split()[0] for line in printed.splitlines()] == targets.split()


def test_the_lowest_versions_are_those_of_the_dependencies() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    dependencies = text.partition("\ndependencies = [")[2].partition("]")[0]
    names = re.findall(r'"([\w-]+)>=', dependencies)
    recipe = make_help("--dry-run", "--always-make", "build/lowest.txt")
    script = recipe.splitlines()[-1].rpartition(">")[0]
    pins = subprocess.run(["sh", "-c", script], cwd=ROOT, capture_output=True, text=True).stdout
    assert re.findall(r"^([\w-]+)==[\d.]+$", pins, re.MULTILINE) == names


@pytest.mark.slow
def test_the_sdist_has_every_file_of_the_repository(tmp_path: Path) -> None:
    pytest.importorskip("build")
    clone = clone_of_repository(tmp_path)
    command = [sys.executable, "-m", "build", "--sdist", "--outdir", str(tmp_path)]
    subprocess.run(command, cwd=clone, check=True, capture_output=True)
    [path] = tmp_path.glob("quadrepro-*.tar.gz")
    with tarfile.open(path) as archive:
        packed = {member.name.partition("/")[2] for member in archive if member.isfile()}
    tracked = subprocess.run(["git", "ls-files"], cwd=clone, capture_output=True, text=True)
    assert packed == {*tracked.stdout.splitlines(), "PKG-INFO"}


def clone_of_repository(folder: Path) -> Path:
    """Clone the last commit, without anything that is ignored or not committed."""
    if not (ROOT / ".git").exists():
        pytest.skip("an unpacked sdist has no repository to clone")
    clone = folder / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    return clone


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an environment that has the packages of this one, but another place for quadrepro."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    [packages] = folder.glob("lib/python*/site-packages")
    (packages / "outer.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def run_steps(path: Path, folder: Path, environment: Path, **changed: str) -> str:
    """Run the commands of a workflow as GitHub does, and return the job's summary."""
    summary = folder.parent / "summary.md"
    env = {**os.environ, "GITHUB_STEP_SUMMARY": str(summary)}
    env.pop("PYTHONPATH", None)
    env["PATH"] = f"{environment / 'bin'}{os.pathsep}{env['PATH']}"
    for name, value in (read_yaml(path).data["env"] | changed).items():
        env[name] = value.replace("${{ github.workspace }}", str(folder))
    for command in commands_of(path):
        assert "${{" not in command
        shell = ["bash", "-e", "-c", command]
        result = subprocess.run(shell, cwd=folder, env=env, capture_output=True, text=True)
        assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return summary.read_text(encoding="utf-8")


def uploaded_by(path: Path, folder: Path, config: str) -> set[str]:
    """Return the names of the files that a workflow's last step uploads."""
    place = steps_of(path)[-1]["with"]["path"].replace("${{ env.CONFIG }}", config)
    return {file.name for file in (folder / place).iterdir()}


@pytest.mark.slow
def test_the_workflow_recomputes_a_committed_table_in_an_empty_clone(
    environment: Path, tmp_path: Path
) -> None:
    clone = clone_of_repository(tmp_path)
    assert (clone / "results" / read_yaml(TABLES).data["env"]["CONFIG"] / "errors.csv").exists()
    config = "quadboost-theory"  # a table that takes less time
    summary = run_steps(TABLES, clone, environment, CONFIG=config)
    assert "| monks " in summary
    assert {"errors.md", "report.html"} <= uploaded_by(TABLES, clone, config)


@pytest.mark.slow
def test_the_example_recomputes_tables_of_a_repository_of_ones_own(
    environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "repository"
    (folder / "configs").mkdir(parents=True)
    monkeypatch.chdir(folder)
    Path("configs/mine.yaml").write_text(SMALL)
    Path("requirements.txt").write_text(f"quadrepro @ {ROOT.as_uri()}\n")
    docs = (ROOT / "docs" / "own-data.md").read_text(encoding="utf-8")
    ignored = docs.partition("list files that a run writes again:")[2].split("```")[1].split()[1:]
    Path(".gitignore").write_text("\n".join(ignored))
    assert quadrepro("run", "configs/mine.yaml").exit_code == 0
    subprocess.run(["git", "init", "--quiet"], check=True)
    subprocess.run(["git", "add", "."], check=True)
    tracked = subprocess.run(["git", "ls-files"], capture_output=True, text=True).stdout.split()
    assert "results/mine/errors.csv" in tracked
    # A checkout has tracked files only.
    for name in tracked:
        place = tmp_path / "checkout" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(name, place)
    monkeypatch.chdir(tmp_path)
    summary = run_steps(EXAMPLE, tmp_path / "checkout", environment)
    assert "| monks " in summary
    assert {"errors.md", "report.html"} <= uploaded_by(EXAMPLE, tmp_path / "checkout", "mine")
    status = subprocess.run(["git", "add", "--dry-run", "."], cwd=folder, capture_output=True)
    assert status.stdout == b""
