"""A first card for a user's own file or data frame, whose layout is detected."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from quadrepro.base.files import write_text
from quadrepro.base.models import validated
from quadrepro.base.text import few
from quadrepro.base.yaml import YamlSource, to_yaml
from quadrepro.data import notes
from quadrepro.data.canonical import (
    Column,
    RawTable,
    content_hash,
    default_order,
    is_missing,
    is_text,
    nominal_column,
    number,
    sort_rows,
)
from quadrepro.data.card import ANY_VIEW, Card
from quadrepro.data.checks import extremes, to_table
from quadrepro.data.columns import codes_in, new_codes, numbers_in
from quadrepro.data.files import (
    format_of,
    read_file,
    read_source,
    sheet_start,
    unpack,
    with_parts,
)
from quadrepro.data.schema import Attribute, Target, View
from quadrepro.data.source import GAPS, PART, FileLayout, FileSource
from quadrepro.data.text import Start, detect, encoding_of, header_looks_like_data
from quadrepro.errors import ConfigError, DataError, nearest

MOST_LABELS = 20
"""A target of whole numbers is a label if it has at most this number of distinct values."""

SNIFFED = 1000
"""Number of rows in which the decimal sign is looked for."""

DATES = ("ISO8601", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%d-%m-%Y", "%d-%b-%Y")
"""Formats of dates that are recognised, also with a time."""

_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}([.,]\d{3})+")
_TOTAL = re.compile(r"(?i)\W*(grand\s+)?(totals?|sums?|mean|average|summe|gesamt|total général)\W*")


@dataclass(frozen=True)
class Options:
    """What the user states about a file; the rest is detected."""

    name: str = ""
    task: str | None = None
    positive: str = ""
    missing: Sequence[str] = ()
    """Words for a missing value, in all columns or as ``COLUMN=WORD`` in one."""
    present: Sequence[str] = ()
    nominal: Sequence[str] = ()
    drop_missing_target: bool = False
    encoding: str | None = None
    separator: str | None = None
    decimal: str | None = None
    no_header: bool = False
    names: str | None = None
    """Names of the columns of a file without a header, with commas."""
    skip: int | None = None
    """Number of lines above the header, or above the first row if there is none."""
    sheet: str = ""
    member: str = ""
    test: Path | None = None


OF_FORMATS = {
    "separator": ("csv",),
    "decimal": ("csv",),
    "encoding": ("csv", "arff"),
    "sheet": ("excel",),
    "skip": ("csv", "excel"),
    "no_header": ("csv", "excel"),
    "names": ("csv", "excel"),
}
"""Formats that an option applies to."""


@dataclass(frozen=True)
class Inspected:
    """A data frame whose columns have names, and what is stated about it."""

    frame: pd.DataFrame
    source: FileSource
    options: Options
    target: str

    @property
    def declares(self) -> bool:
        """Whether the file declares which columns are numbers."""
        return self.source.format == "arff"

    def renamed(self, name: str) -> dict[str, str]:
        """Return the new codes of the words of a column that mean a missing value."""
        return new_codes(self.source, "target" if name == self.target else name)

    def place(self, row: int) -> str:
        """Return the place of a row in messages."""
        index = self.frame.index
        return f"{self.source.path}, {index.name or 'row'} {index[row]}"


def inspect_file(path: Path, target: str, **options: Any) -> Card:
    """Describe a user's file, with the fields of `Options`."""
    stated = Options(**options)
    try:
        str(path.resolve()).encode()
    except UnicodeEncodeError:
        message = f"{path}: the path of the file must be UTF-8, since its card names it"
        raise DataError(message) from None
    frame, layout, start, sheets = _read(path, target, stated)
    paths = {"path": str(path.resolve()), "member": stated.member}
    if stated.test is not None:
        test, other, *_ = _read(stated.test, target, stated)
        if other != layout:
            raise DataError(f"{stated.test}: it is not written as {path}")
        frame = with_parts(frame, test, str(stated.test))
        paths["test"] = str(stated.test.resolve())
    source = FileSource(kind="file", **paths, **layout.model_dump(exclude_unset=True))
    if stated.no_header or stated.names:
        start = None
    target = _named(path, [*frame.columns], target, stated.nominal, start, sheets)
    return describe_frame(frame, source, target, stated)[0]


