from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, hypergeom

from quadrepro.tables.audit import audit
from quadrepro.tables.audit.numbers import too_small
from tests.tables.audit.papers import CONFIG, findings, subject, verdicts


def test_numbers_out_of_their_range_fail(tmp_path: Path) -> None:
    percent, sizes = "unit: percent", "n_test: {x: 9, y: 9}"
    audited = subject(
        tmp_path,
        risks="{unit: fraction, n_test: {x: 9}}\nd,a,b\nx,1.2,0.9\n",
        m="{holds: margins, of: {splits: 20}}\nd,a_mean,a_sd\nx,0.9,0.8\ny,-1.1,0.1\n",
        e=f"{{{percent}, of: {{splits: 20}}, {sizes}}}\nd,a_mean,a_sd\nx,1.0,20.0\ny,101,1\n",
        r="{unit: percent, of: {splits: 20}}\nd,a_mean,a_sd\nx,200,300\ny,200,900\n",
        acc="{metric: accuracy, unit: percent}\nd,a,b\nx,90,105\n",
        auc="{metric: auc, unit: fraction}\nd,a,b\nx,0.9,1.05\n",
        mcc="{metric: mcc}\nd,a\nx,-0.3\n",
        # 0 and 100 deviate by 70.71, which may have been rounded up.
        s=f"{{{percent}, of: {{splits: 2}}, {sizes}}}\nd,a_mean,a_sd\nx,50,71\ny,50,72\n",
    )
    wrong = {place for place, holds in verdicts("ranges", audited).items() if not holds}
    assert wrong == {
        *("risks x a", "acc x b", "auc x b", "m x a_sd", "m y a_mean", "m y a_sd"),
        *("r y a_sd", "e x a_sd", "e y a_mean", "e y a_sd", "s y a_sd"),
    }
    reasons = {" ".join(f.place): f.why for f in findings("ranges", audited)}
    assert reasons["risks x a"] == "numbers lie between 0 and 1"
    assert reasons["e y a_mean"] == "numbers lie between 0 and 100"
    assert reasons["s y a_sd"] == "with a mean of 50 it is at most 70.71"


def test_predicted_numbers_have_no_upper_end(tmp_path: Path) -> None:
    config = CONFIG.replace("monks, wine", "diabetes").replace("quadboost, grid", "boosting, grid")
    config = config.replace("view: quadboost", "view: rescale\n  normalise: none\n  holdout: {}")
    facts = "{unit: percent, of: {splits: 20}, config: ../small.yaml}"
    audited = subject(tmp_path, facts=facts, config=config, t="d,boosting_mean\ndiabetes,159.0\n")
    assert verdicts("ranges", audited) == {"t diabetes boosting_mean": True}


# Deviations.


def test_the_p_value_is_uniform_if_test_sets_share_rows() -> None:
    rng = np.random.default_rng(1)
    # 300 of 1000 rows are wrong, and 400 are tested.
    risks = rng.hypergeometric(300, 700, 400, (4000, 20)) / 400
    p = [too_small(0.3, sd, 20, 400, 0.4) for sd in risks.std(axis=1, ddof=1)]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.015)


def test_the_p_value_is_that_of_a_chi_squared_sum() -> None:
    floor = 0.5 * hypergeom.var(10**6, 10**5, 100) / 100**2
    expected = chi2.cdf(19 * 0.01**2 / floor, 19)
    assert too_small(0.1, 0.01, 20, 100, 0.5) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(("n_folds", "repeats"), [(10, 1), (5, 5), (3, 10), (2, 5)])
def test_honest_folds_are_seldom_suspicious(n_folds: int, repeats: int, tmp_path: Path) -> None:
    rng, n_rows, n = np.random.default_rng(1), 600, 300
    n_test = n_rows // n_folds
    wrong = np.tile(np.arange(n_rows) < 180, (n * repeats, 1))
    folds = rng.permuted(wrong, axis=1).reshape(n, repeats * n_folds, n_test).mean(axis=2)
    assert folds.mean() == pytest.approx(0.3)
    rows = "".join(
        f"x{i},{100 * x.mean():.3f},{100 * x.std(ddof=1):.3f}\n" for i, x in enumerate(folds)
    )
    sizes = ", ".join(f"x{i}: [{n_test}, {n_rows}]" for i in range(n))
    facts = f"{{unit: percent, of: {{cv: {n_folds}, repeats: {repeats}}}, n_test: {{{sizes}}}}}"
    every = findings("deviations", subject(tmp_path, facts=facts, t=f"d,a_mean,a_sd\n{rows}"))
    p_values = np.array([finding.p_value for finding in every], dtype=float)
    # At a rate of 5%, one simulation in a hundred has more than 24 of 300.
    assert (p_values <= 0.05).sum() <= 24


SIZES = "{unit: percent, of: {splits: 20}, n_test: {x: [100, 200], y: [100, 200], z: 50}}"
TABLE = "d,a_mean,a_sd,b_mean,b_sd\nx,10.0,0.1,10.0,3.0\ny,10.0,3.0,0.0,0.0\nz,10.0,1.0,,\n"


@pytest.mark.parametrize("repetitions", ["splits: 20", "cv: 2, repeats: 10"])
def test_a_deviation_below_the_floor_is_suspicious(tmp_path: Path, repetitions: str) -> None:
    facts = SIZES.replace("splits: 20", repetitions)
    audited = subject(tmp_path, facts=facts, t=TABLE)
    judged = verdicts("deviations", audited)
    assert [*judged.values()] == [False, True, True, None, None]
    finding = findings("deviations", audited)[0]
    assert finding.verdict == "suspicious"
    # The variance is (1 - 1/2) p (1 - p) / 100 or more.
    assert " 2.1 or more (p = " in finding.why
    unless = "splits are stratified, or errors depend on which examples are tested"
    assert finding.reason.endswith(f"; suspicious unless {unless}")
    assert audit(audited.paper).failures == []


