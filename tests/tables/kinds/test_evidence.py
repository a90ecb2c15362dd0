from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import NOTHING, Facts, MeanOf, Printed
from quadrepro.stats import log_probability_of_deviations, log_probability_of_means
from quadrepro.tables.kinds.readings import RowEvidence, evidence, log_factors, together

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
