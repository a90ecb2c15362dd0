"""Cards: the shipped ones are sound, and a broken one is refused with its file and fault."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.base.resources import cards_folder
from quadrepro.data.canonical import number
from quadrepro.data.card import Card, View, card_names, load_card, load_card_file
from quadrepro.data.schema import Threshold
from quadrepro.data.source import Layout, OpenMLSource
from quadrepro.errors import ConfigError, DataError


@pytest.mark.parametrize("name", card_names())
def test_a_card_has_rows_beside_it_or_a_source_and_compared_sources_come_first(name: str) -> None:
    card = load_card(name)
    assert card.sources or (cards_folder() / f"{name}.csv").is_file()
    doubtful = ["not compared" in getattr(source, "note", "") for source in card.sources]
    assert doubtful == sorted(doubtful)


def test_an_unknown_data_set_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match=r"unknown data set 'pimo'; did you mean 'pima'\?"):
        load_card("pimo")


def test_the_view_called_default_stands_for_any(toy: Card) -> None:
    any_view = View(positive=("01",))
    card = toy.model_copy(update={"views": {"default": any_view, **toy.views}})
    assert card.view("elsewhere") is any_view
    assert card.view("paper") is toy.views["paper"]


def test_a_card_without_a_view_called_default_keeps_the_target_as_it_is(toy: Card) -> None:
    assert toy.view("default") == View()
    with pytest.raises(ConfigError, match=r"toy has no view 'papre'; did you mean 'paper'\?"):
        toy.view("papre")


def with_labels(card: Card, *labels: str) -> Card:
    target = card.target.model_copy(update={"labels": dict.fromkeys(labels, 1)})
    return card.model_copy(update={"target": target})


@pytest.mark.parametrize(
    ("view", "classes", "task"),
    [
        (View(positive=("b",)), ("negative", "positive"), "classification"),
        (View(), ("a", "b", "c"), "multiclass"),
        (View(labels=("c", "a")), ("a", "c"), "classification"),
        (View(labels=("c", "b", "a")), ("a", "b", "c"), "multiclass"),
    ],
)
def test_a_view_says_which_classes_there_are(
    toy: Card, view: View, classes: tuple[str, ...], task: str
) -> None:
    card = with_labels(toy, "b", "c", "a")
    assert list(card.mistakes(view)) == []
    assert (card.classes_of(view), card.task_of(view)) == (classes, task)


def test_numbers_have_no_classes_unless_a_threshold_makes_them() -> None:
    card = load_card("abalone")
    assert (card.classes_of(View()), card.task_of(View())) == ((), "regression")
    assert card.task_of(View(positive=Threshold(at_most=9))) == "classification"
    [mistake] = card.mistakes(View(labels=("9", "10")))
    assert mistake.place == ("labels",)
    assert mistake.message == "the target of abalone is a number, so it has no labels to keep"


def test_more_classes_than_a_record_can_keep_are_refused(toy: Card) -> None:
    card = with_labels(toy, *map(str, range(65_537)))
    [mistake] = card.mistakes(View())
    assert mistake.message.endswith("has more than 65,536 labels: list some as labels")
    assert list(card.mistakes(View(labels=("1", "2")))) == []


def test_series_stand_for_their_attributes_and_columns(write_card: Callable[..., Path]) -> None:
    path = write_card(
        "name: size, kind: numeric", "name: size_1..size_3, kind: numeric, range: [0, 1]"
    )
    text = path.read_text().replace("note: not seen", "columns: [target, size_1..size_3, colour]")
    path.write_text(text)
    card = load_card_file(path)
    assert card.attribute_names == ("size_1", "size_2", "size_3", "colour")
    assert card.attributes[2].range == (0.0, 1.0)
    source = card.sources[0]
    assert isinstance(source, OpenMLSource)
    assert source.columns == ("target", "size_1", "size_2", "size_3", "colour")


def test_cards_of_the_current_folder_are_known(
    write_card: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "project" / "datasets"
    own.mkdir(parents=True)
    text = write_card().read_text()
    (own / "toy.yaml").write_text(text)
    assert "toy" not in card_names()
    monkeypatch.chdir(own.parent)
    assert {"toy", "wine"} <= set(card_names())
    assert load_card("toy").rows == 4
    (own / "toy.yaml").write_text(text.replace("title: Toy", "title: Changed"))
    os.utime(own / "toy.yaml", ns=(0, 0))
    assert load_card("toy").title == "Changed"


def test_a_card_with_the_name_of_another_one_that_ships_is_refused(
    write_card: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "datasets" / "wine.yaml"
    own.parent.mkdir()
    own.write_text((cards_folder() / "wine.yaml").read_text())
    monkeypatch.chdir(tmp_path)
    assert load_card("wine").rows == 178
    own.write_text(write_card().read_text().replace("name: toy", "name: wine"))
    with pytest.raises(ConfigError) as caught:
        load_card("wine")
    assert str(caught.value) == f"{own}: wine ships with quadrepro; give this card another name"


def refusal(path: Path) -> str:
    """Return what is said of a card, without its path."""
    with pytest.raises(DataError) as refused:
        load_card_file(path)
    return str(refused.value).replace(f"{path}:", "")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("rows: 4", "rows: 5", "8:27: the label counts add up to 4, but rows is 5"),
        ("rows: 4", "rows: 0", "4:1: rows must be greater than 0, not '0'"),
        ("title: Toy", "title: ''", "2:1: title must have a length of at least 1, not ''"),
        ("title: Toy\n", "", "1:1: the key 'title' is missing"),
        ("title: Toy", "title: Toy\nrows: 4", "5:1: duplicate key 'rows'"),
        ("licence:", "license:", "12:1: unknown key 'license'; did you mean 'licence'?"),
        ("name: colour", "name: size", "9:1: attributes: 'size' occurs 2 times"),
        ("name: colour", "name: target", "9:1: attributes: 'target' occurs 2 times"),
        (": classification", ": regression", "8:1: the target of a regression needs a range and"),
        ("no: 2, 01: 2", "no: 4", "8:27: labels must name at least two labels"),
        ("kind: openml", "kind: openmi", "15:6: kind cannot be 'openmi'; did you mean 'openml'?"),
        ("kind: openml, ", "", "15:5: the key 'kind' is missing"),
        ("id: 7", "id: seven", "15:20: id must be a whole number, not 'seven'"),
        ("id: 7", "idd: 7", "15:20: unknown key 'idd'; did you mean 'id'?"),
        (
            "https://uci.test/toy.test",
            "ftp://uci",
            "16:62: url must match the pattern '^https?://'",
        ),
        ("name: toy", "name: joy", "1:1: the card is named 'joy', but its file 'toy'"),
        ("name: toy", "name: [toy", "2:6: not valid YAML: did not find expected ',' or ']'"),
        ("name: size", "name: size_3..size_1", "10:6: the series size_3..size_1 counts down"),
        ("views:", "parts: {t: [1, 3]}\nviews:", "17:1: the parts end at row 3, but rows is 4"),
        ("views:", "parts: {t: [1, 3], u: [3, 4]}\nviews:", "17:20: part u must begin at row 4"),
        ("views:", "parts: {t: [1, 4], u: [5, 4]}\nviews:", "17:20: part u must begin at row 5"),
    ],
)
def test_a_broken_card_is_refused_with_the_place_of_the_fault(
    write_card: Callable[..., Path], old: str, new: str, fault: str
) -> None:
    assert refusal(write_card(old, new)).startswith(fault)


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        ("number", "10:18: kind must be 'numeric' or 'nominal', not 'number'"),
        ("numeric, range: [1]", "10:33: item 2 of range is missing"),
        ("numeric, range: [1, low]", "10:44: item 2 of range must be a number, not 'low'"),
        ("numeric, codes: [1, 2]", "10:5: size is numeric, so it cannot have codes"),
        ("nominal, codes: [a, b, a]", "10:33: the codes of size: 'a' occurs 2 times"),
    ],
)
def test_a_broken_attribute_is_refused_with_its_place(
    write_card: Callable[..., Path], kind: str, fault: str
) -> None:
    assert refusal(write_card("kind: numeric", f"kind: {kind}")) == fault


@pytest.mark.parametrize(
    ("layout", "fault"),
    [
        ("columns: [size, color, target]", "27: source openml: unknown column 'color'; did you"),
        ("columns: [size, '', target]", "27: source openml lacks the column 'colour'"),
        ("columns: [size, colour, size]", "27: columns of openml: 'size' occurs 2 times"),
        ("codes: {color: {r: red}}", "35: source openml: unknown column 'color'; did you mean 'c"),
    ],
)
def test_a_layout_of_other_columns_is_refused_with_its_place(
    write_card: Callable[..., Path], layout: str, fault: str
) -> None:
    assert refusal(write_card("note: not seen", layout)).startswith(f"15:{fault}")


@pytest.mark.parametrize(
    ("view", "fault"),
    [
        ("positive: [noo]", "22: view paper: toy has no label 'noo'; did you mean 'no'?"),
        ("positive: [no], exclude: [siz]", "37: view paper: toy has no attribute 'siz'; did you"),
        ("positive: [no], order: {size: [1]}", "35: view paper: size of toy is numeric, so its"),
        ("positive: [no, 01]", "11: view paper: all labels of toy are positive, so there is"),
        ("positive: [no], exclude: [size, colour]", "27: view paper: all attributes of toy are ex"),
        ("positive: [no], missing: no", "27: missing must be 'mean', 'low' or 'drop', not 'no'"),
        ("positive: [no], positiv: [no]", "27: unknown key 'positiv'; did you mean 'positive'?"),
        ("labels: [no, 10]", "24: view paper: toy has no label '10'; known are 01, no"),
    ],
)
def test_a_view_that_does_not_fit_its_card_is_refused_with_its_place(
    write_card: Callable[..., Path], view: str, fault: str
) -> None:
    assert refusal(write_card("positive: [no]", view)).startswith(f"18:{fault}")


def test_every_fault_of_a_card_is_a_line(write_card: Callable[..., Path]) -> None:
    path = write_card("rows: 4", "rows: four")
    path.write_text(path.read_text().replace("missing_cells: 2", "missing_cells: -2"))
    assert refusal(path).splitlines() == [
        "4:1: rows must be a whole number, not 'four'",
        "5:1: missing_cells must be at least 0, not '-2'",
    ]


@pytest.mark.parametrize("text", ["", "- a\n", "just words\n"])
def test_a_card_that_is_no_mapping_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "toy.yaml").write_text(text)
    with pytest.raises(DataError, match=r"the document must be a mapping of keys to values"):
        load_card_file(tmp_path / "toy.yaml")


def test_a_view_names_all_that_is_wrong_with_it(toy: Card) -> None:
    view = View(positive=("no", "001"), exclude=("color",), part="train")
    assert list(toy.mistakes(view)) == [
        (("positive", 1), "toy has no label '001'; did you mean '01'?"),
        (("part",), "toy has no part 'train'; it is not divided into parts"),
        (("exclude", 0), "toy has no attribute 'color'; did you mean 'colour'?"),
    ]


def test_a_view_names_the_values_that_its_rows_cannot_have() -> None:
    where = {"colour": ["white", "rose"], "ph": ["3", "low"], "Colour": ["red"]}
    view = View.model_validate({"positive": {"at_least": 6}, "where": where})
    assert list(load_card("wine_quality").mistakes(view)) == [
        (("where", "colour"), "colour of wine_quality has no code 'rose'; known are red, white"),
        (("where", "ph"), "ph of wine_quality is numeric, but 'low' is not a number"),
        (("where", "Colour"), "wine_quality has no attribute 'Colour'; did you mean 'colour'?"),
    ]
    with pytest.raises(ValueError, match="where names no value of ph"):
        View(where={"ph": ()})


@pytest.mark.parametrize("name", card_names())
def test_layouts_lead_to_codes_and_rows_of_the_card(name: str) -> None:
    card = load_card(name)
    known = {a.name: a.codes for a in card.attributes} | {"target": tuple(card.target.labels)}
    for source in card.sources:
        if not isinstance(source, Layout):
            continue
        for column, renamed in source.codes.items():
            if column in card.nominal_names:
                assert set(renamed.values()) <= {*(known[column] or renamed.values()), ""}
            else:
                assert None not in [number(text) for text in renamed.values()]
        for column, codes in source.only.items():
            assert set(codes) <= {*(known[column] or codes)}
        if source.rows is not None:
            assert source.rows[1] - source.rows[0] + 1 == card.rows
