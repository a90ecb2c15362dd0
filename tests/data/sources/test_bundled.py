"""What scikit-learn carries is, cell by cell, what the cards say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quadrepro.data.canonical import content_hash
from quadrepro.data.card import load_card
from quadrepro.data.sources.generated import LOADERS
from quadrepro.data.store import read_csv


@pytest.mark.parametrize("name", LOADERS)
def test_bundled_rows_are_what_the_card_says(name: str) -> None:
    table, card = LOADERS[name](), load_card(name)
    kinds = [(a.name, a.kind) for a in table.attributes]
    assert kinds == [(a.name, a.kind) for a in card.attributes]
    assert content_hash(table) == card.content_hash


@pytest.mark.parametrize("name", LOADERS)
def test_bundled_rows_are_those_of_the_canonical_csv(name: str, canonical_folder: Path) -> None:
    table = LOADERS[name]()
    csv = read_csv(canonical_folder / f"{name}.csv", load_card(name))
    np.testing.assert_array_equal(table.target, csv.target)
    for attribute in table.attributes:
        np.testing.assert_array_equal(table.columns[attribute.name], csv.columns[attribute.name])
