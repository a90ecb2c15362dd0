from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import NOTHING, Facts, MeanOf, Printed
from quadrepro.stats import log_probability_of_deviations, log_probability_of_means
from quadrepro.tables.kinds.readings import (
    BASE,
    OurSplits,
    RowEvidence,
    evidence,
    log_factors,
    simulate,
    together,
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
    assert found is not None
    both = np.array([[10.0, 30.0], [20.0, 40.0], [20.0, 20.0]])
    assert found.distances["mean"] == pytest.approx((20 - 50 / 3, 1))
    assert found.distances["sd"] == pytest.approx((8 - np.std([10, 20, 20], ddof=1),))
    assert found.logs == pytest.approx(
        {
            "mean": log_probability_of_means(both, [20, 31], [0.05, 0.5], 5),
            "sd": log_probability_of_deviations(both[:, 0], 8, 0.5, 5),
        }
    )
    # A test needs both deviations.
    assert found.inside == (True,)
    assert found.distance("margin mean") is None


def test_without_print_or_splits_there_is_no_evidence(outcomes: Make) -> None:
    assert evidence(outcomes(*COUNTS), NOTHING, NOTHING, "monks") is None
    assert evidence(outcomes(*COUNTS[:1]), PRINTED, NOTHING, "monks") is None
    lacking = (*COUNTS[:2], {"monks": (2, None, 1)})
    assert evidence(outcomes(*lacking), PRINTED, NOTHING, "monks") is None


def test_rows_together_have_all_distances() -> None:
    one = RowEvidence((True,), {"mean": (1.0, 2.0)}, {"mean": -1.0})
    two = RowEvidence((False, True), {"mean": (6.0,), "sd": (0.5,)}, {"mean": -2.0})
    found = together([one, two])
    assert found.inside == (True, False, True)
    assert (found.distance("mean"), found.distance("sd")) == (3.0, 0.5)
    assert together([]).distance("mean") is None


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


def test_simulated_tables_depend_on_the_seed_and_nothing_else() -> None:
    rng = np.random.default_rng(0)
    found = {
        BASE: {"a": printed_means(rng.normal(size=12))},
        "one": {"a": printed_means(rng.normal(size=12))},
    }
    first, again, other = (simulate(found, seed)["one"] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert np.any(first != other)
