from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result

from quadrepro.base.resources import cards_folder, configs_folder
from quadrepro.config.reference import config_reference, schema_of
from quadrepro.config.tables import KINDS
from quadrepro.core.measures.names import MEASURES
from quadrepro.core.metrics import METRICS
from quadrepro.core.training.algorithms import ALGORITHMS
from quadrepro.data.card import card_names
from quadrepro.papers.claims import CLAIMS
from tests.cli import call


def listed(*words: object, width: int = 100) -> Result:
    return call.quadrepro("list", *words, COLUMNS=str(width))


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("datasets", card_names()),
        ("experiments", sorted(path.stem for path in configs_folder().glob("*.yaml"))),
        ("algorithms", [*ALGORITHMS, "sklearn:NAME", "MODULE:NAME"]),
        ("measures", [*MEASURES]),
        ("metrics", [*METRICS]),
        ("claims", [*CLAIMS]),
        ("tables", [*KINDS]),
    ],
)
def test_all_names_are_listed_no_wider_than_the_terminal(kind: str, names: list[str]) -> None:
    lines = listed(kind, width=60).stdout.splitlines()
    assert max(map(len, lines)) <= 60
    rule = next(i for i, line in enumerate(lines) if line.startswith("──"))
    # Folded cells go on in lines that begin with a blank.
    listed_names = [line.split() for line in lines[rule + 1 :] if line[0] != " "]
    assert [name for name, *_ in listed_names] == names
    assert all(meaning for _, *meaning in listed_names)


def test_a_listing_in_a_pipe_is_not_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS")
    _, rule, *rows = call.quadrepro("list", "algorithms").stdout.splitlines()
    assert len(rows) == len(ALGORITHMS) + 2
    assert max(map(len, rows)) > 200
    assert rule.startswith("──")


def test_a_card_is_shown_with_its_place_and_whether_its_rows_match(canonical_folder: Path) -> None:
    text = listed("datasets", "monks").stdout
    path = cards_folder() / "monks.yaml"
    state = "# here: ships with quadrepro\n# 432 rows, as described\n"
    assert text == f"# {path}\n{path.read_text(encoding='utf-8')}{state}"
    assert "not here" in listed("datasets").stdout
    text = listed("datasets", "pima", "--data", canonical_folder).stdout
    assert f"\n# here: {canonical_folder / 'pima.csv'}\n# 768 rows, as described\n" in text


def test_rows_that_differ_from_their_card_end_with_3(tmp_path: Path) -> None:
    (tmp_path / "titanic.csv").write_text("class,age,sex,target\nCrew,Adult,Male,Yes\n")
    result = listed("datasets", "titanic", "--data", tmp_path)
    assert result.exit_code == 3
    assert "titanic.csv differs from the card: rows: 1 instead of 2201" in result.stderr


@pytest.mark.parametrize("kind", ["config", "card", "paper"])
def test_keys_are_a_schema(kind: str) -> None:
    assert json.loads(listed("keys", kind).stdout) == schema_of(kind)
    assert listed("keys", "--markdown").stdout == config_reference()
