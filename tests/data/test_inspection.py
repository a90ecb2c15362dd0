"""Cards for a person's own files: what is found out, what is refused, and with which words."""

from __future__ import annotations

import csv
import gzip
import os
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

import arff
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quadrepro.data.canonical import content_hash
from quadrepro.data.card import Card
from quadrepro.data.checks import refuse_other_content, to_table
from quadrepro.data.inspection import MOST_CODES, inspect_file
from quadrepro.data.source import FileSource
from quadrepro.data.sources.formats import read_file
from quadrepro.errors import ConfigError, DataError
from tests.data.files import Save, zipped

TOY = """id,size,colour,always,label
7,1.5,red,x,yes
8,,blue,x,no
9,-2e1,NA,x,no
11,7,blue,x,no
"""


def own_source(card: Card) -> FileSource:
    (source,) = card.sources
    assert isinstance(source, FileSource)
    return source


def rows(*labels: object) -> str:
    """Return a file of one attribute with these labels."""
    return "\n".join(["x,label", *(f"{i},{label}" for i, label in enumerate(labels))])


def refusal(
    path: Path, target: str = "label", kind: type[Exception] = DataError, **options: Any
) -> str:
    """Return why a file is refused, without its folder."""
    with pytest.raises(kind) as error:
        inspect_file(path, target, **options)
    return str(error.value).replace(f"{path.parent}/", "")


def test_one_long_text_takes_no_memory_in_the_other_rows(save: Save) -> None:
    lines = [f"{i % 97},{'abc'[i % 3]},{'yn'[i % 2]}" for i in range(6_000)]
    path = save("\n".join(["size,note,label", *lines, f"1,{'z' * 15_000},y"]), "my.csv")
    tracemalloc.start()
    try:
        card = inspect_file(path, "label")
        source = own_source(card)
        refuse_other_content(card, to_table(read_file(path, source), source, card), str(path))
        assert tracemalloc.get_traced_memory()[1] < 100 * path.stat().st_size
    finally:
        tracemalloc.stop()


def test_a_card_says_all_that_there_is_to_be_seen(save: Save) -> None:
    path = save(TOY, "My own-data.csv")
    card = inspect_file(path, "label")
    source = own_source(card)
    table = to_table(read_file(path, source), source, card)
    assert card.model_dump(exclude_defaults=True) == {
        "name": "my_own_data",
        "title": "My own-data",
        "task": "classification",
        "rows": 4,
        "missing_cells": 2,
        "rows_with_missing": 2,
        "content_hash": content_hash(table),
        "target": {"original": "label", "labels": {"no": 3, "yes": 1}},
        "attributes": (
            {"name": "id", "kind": "numeric", "range": (7, 11)},
            {"name": "size", "kind": "numeric", "range": (-20, 7)},
            {"name": "colour", "kind": "nominal", "codes": ("blue", "red")},
            {"name": "always", "kind": "nominal", "codes": ("x",)},
        ),
        "licence": "not stated",
        "citation": "not stated",
        "sources": (
            {
                "kind": "file",
                "path": str(path),
                "columns": ("id", "size", "colour", "always", "target"),
                "missing": ("", "NA"),
                "skip": 1,
            },
        ),
        "notes": (
            "Read as utf-8, separator ',', decimal '.', names in line 1; --encoding, --separator,"
            " --decimal and --no-header change this.",
            "Taken as a classification, since the target has 2 distinct words.",
            "Missing values are written '', 'NA'.",
            "Taken as nominal, since not all values are numbers (colour, always).",
            "The same value in every row (always).",
            "Left out, since they look like IDs (id).",
        ),
        "views": {
            "default": {
                "positive": ("yes",),
                "exclude": ("id",),
                "status": "open",
                "evidence": "The rarer of the two labels.",
            }
        },
    }


def test_the_file_is_what_its_card_says(save: Save) -> None:
    path = save(TOY)
    card = inspect_file(path, "label")
    source = own_source(card)
    refuse_other_content(card, to_table(read_file(path, source), source, card), "my.csv")


LIBSVM = "+1 1:1 3:2.5\n-1 2:1\n1 1:4\n"


