"""Algorithms ranked over data sets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata, wilcoxon

from quadrepro.config.config import Experiment
from quadrepro.config.loading import load_mapping
from quadrepro.core.metrics import METRICS
from quadrepro.errors import ConfigError
from quadrepro.stats import critical_difference, holm, rank_methods
from quadrepro.tables.kinds import check_tables
from quadrepro.tables.kinds.ranking import scale_of
from tests.make import config
from tests.tables.contexts import (
    ONE,
    as_regression,
    asking_for,
    comparison_of,
    crossed,
    csv_of,
    made,
    outcomes_of,
    table_of,
    texts_of,
)

MORE = {"monks": (3, 2, 3), "titanic": (3, 3, 5), "wine": (1, 1, 2)}
MANY = {f"set{i}": (1 + i % 3, 4 + i % 2, 1 + (i + 1) % 3) for i in range(9)}
COLUMNS = ("quadboost", "lpboost", "adaboost")
TITLES = ("QuadBoost", "LPBoost", "AdaBoost")


@pytest.fixture
def ranked(experiment: Experiment) -> Experiment:
    return asking_for(experiment, ranking=True)


def test_each_method_has_a_row_with_its_comparison_with_the_best(ranked: Experiment) -> None:
    table = table_of(ranked, "ranking", outcomes_of(MANY))
    risks = np.array([*MANY.values()]) / 10
    ranks = rankdata(risks, axis=1).mean(axis=0)
    assert [row["method"] for row in csv_of(table)] == [COLUMNS[j] for j in np.argsort(ranks)]
    p = {
        (0, 1): wilcoxon(risks[:, 0], risks[:, 1], method="exact").pvalue,
        (0, 2): float(csv_of(table)[1]["p"]),
        (1, 2): wilcoxon(risks[:, 1], risks[:, 2], method="exact").pvalue,
    }
    adjusted = dict(zip(p, holm(p.values()), strict=True))
    for row in csv_of(table):
        j = COLUMNS.index(row["method"])
        assert float(row["mean rank"]) == pytest.approx(ranks[j])
        assert float(row["mean score"]) == pytest.approx(risks[:, j].mean())
        if j:
            assert float(row["p"]) == pytest.approx(p[0, j])
            assert float(row["p adjusted"]) == pytest.approx(adjusted[0, j])
            wins = [(risks[:, j] < risks[:, 0]).sum(), (risks[:, j] > risks[:, 0]).sum()]
            assert [int(row["wins"]), int(row["losses"])] == wins
            assert row["winner"] == ("quadboost" if adjusted[0, j] <= 0.05 else "")
        assert row["best group"] == ("false" if j == 1 else "true")
    entries = texts_of(table)
    assert [*entries] == [TITLES[j] for j in np.argsort(ranks)]
    assert entries["QuadBoost"][:5] == (f"{ranks[0]:.2f}", "0.200", "–", "–", "–")
    assert entries["LPBoost"][2] == "0–0–9"
    assert entries["LPBoost"][4].endswith(r"\*")
    assert entries["LPBoost"][5] == "no"
    assert entries["AdaBoost"][5] == "yes"


def test_the_numbers_are_those_of_one_ranking_of_mean_risks(ranked: Experiment) -> None:
    outcomes = outcomes_of(ONE, MORE)
    table = table_of(asking_for(ranked, ranking={"rope": 0.05}), "ranking", outcomes)
    risks = {c: [outcomes.mean(row, c) or 0.0 for row in outcomes.rows] for c in outcomes.columns}
    ranking = rank_methods(risks, rope=0.05)
    for method, row in zip(ranking.methods, table.data_rows, strict=True):
        data = dict(zip(table.data_header, row, strict=True))
        assert (data["method"], data["mean rank"]) == (method.name, method.mean_rank)
        pair = ranking.pairs.get((method.name, ranking.reference))
        assert data["p adjusted"] == (pair.p_adjusted if pair else None)
        assert data["difference"] == (pair.difference if pair else None)
    assert table.notes[0].startswith("The lower the risk, the better. Rank 1 is the best of a row")
    assert "over 3 data sets" in table.notes[0]
    assert "LPBoost: a departure." in table.notes


def test_rmses_are_ranked_by_ratios_and_have_no_mean(ranked: Experiment) -> None:
    outcomes = as_regression(outcomes_of(MANY))
    table = table_of(ranked, "ranking", outcomes)
    assert "ratio" in table.header
    assert not any("mean RMSE" in title for title in table.header)
    losses = outcomes.mean_losses()
    d = np.log(losses["lpboost"]) - np.log(losses["quadboost"])
    means = [(d[i] + d[j]) / 2 for i in range(9) for j in range(i, 9)]
    [row] = [row for row in csv_of(table) if row["method"] == "lpboost"]
    assert float(row["difference"]) == pytest.approx(np.exp(np.median(means)))
    assert any("A ratio is the RMSE of the row over the other's" in note for note in table.notes)


def test_the_best_group_is_of_methods_that_do_not_differ_significantly_from_the_best() -> None:
    context, outcomes = comparison_of(crossed())
    table = table_of(asking_for(context.experiment, ranking=True), "ranking", outcomes)
    rows = csv_of(table)
    assert [row["method"] for row in rows[:2]] == ["a0", "a1"]
    # The second one beats the first by the test, though its mean rank is worse.
    assert rows[1]["winner"] == "a1"
    assert [row["best group"] for row in rows] == ["true", *["false"] * 5]
    text = "Best group: a0 and the methods that do not differ significantly from it."
    assert any(text in note for note in table.notes)


def test_ratios_with_an_error_of_zero_are_short(ranked: Experiment) -> None:
    counts = {row: (0, *counts[1:]) for row, counts in MANY.items()}
    table = table_of(ranked, "ranking", as_regression(outcomes_of(counts)))
    assert [texts[2] for texts in texts_of(table).values()][1:] == ["∞ [∞, ∞]"] * 2


@pytest.mark.parametrize(
    ("name", "ratio"), [("auc", False), ("rmse", True), ("mae", True), ("r2", False)]
)
def test_metrics_are_compared_as_ratios_if_they_are_errors_in_the_unit_of_the_target(
    name: str, ratio: bool
) -> None:
    outcomes = outcomes_of(MANY)
    scale = scale_of(replace(outcomes, metric=METRICS[name]))
    assert (scale.ratio, scale.greater_is_better) == (ratio, name in ("auc", "r2"))
    assert not scale.percent
    assert scale_of(outcomes).percent
    one = outcomes_of({"monks": (1, 2, 3)})
    assert not scale_of(replace(one, metric=METRICS[name])).ratio


def test_nemenyis_critical_difference_is_an_option(ranked: Experiment) -> None:
    outcomes = outcomes_of(MANY)
    plain = table_of(ranked, "ranking", outcomes)
    assert not any("Nemenyi" in note for note in plain.notes)
    table = table_of(asking_for(ranked, ranking={"nemenyi": True}), "ranking", outcomes)
    critical = critical_difference(3, 9)
    note = f"Nemenyi's test: mean ranks that are {critical:.2f} or more apart differ significantly"
    assert any(text.startswith(note) for text in table.notes)


def test_a_missing_cell_allows_no_ranking(ranked: Experiment) -> None:
    gap = outcomes_of({**ONE, "monks": (2, None, 1)})
    nothing = made(ranked, "ranking", gap)
    assert nothing.table.rows == ()
    assert nothing.draw is None
    reason = "Ranking takes two algorithms without missing cells on two data sets."
    assert nothing.table.notes == (reason,)


@pytest.mark.parametrize(
    ("datasets", "algorithms", "message"),
    [
        (["monks", "wine"], ["adaboost"], "at least two methods on at least"),
        (["monks"], ["adaboost", "quadboost"], "comparisons tests the splits of one"),
    ],
)
def test_one_algorithm_or_one_data_set_is_refused(
    datasets: list[str], algorithms: list[str], message: str
) -> None:
    ranking: dict[str, Any] = {"tables": {"ranking": True}}
    experiment = load_mapping(config(datasets=datasets, algorithms=algorithms, **ranking))
    with pytest.raises(ConfigError, match=rf"config\['tables'\].*{message}"):
        check_tables(experiment)
