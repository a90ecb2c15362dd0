"""Cards: the shipped ones are sound, and a broken one is refused with its file and fault."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.base.models import Mistake
from quadrepro.base.resources import cards_folder
from quadrepro.base.yaml import read_yaml
from quadrepro.data import inspection
from quadrepro.data.canonical import number
from quadrepro.data.card import Card, View, card_names, load_card, load_card_file
from quadrepro.data.schema import Threshold
from quadrepro.data.source import Layout
from quadrepro.errors import ConfigError, DataError
from tests.data.tables import make_card
from tests.make import refusal


def test_shipped_cards_have_rows_or_sources_and_layouts_lead_to_their_codes(
    tmp_path: Path,
) -> None:
    for name in card_names():
        card = load_card(name)
        assert card.sources or (cards_folder() / f"{name}.csv").is_file()
        doubtful = ["not compared" in getattr(source, "note", "") for source in card.sources]
        assert doubtful == sorted(doubtful)
        known = {a.name: a.codes for a in card.attributes} | {"target": tuple(card.target.labels)}
        for source in [of for of in card.sources if isinstance(of, Layout)]:
            for column, renamed in source.codes.items():
                if column in card.nominal_names:
                    assert {*renamed.values()} <= {*(known[column] or renamed.values()), ""}
                else:
                    assert None not in [number(text) for text in renamed.values()]
            assert source.rows is None or source.rows[1] - source.rows[0] + 1 == card.rows
        inspection.write_card(card, tmp_path / f"{name}.yaml")
        assert load_card_file(tmp_path / f"{name}.yaml") == card


def test_any_text_is_read_back_the_same(tmp_path: Path) -> None:
    labels = ["no", "1e3", "~", "é\n", "- x", "'#", "\x85", "a: b", " "]
    awkward = make_card(
        title=labels[3],
        rows=len(labels),
        target={"original": labels[4], "labels": dict.fromkeys(labels, 1)},
        attributes=[{"name": name, "kind": "nominal", "codes": labels} for name in labels],
        views={"default": {"positive": labels[:1], "exclude": labels[1:]}},
    )
    inspection.write_card(awkward, tmp_path / "toy.yaml")
    assert load_card_file(tmp_path / "toy.yaml") == awkward


@pytest.mark.parametrize(
    ("file", "path"),
    [
        ("project/data/my.csv", "../data/my.csv"),
        ("project/datasets/my.csv", "my.csv"),
        ("elsewhere/my.csv", "{folder}/elsewhere/my.csv"),
    ],
)
def test_a_file_near_its_card_is_named_relative_to_it(tmp_path: Path, file: str, path: str) -> None:
    written = tmp_path / "project" / "datasets" / "toy.yaml"
    card = make_card(sources=[{"kind": "file", "path": str(tmp_path / file)}])
    inspection.write_card(card, written)
    (source,) = read_yaml(written, scalars="text").data["sources"]
    assert source["path"] == path.format(folder=tmp_path)
    assert load_card_file(written) == card


def with_labels(card: Card, *labels: str) -> Card:
    target = card.target.model_copy(update={"labels": dict.fromkeys(labels, 1)})
    return card.model_copy(update={"target": target})


NEGATIVE = ("negative", "positive")


@pytest.mark.parametrize(
    ("fields", "classes", "sizes"),
    [
        ({"positive": ["b"]}, NEGATIVE, [1, 2]),
        ({"positive": ["b"], "negative": ["a"]}, NEGATIVE, [1, 1]),
        ({}, ("a", "b", "c"), [1, 1, 1]),
        ({"labels": ["c", "a"]}, ("a", "c"), [1, 1]),
        ({"labels": ["c", "b", "a"]}, ("a", "b", "c"), [1, 1, 1]),
    ],
)
def test_the_classes_of_a_view(
    toy: Card, fields: dict[str, object], classes: tuple[str, ...], sizes: list[int]
) -> None:
    card, view = with_labels(toy, "b", "c", "a"), View.model_validate(fields)
    assert list(card.mistakes(view)) == []
    task = "classification" if len(sizes) == 2 else "multiclass"
    assert (card.classes_of(view), card.task_of(view)) == (classes, task)
    assert view.class_sizes(card.target) == sizes


def test_numbers_have_no_classes_unless_a_threshold_makes_them() -> None:
    card = load_card("abalone")
    assert (card.classes_of(View()), card.task_of(View())) == ((), "regression")
    assert card.task_of(View(positive=Threshold(at_most=9))) == "classification"


def test_the_view_called_default_stands_for_any_and_keeps_the_target_if_there_is_none(
    toy: Card,
) -> None:
    any_view = View(positive=("01",))
    card = toy.model_copy(update={"views": {"default": any_view, **toy.views}})
    assert (card.view("elsewhere"), card.view("paper")) == (any_view, toy.views["paper"])
    assert toy.view("default") == View()
    with pytest.raises(ConfigError, match=r"toy has no view 'papre'; did you mean 'paper'\?"):
        toy.view("papre")


def test_series_stand_for_their_attributes(write_card: Callable[..., Path]) -> None:
    path = write_card(SIZE, "name: size_1..size_3, kind: numeric, range: [0, 1]")
    text = path.read_text().replace("note: not seen", "columns: [target, size_1..size_3, colour]")
    path.write_text(text)
    card = load_card_file(path)
    assert card.attribute_names == ("size_1", "size_2", "size_3", "colour")
    assert card.attributes[2].range == (0.0, 1.0)


def test_cards_of_the_current_folder_are_known_and_read_again_if_they_change(
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
    shipped = (cards_folder() / "wine.yaml").read_text()
    (own / "wine.yaml").write_text(shipped)
    assert load_card("wine").rows == 178
    (own / "wine.yaml").write_text(text.replace("name: toy", "name: wine"))
    with pytest.raises(ConfigError, match=r"wine ships with quadrepro; give this card another na"):
        load_card("wine")
    with pytest.raises(ConfigError, match=r"unknown data set 'tou'; did you mean 'toy'\?"):
        load_card("tou")


SIZE, VIEW, NOTE = "name: size, kind: numeric", "positive: [no]", "note: not seen"


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("rows: 4", "rows: 5", "8:27: the label counts add up to 4, but rows is 5"),
        ("name: colour", "name: size", "9:1: 'size' occurs 2 times"),
        ("name: colour", "name: target", "9:1: 'target' occurs 2 times"),
        (": classification", ": regression", "8:1: the target of a regression needs a range and"),
        ("no: 2, 01: 2", "no: 4", "8:27: labels must name at least two labels"),
        ("name: toy", "name: joy", "1:1: the card is named 'joy', but its file 'toy'"),
        (SIZE, f"{SIZE}, codes: [1]", "10:33: size is numeric, so it cannot have codes"),
        ("nominal", "nominal, range: [0, 1]", "11:35: colour is nominal, so it cannot have range"),
        ("nominal", "nominal, codes: [a, b, a]", "11:35: 'a' occurs 2 times"),
        (NOTE, "columns: [size, color, target]", "15:27: unknown column 'color'; did you mean 'c"),
        (NOTE, "columns: [size, '', target]", "15:27: no column is 'colour'"),
        (NOTE, "codes: {color: {r: red}}", "15:35: unknown column 'color'; did you mean 'colour'"),
        (NOTE, "only: {color: [r]}", "15:34: unknown column 'color'; did you mean 'colour'?"),
        (VIEW, "positive: [noo]", "18:22: view paper: toy has no label 'noo'; did you mean 'no'?"),
        (VIEW, "labels: [no, 10]", "18:24: view paper: toy has no label '10'; known are 01, no"),
        (VIEW, "missing: no", "18:11: missing must be 'mean', 'low' or 'drop', not 'no'"),
    ],
)
def test_a_broken_card_is_refused_with_the_place_of_the_fault(
    write_card: Callable[..., Path], old: str, new: str, fault: str
) -> None:
    assert refusal(write_card(old, new), load_card_file, DataError).startswith(fault)


def found(card: Card, **view: object) -> list[Mistake]:
    return list(card.mistakes(View.model_validate(view)))


def test_a_view_names_all_that_is_wrong_with_it(toy: Card) -> None:
    wrong = found(
        toy, positive=["no", "001"], exclude=["color"], order={"siz": ["1"]}, part="train"
    )
    assert wrong == [
        (("part",), "toy has no part 'train'; it is not divided into parts"),
        (("positive", 1), "toy has no label '001'; did you mean '01'?"),
        (("exclude", 0), "toy has no attribute 'color'; did you mean 'colour'?"),
        (("order", "siz"), "toy has no attribute 'siz'; did you mean 'size'?"),
    ]
    assert found(load_card("mnist"), part="tain")[0][1].endswith("'tain'; did you mean 'train'?")
    assert found(toy, exclude=["size", "colour"], target_as="size") == [
        (("target_as",), "toy has an attribute 'size': choose another name for the target"),
        (("exclude",), "all attributes of toy are excluded"),
    ]


def test_a_view_names_the_values_that_its_rows_cannot_have() -> None:
    where = {"colour": ["white", "rose"], "ph": ["3", "low"], "Colour": ["red"]}
    assert found(load_card("wine_quality"), positive={"at_least": 6}, where=where) == [
        (("where", "Colour"), "wine_quality has no attribute 'Colour'; did you mean 'colour'?"),
        (("where", "colour"), "colour of wine_quality has no code 'rose'; known are red, white"),
        (("where", "ph"), "ph of wine_quality is numeric, so its values must be numbers"),
    ]


@pytest.mark.parametrize(
    ("name", "view", "place", "message"),
    [
        ("toy", {"positive": {"at_most": 1}}, "positive", "of toy is a label, so positive must li"),
        ("toy", {"positive": ["no", "01"]}, "positive", "all labels of toy are positive, so there"),
        ("abalone", {"positive": ["9"]}, "positive", "a number: give at_most or at_least as posi"),
        ("abalone", {"labels": ["9", "10"]}, "labels", "is a number, so it has no labels to keep"),
        ("many", {}, "labels", "has more than 65,536 labels: list some as labels"),
    ],
)
def test_a_view_that_the_target_does_not_fit_is_refused(
    toy: Card, name: str, view: dict[str, object], place: str, message: str
) -> None:
    many = with_labels(toy, *map(str, range(65_537)))
    cards = {"toy": toy, "abalone": load_card("abalone"), "many": many}
    [(of, text)] = found(cards[name], **view)
    assert (of, message in text) == ((place,), True)
    assert found(many, labels=range(65_536)) == []
