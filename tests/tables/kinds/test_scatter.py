from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import fmean, stdev

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from quadrepro.config.config import Experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.errors import ConfigError
from quadrepro.results.files import check_tables
from quadrepro.stats import rounded_p, sign_test
from quadrepro.tables.kinds.base import Context
from quadrepro.tables.kinds.scatter import LABELLED, SCATTER
from tests.tables.contexts import as_regression, asking_for, context_of, loaded

Make = Callable[..., Outcomes]
SPLITS = (
    {"monks": (2, 1, 2), "titanic": (3, 4, 5), "wine": (1, 2, 0)},
    {"monks": (2, 3, 4), "titanic": (3, 2, 5), "wine": (1, 2, None)},
)


@pytest.fixture
def against(experiment: Experiment) -> Context[str]:
    """Return the context of a table that sets all beside QuadBoost."""
    return context_of(asking_for(experiment, scatter="quadboost"), "scatter")


def test_dots_are_counted_by_the_side_of_the_diagonal(
    against: Context[str], outcomes: Make
) -> None:
    table = SCATTER.table(against, outcomes(*SPLITS))
    found = {name: [e.ours for e in entries] for name, entries in table.rows}
    assert list(found) == ["LPBoost", "AdaBoost"]
    differences = [-10.0, 10, 10, 10, -10, 10]
    assert found["LPBoost"][:3] == ["4", "0", "2"]
    assert found["LPBoost"][3] == f"+{fmean(differences):.2f} ± {stdev(differences):.2f}"
    test = sign_test([0.2, 0.3, 0.1], [0.2, 0.3, 0.2])
    assert found["LPBoost"][4:] == ["1, 0, 2", f"{test.p_value:.3f}"]
    # A split that one of the two lacks is no dot, and without it there is no mean risk.
    assert found["AdaBoost"][:3] == ["3", "1", "1"]
    assert found["AdaBoost"][4:] == ["–", "–"]
    assert len(table.data_rows) == 6 + 5
    assert table.data_rows[0] == ("lpboost", "monks", 0.2, 0.1)


def test_a_panel_an_algorithm_and_a_dot_a_split(
    against: Context[str], outcomes: Make, tmp_path: Path, figures: list[Figure]
) -> None:
    SCATTER.draw(against, outcomes(*SPLITS), tmp_path)
    lp, ada = figures[0].axes
    assert (lp.get_xlabel(), lp.get_ylabel()) == ("risk of QuadBoost", "risk of LPBoost")
    diagonal, *rows = lp.get_lines()
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata())
    assert [list(r.get_xdata()) for r in rows] == [[0.2, 0.2], [0.3, 0.3], [0.1, 0.1]]
    assert [list(r.get_ydata()) for r in rows] == [[0.1, 0.3], [0.4, 0.2], [0.2, 0.2]]
    assert len(ada.get_lines()[3].get_xdata()) == 1
    assert len({r.get_color() for r in rows}) == 3
    assert lp.get_xlim() == lp.get_ylim()


def test_without_a_paper_axes_fit_the_data_and_each_set_has_a_label_of_its_own(
    against: Context[str], outcomes: Make, tmp_path: Path, figures: list[Figure]
) -> None:
    SCATTER.draw(against, outcomes(*SPLITS), tmp_path)
    for panel in figures[0].axes:
        assert panel.get_xlim() == panel.get_ylim() == pytest.approx((-0.025, 0.525))
        assert {text.get_text() for text in panel.texts} == {"monks", "titanic", "wine"}
    assert figures[0].legends == []
    places = {text.get_text(): text.xy for text in figures[0].axes[0].texts}
    assert places["monks"] == pytest.approx((0.2, 0.2))


def test_labels_do_not_cover_each_other(
    against: Context[str], outcomes: Make, tmp_path: Path, figures: list[Figure]
) -> None:
    rows = dict.fromkeys((f"set {i}" for i in range(LABELLED)), (2, 1, 3))
    SCATTER.draw(against, outcomes(rows, dict.fromkeys(rows, (4, 5, 1))), tmp_path)
    for panel in figures[0].axes:
        boxes = [Text.get_window_extent(text) for text in panel.texts]
        assert len(boxes) == LABELLED
        heights = sorted((box.y0 + box.y1) / 2 for box in boxes)
        apart = 0.9 * boxes[0].height
        assert all(b - a >= apart for a, b in pairwise(heights))


