"""A first card for a user's own file, whose layout is detected."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from textwrap import shorten
from typing import Any

import numpy as np
import pandas as pd

from quadrepro.base.files import write_text
from quadrepro.base.yaml import to_yaml
from quadrepro.data.canonical import (
    codes_of,
    content_hash,
    default_order,
    nominal_column,
    number,
    numbers,
)
from quadrepro.data.card import ANY_VIEW, Card
from quadrepro.data.checks import to_table
from quadrepro.data.files import detect, read_file, unpack
from quadrepro.data.schema import Attribute, Target, View
from quadrepro.data.source import GAPS, FileLayout, FileSource
from quadrepro.errors import ConfigError, DataError, nearest

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

SHOWN = 100
"""Number of characters of a note's list of columns."""

FORMATS = {
    **dict.fromkeys((".csv", ".dat", ".data", ".tab", ".tsv", ".txt"), "csv"),
    **dict.fromkeys((".libsvm", ".svm", ".svmlight"), "libsvm"),
    **dict.fromkeys((".xls", ".xlsx"), "excel"),
    ".arff": "arff",
    ".parquet": "parquet",
}
"""Formats by the ending of a file's name."""

EMPTY = "Left out, since every value is missing"
IDS = "Left out, since they look like IDs: almost every row has a value of its own"
MANY = f"Left out, since they have more than {MOST_CODES} codes"
CODES = "Taken as numeric, but they look like codes: if they are, add --nominal NAME"
NOMINAL = "Taken as nominal"

_ID = re.compile(
    r"(?i:(^|[\W_])(id|uuid|key|index|row|no|nr)([\W_]|$)|(number|nummer)$)|[a-z]I[dD]$"
)
_CODE = re.compile(r"(?i:(^|[\W_])(codes?|zip|zipcode|plz|postcode|postal)([\W_]|$))|[a-z]Code$")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}([.,]\d{3})+")


@dataclass(frozen=True)
class Options:
    """What the user states about a file; the rest is detected."""

    name: str = ""
    task: str | None = None
    positive: str = ""
    missing: Sequence[str] = ()
    nominal: Sequence[str] = ()
    drop_missing_target: bool = False
    encoding: str | None = None
    separator: str | None = None
    decimal: str | None = None
    no_header: bool = False
    names: str | None = None  # of the columns of text without a header, with commas


def inspect_file(path: Path, target: str, **options: Any) -> Card:
    """Describe a user's file, with the fields of `Options`."""
    told = Options(**options)
    try:
        str(path.resolve()).encode()
    except UnicodeEncodeError:
        message = f"{path}: the path of the file must be UTF-8, since its card names it"
        raise DataError(message) from None
    frame, layout = _read(path, target, told)
    _check_names(path, [*frame.columns], target, told.nominal)
    plain = _plain(frame)
    gaps = _gaps(path, plain, told.missing)
    rows = frame.mask(plain.isin(_meant(gaps)))
    rows = _labelled(path, rows, target, drop=told.drop_missing_target)
    described = _target(path, rows[target], layout, told.task)
    task = "classification" if described.labels else "regression"
    columns = _columns(path, rows.drop(columns=target), layout, told.nominal)
    remarks = dict.fromkeys(rows.drop(columns=target), EMPTY)
    remarks |= {name: _remark(column) for name, column in columns.items()}
    left_out = [name for name in columns if remarks[name] in (IDS, MANY)]
    if len(left_out) == len(columns):
        # Without them there would be nothing to learn from.
        left_out, remarks = [], {}
    source = FileSource(
        kind="file",
        path=str(path.resolve()),
        columns=["target" if n == target else n if n in columns else "" for n in frame],
        missing=tuple(dict.fromkeys(("?", "", *gaps))),
        drop_unlabelled=len(rows) < len(frame),
        **layout.model_dump(exclude_unset=True),
    )
    view = _view(path, described, told.positive, left_out)
    stem = path.name.partition(".")[0]
    missing = rows[[*columns]].isna()
    card = Card(
        name=_name(told.name or stem),
        title=stem or path.name,
        task=task,
        rows=len(rows),
        attributes=[_attribute(column) for column in columns.values()],
        missing_cells=int(missing.to_numpy().sum()),
        rows_with_missing=int(missing.any(axis=1).sum()),
        target=described,
        content_hash="sha256:" + "0" * 64,
        licence="not stated",
        citation="not stated",
        sources=[source],
        notes=[
            *_reading_notes(source, gaps),
            *([] if told.task else [f"Taken as a {task} by the values of the target; see --task."]),
            *_content_notes(len(frame) - len(rows), rows.drop(columns=left_out), remarks),
            *imbalance(described, view),
        ],
        views={ANY_VIEW: view},
    )
    # The rows are hashed as they will be read with the card.
    table = to_table(frame, source, card, source.path)
    return card.model_copy(update={"content_hash": content_hash(table)})


