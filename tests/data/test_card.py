"""Cards, their views and sources: the shipped ones are sound, broken ones refused with a place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from quadrepro.base.files import cards_folder
from quadrepro.base.models import mistakes
from quadrepro.base.yaml import read_yaml
from quadrepro.data.canonical import parse_numbers
from quadrepro.data.card import Card, View, card_names, load_card, load_card_file, write_card
from quadrepro.data.schema import Threshold, series
from quadrepro.data.source import FileLayout, Layout, Source
from quadrepro.errors import ConfigError, DataError
from tests.data.tables import make_card
from tests.make import refusal


def test_shipped_cards_have_rows_or_sources_and_layouts_lead_to_their_codes(tmp_path: Path) -> None:
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
                    assert not np.isinf(parse_numbers(renamed.values())).any()
            assert source.rows is None or source.rows[1] - source.rows[0] + 1 == card.rows
        write_card(card, tmp_path / f"{name}.yaml")
        assert load_card_file(tmp_path / f"{name}.yaml").model_dump() == card.model_dump()


def test_any_text_is_read_back_the_same(tmp_path: Path) -> None:
    labels = ["no", "1e3", "~", "é\n", "- x", "'#", "\x85", "a: b", " "]
    awkward = make_card(
        title=labels[3],
        rows=len(labels),
        target={"original": labels[4], "labels": dict.fromkeys(labels, 1)},
        attributes=[{"name": name, "kind": "nominal", "codes": labels} for name in labels],
        views={"default": {"positive": labels[:1], "exclude": labels[1:]}},
    )
    write_card(awkward, tmp_path / "toy.yaml")
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
    write_card(card, written)
    (source,) = read_yaml(written, scalars="text").data["sources"]
    assert source["path"] == path.format(folder=tmp_path)
    assert load_card_file(written) == card


SIZE, COLOUR = "name: size\n  kind: numeric", "name: colour\n  kind: nominal"
NOTE, VIEW = "note: not seen", "positive:\n    - 'no'"
WINE = "wine_quality"


def edited(folder: Path, *changes: tuple[str, str]) -> Path:
    """Write the toy card with some texts replaced by others."""
    path = folder / "toy.yaml"
    write_card(make_card(), path)
    text = path.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text)
    return path


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


def test_series_stand_for_their_attributes(tmp_path: Path) -> None:
    sizes = (SIZE, "name: size_1..size_3\n  kind: numeric\n  range: [0, 1]")
    columns = (NOTE, "columns: [target, size_1..size_3, colour]")
    card = load_card_file(edited(tmp_path, sizes, columns))
    assert card.attribute_names == ("size_1", "size_2", "size_3", "colour")
    assert card.attributes[2].range == (0.0, 1.0)


def test_cards_of_the_current_folder_are_known_and_read_again_if_they_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "project" / "datasets"
    own.mkdir(parents=True)
    text = edited(tmp_path).read_text()
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
    with pytest.raises(ConfigError, match="unknown data set 'datasets/toy'"):
        load_card("datasets/toy")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("rows: 4", "rows: 5", "9:3: the label counts add up to 4, but rows is 5"),
        ("name: colour", "name: size", "23:1: 'size' occurs 2 times"),
        ("name: colour", "name: target", "23:1: 'target' occurs 2 times"),
        (": classification", ": regression", "7:1: the target of a regression needs a range and"),
        ("'01': 2\n    'no': 2", "'no': 4", "9:3: labels must name at least two labels"),
        ("name: toy", "name: joy", "1:1: the card is named 'joy', but its file 'toy'"),
        (SIZE, f"{SIZE}\n  codes: [1]", "26:3: size is numeric, so it cannot have codes"),
        (COLOUR, f"{COLOUR}\n  range: [0, 1]", "28:3: colour is nominal, so it cannot have range"),
        (COLOUR, f"{COLOUR}\n  codes: [a, b, a]", "28:3: 'a' occurs 2 times"),
        (NOTE, "columns: [size, color, target]", "16:3: unknown column 'color'; did you mean 'c"),
        (NOTE, "columns: [size, '', target]", "16:3: no column is 'colour'"),
        (NOTE, "codes: {color: {r: red}}", "16:11: unknown column 'color'; did you mean 'colour'"),
        (NOTE, "only: {color: [r]}", "16:10: unknown column 'color'; did you mean 'colour'?"),
        (VIEW, "positive: [noo]", "21:16: view paper: toy has no label 'noo'; did you mean 'no'?"),
    ],
)
def test_a_broken_card_is_refused_with_the_place_of_the_fault(
    tmp_path: Path, old: str, new: str, fault: str
) -> None:
    assert refusal(edited(tmp_path, (old, new)), load_card_file, DataError).startswith(fault)


def found(card: Card, **view: object) -> list[tuple[str, str]]:
    """Return the place, such as ``order.size``, and the message of each mistake of a view."""
    mistakes = card.mistakes(View.model_validate(view))
    return [(".".join(map(str, place)), message) for place, message in mistakes]


def test_a_view_names_all_that_is_wrong_with_it(toy: Card) -> None:
    wrong = {"positive": ["no", "001"], "exclude": ["color"], "order": {"siz": ["1"]}}
    assert found(toy, part="train", **wrong) == [
        ("part", "toy has no part 'train'; it is not divided into parts"),
        ("positive.1", "toy has no label '001'; did you mean '01'?"),
        ("exclude.0", "toy has no attribute 'color'; did you mean 'colour'?"),
        ("order.siz", "toy has no attribute 'siz'; did you mean 'size'?"),
    ]
    assert found(toy, exclude=["size", "colour"], target_as="size") == [
        ("target_as", "toy has an attribute 'size': choose another name for the target"),
        ("exclude", "all attributes of toy are excluded"),
    ]


@pytest.mark.parametrize(
    ("name", "view", "place", "message"),
    [
        ("toy", {"positive": {"at_most": 1}}, "positive", "of toy is a label, so positive must li"),
        ("toy", {"positive": ["no", "01"]}, "positive", "all labels of toy are positive, so there"),
        ("abalone", {"positive": ["9"]}, "positive", "a number: give at_most or at_least as posi"),
        ("abalone", {"labels": ["9", "10"]}, "labels", "is a number, so it has no labels to keep"),
        ("mnist", {"part": "tain"}, "part", "'tain'; did you mean 'train'?"),
        (WINE, {"where": {"Colour": ["red"]}}, "where.Colour", "'Colour'; did you mean 'colour'?"),
        (WINE, {"where": {"colour": ["rose"]}}, "where.colour", "no code 'rose'; known are red, w"),
        (
            WINE,
            {"where": {"ph": ["3", "low"]}},
            "where.ph",
            "is numeric, so its values must be num",
        ),
    ],
)
def test_a_view_that_does_not_fit_the_target_or_the_rows_is_refused(
    toy: Card, name: str, view: dict[str, object], place: str, message: str
) -> None:
    card = toy if name == "toy" else load_card(name)
    if name == WINE:
        view |= {"positive": {"at_least": 6}}
    [(of, text)] = found(card, **view)
    assert (of, message in text) == (place, True)


FILE = {"kind": "file", "path": "/my.csv"}
RULE = {"kind": "generated", "generator": "m1", "seed": "3"}
BAD_HASH = {"kind": "uci", "files": [{"url": "https://a.test/x", "hash": "sha256:12"}]}
OF_VIEW: TypeAdapter[Any] = TypeAdapter(View)
OF_SOURCE: TypeAdapter[Any] = TypeAdapter(Source)
LABELS = "negative lists labels, so positive must also list labels"


MISTAKES = (
    (OF_SOURCE, {"kind": "openml", "id": "0"}, "id", "id must be greater than 0, not '0'"),
    (OF_SOURCE, BAD_HASH, "files.0.hash", "hash must match pattern"),
    (OF_SOURCE, {"kind": "openml", "id": 1, "rows": [0, 3]}, "rows.0", "item 1 of rows must be"),
    (OF_SOURCE, {**FILE, "skip": -1}, "skip", "skip must be at least 0, not -1"),
    (OF_SOURCE, {**FILE, "separator": '"'}, "separator", "separator must match pattern"),
    (OF_SOURCE, {**FILE, "encoding": "zlib"}, "encoding", "unknown encoding 'zlib'; known are"),
    (OF_SOURCE, {**RULE, "columns": []}, "columns", "unknown key 'columns'; known are generator"),
    (OF_VIEW, {"positive": []}, "positive", "positive must list at least one label"),
    (OF_VIEW, {"positive": ["a", "a"]}, "positive", "'a' occurs 2 times"),
    (OF_VIEW, {"positive": ["a"], "negative": ["a"]}, "negative", "label 'a' is both positive an"),
    (OF_VIEW, {"negative": ["a"]}, "negative", LABELS),
    (OF_VIEW, {"positive": {"at_most": 9}, "negative": ["a"]}, "negative", LABELS),
    (OF_VIEW, {"positive": ["a"], "labels": ["a", "b"]}, "labels", "labels stay classes only if"),
    (OF_VIEW, {"labels": ["a"]}, "labels", "labels must list at least two labels"),
    (OF_VIEW, {"exclude": ["a", "b", "a"]}, "exclude", "'a' occurs 2 times"),
    (OF_VIEW, {"order": {"size": ["a", "a"]}}, "order.size", "'a' occurs 2 times"),
    (OF_VIEW, {"positive": {}}, "positive", "give either at_most or at_least"),
    (OF_VIEW, {"positive": {"at_most": 1, "at_least": 2}}, "positive", "give either at_most or"),
    (OF_VIEW, {"positive": "yes"}, "positive", "positive must be a list or a mapping of keys"),
    (OF_VIEW, {"where": {"ph": []}}, "where.ph", "ph must have a length of at least 1, not []"),
    (OF_VIEW, {"sample_rows": 3}, "sample_rows", "sample_rows must be at least 4, not 3"),
)


def test_a_mistake_is_named_with_its_place() -> None:
    for of, fields, place, message in MISTAKES:
        with pytest.raises(ValidationError) as caught:
            of.validate_python(fields)
        (mistake,) = mistakes(caught.value, fields)
        assert ".".join(map(str, mistake.place)) == place
        assert mistake.message.startswith(message)


def test_a_file_is_text_with_commas_and_usual_gaps_if_nothing_is_said() -> None:
    layout = FileLayout(encoding="Latin_1")
    assert (layout.format, layout.separator, layout.skip) == ("csv", ",", 0)
    assert (layout.missing, layout.encoding) == (("?", ""), "latin-1")


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("a08..a11", ["a08", "a09", "a10", "a11"]),
        ("attribute_9..attribute_10", ["attribute_9", "attribute_10"]),
        *((name, [name]) for name in ("p3..p1", "p1..q3", "p1..p123456")),
    ],
)
def test_a_series_stands_for_its_names_in_columns_and_codes(name: str, names: list[str]) -> None:
    assert series(name) == names
    layout = Layout(columns=("target", name, "", "x"), codes={name: {"a": "b"}, "x": {"c": "d"}})
    assert layout.columns == ("target", *names, "", "x")
    assert layout.codes == {**{one: {"a": "b"} for one in names}, "x": {"c": "d"}}


def test_numbers_of_a_config_are_labels_as_written_and_a_bound_is_positive_itself() -> None:
    assert View.model_validate({"positive": [4], "negative": [9]}).positive == ("4",)
    assert View.model_validate({"positive": {"at_most": 9}}).positive == Threshold(at_most=9)
    assert View.model_validate({"where": {"colour": "red"}}).where == {"colour": ("red",)}
    values = np.array([8.0, 9.0, 10.0])
    assert Threshold(at_most=9).holds(values).tolist() == [True, True, False]
    assert Threshold(at_least=9).holds(values).tolist() == [False, True, True]


def test_rows_that_are_left_out_are_in_the_content_of_a_view() -> None:
    fields = {"part": "train", "where": {"x": ("1", "2")}, "missing": "drop"}
    view = View.model_validate({"positive": ("a",), "negative": ("b",), **fields})
    assert view.kept_labels == ("a", "b")
    assert View(labels=("a", "b")).kept_labels == ("a", "b")
    assert View(positive=("a",)).kept_labels == ()
    assert View(sample_rows=9, evidence="none").content() == {"sample_rows": 9}
    assert View(positive=Threshold(at_most=9)).content() == {"positive": {"at_most": 9.0}}
