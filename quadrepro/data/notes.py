"""Notes on a user's data that a careful colleague would make; none of them stops a run."""

from __future__ import annotations

import itertools
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from textwrap import shorten
from typing import Any

import numpy as np
import pandas as pd

from quadrepro.base.types import FloatArray
from quadrepro.data.canonical import ColumnValues, RawTable, is_missing, is_text
from quadrepro.data.schema import Attribute, Target, View
from quadrepro.data.source import FileLayout

UNIQUE = 0.9
"""Values look like IDs if they are distinct in more than this share of the rows."""

RARE = 0.5
"""Classes are imbalanced if the rarest has less than this share of the rows of an average one."""

MOST_CODES = 100
"""A nominal column of more codes is left out."""

WORDS = 3
"""Mean number of words of texts that are not codes."""

SHOWN = 100
"""Number of characters of a note's list of columns."""

FEWEST = 10
"""A relation that holds in fewer rows can be chance."""

LEAST_CHANCE = -14.0
"""A relation is named if the logarithm of its probability by chance is lower."""

SEEN = 5000
"""Number of rows in which relations are looked for first."""

MOST_UNITS = 10
"""Numbers with units have at most this number of words and signs around them."""

MOST_SUMMANDS = 50
"""Sums are looked for among at most this number of columns."""

FAR, FREQUENT = 2, 0.05
"""Least distance from all others of a column, in multiples of their range, and least share of the
rows, for a number that may mean a missing value."""

EMPTY = "Left out, since every value is missing"
IDS = "Left out, since they look like IDs: almost every row has a value of its own"
MANY = f"Left out, since they have more than {MOST_CODES} codes"
TEXTS = (
    "Free text, which only estimators of your own can use, with nominal: categories; left out"
    " if there are other columns"
)
DATES = "Dates, left out; to test on the latest rows, add split: {time: NAME}"
UNITS = "Left out, since these numbers have words or signs: if they are quantities, leave those out"
CODES = "Taken as numeric, but they look like codes: if they are, add --nominal NAME"
NUMBERED = "Almost every row has a whole number of its own: exclude it if it is an ID"
DAYS = "Whole numbers that look like dates: if they are, write them as 2015-01-31 in the file"
NOMINAL = "Taken as nominal"
CONSTANT = "One value in all rows, which tells nothing"
MARKED = "Numbers with blanks, signs or leading zeros: if they are codes, add --nominal NAME"

PARTS = "Left out, since it names the file of each row; the split is split: {column: part}"

UNIQUE_VALUES = ("Free text", "Kept, although")
"""Beginnings of remarks on used columns whose values occur once, so that they decide anything."""

LEFT_OUT = (IDS, MANY, UNITS, TEXTS, DATES, PARTS)
"""Remarks on columns that a view excludes."""

ON_CONTENT = re.compile(
    "(Left out, since|Kept, although|Free text, |Dates|Taken as n|Almost every row|Whole numbers"
    "|Rows |One value in all rows|Each label |Imbalanced|.* may mean a missing "
    "|.* (determines|repeats|is (the sum|a linear)|has ([0-9]+ labels|a value exactly)) )"
)
"""Beginnings of the notes on rows and columns, which are made again when a file has changed."""

_ID = re.compile(
    r"(?i:(^|[\W_])(id|uuid)([\W_]|$)|^(key|index|row|no|nr|number|nummer)\W*$)|[a-z]I[dD]$|^[A-Z]+ID$"
)
_NUMBER = re.compile(r"(?i:(^|[\W_])(no|nr|key|index|row)\W*$|(number|nummer|nr)$)")
_YEAR = re.compile(r"(?i:year|jahr)")
_QUANTITY = re.compile(
    r"([^\w\s#/-]{1,3}\s?|[^\W\d_]{1,4}\.?\s)?[-+]?\d[\d.,' ]*"
    r"(\s?[^\W\d_]{1,9}\.?|\s?[^\w\s]{1,3}[^\W\d_]?)?"
)
"""A number with a word or a sign before or after it, such as ``Rs. 1,000`` or ``12.5°C``."""
_CODE = re.compile(r"(?i:(^|[\W_])(codes?|zip|zipcode|plz|postcode|postal)([\W_]|$))|[a-z]Code$")


