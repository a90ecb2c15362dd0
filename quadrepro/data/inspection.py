"""A first card for a user's own file, whose layout is detected."""

from __future__ import annotations

import codecs
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from shlex import quote
from typing import Any

import numpy as np
import pandas as pd

from quadrepro.base.files import write_text
from quadrepro.base.types import FloatArray
from quadrepro.base.yaml import is_utf8, to_yaml
from quadrepro.data.canonical import (
    content_hash,
    default_order,
    nominal_column,
    number,
    numbers,
    numeric_column,
)
from quadrepro.data.card import ANY_VIEW, Card
from quadrepro.data.checks import to_table
from quadrepro.data.files import decode, find_separator, read_file, unpack
from quadrepro.data.schema import Attribute, Target, View
from quadrepro.data.source import FileLayout, FileSource, text_encoding
from quadrepro.errors import ConfigError, DataError, nearest

GAPS = ("?", "", "NA", "NaN", "nan", "N/A", "null")
"""Words that always mean a missing value."""

MOST_LABELS = 20
"""A target of whole numbers is a label if it has at most this number of distinct values."""

MOST_CODES = 100
"""A nominal column of more codes is left out."""

UNIQUE = 0.9
"""Values look like IDs if they are distinct in more than this share of the rows."""

RARE = 0.5
"""Classes are imbalanced if the rarest has less than this share of the rows of an average one."""

SNIFFED = 1000
"""Number of rows in which the decimal sign is looked for."""

SEPARATORS = {",": ",", ";": ";", "|": "|", "tab": "\t", "blank": "blank"}
"""Separators of text by the words of the option."""

FORMATS = {
    **dict.fromkeys((".csv", ".dat", ".data", ".tab", ".tsv", ".txt"), "csv"),
    **dict.fromkeys((".libsvm", ".svm", ".svmlight"), "libsvm"),
    **dict.fromkeys((".xls", ".xlsx"), "excel"),
    ".arff": "arff",
    ".parquet": "parquet",
}
"""Formats by the ending of a file's name."""

LIBSVM_LABEL = "label"
"""The name of the label in a LIBSVM file; its features are called f1, f2 and so on."""

REMARKS = {
    "empty": "Left out, since every value is missing",
    "id": "Left out, since they look like IDs",
    "dates": "Left out, since most rows have a date of their own",
    "many": f"Left out, since they have more than {MOST_CODES} codes",
    "words": "Taken as nominal, since not all values are numbers",
    "constant": "The same value in every row",
    "code": "Taken as numeric, but they look like codes: if they are, add --nominal NAME",
}
"""Notes on columns."""

