from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from pkgutil import resolve_name

import pytest
from click.testing import Result

from quadrepro.base.resources import configs_folder
from quadrepro.cli.data import REGISTRIES
from quadrepro.config.reference import config_reference, schema_of, schema_text
from quadrepro.core.learners.registry import ALGORITHMS
from quadrepro.data import cache
from quadrepro.data.card import card_names, load_card
from quadrepro.data.store import load_dataset
from tests.cli import call


def quadrepro(*words: object, width: int = 100) -> Result:
    return call.quadrepro(*words, COLUMNS=str(width))


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("datasets", card_names()),
        ("algorithms", [*ALGORITHMS, "sklearn:NAME", "MODULE:NAME"]),
        *((kind, [*resolve_name(place)]) for kind, (place, _) in REGISTRIES.items()),
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


@pytest.mark.parametrize("what", ["datasets", "experiments", "algorithms", *REGISTRIES])
@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_no_line_of_a_list_is_wider_than_the_terminal(what: str, width: int) -> None:
    lines = quadrepro("list", what, width=width).output.splitlines()
    assert max(map(len, lines)) <= width


def test_a_list_can_be_read_by_other_programs() -> None:
    text = quadrepro("list", "algorithms", "--format", "csv").output
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["name"] for row in rows] == [*ALGORITHMS, "sklearn:NAME", "MODULE:NAME"]
    assert rows[0]["source"] == "QuadBoost, eq. 6"
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


def test_a_meaning_is_the_first_line_of_what_an_entry_says_of_itself() -> None:
    rows = csv.DictReader(io.StringIO(quadrepro("list", "sources", "--format", "csv").output))
    meanings = {row["name"]: row["meaning"] for row in rows}
    assert meanings["file"] == "A file of the user."
    assert all(meanings.values())


def show(*words: object) -> Result:
    return quadrepro("list", "datasets", *words)


def test_a_card_is_shown_with_its_sources_and_checks() -> None:
    lines = show("monks").output.splitlines()
    assert lines[:2] == ["monks: MONK's Problems (first)", "classification, 432 rows, 6 attributes"]
    assert "  head_shape, body_shape, holding" not in lines
    assert "  is_smiling: nominal, 1, 2" in lines
    assert "  quadboost: 1 against the rest (settled)" in lines
    assert (
        "  3. OpenML 333 (124 training rows stand above these; not compared with OpenML's file)"
        in lines
    )
    assert lines[lines.index("here") + 1] == "  ships with quadrepro"
    assert "  ok  rows: 432 rows" in lines
    assert lines[-1].startswith("  ok  content: sha256:")


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_lines_are_as_wide_as_the_terminal_but_for_what_cannot_be_broken(width: int) -> None:
    for name in ("mnist", "monks"):
        result = quadrepro("list", "datasets", name, width=width)
        for line in result.output.splitlines():
            assert len(line) <= min(width, 100) or " " not in line.strip()


@pytest.mark.parametrize("name", card_names())
def test_every_card_can_be_shown(name: str) -> None:
    result = show(name)
    assert result.exit_code == 0
    assert ("sources, the preferred first" in result.output) is bool(load_card(name).sources)


def test_views_tell_targets_and_what_they_do_with_rows() -> None:
    assert "at most 9 is positive; nominal: one-hot" in show("abalone").output
    assert "4v9: 4 against 9; part: train (settled)" in show("mnist").output
    assert "p1 to p784 (784): numeric" in show("mnist").output
    assert "lowest risk 0.043542" in show("orange").output
    assert "default: the number is predicted" in show("m1").output


def test_the_provenance_of_what_was_fetched_is_shown() -> None:
    dataset = load_dataset("monks")
    cache.write(dataset.card, dataset.table, dataset.card.content_hash, "OpenML 333")
    output = " ".join(show("monks").output.split())
    assert f"{cache.cache_folder()}/tables/monks-" in output
    assert ".parquet, from OpenML 333 at 20" in output


def test_what_is_here_but_something_else_ends_with_3(tmp_path: Path) -> None:
    (tmp_path / "titanic.csv").write_text("class,age,sex,target\nCrew,Adult,Male,Yes\n")
    result = show("titanic", "--data", tmp_path)
    assert result.exit_code == 3
    assert "titanic.csv differs from the card: 1 row instead of 2201 rows" in result.stderr


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    result = show("monk")
    assert result.exit_code == 2
    assert "did you mean 'monks'?" in result.stderr
    result = show("nosuch")
    assert result.exit_code == 2
    assert len(result.stderr) < 120
    assert "(see quadrepro list datasets)" in result.stderr


def keys(*words: object) -> Result:
    return quadrepro("list", "keys", *words)


@pytest.mark.parametrize("what", ["config", "card", "paper"])
def test_it_prints_the_schema_of_each_kind_of_document(what: str) -> None:
    result = keys(what)
    assert result.exit_code == 0
    assert json.loads(result.stdout) == schema_of(what)


def test_it_writes_a_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.json"
    assert keys("--out", str(path)).stdout == f"Wrote {path}\n"
    assert path.read_text(encoding="utf-8") == schema_text("config")


def test_it_prints_the_page_of_the_keys_of_a_config_alone() -> None:
    assert keys("--format", "markdown").stdout == config_reference()
    assert keys("card", "--format", "markdown").exit_code == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("keys", "crad"), "unknown kind of file 'crad'; did you mean 'card'?"),
        (("keys", "--format", "csv"), "keys are a JSON schema"),
        (("datasets", "--out", "x"), "--out goes with keys"),
        (("datasets", "monks", "--format", "csv"), "NAME goes with keys, and with datasets"),
        (("algorithms", "adaboost"), "NAME goes with keys, and with datasets"),
    ],
)
def test_what_cannot_be_listed_is_refused(words: tuple[str, ...], message: str) -> None:
    result = quadrepro("list", *words)
    assert result.exit_code == 2
    assert message in result.stderr
