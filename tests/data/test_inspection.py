"""Cards for a user's own files: what is found out, what is refused, and with which words."""

from __future__ import annotations

import io
import os
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from quadrepro.data.card import Card, load_card_file
from quadrepro.data.checks import to_table, verified
from quadrepro.data.files import read_file
from quadrepro.data.inspection import inspect_file, write_card
from quadrepro.data.notes import MOST_CODES
from quadrepro.data.source import FileSource
from quadrepro.data.store import Found
from quadrepro.errors import QuadreproError
from tests.data.tables import Save
from tests.make import refusal

TOY = """id,size,colour,empty,label
7,1.5,grün,,yes
8,,blau,,no
9,-2e1,NA,?,no
10,7,blau,,no
"""
HEADER, _, ROWS = TOY.partition("\n")
ARFF = "".join(f"@attribute {name} string\n" for name in HEADER.split(","))


PARQUET: bytes = pd.read_csv(io.StringIO(TOY), na_values=["?"]).to_parquet()


def own_source(card: Card) -> FileSource:
    (source,) = card.sources
    assert isinstance(source, FileSource)
    return source


def described(path: Path, target: str = "label", **options: Any) -> Card:
    """Return the card of a file, from which the same rows are read again."""
    card = inspect_file(path, target, **options)
    write_card(card, path.parent / "cards" / f"{card.name}.yaml")
    again = load_card_file(path.parent / "cards" / f"{card.name}.yaml")
    source = own_source(again)
    verified(again, to_table(read_file(path, source), source, again, "FILE"), "FILE")
    return card


def lines(header: str, *rows: object) -> str:
    return "\n".join([header, *map(str, rows)])


def test_a_card_has_all_that_is_found(save: Save) -> None:
    card = described(save(TOY, "My own-data.csv"))
    assert (card.name, card.title) == ("my_own_data", "My own-data")
    assert (card.task, card.target.labels) == ("classification", {"no": 3, "yes": 1})
    assert (card.rows, card.missing_cells, card.rows_with_missing) == (4, 2, 2)
    assert [a.model_dump(exclude_defaults=True) for a in card.attributes] == [
        {"name": "id", "kind": "numeric", "range": (7, 10)},
        {"name": "size", "kind": "numeric", "range": (-20, 7)},
        {"name": "colour", "kind": "nominal", "codes": ("blau", "grün")},
    ]
    assert own_source(card).columns == ("id", "size", "colour", "", "target")
    assert own_source(card).missing == ("?", "", "NA")
    view = card.view("default")
    assert (view.positive, view.exclude) == (("yes",), ("id",))
    assert "Missing values are written '?', '', 'NA'." in card.notes


@pytest.mark.parametrize(
    ("name", "content", "layout"),
    [
        ("a.csv", "\n" + TOY.replace("\n", "\r\n"), {}),
        ("a.csv", TOY.encode("utf-16"), {"encoding": "utf-16"}),
        ("a.csv", TOY.encode("cp1252"), {"encoding": "cp1252"}),
        ("a.csv", TOY.replace(",", ";").replace(".", ","), {"separator": ";", "decimal": ","}),
        ("a.txt", TOY.replace(",,", ",?,").replace(",", "  "), {"separator": "blank"}),
        ("a.data", '"' + TOY.replace(",", '","').replace("\n", '"\n"')[:-1], {}),
        ("a.arff", f"@relation r\n{ARFF}@data\n{ROWS.replace(',,', ',?,')}", {}),
        ("a.parquet", PARQUET, {}),
    ],
    ids=[str(i) for i in range(8)],  # bytes of parquet can differ between processes
)
def test_the_same_table_has_the_same_card_however_it_is_written(
    save: Save, name: str, content: str | bytes, layout: dict[str, Any]
) -> None:
    plain = described(save(TOY))
    card = described(save(content, name))
    same = {"content_hash", "attributes", "target"}
    assert card.model_dump(include=same) == plain.model_dump(include=same)
    kept = {"separator", "encoding", "decimal"}
    assert own_source(card).model_dump(exclude_defaults=True, include=kept) == layout


