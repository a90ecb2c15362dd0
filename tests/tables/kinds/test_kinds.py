"""What kinds of table share: options, context, printed tables, notes and the rows that count."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from quadrepro.config.config import KINDS, UNASKED, Experiment, asked_for
from quadrepro.config.loading import load_mapping
from quadrepro.engine.outcomes import Outcomes
from quadrepro.errors import ConfigError
from quadrepro.papers.printed import ACCURACY, Facts, Printed
from quadrepro.tables.conclusion import conclusion
from quadrepro.tables.judge import score_text, verdicts_table
from quadrepro.tables.kinds import Context, check_tables, closing_notes, make_tables, own_rows_notes
from tests.make import config, fault_of
from tests.tables.contexts import ALGORITHMS, ONE, context_of, loaded, made, outcomes_of, table_of

ROWS = [
    "monks",
    {"name": "titanic", "as": "people"},
    {"name": "wine", "as": "grapes", "printed": "vineyard"},
    {"name": "balance", "as": "scales", "printed": "nowhere"},
]
PRINTED_ROWS = ("titanic", "people", "vineyard", "wine", "grapes", "balance", "seconds", "zoo")
PRINTED = Printed(
    "p", ("adaboost",), {(row, "adaboost"): str(i) for i, row in enumerate(PRINTED_ROWS)}
)


@pytest.fixture
def context() -> Context[str]:
    return context_of(load_mapping(config(datasets=ROWS)), "errors", PRINTED)


def test_a_printed_row_has_the_name_for_print_title_or_data_set(context: Context[str]) -> None:
    printed = context.printed("p")
    ours = [printed.text(row.title, "adaboost") for row in context.config.rows]
    assert ours == ["", "1", "2", "5"]
    # Other printed rows are kept.
    assert [printed.text(row, "adaboost") for row in ("seconds", "zoo", "absent")] == ["6", "7", ""]


def test_printed_accuracies_become_errors(context: Context[str]) -> None:
    table = replace(PRINTED, cells={("monks", "adaboost"): "0.970"}, facts=Facts(metric=ACCURACY))
    printed = context_of(context.experiment, "errors", table).printed("p")
    assert printed.text("monks", "adaboost") == "0.030"


TWO = {"algorithms": ["adaboost", "quadboost"]}
RIVAL = {"readings": [{"name": "rival", "protocol": {"folds": 3}}]}
STUMPS = {"over": "protocol.stumps_per_attribute", "as": "stumps", "values": [2, 4]}
ODD = {
    "protocol": {"view": "rescale", "holdout": {}},
    "datasets": ["ionosphere", "boston"],
    "algorithms": ["boosting", "rboosting"],
}
MEASURED = {"protocol": {"view": "quadboost", "folds": 0, "measures": ["train_error"]}}
DRAW = {"name": "adaboost", "draw": {"n_rounds": {"integers": [1, 9]}}}
DRAWN = {"algorithms": [{"name": "quadboost", "grid": {"n_rounds": 5}}, DRAW]}
CURVES = {"panels": [{"measures": ["train_error"]}]}
PANEL = {"row": "monks", "algorithms": ["adabost"]}


@pytest.mark.parametrize(
    ("key", "option", "keys", "place", "message"),
    [
        ("scatter", "adabost", {}, "", "unknown algorithm 'adabost' here; did you mean 'adab"),
        ("scatter", "boosting", ODD, "", "one scale serves all rows, and only some predict numb"),
        ("times", True, {}, "", "times are shown along sweeps: give sweeps"),
        ("ranking", True, {"datasets": ["monks", "wine"]}, "", "a ranking needs at least two met"),
        ("ranking", True, TWO, "", "ranking is over data sets; comparisons tests the splits of"),
        ("ranking", True, {"sweeps": [STUMPS]}, "", "No row has the config's own stumps"),
        ("margins", "tabel2", {}, "", "the paper ebboost has no printed table 'tabel2'; did you"),
        ("margins", {"panels": [{"row": "monk"}]}, {}, "panels.0", "unknown row 'monk'; did you"),
        ("margins", {"panels": [PANEL]}, {}, "panels.0.algorithms.0", "unknown algorithm 'adab"),
        ("readings", {"means": "table1"}, {}, "", "nothing to compare: give readings of the prot"),
        ("readings", {"margins": "table2"}, RIVAL, "", "means is missing"),
        (
            "readings",
            {"means": "table2"},
            RIVAL,
            "",
            "table2 of the paper ebboost holds margins",
        ),
        (
            *("readings", {"means": "table1", "margins": "table1"}, RIVAL, ""),
            "table1 of the paper ebboost holds errors, and not margins",
        ),
        ("curves", CURVES, {}, "", "curves need measures: name them in protocol.measures"),
        ("curves", CURVES, MEASURED | DRAWN, "", "adaboost draws its values, and curves need a"),
    ],
)
def test_what_cannot_be_made_is_refused_with_its_place(
    key: str, option: Any, keys: dict[str, Any], place: str, message: str
) -> None:
    changes = {"paper": "ebboost", "tables": {key: option}, **keys}
    fault = fault_of(lambda **keys: check_tables(load_mapping(config(**keys))), **changes)
    assert fault[0] == ".".join(filter(None, ("tables", key, place)))
    assert fault[1].startswith(message)


def notes_of(**changes: Any) -> tuple[str, ...]:
    """Return the notes that close a table of a config."""
    context = Context(load_mapping(config(**changes)), "errors", "")
    return closing_notes(context, Outcomes((), (), 0, {}))


@pytest.mark.parametrize(("row", "several"), [("wine", True), ("monks", False)])
def test_learners_of_two_classes_are_named_where_there_are_more(row: str, several: bool) -> None:
    algorithms = [{"name": "adaboost", "label": "AdaBoost"}, "sklearn:SVC"]
    notes = notes_of(protocol={"view": "default"}, datasets=[row], algorithms=algorithms)
    starts = [note.startswith("AdaBoost: with more than two classes") for note in notes]
    assert starts == [True] * several


@pytest.mark.parametrize(
    ("by", "n_oracles", "starts"),
    [
        ("test", 0, []),
        ("test", 2, ["Rows monks; tictactoe: an oracle"]),
        ("test", 3, ["All rows: an oracle"]),
        ("both", 1, ["Rows monks: validation errors chose the number of rounds, and an oracle"]),
    ],
)
def test_rows_for_which_an_oracle_chose_are_named(
    by: str, n_oracles: int, starts: list[str]
) -> None:
    names, by_oracle = ("monks", "tictactoe", "titanic"), {"protocol": {"holdout": {"by": by}}}
    datasets = [{"name": name, **by_oracle} for name in names[:n_oracles]] + [*names[n_oracles:]]
    protocol = {"view": "quadboost", "holdout": {}}
    notes = notes_of(protocol=protocol, datasets=datasets, algorithms=["adaboost"])
    assert [f"{note.partition(' oracle')[0]} oracle" for note in notes] == starts


@pytest.mark.parametrize(("folds", "too_many"), [(48, False), (49, True)])
def test_a_class_of_fewer_rows_than_folds_is_named(folds: int, too_many: bool) -> None:
    protocol = {"view": "default", "split": {"stratify": True}, "folds": folds}
    notes = notes_of(protocol=protocol, datasets=["wine"], algorithms=["sklearn:SVC"])
    note = f"wine: a class has only 48 rows, so that it is missing in some of {folds} folds."
    assert [*notes] == [note] * too_many


def test_repeats_are_called_folds_in_a_cross_validation() -> None:
    for split, word in (({"train": "half"}, "random splits"), ({"outer": 5}, "folds")):
        experiment = load_mapping(config(protocol={"view": "quadboost", "split": split}))
        assert Context(experiment, "errors", "").splits == word


METRICS = {"datasets": [*ONE], "metrics": ["auc", "error"], "headline": "auc"}


def test_a_printed_table_of_a_metric_is_compared_with_our_values_of_it() -> None:
    context = Context(load_mapping(config(**METRICS)), "errors", "")
    outcomes = outcomes_of(ONE)
    auc, _ = context.by_metrics(outcomes).values()
    assert context.headline(outcomes) is auc
    for metric, judged in (("auc", auc), ("error", outcomes), (ACCURACY, outcomes), ("f1", None)):
        printed = replace(PRINTED, facts=Facts(metric=metric))
        assert context.judged(outcomes, printed) is judged
    # The last one is not asked for.
    with pytest.raises(ConfigError, match=r"p prints f1: ask for it with metrics: \[f1\]"):
        context_of(context.experiment, "errors", printed).check_metric("p")


ONE_ALGORITHM = """title: One
protocol: {view: quadboost}
datasets: [monks]
algorithms: [{name: adaboost, grid: {n_rounds: 5}}]
"""


def load_with(*lines: str) -> Experiment:
    """Return the experiment of a config with some lines below ``tables``."""
    return loaded(f"{ONE_ALGORITHM}tables:\n" + "".join(f"  {line}\n" for line in lines))


def test_what_is_asked_for_has_its_option_and_the_order_of_the_kinds() -> None:
    tables = ("scatter: adaboost", "errors: table1", "times: true")
    options = asked_for(load_with(*tables).config.tables)
    assert [*options] == [key for key in KINDS if key in options]
    asked = {"errors": "table1", "times": True, "scatter": "adaboost"}
    assert options == dict.fromkeys(UNASKED, "") | asked
    # An empty option asks for nothing.
    nothing = ("times: false", "scatter: ''", "errors: ''")
    assert {*asked_for(load_with(*nothing).config.tables)} == {*UNASKED}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("scater: adaboost", "6:3: unknown key 'scater'; did you mean 'scatter'?"),
        ("verdicts: table1", "6:3: unknown key 'verdicts'; known are claims, "),
        ("errors: 3", "6:3: errors must be a valid string, not 3"),
        ("curves: 3", "6:3: curves must be a mapping of keys to values, not 3"),
        ("curves: {panels: [{measures: [a], scal: log}]}", "6:37: unknown key 'scal'; did you"),
        ("margins: {panels: [[a]]}", "6:22: item 1 of panels must be a mapping of keys"),
    ],
)
def test_a_wrong_option_has_its_place(line: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_with(line)
    assert str(caught.value).startswith(f"config.yaml:{message}")


def test_what_a_config_asks_for_is_kept_as_it_is_written() -> None:
    tables = ("margins: {panels: [{row: monks}]}", "ranking: true", "errors: ''")
    config = load_with(*tables).config
    written = {"margins": {"panels": [{"row": "monks"}]}, "ranking": True, "errors": ""}
    assert config.model_dump(mode="json")["tables"] == written
    assert asked_for(config.tables).keys() == {"margins", "ranking", *UNASKED}


ERRORS = {
    **{"monks": (1, 2, 3), "titanic": (2, 3, 4), "wine": (1, 3, 5)},
    **{"heart": (2, 4, 5), "pima": (1, 2, 4), "bupa": (2, 3, 6)},
}
SIX = {
    "protocol": {
        **{"view": "quadboost", "split": {"train": "half", "at_most": 500}},
        "noise": {"deviation": 0},
    },
    "datasets": [*ERRORS],
    "algorithms": [*ALGORITHMS],
}
READINGS = {"readings": [*RIVAL["readings"], {"name": "four", "protocol": {"folds": 4}}]}
NOISE = [{"over": "protocol.noise.deviation", "as": "noise", "values": [0.5, 0, 1]}]


def own(experiment: Experiment, row: str) -> str:
    """Return the title of a data set's row under the config's own reading."""
    return f"{row}, noise 0" if experiment.config.sweeps else row


def splits_of(errors: dict[str, tuple[int, ...]]) -> Outcomes:
    """Return outcomes of two splits; the second one has an error more everywhere."""
    return outcomes_of(
        errors, {row: tuple(n + 1 for n in counts) for row, counts in errors.items()}
    )


def all_rows(experiment: Experiment) -> Outcomes:
    """Return outcomes of all rows; those that do not count have the opposite order."""
    config = experiment.config
    plain = {own(experiment, row): counts for row, counts in ERRORS.items()}
    errors = {row.title: plain.get(row.title, (9, 5, 1)) for row in config.rows}
    return replace(splits_of(errors), own_rows=config.own_rows)


def own_rows(experiment: Experiment) -> Outcomes:
    """Return outcomes of the rows that count alone."""
    return splits_of({own(experiment, row): counts for row, counts in ERRORS.items()})


@pytest.fixture(params=[READINGS, {"sweeps": NOISE}], ids=["readings", "sweep"])
def varied(request: pytest.FixtureRequest) -> Experiment:
    tables = {"ranking": True, "scatter": "quadboost"}
    return load_mapping(config(**SIX, **request.param, tables=tables))


@pytest.mark.parametrize("name", ["comparisons", "ranking"])
def test_pairs_and_ranks_are_of_the_data_sets_alone(name: str, varied: Experiment) -> None:
    table = table_of(varied, name, all_rows(varied))
    plain = table_of(varied, name, own_rows(varied))
    assert (table.rows, table.data_rows) == (plain.rows, plain.data_rows)
    [note] = own_rows_notes(varied.config)
    assert table.notes.count(note) == 1
    how = "with noise 0" if varied.config.sweeps else "under the config's own reading"
    assert note == f"Each data set counts once: 6 of 18 rows, {how}."


def test_a_conclusion_is_about_the_data_sets_alone(varied: Experiment) -> None:
    context = context_of(varied, "comparisons")
    sentence = conclusion(context, all_rows(varied))
    assert sentence.startswith("Best by risk over 6 data sets: QuadBoost")
    assert sentence == conclusion(context, own_rows(varied))


def test_a_printed_number_counts_once_in_the_table_as_a_whole(varied: Experiment) -> None:
    printed = Printed("t", ("quadboost",), {(own(varied, "monks"), "quadboost"): "0.900"})
    others = [row.title for row in varied.config.rows if row.title not in ERRORS]
    printed = replace(printed, cells={**printed.cells, (others[0], "quadboost"): "0.100"})
    outcomes = all_rows(varied)
    third = {(*place[:2], 2): r for place, r in outcomes.records.items() if place[2] == 1}
    three = replace(outcomes, repeats=3, records=outcomes.records | third)
    verdicts = made(varied, "errors", three, printed).verdicts
    assert len(verdicts.entries) > 1
    assert (len(verdicts.judged), len(verdicts.outside)) == (1, 1)
    assert "t,1,0,1,0," in score_text([verdicts])
    assert next(verdicts.statement({})).startswith("Inside: 0 of 1, outside: 1.")
    notes = own_rows_notes(varied.config)
    table = verdicts_table(varied, [verdicts], notes)
    assert len(table.data_rows) == len(verdicts.entries)
    assert notes[0] in table.notes


def test_without_the_configs_own_value_nothing_is_tested_over_data_sets() -> None:
    experiment = load_mapping(config(**SIX, sweeps=[STUMPS], tables={"scatter": "quadboost"}))
    assert experiment.config.own_rows == frozenset()
    outcomes = all_rows(experiment)
    tables = {name: result.table for name, result in make_tables(experiment, outcomes).items()}
    assert {*tables} == {"errors", "scatter"}
    message = "No row has the config's own stumps, so nothing is tested over data sets."
    assert all(message in table.notes for table in tables.values())
    assert conclusion(context_of(experiment, "errors"), outcomes) == ""
