"""A small card with a number, a code and gaps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.data import card as card_module
from quadrepro.data import store
from quadrepro.data.canonical import content_hash
from quadrepro.data.canonical_csv import read_csv
from quadrepro.data.card import Card, load_card_file

TOY_CSV = """size,colour,target
1,red,no
-2.5,,no
,blue,01
3e1,red,01
"""

TOY_CARD = """name: toy
title: Toy
task: classification
rows: 4
missing_cells: 2
rows_with_missing: 2
content_hash: {content_hash}
target: {{original: class, labels: {{no: 2, 01: 2}}}}
attributes:
  - {{name: size, kind: numeric}}
  - {{name: colour, kind: nominal}}
licence: none
citation: nobody
sources:
  - {{kind: openml, id: 7, note: not seen}}
  - {{kind: uci, files: [{{url: 'https://uci.test/toy.data'}}, {{url: 'https://uci.test/toy.test'}}]}}
views:
  paper: {{positive: [no]}}
"""


@pytest.fixture
def toy_csv(tmp_path: Path) -> Path:
    path = tmp_path / "toy.csv"
    path.write_text(TOY_CSV)
    return path


@pytest.fixture
def write_card(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes the toy card with one text replaced by another."""

    def write(old: str = "", new: str = "", content_hash: str = "sha256:" + "0" * 64) -> Path:
        text = TOY_CARD.format(content_hash=content_hash)
        assert old in text
        path = tmp_path / "toy.yaml"
        path.write_text(text.replace(old, new) if old else text)
        return path

    return write


@pytest.fixture
def toy(write_card: Callable[..., Path], toy_csv: Path) -> Card:
    card = load_card_file(write_card())
    return load_card_file(write_card(content_hash=content_hash(read_csv(toy_csv, card))))


@pytest.fixture
def known_toy(toy: Card, monkeypatch: pytest.MonkeyPatch) -> Card:
    """Make `load_card` of the store know the toy card."""
    monkeypatch.setattr(
        store, "load_card", lambda name: toy if name == "toy" else card_module.load_card(name)
    )
    return toy
