from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as student

from quadrepro.config.config import Experiment
from quadrepro.core.learners.registry import BASELINE
from quadrepro.engine.outcomes import Outcomes
from quadrepro.stats import holm
from quadrepro.tables.conclusion import conclusion
from quadrepro.tables.kinds.base import Context
from tests.tables.conftest import CONFIG
from tests.tables.contexts import context_of, loaded, outcomes_of

SPLITS = [(1, 3, 7), (2, 2, 8), (1, 2, 7), (2, 3, 9), (1, 1, 8), (2, 4, 8), (1, 2, 8), (2, 1, 7)]
TESTED = (
    "By corrected resampled t-tests over 8 splits, adjusted for all pairs by Holm's method "
    "(p ≤ 0.05); the intervals hold for all pairs together."
)


@pytest.fixture
def context(experiment: Experiment) -> Context[str]:
    return context_of(experiment, "comparisons")


def of_splits() -> Outcomes:
    return outcomes_of(*({"monks": errors} for errors in SPLITS))


def changed(tmp_path: Path, old: str, new: str) -> Context[str]:
    return context_of(loaded(tmp_path, CONFIG.replace(old, new)), "comparisons")


def test_on_one_data_set_it_rests_on_the_corrected_test_of_all_pairs(context: Context[str]) -> None:
    risks = np.array(SPLITS) / 10
    error = {}
    for a, b in combinations(range(3), 2):
        # Halves: s² (1/8 + 1).
        error[a, b] = (risks[:, b] - risks[:, a]).std(ddof=1) * np.sqrt(1 / 8 + 1)
    gaps = {pair: risks[:, pair[1]].mean() - risks[:, pair[0]].mean() for pair in error}
    adjusted = holm(float(2 * student.sf(abs(gaps[p]) / error[p], 7)) for p in error)
    apart = [pair for pair, p in zip(error, adjusted, strict=True) if p <= 0.05]
    assert (0, 2) in apart
    assert (0, 1) not in apart
    reach = {pair: student.ppf(1 - 0.025 / 3, 7) * error[pair] for pair in error}
    texts = {
        b: f"{100 * gaps[0, b]:.1f} points behind, 95% interval "
        f"{100 * (gaps[0, b] - reach[0, b]):.1f} to {100 * (gaps[0, b] + reach[0, b]):.1f}"
        for b in (1, 2)
    }
    assert conclusion(context, of_splits()) == (
        f"Best by risk: QuadBoost (0.150). Not told apart from it: LPBoost ({texts[1]}). "
        f"Worse: AdaBoost ({texts[2]}). {TESTED}"
    ).replace("-", "−").replace("t−test", "t-test")


def with_baseline(plain: Outcomes, of: str) -> Outcomes:
    """Return outcomes in which one of the columns is the baseline."""
    records = {
        (row, BASELINE if c == of else c, r): record
        for (row, c, r), record in plain.records.items()
    }
    columns = tuple(BASELINE if c == of else c for c in plain.columns)
    return replace(plain, columns=columns, records=records)


@pytest.mark.parametrize(
    ("of", "text"),
    [
        ("quadboost", "No method is shown to be better than Baseline (difference −7.5 points,"),
        ("adaboost", "It is better than Baseline by 62.5 points, 95% interval 44.8 to 80.2."),
    ],
)
def test_the_best_is_tested_against_the_baseline_which_is_not_ranked(
    tmp_path: Path, of: str, text: str
) -> None:
    context = changed(tmp_path, "baseline: false", "baseline: true")
    found = conclusion(context, with_baseline(of_splits(), of))
    assert text in found
    assert "Worse: Baseline" not in found


def test_over_data_sets_the_best_is_held_against_the_baseline(tmp_path: Path) -> None:
    context = changed(tmp_path, "baseline: false", "baseline: true")
    many = {f"set{i}": (1 + i % 3, 1 + (i + 1) % 3, 8) for i in range(9)}
    found = conclusion(context, with_baseline(outcomes_of(many), "adaboost"))
    assert "It is better than Baseline on 9 of them (p = 0.004)." in found


@pytest.mark.parametrize(("n", "who"), [(1, "One split"), (2, "2 splits")])
def test_too_few_splits_say_so_and_show_no_interval(
    context: Context[str], n: int, who: str
) -> None:
    found = conclusion(context, outcomes_of(*([{"monks": (3, 2, 1)}] * n)))
    assert found == (f"Best by risk: AdaBoost (0.100). {who} cannot tell any method apart from it.")


def test_over_data_sets_it_rests_on_ranks(context: Context[str]) -> None:
    many = {f"set{i}": (1 + i % 3, 1 + (i + 1) % 3, 8) for i in range(9)}
    assert conclusion(context, outcomes_of(many)) == (
        "Best by risk over 9 data sets: QuadBoost (mean rank 1.33, mean risk 0.200). "
        "Not told apart from it: LPBoost (mean rank 1.67, mean risk 0.200). "
        "Worse: AdaBoost (mean rank 3.00, mean risk 0.800). By Wilcoxon's signed-rank tests, "
        "adjusted for all pairs by Holm's method (p ≤ 0.05)."
    )


@pytest.mark.parametrize(("n", "too_few"), [(5, True), (6, True), (7, False)])
def test_data_sets_that_cannot_tell_a_pair_apart_are_called_too_few(
    context: Context[str], n: int, too_few: bool
) -> None:
    # Three pairs: the least p-value is 3 · 2/2ⁿ.
    text = conclusion(context, outcomes_of({f"set{i}": (1, 2, 3) for i in range(n)}))
    assert ("too few" in text) == too_few == ("Worse" not in text)


def test_an_algorithm_without_all_results_is_left_out(context: Context[str]) -> None:
    found = of_splits()
    place = ("monks", "lpboost", 3)
    lost = {**found.records, place: replace(found.records[place], status="failed")}
    text = conclusion(context, replace(found, records=lost))
    assert text.startswith("Best by risk: QuadBoost (0.150). Worse: AdaBoost (")
    assert text.endswith(" Not compared, since results are missing: LPBoost.")
    lost["monks", "adaboost", 3] = lost[place]
    assert conclusion(context, replace(found, records=lost)) == ""


def test_a_papers_config_has_none(tmp_path: Path) -> None:
    papers = changed(tmp_path, "title: Three", "title: Three\npaper: quadboost")
    assert conclusion(papers, of_splits()) == ""
