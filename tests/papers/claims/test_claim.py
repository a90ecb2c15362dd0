from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import stdev
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.stats import t

from quadrepro.core.metrics import find_metric
from quadrepro.engine.records import Record
from quadrepro.papers.claims import CLAIMS
from quadrepro.papers.claims.claim import (
    NO_CURVE,
    NO_SPLITS,
    Claim,
    ClaimWord,
    Curve,
    Evidence,
    Function,
    InPrint,
    Judgement,
    Lacking,
    NotInConfig,
    Ours,
    all_p,
    by_row,
    checked_claim,
    everywhere,
    joint_p,
    mean_of,
    one_sided,
    power_text,
)
from quadrepro.papers.printed import TIME_ROW, Facts, Printed
from quadrepro.stats import Mean, holm
from tests.papers.measured import MIRROR, changed, curves_of, errors_of, in_print

COUNTS = {"a": [[1, 2, 4], [3, 3, 3]], "b": [[0, 0, 7], [9, 9, 8]]}


def test_errors_are_fractions_with_their_deviation() -> None:
    evidence = errors_of(COUNTS, n_test=30)
    assert evidence.values("a") == pytest.approx([7 / 90, 0.1])
    assert evidence.values("a")[0] == evidence.values("b")[0]
    errors = [n / 30 for n in (1, 2, 4)]
    assert evidence.per_split("r1", "a") == pytest.approx(errors)
    assert evidence.deviation("r1", "a") == pytest.approx(stdev(errors))
    assert evidence.on_split(1).deviation("r1", "b") == 0
    # Claims are true or not of the numbers of one split.
    assert (evidence.exact, evidence.on_split(0).exact) == (False, True)
    assert evidence.on_split(2).values("a") == pytest.approx([4 / 30, 0.1])


def test_margins_of_all_splits_are_pooled_and_those_of_each_measured() -> None:
    rng = np.random.default_rng(0)
    margins = {place: rng.normal(size=40) for place in errors_of(COUNTS).outcomes.records}
    evidence = changed(errors_of(COUNTS), lambda r, *place: replace(r, margins=margins[place]))
    pooled = np.concatenate([margins["r1", "a", i] for i in range(3)])
    tail = pooled.mean() - np.quantile(pooled, 0.01)
    assert evidence.value("r1", "a", "margin mean") == pytest.approx(pooled.mean(), rel=1e-6)
    assert evidence.value("r1", "a", "margin sd") == pytest.approx(pooled.std(ddof=1), rel=1e-6)
    assert evidence.value("r1", "a", "margin tail") == pytest.approx(tail, rel=1e-6)
    means = [margins["r1", "a", i].mean() for i in range(3)]
    assert evidence.per_split("r1", "a", "margin mean") == pytest.approx(means, rel=1e-5)
    with pytest.raises(Lacking, match="no training margins are kept"):
        errors_of(COUNTS).value("r1", "a", "margin sd")


def test_one_difference_and_splits_without_training_examples_have_no_error() -> None:
    for values, share in (([1.0], 0.0), ([1.0, 2.0], 1.0)):
        with pytest.raises(Lacking, match=NO_SPLITS):
            mean_of(values, share)


def test_the_power_is_that_of_a_shifted_t_statistic() -> None:
    mean = Mean(0.0, 2.0, 9)
    effect = 2 * (t.ppf(0.95, 9) + t.ppf(0.8, 9))
    assert power_text([mean], "{:.2g}".format) == f"power 0.8 at {effect:.2g}"
    # Two tests at half the level, and another unit.
    both = [(t.ppf(0.975, 9) + t.ppf(0.8, 9)) * error for error in (2, 7)]
    twice = power_text([mean, Mean(0.0, 7.0, 9)], lambda value: f"{2 * value:.2g}")
    assert twice == f"power 0.8 at {2 * both[0]:.2g} to {2 * both[1]:.2g}"


