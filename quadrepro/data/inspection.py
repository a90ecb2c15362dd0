"""A first card for a user's own file, whose layout is detected."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from quadrepro.base.models import validated
from quadrepro.base.text import few
from quadrepro.base.yaml import YamlSource
from quadrepro.data import canonical, checks, formats, notes, separated
from quadrepro.data.canonical import ColumnValues, RawTable, is_missing, is_text, parse_numbers
from quadrepro.data.card import ANY_VIEW, Card
from quadrepro.data.schema import Attribute, Target, View, series
from quadrepro.data.separated import Start, decimal_sign, decode, detect, encoding_of
from quadrepro.data.source import GAPS, PART, FileLayout, FileSource
from quadrepro.errors import ConfigError, DataError, closest, nearest

MOST_LABELS = 20
"""A target of whole numbers is a label if it has at most this number of distinct values."""

MOST_GAPS = 10
"""Maximum number of words of a column that may all mean a missing value."""

DAYS = "%d.%m.%Y|%m/%d/%Y|%d/%m/%Y|%Y/%m/%d|%d-%m-%Y|%m-%d-%Y|%d-%b-%Y|%d-%b-%y|%b %d, %Y"
DAYS += "|%B %d, %Y|%b %d %Y|%B %d %Y|%d.%m.%y|%m/%d/%y|%d/%m/%y|%d-%m-%y|%m-%d-%y|%d %b %Y"
DAYS += "|%d %B %Y|%d/%b/%Y|%d%b%Y|%Y-%b-%d|%b-%Y|%b-%y|%b %Y|%B %Y|%m/%Y"
TIMES = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
DATES = [day + time for time in TIMES for day in DAYS.split("|")]
"""Formats of dates that are recognised, in addition to ISO 8601."""

MARKS = "[0-9][ \u00a0\u2009\u202f'’][0-9]|[$€£¥₹₩₽₺₦₫₴₪₱฿%(]|^0[0-9]"
"""Signs without which numbers are read; blanks are listed, as pandas is slower with ``\\s``."""

LONGEST_NUMBER = 17
"""Whole numbers with this number of digits or more are codes, since floats hold fewer."""

_SHARE = r"^-?\d*[.,]\d+$"
"""Numbers with decimals, which are no names of rows."""

_UNIT = re.compile(r"[(\[].+[)\]]|:?-+:|:-+|-{3,}")
"""Units, and Markdown's lines below the names of columns."""

_TOTAL = re.compile(r"(?i)\W*(grand\s+)?(totals?|sums?|mean|average|summe|gesamt|total général)\W*")


@dataclass(frozen=True)
class InitOptions:
    """The user's statements about a file; the rest is detected."""

    path: Path
    target: str
    """Column to predict, or its place: 1 or -1."""
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

    @property
    def has_header(self) -> bool:
        """Whether the first row of the table has the names of the columns."""
        return not (self.no_header or self.names)


FORMATS_OF_OPTIONS = {
    "separator": ("csv",),
    "decimal": ("csv", "excel", "json", "parquet"),
    "encoding": ("csv", "arff"),
    "sheet": ("excel",),
    **dict.fromkeys(("skip", "no_header", "names"), ("csv", "excel")),
}
"""Formats that an option applies to."""


@dataclass(frozen=True)
class OwnFile:
    """The named columns of a file, how it was read, and the user's statements about it."""

    frame: pd.DataFrame
    source: FileSource
    options: InitOptions
    gaps: Sequence[str]
    """Words for missing values that occur."""

    def codes(self, name: str) -> canonical.TextArray:
        """Return a column as codes."""
        return checks.codes_in(self.frame[name], self._renamed(name))

    def typed(self, name: str) -> ColumnValues:
        """Return a column as numbers, with infinity for few words, or as codes."""
        column = self.frame[name]
        if name in self.options.nominal or isinstance(column.dtype, pd.CategoricalDtype):
            return self.codes(name)
        if column.dtype.kind != "f" and column.str.fullmatch(rf"\d{{{LONGEST_NUMBER},}}").any():
            return self.codes(name)
        values = checks.numbers_in(column, self._renamed(name), self.source)
        is_word = np.isinf(values)
        if not is_word.any() or column.dtype.kind == "f":
            return values
        few_words = 2 * is_word.sum() < np.count_nonzero(~np.isnan(values))
        return values if few_words or _signs(column[is_word].iloc[0]) else self.codes(name)

    def _renamed(self, name: str) -> dict[str, str]:
        return checks.new_codes(self.source, "target" if name == self.options.target else name)

    def place(self, row: int) -> str:
        """Return the file and the row as messages name them."""
        return f"{self.source.path}, {checks.row_name(self.frame, row)}"