def test_sparse_rows_have_numbered_features_and_the_target(save: Save) -> None:
    path = save("+1 1:1 3:2.5\n-1 2:1\n1 1:4\n", "a.libsvm")
    card = described(path, "y", task="classification")
    assert card.attribute_names == ("x1", "x2", "x3")
    assert (card.target.original, card.target.labels) == ("y", {"-1": 1, "1": 2})


def test_rows_without_a_target_are_refused_or_left_out_with_a_count(save: Save) -> None:
    path = save("id,y,label\n7,u,a\n\n9,v,?\n31,u,b\n12,u,a\n,,\n41,u,NA\n")
    with pytest.raises(QuadreproError, match=r"line 4: .* in 2 of 5 rows; --drop-missing-target"):
        inspect_file(path, "label")
    card = described(path, drop_missing_target=True)
    assert (card.rows, card.target.labels) == (3, {"a": 2, "b": 1})
    assert card.attributes[1].codes == ("u",)
    assert "Rows without a target, which are left out: 2." in card.notes
    assert any(note.startswith("Rows that repeat an earlier one: 1;") for note in card.notes)
    assert not own_source(described(save(TOY), drop_missing_target=True)).drop_unlabelled


@pytest.mark.parametrize(
    ("fields", "told", "expected"),
    [
        (["1,5", "2"], None, (1.5, 2)),
        (["0,513", "-1,486"], None, (-1.486, 0.513)),
        (["1,234.5", "-12,345"], ".", (-12345, 1234.5)),
        (["1.234,5", "-12.345"], ",", (-12345, 1234.5)),
        (["1,234.5", "2"], None, "is '1,234.5', which is a number only with --decimal ."),
        (["1,000", "2,500"], None, "is '1,000', which is a number only with --decimal . or ,"),
        (["1", "0,513"], ".", "is '0,513', which is a number only with --decimal ,"),
        (["1", "2", "12,34,567"], ".", "is '12,34,567', but most of its values are numbers"),
    ],
)
def test_commas_are_decimal_signs_or_between_thousands(
    save: Save, fields: list[str], told: str | None, expected: tuple[float, float] | str
) -> None:
    path = save(lines("x;label", *(f"{field};{'ab'[i % 2]}" for i, field in enumerate(fields))))
    if isinstance(expected, tuple):
        assert described(path, decimal=told).attributes[0].range == expected
    else:
        with pytest.raises(QuadreproError) as error:
            inspect_file(path, "label", decimal=told)
        assert expected in str(error.value)


def test_the_decimal_sign_is_that_of_most_columns(save: Save) -> None:
    row = "1,5;{};a;NA\n2,5;3;b;2,5\n"
    assert own_source(described(save("x;y;label;z\n" + row.format("1")))).decimal == ","
    path = save("x;y;z;label\n1.5;p,q;r,s;a\n2;t,u;v,w;b\n")
    assert own_source(described(path)).decimal == "."


def test_what_is_detected_can_be_overruled(save: Save) -> None:
    path = save("a|1,5|č\nb|2,5|d\n".encode("cp1250"))
    told = {"encoding": "cp1250", "separator": "|", "decimal": ",", "names": "u,v,w"}
    card = described(path, "w", **told)
    assert (card.attribute_names, [*card.target.labels]) == (("u", "v"), ["d", "č"])
    card = described(save("1.5\ta\n2.5\tb\n"), "x2", no_header=True, separator="tab")
    assert (card.attribute_names, card.rows) == (("x1",), 2)
    path = save("zip,size,label\n10,2,a\n9,none,b\n10.0,3,b\n")
    card = described(path, missing=["none"], nominal=["zip"])
    assert [a.kind for a in card.attributes] == ["nominal", "numeric"]
    assert (card.attributes[0].codes, card.missing_cells) == (("9", "10"), 1)
    assert own_source(card).missing == ("?", "", "none")


