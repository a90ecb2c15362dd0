"""Small tables of the attributes size and colour, their cards, and contents of files."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quadrepro.data.canonical import RawTable, content_hash, nominal_column, numeric_column
from quadrepro.data.card import Attribute, Card, load_card_file

ATTRIBUTES = (Attribute(name="size", kind="numeric"), Attribute(name="colour", kind="nominal"))
Row = tuple[float, str, str]


def make_table(rows: Sequence[Row]) -> RawTable:
    sizes, colours, labels = zip(*rows, strict=True)
    return RawTable(
        ATTRIBUTES,
        {"size": numeric_column(sizes), "colour": nominal_column(colours)},
        nominal_column(labels),
    )


def assert_same(left: RawTable, right: RawTable) -> None:
    np.testing.assert_array_equal(left.target, right.target)
    for attribute in left.attributes:
        column = left.columns[attribute.name]
        np.testing.assert_array_equal(column, right.columns[attribute.name])


def make_card(**fields: Any) -> Card:
    """Return a card of two rows with some fields replaced."""
    card = {
        "name": "toy",
        "title": "Toy",
        "task": "classification",
        "rows": 2,
        "missing_cells": 0,
        "rows_with_missing": 0,
        "content_hash": "sha256:" + "0" * 64,
        "target": {"original": "label", "labels": {"no": 1, "01": 1}},
        "attributes": ATTRIBUTES,
        "licence": "none",
        "citation": "nobody",
        "sources": [{"kind": "openml", "id": 7}],
    }
    return Card.model_validate(card | fields)


def written_card(name: str, rows: Sequence[Row], folder: Path, source: str) -> Card:
    """Write rows as a canonical CSV, and beside it their card with a source."""
    folder.mkdir(exist_ok=True)
    table = make_table(rows)
    csv = ["size,colour,target", *(",".join(map(str, row)) for row in rows)]
    (folder / f"{name}.csv").write_text("\n".join(csv) + "\n")
    path = folder / f"{name}.yaml"
    path.write_text(
        f"name: {name}\ntitle: {name}\ntask: classification\nrows: {len(rows)}\n"
        f"missing_cells: 0\nrows_with_missing: 0\ncontent_hash: {content_hash(table)}\n"
        f"target: {{original: target, labels: {table.label_counts}}}\n"
        "attributes: [{name: size, kind: numeric}, {name: colour, kind: nominal}]\n"
        f"licence: none\ncitation: nobody\nsources: [{source}]\n"
        "views: {default: {positive: [no]}}\n"
    )
    return load_card_file(path)


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
