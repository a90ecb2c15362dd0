"""Cards for a person's own files: what is found out, what is refused, and with which words."""

from __future__ import annotations

import csv
import gzip
import os
import tempfile
from pathlib import Path
from typing import Any

import arff
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quadrepro.data.card import Card, load_card_file
from quadrepro.data.checks import to_table, verified
from quadrepro.data.files import read_file
from quadrepro.data.inspection import MOST_CODES, inspect_file, write_card
from quadrepro.data.source import FileSource
from quadrepro.errors import ConfigError, DataError
from tests.data.files import Save, zipped

TOY = """id,size,colour,always,empty,label
7,1.5,red,x,,yes
8,,blue,x,,no
9,-2e1,NA,x,?,no
10,7,blue,x,,no
"""


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


def rows(*labels: object) -> str:
    """Return a file of one attribute with these labels."""
    return "\n".join(["x,label", *(f"{i / 4},{label}" for i, label in enumerate(labels))])


def refusal(
    path: Path, target: str = "label", kind: type[Exception] = DataError, **options: Any
) -> str:
    """Return why a file is refused, without its folder."""
    with pytest.raises(kind) as error:
        inspect_file(path, target, **options)
    return str(error.value).replace(f"{path.parent}/", "")


def test_a_card_has_all_that_is_found(save: Save) -> None:
    path = save(TOY, "My own-data.csv")
    card = described(path)
    assert card.model_dump(exclude_defaults=True, exclude={"content_hash"}) == {
        "name": "my_own_data",
        "title": "My own-data",
        "task": "classification",
        "rows": 4,
        "missing_cells": 2,
        "rows_with_missing": 2,
        "target": {"original": "label", "labels": {"no": 3, "yes": 1}},
        "attributes": (
            {"name": "id", "kind": "numeric", "range": (7, 10)},
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
                "columns": ("id", "size", "colour", "always", "", "target"),
                "missing": ("?", "", "NA"),
                "skip": 1,
            },
        ),
        "notes": (
            "Read as utf-8, separator ',', decimal '.', names in line 1; --encoding, --separator,"
            " --decimal and --no-header change this.",
            "Taken as a classification by the values of the target; see --task.",
            "Missing values are written '?', '', 'NA'.",
            "Left out, since every value is missing (empty).",
            "Left out, since they look like IDs (id).",
            "Taken as nominal, since not all values are numbers (colour).",
            "The same value in every row (always).",
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


@pytest.mark.parametrize(
    ("name", "content", "layout"),
    [
        ("a.csv", "\n" + TOY.replace("\n", "\r\n"), {"skip": 2}),
        ("a.csv", b"\xef\xbb\xbf" + TOY.encode(), {"skip": 1}),
        ("a.csv", TOY.encode("utf-16"), {"skip": 1, "encoding": "utf-16"}),
        ("a.csv", TOY.replace(",", ";").replace(".", ","), {"separator": ";", "decimal": ","}),
        ("a.tsv", TOY.replace(",", "\t"), {"separator": "\t"}),
        ("a.txt", TOY.replace(",,", ",?,").replace(",", "  "), {"separator": "blank"}),
        ("a.data", '"' + TOY.replace(",", '","').replace("\n", '"\n"')[:-1], {}),
        ("a.csv.gz", gzip.compress(TOY.encode()), {}),
        ("a.zip", zipped({"b.csv": TOY}), {}),
    ],
)
def test_the_same_table_has_the_same_content_however_it_is_written(
    save: Save, name: str, content: str | bytes, layout: dict[str, Any]
) -> None:
    plain = described(save(TOY))
    path = save(content, name)
    card = described(path)
    assert card.content_hash == plain.content_hash
    assert (card.attributes, card.target) == (plain.attributes, plain.target)
    found = own_source(card).model_dump(exclude_defaults=True, exclude={"columns", "missing"})
    assert found == {"kind": "file", "path": str(path), "skip": 1, **layout}


def test_windows_latin_is_read_where_utf8_fails(save: Save) -> None:
    card = described(save("Größe;Kündigung\n1,5;ja\n2;nein\n".encode("cp1252")), "Kündigung")
    assert own_source(card).encoding == "cp1252"
    assert card.attribute_names == ("Größe",)


numbers = st.floats(-1e9, 1e9).map(lambda value: value + 0.0)
# liac-arff writes braces without the quotes that it needs to read them.
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


@settings(max_examples=30, deadline=None)
@given(tables())
def test_a_table_is_the_same_as_csv_tsv_arff_and_parquet(table: dict[str, list[Any]]) -> None:
    lines = list(zip(*table.values(), strict=True))
    real = {name: any(isinstance(v, float) for v in column) for name, column in table.items()}
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"a.{kind}") for kind in ("csv", "tsv", "arff", "parquet")]
        for path, delimiter in zip(paths, ",\t", strict=False):
            with path.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file, delimiter=delimiter).writerows([table.keys(), *lines])
        attributes = [(name, "REAL" if real[name] else "STRING") for name in table]
        content = {"relation": "r", "attributes": attributes, "data": lines}
        paths[2].write_text(arff.dumps(content), encoding="utf-8")
        pq.write_table(pa.table(table), paths[3])
        cards = [described(path) for path in paths]
    assert len({card.content_hash for card in cards}) == 1
    assert cards[0].missing_cells == sum(value is None for line in lines for value in line)
    for card in cards[1:]:
        assert (card.attributes, card.target) == (cards[0].attributes, cards[0].target)
        assert card.views == cards[0].views


