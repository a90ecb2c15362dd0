"""Cards as they are written: read back the same, with files near them by relative paths."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
    write(awkward, tmp_path_factory.mktemp("cards"))


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


def test_a_card_that_cannot_be_written_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "toy.yaml"
    path.write_text("before")

    monkeypatch.setattr(Path, "replace", Mock(side_effect=OSError(28, "no space left")))
    with pytest.raises(OSError, match="no space left"):
        write_card(make_card(), path)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("toy.yaml", "before")]