def inspect_file(path: Path, target: str, **options: Any) -> Card:
    """Describe a user's file, with the fields of `InitOptions`."""
    stated = InitOptions(path, target, **options)
    try:
        str(path.resolve()).encode()
    except UnicodeEncodeError:
        message = f"{path}: the path of the file must be UTF-8, since its card names it"
        raise DataError(message) from None
    frame, layout, start = _read(stated)
    stated = replace(stated, target=_target_name(frame, stated, start))
    paths = {"path": str(path.resolve()), "member": stated.member}
    source = FileSource(kind="file", **paths, **layout.model_dump(exclude_unset=True))
    if start is not None and stated.has_header:
        source = source.model_copy(update={"header": start.header_line})
    if stated.test is not None:
        if PART in frame:
            raise DataError(f"{path}: rename {PART!r} in the files: it names their rows")
        frame, source = _with_test(frame, source, replace(stated, path=stated.test))
    gaps, codes = _gaps(frame, stated)
    always = [word for word in ("?", "") if word not in stated.present]
    missing = tuple(dict.fromkeys([*always, *gaps]))
    source = source.model_copy(update={"missing": missing, "codes": codes})
    return _describe(OwnFile(frame, source, stated, gaps))


def _with_test(
    frame: pd.DataFrame, source: FileSource, stated: InitOptions
) -> tuple[pd.DataFrame, FileSource]:
    """Return training rows with the rows of a test file below them, which is written alike."""
    path, (test, layout, _) = stated.path, _read(stated)
    is_ascii = formats.unpack(path, stated.member)[1].isascii()
    for key in ("format", "separator", "encoding"):
        ours, theirs = getattr(source, key), getattr(layout, key)
        if ours != theirs and not (key == "encoding" and is_ascii):
            fault = f"its {key} is {theirs!r}, but {ours!r} in {source.path}: write both alike"
            raise DataError(f"{path}: {fault}")
    if source.format == "libsvm":  # the last attributes may be 0 in all rows of a file
        names = max([*frame], [*test], key=len)
        frame, test = (rows.reindex(columns=names, fill_value=0.0) for rows in (frame, test))
    changes = {"test": str(path.resolve()), "test_skip": layout.skip}
    source = source.model_copy(update=changes)
    return formats.with_test_rows(frame, test, source), source


def _read(stated: InitOptions) -> tuple[pd.DataFrame, FileLayout, Start | None]:
    """Return the rows under the names of their columns, how they were read, and the first rows."""
    path, (inner, content) = stated.path, formats.unpack(stated.path, stated.member)
    form = formats.format_of(inner, content, path, stated.encoding)
    for name, forms in FORMATS_OF_OPTIONS.items():
        if getattr(stated, name) and form not in forms:
            option = name.replace("_", "-")
            raise ConfigError(f"{path}: --{option} does not apply to a file of format {form}")
    layout, start = _detected(form, content, stated)
    frame = formats.read_own_file(path, layout, stated.member)
    if form in FORMATS_OF_OPTIONS["decimal"]:
        gaps = [*GAPS, *stated.missing]
        are_texts = [t.kind == "O" and t != "category" for t in frame.dtypes]
        texts = frame.head(separated.SNIFFED).loc[:, are_texts]
        decimal, thousands = decimal_sign(texts, gaps)
        if stated.decimal:
            decimal, thousands = stated.decimal, True
        elif (layout.separator, decimal) == (";", ".") and (
            number := separated.unclear_number(texts, gaps)
        ):
            raise DataError(f"{path}: {number} can be thousands: add --decimal , or --decimal .")
        layout = layout.model_copy(update={"decimal": decimal, "thousands": thousands})
    if start is not None:
        names = _names(start, frame, stated)
    elif form == "libsvm":
        names = [*_numbered(frame.shape[1] - 1), stated.target]
    else:
        names = [str(name).strip() for name in frame.columns]
    if start is not None and stated.has_header:
        again = frame[frame.iloc[:, 0].eq(start.header[0])]
        hint = "; if the first line is data, add --no-header" * start.looks_like_data
        for row, texts in zip(again.index, again.to_numpy().tolist(), strict=True):
            if texts[: len(start.header)] == start.header:
                fault = f"{again.index.name} {row}: the names of the columns again{hint}"
                raise DataError(f"{path}, {fault}")
    return frame.set_axis(names, axis="columns"), layout, start


