"""Files of the user's own: reading one of unknown layout, and writing a first card for it."""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path, PurePath
from typing import Any, TypeVar

import numpy as np

from quadrepro.base.files import write_text
from quadrepro.base.types import FloatArray, IntArray
from quadrepro.base.yaml import is_utf8, to_yaml
from quadrepro.data.canonical import (
    Column,
    Frame,
    TextArray,
    codes_of,
    content_hash,
    is_missing,
    is_text,
    number,
    numbers,
    numeric_column,
)
from quadrepro.data.card import ANY_VIEW, Card
from quadrepro.data.checks import to_table
from quadrepro.data.schema import Attribute, Target, View, series
from quadrepro.data.sources.formats import encoding_of, read_file, separator_of, text_of, unpack
from quadrepro.data.sources.schema import FileLayout, FileSource, Layout, text_encoding
from quadrepro.errors import ConfigError, DataError, nearest

GAPS = ("?", "", "NA", "NaN", "nan", "N/A", "null")
"""Words that always stand for a missing value."""

MOST_LABELS = 20
"""A target of whole numbers is a label if it has at most this number of distinct values."""

MOST_CODES = 100
"""A card lists the codes of an attribute if there are at most this many."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_OTHER_SIGN = {
    ".": re.compile(r"[-+]?\d+(,\d+|(,\d{3})+)(\.\d+)?"),
    ",": re.compile(r"[-+]?\d+(\.\d+|(\.\d{3})+)(,\d+)?"),
}
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}([.,]\d{3})+")
_ID = re.compile(
    r"(?i:(^|[\W_])(id|uuid|key|index|row|no|nr)([\W_]|$)|(number|nummer)$)|[a-z]I[dD]$"
)

SNIFFED = 1000
"""Number of rows by which the decimal sign is detected."""

RARE = 0.5
"""Classes are imbalanced if the rarest has less than this share of the rows of an average one."""

SEPARATORS = {",": ",", ";": ";", "|": "|", "tab": "\t", "blank": "blank"}
"""Separators of text by the words of options."""

LIBSVM_LABEL = "label"
"""The name of the label in a LIBSVM file; its features are called f1, f2 and so on."""

_FORMATS = {
    ".arff": "arff",
    ".csv": "csv",
    ".dat": "csv",
    ".data": "csv",
    ".libsvm": "libsvm",
    ".parquet": "parquet",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
    ".tab": "csv",
    ".tsv": "csv",
    ".txt": "csv",
}
_PACKED = (".gz", ".zip")

_LAST = ("target", "attributes", "licence", "citation", "sources", "notes", "views")
_FIRST_OF_SOURCE = ("kind", "path", "format", "separator", "skip", "columns")

T = TypeVar("T")


@dataclass(frozen=True)
class Told:
    """What the user says of a file; how its text is written is detected otherwise."""

    name: str = ""
    task: str = ""
    positive: str = ""
    missing: Sequence[str] = ()
    nominal: Sequence[str] = ()
    encoding: str | None = None
    separator: str | None = None  # a key of SEPARATORS
    decimal: str | None = None
    no_header: bool = False
    names: str | None = None  # of the columns of text without a header, with commas


NOTHING = Told()


def inspect_file(path: Path, target: str, **options: Any) -> Card:
    """Describe a user's file, by options of `Told`."""
    told = Told(**options)
    _refuse_names(path, told.name)
    frame, layout = read_own(path, target, {*GAPS, *told.missing}, told)
    names = _names(frame, (target, *told.nominal))
    gaps = used_gaps(frame, told.missing)
    columns = own_columns(frame, gaps, layout.get("decimal", "."))
    labels = target_values(columns.pop(target), told.task)
    described = _target(target, labels)
    found = {c: attribute_values(held, as_codes=c in told.nominal) for c, held in columns.items()}
    _refuse_empty(found, frame)
    called = _attribute_names(found)
    default_gaps: tuple[str, ...] = Layout.model_fields["missing"].default
    source = FileSource(
        kind="file",
        path=str(path.resolve()),
        columns=tuple("target" if c == target else called.get(c, "") for c in names),
        missing=default_gaps if set(gaps) <= set(default_gaps) else gaps,
        **layout,
    )
    values = {called[c]: held for c, held in found.items()}
    ids = tuple(name for name, held in values.items() if _is_id(name, held))
    if len(ids) == len(values):
        ids = ()
    view = _view(described, told.positive, frame).model_copy(update={"exclude": ids})
    fields = {
        "name": told.name or _name(path),
        "title": plain_stem(path),
        "task": "classification" if described.labels else "regression",
        "rows": len(labels),
        "target": described,
        "attributes": [_attribute(name, held) for name, held in values.items()],
        "licence": "not stated",
        "citation": "not stated",
        "sources": [source],
        "notes": [
            *_reading(layout),
            *([] if told.task else [_task_note(described)]),
            *([f"Missing values are written {_listed(map(repr, gaps))}."] if gaps else []),
            *_column_notes(names, found, called, told.nominal),
            *([f"Left out, since they look like IDs ({_listed(ids)})."] if ids else []),
            *imbalance(described, view),
        ],
        "views": {ANY_VIEW: view},
    }
    return _counted(frame, source, fields)


