from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import t as student

from quadrepro.base.types import FloatArray
from quadrepro.config.config import Experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.errors import ConfigError
from quadrepro.tables.made import check_tables
from quadrepro.tables.table import MISSING, entry
from tests.tables.contexts import asking_for, loaded, made, panels_of, table_of

CONFIG = """title: Two
protocol: {view: quadboost}
datasets:
  - {name: monks, as: wisconsin}
  - {name: titanic, as: mushrooms}
algorithms:
  - {name: adaboost, label: AdaBoost, grid: {n_rounds: 5}}
  - {name: ebboost, algorithm: adaboost, label: EBBoost, grid: {n_rounds: 5}}
  - {name: rlp-boost, algorithm: adaboost, label: RLP-Boost, grid: {n_rounds: 5}}
paper: ebboost
tables: {margins: table2}
"""
ROWS = ("wisconsin", "mushrooms")
COLUMNS = ("adaboost", "ebboost", "rlp-boost")
SPLITS = 3
Margins = dict[tuple[str, str, int], FloatArray]


def margins() -> Margins:
    """Return margins of the first two columns in every split."""
    rng = np.random.default_rng(3)
    return {
        (row, column, split): rng.normal(0.3 + 0.1 * i, 0.2 - 0.05 * j, 50).clip(-1, 1)
        for i, row in enumerate(ROWS)
        for j, column in enumerate(COLUMNS[:2])
        for split in range(SPLITS)
    }


def outcomes(kept: Margins) -> Outcomes:
    """Return outcomes whose records keep some margins."""
    records = {
        place: Record("k", "ok", 1, 10, margins=kept.get(place))
        for place in product(ROWS, COLUMNS, range(SPLITS))
    }
    return Outcomes(ROWS, COLUMNS, SPLITS, records)


def test_entries_are_moments_of_all_margins_beside_the_printed_ones(experiment: Experiment) -> None:
    kept = margins()
    found = made(experiment, "margins", outcomes(kept))
    table, verdicts = found.table, found.verdicts
    assert found.draw is None
    printed = {
        ("wisconsin", "adaboost"): "0.39 ± 0.15",
        ("wisconsin", "ebboost"): "0.35 ± 0.12",
        ("mushrooms", "adaboost"): "0.26 ± 0.06",
        ("mushrooms", "ebboost"): "0.26 ± 0.05",
    }
    entries = {(r, c): e for r, of_row in table.rows for c, e in zip(COLUMNS, of_row, strict=True)}
    data = {(r[0], r[1]): r[2:] for r in table.data_rows}
    for (row, column), text in printed.items():
        splits = [kept[row, column, s] for s in range(SPLITS)]
        mean, sd = np.mean(splits), np.std(np.concatenate(splits), ddof=1)
        moments = ([s.mean() for s in splits], [s.std(ddof=1) for s in splits])
        inside = [
            # Student's t for the mean of 20 further splits, and half a unit of the last digit.
            abs(np.mean(ours) - float(number))
            <= student.ppf(0.975, SPLITS - 1) * np.std(ours, ddof=1) * np.sqrt(1 / 20 + 1 / SPLITS)
            + 0.005
            for ours, number in zip(moments, text.split(" ± "), strict=True)
        ]
        ours = f"{mean:.2f} ± {sd:.2f}"
        assert entries[row, column] == entry(ours, text, outside=not all(inside))
        assert data[row, column][:3] == (150, pytest.approx(mean), pytest.approx(sd))
        assert " ± ".join(str(x) for x in data[row, column][3:5]) == text
        assert data[row, column][5] == ("inside" if all(inside) else "outside")
    assert table.notes[0] == (
        "Mean ± standard deviation of the margins of all training examples of all 3 splits, in "
        "parentheses the printed ones."
    )
    assert [(v.row, v.column, v.quantity) for v in verdicts.judged] == [
        (row, column, quantity)
        for row, column in printed
        for quantity in ("margin mean", "margin sd")
    ]


def test_an_entry_that_lacks_margins_of_a_split_is_a_dash(experiment: Experiment) -> None:
    kept = margins()
    del kept["wisconsin", "ebboost", 1]
    table = table_of(experiment, "margins", outcomes(kept))
    dashes = [[e.startswith(MISSING) for e in of_row] for _, of_row in table.rows]
    assert dashes == [[False, True, True], [False, False, True]]


MUSHROOMS = {"row": "mushrooms", "limits": [0, 0.5], "algorithms": ["ebboost", "adaboost"]}


def drawn(experiment: Experiment, found: Outcomes, figures: list[Figure]) -> list[Axes]:
    asked = asking_for(experiment, margins={"panels": [MUSHROOMS, {"row": "wisconsin"}]})
    check_tables(asked)
    return panels_of(asked, "margins", found, figures)


def test_a_line_is_the_distribution_of_the_margins_of_all_splits(
    experiment: Experiment, figures: list[Figure]
) -> None:
    kept = margins()
    first, second = drawn(experiment, outcomes(kept), figures)
    assert (first.get_title(), second.get_title()) == ("mushrooms", "wisconsin")
    pooled = np.concatenate([kept["mushrooms", "adaboost", split] for split in range(SPLITS)])
    margin, share = np.asarray(first.get_lines()[1].get_data())
    for i in (100, 500, 900):
        assert share[i] == pytest.approx((pooled <= margin[i]).mean(), abs=1 / len(pooled))
    # A panel has the axis and the order that it names.
    assert first.get_xlim() == (0, 0.5)
    [legend] = first.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["EBBoost", "AdaBoost"]
    eb, ada, _ = first.get_lines()
    assert second.get_lines()[0].get_color() == ada.get_color() != eb.get_color()


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("tabel2", "11:10: the paper ebboost has no printed table 'tabel2'; did you mean 'table"),
        ("{panels: [{row: wiscons}]}", "11:29: there is no row 'wiscons' to draw; did you mean '"),
        ("{panels: [{row: wisconsin, algorithms: [adabost]}]}", "11:59: unknown algorithm 'ad"),
    ],
)
def test_what_is_not_there_is_refused_with_its_place(
    tmp_path: Path, option: str, message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        check_tables(loaded(tmp_path, CONFIG.replace("margins: table2", f"margins: {option}")))
    assert str(caught.value).startswith(f"{tmp_path / 'config.yaml'}:{message}")
