from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import Result

from quadrepro.base.resources import cards_folder, configs_folder
from quadrepro.cli.data import LISTINGS
from quadrepro.config.reference import config_reference, schema_of
from quadrepro.core.learners.registry import ALGORITHMS
from quadrepro.data.card import card_names
from tests.cli import call


def listed(*words: object, width: int = 100) -> Result:
    return call.quadrepro("list", *words, COLUMNS=str(width))


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("datasets", card_names()),
        ("experiments", sorted(path.stem for path in configs_folder().glob("*.yaml"))),
        ("algorithms", [*ALGORITHMS, "sklearn:NAME", "MODULE:NAME"]),
    ],
)
def test_all_names_are_listed_for_people_and_for_programs(what: str, names: list[str]) -> None:
    lines = listed(what).stdout.splitlines()
    rule = next(i for i, line in enumerate(lines) if line.startswith("──"))
    # What is folded goes on in lines that begin with a blank.
    assert [line.split()[0] for line in lines[rule + 1 :] if line[0] != " "] == names
    rows = [*csv.DictReader(io.StringIO(listed(what, "--format", "csv").stdout))]
    assert [row["name"] for row in rows] == names
    markdown = listed(what, "--format", "markdown").stdout.splitlines()[2:]
    assert [line.split("|")[1].strip() for line in markdown] == names


@pytest.mark.parametrize("what", [*LISTINGS])
@pytest.mark.parametrize("width", [60, 140])
def test_no_line_is_wider_than_the_terminal_and_every_name_has_a_meaning(
    what: str, width: int
) -> None:
    assert max(map(len, listed(what, width=width).stdout.splitlines())) <= width
    rows = csv.DictReader(io.StringIO(listed(what, "--format", "csv").stdout))
    assert all(row.get("meaning", what) for row in rows)


def test_data_sets_are_listed_with_their_place(canonical_folder: Path) -> None:
    assert "not here" in listed("datasets").stdout
    with_files = listed("datasets", "--data", canonical_folder, width=300).stdout
    assert "not here" not in with_files
    assert str(canonical_folder / "pima.csv") in with_files


def test_a_card_is_shown_with_its_place_and_whether_its_rows_match(canonical_folder: Path) -> None:
    shown = listed("datasets", "monks").stdout
    path = cards_folder() / "monks.yaml"
    here = "# here: ships with quadrepro\n# 432 rows, as described\n"
    assert shown == f"# {path}\n{path.read_text(encoding='utf-8')}{here}"
    assert "\n# here: no; fetch with: quadrepro fetch pima\n" in listed("datasets", "pima").stdout
    found = listed("datasets", "pima", "--data", canonical_folder).stdout
    assert f"\n# here: {canonical_folder / 'pima.csv'}\n# 768 rows, as described\n" in found


def test_rows_that_differ_from_their_card_end_with_3(tmp_path: Path) -> None:
    (tmp_path / "titanic.csv").write_text("class,age,sex,target\nCrew,Adult,Male,Yes\n")
    result = listed("datasets", "titanic", "--data", tmp_path)
    assert result.exit_code == 3
    assert "titanic.csv differs from the card: rows: 1 instead of 2201" in result.stderr


@pytest.mark.parametrize("what", ["config", "card", "paper"])
def test_keys_are_a_schema(what: str) -> None:
    assert json.loads(listed("keys", what).stdout) == schema_of(what)


def test_keys_of_a_config_are_also_a_page_and_a_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "keys.md"
    result = listed("keys", "--format", "markdown", "--out", path)
    assert result.stdout == f"Wrote {path}\n"
    assert path.read_text(encoding="utf-8") == config_reference()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("datasets", "monk"), "did you mean 'monks'?"),
        (("keys", "crad"), "unknown kind of file 'crad'; did you mean 'card'?"),
        (("keys", "--format", "csv"), "keys are a JSON schema"),
        (("keys", "card", "--format", "markdown"), "keys are a JSON schema"),
        (("datasets", "--out", "x"), "--out goes with keys"),
        (("datasets", "monks", "--format", "csv"), "NAME goes with keys, and with datasets"),
        (("algorithms", "adaboost"), "NAME goes with keys, and with datasets"),
    ],
)
def test_what_cannot_be_listed_is_refused(words: tuple[str, ...], message: str) -> None:
    result = listed(*words)
    assert result.exit_code == 2
    assert message in result.stderr