@pytest.mark.parametrize(
    ("values", "told", "found"),
    [
        (range(20), None, "classification"),
        (range(21), None, "regression"),
        ((1, 2.5), None, "regression"),
        (("1.0", "2"), None, "classification"),
        ((1, 3.5), "classification", "classification"),
        ((1, 3), "regression", "regression"),
    ],
)
def test_the_task_is_the_given_one_or_what_the_target_looks_like(
    save: Save, values: tuple[object, ...], told: str | None, found: str
) -> None:
    card = described(save(lines("x,label", *(f"0.5,{v}" for v in values))), task=told)
    assert card.task == found
    assert any("Taken as a" in note for note in card.notes) == (told is None)


@pytest.mark.parametrize(
    ("labels", "given", "positive", "rare"),
    [
        ("aab", "", ("b",), ""),
        ("abb", "", ("a",), ""),
        ("0101", "", ("1",), ""),
        ("aab", "a", ("a",), ""),
        ("abbc", "b", ("b",), ""),
        ("a" * 4 + "b" * 12, "", ("a",), ""),
        ("a" * 3 + "b" * 13, "", ("a",), "3 of 16 rows"),
        ("a" * 2 + "b" * 7 + "c" * 9, "", None, "2 of 18 rows"),
    ],
)
def test_the_rarer_of_two_labels_or_the_given_one_is_positive(
    save: Save, labels: str, given: str, positive: tuple[str, ...] | None, rare: str
) -> None:
    path = save(lines("x,label", *(f"0.5,{label}" for label in labels)))
    card = inspect_file(path, "label", positive=given)
    assert card.view("default").positive == positive
    noted = f"Imbalanced: the rarest class has {rare}."
    assert [n for n in card.notes if n.startswith("Imbalanced")] == ([noted] if rare else [])


@pytest.mark.parametrize(
    ("name", "values", "remark"),
    [
        ("customer_id", [50, 7, 31, 12] * 3 + [*range(100, 190)], "look like IDs"),
        ("Kundennummer", [50, 7, 31, 12], "look like IDs"),
        ("income", [50, 7, 31, 12], ""),
        ("income", [4, 2, 3, 5], "look like IDs"),
        ("id", [1, 1, 2, 3], ""),
        ("id", ["", 7, 9, 31], ""),
        ("day", ["31.01.2024", "01.02.2024", "01.02.2024", "03.02.2024"], "Dates, left out"),
        ("word", [f"w{i % (MOST_CODES + 1)}" for i in range(150)], "more than 100 codes"),
        ("word", [f"w{i % MOST_CODES}" for i in range(150)], "Taken as nominal"),
        ("areaCode", [1, 2, 2, 1], "look like codes"),
        ("encoded", [1, 2, 2, 1], ""),
        ("", [3, 1, 4, 2], "look like IDs"),
        ("gone", ["", "", "", ""], "every value is missing"),
    ],
)
def test_columns_that_need_a_look_are_noted(
    save: Save, name: str, values: list[object], remark: str
) -> None:
    rows = [f"{value},{i % 3}.5,{'ab'[i % 2]}" for i, value in enumerate(values)]
    card = described(save(lines(f"{name},x0,label", *rows)))
    called = name or "x1"
    noted = [note for note in card.notes if f"({called})." in note]
    assert [remark in note for note in noted] == [True] * bool(remark)
    excluded = ("eft out" in note for note in noted) if name != "gone" else ()
    assert card.view("default").exclude == (called,) * sum(excluded)
    if remark == "Taken as nominal":
        assert set(card.attributes[0].codes or ()) == {str(v) for v in values}


def test_an_id_stays_if_there_is_nothing_else_and_a_name_is_made_of_the_files(save: Save) -> None:
    card = inspect_file(save("id,label\n1,a\n2,b\n"), "label")
    assert card.view("default").exclude == ()
    assert not any("Left out" in note for note in card.notes)
    assert inspect_file(save(TOY, "2019.data.csv"), "label").name == "data_2019"
    assert inspect_file(save(TOY, "µ.csv"), "label").name == "data"
    assert inspect_file(save(TOY), "label", name="Ours-1").name == "ours_1"