def test_sparse_rows_have_features_and_a_label(save: Save) -> None:
    card = described(save("+1 1:1 3:2.5\n-1 2:1\n1 1:4\n", "a.libsvm"), task="classification")
    assert card.attribute_names == ("f1", "f2", "f3")
    assert card.target.labels == {"-1": 1, "1": 2}


def test_rows_without_a_target_are_refused_or_left_out_with_a_count(save: Save) -> None:
    path = save("x,y,label\n1.5,u,a\n\n2.5,v,?\n3.5,u,b\n1.5,u,a\n,,\n4.5,u,NA\n")
    assert refusal(path) == (
        "my.csv, line 4: the target label has no value, in 2 of 5 rows; --drop-missing-target"
        " leaves out such rows"
    )
    card = described(path, drop_missing_target=True)
    assert (card.rows, card.target.labels) == (3, {"a": 2, "b": 1})
    assert card.attributes[1].codes == ("u",)
    assert own_source(card).drop_unlabelled
    assert "Rows without a target, which are left out: 2." in card.notes
    assert "Rows that repeat an earlier one: 1." in card.notes
    assert not own_source(described(save(TOY), drop_missing_target=True)).drop_unlabelled


@pytest.mark.parametrize(
    ("decimal", "fields"), [(".", ("1,234.5", "-12,345")), (",", ("1.234,5", "-12.345"))]
)
def test_signs_between_thousands_are_read_if_the_decimal_sign_is_given(
    save: Save, decimal: str, fields: tuple[str, str]
) -> None:
    path = save(f"x;label\n{fields[0]};a\n{fields[1]};b\n2;b\n")
    card = described(path, decimal=decimal)
    assert card.attributes[0].range == (-12345, 1234.5)
    other = {"1,234.5": ".", "1.234,5": ","}[fields[0]]
    path = save(f"x;z;label\n{fields[0]};1{other}5;a\n2;1{other}25;b\n")
    separated = "commas" if decimal == "." else "points"
    assert refusal(path) == (
        f"my.csv, line 2: x is {fields[0]!r}, which is not a number with the decimal sign"
        f" {decimal!r}; if {separated} separate thousands, add --decimal {decimal}"
    )