def remarks(table: RawTable) -> dict[str, str]:
    """Return a remark on each attribute, or an empty text."""
    return {a.name: _remark(a, table.columns[a.name]) for a in table.attributes}


def _remark(attribute: Attribute, values: ColumnValues) -> str:
    if attribute.date:
        return f"{DATES}; read as {attribute.date}, date in the card"
    distinct = pd.unique(values)
    if len(distinct) == 1:
        return CONSTANT
    if not is_text(values):
        return _remark_on_numbers(attribute.name, values)
    is_unique = len(distinct) > UNIQUE * len(values)
    if is_free_text(distinct.tolist(), len(values)):
        return TEXTS
    if (is_unique or len(distinct) > MOST_CODES) and _are_quantities(distinct[distinct != ""]):
        return UNITS
    return IDS if is_unique else MANY if len(distinct) > MOST_CODES else NOMINAL


def _are_quantities(texts: Any) -> bool:
    """Return whether most texts are numbers with one of few words or signs, as no codes have."""
    around = Counter(re.sub(r"[-+\d.,' ]+", "", text) for text in texts)
    is_quantity = [_QUANTITY.fullmatch(text) is not None for text in texts]
    return "" not in around and len(around) <= MOST_UNITS and fmean(is_quantity) > UNIQUE


def is_free_text(distinct: Sequence[str], n_rows: int) -> bool:
    """Return whether the distinct values of a column are texts of several words."""
    has_many = len(distinct) > min(UNIQUE * n_rows, MOST_CODES)
    return has_many and fmean(len(text.split()) for text in distinct) >= WORDS


def _remark_on_numbers(name: str, values: Any) -> str:
    held = values[~np.isnan(values)]
    if np.mod(held, 1).any():
        return ""
    n_distinct = len(pd.unique(held))
    is_unique = n_distinct > UNIQUE * len(values)
    if held.min() > 1e7 and held.max() < 1e8 and _are_days(pd.unique(held)):
        return DAYS
    is_consecutive = held.max() - held.min() == n_distinct - 1 and not _YEAR.search(name)
    if is_unique and (is_consecutive or _ID.search(name)):
        return IDS
    if _CODE.search(name):
        return CODES
    rises = len(values) >= FEWEST and len(held) == len(values) and np.all(np.diff(values) > 0)
    return NUMBERED if rises or (is_unique and _NUMBER.search(name)) else ""


def _are_days(numbers: FloatArray) -> bool:
    """Return whether whole numbers are dates of the last two centuries, such as 20150131."""
    texts = [f"{number:.0f}" for number in numbers]
    days = pd.to_datetime(texts, format="%Y%m%d", errors="coerce")
    return bool(days.notna().all() and days.year.min() >= 1900 and days.year.max() < 2100)


def on_reading(
    layout: FileLayout, gaps: Collection[str], task: str | None, target: Target
) -> Iterator[str]:
    """Yield notes on how a file was read."""
    if layout.format == "csv":
        header = f"names in line {layout.skip}" if layout.skip else "no header"
        signs = f"separator {layout.separator!r}, decimal {layout.decimal!r}"
        if layout.thousands:
            signs += f", thousands {',' if layout.decimal == '.' else '.'!r}"
        guess = " (if letters look wrong, add --encoding)" * (layout.encoding == "cp1252")
        yield f"Read as {layout.encoding}{guess}, {signs}, {header}; see the options of init."
    single = [f"{name}={word}" for name, words in layout.codes.items() for word in words]
    if words := [*gaps, *single]:
        hint = "; --present WORD makes a word a value" * any(map(str.isalpha, gaps))
        yield f"Missing values are written {', '.join(map(repr, words))}{hint}."
    if layout.note:
        yield layout.note
    if task is None:
        kind = "classification" if target.labels else "regression"
        declared = layout.format == "arff"
        reason = "by the declared kind" if declared else "by the values of the target"
        yield f"Taken as a {kind} {reason}; see --task."