def _counted(frame: Frame, source: FileSource, fields: dict[str, Any]) -> Card:
    """Return a card whose rows are counted and hashed as they will be read with it."""
    nothing = {"missing_cells": 0, "rows_with_missing": 0, "content_hash": "sha256:" + "0" * 64}
    table = to_table(frame, source, Card(**fields, **nothing))
    return Card(
        **fields,
        missing_cells=int(table.missing.sum()),
        rows_with_missing=int(table.missing.any(axis=1).sum()),
        content_hash=content_hash(table),
    )


def _refuse_names(path: Path, name: str) -> None:
    if name and not _NAME.fullmatch(name):
        raise ConfigError(
            f"{name!r} cannot be the name of a data set: use lower-case letters, digits and _, with"
            " a letter first"
        )
    if not is_utf8(str(path.resolve())):
        raise DataError(f"{path}: the path of the file must be UTF-8, since its card names it")


def _names(frame: Frame, wanted: Iterable[str]) -> tuple[str, ...]:
    names = frame.names or ()
    for name in wanted:
        if name not in names:
            hint = nearest(name, names)
            raise ConfigError(f"{frame.origin}: unknown column {name!r}{hint}")
    if sum(map(bool, names)) < 2:
        raise DataError(f"{frame.origin}: there are no columns other than the target")
    if len(frame.columns[0]) < 2:
        raise DataError(f"{frame.origin}: the file has only one row")
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
    if not is_text(held):
        return Attribute(name=name, kind="numeric", range=_range(held))
    codes = sorted({*held.tolist()} - {""})
    if None not in map(number, codes):
        codes.sort(key=float)
    return Attribute(
        name=name, kind="nominal", codes=tuple(codes) if len(codes) <= MOST_CODES else None
    )


def _target(name: str, labels: Column) -> Target:
    if not is_text(labels):
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


def imbalance(target: Target, view: View) -> Iterator[str]:
    """Yield a note if the rarest class has less than a part of its equal share of the rows."""
    sizes = view.class_sizes(target)
    if sizes and min(sizes) * len(sizes) < RARE * sum(sizes):
        yield (
            f"Imbalanced: the rarest class has {min(sizes)} of {sum(sizes)} rows, so a low error is"
            " easy; see the other metrics."
        )


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
            n for n, held in values.items() if is_text(held) and n not in nominal
        ],
        "The same value in every row": [n for n, held in values.items() if _is_constant(held)],
    }
    for remark, columns in remarks.items():
        if columns:
            yield f"{remark} ({_listed(columns)})."


def _is_constant(held: Column) -> bool:
    return len(set(held.tolist())) == 1


