"""Cards as they are written: read back the same, with files near them by relative paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from quadrepro.base.resources import cards_folder
from quadrepro.base.yaml import read_yaml
from quadrepro.data.card import Card, load_card_file
from quadrepro.data.inspection import write_card
from tests.data.tables import make_card


def write(card: Card, folder: Path) -> Path:
    """Write a card, see that it is read back the same, and return its file."""
    path = folder / f"{card.name}.yaml"
    write_card(card, path)
    assert load_card_file(path) == card
    return path


@pytest.mark.parametrize("path", sorted(cards_folder().glob("*.yaml")), ids=lambda path: path.stem)
def test_a_card_that_ships_is_read_back_the_same(path: Path, tmp_path: Path) -> None:
    write(load_card_file(path), tmp_path)


def test_any_text_is_read_back_the_same(tmp_path: Path) -> None:
    labels = ["no", "1e3", "~", "é\n", "- x", "'#", "\x85", "a: b", " "]
    awkward = make_card(
        title=labels[3],
        rows=len(labels),
        target={"original": labels[4], "labels": dict.fromkeys(labels, 1)},
        attributes=[{"name": name, "kind": "nominal", "codes": labels} for name in labels],
        views={"default": {"positive": labels[:1], "exclude": labels[1:]}},
    )
    write(awkward, tmp_path)


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
    written = write(make_card(sources=[own]), tmp_path / "project" / "datasets")
    (source,) = read_yaml(written, scalars="text").data["sources"]
    assert source["path"] == path.format(folder=tmp_path)
