from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from quadrepro.results.folder import Folder, read_folder
from quadrepro.results.pages.entries import dialogs, make_grid
from quadrepro.tables.verdicts import Verdict
from tests.results.pages.made import ERRORS, cells, make_folder, manifest


def test_entries_are_means_and_deviations_of_the_splits(folder: Folder) -> None:
    grid = make_grid(folder)
    assert grid.rows == ("monks", "wine")
    assert grid.columns == {"quadboost": "QuadBoost", "adaboost": "AdaBoost"}
    for place, errors in ERRORS.items():
        risks = np.array(errors) / 100
        assert grid.entries[place].mean == pytest.approx(risks.mean())
        assert grid.entries[place].text == f"{risks.mean():.3f}"
        assert grid.entries[place].spread == f"{risks.std(ddof=1):.3f}"


def test_a_mean_of_error_rates_is_exact_and_so_rounded_as_in_the_tables(tmp_path: Path) -> None:
    text = cells({("monks", "quadboost"): (88, 83, 82, 80)}).replace(",100,", ",300,")
    for n in (88, 83, 82, 80):
        text = text.replace(f"{n / 100}", f"{n / 300:.8g}")
    entries = make_grid(read_folder(make_folder(tmp_path, cells__csv=text))).entries
    assert entries["monks", "quadboost"].text == f"{333 / 1200:.3f}" == "0.278"


def test_the_lowest_mean_has_rank_1_and_equal_ones_share_it(folder: Folder) -> None:
    entries = make_grid(folder).entries
    assert {place: entry.rank for place, entry in entries.items()} == dict(
        zip(ERRORS, (2, 1, 1, 1), strict=True)
    )


def test_an_entry_without_a_result_has_no_rank_and_a_dash(tmp_path: Path) -> None:
    rows = {("monks", "quadboost"): (None, None), ("monks", "adaboost"): (3, None)}
    entries = make_grid(read_folder(make_folder(tmp_path, cells__csv=cells(rows)))).entries
    nothing, half = entries["monks", "quadboost"], entries["monks", "adaboost"]
    assert (nothing.rank, nothing.text, nothing.lacking) == (0, "–", 2)
    assert (half.rank, half.text, half.spread, half.lacking) == (1, "0.030", "", 1)


def test_printed_numbers_and_verdicts_stand_beside_ours(folder: Folder) -> None:
    grid = make_grid(folder)
    assert grid.judged
    assert grid.entries["monks", "adaboost"].printed == "0.52"
    assert [grid.entries[place].bucket for place in ERRORS] == [0, 2, -2, None]


@pytest.mark.parametrize(
    ("printed", "p", "bucket"),
    [
        ("0.5", 1.0, 0),
        ("0.75", 0.6, 0),
        ("0.76", 0.5, 1),
        ("0.24", 0.5, -1),
        ("1.0", 0.051, 1),
        ("1.01", 0.04, 2),
        ("-0.01", 0.04, -2),
    ],
)
def test_a_bucket_is_a_part_of_the_interval(
    folder: Folder, printed: str, p: float, bucket: int
) -> None:
    verdict = Verdict("monks", "quadboost", "risk", printed, 0.5, 0.0, 1.0, p)
    entry = replace(make_grid(folder).entries["monks", "quadboost"], verdict=verdict)
    assert entry.bucket == bucket
    assert ("outside" in entry.place) == (abs(bucket) == 2)


def test_without_verdicts_the_printed_numbers_are_those_of_the_cells(tmp_path: Path) -> None:
    grid = make_grid(read_folder(make_folder(tmp_path, verdicts__csv=None)))
    assert not grid.judged
    assert {entry.printed for entry in grid.entries.values()} == {"0.30"}


def test_errors_are_in_percent_where_there_are_means(tmp_path: Path) -> None:
    tables = {"means": {"key": "means", "title": "Small: errors", "files": ["means.md"]}}
    grid = make_grid(read_folder(make_folder(tmp_path, tables__json=manifest(tables=tables))))
    assert grid.entries["monks", "quadboost"].text == "44.00"
    assert grid.units == {"error in percent"}
    # The verdicts are on risks, which are not what is shown.
    assert not grid.judged


@pytest.mark.parametrize(
    ("factor", "printed", "text", "spread"),
    [
        (1, "", "0.4500", "0.0707"),
        (1, "0.47123", "0.45000", "0.07071"),
        (1000, "4", "450.0", "70.7"),
        (0, "0.1", "0.0", "0.0"),
        (1e-30, "", "0.000000000000", "0.000000000000"),
        (np.inf, "", "inf", ""),
    ],
)
def test_an_rmse_has_four_digits_or_those_of_print(
    folder: Folder, factor: float, printed: str, text: str, spread: str
) -> None:
    made = make_grid(folder).entries["monks", "quadboost"]
    cells = tuple(
        cell.model_copy(update={"errors": None, "n_test": None, "value": value * factor})
        for cell, value in zip(made.cells, (0.4, 0.5), strict=False)
    )
    entry = replace(made, cells=cells, printed=printed)
    assert (entry.unit, entry.text, entry.spread) == ("RMSE", text, spread)


def test_columns_keep_their_names_if_no_titles_are_known(tmp_path: Path) -> None:
    folder = read_folder(make_folder(tmp_path, run__json="{}"))
    assert make_grid(folder).columns == {"quadboost": "quadboost", "adaboost": "adaboost"}


def test_a_dialog_has_every_split_and_names_each_choice_once(folder: Folder) -> None:
    grid = make_grid(folder)
    shown = dialogs(grid, dict.fromkeys(grid.entries, "command"))
    first = shown["cells"][0]
    assert first["values"] == [0.4, 0.44, 0.48]
    assert (first["errors"], first["tests"]) == ([40, 44, 48], [100])
    assert [shown["chosen"][i]["n_rounds"] for i in first["chosen"]] == [5, 6, 5]
    assert "failed" not in first
    assert len(shown["chosen"]) == 2
