from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.stats import t as student

from quadrepro.config.config import Experiment
from quadrepro.papers.printed import NOTHING
from quadrepro.tables.kinds.margins import MARGINS
from tests.tables.contexts import SPLITS, context_of, drawn_margins, with_margins

CONFIG = """title: Two
protocol: {view: quadboost}
datasets:
  - {name: monks, as: wisconsin}
  - {name: titanic, as: mushrooms}
algorithms:
  - {name: adaboost, grid: {n_rounds: 5}}
  - {name: ebboost, algorithm: adaboost, label: EBBoost, grid: {n_rounds: 5}}
  - {name: rlp-boost, algorithm: adaboost, label: RLP-Boost, grid: {n_rounds: 5}}
paper: ebboost
tables: {margins: table2}
"""
ROWS = ("wisconsin", "mushrooms")
COLUMNS = ("adaboost", "ebboost", "rlp-boost")
margins = partial(drawn_margins, ROWS, COLUMNS[:2])
outcomes = partial(with_margins, ROWS, COLUMNS)


def test_entries_are_moments_of_all_margins_beside_the_printed_ones(
    experiment: Experiment,
) -> None:
    kept = margins()
    table = MARGINS.table(context_of(experiment, "margins"), outcomes(kept))
    printed = {
        ("wisconsin", "adaboost"): "0.39 ± 0.15",
        ("wisconsin", "ebboost"): "0.35 ± 0.12",
        ("mushrooms", "adaboost"): "0.26 ± 0.06",
        ("mushrooms", "ebboost"): "0.26 ± 0.05",
    }
    entries = {
        (row, c): e for row, of_row in table.rows for c, e in zip(COLUMNS, of_row, strict=True)
    }
    data = {(r[0], r[1]): r[2:] for r in table.data_rows}
    for (row, column), text in printed.items():
        pooled = np.concatenate([kept[row, column, s] for s in range(SPLITS)])
        mean, sd = np.mean(pooled), np.std(pooled, ddof=1)
        assert entries[row, column].ours == f"{mean:.2f} ± {sd:.2f}"
        assert entries[row, column].printed == text
        assert data[row, column][:3] == (150, pytest.approx(mean), pytest.approx(sd))
        assert " ± ".join(str(x) for x in data[row, column][3:5]) == text
        splits = [kept[row, column, s] for s in range(SPLITS)]
        moments = ([s.mean() for s in splits], [s.std(ddof=1) for s in splits])
        inside = [
            # Student's t for the mean of 20 further splits, and half a unit of the last digit.
            abs(np.mean(ours) - float(number))
            <= student.ppf(0.975, SPLITS - 1) * np.std(ours, ddof=1) * np.sqrt(1 / 20 + 1 / SPLITS)
            + 0.005
            for ours, number in zip(moments, text.split(" ± "), strict=True)
        ]
        assert data[row, column][5] == ("inside" if all(inside) else "outside")
        assert entries[row, column].mark == ("" if all(inside) else "†")
        assert entries[row, column].verdict == data[row, column][5]
    assert table.notes[0] == (
        "Mean ± standard deviation of the margins of all training examples of all 3 splits, in "
        "parentheses the printed ones."
    )
    verdicts = MARGINS.verdicts(context_of(experiment, "margins"), outcomes(kept))
    assert [(v.row, v.column, v.quantity) for v in verdicts.judged] == [
        (row, column, quantity)
        for row, column in printed
        for quantity in ("margin mean", "margin sd")
    ]


def test_an_algorithm_without_margins_has_dashes(experiment: Experiment) -> None:
    table = MARGINS.table(context_of(experiment, "margins", NOTHING), outcomes(margins()))
    assert [of_row[2].ours for _, of_row in table.rows] == ["–", "–"]


def test_an_entry_that_lacks_one_splits_margins_is_a_dash(experiment: Experiment) -> None:
    kept = margins()
    del kept["wisconsin", "ebboost", 1]
    table = MARGINS.table(context_of(experiment, "margins", NOTHING), outcomes(kept))
    assert [e.ours == "–" for e in table.rows[0][1]] == [False, True, True]
