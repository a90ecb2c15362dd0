"""What every kind of table shares: its context, printed tables and notes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from quadrepro.config.loading import load_mapping
from quadrepro.engine.outcomes import Outcomes
from quadrepro.errors import ConfigError
from quadrepro.papers.printed import ACCURACY, TIME_ROW, Facts, Printed, Sample
from quadrepro.tables.conclusion import conclusion
from quadrepro.tables.kinds import Context, closing_notes, compares_ratios, make_tables
from quadrepro.tables.render import to_markdown
from tests.make import config
from tests.tables.contexts import ALGORITHMS, ONE, as_regression, context_of, loaded, outcomes_of

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


def test_a_printed_row_is_found_by_the_name_for_print_the_title_or_the_data_set(
    context: Context[str],
) -> None:
    printed = context.printed("p")
    ours = [printed.text(row.title, "adaboost") for row in context.config.rows]
    assert ours == ["", "1", "2", "7"]
    # Other printed rows are kept.
    assert [printed.text(row, "adaboost") for row in ("seconds", "zoo", "absent")] == ["8", "9", ""]


def test_printed_accuracies_become_errors_and_deviations_and_times_stay(
    context: Context[str],
) -> None:
    cells = {
        ("monks", "adaboost_mean"): "0.970",
        ("monks", "adaboost_sd"): "0.012",
        (TIME_ROW, "adaboost_mean"): "0.5",
    }
    facts = Facts(metric=ACCURACY, unit="percent", of=Sample(splits=3), spread="sd")
    table = Printed("p", ("adaboost_mean", "adaboost_sd"), cells, facts)
    printed = context_of(context.experiment, "scatter", table).printed("p")
    assert printed.text("monks", "adaboost_mean") == "0.030"
    assert printed.as_printed("monks", "adaboost_mean") == "3.0"
    assert printed.text("monks", "adaboost_sd") == "0.012"
    assert printed.as_printed(TIME_ROW, "adaboost_mean") == "0.5"


MIXED = """title: Mixed
protocol: {view: default}
datasets: [diabetes, wine]
algorithms: [{name: boosting, grid: {n_rounds: 5}}]
"""


def test_printed_rmses_keep_the_unit_of_their_target_in_a_table_in_percent(tmp_path: Path) -> None:
    # As they are read: 53.21 and 4.2 in a table whose errors are in percent.
    cells = {("diabetes", "boosting"): "0.5321", ("wine", "boosting"): "0.042"}
    table = Printed("p", ("boosting",), cells, Facts(unit="percent"))
    printed = context_of(loaded(tmp_path, MIXED), "errors", table).printed("p")
    assert printed.text("diabetes", "boosting") == "53.21"
    assert printed.text("wine", "boosting") == "0.042"


def test_an_error_names_the_place_of_the_kinds_key(context: Context[str]) -> None:
    where = f"{context.experiment.source.path}:11:10: "
    assert str(context.error("no")) == f"{where}no"
    with pytest.raises(ConfigError) as caught:
        context.check_column("adabost")
    assert str(caught.value) == (
        f"{where}unknown algorithm 'adabost' here; did you mean 'adaboost'?"
    )


def test_a_kind_of_table_along_sweeps_needs_one(context: Context[str]) -> None:
    with pytest.raises(ConfigError, match="scatter are shown along sweeps: give sweeps"):
        context.check_sweeps()


def notes_of(**changes: Any) -> tuple[str, ...]:
    """Return the notes that close a table of a config."""
    context = Context(load_mapping(config(**changes)), "errors", "")
    return closing_notes(context, Outcomes((), (), 0, {}))


@pytest.mark.parametrize(("row", "several"), [("wine", True), ("monks", False)])
def test_columns_of_learners_of_two_classes_are_named_where_there_are_more(
    row: str, several: bool
) -> None:
    algorithms = [{"name": "adaboost", "label": "AdaBoost"}, "sklearn:SVC"]
    notes = notes_of(protocol={"view": "default"}, datasets=[row], algorithms=algorithms)
    starts = [note.startswith("AdaBoost: with more than two classes") for note in notes]
    assert starts == [True] * several


@pytest.mark.parametrize(
    ("n_oracles", "rows"), [(0, []), (2, ["Rows monks; tictactoe"]), (3, ["All rows"])]
)
def test_rows_for_which_an_oracle_chose_are_named(n_oracles: int, rows: list[str]) -> None:
    names, by_test = ("monks", "tictactoe", "titanic"), {"protocol": {"holdout": {"by": "test"}}}
    datasets = [{"name": name, **by_test} for name in names[:n_oracles]] + [*names[n_oracles:]]
    protocol = {"view": "quadboost", "holdout": {}}
    notes = notes_of(protocol=protocol, datasets=datasets, algorithms=["adaboost"])
    assert [note.partition(": an oracle")[0] for note in notes] == rows


def test_rows_for_which_an_oracle_chose_all_but_the_rounds_are_named() -> None:
    datasets = [{"name": "monks", "protocol": {"holdout": {"by": "both"}}}, "titanic"]
    protocol = {"view": "quadboost", "holdout": {}}
    [note] = notes_of(protocol=protocol, datasets=datasets, algorithms=["adaboost"])
    assert note.startswith(
        "Rows monks: validation errors chose the number of rounds, and an oracle"
    )


@pytest.mark.parametrize(("folds", "too_many"), [(48, False), (49, True)])
def test_a_class_of_fewer_rows_than_folds_is_named(folds: int, too_many: bool) -> None:
    protocol = {"view": "default", "split": {"stratify": True}, "folds": folds}
    notes = notes_of(protocol=protocol, datasets=["wine"], algorithms=["sklearn:SVC"])
    note = f"wine: a class has only 48 rows, so that it is missing in some of {folds} folds."
    assert [*notes] == [note] * too_many


@pytest.mark.parametrize(
    ("split", "word"),
    [({"train": "half"}, "random splits"), ({"outer": "3x2"}, "folds"), ({"outer": 5}, "folds")],
)
def test_repeats_are_called_folds_in_a_cross_validation(split: dict[str, Any], word: str) -> None:
    experiment = load_mapping(config(protocol={"view": "quadboost", "split": split}))
    assert Context(experiment, "errors", "").splits == word


def test_names_of_a_config_are_literal_in_every_table() -> None:
    rows = ["**monks**", "a|b", "_wine_"]
    labels = ["`x`", "[a](http://b)", "<b>"]
    algorithms = [
        {"name": name, "algorithm": "adaboost", "label": label, "note": "**no** <b>"}
        for name, label in zip(ALGORITHMS, labels, strict=True)
    ]
    datasets = [{"name": "monks", "as": row} for row in rows]
    keys = {"title": "*T* <b>", "notes": ["# a *note*"], "tables": {"ranking": True}}
    experiment = load_mapping(config(datasets=datasets, algorithms=algorithms, **keys))
    errors = {row: (1 + i, 3, 2 * i) for i, row in enumerate(rows)}
    outcomes = outcomes_of(errors, {row: (2 + i, 3, i) for i, row in enumerate(rows)})
    tables = {name: result.table for name, result in make_tables(experiment, outcomes).items()}
    assert {*tables} == {"errors", "comparisons", "ranking"}
    sentence = conclusion(Context(experiment, "", ""), outcomes)
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    for table in tables.values():
        notes = (*table.notes, sentence)
        tokens = parser.parse(to_markdown(replace(table, notes=notes)))
        inline = [token.children or [] for token in tokens if token.type == "inline"]
        types = {part.type for parts in inline for part in parts}
        # Only entries are bold.
        assert types <= {"text", "text_special", "strong_open", "strong_close"}
        texts = ["".join(part.content for part in parts) for parts in inline]
        assert texts[0] == table.title
        assert texts[1 : 1 + len(table.header)] == [*table.header]
        assert {name for name, _ in table.rows} <= {*texts}
        assert texts[len(texts) - len(notes) :] == [*notes]


METRICS = {"datasets": [*ONE], "metrics": ["auc", "error"], "headline": "auc"}


def test_a_printed_table_of_a_metric_is_compared_with_our_values_of_it() -> None:
    context = Context(load_mapping(config(**METRICS)), "errors", "")
    outcomes = outcomes_of(ONE)
    auc, _ = context.by_metrics(outcomes).values()
    assert context.headline(outcomes) is auc
    for metric, judged in (("auc", auc), ("error", outcomes), (ACCURACY, outcomes), ("f1", None)):
        printed = replace(PRINTED, facts=Facts(metric=metric))
        assert context.judged(outcomes, printed) is judged
    with pytest.raises(ConfigError, match=r"p prints f1: ask for it with metrics: \[f1\]"):
        context_of(
            context.experiment, "errors", replace(PRINTED, facts=Facts(metric="f1"))
        ).check_metric("p")


def test_ratios_are_compared_where_errors_are_in_the_unit_of_each_target() -> None:
    outcomes = outcomes_of(ONE)
    assert not compares_ratios(outcomes)
    numbers = as_regression(outcomes, "monks")
    assert compares_ratios(numbers)
