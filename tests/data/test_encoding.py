"""Codes become positions in the order that holds, labels become signs, misfits are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quadrepro.data.card import Card, View
from quadrepro.data.encoding import default_order, encode
from quadrepro.data.store import Dataset, load_dataset
from quadrepro.errors import ConfigError


@pytest.fixture
def dataset(known_toy: Card, toy_csv: Path) -> Dataset:
    return load_dataset("toy", toy_csv.parent)


def test_codes_become_positions_labels_signs_and_gaps_nan(dataset: Dataset) -> None:
    encoded = encode(dataset, View(positive=("no",)))
    assert encoded.attributes == ("size", "colour")
    np.testing.assert_array_equal(
        encoded.X, [[-2.5, np.nan], [1.0, 1.0], [30.0, 1.0], [np.nan, 0.0]]
    )
    np.testing.assert_array_equal(encoded.y, [1.0, 1.0, -1.0, -1.0])
    assert encoded.X.dtype == encoded.y.dtype == np.float64


def test_excluded_attributes_are_left_out(dataset: Dataset) -> None:
    encoded = encode(dataset, View(positive=("no",), exclude=("size",), missing="low"))
    assert encoded.attributes == ("colour",)
    assert encoded.X.shape == (4, 1)
    assert encoded.missing == "low"


def test_the_order_of_a_view_replaces_that_of_the_card() -> None:
    dataset = load_dataset("tictactoe")
    default = encode(dataset, View(positive=("positive",)))
    square = "middle_middle_square"
    view = View(positive=("positive",), order={square: ("o", "b", "x")})
    column = default.attributes.index(square)
    np.testing.assert_array_equal(
        encode(dataset, view).X[:, column], np.array([1, 0, 2])[default.X[:, column].astype(int)]
    )


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
    ("view", "fault"),
    [
        (View(positive=("noo",)), "toy has no label 'noo'; did you mean 'no'?"),
        (
            View(positive=("no",), exclude=("sise",)),
            "toy has no attribute 'sise'; did you mean 'size'?",
        ),
        (
            View(positive=("no",), order={"colour": ("red", "green")}),
            "the order of colour is red, green, but the data also have blue",
        ),
        (
            View(positive=("no", "01")),
            "all labels of toy are positive, so there is nothing to learn",
        ),
    ],
)
def test_a_view_that_does_not_fit_is_refused(dataset: Dataset, view: View, fault: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        encode(dataset, view)
    assert str(refusal.value) == fault
