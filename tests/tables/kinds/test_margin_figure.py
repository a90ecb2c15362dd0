from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from quadrepro.tables.requests import requested

from quadrepro.config.config import Experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.errors import ConfigError
from quadrepro.tables.kinds.base import Context
from quadrepro.tables.kinds.margins import MARGIN_FIGURE
from tests.tables.contexts import SPLITS, drawn_margins, loaded, with_margins

CONFIG = """title: Two
protocol: {{view: quadboost}}
datasets: [monks, titanic]
algorithms:
  - {{name: adaboost, label: AdaBoost, grid: {{n_rounds: 5}}}}
  - {{name: quadboost, label: QuadBoost, grid: {{n_rounds: 5}}}}
  - {{name: lpboost, label: LPBoost, grid: {{C: 1}}}}
tables:
  margin_figure: {}
baseline: false
"""
ROWS = ("monks", "titanic")
COLUMNS = ("adaboost", "quadboost", "lpboost")
margins = partial(drawn_margins, ROWS, COLUMNS[:2])
outcomes = partial(with_margins, ROWS, COLUMNS)


def figure_of(folder: Path, panels: str = "[monks, titanic]") -> Context[Any]:
    experiment: Experiment = loaded(folder, CONFIG.format(panels))
    [context] = [r.context for r in requested(experiment) if r.kind.key == "margin_figure"]
    return context


def drawn(
    context: Context[Any], found: Outcomes, folder: Path, figures: list[Figure]
) -> list[Axes]:
    MARGIN_FIGURE.draw(context, found, folder)
    return figures[-1].axes


def test_a_line_is_the_distribution_of_the_margins_of_all_splits(
    tmp_path: Path, figures: list[Figure]
) -> None:
    kept = margins()
    first, second = drawn(figure_of(tmp_path), outcomes(kept), tmp_path, figures)
    assert (first.get_title(), second.get_title()) == ROWS
    lines = [line for line in second.get_lines() if line.get_label() in COLUMNS]
    assert [line.get_label() for line in lines] == ["adaboost", "quadboost"]
    pooled = np.concatenate([kept["titanic", "adaboost", split] for split in range(SPLITS)])
    margin, share = np.asarray(lines[0].get_data())
    for i in (100, 500, 900):
        assert share[i] == pytest.approx((pooled <= margin[i]).mean(), abs=1 / len(pooled))


def test_a_panel_has_the_axis_and_the_order_that_it_names(
    tmp_path: Path, figures: list[Figure]
) -> None:
    panels = (
        "[{row: titanic, title: T, limits: [0, 0.5], algorithms: [quadboost, adaboost]}, monks]"
    )
    context = figure_of(tmp_path, panels)
    MARGIN_FIGURE.check(context)
    first, second = drawn(context, outcomes(margins()), tmp_path, figures)
    assert (first.get_title(), first.get_xlim()) == ("T", (0, 0.5))
    [legend] = first.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["QuadBoost", "AdaBoost"]
    named = {line.get_label(): line for line in first.get_lines()}
    again = {line.get_label(): line for line in second.get_lines()}
    assert named["adaboost"].get_color() == again["adaboost"].get_color()
    assert named["adaboost"].get_color() != named["quadboost"].get_color()


@pytest.mark.parametrize(
    ("panels", "message"),
    [
        ("[monk]", "there is no row 'monk' to draw; did you mean 'monks'"),
        (
            "[{row: monks, algorithms: [adabost]}]",
            "unknown algorithm 'adabost' here; did you mean 'ada",
        ),
        ("[{row: monks, limits: [1, 0]}]", "limits are the lower and the upper end of the axis"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_its_place(
    tmp_path: Path, panels: str, message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        MARGIN_FIGURE.check(figure_of(tmp_path, panels))
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path / 'config.yaml'}:9:")


def test_the_same_records_give_the_same_files_and_none_empty_panels(tmp_path: Path) -> None:
    kept, context = margins(), figure_of(tmp_path)
    for name, found in (("a", kept), ("b", kept), ("none", {})):
        MARGIN_FIGURE.draw(context, outcomes(found), tmp_path / name)
    a, b, none = ((tmp_path / name / "margins.svg").read_bytes() for name in ("a", "b", "none"))
    assert a == b
    assert a != none
    text = (tmp_path / "none" / "margins.svg").read_text()
    assert "<!-- monks -->" in text
    assert "<!-- AdaBoost -->" not in text