def test_tests_together_show_some_of_their_alternatives() -> None:
    # Holm's least adjusted p-value, and those that remain when others are taken for true.
    p_values = [joint_p([0.3, 0.01, 0.5, 0.02], at_least) for at_least in (1, 2, 3, 4, 5)]
    assert p_values == pytest.approx([0.04, 3 * 0.02, 2 * 0.3, 0.5, 1])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_one_alternative_is_shown_as_by_holm_and_all_by_the_largest(p_values: list[float]) -> None:
    assert joint_p(p_values) == pytest.approx(min(holm(p_values)))
    assert all_p(p_values) == joint_p(p_values, len(p_values)) == max(p_values)
    assert (all_p([]), joint_p([])) == (1, 1)


def test_a_number_of_means_is_below_a_limit_or_enough_others_are_above() -> None:
    means = [Mean(value, 1.0, 5) for value in (-3.0, -1.0, 4.0)]
    below, above = ([p(mean, 0.5) for mean in means] for p in (Mean.p_below, Mean.p_above))
    for n in (1, 2, 3):
        assert one_sided(means, n, 0.5) == (joint_p(below, n), joint_p(above, 4 - n))
    # A test needs one; three others are not above if all may be.
    assert one_sided(means, 0, 0.5) == (joint_p(below), 1)


def test_differences_are_of_each_row_with_its_share_of_test_examples() -> None:
    evidence = errors_of(COUNTS, n_test=100)
    shares = replace(evidence.outcomes, test_shares={"r2": 0.5})
    means = replace(evidence, outcomes=shares).differences("a", "b")
    assert [mean.value for mean in means] == pytest.approx([0, -0.17 / 3])
    # The second row deviates by less than one test example.
    assert means == [
        Mean.from_values([0.01, 0.02, -0.03]),
        Mean.from_values([-0.06, -0.06, -0.05], 0.5, 0.01),
    ]
    assert evidence.on_split(0).differences("a", "b") == []
    assert InPrint(("x",), {}, (RISKS,)).differences("a", "a") == []


def test_equal_differences_deviate_by_one_test_example() -> None:
    [mean] = errors_of({"a": [[10, 20]], "b": [[12, 22]]}, n_test=50).differences("a", "b")
    assert (mean.value, mean.error) == pytest.approx((-0.04, 0.02 / 2**0.5))
    seconds = changed(errors_of(COUNTS), lambda r, *place: replace(r, seconds=1.0))
    assert [mean.error for mean in seconds.differences("a", "b", "seconds")] == [0, 0]


@pytest.mark.parametrize("metric", ["error", "auc"])
def test_what_is_worse_has_the_larger_loss_by_every_metric(metric: str) -> None:
    low, high = ["0.20", "0.30"], ["0.25", "0.31"]
    evidence = in_print({"low": low, "high": high}, metric=metric)
    worse, better = ("low", "high") if metric == "auc" else ("high", "low")
    assert np.greater(evidence.losses(worse), evidence.losses(better)).all()
    outcomes = errors_of(COUNTS).outcomes
    values = {place: record.value for place, record in outcomes.records.items()}
    measured = replace(outcomes, metric=find_metric(metric), measured=values)
    ours = Ours(outcomes.rows, {}, measured)
    assert ours.greater_is_better == (metric == "auc")
    sign = -1 if metric == "auc" else 1
    assert ours.losses("a") == [sign * value for value in ours.values("a")]
    signed = [sign * mean.value for mean in ours.differences("a", "b")]
    assert [mean.value for [mean] in ours.losing("a", ["b"])] == pytest.approx(signed)


