"""The columns of a file as numbers or as codes: where text becomes a number."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from quadrepro.base.types import FloatArray
from quadrepro.data.canonical import (
    TextArray,
    nominal_column,
    numeric_column,
    parse_numbers,
    text_column,
)
from quadrepro.data.source import Layout


def new_codes(layout: Layout, name: str) -> dict[str, str]:
    """Return the new code of each code of a column that is missing or renamed in the card."""
    renamed = dict.fromkeys(layout.missing, "") | layout.codes.get(name, {})
    return dict(zip(nominal_column(renamed).tolist(), renamed.values(), strict=True))


def codes_in(column: pd.Series, renamed: Mapping[str, str]) -> TextArray:
    """Return the codes of a column, with ``""`` for a missing one."""
    places, values = pd.factorize(column)
    codes = [renamed.get(code, code) for code in nominal_column(values.astype(str)).tolist()]
    # The place of a missing value is -1, the last text.
    return text_column([*codes, ""])[places]


def numbers_in(column: pd.Series, renamed: Mapping[str, str], layout: Layout) -> FloatArray:
    """Return the numbers of a column: NaN where one is missing, infinity for any other text."""
    if column.dtype.kind == "f":
        values = numeric_column(column)
    else:
        column = column.astype("str")
        values = parse_numbers(column, layout.decimal, thousands=layout.thousands)
    changed = values.copy()
    news = parse_numbers(renamed.values())
    for code, old, new in zip(renamed, parse_numbers(renamed), news, strict=True):
        changed[values == old if np.isfinite(old) else column == code] = new
    return changed