@pytest.mark.parametrize("field", ["0,513", "1,23", "12,34,567", "1234,567"])
def test_a_comma_that_cannot_be_between_thousands_is_refused(save: Save, field: str) -> None:
    said = refusal(save(f"x;label\n1;a\n2;b\n{field};b\n"), decimal=".")
    assert said.startswith(f"my.csv, line 4: x is {field!r}, ")


@pytest.mark.parametrize(
    ("column", "decimal"),
    [
        (["1,5", "2"], ","),
        (["1.5", "2"], "."),
        (["1,000", "2,500"], "."),
        (["0,513", "-1,486"], ","),
        (["1,5", "a"], "."),
        (["1,5", "NA"], ","),
    ],
)
def test_the_decimal_sign_is_that_of_most_columns(
    save: Save, column: list[str], decimal: str
) -> None:
    path = save("\n".join(["x;label", *(f"{field};w{i}" for i, field in enumerate(column))]))
    source = own_source(inspect_file(path, "label", nominal=["x"], task="classification"))
    assert source.decimal == decimal


def test_what_is_detected_can_be_overruled(save: Save) -> None:
    path = save("a|1,5|č\nb|2,5|d\n".encode("cp1250"))
    card = described(path, "w", encoding="cp1250", separator="|", decimal=",", names="u,v,w")
    assert (card.attribute_names, [*card.target.labels]) == (("u", "v"), ["d", "č"])
    card = described(save("1.5;a\n2.5;b\n"), "x2", no_header=True)
    assert (card.attribute_names, card.rows) == (("x1",), 2)


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
    card = described(save(rows(1, 3.5, 2)), task="classification")
    assert card.target.labels == {"1": 1, "2": 1, "3.5": 1}
    card = described(save(rows(1, 3, 3)), task="regression")
    assert (card.target.range, card.view("default").positive) == ((1, 3), None)
    assert not any("Taken as a" in note for note in card.notes)


@pytest.mark.parametrize(
    ("labels", "given", "positive"),
    [
        ("aab", "", ("b",)),
        ("abb", "", ("a",)),
        ("0101", "", ("1",)),
        ("aab", "a", ("a",)),
        ("abbc", "", None),
        ("abbc", "b", ("b",)),
    ],
)
def test_the_rarer_of_two_labels_or_the_given_one_is_positive(
    save: Save, labels: str, given: str, positive: tuple[str, ...] | None
) -> None:
    card = inspect_file(save(rows(*labels)), "label", positive=given)
    assert card.view("default").positive == positive


def test_words_for_missing_values_and_columns_of_codes_can_be_named(save: Save) -> None:
    path = save("zip,size,label\n10,2,a\n9,none,b\n10.0,3,b\n")
    card = described(path, missing=["none"], nominal=["zip"])
    assert [a.kind for a in card.attributes] == ["nominal", "numeric"]
    assert card.attributes[0].codes == ("9", "10")
    assert card.missing_cells == 1
    assert own_source(card).missing == ("none",)
    assert not any("nominal" in note for note in card.notes)


def test_columns_are_left_out_or_renamed_with_a_note(save: Save) -> None:
    card = described(save(",target,a1..a9,label,\n0,.5,1.5,x,\n1,.6,2.5,y,\n"))
    assert own_source(card).columns == ("", "target_", "a1__a9", "target", "")
    notes = " ".join(card.notes)
    assert "Columns without a name, which are left out (1, 5)." in notes
    assert "a special meaning in cards (target_, a1__a9)." in notes
    assert described(save("x,target\n0,a\n1,b\n"), "target").attribute_names == ("x",)


