from __future__ import annotations

import re
from decimal import Decimal
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.stats import t as student

from quadrepro.papers.printed import TIME_ROW, Facts, Printed, Sample, read_printed
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


def test_the_rounding_is_half_a_unit_of_the_last_digit(written: Save) -> None:
    for text, half in (("0.10", 0.005), ("3", 0.5), ("0.4126", 0.00005), ("2.", 0.5)):
        table = read_printed(written(f"d,a\nzoo,{text}\n"))
        assert table.rounding("zoo", "a") == pytest.approx(half, rel=1e-12)


def test_spaces_blank_lines_quotes_and_a_byte_order_mark_change_nothing(written: Save) -> None:
    text = b'\xef\xbb\xbfdataset, ada ,"quad, fast"\r\n\r\n zoo , 0.10 ,0.20\r\n,,\r\n'
    table = read_printed(written(text))
    assert table.columns == ("ada", "quad, fast")
    assert table.cells == {("zoo", "ada"): "0.10", ("zoo", "quad, fast"): "0.20"}
    assert table.lines == {"zoo": 3}


def test_a_mean_needs_no_deviation(written: Save) -> None:
    table = read_printed(
        written("d,a_mean,a_sd\nzoo,1.20,0.3\nwine,1,\ncar,,2\n"), Facts(of=Sample(splits=2))
    )
    assert [table.text(row, "a_mean") for row in table.rows] == ["1.20", "1", ""]
    assert [table.deviation(row, "a") for row in table.rows] == [0.3, None, 2.0]
    assert table.numbers == [("zoo", "a_mean"), ("wine", "a_mean")]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("d,ada\nzoo,.06x\ncar,1\n", "2: column 'ada'", "'.06x' is not a number such as 0.035"),
        ("dataset,ada,quad\nzoo,0.1\n", "", "no table of numbers"),
        ("dataset,ada\nzoo,1\n\nzoo,2\n", "4", "duplicate row 'zoo'"),
        ("dataset,ada,ada\nzoo,1,2\n", "1", "duplicate column 'ada'"),
        ("dataset,ada,\nzoo,1,2\n", "1", "column 3 has no name"),
        ("dataset,ada\n,2\n", "2", "the row has no name"),
        ("dataset,a_sd\nzoo,2\n", "1: column 'a_sd'", "a deviation without its mean"),
        ("", "", "no table of numbers"),
    ],
)
def test_an_inconsistent_table_is_refused(
    written: Save, text: str, place: str, message: str
) -> None:
    assert refusal(written(text), read_printed).startswith(f"{place}: {message}".removeprefix(":"))


def test_a_file_that_cannot_be_read_is_named(written: Save, tmp_path: Path) -> None:
    assert "neither text nor" in refusal(written(b"d,a\n\x00,1\n"), read_printed)
    assert refusal(tmp_path / "table9.csv", read_printed).startswith(" No such file")


def test_the_first_of_some_names_that_is_a_printed_row_counts(written: Save) -> None:
    table = read_printed(written(TABLE))
    names = ("", "zoo"), ("no such row", "wine", "zoo"), ("car",), ("mean_running_time_s",)
    assert [table.row_of(some) for some in names] == ["zoo", "wine", None, None]


def test_printed_rows_get_our_titles_and_the_others_keep_their_names(written: Save) -> None:
    table = read_printed(written(TABLE))
    names = {"wine 1": ("", "wine 1", "wine"), "wine 2": ("wine", "wine 2"), "car": ("car",)}
    ours = table.under(names)
    assert ours.rows == ("wine 1", "wine 2", "zoo")
    texts = [ours.text(row, "quad") for row in (*ours.rows, TIME_ROW)]
    assert texts == ["0.045", "0.045", "0.20", "0.5"]


def test_a_file_outside_of_the_papers_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("open,sesame\n")
    (tmp_path / "paper" / "printed").mkdir(parents=True)
    path = tmp_path / "paper" / "printed" / "g.csv"
    path.symlink_to(tmp_path / "secret")
    assert refusal(path, read_printed) == " not a regular file"


NUMBERS = st.from_regex(r"(0|[1-9][0-9]{0,3})(\.[0-9]{1,6})?", fullmatch=True)


@given(NUMBERS, NUMBERS)
def test_percent_is_read_as_fractions_and_shown_as_printed(
    tmp_path_factory: pytest.TempPathFactory, number: str, spread: str
) -> None:
    path = tmp_path_factory.mktemp("printed") / "t.csv"
    path.write_text(f"d,a_mean,a_sd\nzoo,{number},{spread}\n{TIME_ROW},{number},\n")
    table = read_printed(path, Facts(unit="percent", of=Sample(splits=2)))
    assert Decimal(table.text("zoo", "a_mean")) * 100 == Decimal(number)
    assert table.as_printed("zoo", "a_mean") == number
    assert table.as_printed("zoo", "a_sd") == spread
    digits = len(number.partition(".")[2])
    assert table.rounding("zoo", "a_mean") == pytest.approx(0.5 * 10 ** -(digits + 2), rel=1e-12)
    # Times have no unit.
    assert table.text(TIME_ROW, "a_mean") == table.as_printed(TIME_ROW, "a_mean") == number
    fractions = read_printed(path, Facts(unit="fraction", of=Sample(splits=2)))
    assert fractions.text("zoo", "a_mean") == fractions.as_printed("zoo", "a_mean") == number
    assert (table.in_percent, fractions.in_percent) == (True, False)