LEFT_OUT = ("id", "dates", "many")
"""Remarks on attributes that the default view leaves out."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_ID = re.compile(
    r"(?i:(^|[\W_])(id|uuid|key|index|row|no|nr)([\W_]|$)|(number|nummer)$)|[a-z]I[dD]$"
)
_CODE = re.compile(r"(?i:(^|[\W_])(codes?|zip|zipcode|plz|postcode|postal)([\W_]|$))|[a-z]Code$")
_DATE = re.compile(r"(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}([./-])\d{1,2}\2\d{2,4})([ T]\d.*)?")
_OTHER_SIGN = {
    ".": re.compile(r"[-+]?\d+(,\d+|(,\d{3})+)(\.\d+)?"),
    ",": re.compile(r"[-+]?\d+(\.\d+|(\.\d{3})+)(,\d+)?"),
}
"""Numbers with commas, or points, that are not the decimal sign."""

_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}([.,]\d{3})+")


@dataclass(frozen=True)
class Options:
    """What the user states about a file; the rest is detected."""

    name: str = ""
    task: str = ""
    positive: str = ""
    missing: Sequence[str] = ()
    nominal: Sequence[str] = ()
    drop_missing_target: bool = False
    encoding: str | None = None
    separator: str | None = None  # a key of SEPARATORS
    decimal: str | None = None
    no_header: bool = False
    names: str | None = None  # of the columns of text without a header, with commas


def inspect_file(path: Path, target: str, **options: Any) -> Card:
    """Describe a user's file, with the fields of `Options`."""
    told = Options(**options)
    if told.name and not _NAME.fullmatch(told.name):
        raise ConfigError(
            f"--name: {told.name!r} must begin with a letter and have only a to z, digits and _"
        )
    if not is_utf8(str(path.resolve())):
        raise DataError(f"{path}: the path of the file must be UTF-8, since its card names it")
    frame, layout = _read(path, target, told)
    _check_columns(path, frame, (target, *told.nominal))
    gaps = _gaps(path, frame, told.missing)
    rows = frame.mask(frame.isin(gaps), "").loc[:, [bool(name) for name in frame.columns]]
    labelled = _labelled(path, rows, target, drop=told.drop_missing_target)
    inspector = Inspector(path, layout, told)
    described = inspector.target(labelled[target])
    task = "classification" if described.labels else "regression"
    found = {name: inspector.attribute(labelled[name]) for name in labelled if name != target}
    attributes = {name: one for name, (one, _) in found.items() if one is not None}
    if not attributes:
        raise DataError(f"{path}: every value of every attribute is missing")
    remarks = {name: remark for name, (_, remark) in found.items()}
    left_out = [name for name in attributes if remarks[name] in LEFT_OUT]
    if len(left_out) == len(attributes):
        # Without them there would be nothing to learn from.
        left_out, remarks = [], dict.fromkeys(remarks, "")
    # In cards, `target` is the target, and `a1..a3` are three attributes.
    called = {n: "target_" if n == "target" else n.replace("..", "__") for n in attributes}
    view = _view(path, described, told.positive, [called[name] for name in left_out])
    source = FileSource(
        kind="file",
        path=str(path.resolve()),
        columns=tuple("target" if n == target else called.get(n, "") for n in frame.columns),
        drop_unlabelled=len(labelled) < len(rows),
        **layout.model_dump(exclude_unset=True),
        **({} if {*gaps} <= {"?", ""} else {"missing": gaps}),
    )
    notes = [
        *_reading_notes(source),
        *([] if told.task else [f"Taken as a {task} by the values of the target; see --task."]),
        *([f"Missing values are written {_listed(map(repr, gaps))}."] if gaps else []),
        *_row_notes(len(rows) - len(labelled), labelled.drop(columns=left_out)),
        *_column_notes(frame.columns, called, remarks),
        *imbalance(described, view),
    ]
    fields = {
        "name": told.name or _name(path),
        "title": plain_stem(path),
        "task": task,
        "rows": len(labelled),
        "target": described,
        "attributes": [a.model_copy(update={"name": called[n]}) for n, a in attributes.items()],
        "notes": notes,
        "views": {ANY_VIEW: view},
    }
    return _counted(frame, source, fields)


def _counted(frame: pd.DataFrame, source: FileSource, fields: dict[str, Any]) -> Card:
    """Return a card whose rows are counted and hashed as they will be read with it."""
    unknown = {"licence": "not stated", "citation": "not stated"}
    nothing = {"missing_cells": 0, "rows_with_missing": 0, "content_hash": "sha256:" + "0" * 64}
    card = Card(**fields, **unknown, **nothing, sources=[source])
    table = to_table(frame, source, card, source.path)
    counts = {
        "missing_cells": int(table.missing.sum()),
        "rows_with_missing": int(table.missing.any(axis=1).sum()),
        "content_hash": content_hash(table),
    }
    return card.model_copy(update=counts)


def _check_columns(path: Path, frame: pd.DataFrame, wanted: Iterable[str]) -> None:
    names = [name for name in frame.columns if name]
    for name in wanted:
        if name not in names:
            raise ConfigError(f"{path}: unknown column {name!r}{nearest(name, names)}")
    name, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise DataError(f"{path}: {times} columns are called {name!r}; rename them in the file")
    if len(names) < 2:
        raise DataError(f"{path}: there are no columns other than the target")
    if len(frame) < 2:
        raise DataError(
            f"{path}: at least two rows are needed, but there is {len(frame) or 'none'}"
        )