@pytest.mark.parametrize(
    ("name", "values", "remark"),
    [
        ("customer_id", [50, 7, 31, 12] * 3 + [*range(100, 190)], "look like IDs"),
        ("customerID", [50, 7, 31, 12], "look like IDs"),
        ("Kundennummer", [50, 7, 31, 12], "look like IDs"),
        ("income", [50, 7, 31, 12], ""),
        ("income", [4, 2, 3, 5], "look like IDs"),
        ("id", [1.5, 2, 3, 4], ""),
        ("id", [1, 1, 2, 3], ""),
        ("id", ["", 7, 9, 31], ""),
        ("name", ["Ann", "Bob", "Cid", "Dan"], "look like IDs"),
        ("day", ["2024-01-31", "2024-02-01", "", "2024-02-01"], "a date of their own"),
        ("day", ["31.01.2024 12:00", "1/2/24", "1/2/24", "1/2/24"], "Taken as nominal"),
        ("day", ["31.01.2024", "01.02.2024", "01.02.2024", "x"], "Taken as nominal"),
        ("word", [f"w{i % (MOST_CODES + 1)}" for i in range(150)], "more than 100 codes"),
        ("word", [f"w{i % MOST_CODES}" for i in range(150)], "Taken as nominal"),
        ("word", [1, 2, "a", "b"] * 2, "Taken as nominal"),
        ("zip", [80331, 10115, 10115, 80331], "look like codes"),
        ("areaCode", [1, 2, 2, 1], "look like codes"),
        ("encoded", [1, 2, 2, 1], ""),
        ("zip", [1.5, 2, 2, 1], ""),
        ("x", [3, 3, 3, 3], "same value in every row"),
    ],
)
def test_columns_that_need_a_look_are_noted(
    save: Save, name: str, values: list[object], remark: str
) -> None:
    lines = [f"{value},{i % 3}.5,{'ab'[i % 2]}" for i, value in enumerate(values)]
    card = described(save("\n".join([f"{name},x0,label", *lines])))
    assert [remark in note for note in card.notes if f"({name})." in note] == [True] * bool(remark)
    if remark == "Taken as nominal":
        assert set(card.attributes[0].codes or ()) == {str(v) for v in values} - {""}
    left_out = remark in ("look like IDs", "a date of their own", "more than 100 codes")
    assert card.view("default").exclude == ((name,) if left_out else ())


def test_an_id_stays_if_there_is_nothing_else(save: Save) -> None:
    card = inspect_file(save("id,label\n1,a\n2,b\n"), "label")
    assert card.view("default").exclude == ()
    assert not any("Left out" in note for note in card.notes)


def test_a_long_list_of_columns_in_a_note_is_cut_short(save: Save) -> None:
    names = [f"x{j}" for j in range(11)]
    card = inspect_file(save(f"{','.join(names)},label\n{'5,' * 11}a\n{'5,' * 11}b\n"), "label")
    assert card.notes[-1].endswith("(x0, x1, x2, x3, x4, x5, x6, x7 and 3 more).")