def describe_frame(
    frame: pd.DataFrame, source: FileSource, target: str, options: Options
) -> tuple[Card, RawTable]:
    """Describe a frame of numbers, categories and texts; return its card and its rows."""
    gaps, codes = _gaps(frame, target, options, source.path)
    always = [word for word in ("?", "") if word not in options.present]
    missing = tuple(dict.fromkeys((*always, *gaps)))
    source = source.model_copy(update={"missing": missing, "codes": codes})
    inspected = Inspected(frame, source, options, target)
    labels, described = _target(inspected)
    columns, mixed = _columns(inspected)
    if mixed:
        raise _mixed_error(inspected, mixed)
    kept = ~is_missing(labels)
    if not kept.all():
        columns = {name: column[kept] for name, column in columns.items()}
    filled = {name: c for name, c in columns.items() if not is_missing(c).all()}
    if not filled:
        raise DataError(f"{source.path}: no column other than the target has a value")
    attributes = tuple(_attribute(name, c, frame[name]) for name, c in filled.items())
    table = RawTable(attributes, filled, labels[kept], places=frame.index.to_numpy()[kept])
    remarks = dict.fromkeys(columns, notes.EMPTY) | notes.remarks(table)
    if source.test:
        remarks[PART] = notes.PARTS
    left_out = [name for name in filled if remarks[name] in notes.LEFT_OUT]
    if len(left_out) == len(filled):
        # Without them there would be nothing to learn from.
        left_out = []
        remarks = {n: r for n, r in remarks.items() if r == notes.TEXTS}
    table = sort_rows(table)
    view = _view(inspected, described, left_out)
    source = source.model_copy(
        update={
            "columns": tuple("target" if n == target else n if n in filled else "" for n in frame),
            "drop_unlabelled": not kept.all(),
        }
    )
    stem = Path(source.path).name.partition(".")[0]
    gaps_of_rows = table.missing
    card = Card(
        name=_name(options.name or stem),
        title=stem or "data",
        task="classification" if described.labels else "regression",
        rows=table.n_rows,
        attributes=attributes,
        missing_cells=int(gaps_of_rows.sum()),
        rows_with_missing=int(gaps_of_rows.any(axis=1).sum()),
        target=described,
        content_hash=content_hash(table),
        licence="not stated",
        citation="not stated",
        sources=[source] if source.path else [],
        notes=[
            *notes.of_reading(source, gaps, options.task, described),
            *notes.of_content(table, described, int((~kept).sum()), remarks, left_out),
            *notes.imbalance(described, view),
            *([f"{_totals(inspected)}."] if _totals(inspected) else []),
        ],
        views={ANY_VIEW: view},
    )
    return card, table


def _read(
    path: Path, target: str, stated: Options
) -> tuple[pd.DataFrame, FileLayout, Start | None, list[str]]:
    """Return the rows under the names of their columns, how they were read, header and sheets."""
    inner, content = unpack(path, stated.member)
    form = format_of(inner, content, path)
    for name, formats in OF_FORMATS.items():
        if getattr(stated, name) not in (None, False, "") and form not in formats:
            option = name.replace("_", "-")
            raise ConfigError(f"{path}: --{option} does not apply to a file of format {form}")
    start: Start | None = None
    sheets: list[str] = []
    separator = "\t" if stated.separator == "tab" else stated.separator or ""
    encoding = stated.encoding or ""
    try:
        if form == "csv":
            layout, start = detect(
                content,
                path,
                target,
                encoding=encoding,
                separator=separator,
                skip=stated.skip or 0,
            )
        elif form == "excel":
            layout = FileLayout(format="excel", sheet=stated.sheet, skip=stated.skip or 0)
            sheets, start = sheet_start(content, path, layout)
        else:
            layout = FileLayout.model_validate({"format": form})
            if form == "arff":
                layout = FileLayout(format="arff", encoding=encoding or encoding_of(content))
    except LookupError as error:
        raise ConfigError(f"--encoding: {error}") from None
    if start is None:
        frame = read_file(path, layout, stated.member)
        if form == "libsvm":
            frame = frame.set_axis([*_numbered(frame.shape[1] - 1), target], axis="columns")
        return frame.rename(columns=lambda name: str(name).strip()), layout, start, sheets
    frame, skip = _below_header(path, layout, start, stated)
    changes: dict[str, Any] = {"skip": skip}
    if form == "csv":
        decimal = stated.decimal or _decimal(frame.head(SNIFFED), [*GAPS, *stated.missing])
        changes |= {"decimal": decimal, "thousands": stated.decimal is not None}
    return frame, layout.model_copy(update=changes), start, sheets


