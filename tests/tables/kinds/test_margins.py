"""Margins next to the printed ones, and one algorithm's errors against every other one's."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from statistics import fmean, stdev

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from quadrepro.base.types import FloatArray
from quadrepro.config.config import Experiment
from quadrepro.config.loading import load_mapping
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.stats import Repeats, place_number
from quadrepro.tables.kinds import check_tables
from quadrepro.tables.render import MISSING
from tests.make import config
from tests.tables.conftest import CONFIG as THREE
from tests.tables.contexts import (
    as_regression,
    asking_for,
    gathered,
    loaded,
    made,
    outcomes_of,
    panels_of,
    table_of,
    texts_of,
)

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
    places = product(ROWS, COLUMNS, range(SPLITS))
    return gathered({p: Record("k", "ok", 1, 10, margins=kept.get(p)) for p in places})


PRINTED = {
    ("wisconsin", "adaboost"): ("0.39", "0.15"),
    ("wisconsin", "ebboost"): ("0.35", "0.12"),
    ("mushrooms", "adaboost"): ("0.26", "0.06"),
    ("mushrooms", "ebboost"): ("0.26", "0.05"),
}


def test_entries_are_moments_of_all_margins(experiment: Experiment) -> None:
    kept = margins()
    result = made(experiment, "margins", outcomes(kept))
    assert result.draw is None
    data = {(row[0], row[1]): row[2:] for row in result.table.data_rows}
    for (row, column), texts in PRINTED.items():
        splits = [kept[row, column, split] for split in range(SPLITS)]
        mean, sd = np.mean(splits), np.std(np.concatenate(splits), ddof=1)
        moments = ([s.mean() for s in splits], [s.std(ddof=1) for s in splits])
        marks = []
        for ours, number in zip(moments, texts, strict=True):
            # The paper has 20 splits.
            placement = place_number(Repeats(tuple(ours)), float(number), 0.005, n_printed=20)
            marks.append("†" * placement.significant)
        entry = f"{mean:.2f} ± {sd:.2f} ({texts[0]}{marks[0]} ± {texts[1]}{marks[1]})"
        assert texts_of(result.table)[row][COLUMNS.index(column)] == entry
        assert data[row, column][:3] == (150, pytest.approx(mean), pytest.approx(sd))
        assert data[row, column][3:5] == texts
        assert data[row, column][5] == ("outside" if any(marks) else "inside")
    assert result.table.notes[0].endswith("of all 3 splits, in parentheses the printed ones.")
    quantities = [(*place, q) for place in PRINTED for q in ("margin mean", "margin sd")]
    assert [(v.row, v.column, v.quantity) for v in result.verdicts.judged] == quantities
    assert not result.verdicts.percent


def test_the_dagger_is_after_the_mean_or_after_the_deviation(experiment: Experiment) -> None:
    # Moments of 0.39 and 0.15, or far from one of them.
    texts = []
    for mean, sd in ((0.39, 0.15), (0.59, 0.15), (0.39, 0.3)):
        rng = np.random.default_rng(0)
        ends = sd * np.sqrt(49 / 50) * np.tile([-1.0, 1.0], 25)
        kept = {
            ("wisconsin", "adaboost", i): mean + rng.normal(0, 0.002) + rng.normal(1, 0.01) * ends
            for i in range(SPLITS)
        }
        table = table_of(experiment, "margins", outcomes(kept))
        texts.append(texts_of(table)["wisconsin"][0].partition(" (")[2])
    assert texts == ["0.39 ± 0.15)", "0.39† ± 0.15)", "0.39 ± 0.15†)"]


def test_an_entry_that_lacks_margins_of_a_split_is_a_dash(experiment: Experiment) -> None:
    kept = margins()
    del kept["wisconsin", "ebboost", 1]
    table = table_of(experiment, "margins", outcomes(kept))
    rows = texts_of(table).values()
    dashes = [[text.startswith(MISSING) for text in entries] for entries in rows]
    assert dashes == [[False, True, True], [False, False, True]]


MUSHROOMS = {"row": "mushrooms", "limits": [0, 0.5], "algorithms": ["ebboost", "adaboost"]}


def drawn(experiment: Experiment, records: Outcomes, figures: list[Figure]) -> list[Axes]:
    with_panels = asking_for(experiment, margins={"panels": [MUSHROOMS, {"row": "wisconsin"}]})
    check_tables(with_panels)
    return panels_of(with_panels, "margins", records, figures)


def test_a_line_is_the_distribution_of_margins(
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


ERRORS_ON_SPLITS = (
    {"monks": (2, 1, 2), "titanic": (3, 4, 5), "wine": (1, 2, 0)},
    {"monks": (2, 3, 4), "titanic": (3, 2, 5), "wine": (1, 2, None)},
)


@pytest.fixture
def against() -> Experiment:
    """Return an experiment that compares all with QuadBoost."""
    return asking_for(loaded(THREE), scatter="quadboost")


def test_dots_are_counted_by_the_side_of_the_diagonal(against: Experiment) -> None:
    table = table_of(against, "scatter", outcomes_of(*ERRORS_ON_SPLITS))
    differences = [-10.0, 10, 10, 10, -10, 10]
    moments = f"+{fmean(differences):.2f} ± {stdev(differences):.2f}"
    assert texts_of(table)["LPBoost"] == ("4", "0", "2", moments)
    # A split that one of the two lacks has no dot.
    assert texts_of(table)["AdaBoost"][:3] == ("3", "1", "1")
    assert len(table.data_rows) == 6 + 5
    assert table.data_rows[0] == ("lpboost", "monks", 0.2, 0.1)


def test_algorithms_are_panels_and_splits_dots(against: Experiment, figures: list[Figure]) -> None:
    lp, ada = panels_of(against, "scatter", outcomes_of(*ERRORS_ON_SPLITS), figures)
    assert (lp.get_xlabel(), lp.get_ylabel()) == ("risk of QuadBoost", "risk of LPBoost")
    diagonal, *rows = lp.get_lines()
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata())
    assert [list(r.get_xdata()) for r in rows] == [[0.2, 0.2], [0.3, 0.3], [0.1, 0.1]]
    assert [list(r.get_ydata()) for r in rows] == [[0.1, 0.3], [0.4, 0.2], [0.2, 0.2]]
    assert len(ada.get_lines()[3].get_xdata()) == 1
    assert len({r.get_color() for r in rows}) == 3
    assert lp.get_xlim() == lp.get_ylim() == pytest.approx((-0.025, 0.525))
    legend = [text.get_text() for text in figures[0].legends[0].get_texts()]
    assert legend == ["monks", "titanic", "wine"]


def test_dots_of_numbers_are_rmses_in_their_unit() -> None:
    outcomes = as_regression(outcomes_of({"diabetes": (2, 1, 4), "boston": (1, 3, 3)}))
    algorithms = [{"name": name, "algorithm": "boosting"} for name in outcomes.columns]
    datasets = {"datasets": [*outcomes.rows], "protocol": {"view": "rescale", "holdout": {}}}
    keys = {"algorithms": algorithms, "tables": {"scatter": "quadboost"}}
    experiment = load_mapping(config(**datasets, **keys))
    table = table_of(experiment, "scatter", outcomes)
    assert table.title == f"Small: RMSEs against {experiment.titles['quadboost']}"
    assert next(iter(texts_of(table).values())) == ("1", "0", "1", "+0.1250 ± 0.5303")
    assert table.data_rows[0] == ("lpboost", "diabetes", 0.5, 0.25)
    assert "percent" not in " ".join(table.notes)
    # Dots that only rounding takes off the diagonal are on it.
    rmses = {"quadboost": 0.1 + 0.2, "lpboost": 0.3, "adaboost": 0.4}
    records = {place: replace(r, rmse=rmses[place[1]]) for place, r in outcomes.records.items()}
    table = table_of(experiment, "scatter", replace(outcomes, records=records))
    # The difference is one of rounding, and shown as such.
    first = next(iter(texts_of(table).values()))
    assert first[:3] == ("0", "2", "0")
    assert float(first[3].partition(" ±")[0]) == 0