def _detected(form: str, content: bytes, stated: InitOptions) -> tuple[FileLayout, Start | None]:
    """Return how a file of a format is written, and its first rows if names may be among them."""
    encoding, skip, path = stated.encoding or encoding_of(content), stated.skip or 0, stated.path
    try:
        "".encode(encoding)
    except LookupError as error:
        raise ConfigError(f"--encoding: {error}") from None
    if form == "csv":
        separator = "\t" if stated.separator == "tab" else stated.separator or ""
        return detect(content, path, stated.target, encoding, separator, skip, stated.has_header)
    if form == "excel":
        layout = FileLayout(format="excel", sheet=stated.sheet, skip=skip)
        start = formats.sheet_start(content, path, layout)
        skip = start.header_line if stated.has_header else start.skip
        return layout.model_copy(update={"skip": skip}), start
    if form == "libsvm" and re.search(rb"(?m)^\S+[ \t]+qid:", content):
        raise DataError(f"{path}: qid: marks ranking data; to predict labels, remove qid:N")
    if form != "arff":
        return FileLayout(format=form), None
    has_weights = bool(formats.WEIGHT.search(decode(content, path, encoding)))
    note = "The weights of rows are not used." * has_weights
    return FileLayout(format="arff", encoding=encoding, note=note), None


def _names(start: Start, frame: pd.DataFrame, stated: InitOptions) -> list[str]:
    """Return the names of columns: by the user, by the header, or else x1, x2 and so on."""
    n_columns, header, first = frame.shape[1], start.header, frame.iloc[:, 0]
    numbered = _numbered(n_columns)
    if stated.names:
        names = [name.strip() for name in stated.names.split(",")]
        if len(names) != n_columns:
            raise ConfigError(f"{stated.path}: {len(names)} names, but {n_columns} columns")
        return names
    if stated.no_header:
        return numbered
    while len(header) > n_columns and not header[-1]:
        header = header[:-1]  # a separator can end the header alone
    if frame.iloc[:, len(header) :].eq("").all(axis=None):
        # A separator can end each row, but not the header.
        header = header + [""] * (n_columns - len(header))
    elif len(header) == n_columns - 1 and first.is_unique and not first.str.contains(_SHARE).any():
        # R does not name the column of row names.
        header = ["row_name", *header]
    if len(header) != n_columns:
        fault = f"{len(header)} names, but {n_columns} fields in the rows below"
        hint = "quote fields that contain a separator, or use --skip N and --names A,B,C"
        raise DataError(f"{stated.path}, line {start.header_line}: {fault}; {hint}")
    free = [f"column_{j}" if name in header else name for j, name in enumerate(numbered, 1)]
    return [name or other for name, other in zip(header, free, strict=True)]


def _numbered(n_columns: int) -> list[str]:
    return [f"x{j}" for j in range(1, n_columns + 1)]


