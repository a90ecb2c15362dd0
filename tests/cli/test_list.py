from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from quadrepro.base.plugins import KINDS
from quadrepro.base.resources import configs_folder
from quadrepro.cli import main
from quadrepro.core.learners.registry import ALGORITHMS
from quadrepro.data.card import card_names
from quadrepro.plugins import REGISTRIES
from tests.packages import Install


def quadrepro(*words: object, width: int = 100) -> Result:
    return CliRunner(env={"COLUMNS": str(width)}).invoke(main, [str(word) for word in words])


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("datasets", card_names()),
        ("algorithms", [*ALGORITHMS, "sklearn:NAME", "MODULE:NAME"]),
        *((kind, [*REGISTRIES[kind]]) for kind in KINDS if kind != "algorithms"),
        ("experiments", sorted(p.stem for p in configs_folder().glob("*.yaml"))),
    ],
)
def test_list_names_everything(what: str, names: list[str]) -> None:
    result = quadrepro("list", what)
    assert result.exit_code == 0
    lines = result.output.splitlines()
    rule = next(i for i, line in enumerate(lines) if line.startswith("──"))
    # What is folded goes on in lines that begin with a blank.
    assert [line.split()[0] for line in lines[rule + 1 :] if line[0] != " "] == names


@pytest.mark.parametrize("what", ["datasets", "experiments", *KINDS])
@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_no_line_of_a_list_is_wider_than_the_terminal(what: str, width: int) -> None:
    lines = quadrepro("list", what, width=width).output.splitlines()
    assert max(map(len, lines)) <= width


def test_a_list_can_be_read_by_other_programs() -> None:
    rows = json.loads(quadrepro("list", "algorithms", "--format", "json").output)
    assert [row["name"] for row in rows] == [*ALGORITHMS, "sklearn:NAME", "MODULE:NAME"]
    assert rows[0]["source"] == "QuadBoost, eq. 6"
    text = quadrepro("list", "algorithms", "--format", "csv").output
    assert list(csv.DictReader(io.StringIO(text))) == rows
    markdown = quadrepro("list", "algorithms", "--format", "markdown").output.splitlines()
    assert [[cell.strip() for cell in line.split("|")[1:-1]] for line in markdown[2:]] == [
        [*row.values()] for row in rows
    ]


def test_list_datasets_says_what_is_here_and_from_where(
    canonical_folder: Path,
) -> None:
    assert "not here" in quadrepro("list", "datasets").output
    with_files = quadrepro("list", "datasets", "--data", canonical_folder, width=300).output
    assert "not here" not in with_files
    assert str(canonical_folder / "pima.csv") in with_files


def test_a_list_says_which_package_a_name_is_from(install: Install) -> None:
    install("ours", "algorithms", "mine = ours.code:ENTRY")
    rows = json.loads(quadrepro("list", "algorithms", "--format", "json").output)
    packages = {row["name"]: row["package"] for row in rows}
    assert (packages["mine"], packages["adaboost"]) == ("ours 1.2", "quadrepro")
    assert packages["sklearn:NAME"] == "scikit-learn"


def test_a_list_refuses_a_name_that_a_package_takes_from_us(install: Install) -> None:
    install("ours", "algorithms", "adaboost = ours.code:ENTRY")
    result = quadrepro("list", "algorithms")
    assert result.exit_code == 2
    assert "'adaboost' is a name of quadrepro itself" in result.output
