"""The columns of a file as numbers or as codes: where text becomes a number."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray
from quadrepro.data.canonical import (
    TextArray,
    nominal_column,
    numeric_column,
    parse_numbers,
    text_column,
)
from quadrepro.data.source import Layout

_MARKED = re.compile(r"[-+]?[$€£¥]?\s?[-+]?(\d{1,3}([\s'’]\d{3})+([.,]\d*)?|\d[\d.,]*)\s?[$€£¥]?")
"""Numbers with blanks or apostrophes between thousands, or with the sign of a currency."""


def unmarked(text: str) -> str:
    """Return a number without the sign of a currency, and without blanks between thousands.

    Examples
    --------
    >>> unmarked("1'100,50"), unmarked("-$1,100"), unmarked("1 10")
    ('1100,50', '-1,100', '1 10')
    """
    return re.sub(r"[^-+\d.,]", "", text) if _MARKED.fullmatch(text) else text


def new_codes(layout: Layout, name: str) -> dict[str, str]:
    """Return the new code of each code of a column that is missing or renamed in the card."""
    renamed = dict.fromkeys(layout.missing, "") | layout.codes.get(name, {})
    return dict(zip(nominal_column(renamed).tolist(), renamed.values(), strict=True))


def codes_in(column: pd.Series, renamed: Mapping[str, str]) -> TextArray:
    """Return the codes of a column, with ``""`` for a missing one."""
    places, texts = _distinct(column)
    codes = [renamed.get(code, code) for code in nominal_column(texts).tolist()]
    # The place of a missing value is -1, the last text.
    return text_column([*codes, ""])[places]


def numbers_in(column: pd.Series, renamed: Mapping[str, str], layout: Layout) -> FloatArray:
    """Return the numbers of a column: NaN where one is missing, infinity for any other text."""
    if column.dtype.kind == "f":
        return _renumbered(column.to_numpy(), renamed)
    if not (layout.thousands or any(renamed.values())):
        values = _cast(column, [code for code in renamed if code], layout.decimal)
        if values is not None:
            return _renumbered(values, renamed)
    places, texts = _distinct(column)
    # A code has lost its empty decimals, which can be thousands: 18.000.
    codes = nominal_column(texts).tolist()
    written = [renamed.get(code, unmarked(text)) for code, text in zip(codes, texts, strict=True)]
    # The place of a missing value is -1, the last text.
    return parse_numbers([*written, ""], layout.decimal, thousands=layout.thousands)[places]


def _distinct(column: pd.Series) -> tuple[NDArray[np.intp], list[str]]:
    """Return the place of each value among the distinct texts, -1 for NaN, and these texts."""
    places, values = pd.factorize(column)
    return places, values.astype(str).tolist()


def _cast(column: pd.Series, gaps: list[str], decimal: str) -> FloatArray | None:
    """Return the numbers of a column of plain numbers, or None if it has any other text."""
    texts = pa.array(column)
    if decimal == ",":
        if pc.any(pc.match_substring(texts, ".")).as_py():
            return None
        texts = pc.replace_substring(texts, ",", ".")
    missing = pc.is_in(texts, pa.array(["", *gaps], texts.type))
    try:
        values = pc.cast(pc.if_else(missing, None, texts), pa.float64())
    except pa.ArrowInvalid:
        return None
    if not pc.all(pc.is_finite(values)).as_py():
        return None  # The words for infinity and NaN are numbers to arrow.
    return numeric_column(values.to_numpy(zero_copy_only=False))


def _renumbered(values: FloatArray, renamed: Mapping[str, str]) -> FloatArray:
    """Return numbers with the new ones of those that are missing or renamed."""
    changed = numeric_column(values)
    for old, new in zip(parse_numbers(renamed), parse_numbers(renamed.values()), strict=True):
        if np.isfinite(old):
            changed[values == old] = new
    return changed