def _below_header(
    path: Path, layout: FileLayout, start: Start, stated: Options
) -> tuple[pd.DataFrame, int]:
    """Return the rows with the names of their columns, and the number of lines above them."""
    skip = start.skip if stated.no_header or stated.names else start.header_line
    if skip != start.skip and not start.rows:
        raise DataError(f"{path}: the file has a header but no rows")
    frame = read_file(path, layout.model_copy(update={"skip": skip}), stated.member)
    names = _numbered(frame.shape[1])
    if stated.names:
        names = [name.strip() for name in stated.names.split(",")]
        if len(names) != frame.shape[1]:
            raise ConfigError(f"{path}: {len(names)} names, but {frame.shape[1]} columns")
    elif not stated.no_header:
        header = start.header
        if len(header) == frame.shape[1] - 1:
            header = ["", *header]  # R does not name the column of row names.
        if len(header) != frame.shape[1]:
            message = f"{len(header)} names, but {frame.shape[1]} fields in the rows below"
            raise DataError(f"{path}, line {skip}: {message}; --skip N skips N lines")
        # A column without a name has its number.
        names = [name or other for name, other in zip(header, names, strict=True)]
    return frame.set_axis(names, axis="columns"), skip


def _numbered(n_columns: int) -> list[str]:
    return [f"x{j}" for j in range(1, n_columns + 1)]


def _decimal(rows: pd.DataFrame, gaps: Sequence[str]) -> str:
    """Return a comma if more columns have decimal commas than have decimal points."""
    columns = [
        [text for text in rows.iloc[:, j].tolist() if text not in gaps]
        for j in range(rows.shape[1])
    ]
    n_columns = {sign: sum(_has_sign(column, sign) for column in columns) for sign in ".,"}
    return max(n_columns, key=n_columns.__getitem__)


def _has_sign(texts: Sequence[str], sign: str) -> bool:
    """Return whether all texts are numbers, some with the sign, and not only between thousands."""
    written = [text for text in texts if sign in text and not _THOUSANDS.fullmatch(text)]
    return bool(written) and None not in (number(text, sign) for text in texts)


def _named(
    path: Path,
    names: Sequence[str],
    target: str,
    nominal: Iterable[str],
    start: Start | None,
    sheets: Sequence[str],
) -> str:
    """Return the name of the target, which can be given as a place: 1 or -1."""
    like_data = start is not None and header_looks_like_data(start)
    is_place = target not in names and re.fullmatch(r"-?[1-9]\d*", target)
    if is_place and not like_data and abs(place := int(target)) <= len(names):
        target = names[place - (place > 0)]
    for name in (target, *nominal):
        if name not in names:
            hint = nearest(name, names)
            if start is not None and like_data:
                line = ", ".join(start.header)
                hint = f"; its first line looks like data ({line}): --no-header calls the columns"
                hint += f" x1 to x{len(names)}, and --names gives them names"
            elif len(sheets) > 1:
                hint += f"; sheets of the file, for --sheet: {', '.join(sheets)}"
            raise ConfigError(f"{path}: unknown column {name!r}{hint}")
    in_card = pd.Series(["target" if name == target else name for name in names])
    for name in in_card[in_card.duplicated()]:
        raise DataError(f"{path}: rename {name!r} in the file: its card would have two of them")
    return target


