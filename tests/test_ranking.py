from __future__ import annotations

import csv
import os
from collections.abc import Callable
from math import nan
from pathlib import Path

import pandas as pd
import pytest

import quadrepro
from quadrepro.api import MOST_BYTES, read_scores
from quadrepro.errors import ConfigError, DataError

SCORES = {
    "ours": [0.20, 0.31, 0.15, 0.27, 0.09, 0.11, 0.24],
    "theirs": [0.22, 0.35, 0.14, 0.30, 0.11, 0.12, 0.29],
}
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str) -> Path:
        path = tmp_path / "scores.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def as_csv(names: bool) -> str:
    lines = [",".join(map(str, row)) for row in zip(*SCORES.values(), strict=True)]
    if names:
        lines = [f"set{i},{line}" for i, line in enumerate(lines)]
    return "\n".join([("dataset," if names else "") + "ours,theirs", *lines]) + "\n"


def test_a_file_a_frame_and_a_mapping_give_the_same(write: Write) -> None:
    expected = quadrepro.rank(SCORES, rope=0.01).ranking
    frame = pd.DataFrame(SCORES)
    named = pd.DataFrame({"dataset": [f"set{i}" for i in range(7)], **SCORES})
    forms = [write(as_csv(names=True)), frame, named, frame.set_axis(list("abcdefg"))]
    for scores in forms:
        assert quadrepro.rank(scores, rope=0.01).ranking == expected
    assert quadrepro.rank(str(write(as_csv(names=False))), rope=0.01).ranking == expected


def test_accuracies_are_ranked_from_the_highest(write: Write) -> None:
    found = quadrepro.rank(SCORES, higher_is_better=True)
    assert found.ranking.methods == ("theirs", "ours")
    assert found.data["shift"][0] > 0
    assert quadrepro.rank(SCORES).ranking.methods == ("ours", "theirs")


def test_resamples_get_the_corrected_t_test() -> None:
    found = quadrepro.rank(SCORES, test_share=0.1)
    assert found.data["corrected t p"].notna().sum() == 1
    assert "over 7 resamples" in found.markdown
    assert quadrepro.rank(SCORES).data["corrected t p"].isna().all()


def test_rows_with_a_missing_score_are_refused_or_left_out_by_name(write: Write) -> None:
    path = write(as_csv(names=True).replace("0.15,0.14", "0.15,NA").replace("0.09,", ","))
    with pytest.raises(DataError, match=r"missing in line 4 \(set2\), line 6 \(set4\): fill"):
        quadrepro.rank(path)
    found = quadrepro.rank(path, drop_missing=True)
    assert found.left_out == ("line 4 (set2)", "line 6 (set4)")
    assert found.ranking.n_datasets == 5
    assert "Left out: line 4 (set2), line 6 (set4), where scores are missing." in found.markdown
    frame = pd.DataFrame({"a": [1.0, nan, 2.0], "b": [2.0, 3.0, 4.0]})
    assert quadrepro.rank(frame, drop_missing=True).left_out == ("1",)


def test_a_result_shows_itself_and_writes_its_files(tmp_path: Path) -> None:
    found = quadrepro.rank(SCORES)
    assert repr(found) == found.markdown
    assert "<table>" in found._repr_html_()
    for name in ("a", "b"):
        found.write(tmp_path / name / "demsar")
    names = {path.name for path in (tmp_path / "a" / "demsar").iterdir()}
    assert names == {f"ranking.{ending}" for ending in ("md", "csv", "tex", "svg", "png")}
    for name in names:
        one, other = ((tmp_path / side / "demsar" / name).read_bytes() for side in ("a", "b"))
        assert one == other
    assert (tmp_path / "a/demsar/ranking.md").read_text(encoding="utf-8") == found.markdown
    rows = list(csv.DictReader((tmp_path / "a/demsar/ranking.csv").read_text().splitlines()))
    assert float(rows[0]["wilcoxon p"]) == found.ranking.pairs[0].wilcoxon_p


BAD = [
    ("", "a table of scores has a line of names"),
    ("a,b\n", "a table of scores has a line of names"),
    ("a,b\n1,2\n1,2,3\n", "scores.csv:3: the line has 3 fields, and the first has 2"),
    ("d,a,b\nx,1,2\ny,3,four\n", "scores.csv:3, column 'b': 'four' is not a number such as 0.035"),
    ("d,a,b\nx,1,2\ny,3,inf\n", "scores.csv:3, column 'b': 'inf' is not a number"),
    ("d,a,b\nx,1,2\ny,3,1_0\n", "scores.csv:3, column 'b': '1_0' is not a number"),
    ("a,b\n1,2\nx,2\n", "scores.csv:3, column 'a': 'x' is not a number"),
    ("a,a\n1,2\n2,3\n", "scores.csv:1, column 2: duplicate 'a'"),
    ("d,a,\nx,1,2\ny,2,3\n", "scores.csv:1, column 3: the column has no name"),
    ('a,b\n1,"2\n', "not valid CSV"),
    ("a,b\n1,2\n", "a ranking needs at least two methods on at least two data sets"),
    ("d,a\nx,1\ny,2\n", "a ranking needs at least two methods"),
    ("a," * 60 + "a\n1,2\n", "scores.csv:2: the line has 2 fields, and the first has 61"),
    (
        "d," + "a," * 60 + "\n" + "x" + ",1" * 61 + "\n",
        "scores.csv:1: 61 methods are too many to rank: at most 60",
    ),
    ("a,b\n" + "1,\n" + "1,2\n" * 5001 + "x,1\n", "scores.csv:5003: too many data sets to rank"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_what_cannot_be_ranked_is_refused_with_its_place(
    write: Write, text: str, message: str
) -> None:
    with pytest.raises(DataError) as caught:
        quadrepro.rank(write(text))
    assert message in str(caught.value)


def test_an_unnamed_first_column_names_the_rows_even_by_numbers(write: Write) -> None:
    found = read_scores(write(",a,b\n0,1,2\n1,3,4\n"))
    assert (found.methods, found.values) == (("a", "b"), ((1, 2), (3, 4)))
    assert read_scores(write("z,a\n0,1\n1,3\n")).methods == ("z", "a")


def test_files_that_cannot_be_read_or_are_too_large_are_refused(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"a,b\n\xe9,1\n")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    for name, message in (
        ("nowhere.csv", "No such file"),
        ("latin", "UTF-8"),
        ("large", "more than 32 MiB"),
    ):
        with pytest.raises(DataError, match=message):
            quadrepro.rank(tmp_path / name)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rope": -0.1}, "the half-width of the rope cannot be -0.1"),
        ({"rope": nan}, "the half-width of the rope cannot be nan"),
        ({"test_share": 1.0}, "the share of test examples cannot be 1: give 0.1"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        quadrepro.rank(SCORES, **options)


def test_what_is_no_table_of_numbers_is_refused() -> None:
    with pytest.raises(DataError, match="as many scores as the others"):
        quadrepro.rank({"a": [1.0], "b": [1.0, 2.0]})
    with pytest.raises(DataError, match="a file, a data frame or a mapping, not <class 'list'>"):
        quadrepro.rank([[1.0, 2.0], [2.0, 1.0]])  # type: ignore[arg-type]
    with pytest.raises(DataError, match="not a table of numbers"):
        quadrepro.rank({"a": ["x"], "b": [1.0]})


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "scores.csv")
    with pytest.raises(DataError, match=r"scores\.csv: not a regular file"):
        read_scores(tmp_path / "scores.csv")