def test_ours_needs_a_test_and_printed_numbers_are_exact() -> None:
    ours, exact = errors_of(COUNTS), InPrint((), {}, ())
    cases: dict[tuple[bool | None, float, float], tuple[ClaimWord, ClaimWord]] = {
        (True, 0.05, 0.9): ("supported", "supported"),
        (True, 0.06, 0.9): ("agrees", "supported"),
        (True, 0.9, 0.05): ("refuted", "supported"),
        (None, 1.0, 1.0): ("undecided", "undecided"),
        (None, 1.0, 0.01): ("refuted", "undecided"),
        (False, 0.9, 0.06): ("disagrees", "refuted"),
        (False, 0.9, 0.05): ("refuted", "refuted"),
        # Two tests that contradict each other leave it to the numbers.
        (True, 0.01, 0.01): ("agrees", "supported"),
        (False, 0.01, 0.01): ("disagrees", "refuted"),
    }
    for (agrees, p_for, p_against), words in cases.items():
        assert (ours.word(agrees, p_for, p_against), exact.word(agrees, p_for, p_against)) == words


@given(st.sampled_from([True, False, None]), st.floats(0, 1), st.floats(0, 1))
def test_the_contrary_has_the_mirrored_word(
    agrees: bool | None, p_for: float, p_against: float
) -> None:
    contrary = None if agrees is None else not agrees
    for evidence in (errors_of(COUNTS), InPrint((), {}, ())):
        word = evidence.word(contrary, p_against, p_for)
        assert word == MIRROR[evidence.word(agrees, p_for, p_against)]


def test_points_are_percentage_points_of_shares_and_units_of_the_target() -> None:
    shares = (errors_of(COUNTS), in_print({"a": ["4.2"]}, "percent"), in_print({"a": ["0.042"]}))
    accuracies = in_print({"a": ["95.8"]}, "percent", "accuracy")
    for evidence in (*shares, accuracies):
        assert evidence.from_points(2.5) == 0.025
        assert evidence.show(0.025) + evidence.points == "2.50 percentage points"
    assert accuracies.values("a") == [0.042]
    rmse = changed(errors_of(COUNTS), lambda r, *place: replace(r, rmse=7.0, errors=0))
    for evidence in (rmse, in_print({"a": ["7.1"]}, None, "rmse")):
        assert evidence.from_points(2.5) == 2.5
        assert evidence.show(1 / 3, "+") + evidence.points == "+0.333"


@pytest.mark.parametrize(
    "ask",
    [
        lambda e: e.values("b"),
        lambda e: e.losses("b"),
        lambda e: e.values("c"),
        lambda e: e.per_split("r2", "b"),
        lambda e: e.deviation("r2", "b"),
        lambda e: e.value("r2", "b", "seconds"),
        lambda e: e.curve("r2", "b", "train_error"),
        lambda e: e.value("r3", "a"),
        lambda e: e.over(["r1", "r3"]),
        lambda e: e.over(excluded=["r1", "r2"]),
    ],
)
def test_a_missing_number_is_reported_as_missing(ask: Callable[[Evidence], object]) -> None:
    evidence = errors_of(COUNTS)
    evidence.outcomes.records["r2", "b", 1] = Record("k", "failed")
    with pytest.raises(Lacking, match="cells missing"):
        ask(evidence)
    # Cells that the config lacks are absent, and failed ones are lacking.
    for row, algorithm, error in (
        ("r3", "a", NotInConfig),
        ("r1", "c", NotInConfig),
        ("r2", "b", Lacking),
    ):
        with pytest.raises(Lacking) as caught:
            evidence.value(row, algorithm)
        assert type(caught.value) is error


def test_rows_can_be_chosen_and_left_out() -> None:
    evidence = errors_of(COUNTS)
    assert evidence.over().rows == ("r1", "r2")
    assert evidence.over(["r2"]).values("a") == [0.03]
    assert evidence.over(excluded=["r2", "nowhere"]).rows == ("r1",)
    assert evidence.over(["r2", "r1"], ["r1"]).rows == ("r2",)
    assert evidence.over(["r*"], ["*1"]).rows == ("r2",)
    for rows in (["r1", "s*"], ["nowhere"]):
        with pytest.raises(NotInConfig):
            evidence.over(rows)
    # A row can have the signs of a pattern in its name.
    evidence = Ours(("a [1]", "a 1"), {}, evidence.outcomes)
    assert evidence.over(["a [1]"]).rows == ("a [1]", "a 1")