def _gaps(
    frame: pd.DataFrame, target: str, stated: Options, path: str
) -> tuple[list[str], dict[str, dict[str, str]]]:
    """Return the words for missing values that occur, of all columns and of single ones."""
    pairs = [word.partition("=") for word in stated.missing]
    single = [(name, word) for name, sign, word in pairs if sign and name in frame]
    general = [text for text in stated.missing if text.partition("=")[0] not in frame]
    words = [word for word in dict.fromkeys((*GAPS, *general)) if word not in stated.present]
    codes: dict[str, dict[str, str]] = {}
    for name, word in single:
        if not _occurring(frame[name], [word]):
            raise ConfigError(f"{path}: no field of {name} is {word!r}, the word of --missing")
        key = "target" if name == target else name
        codes.setdefault(key, {})[word] = ""
    occurring = {word for name in frame for word in _occurring(frame[name], words)}
    for word in {*general} - occurring:
        raise ConfigError(f"{path}: no field is {word!r}, the word of --missing")
    return [word for word in words if word in occurring], codes


def _occurring(column: pd.Series, words: Sequence[str]) -> list[str]:
    """Return the words that a column has, also as -999.0 for -999."""
    numbers = {word: value for word in words if (value := number(word)) is not None and word}
    if column.dtype.kind == "f":
        return [word for word, value in numbers.items() if (column == value).any()]
    if isinstance(column.dtype, pd.CategoricalDtype):
        held = {*nominal_column(map(str, column.cat.categories)).tolist()}
        return [word for word in words if nominal_column([word])[0] in held]
    plain = column.isin(words)
    held = {*column[plain].unique()}
    for word, value in numbers.items():
        if column.str.startswith(word).any() and value in {
            number(text) for text in column[column.str.startswith(word)].unique()
        }:
            held.add(word)
    return [word for word in words if word in held]


def _target(inspected: Inspected) -> tuple[Column, Target]:
    """Return the target, and its labels or range: as asked for, declared, or as values look."""
    name, task, path = inspected.target, inspected.options.task, inspected.source.path
    column, renamed = inspected.frame[name], inspected.renamed(name)
    declared = isinstance(column.dtype, pd.CategoricalDtype)
    is_codes = task == "classification" or (declared and task is None)
    values = codes_in(column, renamed) if is_codes else _typed(inspected, name)
    missing = is_missing(values)
    if missing.any() and not inspected.options.drop_missing_target:
        row = int(np.argmax(missing))
        written = "" if column.isna().iloc[row] else str(column.iloc[row])
        is_value = f" (if {written!r} is a label, add --present {written!r})" if written else ""
        raise DataError(
            f"{inspected.place(row)}: the target {name} has no value, in {missing.sum()} of"
            f" {len(values)} rows; --drop-missing-target leaves out such rows{is_value}"
        )
    if not is_text(values) and np.isinf(values).any():
        raise _mixed_error(inspected, {name: values}, "--task classification")
    if is_text(values) and task == "regression":
        raise ConfigError(f"{path}: {name} has no numbers, so the task cannot be regression")
    distinct = pd.unique(values[~missing])
    if len(distinct) < 2:
        raise DataError(f"{path}: {name} has less than two distinct values: nothing can be learned")
    if not is_text(values):
        is_label = len(distinct) <= MOST_LABELS and not np.mod(distinct, 1).any()
        if task or inspected.declares or not is_label:
            return values, Target(original=name, range=(np.nanmin(values), np.nanmax(values)))
        values = codes_in(column, renamed)
    counts = pd.Series(values[~missing]).value_counts().sort_index()
    return values, Target(original=name, labels={str(k): int(n) for k, n in counts.items()})


