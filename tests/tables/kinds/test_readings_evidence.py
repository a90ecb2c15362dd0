from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import NOTHING, Facts, MeanOf, Printed
from quadrepro.stats import (
    Moments,
    log_probability_of_deviations,
    log_probability_of_means,
    welch_test,
)
from quadrepro.tables.kinds.readings import (
    BASE,
    TABLES,
    OurSplits,
    RowEvidence,
    evidence,
    log_factors,
    score_readings,
    share_by_chance,
    simulate,
)

Make = Callable[..., Outcomes]


PRINTED = Printed(
    "t",
    ("quadboost_mean", "quadboost_sd", "lpboost_mean"),
    {
        ("monks", "quadboost_mean"): "20.0",
        ("monks", "quadboost_sd"): "8",
        ("monks", "lpboost_mean"): "31",
        ("monks", "lpboost_sd"): "",
    },
    Facts(of=MeanOf(splits=5), spread="sd"),
)


COUNTS = ({"monks": (1, 3, None)}, {"monks": (2, 4, None)}, {"monks": (2, 2, None)})


def test_each_printed_number_counts_with_its_own_columns_and_rounding(outcomes: Make) -> None:
    found = evidence(outcomes(*COUNTS), PRINTED, NOTHING, "monks")
    both = np.array([[10.0, 30.0], [20.0, 40.0], [20.0, 20.0]])
    assert found.distances["mean"] == pytest.approx((20 - 50 / 3, 1))
    assert found.distances["sd"] == pytest.approx((8 - np.std([10, 20, 20], ddof=1),))
    assert found.logs == pytest.approx(
        {
            "mean": log_probability_of_means(both, np.array([20, 31]), np.array([0.05, 0.5]), 5),
            "sd": log_probability_of_deviations(both[:, :1], np.array([8]), np.array([0.5]), 5),
        }
    )
    # A test needs both deviations.
    assert found.inside == (True,)
    assert "margin mean" not in found.distances


@pytest.mark.parametrize(("text", "inside"), [("29", True), ("29.0", False)])
def test_a_mean_is_inside_if_its_verdict_is_which_allows_for_its_rounding(
    outcomes: Make, text: str, inside: bool
) -> None:
    ours, printed = Moments(50 / 3, float(np.std([10, 20, 20], ddof=1)), 3), Moments(29, 8, 5)
    assert (
        welch_test(ours, printed).p_value < 0.05 < welch_test(ours, printed, rounding=0.5).p_value
    )
    table = replace(PRINTED, cells={**PRINTED.cells, ("monks", "quadboost_mean"): text})
    found = evidence(outcomes(*COUNTS), table, NOTHING, "monks")
    assert found.inside == (inside,)


def test_without_print_or_splits_there_is_no_evidence(outcomes: Make) -> None:
    assert evidence(outcomes(*COUNTS), NOTHING, NOTHING, "monks") is None
    assert evidence(outcomes(*COUNTS[:1]), PRINTED, NOTHING, "monks") is None
    lacking = (*COUNTS[:2], {"monks": (2, None, 1)})
    assert evidence(outcomes(*lacking), PRINTED, NOTHING, "monks") is None


def test_factors_are_of_kinds_of_number_that_both_readings_have() -> None:
    margins = {"margin mean": -3.0, "margin sd": -4.0}
    base = RowEvidence(logs={"mean": -1.0, "sd": -2.0, **margins})
    reading = RowEvidence(logs={"mean": -0.5, "sd": -4.0, "margin mean": -2.0, "margin sd": -2.5})
    expected = {"means": 0.5, "deviations": -2.0, "margins": 2.5}
    assert log_factors(reading, base) == expected
    part = RowEvidence(logs={"mean": -0.5, "margin mean": -2.0})
    assert log_factors(part, base) == {"means": 0.5}
    assert log_factors(base, part) == {"means": -0.5}


def printed_means(values: np.ndarray, n_printed: int = 40) -> RowEvidence:
    return RowEvidence(splits={"mean": OurSplits(values[:, None], np.array([0.005]), n_printed)})


def spreads(shared: float, offset: float = 0.0) -> float:
    """Return the deviation of simulated factors of ten rows, by the share of common variance."""
    rng = np.random.default_rng(1)
    found: dict[str, dict[str, RowEvidence]] = {BASE: {}, "rival": {}}
    for row in map(str, range(10)):
        common, base, rival = rng.normal(size=(3, 40))
        of_base, of_rival = ((1 - shared) ** 0.5 * x + shared**0.5 * common for x in (base, rival))
        found[BASE][row] = printed_means(of_base)
        found["rival"][row] = printed_means(offset + 2 * of_rival if offset else of_rival)
    return float(simulate(found, 0)["rival"].std())


@pytest.mark.parametrize("shared", [0.0, 0.9])
def test_simulated_factors_of_equal_readings_vary_by_the_dependence_of_their_splits(
    shared: float,
) -> None:
    # Half a difference of squares of normal values with correlation r has variance 1 - r squared.
    # Both are distances to the same mean of 40 printed splits from means of 40 of ours.
    correlation = (1 + shared) / 2
    expected = (10 * (1 - correlation**2)) ** 0.5
    assert spreads(shared) == pytest.approx(expected, rel=0.25)


def test_simulated_readings_have_the_means_and_deviations_of_the_base() -> None:
    assert spreads(0.5, offset=7.0) == pytest.approx(spreads(0.5), rel=1e-6)


def test_a_reading_that_changes_nothing_has_simulated_factors_of_zero() -> None:
    same = {"a": printed_means(np.random.default_rng(0).normal(size=12))}
    simulated = simulate({BASE: same, "same": same, "of no row": {}}, 0)
    assert not np.any(simulated["same"])
    assert not np.any(simulated["of no row"])


def test_the_number_of_readings_tried_is_paid_for() -> None:
    just, same = {"one": math.log(20 * 10)}, {"one": np.zeros(20)}
    [enough], [short] = (score_readings(just, same, tried).values() for tried in (10, 11))
    assert (enough.needed, short.needed) == pytest.approx((math.log(200), math.log(220)))
    assert (enough.supported, short.supported) == (True, False)
    assert score_readings({}, {}, 3) == {}


def test_a_reading_needs_what_one_of_twenty_simulated_tables_gives_some_reading() -> None:
    rng = np.random.default_rng(0)
    simulated = {"wide": rng.normal(0, 8, 400), "narrow": rng.normal(0, 4, 400)}
    simulated["same"] = np.zeros(400)
    scores = score_readings(dict.fromkeys(simulated, 3.0), simulated, 3)
    needed = {name: score.needed for name, score in scores.items()}
    some = [simulated[name] >= needed[name] for name in ("wide", "narrow")]
    assert np.mean(np.any(some, axis=0)) == pytest.approx(0.05, abs=1 / 400)
    sds = [np.std(simulated[name], ddof=1) for name in ("wide", "narrow")]
    assert needed["wide"] / needed["narrow"] == pytest.approx(sds[0] / sds[1])
    assert needed["same"] == pytest.approx(math.log(60))


@pytest.mark.parametrize("seed", range(10))
def test_the_table_that_sets_what_is_needed_reaches_it_whatever_is_rounded(seed: int) -> None:
    rng = np.random.default_rng(seed)
    simulated = {name: 30 * rng.standard_normal(TABLES) for name in "abc"}
    scores = score_readings(dict.fromkeys(simulated, 1.0), simulated, 3)
    assert share_by_chance(scores, simulated) == 0.05
