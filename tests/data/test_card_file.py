"""Cards as they are written: read back the same, and laid out for a person to read."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from quadrepro.base.resources import cards_folder
from quadrepro.data.card import Card, load_card_file
from quadrepro.data.inspection import write_card
from tests.data.tables import make_card


def columns(names: tuple[str, ...], **said: Any) -> dict[str, Any]:
    return {
        "attributes": [{"name": name, "kind": "numeric", **said} for name in names],
        "sources": [{"kind": "file", "path": "/a.csv", "columns": [*names, "target"]}],
    }


def written(card: Card, folder: Path) -> str:
    """Write a card, see that it is read back the same, and return its text."""
    path = folder / f"{card.name}.yaml"
    write_card(card, path)
    assert load_card_file(path) == card
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted(cards_folder().glob("*.yaml")), ids=lambda path: path.stem)
def test_a_card_that_ships_is_read_back_the_same(path: Path, tmp_path: Path) -> None:
    written(load_card_file(path), tmp_path)


LAID_OUT = f"""name: toy
title: Toy
task: classification
rows: 2
missing_cells: 0
rows_with_missing: 0
content_hash: sha256:{"0" * 64}
target:
  original: label
  labels: {{'no': 1, '01': 1}}
attributes:
  - {{name: size, kind: numeric, range: [-1.5, 20]}}
  - {{name: colour, kind: nominal, codes: ['1', 'no', 'dark, red']}}
licence: none
citation: nobody
sources:
  - kind: file
    path: ../my.csv
    separator: "\\t"
    skip: 1
    columns: [size, '', colour, target]
    missing: ['', NA]
notes:
  - One.
  - 'Two: three.'
views:
  default:
    positive: ['no']
    status: open
    evidence: None.
"""


def test_a_card_is_laid_out_as_those_that_ship(tmp_path: Path) -> None:
    toy = make_card(
        attributes=[
            {"name": "size", "kind": "numeric", "range": [-1.5, 20.0]},
            {"name": "colour", "kind": "nominal", "codes": ["1", "no", "dark, red"]},
        ],
        sources=[
            {
                "kind": "file",
                "format": "csv",
                "separator": "\t",
                "skip": 1,
                "columns": ["size", "", "colour", "target"],
                "missing": ["", "NA"],
                "path": str(tmp_path / "my.csv"),
            }
        ],
        notes=["One.", "Two: three."],
        views={"default": {"positive": ["no"], "status": "open", "evidence": "None."}},
    )
    folder = tmp_path / "datasets"
    assert written(toy, folder) == LAID_OUT


def test_attributes_of_which_the_same_is_said_are_one_line(tmp_path: Path) -> None:
    names = tuple(f"f{j}" for j in range(1, 124))
    text = written(make_card(**columns(names, range=[0, 1])), tmp_path)
    assert "\nattributes:\n  - {name: f1..f123, kind: numeric, range: [0, 1]}\n" in text
    assert "\n    columns: [f1..f123, target]\n" in text


@pytest.mark.parametrize(
    ("names", "folded"),
    [
        (("f1", "f2"), "f1, f2"),
        (("f1", "f2", "f4", "f5", "f6"), "f1, f2, f4..f6"),
        (("f3", "f2", "f1"), "f3, f2, f1"),
        (("a08", "a09", "a10", "b11"), "a08..a10, b11"),
        (("a8", "a09", "a10"), "a8, a09, a10"),
        (("1", "2", "3"), "1..3"),
        (("x", "y", "z"), "x, y, z"),
    ],
)
def test_only_names_that_count_on_are_folded(
    tmp_path: Path, names: tuple[str, ...], folded: str
) -> None:
    text = written(make_card(**columns(names)), tmp_path)
    assert f"    columns: [{folded}, target]\n" in text.replace("'", "")


def test_attributes_that_differ_are_not_folded(tmp_path: Path) -> None:
    fields = columns(("f1", "f2", "f3"))
    fields["attributes"][1]["range"] = [0, 1]
    assert "f1..f3, target" in written(make_card(**fields), tmp_path)


# Surrogates are no text.
texts = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(st.lists(texts, min_size=2, max_size=4, unique=True), texts, st.floats(-1e300, 1e300))
def test_any_text_and_number_is_read_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, labels: list[str], name: str, low: float
) -> None:
    if ".." in name or name == "target":
        name = "other"
    awkward = make_card(
        title=name,
        rows=len(labels),
        target={"original": labels[0], "labels": dict.fromkeys(labels, 1)},
        attributes=[
            {"name": name, "kind": "nominal", "codes": labels},
            {"name": f"{name}'", "kind": "numeric", "range": [low, low]},
        ],
        views={"default": {"positive": labels[:1]}},
    )
    text = written(awkward, tmp_path_factory.mktemp("cards"))
    assert YAML(typ="safe", pure=True).load(text)["target"]["labels"] == awkward.target.labels


@pytest.mark.parametrize(
    ("file", "path"),
    [
        ("project/my.csv", "../my.csv"),
        ("project/data/my.csv", "../data/my.csv"),
        ("project/datasets/my.csv", "my.csv"),
        ("elsewhere/my.csv", "{folder}/elsewhere/my.csv"),
    ],
)
def test_a_file_near_its_card_is_named_relative_to_it(tmp_path: Path, file: str, path: str) -> None:
    own = {"kind": "file", "path": str(tmp_path / file)}
    text = written(make_card(sources=[own]), tmp_path / "project" / "datasets")
    assert f"    path: {path.format(folder=tmp_path)}\n" in text


def test_a_card_that_cannot_be_written_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "toy.yaml"
    path.write_text("before")

    monkeypatch.setattr(Path, "replace", Mock(side_effect=OSError(28, "no space left")))
    with pytest.raises(OSError, match="no space left"):
        write_card(make_card(), path)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("toy.yaml", "before")]