def test_the_reason_why_a_deviation_is_not_judged_is_true(tmp_path: Path) -> None:
    table = f"{TABLE}u,10.0,1.0,,\n"
    every = findings("deviations", subject(tmp_path, facts=SIZES, t=table))
    reasons = {" ".join(f.place[1:]): f.why for f in every if f.holds is None}
    assert reasons == {
        "y b": "a risk of 0 implies no size",
        "z a": "all rows are tested, or their number is not stated",
        "u a": "neither a config nor n_test gives the size of its test sets",
    }
    rmses = "{metric: rmse, of: {splits: 20}, n_test: {x: [100, 200], y: [100, 200]}}"
    for other, facts in (
        ("all runs share one test set", SIZES.replace("splits: 20", "runs: 20")),
        ("its algorithms predict numbers", rmses),
    ):
        every = findings("deviations", subject(tmp_path / other, facts=facts, t=TABLE))
        assert {(f.verdict, f.why) for f in every} == {("cannot be judged", other)}


CV = """{unit: percent, metric: accuracy, of: {cv: 5, repeats: 5}, \
n_test: {red: [43, 214], blue: [154, 768]}}"""


def test_fractions_among_percents_are_suspicious_deviations_of_folds(tmp_path: Path) -> None:
    table = "dataset,a_mean,a_ci95\nred,52.00,0.02\nblue,73.58,0.01\n"
    audited = subject(tmp_path, facts=CV, t=table)
    every = findings("deviations", audited)
    assert [(f.place.row, f.printed, f.verdict) for f in every] == [
        ("red", "0.02", "suspicious"),
        ("blue", "0.01", "suspicious"),
    ]
    assert all(f.p_value is not None and f.p_value < 1e-20 for f in every)
    # Half of a 95% interval of 25 folds with the deviation of their test sets.
    plain = "dataset,a_mean,a_ci95\nred,52.00,2.8\nblue,73.58,1.3\n"
    honest = findings("deviations", subject(tmp_path / "honest", facts=CV, t=plain))
    assert [f.verdict for f in honest] == ["holds", "holds"]


@pytest.mark.parametrize(
    ("printed", "n_test", "arguments"),
    [
        ("10.0,1.0", "[100, 200]", (0.0995, 0.0105, 20, 100, 0.5)),
        ("1,1", "[50, 500]", (0.005, 0.015, 20, 50, 0.1)),  # 1 percent can be half a percent.
        ("60,1", "[50, 500]", (0.605, 0.015, 20, 50, 0.1)),
    ],
)
def test_numbers_are_rounded_as_the_deviation_needs(
    tmp_path: Path, printed: str, n_test: str, arguments: tuple[float, float, int, int, float]
) -> None:
    facts = f"{{unit: percent, of: {{splits: 20}}, n_test: {{x: {n_test}}}}}"
    table = f"d,a_mean,a_sd\nx,{printed}\n"
    [finding] = findings("deviations", subject(tmp_path, facts=facts, t=table))
    assert finding.p_value == pytest.approx(too_small(*arguments))


# Bold numbers and means.


@pytest.mark.parametrize(
    ("bold", "holds"),
    [("x: [a, b]", 1), ("x: [a]", 1), ("x: [a, c]", 0), ("y: [b]", 1), ("y: [a, b]", 0)],
)
@pytest.mark.parametrize(
    ("facts", "table", "best"),
    [
        ("error, unit: fraction", "x,0.1,0.10,0.3\ny,0.2,0.1,0.4", "lowest is 0.1 ("),
        ("accuracy, unit: fraction", "x,0.9,0.90,0.7\ny,0.8,0.9,0.6", "highest is 0.9 ("),
        ("auc, unit: percent", "x,90,90.0,70\ny,80,90,60", "highest is 90 ("),
        ("log_loss", "x,0.1,0.10,0.3\ny,0.2,0.1,0.4", "lowest is 0.1 ("),
    ],
)
def test_bold_numbers_are_the_best_before_rounding_or_can_be(
    tmp_path: Path, bold: str, holds: bool, facts: str, table: str, best: str
) -> None:
    facts = f"{{metric: {facts}, bold: {{{bold}}}}}"
    [finding] = findings("bold", subject(tmp_path, facts=facts, t=f"d,a,b,c\n{table}\n"))
    assert finding.holds == holds
    assert finding.why.startswith(f"the {best}")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_means_of_unrounded_numbers_hold_and_those_a_digit_off_fail(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[float]
) -> None:
    mean = sum(numbers) / len(numbers)
    rows = "".join(f"x{i},{x:.3f},{x:.3f}\n" for i, x in enumerate(numbers))
    table = f"d,a,b\n{rows}column_mean,{mean:.3f},{mean + 0.003:.3f}\n"
    audited = subject(tmp_path_factory.mktemp("paper"), t=table)
    assert [*verdicts("summaries", audited).values()] == [True, False]


def test_means_of_deviations_or_of_rows_that_are_not_printed_are_left_open(tmp_path: Path) -> None:
    audited = subject(
        tmp_path,
        t="d,a\nx,0.1\ny,\ncolumn_mean,0.1\n",
        m="{unit: percent, of: {splits: 20}}\nd,a_mean,a_sd\nx,1.0,0.1\ncolumn_mean,1.0,9.0\n",
    )
    expected = {"m column_mean a_mean": True, "t column_mean a": None}
    assert verdicts("summaries", audited) == expected
