"""Describing a user's file: a card from the file and the name of its target."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quadrepro.data.canonical import Column, content_hash, is_missing, number
from quadrepro.data.card import ANY_VIEW, Card
from quadrepro.data.card_file import write_card
from quadrepro.data.own.columns import (
    GAPS,
    MOST_LABELS,
    attribute_values,
    own_columns,
    target_values,
    used_gaps,
)
from quadrepro.data.own.file import plain_stem, read_own
from quadrepro.data.schema import Attribute, Target, View, series
from quadrepro.data.sources.frame import Frame, to_table
from quadrepro.data.sources.schema import FileSource, Layout
from quadrepro.documents.source import is_utf8
from quadrepro.errors import ConfigError, DataError, nearest

__all__ = ["inspect_file", "write_card"]

MOST_CODES = 100
"""A card lists the codes of an attribute if there are at most this many."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")


def inspect_file(
    path: Path,
    target: str,
    *,
    name: str = "",
    task: str = "",
    positive: str = "",
    missing: Sequence[str] = (),
    nominal: Sequence[str] = (),
) -> Card:
    """Describe a user's file.

    Parameters
    ----------
    path : Path
        A text file with a header and commas, tabs, semicolons or blanks between its fields; or
        ARFF, parquet, or LIBSVM's sparse rows; ``.gz`` and ``.zip`` files are unpacked.
    target : str
        The column to be predicted; that of a LIBSVM file is called ``label``.
    name : str, default ""
        The name of the data set; by default, it is made from the name of the file.
    task : {"", "classification", "regression"}, default ""
        By default, the task is a regression if the target has more than 20 distinct numbers or
        numbers that are not whole.
    positive : str, default ""
        The positive label of the view; by default, the rarer of two labels, while more than two
        stay classes.
    missing : sequence of str, default ()
        Words for missing values, in addition to `quadrepro.data.own.columns.GAPS`.
    nominal : sequence of str, default ()
        Attributes with codes, even if the codes are numbers.

    Returns
    -------
    Card
        A complete card with one view, and with notes on everything that was inferred.

    Raises
    ------
    ConfigError
        If a given column, label or word does not occur, or the name cannot be used.
    DataError
        If the file cannot be read, or a card cannot describe it. The message names the file, and
        the line of a text file.
    """
    if name and not _NAME.fullmatch(name):
        raise ConfigError(
            f"{name!r} cannot be the name of a data set: use lower-case letters, digits and _, with"
            " a letter first"
        )
    if not is_utf8(str(path.resolve())):
        raise DataError(f"{path}: the path of the file must be UTF-8, since its card names it")
    frame, layout = read_own(path, target, {*GAPS, *missing})
    names = _names(frame, (target, *nominal))
    if len(frame.columns[0]) < 2:
        raise DataError(f"{path}: the file has only one row")
    gaps = used_gaps(frame, missing)
    columns = own_columns(frame, gaps)
    labels = target_values(columns.pop(target), task)
    values = {c: attribute_values(held, as_codes=c in nominal) for c, held in columns.items()}
    _refuse_empty(values, frame)
    called = _attribute_names(values)
    described = _target(target, labels)
    default_gaps: tuple[str, ...] = Layout.model_fields["missing"].default
    source = FileSource(
        kind="file",
        path=str(path.resolve()),
        columns=tuple("target" if c == target else called.get(c, "") for c in names),
        missing=default_gaps if set(gaps) <= set(default_gaps) else gaps,
        **layout,
    )
    fields: dict[str, Any] = {
        "name": name or _name(path),
        "title": plain_stem(path),
        "task": "classification" if described.labels else "regression",
        "rows": len(labels),
        "missing_cells": 0,
        "rows_with_missing": 0,
        "content_hash": "sha256:" + "0" * 64,
        "target": described,
        "attributes": [_attribute(called[c], held) for c, held in values.items()],
        "licence": "not stated",
        "citation": "not stated",
        "sources": [source],
        "notes": [
            *([] if task else [_task_note(described)]),
            *([f"Missing values are written {_listed(map(repr, gaps))}."] if gaps else []),
            *_column_notes(names, values, called, nominal),
        ],
        "views": {ANY_VIEW: _view(described, positive, frame)},
    }
    # Rows are counted and hashed as they will be read from the file with this card.
    table = to_table(frame, source, Card(**fields))
    fields["missing_cells"] = int(table.missing.sum())
    fields["rows_with_missing"] = int(table.missing.any(axis=1).sum())
    fields["content_hash"] = content_hash(table)
    return Card(**fields)