@pytest.mark.parametrize(
    ("name", "content", "options", "fault"),
    [
        ("a.csv", "x,label\n1,2.50\n2,2.5\n", {}, "label has less than two distinct values"),
        ("a.csv", "x,label\n", {}, "the file has a header but no rows"),
        ("a.csv", "x,y,label\n,?,a\n?,,b\n", {}, "no column other than the target has a value"),
        ("a.csv", "a,b,a,label\n1,2,3,x\n", {}, "rename 'a' in the file"),
        ("a.png", b"\x89PNG\0", {}, "the format is not known, and 'a.png' is not text"),
        ("a.svm", "1 1:2\n2 1:inf\n3 1:2", {}, ", row 2: x1 is 'inf', which is not a finite"),
        ("a.csv", "x,label\n1,a\n2,b\nno,a\n", {}, ", line 4: x is 'no', but most of its values"),
        ("a.csv", TOY, {"target": "lable"}, "unknown column 'lable'; did you mean 'label'?"),
        ("a.csv", TOY, {"missing": ["none"]}, "no field is 'none', the word of --missing"),
        ("a.csv", TOY, {"positive": "yess"}, "label has no label 'yess'; did you mean 'yes'?"),
        ("a.csv", TOY, {"task": "regression"}, "label has no numbers, so the task cannot be"),
        ("a.csv", TOY, {"names": "a,b"}, "2 names, but 5 columns"),
        ("a.csv", TOY, {"encoding": "none"}, "--encoding: unknown encoding: none"),
        (os.fsdecode(b"caf\xe9.csv"), TOY, {}, "the path of the file must be UTF-8"),
        ("a.svm", "1 1:2\n", {"decimal": ","}, "--decimal does not apply to a file of format"),
    ],
)
def test_a_file_or_an_option_that_is_wrong_is_refused(
    save: Save, name: str, content: str | bytes, options: dict[str, Any], fault: str
) -> None:
    read = partial(inspect_file, **{"target": "label", **options})
    told = refusal(save(content, name), read, QuadreproError)
    assert told.lstrip().startswith(fault)


def test_a_number_means_a_missing_value_in_a_column_of_numbers(tmp_path: Path) -> None:
    frame = pd.DataFrame({"size": [1.5, -999.0, 2.5, 0.5], "label": ["a", "b", "a", "b"]})
    frame.to_parquet(tmp_path / "my.parquet")
    card = inspect_file(tmp_path / "my.parquet", "label", missing=["-999"])
    assert (card.missing_cells, card.attributes[0].range) == (1, (0.5, 2.5))


@pytest.mark.parametrize("text", ["size,y\n-999,a\n-999.0,b\n3,a\n", "size,y\nn/a,a\n4,b\n3,a\n"])
def test_what_is_missing_stays_so_when_the_file_is_read(save: Save, text: str) -> None:
    options = {"missing": ["-999"]} if "999" in text else {}
    card = inspect_file(save(text), "y", **options)
    assert card.missing_cells == text.count("9") // 3 + text.count("n/a")
    # The rows agree with the card.
    Found(card, card.sources[0]).load()  # type: ignore[arg-type]


def test_names_of_columns_may_have_blanks_after_the_commas(save: Save) -> None:
    card = inspect_file(save("1,a\n2,b\n"), "y", no_header=True, names="size, y")
    assert card.attribute_names == ("size",)


def test_a_range_ends_at_zero_without_a_sign(tmp_path: Path) -> None:
    frame = pd.DataFrame({"size": [-2.0, -0.0, -1.0], "label": ["a", "b", "a"]})
    frame.to_parquet(tmp_path / "my.parquet")
    card = inspect_file(tmp_path / "my.parquet", "label")
    assert Found(card, card.sources[0]).load().table.n_rows == 3  # type: ignore[arg-type]