def _target_name(frame: pd.DataFrame, stated: InitOptions, start: Start | None) -> str:
    """Return the name of the target, which can be given as a place: 1 or -1."""
    path, target, names = stated.path, stated.target, [*frame.columns]
    like_data = start is not None and stated.has_header and start.looks_like_data
    no_header = ", ".join(start.header) if start is not None and like_data else ""
    hint = f"its first line looks like data ({no_header}): --no-header calls the columns x1 to"
    hint += f" x{len(names)}, and --names gives them names"
    at_place = _at_place(frame, target, start.header if start is not None else names)
    others = parse_numbers(name for name in names if name != target)
    if at_place and like_data and (at_place != target or np.isfinite(others).any()):
        way = "--skip N --names A,B,C" if target in names else "the name of the target"
        raise ConfigError(f"{path}: {hint}; if it has the names, give {way}")
    target = target if target in names else at_place or target
    for name in (target, *stated.nominal):
        if name not in names:
            near = nearest(name, names)
            if like_data:
                near = f"; {hint}"
            elif len(sheets := formats.sheet_names(path, stated.member)) > 1:
                near += f"; sheets of the file, for --sheet: {', '.join(sheets)}"
            elif start is not None and closest(name, names) is None:
                near += "; --skip N skips lines above the names"
            raise ConfigError(f"{path}: unknown column {name!r}{near}")
    if target != "target" and "target" in names:
        advice = "a card calls the predicted column so"
        raise DataError(f"{path}: rename the column 'target' in the file: {advice}")
    for name in (name for name in names if series(name) != [name]):
        raise DataError(f"{path}: rename the column {name!r}: in a card it means several columns")
    for name in (name for j, name in enumerate(names) if name in names[:j]):
        advice = "if its first line is data, add --no-header; " * like_data
        advice += "--skip N --names A,B,C gives other names"
        raise DataError(f"{path}: two columns are called {name!r}: {advice}")
    return target


def _at_place(frame: pd.DataFrame, place: str, header: Sequence[str]) -> str:
    """Return the name of the column at a place, such as 1 or -1; empty if there is none.

    A column without names and values does not count from the end: a separator may end each row.
    """
    if not re.fullmatch(r"-?[1-9]\d*", place):
        return ""
    names, position = [*frame.columns], int(place)
    while position < 0 and names and names[-1] not in header and frame[names[-1]].eq("").all():
        names.pop()
    return str(names[position - (position > 0)]) if abs(position) <= len(names) else ""


def _gaps(frame: pd.DataFrame, stated: InitOptions) -> tuple[list[str], dict[str, dict[str, str]]]:
    """Return the words for missing values that occur, of all columns and of single ones."""
    path, codes = stated.path, dict[str, dict[str, str]]()
    general: list[str] = []
    for text in stated.missing:
        names = [name for name in frame if text.startswith(f"{name}=")]
        name = max(names, key=len, default="")
        word = text.removeprefix(f"{name}=")
        if not names:
            general.append(text)
        elif not _occurring(frame[name], [word]):
            raise ConfigError(f"{path}: no field of {name} is {word!r}, the word of --missing")
        else:
            codes.setdefault("target" if name == stated.target else name, {})[word] = ""
    for word in stated.present:
        if word not in GAPS:
            raise ConfigError(f"{path}: --present takes a word such as NA or None, not {word!r}")
    words = [word for word in dict.fromkeys((*GAPS, *general)) if word not in stated.present]
    occurring = {word for name in frame for word in _occurring(frame[name], words)}
    for word in general:
        if word not in occurring:
            raise ConfigError(f"{path}: no field is {word!r}, the word of --missing")
    return [word for word in words if word in occurring], codes