def _names(frame: Frame, wanted: Iterable[str]) -> tuple[str, ...]:
    names = frame.names or ()
    for name in wanted:
        if name not in names:
            hint = nearest(name, names)
            raise ConfigError(f"{frame.origin}: there is no column {name!r}{hint}")
    if sum(map(bool, names)) < 2:
        raise DataError(f"{frame.origin}: there is no column other than the target")
    return names


def _refuse_empty(values: Mapping[str, Column], frame: Frame) -> None:
    empty = [name for name, held in values.items() if is_missing(held).all()]
    if len(empty) == len(values):
        raise DataError(f"{frame.origin}: every value of every attribute is missing")
    if empty:
        raise DataError(
            f"{frame.origin}: every value of {_listed(empty)} is missing; remove"
            f" {'the column' if len(empty) == 1 else 'these columns'}"
        )


def _attribute_names(columns: Collection[str]) -> dict[str, str]:
    """Return the name of each column in the card: that of the file, unless it has a meaning."""
    taken = {"target", *columns}
    called = {}
    for name in columns:
        # `a1..a3` would stand for three attributes.
        new = name.replace("..", "__") if next(series(name)) != name else name
        if new != name or new == "target":
            while new in taken:
                new += "_"
            taken.add(new)
        called[name] = new
    return called


def _name(path: Path) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", plain_stem(path).lower()).strip("_")
    return name if _NAME.fullmatch(name) else f"data_{name}".rstrip("_")


def _attribute(name: str, held: Column) -> Attribute:
    if held.dtype.kind == "f":
        return Attribute(name=name, kind="numeric", range=_range(held))
    codes = sorted({*held.tolist()} - {""})
    if None not in map(number, codes):
        codes.sort(key=float)
    return Attribute(
        name=name, kind="nominal", codes=tuple(codes) if len(codes) <= MOST_CODES else None
    )


def _target(name: str, labels: Column) -> Target:
    if labels.dtype.kind == "f":
        return Target(original=name, range=_range(labels))
    return Target(original=name, labels=dict(sorted(Counter(labels.tolist()).items())))


def _range(held: Column) -> tuple[float, float]:
    return float(np.nanmin(held)), float(np.nanmax(held))


def _view(target: Target, positive: str, frame: Frame) -> View:
    labels = target.labels
    if positive and positive not in labels:
        hint = nearest(positive, labels) if labels else "; it is a number and is predicted as such"
        raise ConfigError(f"{frame.origin}: {target.original} has no label {positive!r}{hint}")
    if not labels:
        return View(status="open", evidence="The target is a number and is predicted as such.")
    if positive:
        evidence = "The label that was given as positive."
    elif len(labels) == 2:
        positive = min(reversed(labels), key=labels.__getitem__)
        evidence = "The rarer of the two labels."
    else:
        return View(status="open", evidence=f"All {len(labels)} labels are classes.")
    return View(positive=(positive,), status="open", evidence=evidence)


def _task_note(target: Target) -> str:
    if not target.labels:
        return (
            f"Taken as a regression, since the target has more than {MOST_LABELS} distinct numbers"
            " or numbers that are not whole."
        )
    what = "whole numbers" if None not in map(number, target.labels) else "words"
    return f"Taken as a classification, since the target has {len(target.labels)} distinct {what}."


def _column_notes(
    names: Sequence[str],
    values: Mapping[str, Column],
    called: Mapping[str, str],
    nominal: Sequence[str],
) -> Iterator[str]:
    remarks = {
        "Columns without a name are left out": [str(j) for j, n in enumerate(names, 1) if not n],
        "Renamed, since the name in the file has a special meaning in cards": [
            n for c, n in called.items() if c != n
        ],
        "Taken as nominal, since not all values are numbers": [
            n for n, held in values.items() if held.dtype.kind != "f" and n not in nominal
        ],
        "The same value in every row": [n for n, held in values.items() if _is_constant(held)],
        "A different value in every row, like the number or the name of the row": [
            n for n, held in values.items() if _is_row_id(held)
        ],
    }
    for remark, columns in remarks.items():
        if columns:
            yield f"{remark} ({_listed(columns)})."


def _is_constant(held: Column) -> bool:
    return len(set(held.tolist())) == 1


def _is_row_id(held: Column) -> bool:
    values = held.tolist()
    return len(set(values)) == len(values) and all(
        isinstance(value, str) or value.is_integer() for value in values
    )


def _listed(names: Iterable[str], at_most: int = 8) -> str:
    every = list(names)
    more = f" and {len(every) - at_most} more" if len(every) > at_most else ""
    return ", ".join(every[:at_most]) + more