@pytest.mark.parametrize(
    ("name", "content", "layout"),
    [
        ("a.csv", TOY, {"skip": 1}),
        ("a.csv", "\n" + TOY.replace("\n", "\r\n"), {"skip": 2}),
        ("a.csv", b"\xef\xbb\xbf" + TOY.encode(), {"skip": 1}),
        ("a.csv", TOY.replace(",", ";"), {"skip": 1, "separator": ";"}),
        ("a.tsv", TOY.replace(",", "\t"), {"skip": 1, "separator": "\t"}),
        ("a.txt", TOY.replace(",,", ",?,").replace(",", "  "), {"skip": 1, "separator": "blank"}),
        ("a.data", '"' + TOY.replace(",", '","').replace("\n", '"\n"')[:-1], {"skip": 1}),
        ("a.csv.gz", gzip.compress(TOY.encode(), mtime=0), {"skip": 1}),
        ("a.zip", zipped({"b.csv": TOY}), {"skip": 1}),
    ],
)
def test_the_same_table_has_the_same_content_however_it_is_written(
    save: Save, name: str, content: str | bytes, layout: dict[str, Any]
) -> None:
    plain = inspect_file(save(TOY), "label")
    path = save(content, name)
    card = inspect_file(path, "label")
    assert card.content_hash == plain.content_hash
    assert (card.attributes, card.target) == (plain.attributes, plain.target)
    said = own_source(card).model_dump(exclude_defaults=True, exclude={"columns", "missing"})
    assert said == {"kind": "file", "path": str(path), **layout}


def test_sparse_rows_have_features_and_a_label(save: Save) -> None:
    card = inspect_file(save(LIBSVM, "a.libsvm"), "label", task="classification")
    assert card.attribute_names == ("f1", "f2", "f3")
    assert card.target.labels == {"-1": 1, "1": 2}
    assert own_source(card).columns == ("f1", "f2", "f3", "target")


numbers = st.one_of(
    st.integers(-(10**6), 10**6).map(float),
    st.floats(-1e9, 1e9).map(lambda value: value + 0.0),
)
# liac-arff writes braces without the quotes that it wants to read around them.
words = st.text("ab é'\"%,;\\_", min_size=1, max_size=6).filter(lambda w: w == w.strip())


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[Any]]:
    """Draw columns of numbers or of words, with gaps, and a target without any."""
    n_rows = draw(st.integers(3, 8))
    columns: dict[str, list[Any]] = {}
    for j in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from((numbers, words)))
        gaps = draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows))
        values = [None if gap else draw(kind) for gap in gaps]
        columns[f"{draw(st.sampled_from('ab c'))}{j}"] = [draw(kind), *values[1:]]
    labels = draw(st.lists(st.sampled_from(("no", "on")), min_size=n_rows, max_size=n_rows))
    return {**columns, "label": ["no", "on", *labels[2:]]}


@settings(max_examples=40, deadline=None)
@given(tables())
def test_a_table_is_the_same_as_csv_tsv_arff_and_parquet(table: dict[str, list[Any]]) -> None:
    rows = list(zip(*table.values(), strict=True))
    real = {name: any(isinstance(v, float) for v in column) for name, column in table.items()}
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"a.{kind}") for kind in ("csv", "tsv", "arff", "parquet")]
        for path, delimiter in zip(paths, ",\t", strict=False):
            with path.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file, delimiter=delimiter)
                writer.writerows([table.keys(), *rows])
        attributes = [(name, "REAL" if real[name] else "STRING") for name in table]
        content = {"relation": "r", "attributes": attributes, "data": rows}
        paths[2].write_text(arff.dumps(content), encoding="utf-8")
        pq.write_table(pa.table(table), paths[3])
        cards = [inspect_file(path, "label") for path in paths]
    assert len({card.content_hash for card in cards}) == 1
    assert cards[0].missing_cells == sum(value is None for row in rows for value in row)
    for card in cards[1:]:
        assert (card.attributes, card.target) == (cards[0].attributes, cards[0].target)
        assert card.views == cards[0].views


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (range(20), "classification"),
        (range(21), "regression"),
        ((1, 2.5), "regression"),
        (("1.0", "2"), "classification"),
        (("low", "high"), "classification"),
    ],
)
def test_the_task_is_what_the_target_looks_like(
    save: Save, values: tuple[object, ...], task: str
) -> None:
    assert inspect_file(save(rows(*values)), "label").task == task


