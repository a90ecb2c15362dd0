"""Files as people keep them: other dialects, forms and lines around the table."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pandas as pd
import pytest

from quadrepro.config.loading import load_experiment
from quadrepro.data.card import Card, load_card_file
from quadrepro.data.files import read_source
from quadrepro.data.inspection import inspect_file, renew, write_card
from quadrepro.data.source import FileSource
from quadrepro.data.store import Found
from quadrepro.errors import ConfigError, DataError, QuadreproError
from tests.data.tables import Save, zipped
from tests.reader.forms import workbook

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

FORMS: dict[str, tuple[str, str | bytes]] = {
    "commas": ("t.csv", TEXT),
    "a title": ("t.csv", "Sizes of all,,,,,\n,,,,,\n" + TEXT),
    "comments": ("t.csv", "# a logger\n# of mine\n" + TEXT),
    "Excel's line": ("t.csv", "sep=;\n" + TEXT.replace(",", ";").replace(".", ",")),
    "tabs": ("t", TEXT.replace(",", "\t")),
    "row names": (
        "t.dat",
        "\n".join(
            [
                " ".join(FIELDS[0]),
                *(
                    " ".join([f"r{i}", *(field or "NA" for field in row)])
                    for i, row in enumerate(FIELDS[1:])
                ),
            ]
        ),
    ),
    "records": ("t.json", json.dumps(RECORDS)),
    "lines": ("t.jsonl", "\n".join(map(json.dumps, RECORDS))),
    "parquet": ("t.parquet", FRAME.to_parquet()),
    "Excel": ("t.xlsx", workbook([["All sizes", *[""] * 5], *FIELDS])),
    "ARFF": ("t.arff", f"{DECLARED}@data\n{ROWS}\n"),
    "weights": ("t.arff", f"{DECLARED}@data\n" + ROWS.replace("\n", ",{2}\n")),
    "KEEL": (
        "t.dat",
        f"{DECLARED}@inputs size, n\n@outputs label\n@data\n{ROWS.replace(',', ', ')}",
    ),
    "cp1252": ("t.arff", f"% größe\n{DECLARED}@data\n{ROWS}\n".encode("cp1252")),
    "an archive": ("t.zip", zipped({"t.csv": TEXT, "readme.txt": "of mine"})),
}


def described(path: Path, target: str = "label", **options: object) -> Card:
    """Return the card of a file, whose rows it fits."""
    card = inspect_file(path, target, **options)
    Found(card, card.sources[0]).load()  # type: ignore[arg-type]
    return card


@pytest.mark.parametrize("form", FORMS)
def test_one_frame_has_one_card_in_every_form(save: Save, form: str) -> None:
    name, content = FORMS[form]
    card = described(save(content, name), member="t.csv" if form == "an archive" else "")
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


def test_sparse_rows_need_no_ending(save: Save) -> None:
    card = described(save("+1 1:0.5 2:1\n-1 3:-1\n", "toy_scale"), "y")
    assert (card.attribute_names, card.target.labels) == (("x1", "x2", "x3"), {"-1": 1, "1": 1})


@pytest.mark.parametrize(
    ("text", "target", "options", "fault"),
    [
        ("1.5,a\n2.5,b\n", "x2", {}, r"line looks like data \(1.5, a\): --no-header calls the col"),
        ("1.5,a\n2.5,b\n", "y", {"sheet": "Grades"}, "--sheet does not apply to a file of format"),
        (
            "u,v,y\n1,x,a\n2,2,b\nw,3,a\n4,4,b\n5,5,a\n",
            "y",
            {},
            "2 columns of numbers have words: u .'w' in line 4., v .'x' in line 2.; add --nominal"
            " u --nominal v if their values are codes, or --missing u=w --missing v=x for words",
        ),
        (
            "u,v,y\n1,2,a\n2,2,b\nTotal,4,\n",
            "y",
            {"drop_missing_target": True},
            "The last row .line 4. looks like totals: remove it",
        ),
        ("x,y\n1,NA\n2,b\n3,a\n", "y", {}, "if 'NA' is a label, add --present 'NA'"),
        ("x,y\n1,a\n2,b\n", "y", {"missing": ["x=9"]}, "no field of x is '9', the word of --miss"),
        ("a title\nx,y\n1,a,5,1\n2,b,6,2\n", "x", {}, "line 2: 2 names, but 4 fields in the rows"),
    ],
)
def test_what_is_not_clear_is_refused_with_the_option_that_decides_it(
    save: Save, text: str, target: str, options: dict[str, object], fault: str
) -> None:
    with pytest.raises(QuadreproError, match=fault):
        inspect_file(save(text), target, **options)


def test_words_can_be_values_and_missing_in_one_column(save: Save) -> None:
    path = save("x,z,y\nNone,-9,NA\nMild,1,b\nNone,-9,NA\nGrave,7,b\n")
    card = described(path, "y", present=["NA", "None"], missing=["z=-9"])
    assert card.target.labels == {"NA": 2, "b": 2}
    assert card.attributes[0].codes == ("Grave", "Mild", "None")
    assert (card.missing_cells, card.attributes[1].range) == (2, (1, 7))


@pytest.mark.parametrize(("place", "name"), [("-1", "y"), ("1", "x"), ("-2", "x"), ("2", "y")])
def test_a_target_can_be_given_by_its_place(save: Save, place: str, name: str) -> None:
    assert inspect_file(save("x,y\n1,a\n2,b\n"), place).target.original == name


def test_a_file_of_test_rows_makes_one_card_with_one_split(save: Save) -> None:
    train, test = save("x,y\n1.5,a\n2.5,b\n", "train.csv"), save("x,y\n3.5,b\n", "test.csv")
    card = described(train, "y", test=test)
    assert (card.rows, card.by_name["part"].codes) == (3, ("test", "train"))
    source = card.sources[0]
    assert isinstance(source, FileSource)
    assert read_source(source)["part"].tolist() == ["train", "train", "test"]
    with pytest.raises(DataError, match="its columns differ from the training rows"):
        inspect_file(train, "y", test=save("z,y\n3.5,b\n", "other.csv"))
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
        (folder / "t.yaml").write_text(text)
    for folder, label in (("../there", "c"), (os.curdir, "b")):
        [entry] = load_experiment(Path(folder, "t.yaml")).config.datasets
        assert [*entry.card.target.labels] == ["a", label]
