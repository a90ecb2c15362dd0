"""Codes become positions in the order that holds, labels become signs, misfits are refused."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from quadrepro.core.preprocessing import (
    check_view,
    count_columns,
    count_rows,
    default_order,
    encode,
)
from quadrepro.data.card import Card, View, load_card
from quadrepro.data.schema import Threshold
from quadrepro.data.store import Dataset, Found, find_datasets, load_dataset
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


@pytest.mark.parametrize(
    ("view", "n_codes"),
    [
        (View(positive=("no",)), (0, 2)),
        (View(positive=("no",), target_as="answer", exclude=("size",)), (2, 0)),
        (View(positive=("no",), nominal="one-hot"), (0, 0, 0)),
        (View(positive=("no",), nominal="one-hot", missing="low"), (0, 0, 0, 0)),
    ],
)
def test_the_columns_that_hold_positions_of_codes_are_known(
    dataset: Dataset, view: View, n_codes: tuple[int, ...]
) -> None:
    encoded = encode(dataset, view)
    assert encoded.n_codes == n_codes
    assert len(n_codes) == encoded.X.shape[1]


def test_excluded_attributes_are_left_out(dataset: Dataset) -> None:
    encoded = encode(dataset, View(positive=("no",), exclude=("size",), missing="low"))
    assert encoded.attributes == ("colour",)
    assert encoded.X.shape == (4, 1)
    assert encoded.missing == "low"


def test_the_target_is_a_column_where_a_view_names_it(dataset: Dataset) -> None:
    view = View(positive=("no",), target_as="answer")
    encoded = encode(dataset, view)
    assert encoded.attributes == ("size", "colour", "answer")
    np.testing.assert_array_equal(encoded.X[:, 2], encoded.y)
    assert count_columns(dataset.card.attributes, view) == 3
    assert view.content() == {"positive": ["no"], "target_as": "answer"}


def test_a_target_that_would_take_the_place_of_an_attribute_is_refused(dataset: Dataset) -> None:
    with pytest.raises(
        ConfigError, match="toy has an attribute 'size': choose another name for the target"
    ):
        encode(dataset, View(positive=("no",), target_as="size"))


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
            "the order of colour is red, green, but the data also contain blue",
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


def test_one_hot_gives_each_code_of_the_card_a_column(dataset: Dataset) -> None:
    encoded = encode(dataset, View(positive=("no",), nominal="one-hot"))
    assert encoded.attributes == ("size", "colour=blue", "colour=red")
    np.testing.assert_array_equal(encoded.X[:, 1:], [[np.nan, np.nan], [0, 1], [0, 1], [1, 0]])


def test_one_hot_with_gaps_as_a_value_gives_them_a_column(dataset: Dataset) -> None:
    encoded = encode(dataset, View(positive=("no",), nominal="one-hot", missing="low"))
    assert encoded.attributes == ("size", "colour=blue", "colour=red", "colour=")
    np.testing.assert_array_equal(encoded.X[:, 1:], [[0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0]])
    np.testing.assert_array_equal(encoded.X[:, 1:].sum(axis=1), 1)


def test_dropping_gaps_leaves_out_rows_with_one_in_a_column_that_is_used(dataset: Dataset) -> None:
    encoded = encode(dataset, View(positive=("no",), missing="drop"))
    np.testing.assert_array_equal(encoded.X, [[1, 1], [30, 1]])
    assert encoded.missing == "mean"
    only = encode(dataset, View(positive=("no",), missing="drop", exclude=("size",)))
    assert only.X.shape == (3, 1)


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ({"colour": "red"}, [1, 2]),
        ({"colour": ["red", "blue"]}, [1, 2, 3]),
        ({"size": ["-2.5", 30.0]}, [0, 2]),
        ({"size": [1, -2.5, 30], "colour": "red"}, [1, 2]),
    ],
)
def test_a_view_takes_the_rows_with_the_values_it_names(
    dataset: Dataset, where: dict[str, object], rows: list[int]
) -> None:
    every = encode(dataset, View(positive=("no",)))
    some = encode(dataset, View.model_validate({"positive": ["no"], "where": where}))
    np.testing.assert_array_equal(some.X, every.X[rows])
    np.testing.assert_array_equal(some.y, every.y[rows])


def test_a_pair_of_labels_leaves_out_all_other_rows() -> None:
    wine = load_dataset("wine")
    encoded = encode(wine, View(positive=("1",), negative=("3",)))
    assert (encoded.y > 0).sum() == wine.card.target.labels["1"]
    assert (encoded.y < 0).sum() == wine.card.target.labels["3"]


def numbers(dataset: Dataset) -> Dataset:
    """Return the toy data with rings 8, 9, 9, 10 for a target."""
    target = dataset.card.target.model_copy(update={"labels": {}, "range": (8.0, 10.0)})
    card = dataset.card.model_copy(update={"task": "regression", "target": target})
    table = dataclasses.replace(dataset.table, target=np.array([8.0, 9.0, 9.0, 10.0]))
    return Dataset(card, table, "here")


@pytest.mark.parametrize(
    ("threshold", "y"),
    [
        (Threshold(at_most=9), [1, 1, 1, -1]),
        (Threshold(at_least=9), [-1, 1, 1, 1]),
        (Threshold(at_least=9.5), [-1, -1, -1, 1]),
    ],
)
def test_a_threshold_makes_classes_of_numbers(
    dataset: Dataset, threshold: Threshold, y: list[int]
) -> None:
    np.testing.assert_array_equal(encode(numbers(dataset), View(positive=threshold)).y, y)


def test_without_anything_positive_the_target_stays_a_number(dataset: Dataset) -> None:
    encoded = encode(numbers(dataset), View())
    np.testing.assert_array_equal(encoded.y, [8, 9, 9, 10])
    assert encoded.classes == ()


def test_two_labels_are_signs_of_which_the_second_is_positive(dataset: Dataset) -> None:
    encoded = encode(dataset, View())
    assert encoded.classes == ("01", "no")
    np.testing.assert_array_equal(encoded.y, np.where(dataset.table.target == "no", 1.0, -1.0))
    assert encode(dataset, View(positive=("no",))).classes == ("negative", "positive")


@pytest.mark.parametrize("labels", [(), ("3", "1", "2")])
def test_more_labels_are_codes_in_their_order(labels: tuple[str, ...]) -> None:
    wine = load_dataset("wine")
    encoded = encode(wine, View(labels=labels))
    assert encoded.classes == ("1", "2", "3")
    np.testing.assert_array_equal(encoded.y + 1, wine.table.target.astype(float))


def test_rows_with_other_labels_than_those_that_are_kept_are_left_out(
    canonical_folder: Path,
) -> None:
    found = find_datasets(["glass"], canonical_folder)["glass"]
    view = View(labels=("7", "5", "1"))
    encoded = encode(found.load(), view)
    counts = found.card.target.labels
    assert encoded.classes == ("1", "5", "7")
    assert np.bincount(encoded.y.astype(int)).tolist() == [counts[c] for c in encoded.classes]
    assert count_rows(found, view) == len(encoded.y)


def test_a_part_takes_its_rows_and_codes_keep_their_places(dataset: Dataset) -> None:
    card = dataset.card.model_copy(update={"parts": {"train": (1, 2), "test": (3, 4)}})
    part = np.array(["train", "test", "train", "test"])
    parted = Dataset(card, dataclasses.replace(dataset.table, part=part), "here")
    encoded = encode(parted, View(positive=("no",), part="train", exclude=("size",), missing="low"))
    whole = encode(dataset, View(positive=("no",), exclude=("size",)))
    np.testing.assert_array_equal(encoded.X, whole.X[[0, 2]])


@pytest.mark.parametrize(
    ("view", "fault"),
    [
        (View(labels=("no", "1")), "toy has no label '1'; did you mean '01'?"),
        (View(where={"colour": ("blue",)}), "all rows of toy in this view are 01"),
        (
            View(positive=Threshold(at_most=1)),
            "the target of toy is a label, so positive must list labels",
        ),
        (
            View(positive=("no",), part="train"),
            "toy has no part 'train'; it is not divided into parts",
        ),
        (
            View(positive=("no",), negative=("1",)),
            "toy has no label '1'; did you mean '01'?",
        ),
    ],
)
def test_a_view_of_what_the_card_lacks_is_refused(dataset: Dataset, view: View, fault: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        encode(dataset, view)
    assert str(refusal.value) == fault


def test_labels_do_not_make_classes_of_a_number(dataset: Dataset) -> None:
    with pytest.raises(ConfigError, match="is a number: give at_most or at_least as positive"):
        encode(numbers(dataset), View(positive=("no",)))


def test_a_view_that_leaves_one_class_or_no_row_is_refused(dataset: Dataset) -> None:
    regression = numbers(dataset)
    with pytest.raises(ConfigError, match="all rows of toy in this view are negative"):
        encode(regression, View(positive=Threshold(at_least=11)))
    gaps = dataclasses.replace(
        dataset.table, columns=dataset.table.columns | {"size": np.full(4, np.nan)}
    )
    with pytest.raises(ConfigError, match="no row of toy is left in this view"):
        encode(Dataset(dataset.card, gaps, "here"), View(positive=("no",), missing="drop"))


def test_fields_at_their_default_are_no_content_of_a_view() -> None:
    plain = View(positive=("a",), evidence="why", status="open")
    assert plain.content() == {"positive": ["a"]}
    full = View(positive=Threshold(at_most=2), missing="drop", nominal="one-hot", part="p")
    assert full.content() == {
        "positive": {"at_most": 2.0},
        "missing": "drop",
        "nominal": "one-hot",
        "part": "p",
    }


@pytest.mark.parametrize(
    ("name", "view", "read"),
    [
        ("monks", {}, False),
        ("monks", {"missing": "drop"}, False),
        ("monks", {"where": {"holding": load_card("monks").attributes[3].codes[:1]}}, True),
        ("balance", {"positive": ["L"], "negative": ["B"]}, False),
        ("titanic", {"positive": ["Yes"], "where": {"class": ["1st", "Crew"]}}, True),
    ],
)
def test_rows_are_counted_without_the_data_if_the_card_tells(
    name: str, view: dict[str, object], read: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = load_card(name).target.labels
    asked = View.model_validate({"positive": [min(labels)]} | view)
    expected = len(encode(load_dataset(name), asked).y)
    found = find_datasets([name])[name]
    loaded = []
    original = Found.load
    monkeypatch.setattr(Found, "load", lambda *a, **k: loaded.append(a) or original(*a, **k))
    assert count_rows(found, asked) == expected
    assert bool(loaded) == read


@pytest.mark.parametrize("exclude", [(), ("size",), ("colour",)])
@pytest.mark.parametrize("negative", [(), ("01",)])
def test_rows_are_counted_with_every_combination_of_gaps_and_labels(
    known_toy: Card, toy_csv: Path, exclude: tuple[str, ...], negative: tuple[str, ...]
) -> None:
    found = find_datasets(["toy"], toy_csv.parent)["toy"]
    view = View(positive=("no",), exclude=exclude, negative=negative, missing="drop")
    assert count_rows(found, view) == len(encode(found.load(), view).y)


def test_rows_of_a_part_are_counted_from_the_card_and_with_labels_from_the_rows(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = dataset.card.model_copy(update={"parts": {"train": (1, 1), "test": (2, 4)}})
    part = np.array(["train", "test", "test", "test"])
    table = dataclasses.replace(dataset.table, part=part)
    whole = dataclasses.replace(dataset, card=card, table=table)
    monkeypatch.setattr(Found, "load", lambda *_, **given: whole)
    found = Found(card, Path("here"))
    for given in ({"part": "test"}, {"part": "test", "negative": ("01",)}):
        view = View(positive=("no",), **given)  # type: ignore[arg-type]
        assert count_rows(found, view) == len(encode(found.load(), view).y) == 3


def test_columns_are_counted_from_the_card_and_the_order_of_the_view(dataset: Dataset) -> None:
    for nominal, exclude in (("ordinal", ()), ("one-hot", ()), ("one-hot", ("size",))):
        order = {"colour": ("blue", "red", "green", "grey")}
        view = View(positive=("no",), nominal=nominal, exclude=exclude, order=order)
        found = encode(dataset, view)
        assert count_columns(dataset.card.attributes, view) == found.X.shape[1]


def test_a_check_refuses_what_encoding_refuses(dataset: Dataset) -> None:
    wrong = (
        View(positive=("no",), order={"colour": ("red",)}),
        View(positive=("no",), part="train"),
        View(positive=("no",), where={"size": ("99",)}),
        View(positive=("no",), where={"size": ("1",)}),
    )
    for view in wrong:
        with pytest.raises(ConfigError) as encoding:
            encode(dataset, view)
        with pytest.raises(ConfigError) as checking:
            check_view(dataset, view)
        assert str(checking.value) == str(encoding.value)
    check_view(dataset, View(positive=("no",)))


def test_attributes_that_divide_the_rows_stay_as_they_are_beside_the_others() -> None:
    dataset = load_dataset("monks")
    view = View(positive=("1",), exclude=("head_shape",), where={"holding": ("2",)})
    encoded = encode(dataset, view, ("head_shape", "holding"))
    y, beside = check_view(dataset, view, ("head_shape", "holding"))
    np.testing.assert_array_equal(y, encoded.y)
    assert "head_shape" not in encoded.attributes
    for name in ("head_shape", "holding"):
        expected = dataset.table.columns[name][dataset.table.columns["holding"] == "2"]
        np.testing.assert_array_equal(encoded.beside[name], expected)
        np.testing.assert_array_equal(beside[name], expected)
