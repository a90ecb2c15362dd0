"""Splits that are given: by an OpenML task, by a file beside the config, or by the card."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.files import is_special
from quadrepro.data.cache import TEST, TRAIN, UNUSED, VALID, hash_of_splits, load_splits
from quadrepro.data.canonical import RawTable, is_text, nominal_column, number
from quadrepro.data.card import Card
from quadrepro.data.sources.formats import refuse_bytes, separator_of, text_of, text_rows
from quadrepro.data.store import Dataset
from quadrepro.errors import DataError, nearest

_WORDS = {"train": TRAIN, "valid": VALID, "test": TEST, "": UNUSED}

Key = tuple[str | float | None, ...]


@dataclass(frozen=True)
class GivenSplits:
    """Where splits are written; the parts of the card if nowhere."""

    task: int | None = None
    file: Path | None = None

    def hash(self, card: Card) -> str:
        """Return what names the splits in keys."""
        if self.task is not None:
            return hash_of_splits(card, self.task)
        if self.file is None:
            return "parts of the card"
        return hashlib.sha256(_content(self.file)).hexdigest()

    def load(self, dataset: Dataset) -> NDArray[np.uint8]:
        """Return the part of each row in each split, shape (n_rows, n_splits)."""
        if self.task is not None:
            return load_splits(dataset.card, self.task)
        if self.file is None:
            return _of_card(dataset)
        return read_splits(self.file, dataset.table, dataset.card.name)


def _content(path: Path) -> bytes:
    try:
        if is_special(path):
            raise DataError(f"{path}: not a regular file")
        refuse_bytes(path.stat().st_size, str(path))
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _of_card(dataset: Dataset) -> NDArray[np.uint8]:
    card, part = dataset.card, dataset.table.part
    lacking = {"train", "test"} - {*card.parts}
    if part is None or lacking:
        known = f"its parts are {', '.join(card.parts)}" if card.parts else "it names no parts"
        raise DataError(f"the card of {card.name} has no part {min(lacking)!r}: {known}")
    splits = np.array([[_WORDS.get(name, UNUSED)] for name in part.tolist()], dtype=np.uint8)
    return splits


def read_splits(path: Path, table: RawTable, name: str) -> NDArray[np.uint8]:
    """Return the splits of a CSV, whose lines name rows by the values of some attributes."""
    text = text_of(_content(path), str(path))
    lines = text_rows(text, str(path), separator_of(text))
    header, _ = next(lines, ([], 0))
    keys = [i for i, word in enumerate(header) if word in table.columns]
    if not keys or len(keys) == len(header):
        raise DataError(
            f"{path}, line 1: the header must name attributes of {name} that identify a row, such"
            f" as an ID, and a column per split, not {', '.join(header) or 'nothing'}"
        )
    splits = [i for i in range(len(header)) if i not in keys]
    rows = _rows_by_key(path, table, [header[i] for i in keys], name)
    numeric = [not is_text(table.columns[header[i]]) for i in keys]
    found = np.full((table.n_rows, len(splits)), UNUSED, dtype=np.uint8)
    seen: set[int] = set()
    for fields, line in lines:
        place = f"{path}, line {line}"
        if len(fields) != len(header):
            raise DataError(f"{place}: {len(fields)} fields, but the header has {len(header)}")
        key = tuple(
            number(fields[i]) if is_number else nominal_column([fields[i]]).item()
            for i, is_number in zip(keys, numeric, strict=True)
        )
        row = rows.get(key)
        if row is None or row in seen:
            named = ", ".join(f"{header[i]} {fields[i]}" for i in keys)
            what = f"{name} has no row with" if row is None else "the second line with"
            raise DataError(f"{place}: {what} {named}")
        seen.add(row)
        for j, i in enumerate(splits):
            if fields[i] not in _WORDS:
                hint = nearest(fields[i], [*filter(None, _WORDS)])
                raise DataError(f"{place}, {header[i]}: unknown part {fields[i]!r}{hint}")
            found[row, j] = _WORDS[fields[i]]
    return found


def count_splits(path: Path) -> int:
    """Return the number of splits of such a CSV: its columns that name nothing but parts."""
    text = text_of(_content(path), str(path))
    lines = [fields for fields, _ in text_rows(text, str(path), separator_of(text))]
    columns = [set(column) for column in zip(*lines[1:], strict=False)]
    count = sum(words <= _WORDS.keys() and words != {""} for words in columns)
    if not count:
        raise DataError(f"{path}: no column has train, valid and test alone")
    return count


def _rows_by_key(path: Path, table: RawTable, names: list[str], name: str) -> dict[Key, int]:
    keys = [*zip(*(table.columns[of].tolist() for of in names), strict=True)]
    common, times = Counter(keys).most_common(1)[0]
    if times > 1:
        values = ", ".join(f"{of} {value}" for of, value in zip(names, common, strict=True))
        raise DataError(
            f"{path}, line 1: {times} rows of {name} have {values}: name attributes that identify"
            " every row, such as an ID"
        )
    return {key: row for row, key in enumerate(keys)}
