"""One algorithm's errors against every other one's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev

import pytest
from matplotlib.figure import Figure

from quadrepro.config.config import Experiment
from quadrepro.errors import ConfigError
from quadrepro.tables.kinds import check_tables
from tests.tables.contexts import (
    as_regression,
    asking_for,
    loaded,
    outcomes_of,
    panels_of,
    table_of,
    texts_of,
)

SPLITS = (
    {"monks": (2, 1, 2), "titanic": (3, 4, 5), "wine": (1, 2, 0)},
    {"monks": (2, 3, 4), "titanic": (3, 2, 5), "wine": (1, 2, None)},
)


@pytest.fixture
def against(experiment: Experiment) -> Experiment:
    """Return an experiment that compares all with QuadBoost."""
    return asking_for(experiment, scatter="quadboost")


def test_dots_are_counted_by_the_side_of_the_diagonal(against: Experiment) -> None:
    table = table_of(against, "scatter", outcomes_of(*SPLITS))
    differences = [-10.0, 10, 10, 10, -10, 10]
    moments = f"+{fmean(differences):.2f} ± {stdev(differences):.2f}"
    assert texts_of(table)["LPBoost"] == ("4", "0", "2", moments)
    # A split that one of the two lacks has no dot.
    assert texts_of(table)["AdaBoost"][:3] == ("3", "1", "1")
    assert len(table.data_rows) == 6 + 5
    assert table.data_rows[0] == ("lpboost", "monks", 0.2, 0.1)


def test_each_algorithm_has_a_panel_and_each_split_a_dot(
    against: Experiment, figures: list[Figure]
) -> None:
    lp, ada = panels_of(against, "scatter", outcomes_of(*SPLITS), figures)
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


NUMBERS = """title: Numbers
protocol: {view: rescale, holdout: {}}
datasets: [diabetes, boston]
algorithms:
  - {name: quadboost, algorithm: boosting, label: QuadBoost}
  - {name: lpboost, algorithm: rsboosting}
  - {name: adaboost, algorithm: rboosting}
tables: {scatter: quadboost}
baseline: false
"""


def test_dots_of_numbers_are_rmses_in_their_unit(tmp_path: Path) -> None:
    outcomes = as_regression(outcomes_of({"diabetes": (2, 1, 4), "boston": (1, 3, 3)}))
    table = table_of(loaded(tmp_path, NUMBERS), "scatter", outcomes)
    assert table.title == "Numbers: RMSEs against QuadBoost"
    assert next(iter(texts_of(table).values())) == ("1", "0", "1", "+0.1250 ± 0.5303")
    assert table.data_rows[0] == ("lpboost", "diabetes", 0.5, 0.25)
    assert "percent" not in " ".join(table.notes)
    # Dots that only rounding takes off the diagonal are on it.
    rmses = {"quadboost": 0.1 + 0.2, "lpboost": 0.3, "adaboost": 0.4}
    records = {place: replace(r, rmse=rmses[place[1]]) for place, r in outcomes.records.items()}
    table = table_of(loaded(tmp_path, NUMBERS), "scatter", replace(outcomes, records=records))
    # The difference is one of rounding, and shown as such.
    first = next(iter(texts_of(table).values()))
    assert first[:3] == ("0", "2", "0")
    assert float(first[3].partition(" ±")[0]) == 0


def test_risks_and_rmses_are_not_drawn_on_one_scale(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"config.yaml:8:10: .* only some predict numbers: boston"
    ):
        check_tables(loaded(tmp_path, NUMBERS.replace("[diabetes,", "[ionosphere,")))
