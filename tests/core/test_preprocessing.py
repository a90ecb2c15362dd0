"""Examples: encoded from rows, with noise, and normalised by the training rows alone."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from quadrepro.core.features import Feature, dates_of, plain_features
from quadrepro.core.preprocessing import (
    Normaliser,
    add_noise,
    change_labels,
    count_columns,
    count_rows,
    encode,
)
from quadrepro.data.canonical import default_order
from quadrepro.data.card import Card, View, load_card
from quadrepro.data.schema import Attribute, Threshold
from quadrepro.data.store import Dataset, Found, find_datasets
from quadrepro.errors import ConfigError
from tests.data.tables import load_dataset

# Codes become positions, labels become signs, misfits are refused


SIZE, COLOUR = [-2.5, 1, 30, np.nan], [np.nan, 1, 1, 0]


@pytest.fixture
def dataset(known_toy: Card, toy_csv: Path) -> Dataset:
    return load_dataset("toy", toy_csv.parent)


def view(**fields: Any) -> View:
    return View.model_validate({"positive": ["no"], **fields})


def numbers(dataset: Dataset) -> Dataset:
    """Return the toy data with rings 8, 9, 9, 10 for a target."""
    target = dataset.card.target.model_copy(update={"labels": {}, "range": (8.0, 10.0)})
    card = dataset.card.model_copy(update={"task": "regression", "target": target})
    table = dataclasses.replace(dataset.table, target=np.array([8.0, 9.0, 9.0, 10.0]))
    return Dataset(card, table, "here")


def parted(dataset: Dataset, part: list[str]) -> Dataset:
    """Return the toy data in two parts."""
    n_train = part.count("train")
    parts = {"train": (1, n_train), "test": (n_train + 1, 4)}
    card = dataset.card.model_copy(update={"parts": parts})
    table = dataclasses.replace(dataset.table, part=np.array(part))
    return Dataset(card, table, "here")


@pytest.mark.parametrize(
    ("fields", "columns", "names"),
    [
        ({}, [SIZE, COLOUR], "size colour:blue,red"),
        ({"exclude": ["size"]}, [COLOUR], "colour:blue,red"),
        (
            {"target_as": "answer", "exclude": ["size"]},
            [COLOUR, [1, 1, -1, -1]],
            "colour:blue,red answer",
        ),
        (
            {"nominal": "one-hot"},
            [SIZE, [np.nan, 0, 0, 1], [np.nan, 1, 1, 0]],
            "size colour=blue colour=red",
        ),
        (
            {"nominal": "one-hot", "missing": "low"},
            [SIZE, [0, 0, 0, 1], [0, 1, 1, 0], [1, 0, 0, 0]],
            "size colour=blue colour=red colour=",
        ),
        (
            {"order": {"colour": ["red", "green", "blue"]}},
            [SIZE, [np.nan, 0, 0, 2]],
            "size colour:red,green,blue",
        ),
    ],
)
def test_attributes_become_columns(
    dataset: Dataset, fields: dict[str, Any], columns: list[list[float]], names: str
) -> None:
    encoded = encode(dataset, view(**fields))
    np.testing.assert_array_equal(encoded.X, np.transpose(columns))
    np.testing.assert_array_equal(encoded.y, [1, 1, -1, -1])
    assert encoded.X.dtype == encoded.y.dtype == np.float64
    features = (f.name + ":" * bool(f.words) + ",".join(f.words) for f in encoded.features)
    assert " ".join(features) == names
    assert encoded.missing == fields.get("missing", "mean")
    assert encoded.classes == ("negative", "positive")


@pytest.mark.parametrize(
    ("texts", "changes", "kind"),
    [
        (["a b", "c", "d", ""], {}, "text"),
        (["a b", "a b", "d", "d"], {}, "category"),
        (["a b", "c", "d", ""], {"codes": ("d", "c", "a b")}, "category"),
        (["1.2.24", "3.4.24", "1.2.24", ""], {"date": "%d.%m.%y"}, "date"),
    ],
)
def test_words_are_text_if_most_are_distinct_and_the_card_lists_none(
    dataset: Dataset, texts: list[str], changes: dict[str, Any], kind: str
) -> None:
    colour = Attribute(name="colour", kind="nominal", **changes)
    table = dataclasses.replace(
        dataset.table,
        attributes=(dataset.table.attributes[0], colour),
        columns={**dataset.table.columns, "colour": np.array(texts)},
    )
    encoded = encode(Dataset(dataset.card, table, "here"), view())
    words = changes.get("codes") or default_order({*texts} - {""})
    assert encoded.features[1] == ("colour", kind, words, changes.get("date", ""))
    listed = encode(Dataset(dataset.card, table, "here"), view(order={"colour": words}))
    assert listed.features[1].kind == ("date" if kind == "date" else "category")


def test_the_order_of_a_card_replaces_the_default(canonical_folder: Path) -> None:
    dataset = load_dataset("car", canonical_folder)
    encoded = encode(dataset, dataset.card.view("quadboost"))
    codes = dict(zip(dataset.table.columns["buying"].tolist(), encoded.X[:, 0], strict=True))
    assert codes == {"low": 0.0, "med": 1.0, "high": 2.0, "vhigh": 3.0}


@pytest.mark.parametrize(
    ("codes", "order"),
    [
        (["10", "9", "-1", "2.5"], ("-1", "2.5", "9", "10")),
        (["b", "10", "9"], ("10", "9", "b")),
        (["000", "00", "1"], ("00", "000", "1")),
        (["nan", "2", "10"], ("10", "2", "nan")),
        ([], ()),
    ],
)
def test_codes_are_sorted_as_numbers_only_where_all_are(
    codes: list[str], order: tuple[str, ...]
) -> None:
    assert default_order(codes) == order


@pytest.mark.parametrize(
    ("fields", "rows"),
    [
        ({"missing": "drop"}, [1, 2]),
        ({"missing": "drop", "exclude": ["size"]}, [1, 2, 3]),
        ({"where": {"colour": "red"}}, [1, 2]),
        ({"where": {"colour": ["red", "blue"]}}, [1, 2, 3]),
        ({"where": {"size": ["-2.5", 30.0]}}, [0, 2]),
        ({"where": {"size": [1, -2.5, 30], "colour": "red"}}, [1, 2]),
        ({"part": "train", "exclude": ["size"], "missing": "low"}, [0, 2]),
    ],
)
def test_a_view_takes_the_rows_that_it_names(
    dataset: Dataset, fields: dict[str, Any], rows: list[int]
) -> None:
    dataset = parted(dataset, ["train", "test", "train", "test"])
    every, some = (encode(dataset, view(**f)) for f in (fields | FULL, fields))
    np.testing.assert_array_equal(some.X, every.X[rows])
    np.testing.assert_array_equal(some.y, every.y[rows])
    assert some.rows.tolist() == rows


FULL: dict[str, Any] = {"where": {}, "part": "", "missing": "mean"}


def test_other_labels_than_those_that_are_kept_are_left_out(canonical_folder: Path) -> None:
    wine = load_dataset("wine")
    pair = encode(wine, View(positive=("1",), negative=("3",)))
    labels = wine.card.target.labels
    assert [(pair.y > 0).sum(), (pair.y < 0).sum()] == [labels["1"], labels["3"]]
    found = find_datasets(map(load_card, ["glass"]), canonical_folder)["glass"]
    kept = View(labels=("7", "5", "1"))
    encoded = encode(found.load(), kept)
    assert encoded.classes == ("1", "5", "7")
    counts = [found.card.target.labels[c] for c in encoded.classes]
    assert np.bincount(encoded.y.astype(int)).tolist() == counts
    assert count_rows(found, kept) == len(encoded.y)


def test_a_number_stays_one_or_becomes_a_class_by_a_threshold(dataset: Dataset) -> None:
    for threshold, y in (
        (Threshold(at_most=9), [1, 1, 1, -1]),
        (Threshold(at_least=9), [-1, 1, 1, 1]),
        (None, [8, 9, 9, 10]),
    ):
        encoded = encode(numbers(dataset), View(positive=threshold))
        np.testing.assert_array_equal(encoded.y, y)
        assert bool(encoded.classes) == (threshold is not None)
    with pytest.raises(ConfigError, match="all rows of toy in this view are negative"):
        encode(numbers(dataset), View(positive=Threshold(at_least=11)))


def test_two_labels_are_signs_of_which_the_second_is_positive_and_more_are_codes(
    dataset: Dataset,
) -> None:
    encoded = encode(dataset, View())
    assert encoded.classes == ("01", "no")
    np.testing.assert_array_equal(encoded.y, np.where(dataset.table.target == "no", 1.0, -1.0))
    wine = load_dataset("wine")
    for labels in ((), ("3", "1", "2")):
        encoded = encode(wine, View(labels=labels))
        assert encoded.classes == ("1", "2", "3")
        np.testing.assert_array_equal(encoded.y + 1, wine.table.target.astype(float))


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"positive": None, "labels": ["no", "1"]}, "toy has no label '1'; did you mean '01'?"),
        ({"exclude": ["sise"]}, "toy has no attribute 'sise'; did you mean 'size'?"),
        ({"order": {"colour": ["red", "green"]}}, "the order of colour is red, green, but the dat"),
        ({"positive": None, "where": {"colour": "blue"}}, "all rows of toy in this view are 01"),
        ({"where": {"size": "99"}}, "no row of toy is left in this view"),
    ],
)
def test_a_view_that_does_not_fit_is_refused(
    dataset: Dataset, fields: dict[str, Any], fault: str
) -> None:
    with pytest.raises(ConfigError) as refusal:
        encode(dataset, view(**fields))
    assert str(refusal.value).startswith(fault)


@pytest.mark.parametrize(
    ("name", "fields", "read"),
    [
        ("monks", {}, False),
        ("monks", {"missing": "drop"}, False),
        ("monks", {"where": {"holding": load_card("monks").attributes[3].codes[:1]}}, True),
        ("balance", {"positive": ["L"], "negative": ["B"]}, False),
        ("titanic", {"positive": ["Yes"], "where": {"class": ["1st", "Crew"]}}, True),
    ],
)
def test_rows_are_counted_without_the_data_if_the_card_tells(
    name: str, fields: dict[str, object], read: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = View.model_validate({"positive": [min(load_card(name).target.labels)]} | fields)
    expected = len(encode(load_dataset(name), asked).y)
    found = find_datasets(map(load_card, [name]))[name]
    loaded = []
    original = Found.load
    monkeypatch.setattr(Found, "load", lambda *a, **k: loaded.append(a) or original(*a, **k))
    assert [count_rows(found, asked) for _ in range(2)] == [expected] * 2
    assert len(loaded) == read  # once for all views of these columns


def test_rows_of_a_part_are_counted_from_the_card_and_with_labels_from_the_rows(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = parted(dataset, ["train", "test", "test", "test"])
    monkeypatch.setattr(Found, "load", lambda *_, **more: whole)
    found = Found(whole.card, Path("here"))
    for fields in ({}, {"negative": ["01"]}):
        asked = view(part="test", **fields)
        assert count_rows(found, asked) == len(encode(found.load(), asked).y) == 3


def test_columns_are_counted_from_the_card_and_the_order_of_the_view(dataset: Dataset) -> None:
    for nominal, exclude in (("ordinal", ()), ("one-hot", ()), ("one-hot", ("size",))):
        order = {"colour": ("blue", "red", "green", "grey")}
        asked = view(nominal=nominal, exclude=exclude, order=order, target_as="answer")
        assert count_columns(dataset.card, asked) == encode(dataset, asked).X.shape[1]


# Noise


Table = NDArray[np.float64]
NUMBERS = st.one_of(st.floats(-1e6, 1e6), st.just(float("nan")))
TABLES = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=8), elements=NUMBERS)
SEEDS = st.integers(0, 2**32 - 1)


def noisy(X: Table, seed: int, deviation: float, contrast: float = 1.0) -> Table:
    rows = np.arange(len(X))
    return add_noise(X, np.random.default_rng(seed), deviation, contrast, train=rows)


@given(TABLES, SEEDS, st.floats(0, 10), st.floats(0.01, 1))
def test_every_attribute_keeps_its_range_and_its_gaps(
    X: Table, seed: int, deviation: float, contrast: float
) -> None:
    changed = noisy(X, seed, deviation, contrast)
    np.testing.assert_array_equal(np.isnan(changed), np.isnan(X))
    for before, after in zip(X.T, changed.T, strict=True):
        if not np.isnan(before).all():
            assert np.nanmin(before) <= np.nanmin(after)
            assert np.nanmax(after) <= np.nanmax(before)
        if np.nanmin(before, initial=np.inf) == np.nanmax(before, initial=-np.inf):
            np.testing.assert_array_equal(after, before)


def test_noise_is_normal_with_its_deviation_as_a_share_of_each_attributes_range() -> None:
    # All examples but the two that set the range lie well inside.
    middle = np.random.default_rng(3).uniform(4, 6, size=(2000, 2)) * [1.0, 100.0]
    inner = np.vstack([[0.0, 0.0], [10.0, 1000.0], middle])
    shares = (noisy(inner, 0, 0.05) - inner)[2:] / [10.0, 1000.0]
    np.testing.assert_allclose(shares.std(axis=0), 0.05, rtol=0.06)
    np.testing.assert_allclose(shares.mean(axis=0), 0, atol=5 * 0.05 / np.sqrt(2000))
    # The same draws serve every deviation where nothing is clipped.
    small = (noisy(inner, 0, 0.01) - inner)[2:] / [10.0, 1000.0]
    np.testing.assert_allclose(shares, 5 * small, rtol=1e-6, atol=1e-9)
    # Contrast narrows about the middle of the range.
    X = np.array([[0.0, -2.0], [4.0, 2.0], [1.0, np.nan]])
    np.testing.assert_allclose(noisy(X, 0, 0.0, 0.5), [[1.0, -1.0], [3.0, 1.0], [1.5, np.nan]])


@given(TABLES, SEEDS, st.floats(0, 10))
def test_noise_depends_on_the_training_rows_alone(X: Table, seed: int, deviation: float) -> None:
    train = np.arange(len(X))[::2]
    found = add_noise(X, np.random.default_rng(seed), deviation, 1.0, train)
    others = X.copy()
    others[1::2] = 0.0
    changed = add_noise(others, np.random.default_rng(seed), deviation, 1.0, train)
    np.testing.assert_array_equal(found[train], changed[train])
    np.testing.assert_array_equal(np.isnan(found), np.isnan(X))


def test_a_value_beyond_the_training_range_is_not_taken_further() -> None:
    X = np.tile([[0.0], [1.0], [5.0], [-3.0]], (500, 1))
    train = np.flatnonzero((X[:, 0] == 0.0) | (X[:, 0] == 1.0))
    found = add_noise(X, np.random.default_rng(0), 0.5, 1.0, train)[:, 0].reshape(-1, 4).T
    assert found[:2].min() == 0.0
    assert found[:2].max() == 1.0
    assert found[2].max() == 5.0
    assert found[3].min() == -3.0
    # The scale is half the training range of 1.
    assert (5.0 - found[2]).max() < 0.5 * 4
    still = add_noise(X, np.random.default_rng(0), 0.0, 1.0, train)
    np.testing.assert_array_equal(still, X)


@given(SEEDS, st.floats(0, 0.99), st.integers(2, 5))
def test_a_share_of_the_labels_becomes_another_class(
    seed: int, share: float, n_classes: int
) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_classes, size=90).astype(np.float64)
    y = 2 * codes - 1 if n_classes == 2 else codes
    rows = rng.permutation(90)[:60]
    found = change_labels(y, rows, share, n_classes, np.random.default_rng(seed))
    changed = np.flatnonzero(found != y)
    assert len(changed) == round(share * 60)
    assert np.isin(changed, rows).all()
    assert np.isin(found, np.unique([-1, 1] if n_classes == 2 else range(n_classes))).all()
    fewer = change_labels(y, rows, share / 2, n_classes, np.random.default_rng(seed))
    np.testing.assert_array_equal(found[fewer != y], fewer[fewer != y])


def test_every_other_class_is_as_likely() -> None:
    y = np.zeros(30_000)
    found = change_labels(y, np.arange(30_000), 0.5, 4, np.random.default_rng(0))
    counts = np.bincount(found.astype(int), minlength=4)
    assert counts[0] == 15_000
    assert counts[1:] == pytest.approx(5_000, abs=5 * np.sqrt(5_000 * 2 / 3))


# Normalisation


Way = Literal["mean", "low"]
WAYS = pytest.mark.parametrize("missing", ["mean", "low"])


@WAYS
@given(X=TABLES, data=st.data())
def test_every_value_ends_between_minus_one_and_one(
    missing: Way, X: Table, data: st.DataObject
) -> None:
    others = data.draw(arrays(np.float64, (3, X.shape[1]), elements=NUMBERS))
    normaliser = Normaliser.fit(X, missing)
    for rows in (X, others):
        Z = normaliser.transform(rows)
        assert Z.shape == rows.shape
        assert (np.abs(Z) <= 1.0).all()


@given(X=TABLES)
def test_low_puts_missing_values_at_or_below_all_others(X: Table) -> None:
    Z = Normaliser.fit(X, "low").transform(X)
    for x, z in zip(X.T, Z.T, strict=True):
        gaps = np.isnan(x)
        if gaps.any() and not gaps.all():
            assert z[gaps].max() <= z[~gaps].min()


@WAYS
@given(value=st.floats(-1e6, 1e6), n=st.integers(1, 9))
def test_a_constant_column_has_no_spread_and_a_missing_one_is_filled_with_zero(
    missing: Way, value: float, n: int
) -> None:
    normaliser = Normaliser.fit(np.full((n, 1), value), missing)
    assert normaliser.std.tolist() == [1.0]
    assert (normaliser.transform(np.full((2, 1), value)) == 0.0).all()
    normaliser = Normaliser.fit(np.full((n, 1), np.nan), missing)
    assert normaliser.fill.tolist() == [0.0]
    filled = normaliser.transform(np.array([[np.nan], [0.5]]))
    np.testing.assert_array_equal(filled, [[0.0], [np.tanh(0.5)]])


def test_columns_get_training_mean_zero_and_deviation_one_before_the_tanh() -> None:
    X = np.array([[1.0, 10.0], [2.0, np.nan], [6.0, 30.0]])
    Z = np.arctanh(Normaliser.fit(X).transform(X))
    np.testing.assert_allclose(Z.mean(axis=0), 0.0, atol=1e-15)
    np.testing.assert_allclose(Z.std(axis=0), 1.0)
    assert Z[1, 1] == 0.0
    # Low fills one deviation below the minimum.
    X = np.array([[1.0, 5.0], [3.0, 5.0], [np.nan, np.nan]])
    assert Normaliser.fit(X, "low").fill.tolist() == [0.0, 4.0]
    # A value far outside a tiny spread saturates.
    normaliser = Normaliser.fit(np.array([[0.0], [1e-160]]))
    assert normaliser.transform(np.array([[1e300], [-1e300]])).tolist() == [[1.0], [-1.0]]


def test_memory_layout_does_not_change_a_bit() -> None:
    X = np.random.default_rng(0).normal(size=(501, 7))
    left, right = Normaliser.fit(X), Normaliser.fit(np.asfortranarray(X))
    assert left.mean.tobytes() == right.mean.tobytes()
    assert left.std.tobytes() == right.std.tobytes()


def test_values_whose_squares_are_no_numbers_are_refused() -> None:
    X = np.array([[0.0, -1.0], [1.0, 1.0]])
    assert np.isfinite(Normaliser.fit(X * 1e150, "mean").std).all()
    for large in (1e160, 1.7e308):
        with pytest.raises(ValueError, match=r"column 2 has values beyond 1e150"):
            Normaliser.fit(X * [1.0, large], "mean")


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