def test_a_task_that_is_given_is_not_inferred(save: Save) -> None:
    card = inspect_file(save(rows(1, 3.5, 2)), "label", task="classification")
    assert card.target.labels == {"1": 1, "2": 1, "3.5": 1}
    card = inspect_file(save(rows(1, 3, 3)), "label", task="regression")
    assert card.target.range == (1, 3)
    view = card.view("default")
    assert (view.positive, view.status) == (None, "open")
    assert not any("Taken as" in note for note in card.notes)


@pytest.mark.parametrize(
    ("labels", "given", "positive", "evidence"),
    [
        ("aab", "", "b", "The rarer of the two labels."),
        ("abb", "", "a", "The rarer of the two labels."),
        ("0101", "", "1", "The rarer of the two labels."),
        ("aab", "a", "a", "The label that was given as positive."),
    ],
)
def test_the_view_says_which_label_is_positive_and_why(
    save: Save, labels: str, given: str, positive: str, evidence: str
) -> None:
    view = inspect_file(save(rows(*labels)), "label", positive=given).view("default")
    assert (view.positive, view.evidence, view.status) == ((positive,), evidence, "open")


def test_more_than_two_labels_stay_classes_unless_one_is_positive(save: Save) -> None:
    path = save(rows(*"abbc"))
    card = inspect_file(path, "label")
    view = card.view("default")
    assert (view.positive, view.status) == (None, "open")
    assert view.evidence == "All 3 labels are classes."
    assert card.task_of(view) == "multiclass"
    assert inspect_file(path, "label", positive="b").view("default").positive == ("b",)


def test_words_for_missing_values_and_columns_of_codes_can_be_named(save: Save) -> None:
    path = save("zip,size,label\n10,2,a\n9,none,b\n10.0,3,b\n")
    card = inspect_file(path, "label", missing=["none"], nominal=["zip"])
    assert [a.kind for a in card.attributes] == ["nominal", "numeric"]
    assert card.attributes[0].codes == ("9", "10")
    assert card.missing_cells == 1
    assert own_source(card).missing == ("none",)
    assert not any("nominal" in note for note in card.notes)


def test_codes_with_commas_can_be_named_as_such(save: Save) -> None:
    card = inspect_file(save("x;label\n1,2;a\n2;b\n"), "label", nominal=["x"])
    assert card.attributes[0].codes == ("1,2", "2")


def test_columns_without_a_name_are_left_out(save: Save) -> None:
    card = inspect_file(save(",x,label,\n0,5,a,\n1,6,b,\n"), "label")
    assert card.attribute_names == ("x",)
    assert own_source(card).columns == ("", "x", "target", "")
    assert "Columns without a name are left out (1, 4)." in card.notes


def test_a_name_that_means_something_else_in_a_card_is_changed(save: Save) -> None:
    card = inspect_file(save("target,a1..a9,b..c,label\n0,5,1,x\n1,6,2,y\n"), "label")
    assert card.attribute_names == ("target_", "a1__a9", "b..c")
    assert own_source(card).columns == ("target_", "a1__a9", "b..c", "target")
    renamed = "Renamed, since the name in the file has a special meaning in cards"
    assert f"{renamed} (target_, a1__a9)." in card.notes


def test_a_target_that_is_called_target_is_the_target(save: Save) -> None:
    card = inspect_file(save("x,target\n0,a\n1,b\n"), "target")
    assert own_source(card).columns == ("x", "target")


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("my.csv", "my"),
        ("My  Data (2).csv.gz", "my_data_2"),
        ("2019.data.csv", "data_2019_data"),
        ("µ.csv", "data"),
        ("iris.data.zip", "iris"),
    ],
)
def test_the_name_is_made_of_the_files(save: Save, file: str, name: str) -> None:
    content = TOY.encode()
    if file.endswith(".gz"):
        content = gzip.compress(content)
    if file.endswith(".zip"):
        content = zipped({"x.csv": content})
    assert inspect_file(save(content, file), "label").name == name


def test_many_codes_are_not_listed(save: Save) -> None:
    lines = [f"c{i},{'ab'[i % 2]}\n" for i in range(MOST_CODES + 1)]
    card = inspect_file(save("x,label\n" + "".join(lines)), "label")
    assert card.attributes[0].codes is None
    card = inspect_file(save("x,label\n" + "".join(lines[1:])), "label")
    assert len(card.attributes[0].codes or ()) == MOST_CODES