def assert_curve(curve: Curve, x: tuple[float, ...], splits: list[list[float]]) -> None:
    assert (curve.x, curve.splits.tolist()) == (x, splits)


def test_a_curve_has_a_mean_a_deviation_and_parts() -> None:
    curve = Curve((1.0, 10.0, 100.0), np.array([[3.0, 2.0, 1.0], [5.0, 4.0, 2.0]]))
    assert curve.mean.tolist() == [4.0, 3.0, 1.5]
    assert curve.sd == pytest.approx([stdev([3, 5]), stdev([2, 4]), stdev([1, 2])])
    assert Curve(curve.x, curve.splits[:1]).sd.tolist() == [0, 0, 0]
    assert curve.at([100, 10]).tolist() == [[1.0, 2.0], [2.0, 4.0]]
    # A level is the same everywhere.
    assert Curve((), curve.splits[:, :1]).at([7, 9]).tolist() == [[3.0, 3.0], [5.0, 5.0]]


def test_curves_run_along_their_hyper_parameter_and_levels_have_none() -> None:
    evidence = curves_of({"a": [[0.5, 0.25]], "b": [[0.75]]}, rounds=(2, 8))
    assert_curve(evidence.curve("r1", "a", "train_error"), (2, 8), [[0.5, 0.25]])
    assert_curve(evidence.curve("r1", "b", "train_error"), (), [[0.75]])
    with pytest.raises(Lacking, match="the config keeps no measure 'test_error'"):
        evidence.curve("r1", "a", "test_error")


def test_a_curve_along_a_count_has_the_first_number_that_reaches_it() -> None:
    errors = [[0.9, 0.8, 0.7, 0.6, 0.5], [0.5, 0.4, 0.3, 0.2, 0.1]]
    voters = [[1.0, 2.0, 2.0, 3.0, 4.0], [1.0, 3.0, 3.0, 3.0, 3.0]]
    evidence = changed(
        curves_of({"a": errors}),
        lambda r, row, column, split: replace(
            r, measures={"train_error": errors[split], "voters": voters[split]}
        ),
    )
    # The second split never has four voters, and passes over two.
    curve = evidence.curve("r1", "a", "train_error", "voters")
    assert_curve(curve, (1, 2, 3), [[0.9, 0.8, 0.6], [0.5, 0.4, 0.4]])


def test_without_a_common_hyper_parameter_there_is_no_curve() -> None:
    evidence = curves_of({"a": [[0.5, 0.25]]})
    evidence = replace(evidence, outcomes=replace(evidence.outcomes, grids={}))
    with pytest.raises(Lacking, match=NO_CURVE):
        evidence.curve("r1", "a", "train_error")


RISKS = Printed("p", ("a",), {("x", "a"): "0.07", (TIME_ROW, "a"): "2.5"}, Facts(unit="fraction"))
ERRORS = Printed(
    "p",
    ("a_mean", "a_sd"),
    {("x", "a_mean"): "0.070", ("x", "a_sd"): "0.015"},
    Facts(unit="percent"),
)
MARGINS = replace(ERRORS, facts=Facts(holds="margins"))


