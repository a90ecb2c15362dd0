from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest

from quadrepro.papers.paper import load_paper, paper_names
from quadrepro.papers.printed import MEAN_ROW, NOTHING, TIME_ROW, Printed, read_printed
from tests.refusals import refusal

TABLE = "dataset,ada,quad\nzoo,0.10,0.20\nwine,,0.045\nmean_running_time_s,3,0.5\n"

Write = Callable[[str | bytes], Path]


class Row(NamedTuple):
    name: str
    title: str = ""
    printed: str = ""


@pytest.fixture
def written(tmp_path: Path) -> Write:
    def write(text: str | bytes) -> Path:
        path = tmp_path / "table1.csv"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


def test_numbers_are_kept_digit_for_digit(written: Write) -> None:
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
    written: Write, text: str, half: float
) -> None:
    table = read_printed(written(f"d,a\nzoo,{text}\n"))
    assert table.rounding("zoo", "a") == pytest.approx(half, rel=1e-12)


def test_spaces_blank_lines_quotes_and_a_byte_order_mark_mean_nothing(written: Write) -> None:
    text = b'\xef\xbb\xbfdataset, ada ,"quad, fast"\r\n\r\n zoo , 0.10 ,0.20\r\n,,\r\n'
    table = read_printed(written(text))
    assert table.columns == ("ada", "quad, fast")
    assert table.cells == {("zoo", "ada"): "0.10", ("zoo", "quad, fast"): "0.20"}
    assert table.lines == {"zoo": 3}


@pytest.mark.parametrize(
    ("header", "holds", "algorithms"),
    [
        ("dataset,ada,quad", "risks", ("ada", "quad")),
        ("dataset,ada_mean,ada_sd,quad_mean,quad_sd", "errors", ("ada", "quad")),
        ("dataset,ada_mean,quad_mean", "errors", ("ada", "quad")),
    ],
)
def test_means_and_deviations_make_a_table_of_errors(
    written: Write, header: str, holds: str, algorithms: tuple[str, ...]
) -> None:
    table = read_printed(written(f"{header}\nzoo{',1' * header.count(',')}\n"))
    assert (table.holds, table.algorithms) == (holds, algorithms)


def test_a_mean_may_stand_without_its_deviation_and_no_deviation_alone(written: Write) -> None:
    table = read_printed(written("d,a_mean,a_sd\nzoo,1.20,0.3\nwine,1,\ncar,,2\n"))
    assert [table.spread(row, "a_mean", "a_sd") for row in table.rows] == ["1.20 ± 0.3", "1", ""]


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
    written: Write, text: str, place: str, message: str
) -> None:
    assert refusal(written(text), read_printed).startswith(f"{place}: {message}")


def test_a_file_that_cannot_be_read_is_named(written: Write, tmp_path: Path) -> None:
    message = refusal(written(b"d,a\n\xff,1\n"), read_printed)
    assert message == " not a text file in UTF-8 (byte 4)"
    assert refusal(tmp_path / "table9.csv", read_printed).startswith(" No such file")


def test_a_row_of_ours_takes_the_first_printed_row_of_its_names(written: Write) -> None:
    table = read_printed(written(TABLE))
    rows = [
        Row("zoo"),
        Row("mnist", "wine"),
        Row("zoo", "zoo, again", "wine"),
        Row("wine", "my wine", "no such row"),
        Row("car", "no such row"),
        Row("mean_running_time_s"),
    ]
    assert [table.row_of(row) for row in rows] == ["zoo", "wine", "wine", "wine", None, None]


def test_rows_stand_under_our_titles_and_the_others_keep_their_names(written: Write) -> None:
    table = read_printed(written(TABLE))
    ours = table.under([Row("wine", "wine 1"), Row("wine", "wine 2"), Row("car", "car")])
    assert [(row, ours.text(row, "quad")) for row in (*ours.rows, TIME_ROW)] == [
        ("wine 1", "0.045"),
        ("wine 2", "0.045"),
        ("zoo", "0.20"),
        (TIME_ROW, "0.5"),
    ]


def test_column_means_are_no_row_of_a_data_set(written: Write) -> None:
    table = read_printed(written("d,ada\nzoo,0.1\ncolumn_mean,0.1\n"))
    for found in (table, table.under([Row("zoo", "our zoo")])):
        assert len(found.rows) == 1
        assert found.text(MEAN_ROW, "ada") == "0.1"


def test_a_title_hides_a_printed_row_of_the_same_name(written: Write) -> None:
    table = read_printed(written(TABLE)).under([Row("zoo", "wine", "zoo")])
    assert (table.rows, table.text("wine", "quad")) == (("wine",), "0.20")


def test_nothing_is_printed_in_a_table_without_numbers() -> None:
    assert (NOTHING.rows, NOTHING.columns, NOTHING.text("zoo", "ada")) == ((), (), "")
    assert NOTHING.under([Row("zoo", "zoo")]).cells == {}


SHIPPED = [(name, table) for name in paper_names() for table in load_paper(name).tables]


@pytest.mark.parametrize(("paper", "name"), SHIPPED)
def test_every_table_that_ships_holds_together(paper: str, name: str) -> None:
    table: Printed = load_paper(paper).printed(name)
    texts = [table.text(row, column) for row in table.rows for column in table.columns]
    assert all(texts)
    assert table.holds != "risks" or all(0 <= Fraction(text) <= 1 for text in texts)


def test_a_file_outside_of_the_papers_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("open,sesame\n")
    (tmp_path / "paper" / "printed").mkdir(parents=True)
    path = tmp_path / "paper" / "printed" / "g.csv"
    path.symlink_to(tmp_path / "secret")
    message = refusal(path, read_printed)
    assert "which is not in the paper's folder" in message
    assert "sesame" not in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dataset" + ",ada" * 1000 + "\nzoo\n", "the table has 1,001 columns: at most 1,000"),
        ("dataset,ada\n" + "zoo,x\n" * 10_001, "the table has 10,001 rows: at most 10,000"),
        ("\n" * (2**21 + 1), "the file has 2 MiB; at most 2 MiB are read"),
    ],
)
def test_a_table_that_is_too_large_is_refused_before_any_of_it_is_checked(
    written: Write, text: str, message: str
) -> None:
    assert refusal(written(text), read_printed) == f" {message}"
