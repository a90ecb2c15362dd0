"""Columns of data frames: their names for boosters, and dates."""

from __future__ import annotations

import pandas as pd
import pytest

from quadrepro.core.features import Feature, dates_of, plain_features
from quadrepro.errors import ConfigError


def test_names_that_boosters_refuse_are_replaced_and_stay_distinct() -> None:
    features = [Feature(name) for name in ("a[", "a]", "a b", "a:1", "ä")]
    names = [feature.name for feature in plain_features(features, {"lightgbm"})]
    assert names == ["a__0", "a__1", "a b", "a_1_3", "ä"]
    assert plain_features(features, {"sklearn", "catboost"}) == features


def test_texts_are_categories_and_dates_days_for_boosters() -> None:
    features = [Feature("a", "text", ("x",)), Feature("b", "date", ("y",)), Feature("c")]
    kinds = [feature.kind for feature in plain_features(features, set())]
    assert kinds == ["category", "day", "number"]


def test_dates_are_in_universal_time_and_missing_where_the_text_is() -> None:
    found = dates_of("day", ["2024-01-01T01:00+02:00", "", "2024-01-02"], "ISO8601")
    assert found[0] == pd.Timestamp("2023-12-31T23:00")
    assert found[2] == pd.Timestamp("2024-01-02")
    assert found.isna().tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("date", "message"),
    [
        ("%d.%m.%Y", "day has '2024-01-01', which is not a date of the format %d.%m.%Y: give its "),
        ("%Q", "date of day in its card: 'Q' is a bad directive"),
    ],
)
def test_a_format_that_does_not_fit_is_refused(date: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        dates_of("day", ["2024-01-01"], date)
    assert str(caught.value).startswith(message)
