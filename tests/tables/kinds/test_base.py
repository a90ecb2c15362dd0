from __future__ import annotations

from pathlib import Path
from typing import Any

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
    with pytest.raises(ConfigError, match="scatter are shown along sweeps: give sweeps"):
        context.check_sweeps()


def notes_of(**changes: Any) -> tuple[str, ...]:
    """Return the notes that close a table of a config."""
    context = Context(load_mapping(config(**changes)), "errors", "")
    return closing_notes(context, Outcomes((), (), 0, {}))


@pytest.mark.parametrize(("row", "named"), [("wine", True), ("monks", False)])
def test_columns_of_learners_of_two_classes_are_named_where_there_are_more(
    row: str, named: bool
) -> None:
    algorithms = [{"name": "adaboost", "label": "AdaBoost"}, "sklearn:SVC"]
    notes = notes_of(protocol={"view": "default"}, datasets=[row], algorithms=algorithms)
    found = [note.startswith("AdaBoost: with more than two classes") for note in notes]
    assert found == [True] * named


@pytest.mark.parametrize(
    ("n_oracles", "named"), [(0, []), (2, ["Rows monks; tictactoe"]), (3, ["All rows"])]
)
def test_rows_for_which_an_oracle_chose_are_named(n_oracles: int, named: list[str]) -> None:
    names, by_test = ("monks", "tictactoe", "titanic"), {"protocol": {"holdout": {"by": "test"}}}
    datasets = [{"name": name, **by_test} for name in names[:n_oracles]] + [*names[n_oracles:]]
    protocol = {"view": "quadboost", "holdout": {}}
    notes = notes_of(protocol=protocol, datasets=datasets, algorithms=["adaboost"])
    assert [note.partition(": an oracle")[0] for note in notes] == named


@pytest.mark.parametrize(("folds", "told"), [(48, False), (49, True)])
def test_a_class_of_fewer_rows_than_folds_is_named(folds: int, told: bool) -> None:
    protocol = {"view": "default", "split": {"stratify": True}, "folds": folds}
    notes = notes_of(protocol=protocol, datasets=["wine"], algorithms=["sklearn:SVC"])
    what = f"wine: a class has only 48 rows, so that it is missing in some of {folds} folds."
    assert [*notes] == [what] * told
