"""The sentence that sums up a run."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, wilcoxon

from quadrepro.config.config import Experiment
from quadrepro.core.protocol import SplitRule
from quadrepro.core.training.algorithms import BASELINE
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.stats import compare_on_splits, compare_over_datasets, detectable_difference
from quadrepro.tables.conclusion import best_column, conclusion, paper_conclusion, planned
from quadrepro.tables.kinds import Context, make_tables
from quadrepro.tables.kinds.comparisons import compared
from tests.tables.conftest import CONFIG
from tests.tables.contexts import (
    ALGORITHMS,
    as_regression,
    comparison_of,
    context_of,
    crossed,
    loaded,
    outcomes_of,
    own_paper,
)

SPLITS = [(1, 3, 7), (2, 2, 8), (1, 2, 7), (2, 3, 9), (1, 1, 8), (2, 4, 8), (1, 2, 8), (2, 1, 7)]
MANY = {f"set{i}": (1 + i % 3, 1 + (i + 1) % 3, 8) for i in range(9)}


@pytest.fixture
def context(experiment: Experiment) -> Context[str]:
    return context_of(experiment, "comparisons")


def one_data_set() -> Outcomes:
    return outcomes_of(*({"monks": errors} for errors in SPLITS))


def by_column(experiment: Experiment) -> Experiment:
    """Return an experiment whose splits are those of a column."""
    rule = SplitRule(column="part")
    protocol = experiment.config.protocol.model_copy(update={"split": rule})
    config = experiment.config.model_copy(update={"protocol": protocol})
    return replace(experiment, config=config)


def changed(old: str, new: str) -> Context[str]:
    return context_of(loaded(CONFIG.replace(old, new)), "comparisons")


def test_on_one_data_set_it_rests_on_the_corrected_test(context: Context[str]) -> None:
    # Half of the examples are tested, and one of ten is the step of a risk.
    splits = dict(zip(ALGORITHMS, (np.array(SPLITS) / 10).T.tolist(), strict=True))
    pairs = compare_on_splits(splits, 0.5, resolution=0.1)
    second, worst = (pairs[column, "quadboost"] for column in ("lpboost", "adaboost"))
    assert (second.winner, worst.winner) == (None, "quadboost")
    texts = []
    for c in (second, worst):
        gap, low, high = (f"{100 * x:.1f}".replace("-", "−") for x in (c.difference, c.low, c.high))
        texts.append(f"worse by {gap} percentage points, interval {low} to {high}")
    best, near = "Best by risk: QuadBoost (0.150).", "Not significantly different from it: LPBoost"
    test = "By corrected resampled t-test with Holm's correction (p ≤ 0.05)."
    sentence = f"{best} {near} ({texts[0]}). Worse: AdaBoost ({texts[1]}). {test}{MORE}"
    assert conclusion(context, one_data_set()) == sentence


MORE = " More splits of these rows would not show differences as small as these."


@pytest.mark.parametrize(("noise", "clause"), [(4, MORE), (2, "1"), (0, "")])
def test_splits_that_would_show_it_are_named(
    context: Context[str], noise: int, clause: str
) -> None:
    errors = [(1 + noise * (r % 2), 3, 8) for r in range(6)]
    outcomes = outcomes_of(*({"monks": split} for split in errors))
    outcomes = replace(outcomes, test_shares={"monks": 0.1})
    pair = compared(context, outcomes)["lpboost", "quadboost"]
    sentence = conclusion(context, outcomes)
    assert (pair.winner is None) == bool(clause)
    # Other splits than those of a column cannot be drawn.
    fixed = replace(context, experiment=by_column(context.experiment))
    assert "splits would" not in conclusion(fixed, outcomes)
    assert MORE not in conclusion(fixed, outcomes)
    if clause == "1":
        assert 6 < pair.splits < 100
        clause = f" About {pair.splits:.0f} splits would show the difference from LPBoost if it"
    assert (clause in sentence) if clause else ("splits" not in sentence)


def test_a_risk_of_zero_is_doubted(context: Context[str]) -> None:
    for least in (0, 1):
        outcomes = outcomes_of(*[{"monks": (least, 3, 8)}] * 6)
        doubted = "No error at all is rarely real" in conclusion(context, outcomes)
        assert doubted == (least == 0)


def test_a_plan_names_the_difference_that_its_splits_show() -> None:
    text = f"{CONFIG}repeats: 10\n"
    source = SimpleNamespace(sizes=(70, 0, 300), test_share=lambda n: 0.3)
    experiment = loaded(text)
    texts = detectable_difference(300, 0.3, experiment.config.repeats, 0.1, 0.05 / 3)
    sentence = planned(experiment, {"monks": source})  # type: ignore[dict-item]
    assert [f"{100 * x:.1f}" in sentence for x in texts] == [True, True]
    assert sentence.startswith("If two algorithms disagree on 10% of the rows, 10 splits show")
    for n_test, start in (
        (20, "If two algorithms disagree on 22.7% of the rows"),
        (1, "10 splits are too few, or test too few"),
    ):
        few = SimpleNamespace(sizes=(70, 0, n_test), test_share=lambda n: 0.3)
        assert planned(experiment, {"monks": few}).startswith(start)  # type: ignore[dict-item]
    assert planned(experiment, {"monks": source, "wine": source}) == ""  # type: ignore[dict-item]


def with_baseline(outcomes: Outcomes, column: str) -> Outcomes:
    """Return outcomes in which one of the columns is the baseline."""
    records = {
        (row, BASELINE if c == column else c, r): record
        for (row, c, r), record in outcomes.records.items()
    }
    columns = tuple(BASELINE if c == column else c for c in outcomes.columns)
    return replace(outcomes, columns=columns, records=records)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("quadboost", "It is not shown to be better than Baseline (difference −7.5 percentage poi"),
        ("adaboost", "It is better than Baseline (by 62.5 percentage points, interval "),
    ],
)
def test_the_best_is_tested_against_the_baseline(column: str, text: str) -> None:
    context = changed("baseline: false", "baseline: true")
    sentence = conclusion(context, with_baseline(one_data_set(), column))
    assert text in sentence
    assert "Baseline (worse" not in sentence
    if column == "adaboost":
        worse = outcomes_of({f"set{i}": (2 - (i == 0), 9, 1 + (i == 0)) for i in range(9)})
        sentence = conclusion(context, with_baseline(worse, column))
        assert "It is worse than Baseline (p = 0.039)." in sentence
        # Over data sets, by Wilcoxon's test; there are two pairs with the baseline.
        many = with_baseline(outcomes_of(MANY), column)
        pairs = compare_over_datasets(many.mean_losses(), control=BASELINE)
        p = pairs["quadboost", BASELINE].p_adjusted
        assert f"It is better than Baseline (p = {p:.3f})." in conclusion(context, many)


@pytest.mark.parametrize("n_rows", [1, 9])
def test_a_missing_cell_leaves_out_the_baseline_alone(n_rows: int) -> None:
    context = changed("baseline: false", "baseline: true")
    outcomes = outcomes_of(MANY) if n_rows > 1 else one_data_set()
    gap = with_baseline(outcomes, "adaboost")
    lost = dict.fromkeys([(gap.rows[0], BASELINE, 0)], Record("k", "timeout"))
    sentence = conclusion(context, replace(gap, records={**gap.records, **lost}))
    assert sentence.startswith("Best by risk")
    assert "Baseline" not in sentence


def test_of_methods_that_tie_none_is_the_best_alone_or_worse(context: Context[str]) -> None:
    one = conclusion(context, outcomes_of(*[{"monks": (2, 2, 8)}] * 6))
    assert one.startswith("Best by risk, 2 methods of equal mean: QuadBoost, LPBoost (0.200). ")
    assert "Not significantly different from QuadBoost: LPBoost (equal mean). Worse: Ada" in one
    several = {f"set{i}": (1 + i % 2, 2 - i % 2, 8) for i in range(8)}
    sentence = conclusion(context, outcomes_of(several))
    ties = "2 methods of equal mean rank: QuadBoost, LPBoost. Not significantly different from Quad"
    assert sentence.startswith(f"Best by risk over 8 data sets, {ties}")
    for outcomes in (outcomes_of({"monks": (2, 2, 8)}), outcomes_of(several)):
        assert best_column(context, outcomes) == ""
    assert best_column(context, one_data_set()) == "quadboost"


def test_too_few_splits_show_no_interval(context: Context[str]) -> None:
    for n, splits in ((1, "One split is"), (2, "2 splits are")):
        sentence = conclusion(context, outcomes_of(*[{"monks": (3, 2, 1)}] * n))
        assert sentence == f"Best by risk: AdaBoost (0.100). {splits} too few to test differences."
    context = changed("baseline: false", "baseline: true")
    for risks, better in (((3, 2, 1), True), ((1, 2, 3), False), ((1, 1, 3), False)):
        outcomes = with_baseline(outcomes_of({"monks": risks}), "quadboost")
        assert (", not better than " in conclusion(context, outcomes)) is not better


def test_over_data_sets_it_rests_on_mean_ranks_and_wilcoxons_test(context: Context[str]) -> None:
    risks = np.array([*MANY.values()])
    assert np.argmin(rankdata(risks, axis=1).mean(axis=0)) == 0
    pairs = compare_over_datasets(outcomes_of(MANY).mean_losses())
    near, worse = (pairs["quadboost", c].p_adjusted for c in ("lpboost", "adaboost"))
    sentence = conclusion(context, outcomes_of(MANY))
    assert sentence.startswith("Best by risk over 9 data sets: QuadBoost (0.200). ")
    assert f" Worse: AdaBoost (p = {worse:.3f})." in sentence
    assert f" Not significantly different from it: LPBoost (p = {near:.3f})." in sentence
    assert sentence.endswith("By Wilcoxon's signed-rank test with Holm's correction (p ≤ 0.05).")


def test_few_data_sets_are_called_too_few(context: Context[str]) -> None:
    # Three pairs: the least p-value is 3 · 2/2ⁿ.
    for n in (5, 6, 7):
        text = conclusion(context, outcomes_of({f"set{i}": (1, 2, 3) for i in range(n)}))
        too_few = f"; {n} data sets are too few for 3 pairs." in text
        assert too_few == (n < 7) == ("Worse" not in text)


def test_an_algorithm_without_all_results_is_left_out(context: Context[str]) -> None:
    outcomes = one_data_set()
    place = ("monks", "lpboost", 3)
    lost = {**outcomes.records, place: replace(outcomes.records[place], status="failed")}
    text = conclusion(context, replace(outcomes, records=lost))
    assert text.startswith("Best by risk: QuadBoost (0.150). Worse: AdaBoost (")
    assert text.endswith(" Not compared, since results are missing: LPBoost.")
    lost["monks", "adaboost", 3] = lost[place]
    text = conclusion(context, replace(outcomes, records=lost))
    assert text.startswith("No comparison, which needs two methods with all results. Not compared")


def test_only_rmses_of_one_data_set_have_a_mean(context: Context[str]) -> None:
    several = as_regression(outcomes_of(MANY))
    assert conclusion(context, several).startswith("Best by RMSE over 9 data sets: QuadBoost. ")
    one = conclusion(context, as_regression(one_data_set(), "monks"))
    assert one.startswith("Best by RMSE: QuadBoost (0.3750). ")
    assert "percentage" not in one
    assert "(worse by 0.188, interval" in one


def test_a_metric_that_is_best_when_highest_names_the_highest(context: Context[str]) -> None:
    plain = one_data_set()
    config = context.config.model_copy(update={"metrics": ("f1",), "headline": "f1"})
    by_f1 = replace(context, experiment=replace(context.experiment, config=config))
    rng = np.random.default_rng(0)
    records = {}
    for (row, column, r), record in plain.records.items():
        actual = np.arange(40) % 2
        share = {"quadboost": 0.6, "lpboost": 0.9, "adaboost": 0.3}[column]
        predicted = np.where(rng.random(40) < share, actual, 1 - actual)
        records[row, column, r] = replace(record, actual=actual, predicted=predicted)
    sentence = conclusion(by_f1, replace(plain, records=records))
    assert sentence.startswith("Best by F1: LPBoost (0.")
    assert re.search(r"Worse: .*AdaBoost \(worse by 0\.\d+, interval 0\.\d+ to 0\.\d+\)", sentence)


def test_the_config_of_a_paper_has_none() -> None:
    papers = changed("title: Three", "title: Three\npaper: quadboost")
    assert conclusion(papers, one_data_set()) == ""


def groups_of(sentence: str) -> tuple[str, set[str], set[str]]:
    """Return the best algorithm, those that do not differ significantly, and the worse ones."""
    best = re.search(r"data sets?: (\w+)|risk: (\w+)", sentence)
    assert best is not None
    groups = []
    for start in ("Not significantly different from it: ", "Worse: "):
        match = re.search(start + r"(.*?)\. ", sentence)
        groups.append({*re.findall(r"(a\d+) \(", match[1])} if match else set())
    return best[1] or best[2], groups[0], groups[1]


def assert_groups_are_those_of_the_test(context: Context[str], outcomes: Outcomes) -> None:
    best, near, worse = groups_of(conclusion(context, outcomes))
    winners = {
        c: compared(context, outcomes)[c, best].winner for c in outcomes.columns if c != best
    }
    assert worse == {c for c, winner in winners.items() if winner == best}
    assert near == {c for c, winner in winners.items() if winner is None}


@given(st.integers(0, 10**6), st.sampled_from([(1, 5), (1, 12), (8, 1), (20, 2)]))
def test_each_algorithm_is_in_the_group_of_the_test(seed: int, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(seed)
    means = rng.uniform(100, 300, 5) * rng.choice([0.1, 1.0])
    noise = rng.normal(0, rng.uniform(5, 60), (*shape, 5))
    errors = np.clip(means + noise, 0, 900).round().astype(np.int64)
    assert_groups_are_those_of_the_test(*comparison_of(errors))


def test_an_algorithm_that_beats_the_best_mean_rank_is_not_called_worse_or_alike() -> None:
    context, outcomes = comparison_of(crossed())
    risks = crossed()[:, 0]
    assert np.argmin(rankdata(risks, axis=1).mean(axis=0)) == 0
    # Adjusted for 15 pairs.
    assert 15 * wilcoxon(risks[:, 0], risks[:, 1], method="exact").pvalue <= 0.05
    best, near, worse = groups_of(conclusion(context, outcomes))
    assert best == "a0"
    assert "a1" not in worse | near
    assert re.search(r"[Bb]etter[^.]*: a1 \(p = 0\.0\d\d\)", conclusion(context, outcomes))


@pytest.mark.parametrize("shape", [(1, 1), (1, 10), (12, 1)])
@pytest.mark.parametrize("spread", [0, 10, 100])
@pytest.mark.parametrize("length", [60, 500])
def test_it_has_at_most_400_characters(shape: tuple[int, int], spread: int, length: int) -> None:
    rng = np.random.default_rng(1)
    errors = 100 + spread * np.arange(10) + rng.integers(0, 20, (*shape, 10))
    context, outcomes = comparison_of(errors, [f"{j} (long)".ljust(length, "x") for j in range(10)])
    assert len(conclusion(context, outcomes)) <= 400
    lost = {place: Record("k", "failed") for place in outcomes.records if place[1] > "a3"}
    sentence = conclusion(context, replace(outcomes, records={**outcomes.records, **lost}))
    assert sentence.startswith("Best by risk")
    assert len(sentence) <= 400


RANKS = """claims:
  table1:
    claims:
      - {kind: rank, text: a, of: quadboost, at_most: 1}
      - {kind: rank, text: b, of: adaboost, at_most: 1}
