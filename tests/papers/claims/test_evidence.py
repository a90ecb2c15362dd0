from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from statistics import stdev

import numpy as np
import pytest
from scipy.stats import t

from quadrepro.engine.records import Record
from quadrepro.papers.claims.evidence import (
    NO_CURVE,
    NO_SPLITS,
    Curve,
    Evidence,
    InPrint,
    Lacking,
    NotInConfig,
    Ours,
    joint_p,
    mean_of,
    power_text,
)
from quadrepro.papers.printed import TIME_ROW, Facts, Printed
from quadrepro.stats import Mean
from tests.papers.measured import changed, curves_of, errors_of

COUNTS = {"a": [[1, 2, 4], [3, 3, 3]], "b": [[0, 0, 7], [9, 9, 8]]}


def test_errors_are_percentages_with_their_deviation() -> None:
    evidence = errors_of(COUNTS, n_test=30)
    assert evidence.values("a") == pytest.approx([700 / 90, 10])
    assert evidence.values("a")[0] == evidence.values("b")[0]
    percent = [100 * n / 30 for n in (1, 2, 4)]
    assert evidence.per_split("r1", "a") == pytest.approx(percent)
    assert evidence.deviation("r1", "a") == pytest.approx(stdev(percent))
    assert evidence.of_split(1).deviation("r1", "b") == 0


def test_margins_of_all_splits_are_pooled_and_those_of_each_measured() -> None:
    rng = np.random.default_rng(0)
    kept = {place: rng.normal(size=40) for place in errors_of(COUNTS).outcomes.records}
    evidence = changed(errors_of(COUNTS), lambda r, *place: replace(r, margins=kept[place]))
    pooled = np.concatenate([kept["r1", "a", i] for i in range(3)])
    tail = pooled.mean() - np.quantile(pooled, 0.01)
    assert evidence.value("r1", "a", "margin mean") == pytest.approx(pooled.mean(), rel=1e-6)
    assert evidence.value("r1", "a", "margin sd") == pytest.approx(pooled.std(ddof=1), rel=1e-6)
    assert evidence.value("r1", "a", "margin tail") == pytest.approx(tail, rel=1e-6)
    means = [kept["r1", "a", i].mean() for i in range(3)]
    assert evidence.per_split("r1", "a", "margin mean") == pytest.approx(means, rel=1e-5)
    with pytest.raises(Lacking, match="no training margins are kept"):
        errors_of(COUNTS).value("r1", "a", "margin sd")


def test_one_difference_and_splits_without_training_examples_have_no_error() -> None:
    for values, share in (([1.0], 0.0), ([1.0, 2.0], 1.0)):
        with pytest.raises(Lacking, match=NO_SPLITS):
            mean_of(values, share)


def test_the_power_is_that_of_a_shifted_t_statistic() -> None:
    mean = Mean(0.0, 2.0, 9)
    shown = 2 * (t.ppf(0.95, 9) + t.ppf(0.8, 9))
    assert power_text([mean]) == f"power 0.8 at {shown:.2g}"
    # Two tests at half the level, and another unit.
    both = [(t.ppf(0.975, 9) + t.ppf(0.8, 9)) * error for error in (2, 7)]
    twice = power_text([mean, Mean(0.0, 7.0, 9)], lambda value: 2 * value)
    assert twice == f"power 0.8 at {2 * both[0]:.2g} to {2 * both[1]:.2g}"


@pytest.mark.parametrize(
    ("at_least", "p"), [(1, 0.04), (2, 3 * 0.02), (3, 2 * 0.3), (4, 0.5), (5, 1.0)]
)
def test_tests_together_show_some_of_their_alternatives(at_least: int, p: float) -> None:
    # Holm's least adjusted p-value, and those that remain when others are taken for true.
    assert joint_p([0.3, 0.01, 0.5, 0.02], at_least) == pytest.approx(p)
    assert joint_p([0.7, 0.8]) == 1


def test_differences_are_of_each_row_with_its_share_of_test_examples() -> None:
    evidence = errors_of(COUNTS, n_test=100)
    shares = replace(evidence.outcomes, test_shares={"r2": 0.5})
    found = replace(evidence, outcomes=shares).differences("a", "b")
    assert [mean.value for mean in found] == pytest.approx([0, -17 / 3])
    assert found == [Mean.of([1, 2, -3]), Mean.of([-6, -6, -5], 0.5)]
    assert evidence.of_split(0).differences("a", "b") == []
    assert InPrint(("x",), {}, (RISKS,)).differences("a", "a") == []