def _occurring(column: pd.Series, words: Sequence[str]) -> set[str]:
    """Return the words that a column has, also as -999.0 for -999."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = pd.Series(column.cat.categories)
    occurring = {*column[column.isin(words)]}
    numbers = parse_numbers(words)
    if np.isfinite(numbers).any():
        values = pd.to_numeric(column, errors="coerce")
        pairs = zip(words, numbers.tolist(), strict=True)
        occurring |= {word for word, value in pairs if (values == value).any()}
    return occurring


def _describe(own: OwnFile) -> Card:
    """Return the card of a file."""
    frame, source, options = own.frame, own.source, own.options
    labels = _target(own)
    kept = ~is_missing(labels)
    if not kept.all():
        frame = frame[kept]
        own = replace(own, frame=frame)
    columns = {name: own.typed(name) for name in frame if name != own.options.target}
    _refuse_mixed(own, columns)
    filled = {name: c for name, c in columns.items() if not is_missing(c).all()}
    if not filled:
        hint = "; state the --separator of its fields" * (source.format == "csv" and not columns)
        raise DataError(f"{source.path}: no column other than the target has a value{hint}")
    attributes = tuple(_attribute(name, c, own) for name, c in filled.items())
    table = RawTable(attributes, filled, labels[kept])
    remarks = dict.fromkeys(columns, notes.EMPTY) | notes.remarks(table)
    if source.test:
        remarks[PART] = notes.PARTS
    for name in [n for n, c in filled.items() if not is_text(c) and frame[n].dtype.kind != "f"]:
        if not remarks[name] and frame[name].str.contains(MARKS).any():
            remarks[name] = notes.MARKED
    left_out = [name for name in filled if remarks[name].startswith(notes.LEFT_OUT)]
    if len(left_out) == len(filled):
        # Without them there would be nothing to learn from.
        used = [name for name in filled if remarks[name] == notes.TEXTS] or [*filled]
        left_out = [name for name in left_out if name not in used]
        kept_ids = {n: remarks[n].replace("Left out, since", "Kept, although") for n in used}
        remarks |= {n: remark.replace(", left out;", ";") for n, remark in kept_ids.items()}
    counts = checks.counted(table)
    target = Target(original=own.options.target, **counts.pop("target"))
    view = _view(own, target, left_out)
    names = ("target" if n == own.options.target else n if n in filled else "" for n in frame)
    stem = Path(source.path).name.partition(".")[0]
    return Card(
        name=_name(options.name or stem),
        title=stem or "data",
        task="classification" if target.labels else "regression",
        attributes=attributes,
        target=target,
        licence="not stated",
        citation="not stated",
        sources=[
            source.model_copy(update={"columns": tuple(names), "drop_unlabelled": not kept.all()})
        ],
        notes=[
            *notes.on_reading(source, own.gaps, options.task, target),
            *notes.on_content(table, target, int((~kept).sum()), remarks, view),
            *_totals(own),
            *_new_labels(own, labels[kept]),
        ],
        views={ANY_VIEW: view},
        **counts,
    )


def _target(own: OwnFile) -> ColumnValues:
    """Return the target as numbers or labels: as asked for, declared, or as its values look."""
    name, task, path = own.options.target, own.options.task, own.source.path
    values = own.codes(name) if task == "classification" else own.typed(name)
    missing = is_missing(values)
    if missing.all():
        raise DataError(f"{path}: the target {name} has no value in any row")
    if missing.any() and not own.options.drop_missing_target:
        row = int(np.argmax(missing))
        column = own.frame[name]
        word = "" if column.isna().iloc[row] else str(column.iloc[row])
        hint = f" (if {word!r} is a label, add --present {word!r})" if word else ""
        raise DataError(
            f"{own.place(row)}: the target {name} has no value, in {missing.sum()} of"
            f" {len(values)} rows; --drop-missing-target leaves out such rows{hint}"
        )
    _refuse_mixed(own, {name: values}, "--task classification")
    if is_text(values) and task == "regression":
        raise ConfigError(f"{path}: {name} has no numbers, so the task cannot be regression")
    distinct = pd.unique(values[~missing])
    if len(distinct) < 2:
        raise DataError(f"{path}: {name} has less than two distinct values: nothing can be learned")
    # An ARFF file declares which columns are numbers.
    if task or own.source.format == "arff" or is_text(values):
        return values
    is_label = len(distinct) <= MOST_LABELS and not np.mod(distinct, 1).any()
    return own.codes(name) if is_label else values


def _signs(text: str) -> list[str]:
    """Return the decimal signs with which a text is a number."""
    signs = "" if "%" in text else ".,"  # other values of the column have no %
    return [s for s in signs if np.isfinite(parse_numbers([text], s, thousands=True)).all()]


def _refuse_mixed(own: OwnFile, columns: Mapping[str, ColumnValues], option: str = "") -> None:
    """Refuse words in columns of numbers, with the options that settle them."""
    wrong = {n: np.isinf(c) for n, c in columns.items() if not is_text(c) and np.isinf(c).any()}
    if not wrong:
        return
    rows = {name: int(np.argmax(is_word)) for name, is_word in wrong.items()}
    words = {name: str(own.frame[name].iloc[row]) for name, row in rows.items()}
    name, word = next(iter(words.items()))
    where = f"{own.place(rows[name])}: {name} is {word!r}"
    if own.frame[name].dtype.kind == "f":
        raise DataError(f"{where}, which is not a finite number")
    if signs := _signs(word):
        hint = " (the other sign is then between thousands)" * (own.source.decimal in signs)
        other = ".,"[own.source.decimal == "."]
        if np.isinf(parse_numbers(own.frame[name], other, thousands=True)).any():
            raise DataError(f"{where}: other numbers have the other decimal sign: write them alike")
        option = f"--decimal {' or '.join(signs)}{hint}"
        raise DataError(f"{where}, which is a number only with {option}")
    is_unit = rows[name] == 0 and all(is_word.sum() == 1 for is_word in wrong.values())
    is_unit = is_unit and bool(len({*words.values()}) > 1 or _UNIT.fullmatch(word))
    if is_unit and len({*rows.values()}) == 1:
        hint = "remove it from the file, or skip the lines above with --skip if it has the names"
        raise DataError(f"{where}: the row looks like units: {hint}")
    for totals in _totals(own):
        raise DataError(f"{own.source.path}: {totals}")
    mixed = few([f"{n} ({w!r} in {checks.row_name(own.frame, rows[n])})" for n, w in words.items()])
    hint = option or " ".join(f"--nominal {shlex.quote(n)}" for n in words)
    hint += " if the values are codes"
    if all(own.frame[n][is_word].nunique() <= MOST_GAPS for n, is_word in wrong.items()):
        missing = " ".join(f"--missing {shlex.quote(f'{n}={w}')}" for n, w in words.items())
        hint = f"{missing} for words that mean a missing value, or {hint}"
    raise DataError(f"{own.source.path}: numbers and words are mixed in {mixed}; add {hint}")


def _totals(own: OwnFile) -> list[str]:
    """Return advice on a last row that looks like totals, if it does."""
    last = {
        name: str(value) for name, value in own.frame.iloc[-1].items() if name != own.options.target
    }
    names = [name for name, word in last.items() if _TOTAL.fullmatch(word)]
    if not any((own.frame[name].astype("str") == last[name]).sum() == 1 for name in names):
        return []
    row = checks.row_name(own.frame, -1)
    return [f"The last row ({row}) looks like totals: remove it from the file."]


def _new_labels(own: OwnFile, labels: ColumnValues) -> list[str]:
    """Return a note on labels that only test rows have."""
    if not own.source.test or not is_text(labels):
        return []
    is_test = own.frame[PART].eq("test").to_numpy()
    new = {*labels[is_test].tolist()} - {*labels[~is_test].tolist()}
    return [f"Labels that no training row has: {few(sorted(new))}."] if new else []


def _attribute(name: str, values: ColumnValues, own: OwnFile) -> Attribute:
    if not is_text(values):
        return Attribute(name=name, kind="numeric", range=checks.extremes(values))
    codes = canonical.default_order(pd.unique(values[values != ""]).tolist())
    if isinstance((column := own.frame[name]).dtype, pd.CategoricalDtype):
        # A declared order is kept, with codes that no row has.
        declared = canonical.nominal_column(map(str, column.cat.categories)).tolist()
        if {*codes} <= {*declared}:
            codes = tuple(dict.fromkeys(filter(None, declared)))
    date = _date_format(codes, values, own.source)
    uncoded = date or len(codes) > notes.MOST_CODES or notes.is_free_text(codes, len(values))
    return Attribute(name=name, kind="nominal", codes=None if uncoded else codes, date=date)


def _date_format(codes: Sequence[str], values: ColumnValues, source: FileSource) -> str | None:
    """Return the format of dates, or None if a code is not a date.

    If days and months can be exchanged, rows are sorted by date, or days are first in files with
    decimal commas or semicolons.
    """
    if not codes or not all(re.search(r"\d", code) for code in codes[:3]):
        return None
    # Most columns are seen in three codes not to be dates.
    forms = [form for form in ("ISO8601", *DATES) if _are_dates(codes[:3], form)]
    forms = [form for form in forms if _are_dates(codes, form)]
    if {form[:2] for form in forms} == {"%d", "%m"}:
        day_first = source.decimal == "," or source.separator == ";"

        def preference(form: str) -> tuple[bool, bool]:
            days = pd.Series(pd.to_datetime(values[values != ""], format=form))
            is_sorted = days.is_monotonic_increasing or days.is_monotonic_decreasing
            return is_sorted, day_first and form[1] == "d"

        return max(forms, key=preference)
    return next(iter(forms), None)


def _are_dates(codes: Sequence[str], form: str) -> bool:
    """Return whether codes are dates; years of two digits must not be in the future."""
    seasons = [re.fullmatch(r"\d\d(\d\d)[-/](\d\d)", code) for code in codes]
    if all(match and (int(match[1]) + 1) % 100 == int(match[2]) for match in seasons):
        return False  # such as 2009-10
    days = pd.to_datetime([*codes], format=form, errors="coerce", utc=True)
    return not (days.hasnans or ("%y" in form and days.max() > pd.Timestamp.now("UTC")))


def _view(own: OwnFile, target: Target, exclude: Sequence[str]) -> View:
    labels, positive = target.labels, own.options.positive
    evidence = "The label that was given as positive." if positive else ""
    if positive and positive not in labels:
        hint = nearest(positive, labels)
        message = f"{target.original} has no label {positive!r}{hint}"
        raise ConfigError(f"{own.source.path}: {message}")
    if not positive and len(labels) == 2:
        positive = min(reversed(labels), key=labels.__getitem__)
        is_rarer = len({*labels.values()}) > 1
        evidence = f"The {'rarer' if is_rarer else 'last'} of the two labels."
    chosen = (positive,) if positive else None
    return View(positive=chosen, exclude=exclude, status="open", evidence=evidence)


def renew(card: Card, path: Path) -> Card:
    """Return the card of a file that has changed: its decisions with new counts, ranges and hash.

    New codes of an attribute follow those that it has.
    """
    sources = [source for source in card.sources if isinstance(source, FileSource)]
    if not sources:
        raise ConfigError(f"{path}: it describes no file of your own, so it cannot be renewed")
    _check_names(card, sources[0])
    table = checks.to_table(formats.read_source(sources[0]), sources[0], card, sources[0].path)
    counts = checks.counted(table)
    target = card.target.model_copy(update=counts.pop("target"))
    kept = [note for note in card.notes if not notes.ON_CONTENT.match(note)]
    made = notes.on_content(table, target, 0, notes.remarks(table), card.view(ANY_VIEW))
    changes = {
        **counts,
        "notes": [*kept, *made],
        "attributes": [_renewed(a, table.columns[a.name]).model_dump() for a in card.attributes],
        "target": target.model_dump(),
    }
    return validated(Card, YamlSource(path, card.model_dump() | changes), DataError)


def _check_names(card: Card, source: FileSource) -> None:
    """Refuse a file if its card names other columns."""
    path, stated = Path(source.path), InitOptions(Path(source.path), "", member=source.member)
    if source.format == "libsvm" or (source.format in ("csv", "excel") and not source.header):
        return
    frame = formats.read_own_file(path, source, source.member)
    names = [str(name).strip() for name in frame.columns]
    if source.header:
        content, above = formats.unpack(path, source.member)[1], source.header - 1
        if source.format == "excel":
            layout = source.model_copy(update={"skip": above})
            start = formats.sheet_start(content, path, layout)
        else:
            start = detect(content, path, "", source.encoding, source.separator, above, True)[1]
        names = _names(start, frame, stated)
    expected = [card.target.original if n == "target" else n for n in source.columns if n != PART]
    pairs = zip_longest(names, expected, fillvalue="nothing")
    if changes := [f"{new} in place of {old}" for new, old in pairs if old not in ("", new)]:
        again = shlex.join(["quadrepro", "init", str(path), "--target", card.target.original])
        fault = f"its columns differ from the card: {few(changes)}"
        raise DataError(f"{path}: {fault}; {again} --force writes a new card")


def _renewed(attribute: Attribute, column: ColumnValues) -> Attribute:
    if attribute.kind == "numeric":
        return attribute.model_copy(update={"range": checks.extremes(column)})
    if attribute.codes is None:
        return attribute
    added = canonical.default_order({*pd.unique(column).tolist()} - {"", *attribute.codes})
    return attribute.model_copy(update={"codes": (*attribute.codes, *added)})


def _name(text: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    return name if name[:1].isalpha() else f"data_{name}".rstrip("_")