def _is_id(name: str, held: Column) -> bool:
    """Whether values are unique, and words, numbers of the rows, or numbers called an ID."""
    if len(set(held.tolist())) < len(held) or is_missing(held).any():
        return False
    if is_text(held):
        return True
    found = numeric_column(held)
    numbered = bool(_ID.search(name)) or np.ptp(found) == len(found) - 1
    return numbered and np.array_equal(found, np.round(found))


def _reading(layout: Mapping[str, Any]) -> Iterator[str]:
    """Yield how the text of a file is written."""
    if "encoding" in layout:
        header = f"names in line {layout['skip']}" if layout["skip"] else "no header"
        yield (
            f"Read as {layout['encoding']}, separator {layout['separator']!r}, decimal"
            f" {layout['decimal']!r}, {header}; --encoding, --separator, --decimal and --no-header"
            " change this."
        )


def _listed(names: Iterable[str], at_most: int = 8) -> str:
    every = list(names)
    more = f" and {len(every) - at_most} more" if len(every) > at_most else ""
    return ", ".join(every[:at_most]) + more


def read_own(
    path: Path, target: str, gaps: Collection[str], told: Told = NOTHING
) -> tuple[Frame, dict[str, Any]]:
    """Read a file whose layout is not known."""
    name, content = unpack(path)
    suffix = PurePath(name).suffix.lower()
    if suffix not in _FORMATS:
        known = ", ".join(sorted(_FORMATS))
        raise DataError(f"{path}: the format is not known, since {name!r} does not end in {known}")
    if not content.strip():
        raise DataError(f"{path}: the file is empty")
    if _FORMATS[suffix] == "csv":
        return _text(path, content, target, gaps, told)
    if told.encoding or told.separator or told.decimal or told.no_header or told.names:
        raise ConfigError(f"{path}: encoding, separator, decimal and names are those of the format")
    layout = {"format": _FORMATS[suffix]}
    frame = read_file(path, FileLayout.model_validate(layout))
    if frame.names is None:
        names = (*(f"f{j}" for j in range(1, len(frame.columns))), LIBSVM_LABEL)
    else:
        names = tuple(name.strip() for name in frame.names)
    _refuse_same_names(names, str(path))
    return Frame(frame.columns, frame.origin, names, frame.lines), layout


def plain_stem(path: Path) -> str:
    """Return the name of a file without the endings for its format.

    Examples
    --------
    >>> plain_stem(Path("my.data.csv.gz"))
    'my.data'
    """
    stem = path.name
    for endings in (_PACKED, tuple(_FORMATS)):
        if PurePath(stem).suffix.lower() in endings:
            stem = PurePath(stem).stem
    return stem


def _text(
    path: Path, content: bytes, target: str, gaps: Collection[str], told: Told
) -> tuple[Frame, dict[str, Any]]:
    try:
        encoding = text_encoding(told.encoding or encoding_of(content))
    except ValueError as error:
        raise ConfigError(f"--encoding: {error}") from None
    text = text_of(content, str(path), encoding)
    if not text.strip():
        raise DataError(f"{path}: the file is empty")
    separator = SEPARATORS[told.separator] if told.separator else separator_of(text, target)
    layout: dict[str, Any] = {"separator": separator, "encoding": encoding}
    # The header is read as a row, so that all rows must have the same number of fields.
    frame = read_file(path, FileLayout(**layout))
    assert frame.lines is not None
    if told.names or told.no_header:
        names, line = _given_names(frame, told.names), 0
    else:
        line = frame.lines[0]
        names = tuple(str(column[0]) for column in frame.columns)
        frame = replace(frame, columns=tuple(c[1:] for c in frame.columns), lines=frame.lines[1:])
    rows = replace(frame, names=names)
    decimal = told.decimal or _decimal(rows, gaps)
    _refuse_same_names(names, f"{path}, line {line}" if line else str(path))
    if not rows.lines:
        raise DataError(f"{path}: the file has a header but no rows")
    return rows, layout | {"decimal": decimal, "skip": line}