def _columns(inspected: Inspected) -> tuple[dict[str, Column], dict[str, Column]]:
    """Return all columns but the target, and those that have words among their numbers."""
    columns = {
        name: codes_in(inspected.frame[name], inspected.renamed(name))
        if name in inspected.options.nominal
        else _typed(inspected, name)
        for name in inspected.frame
        if name != inspected.target
    }
    mixed = {n: c for n, c in columns.items() if not is_text(c) and np.isinf(c).any()}
    return columns, mixed


def _typed(inspected: Inspected, name: str) -> Column:
    """Return a column as numbers, with infinity for some words, or as codes if most are words."""
    column, renamed = inspected.frame[name], inspected.renamed(name)
    if isinstance(column.dtype, pd.CategoricalDtype):
        return codes_in(column, renamed)
    values = numbers_in(column, renamed, inspected.source)
    n_words = np.isinf(values).sum()
    if not n_words or column.dtype.kind == "f":
        return values
    texts = column[np.isinf(values)]
    is_comma = _signs(texts.iloc[0])
    few_words = 2 * n_words < np.count_nonzero(~np.isnan(values))
    return values if few_words or is_comma else codes_in(column, renamed)


def _signs(text: str) -> list[str]:
    """Return the decimal signs with which a text is a number."""
    return [sign for sign in ".," if number(text, sign, thousands=True) is not None]


def _mixed_error(inspected: Inspected, mixed: Mapping[str, Column], option: str = "") -> DataError:
    """Return the error for words in columns of numbers, with the options that settle them."""
    frame, path = inspected.frame, inspected.source.path
    rows = {name: np.flatnonzero(np.isinf(column)) for name, column in mixed.items()}
    words = {name: str(frame[name].iloc[where[0]]) for name, where in rows.items()}
    name, word = next(iter(words.items()))
    place = f"{inspected.place(int(rows[name][0]))}: {name} is {word!r}"
    if frame[name].dtype.kind == "f":
        return DataError(f"{place}, which is not a finite number")
    if signs := _signs(word):
        return DataError(f"{place}, which is a number only with --decimal {' or '.join(signs)}")
    if totals := _totals(inspected):
        return DataError(f"{path}: {totals}")
    nominal = option or " ".join(f"--nominal {_quoted(n)}" for n in words)
    gaps = " ".join(f"--missing {_quoted(f'{n}={w}')}" for n, w in words.items())
    if len(words) == 1:
        return DataError(
            f"{place}, but most of its values are numbers; add {gaps} if it means a missing value,"
            f" or {nominal} if the values are codes"
        )
    listed = few(
        [
            f"{n} ({words[n]!r} in {inspected.frame.index.name or 'row'} {frame.index[rows[n][0]]})"
            for n in words
        ]
    )
    return DataError(
        f"{path}: {len(words)} columns of numbers have words: {listed}; add {nominal} if their"
        f" values are codes, or {gaps} for words that mean a missing value"
    )


def _totals(inspected: Inspected) -> str:
    """Return advice on a last row that looks like totals, or an empty text."""
    frame = inspected.frame
    if not any(_TOTAL.fullmatch(str(value)) for value in frame.iloc[-1]):
        return ""
    place = f"{frame.index.name or 'row'} {frame.index[-1]}"
    return f"The last row ({place}) looks like totals: remove it from the file"


def _quoted(text: str) -> str:
    return text if re.fullmatch(r"[\w.,=+-]+", text) else repr(text)


def _attribute(name: str, values: Column, column: pd.Series) -> Attribute:
    if not is_text(values):
        held = values[~np.isnan(values)]
        return Attribute(name=name, kind="numeric", range=(held.min(), held.max()))
    codes = default_order(pd.unique(values[values != ""]).tolist())
    if isinstance(column.dtype, pd.CategoricalDtype):
        # A declared order is kept, with codes that no row has.
        declared = nominal_column(map(str, column.cat.categories)).tolist()
        if {*codes} <= {*declared}:
            codes = tuple(dict.fromkeys(filter(None, declared)))
    date = _date_format(codes)
    uncoded = date or len(codes) > notes.MOST_CODES or notes.is_free_text(codes, len(values))
    return Attribute(name=name, kind="nominal", codes=None if uncoded else codes, date=date)


