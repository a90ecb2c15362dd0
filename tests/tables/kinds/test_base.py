from __future__ import annotations

from pathlib import Path

import pytest

from quadrepro.config.loading import load_mapping
from quadrepro.engine.outcomes import Outcomes
from quadrepro.errors import ConfigError
from quadrepro.papers.printed import Printed
from quadrepro.tables.kinds.base import Context, closing_notes
from tests.make import config
from tests.tables.contexts import context_of, loaded

CONFIG = """title: Rows
protocol: {view: quadboost}
datasets:
  - monks
  - {name: titanic, as: people}
  - {name: wine, as: grapes, printed: vineyard}
  - {name: balance, as: scales, printed: nowhere}
algorithms:
  - {name: adaboost, grid: {n_rounds: 5}}
  - {name: quadboost, grid: {n_rounds: 5}}
tables: {scatter: adaboost}
baseline: false
"""
PRINTED = Printed(
    "p",
    ("adaboost",),
    {
        (row, "adaboost"): str(i)
        for i, row in enumerate(("titanic", "people", "vineyard", "wine", "grapes"))
    }
    | {("balance", "adaboost"): "7", ("seconds", "adaboost"): "8", ("zoo", "adaboost"): "9"},
)


@pytest.fixture
def context(tmp_path: Path) -> Context[str]:
    return context_of(loaded(tmp_path, CONFIG), "scatter", PRINTED)


def test_a_row_is_set_beside_the_printed_row_it_names_or_its_title_or_its_data_set(
    context: Context[str],
) -> None:
    found = context.printed("p")
    ours = [found.text(entry.title, "adaboost") for entry in context.config.entries]
    assert ours == ["", "1", "2", "7"]
    # Printed rows that are no data set of ours are kept.
    assert [found.text(row, "adaboost") for row in ("seconds", "zoo", "absent")] == ["8", "9", ""]


def test_an_error_names_the_place_of_the_kinds_key(context: Context[str]) -> None:
    where = f"{context.experiment.source.path}:11:10: "
    assert str(context.error("no")) == f"{where}no"
    with pytest.raises(ConfigError) as caught:
        context.check_column("adabost")
    assert str(caught.value) == (
        f"{where}unknown algorithm 'adabost' here; did you mean 'adaboost'?"
    )


def test_without_a_sweep_there_is_nothing_to_stand_against(context: Context[str]) -> None:
    with pytest.raises(ConfigError, match="scatter stand against a sweep's values: give sweeps"):
        context.check_sweeps()


@pytest.mark.parametrize(("row", "named"), [("wine", True), ("monks", False)])
def test_columns_of_learners_of_two_classes_are_named_where_there_are_more(
    row: str, named: bool
) -> None:
    algorithms = [{"name": "adaboost", "label": "AdaBoost"}, "sklearn:SVC"]
    keys = {"protocol": {"view": "default"}, "datasets": [row], "algorithms": algorithms}
    experiment = load_mapping(config(**keys))
    notes = closing_notes(Context(experiment, "errors", ""), Outcomes((), (), 0, {}))
    found = [note.startswith("AdaBoost: with more than two classes") for note in notes]
    assert found == [True] * named
