from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from scipy.stats import t as student

from quadrepro.papers.printed import (
    TIME_ROW,
    Facts,
    MeanOf,
    read_printed,
)
from tests.data.tables import Save
from tests.make import refusal

TABLE = "dataset,ada,quad\nzoo,0.10,0.20\nwine,,0.045\nmean_running_time_s,3,0.5\n"


@pytest.fixture
def written(save: Save) -> Save:
    return partial(save, name="table1.csv")


def test_numbers_are_kept_digit_for_digit(written: Save) -> None:
    table = read_printed(written(TABLE))
    assert (table.name, table.columns, table.rows) == ("table1", ("ada", "quad"), ("zoo", "wine"))
    assert (table.text("zoo", "ada"), table.number("zoo", "ada")) == ("0.10", 0.1)
    assert (table.text("wine", "ada"), table.number("wine", "ada")) == ("", None)
    assert table.text(TIME_ROW, "quad") == "0.5"
    assert table.text("zoo", "nobody") == table.text("nowhere", "ada") == ""


@pytest.mark.parametrize(
    ("text", "half"), [("0.10", 0.005), ("3", 0.5), ("0.4126", 0.00005), ("2.", 0.5)]
)
def test_the_rounding_is_half_a_unit_of_the_last_digit(
    written: Save, text: str, half: float
) -> None:
    table = read_printed(written(f"d,a\nzoo,{text}\n"))
    assert table.rounding("zoo", "a") == pytest.approx(half, rel=1e-12)


def test_spaces_blank_lines_quotes_and_a_byte_order_mark_mean_nothing(written: Save) -> None:
    text = b'\xef\xbb\xbfdataset, ada ,"quad, fast"\r\n\r\n zoo , 0.10 ,0.20\r\n,,\r\n'
    table = read_printed(written(text))
    assert table.columns == ("ada", "quad, fast")
    assert table.cells == {("zoo", "ada"): "0.10", ("zoo", "quad, fast"): "0.20"}
    assert table.lines == {"zoo": 3}


def test_a_mean_may_stand_without_its_deviation_and_no_deviation_alone(written: Save) -> None:
    table = read_printed(written("d,a_mean,a_sd\nzoo,1.20,0.3\nwine,1,\ncar,,2\n"))
    assert [table.spread(row, "a") for row in table.rows] == ["1.20 ± 0.3", "1", ""]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("dataset,ada\nzoo,.06x\n", "2:5", "'.06x' is not a number such as 0.035"),
        ("dataset,ada\nzoo,nan\n", "2:5", "'nan' is not a number"),
        ("dataset,ada\nzoo,12%\n", "2:5", "'12%' is not a number"),
        ('dataset,ada,quad\n"zoo, old",1,1_0\n', "2:14", "'1_0' is not a number"),
        ('dataset,ada\n"zoo ""a""",x\n', "2:13", "'x' is not a number"),
        (f"dataset,ada\nzoo,0.{'1' * 16}\n", "2:5", "'0.1111111111111111' is not a number"),
        ("dataset,ada\nzoo,0,1\n", "2:5", "the line has 3 fields, and the first line has 2"),
        ("dataset,ada,quad\nzoo,0.1\n", "2:5", "the line has 2 fields, and the first line has 3"),
        ("dataset,ada\nzoo,1\n\nzoo,2\n", "4:1", "duplicate row 'zoo', first on line 2"),
        ("dataset,ada,ada\nzoo,1,2\n", "1:13", "duplicate column 'ada'"),
        ("dataset,ada,\nzoo,1,2\n", "1:13", "the column has no name"),
        ("dataset,ada\n,2\n", "2:1", "the row has no name"),
        ("dataset,a_sd\nzoo,2\n", "1:9", "'a_sd' is a deviation without its mean, 'a_mean'"),
        ("dataset,ada\n", "1:1", "a printed table has a line of column names and rows below"),
        ("", "1:1", "a printed table has a line of column names and rows below"),
        ('dataset,ada\n"zoo"x,2\n', "2:1", "not valid CSV"),
    ],
)
def test_a_table_that_does_not_hold_together_is_refused_with_its_place(
    written: Save, text: str, place: str, message: str
) -> None:
    assert refusal(written(text), read_printed).startswith(f"{place}: {message}")