def test_a_long_list_of_columns_in_a_note_is_cut_short(save: Save) -> None:
    names = [f"x{j}" for j in range(11)]
    card = inspect_file(save(f"{','.join(names)},label\n{'5,' * 11}a\n{'5,' * 11}b\n"), "label")
    assert card.notes[-1] == (
        "The same value in every row (x0, x1, x2, x3, x4, x5, x6, x7 and 3 more)."
    )


# What is wrong with a header, a field or a target alone is in test_file.py and test_columns.py.
@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("x,y,label\n1,a\n1,b\n", ", line 2: 2 fields, but the first row has 3"),
        ("x,label\n1,2.50\n2,2.5\n", ": label is '2.5' in every row, so there is nothing to learn"),
        ("x,y,label\n1,,a\n2,NA,b\n", ": every value of y is missing; remove the column"),
        (
            "x,y,z,label\n1,,?,a\n2,NA,,b\n",
            ": every value of y, z is missing; remove these columns",
        ),
        ("x,y,label\n,?,a\n?,,b\n", ": every value of every attribute is missing"),
        ("x,label\n1,a\n\n2,?\n3,b\n", ", line 4: the target label has no value"),
        ("x,label\n1,a\n2,a\n-nan,b\n", ", line 4: x is '-nan', but 2 of its 3 values are numbers"),
        ("x,label\n1,0.5\n2,1e999\n", ", line 3: label is '1e999', which is not a finite number"),
        (b"x,label\n1,\x81\n", ", line 2: not UTF-8 text"),
        (b"\x89PNG\r\n\x1a\n\xff", ", line 1: not UTF-8 text"),
        (b"\xef\xbb\xbf \n\n", ": the file is empty"),
        ("x,label\n1,a\n", ": the file has only one row"),
        ("label\na\nb\n", ": there are no columns other than the target"),
    ],
)
def test_a_file_that_is_wrong_is_refused(save: Save, content: str | bytes, fault: str) -> None:
    assert refusal(save(content)).startswith(f"my.csv{fault}")


def test_a_million_columns_are_refused(save: Save) -> None:
    said = refusal(save("," * 999_999))
    assert said == "my.csv, line 1: 1000000 columns, but at most 100000 can be read"


def test_words_among_the_numbers_of_an_attribute_are_refused_with_ways_out(save: Save) -> None:
    assert refusal(save("x,label\n1,a\n2,b\nnot known,a\n")) == (
        "my.csv, line 4: x is 'not known', but 2 of its 3 values are numbers; add --missing"
        " 'not known' if it means a missing value, or --nominal x if the column holds codes"
    )


def test_words_among_the_numbers_of_the_target_are_refused_with_a_way_out(save: Save) -> None:
    assert refusal(save(rows(1, 2, "few"))) == (
        "my.csv, line 4: label is 'few', but 2 of its 3 values are numbers; add --task"
        " classification if these are labels"
    )


ARFF = "@relation r\n@attribute x real\n@attribute label {a,b}\n@data\n1,a\n%\n2,?\n"


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("a.csv.gz", gzip.compress(b"", mtime=0), ": the file is empty"),
        ("a.libsvm", "1:2 2:3\n", ", line 1: expected a label and feature:value pairs"),
        ("a.libsvm", "1 1:2\n2 1:inf\n", ", row 2: f1 is 'inf', which is not a finite number"),
        ("a.arff", ARFF, ", line 7: the target label has no value"),
    ],
)
def test_a_file_of_another_format_that_is_wrong_is_refused(
    save: Save, name: str, content: str | bytes, fault: str
) -> None:
    assert refusal(save(content, name)).startswith(f"{name}{fault}")


def test_a_parquet_file_that_names_a_column_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    columns = [pa.array([1, 2]), pa.array([1, 2]), pa.array(["a", "b"])]
    pq.write_table(pa.table(columns, names=["x", "x ", "label"]), path)
    assert refusal(path) == "a.parquet: columns 1 and 2 have the same name 'x'"


def test_words_in_a_regression_are_refused(save: Save) -> None:
    said = refusal(save("x,label\n1,low\n2,high\n"), task="regression")
    assert said == "my.csv, line 2: label is 'low', which is not a finite number"


def test_a_header_that_names_the_target_is_one_though_names_are_numbers(save: Save) -> None:
    card = inspect_file(save("1,2,label\n5,6,a\n7,8,b\n"), "label")
    assert card.attribute_names == ("1", "2")


