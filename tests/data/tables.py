"""Small tables of size and colour, their cards; contents of files, and cards found in them."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quadrepro.data.canonical import RawTable, content_hash, nominal_column, numeric_column
from quadrepro.data.card import Attribute, Card, load_card, load_card_file, write_card
from quadrepro.data.inspection import inspect_file
from quadrepro.data.source import FileSource
from quadrepro.data.store import Dataset, Found, find_datasets

ATTRIBUTES = (Attribute(name="size", kind="numeric"), Attribute(name="colour", kind="nominal"))
Row = tuple[float, str, str]


def make_table(rows: Sequence[Row]) -> RawTable:
    sizes, colours, labels = zip(*rows, strict=True)
    return RawTable(
        ATTRIBUTES,
        {"size": numeric_column(sizes), "colour": nominal_column(colours)},
        nominal_column(labels),
    )


ROWS: Sequence[Row] = [
    *((1.0, "red", "no"), (-2.5, "", "no")),
    *((np.nan, "blue", "01"), (30.0, "red", "01")),
]
TABLE = make_table(ROWS)


def assert_same(left: RawTable, right: RawTable) -> None:
    np.testing.assert_array_equal(left.target, right.target)
    for attribute in left.attributes:
        column = left.columns[attribute.name]
        np.testing.assert_array_equal(column, right.columns[attribute.name])


def make_card(table: RawTable | None = None, **fields: Any) -> Card:
    """Return the card of a table, by default of `TABLE`, with some fields replaced."""
    table = table or TABLE
    card = {
        "name": "toy",
        "title": "Toy",
        "task": "classification",
        "rows": table.n_rows,
        "missing_cells": int(table.missing.sum()),
        "rows_with_missing": int(table.missing.any(axis=1).sum()),
        "content_hash": content_hash(table),
        "target": {"original": "class", "labels": table.label_counts},
        "attributes": ATTRIBUTES,
        "licence": "none",
        "citation": "nobody",
        "sources": [{"kind": "openml", "id": 7, "note": "not seen"}],
        "views": {"paper": {"positive": ["no"]}},
    }
    return Card.model_validate(card | fields)


def written_card(name: str, rows: Sequence[Row], folder: Path, **source: Any) -> Card:
    """Write rows as a canonical CSV, and beside it their card with a source."""
    card = make_card(
        make_table(rows), name=name, sources=[source], views={"default": {"positive": ["no"]}}
    )
    path = folder / f"{name}.yaml"
    write_card(card, path)
    csv = ["size,colour,target", *(",".join(map(str, row)) for row in rows)]
    path.with_suffix(".csv").write_text("\n".join(csv) + "\n")
    return load_card_file(path)


def load_dataset(name: str, folder: Path | None = None) -> Dataset:
    """Return a data set by the name of its card."""
    return find_datasets([load_card(name)], folder)[name].load()


Save = Callable[..., Path]


def zipped(members: dict[str, bytes | str]) -> bytes:
    """Return an archive of files by name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def images(pixels: list[list[list[int]]]) -> bytes:
    """Return images as MNIST's files have them."""
    array = np.array(pixels, dtype=np.uint8)
    return struct.pack(">4i", 2051, *array.shape) + array.tobytes()


def labels(*classes: int) -> bytes:
    return struct.pack(">2i", 2049, len(classes)) + bytes(classes)


def own_source(card: Card) -> FileSource:
    (source,) = card.sources
    assert isinstance(source, FileSource)
    return source


def described(path: Path, target: str = "label", **options: Any) -> Card:
    """Return the card of a file, from which the same rows are read again."""
    card = inspect_file(path, target, **options)
    write_card(card, path.parent / "cards" / f"{card.name}.yaml")
    again = load_card_file(path.parent / "cards" / f"{card.name}.yaml")
    Found(again, own_source(again)).load()
    return card


def lines(header: str, *rows: object) -> str:
    return "\n".join([header, *map(str, rows)])


def has(found: list[str], start: str) -> bool:
    return any(note.startswith(start) for note in found)