def test_each_printed_quantity_is_in_the_table_that_holds_it() -> None:
    evidence = InPrint(("x",), {}, (MARGINS, RISKS))
    assert (evidence.values("a"), evidence.value("x", "a", "seconds")) == ([0.07], 2.5)
    assert evidence.values("a", "margin mean") == [0.07]
    assert evidence.values("a", "margin sd") == [0.015]
    errors = InPrint(("x",), {}, (MARGINS, ERRORS))
    assert (errors.values("a"), errors.deviation("x", "a")) == ([0.07], 0.015)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda e: e.values("b"), "not printed"),
        (lambda e: e.value("y", "a"), "not printed"),
        (lambda e: e.values("a", "margin tail"), "not printed"),
        (lambda e: e.deviation("x", "a"), "not printed"),
        (lambda e: e.value("x", "b", "seconds"), "not printed"),
        (lambda e: e.curve("x", "a", "train_error"), "not printed"),
        (lambda e: e.over(["y"]), "not printed"),
        (lambda e: e.per_split("x", "a"), NO_SPLITS),
    ],
)
def test_a_number_without_print_is_reported(
    ask: Callable[[Evidence], object], message: str
) -> None:
    for tables in ((RISKS,), (RISKS, MARGINS)):
        with pytest.raises(Lacking, match=message):
            ask(InPrint(("x",), {}, tables))


PAGE = Path(__file__).resolve().parents[3] / "docs" / "papers.md"
ROWS = re.findall(r"^\| (`.*?) \| (.*?) \| .* \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def claim(kind: str, **keys: Any) -> Claim:
    return CLAIMS[kind].model_validate({"kind": kind, "text": "t", **keys})


def test_every_kind_is_documented_with_its_keys() -> None:
    documented = {
        kind: {*re.findall(r"`([a-z_]+)`", keys)}
        for kinds, keys in ROWS
        for kind in re.findall("`(.*?)`", kinds)
    }
    for kind, model in CLAIMS.items():
        own = {n: info for n, info in model.model_fields.items() if n not in Claim.model_fields}
        assert documented[kind] == {info.alias or name for name, info in own.items()}


def test_claims_on_times_are_labelled() -> None:
    timed = claim("times-faster", of="a", than=["b"], times=2)
    assert (timed.timed, timed.label) == (True, "t (measured time)")
    plain = claim("not-better", of="a", than="b", rows=["x"], **{"except": ["y"]})
    assert (plain.timed, plain.label, plain.rows, plain.excluded) == (False, "t", ("x",), ("y",))
    # One algorithm needs no list, and none is too few.
    assert claim("lower", of="a", than="b") == claim("lower", of=["a"], than="b")
    for wrong in ({"of": []}, {"of": "a", "text": ""}):
        with pytest.raises(ValidationError, match="at least 1"):
            claim("lower", than="b", **wrong)


def test_one_row_refutes_a_claim_on_every_row() -> None:
    assert everywhere({"x": ("1", True)}) == ("1", "supported")
    assert everywhere({"x": ("1", True), "y": ("2", False)}) == ("x: 1; y: 2", "refuted")
    assert (checked_claim("1", True), checked_claim("1", False)) == (
        ("1", "supported"),
        ("1", "refuted"),
    )
    assert (by_row({"x": "1"}), by_row({"x": "1", "y": "2"})) == ("1", "x: 1; y: 2")


FIELDS = {"kind": "function", "text": "t", "function": "judge_all", "settings": {"least": 2}}


@pytest.fixture
def context(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the context of a paper with one function."""

    def judge_all(evidence: Evidence, least: int) -> Judgement:
        return checked_claim(f"{len(evidence.rows)} rows", len(evidence.rows) >= least)

    module = ModuleType("papers_of_a_test")
    module.judge_all = judge_all  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return {"module": module.__name__}


def test_the_function_judges_the_evidence_with_its_settings(context: dict[str, str]) -> None:
    claim = Function.model_validate(FIELDS, context=context)
    assert claim.judge(errors_of({"a": [[1], [2]]})) == ("2 rows", "supported")
    assert claim.judge(errors_of({"a": [[1]]})) == ("1 rows", "refuted")


@pytest.mark.parametrize("context", [None, {}])
def test_no_code_of_a_users_own_folder_is_run(context: dict[str, str] | None) -> None:
    with pytest.raises(ValidationError, match="only papers that ship with quadrepro have code"):
        Function.model_validate(FIELDS, context=context)
