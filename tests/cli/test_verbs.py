from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner

from quadrepro.cli import VERBS, main
from quadrepro.core.learners.registry import ALGORITHMS
from tests.cli.call import quadrepro

Write = Callable[..., Path]


def test_help_names_every_verb_and_the_exit_codes() -> None:
    text = quadrepro("--help").output
    assert all(f"  {verb}  " in text for verb in VERBS)
    assert "130 interrupted" in " ".join(text.split())


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself_as_the_overview_does(verb: str) -> None:
    text = quadrepro(verb, "--help").output
    assert VERBS[verb] in " ".join(text.split())


def completed(words: list[str], incomplete: str) -> list[str]:
    """Return what a shell offers."""
    shell = BashComplete(main, {}, "quadrepro", "_QUADREPRO_COMPLETE")
    return [item.value for item in shell.get_completions(words, incomplete)]


def test_every_verb_is_listed_and_completed() -> None:
    listed = re.findall(r"^  ([a-z][a-z-]*)  ", quadrepro("--help").output, re.MULTILINE)
    assert listed == [*VERBS]
    assert completed([], "") == listed


def test_shells_complete_verbs_and_options() -> None:
    assert completed([], "ch") == ["check"]
    assert completed(["check", "table1"], "--c") == ["--cells"]
    assert completed(["list"], "data") == ["datasets"]


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from quadrepro.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'numpy', 'pandas', 'sklearn', 'pydantic', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_checks_and_tables_import_nothing_that_only_computing_needs(
    small_config: Write, tmp_path: Path
) -> None:
    every = "".join(f"\nfind_entry({name!r}).learner" for name in ALGORITHMS)
    code = (
        "import sys; from quadrepro.cli import main; "
        f"from quadrepro.core.learners.registry import find_entry{every}\n"
        f"for verb in ('check', 'table'): main([verb, {str(small_config())!r}, '--out', "
        f"{str(tmp_path)!r}], standalone_mode=False)\n"
        "print(sorted({'sklearn', 'scipy.stats', 'numba'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


BAD = [
    (("run", "nowhere.yaml"), 2, "nowhere.yaml: no such file"),
    (("run", "tabel1"), 2, "unknown config 'tabel1'; did you mean 'table1'?"),
    (("run", "table1", "--data", "/nonexistent"), 3, "the data folder /nonexistent does not exist"),
    (("check", "table1"), 3, "  pima: mirror, OpenML 37"),
    (("run", "table1", "--jobs", "-1"), 2, "'--jobs'"),
    (("run", "table1", "--repeats", "none"), 2, "'--repeats'"),
    (("list", "nothing"), 2, "'nothing' is not one of"),
    (("ruin",), 2, "unknown command 'ruin'; did you mean 'run'?"),
]


@pytest.mark.parametrize(("words", "code", "message"), BAD)
def test_a_mistake_ends_with_its_code_and_one_clear_message(
    words: tuple[str, ...], code: int, message: str
) -> None:
    result = quadrepro(*words)
    assert result.exit_code == code
    assert message in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("risks", "tabel1", "small.yaml:19:3: the paper quadboost has no printed table 'tabel1'"),
        (
            "claims",
            "theroy",
            "small.yaml:19:3: the paper quadboost has no claims 'theroy'; did you",
        ),
    ],
)
def test_an_unknown_printed_table_is_refused_before_anything_is_computed(
    small_config: Write, tmp_path: Path, key: str, value: str, message: str
) -> None:
    path = small_config()
    path.write_text(path.read_text() + f"paper: quadboost\ntables:\n  {key}: {value}\n")
    result = quadrepro("run", path, "--out", tmp_path)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_folder_is_no_config(tmp_path: Path) -> None:
    result = quadrepro("run", tmp_path)
    assert result.exit_code == 2
    assert "is a folder" in result.stderr


def test_a_character_that_the_terminal_lacks_is_replaced(
    small_config: Callable[..., Path],
) -> None:
    path = small_config("as: people", 'as: "a → b"')
    result = CliRunner(charset="latin-1").invoke(main, ["check", str(path)])
    assert result.exit_code == 0
    assert "a ? b" in result.output