def _read(path: Path, target: str, told: Options) -> tuple[pd.DataFrame, FileLayout]:
    """Return the rows under the names of their columns, and how they were read."""
    name, _ = unpack(path)
    form = FORMATS.get(PurePath(name).suffix.lower())
    if form is None:
        known = ", ".join(sorted(FORMATS))
        raise DataError(f"{path}: the format is not known, since {name!r} does not end in {known}")
    if form == "csv":
        return _read_text(path, target, told)
    if told.encoding or told.separator or told.decimal or told.no_header or told.names:
        raise ConfigError(f"{path}: encoding, separator, decimal and names are those of the format")
    layout = FileLayout.model_validate({"format": form})
    frame = read_file(path, layout)
    if form == "libsvm":
        return frame.set_axis([*_numbered(frame.shape[1] - 1), target], axis="columns"), layout
    return frame.rename(columns=lambda name: str(name).strip()), layout


def _read_text(path: Path, target: str, told: Options) -> tuple[pd.DataFrame, FileLayout]:
    separator = "\t" if told.separator == "tab" else told.separator
    try:
        layout = detect(path, target, told.encoding or "", separator or "")
    except LookupError as error:
        raise ConfigError(f"--encoding: {error}") from None
    frame = read_file(path, layout)
    skip, names = 0, _numbered(frame.shape[1])
    if told.names:
        names = [name.strip() for name in told.names.split(",")]
        if len(names) != frame.shape[1]:
            raise ConfigError(f"{path}: {len(names)} names, but {frame.shape[1]} columns")
    elif not told.no_header:
        skip = int(frame.index[0])
        # A column without a name has its number.
        names = [name or numbered for name, numbered in zip(frame.iloc[0], names, strict=True)]
        frame = frame.iloc[1:]
        if frame.empty:
            raise DataError(f"{path}: the file has a header but no rows")
    decimal = told.decimal or _decimal(frame.head(SNIFFED), [*GAPS, *told.missing])
    how = {"skip": skip, "decimal": decimal, "thousands": told.decimal is not None}
    return frame.set_axis(names, axis="columns"), layout.model_copy(update=how)


def _numbered(n_columns: int) -> list[str]:
    return [f"x{j}" for j in range(1, n_columns + 1)]


def _decimal(rows: pd.DataFrame, gaps: Sequence[str]) -> str:
    """Return a comma if more columns have decimal commas than have decimal points."""
    columns = [[text for text in rows[j].tolist() if text not in gaps] for j in rows]
    n_columns = {sign: sum(_has_sign(column, sign) for column in columns) for sign in ".,"}
    return max(n_columns, key=n_columns.__getitem__)


def _has_sign(texts: Sequence[str], sign: str) -> bool:
    """Return whether all texts are numbers, some with the sign, and not only between thousands."""
    written = [text for text in texts if sign in text and not _THOUSANDS.fullmatch(text)]
    return bool(written) and None not in (number(text, sign) for text in texts)


def _check_names(path: Path, names: Sequence[str], target: str, nominal: Iterable[str]) -> None:
    for name in (target, *nominal):
        if name not in names:
            raise ConfigError(f"{path}: unknown column {name!r}{nearest(name, names)}")
    in_card = pd.Series(["target" if name == target else name for name in names])
    for name in in_card[in_card.duplicated()]:
        raise DataError(f"{path}: rename {name!r} in the file: its card would have two of them")