def _gaps(path: Path, frame: pd.DataFrame, missing: Sequence[str]) -> tuple[str, ...]:
    """Return the words for missing values that occur."""
    words = [*dict.fromkeys((*GAPS, *missing))]
    found = tuple(word for word in words if frame.isin([word]).to_numpy().any())
    for word in missing:
        if word not in found:
            raise ConfigError(f"{path}: no field is {word!r}, the word of --missing")
    return found


def _labelled(path: Path, frame: pd.DataFrame, target: str, *, drop: bool) -> pd.DataFrame:
    """Return the rows that have a label."""
    missing = _is_missing(frame[target])
    if missing.any() and not drop:
        n_missing = "1 row" if missing.sum() == 1 else f"{missing.sum()} of {len(frame)} rows"
        raise DataError(
            f"{_place(path, frame, int(missing.argmax()))}: the target {target} has no value, in"
            f" {n_missing}; --drop-missing-target leaves out such rows"
        )
    return frame[~missing]


def _is_missing(column: pd.Series) -> pd.Series:
    return column.isna() | (column == "")


def _place(path: Path, rows: pd.DataFrame | pd.Series, row: int) -> str:
    return f"{path}, {rows.index.name} {rows.index[row]}"


@dataclass(frozen=True)
class Inspector:
    """Describes columns of a file, with ``""`` or NaN for missing values."""

    path: Path
    layout: FileLayout
    told: Options

    def target(self, column: pd.Series) -> Target:
        """Return labels or numbers: what was asked for, or else what the values look like."""
        task = self.told.task
        values = None
        if task != "classification":
            hint = "add --task classification if these are labels"
            values = self._numbers(column, hint, required=task == "regression")
        distinct = np.unique(_codes(column) if values is None else values)
        if len(distinct) == 1:
            raise DataError(
                f"{self.path}: {column.name} is {str(distinct[0])!r} in every row, so there is"
                " nothing to learn"
            )
        if values is not None and not task:
            few = len(distinct) <= MOST_LABELS and np.array_equal(distinct, np.round(distinct))
            values = None if few else values
        if values is not None:
            return Target(original=column.name, range=_range(values))
        labels = dict(sorted(Counter(_codes(column)).items()))
        return Target(original=column.name, labels=labels)

    def attribute(self, column: pd.Series) -> tuple[Attribute | None, str]:
        """Return an attribute, None if it has no value, and a key of REMARKS or nothing."""
        name = str(column.name)
        if _is_missing(column).all():
            return None, "empty"
        values = None
        if name not in self.told.nominal:
            hint = f"add --missing WORD if it means a missing value, or --nominal {quote(name)}"
            values = self._numbers(column, f"{hint} if the column holds codes")
        if values is not None:
            remark = _remark_on_numbers(name, pd.Series(values))
            return Attribute(name=name, kind="numeric", range=_range(values)), remark
        held = pd.Series(_codes(column))
        remark = _remark_on_codes(held)
        codes = default_order({*held} - {""})
        return (
            Attribute(name=name, kind="nominal", codes=codes if len(codes) <= MOST_CODES else None),
            "" if remark == "words" and name in self.told.nominal else remark,
        )

    def _numbers(
        self, column: pd.Series, hint: str, *, required: bool = False
    ) -> FloatArray | None:
        """Return numbers, or None if the column has codes; refuse a mixture of both."""
        decimal, is_text = self.layout.decimal, column.dtype.kind != "f"
        values = (
            numeric_column(column)
            if not is_text
            else numbers(column, decimal, thousands=self.layout.thousands)
        )
        words = np.flatnonzero(np.isinf(values))
        if not len(words):
            return values
        field = str(column.iloc[words[0]])
        n_values = int((~_is_missing(column)).sum())
        n_numbers = n_values - len(words)
        if not is_text:
            why = "which is not a finite number"
        elif _OTHER_SIGN[decimal].fullmatch(field):
            other = "commas" if decimal == "." else "points"
            why = f"which is not a number with the decimal sign {decimal!r}"
            if not self.layout.thousands:
                why += f"; if {other} separate thousands, add --decimal {decimal}"
        elif n_numbers > len(words):
            hint = hint.replace("WORD", quote(field))
            why = f"but {n_numbers} of its {n_values} values are numbers; {hint}"
        elif required:
            why = "which is not a finite number"
        else:
            return None
        place = _place(self.path, column, int(words[0]))
        raise DataError(f"{place}: {column.name} is {field!r}, {why}")


