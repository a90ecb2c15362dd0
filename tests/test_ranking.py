from __future__ import annotations

import csv
from collections.abc import Callable
from math import nan
from pathlib import Path

import pandas as pd
import pytest

import quadrepro
from quadrepro.errors import ConfigError, DataError

SCORES = {
    "ours": [0.20, 0.31, 0.15, 0.27, 0.09, 0.11, 0.24],
    "theirs": [0.22, 0.35, 0.14, 0.30, 0.11, 0.12, 0.29],
}
Write = Callable[[str], Path]


def as_csv(names: bool) -> str:
    lines = [",".join(map(str, row)) for row in zip(*SCORES.values(), strict=True)]
    if names:
        lines = [f"set{i},{line}" for i, line in enumerate(lines)]
    return "\n".join([("dataset," if names else "") + "ours,theirs", *lines]) + "\n"


def test_a_file_a_frame_and_a_mapping_give_the_same(write_scores: Write) -> None:
    expected = quadrepro.rank(SCORES, higher_is_better=False, rope=0.01).ranking
    frame = pd.DataFrame(SCORES)
    named = pd.DataFrame({"dataset": [f"set{i}" for i in range(7)], **SCORES})
    forms = [write_scores(as_csv(names=True)), frame, named, frame.set_axis(list("abcdefg"))]
    for scores in forms:
        assert quadrepro.rank(scores, higher_is_better=False, rope=0.01).ranking == expected
    path = str(write_scores(as_csv(names=False)))
    assert quadrepro.rank(path, higher_is_better=False, rope=0.01).ranking == expected


def test_accuracies_are_ranked_from_the_highest(write_scores: Write) -> None:
    found = quadrepro.rank(SCORES, higher_is_better=True)
    assert found.ranking.methods == ("theirs", "ours")
    assert found.data["shift"][0] > 0
    lower = quadrepro.rank(SCORES, higher_is_better=False)
    assert lower.ranking.methods == ("ours", "theirs")
    assert "ours is better than theirs" in lower.table.notes[-1]
    assert "theirs is better than ours" in found.table.notes[-1]


def test_a_direction_that_is_open_is_refused_before_anything_is_ranked() -> None:
    with pytest.raises(ConfigError, match="are higher or lower scores better"):
        quadrepro.rank(SCORES)


def test_resamples_get_the_corrected_t_test() -> None:
    found = quadrepro.rank(SCORES, higher_is_better=False, test_share=0.1)
    assert found.data["corrected t p"].notna().sum() == 1
    assert "over 7 resamples" in found.markdown


def test_rows_with_a_missing_score_are_refused_or_left_out_by_name(write_scores: Write) -> None:
    path = write_scores(as_csv(names=True).replace("0.15,0.14", "0.15,NA").replace("0.09,", ","))
    with pytest.raises(
        DataError, match=r"missing in line 4 \(set2\): theirs, line 6 \(set4\): ours"
    ):
        quadrepro.rank(path, higher_is_better=False)
    found = quadrepro.rank(path, higher_is_better=False, drop_missing=True)
    assert found.left_out == ("line 4 (set2)", "line 6 (set4)")
    assert found.ranking.n_datasets == 5
    assert "Left out: line 4 (set2), line 6 (set4), where scores are missing." in found.markdown
    frame = pd.DataFrame({"a": [1.0, nan, 2.0], "b": [2.0, 3.0, 4.0]})
    found = quadrepro.rank(frame, higher_is_better=False, drop_missing=True)
    assert found.left_out == ("1",)


def test_a_result_shows_itself_and_writes_its_files(tmp_path: Path) -> None:
    found = quadrepro.rank(SCORES, higher_is_better=False)
    assert repr(found) == found.markdown
    assert "<table>" in found._repr_html_()
    for name in ("a", "b"):
        found.write(tmp_path / name / "demsar")
    names = {path.name for path in (tmp_path / "a" / "demsar").iterdir()}
    assert names == {f"ranking.{ending}" for ending in ("md", "csv", "svg")}
    for name in names:
        one, other = ((tmp_path / side / "demsar" / name).read_bytes() for side in ("a", "b"))
        assert one == other
    assert (tmp_path / "a/demsar/ranking.md").read_text(encoding="utf-8") == found.markdown
    rows = list(csv.DictReader((tmp_path / "a/demsar/ranking.csv").read_text().splitlines()))
    assert float(rows[0]["wilcoxon p"]) == found.ranking.pairs[0].wilcoxon_p


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "d,a\nx,1\ny,2\n"])
def test_one_method_or_one_data_set_is_refused(write_scores: Write, text: str) -> None:
    with pytest.raises(DataError, match=r"scores\.csv: a ranking needs at least two methods on"):
        quadrepro.rank(write_scores(text), higher_is_better=False)


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


@pytest.mark.parametrize("scores", [{"a": [1.0], "b": [1.0, 2.0]}, {"a": [1.0], "b": ["x"]}, {}])
def test_what_is_no_table_of_numbers_is_refused(scores: dict[str, list[float]]) -> None:
    with pytest.raises(DataError, match="not a table of numbers"):
        quadrepro.rank(scores, higher_is_better=False)