def test_numbers_that_are_not_shares_have_no_unit(written: Save) -> None:
    table = read_printed(written("d,a\nzoo,159.0\n"), Facts(metric="rmse"))
    assert (table.text("zoo", "a"), table.as_printed("zoo", "a")) == ("159.0", "159.0")
    for data in ({"metric": "rmse"}, {"metric": "log_loss"}, {"holds": "margins"}):
        assert not Facts.model_validate(data).is_share
        with pytest.raises(ValidationError, match="only shares have a unit"):
            Facts.model_validate({**data, "unit": "percent"})


def test_accuracies_become_the_errors_that_they_leave(written: Save) -> None:
    text = "d,a_mean,a_sd\nzoo,95.80,1.20\ncar,100,0\nwine,,\n"
    text += f"column_mean,97.9,\n{TIME_ROW},12.5,\n"
    facts = Facts(metric="accuracy", unit="percent", of=Sample(splits=20))
    accuracies = read_printed(written(text), facts)
    errors = accuracies.as_errors()
    shown = [errors.as_printed(row, "a_mean") for row in (*errors.rows, "column_mean", TIME_ROW)]
    assert shown == ["4.20", "0", "", "2.1", "12.5"]
    assert errors.text("zoo", "a_sd") == accuracies.text("zoo", "a_sd") == "0.0120"
    assert (errors.facts.metric, accuracies.facts.greater_is_better) == ("error", True)
    assert not errors.facts.greater_is_better
    assert errors.as_errors() is errors
    auc = read_printed(written("d,a\nzoo,0.9\n"), Facts(metric="auc", unit="fraction"))
    assert auc.as_errors() is auc


@given(NUMBERS.filter(lambda text: float(text) <= 1))
def test_an_accuracy_and_its_error_have_the_same_digits_and_add_up_to_one(number: str) -> None:
    facts = Facts(metric="accuracy", unit="fraction")
    accuracies = Printed("t", ("a",), {("zoo", "a"): number}, facts)
    errors = accuracies.as_errors()
    assert Decimal(number) + Decimal(errors.text("zoo", "a")) == 1
    assert errors.rounding("zoo", "a") == accuracies.rounding("zoo", "a")


@pytest.mark.parametrize(
    ("ending", "factor"),
    [("_sd", 1.0), ("_se", 20**0.5), ("_ci95", 20**0.5 / student.ppf(0.975, 19))],
)
@pytest.mark.parametrize(("unit", "scale"), [(None, 1.0), ("percent", 0.01)])
def test_every_spread_is_used_as_a_standard_deviation(
    written: Save, ending: str, factor: float, unit: Any, scale: float
) -> None:
    path = written(f"d,a_mean,a{ending}\nzoo,10.0,0.5\n")
    sample = Sample(splits=20)
    table = read_printed(path, Facts(unit=unit, of=sample))
    assert table.number("zoo", "a_mean") == pytest.approx(10.0 * scale)
    assert table.deviation("zoo", "a") == pytest.approx(0.5 * factor * scale)
    assert table.rounding("zoo", "a_sd") == pytest.approx(0.05 * factor * scale)
    assert table.as_printed("zoo", "a_sd") == "0.5"
    assert read_printed(path, Facts(spread="none", of=sample)).deviation("zoo", "a") is None


def test_the_fact_on_spreads_is_stronger_than_the_ending_of_the_column(written: Save) -> None:
    path = written("d,a_mean,a_sd\nzoo,10.0,0.5\n")
    table = read_printed(path, Facts(spread="se", of=Sample(cv=4)))
    assert table.deviation("zoo", "a") == 0.5 * sqrt(4)


def test_lines_of_algorithms_are_turned(written: Save) -> None:
    text = "algorithm,zoo_mean,zoo_sd,wine_mean,wine_sd\nada,1.0,0.1,2.0,0.2\nquad,3,0.3,4,0.4\n"
    facts = Facts(rows="algorithms", unit="percent", of=Sample(cv=10))
    table = read_printed(written(text), facts)
    assert (table.rows, table.algorithms) == (("zoo", "wine"), ("ada", "quad"))
    assert table.as_printed("wine", "quad_mean") == "4"
    assert table.deviation("wine", "quad") == 0.004
    assert table.lines == {"zoo": 1, "wine": 1}


ONE_OF = "give one of splits: 20, cv: 10 and runs: 10"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        *(
            ({"of": sample}, ONE_OF)
            for sample in ({}, {"splits": 2, "cv": 5}, {"cv": 2, "runs": 5})
        ),
        ({"of": {"splits": 2, "repeats": 5}}, "repeats is of a cross-validation"),
        ({"of": {"runs": 2, "pooled": True}}, "pooled is of a cross-validation"),
        ({"metric": "accurracy"}, "unknown metric 'accurracy'"),
    ],
)
def test_inconsistent_facts_are_refused(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        Facts.model_validate(data)


def test_a_sample_has_a_size_and_words() -> None:
    for sample, n, text in (
        (Sample(splits=1), 1, "one split"),
        (Sample(splits=20), 20, "20 splits"),
        (Sample(cv=2, repeats=5), 10, "5 × 2-fold cross-validation"),
        (Sample(cv=10, pooled=True), 10, "10-fold cross-validation, pooled"),
        (Sample(runs=10), 10, "10 runs on one test set"),
    ):
        assert (sample.n, sample.text) == (n, text)


def test_a_table_is_described_with_its_unit_spread_and_sample(written: Save) -> None:
    path = written("d,a_mean,a_se\nzoo,10.0,0.5\n")
    table = read_printed(path, Facts(unit="percent", of=Sample(runs=10)))
    assert table.description == "error in percent, mean ± standard error of 10 runs on one test set"
    table = read_printed(written("d,a\nzoo,0.9\n"), Facts(metric="auc", unit="fraction"))
    assert table.description == "AUC as a fraction, of one split"
    # The deviation of a single number is not one over a sample.
    assert (table.sample, table.deviation("zoo", "a")) == (Sample(splits=1), None)