def _codes(column: pd.Series) -> list[str]:
    texts = column.astype(object).mask(_is_missing(column), "").map(str)
    codes: list[str] = nominal_column(texts).tolist()
    return codes


def _range(values: FloatArray) -> tuple[float, float]:
    return float(np.nanmin(values)), float(np.nanmax(values))


def _remark_on_numbers(name: str, values: pd.Series) -> str:
    n_distinct = values.nunique()
    whole = values.dropna().mod(1).eq(0).all()
    numbered = _ID.search(name) or np.ptp(values.dropna()) == n_distinct - 1
    if n_distinct == 1 and not values.hasnans:
        return "constant"
    if whole and numbered and n_distinct > UNIQUE * len(values):
        return "id"
    return "code" if whole and _CODE.search(name) else ""


def _remark_on_codes(codes: pd.Series) -> str:
    held = codes[codes != ""]
    n_distinct = held.nunique()
    if held.str.fullmatch(_DATE).all() and n_distinct > len(held) / 2:
        return "dates"
    if n_distinct > UNIQUE * len(codes):
        return "id"
    if n_distinct > MOST_CODES:
        return "many"
    return "constant" if codes.nunique() == 1 else "words"


def _view(path: Path, target: Target, positive: str, exclude: Sequence[str]) -> View:
    labels = target.labels
    if positive and positive not in labels:
        hint = nearest(positive, labels)
        raise ConfigError(f"{path}: {target.original} has no label {positive!r}{hint}")
    evidence = f"All {len(labels)} labels are classes." if labels else "A number to predict."
    if positive:
        evidence = "The label that was given as positive."
    elif len(labels) == 2:
        positive = min(reversed(labels), key=labels.__getitem__)
        evidence = "The rarer of the two labels."
    chosen = {"positive": (positive,)} if positive else {}
    return View(**chosen, exclude=tuple(exclude), status="open", evidence=evidence)


def imbalance(target: Target, view: View) -> Iterator[str]:
    """Yield a note if the rarest class has less than a part of its equal share of the rows."""
    sizes = view.class_sizes(target)
    if sizes and min(sizes) * len(sizes) < RARE * sum(sizes):
        yield (
            f"Imbalanced: the rarest class has {min(sizes)} of {sum(sizes)} rows, so a low error is"
            " easy; see the other metrics."
        )


def _reading_notes(source: FileSource) -> Iterator[str]:
    if source.format == "csv":
        header = f"names in line {source.skip}" if source.skip else "no header"
        yield (
            f"Read as {source.encoding}, separator {source.separator!r}, decimal"
            f" {source.decimal!r}, {header}; --encoding, --separator, --decimal and --no-header"
            " change this."
        )


def _row_notes(n_dropped: int, rows: pd.DataFrame) -> Iterator[str]:
    if n_dropped:
        yield f"Rows without a target, which are left out: {n_dropped}."
    if n_repeated := int(rows.duplicated().sum()):
        yield f"Rows that repeat an earlier one: {n_repeated}."


def _column_notes(
    names: Sequence[str], called: Mapping[str, str], remarks: Mapping[str, str]
) -> Iterator[str]:
    unnamed = [str(j) for j, name in enumerate(names, start=1) if not name]
    renamed = [new for name, new in called.items() if name != new]
    notes = {
        "Columns without a name, which are left out": unnamed,
        "Renamed, since the name in the file has a special meaning in cards": renamed,
    }
    for key, text in REMARKS.items():
        notes[text] = [called.get(name, name) for name, remark in remarks.items() if remark == key]
    for text, columns in notes.items():
        if columns:
            yield f"{text} ({_listed(columns)})."


def _listed(names: Iterable[str], at_most: int = 8) -> str:
    every = list(names)
    more = f" and {len(every) - at_most} more" if len(every) > at_most else ""
    return ", ".join(every[:at_most]) + more


