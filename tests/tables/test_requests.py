"""The tables of metrics, from configs that are run."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from quadrepro.api import prepare, reproduce, write
from quadrepro.config.config import Experiment
from quadrepro.config.loading import load_experiment, load_mapping
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.engine.records import RecordStore as Store
from quadrepro.errors import ConfigError
from quadrepro.results.files import check_tables, make_tables
from quadrepro.results.results import Results
from quadrepro.stats import corrected_t_test
from quadrepro.tables.requests import find_verdicts, judged_rows, requested, written
from quadrepro.tables.table import Table

CONFIG: dict[str, Any] = {
    "title": "Measured",
    "repeats": 3,
    "protocol": {"view": "quadboost"},
    "datasets": ["monks", "balance"],
    "metrics": ["auc", "log_loss", "balanced_accuracy"],
    "algorithms": [
        {"name": "adaboost", "label": "AdaBoost", "grid": {"n_rounds": 5}},
        {"name": "bayes", "algorithm": "sklearn:GaussianNB"},
        {"name": "stump", "algorithm": "sklearn:DecisionTreeClassifier", "grid": {"max_depth": 1}},
    ],
}
MIXED: dict[str, Any] = {
    "title": "Mixed",
    "protocol": {"view": "quadboost"},
    "datasets": ["monks", {"name": "diabetes", "as": "numbers", "view": {"nominal": "ordinal"}}],
    "metrics": ["auc", "mae"],
    "algorithms": [{"name": "boosting", "grid": {"n_rounds": 5}}],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return reproduce(CONFIG, jobs=1, out=tmp_path_factory.mktemp("out"), progress=False)


def auc_of(record: Record) -> float:
    probabilities, scores = record.probabilities, record.scores
    if scores is None:
        assert probabilities is not None
        scores = probabilities[:, 1]
    return float(roc_auc_score(record.actual, scores))


def tables(results: Results) -> dict[str, Table]:
    assert results.plan is not None
    assert results.outcomes is not None
    return make_tables(written(results.plan.experiment, []), results.outcomes)


def test_each_metric_has_its_means_its_comparisons_and_its_ranking(results: Results) -> None:
    names = [f"{k}-{m}" for m in CONFIG["metrics"] for k in ("means", "comparisons", "ranking")]
    assert list(results.tables) == ["risks", "comparisons", *names]
    assert [*results.figures] == [name for name in names if name.startswith("ranking")]
    assert results.table("means-auc").markdown.startswith("## Measured: AUC on test examples")
    title = results.table("comparisons-log_loss").markdown.splitlines()[0]
    assert title == "## Measured: pairwise comparisons by log loss"


def test_means_are_those_of_the_metric_of_every_record(results: Results) -> None:
    assert results.outcomes is not None
    data = results.table("means-auc").data.set_index(["dataset", "algorithm"])
    for row in ("monks", "balance"):
        for column in ("adaboost", "bayes", "baseline"):
            values = [auc_of(record) for record in results.outcomes.cell(row, column)]
            found = data.loc[(row, column)]
            assert found["mean"] == pytest.approx(np.mean(values))
            assert found["sd"] == pytest.approx(np.std(values, ddof=1), abs=1e-9)


def test_the_best_is_the_highest_where_higher_is_better_and_else_the_lowest(
    results: Results,
) -> None:
    made = tables(results)
    for name, pick in (
        ("means-auc", max),
        ("means-balanced_accuracy", max),
        ("means-log_loss", min),
    ):
        for _, entries in made[name].rows:
            known = {e.ours: e.best for e in entries if e.ours != "–"}
            best = pick(known, key=lambda text: float(text.split()[0]))
            assert known[best]
    assert "marks the highest mean" in " ".join(made["means-auc"].notes)
    assert "marks the lowest mean" in " ".join(made["means-log_loss"].notes)


def test_what_gives_no_probabilities_is_a_dash_with_a_note_and_not_compared(
    results: Results,
) -> None:
    made = tables(results)
    assert [entries[0].ours for _, entries in made["means-log_loss"].rows] == ["–", "–"]
    assert made["means-log_loss"].notes[0] == (
        "AdaBoost: no class probabilities, which log loss is computed from (–). A calibrated "
        "classifier gives them, such as scikit-learn's CalibratedClassifierCV around an estimator."
    )
    [pair] = [pair for pair, _ in made["ranking-log_loss"].rows]
    assert {*pair.split(" – ")} == {"GaussianNB", "DecisionTreeClassifier"}
    assert not any("no class" in note for note in made["means-auc"].notes)


def test_the_better_of_two_has_the_better_rank_and_the_splits_are_compared(
    results: Results,
) -> None:
    assert results.outcomes is not None
    data = results.table("ranking-auc").data
    over = data[data["dataset"].isna()].set_index(["method", "against"])
    assert (over["mean rank"] <= over["mean rank against"]).all()
    assert over.iloc[0]["shift"] > 0
    on_monks = data[data["dataset"] == "monks"].iloc[0]
    mine, theirs = (
        [auc_of(record) for record in results.outcomes.cell("monks", on_monks[side])]
        for side in ("method", "against")
    )
    test = corrected_t_test(mine, theirs, 0.5)
    assert on_monks["mean difference"] == pytest.approx(test.mean_difference)
    assert on_monks["corrected t p"] == pytest.approx(test.p_value)


def test_the_baseline_has_its_risk_and_its_means_and_takes_no_part_in_tests(
    results: Results,
) -> None:
    made = tables(results)
    for name, table in made.items():
        assert ("baseline" in table.to_csv()) == name.startswith(("risks", "means"))
        tested = [*table.header[1:], *(row for row, _ in table.rows)]
        assert ("Class prior" in tested) == name.startswith(("risks", "means"))
    means = {row[1]: row for row in made["means-auc"].data_rows if row[0] == "monks"}
    assert means["baseline"][3] == 0.5
    assert means["baseline"][5:7] == (None, None)


def test_cells_have_a_column_per_metric(results: Results) -> None:
    assert results.outcomes is not None
    cells = results.cells
    assert list(cells.columns[-3:]) == CONFIG["metrics"]
    for _, cell in cells.iterrows():
        record = results.outcomes.records[cell["dataset"], cell["algorithm"], cell["repeat"]]
        assert cell["auc"] == pytest.approx(auc_of(record))
        assert np.isnan(cell["log_loss"]) == (cell["algorithm"] == "adaboost")


def test_a_metric_can_be_added_later_without_computing_a_cell(
    results: Results, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    before = reproduce({**CONFIG, "metrics": []}, jobs=1, out=out, progress=False)
    plan = prepare(CONFIG, offline=True, check_data=False)
    assert before.plan is not None
    assert [cell.key for cell in plan.cells] == [cell.key for cell in before.plan.cells]
    after = write(plan, Store(out / "records"), out)
    for name in results.tables:
        if not name.startswith("risks"):
            assert after.table(name).markdown == results.table(name).markdown


def test_without_metrics_there_is_nothing_of_them(tmp_path: Path) -> None:
    plain = {**CONFIG, "metrics": [], "repeats": 1}
    found = reproduce(plain, jobs=1, out=tmp_path, progress=False)
    assert found.tables == ("risks", "comparisons")
    with (found.folder / "cells.csv").open() as file:
        assert next(csv.reader(file))[-1] == "reason"


def test_a_metric_has_the_rows_of_its_task_alone() -> None:
    experiment = load_mapping(MIXED)
    metrics = {r.context.option.name: r.context.option for r in requested(experiment)[2:]}
    assert judged_rows(experiment, metrics["auc"]) == ["monks"]
    assert judged_rows(experiment, metrics["mae"]) == ["numbers"]
    check_tables(experiment)


def test_a_metric_of_no_task_here_is_refused_with_its_place() -> None:
    wrong = {**CONFIG, "metrics": ["auc", "mae"]}
    with pytest.raises(ConfigError) as caught:
        check_tables(load_mapping(wrong))
    assert "mae is a metric of numbers, and here two classes are predicted" in str(caught.value)


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        (["auc", "log_los"], "unknown metric 'log_los'; did you mean 'log_loss'?"),
        (["auc", "auc"], "duplicate metric 'auc'"),
    ],
)
def test_a_metric_that_cannot_be_is_refused(metrics: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message.replace("?", r"\?")):
        load_mapping({**CONFIG, "metrics": metrics})


def test_cells_on_which_a_metric_is_undefined_are_counted(results: Results) -> None:
    assert results.plan is not None
    assert results.outcomes is not None
    place = ("monks", "bayes", 1)
    record = results.outcomes.records[place]
    assert record.actual is not None
    one_class = replace(record, actual=np.zeros_like(record.actual))
    records = {**results.outcomes.records, place: one_class}
    outcomes = Outcomes.of(results.plan.cells, list(records.values()))
    table = make_tables(written(results.plan.experiment, []), outcomes)["means-auc"]
    assert table.notes[0] == "AUC is undefined on the test examples of 1 of 24 cells (–)."
    assert table.rows[0][1][1].ours == "–"


def test_all_of_this_is_on_the_page(results: Results) -> None:
    html = results.report().read_text()
    assert "AUC on test examples" in html


def test_the_error_is_compared_example_by_example(results: Results) -> None:
    assert results.plan is not None
    assert results.outcomes is not None
    experiment = load_mapping({**CONFIG, "metrics": ["error"]})
    made = make_tables(written(experiment, []), results.outcomes)
    assert made["comparisons-error"].rows == made["comparisons"].rows
    assert made["comparisons-error"].title == "Measured: pairwise comparisons by error"


PRINTED = "dataset,adaboost_mean,bayes_mean\nmonks,{:.2f},50\nbalance,99.5,55\n"


def with_print(folder: Path, printed: str, **config: Any) -> Experiment:
    """Return the experiment with a paper whose table prints AUCs in percent."""
    (folder / "paper/printed").mkdir(parents=True)
    facts = "printed: {t: {metric: auc, unit: percent, of: {splits: 3}}}\n"
    names = "names: {adaboost: A, bayes: B}\n"
    (folder / "paper/paper.yaml").write_text(f"title: Ours\n{names}{facts}")
    (folder / "paper/printed/t.csv").write_text(printed)
    asked = {**CONFIG, "paper": "./paper", "tables": {"means": "t"}, "baseline": True}
    asked |= config
    (folder / "config.yaml").write_text(json.dumps(asked))
    return load_experiment(folder / "config.yaml")


def test_a_printed_metric_stands_beside_ours_and_not_beside_errors(
    results: Results, tmp_path: Path
) -> None:
    assert results.outcomes is not None
    found = tables(results)["means-auc"].data_rows
    [ours] = [float(str(row[3])) for row in found if row[:2] == ("monks", "adaboost")]
    experiment = with_print(tmp_path, PRINTED.format(100 * ours))
    made = make_tables(written(experiment, []), results.outcomes)
    rows = dict(made["means-auc"].rows)
    assert rows["monks"][0].printed == f"{ours:.4f}"
    assert [entry.verdict for entry in rows["monks"][:2]] == ["inside", "outside"]
    assert "Printed: AUC in percent, mean of 3 splits." in made["means-auc"].notes
    assert not any(e.printed for _, entries in made["means"].rows for e in entries)
    [verdicts] = find_verdicts(experiment, results.outcomes)
    assert {v.quantity for v in verdicts.entries} == {"AUC"}


def test_a_printed_metric_that_is_not_asked_for_is_refused(tmp_path: Path) -> None:
    experiment = with_print(tmp_path, PRINTED.format(90), metrics=["log_loss"])
    with pytest.raises(ConfigError, match=r"t prints auc: name it under means, and give metrics"):
        check_tables(experiment)
