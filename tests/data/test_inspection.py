"""Cards of a user's own files: their contents, notes and refusals, for every form of file."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from quadrepro.config.loading import load_experiment
from quadrepro.data.card import load_card_file, write_card
from quadrepro.data.checks import extent
from quadrepro.data.formats import read_source
from quadrepro.data.inspection import inspect_file, renew
from quadrepro.data.notes import MOST_CODES
from quadrepro.data.store import Found
from quadrepro.errors import ConfigError, DataError, QuadreproError
from tests.data.tables import Save, described, has, lines, own_source, zipped
from tests.make import refusal
from tests.reader.forms import workbook

TOY = """id,size,colour,empty,label
7,1.5,grün,,yes
8,,blau,,no
9,-2e1,NA,?,no
10,7,blau,,no
"""


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
    assert has([*card.notes], "Missing values are written '?', '', 'NA'; --present WORD makes")


FRAME = pd.DataFrame(
    {
        "size": [1.5, None, 2.0, -0.25, 7.0, 3.5],
        "n": [3, 1, 2, 3, 3, 1],
        "colour": pd.Categorical(["blue", "red", "blue", None, "red", "blue"], ["blue", "red"]),
        "truth": [True, False, True, True, False, False],
        "day": ["2024-01-31", "2024-02-01", "2024-02-01", "2024-01-31", "2024-03-01", "2024-03-02"],
        "label": ["no", "yes", "no", "no", "yes", "no"],
    }
)
TEXT = FRAME.to_csv(index=False)
FIELDS = [line.split(",") for line in TEXT.splitlines()]
RECORDS = json.loads(FRAME.to_json(orient="records"))
DECLARED = (
    "@relation r % of mine\n@attribute size numeric %in cm\n@ATTRIBUTE n integer [0, 9]\n"
    "@attribute colour {blue, red} {0.5}\n@attribute 'truth' {False,True}\n"
    "@attribute day date 'yyyy-MM-dd'\n@attribute label {no, yes}\n"
)
ROWS = "\n".join(",".join(field or "?" for field in row) for row in FIELDS[1:])

IN_AND_OUT = "@inputs size, n\n@outputs label\n"
BLANK, GERMAN = {"separator": "blank"}, {"separator": ";", "decimal": ","}
UTF_16, CP1252 = {"encoding": "utf-16"}, {"encoding": "cp1252"}
UTF_16_LE = {"encoding": "utf-16-le"}
NAMED = [FIELDS[0]]
NAMED += [[f"r{i}", *(field or "NA" for field in row)] for i, row in enumerate(FIELDS[1:])]

FORMS: dict[str, tuple[str, str | bytes, dict[str, str]]] = {
    "commas": ("t.csv", TEXT, {}),
    "a title": ("t.csv", "Sizes of all,,,,,\n,,,,,\n" + TEXT, {}),
    "comments": ("t.csv", "# a logger\n" + "# of mine\n" * 44 + TEXT, {}),
    "separators at the ends": ("t.csv", TEXT.replace("\n", ",,\n").replace(",,", "", 1), {}),
    "Windows": ("t.csv", ("\n" + TEXT.replace("\n", "\r\n")).encode("utf-16"), UTF_16),
    "without a mark": ("t.csv", f"\ufeff{TEXT}".encode("utf-16-le"), UTF_16_LE),
    "text for Excel": ("t.xls", TEXT.replace(",", "\t"), {"separator": "\t"}),
    "quotes": ("t.data", '"' + TEXT.replace(",", '","').replace("\n", '"\n"')[:-1], {}),
    "Excel's line": ("t.csv", "sep=;\n" + TEXT.replace(",", ";").replace(".", ","), GERMAN),
    "tabs": ("t", TEXT.replace(",", "\t"), {"separator": "\t"}),
    "blanks": ("t.txt", f"{'  '.join(FIELDS[0])}\n{ROWS.replace(',', '  ')}\n", BLANK),
    "row names": ("t.dat", "\n".join(map(" ".join, NAMED)), BLANK),
    "records": ("t.json", json.dumps(RECORDS), {}),
    "lines": ("t.jsonl", "\n".join(map(json.dumps, RECORDS)), {}),
    "parquet": ("t.parquet", FRAME.set_index("size").to_parquet(), {}),
    "Excel": ("t.xlsx", workbook([["All sizes", *[""] * 5], *FIELDS]), {}),
    "ARFF": ("t.arff", f"{DECLARED}@data\n{ROWS}\n", {}),
    "weights": ("t.arff", f"{DECLARED}@data\n" + ROWS.replace("\n", ",{2}\n"), {}),
    "KEEL": ("t.dat", f"{DECLARED}{IN_AND_OUT}@data\n{ROWS.replace(',', ', ')}", {}),
    "cp1252": ("t.arff", f"% größe\n{DECLARED}@data\n{ROWS}\n".encode("cp1252"), CP1252),
    "an archive": ("t.zip", zipped({"t.csv": TEXT, "readme.txt": "of mine"}), {}),
}
"""Name and content of a file in each form, and the parts of its layout that are not usual."""


@pytest.mark.parametrize("form", FORMS)
def test_one_frame_has_one_card_in_every_form(save: Save, form: str) -> None:
    name, content, layout = FORMS[form]
    member, encoding = "t.csv" * (form == "an archive"), "utf-16-le" * (layout == UTF_16_LE)
    card = described(save(content, name), member=member, encoding=encoding)
    parts = {"separator", "encoding", "decimal"}
    assert own_source(card).model_dump(exclude_defaults=True, include=parts) == layout
    assert ("The weights of rows are not used." in card.notes) == (form == "weights")
    if form == "row names":
        card = card.model_copy(update={"attributes": card.attributes[1:]})
    else:
        assert card.content_hash == inspect_file(save(TEXT), "label").content_hash
    assert [a.model_dump(exclude_defaults=True) for a in card.attributes] == [
        {"name": "size", "kind": "numeric", "range": (-0.25, 7)},
        {"name": "n", "kind": "numeric", "range": (1, 3)},
        {"name": "colour", "kind": "nominal", "codes": ("blue", "red")},
        {"name": "truth", "kind": "nominal", "codes": ("False", "True")},
        {"name": "day", "kind": "nominal", "date": "ISO8601"},
    ]
    assert card.target.labels == {"no": 4, "yes": 2}


ARFF = (
    "@relation r\n@attribute speed {3,1,2,'U\\'s'}\n@attribute 'it\\'s load' real\n"
    "@attribute y {{kind}}\n@data\n1,0.5,0\n2,1.5,1\n'U\\'s',?,1\n3,2.5,2\n"
)


@pytest.mark.parametrize(
    ("kind", "task", "expected"),
    [
        ("numeric", None, "regression"),
        ("{0,1,2}", None, "classification"),
        ("numeric", "classification", "classification"),
    ],
)
def test_declared_kinds_and_orders_are_kept(
    save: Save, kind: str, task: str | None, expected: str
) -> None:
    path = save(ARFF.replace("{{kind}}", kind), "t.arff")
    card = described(path, "y", task=task)
    assert (card.task, card.attribute_names) == (expected, ("speed", "it's load"))
    assert card.attributes[0].codes == ("3", "1", "2", "U's")


def test_sparse_rows_have_numbered_features_and_the_target_and_need_no_ending(save: Save) -> None:
    content = "+1 1:1 3:2.5\n-1 2:1\n1 1:4\n"
    for name in ("a.libsvm", "toy_scale"):
        card = described(save(content, name), "y", task="classification")
        assert card.attribute_names == ("x1", "x2", "x3")
        assert (card.target.original, card.target.labels) == ("y", {"-1": 1, "1": 2})


def test_rows_without_a_target_are_refused_or_left_out_with_a_count(save: Save) -> None:
    path = save("id,y,label\n7,u,a\n\n9,v,?\n31,u,b\n12,u,a\n,,\n41,u,NA\nEnd of data,,\n")
    with pytest.raises(QuadreproError, match=r"line 4: .* in 3 of 6 rows; --drop-missing-target"):
        inspect_file(path, "label")
    card = described(path, drop_missing_target=True)
    assert (card.rows, card.target.labels) == (3, {"a": 2, "b": 1})
    assert card.attributes[1].codes == ("u",)
    assert "Rows without a target, which are left out: 3." in card.notes
    assert any(note.startswith("Rows that repeat an earlier one: 1 in the") for note in card.notes)
    assert not own_source(described(save(TOY), drop_missing_target=True)).drop_unlabelled


@pytest.mark.parametrize(
    ("fields", "told", "expected"),
    [
        (["1,5", "2"], None, (1.5, 2)),
        (["0,513", "-1,486"], None, (-1.486, 0.513)),
        (["1,234.5", "-12,345"], ".", (-12345, 1234.5)),
        (["1.234,5", "-12.345"], ",", (-12345, 1234.5)),
        (["1,234.5", "2,000"], None, (1234.5, 2000)),
        (["1.234,5", "€2.000"], None, (1234.5, 2000)),
        (["1,234.5", "2.000,5"], None, "x is '1,234.5': other numbers have the other decimal sign"),
        (["R$ 1,234.5", "US$ 7"], None, (7, 1234.5)),
        (["1,000", "2,500"], None, "is '1,000', which is a number only with --decimal . or , (the"),
        (["$1,234.50", "-$2"], None, (-2, 1234.5)),
        (["$1,000", "$2"], None, "is '$1,000', which is a number only with --decimal . or , (the"),
        (["1", "0,513"], ".", "is '0,513', which is a number only with --decimal ,\n"),
        (["1 234,5", "-12\xa0345\u2009678"], None, (-12345678, 1234.5)),
        (["1'234.5", "7 €"], None, (7, 1234.5)),
        (["12.5%", "", "(3) %"], None, (-3, 12.5)),
        (["(1,234.5)", "7"], ".", (-1234.5, 7)),
        (["12%", "13", "14", "15"], None, "numbers and words are mixed in x ('12%' in line 2)"),
        (["1", "2", "1 23"], None, "numbers and words are mixed in x ('1 23' in line 4); add"),
        (["1", "2", "12,34,567"], ".", "mixed in x ('12,34,567' in line 4)"),
    ],
)
def test_commas_are_decimal_signs_or_between_thousands(
    save: Save, fields: list[str], told: str | None, expected: tuple[float, float] | str
) -> None:
    path = save(lines("x;label", *(f"{field};{'ab'[i % 2]}" for i, field in enumerate(fields))))
    if isinstance(expected, tuple):
        card = described(path, decimal=told)
        assert card.attributes[0].range == expected
        is_marked = not set("".join(fields)) <= set("0123456789-.,")
        assert has([*card.notes], "Numbers with blanks, signs or leading zeros") == is_marked
    else:
        with pytest.raises(QuadreproError) as error:
            inspect_file(path, "label", decimal=told)
        assert expected in f"{error.value}\n"


def test_a_range_shows_that_its_ends_differ() -> None:
    assert extent((1e15, 1e15 + 1)) == "from 1000000000000000 to 1000000000000001"
    assert extent((0.1 + 0.2, 0.5)) == "from 0.3 to 0.5"


def test_the_decimal_sign_is_that_of_most_columns(save: Save) -> None:
    row = "1,5;{};a;NA\n2,5;3;b;2,5\n"
    assert own_source(described(save("x;y;label;z\n" + row.format("1")))).decimal == ","
    path = save("x;y;z;label\n1.5;p,q;r,s;a\n2;t,u;v,w;b\n")
    assert own_source(described(path)).decimal == "."


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ('0.5;"9,100";a\n1.5;"10,200";b\n', 10200),
        ('0,5;"9.100";a\n1,5;"10.200";b\n', 10200),
        ('1;"9,926,100";a\n2;"10,926,101";b\n', 10926101),
        ('0,5;"9,100";a\n1.5;"10,200";b\n', "x is '0,5': other numbers have the other"),
        ("1;192.168.100;a\n2;10.100.200;b\n", "--decimal ,"),
    ],
)
def test_thousands_are_clear_if_decimals_have_the_other_sign(
    save: Save, rows: str, expected: float | str
) -> None:
    path = save(f"x;y;label\n{rows}")
    if isinstance(expected, str):
        with pytest.raises(QuadreproError, match=expected):
            inspect_file(path, "label")
    else:
        assert described(path).attributes[1].range[1] == expected


def test_what_is_detected_can_be_overruled(save: Save) -> None:
    path = save("a|1,5|č\nb|2,5|d\n".encode("cp1250"))
    told = {"encoding": "cp1250", "separator": "|", "decimal": ",", "names": "u,v,w"}
    card = described(path, "w", **told)
    assert (card.attribute_names, [*card.target.labels]) == (("u", "v"), ["d", "č"])
    card = described(save("1.5\ta\n2.5\tb\n"), "x2", no_header=True, separator="tab")
    assert (card.attribute_names, card.rows) == (("x1",), 2)
    card = inspect_file(save("1,a\n2,b\n"), "y", no_header=True, names="size, y")
    assert card.attribute_names == ("size",)
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
    are_equal = len({labels.count(label) for label in labels}) == 1
    assert ("last" in card.view("default").evidence) == (are_equal and not given)
    noted = f"Imbalanced: the rarest class has {rare}."
    assert [n for n in card.notes if n.startswith("Imbalanced")] == ([noted] if rare else [])


@pytest.mark.parametrize(
    ("name", "values", "remark"),
    [
        ("customer_id", [50, 7, 31, 12] * 3 + [*range(100, 190)], "look like IDs"),
        ("Kundennummer", [50, 7, 31, 12], "Almost every row has a whole number of its own"),
        ("No_of_Votes", [50, 7, 31, 12], ""),
        ("population number", [50, 7, 31, 12], "exclude it if it is an ID"),
        ("year", [2001, 2002, 2003, 2004], ""),
        ("date", [20150103, 20140207, 20150211, 20140312], "look like dates"),
        ("price", ["Rs. 50", "Rs. 7", "Rs. 31", "Rs. 12"], "these numbers have words or signs"),
        ("span", ["1.5 km", "12 km", "7 km", "30 km"], "these numbers have words or signs"),
        ("price", ["₹1099.00", "₹50.00", "₹7.00", "₹31.50"], "Numbers with blanks, signs"),
        ("part", ["C001", "C007", "C031", "C012"], "look like IDs"),
        ("income", [50, 7, 31, 12], ""),
        ("income", [4, 2, 3, 5], "look like IDs"),
        ("id", ["$50", "$7", "$31", "$12"], "look like IDs"),
        ("id", [1, 1, 2, 3], ""),
        ("id", ["", 7, 9, 31], ""),
        ("day", ["31.01.2024", "01.02.2024", "01.02.2024", "03.02.2024"], "Dates, left out"),
        ("word", [f"w{i % (MOST_CODES + 1)}" for i in range(150)], "more than 100 codes"),
        ("word", [f"w{i % MOST_CODES}" for i in range(150)], "Taken as nominal"),
        ("areaCode", [1, 2, 2, 1], "look like codes"),
        ("encoded", [1, 2, 2, 1], ""),
        ("plot", ["07", "05", "05", "12"], "leading zeros: if they are codes"),
        ("", [3, 1, 4, 2], "look like IDs"),
        ("PID", [30, 10, 40, 20], "look like IDs"),
        ("hours", [8, 8, 8, 8], "One value in all rows"),
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
    assert has([*card.notes], "Kept, although they look like IDs")
    card = inspect_file(save("day,label\n1.2.2020,a\n1.3.2020,b\n"), "label")
    assert has([*card.notes], "Dates; to test on the latest rows, add split: {time: NAME}; read as")
    rows = (f"{i},{'good bad fine'[i % 3 :]} word {i},{'ab'[i % 2]}" for i in range(40))
    card = inspect_file(save(lines("id,text,label", *rows)), "label")
    assert card.view("default").exclude == ("id",)
    assert has(
        [*card.notes], "Free text, which only estimators of your own can use, with nominal: cat"
    )
    assert not any("determines" in note for note in card.notes)
    assert inspect_file(save(TOY, "2019.data.csv"), "label").name == "data_2019"
    assert inspect_file(save(TOY, "µ.csv"), "label").name == "data"
    assert inspect_file(save(TOY), "label", name="Ours-1").name == "ours_1"


WORDS_AMONG_NUMBERS = "u,v,y\n1,x,a\n2,2,b\nw,3,a\n4,4,b\n5,5,a\n"
TWO_COLUMNS_WITH_WORDS = (
    "numbers and words are mixed in u ('w' in line 4), v ('x' in line 2); add --missing u=w"
    " --missing v=x for words that mean a missing value, or --nominal u --nominal v if the values"
)
TOTALS, TOTALS_OPTIONS = (
    "u,v,y\n1,2,a\n2,2,b\nTotal,4,a\n",
    {"target": "y"},
)
NO_WORD = {"target": "y", "missing": ["x=9"]}


@pytest.mark.parametrize(
    ("name", "content", "options", "fault"),
    [
        ("a.csv", "x,label\n1,2.50\n2,2.5\n", {}, "label has less than two distinct values"),
        ("a.csv", "x,label\n", {}, "the file has a header but no rows"),
        ("a.csv", "x,y,label\n,?,a\n?,,b\n", {}, "no column other than the target has a value"),
        (
            "a.csv",
            "a,b,a,label\n1,2,3,x\n",
            {},
            "two columns are called 'a': --skip N --names A,B,C gives other names",
        ),
        (
            "a.csv",
            "1,1,2\n3,1,2\n",
            {"target": "2"},
            "its first line looks like data (1, 1, 2): --no-header calls the columns",
        ),
        ("a.png", b"\x89PNG\0", {}, "the format is not known, and 'a.png' is not text"),
        ("a.xlsx", b"PK\3\4", {}, "not readable as excel"),
        ("a.parquet", "version https://git-lfs.github.com/spec/v1\n", {}, "run git lfs pull"),
        ("a.xls", "<table><tr><td>label", {}, "the content is HTML or XML: save it as CSV"),
        ("a.csv", b"\x81,label\n", {}, "line 1: not CP1252 text; save it as UTF-8, or"),
        ("a.svm", "1 1:2\n2 1:inf\n3 1:2", {}, ", row 2: x1 is 'inf', which is not a finite"),
        (
            "a.csv",
            "x,label\n1,a\n2,b\nno,a\n",
            {},
            "numbers and words are mixed in x ('no' in line 4)",
        ),
        (
            "a",
            "1 qid:3 1:0.5 2:1\n0 qid:3 1:2\n",
            {},
            "qid: marks ranking data; to predict labels",
        ),
        ("a", "2,0 1:0.5 2:1\n1 1:2\n", {}, "line 1 has several labels; keep one of them in"),
        ("a.svm", "1 1:2\n2,3 1:2\n", {}, "line 2 has several labels; keep one of them in"),
        ("a.csv", TOY, {"target": "lable"}, "unknown column 'lable'; did you mean 'label'?"),
        ("a.csv", "Logger: X\nNo;12\n\nx;label;\n1;a;\n", {}, "--skip N skips lines above the"),
        ("a.csv", TOY, {"present": ["size=NA"]}, "a word such as NA or None, not 'size=NA'"),
        ("a.csv", TOY, {"missing": ["none"]}, "no field is 'none', the word of --missing"),
        ("a.csv", TOY, {"positive": "yess"}, "label has no label 'yess'; did you mean 'yes'?"),
        ("a.csv", TOY, {"task": "regression"}, "label has no numbers, so the task cannot be"),
        ("a.csv", TOY, {"names": "a,b"}, "2 names, but 5 columns"),
        ("a.csv", TOY, {"encoding": "none"}, "--encoding: unknown encoding: none"),
        (os.fsdecode(b"caf\xe9.csv"), TOY, {}, "the path of the file must be UTF-8"),
        ("a.svm", "1 1:2\n", {"decimal": ","}, "--decimal does not apply to a file of format"),
        ("a.csv", "1.5,a\n2.5,b\n", {"target": "x2"}, "line looks like data (1.5, a): --no-head"),
        ("a.csv", TOY, {"sheet": "Grades"}, "--sheet does not apply to a file of format"),
        ("a.csv", WORDS_AMONG_NUMBERS, {"target": "y"}, TWO_COLUMNS_WITH_WORDS),
        ("a.csv", "u,v,label\ns,kg,-\n1,2,a\n2,3,b\n", {}, "u is 's': the row looks like units"),
        ("a.csv", "u,label\n(s),(-)\n1,a\n2,b\n", {}, "line 2: u is '(s)': the row looks like"),
        ("a.csv", "u,label\n1,a\nTitle,\nu,label\n", {}, "line 4: the names of the columns again"),
        ("a.csv", "u,label\n1,a\nu,b\n2,a\n", {}, "add --missing u=u for words that mean"),
        ("a.csv", "u,v,label\nno,no,b\n1,2,a\n2,1,b\n", {}, "words are mixed in u ('no'"),
        ("a.csv", TOTALS, TOTALS_OPTIONS, "The last row (line 4) looks like totals: remove it"),
        ("a.csv", "x,label\n1,NA\n2,b\n3,a\n", {}, "if 'NA' is a label, add --present 'NA'"),
        ("a.csv", "x,y\n1,a\n2,b\n", NO_WORD, "no field of x is '9', the word of --missing"),
        ("a.csv", "a title\nx,y\n1,a,5,1\n2,b,6,2\n", {}, "line 2: 2 names, but 4 fields in the"),
        ("a.csv", "u,v,y\n1,Rome, IT,a\n1,Bari, IT,b\n", {}, "3 names, but 4 fields in the rows"),
        ("a.csv", "u,v,label\n1,2,a\n3", {}, "1 field, but the first row has 3; the file ends"),
        ("a.csv", "u,v,y\n1.5,Rome, IT,a\n1.2,Bari, IT,b\n", {}, "line 1: 3 names, but 4 fields"),
        ("a.csv", "red,p\nblue,q\nred,q\n", {"target": "-1"}, "its first line looks like data"),
        ("a.csv", ".5,-.5,-1\n.3,.7,1\n.2,.1,-1\n", {"target": "-1"}, "--skip N --names A,B,C"),
        (
            "a.csv",
            "a,x\nb,x\na,x\na,y\n",
            {"target": "x"},
            "line 3: the names of the columns again",
        ),
        (
            "a.csv",
            "p;label\n1.510;a\n99.806;b\n12;a\n",
            {},
            "1.510 can be thousands: add --decimal",
        ),
        ("a.csv", "target,label\n1,a\n2,b\n", {}, "rename the column 'target' in the file"),
        ("a.csv", "1..5,label\n1,a\n2,b\n", {}, "rename the column '1..5'"),
        ("a.csv", "x,label\n1,\n2,\n", {}, "the target label has no value in any row"),
        ("a.csv", "label\na:1\nb:2\n", {}, "state the --separator of its fields"),
    ],
)
def test_a_file_or_an_option_that_is_wrong_or_not_clear_is_refused_with_the_way_on(
    save: Save, name: str, content: str | bytes, options: dict[str, Any], fault: str
) -> None:
    read = partial(inspect_file, **{"target": "label", **options})
    assert fault in refusal(save(content, name), read, QuadreproError)


@pytest.mark.parametrize("text", ["size,y\n-999,a\n-999.0,b\n3,a\n", "size,y\nn/a,a\n4,b\n3,a\n"])
def test_what_is_missing_stays_so_when_the_file_is_read(save: Save, text: str) -> None:
    options = {"missing": ["-999"]} if "999" in text else {}
    card = described(save(text), "y", **options)
    assert card.missing_cells == text.count("9") // 3 + text.count("n/a")


def test_numbers_of_parquet_may_be_missing_and_a_range_ends_at_zero_without_a_sign(
    tmp_path: Path,
) -> None:
    frame = pd.DataFrame({"size": [-2.0, -999.0, -0.0, -1.0], "label": ["a", "b", "a", "b"]})
    frame.to_parquet(tmp_path / "my.parquet")
    card = described(tmp_path / "my.parquet", missing=["-999"])
    assert (card.missing_cells, card.attributes[0].range) == (1, (-2, 0))
    assert not np.signbit(card.attributes[0].range[1])


def test_words_can_be_values_and_missing_in_one_column(save: Save) -> None:
    path = save("x,z,y\nNone,-9,NA\nMild,1,b\nNone,-9,NA\nGrave,7,b\n")
    card = described(path, "y", present=["NA", "None"], missing=["z=-9"])
    assert card.target.labels == {"NA": 2, "b": 2}
    assert card.attributes[0].codes == ("Grave", "Mild", "None")
    assert (card.missing_cells, card.attributes[1].range) == (2, (1, 7))


@pytest.mark.parametrize(("place", "name"), [("-1", "y"), ("1", "x"), ("-2", "x"), ("2", "y")])
def test_a_target_can_be_given_by_its_place(save: Save, place: str, name: str) -> None:
    path = save("x,y\n1,a\n2,b\n")
    for options in ({}, {"test": path}):
        assert inspect_file(path, place, **options).target.original == name


def test_names_can_be_rising_numbers_and_a_separator_may_follow_the_last_one(save: Save) -> None:
    for text, names in (
        ("0,1,2,kind\n5,.5,7,a\n6,.7,8,b\n", ("0", "1", "2")),
        ("2019,2020,kind\n5,.5,a\n6,.7,b\n", ("2019", "2020")),
        ("x,kind,\n5,a\n6,b\n", ("x",)),
        ("x,kind,\n5,a,\n6,b,\n", ("x",)),
    ):
        card = described(save(text), "-1")
        assert (card.attribute_names, card.target.original, card.rows) == (names, "kind", 2)
    card = described(save('"",x1,kind\n3,5,a\n1,6,b\n'), "kind")
    assert card.attribute_names == ("column_1", "x1")


def test_fields_are_read_as_their_format_writes_them(save: Save, tmp_path: Path) -> None:
    assert described(save("x,label\n\u22120.5,a\n1,b\n")).attributes[0].range == (-0.5, 1)
    assert described(save("x=1,label\n3,a\n-9,b\n2,a\n"), missing=["x=1=-9"]).missing_cells == 1
    numbers = [f"{2**60 + i}" for i in range(4)]
    card = described(save(lines("id,label", *(f"{n},{n[-1]}" for n in numbers))))
    assert card.attributes[0].kind == "nominal"
    arff = "@relation r\n@attribute x real\n@attribute label {a,b}\n@data\n1.5  a\n2.5 b\n"
    assert described(save(arff, "a.arff")).attributes[0].range == (1.5, 2.5)
    by_name = {f"k{i}": {"x": i, "label": "ab"[i % 2]} for i in range(4)}
    assert described(save(json.dumps(by_name), "a.json")).rows == 4
    frame = pd.DataFrame({"price": ["64,066", "1,200"], "label": ["a", "b"]})
    frame.to_parquet(tmp_path / "a.parquet")
    card = described(tmp_path / "a.parquet", decimal=".")
    assert card.attributes[0].range == (1200, 64066)


def test_a_test_file_is_written_like_the_training_file(save: Save) -> None:
    train = save("x,y\n1.5,a\n2.5,b\n", "train.csv")
    for text, fault in (
        ("x;y\n3.5;b\n", "its separator is ';', but ','"),
        ("x,y\n3.5,é\n".encode("cp1252"), "its encoding is 'cp1252', but 'utf-8'"),
        ('[{"x": 3.5, "y": "b"}]', "its format is 'json', but 'csv'"),
        ("x,y\n3.5,b\noops,b\n", "'oops' in line 3 of the test file"),
    ):
        assert fault in refusal(
            save(text, "t"), lambda path: inspect_file(train, "y", test=path), DataError
        )
    card = described(train, "y", test=save("x,y\n3.5,c\n", "t"))
    assert has([*card.notes], "Labels that no training row has: c.")
    sparse = save("1 1:2\n-1 2:3\n", "a.svm"), save("1 4:5\n", "t.svm")
    for train, test in (sparse, sparse[::-1]):
        assert described(train, "y", test=test).attribute_names == ("x1", "x2", "x3", "x4", "part")


def test_a_card_is_renewed_only_for_the_same_columns(save: Save, tmp_path: Path) -> None:
    place = tmp_path / "datasets" / "my.yaml"
    for text, changed in (
        ("x,id,y\n1,2,a\n3,4,b\n", "id,x,y\n1,2,a\n3,4,b\n"),
        ("x,id,y\n1,2,a\n3,4,b\n", "1,2,a\n3,4,b\n"),
        ("x,id,y\n1,2,a\n3,4,b\n", "x;id;y\n1;2;a\n3;4;b\n"),
    ):
        write_card(inspect_file(save(text), "y"), place)
        path = save(changed)
        fault = refusal(path, lambda _: renew(load_card_file(place), place), DataError)
        assert "its columns differ from the card" in fault
        assert "--target y --force writes a new card" in fault


def test_a_file_of_test_rows_makes_one_card_with_one_split(save: Save) -> None:
    train, test = save("x,y\n1.5,a\n2.5,b\n", "train.csv"), save("x,y\n3.5,b\n", "test.csv")
    card = described(train, "y", test=test)
    assert (card.rows, card.by_name["part"].codes) == (3, ("test", "train"))
    assert read_source(own_source(card))["part"].tolist() == ["train", "train", "test"]
    for text, difference in (
        ("z,y\n3.5,b\n", "it has no x"),
        ("y,x\nb,3.5\n", "y in place of x, x in place of y"),
    ):
        with pytest.raises(DataError, match=f"differ from the training rows: .*{difference}"):
            inspect_file(train, "y", test=save(text, "other.csv"))
    with pytest.raises(DataError, match="rename 'part' in the files"):
        inspect_file(save("part,y\n1,a\n2,b\n"), "y", test=test)
    # Of two files of one layout, one can have a line above its rows.
    train, test = (
        save("1.5,2,a\n2.5,3,b\n", "a.data"),
        save("|1x2 test\n3.5,4,b\n4.5,5,a\n", "a.test"),
    )
    assert described(train, "x3", test=test, no_header=True).rows == 4


def test_a_renewed_card_keeps_its_decisions_and_counts_again(save: Save, tmp_path: Path) -> None:
    path = save("zip,size,y\n1,1.000,a\n2,2.000,b\n1,-9,b\n,,?\n")
    options = {"nominal": ["zip"], "positive": "b", "missing": ["-9"], "decimal": ","}
    card = described(path, "y", drop_missing_target=True, **options)
    card = card.model_copy(update={"licence": "mine", "notes": ("Seen by me.", *card.notes)})
    place = tmp_path / "datasets" / f"{card.name}.yaml"
    write_card(card, place)
    save("zip,size,y\n1,1.000,a\n3,4.500,b\n1,-9,b\n2,7,a\n,,?\n")
    again = renew(load_card_file(place), place)
    Found(again, again.sources[0]).load()  # type: ignore[arg-type]
    assert (again.rows, again.target.labels, again.licence) == (4, {"a": 2, "b": 2}, "mine")
    assert (again.attributes[0].codes, again.attributes[1].range) == (("1", "2", "3"), (7, 4500))
    assert again.view("default") == card.view("default")
    assert again.notes[0] == "Seen by me."
    with pytest.raises(ConfigError, match="describes no file of your own"):
        renew(card.model_copy(update={"sources": ()}), place)


def test_cards_beside_the_config_are_found_from_anywhere(
    save: Save, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for folder, label in ((tmp_path / "there", "c"), (tmp_path / "here", "b")):
        folder.mkdir(exist_ok=True)
        (folder / "t.csv").write_text(f"x,y\n1.5,a\n2.5,{label}\n")
        write_card(inspect_file(folder / "t.csv", "y"), folder / "datasets" / "t.yaml")
        text = "title: T\nalgorithms: [baseline]\nprotocol: {view: default}\ndatasets: [t]\n"
        text += "readings: [{name: again, protocol: {folds: 2}}]\n"
        (folder / "t.yaml").write_text(text)
    for folder, label in (("../there", "c"), (os.curdir, "b")):
        rows = load_experiment(Path(folder, "t.yaml")).config.rows
        assert [[*row.item.card.target.labels] for row in rows] == [["a", label]] * 2
