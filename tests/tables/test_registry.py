from __future__ import annotations

import subprocess
import sys

import pytest

from quadrepro.engine.metrics import METRICS, fault_of_task


def test_a_short_name_is_ours_and_any_other_a_scorer() -> None:
    assert METRICS.find("f1") is METRICS["f1"]
    scorer = METRICS.find("f1_macro")
    assert (scorer.label, scorer.greater_is_better) == ("f1_macro", True)
    assert METRICS.find("f1_macro") is scorer


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("acu", "unknown metric 'acu'; did you mean 'auc'?"),
        ("roc_auc_pairwise", "unknown metric 'roc_auc_pairwise'; did you mean 'roc_auc_ovr'?"),
        ("rand_score", "rand_score judges clusters, or several labels per example"),
        ("f1_samples", "f1_samples judges clusters, or several labels per example"),
    ],
)
def test_what_is_no_metric_is_refused_with_the_nearest_name(name: str, message: str) -> None:
    with pytest.raises(KeyError) as caught:
        METRICS.find(name)
    assert caught.value.args[0].startswith(message)


def test_a_metric_fits_if_it_can_judge_one_of_the_tasks() -> None:
    assert fault_of_task("auc", ["regression", "multiclass"]) == ""
    assert fault_of_task("rmse", ["regression"]) == ""
    assert fault_of_task("rmse", ["classification", "multiclass"]).startswith(
        "rmse is a metric of numbers, and here two classes or more classes are predicted"
    )
    assert fault_of_task("roc_auc", ["multiclass"]).startswith(
        "roc_auc is a metric of two classes, and here more classes are predicted"
    )


def test_our_own_metrics_are_found_without_scikit_learn() -> None:
    code = (
        "import sys; from quadrepro.engine.metrics import METRICS; METRICS.find('auc');"
        "assert not any(name.startswith('sklearn') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