def _read(path: Path, target: str, told: Options) -> tuple[pd.DataFrame, FileLayout]:
    """Return the rows under the names of their columns, and how they were read."""
    name, content = unpack(path)
    form = FORMATS.get(PurePath(name).suffix.lower())
    if form is None:
        known = ", ".join(sorted(FORMATS))
        raise DataError(f"{path}: the format is not known, since {name!r} does not end in {known}")
    if form == "csv":
        return _read_text(path, content, target, told)
    if told.encoding or told.separator or told.decimal or told.no_header or told.names:
        raise ConfigError(f"{path}: encoding, separator, decimal and names are those of the format")
    layout = FileLayout.model_validate({"format": form})
    frame = read_file(path, layout)
    names = [str(name).strip() for name in frame.columns]
    if form == "libsvm":
        names = [*(f"f{j}" for j in range(1, len(names))), LIBSVM_LABEL]
    return frame.set_axis(names, axis="columns"), layout


def _read_text(
    path: Path, content: bytes, target: str, told: Options
) -> tuple[pd.DataFrame, FileLayout]:
    encoding = _encoding(content, told.encoding)
    has_header = not (told.names or told.no_header)
    separator = SEPARATORS.get(told.separator or "") or find_separator(
        decode(content, path, encoding), target
    )
    layout = FileLayout(separator=separator, encoding=encoding)
    frame = read_file(path, layout)
    skip = 0
    names = [f"x{j}" for j in range(1, frame.shape[1] + 1)]
    if has_header:
        skip, names, frame = int(frame.index[0]), frame.iloc[0].tolist(), frame.iloc[1:]
    elif told.names:
        names = told.names.split(",")
        if len(names) != frame.shape[1]:
            raise ConfigError(f"{path}: {len(names)} names, but {frame.shape[1]} columns")
    frame = frame.set_axis(names, axis="columns")
    decimal = told.decimal or _decimal(frame.head(SNIFFED), {*GAPS, *told.missing})
    how = {"decimal": decimal, "thousands": told.decimal is not None, "skip": skip}
    return frame, layout.model_copy(update=how)


def _encoding(content: bytes, told: str | None) -> str:
    """Return the encoding that was given, or else UTF-16 by its mark, UTF-8 or Windows' Latin."""
    if told:
        try:
            return text_encoding(told)
        except ValueError as error:
            raise ConfigError(f"--encoding: {error}") from None
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    try:
        content.decode()
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _decimal(frame: pd.DataFrame, gaps: Collection[str]) -> str:
    """Return a comma if more columns have decimal commas than have decimal points."""
    n_columns = {".": 0, ",": 0}
    for j in range(frame.shape[1]):
        seen = [text for text in frame.iloc[:, j] if text not in gaps]
        for sign in n_columns:
            written = [text for text in seen if sign in text and not _THOUSANDS.fullmatch(text)]
            if written and None not in (number(text, sign) for text in seen):
                n_columns[sign] += 1
    return max(n_columns, key=n_columns.__getitem__)


def plain_stem(path: Path) -> str:
    """Return the name of a file without the endings that tell its format."""
    stem, ending = path.name, path.suffix.lower()
    if ending in (".gz", ".zip"):
        stem = PurePath(stem).stem
    return PurePath(stem).stem if PurePath(stem).suffix.lower() in FORMATS else stem


def _name(path: Path) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", plain_stem(path).lower()).strip("_")
    return name if _NAME.fullmatch(name) else f"data_{name}".rstrip("_")


def write_card(card: Card, path: Path) -> None:
    """Write a card so that `quadrepro.data.card.load_card_file` reads the same card back."""
    content = card.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    for source in content.get("sources", ()):
        if "path" in source:
            own, folder = Path(source["path"]), path.parent.resolve()
            if own.is_relative_to(folder.parent):  # the whole project can be moved
                source["path"] = Path(os.path.relpath(own, folder)).as_posix()
    # The attributes can be thousands of lines.
    content["attributes"] = content.pop("attributes")
    write_text(path, to_yaml(content))