def test_a_paper_has_its_axes_from_zero_on_and_many_sets_a_legend(
    against: Context[str], outcomes: Make, tmp_path: Path, figures: list[Figure]
) -> None:
    experiment = against.experiment
    config = experiment.config.model_copy(update={"paper": "cbboost"})
    of_paper = replace(against, experiment=replace(experiment, config=config))
    SCATTER.draw(of_paper, outcomes(*SPLITS), tmp_path)
    assert figures[0].axes[0].get_xlim()[0] == 0
    many = dict.fromkeys((f"set {i}" for i in range(LABELLED + 1)), (2, 1, 3))
    SCATTER.draw(against, outcomes(many), tmp_path)
    for figure in figures:
        assert len(figure.legends) == 1
        assert not figure.axes[0].texts


def test_a_long_title_is_broken_at_its_axis(
    against: Context[str],
    outcomes: Make,
    tmp_path: Path,
    figures: list[Figure],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    titles = against.titles | {"lpboost": "LPBoost (10 stumps per attribute, drawn)"}
    monkeypatch.setattr(Context, "titles", titles)
    SCATTER.draw(against, outcomes(*SPLITS), tmp_path)
    panel = figures[0].axes[0]
    assert panel.get_ylabel() == "risk of LPBoost (10 stumps per attribute,\ndrawn)"
    label, axis = panel.yaxis.label.get_window_extent(), panel.get_window_extent()
    assert label.height < axis.height


def test_the_same_records_give_the_same_figures(
    against: Context[str], outcomes: Make, tmp_path: Path
) -> None:
    lost = dict.fromkeys(SPLITS[0], (None, None, None))
    for name, splits in (("a", SPLITS), ("b", SPLITS), ("empty", (lost,))):
        SCATTER.draw(against, outcomes(*splits), tmp_path / name)
    a, b, empty = ((tmp_path / name / "scatter.svg").read_bytes() for name in ("a", "b", "empty"))
    assert a == b
    assert a != empty


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


def test_dots_of_numbers_are_rmses_in_their_unit(tmp_path: Path, outcomes: Make) -> None:
    context = context_of(loaded(tmp_path, NUMBERS), "scatter")
    found = outcomes({"diabetes": (2, 1, 4), "boston": (1, 3, 3)})
    for row in found.rows:
        found = as_regression(found, row)
    table = SCATTER.table(context, found)
    rows = {name: [e.ours for e in entries] for name, entries in table.rows}
    assert table.title == "Numbers: RMSEs against those of QuadBoost"
    assert rows["RSboosting"][:4] == ["1", "0", "1", "+0.1250 ± 0.5303"]
    assert table.data_rows[0] == ("lpboost", "diabetes", 0.5, 0.25)
    assert "percent" not in " ".join(table.notes)
    SCATTER.draw(context, found, tmp_path)
    assert (tmp_path / "scatter.svg").is_file()


def test_dots_that_only_rounding_takes_off_the_diagonal_are_on_it(
    tmp_path: Path, outcomes: Make
) -> None:
    context = context_of(loaded(tmp_path, NUMBERS), "scatter")
    found = outcomes({"diabetes": (1, 1, 1), "boston": (1, 1, 1)})
    rmses = {"quadboost": 0.1 + 0.2, "lpboost": 0.3, "adaboost": 0.4}
    records = {place: replace(r, rmse=rmses[place[1]]) for place, r in found.records.items()}
    table = SCATTER.table(context, replace(found, records=records))
    assert [entry.ours for entry in table.rows[0][1][:5]] == [
        "0",
        "2",
        "0",
        "+0.0000 ± 0.0000",
        "0, 0, 2",
    ]


def test_risks_and_numbers_are_not_drawn_on_one_scale(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"config.yaml:8:10: .* only some predict numbers: boston"
    ):
        check_tables(loaded(tmp_path, NUMBERS.replace("[diabetes,", "[ionosphere,")))


def test_a_small_p_value_is_never_shown_as_zero() -> None:
    assert [rounded_p(p) for p in (0.0004, 0.001, 0.25)] == ["< 0.001", "0.001", "0.250"]