def _given_names(frame: Frame, written: str | None) -> tuple[str, ...]:
    numbered = tuple(f"x{j}" for j in range(1, len(frame.columns) + 1))
    names = tuple(written.split(",")) if written else numbered
    if len(names) != len(numbered):
        raise ConfigError(f"{frame.origin}: {len(names)} names, but {len(numbered)} columns")
    return names


def _decimal(frame: Frame, gaps: Collection[str]) -> str:
    """Return a comma if more columns have decimal commas than have decimal points."""
    n_columns = {".": 0, ",": 0}
    for column in frame.columns:
        seen = [text for text in column[:SNIFFED].tolist() if text not in gaps]
        for sign in n_columns:
            written = [text for text in seen if sign in text and not _THOUSANDS.fullmatch(text)]
            if written and None not in (number(text, sign) for text in seen):
                n_columns[sign] += 1
    return max(n_columns, key=n_columns.__getitem__)


def _refuse_same_names(names: Sequence[str], place: str) -> None:
    name, times = Counter(filter(None, names)).most_common(1)[0] if any(names) else ("", 0)
    if times > 1:
        numbers = [str(j) for j, other in enumerate(names, start=1) if other == name]
        both = f"{', '.join(numbers[:-1])} and {numbers[-1]}"
        raise DataError(f"{place}: columns {both} have the same name {name!r}")


@dataclass(frozen=True, eq=False)
class OwnColumn:
    """A column of the file."""

    name: str
    frame: Frame
    held: Column  # with empty text or NaN for missing values
    decimal: str = "."

    @cached_property
    def codes(self) -> TextArray:
        """The fields as codes, shape (n_rows,)."""
        return codes_of(self.held)

    @cached_property
    def numbers(self) -> FloatArray:
        """The fields as numbers, shape (n_rows,); infinite if a field is not a finite number."""
        if not is_text(self.held):
            return numeric_column(self.held)
        return numbers(self.held.tolist(), self.decimal)

    @cached_property
    def words(self) -> IntArray:
        """The indices of rows whose fields are not finite numbers."""
        return np.flatnonzero(np.isinf(self.numbers))

    def values(self, advice: str) -> Column:
        """Return numbers if all fields are numbers, otherwise codes."""
        if not len(self.words):
            return self.numbers
        row = int(self.words[0])
        if _is_infinite(str(self.held[row])):
            raise self.refusal(row, "which is not a finite number")
        if _OTHER_SIGN[self.decimal].fullmatch(str(self.held[row])):
            ours, other = ("point", "commas") if self.decimal == "." else ("comma", "points")
            why = f"but numbers are written with a {ours} and without {other}"
            raise self.refusal(row, f"{why}; remove them, or see --decimal")
        n_values = int((~is_missing(self.held)).sum())
        n_numbers = n_values - len(self.words)
        if n_numbers > len(self.words):
            word = shlex.quote(str(self.held[row]))
            hint = advice.replace("WORD", word)
            raise self.refusal(row, f"but {n_numbers} of its {n_values} values are numbers; {hint}")
        return self.codes

    def refusal(self, row: int, why: str) -> DataError:
        """Return an error that names the place and the field of a row."""
        place = f"{self.frame.origin}, {self.frame.place(row)}"
        return DataError(f"{place}: {self.name} is {str(self.held[row])!r}, {why}")


def used_gaps(frame: Frame, missing: Sequence[str]) -> tuple[str, ...]:
    """Return the words for missing values that occur in a file."""
    words = dict.fromkeys((*GAPS, *missing))
    found: set[str] = set()
    for column in frame.columns:
        if is_text(column):
            found |= words.keys() & set(column.tolist())
    for word in missing:
        if word not in found:
            raise ConfigError(f"{frame.origin}: no field is {word!r}, given for missing values")
    return tuple(word for word in words if word in found)


def own_columns(frame: Frame, gaps: Sequence[str], decimal: str = ".") -> dict[str, OwnColumn]:
    """Return the columns of a file by name; columns without a name are left out."""
    columns = {}
    for name, held in zip(frame.names or (), frame.columns, strict=True):
        if name:
            seen = np.where(np.isin(held, gaps), "", held) if is_text(held) else held
            columns[name] = OwnColumn(name, frame, seen, decimal)
    return columns