"""
TABLE = "dataset,quadboost,adaboost\nmonks,0.1,0.2\ntitanic,0.2,0.9\nwine,0.3,0.3\n"
ERRORS = {"monks": (1, 2, 2), "titanic": (2, 3, 3), "wine": (3, 3, 4)}


def verdict_of(repeats: int, **tables: str) -> str:
    """Return the conclusion of a paper whose 0.9 is outside."""
    keys = {"datasets": [*ERRORS], "algorithms": [*ALGORITHMS], "repeats": repeats}
    experiment = own_paper(TABLE, "unit: fraction", RANKS, **keys, tables=tables)
    splits = (
        {row: tuple(n + r % 2 for n in counts) for row, counts in ERRORS.items()}
        for r in range(repeats)
    )
    outcomes = outcomes_of(*splits)
    return paper_conclusion(experiment, make_tables(experiment, outcomes))


def test_the_run_of_a_paper_counts_numbers_inside_and_judgements() -> None:
    sentence = verdict_of(6, errors="table1", claims="table1")
    numbers, _, claims = sentence.partition(" Claims: ")
    assert numbers.startswith("5 of 6 printed numbers of Table 1 are inside our intervals, where ")
    assert {*re.findall(r"[a-z]+ \d", claims)} == {"agrees 1", "disagrees 1"}


def test_too_few_splits_name_the_option_that_judges() -> None:
    for n, splits in ((1, "One split"), (2, "2 splits")):
        sentence = f"{splits} cannot judge a printed number: give --repeats 30."
        assert verdict_of(n, errors="table1") == sentence
        assert verdict_of(n, scatter="adaboost") == ""