def on_content(
    table: RawTable, target: Target, n_dropped: int, remarks: Mapping[str, str], view: View
) -> Iterator[str]:
    """Yield notes on rows and columns, each with the key or the option that acts on it."""
    if n_dropped:
        yield f"Rows without a target, which are left out: {n_dropped}."
    used = {name: column for name, column in table.columns.items() if name not in view.exclude}
    rows = pd.DataFrame(dict(enumerate([*table.columns.values(), table.target])))
    places = [j for j, name in enumerate([*table.columns, ""]) if name not in view.exclude]
    if n_repeated := int(rows.duplicated(places).sum()):
        n_whole = int(rows.duplicated().sum())
        part = f" in the columns that are used, {n_whole} in all columns" * (n_whole < n_repeated)
        yield (
            f"Rows that repeat an earlier one: {n_repeated}{part}; view: {{duplicates: drop}} drops"
            " them, and one-side keeps them on one side of each split."
        )
    for remark in filter(None, dict.fromkeys(remarks.values())):
        yield f"{remark} ({_listed(name for name in remarks if remarks[name] == remark)})."
    for word, names in _sentinels({**table.columns, target.original: table.target}).items():
        yield f"{word} may mean a missing value: if it does, add {_missing(word, names, table)}."
    repeated = {n: c for n, c in used.items() if not remarks.get(n, "").startswith(UNIQUE_VALUES)}
    yield from _leaks(repeated, table.target, target)
    if (n := len(target.labels)) > MOST_CODES:
        advice = "state them as numbers if they are, or join rare ones"
        yield f"{target.original} has {n} labels in {table.n_rows} rows: {advice}."
    if target.labels and max(target.labels.values()) == 1:
        yield f"Each label of {target.original} has one row: nothing can be learned from that."
    spellings: dict[str, list[str]] = {}
    for label in target.labels:
        spellings.setdefault(label.casefold(), []).append(label)
    if alike := [labels for labels in spellings.values() if len(labels) > 1]:
        yield (
            "Labels that differ only in capital letters are different classes: write them alike in"
            f" the file if they mean the same ({_listed(itertools.chain(*alike))})."
        )
    yield from imbalance(target, view)


def _listed(names: Iterable[str]) -> str:
    return shorten(", ".join(names), SHOWN, placeholder=" ...")


def imbalance(target: Target, view: View) -> Iterator[str]:
    """Yield a note if the rarest class has less than a part of its equal share of the rows."""
    sizes = view.class_sizes(target)
    if sizes and min(sizes) * len(sizes) < RARE * sum(sizes):
        yield f"Imbalanced: the rarest class has {min(sizes)} of {sum(sizes)} rows."


def _missing(word: str, names: Sequence[str], table: RawTable) -> str:
    """Return the option that makes a number of some columns missing, and of no others."""
    others = (c for name, c in table.columns.items() if name not in names and not is_text(c))
    if any((column == float(word)).any() for column in others):
        return _listed(f"--missing {shlex.quote(f'{name}={word}')}" for name in names)
    return f"--missing={word} ({_listed(names)})"


def _sentinels(columns: Mapping[str, ColumnValues]) -> dict[str, list[str]]:
    """Return numbers far below or above all others of their columns, and these columns.

    A number in a single column must be frequent, further away, and negative or made of nines.
    """
    names: dict[float, list[str]] = {}
    clear = set()
    for name, column in columns.items():
        if is_text(column):
            continue
        held = column[~np.isnan(column)]
        for sign in (1, -1):
            lowest = (sign * held).min(initial=np.inf)
            others = sign * held[sign * held != lowest]
            n = len(held) - len(others)
            # Far away: below zero among positive numbers, or further away than their whole range.
            if n < 2 or len(others) < 2 or lowest % 1 or np.isin(held, (-1, 0, 1)).all():
                continue
            spread, gap = np.ptp(others), others.min() - lowest
            is_negative = sign > 0 and lowest < 0 <= others.min()
            is_outermost = abs(lowest) > np.abs(others).max()
            if is_negative or (is_outermost and gap > max(spread, 1)):
                names.setdefault(sign * lowest, []).append(name)
            looks_missing = sign * lowest < 0 or not f"{lowest:.0f}".strip("-9")
            if looks_missing and gap > FAR * max(spread, 1) and n >= FREQUENT * len(held):
                clear.add(sign * lowest)
    return {f"{w:g}": n for w, n in names.items() if len(n) > 1 or w in clear}