@pytest.mark.parametrize(
    ("target", "options", "fault"),
    [
        ("lable", {}, "unknown column 'lable'; did you mean 'label'?"),
        ("label", {"nominal": ["siz"]}, "unknown column 'siz'; did you mean 'size'?"),
        ("label", {"missing": ["none"]}, "no field is 'none', given for missing values"),
        ("label", {"positive": "yess"}, "label has no label 'yess'; did you mean 'yes'?"),
        ("id", {"positive": "8", "task": "regression"}, "id has no label '8'; it is a number and"),
    ],
)
def test_what_a_person_names_must_be_there(
    save: Save, target: str, options: dict[str, Any], fault: str
) -> None:
    assert refusal(save(TOY), target, ConfigError, **options).startswith(f"my.csv: {fault}")


def test_the_name_of_a_data_set_has_lower_case_letters_digits_and_lines_alone(save: Save) -> None:
    said = refusal(save(TOY), "label", ConfigError, name="My-data")
    assert said.startswith("'My-data' cannot be the name of a data set: use lower-case letters")


def test_the_target_of_sparse_rows_is_called_label(save: Save) -> None:
    said = refusal(save(LIBSVM, "a.libsvm"), "class", ConfigError)
    assert said == "a.libsvm: unknown column 'class'; known are f1, f2, f3, label"


def test_of_hundreds_of_columns_the_nearest_are_named(save: Save) -> None:
    names = ",".join(f"x{j}" for j in range(100))
    path = save(f"{names},label\n{'1,' * 100}a\n{'2,' * 100}b\n")
    said = refusal(path, "outcome", ConfigError)
    assert said.startswith("my.csv: unknown column 'outcome'; the nearest of 101 are label, ")


def test_the_path_of_a_file_is_utf8(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.csv")
    path.write_text("a,target\n1,x\n2,y\n")
    assert "the path of the file must be UTF-8" in refusal(path, "target")


@pytest.mark.parametrize(
    ("name", "values", "left_out"),
    [
        ("customer_id", [50, 7, 31, 12], True),
        ("customerID", [50, 7, 31, 12], True),
        ("Kundennummer", [50, 7, 31, 12], True),
        ("income", [50, 7, 31, 12], False),
        ("income", [4, 2, 3, 5], True),
        ("id", [1.5, 2, 3, 4], False),
        ("id", [1, 1, 2, 3], False),
        ("name", ["Ann", "Bob", "Cid", "Dan"], True),
        ("width", [50, 7, 31, 12], False),
    ],
)
def test_unique_words_and_numbers_of_rows_or_named_so_are_left_out(
    save: Save, name: str, values: list[object], *, left_out: bool
) -> None:
    text = "\n".join(f"{value},{i % 2}.5,{'abab'[i]}" for i, value in enumerate(values))
    card = inspect_file(save(f"{name},x,label\n{text}\n"), "label")
    assert (name in card.view("default").exclude) is left_out
    assert any("look like IDs" in note for note in card.notes) is left_out


def test_an_id_stays_if_there_is_nothing_else(save: Save) -> None:
    assert inspect_file(save(rows("a", "b")), "label").view("default").exclude == ()


@pytest.mark.parametrize("days", [("2024-01-31", "2024-02-01"), ("01.02.2024", "31.01.2024")])
def test_dates_are_codes(save: Save, days: tuple[str, str]) -> None:
    card = inspect_file(save("day;x;y\n{0};1,5;a\n{0};2;b\n{1};3;b\n".format(*days)), "y")
    assert [a.kind for a in card.attributes] == ["nominal", "numeric"]
    assert card.attributes[0].codes == days


@pytest.mark.parametrize(
    ("labels", "note"),
    [
        ("a" * 4 + "b" * 12, ""),
        ("a" * 3 + "b" * 13, "the rarest class has 3 of 16 rows"),
        ("a" * 3 + "b" * 6 + "c" * 9, ""),
        ("a" * 2 + "b" * 7 + "c" * 9, "the rarest class has 2 of 18 rows"),
    ],
)
def test_classes_of_unequal_sizes_are_noted(save: Save, labels: str, note: str) -> None:
    notes = inspect_file(save(rows(*labels)), "label").notes
    assert [n for n in notes if n.startswith("Imbalanced")] == (
        [f"Imbalanced: {note}, so a low error is easy; see the other metrics."] if note else []
    )