def _date_format(codes: Sequence[str]) -> str | None:
    """Return the format of dates, or None if a code is not a date."""
    if not codes or not all(re.search(r"\d", code) for code in codes[:3]):
        return None
    for form in (form + time for time in ("", " %H:%M", " %H:%M:%S") for form in DATES):
        if form.startswith("ISO") and form != "ISO8601":
            continue
        if pd.to_datetime([*codes[:3]], format=form, errors="coerce").hasnans:
            continue
        if not pd.to_datetime([*codes], format=form, errors="coerce", utc=True).hasnans:
            return form
    return None


def _view(inspected: Inspected, target: Target, exclude: Sequence[str]) -> View:
    labels, positive = target.labels, inspected.options.positive
    evidence = "The label that was given as positive." if positive else ""
    if positive and positive not in labels:
        hint = nearest(positive, labels)
        message = f"{target.original} has no label {positive!r}{hint}"
        raise ConfigError(f"{inspected.source.path}: {message}")
    if not positive and len(labels) == 2:
        positive = min(reversed(labels), key=labels.__getitem__)
        evidence = "The rarer of the two labels."
    chosen = (positive,) if positive else None
    return View(positive=chosen, exclude=exclude, status="open", evidence=evidence)


def renew(card: Card, path: Path) -> Card:
    """Return the card of a file that has changed: its decisions with new counts, ranges and hash.

    New codes of an attribute follow those that it has.
    """
    sources = [source for source in card.sources if isinstance(source, FileSource)]
    if not sources:
        raise ConfigError(f"{path}: it describes no file of your own, so it cannot be renewed")
    table = to_table(read_source(sources[0]), sources[0], card, sources[0].path)
    remarks, view = notes.remarks(table), card.view(ANY_VIEW)
    table = sort_rows(table)
    target, missing = table.target, table.missing
    counts = (
        {"range": extremes(target)} if card.task == "regression" else {"labels": table.label_counts}
    )
    described = Target.model_validate(card.target.model_dump() | counts)
    about_rows = notes.of_content(table, described, 0, remarks, view.exclude)
    changes = {
        "notes": [
            *(note for note in card.notes if not notes.OF_CONTENT.match(note)),
            *about_rows,
            *notes.imbalance(described, view),
        ],
        "rows": table.n_rows,
        "attributes": [_renewed(a, table.columns[a.name]).model_dump() for a in card.attributes],
        "missing_cells": int(missing.sum()),
        "rows_with_missing": int(missing.any(axis=1).sum()),
        "target": described.model_dump(),
        "content_hash": content_hash(table),
    }
    return validated(Card, YamlSource(path, card.model_dump() | changes), DataError)


def _renewed(attribute: Attribute, column: Column) -> Attribute:
    if attribute.kind == "numeric":
        return attribute.model_copy(update={"range": extremes(column)})
    if attribute.codes is None:
        return attribute
    added = default_order({*pd.unique(column).tolist()} - {"", *attribute.codes})
    return attribute.model_copy(update={"codes": (*attribute.codes, *added)})


def _name(text: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    return name if name[:1].isalpha() else f"data_{name}".rstrip("_")


def write_card(card: Card, path: Path) -> None:
    """Write a card so that `quadrepro.data.card.load_card_file` reads the same card back."""
    content = card.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    for source in content.get("sources", ()):
        for key in source.keys() & {"path", "test"}:
            own, folder = Path(source[key]), path.parent.resolve()
            if own.is_relative_to(folder.parent):  # the whole project can be moved
                source[key] = Path(os.path.relpath(own, folder)).as_posix()
    # The attributes can be thousands of lines.
    content["attributes"] = content.pop("attributes")
    write_text(path, to_yaml(content))