def test_a_file_that_cannot_be_read_is_named(written: Save, tmp_path: Path) -> None:
    message = refusal(written(b"d,a\n\xff,1\n"), read_printed)
    assert message == " not a text file in UTF-8 (byte 4)"
    assert refusal(tmp_path / "table9.csv", read_printed).startswith(" No such file")


def test_the_first_of_some_names_that_is_a_printed_row_counts(written: Save) -> None:
    table = read_printed(written(TABLE))
    names = ("", "zoo"), ("no such row", "wine", "zoo"), ("car",), ("mean_running_time_s",)
    assert [table.row_of(some) for some in names] == ["zoo", "wine", None, None]


def test_rows_stand_under_our_titles_and_the_others_keep_their_names(written: Save) -> None:
    table = read_printed(written(TABLE))
    names = {"wine 1": ("", "wine 1", "wine"), "wine 2": ("wine", "wine 2"), "car": ("car",)}
    ours = table.under(names)
    assert [(row, ours.text(row, "quad")) for row in (*ours.rows, TIME_ROW)] == [
        ("wine 1", "0.045"),
        ("wine 2", "0.045"),
        ("zoo", "0.20"),
        (TIME_ROW, "0.5"),
    ]


def test_a_file_outside_of_the_papers_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("open,sesame\n")
    (tmp_path / "paper" / "printed").mkdir(parents=True)
    path = tmp_path / "paper" / "printed" / "g.csv"
    path.symlink_to(tmp_path / "secret")
    message = refusal(path, read_printed)
    assert message == " not a regular file"


def test_rows_of_numbers_and_times_have_no_unit(written: Save) -> None:
    facts = Facts(unit="fraction")
    table = read_printed(written("d,a\nzoo,0.1\ncar,4.2\nmean_running_time_s,3\n"), facts)
    shown = table.in_unit("percent", but=["car"])
    assert (shown.text("car", "a"), shown.text(TIME_ROW, "a")) == ("4.2", "3")


@pytest.mark.parametrize(
    ("ending", "factor"),
    [("_sd", 1.0), ("_se", 20**0.5), ("_ci95", 20**0.5 / student.ppf(0.975, 19))],
)
def test_every_spread_is_used_as_a_standard_deviation(
    written: Save, ending: str, factor: float
) -> None:
    path = written(f"d,a_mean,a{ending}\nzoo,10.0,0.5\n")
    table = read_printed(path, Facts(of=MeanOf(splits=20)))
    moments = table.moments("zoo", "a")
    assert (moments.mean, moments.n) == (10.0, 20)
    assert moments.sd == pytest.approx(0.5 * factor)
    assert table.rounding("zoo", "a_sd") == pytest.approx(0.05 * factor)
    assert table.spread("zoo", "a") == "10.0 ± 0.5"
    assert read_printed(path, Facts(spread="none")).moments("zoo", "a") is None


def test_lines_of_algorithms_are_turned(written: Save) -> None:
    text = "algorithm,zoo_mean,zoo_sd,wine_mean,wine_sd\nada,1.0,0.1,2.0,0.2\nquad,3,0.3,4,0.4\n"
    table = read_printed(written(text), Facts(rows="algorithms", of=MeanOf(cv=10)))
    assert (table.rows, table.algorithms) == (("zoo", "wine"), ("ada", "quad"))
    assert table.spread("wine", "quad") == "4 ± 0.4"
    assert table.lines == {"zoo": 1, "wine": 1}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"of": {}}, "give either splits: 20 or cv: 10"),
        ({"of": {"splits": 2, "cv": 5}}, "give either splits: 20 or cv: 10"),
        ({"of": {"splits": 2, "repeats": 5}}, "repeats is of a cross-validation"),
        ({"of": {"splits": 2, "pooled": True}}, "pooled is of a cross-validation"),
        ({"metric": "accurracy"}, "unknown metric 'accurracy'"),
    ],
)
def test_facts_that_do_not_fit_together_are_refused(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        Facts.model_validate(data)
