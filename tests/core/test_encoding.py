"""Codes become positions in the order that holds, labels become signs, misfits are refused."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quadrepro.core.preprocessing import count_columns, count_rows, encode
from quadrepro.data.canonical import default_order
from quadrepro.data.card import Card, View, load_card
from quadrepro.data.schema import Threshold
from quadrepro.data.store import Dataset, Found, find_datasets, load_dataset
from quadrepro.errors import ConfigError

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
    ("fields", "columns", "n_codes"),
    [
        ({}, [SIZE, COLOUR], (0, 2)),
        ({"exclude": ["size"]}, [COLOUR], (2,)),
        ({"target_as": "answer", "exclude": ["size"]}, [COLOUR, [1, 1, -1, -1]], (2, 0)),
        ({"nominal": "one-hot"}, [SIZE, [np.nan, 0, 0, 1], [np.nan, 1, 1, 0]], (0, 0, 0)),
        (
            {"nominal": "one-hot", "missing": "low"},
            [SIZE, [0, 0, 0, 1], [0, 1, 1, 0], [1, 0, 0, 0]],
            (0, 0, 0, 0),
        ),
        ({"order": {"colour": ["red", "green", "blue"]}}, [SIZE, [np.nan, 0, 0, 2]], (0, 3)),
    ],
)
def test_attributes_become_columns(
    dataset: Dataset, fields: dict[str, Any], columns: list[list[float]], n_codes: tuple[int, ...]
) -> None:
    encoded = encode(dataset, view(**fields))
    np.testing.assert_array_equal(encoded.X, np.transpose(columns))
    np.testing.assert_array_equal(encoded.y, [1, 1, -1, -1])
    assert encoded.X.dtype == encoded.y.dtype == np.float64
    assert encoded.n_codes == n_codes
    assert encoded.missing == fields.get("missing", "mean")
    assert encoded.classes == ("negative", "positive")


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
    found = find_datasets(["glass"], canonical_folder)["glass"]
    kept = View(labels=("7", "5", "1"))
    encoded = encode(found.load(), kept)
    assert encoded.classes == ("1", "5", "7")
    counts = [found.card.target.labels[c] for c in encoded.classes]
    assert np.bincount(encoded.y.astype(int)).tolist() == counts
    assert count_rows(found, kept) == len(encoded.y)


@pytest.mark.parametrize(
    ("threshold", "y"),
    [
        (Threshold(at_most=9), [1, 1, 1, -1]),
        (Threshold(at_least=9), [-1, 1, 1, 1]),
        (None, [8, 9, 9, 10]),
    ],
)
def test_a_number_stays_one_or_becomes_a_class_by_a_threshold(
    dataset: Dataset, threshold: Threshold | None, y: list[int]
) -> None:
    encoded = encode(numbers(dataset), View(positive=threshold))
    np.testing.assert_array_equal(encoded.y, y)
    assert bool(encoded.classes) == (threshold is not None)


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
        ({"positive": ["noo"]}, "toy has no label 'noo'; did you mean 'no'?"),
        ({"positive": None, "labels": ["no", "1"]}, "toy has no label '1'; did you mean '01'?"),
        ({"positive": ["no", "01"]}, "all labels of toy are positive, so there is nothing to lear"),
        ({"exclude": ["sise"]}, "toy has no attribute 'sise'; did you mean 'size'?"),
        ({"target_as": "size"}, "toy has an attribute 'size': choose another name for the target"),
        ({"part": "train"}, "toy has no part 'train'; it is not divided into parts"),
        ({"order": {"colour": ["red", "green"]}}, "the order of colour is red, green, but the dat"),
        ({"positive": None, "where": {"colour": "blue"}}, "all rows of toy in this view are 01"),
        ({"where": {"size": "99"}}, "no row of toy is left in this view"),
        ({"positive": {"at_most": 1}}, "the target of toy is a label, so positive must list label"),
    ],
)
def test_a_view_that_does_not_fit_is_refused(
    dataset: Dataset, fields: dict[str, Any], fault: str
) -> None:
    with pytest.raises(ConfigError) as refusal:
        encode(dataset, view(**fields))
    assert str(refusal.value).startswith(fault)


def test_a_number_is_not_a_class_by_labels_or_by_a_threshold_above_all(dataset: Dataset) -> None:
    with pytest.raises(ConfigError, match="is a number: give at_most or at_least as positive"):
        encode(numbers(dataset), view())
    with pytest.raises(ConfigError, match="all rows of toy in this view are negative"):
        encode(numbers(dataset), View(positive=Threshold(at_least=11)))


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
    found = find_datasets([name])[name]
    loaded = []
    original = Found.load
    monkeypatch.setattr(Found, "load", lambda *a, **k: loaded.append(a) or original(*a, **k))
    assert count_rows(found, asked) == expected
    assert bool(loaded) == read


def test_rows_of_a_part_are_counted_from_the_card_and_with_labels_from_the_rows(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = parted(dataset, ["train", "test", "test", "test"])
    monkeypatch.setattr(Found, "load", lambda *_, **given: whole)
    found = Found(whole.card, Path("here"))
    for given in ({}, {"negative": ["01"]}):
        asked = view(part="test", **given)
        assert count_rows(found, asked) == len(encode(found.load(), asked).y) == 3


def test_columns_are_counted_from_the_card_and_the_order_of_the_view(dataset: Dataset) -> None:
    for nominal, exclude in (("ordinal", ()), ("one-hot", ()), ("one-hot", ("size",))):
        order = {"colour": ("blue", "red", "green", "grey")}
        asked = view(nominal=nominal, exclude=exclude, order=order, target_as="answer")
        assert count_columns(dataset.card, asked) == encode(dataset, asked).X.shape[1]