def test_ours_needs_a_test_to_be_refuted_and_print_does_not() -> None:
    ours, printed = errors_of(COUNTS), InPrint((), {}, ())
    cases = ((True, True), (False, True), (False, False))
    assert [ours.verdict(*of) for of in cases] == [True, False, None]
    assert [printed.verdict(*of) for of in cases] == [True, False, False]


@pytest.mark.parametrize(
    "ask",
    [
        lambda e: e.values("b"),
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
def test_a_missing_number_is_said_to_be_missing(ask: Callable[[Evidence], object]) -> None:
    evidence = errors_of(COUNTS)
    evidence.outcomes.records["r2", "b", 1] = Record("k", "failed")
    with pytest.raises(Lacking, match="cells missing"):
        ask(evidence)


def test_rows_can_be_chosen_and_left_out() -> None:
    evidence = errors_of(COUNTS)
    assert evidence.over().rows == ("r1", "r2")
    assert evidence.over(["r2"]).values("a") == [3]
    assert evidence.over(excluded=["r2", "nowhere"]).rows == ("r1",)
    assert evidence.over(["r2", "r1"], ["r1"]).rows == ("r2",)
    assert evidence.over(["r*"], ["*1"]).rows == ("r2",)
    for rows in (["r1", "s*"], ["nowhere"]):
        with pytest.raises(NotInConfig):
            evidence.over(rows)
    # A row can have the signs of a pattern in its name.
    evidence = Ours(("a [1]", "a 1"), {}, evidence.outcomes)
    assert evidence.over(["a [1]"]).rows == ("a [1]", "a 1")


def test_what_a_config_has_not_is_absent_and_what_failed_is_lacking() -> None:
    evidence = errors_of(COUNTS)
    for row, algorithm in (("r3", "a"), ("r1", "c")):
        with pytest.raises(NotInConfig):
            evidence.value(row, algorithm)
    evidence.outcomes.records["r1", "a", 0] = Record("k", "failed")
    with pytest.raises(Lacking) as caught:
        evidence.value("r1", "a")
    assert type(caught.value) is Lacking


def assert_curve(found: Curve, at: tuple[float, ...], splits: list[list[float]]) -> None:
    assert (found.at, found.splits.tolist()) == (at, splits)


def test_a_curve_has_a_mean_and_parts() -> None:
    curve = Curve((1.0, 10.0, 100.0), np.array([[3.0, 2.0, 1.0], [5.0, 4.0, 2.0]]))
    assert curve.mean.tolist() == [4.0, 3.0, 1.5]
    assert curve.within(10).at == (10.0, 100.0)
    assert_curve(curve.within(last=10), (1.0, 10.0), [[3.0, 2.0], [5.0, 4.0]])
    assert_curve(curve.within(2, 99), (10.0,), [[2.0], [4.0]])
    assert curve.within(0).at == curve.at


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
    found = evidence.curve("r1", "a", "train_error", "voters")
    assert_curve(found, (1, 2, 3), [[0.9, 0.8, 0.6], [0.5, 0.4, 0.4]])


def test_values_along_no_one_hyper_parameter_make_no_curve() -> None:
    evidence = curves_of({"a": [[0.5, 0.25]]})
    evidence = replace(evidence, outcomes=replace(evidence.outcomes, grids={}))
    with pytest.raises(Lacking, match=NO_CURVE):
        evidence.curve("r1", "a", "train_error")


RISKS = Printed(
    "p", ("a",), {("x", "a"): "0.07", (TIME_ROW, "a"): "2.5"}, Facts(unit="fraction")
).in_unit("percent")
ERRORS = Printed("p", ("a_mean", "a_sd"), {("x", "a_mean"): "7.0", ("x", "a_sd"): "1.5"})
MARGINS = replace(ERRORS, facts=Facts(holds="margins"))


def test_each_printed_quantity_is_found_in_the_table_that_holds_it() -> None:
    evidence = InPrint(("x",), {}, (MARGINS, RISKS))
    assert (evidence.values("a"), evidence.value("x", "a", "seconds")) == ([7], 2.5)
    assert evidence.values("a", "margin mean") == [7]
    assert evidence.values("a", "margin sd") == [1.5]
    errors = InPrint(("x",), {}, (MARGINS, ERRORS))
    assert (errors.values("a"), errors.deviation("x", "a")) == ([7], 1.5)


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
def test_a_number_that_is_not_printed_is_said_to_be_lacking(
    ask: Callable[[Evidence], object], message: str
) -> None:
    for tables in ((RISKS,), (RISKS, MARGINS)):
        with pytest.raises(Lacking, match=message):
            ask(InPrint(("x",), {}, tables))