def attribute_values(column: OwnColumn, *, as_codes: bool) -> Column:
    """Return the numbers or codes of an attribute."""
    if as_codes:
        return column.codes
    return column.values(
        "add --missing WORD if it means a missing value, or --nominal "
        f"{shlex.quote(column.name)} if the column holds codes"
    )


def target_values(column: OwnColumn, task: str) -> Column:
    """Return the labels of a classification as texts, or the numbers of a regression."""
    unlabelled = np.flatnonzero(is_missing(column.held))
    if len(unlabelled):
        place = f"{column.frame.origin}, {column.frame.place(int(unlabelled[0]))}"
        raise DataError(f"{place}: the target {column.name} has no value")
    if task == "regression" and len(column.words):
        raise column.refusal(int(column.words[0]), "which is not a finite number")
    values = (
        column.codes
        if task == "classification"
        else column.values("add --task classification if these are labels")
    )
    if not task and not is_text(values):
        distinct = np.unique(column.numbers)
        if len(distinct) <= MOST_LABELS and np.all(distinct == np.round(distinct)):
            values = column.codes
    if len(set(values.tolist())) == 1:
        raise DataError(
            f"{column.frame.origin}: {column.name} is {str(values[0])!r} in every row, so there is"
            " nothing to learn"
        )
    return values


def _is_infinite(text: str) -> bool:
    try:
        return math.isinf(float(text))
    except ValueError:
        return False


def write_card(card: Card, path: Path) -> None:
    """Write a card so that `quadrepro.data.card.load_card_file` reads the same card back."""
    write_text(path, to_yaml(_content(card, path.parent.resolve())))


def _content(card: Card, folder: Path) -> dict[str, Any]:
    content = _whole(card.model_dump(mode="json", exclude_none=True, exclude_defaults=True))
    said = [(attribute.pop("name"), attribute) for attribute in content["attributes"]]
    content["attributes"] = [dict(name=name, **rest) for name, rest in _folded(said)]
    content["sources"] = [_source(source, folder) for source in content["sources"]]
    return {k: v for k, v in content.items() if k not in _LAST} | _first(content, _LAST)


def _source(source: dict[str, Any], folder: Path) -> dict[str, Any]:
    source = _first(source, _FIRST_OF_SOURCE) | source
    if "columns" in source:
        source["columns"] = [name for name, _ in _folded([(n, None) for n in source["columns"]])]
    path = Path(source.get("path", ""))
    # A relative path stays right if the whole project is moved.
    if path.is_relative_to(folder):
        source["path"] = path.relative_to(folder).as_posix()
    elif path.is_relative_to(folder.parent):
        source["path"] = f"../{path.relative_to(folder.parent).as_posix()}"
    return source


def _first(content: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: content[key] for key in keys if key in content}


def _whole(value: Any) -> Any:
    """Return plain data with 1 instead of 1.0, and so on."""
    match value:
        case dict():
            return {key: _whole(held) for key, held in value.items()}
        case list():
            return [_whole(held) for held in value]
        case float() if value.is_integer() and abs(value) < 1e15:
            return int(value)
    return value


def _folded(described: Sequence[tuple[str, T]]) -> Iterator[tuple[str, T]]:
    """Yield names with their descriptions, ``f1..f9`` for nine with the same description."""

    def place_in_series(item: tuple[int, tuple[str, T]]) -> tuple[object, ...]:
        i, (name, description) = item
        stem = name.rstrip("0123456789")
        number = name[len(stem) :]
        # No series counts so far.
        return (stem, int(number) - i, repr(description)) if 0 < len(number) < 10 else (i,)

    for _, items in groupby(enumerate(described), place_in_series):
        run = [one for _, one in items]
        name = f"{run[0][0]}..{run[-1][0]}"
        if len(run) > 2 and [*series(name)] == [one for one, _ in run]:
            yield name, run[0][1]
        else:
            yield from run