def _leaks(columns: Mapping[str, ColumnValues], y: Any, target: Target) -> Iterator[str]:
    """Yield columns that decide or repeat the target, and a sum of columns that does."""
    advice = "exclude it unless it is known before the target is"
    # Most columns are seen to decide nothing in some of the rows.
    some = slice(None, None, max(1, len(y) // SEEN))
    determining = [n for n, c in columns.items() if _decides(c[some], y[some]) and _decides(c, y)]
    for name in determining:
        verb = "determines" if is_text(y) else "is a linear function of"
        n_filled = int((~is_missing(columns[name])).sum())
        where = f" in the {n_filled} rows that have it" * (n_filled < len(y))
        yield f"{name} {verb} {target.original}{where}: {advice}."
    for name, column in columns.items() if is_text(y) else ():
        gaps = is_missing(column)
        if gaps.any() and name not in determining and _decides(np.where(gaps, "no", "yes"), y):
            yield f"{name} has a value exactly in the rows of some labels: {advice}."
    if is_text(y) or determining:
        return
    numeric = {n: c for n, c in columns.items() if not is_text(c) and not np.isnan(c).any()}
    if not 2 <= len(numeric) <= MOST_SUMMANDS or len(y) < max(FEWEST, 2 * len(numeric)):
        return
    X = np.column_stack([*numeric.values()])
    centred = X[some] - X[some].mean(axis=0), y[some] - y[some].mean()
    signs: Any = np.round(np.linalg.lstsq(*centred, rcond=None)[0])
    rest = y - X @ signs
    if np.abs(signs).max() == 1 and np.ptp(rest) <= 1e-9 * max(1.0, np.abs(y).max()):
        used = [(n, s) for n, s in zip(numeric, signs.tolist(), strict=True) if s]
        terms = [f"{'-' if sign < 0 else '+'} {name}" for name, sign in used]
        terms += [f"{rest[0]:+.6g}"] * bool(abs(rest[0]) > 1e-9)
        yield f"{target.original} is the sum {' '.join(terms).removeprefix('+ ')}: {advice}."


def _decides(column: Any, y: Any) -> bool:
    """Return whether each value of a column has one label, or is the target up to its unit."""
    seen = ~is_missing(column)
    if seen.sum() < FEWEST:
        return False
    values, targets = column[seen], y[seen]
    if not is_text(y):
        if is_text(column) or np.ptp(values) == 0 or np.ptp(targets) == 0:
            return False
        return bool(abs(np.corrcoef(values, targets)[0, 1]) > 1 - 1e-12)
    labels, places = np.unique(targets, return_inverse=True)
    codes = pd.factorize(values)[0]
    n_distinct = codes.max() + 1
    if len(labels) < 2 or len(pd.unique(codes * len(labels) + places)) > n_distinct:
        return False
    # The probability that all rows of each value have one label by chance.
    shares = np.bincount(places) / len(places)
    log_chance = np.log((shares[:, None] ** np.bincount(codes)).sum(axis=0)).sum()
    if log_chance < LEAST_CHANCE or n_distinct <= min(2 * len(labels), len(values) / 5):
        return True
    if is_text(column) or np.bincount(places).min() < FEWEST:
        return False
    n_changes = np.count_nonzero(np.diff(places[np.argsort(values, kind="stable")]))
    return bool(n_changes == len(labels) - 1)
