"""The YAML and the commands that README and pages show can be used as they stand."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from quadrepro.base.yaml import read_yaml
from quadrepro.cli import VERBS, main
from quadrepro.cli.schemas import schema_of
from quadrepro.config.config import load_experiment
from quadrepro.engine.run import local
from quadrepro.papers.paper import load_paper
from quadrepro.results.files import check_tables

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
ELSEWHERE = ("contestants.md", "splits.md")
"""Pages whose snippets build on each other: tests/test_docs.py runs them."""

PAGES = [
    ROOT / "README.md",
    *(path for path in sorted((ROOT / "docs").glob("*.md")) if path.name not in ELSEWHERE),
]

HOME = "/home/me/quadrepro"
"""The current folder in what pages show."""

NOT_RUN = {
    r"make |source |pip |dask |kubectl ": "not a command of quadrepro",
    r".* --scheduler ": "needs a scheduler of Dask",
    r"(QUADREPRO_CACHE=usb )?quadrepro (fetch|run|check) (configs/)?table1\b": "needs the network",
    r"quadrepro (run|merge) .*(table1-distribution|part-)": "needs the network, and takes minutes",
    r"quadrepro (check|run) examples/papers/": "needs the network",
    r"quadrepro run quickstart --repeats 10": "takes minutes",
    r"quadrepro run my\.yaml": "takes a minute; tests/cli/test_init.py does so with fewer splits",
    r"quadrepro \w+ (configs|results)/mine": "is about a repository of the reader's own",
}
"""Commands that are not run, and why."""

ENDS_WITH = {"quadrepro audit ./mypaper --strict": 4}
"""Exit codes other than 0; this one is what the page says."""

NEEDS_DATA = ("mnist", "car", "spambase", "ringnorm", "wisconsin", "abalone")
"""Data sets of configs that are read, but whose rows are not here."""


class Block(NamedTuple):
    """A block of a page.

    Attributes
    ----------
    kind : str
        Its language.
    name : str
        The file that a comment above it names, or the sentence before it.
    text : str
        Its content.
    """

    kind: str
    name: str
    text: str


def blocks(page: Path) -> list[Block]:
    """Return the blocks of YAML, of CSV and of commands of a page, in their order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in re.finditer(r"^```(yaml|csv|console)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        before = text[: match.start()].rstrip().rpartition("\n\n")[2]
        named = re.fullmatch(r"<!-- (\S+\.(?:yaml|csv)) -->|.*`(\S+\.yaml)`:", before, re.DOTALL)
        name = (named[1] or named[2]) if named else "config.yaml"
        found.append(Block(match[1], name, match[2]))
    return found


def commands(block: str) -> list[tuple[str, str]]:
    """Return the commands of a block, each with the output that is shown below it."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    lines = [part.partition("\n") for part in parts]
    return [(re.sub(r"\s+# .*", "", command), shown) for command, _, shown in lines]


ALL = [(page, block) for page in PAGES for block in blocks(page)]
COMMANDS = list(dict.fromkeys(command for _, block in ALL for command, _ in commands(block.text)))


def run(command: str) -> Result:
    return CliRunner().invoke(main, shlex.split(command.removeprefix("quadrepro ")))


def reason_not_to_run(command: str) -> str:
    return next((why for form, why in NOT_RUN.items() if re.match(form, command)), "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all that pages speak of: a paper, a file of data."""
    made = tmp_path_factory.mktemp("reader")
    for name in ("configs", "examples"):
        (made / name).symlink_to(ROOT / name)
    (made / "mypaper").symlink_to(ROOT / "examples" / "my-paper" / "mypaper")
    (made / "review").symlink_to(made / "shown" / "review")
    (made / "my-paper.yaml").symlink_to(ROOT / "examples" / "my-paper" / "my-paper.yaml")
    rng = np.random.default_rng(0)
    size, width = rng.normal(size=(2, 60))
    rows = (
        f"{x:.2f},{w:.2f},{'red' if x > w else 'blue'},{'yes' if x + w > 0.5 else 'no'}"
        for x, w in zip(size, width, strict=True)
    )
    (made / "my.csv").write_text("\n".join(["size,width,colour,label", *rows]), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def quickstart(folder: Path) -> None:
    """Leave what `make quickstart` has left behind when the reader gets to other commands."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run("quadrepro run quickstart --jobs 0 --quiet --out build").exit_code == 0
    shutil.copytree(folder / "build" / "records", folder / "results" / "records")


def use_yaml(block: Block, folder: Path) -> None:
    """Check a config, or the file of a paper, as a page shows it."""
    if block.name.endswith("paper.yaml"):
        paper = folder / "shown" / block.name
        (paper.parent / "printed").mkdir(parents=True, exist_ok=True)
        printed = block.text.partition("\nprinted:\n")[2]
        for name in re.findall(r"^  (\w+):", printed, re.MULTILINE):
            text = (folder / "mypaper" / "printed" / "table1.csv").read_text(encoding="utf-8")
            if not (table := paper.parent / "printed" / f"{name}.csv").exists():
                table.write_text(text, encoding="utf-8")
        paper.write_text(block.text, encoding="utf-8")
        load_paper(str(paper.parent))
        return
    path = folder / block.name
    path.write_text(block.text, encoding="utf-8")
    schema = Draft202012Validator(schema_of("config"))
    assert [error.message for error in schema.iter_errors(read_yaml(path).data)] == []
    experiment = load_experiment(path)
    check_tables(experiment)
    if not {entry.name for entry in experiment.config.datasets} & {*NEEDS_DATA}:
        result = run(f"quadrepro check {block.name}")
        assert result.exit_code == 0, result.output


def as_shown(text: str) -> str:
    """Return text without what differs from one computer to another: folders and rounding."""
    text = text.replace(str(Path.cwd()), HOME)
    return re.sub(r"\d\.\de-\d\d", "#", text).strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_shows_can_be_used(
    page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if re.search(r"^\$ quadrepro .*quickstart", page.read_text(encoding="utf-8"), re.MULTILINE):
        request.getfixturevalue("quickstart")
    # Tables are the same without workers, which take seconds to begin.
    monkeypatch.setattr("quadrepro.engine.run.local", lambda jobs, limits=None: local(0, limits))
    monkeypatch.chdir(folder)
    for block in blocks(page):
        if block.kind == "csv":
            (folder / "shown" / block.name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "shown" / block.name).write_text(block.text, encoding="utf-8")
        if block.kind == "yaml":
            use_yaml(block, folder)
        if block.kind != "console":
            continue
        for command, shown in commands(block.text):
            if reason_not_to_run(command):
                continue
            replaced = "--force" if re.match(r"quadrepro (init|add) ", command) else ""
            result = run(f"{command} {replaced}")
            assert result.exit_code == ENDS_WITH.get(command, 0), f"{command}\n{result.output}"
            pattern = "\n".join(
                "(?:.*\n)*?.*" if line == "..." else re.escape(line)
                for line in as_shown(shown).splitlines()
            )
            assert re.search(pattern, as_shown(result.output)), command


@pytest.mark.parametrize("command", [*filter(reason_not_to_run, COMMANDS)])
def test_a_command_that_is_not_run_has_only_options_that_there_are(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "part-*").mkdir()  # no shell replaces the star here
    program, *words = shlex.split(re.sub(r"^\w+=\w+ ", "", command))
    if program == "quadrepro":
        group = main.make_context("quadrepro", [*words], resilient_parsing=True)
        verb = main.get_command(group, words[0])
        assert verb is not None
        verb.make_context(words[0], words[1:])


@pytest.mark.parametrize("form", NOT_RUN)
def test_every_reason_not_to_run_a_command_is_needed(form: str) -> None:
    assert any(re.match(form, command) for command in COMMANDS)


def test_every_verb_and_every_page_counts() -> None:
    assert {command.split()[1] for command in COMMANDS if command[:10] == "quadrepro "} <= {*VERBS}
    shown = {page.stem for page, _ in ALL}
    assert {"README", "own-data", "auditing", "papers", "tutorial"} <= shown
