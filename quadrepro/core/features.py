"""The columns of a data set as a data frame, for estimators that take one."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.errors import ConfigError

if TYPE_CHECKING:
    import pandas as pd

_REFUSED = re.compile(r'[][<>{}",:]')
"""Characters that XGBoost or LightGBM refuses in column names."""


class Feature(NamedTuple):
    """A column of the examples: numbers, or positions in a list of words.

    Attributes
    ----------
    name : str
        Name in the data set.
    kind : {"number", "category", "text", "date", "day"}, default "number"
        Type of the column in a data frame; "day" is a date as a number of days.
    words : tuple of str, default ()
        The words, in the order of their positions; empty for numbers.
    date : str, default ""
        Format of the words that are dates, see `quadrepro.data.schema.Attribute`.
    """

    name: str
    kind: Literal["number", "category", "text", "date", "day"] = "number"
    words: tuple[str, ...] = ()
    date: str = ""


def frame_of(X: FloatArray, features: Sequence[Feature]) -> pd.DataFrame:
    """Return examples, shape (n_examples, n_features), as a data frame.

    A missing text is empty; other missing values are NA.
    """
    import pandas as pd

    columns = zip(features, X.T, strict=True)
    return pd.DataFrame({feature.name: _column(feature, values) for feature, values in columns})


def _column(feature: Feature, values: FloatArray) -> Any:
    import pandas as pd

    if feature.kind == "number":
        return values
    # -1 is the position of the last word.
    positions = np.where(np.isnan(values), -1, values).astype(np.intp)
    words = [*feature.words, ""]
    match feature.kind:
        case "category":
            return pd.Categorical.from_codes(positions, words[:-1])
        case "text":
            return pd.array(words, dtype="str")[positions]
    dates = dates_of(feature.name, words, feature.date)[positions]
    return dates if feature.kind == "date" else dates.to_julian_date()


def plain_features(features: Sequence[Feature], packages: Collection[str]) -> list[Feature]:
    """Return features with types and names that all estimators of some packages accept.

    Boosters take numbers and categories: texts become categories, and dates become days.
    """
    kinds: dict[str, Any] = {"text": "category", "date": "day"}
    plain = [feature._replace(kind=kinds.get(feature.kind, feature.kind)) for feature in features]
    if {"xgboost", "lightgbm"}.isdisjoint(packages):
        return plain
    return [
        feature._replace(name=f"{_REFUSED.sub('_', feature.name)}_{i}")
        if _REFUSED.search(feature.name)
        else feature
        for i, feature in enumerate(plain)
    ]


def dates_of(name: str, texts: Sequence[str], date: str) -> pd.DatetimeIndex:
    """Return dates in universal time, NaT for empty texts; ConfigError for another format."""
    import pandas as pd

    try:
        dates = pd.to_datetime(texts, format=date, utc=True, errors="coerce").tz_localize(None)
    except ValueError as error:
        raise ConfigError(f"date of {name} in its card: {error}") from None
    wrong = dates.isna() & (np.array(texts) != "")
    if wrong.any():
        raise ConfigError(
            f"{name} has {texts[int(wrong.argmax())]!r}, which is not a date of the format {date}:"
            f" give its format, such as %d.%m.%Y, as `date` of {name} in the card"
        )
    return dates