def _gaps(path: Path, plain: pd.DataFrame, missing: Sequence[str]) -> list[str]:
    """Return the words for missing values that occur in rows, see `_plain`."""
    words = dict.fromkeys((*GAPS, *missing))
    held = {value for _, column in plain.items() for value in column.unique()}
    found = {word for word in words if not held.isdisjoint(_meant([word]))}
    for word in {*missing} - found:
        raise ConfigError(f"{path}: no field is {word!r}, the word of --missing")
    return [word for word in words if word in found]


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return texts as codes, in which -999.0 is -999, as they are compared when they are read."""
    return frame.apply(
        lambda of: of if of.dtype.kind == "f" else pd.Series(codes_of(of.to_numpy()), of.index)
    )


def _meant(words: Sequence[str]) -> list[str | float]:
    """Return words, and the numbers that stand for them in columns of numbers, such as -999."""
    return [
        *nominal_column(words).tolist(),
        *(found for word in words if (found := number(word)) is not None),
    ]


def _labelled(path: Path, rows: pd.DataFrame, target: str, *, drop: bool) -> pd.DataFrame:
    """Return the rows that have a label."""
    missing = rows.index[rows[target].isna()]
    if len(missing) and not drop:
        raise DataError(
            f"{path}, {rows.index.name} {missing[0]}: the target {target} has no value, in"
            f" {len(missing)} of {len(rows)} rows; --drop-missing-target leaves out such rows"
        )
    return rows.drop(missing)


def _target(path: Path, column: pd.Series, layout: FileLayout, task: str | None) -> Target:
    """Return labels or numbers: what was asked for, or else what the values look like."""
    name = str(column.name)
    if task == "classification":
        values = _codes(column)
    else:
        values = _typed(path, column, layout, "--task classification")
    if values.nunique() < 2:
        raise DataError(f"{path}: {name} has less than two distinct values: nothing can be learned")
    has_numbers = values.dtype.kind == "f"
    if task == "regression" and not has_numbers:
        raise ConfigError(f"{path}: {name} has no numbers, so the task cannot be regression")
    if has_numbers and (task or values.nunique() > MOST_LABELS or values.mod(1).any()):
        return Target(original=name, range=(values.min(), values.max()))
    return Target(original=name, labels=_codes(column).value_counts().sort_index().to_dict())


def _columns(
    path: Path, rows: pd.DataFrame, layout: FileLayout, nominal: Sequence[str]
) -> dict[str, pd.Series]:
    """Return the columns that have a value, as numbers or codes."""
    columns = {}
    for name, column in rows.dropna(axis="columns", how="all").items():
        is_nominal, way_out = name in nominal, f"--nominal {name!r}"
        columns[str(name)] = _codes(column) if is_nominal else _typed(path, column, layout, way_out)
    if not columns:
        raise DataError(f"{path}: no column other than the target has a value")
    return columns


def _typed(path: Path, column: pd.Series, layout: FileLayout, way_out: str) -> pd.Series:
    """Return a column as numbers, or as codes if most of its values are not numbers."""
    values = column
    if column.dtype.kind != "f":
        found = numbers(column.fillna(""), layout.decimal, thousands=layout.thousands)
        values = pd.Series(found, column.index, name=column.name)
    words = column[np.isinf(values)]
    if words.empty:
        return values
    word = str(words.iloc[0])
    signs = [sign for sign in ".," if number(word, sign, thousands=True) is not None]
    if values is column:
        why = "which is not a finite number"
    elif signs:
        why = f"which is a number only with --decimal {' or '.join(signs)}"
    elif 2 * len(words) < column.count():
        why = (
            f"but most of its values are numbers; add --missing {word!r} if"
            f" it means a missing value, or {way_out} if the values are codes"
        )
    else:
        return _codes(column)
    place = f"{path}, {column.index.name} {words.index[0]}"
    raise DataError(f"{place}: {column.name} is {word!r}, {why}")


def _codes(column: pd.Series) -> pd.Series:
    held = column.dropna()
    codes = pd.Series(codes_of(held.to_numpy()), held.index, name=column.name, dtype="str")
    return codes.reindex(column.index)


def _attribute(values: pd.Series) -> Attribute:
    name = str(values.name)
    if values.dtype.kind == "f":
        return Attribute(name=name, kind="numeric", range=(values.min(), values.max()))
    codes = default_order(values.dropna())
    return Attribute(name=name, kind="nominal", codes=codes if len(codes) <= MOST_CODES else None)


def _remark(values: pd.Series) -> str:
    """Return a remark on an attribute, or nothing."""
    n_distinct = values.nunique()
    is_unique = n_distinct > UNIQUE * len(values)
    if values.dtype.kind != "f":
        return IDS if is_unique else MANY if n_distinct > MOST_CODES else NOMINAL
    if values.mod(1).any():
        return ""
    is_consecutive = values.max() - values.min() == n_distinct - 1
    if is_unique and (is_consecutive or _ID.search(str(values.name))):
        return IDS
    return CODES if _CODE.search(str(values.name)) else ""


def _view(path: Path, target: Target, positive: str, exclude: Sequence[str]) -> View:
    labels = target.labels
    evidence = "The label that was given as positive." if positive else ""
    if positive and positive not in labels:
        hint = nearest(positive, labels)
        raise ConfigError(f"{path}: {target.original} has no label {positive!r}{hint}")
    if not positive and len(labels) == 2:
        positive = min(reversed(labels), key=labels.__getitem__)
        evidence = "The rarer of the two labels."
    chosen = (positive,) if positive else None
    return View(positive=chosen, exclude=exclude, status="open", evidence=evidence)


def imbalance(target: Target, view: View) -> Iterator[str]:
    """Yield a note if the rarest class has less than a part of its equal share of the rows."""
    sizes = view.class_sizes(target)
    if sizes and min(sizes) * len(sizes) < RARE * sum(sizes):
        yield f"Imbalanced: the rarest class has {min(sizes)} of {sum(sizes)} rows."


def _reading_notes(layout: FileLayout, gaps: Sequence[str]) -> Iterator[str]:
    if layout.format == "csv":
        header = f"names in line {layout.skip}" if layout.skip else "no header"
        signs = f"separator {layout.separator!r}, decimal {layout.decimal!r}"
        yield f"Read as {layout.encoding}, {signs}, {header}; see the options of init."
    if gaps:
        yield f"Missing values are written {', '.join(map(repr, gaps))}."


def _content_notes(n_dropped: int, rows: pd.DataFrame, remarks: Mapping[str, str]) -> Iterator[str]:
    if n_dropped:
        yield f"Rows without a target, which are left out: {n_dropped}."
    if n_repeated := int(rows.duplicated().sum()):
        yield f"Rows that repeat an earlier one: {n_repeated}."
    for remark in filter(None, dict.fromkeys(remarks.values())):
        names = ", ".join(name for name in remarks if remarks[name] == remark)
        yield f"{remark} ({shorten(names, SHOWN, placeholder=' ...')})."


def _name(text: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    return name if name[:1].isalpha() else f"data_{name}".rstrip("_")


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