@pytest.mark.parametrize(
    ("labels", "note"),
    [
        ("a" * 4 + "b" * 12, ""),
        ("a" * 3 + "b" * 13, "the rarest class has 3 of 16 rows"),
        ("a" * 2 + "b" * 7 + "c" * 9, "the rarest class has 2 of 18 rows"),
    ],
)
def test_classes_of_unequal_sizes_are_noted(save: Save, labels: str, note: str) -> None:
    notes = inspect_file(save(rows(*labels)), "label").notes
    assert [n for n in notes if n.startswith("Imbalanced")] == (
        [f"Imbalanced: {note}, so a low error is easy; see the other metrics."] if note else []
    )


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("My  Data (2).csv.gz", "my_data_2"),
        ("2019.data.csv", "data_2019_data"),
        ("µ.csv", "data"),
        ("iris.data.zip", "iris"),
    ],
)
def test_the_name_is_made_of_the_files(save: Save, file: str, name: str) -> None:
    packed = {"gz": gzip.compress(TOY.encode()), "zip": zipped({"x.csv": TOY})}
    assert inspect_file(save(packed.get(file.rsplit(".")[-1], TOY), file), "label").name == name


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("my.csv", "x,y,label\n1,a\n1,b\n", ", line 2: 2 fields, but the first row has 3"),
        ("my.csv", "x,label\n1,2.50\n2,2.5\n", ": label is '2.5' in every row, so there is noth"),
        ("my.csv", "x,y,label\n,?,a\n?,,b\n", ": every value of every attribute is missing"),
        ("my.csv", "x,label\n1,a\n", ": at least two rows are needed, but there is 1"),
        ("my.csv", "x,label\n", ": at least two rows are needed, but there is none"),
        ("my.csv", " \n\n", ": the file has no rows"),
        ("my.csv", "label\na\nb\n", ": there are no columns other than the target"),
        ("my.csv", "a,b,a,label\n1,2,3,x\n", ": 2 columns are called 'a'; rename them in the file"),
        ("my.csv", b"x,label\n1,\x81\n", ", line 2: not CP1252 text"),
        (
            "my.html",
            "x,label\n",
            ": the format is not known, since 'my.html' does not end in .arff",
        ),
        ("my.svm", "1 1:2\n2 1:inf\n3 1:2", ", row 2: f1 is 'inf', which is not a finite number"),
        (
            "my.csv",
            "x,label\n1,a\n2,b\nnot known,a\n",
            ", line 4: x is 'not known', but 2 of its 3",
        ),
    ],
)
def test_a_file_that_is_wrong_is_refused(
    save: Save, name: str, content: str | bytes, fault: str
) -> None:
    assert refusal(save(content, name)).startswith(f"{name}{fault}")


@pytest.mark.parametrize(
    ("content", "options", "hint"),
    [
        (
            "x,label\n1,a\n2,b\nno idea,a\n",
            {},
            "add --missing 'no idea' if it means a missing value, or --nominal x if the column"
            " holds codes",
        ),
        (rows(1, 2, "few"), {}, "add --task classification if these are labels"),
        (rows("low", "high"), {"task": "regression"}, "which is not a finite number"),
    ],
)
def test_words_among_numbers_are_refused_with_ways_out(
    save: Save, content: str, options: dict[str, Any], hint: str
) -> None:
    assert refusal(save(content), **options).endswith(hint)


@pytest.mark.parametrize(
    ("target", "options", "fault"),
    [
        ("lable", {}, "my.csv: unknown column 'lable'; did you mean 'label'?"),
        ("label", {"nominal": ["siz"]}, "my.csv: unknown column 'siz'; did you mean 'size'?"),
        ("label", {"missing": ["none"]}, "my.csv: no field is 'none', the word of --missing"),
        ("label", {"positive": "yess"}, "my.csv: label has no label 'yess'; did you mean 'yes'?"),
        ("size", {"positive": "8", "nominal": ["id"]}, "my.csv: size has no label '8'"),
        ("label", {"name": "My-data"}, "--name: 'My-data' must begin with a letter and have only"),
        ("label", {"encoding": "zlib"}, "--encoding: unknown encoding 'zlib'"),
        ("label", {"names": "a,b"}, "my.csv: 2 names, but 6 columns"),
    ],
)
def test_what_a_person_states_must_fit_the_file(
    save: Save, target: str, options: dict[str, Any], fault: str
) -> None:
    text = TOY.replace(",,", ",3.5,") if target == "size" else TOY
    assert refusal(save(text), target, ConfigError, **options).startswith(fault)


def test_how_text_is_written_cannot_be_stated_for_other_formats(save: Save) -> None:
    said = refusal(save("1 1:2\n", "a.svm"), kind=ConfigError, decimal=",")
    assert said.startswith("a.svm: encoding, separator, decimal and names are those of the format")


def test_the_path_of_a_file_is_utf8(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.csv")
    path.write_text(rows("a", "b"))
    assert "the path of the file must be UTF-8" in refusal(path)
