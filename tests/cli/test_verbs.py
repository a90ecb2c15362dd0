"""Help, completion and exit codes of all commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner

from quadrepro.cli import VERBS, main
from tests.make import Write, quadrepro


def test_help_names_every_command_as_the_command_does() -> None:
    text = quadrepro("--help").output
    assert re.findall(r"^  ([a-z]+)  ", text, re.MULTILINE)[-len(VERBS) :] == [*VERBS]
    for verb in VERBS:
        assert VERBS[verb][1] in " ".join(quadrepro(verb, "--help").output.split())


def test_shells_complete_commands_options_choices_names_and_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def completed(words: list[str], incomplete: str) -> list[str]:
        shell = BashComplete(main, {}, "quadrepro", "_QUADREPRO_COMPLETE")
        items = shell.get_completions(words, incomplete)
        return [f"{item.type} {item.value}".removeprefix("plain ") for item in items]

    assert completed([], "") == [*VERBS]
    assert completed(["run", "table1"], "--da") == ["--data", "--dask"]
    assert completed(["list"], "data") == ["datasets"]
    monkeypatch.chdir(tmp_path)
    for name in ("quick.yaml", "scores.csv"):
        Path(name).touch()
    for verb in ("run", "check", "table", "explain", "fetch"):
        assert completed([verb], "quick") == ["quick.yaml", "quickstart"]
    assert completed(["audit"], "quad") == ["quadboost"]
    assert completed(["fetch"], "monk") == completed(["list", "datasets"], "monk") == MONKS
    for words in (["audit"], ["rank"], ["init"], ["run"], ["table"], ["compare"], ["fetch"]):
        assert completed(words, "sc") == ["file sc"]
    assert completed(["run", "--out"], "re") == completed(["rank", "--out"], "re") == ["dir re"]


MONKS = ["monks", "monks_2", "monks_3"]
SCORES = "dataset,ours,theirs\na,0.9,0.8\nb,0.8,0.7\nc,0.7,0.75\nd,0.9,\n"


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("ruin", 2, "error: unknown command 'ruin'; did you mean 'run'?\nsee: main --help\n"),
        ("", 2, "Usage: "),
        ("run tabel1", 2, "error: unknown config 'tabel1'; did you mean 'table1'?\n"),
        ("run table1 --data /nowhere", 3, "error: the data folder /nowhere does not"),
        ("run small.yaml small.yaml", 2, "two configs are called 'small'"),
        ("run small.yaml --shard 3/2", 2, "'3/2' is not a part such as 1/4, the first of four"),
        ("run small.yaml --shard 0/2", 2, "'0/2' is not a part"),
        ("run small.yaml --dask tcp://localhost:1 --jobs 2", 2, "leave out --dask"),
        ("table", 2, "give a config, a results folder, or --all"),
        ("table x --all", 2, "give a config, a results folder, or --all"),
        ("table x --repeats x", 2, "'--repeats': 'x' is not a valid integer range\n"),
        ("table --all --out nowhere", 2, "nowhere holds no results folder"),
        ("audit quadboost --draft", 2, "options for a table need a file, not 'quadboost'"),
        ("audit quadboost --n-test a", 2, "options for a table need a file, not 'quadboost'"),
        ("audit missing.csv", 2, "missing.csv: no such file or folder"),
        ("run mine", 2, "did you mean 'mine.yaml'?"),
        ("audit quadbost", 2, "unknown paper 'quadbost'; did you mean 'quadboost'?"),
        ("rank scores.csv", 2, "error: scores.csv: are higher or lower scores better? Give --hi"),
        ("rank scores.csv --lower-is-better", 3, "scores are missing in d: theirs; fill"),
        ("fetch", 2, "name data sets or configs, or use --all"),
        ("fetch wines", 2, "unknown data set or config 'wines'; did you mean 'wine'?"),
        ("fetch table", 2, "unknown data set or config 'table'; did you mean 'table1'?"),
        ("list nothing", 2, "\nsee: main list --help\n"),
        ("list datasets monk", 2, "did you mean 'monks'?"),
        ("list keys crad", 2, "unknown kind of file 'crad'; did you mean 'card'?"),
        ("list keys card --markdown", 2, "--markdown goes with the keys of a config"),
        ("list algorithms adaboost", 2, "NAME goes with keys and datasets"),
    ],
)
def test_a_mistake_ends_with_its_code_and_a_message(
    small_config: Write, monkeypatch: pytest.MonkeyPatch, line: str, code: int, message: str
) -> None:
    monkeypatch.chdir(small_config().parent)
    Path("scores.csv").write_text(SCORES)
    Path("mine.yaml").write_text("title: x\n")
    result = quadrepro(*line.split())
    assert result.exit_code == code
    assert message in result.stderr
    assert not result.stdout


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("table small.yaml --repeats 2 --out results", "Small: test risks"),
        ("audit quadboost", "Audit of Efficient Learning of Ensembles with QuadBoost"),
    ],
)
def test_tables_are_drawn_on_a_terminal_and_markdown_if_asked_for(
    computed: Path, monkeypatch: pytest.MonkeyPatch, line: str, title: str
) -> None:
    for place in ("cli.output", "cli.papers"):
        monkeypatch.setattr(f"quadrepro.{place}.on_terminal", lambda: True)
    drawn = quadrepro(*line.split()).stdout
    assert drawn.lstrip().startswith(f"{title}\n")
    assert "|" not in drawn
    written = quadrepro(*line.split(), "--format", "markdown").stdout
    assert written.startswith(f"## {title}\n")
    assert "|" in written


@pytest.mark.parametrize("line", ["rank - --higher-is-better", "audit - --metric accuracy"])
def test_a_dash_is_standard_input(line: str, tmp_path: Path) -> None:
    path = tmp_path / "stdin"
    path.write_text(SCORES.replace("0.9,\n", "0.9,0.8\n"))
    from_file = quadrepro(*line.replace("-", str(path), 1).split())
    result = CliRunner().invoke(main, line.split(), input=path.read_bytes())
    assert (result.exit_code, result.stdout) == (0, from_file.stdout)
    assert result.stdout.startswith("## ")


def test_variables_of_the_environment_stand_for_options_that_name_them(
    small_config: Write, tmp_path: Path
) -> None:
    config = small_config()
    made = quadrepro("run", config, "--jobs", 1, "-q", QUADREPRO_OUT=str(tmp_path / "here"))
    assert (made.exit_code, made.output) == (0, "")
    assert (tmp_path / "here" / "small" / "errors.md").is_file()
    for name, value, code in (("DATA", "/nowhere", 3), ("OFFLINE", "perhaps", 2)):
        result = quadrepro("run", config, **{f"QUADREPRO_{name}": value})
        assert result.exit_code == code
        assert value in result.stderr
    text = " ".join(quadrepro("run", "--help").stdout.split())
    for name in ("DATA", "OFFLINE", "OUT"):
        assert f"env var: QUADREPRO_{name}" in text


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = quadrepro("audit", "lecture", "--out", tmp_path / "file" / "new")
    assert result.exit_code == 1
    assert result.stderr == f"error: {tmp_path / 'file' / 'new'}: Not a directory\n"


def test_an_interruption_ends_with_130_and_the_command_that_continues(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*args: object, **offline: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("quadrepro.data.fetch.bring", interrupted)
    monkeypatch.setattr("sys.argv", ["/bin/quadrepro", "fetch", "my set"])
    result = quadrepro("fetch", "monks")
    assert result.exit_code == 130
    message = "interrupted; finished work is kept; continue with: quadrepro fetch 'my set'\n"
    assert message in result.stderr


def test_a_character_that_the_terminal_lacks_is_replaced(small_config: Write) -> None:
    path = small_config("as: people", 'as: "a → b"')
    result = CliRunner(charset="latin-1").invoke(main, ["check", str(path)])
    assert result.exit_code == 0
    assert "a ? b" in result.output
