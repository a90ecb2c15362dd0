"""What all commands share: help, completion, and how they end."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner

from quadrepro.cli import VERBS, main
from tests.cli.call import quadrepro
from tests.make import lines_of

Write = Callable[..., Path]


def test_help_names_every_command_as_the_command_does() -> None:
    text = quadrepro("--help").output
    assert re.findall(r"^  ([a-z]+)  ", text, re.MULTILINE)[-len(VERBS) :] == [*VERBS]
    for verb in VERBS:
        assert VERBS[verb][1] in " ".join(quadrepro(verb, "--help").output.split())


def test_shells_complete_commands_options_and_choices() -> None:
    def completed(words: list[str], incomplete: str) -> list[str]:
        shell = BashComplete(main, {}, "quadrepro", "_QUADREPRO_COMPLETE")
        return [item.value for item in shell.get_completions(words, incomplete)]

    assert completed([], "") == [*VERBS]
    assert completed(["run", "table1"], "--da") == ["--data", "--dask"]
    assert completed(["list"], "data") == ["datasets"]


def test_help_imports_nothing_heavy() -> None:
    heavy = "{'numpy', 'pandas', 'sklearn', 'scipy', 'matplotlib', 'numba', 'pydantic'}"
    code = f"""import sys; from quadrepro.cli import VERBS, main
for words in ([], *([verb] for verb in VERBS)):
    main([*words, "--help"], standalone_mode=False)
print(sorted({heavy} & set(sys.modules)))"""
    assert lines_of(code)[-1] == "[]"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("ruin",), 2, "error: unknown command 'ruin'; did you mean 'run'?\nsee: main --help\n"),
        ((), 2, "Usage: "),
        (("table", "x", "--repeats", "x"), 2, "'--repeats': 'x' is not a valid integer range\n"),
        (("list", "nothing"), 2, "\nsee: main list --help\n"),
        (("run", "tabel1"), 2, "error: unknown config 'tabel1'; did you mean 'table1'?\n"),
        (("run", "table1", "--data", "/nowhere"), 3, "error: the data folder /nowhere does not"),
    ],
)
def test_a_mistake_ends_with_its_code_and_a_message(
    words: tuple[str, ...], code: int, message: str
) -> None:
    result = quadrepro(*words)
    assert result.exit_code == code
    assert message in result.stderr
    assert not result.stdout


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = quadrepro("audit", "lecture", "--out", tmp_path / "file" / "new")
    assert result.exit_code == 1
    assert result.stderr == f"error: {tmp_path / 'file' / 'new'}: Not a directory\n"


def test_an_interruption_ends_with_130_and_the_command_that_continues(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("quadrepro.data.fetch.missing_cards", interrupted)
    monkeypatch.setattr("sys.argv", ["/bin/quadrepro", "fetch", "my set"])
    result = quadrepro("fetch", "monks")
    assert result.exit_code == 130
    assert (
        "interrupted; finished work is kept; continue with: quadrepro fetch 'my set'\n"
        in result.stderr
    )


def test_a_character_that_the_terminal_lacks_is_replaced(small_config: Write) -> None:
    path = small_config("as: people", 'as: "a → b"')
    result = CliRunner(charset="latin-1").invoke(main, ["check", str(path)])
    assert result.exit_code == 0
    assert "a ? b" in result.output
